//! Adding and changing redirects in one unit of work.
use super::{NewDestination, NewRedirect, RedirectPatch};
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::page::PageKind;
use crate::event::Change;
use crate::id::{OrganizationId, SiteId, SiteRedirectId};
use crate::site::Site;
use crate::site::redirect::{MAX_REDIRECTS, RedirectDestination, SiteRedirect};
use crate::site::structure::Structure;
use crate::text::Invalid;
use crate::usecases::Error;
use crate::usecases::sites::addresses::{Addressed, Contents};
use crate::usecases::sites::{SeenStructure, Sites};
use crate::usecases::work::Work;

/// The rule for a link as a destination.
const LINK: &str = "must be a page or a group, not a link: use the target of the link as the destination";

/// A unit of work that changes the redirects of a site.
pub(super) struct Redirecting<'a> {
    pub(super) work: Work<'a>,
    pub(super) site: Granted<Site>,
    /// The part of the structure that the caller sees.
    structure: Structure,
    addressed: Addressed<'a>,
    contents: Contents,
    pub(super) count: usize,
    /// The ids of the redirects that were added, updated and removed.
    pub(super) changed: [Vec<SiteRedirectId>; 3],
}

/// Why one change is refused; the other changes of the request continue.
pub(super) enum Refused {
    /// The input is invalid.
    Invalid(Invalid),
    /// Another redirect has the source.
    Conflict(String),
}

impl From<Invalid> for Refused {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Invalid(invalid) => invalid.into(),
            Refused::Conflict(reason) => Self::Conflict(reason),
        }
    }
}

/// Why one change was not made.
pub(super) enum ChangeError {
    /// It is refused.
    Refused(Refused),
    /// The whole request fails.
    Failed(Error),
}

impl From<Refused> for ChangeError {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<Error> for ChangeError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<ChangeError> for Error {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Refused(refused) => refused.into(),
            ChangeError::Failed(error) => error,
        }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Invalid(invalid) => write!(f, "{invalid}"),
            Self::Conflict(reason) => f.write_str(reason),
        }
    }
}

impl<'a> Redirecting<'a> {
    pub(super) async fn open(
        sites: &'a Sites,
        actor: &'a Actor,
        organization: &OrganizationId,
        id: &SiteId,
    ) -> Result<Self, Error> {
        let mut work = sites.units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        let site = work.site(organization, id, |may| may.create).await?;
        let structure = work.sites().structure(id).await?;
        let addressed = Addressed::load(&mut work, &sites.hosting, &site, structure.clone()).await?;
        let structure = SeenStructure::of(&mut work, &site, structure).await?.structure;
        let count = work.site_redirects().count(id).await?;
        Ok(Self { work, site, structure, addressed, contents: Contents::default(), count, changed: Default::default() })
    }

    /// Checks a destination against the site.
    async fn destination(&mut self, new: NewDestination) -> Result<RedirectDestination, ChangeError> {
        let refused = |field: &str, rule: String| {
            let invalid = Invalid::new(format!("destination.{field}"), rule);
            Err(ChangeError::Refused(invalid.into()))
        };
        let absent = |field: &str, what: &str| refused(field, format!("there is no such {what}"));
        let destination = match new {
            NewDestination::At(destination) => destination,
            NewDestination::Path { space, path } => {
                let Some(variant) = Addressed::space_of(&self.structure, &space) else {
                    return absent("spaceId", "space on the site");
                };
                let Some(opened) = self.contents.get(&mut self.work, &space).await? else {
                    return absent("spaceId", "space on the site");
                };
                let page = opened.read(&mut self.work, |snapshot, objects| snapshot.page_like(objects, &path)).await?;
                let Some(page) = page else { return absent("path", "page") };
                if let Some(PageKind::Link { .. }) = self.contents.kind_of_page(&mut self.work, &space, &page).await? {
                    return refused("path", LINK.into());
                }
                return Ok(RedirectDestination::SitePage { site_space_id: variant, page_id: page });
            }
        };
        match &destination {
            RedirectDestination::External { .. } => {}
            RedirectDestination::SiteSection { site_section_id } => {
                if self.structure.section(site_section_id).is_none() {
                    return absent("siteSectionId", "section on the site");
                }
            }
            RedirectDestination::SiteSpace { site_space_id } => {
                if self.structure.space(site_space_id).is_none() {
                    return absent("siteSpaceId", "space on the site");
                }
            }
            RedirectDestination::SitePage { site_space_id, page_id } => {
                let space = self.structure.space(site_space_id).map(|(_, one)| one.space.clone());
                let Some(space) = space else { return absent("siteSpaceId", "space on the site") };
                match self.contents.kind_of_page(&mut self.work, &space, page_id).await? {
                    Some(PageKind::Link { .. }) => return refused("pageId", LINK.into()),
                    Some(_) => {}
                    None => return absent("pageId", "page"),
                }
            }
        }
        Ok(destination)
    }

