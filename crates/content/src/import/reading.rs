//! Reads the files of an import one by one. Only small data about each page stays in memory.
use super::config::{CONFIG, Config, SERVICE_FOLDER};
use super::digest;
use super::encoding::decode;
use super::file::{WantedFile, git_id};
use super::include::Included;
use super::links::{FileLinks, Targets};
use super::outline::{Entry, Place};
use super::pages::ParsedPage;
use super::path::{self, is_markdown};
use super::plan::{ASSETS, INCLUDES, ImportError, Imported, Maker, Plan, TAGS, VARIABLES};
use super::previous::Previous;
use super::report::{Rename, Report, Warning};
use super::settings::{Setting, Settings};
use super::source::SourceError;
use super::target_ids::{TargetIds, Waiting};
use super::text::{Text, read_content};
use crate::document::{Document, keep_keys};
use crate::markdown::FrontMatter;
use crate::object::{Hash, Read, Scratch};
use crate::page::{GitBlob, PageEntry, ReusableContent};
use crate::snapshot::Edits;
use crate::text_of;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use values::id::{FileId, PageId, UserId};

/// A running import. Each [`step`](Self::step) reads one file and returns the objects to store.
pub struct Importing<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) previous: &'a Previous,
    pub(super) targets: TargetIds<'a>,
    pub(super) at: DateTime<Utc>,
    pub(super) author: Option<UserId>,
    pub(super) edits: Edits,
    pub(super) report: Report,
    /// The entries of the table of contents that are not read yet.
    entries: std::vec::IntoIter<Entry>,
    /// The ids of all entries, in their order.
    entry_ids: Vec<PageId>,
    pub(super) parsed: Vec<ParsedPage>,
    /// Pages that are in no table of contents, by their files.
    pub(super) linked: BTreeMap<String, ParsedPage>,
    /// The bytes that may still be read for includes.
    may_include: Cell<usize>,
}

/// The most bytes that an import reads for includes, and those of the last include.
const MAX_INCLUDED: usize = 64 * 1024 * 1024;

impl<'a> Importing<'a> {
    /// Starts an import. Takes the table of contents out of the plan.
    ///
    /// # Panics
    /// If `maker` generates invalid ids.
    pub fn new<'m: 'a>(plan: &'a mut Plan<'m>, previous: &'a Previous, maker: Maker<'m>) -> Self {
        let outline = std::mem::take(&mut plan.outline);
        let plan: &'a Plan<'a> = plan;
        let mut import = Self {
            plan,
            previous,
            targets: TargetIds::new(&plan.tree, previous, maker.ids),
            at: maker.at,
            author: maker.author,
            edits: Edits::default(),
            report: Report::default(),
            entries: Vec::new().into_iter(),
            entry_ids: Vec::with_capacity(outline.entries.len()),
            parsed: Vec::with_capacity(outline.entries.len()),
            linked: BTreeMap::new(),
            may_include: Cell::new(MAX_INCLUDED),
        };
        import.notes(&plan.config);
        import.report.warnings.extend(plan.site.warnings.iter().cloned());
        let warning = previous.renamed.warning.iter();
        import.report.warnings.extend(warning.map(|message| Warning {
            file: None,
            line: None,
            message: message.clone(),
        }));
        import.entry_ids = import.begin(&outline);
        for (line, href) in outline.broken {
            import.report.broken(&plan.contents, line, href);
        }
        for (line, message) in outline.warnings {
            import.report.warn(&plan.contents, Some(line), message);
        }
        import.entries = outline.entries.into_iter();
        import
    }

    /// The stored texts that the next steps read, and the number of these steps: at least one, at most `most`.
    pub fn needs(&self, most: usize) -> (Vec<Hash>, usize) {
        let remaining = self.entries.as_slice();
        if remaining.is_empty() {
            let before = match self.targets.waiting() {
                Some(Waiting::Page(path)) => self.page_before(&path).and_then(PageEntry::document),
                Some(Waiting::Content(path)) => self.previous.content_at(&path).and_then(|id| self.content_before(id)),
                None => None,
            };
            return (before.into_iter().collect(), 1);
        }
        let next = &remaining[..remaining.len().min(most.max(1))];
        let before = next.iter().filter_map(|entry| match &entry.place {
            Place::Text(path) => self.page_before(path)?.document(),
            Place::Group | Place::Bare | Place::Link(_) | Place::Computed(_) => None,
        });
        (before.collect(), next.len())
    }

