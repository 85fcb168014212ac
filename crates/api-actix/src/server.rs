//! The HTTP server.
use crate::{Api, connection};
use actix_web::dev::{Server, ServerHandle};
use actix_web::web::Data;
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, timeout_at};

/// What is kept of the time to stop for requests that came after the signal.
const LAST: Duration = Duration::from_secs(1);

/// How the server uses the machine and bears with its clients.
#[derive(Clone, Copy, Debug)]
pub struct ServerOptions {
    /// Threads that answer requests.
    pub workers: NonZeroUsize,
    /// Connections a worker keeps open at most; further ones wait.
    pub max_connections: usize,
    /// The longest that the head of a request may take to arrive; a connection that says nothing is closed then, too.
    pub head_timeout: Duration,
    /// The longest that nothing arrives of a body that is waited for. One that drips is given up as well: on average it
    /// has to come at 8 KiB a second, after this time at the latest.
    pub body_timeout: Duration,
    /// The same for a client that does not take an answer, or takes it by drops.
    pub answer_timeout: Duration,
    /// The longest that an open connection is kept without a request.
    pub keep_alive: Duration,
    /// The longest that requests are waited for when the server stops: those under way, and those that had arrived.
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

/// Serves on a socket that listens already. The server runs when the result is awaited, and ends by
/// [`StopSignals`] or its handle.
///
/// # Errors
/// When the socket cannot be used.
pub fn serve(api: Data<Api>, listener: TcpListener, options: ServerOptions) -> std::io::Result<Server> {
    let server = Server::build()
        .workers(options.workers.get())
        .max_concurrent_connections(options.max_connections)
        .shutdown_timeout(options.shutdown_timeout.as_secs())
        .disable_signals()
        .listen("octavo", listener, move || connection::service(&api, options))?;
    Ok(server.run())
}

/// The operator's signals: SIGTERM and SIGINT.
#[derive(Debug)]
pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// Listens from now on: the signals no longer end the process by themselves, and none that comes is missed.
    ///
    /// # Errors
    /// When signals cannot be listened for.
    pub fn listen() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! { _ = self.terminate.recv() => "SIGTERM", _ = self.interrupt.recv() => "SIGINT" }
    }

    /// Waits for a signal, then for requests that have arrived or are under way to be answered; a second signal ends this
    /// wait. The server is to be dropped then: while it waits for requests, it takes no other order.
    pub async fn stop(mut self, handle: ServerHandle, api: &Api, options: ServerOptions) {
        let first = self.next().await;
        tracing::info!(signal = first, "stopping: requests under way are finished");
        let end = Instant::now() + options.shutdown_timeout;
        let answer = async {
            api.traffic.drain(options.shutdown_timeout.saturating_sub(LAST)).await;
            handle.stop(true).await;
        };
        tokio::select! {
            answered = timeout_at(end, answer) => {
                if answered.is_err() {
                    tracing::warn!("stopping though requests are under way");
                }
            }
            again = self.next() => tracing::warn!(signal = again, "stopping at once"),
        }
    }
}
