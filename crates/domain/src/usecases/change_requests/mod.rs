//! Change requests: creating, listing and updating them. See [`edit`] for their content, [`merge`] for merging and
//! [`review`] for reviews.
mod changes;
mod conflicts;
mod draft;
mod edit;
mod evidence;
mod gate;
mod merge;
mod propose;
mod review;
mod shown;
#[cfg(test)]
mod tests;

pub use changes::Changes;
pub use conflicts::{ConflictPage, ShownConflict};
pub use draft::Drafter;
pub use edit::{BatchOutcome, FileSource, IncomingFile, NewChange, Write};
pub use merge::{MergeStatus, Outcome};
pub use propose::Proposed;
pub use review::{RequestReviews, ShownContribution, ShownRequest, ShownReview, SubmitReview};
pub use shown::ShownChangeRequest;
pub(super) use shown::{merged_from, show_one};

use super::content::Apply;
use super::content::write::{Base, Indexed, RevisionMetadata, unlocked};
use super::conversations::known_as;
use super::open::account;
use super::work::{Units, Work};
use super::{Error, Input, Precondition, placing};
use crate::access::Granted;
use crate::actor::Actor;
use crate::change_request::{ChangeRequest, ChangeRequestPatch, ChangeRequestRef, Subject};
use crate::content::document::Document;
use crate::event::{Change, Differences};
use crate::id::{IssueClusterId, OrganizationId, RevisionId, SpaceId, UserId};
use crate::job::Task;
use crate::paging::{Page, PageRequest};
use crate::ports::store::change_requests::{ChangeRequestFilter, ListedIn};
use crate::ports::{Fetcher, Files};
use crate::review::ContributorAction;
use crate::space::{Space, SpacePermissions};
use crate::text::{Invalid, Rule};
use std::sync::Arc;

/// Creates, updates, reviews and merges change requests.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct ChangeRequests {
    pub units: Units,
    pub files: Arc<dyn Files>,
    pub fetcher: Arc<dyn Fetcher>,
    /// Whether a language model drafts changes.
    pub drafts: bool,
}

/// The initial settings of a new change request.
#[derive(Clone, Debug, Default)]
pub struct NewChangeRequest {
    /// The subject; empty if absent.
    pub subject: Option<Subject>,
    /// The description.
    pub description: Option<Document>,
    /// The cluster of customers' issues that it is about.
    pub cluster: Option<IssueClusterId>,
    /// Whether a language model drafts the changes. It needs a cluster.
    pub draft: bool,
    /// A template whose pages are added to the content of the space.
    pub template: Option<Apply>,
}

/// A change request that the caller may see, with its space.
struct LoadedChangeRequest {
    space: Granted<Space>,
    request: ChangeRequest,
}

impl LoadedChangeRequest {
    /// Loads a change request for a caller who needs a permission on its space.
    async fn find(
        work: &mut Work<'_>,
        space: &SpaceId,
        which: &ChangeRequestRef,
        need: impl FnOnce(&SpacePermissions) -> bool,
    ) -> Result<Self, Error> {
        let space = work.space(space, need).await?;
        let request = work.change_requests().find(&space.id, which).await?;
        Ok(Self { request: request.ok_or(Error::NotFound("change request"))?, space })
    }

    /// The same for a unit of work that changes it: locks the space, and so all of its change requests.
    async fn lock(
        work: &mut Work<'_>,
        space: &SpaceId,
        which: &ChangeRequestRef,
        need: impl FnOnce(&SpacePermissions) -> bool,
    ) -> Result<Self, Error> {
        work.lock(&[space.into()]).await?;
        Self::find(work, space, which, need).await
    }

    /// Checks that the content of the change request can change.
    fn check_writable(&self) -> Result<(), Error> {
        unlocked(&self.space)?;
        self.request.check_writable().map_err(status_conflict)
    }

    /// Checks the caller's precondition.
    async fn check(&self, work: &mut Work<'_>, precondition: &Precondition<ShownChangeRequest>) -> Result<(), Error> {
        precondition.check_shown(self.shown(work)).await.map_err(|error| match error {
            Error::PreconditionFailed(_) => Error::PreconditionFailed(format!(
                "the change request is now at revision {}: read it again, then repeat the change",
                self.request.revision
            )),
            other => other,
        })
    }

    fn outdated(&self) -> bool {
        self.request.outdated(&self.space.revision)
    }

    /// Stores new content of the change request.
    async fn advance(&mut self, work: &mut Work<'_>, revision: RevisionId) -> Result<(), Error> {
        let at = work.now();
        self.request.advance(revision, at);
        work.change_requests().save(&self.request).await?;
        if let Some(user) = work.actor.user() {
            work.change_requests().contribute(&self.request.id, user, ContributorAction::Edit, at).await?;
        }
        self.record_content(work).await
    }

