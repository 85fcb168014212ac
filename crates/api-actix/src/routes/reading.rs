//! Reading content at any revision: the code shared by the operations on primary content, change requests and
//! revisions.
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::links::Place;
use crate::answer::{Answer, Answered, ok};
use crate::request::Query;
use crate::request::paging::Paging;
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::state::revision_cache::{Kept, Name, What};
use crate::wire::content::{ContentParams, TextParams};
use crate::wire::link::{LinkFilter, Surroundings, link_list};
use crate::wire::page::{PageTree, View, page, pages};
use crate::wire::revision::{file, reusable_content, revision};
use actix_web::HttpRequest;
use actix_web::web::Data;
use domain::content::document::wire::WireDocument;
use domain::id::{FileId, PageId, ReusableContentId, RevisionId, SpaceId};
use domain::usecases::Input;
use domain::usecases::content::{At, Content, LinkQuery, PageContent, PageOptions, PageRef, Revised};
use http_server::has;

/// A read of content: the caller, the space and the version to read.
#[derive(Clone)]
pub(super) struct Reading {
    api: Data<Api>,
    caller: Caller,
    space: SpaceId,
    at: At,
}

impl Reading {
    pub(super) fn new(api: &Data<Api>, caller: &Caller, space: &SpaceId, at: At) -> Self {
        Self { api: api.clone(), caller: caller.clone(), space: space.clone(), at }
    }

    fn content(&self) -> &Content {
        &self.api.services.content
    }

