//! Admission to a site: finds the site of an address, and decides whether the visitor may see it.
use super::Sites;
use super::addresses::{Addressed, SpaceVersion};
use super::known::{KnownState, Lookup};
use super::resolve::Seen;
use crate::access::{Access, Guarded};
use crate::change_request::{ChangeRequest, ChangeRequestRef};
use crate::content::revision::Revision;
use crate::id::{SiteId, SpaceId, UserId};
use crate::site::address::{AddressOutcome, Base};
use crate::site::audience::{PreviewCredentials, SiteAudience, SiteRefusal, SiteVisit, VisitorCredentials};
use crate::site::preview::{PreviewPath, PreviewedVersion};
use crate::site::publishing_auth::PublishingAuth;
use crate::site::share_link::{ENTRY, ShareKey};
use crate::site::site_token::{PreviewToken, SiteToken, VisitorKind};
use crate::site::{Site, SiteVisibility};
use crate::space::Space;
use crate::usecases::Error;
use crate::usecases::work::Work;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use url::Url;

/// A visitor's request for an address, with the credentials of the visitor.
#[derive(Clone, Debug)]
pub struct VisitorRequest<'a> {
    /// The address.
    pub url: &'a Url,
    /// The kind of visitor.
    pub kind: VisitorKind,
    /// The key of a share link; the one in the path wins.
    pub share_key: Option<&'a str>,
    /// The visitor token.
    pub token: Option<&'a str>,
    /// The token of a preview. For the address of a preview, other credentials are ignored.
    pub preview: Option<&'a str>,
    /// What the visitor states without proof.
    pub unsigned: &'a Map<String, Value>,
}

/// The result of a visitor's request.
pub(super) enum EntryOutcome<'a> {
    /// A site that the visitor may see.
    Site(Box<Admitted<'a>>),
    /// The site has another address. `lasts`: whether clients may cache the redirect.
    Redirect { site: SiteId, url: String, lasts: bool },
    /// The visitor must sign in first.
    SignIn { site: SiteId, auth: PublishingAuth, path: String, base: String },
    /// Nothing, for this visitor.
    Nothing,
}

/// A site that a visitor may see.
pub(super) struct Admitted<'a> {
    pub(super) site: Site,
    pub(super) addressed: Addressed<'a>,
    pub(super) audience: SiteAudience,
    pub(super) auth: PublishingAuth,
    pub(super) visit: SiteVisit,
    /// The address of the site that the visitor used.
    pub(super) base: Base,
    /// The part of the address between the base and the path: the key of a share link.
    pub(super) prefix: String,
    /// The key of the share link in the path.
    pub(super) share_key: Option<String>,
    /// The path on the site, still encoded.
    pub(super) path: String,
    /// How the site was found; absent for a preview.
    pub(super) lookup: Option<Lookup>,
}

