//! Resolves a URL of a site to the content that a visitor gets.
use super::super::admission::{Admitted, EntryOutcome, VisitorRequest};
use super::super::resolve::{PathTarget, Seen};
use super::Urls;
use crate::actor::Actor;
use crate::content::import::path::encode;
use crate::id::{ChangeRequestId, OrganizationId, RevisionId, SiteId, SiteSectionId, SiteSpaceId, SpaceId};
use crate::site::audience::SiteVisit;
use crate::site::publishing_auth::PublishingAuth;
use crate::site::redirect::{below, with_query};
use crate::site::resolve::{Spot, View};
use crate::site::site_token::{VisitedPlace, VisitorKind};
use crate::site::visitor_query::{PREVIEW_TOKEN, VISITOR_TOKEN, claims, parameter, return_path, without_visitor};
use crate::usecases::visiting::deny_visitors;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};
use crate::words;
use serde_json::{Map, Value};
use url::Url;

/// The query parameter of the sign-in page for the path to return to.
const LOCATION: &str = "location";

/// A URL and its visitor.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedQuery {
    /// The address.
    pub url: Url,
    /// Whether a visitor who must sign in is redirected to the sign-in page.
    pub redirect_on_error: bool,
    /// The kind of visitor.
    pub kind: VisitorKind,
    /// The visitor token; the one in the address if absent.
    pub token: Option<String>,
    /// The unsigned claims of the visitor; if empty, those in the address.
    pub unsigned: Map<String, Value>,
}

words! {
    /// The kind of a redirect's target.
    pub enum RedirectTarget {
        /// The application.
        Application = "application",
        /// Other content of a site.
        Content = "content",
        /// An address outside this server.
        External = "external",
    }
}

/// What a visitor finds at an address.
#[derive(Clone, Debug, PartialEq)]
pub enum PublishedUrl {
    /// A redirect to another address.
    Redirect {
        /// The kind of the target.
        target: RedirectTarget,
        /// The address.
        url: String,
        /// The site that redirects.
        site: SiteId,
    },
    /// Content.
    Content(Box<PublishedContent>),
}

/// The content at an address.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedContent {
    /// The organization that owns the site.
    pub organization: OrganizationId,
    /// The site.
    pub site: SiteId,
    /// The section; absent on a site without sections.
    pub section: Option<SiteSectionId>,
    /// The space on the site.
    pub site_space: SiteSpaceId,
    /// The space.
    pub space: SpaceId,
    /// The change request, in the preview of one.
    pub change_request: Option<ChangeRequestId>,
    /// The revision that is shown: that of the preview, otherwise that of the primary content.
    pub revision: RevisionId,
    /// The path below the address of the space on the site, with a slash at its start.
    pub pathname: String,
    /// The path of the address of the space on the site, with a slash at both ends.
    pub base_path: String,
    /// The path of the address of the site, with a slash at both ends.
    pub site_base_path: String,
    /// The content token for what the visitor sees.
    pub api_token: String,
    /// The key of the share link in the address.
    pub share_key: Option<String>,
    /// Whether all addresses below this one belong to the same space on the site.
    pub complete: bool,
    /// A hash of the claims of the visitor; absent without claims.
    pub context_id: Option<String>,
    /// The canonical address of the page, the same for all visitors.
    pub canonical_url: String,
    /// Whether it is a preview.
    pub preview: bool,
}

impl Urls {
    /// What a visitor finds at an address. The caller may be any user; access depends only on the audience of the site.
    ///
    /// # Errors
    /// [`Error::Invalid`]; [`Error::Forbidden`] for callers with a content token; [`Error::NotFound`] if the site is
    /// unknown or unpublished, if the visitor may not see it, and if a condition hides the content.
    pub async fn published(&self, actor: &Actor, query: Input<PublishedQuery>) -> Result<PublishedUrl, Error> {
        deny_visitors(actor)?;
        let query = query.read()?;
        let url = &query.url;
        let (token, preview) = (parameter(url, VISITOR_TOKEN), parameter(url, PREVIEW_TOKEN));
        let stated = claims(url).filter(|_| query.unsigned.is_empty());
        let request = VisitorRequest {
            url,
            kind: query.kind,
            share_key: None,
            token: query.token.as_deref().or(token.as_deref()),
            preview: preview.as_deref(),
            unsigned: stated.as_ref().unwrap_or(&query.unsigned),
        };
        let operator = Actor::Operator;
        let mut work = self.sites.units.read(&operator).await?;
        match self.sites.enter(&mut work, &request, None).await? {
            EntryOutcome::Site(admitted) => self.find_at(&mut work, *admitted, url).await,
            EntryOutcome::Redirect { site, url, .. } => {
                Ok(PublishedUrl::Redirect { target: RedirectTarget::Content, url, site })
            }
            EntryOutcome::SignIn { site, auth, path, .. } => sign_in(&site, auth, &path, &query),
            EntryOutcome::Nothing => Err(absent()),
        }
    }

