//! Opens connections.

use super::client::PgConn;
use super::tls::{ServerVerification, connector};
use anyhow::Context;
use diesel::{ConnectionError, ConnectionResult};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use percent_encoding::percent_decode_str;
use std::time::Duration;
use tokio_postgres::config::{Host, LoadBalanceHosts, TargetSessionAttrs};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The server ends a transaction of a lost client (for example after a network failure), so that its locks are
/// released. It does not compile statements to machine code: that takes 100 ms or more, and no statement runs that long
/// unless the planner is wrong.
const SETTINGS: &str = "SET idle_in_transaction_session_timeout = '120s'; SET jit = off";

/// How long a server that disappears silently (a failover, a cut cable) blocks a request.
const SILENCE: Duration = Duration::from_secs(5);
/// A connection without requests is tested after this time, and so is one that waits for an answer: the server can be
/// gone, and a firewall forgets what is idle.
const KEEPALIVE: Duration = Duration::from_secs(10);
/// The time after which the next host is tried, too, if a host has not answered. It is shorter than the wait of
/// requests, so a host that does not answer at all never keeps them from the others.
const HEAD_START: Duration = Duration::from_millis(500);

/// A client, and its driver.
type Opened = (Client, Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>);

/// The address and TLS settings of the server.
#[derive(Clone)]
pub(crate) struct Server {
    config: Config,
    /// The settings of each of several hosts.
    hosts: Vec<Config>,
    tls: MakeRustlsConnect,
}

impl Server {
    /// Parses a `postgres://` or `postgresql://` URL. It supports several hosts, `target_session_attrs` and the other
    /// parameters of `tokio_postgres`. `sslmode` is `disable`, `prefer` (the default), `require` or `verify-full`;
    /// `sslrootcert` names a PEM file. Of several hosts, the primary is used; only `read-only`
    /// changes that.
    pub(crate) fn parse(url: &str) -> anyhow::Result<Self> {
        let (url, verification) = take_verification(url)?;
        let mut config: Config = url.parse().context("the PostgreSQL URL is not valid")?;
        if config.get_application_name().is_none() {
            config.application_name("octavo");
        }
        config.tcp_user_timeout(SILENCE).keepalives_idle(KEEPALIVE);
        if config.get_keepalives_interval().is_none() {
            config.keepalives_interval(SILENCE);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(SILENCE);
        }
        // A standby refuses every write, and shows commits later than they are acknowledged.
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
        if hosts > 1 && config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        Ok(Self { hosts: each_host(&config), config, tls: connector(&verification)? })
    }

