//! Documents in several files: which files a document needs, and one document made of them.
//!
//! The kind of a value in a file depends on the references to it, so files are followed from the document on:
//!
//! ```text
//! let mut files = Files::new(root, Some(address));
//! loop {
//!     let wanted = files.wanted();
//!     if wanted.is_empty() { break }
//!     // fetch each, then files.read(&wanted.address, …)
//! }
//! let (root, findings) = files.bundle();
//! ```
mod address;
mod bundle;
mod explore;
#[cfg(test)]
mod tests;

use crate::deadline::Deadline;
use crate::dialect::Version;
use crate::finding::{Code, Finding};
use crate::refs::percent_decoded;
use crate::shape::ObjectKind;
use crate::text::{self, Limits, read_within};
use crate::tree::{Node, Path, Place};
use indexmap::{IndexMap, IndexSet};
use std::collections::{BTreeMap, HashMap, HashSet};
use url::Url;

/// The maximum number of files of a document, including itself.
pub const MAX_FILES: usize = 200;

/// The maximum number of values that are read in other files. Files may refer to parts of parts, and then each counts
/// again.
const MAX_VALUES: usize = 16_000_000;

/// A file that a document needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its address, without a fragment.
    pub address: String,
    /// The place of the first reference to it.
    pub at: Place,
    /// The path to that reference in its own file.
    pub path: Path,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct File {
    /// The final address, after redirects. References in the file are relative to it.
    pub address: String,
    /// Its content.
    pub root: Node,
}

/// The files of a document, as far as they are known.
#[derive(Debug)]
pub struct Files {
    version: Option<Version>,
    /// The loaded files. The document is the first.
    loaded: Vec<Loaded>,
    /// The state of every address in references.
    known: IndexMap<String, Known>,
    /// The targets in other files, in the order of their discovery.
    targets: IndexSet<Target>,
    /// The number of targets that were explored.
    explored: usize,
    /// The references whose target is known.
    links: Vec<Link>,
    /// The files and paths of the links and of the waiting references: each reference counts once.
    seen: HashSet<(usize, Path)>,
    findings: Vec<Finding>,
    /// The number of values that may still be read.
    values: usize,
    /// The number of values that further files may have.
    unread: usize,
}

#[derive(Debug)]
struct Loaded {
    base: Option<Url>,
    root: Node,
    /// The pointers of `$anchor`s.
    anchors: HashMap<String, String>,
    /// The addresses of schemas with an `$id`.
    ids: HashSet<String>,
}

#[derive(Debug)]
enum Known {
    /// References that wait for the file.
    Wanted(Vec<Waiting>),
    /// An index in the list of files.
    Loaded(usize),
    /// Why it cannot be loaded.
    Failed(String),
}

/// A value of a file that the document needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Target {
    file: usize,
    pointer: String,
    kind: ObjectKind,
}

/// A reference to another file, or to another place in a file.
#[derive(Clone, Debug)]
struct Link {
    file: usize,
    /// The path to its text.
    path: Path,
    /// Whether it is a `$ref` without other fields beside it.
    alone: bool,
    to: LinkTarget,
}

#[derive(Clone, Debug)]
enum LinkTarget {
    /// A pointer in the document.
    Document(String),
    /// An index in the list of targets.
    Target(usize),
}

/// A reference to a file that is not loaded yet.
#[derive(Clone, Debug)]
struct Waiting {
    file: usize,
    path: Path,
    at: Place,
    kind: ObjectKind,
    alone: bool,
    /// The reference as written.
    text: String,
    fragment: String,
}

impl Files {
    /// The files of a document from this address; `None` for a text without an address, whose relative references have
    /// no targets.
    pub fn new(root: Node, address: Option<&str>) -> Self {
        Self::new_within(root, 0, address, &Deadline::never())
    }

    /// The same for a document with this number of values. It ends early when the deadline is over.
    pub fn new_within(root: Node, values: usize, address: Option<&str>, deadline: &Deadline<'_>) -> Self {
        let mut files = Self {
            version: Version::of(&root).ok(),
            loaded: Vec::new(),
            known: IndexMap::new(),
            targets: IndexSet::new(),
            links: Vec::new(),
            seen: HashSet::new(),
            explored: 0,
            findings: Vec::new(),
            values: MAX_VALUES,
            unread: text::MAX_VALUES.saturating_sub(values),
        };
        let base = address.and_then(|address| Url::parse(address).ok());
        if let Some(base) = &base {
            files.known.insert(without_fragment(base), Known::Loaded(0));
        }
        files.load(root, base);
        files.explore_part(&Target { file: 0, pointer: String::new(), kind: ObjectKind::Document });
        files.explore(deadline);
        files
    }

    /// The files that are needed and were not added yet, without duplicates; none if there are too many.
    pub fn wanted(&self) -> Vec<Wanted> {
        if self.known.len() > MAX_FILES {
            return Vec::new();
        }
        let waiting = self.known.iter().filter_map(|(address, known)| match known {
            Known::Wanted(waiting) => Some((address, waiting.first()?)),
            _ => None,
        });
        waiting
            .map(|(address, first)| Wanted { address: address.clone(), at: first.at, path: first.path.clone() })
            .collect()
    }

