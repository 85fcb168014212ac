//! Reading content at any revision: the code shared by the operations on primary content, change requests and
//! revisions.
mod contents;

use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::links::Place;
use crate::answer::{Answer, Answered, ok, ok_with};
use crate::request::Query;
use crate::request::paging::Paging;
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::state::revision_cache::{CachedAnswer, Name, VersionKey, What};
use crate::wire::content::{ContentParams, TextParams};
use crate::wire::link::{LinkFilter, ReferenceContext, link_list};
use crate::wire::page::{PageTree as Pages, View, page, pages};
use crate::wire::revision::{file, reusable_content};
use actix_web::HttpRequest;
use actix_web::web::Data;
use chrono::{DateTime, Utc};
use domain::content::document::wire::WireDocument;
use domain::id::{FileId, PageId, ReusableContentId, RevisionId, SpaceId};
use domain::site::publication::SpacePublication;
use domain::usecases::Input;
use domain::usecases::content::{
    At, Backlinks, Body, LinkQuery, Links, PageContent, PageReader, PageRef, PageTree, Reader, Version,
};
use http_server::client_has;

/// A read of content: the caller, the space and the version to read.
#[derive(Clone)]
pub(super) struct Reading {
    api: Data<Api>,
    caller: Caller,
    space: SpaceId,
    at: At,
}

/// A response that only depends on a revision.
enum Cached<'a> {
    Answer(Answer),
    /// Not cached: its key, its entity tag if it was only too large to store, and what to build it from.
    Absent(Name, Option<String>, Source<'a>),
}

/// A version that the caller may read.
enum Source<'a> {
    /// It was loaded before, and nothing was committed since.
    Known(Version),
    /// Access was checked now.
    Found(Box<Reader<'a>>),
}

impl Source<'_> {
    fn revision_id(&self) -> &RevisionId {
        match self {
            Self::Known(version) => version.revision_id(),
            Self::Found(reader) => reader.revision_id(),
        }
    }

    /// Where the pages of the version are published.
    fn published(&self) -> Option<&SpacePublication> {
        match self {
            Self::Known(version) => version.published(),
            Self::Found(reader) => reader.publication(),
        }
    }
}

impl Reading {
    pub(super) fn new(api: &Data<Api>, caller: &Caller, space: &SpaceId, at: At) -> Self {
        Self { api: api.clone(), caller: caller.clone(), space: space.clone(), at }
    }

