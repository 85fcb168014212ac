//! Translations: creating, reading, changing and deleting them, and requesting runs. A job in [`super::jobs`] runs
//! them. See [`glossary`] for terms.
mod glossary;

pub use glossary::Glossary;

use super::lists::only;
use super::open::account;
use super::work::{Units, Work};
use super::{Error, Input, Precondition};
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::document::Document;
use crate::event::Change;
use crate::id::{ChangeRequestId, OrganizationId, RevisionId, SpaceId, TranslationId};
use crate::job::{Job, Task};
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use crate::text::Invalid;
use crate::translation::{CHANGE_DELAY, MAX_TRANSLATIONS, NewTranslation, Translation, TranslationInstructions};
use std::collections::HashMap;

/// Manages the translations of organizations, for their administrators.
#[derive(Clone)]
pub struct Translations {
    /// Units of work.
    pub units: Units,
    /// Whether the server has a translation engine.
    pub translates: bool,
}

/// The task of a job that runs a translation.
fn run_task(organization: &OrganizationId, translation: &TranslationId) -> Task {
    Task::translate(organization.clone(), translation.clone())
}

/// The tasks that run the translations of a space. Lock them together with the space if the caller already holds the
/// lock of a job.
pub(super) async fn run_tasks(work: &mut Work<'_>, space: &SpaceId) -> Result<Vec<Task>, Error> {
    let found = work.translations().of_source(space).await?;
    Ok(found.iter().map(|(organization, id)| run_task(organization, id)).collect())
}

/// Adds the jobs that translate a change of a space, after a delay in which more changes may follow. A pending run
/// includes them too.
pub(super) async fn translate_later(work: &mut Work<'_>, space: &SpaceId) -> Result<(), Error> {
    let tasks = run_tasks(work, space).await?;
    if tasks.is_empty() {
        return Ok(());
    }
    let now = work.now();
    let jobs: Vec<Job> =
        tasks.into_iter().map(|task| Job::new(work.ids.make(), task, now + CHANGE_DELAY, now)).collect();
    Ok(work.jobs().add_missing(&jobs).await?)
}

/// Translations as the API shows them to a caller with access to their organization.
async fn shown(
    work: &mut Work<'_>,
    organization: &Granted<Organization>,
    translations: Page<Translation>,
) -> Result<Page<Granted<Translation>>, Error> {
    let ids = |one: &Translation| std::iter::once(one.source.space.clone()).chain(one.target.clone());
    let ids: Vec<SpaceId> = translations.items.iter().flat_map(ids).collect();
    let spaces: HashMap<SpaceId, RevisionId> = match ids.as_slice() {
        [] => HashMap::new(),
        ids => {
            let found = work.spaces().find_many(ids).await?.into_iter();
            // A space may have been transferred.
            let own = found.filter(|space| space.organization == organization.id);
            own.map(|space| (space.id, space.revision)).collect()
        }
    };
    let requests: Vec<ChangeRequestId> =
        translations.items.iter().filter_map(|one| one.change_request.clone()).collect();
    let undecided = match requests.as_slice() {
        [] => Vec::new(),
        ids => work.change_requests().undecided(ids).await?,
    };
    translations.try_map(|translation| {
        let has_target = translation.target.as_ref().is_some_and(|target| spaces.contains_key(target));
        let has_request = translation.change_request.as_ref().is_some_and(|request| undecided.contains(request));
        let source = spaces.get(&translation.source.space);
        let translation = translation.shown(source, has_target, has_request);
        Granted::check(translation, organization.access(), |may| may.view).map_err(Error::denied("translation"))
    })
}

async fn shown_one(
    work: &mut Work<'_>,
    organization: &Granted<Organization>,
    translation: Translation,
) -> Result<Granted<Translation>, Error> {
    only(shown(work, organization, vec![translation].into()).await?)
}

/// Loads a translation, with its organization, for an administrator.
async fn find(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    id: &TranslationId,
) -> Result<(Granted<Organization>, Translation), Error> {
    let organization = work.organization(organization, |may| may.admin).await?;
    let found = work.translations().find(&organization.id, id).await?;
    Ok((organization, found.ok_or(Error::NotFound("translation"))?))
}