    /// Adds a needed file, or the reason why it cannot be loaded: the end of a sentence, such as `cannot be fetched:
    /// the host answered with status 404`. An address that is not needed is ignored.
    pub fn add(&mut self, wanted: &str, file: Result<File, String>) {
        self.add_within(wanted, file, Vec::new(), &Deadline::never());
    }

    /// Reads and adds a needed file: its bytes and its final address, or the reason why it cannot be loaded. All files
    /// together have the limits of a document. A file that is not a valid text counts as one that cannot be loaded.
    pub fn read(&mut self, wanted: &str, file: Result<(&[u8], String), String>, deadline: &Deadline<'_>) {
        let (bytes, address) = match file {
            Ok(file) => file,
            Err(reason) => return self.add(wanted, Err(reason)),
        };
        let number = u16::try_from(self.loaded.len()).unwrap_or(u16::MAX);
        let reading = read_within(bytes, &Limits { file: number, values: self.unread, deadline });
        self.unread = self.unread.saturating_sub(reading.values);
        let Some(root) = reading.root else {
            let Some(mut fault) = reading.findings.into_iter().next() else { return };
            let reason = match fault.at.line {
                0 => format!("cannot be read: {}", fault.message),
                line => format!("cannot be read: {line}:{}: {}", fault.at.column, fault.message),
            };
            self.add(wanted, Err(reason));
            if matches!(fault.code, Code::TooLarge | Code::TooSlow) {
                fault.file = Url::parse(&address).ok().map(|url| self.name_of(&url));
                self.findings.push(fault);
            }
            return;
        };
        self.add_within(wanted, Ok(File { address, root }), reading.findings, deadline);
    }

    fn add_within(
        &mut self,
        wanted: &str,
        file: Result<File, String>,
        mut findings: Vec<Finding>,
        deadline: &Deadline<'_>,
    ) {
        let Some(known) = self.known.get_mut(wanted) else { return };
        let Known::Wanted(waiting) = known else { return };
        let waiting = std::mem::take(waiting);
        match file {
            Ok(file) => {
                let base = Url::parse(&file.address).or_else(|_| Url::parse(wanted)).ok();
                let answered = base.as_ref().map(without_fragment);
                // A redirect can lead to a file that is loaded already.
                let same = answered.as_ref().and_then(|answered| match self.known.get(answered) {
                    Some(Known::Loaded(index)) => Some(*index),
                    _ => None,
                });
                let index = same.unwrap_or_else(|| {
                    self.findings.append(&mut findings);
                    self.load(file.root, base)
                });
                self.known.insert(wanted.to_owned(), Known::Loaded(index));
                for reference in waiting {
                    self.link_to(reference, index);
                }
                self.explore(deadline);
            }
            Err(reason) => {
                for reference in &waiting {
                    self.report_file(reference, &reason);
                }
                self.known.insert(wanted.to_owned(), Known::Failed(reason));
            }
        }
    }

    /// The name of a file in findings: relative to the document if it is on the same host. Without a query, which can
    /// contain a secret.
    fn name_of(&self, address: &Url) -> Box<str> {
        let mut plain = address.clone();
        plain.set_query(None);
        plain.set_fragment(None);
        // Some addresses cannot have a user.
        let _ = plain.set_username("");
        let _ = plain.set_password(None);
        let document = self.loaded.first().and_then(|document| document.base.as_ref());
        let relative = document.and_then(|document| document.make_relative(&plain)).filter(|name| !name.is_empty());
        relative.map_or_else(|| plain.as_str().into(), |name| percent_decoded(&name).into())
    }

    /// The names of the files, in the order of [`Place::file`](crate::tree::Place::file): addresses relative to the
    /// document, or whole addresses of other hosts. The document itself has no name.
    pub fn names(&self) -> Vec<Box<str>> {
        let name = |(at, loaded): (usize, &Loaded)| {
            let base = loaded.base.as_ref().filter(|_| at > 0);
            base.map(|base| self.name_of(base)).unwrap_or_default()
        };
        self.loaded.iter().enumerate().map(name).collect()
    }

    /// Names the files of the findings.
    fn name_files(&mut self) {
        let names = self.names();
        for finding in self.findings.iter_mut().filter(|finding| finding.at.file > 0 && finding.file.is_none()) {
            let name = names.get(usize::from(finding.at.file));
            finding.file = name.filter(|name| !name.is_empty()).cloned();
        }
    }
}

/// The document from this address, with all targets in the given files, which are by address. A missing file is a
/// finding.
pub fn bundle(root: Node, address: Option<&str>, mut given: BTreeMap<String, Node>) -> (Node, Vec<Finding>) {
    let mut files = Files::new(root, address);
    loop {
        let mut is_done = true;
        for Wanted { address, .. } in files.wanted() {
            if let Some(root) = given.remove(&address) {
                files.add(&address.clone(), Ok(File { address, root }));
                is_done = false;
            }
        }
        if is_done {
            return files.bundle();
        }
    }
}

fn without_fragment(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    url.into()
}
