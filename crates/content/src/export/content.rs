//! The content of a revision that an export needs, without the texts.
use crate::import::Repository;
use crate::object::{Hash, Objects, Read, together};
use crate::page::{FileEntry, ReusableContent, Tag, Variable};
use crate::snapshot::Snapshot;
use crate::tree::Tree;
use values::id::{FileId, ReusableContentId};

/// The content of a revision, without the texts in it: they are read one by one when they are written.
#[derive(Clone, Debug, Default)]
pub struct Content {
    pub(super) tree: Tree,
    pub(super) files: Vec<(FileId, FileEntry)>,
    pub(super) contents: Vec<(ReusableContentId, ReusableContent)>,
    pub(super) variables: Vec<(String, Variable)>,
    pub(super) tags: Vec<(String, Tag)>,
    pub(super) repository: Repository,
}

impl Content {
    /// Reads it.
    pub fn read(snapshot: &Snapshot, objects: &dyn Objects) -> Read<Self> {
        let tree = snapshot.tree(objects);
        let files = snapshot.files(objects);
        let contents = snapshot.reusable_contents(objects);
        let variables = snapshot.variables(objects);
        let tags = snapshot.tags(objects);
        let repository =
            snapshot.repository().map_or(Ok(Repository::default()), |hash| Repository::load(objects, &hash));
        // Reports the missing objects of all of these together.
        let waits = [
            tree.as_ref().err(),
            files.as_ref().err(),
            contents.as_ref().err(),
            variables.as_ref().err(),
            tags.as_ref().err(),
            repository.as_ref().err(),
        ];
        together(waits.into_iter().map(|error| error.map_or(Ok(()), |error| Err(error.clone()))))?;
        Ok(Self {
            tree: tree?,
            files: files?,
            contents: contents?,
            variables: variables?,
            tags: tags?,
            repository: repository?,
        })
    }

    /// The texts of all pages and reusable contents.
    pub(super) fn documents(&self) -> Vec<Hash> {
        let pages = self.tree.iter().filter_map(|node| node.page.document());
        pages.chain(self.contents.iter().filter_map(|(_, content)| content.document)).collect()
    }
}