impl Translations {
    /// The translations of an organization, oldest first.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        page: Input<PageRequest>,
    ) -> Result<Page<Granted<Translation>>, Error> {
        let mut work = self.units.read(actor).await?;
        let organization = work.organization(organization, |may| may.admin).await?;
        let found = work.translations().list(&organization.id, &page.read()?).await?;
        shown(&mut work, &organization, found).await
    }

    /// All translations of all organizations, oldest first. For the operator.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn all(&self) -> Result<Vec<Translation>, Error> {
        Ok(self.units.store.query().await?.translations().all().await?)
    }

    /// A translation.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators.
    pub async fn get(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &TranslationId,
    ) -> Result<Granted<Translation>, Error> {
        let mut work = self.units.read(actor).await?;
        let (organization, found) = find(&mut work, organization, id).await?;
        shown_one(&mut work, &organization, found).await
    }

    /// Creates a translation and requests its first run.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`], also for a
    /// source that the caller may not see, and if the server has no translator; [`Error::Conflict`] if the organization
    /// has [`MAX_TRANSLATIONS`].
    pub async fn create(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        new: Input<NewTranslation>,
    ) -> Result<Granted<Translation>, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let organization = work.organization(organization, |may| may.admin).await?;
        let new = new.read()?;
        let absent = || Invalid::new("source.space", "there is no such space in the organization");
        let source = work.space(&new.space, |may| may.view).await.map_err(|error| match error {
            Error::NotFound(_) => absent().into(),
            other => other,
        })?;
        if source.organization != organization.id {
            return Err(absent().into());
        }
        let languages = new.languages(source.language)?;
        self.check_translates()?;
        if work.translations().count(&organization.id).await? >= MAX_TRANSLATIONS {
            let full = format!("the organization already has {MAX_TRANSLATIONS} translations: delete one first");
            return Err(Error::Conflict(full));
        }
        let (by, now) = (account(actor)?, work.now());
        let translation = Translation::new(work.ids.make(), organization.id.clone(), new, languages, by, now);
        work.translations().save(&translation).await?;
        let change = Change::TranslationCreated {
            translation: translation.id.clone(),
            space: translation.source.space.clone(),
            language: translation.language,
        };
        work.record(&organization.id, change).await?;
        work.add_new_job(run_task(&organization.id, &translation.id)).await?;
        let shown = shown_one(&mut work, &organization, translation).await?;
        work.commit().await?;
        Ok(shown)
    }

    /// Sets the instructions, which apply from the next run.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    pub async fn instruct(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &TranslationId,
        precondition: Precondition<Granted<Translation>>,
        instructions: Input<TranslationInstructions>,
    ) -> Result<Granted<Translation>, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let (organization, mut translation) = find(&mut work, organization, id).await?;
        let instructions = Document::from(instructions.read()?);
        precondition.check_shown(shown_one(&mut work, &organization, translation.clone())).await?;
        if instructions != translation.instructions {
            translation.instructions = instructions;
            translation.updated_at = work.now();
            work.translations().save(&translation).await?;
            let change = Change::TranslationUpdated { translation: translation.id.clone() };
            work.record(&organization.id, change).await?;
        }
        let shown = shown_one(&mut work, &organization, translation).await?;
        work.commit().await?;
        Ok(shown)
    }

    /// Deletes a translation, but not its target space. Returns whether it existed.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization; [`Error::Forbidden`] for callers other than administrators;
    /// [`Error::PreconditionFailed`].
    pub async fn remove(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &TranslationId,
        precondition: Precondition<Granted<Translation>>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let organization = work.organization(organization, |may| may.admin).await?;
        let Some(translation) = work.translations().find(&organization.id, id).await? else {
            return precondition.nothing_removed();
        };
        precondition.check_shown(shown_one(&mut work, &organization, translation)).await?;
        work.translations().remove(&organization.id, id).await?;
        work.record(&organization.id, Change::TranslationDeleted { translation: id.clone() }).await?;
        work.commit().await?;
        Ok(true)
    }

    /// Requests a run; if one is running, another follows it. With `fresh`, the engine translates every text again.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`] if the
    /// server has no translator.
    pub async fn run(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &TranslationId,
        fresh: bool,
    ) -> Result<(), Error> {
        let task = run_task(organization, id);
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into(), (&task).into()]).await?;
        let (organization, mut translation) = find(&mut work, organization, id).await?;
        self.check_translates()?;
        let now = work.now();
        let by = actor.user().unwrap_or(&translation.created_by).clone();
        translation.ask(by, fresh, now);
        work.translations().save(&translation).await?;
        work.record(&organization.id, Change::TranslationRunRequested { translation: id.clone() }).await?;
        let known = work.jobs().find_task(&task).await?;
        if !known.is_some_and(|job| job.is_held(now)) {
            work.add_job(task).await?;
        }
        work.commit().await
    }

    fn check_translates(&self) -> Result<(), Error> {
        let rule = "the server cannot translate: its operator has to set OCTAVO_TRANSLATOR";
        if self.translates { Ok(()) } else { Err(Invalid::new("language", rule).into()) }
    }
}
