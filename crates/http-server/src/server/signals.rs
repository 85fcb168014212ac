//! The signals that stop a program, and how they stop a server.
use super::{ServerOptions, Traffic};
use actix_web::dev::ServerHandle;
use std::io;
use std::sync::mpsc;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

/// The part of the shutdown timeout reserved for requests that arrive after the signal.
const LAST: Duration = Duration::from_secs(1);

/// A signal that stops a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopSignal {
    /// SIGTERM.
    Terminate,
    /// SIGINT: Ctrl-C.
    Interrupt,
}

impl StopSignal {
    /// The name of the signal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Terminate => "SIGTERM",
            Self::Interrupt => "SIGINT",
        }
    }

    /// The exit code of a program that the signal ended: 128 plus the number of the signal.
    pub fn exit_code(self) -> i32 {
        let kind = match self {
            Self::Terminate => SignalKind::terminate(),
            Self::Interrupt => SignalKind::interrupt(),
        };
        128 + kind.as_raw_value()
    }
}

/// Receives the signals.
#[derive(Debug)]
pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// Starts to listen for the signals. From now on they no longer end the process by themselves.
    ///
    /// # Errors
    /// If the signal handlers cannot be installed.
    pub fn listen() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits for a signal.
    pub async fn next(&mut self) -> StopSignal {
        tokio::select! {
            _ = self.terminate.recv() => StopSignal::Terminate,
            _ = self.interrupt.recv() => StopSignal::Interrupt,
        }
    }
}

/// Starts a thread that receives the signals. The result resolves at the first one, for [`stop_at`]. The second one
/// ends the process at once, with its [exit code](StopSignal::exit_code), whatever the other threads are waiting for.
///
/// # Errors
/// If the thread cannot be started, or the signal handlers cannot be installed.
pub fn stop_signal() -> io::Result<impl Future<Output = StopSignal>> {
    let (started, listening) = mpsc::channel();
    let (received, first) = oneshot::channel();
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        // Of its own: the threads of another runtime can all be busy.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        match runtime.and_then(|runtime| runtime.block_on(receive_both(&started, received))) {
            Ok(again) => {
                tracing::warn!(signal = again.as_str(), "stopping at once");
                std::process::exit(again.exit_code());
            }
            Err(error) => drop(started.send(Err(error))),
        }
    })?;
    listening.recv().map_err(io::Error::other)??;
    Ok(async move {
        match first.await {
            Ok(signal) => signal,
            // Does not happen: the thread waits for signals until the process ends.
            Err(_) => std::future::pending().await,
        }
    })
}

/// Reports the start and the first signal to receivers that may be gone; returns the second signal.
async fn receive_both(
    started: &mpsc::Sender<io::Result<()>>,
    received: oneshot::Sender<StopSignal>,
) -> io::Result<StopSignal> {
    let mut signals = StopSignals::listen()?;
    let _gone = started.send(Ok(()));
    let _gone = received.send(signals.next().await);
    Ok(signals.next().await)
}

/// Waits for a signal, then until the requests that have arrived or are in progress are answered. Drop the server
/// afterwards: while it waits for requests, it accepts no other command.
pub async fn stop_at(
    signal: impl Future<Output = StopSignal>,
    handle: ServerHandle,
    traffic: &Traffic,
    options: ServerOptions,
) {
    let signal = signal.await;
    tracing::info!(signal = signal.as_str(), "stopping: finishing requests in progress");
    let end = Instant::now() + options.shutdown_timeout;
    let answer = async {
        traffic.drain(options.shutdown_timeout.saturating_sub(LAST)).await;
        handle.stop(true).await;
    };
    if timeout_at(end, answer).await.is_err() {
        tracing::warn!("stopping with requests still in progress");
    }
}
