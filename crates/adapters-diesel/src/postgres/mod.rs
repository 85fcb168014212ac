//! PostgreSQL: a pool of pipelining connections.

mod client;
mod connect;
mod fault;
mod pool;
mod rows;
mod session;
mod thread;
mod tls;
mod watch;

pub(crate) use connect::Server;
pub(crate) use pool::Connections;
pub(crate) use session::{Load, Session};
pub(crate) use thread::StoredRow;
pub(crate) use watch::Watch;
