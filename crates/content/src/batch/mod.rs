//! A batch of changes to the content of a change request. They apply in order, completely or not at all.
//!
//! A later change sees the effects of earlier ones: new pages and taken slugs. Addresses in Markdown are the exception:
//! they are resolved in the tree of pages after the whole batch, so that pages of one batch can link to each other in
//! any order.
//!
//! `work` has the pages after the changes so far; `pages` and `revert` apply changes; `texts` makes documents from the
//! texts of changes, and `addresses` and `plain` handle the links in them.
mod addresses;
mod blocks;
mod fields;
mod pages;
mod place;
mod plain;
mod references;
mod revert;
mod run;
#[cfg(test)]
mod tests;
mod texts;
mod work;

pub use fields::PageFields;

use crate::document::{Document, Key};
use crate::object::{Read, ReadError, Scratch};
use crate::page::FileEntry;
use crate::snapshot::{Edits, Snapshot};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use values::id::{FileId, PageId, RevisionId, UserId};
use values::patch::Patch;
use values::text::Invalid;

/// The maximum number of changes of a batch.
pub const MAX_CHANGES: usize = 50;
/// The maximum number of files of one change.
pub const MAX_FILES: usize = 20;
/// The maximum size of the text of a change, in bytes: of Markdown as it is sent, of blocks the text in them. It bounds
/// the time that a change takes. Stored texts may be larger: those of imports and merges.
pub const MAX_TEXT_SENT: usize = 2 * 1024 * 1024;
/// The maximum length of a reference, in characters.
pub const MAX_REFERENCE: usize = 256;
/// The title of a page without one.
pub const DEFAULT_TITLE: &str = "Untitled";

/// The text of a page in a change.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Markdown, which may have front matter and the page's title as its first heading.
    Markdown(String),
    /// Blocks.
    Document(Document),
    /// No text.
    Empty,
}

/// A page to insert.
#[derive(Clone, Debug, PartialEq)]
pub struct InsertPage {
    /// Its new id.
    pub id: PageId,
    /// Its values.
    pub fields: PageFields,
    /// Its text.
    pub document: Body,
    /// Its parent, by id or by the reference of a page that was inserted earlier; absent at the root.
    pub into: Option<String>,
    /// Its index among its siblings, from 0; absent for the end.
    pub at: Option<usize>,
    /// Its reference in the batch.
    pub reference: Option<String>,
}

/// A page to change.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdatePage {
    /// The page, by id or by the reference of one that was inserted earlier.
    pub page: String,
    /// Its new values.
    pub fields: PageFields,
    /// Its new text; absent to keep the text.
    pub document: Option<Body>,
    /// Its new parent; cleared for the root.
    pub into: Patch<String>,
    /// Its index among its siblings (without itself), from 0. If absent, the page keeps its place, or goes to the end
    /// of a new parent.
    pub at: Option<usize>,
}

/// A page to reset to its state in a revision.
#[derive(Clone, Debug, PartialEq)]
pub struct RevertPage {
    /// The page, by id or by the reference of one that was inserted earlier.
    pub page: String,
    /// The revision; absent for the base of the change request.
    pub revision: Option<RevisionId>,
    /// The blocks of its text to reset; absent for the whole page.
    pub blocks: Option<Vec<Key>>,
}

/// A file to insert; its bytes are stored already.
#[derive(Clone, Debug, PartialEq)]
pub struct NewFile {
    /// Its new id.
    pub id: FileId,
    /// The file.
    pub entry: FileEntry,
    /// Its reference in the batch.
    pub reference: Option<String>,
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Inserts a page.
    InsertPage(InsertPage),
    /// Changes a page.
    UpdatePage(UpdatePage),
    /// Deletes a page and those below it.
    DeletePage {
        /// The page, by id or by the reference of one that was inserted earlier.
        page: String,
    },
    /// Resets a page to an earlier state.
    RevertPage(RevertPage),
    /// Inserts files.
    InsertFiles(Vec<NewFile>),
}

