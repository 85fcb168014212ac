//! What a visitor reads at an address of a site.
use super::super::entrance::{Arrived, Entered, VisitorRequest};
use super::super::resolve::{Lead, Seen, lead_of};
use super::Urls;
use crate::actor::Actor;
use crate::content::import::path::encode;
use crate::id::{ChangeRequestId, OrganizationId, RevisionId, SiteId, SiteSectionId, SiteSpaceId, SpaceId};
use crate::site::audience::SiteVisit;
use crate::site::publishing_auth::PublishingAuth;
use crate::site::redirect::with_query;
use crate::site::resolve::{Spot, View};
use crate::site::site_token::{VisitedPlace, VisitorKind};
use crate::site::visitor_query::{PREVIEW_TOKEN, VISITOR_TOKEN, claims, parameter, without_visitor};
use crate::usecases::visiting::no_visitor;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};
use crate::words;
use serde_json::{Map, Value};
use url::Url;

/// The parameter of the address of a sign-in page that has the path to return to.
const LOCATION: &str = "location";

/// An address, and who visits it.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedQuery {
    /// The address.
    pub url: Url,
    /// Whether a visitor who must sign in is sent to do so.
    pub redirect_on_error: bool,
    /// The kind of visitor.
    pub kind: VisitorKind,
    /// The visitor token; the one in the address if absent.
    pub token: Option<String>,
    /// What the visitor states without proof; what the address states, if empty.
    pub unsigned: Map<String, Value>,
}

words! {
    /// What a redirect leads to.
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
    /// Another address.
    Redirect {
        /// What it is.
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
    /// The revision that is shown: that of the primary content, if the preview of another one is not visited.
    pub revision: RevisionId,
    /// The path below the address of the space on the site, with a slash at its start.
    pub pathname: String,
    /// The path of the address of the space on the site, with a slash at both ends.
    pub base_path: String,
    /// The path of the address of the site, with a slash at both ends.
    pub site_base_path: String,
    /// Opens what the visitor sees.
    pub api_token: String,
    /// The key of the share link in the address.
    pub share_key: Option<String>,
    /// Whether all longer addresses lead to the same space on the site.
    pub complete: bool,
    /// A hash of the claims of the visitor; absent without claims.
    pub context_id: Option<String>,
    /// The one address of the page for all visitors.
    pub canonical_url: String,
    /// Whether it is a preview.
    pub preview: bool,
}

impl Urls {
    /// What a visitor finds at an address. The caller may be any user: the audience of the site decides.
    ///
    /// # Errors
    /// [`Error::Invalid`]; [`Error::Forbidden`] for callers with a content token; [`Error::NotFound`], alike for an unknown
    /// site, one that is not published, one that the visitor may not see, and for what a condition hides.
    pub async fn published(&self, actor: &Actor, query: Input<PublishedQuery>) -> Result<PublishedUrl, Error> {
        no_visitor(actor)?;
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
        match self.sites.enter(&mut work, &request).await? {
            Entered::Site(arrived) => self.arrive(&mut work, *arrived, url).await,
            Entered::Elsewhere { site, url, .. } => {
                Ok(PublishedUrl::Redirect { target: RedirectTarget::Content, url, site })
            }
            Entered::SignIn { site, auth, path, .. } => sign_in(&site, auth, &path, &query),
            Entered::Nothing => Err(absent()),
        }
    }

    /// What a visitor who may see the site finds at a path of it.
    async fn arrive(&self, work: &mut Work<'_>, arrived: Arrived<'_>, url: &Url) -> Result<PublishedUrl, Error> {
        let Arrived { site, addressed, visit, path, .. } = &arrived;
        let seen = Seen::of(visit, addressed);
        let view = addressed.view();
        let redirect = |target, url: Url| PublishedUrl::Redirect { target, url: url.into(), site: site.id.clone() };
        // On the same site, also a preview stays a preview.
        let here = |path: &str| {
            let to =
                Url::parse(&format!("{}{}{path}", arrived.base, arrived.prefix)).map_err(|_no_address| absent())?;
            Ok::<_, Error>(redirect(RedirectTarget::Content, with_query(to, url.query())))
        };
        match lead_of(work, site, addressed, Some(&seen), path).await? {
            Lead::Page(page, address) => {
                let spot = view.spot(&page.site_space).ok_or_else(absent)?;
                let at_start = address == view.address(spot, "");
                let page_path = if at_start { "" } else { page.path.as_str() };
                self.content_for(work, &arrived, &seen, (spot, page_path), &address).await
            }
            Lead::Moved(to) => here(&encode(&to)),
            Lead::Redirect { url: to, .. } => match addressed.within(&to) {
                Some(path) => here(&path),
                None => {
                    let query = without_visitor(url);
                    Ok(redirect(RedirectTarget::External, with_query(to, query.as_deref())))
                }
            },
            Lead::Nothing => {
                // A space without a page has an address too.
                let readings = view.readings(path);
                let reading = readings.first().filter(|reading| reading.page.is_empty()).ok_or_else(absent)?;
                let address = view.address(reading.spot, "");
                let shown = view.at(reading.spot).is_some_and(|(_, variant)| seen.shows(variant.id));
                if !shown || address != *path {
                    return Err(absent());
                }
                self.content_for(work, &arrived, &seen, (reading.spot, ""), &address).await
            }
        }
    }

    async fn content_for(
        &self,
        work: &mut Work<'_>,
        arrived: &Arrived<'_>,
        seen: &Seen<'_>,
        (spot, page): (Spot, &str),
        address: &str,
    ) -> Result<PublishedUrl, Error> {
        let Arrived { site, addressed, audience, visit, base, .. } = arrived;
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
            share_key: arrived.share_key.clone(),
            context_id: context(visit),
            canonical_url: canonical.at(address),
            preview: visit.is_preview(),
        })))
    }
}

/// Sends a visitor to sign in, if the owner of the site has an address for that.
fn sign_in(site: &SiteId, auth: PublishingAuth, path: &str, query: &PublishedQuery) -> Result<PublishedUrl, Error> {
    let fallback = auth.fallback_url.filter(|_| query.redirect_on_error).ok_or_else(absent)?;
    let mut to = Url::parse(fallback.as_str()).map_err(|_no_address| absent())?;
    let asked = without_visitor(&query.url).map(|query| format!("?{query}")).unwrap_or_default();
    to.query_pairs_mut().append_pair(LOCATION, &format!("/{path}{asked}"));
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

/// A name for what is known of a visitor.
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
