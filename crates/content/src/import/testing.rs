//! A space in memory, for tests of import and export.
use super::{Imported, InMemory, Maker, Previous, Source, import};
use crate::document::Document;
use crate::object::{MemoryObjects, Objects, Scratch};
use crate::snapshot::Snapshot;
use crate::text_of;
use crate::tree::Tree;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The content of a space and the bytes of its files.
#[derive(Default)]
pub struct World {
    /// The stored objects.
    pub objects: MemoryObjects,
    /// The content.
    pub snapshot: Snapshot,
    /// The bytes of the files, by hash.
    pub blobs: HashMap<crate::object::Hash, Bytes>,
    /// What the last import returned.
    pub imported: Option<Imported>,
    ids: usize,
}

/// The time of an import, in minutes.
pub fn time(minutes: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
}

impl World {
    /// A space with these files imported into it.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let mut world = Self::default();
        world.import(&repository(files), time(0));
        world
    }

    /// Imports into the space, as the use case does.
    ///
    /// # Panics
    /// When the import is refused.
    pub fn import(&mut self, source: &dyn Source, at: DateTime<Utc>) -> &Imported {
        let previous = Previous::read(&self.snapshot, &self.objects).expect("all is at hand");
        let mut scratch = Scratch::new(&self.objects);
        let mut next = self.ids;
        let mut ids = || {
            next += 1;
            format!("id-{next:05}")
        };
        let mut imported = import(source, previous, Maker { ids: &mut ids, at, author: None }, &mut scratch)
            .expect("a repository with pages");
        for file in &imported.files {
            let bytes = source.read(&file.path).expect("the file is there");
            let entry = file.entry(&bytes);
            self.blobs.insert(entry.blob, bytes);
            imported.edits.files.insert(file.id.clone(), Some(entry));
        }
        let snapshot = self.snapshot.edit(&mut scratch, &imported.edits).expect("all is at hand");
        self.snapshot = snapshot.expect("a valid tree");
        let written = scratch.into_written();
        self.objects.extend(written);
        self.ids = next;
        self.imported.insert(imported)
    }

    /// What the last import returned.
    pub fn imported(&self) -> &Imported {
        self.imported.as_ref().expect("an import")
    }

    /// The table of contents.
    pub fn tree(&self) -> Tree {
        self.snapshot.tree(&self.objects).expect("all is at hand")
    }

    /// Pages as lines: depth, title, path, and values that are not the defaults.
    pub fn outline(&self) -> Vec<String> {
        use crate::page::PageKind;
        let tree = self.tree();
        let mut lines = Vec::new();
        let mut waiting: Vec<_> = tree.roots.iter().rev().map(|node| (node, 0)).collect();
        while let Some((node, depth)) = waiting.pop() {
            waiting.extend(node.children.iter().rev().map(|child| (child, depth + 1)));
            let kind = match &node.page.kind {
                PageKind::Document { document: Some(_) } => String::new(),
                PageKind::Document { document: None } => " (no text)".to_owned(),
                PageKind::Group => " (group)".to_owned(),
                PageKind::Link { target } => format!(" -> {target:?}"),
                PageKind::Computed { computed } => format!(" ({} of {})", computed.kind, computed.title()),
            };
            let hidden = if node.page.hidden { " (hidden)" } else { "" };
            lines.push(format!("{}{} = {}{kind}{hidden}", "- ".repeat(depth), node.page.title, node.path));
        }
        lines
    }

    /// The text of the page at a path.
    pub fn text(&self, path: &str) -> Document {
        let id = self.snapshot.page_at(&self.objects, path).expect("at hand").expect("a page");
        let page = self.snapshot.page(&self.objects, &id).expect("at hand").expect("a page");
        text_of(&self.objects, page.document()).expect("at hand")
    }

    /// The bytes of an object.
    pub fn object(&self, hash: &crate::object::Hash) -> Bytes {
        self.objects.get(hash).expect("at hand")
    }
}

/// A repository in memory: paths and texts.
pub fn repository<P: AsRef<str>, T: AsRef<[u8]>>(files: &[(P, T)]) -> InMemory {
    let file = |(path, text): &(P, T)| (path.as_ref().to_owned(), Bytes::copy_from_slice(text.as_ref()));
    InMemory::new("memory", files.iter().map(file))
}

/// The real documentation for tests; `None`, with the reason on standard error, if it is absent.
///
/// # Panics
/// When a file cannot be read.
pub fn corpus() -> Option<InMemory> {
    let near = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/fluentd-docs");
    if !near.is_dir() {
        eprintln!("skipped: {} is absent", near.display());
        return None;
    }
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut folders: Vec<(String, PathBuf)> = vec![(String::new(), near)];
    while let Some((folder, place)) = folders.pop() {
        for entry in std::fs::read_dir(place).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = super::path::join(&folder, entry.file_name().to_str().expect("a name"));
            if entry.path().is_dir() {
                folders.push((path, entry.path()));
            } else {
                files.push((path, std::fs::read(entry.path()).expect("a file")));
            }
        }
    }
    Some(repository(&files))
}
