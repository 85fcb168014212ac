//! Settings of a server.
use super::{EngineArgs, ServerEngines, SitesAt, fonts, values};
use crate::failure::Failure;
use adapters_mail::{InvalidSetting, SmtpMailer};
use anyhow::Result;
use chrono::TimeDelta;
use clap::{ArgAction, Args, ValueEnum};
use domain::site::isolation::Isolation;
use domain::site::served_font::FontTable;
use domain::text::Email;
use domain::token::Secret;
use http_server::{Limits, Network};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use url::Url;

/// The arguments of `octavo serve`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Serve {
    #[command(flatten)]
    address: Address,
    #[command(flatten)]
    outbound: Outbound,
    #[command(flatten)]
    conversations: ConversationArgs,
    #[command(flatten)]
    mail: Mail,
    #[command(flatten)]
    engines: EngineArgs,
    #[command(flatten)]
    limits: RateLimits,
    #[command(flatten)]
    first: FirstStart,
    #[command(flatten)]
    resources: Resources,
}

/// How pages of sites load images of other hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ExternalImages {
    /// From this server.
    #[default]
    Keep,
    /// From their own hosts.
    Link,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Addresses")]
struct Address {
    /// The address to listen on: an IP address and a port; port 0 takes a free port.
    #[arg(long, env = "OCTAVO_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:8080", value_parser = values::listen)]
    listen: SocketAddr,

    /// The URL of the server for clients: every link in a response starts with it [default: http:// and --listen].
    #[arg(long, env = "OCTAVO_PUBLIC_URL", value_name = "URL", value_parser = values::public_url)]
    public_url: Option<Url>,

    #[command(flatten)]
    sites: SitesAt,

    /// What happens when a private site shares its origin with a site of another organization.
    ///
    /// Browsers keep origins apart, but not paths. `report`: the server logs it at start, and the site has a warning.
    /// `strict`: such a site cannot be published.
    #[arg(long, env = "OCTAVO_SITES_ISOLATION", value_name = "HOW", default_value = "report", value_parser = values::isolation)]
    sites_isolation: Isolation,

    /// Seconds for which a CDN may serve public pages of sites without revalidation; 0 for never.
    ///
    /// Visitors can see a change that much later.
    #[arg(long, env = "OCTAVO_SITE_EDGE_SECONDS", value_name = "SECONDS", default_value_t = 0,
        value_parser = values::whole::<u32>(0..=u32::MAX))]
    site_edge_seconds: u32,

    /// How pages of sites load images and fonts of other hosts.
    ///
    /// `keep`: this server fetches them, from public addresses only, and sends them to visitors. `link`: the browsers
    /// of visitors load them, so the other hosts learn who reads the page.
    #[arg(long, env = "OCTAVO_SITE_EXTERNAL_IMAGES", value_name = "HOW", value_enum, default_value_t)]
    site_external_images: ExternalImages,

    /// The folder with fonts for sites, as packages of Fontsource [default: fonts of the visitors' systems].
    ///
    /// It is read at the start. Check it with octavo fonts check.
    #[arg(long, env = "OCTAVO_FONTS_DIR", value_name = "FOLDER")]
    fonts_dir: Option<PathBuf>,

    /// The address that serves /metrics for Prometheus [default: no metrics].
    ///
    /// Metrics need no token and show how busy the server is. A separate address keeps them away from the clients of
    /// the API.
    #[arg(long, env = "OCTAVO_METRICS_LISTEN", value_name = "ADDRESS", value_parser = values::listen)]
    metrics_listen: Option<SocketAddr>,

    /// Proxies in front of the server, separated by commas; only their X-Forwarded-For is trusted.
    ///
    /// Each is an IP address or a network such as 10.0.0.0/8.
    #[arg(
        long,
        env = "OCTAVO_TRUSTED_PROXIES",
        value_name = "NETWORKS",
        value_delimiter = ',',
        value_parser = values::network
    )]
    trusted_proxies: Vec<Network>,
}