    /// Creates a redirect.
    pub(super) async fn make(&mut self, new: NewRedirect) -> Result<SiteRedirect, ChangeError> {
        let NewRedirect { source, destination, capture_wildcard, permanent, draft } = new;
        if self.count >= MAX_REDIRECTS {
            let full = format!("the site already has {MAX_REDIRECTS} redirects: delete one first");
            return Err(Refused::Conflict(full).into());
        }
        let destination = self.destination(destination).await?;
        let made = SiteRedirect {
            id: self.work.ids.make(),
            site: self.site.id.clone(),
            source,
            destination,
            capture_wildcard,
            permanent,
            draft,
            created_at: self.work.now(),
            updated_at: None,
        };
        Ok(self.checked(made)?)
    }

    /// Applies changes to a redirect. If nothing changes, it is the same.
    pub(super) async fn change(
        &mut self,
        redirect: &SiteRedirect,
        patch: RedirectPatch,
    ) -> Result<SiteRedirect, ChangeError> {
        let RedirectPatch { source, destination, capture_wildcard, permanent, draft } = patch;
        let destination = match destination {
            None => redirect.destination.clone(),
            // It is not checked again: what it names may have been deleted.
            Some(NewDestination::At(same)) if same == redirect.destination => same,
            Some(new) => self.destination(new).await?,
        };
        let mut changed = SiteRedirect {
            source: source.unwrap_or_else(|| redirect.source.clone()),
            destination,
            capture_wildcard: capture_wildcard.unwrap_or(redirect.capture_wildcard),
            permanent: permanent.unwrap_or(redirect.permanent),
            draft: draft.unwrap_or(redirect.draft),
            ..redirect.clone()
        };
        if changed == *redirect {
            return Ok(changed);
        }
        changed.updated_at = Some(self.work.now());
        Ok(self.checked(changed)?)
    }

    fn checked(&self, redirect: SiteRedirect) -> Result<SiteRedirect, Refused> {
        redirect.check(|url| self.addressed.within(url))?;
        Ok(redirect)
    }

    /// The redirect of the site that another one with the same source would replace.
    async fn stored(&mut self, redirect: &SiteRedirect) -> Result<Option<SiteRedirect>, Error> {
        let sources = std::slice::from_ref(&redirect.source);
        let found = self.work.site_redirects().with_sources(&self.site.id, redirect.draft, sources).await?;
        Ok(found.into_iter().find(|other| other.id != redirect.id))
    }

    pub(super) async fn check_free(&mut self, redirect: &SiteRedirect) -> Result<(), Error> {
        match self.stored(redirect).await? {
            Some(_) => Err(Error::Conflict(taken(redirect))),
            None => Ok(()),
        }
    }

    /// Stores and records the changes.
    pub(super) async fn end(mut self) -> Result<(), Error> {
        let [added, updated, removed] = std::mem::take(&mut self.changed);
        if added.is_empty() && updated.is_empty() && removed.is_empty() {
            return Ok(());
        }
        self.work.save_changed_site(&mut self.site).await?;
        let change = Change::SiteRedirectsUpdated { site: self.site.id.clone(), added, updated, removed };
        self.work.record(&self.site.organization, change).await?;
        self.work.commit().await
    }
}

fn taken(redirect: &SiteRedirect) -> String {
    let what = if redirect.draft { "draft" } else { "redirect" };
    format!("source: there is another {what} with this source")
}
