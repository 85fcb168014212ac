//! Timeouts for clients that send or receive slowly.
use std::time::Duration;
use tokio::time::Instant;

/// The minimum average rate of request and response bodies, in bytes per second.
pub(crate) const MIN_RATE: u64 = 8 * 1024;

/// The time budget of a client that sends or receives bytes. Only the time in which the server waits counts.
///
/// Each single wait is limited to `timeout`. All waits together are limited to `timeout` plus the time that the
/// transferred bytes take at [`MIN_RATE`]. So neither an idle client nor an occasional byte keeps a connection open.
#[derive(Debug)]
pub(super) struct TransferDeadline {
    timeout: Duration,
    moved: u64,
    waited: Duration,
    since: Option<Instant>,
}

impl TransferDeadline {
    pub(super) fn new(timeout: Duration) -> Self {
        Self { timeout, moved: 0, waited: Duration::ZERO, since: None }
    }

    /// The deadline of the current wait. Starts a wait if there is none.
    pub(super) fn deadline(&mut self, now: Instant) -> Instant {
        let since = *self.since.get_or_insert(now);
        let earned = Duration::from_millis(self.moved.saturating_mul(1000) / MIN_RATE);
        since + self.timeout.min((self.timeout + earned).saturating_sub(self.waited))
    }

    /// Records a transfer, which ends the current wait.
    pub(super) fn moved(&mut self, bytes: usize, now: impl FnOnce() -> Instant) {
        self.moved += bytes as u64;
        if let Some(since) = self.since.take() {
            self.waited += now().saturating_duration_since(since);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const TIMEOUT: Duration = Duration::from_secs(15);

    /// The number of seconds after which a client is dropped that transfers `bytes` once per `every`.
    fn given_up_after(bytes: usize, every: Duration) -> Option<u64> {
        let (begin, mut transfers) = (Instant::now(), TransferDeadline::new(TIMEOUT));
        let mut now = begin;
        for _ in 0..10_000 {
            let deadline = transfers.deadline(now);
            if deadline < now + every {
                return Some((deadline - begin).as_secs());
            }
            now += every;
            transfers.moved(bytes, || now);
        }
        None
    }

    #[rstest]
    #[case::silence(0, 60, Some(15))]
    #[case::a_byte_a_second(1, 1, Some(15))]
    #[case::a_kibibyte_a_second(1024, 1, Some(17))]
    #[case::a_heap_and_then_silence_for_longer_than_is_waited(1 << 20, 16, Some(15))]
    #[case::slow_and_honest(9 * 1024, 1, None)]
    #[case::slow_and_honest_in_heaps(140 * 1024, 14, None)]
    fn clients_that_transfer_too_little_are_disconnected(
        #[case] bytes: usize,
        #[case] every: u64,
        #[case] after: Option<u64>,
    ) {
        assert_eq!(given_up_after(bytes, Duration::from_secs(every)), after);
    }

    #[test]
    fn early_transfers_do_not_allow_a_longer_pause() {
        let (now, mut transfers) = (Instant::now(), TransferDeadline::new(TIMEOUT));
        transfers.moved(8 << 20, || now);
        assert_eq!(transfers.deadline(now), now + TIMEOUT);
    }

    #[test]
    fn only_time_in_which_the_server_waits_counts() {
        let (begin, mut transfers) = (Instant::now(), TransferDeadline::new(TIMEOUT));
        let later = begin + Duration::from_secs(3600);
        transfers.moved(1, || begin);
        assert_eq!(transfers.deadline(later), later + TIMEOUT);
    }
}