    fn view(&self, metadata: bool) -> View<'_> {
        let place = match &self.at {
            At::Primary => Place::Primary,
            At::Revision(revision) => Place::Revision(revision),
            At::ChangeRequest(which) => Place::ChangeRequest(which),
        };
        View { links: &self.api.links, space: &self.space, place, metadata }
    }

    /// Runs a read on the pool for long work: its cost grows with the size of the content.
    async fn at_length<F>(self, read: impl FnOnce(Self) -> F) -> Answered
    where
        F: Future<Output = Answered> + Send + 'static,
    {
        let (api, caller) = (self.api.clone(), self.caller.clone());
        at_length(api, caller, 0, move |_api, _caller| read(self)).await
    }

    pub(super) async fn links(self, page: Option<PageId>, filter: Query<LinkFilter>, paging: Paging) -> Answered {
        self.at_length(move |reading| async move {
            let Self { api, caller, space, at } = &reading;
            let wanted = paging.clone();
            let query = Input::new(move || Ok(LinkQuery { status: filter.read()?, page: wanted.request()? }));
            let found = reading.content().links(caller, space, at, page.as_ref(), query).await?;
            let now = api.services.clock.now();
            let around = Surroundings::new(&found.value.organization, &found.space, reading.view(true), now);
            let list = paging.list(found.value.page.as_ref(), |item| around.link(item));
            ok(&link_list(list, found.value.stats))
        })
        .await
    }

    pub(super) async fn file_backlinks(self, file: FileId, paging: Paging) -> Answered {
        self.at_length(move |reading| async move {
            let Self { api, caller, space, at } = &reading;
            let found = reading.content().file_backlinks(caller, space, at, &file, paging.input()).await?;
            let (organization, places) = &found.value;
            let around = Surroundings::new(organization, &found.space, reading.view(true), api.services.clock.now());
            ok(&paging.list(places.as_ref(), |found| around.place(found)))
        })
        .await
    }

    pub(super) async fn revision(self, query: Query<ContentParams>) -> Answered {
        self.at_length(move |reading| async move {
            let Self { api, caller, space, at } = &reading;
            let found = reading.content().revision(caller, space, at).await?;
            ok(&revision(&found.revision, &found.value, reading.view(query.read()?), api.services.clock.now()))
        })
        .await
    }

    /// Finds the cached response for a revision. Checks first that the caller may read the space; the response is then
    /// the same for every caller. On a cache miss, returns the key for storing the response. For a response that is too
    /// large to store, the cache has only its entity tag: a request whose `If-None-Match` names that tag gets 304.
    async fn kept(
        &self,
        what: What,
        query: &str,
        request: Option<&HttpRequest>,
    ) -> Result<Result<Answer, Name>, ApiError> {
        let revision = self.content().revision_at(&self.caller, &self.space, &self.at).await?;
        let name = Name { space: self.space.clone(), at: self.at.clone(), revision, what, query: query.to_owned() };
        Ok(match self.api.revision_cache.find(&name) {
            Some(Kept::Whole(answer)) => Ok(answer),
            Some(Kept::Tag(tag)) if request.is_some_and(|request| has(request, &tag)) => Ok(Answer::unchanged(tag)),
            Some(Kept::Tag(_)) | None => Err(name),
        })
    }

    /// Stores a response under the revision that it was made from. The content may have changed since the key was made.
    fn keep(&self, name: Name, revision: RevisionId, answer: Answer) -> Answer {
        self.api.revision_cache.keep(Name { revision, ..name }, &answer);
        answer
    }

    pub(super) async fn pages(self, query: Query<ContentParams>, request: &HttpRequest) -> Answered {
        let name = match self.kept(What::Pages, query.as_sent(), Some(request)).await? {
            Ok(answer) => return Ok(answer),
            Err(name) => name,
        };
        self.at_length(move |reading| async move {
            let found = reading.content().pages(&reading.caller, &reading.space, &reading.at).await?;
            let answer = ok(&PageTree { pages: pages(&found.value, reading.view(query.read()?)) })?;
            Ok(reading.keep(name, found.revision.id, answer))
        })
        .await
    }

    pub(super) async fn files(self, query: Query<ContentParams>, paging: Paging) -> Answered {
        self.at_length(move |reading| async move {
            let Self { api, caller, space, at } = &reading;
            let found = reading.content().files(caller, space, at, paging.input()).await?;
            let (view, now) = (reading.view(query.read()?), api.services.clock.now());
            ok(&paging.list(found.value.as_ref(), |(id, entry)| file(id, entry, view, now)))
        })
        .await
    }

    pub(super) async fn file(self, id: &FileId, query: Query<ContentParams>) -> Answered {
        let found = self.content().file(&self.caller, &self.space, &self.at, id).await?;
        ok(&file(id, &found.value, self.view(query.read()?), self.api.services.clock.now()))
    }

    pub(super) async fn page(self, id: PageRef, text: Query<TextParams>, query: Query<ContentParams>) -> Answered {
        let name = match self.kept(What::Page(id.clone()), query.as_sent(), None).await? {
            Ok(answer) => return Ok(answer),
            Err(name) => name,
        };
        let present = move |reading: &Self, found: Revised<PageContent>| {
            let answer = ok(&page(&found.value.node, found.value.body.as_ref(), reading.view(query.read()?)))?;
            Ok(reading.keep(name, found.revision.id, answer))
        };
        let options = text.read();
        let wanted = options.clone();
        match self.small_page(&id, Input::new(move || wanted)).await? {
            Some(found) => present(&self, found),
            None => {
                self.at_length(move |reading| async move {
                    let Self { caller, space, at, .. } = &reading;
                    let found = reading.content().page(caller, space, at, &id, Input::new(move || options)).await?;
                    present(&reading, found)
                })
                .await
            }
        }
    }

    /// Reads a small page without the pool: most pages are read faster than they can be handed to another thread.
    async fn small_page(
        &self,
        id: &PageRef,
        options: Input<PageOptions>,
    ) -> Result<Option<Revised<PageContent>>, ApiError> {
        Ok(self.content().small_page(&self.caller, &self.space, &self.at, id, options).await?)
    }

    pub(super) async fn page_document(self, id: PageId, text: Query<TextParams>) -> Answered {
        let name = match self.kept(What::Text(id.clone()), text.as_sent(), None).await? {
            Ok(answer) => return Ok(answer),
            Err(name) => name,
        };
        self.at_length(move |reading| async move {
            let Self { caller, space, at, .. } = &reading;
            let found = reading.content().page_document(caller, space, at, &id, text.input()).await?;
            let answer = ok(&WireDocument(&found.value))?;
            Ok(reading.keep(name, found.revision.id, answer))
        })
        .await
    }

    pub(super) async fn meta_links(self, id: &PageId) -> Answered {
        ok(&self.content().meta_links(&self.caller, &self.space, &self.at, id).await?.value)
    }

    pub(super) async fn reusable_content(self, id: &ReusableContentId, query: Query<ContentParams>) -> Answered {
        let found = self.content().reusable_content(&self.caller, &self.space, &self.at, id).await?;
        ok(&reusable_content(id, &found.value, self.view(query.read()?)))
    }

    pub(super) async fn reusable_content_document(self, id: ReusableContentId, text: Query<TextParams>) -> Answered {
        self.at_length(move |reading| async move {
            let Self { caller, space, at, .. } = &reading;
            let content = reading.content();
            let found = content.reusable_content_document(caller, space, at, &id, text.input()).await?;
            ok(&WireDocument(&found.value))
        })
        .await
    }
}
