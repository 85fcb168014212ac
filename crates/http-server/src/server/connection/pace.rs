//! Timeouts for clients that send or receive slowly.
use std::time::Duration;
use tokio::time::Instant;

/// The minimum average rate of request and response bodies, in bytes per second.
pub(crate) const SLOWEST: u64 = 8 * 1024;

/// The time budget of a client that sends or receives bytes. Only the time in which the server waits counts.
///
/// Each single wait is limited to `patience`. All waits together are limited to `patience` plus the time that the
/// transferred bytes take at [`SLOWEST`]. So neither silence nor an occasional byte keeps a connection open.
#[derive(Debug)]
pub(super) struct Pace {
    patience: Duration,
    moved: u64,
    waited: Duration,
    since: Option<Instant>,
}

impl Pace {
    pub(super) fn new(patience: Duration) -> Self {
        Self { patience, moved: 0, waited: Duration::ZERO, since: None }
    }

    /// The deadline of the current wait. Starts a wait if there is none.
    pub(super) fn deadline(&mut self, now: Instant) -> Instant {
        let since = *self.since.get_or_insert(now);
        let earned = Duration::from_millis(self.moved.saturating_mul(1000) / SLOWEST);
        since + self.patience.min((self.patience + earned).saturating_sub(self.waited))
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

    const PATIENCE: Duration = Duration::from_secs(15);

    /// The number of seconds after which a client is dropped that transfers `bytes` once per `every`.
    fn given_up_after(bytes: usize, every: Duration) -> Option<u64> {
        let (begin, mut pace) = (Instant::now(), Pace::new(PATIENCE));
        let mut now = begin;
        for _ in 0..10_000 {
            let deadline = pace.deadline(now);
            if deadline < now + every {
                return Some((deadline - begin).as_secs());
            }
            now += every;
            pace.moved(bytes, || now);
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
    fn who_moves_too_little_is_given_up(#[case] bytes: usize, #[case] every: u64, #[case] after: Option<u64>) {
        assert_eq!(given_up_after(bytes, Duration::from_secs(every)), after);
    }

    #[test]
    fn what_was_moved_early_does_not_buy_a_longer_silence() {
        let (now, mut pace) = (Instant::now(), Pace::new(PATIENCE));
        pace.moved(8 << 20, || now);
        assert_eq!(pace.deadline(now), now + PATIENCE);
    }

    #[test]
    fn time_in_which_nobody_waits_does_not_count() {
        let (begin, mut pace) = (Instant::now(), Pace::new(PATIENCE));
        let later = begin + Duration::from_secs(3600);
        pace.moved(1, || begin);
        assert_eq!(pace.deadline(later), later + PATIENCE);
    }
}
