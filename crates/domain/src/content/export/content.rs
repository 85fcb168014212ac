//! All of a revision that an export needs.
use crate::content::document::Document;
use crate::content::import::Repository;
use crate::content::object::{Hash, Objects, Read, fetch, together};
use crate::content::page::{FileEntry, ReusableContent, Tag, Variable};
use crate::content::snapshot::Snapshot;
use crate::content::text_of;
use crate::content::tree::Tree;
use crate::id::{FileId, ReusableContentId};
use bytes::Bytes;
use std::collections::HashMap;

/// The content of a revision, with every text in it.
#[derive(Clone, Debug, Default)]
pub struct Content {
    pub(super) tree: Tree,
    pub(super) files: Vec<(FileId, FileEntry)>,
    pub(super) contents: Vec<(ReusableContentId, ReusableContent)>,
    pub(super) variables: Vec<(String, Variable)>,
    pub(super) tags: Vec<(String, Tag)>,
    pub(super) repository: Repository,
    documents: HashMap<Hash, Document>,
    sources: HashMap<Hash, Bytes>,
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
        // What these miss is asked for at once; the texts come after.
        let waits = [
            tree.as_ref().err(),
            files.as_ref().err(),
            contents.as_ref().err(),
            variables.as_ref().err(),
            tags.as_ref().err(),
            repository.as_ref().err(),
        ];
        together(waits.into_iter().map(|error| error.map_or(Ok(()), |error| Err(error.clone()))))?;
        let (tree, contents) = (tree?, contents?);
        let hashes: Vec<Hash> = (tree.iter().filter_map(|node| node.page.document()))
            .chain(contents.iter().filter_map(|(_, content)| content.document))
            .collect();
        let sources: Vec<Hash> = (tree.iter().filter_map(|node| node.page.source))
            .chain(contents.iter().filter_map(|(_, content)| content.source))
            .collect();
        let documents = together(hashes.iter().map(|hash| text_of(objects, Some(*hash))));
        let texts = fetch(objects, sources.iter().copied());
        let waits = [documents.as_ref().err(), texts.as_ref().err()];
        together(waits.into_iter().map(|error| error.map_or(Ok(()), |error| Err(error.clone()))))?;
        Ok(Self {
            tree,
            files: files?,
            contents,
            variables: variables?,
            tags: tags?,
            repository: repository?,
            documents: hashes.into_iter().zip(documents?).collect(),
            sources: sources.into_iter().zip(texts?).collect(),
        })
    }

    /// The text of a page or reusable content.
    pub(super) fn document(&self, hash: Option<Hash>) -> Document {
        hash.and_then(|hash| self.documents.get(&hash)).cloned().unwrap_or_default()
    }

    /// The file that it came from.
    pub(super) fn source(&self, hash: Option<Hash>) -> Option<&Bytes> {
        self.sources.get(&hash?)
    }
}
