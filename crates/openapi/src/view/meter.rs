//! The rest of a budget.
use super::Budget;
use serde::Serialize;
use std::io::{self, Write};

/// The rest of a budget.
#[derive(Debug)]
pub(super) struct Meter {
    rows: usize,
    bytes: usize,
    /// The number of values without room.
    refused: usize,
}

/// The maximum number of values without room before rows are no longer made. Smaller ones could still have room, but to
/// make a row takes time.
const MAX_REFUSED: usize = 100;

impl Meter {
    pub(super) fn new(budget: &Budget) -> Self {
        Self { rows: budget.rows, bytes: budget.bytes, refused: 0 }
    }

    /// The number of rows that are left.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Whether there was no room for something, or there is none for another row.
    pub(super) fn is_used_up(&self) -> bool {
        self.refused > 0 || self.rows == 0
    }

    /// Whether there can be room for another row.
    pub(super) fn may_admit_row(&self) -> bool {
        self.rows > 0 && self.refused < MAX_REFUSED
    }

    /// Subtracts the bytes of this value as JSON, if enough are left.
    pub(super) fn admits(&mut self, value: &impl Serialize) -> bool {
        let mut counter = Counter { left: self.bytes };
        let is_small = serde_json::to_writer(&mut counter, value).is_ok();
        match counter.left.checked_sub(AROUND).filter(|_| is_small) {
            Some(left) => {
                self.bytes = left;
                true
            }
            None => {
                self.refused += 1;
                false
            }
        }
    }

    /// Subtracts a row and its bytes, if enough are left.
    pub(super) fn admits_row(&mut self, row: &impl Serialize) -> bool {
        let admits = self.may_admit_row() && self.admits(row);
        self.rows -= usize::from(admits);
        admits
    }
}

/// The bytes around a value: a comma, the name and brackets of a list that it begins, and the note that rows below it
/// are left out.
const AROUND: usize = 64;

/// Counts bytes, and fails if too few are left.
struct Counter {
    left: usize,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
