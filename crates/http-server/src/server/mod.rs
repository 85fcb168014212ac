//! The HTTP server.
pub(crate) mod connection;
mod either;
pub(crate) mod exchange;
mod fast_path;
mod signals;
mod traffic;

pub use either::{Either, EitherService};
pub use fast_path::{FastPath, FastResponse, PendingResponse};
pub use signals::{StopSignal, StopSignals, stop_at, stop_signal};
pub use traffic::Traffic;

use actix_http::Request;
use actix_service::{IntoServiceFactory, ServiceFactory};
use actix_web::HttpRequest;
use actix_web::dev::{AppConfig, Server, ServiceResponse};
use exchange::Exchange;
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Resources of the server, and timeouts for its clients.
#[derive(Clone, Copy, Debug)]
pub struct ServerOptions {
    /// Threads that handle requests.
    pub workers: NonZeroUsize,
    /// The maximum number of open connections per worker; further connections wait.
    pub max_connections: usize,
    /// The maximum time for the head of a request to arrive. An idle new connection is closed after this time, too.
    pub head_timeout: Duration,
    /// The maximum time without any byte of an expected body. A slow body is also dropped: after this time, it must
    /// arrive at 8 KiB a second on average.
    pub body_timeout: Duration,
    /// The same for a client that does not read a response, or reads it slowly.
    pub answer_timeout: Duration,
    /// The maximum time that an open connection is kept without a request.
    pub keep_alive: Duration,
    /// The maximum time to wait at shutdown for requests that are in progress or have arrived.
    pub shutdown_timeout: Duration,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            workers: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            max_connections: 10_000,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(15),
            answer_timeout: Duration::from_secs(15),
            keep_alive: Duration::from_secs(75),
            shutdown_timeout: Duration::from_secs(8),
        }
    }
}

/// Serves an application on a listening socket; each worker creates its own instance. Servers that share `traffic` stop
/// together. The connections send the cached responses that `fast_path` finds. The server runs while the result is
/// awaited, until [`stop_at`] or its handle stops it.
///
/// # Errors
/// If the socket cannot be used.
pub fn serve<F, A, S>(
    listener: TcpListener,
    options: ServerOptions,
    traffic: Arc<Traffic>,
    fast_path: Arc<dyn FastPath>,
    application: F,
) -> std::io::Result<Server>
where
    F: Fn() -> A + Send + Clone + 'static,
    A: IntoServiceFactory<S, Request> + 'static,
    S: ServiceFactory<
            Request,
            Config = AppConfig,
            Response = ServiceResponse,
            Error = actix_web::Error,
            InitError = (),
        > + 'static,
{
    let server = Server::build()
        .workers(options.workers.get())
        .max_concurrent_connections(options.max_connections)
        .shutdown_timeout(options.shutdown_timeout.as_secs())
        .disable_signals()
        .listen("octavo", listener, move || {
            connection::service(application(), traffic.clone(), options, fast_path.clone())
        })?;
    Ok(server.run())
}

/// Whether a request is a placeholder for a refused request head. It has no address, and [`observe`] answers it
/// with the error: choose the driver whose errors such clients get.
///
/// [`observe`]: crate::observe
pub fn is_refused(request: &Request) -> bool {
    request.conn_data::<Rc<Exchange>>().is_some_and(|exchange| exchange.is_refused())
}

/// Whether the server of this request is stopping: it still answers requests that have arrived, and sends new clients
/// away.
pub fn is_draining(request: &HttpRequest) -> bool {
    request.conn_data::<Rc<Exchange>>().is_some_and(|exchange| exchange.traffic.is_draining())
}
