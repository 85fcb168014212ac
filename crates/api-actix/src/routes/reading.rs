//! Reading content at any revision: what the operations on primary content and those on a revision have in common.
use crate::Api;
use crate::answer::{Answer, Answered, ok};
use crate::caller;
use crate::error::ApiError;
use crate::finished::{Kept, Name, What};
use crate::input::Query;
use crate::links::Place;
use crate::paging::Paging;
use crate::wire::content::{ContentParams, TextParams};
use crate::wire::link::{LinkFilter, Surroundings, link_list};
use crate::wire::page::{PageTree, View, page, pages};
use crate::wire::revision::{file, reusable_content, revision};
use actix_web::HttpRequest;
use domain::actor::Actor;
use domain::content::document::wire::WireDocument;
use domain::id::{FileId, PageId, ReusableContentId, RevisionId, SpaceId};
use domain::paging::Page;
use domain::usecases::Input;
use domain::usecases::content::{At, LinkQuery, PageRef};

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
    fn view(&self, metadata: bool) -> View<'_> {
        let place = match &self.at {
            At::Primary => Place::Primary,
            At::Revision(revision) => Place::Revision(revision),
            At::ChangeRequest(which) => Place::ChangeRequest(which),
        };
        View { links: &self.api.links, space: self.space, place, metadata }
    }

    pub(super) async fn links(self, page: Option<&PageId>, filter: Query<LinkFilter>, paging: Paging) -> Answered {
        let wanted = paging.clone();
        let query = Input::new(move || Ok(LinkQuery { status: filter.read()?, page: wanted.request()? }));
        let found = self.api.services.content.links(self.actor, self.space, &self.at, page, query).await?;
        let now = self.api.services.clock.now();
        let around = Surroundings::new(&found.value.organization, &found.space, self.view(true), now);
        let Page { items, next } = &found.value.page;
        let list = paging.list(Page { items: items.iter().collect(), next: next.clone() }, |item| around.link(item));
        ok(&link_list(list, found.value.stats))
    }

    pub(super) async fn file_backlinks(self, file: &FileId, paging: Paging) -> Answered {
        let content = &self.api.services.content;
        let found = content.file_backlinks(self.actor, self.space, &self.at, file, paging.input()).await?;
        let (organization, Page { items, next }) = &found.value;
        let around = Surroundings::new(organization, &found.space, self.view(true), self.api.services.clock.now());
        ok(&paging.list(Page { items: items.iter().collect(), next: next.clone() }, |found| around.place(found)))
    }

    pub(super) async fn revision(self, query: Query<ContentParams>) -> Answered {
        let found = self.api.services.content.revision(self.actor, self.space, &self.at).await?;
        let (view, now) = (self.view(query.read()?), self.api.services.clock.now());
        ok(&revision(&found.revision, &found.value, view, now))
    }

    /// An answer that is made of a revision alone: made once, and given to everybody who may read the space. Who asks by a
    /// request for one that is too large to keep is told by its tag that they have it.
    async fn once(
        &self,
        what: What,
        query: &str,
        request: Option<&HttpRequest>,
        make: impl AsyncFnOnce() -> Result<(RevisionId, Answer), ApiError>,
    ) -> Answered {
        let (space, at, query) = (self.space.clone(), self.at.clone(), query.to_owned());
        let revision = self.api.services.content.revision_at(self.actor, self.space, &self.at).await?;
        let mut name = Name { space, at, revision, what, query };
        match self.api.finished.find(&name) {
            Some(Kept::Whole(answer)) => return Ok(answer),
            Some(Kept::Tag(tag)) if request.is_some_and(|request| caller::has(request, &tag)) => {
                return Ok(Answer::unchanged(tag));
            }
            Some(Kept::Tag(_)) | None => {}
        }
        // Somebody may have changed the content in between: the answer is kept under the revision it was made of.
        let (revision, answer) = make().await?;
        name.revision = revision;
        self.api.finished.keep(name, &answer);
        Ok(answer)
    }

    pub(super) async fn pages(self, query: Query<ContentParams>, request: &HttpRequest) -> Answered {
        let make = async || {
            let found = self.api.services.content.pages(self.actor, self.space, &self.at).await?;
            let answer = ok(&PageTree { pages: pages(&found.value, self.view(query.read()?)) })?;
            Ok((found.revision.id, answer))
        };
        self.once(What::Pages, query.as_sent(), Some(request), make).await
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
        let make = async || {
            let found = self.api.services.content.page(self.actor, self.space, &self.at, &id, text.input()).await?;
            let answer = ok(&page(&found.value.node, found.value.body.as_ref(), self.view(query.read()?)))?;
            Ok((found.revision.id, answer))
        };
        self.once(What::Page(id.clone()), query.as_sent(), None, make).await
    }

    pub(super) async fn page_document(self, id: &PageId, text: Query<TextParams>) -> Answered {
        let (content, query) = (&self.api.services.content, text.as_sent().to_owned());
        let make = async || {
            let found = content.page_document(self.actor, self.space, &self.at, id, text.input()).await?;
            Ok((found.revision.id, ok(&WireDocument(&found.value))?))
        };
        self.once(What::Text(id.clone()), &query, None, make).await
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
        ok(&WireDocument(&found.value))
    }
}
