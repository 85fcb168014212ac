//! Resolves URLs of the application and of sites to objects.
use super::super::resolve::Resolved;
use super::Urls;
use crate::access::Granted;
use crate::actor::Actor;
use crate::change_request::ChangeRequestRef;
use crate::collection::Collection;
use crate::content::import::path::decode;
use crate::content::tree::Node;
use crate::id::{CollectionId, PageId, SpaceId};
use crate::usecases::change_requests::{ShownChangeRequest, show_one};
use crate::usecases::content::{At, LoadedRevision};
use crate::usecases::sites::start_page;
use crate::usecases::spaces::ShownSpace;
use crate::usecases::visiting::deny_visitors;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};
use url::Url;

/// The most redirects of a site that are followed.
const MAX_REDIRECTS: usize = 4;

/// The object that a URL resolves to.
#[derive(Clone, Debug)]
pub enum NamedContent {
    /// A collection.
    Collection(Granted<Collection>),
    /// A space, or a part of it.
    Space {
        /// The space.
        space: Box<ShownSpace>,
        /// The change request.
        change_request: Option<Box<ShownChangeRequest>>,
        /// The page.
        page: Option<NamedPage>,
    },
}

/// A page in a version of the content.
#[derive(Clone, Debug)]
pub struct NamedPage {
    /// The page and those below it.
    pub node: Box<Node>,
    /// The version.
    pub at: At,
    /// The first page of the space on the site.
    pub start: Option<PageId>,
}

/// The ids in a URL of the application.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Named {
    Collection(CollectionId),
    Space { space: SpaceId, at: At, page: Option<PageId> },
}

impl Urls {
    /// Resolves a URL of the application or of a published site, for a caller who may read the object.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such object or the caller may not read it; [`Error::Invalid`].
    pub async fn content(&self, actor: &Actor, url: Input<Url>) -> Result<NamedContent, Error> {
        deny_visitors(actor)?;
        let url = url.read()?;
        let named = match self.named(&url) {
            Some(named) => named,
            None => self.at_site(url).await?.ok_or_else(absent)?,
        };
        let mut work = self.sites.units.read(actor).await?;
        load(&mut work, named).await.map_err(|error| match error {
            Error::NotFound(_) | Error::Forbidden(_) => absent(),
            other => other,
        })
    }

    /// Parses a URL of the application.
    fn named(&self, url: &Url) -> Option<Named> {
        let rest = url.as_str().strip_prefix(&*self.public_url)?;
        let path = rest.split(['?', '#']).next()?.strip_prefix('/')?;
        let parts: Vec<String> = path.split('/').filter(|part| !part.is_empty()).map(decode).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let ["v1", kind, id, rest @ ..] = parts.as_slice() else { return None };
        match (*kind, rest) {
            ("collections", []) => Some(Named::Collection(id.parse().ok()?)),
            ("spaces", rest) => {
                let (at, rest) = match rest {
                    ["change-requests", which, rest @ ..] => (At::ChangeRequest(reference(which)?), rest),
                    ["revisions", revision, rest @ ..] => (At::Revision(revision.parse().ok()?), rest),
                    rest => (At::Primary, rest),
                };
                let rest = rest.strip_prefix(&["content"]).unwrap_or(rest);
                let page = match rest {
                    [] => None,
                    ["page", page] => Some(page.parse().ok()?),
                    _ => return None,
                };
                Some(Named::Space { space: id.parse().ok()?, at, page })
            }
            _ => None,
        }
    }

    /// The page at a URL of a published site, regardless of the site's audience.
    async fn at_site(&self, mut url: Url) -> Result<Option<Named>, Error> {
        for _ in 0..MAX_REDIRECTS {
            match self.sites.resolve(&url).await? {
                Resolved::Page(page) => {
                    return Ok(Some(Named::Space { space: page.space, at: At::Primary, page: Some(page.page) }));
                }
                Resolved::Redirect { url: next, .. } => {
                    let Ok(next) = Url::parse(&next) else { return Ok(None) };
                    url = next;
                }
                Resolved::Nothing | Resolved::UnknownHost => return Ok(None),
            }
        }
        Ok(None)
    }
}

fn absent() -> Error {
    Error::NotFound("content")
}

fn reference(raw: &str) -> Option<ChangeRequestRef> {
    match raw.parse() {
        Ok(number) => Some(ChangeRequestRef::Number(number)),
        Err(_) => raw.parse().ok().map(ChangeRequestRef::Id),
    }
}

async fn load(work: &mut Work<'_>, named: Named) -> Result<NamedContent, Error> {
    let (id, at, page) = match named {
        Named::Collection(id) => return Ok(NamedContent::Collection(work.collection(&id, |may| may.view).await?)),
        Named::Space { space, at, page } => (space, at, page),
    };
    let space = work.space(&id, |may| may.view).await?;
    let space = work.shown_space(space).await?;
    let change_request = match &at {
        At::ChangeRequest(which) => {
            let found = work.change_requests().find(&id, which).await?.ok_or_else(absent)?;
            let shown = show_one(work, &space.organization, found, space.revision.clone()).await?;
            Some(Box::new(shown))
        }
        At::Primary | At::Revision(_) => None,
    };
    let page = match page {
        None => None,
        Some(page) => {
            let mut opened = LoadedRevision::find(work, &id, &at).await?;
            let node = opened.read(work, |snapshot, objects| snapshot.subtree(objects, &page)).await?;
            let start = match &space.published {
                Some(published) => {
                    opened.read(work, |snapshot, objects| start_page(snapshot, objects, published.start())).await?
                }
                None => None,
            };
            Some(NamedPage { node: Box::new(node.ok_or_else(absent)?), at, start })
        }
    };
    Ok(NamedContent::Space { space: Box::new(space), change_request, page })
}