#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Fetching")]
struct Outbound {
    /// Allow fetching from private addresses, and webhooks to them: true or false.
    ///
    /// A caller who can add a file by its address makes the server fetch it. By default, the server sends requests only
    /// to hosts on the public internet, on ports 80 and 443. With this setting, it sends them to every address it can
    /// reach, except link-local addresses, the database and the server itself.
    #[arg(
        long,
        env = "OCTAVO_ALLOW_PRIVATE_FETCH",
        value_name = "BOOL",
        default_value = "false",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        action = ArgAction::Set,
        value_parser = values::switch
    )]
    allow_private_fetch: bool,

    /// Hours after which an OpenAPI spec is fetched from its address again; 0 for never.
    #[arg(long, env = "OCTAVO_OPENAPI_REFRESH", value_name = "HOURS", default_value_t = 6,
        value_parser = values::whole::<u16>(0..=u16::MAX))]
    openapi_refresh: u16,
}

#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Conversations")]
struct ConversationArgs {
    /// Whether personal data and secrets in conversations are removed before they are stored.
    ///
    /// `on` replaces e-mail addresses, phone, card and bank account numbers, keys, tokens and passwords by placeholders
    /// such as `[email]`.
    #[arg(long, env = "OCTAVO_REDACT", value_name = "HOW", value_enum, default_value_t)]
    redact: Redaction,

    /// Days for which conversations are kept; 0 keeps them for ever.
    #[arg(long, env = "OCTAVO_CONVERSATION_DAYS", value_name = "DAYS", default_value_t = 365,
        value_parser = values::whole::<u16>(0..=u16::MAX))]
    conversation_days: u16,
}

/// Whether conversations are redacted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Redaction {
    #[default]
    On,
    Off,
}

#[derive(Args, Clone)]
#[command(next_help_heading = "E-mail")]
struct Mail {
    /// The mail server for notifications: smtps://USER:PASSWORD@HOST, or smtp:// [default: no e-mail].
    ///
    /// smtps uses TLS from the start, on port 465. smtp uses STARTTLS: always if the URL has a password (port 587),
    /// otherwise if the server offers it (port 25), and never to this machine. Encode special characters of the
    /// password as in every URL. Prefer the environment variable: other users of the machine can read command lines.
    #[arg(long, env = "OCTAVO_SMTP_URL", value_name = "URL")]
    smtp_url: Option<String>,

    /// The sender of e-mails, such as octavo@example.org or "Octavo <octavo@example.org>"; required with --smtp-url.
    #[arg(long, env = "OCTAVO_MAIL_FROM", value_name = "ADDRESS")]
    mail_from: Option<String>,
}

impl std::fmt::Debug for Mail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mail").field("mail_from", &self.mail_from).finish_non_exhaustive()
    }
}

impl Mail {
    /// The mailer; `None` if no mail server is set.
    fn mailer(self) -> Result<Option<Arc<SmtpMailer>>> {
        let Some(url) = self.smtp_url else { return Ok(None) };
        let from = self.mail_from.ok_or_else(|| {
            Failure::usage("OCTAVO_MAIL_FROM (--mail-from): is required with OCTAVO_SMTP_URL (--smtp-url)")
                .advise("set it to the address that e-mails come from")
        })?;
        let mailer = SmtpMailer::new(&url, &from).map_err(|error| match error {
            InvalidSetting::From => Failure::usage(format!("OCTAVO_MAIL_FROM (--mail-from): {error}")),
            InvalidSetting::Url | InvalidSetting::Tls => {
                Failure::usage(format!("OCTAVO_SMTP_URL (--smtp-url): {error}"))
            }
        })?;
        Ok(Some(Arc::new(mailer)))
    }
}

