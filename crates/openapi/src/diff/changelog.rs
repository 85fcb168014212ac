//! Differences as sections of a changelog: which changes are listed, in which order, and the number of the others.
use super::changes::{Change, ChangeLevel, ChangedOperation, Diff};
use super::matching::without_names;
use super::operations::MAX_PATH;
use crate::is_default;
use crate::parts::{OperationSummary, Summary};
use crate::wording::cut;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use values::characters::{ends_line, is_bidi_control};

/// The maximum number of operations that a line names; a larger number is only counted.
const MAX_NAMED: usize = 3;

/// The limits of a changelog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangelogLimits {
    /// The maximum number of changes in all sections together.
    pub changes: usize,
    /// Whether changes of texts for readers are listed. Otherwise they are only counted.
    pub words: bool,
    /// The longest text of a change, and the longest path or name of an operation, in characters.
    pub length: usize,
}

impl ChangelogLimits {
    /// Everything that a comparison lists.
    pub const ALL: Self = Self { changes: usize::MAX, words: true, length: usize::MAX };
}

/// The changes of a version for people: the worst first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changelog {
    /// The levels that have changes, the worst first.
    pub sections: Vec<ChangelogSection>,
}

/// The changes of a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangelogSection {
    /// The level.
    pub level: ChangeLevel,
    /// The changes that are listed, in the order of the documents.
    pub lines: Vec<ChangelogLine>,
    /// The number of changes that are not listed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more: usize,
}

/// A change. Its texts are on one line, without characters that control a terminal or turn the direction of writing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangelogLine {
    /// The first operations that it concerns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<ChangedOperation>,
    /// The number of operations that are not named.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more_operations: usize,
    /// What changed, as a sentence without its full stop.
    pub text: String,
}

impl Changelog {
    /// The changelog of a difference.
    pub fn of(diff: &Diff, limits: &ChangelogLimits) -> Self {
        let mut room = limits.changes;
        let mut sections = Vec::new();
        for level in ChangeLevel::ALL {
            let count = diff.counts.of(level);
            if count == 0 {
                continue;
            }
            let most = if level == ChangeLevel::Words && !limits.words { 0 } else { room };
            let changes = diff.changes.iter().filter(|change| change.level == level).take(most);
            let lines: Vec<ChangelogLine> = changes.map(|change| ChangelogLine::of(change, limits.length)).collect();
            room -= lines.len();
            sections.push(ChangelogSection { level, more: count.saturating_sub(lines.len()), lines });
        }
        Self { sections }
    }
}

impl Changelog {
    /// The same without changes of operations that a later version of the document, with this summary, marks as
    /// internal.
    #[must_use]
    pub fn shown_with(mut self, summary: &Summary) -> Self {
        let hidden = Hidden::of([summary, summary]);
        for section in &mut self.sections {
            section.lines.retain_mut(|line| {
                let is_of_document = line.operations.is_empty();
                line.operations.retain(|operation| !hidden.has(operation));
                is_of_document || !line.operations.is_empty()
            });
        }
        self.sections.retain(|section| !section.lines.is_empty() || section.more > 0);
        self
    }
}

impl ChangelogSection {
    /// The heading of the section.
    pub fn title(&self) -> &'static str {
        match self.level {
            ChangeLevel::Breaking => "Breaking changes",
            ChangeLevel::Risky => "Risky changes",
            ChangeLevel::Announced => "Announced removals",
            ChangeLevel::Fine => "Other changes",
            ChangeLevel::Words => "Descriptions and examples",
        }
    }
}

impl ChangelogLine {
    /// The line of a change, with texts of at most `length` characters.
    pub(super) fn of(change: &Change, length: usize) -> Self {
        let short = |text: &str| one_line(&cut(text, length));
        let named = change.operations.iter().take(MAX_NAMED).map(|operation| ChangedOperation {
            method: short(&operation.method),
            path: short(&operation.path),
            webhook: operation.webhook.as_deref().map(short),
        });
        let operations: Vec<ChangedOperation> = named.collect();
        let more = (change.operations.len() + change.more_operations).saturating_sub(operations.len());
        Self { operations, more_operations: more, text: short(&change.text) }
    }
}

impl ChangedOperation {
    /// The method and the path, or the name of the webhook, for people.
    pub fn name(&self) -> String {
        let method = self.method.to_uppercase();
        match &self.webhook {
            Some(webhook) => format!("{method} webhook {webhook}"),
            None => format!("{method} {}", self.path),
        }
    }
}

impl Diff {
    /// The part of the difference of two documents, with these summaries, that readers of generated pages may see:
    /// changes of operations that neither document marks as internal, and of the document itself. Components that no
    /// such operation uses are left out. Changes beyond [`MAX_CHANGES`](super::MAX_CHANGES) still count.
    #[must_use]
    pub fn shown(mut self, old: &Summary, new: &Summary) -> Self {
        let hidden = Hidden::of([old, new]);
        let counts = &mut self.counts;
        self.changes.retain_mut(|change| {
            let is_of_document = change.operations.is_empty() && change.more_operations == 0;
            change.operations.retain(|operation| !hidden.has(operation));
            let is_shown = match is_of_document {
                true => !change.pointer.starts_with("/components/"),
                false => !change.operations.is_empty(),
            };
            if !is_shown {
                counts.remove(change.level);
            }
            is_shown
        });
        self
    }
}

/// The operations that a document marks as internal, by the keys by which a comparison matches operations.
struct Hidden(HashSet<(Option<String>, String, String)>);

impl Hidden {
    fn of(summaries: [&Summary; 2]) -> Self {
        let operations = || summaries.into_iter().flat_map(all);
        // An operation that moved is hidden with its partner, which has the same id.
        let internal = operations().filter(|(_, one)| one.internal);
        let ids: HashSet<&str> = internal.filter_map(|(_, one)| one.id.as_deref()).collect();
        let hidden =
            operations().filter(|(_, one)| one.internal || one.id.as_deref().is_some_and(|id| ids.contains(id)));
        Self(hidden.map(|(webhook, one)| key(webhook, &one.path, &one.method)).collect())
    }

    fn has(&self, operation: &ChangedOperation) -> bool {
        self.0.contains(&key(operation.webhook.as_deref(), &operation.path, &operation.method))
    }
}

/// The operations of a document, those of webhooks with their names.
fn all(summary: &Summary) -> impl Iterator<Item = (Option<&str>, &OperationSummary)> {
    let hooks = summary.webhooks.iter().map(|hook| (Some(hook.name.as_str()), &hook.operation));
    summary.operations.iter().map(|operation| (None, operation)).chain(hooks)
}

fn key(webhook: Option<&str>, path: &str, method: &str) -> (Option<String>, String, String) {
    // A change has names of this length at most.
    let short = |text: &str| one_line(&without_names(&cut(text, MAX_PATH)));
    (webhook.map(short), short(path), one_line(&cut(method, MAX_PATH)))
}

/// The text on one line, without characters that control a terminal or change the direction of text.
pub fn one_line(text: &str) -> String {
    text.replace(|char: char| char.is_control() || ends_line(char) || is_bidi_control(char), " ")
}
