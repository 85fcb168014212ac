//! A clock that tests can move.
use adapters_system::SystemClock;
use chrono::{DateTime, TimeDelta, Utc};
use domain::ports::Clock;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The time of the machine, until a test moves it.
#[derive(Debug, Default)]
pub struct TestClock(Mutex<Time>);

#[derive(Clone, Copy, Debug)]
enum Time {
    /// The offset from the time of the machine.
    Off(TimeDelta),
    /// The clock is stopped at this time.
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

    /// Stops the clock at a time, so that a test can check an exact boundary.
    pub fn set(&self, to: DateTime<Utc>) {
        *self.time() = Time::Still(to);
    }

    /// Moves the clock forwards or backwards.
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