    /// Opens the version. A unit of work is open until the reader is dropped, so no reader waits for the pool for long
    /// work.
    async fn open(&self) -> Result<Reader<'_>, ApiError> {
        Ok(self.api.services.content.open(&self.caller, &self.space, &self.at).await?)
    }

    fn now(&self) -> DateTime<Utc> {
        self.api.services.clock.now()
    }

    fn view(&self, metadata: bool) -> View<'_> {
        let place = match &self.at {
            At::Primary => Place::Primary,
            At::Revision(revision) => Place::Revision(revision),
            At::ChangeRequest(which) => Place::ChangeRequest(which),
        };
        // Only members see the source of content.
        let metadata = metadata && self.caller.visitor().is_none();
        View { metadata, ..View::new(&self.api.links, &self.space, place) }
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
            let wanted = paging.clone();
            let query = Input::new(move || Ok(LinkQuery { status: filter.read()?, page: wanted.request()? }));
            let found = reading.open().await?.links(page.as_ref(), query).await?;
            let Links { organization, change_request, page, stats } = &found.value;
            let (view, now) = (reading.view(true), reading.now());
            let around = ReferenceContext::new(organization, &found.space, change_request.as_ref(), view, now);
            ok(&link_list(paging.list(page.as_ref(), |item| around.link(item)), *stats))
        })
        .await
    }

    pub(super) async fn file_backlinks(self, file: FileId, paging: Paging) -> Answered {
        self.at_length(move |reading| async move {
            let found = reading.open().await?.file_backlinks(&file, paging.input()).await?;
            let Backlinks { organization, change_request, page } = &found.value;
            let (view, now) = (reading.view(true), reading.now());
            let around = ReferenceContext::new(organization, &found.space, change_request.as_ref(), view, now);
            ok(&paging.list(page.as_ref(), |found| around.place(found)))
        })
        .await
    }

    /// Finds the cached response. It is the same for every caller who may read the space, and for all visitors of a
    /// site with the same claims.
    ///
    /// Without a commit since the caller last read this version, access and revision are unchanged, so no query is
    /// needed.
    async fn find(&self, what: What, query: &str) -> Result<Cached<'_>, ApiError> {
        let source = match self.known() {
            Some(version) => Source::Known(version),
            None => Source::Found(Box::new(self.open().await?.published().await?)),
        };
        // The text of a page has no address of its own.
        let published = source.published().filter(|_| !matches!(what, What::Text(_)));
        let name = self.name(what, source.revision_id(), published, query);
        Ok(match self.api.revision_cache.find(&name) {
            Some(CachedAnswer::Whole(answer)) => Cached::Answer(answer),
            Some(CachedAnswer::Tag(tag)) => Cached::Absent(name, Some(tag), source),
            None => Cached::Absent(name, None, source),
        })
    }

    /// The key of a response in the revision cache.
    fn name(&self, what: What, revision: &RevisionId, published: Option<&SpacePublication>, query: &str) -> Name {
        let visit = self.caller.visitor().map(|visitor| visitor.visit.fingerprint());
        let (space, at, revision) = (self.space.clone(), self.at.clone(), revision.clone());
        let published = published.map(SpacePublication::fingerprint);
        Name { space, at, revision, what, published, query: query.to_owned(), visit }
    }

    fn version_key(&self) -> VersionKey {
        (self.caller.owner(), self.space.clone(), self.at.clone())
    }

    /// The version, if it was loaded before for the caller and nothing was committed since.
    fn known(&self) -> Option<Version> {
        self.caller.as_of.and_then(|now| self.api.version_cache.find(&self.version_key(), now))
    }

    /// Stores a version that was loaded for the caller.
    fn know(&self, version: &Version) {
        if let Some(as_of) = self.caller.as_of {
            self.api.version_cache.store(self.version_key(), as_of, version.clone());
        }
    }

    async fn reader<'a>(&'a self, source: Source<'a>) -> Result<PageReader<'a>, ApiError> {
        match source {
            Source::Known(version) => Ok(self.api.services.content.reopen(&self.caller, version).await?),
            Source::Found(reader) => {
                let pages = reader.pages().await?;
                self.know(pages.version());
                Ok(pages)
            }
        }
    }

    /// Stores a response.
    fn store(&self, name: Name, answer: Answered) -> Answered {
        let answer = answer?;
        self.api.revision_cache.store(name, &answer);
        Ok(answer)
    }

    pub(super) async fn pages(self, query: Query<ContentParams>, request: &HttpRequest) -> Answered {
        match self.find(What::Pages, query.as_sent()).await? {
            Cached::Answer(answer) => return Ok(answer),
            Cached::Absent(_, Some(tag), _) if client_has(request.head(), &tag) => return Ok(Answer::unchanged(tag)),
            Cached::Absent(..) => {}
        }
        self.at_length(move |reading| async move {
            match reading.find(What::Pages, query.as_sent()).await? {
                Cached::Answer(answer) => Ok(answer),
                Cached::Absent(name, _, source) => {
                    let mut reader = reading.reader(source).await?;
                    let (version, start) = (reader.version().clone(), reader.start().await?);
                    let shown = query.read()?;
                    let PageTree { tree, is_lasting } = reader.tree(shown.computed).await?;
                    let at = version.published().and_then(|at| reading.api.links.published_pages(at, start));
                    let view = View { published: at.as_ref(), ..reading.view(shown.metadata) };
                    let answer = ok(&Pages { pages: pages(&tree, view) });
                    if is_lasting { reading.store(name, answer) } else { answer }
                }
            }
        })
        .await
    }

    pub(super) async fn files(self, query: Query<ContentParams>, paging: Paging) -> Answered {
        self.at_length(move |reading| async move {
            let found = reading.open().await?.files(paging.input()).await?;
            let (view, now) = (reading.view(query.read()?.metadata), reading.now());
            ok(&paging.list(found.value.as_ref(), |(id, entry)| file(id, entry, view, now)))
        })
        .await
    }

    pub(super) async fn file(self, id: &FileId, query: Query<ContentParams>) -> Answered {
        let found = self.open().await?.file(id).await?;
        ok(&file(id, &found.value, self.view(query.read()?.metadata), self.now()))
    }

    pub(super) async fn page(self, id: PageRef, text: Query<TextParams>, query: Query<ContentParams>) -> Answered {
        let (name, mut reader) = match self.find(What::Page(id.clone()), query.as_sent()).await? {
            Cached::Answer(answer) => return Ok(answer),
            Cached::Absent(name, _, source) => (name, self.reader(source).await?),
        };
        let computed = query.read()?.computed;
        let options = text.read();
        let wanted = options.clone();
        let (version, start) = (reader.version().clone(), reader.start().await?);
        // Reading most pages takes less time than passing the work to another thread.
        if let Some(found) = reader.small_page(&id, computed, Input::new(move || wanted)).await? {
            return self.present_page(name, &found, &query, (&version, start));
        }
        self.at_length(move |reading| async move {
            match reading.find(What::Page(id.clone()), query.as_sent()).await? {
                Cached::Answer(answer) => Ok(answer),
                Cached::Absent(name, _, source) => {
                    let mut reader = reading.reader(source).await?;
                    let (version, start) = (reader.version().clone(), reader.start().await?);
                    let found = reader.page(&id, computed, Input::new(move || options)).await?;
                    reading.present_page(name, &found, &query, (&version, start))
                }
            }
        })
        .await
    }

    /// Presents a page of a version of a space that starts with the page `start`.
    fn present_page(
        &self,
        name: Name,
        found: &PageContent,
        query: &Query<ContentParams>,
        (version, start): (&Version, Option<PageId>),
    ) -> Answered {
        let at = version.published().and_then(|at| self.api.links.published_pages(at, start));
        let view = View { published: at.as_ref(), ..self.view(query.read()?.metadata) };
        let shown = page(&found.node, found.body.as_ref(), view);
        let answer = match &found.body {
            Some(Body::Stored(text)) => ok_with(&shown, "document", |out| text.write(out)),
            _ => ok(&shown),
        };
        if found.is_lasting { self.store(name, answer) } else { answer }
    }

    pub(super) async fn page_document(self, id: PageId, text: Query<TextParams>) -> Answered {
        if let Cached::Answer(answer) = self.find(What::Text(id.clone()), text.as_sent()).await? {
            return Ok(answer);
        }
        self.at_length(move |reading| async move {
            match reading.find(What::Text(id.clone()), text.as_sent()).await? {
                Cached::Answer(answer) => Ok(answer),
                Cached::Absent(name, _, source) => {
                    let (document, is_lasting) = reading.reader(source).await?.document(&id, text.input()).await?;
                    let answer = ok(&WireDocument(&document));
                    if is_lasting { reading.store(name, answer) } else { answer }
                }
            }
        })
        .await
    }

    pub(super) async fn meta_links(self, id: &PageId) -> Answered {
        ok(&self.open().await?.meta_links(id).await?.value)
    }

    pub(super) async fn reusable_content(self, id: &ReusableContentId, query: Query<ContentParams>) -> Answered {
        let found = self.open().await?.reusable_content(id).await?;
        ok(&reusable_content(id, &found.value, self.view(query.read()?.metadata)))
    }

    pub(super) async fn reusable_content_document(self, id: ReusableContentId, text: Query<TextParams>) -> Answered {
        self.at_length(move |reading| async move {
            let found = reading.open().await?.reusable_content_document(&id, text.input()).await?;
            ok(&WireDocument(&found.value))
        })
        .await
    }
}
