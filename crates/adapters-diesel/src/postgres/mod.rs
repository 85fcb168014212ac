//! PostgreSQL: a pool of pipelining connections.

mod client;
mod connect;
mod fault;
mod session;
mod tls;
mod watch;

pub(crate) use connect::{Connections, Server};
pub(crate) use session::{Load, Session};
pub(crate) use watch::Watch;
