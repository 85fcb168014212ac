//! `octavo serve` and `octavo demo`: the server.
use crate::compose::{self, Resources};
use crate::config::{InstanceSecret, Place, Server, ServerEngines};
use crate::demo;
use crate::failure::Failure;
use crate::metrics;
use crate::output::Output;
use actix_web::web::Data;
use adapters_diesel::DatabaseOptions;
use adapters_fetch::FetchOptions;
use anyhow::{Context, Result};
use api_actix::{Api, Settings};
use chrono::{DateTime, SecondsFormat};
use domain::ports::StoreError;
use domain::text::OrganizationTitle;
use domain::usecases::UseCases;
use domain::usecases::accounts::Bootstrap;
use domain::usecases::jobs::{Engines, Outbox};
use domain::usecases::{Accounts, Error};
use http_server::{ServerOptions, Traffic};
use job_worker::Worker;
use site_actix::{CachedPages, FEEDBACK_PER_MINUTE, SEARCHES_PER_MINUTE, SiteServer, SiteSettings};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpSocket;
use url::Url;

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;
/// The interval for storing the last use of tokens. Each time invalidates the response cache.
const USES_EVERY: Duration = Duration::from_secs(60);
/// The title of the first organization.
const ORGANIZATION: &str = "My organization";

/// Runs the server until a signal stops it.
///
/// # Errors
/// If the server cannot start.
pub(super) async fn serve(place: Place, server: Server) -> Result<()> {
    let start = Start::prepare(place, server).await?;
    let made = start.bootstrap().await?;
    let token_was_set = start.server.admin_token.is_some();
    start
        .run(|url| {
            if let Some(made) = &made {
                welcome(made, url, token_was_set);
            }
        })
        .await
}

/// Runs the server with sample content.
///
/// # Errors
/// If the server cannot start.
pub(super) async fn demo(place: Place, server: Server) -> Result<()> {
    let mut start = Start::prepare(place, server).await?;
    let demo = demo::set_up(&start.use_cases, &start.place).await?;
    start.home = demo.site().map(ToOwned::to_owned);
    start.run(|url| demo.show(url)).await
}

/// A prepared server.
struct Start {
    place: Place,
    server: Server,
    use_cases: UseCases,
    secret: InstanceSecret,
    /// Whether this start created the secret.
    secret_is_new: bool,
    listener: TcpListener,
    metrics_listener: Option<TcpListener>,
    public_url: Url,
    /// The target of the redirect from `/`.
    home: Option<String>,
}

impl Start {
    /// Does everything that can fail, cheapest first, before any write to the database.
    async fn prepare(place: Place, server: Server) -> Result<Self> {
        place.create()?;
        let listener = listen(server.listen, "--listen (OCTAVO_LISTEN)")?;
        let metrics_at = |address| listen(address, "--metrics-listen (OCTAVO_METRICS_LISTEN)");
        let metrics_listener = server.metrics_listen.map(metrics_at).transpose()?;
        let public_url = match &server.public_url {
            Some(url) => url.clone(),
            None => {
                let url = url_of(listener.local_addr()?)?;
                if server.listen.ip().is_unspecified() {
                    tracing::warn!(
                        "OCTAVO_PUBLIC_URL (--public-url) is not set: links begin with {url}, which only this machine \
                         can open"
                    );
                }
                url
            }
        };
        let resources = Resources {
            database_connections: server.database_connections,
            cache_bytes: server.cache_bytes / 4,
            pause: Duration::ZERO,
            database_cache_kib: DatabaseOptions::default().cache_kib,
        };
        let listeners = std::iter::once(&listener).chain(&metrics_listener);
        let listeners = listeners.map(|listener| listener.local_addr().map(|at| (at.ip().to_string(), at.port())));
        let own = listeners.chain(place.database_endpoints().into_iter().map(Ok)).collect::<std::io::Result<_>>()?;
        let fetching = FetchOptions { allow_private: server.allow_private_fetch, own };
        let mut ports = compose::open(&place, resources, fetching).await?;
        let (secret, secret_is_new) = match server.secret {
            Some(secret) => {
                if place.has_other_secret(secret) {
                    tracing::warn!(
                        "OCTAVO_SECRET (--secret) differs from the file `secret` of the data folder; if the server used \
                         the file before, invites by link, share links, secrets of webhooks and private keys of sites \
                         changed: unset OCTAVO_SECRET to keep the earlier ones, or delete the file"
                    );
                }
                (secret, false)
            }
            None => place.secret(&*ports.secrets)?,
        };
        ports.outbox = server.mailer.clone().map(|mailer| {
            let links = api_actix::mail_links(&public_url, &secret.0);
            Outbox { mailer, links }
        });
        let ServerEngines { engines, words_a_day } = server.engines.clone();
        ports.chat = engines.chat;
        ports.embedder = engines.embedder;
        ports.engines = engines.translator.map(|translator| Engines { translator, words_a_day });
        let hosting = server.sites.hosting(&public_url).isolated(server.sites_isolation);
        let mut use_cases = UseCases::new(&ports, public_url.as_str(), hosting, &secret.0);
        if let Some(specs) = &mut use_cases.jobs.specs {
            specs.refresh = server.openapi_refresh;
        }
        use_cases.conversations.redact = server.redact;
        if let Some(analyst) = &mut use_cases.jobs.analyst {
            analyst.keep = server.keep_conversations;
            analyst.redact = server.redact;
        }
        Ok(Self { place, server, use_cases, secret, secret_is_new, listener, metrics_listener, public_url, home: None })
    }

