//! Change requests: creating, listing and updating them. See [`edit`] for their content, [`merge`] for merging and
//! [`review`] for reviews.
mod changes;
mod conflicts;
mod edit;
mod merge;
mod review;
mod shown;
#[cfg(test)]
mod tests;

use crate::usecases::people::Viewer;
pub use changes::Changes;
pub use conflicts::{ConflictPage, ShownConflict};
pub use edit::{BatchOutcome, FileSource, IncomingFile, NewChange, Write};
pub use merge::{MergeStatus, Outcome};
pub use review::{RequestReviews, ShownContribution, ShownRequest, ShownReview, SubmitReview};
pub use shown::ShownChangeRequest;
pub(super) use shown::merged_from;

use super::content::Apply;
use super::content::write::{About, Base, unlocked};
use super::open::account;
use super::record::record;
use super::{Error, Input, Precondition, open};
use crate::access::Granted;
use crate::actor::Actor;
use crate::change_request::{ChangeRequest, ChangeRequestPatch, ChangeRequestRef, Subject};
use crate::event::{Change, Differences};
use crate::id::{OrganizationId, RevisionId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::ports::store::change_requests::{ChangeRequestFilter, ListedIn};
use crate::ports::{Clock, Fetcher, Files, Ids, Store, Tx};
use crate::review::ContributorAction;
use crate::space::{Space, SpacePermissions};
use crate::text::{Invalid, Rule};
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// Creates, updates, reviews and merges change requests.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct ChangeRequests {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub files: Arc<dyn Files>,
    pub fetcher: Arc<dyn Fetcher>,
}

/// The initial settings of a new change request.
#[derive(Clone, Debug, Default)]
pub struct NewChangeRequest {
    /// The subject; empty if absent.
    pub subject: Option<Subject>,
    /// A template whose pages are added to the content of the space.
    pub template: Option<Apply>,
}

/// A change request that the caller may see, with its space.
struct Opened {
    space: Granted<Space>,
    request: ChangeRequest,
}

impl Opened {
    /// Loads a change request for a caller who needs a permission on its space.
    async fn find(
        tx: &mut dyn Tx,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        need: impl FnOnce(&SpacePermissions) -> bool,
    ) -> Result<Self, Error> {
        let space = open::space(tx, actor, space, need).await?;
        let request = tx.change_requests().find(&space.id, which).await?;
        Ok(Self { request: request.ok_or(Error::NotFound("change request"))?, space })
    }

    /// The same for a unit of work that changes it: locks the space, and so all of its change requests.
    async fn lock(
        tx: &mut dyn Tx,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        need: impl FnOnce(&SpacePermissions) -> bool,
    ) -> Result<Self, Error> {
        tx.lock(&[space.into()]).await?;
        Self::find(tx, actor, space, which, need).await
    }

    /// Checks that the content of the change request can change.
    fn check_writable(&self) -> Result<(), Error> {
        unlocked(&self.space)?;
        self.request.check_writable().map_err(in_the_way)
    }