/// The contents that a batch reads.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// The content to change.
    pub head: &'a Snapshot,
    /// The base of the change request.
    pub base: &'a Snapshot,
    /// The revisions that changes name, without those that do not exist.
    pub revisions: &'a BTreeMap<RevisionId, Snapshot>,
}

impl<'a> Sources<'a> {
    /// The content to which a change resets.
    fn target(&self, revision: Option<&RevisionId>) -> Option<&'a Snapshot> {
        match revision {
            None => Some(self.base),
            Some(revision) => self.revisions.get(revision),
        }
    }
}

/// The effect of a batch on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The page was created.
    Created {
        /// Its reference in the batch.
        reference: Option<String>,
        /// The page.
        page: PageId,
    },
    /// The page was changed, or set to the values that it had.
    Updated {
        /// The page.
        page: PageId,
    },
    /// The page was deleted.
    Deleted {
        /// The page.
        page: PageId,
    },
}

/// The result of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The content after it; the same as before if the batch changes nothing.
    pub snapshot: Snapshot,
    /// The edits that lead from the content before it to the content after it.
    pub edits: Edits,
    /// The effects on the pages that changes named, each page once, in the order in which they were first named. A page
    /// that was inserted and deleted again is not listed.
    pub outcomes: Vec<Outcome>,
    /// The files that were inserted, in order.
    pub files: Vec<FileId>,
}

/// Why a batch is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {rule}", Self::path(.index, .field))]
pub struct BatchError {
    /// The index of the change; absent if the batch as a whole is at fault.
    pub index: Option<usize>,
    /// The field of the change, such as `slug` or `files[1].ref`; empty for the change or the batch itself.
    pub field: String,
    /// The rule that it breaks.
    pub rule: String,
}

impl BatchError {
    fn path(index: &Option<usize>, field: &str) -> String {
        match index {
            None => "changes".to_owned(),
            Some(index) if field.is_empty() => format!("changes[{index}]"),
            Some(index) => format!("changes[{index}].{field}"),
        }
    }
}

impl From<BatchError> for Invalid {
    fn from(error: BatchError) -> Self {
        Self::new(BatchError::path(&error.index, &error.field), error.rule)
    }
}

/// The author and the time of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Editor {
    /// The author.
    pub author: Option<UserId>,
    /// The time.
    pub at: DateTime<Utc>,
}

/// Applies a batch. New documents and the nodes of the next snapshot go into `scratch`.
///
/// # Errors
/// [`ReadError::Missing`], [`ReadError::Corrupt`]. The inner error names the change and the field at fault; then the
/// objects in `scratch` must be discarded.
pub fn apply(
    scratch: &mut Scratch<'_>,
    sources: Sources<'_>,
    changes: &[Change],
    editor: &Editor,
) -> Read<Result<Applied, BatchError>> {
    match run::run(scratch, sources, changes, editor) {
        Ok(applied) => Ok(Ok(applied)),
        Err(Stop::Refused(error)) => Ok(Err(error)),
        Err(Stop::Unread(error)) => Err(error),
    }
}

/// Why a batch stops.
#[derive(Debug)]
enum Stop {
    Refused(BatchError),
    Unread(ReadError),
}

/// A step of a batch.
type Step<T> = Result<T, Stop>;

impl Stop {
    /// The same reason, attributed to this change.
    fn of(self, index: usize) -> Self {
        match self {
            Self::Refused(error) => Self::Refused(BatchError { index: Some(index), ..error }),
            unread => unread,
        }
    }
}

/// Rejects the change or the batch, because it breaks a rule.
fn refuse<T>(field: impl Into<String>, rule: impl Into<String>) -> Step<T> {
    Err(Stop::Refused(BatchError { index: None, field: field.into(), rule: rule.into() }))
}

impl From<ReadError> for Stop {
    fn from(error: ReadError) -> Self {
        Self::Unread(error)
    }
}

impl From<Invalid> for Stop {
    fn from(Invalid { field, rule }: Invalid) -> Self {
        Self::Refused(BatchError { index: None, field, rule })
    }
}
