//! A batch of changes to the content of a change request. They apply in order, completely or not at all.
//!
//! A later change sees what the earlier ones made: pages that were inserted, places that were taken. Addresses in
//! Markdown are the exception: they are resolved in the tree of pages that the whole batch leaves behind, so that pages
//! of one batch link to each other whatever their order.
//!
//! `work` holds the pages as they stand after the changes so far; `pages` and `revert` are the changes; `texts` makes
//! documents of what was sent, with `addresses` and `plain` for the links in it.
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

/// The most changes of a batch.
pub const MAX_CHANGES: usize = 50;
/// The most files of one change.
pub const MAX_FILES: usize = 20;
/// The most bytes of a text that a change brings: of Markdown as it is sent, of blocks the text that they hold. It bounds
/// the time that a change takes. Stored texts may be larger: those of imports, and those that a merge joins.
pub const MAX_TEXT_SENT: usize = 2 * 1024 * 1024;
/// The longest reference, in characters.
pub const MAX_REFERENCE: usize = 256;
/// The title of a page that was given none.
pub const DEFAULT_TITLE: &str = "Untitled";

/// The text of a page as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Markdown, with the page's title as its first heading and front matter, where it has them.
    Markdown(String),
    /// Blocks.
    Document(Document),
    /// No text.
    Empty,
}

/// A page to insert.
#[derive(Clone, Debug, PartialEq)]
pub struct InsertPage {
    /// The id that it gets: a new one.
    pub id: PageId,
    /// What it is told to be.
    pub fields: PageFields,
    /// Its text.
    pub document: Body,
    /// The page it goes below, by id or by the reference of one that was inserted earlier; absent at the root.
    pub into: Option<String>,
    /// Its place among its siblings, from 0; absent at their end.
    pub at: Option<usize>,
    /// What the batch calls it.
    pub reference: Option<String>,
}

/// A page to change.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdatePage {
    /// The page, by id or by the reference of one that was inserted earlier.
    pub page: String,
    /// What it is told to be.
    pub fields: PageFields,
    /// Its text; absent leaves it.
    pub document: Option<Body>,
    /// The page it goes below; cleared, it goes to the root.
    pub into: Patch<String>,
    /// Its place among its siblings without it, from 0; absent, it keeps its place, or goes to the end below another
    /// page.
    pub at: Option<usize>,
}

/// A page to set back to what it was in a revision.
#[derive(Clone, Debug, PartialEq)]
pub struct RevertPage {
    /// The page, by id or by the reference of one that was inserted earlier.
    pub page: String,
    /// The revision; absent for the one that the change request began with.
    pub revision: Option<RevisionId>,
    /// The blocks of its text to set back; absent for the whole page.
    pub blocks: Option<Vec<Key>>,
}

/// A file to insert; its bytes are stored.
#[derive(Clone, Debug, PartialEq)]
pub struct NewFile {
    /// The id that it gets: a new one.
    pub id: FileId,
    /// The file.
    pub entry: FileEntry,
    /// What the batch calls it.
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
    /// Sets a page back to what it was.
    RevertPage(RevertPage),
    /// Inserts files.
    InsertFiles(Vec<NewFile>),
}

/// What a batch starts from and goes back to.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// What is changed.
    pub head: &'a Snapshot,
    /// What the change request began with.
    pub base: &'a Snapshot,
    /// The revisions that changes name, as far as there are such.
    pub revisions: &'a BTreeMap<RevisionId, Snapshot>,
}

impl<'a> Sources<'a> {
    /// What a change goes back to.
    fn target(&self, revision: Option<&RevisionId>) -> Option<&'a Snapshot> {
        match revision {
            None => Some(self.base),
            Some(revision) => self.revisions.get(revision),
        }
    }
}

/// What became of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is there, and was not before.
    Created {
        /// What the batch calls it.
        reference: Option<String>,
        /// The page.
        page: PageId,
    },
    /// It was there and was changed, or told to be what it was already.
    Updated {
        /// The page.
        page: PageId,
    },
    /// It was there, and is not any more.
    Deleted {
        /// The page.
        page: PageId,
    },
}

/// What a batch makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The content after it. The same as before when the batch said only what is true already.
    pub snapshot: Snapshot,
    /// What changes from the content before it.
    pub edits: Edits,
    /// What became of the pages that changes named: each once, in the order in which they were first named. A page that
    /// was inserted and deleted again is not listed.
    pub outcomes: Vec<Outcome>,
    /// The files that were inserted, in order.
    pub files: Vec<FileId>,
}

/// Why a batch is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {rule}", Self::path(.index, .field))]
pub struct BatchError {
    /// The change; absent where the batch as a whole is at fault.
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

/// Who changes, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Editor {
    /// Who.
    pub author: Option<UserId>,
    /// The time.
    pub at: DateTime<Utc>,
}

/// Applies a batch. New documents and the nodes of the next snapshot go into `scratch`.
///
/// # Errors
/// [`ReadError::Missing`], [`ReadError::Corrupt`]. The inner error names the change and the field at fault; nothing of
/// what went into `scratch` must be kept then.
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
    /// The same, as the fault of this change.
    fn of(self, index: usize) -> Self {
        match self {
            Self::Refused(error) => Self::Refused(BatchError { index: Some(index), ..error }),
            unread => unread,
        }
    }
}

/// The change or the batch breaks a rule.
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
