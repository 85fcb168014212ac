//! State shared by all connections of a server: open connections, requests in progress, and shutdown.
use std::future::Future;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// After this time without a new request, all requests that had arrived are considered answered.
const QUIET: Duration = Duration::from_millis(250);
/// The server does not wait for a connection accepted later than this after the signal; its requests are still
/// answered. The time before is for connections that the kernel had already accepted.
const LATE: Duration = Duration::from_secs(1);
/// The polling interval during shutdown.
const LOOK: Duration = Duration::from_millis(10);
/// How long idle connections may take to close.
const FAREWELL: Duration = Duration::from_millis(250);

/// State shared by all connections of a server.
#[derive(Debug)]
pub struct Traffic {
    /// When the shutdown began.
    told: OnceLock<Instant>,
    draining: AtomicBool,
    /// When this is true, connections without a request in progress close.
    closing: watch::Sender<bool>,
    open: AtomicUsize,
    under_way: AtomicUsize,
    begun: AtomicU64,
}

impl Default for Traffic {
    fn default() -> Self {
        Self {
            told: OnceLock::new(),
            draining: AtomicBool::new(false),
            closing: watch::Sender::new(false),
            open: AtomicUsize::new(0),
            under_way: AtomicUsize::new(0),
            begun: AtomicU64::new(0),
        }
    }
}

impl Traffic {
    /// Whether the server is shutting down: connections close after the requests that they hold.
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(SeqCst)
    }

    /// Counts a new connection. Returns whether the server waits for it at shutdown.
    pub(crate) fn open(&self) -> bool {
        self.open.fetch_add(1, SeqCst);
        self.told.get().is_none_or(|told| told.elapsed() < LATE)
    }

    /// The number of open connections.
    pub fn connections(&self) -> usize {
        self.open.load(SeqCst)
    }

    pub(crate) fn close(&self) {
        self.open.fetch_sub(1, SeqCst);
    }

    pub(crate) fn begin(&self) {
        self.under_way.fetch_add(1, SeqCst);
        self.begun.fetch_add(1, SeqCst);
    }

    pub(crate) fn end(&self) {
        self.under_way.fetch_sub(1, SeqCst);
    }

    /// Resolves when idle connections must close.
    pub(crate) fn closing(&self) -> impl Future<Output = ()> + 'static {
        let mut closing = self.closing.subscribe();
        async move {
            // If the sender is gone, the server is gone too.
            let _gone = closing.wait_for(|closing| *closing).await;
        }
    }

    /// Drains the connections: the next response on each says that it closes, and it closes after the last request that
    /// it holds. New connections are still accepted, since requests may wait in them. Returns when all requests that
    /// had arrived are answered or after `most`, and connections without a request are closed.
    pub(crate) async fn drain(&self, most: Duration) {
        let told = *self.told.get_or_init(Instant::now);
        self.draining.store(true, SeqCst);
        let (mut begun, mut since) = (self.begun.load(SeqCst), told);
        while since.elapsed() < QUIET && told.elapsed() < most {
            sleep(LOOK).await;
            let now = self.begun.load(SeqCst);
            if self.under_way.load(SeqCst) > 0 || now != begun {
                (begun, since) = (now, Instant::now());
            }
        }
        self.closing.send_replace(true);
        let closing = Instant::now();
        while self.connections() > 0 && closing.elapsed() < FAREWELL {
            sleep(LOOK).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    const MOST: Duration = Duration::from_secs(7);

    #[tokio::test]
    async fn a_server_that_does_nothing_waits_a_moment_for_what_may_have_arrived() {
        let (traffic, begin) = (Traffic::default(), Instant::now());
        assert!(!traffic.is_draining());
        traffic.drain(MOST).await;
        assert!(begin.elapsed() >= QUIET && traffic.is_draining());
    }

    #[tokio::test]
    async fn a_request_under_way_is_waited_for() {
        let traffic = Traffic::default();
        assert!(traffic.open(), "the server waits for a connection opened before the signal");
        traffic.begin();
        let mut drain = Box::pin(traffic.drain(MOST));
        let waits = tokio::time::timeout(2 * QUIET, &mut drain).await;
        assert!(waits.is_err(), "the request is in progress");
        traffic.end();
        traffic.close();
        drain.await;
    }

    #[tokio::test]
    async fn a_request_that_does_not_end_is_awaited_only_for_the_timeout() {
        let traffic = Traffic::default();
        traffic.open();
        traffic.begin();
        traffic.drain(QUIET).await;
    }

    #[tokio::test]
    async fn connections_long_after_the_signal_are_not_awaited() {
        let traffic = Traffic::default();
        let closing = traffic.closing();
        traffic.drain(MOST).await;
        assert_eq!(closing.now_or_never(), Some(()), "idle connections are told to close");
        sleep(LATE).await;
        assert!(!traffic.open());
    }
}
