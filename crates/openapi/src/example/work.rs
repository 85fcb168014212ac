//! A limit of the work for an example.
use std::cell::Cell;

/// How much work can still be done. A unit is about a schema that is looked at.
#[derive(Debug)]
pub(super) struct Work(Cell<usize>);

impl Work {
    pub(super) fn new(units: usize) -> Self {
        Self(Cell::new(units))
    }

    /// How much is left.
    pub(super) fn left(&self) -> usize {
        self.0.get()
    }

    /// Does some work. `false` if too little is left.
    pub(super) fn spend(&self, units: usize) -> bool {
        let left = self.0.get().checked_sub(units);
        self.0.set(left.unwrap_or_default());
        left.is_some()
    }
}
