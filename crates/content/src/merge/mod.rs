//! Merges two lines of change with a common base.
//!
//! [`merge`] joins the differences from the base on either side, entry by entry: fields separately, lists by their
//! items, texts block by block, and a block word by word. A place that both sides changed in different ways is a
//! [`Conflict`]. A user decides it later with [`resolve()`], or by editing the place ([`touched()`]). Nothing is lost
//! without a conflict.
//!
//! The cost grows with the two differences, not with the content.
mod blocks;
mod conflict;
mod entries;
mod fields;
mod hunks;
mod pages;
mod placing;
mod provenance;
mod put_back;
mod resolve;
mod slugs;
#[cfg(test)]
mod tests;
mod text;
mod texts;
mod three_way;
mod touched;

pub use conflict::{BlockValue, Conflict, Keep, PageValue, Part, Subject, Value};
pub use resolve::resolve;
pub use touched::touched;

use crate::object::{Read, Scratch, together};
use crate::snapshot::{Edits, Snapshot, SnapshotDiff};
use texts::Texts;

/// The result of a merge.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The joined content. At a conflict it has the value of the change, except that nothing is removed that a side
    /// edited.
    pub snapshot: Snapshot,
    /// The conflicts, in the order of the keys of their subjects.
    pub conflicts: Vec<Conflict>,
}

/// How the text of a block is merged that both sides changed in different ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wording {
    /// Word by word, and code line by line, if no two changes overlap.
    #[default]
    Joined,
    /// As a conflict: the words of two translations of a sentence do not make a third one.
    Whole,
}

/// Merges `primary`, the content of a space, and `change`, the content of a change request, over their common `base`.
///
/// New objects go into the scratch. Without conflicts, the result is the same if the sides are exchanged.
///
/// # Errors
/// [`ReadError::Missing`](crate::object::ReadError::Missing) until all objects that the differences need are loaded.
pub fn merge(scratch: &mut Scratch<'_>, base: &Snapshot, primary: &Snapshot, change: &Snapshot) -> Read<Merged> {
    merge_with(scratch, base, primary, change, Wording::Joined)
}

/// Like [`merge`], with a choice of how texts that both sides changed are merged.
///
/// # Errors
/// As for [`merge`].
pub fn merge_with(
    scratch: &mut Scratch<'_>,
    base: &Snapshot,
    primary: &Snapshot,
    change: &Snapshot,
    wording: Wording,
) -> Read<Merged> {
    if primary == change || change == base {
        return Ok(Merged { snapshot: primary.clone(), conflicts: Vec::new() });
    }
    if primary == base {
        return Ok(Merged { snapshot: change.clone(), conflicts: Vec::new() });
    }
    let sides = Sides::read(scratch, base, primary, change)?;
    let texts = Texts::read(scratch, &sides)?;
    let mut output = Output { edits: Edits::default(), conflicts: Vec::new(), wording };
    output.entries(&sides);
    output.reusable_contents(scratch, &sides, &texts);
    output.repository(scratch, &sides)?;
    let pages = output.pages(scratch, &sides, &texts)?;
    let Output { edits, mut conflicts, .. } = output;
    let (snapshot, of_tree) = pages.placed(scratch, &sides, edits)?;
    conflicts.extend(of_tree);
    conflicts.sort_by_cached_key(|conflict| conflict.subject.key());
    conflicts.dedup_by(|next, conflict| next.subject == conflict.subject);
    Ok(Merged { snapshot, conflicts })
}

/// The three contents and their differences.
struct Sides<'a> {
    base: &'a Snapshot,
    primary: &'a Snapshot,
    change: &'a Snapshot,
    of_primary: SnapshotDiff,
    of_change: SnapshotDiff,
}

impl<'a> Sides<'a> {
    fn read(scratch: &Scratch<'_>, base: &'a Snapshot, primary: &'a Snapshot, change: &'a Snapshot) -> Read<Self> {
        let mut diffs = together([base.diff(primary, scratch), base.diff(change, scratch)])?;
        let of_change = diffs.pop().unwrap_or_default();
        let of_primary = diffs.pop().unwrap_or_default();
        Ok(Self { base, primary, change, of_primary, of_change })
    }
}

/// The result of a merge under construction.
struct Output {
    edits: Edits,
    conflicts: Vec<Conflict>,
    wording: Wording,
}
