//! The report of an import.
use serde::Serialize;
use std::fmt;

/// The counts and the warnings of an import. Files are named by their paths from the root of the
/// documentation, in the order of pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Pages with text, and pages that have none yet.
    pub pages: usize,
    /// Groups.
    pub groups: usize,
    /// Entries of the table of contents that link elsewhere.
    pub links: usize,
    /// Computed pages.
    pub computed: usize,
    /// Pages outside the table of contents: something links to them.
    pub hidden: usize,
    /// Files.
    pub files: usize,
    /// Reusable contents.
    pub reusable_contents: usize,
    /// Files that the previous import had under another path: their objects keep their ids.
    pub renamed: Vec<Rename>,
    /// Relative addresses with a target: a page, an anchor, a file or a reusable content.
    pub links_resolved: usize,
    /// Relative addresses without a target. They stay as they are written.
    pub links_broken: Vec<BrokenLink>,
    /// Other problems.
    pub warnings: Vec<Warning>,
}

/// A file that has another path than in the import before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Rename {
    /// Its path before.
    pub from: String,
    /// Its path now.
    pub to: String,
}

impl fmt::Display for Rename {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.from, self.to)
    }
}

/// A relative address without a target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct BrokenLink {
    /// The file that contains it.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The address as it is written.
    pub href: String,
}

impl fmt::Display for BrokenLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {} leads nowhere", self.file, self.line, self.href)
    }
}

/// A problem in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Warning {
    /// The file it is about; absent when it is about the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The problem.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}:{line}: {}", self.message),
            (Some(file), None) => write!(f, "{file}: {}", self.message),
            (None, _) => f.write_str(&self.message),
        }
    }
}

impl Report {
    /// Adds a warning about a file.
    pub(crate) fn warn(&mut self, file: &str, line: Option<usize>, message: impl Into<String>) {
        self.warnings.push(Warning { file: Some(file.to_owned()), line, message: message.into() });
    }

    /// Adds an address without a target.
    pub(crate) fn broken(&mut self, file: &str, line: usize, href: impl Into<String>) {
        self.links_broken.push(BrokenLink { file: file.to_owned(), line, href: href.into() });
    }
}
