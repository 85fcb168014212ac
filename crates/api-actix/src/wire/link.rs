//! Links of content, and backlinks.
use super::change_request::{ChangeRequest, change_request};
use super::collection::{Collection, collection};
use super::openapi_spec::{OpenapiSpecResource, openapi_spec};
use super::organization::{Organization, organization};
use super::page::{Page, View, page};
use super::revision::{File, ReusableContent, file, reusable_content};
use super::space::{Space, space};
use super::user::{User, user};
use crate::answer::links::Place;
use crate::request::Wire;
use crate::request::paging::{List, Next};
use chrono::{DateTime, Utc};
use domain::access::Granted;
use domain::content::reference::ContentRef;
use domain::id::SpaceId;
use domain::text::Invalid;
use domain::usecases::ShownSpace;
use domain::usecases::change_requests::ShownChangeRequest;
use domain::usecases::content::{Found, LinkItem, LinkStatus, LinkTarget};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use utoipa::{IntoParams, ToSchema};

/// A target that pages link to.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Link<'a> {
    status: Status,
    relation: LinkRelation,
    /// The locations that link to it.
    location_references: Vec<ContentLocation<'a>>,
    /// The target; absent if it does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_reference: Option<ContentLocation<'a>>,
    /// Why blocks that show an OpenAPI spec are broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "the version does not have GET /pets")]
    reason: Option<String>,
}

/// Whether the target exists. `broken`: it is neither in the revision nor in the organization, or the caller may not
/// see it. `in-app`: it is a URL of this product.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = LinkStatus)]
pub(crate) enum Status {
    Ok,
    Broken,
    InApp,
}

/// `dependsOn` if a page cannot be shown without the target.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum LinkRelation {
    Reference,
    DependsOn,
}

/// The source or target of a link, with what contains it.
#[derive(Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum ContentLocation<'a> {
    /// A URL.
    Url { url: &'a str },
    /// A page, or a location in it.
    Page {
        #[schema(value_type = Organization)]
        organization: Rc<Organization>,
        #[schema(value_type = Space)]
        space: Rc<Space>,
        page: Page<'a>,
        #[serde(rename = "versionContext", skip_serializing_if = "Option::is_none")]
        version: Option<VersionContext>,
        #[serde(rename = "internalLocation", skip_serializing_if = "Option::is_none")]
        inside: Option<InternalLocation<'a>>,
    },
    /// A file.
    File {
        #[schema(value_type = Organization)]
        organization: Rc<Organization>,
        #[schema(value_type = Space)]
        space: Rc<Space>,
        file: File<'a>,
        #[serde(rename = "versionContext", skip_serializing_if = "Option::is_none")]
        version: Option<VersionContext>,
    },
    /// Reusable content.
    ReusableContent {
        #[schema(value_type = Organization)]
        organization: Rc<Organization>,
        #[schema(value_type = Space)]
        space: Rc<Space>,
        #[serde(rename = "reusableContent")]
        reusable_content: ReusableContent<'a>,
        #[serde(rename = "versionContext", skip_serializing_if = "Option::is_none")]
        version: Option<VersionContext>,
    },
    /// A space.
    Space {
        #[schema(value_type = Organization)]
        organization: Rc<Organization>,
        #[schema(value_type = Space)]
        space: Rc<Space>,
    },
    /// A collection.
    Collection {
        #[schema(value_type = Organization)]
        organization: Rc<Organization>,
        collection: Box<Collection>,
    },
    /// A member of the organization.
    User { user: User },
    /// An OpenAPI spec.
    Openapi {
        #[schema(value_type = Organization)]
        organization: Rc<Organization>,
        #[serde(rename = "openAPISpec")]
        openapi_spec: Box<OpenapiSpecResource>,
    },
}

pub(crate) type ContentLocationList<'a> = List<ContentLocation<'a>>;

/// The version of the content that has a location; absent for primary content.
#[derive(Clone, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum VersionContext {
    /// The content of a change request. The change request has no `description` here.
    ChangeRequest {
        #[serde(rename = "changeRequest")]
        #[schema(value_type = ChangeRequest)]
        change_request: Rc<ChangeRequest>,
    },
}

/// A location in a page.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum InternalLocation<'a> {
    /// A heading or block, by its anchor.
    Anchor { anchor: &'a str },
    /// A block, by its key.
    Node { node: &'a str },
}

/// A page of a list of links.
#[derive(Serialize, ToSchema)]
pub(crate) struct LinkList<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
    /// The number of items of the whole list.
    count: usize,
    items: Vec<Link<'a>>,
    stats: LinkStats,
}

/// Counts over the whole list.
#[derive(Serialize, ToSchema)]
pub(crate) struct LinkStats {
    total: usize,
    broken: BrokenLinks,
}

/// Counts of broken links.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrokenLinks {
    total: usize,
    /// In the content of a change request: those that are not broken in the primary content that it began with, or was
    /// last updated with.
    #[serde(skip_serializing_if = "Option::is_none")]
    change_request: Option<usize>,
}

/// Adds the counts to a page of a list of links.
pub(crate) fn link_list<'a>(
    list: List<Link<'a>, impl Iterator<Item = Link<'a>>>,
    stats: domain::usecases::content::LinkStats,
) -> LinkList<'a> {
    let (next, count, items) = list.into_parts();
    let broken = BrokenLinks { total: stats.broken, change_request: stats.broken_by_change_request };
    LinkList { next, count, items, stats: LinkStats { total: stats.total, broken } }
}

