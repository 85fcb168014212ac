//! The limit of the work for an example.
use std::cell::Cell;

/// The work that is left. One unit is about one schema that is read.
#[derive(Debug)]
pub(super) struct Work(Cell<usize>);

impl Work {
    pub(super) fn new(units: usize) -> Self {
        Self(Cell::new(units))
    }

    /// The units that are left.
    pub(super) fn left(&self) -> usize {
        self.0.get()
    }

    /// Uses some units. `false` if too few are left.
    pub(super) fn spend(&self, units: usize) -> bool {
        let left = self.0.get().checked_sub(units);
        self.0.set(left.unwrap_or_default());
        left.is_some()
    }

    /// Uses the units that this function subtracts from those that are left.
    pub(super) fn spend_with<T>(&self, work: impl FnOnce(&mut usize) -> T) -> T {
        let mut left = self.0.get();
        let result = work(&mut left);
        self.0.set(left);
        result
    }
}
