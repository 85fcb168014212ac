//! Reading content at any revision: what the operations on primary content and those on a revision have in common.
use crate::Api;
use crate::answer::{Answered, ok};
use crate::input::Query;
use crate::paging::Paging;
use crate::wire::content::{ContentParams, TextParams};
use crate::wire::page::{PageTree, View, page, pages};
use crate::wire::revision::{file, reusable_content, revision};
use domain::actor::Actor;
use domain::id::{FileId, PageId, ReusableContentId, SpaceId};
use domain::paging::Page;
use domain::usecases::content::{At, PageRef};

/// What is read, by whom.
pub(super) struct Reading<'a> {
    /// With what.
    pub(super) api: &'a Api,
    /// Who reads.
    pub(super) actor: &'a Actor,
    /// The space.
    pub(super) space: &'a SpaceId,
    /// Its content.
    pub(super) at: At,
}

impl<'a> Reading<'a> {
    fn view(&self, metadata: bool) -> View<'a> {
        View { links: &self.api.links, space: self.space, metadata }
    }

    pub(super) async fn revision(self, query: Query<ContentParams>) -> Answered {
        let found = self.api.services.content.revision(self.actor, self.space, &self.at).await?;
        let (view, now) = (self.view(query.read()?), self.api.services.clock.now());
        ok(&revision(&found.revision, &found.value, view, now))
    }

    pub(super) async fn pages(self, query: Query<ContentParams>) -> Answered {
        let found = self.api.services.content.pages(self.actor, self.space, &self.at).await?;
        ok(&PageTree { pages: pages(&found.value, self.view(query.read()?)) })
    }

    pub(super) async fn files(self, query: Query<ContentParams>, paging: Paging) -> Answered {
        let found = self.api.services.content.files(self.actor, self.space, &self.at, paging.input()).await?;
        let (view, now) = (self.view(query.read()?), self.api.services.clock.now());
        let Page { items, next } = &found.value;
        let items = Page { items: items.iter().collect(), next: next.clone() };
        ok(&paging.list(items, |(id, entry)| file(id, entry, view, now)))
    }

    pub(super) async fn file(self, id: &FileId, query: Query<ContentParams>) -> Answered {
        let found = self.api.services.content.file(self.actor, self.space, &self.at, id).await?;
        ok(&file(id, &found.value, self.view(query.read()?), self.api.services.clock.now()))
    }

    pub(super) async fn page(self, id: PageRef, text: Query<TextParams>, query: Query<ContentParams>) -> Answered {
        let found = self.api.services.content.page(self.actor, self.space, &self.at, &id, text.input()).await?;
        ok(&page(&found.value.node, found.value.body.as_ref(), self.view(query.read()?)))
    }

    pub(super) async fn page_document(self, id: &PageId, text: Query<TextParams>) -> Answered {
        let found = self.api.services.content.page_document(self.actor, self.space, &self.at, id, text.input()).await?;
        ok(&found.value.to_wire())
    }

    pub(super) async fn meta_links(self, id: &PageId) -> Answered {
        ok(&self.api.services.content.meta_links(self.actor, self.space, &self.at, id).await?.value)
    }

    pub(super) async fn reusable_content(self, id: &ReusableContentId, query: Query<ContentParams>) -> Answered {
        let found = self.api.services.content.reusable_content(self.actor, self.space, &self.at, id).await?;
        ok(&reusable_content(id, &found.value, self.view(query.read()?)))
    }

    pub(super) async fn reusable_content_document(self, id: &ReusableContentId, text: Query<TextParams>) -> Answered {
        let content = &self.api.services.content;
        let found = content.reusable_content_document(self.actor, self.space, &self.at, id, text.input()).await?;
        ok(&found.value.to_wire())
    }
}
