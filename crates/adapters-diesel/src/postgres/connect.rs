//! Opens connections and pools them.

use super::client::PgConn;
use super::tls::{ServerVerification, connector};
use crate::error::unavailable;
use anyhow::Context;
use deadpool::Runtime;
use deadpool::managed::{Manager, Metrics, Object, Pool, RecycleError, RecycleResult, Timeouts};
use diesel::{ConnectionError, ConnectionResult};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use domain::ports::StoreResult;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The server ends a transaction of a lost client (for example after a network failure), so that its locks are
/// released.
const SETTINGS: &str = "SET idle_in_transaction_session_timeout = '120s'";

/// The address and TLS settings of the server.
#[derive(Clone)]
pub(crate) struct Server {
    config: Config,
    tls: MakeRustlsConnect,
}

impl Server {
    /// Parses a `postgres://` or `postgresql://` URL. It supports several hosts, `target_session_attrs` and the other
    /// parameters of `tokio_postgres`. `sslmode` is `disable`, `prefer` (the default), `require` or `verify-full`;
    /// `sslrootcert` names a PEM file.
    pub(crate) fn parse(url: &str) -> anyhow::Result<Self> {
        let (url, verification) = take_verification(url)?;
        let mut config: Config = url.parse().context("the PostgreSQL URL is not valid")?;
        if config.get_application_name().is_none() {
            config.application_name("octavo");
        }
        // A server that disappears silently (a failover, a cut cable) must not block a request for minutes.
        config.tcp_user_timeout(Duration::from_secs(10)).keepalives_idle(Duration::from_secs(30));
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(5));
        }
        Ok(Self { config, tls: connector(&verification)? })
    }

    /// The hosts and ports of the server on the network.
    pub(crate) fn endpoints(&self) -> Vec<(String, u16)> {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(host) => Some(host.clone()),
            Host::Unix(_) => None,
        });
        // If the URL has addresses, the hosts are only their names.
        let hosts: Vec<Option<String>> = match self.config.get_hostaddrs() {
            [] => hosts.collect(),
            addresses => addresses.iter().map(|ip| Some(ip.to_string())).collect(),
        };
        // One port, or one for each host.
        let ports = self.config.get_ports();
        let port = |index: usize| ports.get(index).or(ports.first()).copied().unwrap_or(5432);
        hosts.into_iter().enumerate().filter_map(|(index, host)| Some((host?, port(index)))).collect()
    }

    /// Opens one connection for statements written as SQL text; its driver runs on the current runtime.
    pub(super) async fn client(&self) -> Result<Client, tokio_postgres::Error> {
        let (client, connection) = self.config.connect(self.tls.clone()).await?;
        // The next statement on the connection gets its error.
        drop(tokio::spawn(async move { connection.await.is_ok() }));
        Ok(client)
    }

    /// Opens one connection for migrations, which wait for a lock without a limit.
    pub(crate) async fn connect_to_migrate(&self) -> ConnectionResult<AsyncPgConnection> {
        let (client, connection) = self.config.connect(self.tls.clone()).await.map_err(refused)?;
        let mut conn = AsyncPgConnection::try_from_client_and_connection(client, connection).await?;
        conn.batch_execute(SETTINGS).await.map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(conn)
    }

    /// Opens a connection that waits for a lock at most `wait`.
    async fn connect_for_requests(&self, wait: Duration) -> ConnectionResult<PgConn> {
        let client = self.client().await.map_err(refused)?;
        let settings = format!("{SETTINGS}; SET lock_timeout = {}", wait.as_millis().max(1));
        client.batch_execute(&settings).await.map_err(refused)?;
        Ok(PgConn::new(client))
    }

    /// Creates a pool of at most `size` connections.
    pub(crate) fn pool(&self, size: usize, wait: Duration) -> anyhow::Result<Connections> {
        let manager = ConnectionManager { server: self.clone(), wait, runtime: Handle::current() };
        let timeouts = Timeouts { wait: Some(wait), create: Some(wait), recycle: Some(wait) };
        let pool = Pool::builder(manager).max_size(size).timeouts(timeouts).runtime(Runtime::Tokio1).build()?;
        Ok(Connections { pool, wait, server: self.clone() })
    }

    /// Asks the server to cancel the running statement of a connection.
    pub(super) async fn cancel(&self, token: tokio_postgres::CancelToken) {
        // Best effort: the connection is closed in any case.
        let _: Result<(), _> = token.cancel_query(self.tls.clone()).await;
    }
}

/// Opens connections for the pool.
pub(crate) struct ConnectionManager {
    server: Server,
    wait: Duration,
    /// The driver of a connection runs on the runtime that opened it. This must be the runtime of the process, never
    /// the single thread of an HTTP worker, which can be busy while another worker uses the connection.
    runtime: Handle,
}

impl Manager for ConnectionManager {
    type Type = PgConn;
    type Error = ConnectionError;

    async fn create(&self) -> Result<PgConn, ConnectionError> {
        let (server, wait) = (self.server.clone(), self.wait);
        let opening = self.runtime.spawn(async move { server.connect_for_requests(wait).await });
        opening.await.map_err(|error| ConnectionError::BadConnection(error.to_string()))?
    }