    /// Reads the next file; returns whether there was one. New objects go into `scratch`, which must have the objects
    /// that the step [needs](Self::needs).
    ///
    /// # Errors
    /// [`ImportError`]: the import has failed, and nothing of it must be kept.
    pub fn step(&mut self, scratch: &mut Scratch<'_>) -> Result<bool, ImportError> {
        if let Some(entry) = self.entries.next() {
            let id = self.entry_ids[self.parsed.len()].clone();
            let parent = entry.parent.map(|parent| self.entry_ids[parent].clone());
            let page = self.page(entry, id, parent, scratch)?;
            self.parsed.push(page);
            if self.entries.as_slice().is_empty() {
                // Frees the memory of the entries, as the pages of a large import take much at the end.
                self.entries = Vec::new().into_iter();
                self.known_contents();
            }
            return Ok(true);
        }
        match self.targets.take_waiting() {
            // Reusable contents link to pages, and pages include reusable contents.
            Some(Waiting::Content(path)) => self.content(&path, scratch)?,
            Some(Waiting::Page(path)) => self.linked_page(path, scratch)?,
            None => return Ok(false),
        }
        Ok(true)
    }

    /// Number of pages that were read.
    pub fn done(&self) -> usize {
        self.parsed.len() + self.linked.len()
    }

    /// The result, after the last step.
    pub fn finish(mut self, scratch: &mut Scratch<'_>) -> Imported {
        self.edits.repository = Some(self.plan.repository.store(scratch));
        self.ignored();
        self.place();
        self.edits.variables = self.settings(VARIABLES, &self.previous.variables);
        self.edits.tags = self.settings(TAGS, &self.previous.tags);
        let assets = format!("{SERVICE_FOLDER}/{ASSETS}/");
        for path in self.plan.tree.paths().filter(|path| path.starts_with(&assets)) {
            self.targets.file(path);
        }
        let root = &self.plan.config.root;
        let wanted = |(place, id): (String, FileId)| WantedFile { id, path: path::join(root, &place), place };
        let files: Vec<WantedFile> = self.targets.files().into_iter().map(wanted).collect();
        self.report.files = files.len();
        self.renamed(&files);
        gone(&mut self.edits.pages, self.previous.pages.keys());
        gone(&mut self.edits.reusable_contents, self.previous.contents.keys());
        let kept: HashSet<_> = files.iter().map(|file| &file.id).collect();
        for id in self.previous.files.keys().filter(|id| !kept.contains(id)) {
            self.edits.files.insert(id.clone(), None);
        }
        self.report.links_broken.sort();
        Imported { title: self.plan.title.clone(), edits: self.edits, files, report: self.report }
    }

    /// Reports the files that have another path than before.
    fn renamed(&mut self, files: &[WantedFile]) {
        let path = |git: &'_ Option<GitBlob>| git.as_ref().map(|git| git.path.clone());
        let pages = self
            .edits
            .pages
            .iter()
            .filter_map(|(id, page)| Some((path(&self.previous.pages.get(id)?.git)?, path(&page.as_ref()?.git)?)));
        let contents = self.edits.reusable_contents.iter().filter_map(|(id, content)| {
            Some((path(&self.previous.contents.get(id)?.git)?, path(&content.as_ref()?.git)?))
        });
        let files =
            files.iter().filter_map(|file| Some((path(&self.previous.files.get(&file.id)?.git)?, file.place.clone())));
        let renamed = pages.chain(contents).chain(files).filter(|(from, to)| from != to);
        self.report.renamed = renamed.map(|(from, to)| Rename { from, to }).collect();
        self.report.renamed.sort();
    }