    /// Checks the caller's precondition.
    async fn check(
        &self,
        tx: &mut dyn Tx,
        actor: &Actor,
        precondition: &Precondition<ShownChangeRequest>,
    ) -> Result<(), Error> {
        precondition.check_shown(self.shown(tx, actor)).await.map_err(|error| match error {
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
    async fn advance(
        &mut self,
        tx: &mut dyn Tx,
        ids: &dyn Ids,
        actor: &Actor,
        revision: RevisionId,
        at: DateTime<Utc>,
    ) -> Result<(), Error> {
        self.request.advance(revision, at);
        tx.change_requests().save(&self.request).await?;
        if let Some(user) = actor.user() {
            tx.change_requests().contribute(&self.request.id, user, ContributorAction::Edit, at).await?;
        }
        self.record_content(tx, ids, actor, at).await
    }

    /// Records that the change request has new content.
    async fn record_content(
        &self,
        tx: &mut dyn Tx,
        ids: &dyn Ids,
        actor: &Actor,
        at: DateTime<Utc>,
    ) -> Result<(), Error> {
        let change = Change::ChangeRequestContentUpdated {
            space: self.space.id.clone(),
            change_request: self.request.id.clone(),
            revision: self.request.revision.clone(),
        };
        Ok(record(tx, ids, actor, Some(&self.space.organization), at, change).await?)
    }

    /// Adds the pages of a template to the content.
    async fn fill(
        &mut self,
        tx: &mut dyn Tx,
        ids: &dyn Ids,
        actor: &Actor,
        apply: &Apply,
        at: DateTime<Utc>,
    ) -> Result<(), Error> {
        self.check_writable()?;
        let base = Base::load(tx, &self.space.id, &self.request.revision).await?;
        let content = apply.content(tx, ids, actor, &base, at).await?;
        let about = About::edits(ids.make(), &self.space.id, &base, actor, at);
        let revision = content.prepare(tx, &base, about, None).await?.store(tx).await?;
        self.advance(tx, ids, actor, revision, at).await
    }

    fn viewer<'a>(&'a self, actor: &'a Actor) -> Viewer<'a> {
        Viewer { actor, organization: &self.space.organization }
    }

    async fn shown(&self, tx: &mut dyn Tx, actor: &Actor) -> Result<ShownChangeRequest, Error> {
        shown::show_one(tx, self.viewer(actor), self.request.clone(), self.space.revision.clone()).await
    }
}

/// Adds the pages of a template to the content of a change request, for a caller who may edit the space.
pub(super) async fn apply_template(
    tx: &mut dyn Tx,
    ids: &dyn Ids,
    actor: &Actor,
    (space, which): (Granted<Space>, &ChangeRequestRef),
    apply: &Apply,
    at: DateTime<Utc>,
) -> Result<(), Error> {
    let request = tx.change_requests().find(&space.id, which).await?;
    let request = request.ok_or_else(|| Invalid::new("changeRequestId", "there is no such change request"))?;
    Opened { space, request }.fill(tx, ids, actor, apply, at).await
}

/// The error for a status that does not allow the operation.
fn in_the_way(rule: Rule) -> Error {
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
        let mut tx = self.store.read().await?;
        let opened = open::space(&mut *tx, actor, space, |may| may.view).await?;
        let (filter, page) = query.read()?;
        let found = tx.change_requests().list(&ListedIn::Space(space.clone()), &filter, &page).await?;
        shown::show(&mut *tx, Viewer { actor, organization: &opened.organization }, found).await
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
        let mut tx = self.store.read().await?;
        let (_, organization_access) = open::within(&mut *tx, actor, organization, |may| may.view).await?;
        let (filter, page) = query.read()?;
        let scope = ListedIn::Organization(organization.clone(), organization_access.readable());
        let found = tx.change_requests().list(&scope, &filter, &page).await?;
        shown::show(&mut *tx, Viewer { actor, organization }, found).await
    }

    /// Creates a change request: a draft with the content of the space.
    ///
    /// # Errors
    /// [`Error::NotFound`] and [`Error::Forbidden`] for the space, [`Error::Invalid`].
    pub async fn create(
        &self,
        actor: &Actor,
        space: &SpaceId,
        new: Input<NewChangeRequest>,
    ) -> Result<ShownChangeRequest, Error> {
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        tx.lock(&[space.into()]).await?;
        let mut space = open::space(&mut *tx, actor, space, |may| may.edit).await?;
        let author = account(actor)?;
        let NewChangeRequest { subject, template } = new.read()?;
        let now = self.clock.now();
        let subject = subject.unwrap_or_else(|| Subject::fitted("", ""));
        let number = space.entity_mut().counters.create();
        let request = ChangeRequest::new(self.ids.make(), &space, number, subject, author, now);
        tx.spaces().save(&space).await?;
        tx.change_requests().save(&request).await?;
        let change = Change::ChangeRequestCreated { space: space.id.clone(), change_request: request.id.clone() };
        record(&mut *tx, &*self.ids, actor, Some(&space.organization), now, change).await?;
        let mut opened = Opened { space, request };
        if let Some(template) = template {
            opened.fill(&mut *tx, &*self.ids, actor, &template, now).await?;
        }
        let shown = opened.shown(&mut *tx, actor).await?;
        tx.commit().await?;
        Ok(shown)
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
        let mut tx = self.store.read().await?;
        Opened::find(&mut *tx, actor, space, which, |may| may.view).await?.shown(&mut *tx, actor).await
    }

    /// Updates the subject, the description or the status of a change request.
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
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        let mut opened = Opened::lock(&mut *tx, actor, space, which, |may| may.edit).await?;
        let patch = patch.read()?;
        opened.check(&mut *tx, actor, &precondition).await?;
        opened.request.check_changeable().map_err(in_the_way)?;
        if patch != ChangeRequestPatch::default() {
            self.change(&mut *tx, actor, &mut opened, patch).await?;
        }
        let shown = opened.shown(&mut *tx, actor).await?;
        tx.commit().await?;
        Ok(shown)
    }

    async fn change(
        &self,
        tx: &mut dyn Tx,
        actor: &Actor,
        opened: &mut Opened,
        patch: ChangeRequestPatch,
    ) -> Result<(), Error> {
        let (before, now) = (opened.request.clone(), self.clock.now());
        opened.request.update(patch, now);
        let status = opened.request.status();
        tx.change_requests().save(&opened.request).await?;
        if before.status() != status {
            opened.space.entity_mut().counters.follow(before.status(), status);
            tx.spaces().save(&opened.space).await?;
        }
        let changes = Differences::between(&before, &opened.request);
        let (space, change_request) = (opened.space.id.clone(), opened.request.id.clone());
        let change = Change::ChangeRequestUpdated { space, change_request, status, changes };
        Ok(record(tx, &*self.ids, actor, Some(&opened.space.organization), now, change).await?)
    }
}
