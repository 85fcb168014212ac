//! Changes as values.
use super::compare::{Comparison, ReportedChange};
use super::places::{find, ranks};
use super::reach::reached;
use crate::is_default;
use crate::tree::Node;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashSet};

/// The maximum number of changes that a comparison lists. Its counts include all.
pub const MAX_CHANGES: usize = 1_000;
/// The maximum number of operations that a change lists.
pub const MAX_CHANGE_OPERATIONS: usize = 1_000;
/// The maximum number of operations that all changes of a comparison list together.
const MAX_ALL_OPERATIONS: usize = 100_000;

/// The changes between two versions of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    /// The changes by level, then in the order of the documents; the first [`MAX_CHANGES`].
    pub changes: Vec<Change>,
    /// The number of changes of each level, including those that are not listed.
    pub counts: ChangeCounts,
    /// The number of changes that are not listed.
    pub more: usize,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The kind of the change, such as `request-field-now-required`. See [`rules`](super::rules()).
    pub id: String,
    /// Its severity.
    pub level: ChangeLevel,
    /// What changed, as a sentence without its full stop. It contains names and values of the documents.
    pub text: String,
    /// The operations that it concerns, in the order of the document; none for the document itself and for schemas that
    /// no operation uses. At most [`MAX_CHANGE_OPERATIONS`], and fewer if many changes have many.
    pub operations: Vec<ChangedOperation>,
    /// The number of operations that are not listed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more_operations: usize,
    /// The JSON Pointer of the changed value.
    pub pointer: String,
    /// Whether pointer and position are those of the old document, because the new one does not have the value.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_old: bool,
    /// 12 hexadecimal digits that are always the same for the same two documents. A file of accepted changes lists
    /// them: see [`accepted`](super::accepted).
    pub fingerprint: String,
    /// The place of the value in the text; `None` if it is not in the text, because the upgrade made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
}

/// The severity of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeLevel {
    /// Callers that follow the old document fail.
    Breaking,
    /// Some callers may fail, or the effect is unknown.
    Risky,
    /// It would be breaking or risky, but it was deprecated before, and its sunset date, if any, is over.
    Announced,
    /// No caller fails.
    Fine,
    /// Only texts for readers changed.
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

    /// Subtracts one change of a level.
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
    #[serde(default, skip_serializing_if = "is_default")]
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

/// Sorts the changes of a comparison, keeps at most `most` of them, and looks up their places and operations.
pub(super) fn collect(comparison: Comparison<'_>, most: usize) -> Diff {
    let Comparison { sides, reported, units, .. } = comparison;
    let addresses = |reported: &[ReportedChange<'_>], old: bool| -> HashSet<*const Node> {
        reported
            .iter()
            .filter(|reported| reported.location.is_old() == old)
            .map(|reported| reported.location.address())
            .collect()
    };
    let ranks =
        [ranks(sides.new.root, &addresses(&reported, false)), ranks(sides.old.root, &addresses(&reported, true))];
    let rank =
        |reported: &ReportedChange<'_>| ranks.iter().find_map(|ranks| ranks.get(&reported.location.address())).copied();
    let mut reported: Vec<(Option<usize>, ReportedChange<'_>)> =
        reported.into_iter().map(|reported| (rank(&reported), reported)).collect();
    reported.sort_by(|(rank, a), (other, b)| {
        (a.level, rank, a.location.is_old(), &a.id, &a.text).cmp(&(b.level, other, b.location.is_old(), &b.id, &b.text))
    });
    let mut reported: Vec<ReportedChange<'_>> = reported.into_iter().map(|(_, reported)| reported).collect();
    let mut counts = ChangeCounts::default();
    for reported in &reported {
        *counts.of_mut(reported.level) += 1;
    }
    let more = reported.len().saturating_sub(most);
    reported.truncate(most);
    let places =
        [find(sides.new.root, &addresses(&reported, false)), find(sides.old.root, &addresses(&reported, true))];
    let seeds: Vec<&[usize]> = reported.iter().map(|reported| reported.units.as_slice()).collect();
    let reached = reached(&units, &seeds);
    let mut room = MAX_ALL_OPERATIONS;
    let mut changes = Vec::with_capacity(reported.len());
    for (reported, reached) in reported.iter().zip(reached) {
        let found =
            places.iter().find_map(|places| places.get(&reported.location.address())).cloned().unwrap_or_default();
        let listed = reached.len().min(MAX_CHANGE_OPERATIONS).min(room);
        room -= listed;
        let operations = reached.iter().filter_map(|unit| units.get(*unit)?.operation.clone());
        changes.push(Change {
            id: reported.id.clone(),
            level: reported.level,
            text: reported.text.clone(),
            operations: operations.take(listed).collect(),
            more_operations: reached.len() - listed,
            in_old: reported.location.is_old(),
            fingerprint: fingerprint(&reported.id, &found.pointer, &reported.text),
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