impl Sites {
    /// Finds the site of an address, and decides whether the visitor may see it. With a state, the site can be a cached
    /// one.
    pub(super) async fn enter<'a>(
        &'a self,
        work: &mut Work<'_>,
        request: &VisitorRequest<'_>,
        state: Option<KnownState<'_>>,
    ) -> Result<EntryOutcome<'a>, Error> {
        match self.find_site(work, request, state).await? {
            // Redirects are not confirmed, so they are made from one state of the database.
            EntryOutcome::Redirect { .. } if state.is_some() => self.find_site(work, request, None).await,
            found => Ok(found),
        }
    }

    async fn find_site<'a>(
        &'a self,
        work: &mut Work<'_>,
        request: &VisitorRequest<'_>,
        state: Option<KnownState<'_>>,
    ) -> Result<EntryOutcome<'a>, Error> {
        let url = request.url;
        if let Some((id, path)) = self.hosting.read_preview(url) {
            return self.enter_preview(work, request, &id, path).await;
        }
        for candidate in self.candidates(work, url).await? {
            let Some(lookup) = self.look_up(work, &candidate, state).await? else { continue };
            let candidate = candidate.address;
            let (site, audience) = (lookup.known.site.clone(), lookup.known.audience.clone());
            let auth = lookup.known.auth.clone();
            let (in_path, path) = share_key(candidate.rest);
            let request = VisitorRequest { share_key: in_path.or(request.share_key), preview: None, ..request.clone() };
            let visit = match admit(work, &site, &audience, &request).await? {
                AdmissionOutcome::Visit(visit) => visit,
                AdmissionOutcome::Nothing => continue,
                AdmissionOutcome::SignIn => {
                    let base = candidate.address().to_owned();
                    return Ok(EntryOutcome::SignIn { site: site.id, auth, path: path.to_owned(), base });
                }
            };
            let addressed = Addressed::of(&self.hosting, &site, &lookup.known.address);
            let prefix = in_path.map(|key| format!("{ENTRY}{key}/")).unwrap_or_default();
            return Ok(match self.hosting.outcome(&candidate, Some(addressed.located()), url.query()) {
                AddressOutcome::Redirect(to) => {
                    let moved = match state {
                        Some(_) => None,
                        None => {
                            let (seen, contents) = (Seen::of(&visit, &addressed), &mut addressed.contents());
                            let base = match prefix.strip_suffix('/') {
                                Some(entry) => addressed.base().below(entry),
                                None => addressed.base(),
                            };
                            let mut paths = addressed.paths(contents, Some(&seen));
                            Box::pin(paths.moved_page(work, path, &base, url.query())).await?.map(String::from)
                        }
                    };
                    // With adaptive content, others may not see the page that was moved.
                    let is_for_all = moved.is_none() || !site.adaptive_content;
                    let is_public = site.visibility == SiteVisibility::Public;
                    let lasts = candidate.key.is_lasting() && is_public && is_for_all;
                    EntryOutcome::Redirect { site: site.id, url: moved.unwrap_or(to), lasts }
                }
                AddressOutcome::Here(_) => {
                    let (base, share_key, path) = (addressed.base(), in_path.map(str::to_owned), path.to_owned());
                    let lookup = Some(lookup);
                    let admitted =
                        Admitted { site, addressed, audience, auth, visit, base, prefix, share_key, path, lookup };
                    EntryOutcome::Site(Box::new(admitted))
                }
                AddressOutcome::Nothing | AddressOutcome::UnknownHost => EntryOutcome::Nothing,
            });
        }
        Ok(EntryOutcome::Nothing)
    }

    async fn enter_preview<'a>(
        &'a self,
        work: &mut Work<'_>,
        request: &VisitorRequest<'_>,
        id: &SiteId,
        path: &str,
    ) -> Result<EntryOutcome<'a>, Error> {
        // A preview requires a token, even of a public site.
        let Some(site) = work.sites().find(id, None).await?.filter(|_| request.preview.is_some()) else {
            return Ok(EntryOutcome::Nothing);
        };
        let (version, path) = match PreviewPath::read(path) {
            PreviewPath::Primary(path) => (None, path),
            PreviewPath::Version(version, path) => (Some(version), path),
            PreviewPath::Nothing => return Ok(EntryOutcome::Nothing),
        };
        let site = site.entity;
        let (audience, auth) = self.audience(work, &site).await?;
        let request = VisitorRequest { share_key: None, ..request.clone() };
        let AdmissionOutcome::Visit(visit) = admit(work, &site, &audience, &request).await? else {
            return Ok(EntryOutcome::Nothing);
        };
        let structure = work.sites().structure(&site.id).await?;
        let structure = if visit.drafts() { structure.with_drafts() } else { structure };
        let mut addressed = Addressed::load(work, &self.hosting, &site, structure).await?;
        let mut base = addressed.preview();
        if let Some(version) = version {
            let mut found = versions(work, &visit, &addressed, &version).await?;
            // A change request with this number in several spaces: the path tells which, and the id names it.
            let several = found.len() > 1;
            let named = several.then(|| space_at(&addressed, path)).flatten();
            let at = found.iter().position(|one| Some(&one.space) == named.as_ref()).unwrap_or(0);
            if found.is_empty() {
                return Ok(EntryOutcome::Nothing);
            }
            let shown = found.swap_remove(at);
            if let Some(change_request) = shown.change_request.as_ref().filter(|_| several) {
                let version = PreviewedVersion::ChangeRequest(ChangeRequestRef::Id(change_request.id.clone()));
                let query = request.url.query().map(|query| format!("?{query}")).unwrap_or_default();
                let url = format!("{}{path}{query}", base.below(&version.to_string()));
                return Ok(EntryOutcome::Redirect { site: site.id, url, lasts: false });
            }
            base = base.below(&version.to_string());
            addressed.version = Some(shown);
        }
        let (prefix, path) = (String::new(), path.to_owned());
        let (share_key, lookup) = (None, None);
        let admitted = Admitted { site, addressed, audience, auth, visit, base, prefix, share_key, path, lookup };
        Ok(EntryOutcome::Site(Box::new(admitted)))
    }
}

/// Whether a visitor may see a site.
enum AdmissionOutcome {
    /// The visitor may.
    Visit(SiteVisit),
    /// The visitor must sign in first.
    SignIn,
    /// The site does not exist for the visitor.
    Nothing,
}

