//! Merging: two lines of change that came from one content become one.
//!
//! [`merge`] joins what differs from the base on either side, entry by entry: fields by themselves, lists by their items,
//! texts block by block and inside a block word by word. What both sides changed in different ways is a [`Conflict`],
//! which somebody decides later with [`resolve()`], or by editing the place ([`touched()`]). Nothing is dropped without one.
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

/// What two lines of change become.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The joint content. Where the sides could not be joined it has what the change has, except that nothing is taken
    /// away that a side edited.
    pub snapshot: Snapshot,
    /// What could not be joined, in the order of the subjects' keys.
    pub conflicts: Vec<Conflict>,
}

/// What becomes of the text of a block that both sides changed in different ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wording {
    /// It is joined word by word, and code line by line, where no two changes overlap.
    #[default]
    Joined,
    /// It is a conflict: the words of two translations of a sentence make no third one.
    Whole,
}

/// Merges `primary`, the content of a space, and `change`, the content of a change request, over their common `base`.
///
/// New objects go into the scratch. Without conflicts, the result is the same if the sides are exchanged.
///
/// # Errors
/// [`ReadError::Missing`](crate::object::ReadError::Missing) until all that the differences touch is at hand.
pub fn merge(scratch: &mut Scratch<'_>, base: &Snapshot, primary: &Snapshot, change: &Snapshot) -> Read<Merged> {
    merge_with(scratch, base, primary, change, Wording::Joined)
}

/// As [`merge`], with a choice of what becomes of texts that both sides changed.
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

/// Three contents and what differs between them.
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