    /// The page that the last import made of a file.
    pub(super) fn page_before(&self, path: &str) -> Option<&'a PageEntry> {
        self.previous.page_at(path).and_then(|id| self.previous.pages.get(id))
    }

    fn content_before(&self, id: &values::id::ReusableContentId) -> Option<Hash> {
        self.previous.contents.get(id)?.document
    }

    fn notes(&mut self, config: &Config) {
        let note = |note: &String| Warning { file: None, line: None, message: note.clone() };
        self.report.warnings.extend(self.plan.tree.notes().iter().map(note));
        let summary = Some(&config.summary).filter(|summary| **summary != Config::default().summary);
        for (field, path) in [("structure.summary", summary), ("structure.readme", config.readme.as_ref())] {
            if let Some(path) = path.filter(|path| !self.plan.tree.contains_text(path)) {
                self.report.warn(CONFIG, None, format!("{field}: there is no file {path:?}"));
            }
        }
        let has = |path: String| {
            let files = [path.clone(), format!("{path}.md"), path::join(&path, "README.md")];
            files.iter().any(|file| self.plan.tree.contains_text(file))
        };
        let gone = |target: &&String| !Config::target(target).is_some_and(has);
        let lost: BTreeSet<&String> = config.redirects.values().filter(gone).collect();
        if let Some(first) = lost.first() {
            let message = format!("redirects: {} lead to no page, such as {first:?}", lost.len());
            self.report.warn(CONFIG, None, message);
        }
    }

    /// The bytes of a file, and its text with the texts that it includes.
    pub(super) fn bytes(&mut self, path: &str) -> Result<(Bytes, Included), SourceError> {
        let bytes = self.plan.read(path)?;
        let (text, note) = decode(&bytes);
        let text = text.into_owned();
        if let Some(note) = note {
            self.report.warn(path, None, note);
        }
        let (plan, left) = (self.plan, &self.may_include);
        let read = |path: &str| {
            let bytes = if left.get() > 0 { plan.anywhere(path)? } else { return None };
            left.set(left.get().saturating_sub(bytes.len()));
            Some(decode(&bytes).0.into_owned()).filter(|text| !text.contains('\0'))
        };
        let text = match plan.has_includes() {
            true => Included::of(text, &path::join(&plan.config.root, path), &mut |path| read(path)),
            false => Included::nothing(text),
        };
        Ok((bytes, plan.in_markdown(path, text, &read)))
    }

    /// Stores a text. Its blocks keep the keys of the text that it replaces.
    pub(super) fn document(
        &mut self,
        before: Option<Hash>,
        document: Document,
        scratch: &mut Scratch<'_>,
    ) -> Read<Option<Hash>> {
        if document.blocks.is_empty() {
            return Ok(None);
        }
        let document = match before {
            Some(_) => keep_keys(&text_of(scratch, before)?, document),
            None => document,
        };
        Ok(Some(self.put(document.encode().into(), scratch)))
    }

    /// Stores a text or its source file, unless it is stored already.
    pub(super) fn put(&self, bytes: Bytes, scratch: &mut Scratch<'_>) -> Hash {
        let hash = Hash::of(&bytes);
        if self.previous.holds(&hash) { hash } else { scratch.put(bytes) }
    }

    pub(super) fn account(&mut self, path: &str, text: &Included, read: Text) -> FrontMatter {
        let links = FileLinks { targets: &self.targets, from: path };
        for link in &read.links {
            if links.is_broken(link) {
                self.report.broken(path, text.line(link.line), &link.href);
            } else if link.resolved {
                self.report.links_resolved += 1;
            }
        }
        for message in read.strange {
            self.report.warn(path, None, message);
        }
        read.front
    }

    /// Imports all reusable contents of their folder, also those that no page includes.
    fn known_contents(&self) {
        let folder = format!("{SERVICE_FOLDER}/{INCLUDES}/");
        for path in self.plan.tree.paths().filter(|path| is_markdown(path) && path.starts_with(&folder)) {
            self.targets.content(path);
        }
    }

    /// Reads a reusable content.
    fn content(&mut self, path: &str, scratch: &mut Scratch<'_>) -> Result<(), ImportError> {
        let Some(id) = self.targets.content(path) else { return Ok(()) };
        let (bytes, text) = self.bytes(path)?;
        let (title, mut read) = read_content(&text.text, &FileLinks { targets: &self.targets, from: path });
        let places = digest::places(None, &mut read.document, &|target| self.targets.path_of(target));
        let document = self.document(self.content_before(&id), std::mem::take(&mut read.document), scratch)?;
        let git = Some(GitBlob { oid: git_id(&bytes), path: path.to_owned() });
        let source = Some(self.put(bytes, scratch));
        self.account(path, &text, read);
        self.report.reusable_contents += 1;
        let mut content = ReusableContent { title, document, git, source, import_digest: None };
        content.import_digest = Some(digest::of_content(&content, path, &places));
        self.edits.reusable_contents.insert(id, Some(content));
        Ok(())
    }

    /// The entries of a file of settings, and those that it no longer has.
    fn settings<T: Setting>(&mut self, name: &str, before: &[String]) -> BTreeMap<String, Option<T>> {
        let mut settings: BTreeMap<String, Option<T>> = before.iter().map(|name| (name.clone(), None)).collect();
        if let Some(text) = self.plan.settings.get(name) {
            let Settings { entries, problems } = T::read(text);
            settings.extend(entries.into_iter().map(|(name, value)| (name, Some(value))));
            let file = path::join(SERVICE_FOLDER, name);
            problems.into_iter().for_each(|problem| self.report.warn(&file, None, problem));
        }
        settings
    }
}

/// Deletes the entries that the source no longer has.
fn gone<'a, I: Clone + Ord + 'a, V>(edits: &mut BTreeMap<I, Option<V>>, before: impl Iterator<Item = &'a I>) {
    for id in before {
        edits.entry(id.clone()).or_insert(None);
    }
}
