//! Redirects of sites.
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use crate::wire::{given, schemas};
use chrono::{DateTime, Utc};
use domain::id::InvalidId;
use domain::patch::Patch;
use domain::site::redirect::{RedirectDestination, RedirectFilter, RedirectOrder, RedirectSource, SiteRedirect};
use domain::site::share_link::ShareKey;
use domain::text::{Invalid, Rule};
use domain::usecases::sites::redirects::{
    NewDestination, NewRedirect, RedirectChange, RedirectItem, RedirectPatch, RedirectResult, RedirectResultStatus,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The most changes in one request.
const MAX_CHANGES: usize = 500;

/// The destination of a redirect.
#[derive(Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schema(as = SiteRedirectDestination)]
pub(crate) enum Destination {
    /// A section of the site.
    #[serde(rename_all = "camelCase")]
    SiteSection { site_section_id: String },
    /// A space on the site.
    #[serde(rename_all = "camelCase")]
    SiteSpace { site_space_id: String },
    /// A page of a space on the site, wherever it is moved.
    #[serde(rename_all = "camelCase")]
    SitePage { site_space_id: String, page_id: String },
    /// A URL.
    External { url: String },
}

/// A redirect of a site: from a path that no page has.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SiteRedirect)]
pub(crate) struct Redirect {
    /// `site-redirect`.
    object: &'static str,
    id: String,
    /// The path on the site. With `*` at its end, all paths that begin so.
    #[schema(max_length = 512)]
    source: String,
    destination: Destination,
    /// Whether the part of the path that `*` matches is appended to the destination.
    capture_wildcard: bool,
    /// Whether clients may cache it: 308 instead of 307, on a public site.
    permanent: bool,
    /// A draft has no effect.
    draft: bool,
    created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<DateTime<Utc>>,
}

pub(crate) type RedirectList = List<Redirect>;

pub(crate) fn redirect(redirect: SiteRedirect, _: &Links) -> Redirect {
    let destination = match redirect.destination {
        RedirectDestination::SiteSection { site_section_id } => {
            Destination::SiteSection { site_section_id: site_section_id.into() }
        }
        RedirectDestination::SiteSpace { site_space_id } => {
            Destination::SiteSpace { site_space_id: site_space_id.into() }
        }
        RedirectDestination::SitePage { site_space_id, page_id } => {
            Destination::SitePage { site_space_id: site_space_id.into(), page_id: page_id.into() }
        }
        RedirectDestination::External { url } => Destination::External { url: url.into() },
    };
    Redirect {
        object: "site-redirect",
        id: redirect.id.into(),
        source: redirect.source.into(),
        destination,
        capture_wildcard: redirect.capture_wildcard,
        permanent: redirect.permanent,
        draft: redirect.draft,
        created_at: redirect.created_at,
        updated_at: redirect.updated_at,
    }
}

/// The redirect for a path, and where it leads now.
#[derive(Serialize, ToSchema)]
#[schema(as = ResolvedSiteRedirect)]
pub(crate) struct ResolvedRedirect {
    redirect: Redirect,
    /// The URL that a client is redirected to.
    target: String,
}

pub(crate) fn resolved((found, target): (SiteRedirect, String), links: &Links) -> ResolvedRedirect {
    ResolvedRedirect { redirect: redirect(found, links), target }
}

/// The path whose redirect to find.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct RedirectParams {
    /// A path on the site, such as `/old/page`.
    source: String,
    /// The key of a share link of the site. A target on the site then leads through the link.
    share_key: Option<String>,
}

impl Wire for RedirectParams {
    type Command = (String, Option<ShareKey>);

    fn command(self) -> Result<Self::Command, Invalid> {
        Ok((self.source, self.share_key.as_deref().map(ShareKey::presented)))
    }
}