    /// The result for a visitor who may see the site.
    async fn find_at(&self, work: &mut Work<'_>, admitted: Admitted<'_>, url: &Url) -> Result<PublishedUrl, Error> {
        let Admitted { site, addressed, visit, path, .. } = &admitted;
        let seen = Seen::of(visit, addressed);
        let view = addressed.view();
        let redirect = |target, url: Url| PublishedUrl::Redirect { target, url: url.into(), site: site.id.clone() };
        // A redirect within the site keeps the preview.
        let base = format!("{}{}", admitted.base, admitted.prefix);
        let here = |to: Url| redirect(RedirectTarget::Content, with_query(to, url.query()));
        match addressed.paths(&mut addressed.contents(), Some(&seen)).resolve(work, path).await? {
            PathTarget::Page(page, address) => {
                let spot = view.spot(&page.site_space).ok_or_else(absent)?;
                let at_start = address == view.address(spot, "");
                let page_path = if at_start { "" } else { page.path.as_str() };
                self.content_for(work, &admitted, &seen, (spot, page_path), &address).await
            }
            PathTarget::Moved(to) => {
                Ok(here(Url::parse(&format!("{base}{}", encode(&to))).map_err(|_no_address| absent())?))
            }
            PathTarget::Redirect { url: to, .. } => match addressed.within(&to) {
                Some(path) => Ok(here(below(&base, &path, &to).ok_or_else(absent)?)),
                None => {
                    let query = without_visitor(url);
                    Ok(redirect(RedirectTarget::External, with_query(to, query.as_deref())))
                }
            },
            PathTarget::Nothing => {
                // A space without a page has an address too.
                let spot = seen.start_at(&view, path).ok_or_else(absent)?;
                self.content_for(work, &admitted, &seen, (spot, ""), &view.address(spot, "")).await
            }
        }
    }

    async fn content_for(
        &self,
        work: &mut Work<'_>,
        admitted: &Admitted<'_>,
        seen: &Seen<'_>,
        (spot, page): (Spot, &str),
        address: &str,
    ) -> Result<PublishedUrl, Error> {
        let Admitted { site, addressed, audience, visit, base, .. } = admitted;
        let view = addressed.view();
        let (section, variant) = view.at(spot).ok_or_else(absent)?;
        let (_, site_space) = addressed.structure.space(variant.id).ok_or_else(absent)?;
        let space = work.space(&site_space.space, |may| may.read).await?;
        let place = VisitedPlace {
            organization: site.organization.clone(),
            site_section: section.id.cloned(),
            site_space: variant.id.clone(),
            space: space.id.clone(),
            spaces: seen.structure.space_ids(),
        };
        let path_of = |address: &str| {
            let path = Url::parse(address).map(|url| url.path().trim_end_matches('/').to_owned()).unwrap_or_default();
            format!("{path}/")
        };
        let canonical = addressed.base();
        let version = addressed.version.as_ref().filter(|version| version.space == space.id);
        let start = view.address(spot, "");
        Ok(PublishedUrl::Content(Box::new(PublishedContent {
            organization: place.organization.clone(),
            site: site.id.clone(),
            section: place.site_section.clone(),
            site_space: place.site_space.clone(),
            space: space.id.clone(),
            change_request: version.and_then(|version| Some(version.change_request.as_ref()?.id.clone())),
            revision: version.map_or(&space.revision, |version| &version.revision).clone(),
            pathname: format!("/{page}"),
            base_path: path_of(&base.at(&start)),
            site_base_path: path_of(base.as_str()),
            complete: !page.is_empty() || !others_below(&view, spot, &start),
            api_token: visit.content_token(place, &audience.key, work.now()),
            share_key: admitted.share_key.clone(),
            context_id: context(visit),
            canonical_url: canonical.at(address),
            preview: visit.is_preview(),
        })))
    }
}

/// Redirects a visitor to the sign-in page, if the site has one.
fn sign_in(site: &SiteId, auth: PublishingAuth, path: &str, query: &PublishedQuery) -> Result<PublishedUrl, Error> {
    let fallback = auth.fallback_url.filter(|_| query.redirect_on_error).ok_or_else(absent)?;
    let mut to = Url::parse(fallback.as_str()).map_err(|_no_address| absent())?;
    to.query_pairs_mut().append_pair(LOCATION, &return_path(path, &query.url));
    Ok(PublishedUrl::Redirect { target: RedirectTarget::External, url: to.into(), site: site.clone() })
}

fn absent() -> Error {
    Error::NotFound("published content")
}

/// Whether another space on the site has an address below this one.
fn others_below(view: &View<'_>, spot: Spot, start: &str) -> bool {
    let spots = view
        .sections
        .iter()
        .enumerate()
        .flat_map(|(section, one)| (0..one.variants.len()).map(move |variant| Spot { section, variant }));
    let below = |other: Spot| {
        let address = view.address(other, "");
        start.is_empty() || address.strip_prefix(start).is_some_and(|rest| rest.starts_with('/'))
    };
    spots.into_iter().any(|other| other != spot && below(other))
}

/// A hash of the visitor's claims; absent without claims.
fn context(visit: &SiteVisit) -> Option<String> {
    let name = blake3::Hash::from(visit.fingerprint()).to_hex().chars().take(32).collect();
    (!visit.claims().is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::path::Reserved;
    use crate::site::resolve::VariantView;

    #[test]
    fn the_address_of_a_site_with_variants_is_not_complete() {
        let ids = ["a", "b"].map(|id| id.parse::<SiteSpaceId>().unwrap());
        let variant = |at: usize| {
            let (path, default) = (ids[at].as_str(), at == 0);
            VariantView { id: &ids[at], path, former: vec![], default, was_default: false }
        };
        let spot = |variant| Spot { section: 0, variant };
        let two = View::flat(Reserved::Site, vec![variant(0), variant(1)]);
        assert!(others_below(&two, spot(0), "") && !others_below(&two, spot(1), "b"));
        assert!(!others_below(&View::flat(Reserved::Site, vec![variant(0)]), spot(0), ""));
    }
}