#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Limits (0: no limit)")]
struct RateLimits {
    /// Requests per minute and token, on average.
    #[arg(long, env = "OCTAVO_RATE_LIMIT", value_name = "NUMBER", default_value_t = Limits::default().requests_per_minute,
        value_parser = values::whole::<u32>(0..=u32::MAX))]
    rate_limit: u32,

    /// Requests that a token may send at once; 0 for as many as in a minute.
    #[arg(long, env = "OCTAVO_RATE_LIMIT_BURST", value_name = "NUMBER", default_value_t = Limits::default().burst,
        value_parser = values::whole::<u32>(0..=u32::MAX))]
    rate_limit_burst: u32,

    /// Failed authentications per minute and client address.
    #[arg(
        long,
        env = "OCTAVO_AUTH_FAILURE_LIMIT",
        value_name = "NUMBER",
        default_value_t = Limits::default().failures_per_minute,
        value_parser = values::whole::<u32>(0..=u32::MAX)
    )]
    auth_failure_limit: u32,
}

#[derive(Args, Clone)]
#[command(next_help_heading = "First start and secrets")]
struct FirstStart {
    /// The administrator's e-mail address; the first start creates the account.
    #[arg(long, env = "OCTAVO_ADMIN_EMAIL", value_name = "EMAIL", default_value = "admin@localhost", value_parser = values::email)]
    admin_email: Email,

    /// The administrator's API token: 20 to 200 visible ASCII characters [default: created and printed once].
    ///
    /// Only the first start uses it; later, use octavo token. Prefer the environment variable: other users of the
    /// machine can read command lines.
    #[arg(long, env = "OCTAVO_ADMIN_TOKEN", value_name = "TOKEN")]
    admin_token: Option<String>,

    /// The instance's secret, 64 hexadecimal digits [default: kept in the data folder].
    ///
    /// It signs page tokens, download links, invites by link and claims of visitors. Secrets of webhooks, keys of share
    /// links and private keys of sites are computed from it: a change makes the earlier ones invalid. Servers that
    /// share a database must share it. Create one with openssl rand -hex 32. Prefer the environment variable: other
    /// users of the machine can read command lines.
    #[arg(long, env = "OCTAVO_SECRET", value_name = "HEX")]
    secret: Option<String>,
}

impl std::fmt::Debug for FirstStart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FirstStart").field("admin_email", &self.admin_email).finish_non_exhaustive()
    }
}

#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Resources")]
struct Resources {
    /// Threads that serve requests [default: one per processor].
    #[arg(long, env = "OCTAVO_WORKERS", value_name = "NUMBER", value_parser = values::whole::<u16>(1..=1024))]
    workers: Option<u16>,

    /// Connections to the database.
    #[arg(
        long,
        env = "OCTAVO_DATABASE_CONNECTIONS",
        value_name = "NUMBER",
        default_value_t = 10,
        value_parser = values::whole::<u16>(1..=1000)
    )]
    database_connections: u16,

    /// Size of the content caches, in MiB.
    #[arg(
        long,
        env = "OCTAVO_CACHE_SIZE",
        value_name = "MIB",
        default_value_t = 64,
        value_parser = values::whole::<u32>(1..=1_048_576)
    )]
    cache_size: u32,
}

/// Settings of a server, checked.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// The address to listen on.
    pub(crate) listen: SocketAddr,
    /// The URL for clients, if it is not the listen address.
    pub(crate) public_url: Option<Url>,
    /// Where clients reach sites.
    pub(crate) sites: SitesAt,
    /// How to handle private sites that share an origin with sites of other organizations.
    pub(crate) sites_isolation: Isolation,
    /// How long a CDN may serve public pages of sites without revalidation, in seconds.
    pub(crate) site_edge_seconds: u64,
    pub(crate) keep_external_images: bool,
    /// The known fonts that visitors of sites get from the server.
    pub(crate) fonts: Arc<FontTable>,
    /// The address to serve metrics on.
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// Trusted proxies.
    pub(crate) trusted_proxies: Vec<Network>,
    /// Whether private addresses may be fetched from.
    pub(crate) allow_private_fetch: bool,
    /// How long after a success an OpenAPI spec is fetched again; absent for never.
    pub(crate) openapi_refresh: Option<TimeDelta>,
    /// Whether conversations are redacted.
    pub(crate) redact: bool,
    /// How long conversations are kept; absent for ever.
    pub(crate) keep_conversations: Option<TimeDelta>,
    /// Sends e-mail, if a mail server is set.
    pub(crate) mailer: Option<Arc<SmtpMailer>>,
    /// The engines.
    pub(crate) engines: ServerEngines,
    /// The rate limits of callers.
    pub(crate) limits: Limits,
    /// The first administrator.
    pub(crate) admin_email: Email,
    /// The first administrator's token.
    pub(crate) admin_token: Option<Secret>,
    /// The instance's secret, if it is not in the data folder.
    pub(crate) secret: Option<InstanceSecret>,
    /// Threads that serve requests.
    pub(crate) workers: Option<usize>,
    /// Connections to the database.
    pub(crate) database_connections: usize,
    /// Memory for content, in bytes.
    pub(crate) cache_bytes: u64,
}

