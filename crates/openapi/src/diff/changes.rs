//! Changes as values.
use super::compare::{Comparison, Told};
use super::places::{find, ranks};
use super::reach::reached;
use crate::tree::Node;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashSet};

/// The changes that a comparison lists at most. Its counts are of all.
pub const MAX_CHANGES: usize = 1_000;
/// The operations that a change lists at most.
pub const MAX_CHANGE_OPERATIONS: usize = 1_000;
/// The operations that all changes of a comparison list at most.
const MAX_ALL_OPERATIONS: usize = 100_000;

/// What changed between two versions of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    /// The changes by level, then in the order of the documents; the first [`MAX_CHANGES`].
    pub changes: Vec<Change>,
    /// How many there are of each level, those that are not listed among them.
    pub counts: ChangeCounts,
    /// How many are not listed.
    pub more: usize,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The kind of the change, such as `request-field-now-required`. See [`rules`](super::rules()).
    pub id: String,
    /// How bad it is.
    pub level: ChangeLevel,
    /// What changed, as a sentence without its full stop. It contains names and values of the documents.
    pub text: String,
    /// The operations that it concerns, in the order of the document; none for the document itself and for schemas that
    /// no operation uses. At most [`MAX_CHANGE_OPERATIONS`], and fewer where many changes have many.
    pub operations: Vec<ChangedOperation>,
    /// How many operations are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_operations: usize,
    /// The JSON Pointer of what changed.
    pub pointer: String,
    /// Whether pointer and position are those of the old document, since the new one has nothing there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_old: bool,
    /// 12 hexadecimal digits that are the same whenever the same documents are compared. A file of accepted changes has
    /// them: see [`accepted`](super::accepted).
    pub fingerprint: String,
    /// Where it is in the text; `None` if the text has no such value, since the upgrade made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
}

/// How bad a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeLevel {
    /// Callers that follow the old document fail.
    Breaking,
    /// Some callers can fail, or nobody can tell.
    Risky,
    /// It would be one of the two, but it was deprecated before, and its sunset date is over if it had one.
    Announced,
    /// No caller fails.
    Fine,
    /// Only what people read changed.
    Words,
}

impl ChangeLevel {
    /// All levels, the worst first.
    pub const ALL: [Self; 5] = [Self::Breaking, Self::Risky, Self::Announced, Self::Fine, Self::Words];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Breaking => "breaking",
            Self::Risky => "risky",
            Self::Announced => "announced",
            Self::Fine => "fine",
            Self::Words => "words",
        }
    }
}

/// The number of changes of each level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are the levels")]
pub struct ChangeCounts {
    pub breaking: usize,
    pub risky: usize,
    pub announced: usize,
    pub fine: usize,
    pub words: usize,
}

impl ChangeCounts {
    /// The number of changes of a level.
    pub fn of(&self, level: ChangeLevel) -> usize {
        match level {
            ChangeLevel::Breaking => self.breaking,
            ChangeLevel::Risky => self.risky,
            ChangeLevel::Announced => self.announced,
            ChangeLevel::Fine => self.fine,
            ChangeLevel::Words => self.words,
        }
    }

    /// The number of all changes.
    pub fn all(&self) -> usize {
        ChangeLevel::ALL.iter().map(|level| self.of(*level)).sum()
    }

    /// Counts one change of a level less.
    pub(super) fn remove(&mut self, level: ChangeLevel) {
        let count = self.of_mut(level);
        *count = count.saturating_sub(1);
    }

    fn of_mut(&mut self, level: ChangeLevel) -> &mut usize {
        match level {
            ChangeLevel::Breaking => &mut self.breaking,
            ChangeLevel::Risky => &mut self.risky,
            ChangeLevel::Announced => &mut self.announced,
            ChangeLevel::Fine => &mut self.fine,
            ChangeLevel::Words => &mut self.words,
        }
    }
}

/// An operation that a change concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedOperation {
    /// The method, as the document writes it.
    pub method: String,
    /// The path; empty for a webhook.
    pub path: String,
    /// The name, if it is a webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<String>,
}

/// A place in the text of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// The file, counted from 0: the position in the list of files that were read.
    #[serde(default, skip_serializing_if = "is_first")]
    pub file: u16,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
}

impl Diff {
    /// The changes whose fingerprints are not in this set.
    #[must_use]
    pub fn without(mut self, accepted: &BTreeSet<String>) -> Self {
        let counts = &mut self.counts;
        self.changes.retain(|change| {
            let is_accepted = accepted.contains(&change.fingerprint);
            if is_accepted {
                counts.remove(change.level);
            }
            !is_accepted
        });
        self
    }
}

/// Sorts what a comparison found, keeps so many changes and looks up their places and operations.
pub(super) fn collect(comparison: Comparison<'_>, most: usize) -> Diff {
    let Comparison { sides, told, units, .. } = comparison;
    let addresses = |told: &[Told<'_>], old: bool| -> HashSet<*const Node> {
        told.iter().filter(|told| told.spot.is_old() == old).map(|told| told.spot.address()).collect()
    };
    let ranks = [ranks(sides.new.root, &addresses(&told, false)), ranks(sides.old.root, &addresses(&told, true))];
    let rank = |told: &Told<'_>| ranks.iter().find_map(|ranks| ranks.get(&told.spot.address())).copied();
    let mut told: Vec<(Option<usize>, Told<'_>)> = told.into_iter().map(|told| (rank(&told), told)).collect();
    told.sort_by(|(rank, a), (other, b)| {
        (a.level, rank, a.spot.is_old(), &a.id, &a.text).cmp(&(b.level, other, b.spot.is_old(), &b.id, &b.text))
    });
    let mut told: Vec<Told<'_>> = told.into_iter().map(|(_, told)| told).collect();
    let mut counts = ChangeCounts::default();
    for told in &told {
        *counts.of_mut(told.level) += 1;
    }
    let more = told.len().saturating_sub(most);
    told.truncate(most);
    let places = [find(sides.new.root, &addresses(&told, false)), find(sides.old.root, &addresses(&told, true))];
    let seeds: Vec<&[usize]> = told.iter().map(|told| told.units.as_slice()).collect();
    let reached = reached(&units, &seeds);
    let mut room = MAX_ALL_OPERATIONS;
    let mut changes = Vec::with_capacity(told.len());
    for (told, reached) in told.iter().zip(reached) {
        let found = places.iter().find_map(|places| places.get(&told.spot.address())).cloned().unwrap_or_default();
        let listed = reached.len().min(MAX_CHANGE_OPERATIONS).min(room);
        room -= listed;
        let operations = reached.iter().filter_map(|unit| units.get(*unit)?.operation.clone());
        changes.push(Change {
            id: told.id.clone(),
            level: told.level,
            text: told.text.clone(),
            operations: operations.take(listed).collect(),
            more_operations: reached.len() - listed,
            in_old: told.spot.is_old(),
            fingerprint: fingerprint(&told.id, &found.pointer, &told.text),
            pointer: found.pointer,
            position: found.position,
        });
    }
    Diff { changes, counts, more }
}

/// 12 hexadecimal digits of a hash. Pointers and ids have no line ends.
fn fingerprint(id: &str, pointer: &str, text: &str) -> String {
    let hash = blake3::hash(format!("{id}\n{pointer}\n{text}").as_bytes());
    hash.to_hex().chars().take(12).collect()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_first(file: &u16) -> bool {
    *file == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}
