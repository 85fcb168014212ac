//! The start of a time slice of a run: loads the translation, and checks whether it can run.
use super::target::create;
use super::{Lease, Outcome, Stop, stop};
use crate::id::{OrganizationId, TranslationId};
use crate::ports::{Translator, TranslatorAbilities};
use crate::space::{EditMode, Space};
use crate::translation::glossary::GlossaryEntry;
use crate::translation::run::{DENIED_REST, TranslationRun};
use crate::translation::{Translation, TranslationErrorCode, TranslationStatus};
use crate::usecases::Error;
use crate::usecases::work::Work;
use chrono::{DateTime, Utc};

/// The data that a time slice needs.
pub(super) struct Ready {
    pub(super) translation: Translation,
    pub(super) source: Space,
    pub(super) glossary: Vec<GlossaryEntry>,
    pub(super) run: TranslationRun,
}

/// The outcome of starting a time slice.
pub(super) enum StartOutcome {
    /// It can run.
    Ready(Box<Ready>),
    /// There is nothing to do, or the translation cannot run.
    Ended(Outcome),
}

/// Why a translation cannot run, the message, and when to try again.
type StartError = (TranslationErrorCode, &'static str, Option<DateTime<Utc>>);

/// The existing spaces of a translation.
struct Found {
    source: Option<Space>,
    target: Option<Space>,
}

/// Starts a time slice of a run. Creates the target before the first one.
pub(super) async fn begin(
    lease: &Lease<'_>,
    translator: &dyn Translator,
    organization: &OrganizationId,
    id: &TranslationId,
) -> Result<StartOutcome, Stop> {
    let mut work = lease.step_with(&[organization.into()]).await?;
    let Some(mut translation) = work.translations().find(organization, id).await? else {
        return Ok(StartOutcome::Ended(Outcome::Done));
    };
    let found = Found::of(&mut work, &translation).await?;
    let explicit = translation.asked_by.is_some();
    let first = translation.target.is_none() && translation.stats.runs == 0;
    if found.target.is_none() && !explicit && !first {
        // The target was deleted: do not create it again without a request.
        translation.status = TranslationStatus::Completed;
        translation.error = None;
        work.translations().save(&translation).await?;
        work.commit().await?;
        return Ok(StartOutcome::Ended(Outcome::Done));
    }
    let obstacle = match &found.source {
        Some(source) => obstacle(&mut work, &translation, source, &found, translator, lease.now()).await?,
        None => {
            let at = Some(lease.now() + DENIED_REST);
            Some((TranslationErrorCode::SourceMissing, "the source is deleted, or in another organization", at))
        }
    };
    let (None, Some(source)) = (&obstacle, found.source) else {
        drop(work);
        let (code, message, retry_at) =
            obstacle.unwrap_or((TranslationErrorCode::SourceMissing, "the source is deleted", None));
        stop(lease, organization, id, (code, message.to_owned(), retry_at)).await?;
        return Ok(StartOutcome::Ended(match retry_at {
            Some(at) => again(&translation, at),
            None => Outcome::Done,
        }));
    };
    let now = work.now();
    let current = work.translations().runs(id, 1).await?.into_iter().next().filter(|run| run.finished_at.is_none());
    let abilities = translator.abilities();
    let is_first_slice = current.is_none();
    let run = current.unwrap_or_else(|| TranslationRun::new(work.ids.make(), id.clone(), abilities.name, now));
    work.translations().save_run(&run).await?;
    if found.target.is_none() {
        translation.target = None;
        translation.machine_revision = None;
        translation.change_request = None;
    }
    let again = translation.again;
    translation.start(now);
    // A run that was requested during an earlier time slice still follows this one.
    translation.again = again && !is_first_slice;
    work.translations().save(&translation).await?;
    let glossary = work.glossary().entries(organization).await?;
    work.commit().await?;
    if translation.target.is_none() {
        match create(lease, &translation, &source).await? {
            Some(created) => translation = created,
            None => return Ok(StartOutcome::Ended(Outcome::Done)),
        }
    }
    Ok(StartOutcome::Ready(Box::new(Ready { translation, source, glossary, run })))
}

fn again(translation: &Translation, at: DateTime<Utc>) -> Outcome {
    let (organization, translation) = (translation.organization.clone(), translation.id.clone());
    Outcome::Again(crate::job::Task::translate(organization, translation), at)
}

impl Found {
    async fn of(work: &mut Work<'_>, translation: &Translation) -> Result<Self, Error> {
        let source = work.spaces().find(&translation.source.space, None).await?.map(|reach| reach.entity);
        let target = match &translation.target {
            Some(target) => work.spaces().find(target, None).await?.map(|reach| reach.entity),
            None => None,
        };
        let usable = |space: &Space| translation.reads(space);
        Ok(Self { source: source.filter(usable), target: target.filter(usable) })
    }
}

async fn obstacle(
    work: &mut Work<'_>,
    translation: &Translation,
    source: &Space,
    found: &Found,
    translator: &dyn Translator,
    now: DateTime<Utc>,
) -> Result<Option<StartError>, Error> {
    let user = translation.acts_for();
    let found_organization = work.organizations().find(&translation.organization, Some(user)).await?;
    let Some(found_organization) = found_organization.filter(|_| translation.reads(source)) else {
        return Ok(Some((TranslationErrorCode::SourceMissing, "the source is deleted", None)));
    };
    if !found_organization.membership.is_some_and(|membership| membership.administers()) {
        let message = "the user for whom it runs is no administrator of the organization: ask for a run";
        return Ok(Some((TranslationErrorCode::AccessLost, message, None)));
    }
    let TranslatorAbilities { language_model, .. } = translator.abilities();
    if language_model && !found_organization.organization.ai {
        let message = "the engine is a language model, and the organization does not allow them (its setting ai)";
        return Ok(Some((TranslationErrorCode::LanguageModelsOff, message, Some(now + DENIED_REST))));
    }
    if !translator.has(translation.source.language, translation.language) {
        return Ok(Some((TranslationErrorCode::EngineLanguages, "the engine does not have the languages", None)));
    }
    if found.target.as_ref().is_some_and(|target| target.edit_mode == EditMode::Locked) {
        let message = "the space with the translation is locked";
        return Ok(Some((TranslationErrorCode::TargetLocked, message, Some(now + DENIED_REST))));
    }
    Ok(None)
}