    /// Creates the administrator and the organization of an empty server.
    async fn bootstrap(&self) -> Result<Option<Bootstrap>> {
        let Server { admin_email, admin_token, .. } = &self.server;
        let accounts = &self.use_cases.accounts;
        let title = OrganizationTitle::fitted(ORGANIZATION, ORGANIZATION);
        let made = match accounts.bootstrap(admin_email.clone(), title, admin_token.clone()).await {
            // Another server of the instance started at the same time and was faster.
            Err(Error::Store(StoreError::Conflict(_))) => None,
            made => made.context("cannot create the administrator")?,
        };
        if made.is_none() && self.secret_is_new {
            tracing::warn!(
                "this start created a new secret, but the database is older: invites by link, share links, secrets of \
                 webhooks and private keys of sites changed; to keep the earlier ones, stop the server, and restore the \
                 file `secret` of the data folder or set OCTAVO_SECRET"
            );
        }
        if let (None, Some(token)) = (&made, admin_token)
            && accounts.authenticate(token.reveal()).await.is_err()
        {
            tracing::warn!(
                "OCTAVO_ADMIN_TOKEN is not valid: only the first start uses it, and this server already has accounts; \
                 create a token with `octavo token create`"
            );
        }
        Ok(made)
    }

    /// Serves until a signal; calls `ready` with the public URL once the server accepts requests.
    async fn run(self, ready: impl FnOnce(&Url)) -> Result<()> {
        if let Some(listener) = self.metrics_listener {
            metrics::serve(listener)?;
        }
        for name in self.use_cases.sites.exposed().await.context("cannot look for sites that share an origin")? {
            tracing::warn!(
                "the private site {name} is on one origin with a site of another organization: give it a host name with \
                 `octavo site hostname`, or set OCTAVO_SITES_HOST"
            );
        }
        if let Some(root) = self.use_cases.sites.missing_root().await.context("cannot look for the site at the root")? {
            tracing::warn!(
                "OCTAVO_ROOT_SITE (--root-site) names a site that does not exist: {root}; create it, or correct the \
                 setting"
            );
        }
        let settings = Settings {
            public_url: self.public_url.clone(),
            secret: self.secret.0,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: build_date(),
            limits: self.server.limits,
            trusted_proxies: self.server.trusted_proxies.clone(),
            answer_cache_bytes: self.server.cache_bytes / 2,
            home: self.home,
        };
        let defaults = ServerOptions::default();
        let workers = self.server.workers.and_then(NonZeroUsize::new).unwrap_or(defaults.workers);
        let accounts = self.use_cases.accounts.clone();
        let sites = SiteSettings {
            public_url: self.public_url.clone(),
            api_document: || api_actix::reference_document(env!("CARGO_PKG_VERSION")),
            sites_url: self.server.sites.url(&self.public_url).clone(),
            trusted_proxies: self.server.trusted_proxies.clone(),
            cache_bytes: self.server.cache_bytes / 4,
            feedback_per_minute: FEEDBACK_PER_MINUTE,
            searches_per_minute: SEARCHES_PER_MINUTE,
            edge_seconds: self.server.site_edge_seconds,
            keep_external_images: self.server.keep_external_images,
            fonts: self.server.fonts.clone(),
        };
        let sites = Data::new(SiteServer::new(self.use_cases.clone(), sites));
        let api = Data::new(Api::new(self.use_cases.clone(), settings));
        let options = ServerOptions { workers, ..defaults };
        let listen = self.listener.local_addr()?;
        let traffic = Arc::<Traffic>::default();
        let cached_pages = Arc::new(CachedPages::new(sites.clone()));
        let application = move || site_actix::dispatch(sites.clone(), api_actix::app(api.clone()));
        // Moved: while a copy is open here, clients would not notice that the server has stopped accepting.
        let running = http_server::serve(self.listener, options, traffic.clone(), cached_pages, application)?;
        let stopping = http_server::stop_at(http_server::stop_signal()?, running.handle(), &traffic, options);
        let worker = Worker::start(self.use_cases.jobs.clone());
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            %listen,
            url = %self.public_url,
            data = %self.place.data_dir().display(),
            database = self.place.database(),
            "serving"
        );
        let output = Output::people();
        output.line(format_args!(
            "Octavo {} serves {}",
            env!("CARGO_PKG_VERSION"),
            self.public_url.as_str().trim_end_matches('/')
        ));
        ready(&self.public_url);
        let ended = tokio::select! {
            ended = running => ended.context("the server failed"),
            () = stopping => Ok(()),
            () = write_uses_now_and_then(&accounts) => Ok(()),
        };
        worker.stop().await;
        write_uses(&accounts).await;
        tracing::info!("stopped");
        ended
    }
}