    /// Records that the change request has new content.
    async fn record_content(&self, work: &mut Work<'_>) -> Result<(), Error> {
        let change = Change::ChangeRequestContentUpdated {
            space: self.space.id.clone(),
            change_request: self.request.id.clone(),
            revision: self.request.revision.clone(),
        };
        self.record(work, change).await
    }

    /// Adds the pages of a template to the content.
    async fn fill(&mut self, work: &mut Work<'_>, apply: &Apply) -> Result<(), Error> {
        self.check_writable()?;
        let base = Base::load(work, &self.space.id, &self.request.revision).await?;
        let content = apply.content(work, &base).await?;
        let metadata = RevisionMetadata::edits(work, &self.space.id, &base);
        let revision =
            content.prepare(work, &self.space.organization, &base, metadata, Indexed::No).await?.store(work).await?;
        self.advance(work, revision).await
    }

    /// Adds an event to the log of the organization that owns the space.
    async fn record(&self, work: &mut Work<'_>, change: Change) -> Result<(), Error> {
        work.record(&self.space.organization, change).await
    }

    /// Updates the metadata. Stores nothing if nothing changes.
    async fn change(&mut self, work: &mut Work<'_>, patch: ChangeRequestPatch) -> Result<(), Error> {
        let Some(before) = self.request.update(patch, work.now()) else { return Ok(()) };
        let status = self.request.status();
        work.change_requests().save(&self.request).await?;
        if before.status() != status {
            self.space.entity_mut().counters.follow(before.status(), status);
            work.spaces().save(&self.space).await?;
        }
        let changes = Differences::between(&before, &self.request);
        let (space, change_request) = (self.space.id.clone(), self.request.id.clone());
        let change = Change::ChangeRequestUpdated { space, change_request, status, changes };
        self.record(work, change).await
    }

    async fn shown(&self, work: &mut Work<'_>) -> Result<ShownChangeRequest, Error> {
        show_one(work, &self.space.organization, self.request.clone(), self.space.revision.clone()).await
    }
}

/// Adds the pages of a template to the content of a change request, for a caller who may edit the space.
pub(super) async fn apply_template(
    work: &mut Work<'_>,
    (space, which): (Granted<Space>, &ChangeRequestRef),
    apply: &Apply,
) -> Result<(), Error> {
    let request = work.change_requests().find(&space.id, which).await?;
    let request = request.ok_or_else(|| Invalid::new("changeRequestId", "there is no such change request"))?;
    LoadedChangeRequest { space, request }.fill(work, apply).await
}

/// Adds the other ids under which the cluster of a filter is known: clusters are merged.
async fn expand(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    filter: &mut ChangeRequestFilter,
) -> Result<(), Error> {
    let Some([wanted]) = filter.clusters.as_deref() else { return Ok(()) };
    let known = known_as(work, organization, wanted).await?;
    filter.clusters = Some(known);
    Ok(())
}

/// The error for a status that does not allow the operation.
fn status_conflict(rule: Rule) -> Error {
    Error::Conflict(rule.0)
}

