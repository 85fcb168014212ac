//! What is left of a budget.
use super::Budget;
use serde::Serialize;
use std::io::{self, Write};

/// What is left of a budget.
#[derive(Debug)]
pub(super) struct Meter {
    rows: usize,
    bytes: usize,
}

impl Meter {
    pub(super) fn new(budget: &Budget) -> Self {
        Self { rows: budget.rows, bytes: budget.bytes }
    }

    /// How many rows are left.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Takes the bytes of this value as JSON, if that many are left.
    pub(super) fn admits(&mut self, value: &impl Serialize) -> bool {
        let mut counter = Counter { left: self.bytes };
        let is_small = serde_json::to_writer(&mut counter, value).is_ok();
        match counter.left.checked_sub(AROUND).filter(|_| is_small) {
            Some(left) => {
                self.bytes = left;
                true
            }
            None => false,
        }
    }

    /// Takes a row and its bytes, if both are left.
    pub(super) fn admits_row(&mut self, row: &impl Serialize) -> bool {
        let admits = self.rows > 0 && self.admits(row);
        self.rows -= usize::from(admits);
        admits
    }
}

/// The bytes around a value: a comma, the name and brackets of a list that it begins, and what is added once rows below
/// it are left out.
const AROUND: usize = 64;

/// Counts bytes, and refuses more than are left.
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