    /// The driver detects a dead connection; a check by the server would cost a round trip.
    async fn recycle(&self, conn: &mut PgConn, _: &Metrics) -> RecycleResult<ConnectionError> {
        if conn.is_closed() { Err(RecycleError::message("the connection has ended")) } else { Ok(()) }
    }
}

/// A leased connection.
pub(crate) type PooledConn = Object<ConnectionManager>;

/// A pool of connections.
pub(crate) struct Connections {
    pool: Pool<ConnectionManager>,
    wait: Duration,
    server: Server,
}

impl Connections {
    /// Takes an open connection from the pool, or opens one.
    pub(crate) async fn get(&self) -> StoreResult<PooledConn> {
        let got = tokio::time::timeout(self.wait, self.pool.get()).await;
        got.map_err(|_elapsed| unavailable("waited too long for a database connection"))?.map_err(unavailable)
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }
}

fn refused(error: tokio_postgres::Error) -> ConnectionError {
    // The driver's own text ("error connecting to server") hides the cause.
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    ConnectionError::BadConnection(text)
}

/// Removes the parameters that the driver does not know from the URL.
fn take_verification(url: &str) -> anyhow::Result<(String, ServerVerification)> {
    let Some((base, query)) = url.split_once('?') else { return Ok((url.to_owned(), ServerVerification::None)) };
    let (mut full, mut roots, mut kept) = (false, None, Vec::new());
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("sslmode", "verify-full")) => {
                full = true;
                kept.push("sslmode=require");
            }
            Some(("sslmode", mode)) if !["disable", "prefer", "require"].contains(&mode) => {
                anyhow::bail!("sslmode={mode}: use disable, prefer, require or verify-full")
            }
            Some(("sslrootcert", path)) => roots = Some(path.into()),
            _ => kept.push(pair),
        }
    }
    anyhow::ensure!(full || roots.is_none(), "sslrootcert needs sslmode=verify-full");
    let verification = if full { ServerVerification::Full { roots } } else { ServerVerification::None };
    Ok((if kept.is_empty() { base.to_owned() } else { format!("{base}?{}", kept.join("&")) }, verification))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use tokio_postgres::config::SslMode;

    #[rstest]
    #[case("postgres://h/d", "postgres://h/d", ServerVerification::None)]
    #[case("postgres://h/d?sslmode=require", "postgres://h/d?sslmode=require", ServerVerification::None)]
    #[case(
        "postgres://h/d?sslmode=verify-full&application_name=x",
        "postgres://h/d?sslmode=require&application_name=x",
        ServerVerification::Full { roots: None }
    )]
    #[case(
        "postgres://h/d?sslrootcert=/ca.pem&sslmode=verify-full",
        "postgres://h/d?sslmode=require",
        ServerVerification::Full { roots: Some("/ca.pem".into()) }
    )]
    fn the_url_sets_the_verification_of_the_server(
        #[case] url: &str,
        #[case] rest: &str,
        #[case] verification: ServerVerification,
    ) {
        assert_eq!(take_verification(url).unwrap(), (rest.to_owned(), verification));
    }

    #[rstest]
    #[case("postgres://h/d?sslmode=verify-ca", "use disable, prefer, require or verify-full")]
    #[case("postgres://h/d?sslrootcert=/ca.pem", "needs sslmode=verify-full")]
    #[case("postgres://h:port/d", "not valid")]
    fn a_url_with_an_unsupported_verification_is_refused(#[case] url: &str, #[case] reason: &str) {
        let error = Server::parse(url).err().expect("refused");
        assert!(format!("{error:#}").contains(reason), "{error:#}");
    }

    #[test]
    fn several_hosts_and_a_search_for_the_primary_are_understood() {
        let server = Server::parse("postgresql://u@a:5432,b:5433/d?target_session_attrs=read-write").unwrap();
        assert_eq!(server.config.get_hosts().len(), 2);
        assert_eq!(server.config.get_ssl_mode(), SslMode::Prefer);
        let plain = Server::parse("postgresql://u@a/d?sslmode=disable").unwrap();
        assert_eq!(plain.config.get_ssl_mode(), SslMode::Disable);
    }

    #[rstest]
    #[case("postgres://u@a:5433,b:5434/d", &[("a", 5433), ("b", 5434)])]
    #[case("postgres://u@a,b/d", &[("a", 5432), ("b", 5432)])]
    #[case("postgres://u@a/d?hostaddr=10.0.0.1", &[("10.0.0.1", 5432)])]
    #[case("postgres://u@%2Frun%2Fpostgresql/d", &[])]
    fn the_hosts_and_ports_are_parsed(#[case] url: &str, #[case] endpoints: &[(&str, u16)]) {
        let expected: Vec<_> = endpoints.iter().map(|(host, port)| ((*host).to_owned(), *port)).collect();
        assert_eq!(Server::parse(url).unwrap().endpoints(), expected);
    }

    #[test]
    fn an_unreadable_authority_file_is_named() {
        let error =
            Server::parse("postgres://h/d?sslmode=verify-full&sslrootcert=/nowhere.pem").err().expect("refused");
        assert!(format!("{error:#}").contains("/nowhere.pem"), "{error:#}");
    }
}
