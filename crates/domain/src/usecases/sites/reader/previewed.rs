//! The version of a space that a preview shows, and its changes.
use super::Visiting;
use super::places::VariantPages;
use crate::change_request::ChangeRequest;
use crate::content::changes::{ChangedPage, ContentChange, changes};
use crate::content::object::MemoryObjects;
use crate::content::page::PageKind;
use crate::id::{PageId, RevisionId};
use crate::site::reader::{PageLink, PreviewOf, Previewed};
use crate::site::resolve::Spot;
use crate::usecases::Error;
use crate::usecases::content::write::Base;
use crate::usecases::content::{At, LoadedRevision};
use crate::usecases::sites::addresses::path_on_site;
use std::collections::HashSet;
use std::sync::Arc;

/// The most changes of a change request that are examined for links to changed pages.
const MAX_CHANGES: usize = 200;

impl Visiting<'_> {
    /// The version that the preview shows, around a page; `None` for the primary content.
    pub(super) async fn previewed(
        &mut self,
        pages: &Arc<VariantPages>,
        current: Option<&PageId>,
    ) -> Result<Option<Previewed>, Error> {
        let Some(version) = self.addressed.version.clone() else { return Ok(None) };
        let published = self.published_path(pages, current).await?;
        let shown = match &version.change_request {
            Some(request) => self.changed(pages.spot, request).await?,
            None => self.revision(pages, version.revision).await?,
        };
        Ok(shown.map(|version| Previewed { version, published }))
    }

    /// The path on the server of the primary content in the preview: of a page, or else of the start of the variant.
    async fn published_path(&mut self, pages: &VariantPages, current: Option<&PageId>) -> Result<String, Error> {
        let versioned = self.addressed.version.as_ref().is_some_and(|version| version.space == pages.space);
        let path = match current {
            None => None,
            Some(page) if !versioned => pages.get(page).map(|node| pages.path(node).to_owned()),
            Some(page) => {
                let start = self.variant(pages.spot).and_then(|variant| variant.settings.page);
                let mut primary = LoadedRevision::find(&mut self.work, &pages.space, &At::Primary).await?;
                path_on_site(&mut self.work, &mut primary, start.as_ref(), page).await?
            }
        };
        let address = self.addressed.view().address(pages.spot, &path.unwrap_or_default());
        let base = super::path_of(self.addressed.preview().as_str());
        Ok(format!("{base}{}", super::encode(&address)))
    }

    /// A change request, with the pages that it changes and the visitor sees.
    async fn changed(&mut self, near: Spot, request: &ChangeRequest) -> Result<Option<PreviewOf>, Error> {
        let space = &request.space;
        let before = Base::load(&mut self.work, space, request.ancestor()).await?.snapshot;
        let after = Base::load(&mut self.work, space, &request.revision).await?.snapshot;
        let mut objects = MemoryObjects::default();
        let compared = |objects: &MemoryObjects| changes(objects, &before, &after, MAX_CHANGES);
        let found = self.work.compute(&mut objects, compared).await?;
        let Some(spot) = self.spot_of(space, near) else { return Ok(None) };
        let Some(pages) = self.pages(spot).await? else { return Ok(None) };
        let mut known = HashSet::new();
        let links = found.changes.iter().filter_map(page_of).filter(|page| known.insert(&page.id));
        let links = links.filter_map(|page| {
            let (node, _) = pages.find(&page.id)?;
            matches!(node.page.kind, PageKind::Document { .. }).then(|| PageLink {
                title: node.page.title.to_string(),
                emoji: node.page.settings().emoji.clone(),
                icon: node.page.settings().icon.clone(),
                href: Some(self.page_href(&pages, node)),
            })
        });
        Ok(Some(PreviewOf::ChangeRequest {
            number: request.number,
            subject: request.subject.to_string(),
            pages: links.collect(),
            more: found.more > 0,
        }))
    }

    async fn revision(&mut self, near: &VariantPages, id: RevisionId) -> Result<Option<PreviewOf>, Error> {
        let space = self.addressed.version.as_ref().map_or(&near.space, |version| &version.space);
        let found = self.work.content().revision(space, &id).await?;
        Ok(found.map(|revision| PreviewOf::Revision { id: revision.id, created_at: revision.created_at }))
    }
}

/// The page that a change adds, edits or moves.
fn page_of(change: &ContentChange) -> Option<&ChangedPage> {
    match change {
        ContentChange::PageCreated { page }
        | ContentChange::PageEdited { page, .. }
        | ContentChange::PageMoved { page, .. } => Some(page),
        _ => None,
    }
}
