//! PostgreSQL: a pool of pipelining connections.

mod connect;
mod session;
mod tls;
mod watch;

pub(crate) use connect::{Connections, Server};
pub(crate) use session::{Load, Session};
pub(crate) use watch::Watch;

/// A connection as diesel knows it.
pub(crate) type PgConn = diesel_async::AsyncPgConnection;