/// Filters of the list of redirects.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct ListRedirects {
    /// Only redirects whose source contains this text; case does not matter.
    search: Option<String>,
    /// Drafts, instead of redirects that have an effect.
    draft: Option<bool>,
    /// The order: by creation (the default) or by the last change, newest first, or by source.
    #[param(inline, value_type = Option<schemas::SiteRedirectOrder>)]
    order_by: Option<RedirectOrder>,
}

impl Wire for ListRedirects {
    type Command = RedirectFilter;

    fn command(self) -> Result<RedirectFilter, Invalid> {
        let order_by = self.order_by.unwrap_or_default();
        Ok(RedirectFilter { search: self.search, draft: self.draft.unwrap_or(false), order_by })
    }
}

/// The destination to set for a redirect.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schema(as = SiteRedirectDestinationInput)]
pub(crate) enum DestinationInput {
    /// A section of the site.
    #[serde(rename_all = "camelCase")]
    SiteSection { site_section_id: String },
    /// A space on the site.
    #[serde(rename_all = "camelCase")]
    SiteSpace { site_space_id: String },
    /// A page of a space on the site, wherever it is moved.
    #[serde(rename_all = "camelCase")]
    SitePage { site_space_id: String, page_id: String },
    /// A URL of at most 2048 characters.
    External { url: String },
    /// The page that is now at a path of a space on the site.
    #[serde(rename_all = "camelCase")]
    Path { space_id: String, path: String },
}

impl TryFrom<DestinationInput> for NewDestination {
    type Error = Invalid;

    fn try_from(sent: DestinationInput) -> Result<Self, Invalid> {
        Ok(Self::At(match sent {
            DestinationInput::SiteSection { site_section_id } => {
                RedirectDestination::SiteSection { site_section_id: id("siteSectionId", site_section_id)? }
            }
            DestinationInput::SiteSpace { site_space_id } => {
                RedirectDestination::SiteSpace { site_space_id: id("siteSpaceId", site_space_id)? }
            }
            DestinationInput::SitePage { site_space_id, page_id } => RedirectDestination::SitePage {
                site_space_id: id("siteSpaceId", site_space_id)?,
                page_id: id("pageId", page_id)?,
            },
            DestinationInput::External { url } => {
                RedirectDestination::External { url: url.parse().map_err(|rule: Rule| rule.of("destination.url"))? }
            }
            DestinationInput::Path { space_id, path } => {
                return Ok(Self::Path { space: id("spaceId", space_id)?, path });
            }
        }))
    }
}

/// Parses an id of a destination.
fn id<T: TryFrom<String, Error = InvalidId>>(field: &str, raw: String) -> Result<T, Invalid> {
    raw.try_into().map_err(|error: InvalidId| Invalid::new(format!("destination.{field}"), error.to_string()))
}

/// A redirect to add to a site.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreateSiteRedirect)]
pub(crate) struct CreateRedirect {
    /// A path such as `/old/page`, `/old/*` or `/old*`, with other characters than `A-Z`, `a-z`, `0-9`, `-`, `.`, `_`,
    /// `~` and `+` percent-encoded.
    #[schema(value_type = String, max_length = 512)]
    source: RedirectSource,
    destination: DestinationInput,
    #[serde(default)]
    capture_wildcard: bool,
    #[serde(default)]
    permanent: bool,
    #[serde(default)]
    draft: bool,
}

impl Wire for CreateRedirect {
    type Command = NewRedirect;

    fn command(self) -> Result<NewRedirect, Invalid> {
        let Self { source, destination, capture_wildcard, permanent, draft } = self;
        Ok(NewRedirect { source, destination: destination.try_into()?, capture_wildcard, permanent, draft })
    }
}

/// Changes to a redirect.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UpdateSiteRedirect)]
pub(crate) struct UpdateRedirect {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, max_length = 512)]
    source: Option<RedirectSource>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = DestinationInput)]
    destination: Option<DestinationInput>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    capture_wildcard: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    permanent: Option<bool>,
    /// `false` makes a draft take effect.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    draft: Option<bool>,
}

