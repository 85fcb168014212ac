//! Settings of a server.
use super::values;
use crate::failure::Failure;
use anyhow::Result;
use api_actix::{Limits, Network};
use clap::{ArgAction, Args};
use domain::text::Email;
use domain::token::Secret;
use std::net::SocketAddr;
use url::Url;

/// `octavo serve` as it is written.
#[derive(Args, Clone, Debug)]
pub(crate) struct Serve {
    #[command(flatten)]
    address: Address,
    #[command(flatten)]
    outbound: Outbound,
    #[command(flatten)]
    limits: RateLimits,
    #[command(flatten)]
    first: FirstStart,
    #[command(flatten)]
    resources: Resources,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Addresses")]
struct Address {
    /// Where to listen: an IP address and a port; port 0 takes a free one.
    #[arg(long, env = "OCTAVO_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:8080", value_parser = values::listen)]
    listen: SocketAddr,

    /// Where clients reach the server: every link in an answer begins with it [default: http:// and --listen].
    #[arg(long, env = "OCTAVO_PUBLIC_URL", value_name = "URL", value_parser = values::public_url)]
    public_url: Option<Url>,

    /// Where to serve /metrics for Prometheus; there are no metrics without it.
    ///
    /// An address of its own keeps them away from the clients of the API: they tell how busy the server is, and need no
    /// token.
    #[arg(long, env = "OCTAVO_METRICS_LISTEN", value_name = "ADDRESS", value_parser = values::listen)]
    metrics_listen: Option<SocketAddr>,

    /// Proxies in front of the server, separated by commas: X-Forwarded-For is believed from these only.
    ///
    /// Each is an IP address, or a network such as 10.0.0.0/8.
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
    /// Whether files may be fetched from private addresses, too: true or false.
    ///
    /// Whoever may add a file by its address has the server fetch it. Without this, only hosts on the public internet
    /// are asked, at ports 80 and 443; with it, whatever the server can reach. Link-local addresses, the database and
    /// the server itself are never asked.
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
}

#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Limits (0: none)")]
struct RateLimits {
    /// Requests a minute and token, in the long run.
    #[arg(long, env = "OCTAVO_RATE_LIMIT", value_name = "NUMBER", default_value_t = Limits::default().requests_per_minute)]
    rate_limit: u32,

    /// Requests of a token that may come at once.
    #[arg(long, env = "OCTAVO_RATE_LIMIT_BURST", value_name = "NUMBER", default_value_t = Limits::default().burst)]
    rate_limit_burst: u32,

    /// Failed authentications a minute and client address.
    #[arg(
        long,
        env = "OCTAVO_AUTH_FAILURE_LIMIT",
        value_name = "NUMBER",
        default_value_t = Limits::default().failures_per_minute
    )]
    auth_failure_limit: u32,
}

#[derive(Args, Clone)]
#[command(next_help_heading = "First start and secrets")]
struct FirstStart {
    /// The administrator's address; the first start makes the account.
    #[arg(long, env = "OCTAVO_ADMIN_EMAIL", value_name = "EMAIL", default_value = "admin@localhost", value_parser = values::email)]
    admin_email: Email,

    /// The administrator's API token: 20 to 200 visible ASCII characters [default: one is made and printed once].
    ///
    /// Only the first start takes it; afterwards use octavo token. Prefer the environment variable: other users of the
    /// machine can read command lines.
    #[arg(long, env = "OCTAVO_ADMIN_TOKEN", value_name = "TOKEN")]
    admin_token: Option<String>,

    /// The instance's secret, 64 hexadecimal digits [default: kept in the data folder].
    ///
    /// Page tokens and download links are signed with it. Servers that share a database must share it; openssl rand
    /// -hex 32 makes one. Prefer the environment variable: other users of the machine can read command lines.
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
    /// Threads that answer requests [default: one a processor].
    #[arg(long, env = "OCTAVO_WORKERS", value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,

    /// Connections to the database.
    #[arg(
        long,
        env = "OCTAVO_DATABASE_CONNECTIONS",
        value_name = "NUMBER",
        default_value_t = 10,
        value_parser = clap::value_parser!(u16).range(1..=1000)
    )]
    database_connections: u16,

    /// Memory for content that is read often, in MiB.
    #[arg(
        long,
        env = "OCTAVO_CACHE_SIZE",
        value_name = "MIB",
        default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(1..=1_048_576)
    )]
    cache_size: u32,
}

/// Settings of a server, checked.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// Where to listen.
    pub(crate) listen: SocketAddr,
    /// Where clients reach it, unless that is where it listens.
    pub(crate) public_url: Option<Url>,
    /// Where to serve metrics.
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// Proxies that are believed.
    pub(crate) trusted_proxies: Vec<Network>,
    /// Whether private addresses may be fetched from.
    pub(crate) allow_private_fetch: bool,
    /// How often a caller may ask.
    pub(crate) limits: Limits,
    /// The first administrator.
    pub(crate) admin_email: Email,
    /// The first administrator's token.
    pub(crate) admin_token: Option<Secret>,
    /// The instance's secret, where it does not come from the data folder.
    pub(crate) secret: Option<InstanceSecret>,
    /// Threads that answer requests.
    pub(crate) workers: Option<usize>,
    /// Connections to the database.
    pub(crate) database_connections: usize,
    /// Memory for content, in bytes.
    pub(crate) cache_bytes: u64,
}

impl Serve {
    /// Checks what the parser of the command line must not quote in an error.
    ///
    /// # Errors
    /// Names the setting and the rule, never the value.
    pub(crate) fn check(self) -> Result<Server> {
        let Self { address, outbound, limits, first, resources } = self;
        let admin_token = first.admin_token.map(Secret::chosen).transpose();
        let secret = first.secret.as_deref().map(InstanceSecret::from_hex).transpose();
        Ok(Server {
            listen: address.listen,
            public_url: address.public_url,
            metrics_listen: address.metrics_listen,
            trusted_proxies: address.trusted_proxies,
            allow_private_fetch: outbound.allow_private_fetch,
            limits: Limits {
                requests_per_minute: limits.rate_limit,
                burst: limits.rate_limit_burst,
                failures_per_minute: limits.auth_failure_limit,
            },
            admin_email: first.admin_email,
            admin_token: admin_token.map_err(|rule| {
                Failure::usage(format!("OCTAVO_ADMIN_TOKEN (--admin-token): {rule}"))
                    .advise("openssl rand -hex 32 makes a good one")
            })?,
            secret: secret.map_err(|rule| {
                Failure::usage(format!("OCTAVO_SECRET (--secret): {rule}")).advise("openssl rand -hex 32 makes one")
            })?,
            workers: resources.workers.map(usize::from),
            database_connections: resources.database_connections.into(),
            cache_bytes: u64::from(resources.cache_size) << 20,
        })
    }
}

/// 32 bytes that nobody else knows. Shows nothing in logs.
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