/// Stores the last use of tokens every [`USES_EVERY`]; never returns.
async fn write_uses_now_and_then(accounts: &Accounts) {
    loop {
        tokio::time::sleep(USES_EVERY).await;
        write_uses(accounts).await;
    }
}

async fn write_uses(accounts: &Accounts) {
    if let Err(error) = accounts.write_uses().await {
        let error = anyhow::Error::from(error);
        tracing::warn!(error = format!("{error:#}"), "cannot store the last use of tokens; trying again later");
    }
}

/// The time of the build, from the build script.
fn build_date() -> String {
    let seconds = env!("OCTAVO_BUILD_SECONDS").parse().unwrap_or_default();
    DateTime::from_timestamp(seconds, 0).unwrap_or_default().to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Opens a listening socket.
fn listen(address: SocketAddr, setting: &str) -> Result<TcpListener> {
    let open = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        // Without it, a restart would fail for a minute because of connections of the last run.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)?.into_std()
    };
    open().map_err(|error| {
        let advice = match error.kind() {
            ErrorKind::AddrInUse => {
                "another program uses this port, maybe another Octavo: stop it, or choose another port with"
            }
            ErrorKind::PermissionDenied => "this user may not use this port: choose a port above 1023 with",
            _ => "choose an address of this machine with",
        };
        Failure::new(format!("cannot listen on {address}")).advise(format!("{advice} {setting}")).because(error).into()
    })
}

/// The URL of a server with this listen address, from the same machine.
fn url_of(address: SocketAddr) -> Result<Url> {
    let url = if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    };
    Ok(Url::parse(&url)?)
}

/// Prints what the first start created.
fn welcome(made: &Bootstrap, url: &Url, token_was_set: bool) {
    let Bootstrap { user, organization, secret } = made;
    let url = url.as_str().trim_end_matches('/');
    let (shown, used) = if token_was_set {
        ("the value of OCTAVO_ADMIN_TOKEN", "$OCTAVO_ADMIN_TOKEN")
    } else {
        (secret.reveal(), secret.reveal())
    };
    let once = if token_was_set { "" } else { "\n                 shown only once; save it now" };
    Output::people().line(format_args!(
        "
First start: created an administrator and an organization.

  Administrator  {email}
  Organization   {title}, id {id}
  API token      {shown}{once}

Try it:

  curl -H \"Authorization: Bearer {used}\" {url}/v1/orgs

Import a folder of Markdown:

  octavo import ./docs
",
        email = user.email,
        title = organization.title,
        id = organization.id,
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("127.0.0.1:8080", "http://127.0.0.1:8080/")]
    #[case("0.0.0.0:80", "http://localhost/")]
    #[case("[::]:8080", "http://localhost:8080/")]
    #[case("[::1]:8080", "http://[::1]:8080/")]
    fn a_server_is_reached_where_it_listens(#[case] address: &str, #[case] url: &str) {
        assert_eq!(url_of(address.parse().unwrap()).unwrap().as_str(), url);
    }

    #[test]
    fn the_build_has_a_date() {
        assert!(build_date().starts_with("20"), "{}", build_date());
    }
}