/// Decides whether the visitor may see the site.
async fn admit(
    work: &mut Work<'_>,
    site: &Site,
    audience: &SiteAudience,
    request: &VisitorRequest<'_>,
) -> Result<AdmissionOutcome, Error> {
    let key = request.share_key.map(ShareKey::presented);
    let share_link = work.share_link(key.as_ref()).await?.map(|(link, _)| link);
    let now = work.now();
    // A token that is not valid costs no queries.
    let said = request.preview.and_then(|token| PreviewToken::verified(token, &audience.key, now).ok());
    let readable = match said {
        Some((said, _)) => spaces_readable_to(work, site, said.member.as_ref()).await?,
        None => BTreeSet::new(),
    };
    let preview = request.preview.map(|token| PreviewCredentials { token, readable: &readable });
    let credentials = VisitorCredentials {
        kind: request.kind,
        share_link: share_link.as_ref(),
        token: request.token,
        unsigned: Some(request.unsigned),
        preview,
    };
    Ok(match SiteVisit::admit(Some(audience), credentials, now) {
        Ok(visit) => AdmissionOutcome::Visit(visit),
        Err(SiteRefusal::SignIn(_)) => AdmissionOutcome::SignIn,
        Err(SiteRefusal::Absent) => AdmissionOutcome::Nothing,
    })
}

/// The spaces on a site that the member of a preview may read now; without a member all of them, as for the operator.
pub(super) async fn spaces_readable_to(
    work: &mut Work<'_>,
    site: &Site,
    member: Option<&UserId>,
) -> Result<BTreeSet<SpaceId>, Error> {
    let links = work.sites().links(&site.organization, Some(&site.id)).await?;
    let ids = links.into_iter().map(|(_, space)| space);
    let Some(user) = member else { return Ok(ids.collect()) };
    let found = work.organizations().find(&site.organization, Some(user)).await?;
    let reach = work.access_of(&site.organization, user, found.and_then(|found| found.membership)).await?;
    let spaces = work.spaces().find_many(&ids.collect::<Vec<_>>()).await?;
    let reads = |space: &Space| {
        let level = reach.space(&space.id, space.parent.as_ref(), space.default_level);
        space.permissions(&Access::new(Some(user.clone()), level)).read
    };
    Ok(spaces.into_iter().filter(reads).map(|space| space.id).collect())
}

/// The spaces that a visit shows and that have a version, in the order of the site. A preview without drafts shows only
/// what is live.
async fn versions(
    work: &mut Work<'_>,
    visit: &SiteVisit,
    addressed: &Addressed<'_>,
    version: &PreviewedVersion,
) -> Result<Vec<SpaceVersion>, Error> {
    if !visit.drafts() {
        return Ok(Vec::new());
    }
    let shown = Seen::of(visit, addressed).structure;
    let spaces: Vec<SpaceId> = shown.spaces().into_iter().map(|(_, one)| one.space.clone()).collect();
    let of_request = |request: ChangeRequest| SpaceVersion {
        space: request.space.clone(),
        revision: request.revision.clone(),
        change_request: Some(Box::new(request)),
    };
    let of_revision =
        |revision: Revision| SpaceVersion { space: revision.space, revision: revision.id, change_request: None };
    let mut found: Vec<SpaceVersion> = match version {
        PreviewedVersion::ChangeRequest(which) => {
            work.change_requests().find_in(&spaces, which).await?.into_iter().map(of_request).collect()
        }
        PreviewedVersion::Revision(id) => {
            work.content().revisions(std::slice::from_ref(id)).await?.into_iter().map(of_revision).collect()
        }
    };
    let place = |version: &SpaceVersion| spaces.iter().position(|space| *space == version.space);
    found.retain(|version| place(version).is_some());
    found.sort_by_cached_key(place);
    Ok(found)
}

/// The space that a path of a site names first.
fn space_at(addressed: &Addressed<'_>, path: &str) -> Option<SpaceId> {
    let view = addressed.view();
    let spot = view.readings(path).first()?.spot;
    let (_, variant) = view.at(spot)?;
    addressed.structure.space(variant.id).map(|(_, one)| one.space.clone())
}

/// The key of a share link at the start of a path, and the rest of the path.
fn share_key(path: &str) -> (Option<&str>, &str) {
    let Some(shared) = path.strip_prefix(ENTRY) else { return (None, path) };
    let (key, rest) = shared.split_once('/').unwrap_or((shared, ""));
    (Some(key), rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("install/linux", None, "install/linux")]
    #[case("~/share/key", Some("key"), "")]
    #[case("~/share/key/", Some("key"), "")]
    #[case("~/share/key/install/linux", Some("key"), "install/linux")]
    #[case("~/share/", Some(""), "")]
    #[case("~/shared/key", None, "~/shared/key")]
    fn the_key_of_a_share_link_is_at_the_start_of_a_path(
        #[case] path: &str,
        #[case] key: Option<&str>,
        #[case] rest: &str,
    ) {
        assert_eq!(share_key(path), (key, rest));
    }
}
