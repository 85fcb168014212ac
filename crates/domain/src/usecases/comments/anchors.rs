//! The positions of comments: in the revision that their author saw, and in the current one.
use super::LoadedDiscussion;
use crate::comment::{Anchor, Comment, CommentTarget, Present};
use crate::content::document::Document;
use crate::content::object::{Hash, MemoryObjects, fetch, together};
use crate::content::page::PageEntry;
use crate::content::snapshot::Snapshot;
use crate::id::{PageId, RevisionId};
use crate::text::Invalid;
use crate::usecases::Error;
use crate::usecases::work::Work;
use std::collections::{BTreeMap, BTreeSet};

/// The pages of a revision and their texts.
struct Pages {
    snapshot: Snapshot,
    objects: MemoryObjects,
}

impl Pages {
    /// Loads a revision; `None` if the space has no such revision.
    async fn load(work: &mut Work<'_>, opened: &LoadedDiscussion, id: &RevisionId) -> Result<Option<Self>, Error> {
        let Some(revision) = work.content().revision(&opened.space.id, id).await? else { return Ok(None) };
        let mut objects = MemoryObjects::default();
        let snapshot = work.compute(&mut objects, |objects| Snapshot::load(objects, &revision.manifest)).await?;
        Ok(Some(Self { snapshot, objects }))
    }

    /// Those of these pages that exist.
    async fn find(
        &mut self,
        work: &mut Work<'_>,
        ids: &BTreeSet<PageId>,
    ) -> Result<BTreeMap<PageId, PageEntry>, Error> {
        let Self { snapshot, objects } = self;
        let read = |objects: &MemoryObjects| together(ids.iter().map(|id| snapshot.page(objects, id)));
        let found = work.compute(objects, read).await?;
        Ok(ids.iter().cloned().zip(found).filter_map(|(id, page)| Some((id, page?))).collect())
    }

    /// Loads these texts at once, and passes each to `visit`, so that only one is decoded at a time.
    async fn each_text(
        &mut self,
        work: &mut Work<'_>,
        hashes: &[Hash],
        mut visit: impl FnMut(usize, Document),
    ) -> Result<(), Error> {
        let texts = work.compute(&mut self.objects, |objects| fetch(objects, hashes.iter().copied())).await?;
        for (at, bytes) in texts.iter().enumerate() {
            let text = Document::decode(bytes).map_err(|error| Error::Corrupt(error.to_string()))?;
            visit(at, text);
        }
        Ok(())
    }
}

/// The target of a new comment, with its quote.
///
/// # Errors
/// [`Error::Invalid`] for a revision that the space does not have, and for an anchor that the revision does not have.
pub(super) async fn target(
    work: &mut Work<'_>,
    opened: &LoadedDiscussion,
    anchor: Option<Anchor>,
    revision: Option<RevisionId>,
) -> Result<CommentTarget, Error> {
    let named = revision.is_some();
    let revision = revision.unwrap_or_else(|| opened.revision().clone());
    let unknown = || Invalid::new("revision", "there is no such revision in the space");
    let Some(anchor) = anchor else {
        if named && work.content().revision(&opened.space.id, &revision).await?.is_none() {
            return Err(unknown().into());
        }
        return Ok(CommentTarget { revision, anchor: None, quote: None });
    };
    let mut pages = Pages::load(work, opened, &revision).await?.ok_or_else(unknown)?;
    let page = pages.find(work, &BTreeSet::from([anchor.page.clone()])).await?.remove(&anchor.page);
    let page = page.ok_or_else(|| Invalid::new("page", "there is no such page in the revision"))?;
    let quote = match page.document() {
        _ if !anchor.is_in_text() => Some(page.title.to_string()),
        None => anchor.quote(&Document::default()).map_err(|(field, rule)| rule.of(field))?,
        Some(hash) => {
            let mut quote = Ok(None);
            pages.each_text(work, &[hash], |_, text| quote = anchor.quote(&text)).await?;
            quote.map_err(|(field, rule)| rule.of(field))?
        }
    };
    Ok(CommentTarget { revision, anchor: Some(anchor), quote })
}

/// Which parts of the anchors of comments exist in the current revision of their discussion.
pub(super) async fn present(
    work: &mut Work<'_>,
    opened: &LoadedDiscussion,
    comments: &[&Comment],
) -> Result<Vec<Present>, Error> {
    // The anchor of a comment on the current revision was checked when it was posted.
    let earlier = |comment: &Comment| comment.target.revision != *opened.revision();
    let mut present = vec![Present::ALL; comments.len()];
    let anchors: Vec<(usize, &Anchor)> = comments
        .iter()
        .enumerate()
        .filter(|(_, comment)| earlier(comment))
        .filter_map(|(at, comment)| Some((at, comment.target.anchor.as_ref()?)))
        .collect();
    if anchors.is_empty() {
        return Ok(present);
    }
    let revision = opened.revision().clone();
    let missing = || Error::Corrupt(format!("revision {revision} is missing"));
    let mut pages = Pages::load(work, opened, &revision).await?.ok_or_else(missing)?;
    let ids: BTreeSet<PageId> = anchors.iter().map(|(_, anchor)| anchor.page.clone()).collect();
    let found = pages.find(work, &ids).await?;
    // The anchors in each text; pages can share a text.
    let mut texts: BTreeMap<Hash, Vec<(usize, &Anchor)>> = BTreeMap::new();
    for (at, anchor) in anchors {
        let page = found.get(&anchor.page);
        present[at] = Present { page: page.is_some(), ..Present::default() };
        if let Some(hash) = page.and_then(PageEntry::document).filter(|_| anchor.is_in_text()) {
            texts.entry(hash).or_default().push((at, anchor));
        }
    }
    let hashes: Vec<Hash> = texts.keys().copied().collect();
    let anchors: Vec<_> = texts.into_values().collect();
    let visit = |which: usize, text: Document| {
        for (at, anchor) in &anchors[which] {
            present[*at] = anchor.present(&text);
        }
    };
    pages.each_text(work, &hashes, visit).await?;
    Ok(present)
}
