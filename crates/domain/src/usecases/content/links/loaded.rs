//! The targets of references in one revision.
use super::cache::LinkCache;
use crate::content::anchors::Anchors;
use crate::content::object::{MemoryObjects, Read, together};
use crate::content::page::{FileEntry, ReusableContent};
use crate::content::reference::ContentRef;
use crate::content::snapshot::Snapshot;
use crate::content::tree::Node;
use crate::id::{FileId, PageId, ReusableContentId};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Targets in one revision.
#[derive(Default)]
pub(super) struct Loaded {
    pub(super) pages: HashMap<PageId, Arc<Node>>,
    /// The anchors of the pages to which some reference leads with an anchor.
    pub(super) anchors: HashMap<PageId, Anchors>,
    pub(super) files: HashMap<FileId, Box<FileEntry>>,
    pub(super) reusable: HashMap<ReusableContentId, Box<ReusableContent>>,
    pub(super) tags: BTreeSet<String>,
}

/// Loads targets of one revision. Pages that are known are not read again: a tree is read at once much faster.
pub(super) fn load(
    snapshot: &Snapshot,
    objects: &MemoryObjects,
    references: &[&ContentRef],
    known: &HashMap<PageId, Arc<Node>>,
    cache: &LinkCache,
) -> Read<Loaded> {
    let mut loaded = Loaded::default();
    let pages: BTreeSet<&PageId> = references
        .iter()
        .filter_map(|reference| match reference {
            ContentRef::Page { page, .. } | ContentRef::Anchor { page: Some(page), .. } => Some(page),
            _ => None,
        })
        .collect();
    let node = |id: &PageId| match known.get(id) {
        Some(known) => Ok(Some(known.clone())),
        None => page_alone(snapshot, objects, id),
    };
    let nodes = together(pages.into_iter().map(node))?;
    loaded.pages = nodes.into_iter().flatten().map(|node| (node.id.clone(), node)).collect();
    let anchored: BTreeSet<&PageId> = references
        .iter()
        .filter_map(|reference| match reference {
            ContentRef::Anchor { page, .. } => page.as_ref(),
            _ => None,
        })
        .collect();
    let anchored = anchored.into_iter().filter_map(|id| loaded.pages.get_key_value(id));
    let anchors = anchored.map(|(id, node)| {
        let anchors = Anchors::with(snapshot, objects, &node.page, |text| cache.anchors(objects, text))?;
        Ok((id.clone(), anchors))
    });
    loaded.anchors = together(anchors)?.into_iter().collect();
    let files = together(references.iter().filter_map(|reference| match reference {
        ContentRef::File { file, .. } => {
            Some(snapshot.file(objects, file).map(|found| Some((file.clone(), Box::new(found?)))))
        }
        _ => None,
    }))?;
    loaded.files = files.into_iter().flatten().collect();
    let reusable = together(references.iter().filter_map(|reference| match reference {
        ContentRef::ReusableContent { reusable_content: id, .. } => {
            Some(snapshot.reusable_content(objects, id).map(|found| Some((id.clone(), Box::new(found?)))))
        }
        _ => None,
    }))?;
    loaded.reusable = reusable.into_iter().flatten().collect();
    if references.iter().any(|reference| matches!(reference, ContentRef::Tag { .. })) {
        loaded.tags = snapshot.tags(objects)?.into_iter().map(|(slug, _)| slug).collect();
    }
    Ok(loaded)
}

/// A page without the pages below it.
pub(super) fn page_alone(snapshot: &Snapshot, objects: &MemoryObjects, id: &PageId) -> Read<Option<Arc<Node>>> {
    let Some(page) = snapshot.page(objects, id)? else { return Ok(None) };
    let path = snapshot.path(objects, id)?.unwrap_or_default();
    Ok(Some(Arc::new(Node::stored(id.clone(), page, path, Vec::new()))))
}
