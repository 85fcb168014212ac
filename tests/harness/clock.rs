//! A clock that tests move.
use adapters_system::SystemClock;
use chrono::{DateTime, TimeDelta, Utc};
use domain::ports::Clock;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tells the time of the machine until a test moves it.
#[derive(Debug, Default)]
pub struct TestClock(Mutex<Time>);

#[derive(Clone, Copy, Debug)]
enum Time {
    /// So far from the time of the machine.
    Off(TimeDelta),
    /// It stands still.
    Still(DateTime<Utc>),
}

impl Default for Time {
    fn default() -> Self {
        Self::Off(TimeDelta::zero())
    }
}

impl TestClock {
    fn time(&self) -> MutexGuard<'_, Time> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets it stand at a moment, so that a test can ask for the edge of one.
    pub fn set(&self, to: DateTime<Utc>) {
        *self.time() = Time::Still(to);
    }

    /// Moves it, forwards or backwards.
    pub fn advance(&self, by: TimeDelta) {
        let mut time = self.time();
        *time = match *time {
            Time::Off(off) => Time::Off(off + by),
            Time::Still(at) => Time::Still(at + by),
        };
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        match *self.time() {
            Time::Off(off) => SystemClock.now() + off,
            Time::Still(at) => at,
        }
    }
}