impl Wire for UpdateRedirect {
    type Command = RedirectPatch;

    fn command(self) -> Result<RedirectPatch, Invalid> {
        let Self { source, destination, capture_wildcard, permanent, draft } = self;
        let destination = destination.map(NewDestination::try_from).transpose()?;
        Ok(RedirectPatch { source, destination, capture_wildcard, permanent, draft })
    }
}

/// The redirect that a change applies to: the live one or the draft.
#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = SiteRedirectIntent)]
pub(crate) enum Intent {
    /// The redirect in force.
    #[default]
    Live,
    /// A draft.
    Draft,
    /// Publishes the draft with this source.
    Publish,
}

/// A change to the redirect with a source.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PutSiteRedirect)]
pub(crate) struct PutRedirect {
    /// A source, with the rules of a single redirect. An invalid source or destination is an error in the results, and
    /// does not stop other changes.
    source: String,
    #[serde(default)]
    intent: Intent,
    /// `null` deletes the redirect. Required for a new one.
    #[serde(default)]
    #[schema(value_type = Option<DestinationInput>)]
    destination: Patch<DestinationInput>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    capture_wildcard: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    permanent: Option<bool>,
}

impl From<PutRedirect> for RedirectItem {
    fn from(sent: PutRedirect) -> Self {
        let PutRedirect { source, intent, destination, capture_wildcard, permanent } = sent;
        let patch = RedirectPatch { capture_wildcard, permanent, ..RedirectPatch::default() };
        let change = change(&source, intent, destination, patch);
        Self { source, draft: intent == Intent::Draft, change }
    }
}

/// The change of an item; `patch` has its other fields.
fn change(
    source: &str,
    intent: Intent,
    destination: Patch<DestinationInput>,
    patch: RedirectPatch,
) -> Result<RedirectChange, Invalid> {
    let source = source.parse().map_err(|rule: Rule| rule.of("source"))?;
    Ok(match (intent, destination) {
        (Intent::Publish, _) => RedirectChange::Publish(source),
        (_, Patch::Clear) => RedirectChange::Delete(source),
        (_, Patch::Keep) => RedirectChange::Put(source, patch),
        (_, Patch::Set(destination)) => {
            RedirectChange::Put(source, RedirectPatch { destination: Some(destination.try_into()?), ..patch })
        }
    })
}

/// Many changes to the redirects of a site, each on its own.
#[derive(Deserialize, ToSchema)]
#[schema(as = PutSiteRedirects)]
pub(crate) struct PutRedirects {
    #[schema(min_items = 1, max_items = 500)]
    redirects: Vec<PutRedirect>,
}

impl Wire for PutRedirects {
    type Command = Vec<RedirectItem>;

    fn command(self) -> Result<Vec<RedirectItem>, Invalid> {
        if !(1..=MAX_CHANGES).contains(&self.redirects.len()) {
            return Err(Invalid::new("redirects", format!("must have 1 to {MAX_CHANGES} items")));
        }
        Ok(self.redirects.into_iter().map(Into::into).collect())
    }
}

/// The result of one change.
#[derive(Serialize, ToSchema)]
#[schema(as = SiteRedirectResult)]
pub(crate) struct PutResult {
    #[schema(value_type = schemas::SiteRedirectResultStatus)]
    status: RedirectResultStatus,
    /// As it was sent.
    source: String,
    draft: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Why nothing was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The results of many changes, in their order.
#[derive(Serialize, ToSchema)]
#[schema(as = SiteRedirectResults)]
pub(crate) struct PutResults {
    results: Vec<PutResult>,
}

pub(crate) fn results(all: Vec<RedirectResult>) -> PutResults {
    let result = |RedirectResult { status, source, draft, id, error }: RedirectResult| PutResult {
        status,
        source,
        draft,
        id: id.map(String::from),
        error,
    };
    PutResults { results: all.into_iter().map(result).collect() }
}