/// The context of all references in one list.
pub(crate) struct ReferenceContext<'a> {
    view: View<'a>,
    organization: Rc<Organization>,
    space: Rc<Space>,
    version: Option<VersionContext>,
    now: DateTime<Utc>,
}

impl<'a> ReferenceContext<'a> {
    /// Presents the organization, the space and the change request once for all references.
    pub(crate) fn new(
        granted: &Granted<domain::organization::Organization>,
        here: &Granted<domain::space::Space>,
        request: Option<&ShownChangeRequest>,
        view: View<'a>,
        now: DateTime<Utc>,
    ) -> Self {
        let organization = Rc::new(organization(granted.clone(), view.links));
        let space = Rc::new(space(ShownSpace::unpublished(here.clone()), view.links));
        let version = request.map(|request| {
            let mut shown = request.clone();
            // Every location has the change request, so a long description would multiply the size of a long list.
            shown.request.description = None;
            VersionContext::ChangeRequest { change_request: Rc::new(change_request(shown, view.links)) }
        });
        Self { organization, space, version, view, now }
    }

    pub(crate) fn place(&self, found: &'a Found) -> ContentLocation<'a> {
        ContentLocation::Page {
            organization: self.organization.clone(),
            space: self.space.clone(),
            page: page(&found.page, None, self.view),
            version: self.version.clone(),
            inside: Some(InternalLocation::Node { node: &found.key.0 }),
        }
    }

    pub(crate) fn link(&self, item: &'a LinkItem) -> Link<'a> {
        Link {
            status: match item.status {
                LinkStatus::Ok => Status::Ok,
                LinkStatus::Broken => Status::Broken,
                LinkStatus::InApp => Status::InApp,
            },
            relation: if item.depends_on { LinkRelation::DependsOn } else { LinkRelation::Reference },
            location_references: item.locations.iter().map(|found| self.place(found)).collect(),
            target_reference: item.target.as_ref().and_then(|target| self.target(target, &item.reference)),
            reason: item.reason.as_ref().map(ToString::to_string),
        }
    }

    fn target(&self, target: &'a LinkTarget, reference: &'a ContentRef) -> Option<ContentLocation<'a>> {
        let organization = self.organization.clone();
        Some(match (target, reference) {
            (LinkTarget::Url, ContentRef::Url { url }) => ContentLocation::Url { url },
            (LinkTarget::Page(node, other), _) => {
                let (space, version, view) = self.at(other.as_deref());
                let inside = match reference {
                    ContentRef::Anchor { anchor, .. } => Some(InternalLocation::Anchor { anchor }),
                    _ => None,
                };
                ContentLocation::Page { organization, space, page: page(node, None, view), version, inside }
            }
            (LinkTarget::File(entry, other), ContentRef::File { file: id, .. }) => {
                let (space, version, view) = self.at(other.as_deref());
                ContentLocation::File { organization, space, file: file(id, entry, view, self.now), version }
            }
            (LinkTarget::ReusableContent(content, other), ContentRef::ReusableContent { reusable_content: id, .. }) => {
                let (space, version, view) = self.at(other.as_deref());
                let reusable_content = reusable_content(id, content, view);
                ContentLocation::ReusableContent { organization, space, reusable_content, version }
            }
            (LinkTarget::Space(other), _) => ContentLocation::Space { organization, space: self.at(Some(other)).0 },
            (LinkTarget::Collection(found), _) => {
                let collection = Box::new(collection(Granted::clone(found), self.view.links));
                ContentLocation::Collection { organization, collection }
            }
            (LinkTarget::Openapi(found), _) => {
                let openapi_spec = Box::new(openapi_spec(Granted::clone(found), self.view.links));
                ContentLocation::Openapi { organization, openapi_spec }
            }
            (LinkTarget::User(found), _) => ContentLocation::User { user: user((**found).clone(), self.view.links) },
            (LinkTarget::Url | LinkTarget::File(..) | LinkTarget::ReusableContent(..), _) => return None,
        })
    }

    /// The space that contains a target: this one in its version, or the primary content of another space of the same
    /// organization.
    fn at(&self, other: Option<&'a Granted<domain::space::Space>>) -> (Rc<Space>, Option<VersionContext>, View<'a>) {
        match other {
            None => (self.space.clone(), self.version.clone(), self.view),
            Some(other) => {
                let id: &'a SpaceId = &other.id;
                let other = ShownSpace::unpublished(other.clone());
                (Rc::new(space(other, self.view.links)), None, View { space: id, place: Place::Primary, ..self.view })
            }
        }
    }
}

/// Filters of a list of links.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct LinkFilter {
    /// Only links with this status.
    #[param(inline)]
    status: Option<Status>,
}

impl Wire for LinkFilter {
    type Command = Option<LinkStatus>;

    fn command(self) -> Result<Option<LinkStatus>, Invalid> {
        Ok(self.status.map(|status| match status {
            Status::Ok => LinkStatus::Ok,
            Status::Broken => LinkStatus::Broken,
            Status::InApp => LinkStatus::InApp,
        }))
    }
}
