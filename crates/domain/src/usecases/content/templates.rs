//! Applying a template: its pages are added after the existing ones.
use super::read::Content;
use super::write::{Base, Indexed, NewContent, RevisionMetadata, advance, unlocked};
use crate::actor::Actor;
use crate::change_request::ChangeRequestRef;
use crate::content::import::{Imported, Maker, Previous, import};
use crate::content::object::{Hash, MemoryObjects, Read, Scratch, together};
use crate::content::order::OrderKey;
use crate::content::page::{PageEntry, PageKind, free_slug};
use crate::content::reference::ContentRef;
use crate::content::snapshot::{Edits, Snapshot};
use crate::content::templates::{PLACEHOLDER, Template};
use crate::content::text_of;
use crate::id::{PageId, SpaceId};
use crate::text::Invalid;
use crate::usecases::change_requests::apply_template;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};
use bytes::Bytes;
use std::collections::{BTreeMap, HashSet};

/// A template with the values of its placeholders.
#[derive(Clone, Debug)]
pub struct Apply {
    /// The template.
    pub template: Template,
    /// References by the name of their placeholder.
    pub content_refs: BTreeMap<String, ContentRef>,
}

/// A template and its destination.
#[derive(Clone, Debug)]
pub struct ApplyTo {
    /// The template.
    pub apply: Apply,
    /// The change request; absent for the primary content.
    pub change_request: Option<ChangeRequestRef>,
}

impl Content {
    /// Adds the pages of a template to the primary content, or to the content of a change request.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`]; [`Error::Invalid`] for an unknown template; [`Error::Conflict`] if
    /// the space is locked.
    pub async fn apply_template(&self, actor: &Actor, space: &SpaceId, apply: Input<ApplyTo>) -> Result<(), Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[space.into()]).await?;
        let mut space = work.space(space, |may| may.edit).await?;
        let ApplyTo { apply, change_request } = apply.read()?;
        if let Some(which) = change_request {
            apply_template(&mut work, (space, &which), &apply).await?;
            return work.commit().await;
        }
        unlocked(&space)?;
        let base = Base::load(&mut work, &space.id, &space.revision).await?;
        let content = apply.content(&mut work, &base).await?;
        let metadata = RevisionMetadata::edits(&work, &space.id, &base);
        let indexed = Indexed::In(space.id.clone(), space.language);
        let content = content.prepare(&mut work, &space.organization, &base, metadata, indexed).await?;
        advance(&mut work, space.entity_mut(), content).await?;
        work.commit().await
    }
}

impl Apply {
    /// The pages that the template adds to the existing content.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a reference without a target.
    pub(in crate::usecases) async fn content(&self, work: &mut Work<'_>, base: &Base) -> Result<NewContent, Error> {
        let (mut edits, objects) = self.pages(work)?;
        let mut loaded = MemoryObjects::default();
        append(&mut edits, &work.compute(&mut loaded, |objects| roots(&base.snapshot, objects)).await?);
        Ok(NewContent { edits, objects, git: None })
    }
}

impl Apply {
    /// The pages of the template, as if there were no other pages.
    fn pages(&self, work: &Work<'_>) -> Result<(Edits, BTreeMap<Hash, Bytes>), Error> {
        let nothing = MemoryObjects::default();
        let mut scratch = Scratch::new(&nothing);
        let mut make = || work.ids.next();
        let maker = Maker { ids: &mut make, at: work.now(), author: work.actor.user().cloned() };
        let Imported { mut edits, .. } = import(&self.template.source(), Previous::default(), maker, &mut scratch)
            .map_err(|error| Invalid::new("id", error.to_string()))?;
        edits.repository = None;
        let mut objects = scratch.into_written();
        fill_in(&mut edits, &mut objects, &self.content_refs)?;
        Ok((edits, objects))
    }
}

fn roots(snapshot: &Snapshot, objects: &MemoryObjects) -> Read<Vec<PageEntry>> {
    let ids: Vec<PageId> = snapshot.children(objects, None)?;
    let pages = together(ids.iter().map(|id| snapshot.page(objects, id)))?;
    Ok(pages.into_iter().flatten().collect())
}

/// Moves the new root pages after the existing ones, with unused slugs. The file names of the template are not kept: an
/// export chooses new ones.
fn append(edits: &mut Edits, there: &[PageEntry]) {
    let mut last = there.iter().map(|page| page.order.clone()).max();
    let mut taken: HashSet<String> = there.iter().map(|page| page.slug.clone()).collect();
    let mut pages: Vec<&mut PageEntry> = edits.pages.values_mut().flatten().collect();
    pages.sort_by(|a, b| a.order.cmp(&b.order));
    for page in pages {
        page.git = None;
        page.source = None;
        page.import_digest = None;
        if page.parent.is_some() {
            continue;
        }
        if let Ok(order) = OrderKey::between(last.as_ref(), None) {
            page.order = order.clone();
            last = Some(order);
        }
        page.slug = free_slug(&page.slug, |slug| taken.contains(slug));
        taken.insert(page.slug.clone());
    }
}

/// Replaces placeholders by references. A placeholder without a value is kept, and is shown as a broken link.
fn fill_in(
    edits: &mut Edits,
    objects: &mut BTreeMap<Hash, Bytes>,
    content_refs: &BTreeMap<String, ContentRef>,
) -> Result<(), Error> {
    let mut loaded = MemoryObjects::default();
    loaded.extend(objects.clone());
    for page in edits.pages.values_mut().flatten() {
        let PageKind::Document { document: Some(hash) } = &mut page.kind else { continue };
        let mut text = text_of(&loaded, Some(*hash)).map_err(|fault| Error::Corrupt(fault.to_string()))?;
        text.map_references(|reference| {
            if let ContentRef::Url { url } = reference
                && let Some(name) = url.strip_prefix(PLACEHOLDER)
                && let Some(filled) = content_refs.get(name)
            {
                *reference = filled.clone();
            }
        });
        let bytes = Bytes::from(text.encode());
        *hash = Hash::of(&bytes);
        objects.insert(*hash, bytes);
    }
    Ok(())
}
