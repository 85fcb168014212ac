//! The deadline of reading, checking and joining.
use crate::finding::{Code, Finding};
use crate::tree::{Path, Place};
use std::cell::Cell;

/// The maximum time to read a document with all its files, in seconds. The time to fetch them does not count.
pub const MAX_SECONDS: u32 = 60;

/// The number of calls of [`Deadline::is_over`] that share one reading of the clock.
const CALLS: u32 = 1_024;

/// A deadline. The caller has the clock. Once the deadline is over, work ends early and its result is incomplete: the
/// caller reports [`Deadline::finding`] and drops the rest.
pub struct Deadline<'a> {
    passed: &'a dyn Fn() -> bool,
    calls: Cell<u32>,
    over: Cell<bool>,
}

impl<'a> Deadline<'a> {
    /// A deadline that is over once this function returns `true`.
    pub fn new(passed: &'a dyn Fn() -> bool) -> Self {
        Self { passed, calls: Cell::new(0), over: Cell::new(false) }
    }

    /// A deadline that never comes.
    pub fn never() -> Deadline<'static> {
        Deadline::new(&|| false)
    }

    /// Whether it is over, by reading the clock. For use between steps.
    pub fn look(&self) -> bool {
        if !self.over.get() && (self.passed)() {
            self.over.set(true);
        }
        self.over.get()
    }

    /// Whether it is over. Cheap, because few calls read the clock. For loops.
    pub(crate) fn is_over(&self) -> bool {
        let calls = self.calls.get() % CALLS;
        self.calls.set(calls + 1);
        if calls == 0 { self.look() } else { self.over.get() }
    }

    /// The finding of a document whose deadline is over.
    pub fn finding() -> Finding {
        Finding::new(Code::TooSlow, Place::default(), Path::default(), too_slow())
    }
}

/// The message of that finding.
pub(crate) fn too_slow() -> String {
    format!("reading took longer than {MAX_SECONDS} seconds")
}

impl std::fmt::Debug for Deadline<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deadline").field("over", &self.over).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check_within;
    use crate::parts::cut_within;
    use crate::text::{Limits, read, read_within};

    #[test]
    fn a_deadline_that_is_over_stays_over() {
        let times = Cell::new(0);
        let passed = || {
            times.set(times.get() + 1);
            times.get() == 2
        };
        let deadline = Deadline::new(&passed);
        assert_eq!([deadline.look(), deadline.look(), deadline.look()], [false, true, true]);
        assert!(deadline.is_over());
    }

    #[test]
    fn reading_ends_at_the_deadline() {
        let over = Deadline::new(&|| true);
        for text in ["{\"a\": 1}", "a: 1", "[1, 2]"] {
            let reading = read_within(text.as_bytes(), &Limits::of_document(&over));
            assert_eq!(reading.findings[0].code, Code::TooSlow, "{text}");
            assert!(reading.root.is_none());
        }
    }

    #[test]
    fn checking_and_cutting_end_at_the_deadline() {
        let root = read(b"openapi: 3.1.0\npaths: {/a: {get: {}}}").root.expect("a document");
        let over = Deadline::new(&|| true);
        assert_eq!(check_within(&root, &over), [Deadline::finding()]);
        assert!(cut_within(&root, &over).len() < 2);
    }
}