    /// The hosts and the name of the database, without user and password.
    pub(crate) fn name(&self) -> String {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(host) => host.clone(),
            Host::Unix(folder) => folder.display().to_string(),
        });
        let mut hosts: Vec<String> = hosts.collect();
        if hosts.is_empty() {
            hosts.extend(self.config.get_hostaddrs().iter().map(ToString::to_string));
        }
        let mut name = hosts.join(",");
        if let Some(database) = self.config.get_dbname() {
            name = format!("{name}/{database}");
        }
        // The URL of a password with an unencoded `@` is parsed wrongly: what precedes the last one is of the password.
        name.rsplit('@').next().unwrap_or_default().to_owned()
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

    /// Opens a connection to the first host that accepts it. The driver alone would wait for a host that does not
    /// answer, and not try the next one.
    async fn open(&self) -> Result<Opened, tokio_postgres::Error> {
        let mut others = self.hosts.iter();
        let mut attempts = FuturesUnordered::new();
        let mut failure = None;
        loop {
            attempts.extend(others.next().map(|host| host.connect(self.tls.clone())));
            let ended = if others.as_slice().is_empty() {
                attempts.next().await
            } else {
                let Ok(ended) = tokio::time::timeout(HEAD_START, attempts.next()).await else { continue };
                ended
            };
            match (ended, failure.take()) {
                (Some(Ok(opened)), _) => return Ok(opened),
                (Some(Err(error)), _) => failure = Some(error),
                (None, Some(error)) => return Err(error),
                // There are not several hosts.
                (None, None) => return self.config.connect(self.tls.clone()).await,
            }
        }
    }

    /// Opens one connection for statements written as SQL text; its driver runs on the current runtime.
    pub(super) async fn client(&self) -> Result<Client, tokio_postgres::Error> {
        let (client, connection) = self.open().await?;
        // The next statement on the connection gets its error.
        drop(tokio::spawn(async move { connection.await.is_ok() }));
        Ok(client)
    }

    /// Opens one connection for migrations. They wait for a lock, and run, without a limit, whatever the settings of
    /// the user and the database are.
    pub(crate) async fn connect_to_migrate(&self) -> ConnectionResult<AsyncPgConnection> {
        let (client, connection) = self.open().await.map_err(refused)?;
        let mut conn = AsyncPgConnection::try_from_client_and_connection(client, connection).await?;
        let settings = format!("{SETTINGS}; SET lock_timeout = 0; SET statement_timeout = 0");
        conn.batch_execute(&settings).await.map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(conn)
    }

    /// Opens a connection that waits for a lock at most `wait`.
    pub(super) async fn connect_for_requests(&self, wait: Duration) -> ConnectionResult<PgConn> {
        let client = self.client().await.map_err(refused)?;
        let settings = format!("{SETTINGS}; SET lock_timeout = {}", wait.as_millis().max(1));
        client.batch_execute(&settings).await.map_err(refused)?;
        Ok(PgConn::new(client))
    }

    /// Asks the server to cancel the running statement of a connection.
    pub(super) async fn cancel(&self, token: tokio_postgres::CancelToken) {
        // Best effort: the connection is closed in any case.
        drop(tokio::time::timeout(SILENCE, token.cancel_query(self.tls.clone())).await);
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

/// The settings of each of several hosts, in the order of the URL. None for hosts that the driver refuses, because
/// their numbers do not fit together, and for those of which it takes a random one.
fn each_host(config: &Config) -> Vec<Config> {
    let (hosts, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
    let count = hosts.len().max(addresses.len());
    let fits = |len: usize, single: bool| len == 0 || len == count || (single && len == 1);
    let ordered = config.get_load_balance_hosts() == LoadBalanceHosts::Disable;
    if count < 2 || !ordered || !fits(hosts.len(), false) || !fits(addresses.len(), false) || !fits(ports.len(), true) {
        return Vec::new();
    }
    let of = |index: usize| {
        let mut one = without_hosts(config);
        match hosts.get(index) {
            Some(Host::Tcp(name)) => {
                one.host(name);
            }
            Some(Host::Unix(folder)) => {
                one.host_path(folder);
            }
            None => {}
        }
        if let Some(address) = addresses.get(index) {
            one.hostaddr(*address);
        }
        if let Some(port) = ports.get(index).or(ports.first()) {
            one.port(*port);
        }
        one
    };
    (0..count).map(of).collect()
}

/// A copy of everything but the hosts and their ports.
fn without_hosts(config: &Config) -> Config {
    let mut copy = Config::new();
    copy.ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .target_session_attrs(config.get_target_session_attrs())
        .channel_binding(config.get_channel_binding())
        .load_balance_hosts(config.get_load_balance_hosts());
    if let Some(user) = config.get_user() {
        copy.user(user);
    }
    if let Some(password) = config.get_password() {
        copy.password(password);
    }
    if let Some(name) = config.get_dbname() {
        copy.dbname(name);
    }
    if let Some(options) = config.get_options() {
        copy.options(options);
    }
    if let Some(name) = config.get_application_name() {
        copy.application_name(name);
    }
    if let Some(time) = config.get_connect_timeout() {
        copy.connect_timeout(*time);
    }
    if let Some(time) = config.get_tcp_user_timeout() {
        copy.tcp_user_timeout(*time);
    }
    if let Some(time) = config.get_keepalives_interval() {
        copy.keepalives_interval(time);
    }
    if let Some(count) = config.get_keepalives_retries() {
        copy.keepalives_retries(count);
    }
    copy
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
            Some(("sslrootcert", path)) => {
                let path = percent_decode_str(path).decode_utf8().context("sslrootcert is not encoded in UTF-8")?;
                roots = Some(path.into_owned().into());
            }
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
    #[case(
        "postgres://h/d?sslmode=verify-full&sslrootcert=%2Fetc%2Fmy%20ca%2F%C3%BC+1.pem",
        "postgres://h/d?sslmode=require",
        ServerVerification::Full { roots: Some("/etc/my ca/ü+1.pem".into()) }
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
    #[case("postgres://h/d?sslmode=verify-full&sslrootcert=%FF.pem", "not encoded in UTF-8")]
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
    #[case("postgres://u@a,b/d", TargetSessionAttrs::ReadWrite)]
    #[case("postgres://u@a,b/d?target_session_attrs=any", TargetSessionAttrs::ReadWrite)]
    #[case("postgres://u@/d?hostaddr=10.0.0.1,10.0.0.2", TargetSessionAttrs::ReadWrite)]
    #[case("postgres://u@a/d", TargetSessionAttrs::Any)]
    #[case("postgres://u@a/d?target_session_attrs=read-write", TargetSessionAttrs::ReadWrite)]
    fn the_primary_is_wanted_of_several_hosts(#[case] url: &str, #[case] wanted: TargetSessionAttrs) {
        assert_eq!(Server::parse(url).unwrap().config.get_target_session_attrs(), wanted);
    }

    #[rstest]
    #[case("a:5433,b:5434", "", &["a:5433", "b:5434"])]
    #[case("a,b:5434", "", &["a:5432", "b:5434"])]
    #[case("%2Frun%2Fpg,b", "", &["%2Frun%2Fpg:5432", "b:5432"])]
    #[case("a", "", &[])]
    #[case("a,b", "&hostaddr=10.0.0.1", &[])]
    #[case("a,b", "&load_balance_hosts=random", &[])]
    fn each_of_several_hosts_has_all_settings(#[case] hosts: &str, #[case] more: &str, #[case] each: &[&str]) {
        let settings = "sslmode=require&sslnegotiation=direct&channel_binding=require&options=-cgeqo%3Doff\
                        &application_name=x&connect_timeout=3&keepalives=0&keepalives_interval=7&keepalives_retries=2\
                        &target_session_attrs=read-write";
        let parsed = |hosts: &str| Server::parse(&format!("postgres://u:p@{hosts}/d?{settings}{more}")).unwrap();
        let expected: Vec<Config> = each.iter().map(|host| parsed(host).config).collect();
        assert_eq!(parsed(hosts).hosts, expected);
    }

    /// A listener that never answers, such as a server that is frozen, does not keep clients from the next host.
    #[tokio::test]
    async fn a_host_that_does_not_answer_does_not_hold_up_the_others() {
        let frozen = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let refusing = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let ports = (frozen.local_addr().unwrap().port(), refusing.local_addr().unwrap().port());
        let url = format!("postgres://u@127.0.0.1:{},127.0.0.1:{}/d?sslmode=disable", ports.0, ports.1);
        let server = Server::parse(&url).unwrap();
        let opening = tokio::spawn(async move { server.client().await.is_err() });
        let reached = tokio::time::timeout(SILENCE, refusing.accept()).await;
        assert!(reached.is_ok(), "the second host is tried while the first one does not answer");
        assert!(!opening.is_finished(), "the first host can still answer");
        opening.abort();
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