impl Serve {
    /// Checks the secrets, which the parser of the command line would quote in an error, and reads the folder with
    /// fonts.
    ///
    /// # Errors
    /// If a secret is invalid: the error names the setting and the rule, never the value. If there is no such folder.
    pub(crate) fn check(self) -> Result<Server> {
        let Self { address, outbound, conversations, mail, engines, limits, first, resources } = self;
        let admin_token = first.admin_token.map(Secret::chosen).transpose();
        let secret = first.secret.as_deref().map(InstanceSecret::from_hex).transpose();
        Ok(Server {
            listen: address.listen,
            public_url: address.public_url,
            sites: address.sites,
            sites_isolation: address.sites_isolation,
            site_edge_seconds: address.site_edge_seconds.into(),
            keep_external_images: address.site_external_images == ExternalImages::Keep,
            fonts: Arc::new(fonts::table(address.fonts_dir.as_deref())?),
            metrics_listen: address.metrics_listen,
            trusted_proxies: address.trusted_proxies,
            allow_private_fetch: outbound.allow_private_fetch,
            openapi_refresh: (outbound.openapi_refresh > 0).then(|| TimeDelta::hours(outbound.openapi_refresh.into())),
            redact: conversations.redact == Redaction::On,
            keep_conversations: (conversations.conversation_days > 0)
                .then(|| TimeDelta::days(conversations.conversation_days.into())),
            mailer: mail.mailer()?,
            engines: engines.check()?,
            limits: Limits {
                requests_per_minute: limits.rate_limit,
                burst: limits.rate_limit_burst,
                failures_per_minute: limits.auth_failure_limit,
            },
            admin_email: first.admin_email,
            admin_token: admin_token.map_err(|rule| {
                Failure::usage(format!("OCTAVO_ADMIN_TOKEN (--admin-token): {rule}"))
                    .advise("create one with: openssl rand -hex 32")
            })?,
            secret: secret.map_err(|rule| {
                Failure::usage(format!("OCTAVO_SECRET (--secret): {rule}"))
                    .advise("create one with: openssl rand -hex 32")
            })?,
            workers: resources.workers.map(usize::from),
            database_connections: resources.database_connections.into(),
            cache_bytes: u64::from(resources.cache_size) << 20,
        })
    }
}

/// The instance's secret of 32 bytes. Its `Debug` output hides it from logs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct InstanceSecret(pub(crate) [u8; 32]);

impl InstanceSecret {
    /// Reads 64 hexadecimal digits.
    pub(crate) fn from_hex(raw: &str) -> Result<Self, &'static str> {
        let rule = "must be 64 hexadecimal digits";
        let digits = raw.as_bytes();
        if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(rule);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(0..) {
            *byte = u8::from_str_radix(&raw[pair * 2..pair * 2 + 2], 16).ok().ok_or(rule)?;
        }
        Ok(Self(bytes))
    }

    /// The 64 hexadecimal digits.
    pub(crate) fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl std::fmt::Debug for InstanceSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InstanceSecret(..)")
    }
}
