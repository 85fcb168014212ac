//! The content of a space before an import. Unchanged pages and blocks keep their ids and keys from it.
use super::renames::Renamed;
use crate::object::{Hash, Objects, Read, together};
use crate::page::{FileEntry, PageEntry, PageKind, ReusableContent};
use crate::snapshot::Snapshot;
use std::collections::{BTreeMap, HashMap, HashSet};
use values::id::{FileId, PageId, ReusableContentId};

/// The content of a space before an import, without its texts. Empty for the first one.
#[derive(Clone, Debug, Default)]
pub struct Previous {
    pub(super) pages: BTreeMap<PageId, PageEntry>,
    pub(super) files: BTreeMap<FileId, FileEntry>,
    pub(super) contents: BTreeMap<ReusableContentId, ReusableContent>,
    pub(super) variables: Vec<String>,
    pub(super) tags: Vec<String>,
    /// The hashes of its texts and of the source files of these texts.
    held: HashSet<Hash>,
    by_path: HashMap<String, PageId>,
    by_title: HashMap<(Option<PageId>, &'static str, String), PageId>,
    files_by_path: HashMap<String, FileId>,
    contents_by_path: HashMap<String, ReusableContentId>,
    /// The files that the next import has under other paths ([`super::Renames`]).
    pub(super) renamed: Renamed,
}

impl Previous {
    /// Reads it from the space's snapshot.
    pub fn read(snapshot: &Snapshot, objects: &dyn Objects) -> Read<Self> {
        let pages = snapshot.pages(objects);
        let files = snapshot.files(objects);
        let contents = snapshot.reusable_contents(objects);
        let variables = snapshot.variables(objects);
        let tags = snapshot.tags(objects);
        // Reports the missing objects of all of these together.
        let waits = [
            pages.as_ref().err(),
            files.as_ref().err(),
            contents.as_ref().err(),
            variables.as_ref().err(),
            tags.as_ref().err(),
        ];
        together(waits.into_iter().map(|error| error.map_or(Ok(()), |error| Err(error.clone()))))?;
        let (pages, files, contents) = (pages?, files?, contents?);
        let held = (pages.iter().flat_map(|(_, page)| [page.document(), page.source]))
            .chain(contents.iter().flat_map(|(_, content)| [content.document, content.source]));
        let held = held.flatten().collect();
        Ok(Self {
            by_path: pages
                .iter()
                .filter_map(|(id, page)| Some((page.git.as_ref()?.path.clone(), id.clone())))
                .collect(),
            by_title: pages.iter().map(|(id, page)| (title_key(page), id.clone())).collect(),
            files_by_path: (files.iter())
                .filter_map(|(id, file)| Some((file.git.as_ref()?.path.clone(), id.clone())))
                .collect(),
            contents_by_path: (contents.iter())
                .filter_map(|(id, content)| Some((content.git.as_ref()?.path.clone(), id.clone())))
                .collect(),
            pages: pages.into_iter().collect(),
            files: files.into_iter().collect(),
            contents: contents.into_iter().collect(),
            variables: variables?.into_iter().map(|(name, _)| name).collect(),
            tags: tags?.into_iter().map(|(slug, _)| slug).collect(),
            held,
            renamed: Renamed::default(),
        })
    }

    /// The page that was imported from a file.
    pub(super) fn page_at(&self, path: &str) -> Option<&PageId> {
        self.by_path.get(self.path_before(path))
    }

    /// Whether a file with this path was imported.
    pub(super) fn has_path(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
            || self.files_by_path.contains_key(path)
            || self.contents_by_path.contains_key(path)
    }

    fn path_before<'p>(&'p self, path: &'p str) -> &'p str {
        self.renamed.paths.get(path).map_or(path, String::as_str)
    }

    /// The page without a file, below `parent` and with this title.
    pub(super) fn page_titled(&self, parent: Option<&PageId>, kind: &PageKind, title: &str) -> Option<&PageId> {
        self.by_title.get(&(parent.cloned(), kind_name(kind), title.to_owned()))
    }

    pub(super) fn file_at(&self, path: &str) -> Option<&FileId> {
        self.files_by_path.get(self.path_before(path))
    }

    pub(super) fn content_at(&self, path: &str) -> Option<&ReusableContentId> {
        self.contents_by_path.get(self.path_before(path))
    }

    /// Whether this text or source file is stored already.
    pub(super) fn holds(&self, hash: &Hash) -> bool {
        self.held.contains(hash)
    }
}

fn kind_name(kind: &PageKind) -> &'static str {
    match kind {
        PageKind::Document { .. } => "document",
        PageKind::Group => "group",
        PageKind::Link { .. } => "link",
        PageKind::Computed { .. } => "computed",
    }
}

fn title_key(page: &PageEntry) -> (Option<PageId>, &'static str, String) {
    (page.parent.clone(), kind_name(&page.kind), page.title.clone())
}