impl ChangeRequests {
    /// The change requests of a space.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space, [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        space: &SpaceId,
        query: Input<(ChangeRequestFilter, PageRequest)>,
    ) -> Result<Page<ShownChangeRequest>, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = work.space(space, |may| may.view).await?;
        let (mut filter, page) = query.read()?;
        expand(&mut work, &opened.organization, &mut filter).await?;
        let found = work.change_requests().list(&ListedIn::Space(space.clone()), &filter, &page).await?;
        shown::show(&mut work, &opened.organization, found).await
    }

    /// The change requests of every space of an organization that the caller may read.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization, [`Error::Invalid`].
    pub async fn list_in_organization(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        query: Input<(ChangeRequestFilter, PageRequest)>,
    ) -> Result<Page<ShownChangeRequest>, Error> {
        let mut work = self.units.read(actor).await?;
        let (_, organization_access) = work.organization_with_access(organization, |may| may.view).await?;
        let (mut filter, page) = query.read()?;
        expand(&mut work, organization, &mut filter).await?;
        if let Some(site) = &filter.site {
            match work.site(organization, site, |may| may.view).await {
                Ok(_) => {}
                // As for a site that does not exist.
                Err(Error::NotFound(_) | Error::Forbidden(_)) => return Ok(Page::default()),
                Err(other) => return Err(other),
            }
        }
        let scope = ListedIn::Organization(organization.clone(), organization_access.readable());
        let found = work.change_requests().list(&scope, &filter, &page).await?;
        shown::show(&mut work, organization, found).await
    }

    /// Creates a change request: a draft with the content of the space.
    ///
    /// # Errors
    /// [`Error::NotFound`] and [`Error::Forbidden`] for the space, [`Error::Invalid`]; [`Error::Conflict`] for a
    /// cluster that is muted, or if the space was transferred to another organization at the same time.
    pub async fn create(
        &self,
        actor: &Actor,
        id: &SpaceId,
        new: Input<NewChangeRequest>,
    ) -> Result<ShownChangeRequest, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        let mut space = work.space(id, |may| may.edit).await?;
        let author = account(actor)?;
        let new = new.read()?;
        if new.cluster.is_some() {
            drop(work);
            (work, space) = self.with_clusters(actor, id, &space.organization).await?;
        }
        self.check_draft(&mut work, &space.organization, &new).await?;
        let request = self.add(&mut work, &mut space, author, new).await?;
        let shown = LoadedChangeRequest { space, request }.shown(&mut work).await?;
        work.commit().await?;
        Ok(shown)
    }

    /// A writing unit of work with a space, which is locked. The organization is locked in shared mode, so that no
    /// cluster is removed before a change request refers to it.
    async fn with_clusters<'a>(
        &'a self,
        actor: &'a Actor,
        space: &SpaceId,
        organization: &OrganizationId,
    ) -> Result<(Work<'a>, Granted<Space>), Error> {
        let mut work = self.units.write(actor).await?;
        work.lock_shared(&[organization.into()]).await?;
        work.lock(&[space.into()]).await?;
        let space = work.space(space, |may| may.edit).await?;
        if space.organization != *organization {
            return Err(placing::transferred_concurrently());
        }
        Ok((work, space))
    }

    /// Checks that a draft can be made if one is wanted.
    async fn check_draft(
        &self,
        work: &mut Work<'_>,
        organization: &OrganizationId,
        new: &NewChangeRequest,
    ) -> Result<(), Error> {
        let refuse = |rule: &str| Err(Invalid::new("draft", rule).into());
        if !new.draft {
            return Ok(());
        }
        if new.cluster.is_none() {
            return refuse("needs conversationsIssuesCluster");
        }
        if !self.drafts {
            return refuse("the server has no language model: set OCTAVO_CHAT_URL and OCTAVO_CHAT_MODEL");
        }
        if !work.allows_models(organization).await? {
            return refuse("the organization does not allow language models: its setting ai");
        }
        Ok(())
    }

    /// Adds a change request to a space that is locked. For one about a cluster, the organization is locked too.
    async fn add(
        &self,
        work: &mut Work<'_>,
        space: &mut Granted<Space>,
        author: UserId,
        new: NewChangeRequest,
    ) -> Result<ChangeRequest, Error> {
        let NewChangeRequest { mut subject, mut description, cluster, draft, template } = new;
        let about = match cluster {
            Some(cluster) => Some(evidence::of_cluster(work, space, &cluster).await?),
            None => None,
        };
        if let Some(evidence) = &about {
            subject = subject.or_else(|| Some(evidence.subject()));
            description = description.or_else(|| Some(evidence.description()));
        }
        let subject = subject.unwrap_or_else(|| Subject::fitted("", ""));
        let number = space.entity_mut().counters.create();
        let mut request = ChangeRequest::new(work.ids.make(), space, number, subject, author, work.now());
        request.description = description;
        request.cluster = about.map(|evidence| evidence.cluster.cluster.id);
        work.spaces().save(space).await?;
        work.change_requests().add(&request).await?;
        let change = Change::ChangeRequestCreated { space: space.id.clone(), change_request: request.id.clone() };
        let mut opened = LoadedChangeRequest { space: space.clone(), request };
        opened.record(work, change).await?;
        if draft {
            let (space, change_request) = (space.id.clone(), opened.request.id.clone());
            work.add_new_job(Task::DraftChangeRequest { space, change_request }).await?;
        }
        if let Some(template) = template {
            opened.fill(work, &template).await?;
        }
        Ok(opened.request)
    }

    /// A change request.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn get(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
    ) -> Result<ShownChangeRequest, Error> {
        let mut work = self.units.read(actor).await?;
        LoadedChangeRequest::find(&mut work, space, which, |may| may.view).await?.shown(&mut work).await
    }

    /// Updates the subject, the description, the status or the links of a change request.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`]; [`Error::Conflict`] if it is merged;
    /// [`Error::PreconditionFailed`].
    pub async fn update(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        precondition: Precondition<ShownChangeRequest>,
        patch: Input<ChangeRequestPatch>,
    ) -> Result<ShownChangeRequest, Error> {
        let mut work = self.units.write(actor).await?;
        let mut opened = LoadedChangeRequest::lock(&mut work, space, which, |may| may.edit).await?;
        let patch = patch.read()?;
        opened.check(&mut work, &precondition).await?;
        opened.request.check_changeable().map_err(status_conflict)?;
        opened.change(&mut work, patch).await?;
        let shown = opened.shown(&mut work).await?;
        work.commit().await?;
        Ok(shown)
    }
}
