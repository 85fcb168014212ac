//! The end of a run: merges the machine translation into the target, which keeps the edits of people. Texts that both
//! changed keep the version of people; the version of the machine goes into a change request.
use super::texts::{KnownTexts, Texts, Translated, TranslatedSpaces};
use super::{Outcome, Run, Stop, TranslationErrorCode};
use crate::change_request::{ChangeRequest, ChangeRequestPatch, ChangeRequestRef, ProposedStatus, Status, Subject};
use crate::content::merge::{Merged, Wording, merge_with};
use crate::content::object::{Hash, MemoryObjects, Read, Scratch};
use crate::content::revision::RevisionKind;
use crate::content::snapshot::Snapshot;
use crate::event::{Change, Differences};
use crate::id::{RevisionId, SpaceId};
use crate::job::Task;
use crate::paging::{MAX_LIMIT, Order, PageRequest};
use crate::ports::store::Lockable;
use crate::space::{EditMode, Space};
use crate::translation::run::{DENIED_REST, KEPT_RUNS, TranslationRun};
use crate::translation::{SUBJECT, Translation};
use crate::usecases::Error;
use crate::usecases::content::ahead::Ahead;
use crate::usecases::content::write::{Base, Draft, Indexed, RevisionMetadata, advance, prepare};
use crate::usecases::translations::run_tasks;
use crate::usecases::work::Work;
use bytes::Bytes;
use chrono::TimeDelta;
use std::collections::BTreeMap;

/// How often the merge is computed again in one turn because people edited the target at the same time.
const ATTEMPTS: usize = 8;

/// The computed changes of the target.
struct Plan {
    /// The revision of the target that it is merged into.
    head: Space,
    /// The primary content, if it changes.
    primary: Option<Draft>,
    /// The machine's content, if it has changed.
    machine: Machine,
    /// The change request with what could not be merged, and its content.
    proposal: Proposal,
}

/// Where the machine's content is stored.
enum Machine {
    /// It is that of the last run.
    Same,
    /// It is the primary content after this run.
    Primary,
    /// In a revision of its own.
    Own(Box<Draft>),
}

/// The change of the change request.
enum Proposal {
    /// There is no change request, and none is needed.
    None,
    /// It is not changed.
    Same(Box<ChangeRequest>),
    /// It gets this content, which differs from the primary content on this number of pages.
    Content { request: Option<Box<ChangeRequest>>, draft: Box<Draft>, pages: usize },
    /// It is archived, because it has no changes left.
    Archive(Box<ChangeRequest>),
}

impl Run<'_, '_> {
    /// Writes the target.
    pub(super) async fn write(mut self, source: &Space, texts: &Texts, known: &KnownTexts) -> Result<Outcome, Stop> {
        let elsewhere = elsewhere(&mut self.lease.read().await?, &self.translation).await?;
        let (translated, untranslated) = texts.translated(known, elsewhere);
        self.record.untranslated = untranslated;
        let hits = texts.wanted.iter().filter(|wanted| known.contains_key(&wanted.key)).count();
        self.record.memory_hits = u32::try_from(hits).unwrap_or(u32::MAX);
        for _ in 0..ATTEMPTS {
            let mut work = self.lease.read().await?;
            let Some(mut plan) =
                Plan::compute_plan(&mut work, &self.translation, texts.snapshot(), &translated).await?
            else {
                drop(work);
                return Ok(self.later(None, self.lease.now()));
            };
            drop(work);
            let mut ahead = Ahead::new(&self.lease.jobs.units);
            plan.send_ahead(&mut ahead).await?;
            if plan.head.edit_mode == EditMode::Locked {
                let message = "the space with the translation is locked".to_owned();
                let at = self.lease.now() + DENIED_REST;
                return self.stop(TranslationErrorCode::TargetLocked, message, Some(at)).await;
            }
            let now = self.lease.now();
            self.count_work(now);
            self.record.finished_at = Some(now);
            let mut work = self.writing(&plan.head.id).await?;
            let organization = &self.translation.organization;
            let Some(translation) = work.translations().find(organization, &self.translation.id).await? else {
                return Ok(Outcome::Done);
            };
            let Some(space) = plan.unchanged_target(&mut work, &translation).await? else { continue };
            ahead.check()?;
            store(&mut work, plan, space, translation, source, &self.record).await?;
            work.commit_and_release(ahead.into_stored()).await?;
            return Ok(Outcome::Done);
        }
        Ok(self.later(None, self.lease.now() + TimeDelta::seconds(1)))
    }

    /// Opens the unit of work that writes the target. It also locks the jobs that it adds.
    async fn writing(&self, target: &SpaceId) -> Result<Work<'_>, Stop> {
        let mut work = self.lease.read().await?;
        let mut tasks = run_tasks(&mut work, target).await?;
        drop(work);
        tasks.push(Task::index_space(target.clone(), None));
        let mut locks: Vec<Lockable> = tasks.iter().map(Lockable::from).collect();
        locks.extend([(&self.translation.organization).into(), target.into()]);
        self.lease.step_with(&locks).await
    }
}

/// The other spaces of the organization that are translated into the same language; of two translations, the older one.
async fn elsewhere(work: &mut Work<'_>, translation: &Translation) -> Result<TranslatedSpaces, Error> {
    let all = PageRequest { limit: MAX_LIMIT, order: Order::Desc, ..PageRequest::default() };
    let found = work.translations().list(&translation.organization, &all).await?.items;
    let same = found
        .into_iter()
        .filter(|other| other.language == translation.language && other.source.space != translation.source.space);
    Ok(same.filter_map(|other| Some((other.source.space, other.target?))).collect())
}

impl Plan {
    /// Computes the changes; `None` if the target is deleted.
    async fn compute_plan(
        work: &mut Work<'_>,
        translation: &Translation,
        source: &Snapshot,
        translated: &Translated,
    ) -> Result<Option<Self>, Error> {
        let Some(target) = &translation.target else { return Ok(None) };
        let Some(head) = work.spaces().find(target, None).await?.map(|reach| reach.entity) else { return Ok(None) };
        let content = Base::load(work, target, &head.revision).await?.snapshot;
        let before = match &translation.machine_revision {
            Some(machine) => Base::load(work, target, machine).await?.snapshot,
            None => Snapshot::default(),
        };
        let mut loaded = MemoryObjects::default();
        let made = work.compute(&mut loaded, |objects| {
            let mut scratch = Scratch::new(objects);
            Ok(translated.snapshot(&mut scratch, source)?.map(|made| {
                made.store(&mut scratch);
                (made, scratch.into_written())
            }))
        });
        let (made, written) = made.await?.map_err(|error| Error::Corrupt(error.to_string()))?;
        loaded.extend(written.clone());
        let merging = Merging { loaded, written, head: &head, content: &content, before: &before, made: &made };
        let plan = merging.plan(work, translation).await?;
        Ok(Some(plan))
    }

    async fn send_ahead(&mut self, ahead: &mut Ahead<'_>) -> Result<(), Error> {
        if let Some(primary) = &mut self.primary {
            primary.send_ahead(ahead).await?;
        }
        if let Machine::Own(draft) = &mut self.machine {
            draft.send_ahead(ahead).await?;
        }
        if let Proposal::Content { draft, .. } = &mut self.proposal {
            draft.send_ahead(ahead).await?;
        }
        Ok(())
    }

    /// The current target, if the inputs of the computation are unchanged. Its counters and its title may have changed.
    async fn unchanged_target(&self, work: &mut Work<'_>, translation: &Translation) -> Result<Option<Space>, Error> {
        let now = work.spaces().find(&self.head.id, None).await?.map(|reach| reach.entity);
        let same = now.filter(|now| {
            now.revision == self.head.revision
                && now.language == self.head.language
                && now.edit_mode == self.head.edit_mode
                && now.deleted_at == self.head.deleted_at
        });
        let request = match &self.proposal {
            Proposal::Content { request: Some(request), .. } | Proposal::Archive(request) | Proposal::Same(request) => {
                request
            }
            Proposal::Content { request: None, .. } | Proposal::None => {
                let open = open_request(work, translation).await?;
                return Ok(same.filter(|_| open.is_none()));
            }
        };
        let now = work.change_requests().find(&self.head.id, &ChangeRequestRef::Id(request.id.clone())).await?;
        Ok(same.filter(|_| now.as_ref() == Some(&**request)))
    }
}

/// The change request of a translation, if it is not decided yet.
async fn open_request(work: &mut Work<'_>, translation: &Translation) -> Result<Option<ChangeRequest>, Error> {
    let (Some(target), Some(id)) = (&translation.target, &translation.change_request) else { return Ok(None) };
    let found = work.change_requests().find(target, &ChangeRequestRef::Id(id.clone())).await?;
    Ok(found.filter(|request| matches!(request.status(), Status::Draft | Status::Open)))
}

/// Merges two contents; if both changed a text, the whole text of `second` is kept.
fn merge(scratch: &mut Scratch<'_>, base: &Snapshot, first: &Snapshot, second: &Snapshot) -> Read<Merged> {
    merge_with(scratch, base, first, second, Wording::Whole)
}

/// The contents that are merged.
struct Merging<'a> {
    loaded: MemoryObjects,
    /// The new objects of the machine's content.
    written: BTreeMap<Hash, Bytes>,
    head: &'a Space,
    /// The content of the target.
    content: &'a Snapshot,
    /// The previous content of the machine.
    before: &'a Snapshot,
    /// The new content of the machine.
    made: &'a Snapshot,
}

impl Merging<'_> {
    async fn plan(mut self, work: &mut Work<'_>, translation: &Translation) -> Result<Plan, Error> {
        let indexed = Indexed::In(self.head.id.clone(), self.head.language);
        let (before, made, content) = (self.before, self.made, self.content);
        // The side of people comes last: it takes precedence where both changed a text.
        let join = |scratch: &mut Scratch<'_>| {
            let merged = merge(scratch, before, made, content)?;
            Ok(Ok((merged.snapshot.clone(), (merged.snapshot, merged.conflicts.len()))))
        };
        let (mut draft, (primary, conflicts)) = prepare(work, &mut self.loaded, content, indexed, join).await?;
        let proposal = self.proposal(work, translation, &primary, conflicts).await?;
        let machine = if made == before {
            Machine::Same
        } else if primary == *made {
            draft.add_objects(std::mem::take(&mut self.written));
            Machine::Primary
        } else {
            let own = |_: &mut Scratch<'_>| Ok(Ok((made.clone(), ())));
            let (mut own, ()) = prepare(work, &mut self.loaded, before, Indexed::No, own).await?;
            own.add_objects(std::mem::take(&mut self.written));
            Machine::Own(Box::new(own))
        };
        let primary = (primary != *content).then_some(draft);
        Ok(Plan { head: self.head.clone(), primary, machine, proposal })
    }

    /// Computes the content of the change request: the primary content, with the machine's version of texts that both
    /// changed.
    async fn proposal(
        &mut self,
        work: &mut Work<'_>,
        translation: &Translation,
        primary: &Snapshot,
        conflicts: usize,
    ) -> Result<Proposal, Error> {
        let request = open_request(work, translation).await?;
        if request.is_none() && conflicts == 0 {
            return Ok(Proposal::None);
        }
        let (before, made, content) = (self.before, self.made, self.content);
        let earlier = match &request {
            Some(request) => {
                let ancestor = Base::load(work, &self.head.id, request.ancestor()).await?.snapshot;
                let proposed = Base::load(work, &self.head.id, &request.revision).await?.snapshot;
                Some((ancestor, proposed))
            }
            None => None,
        };
        let join = |scratch: &mut Scratch<'_>| {
            let base = match &earlier {
                Some((ancestor, proposed)) => merge(scratch, ancestor, primary, proposed)?.snapshot,
                None => content.clone(),
            };
            let merged = merge(scratch, before, &base, made)?.snapshot;
            Ok(Ok((merged.clone(), merged)))
        };
        let (draft, proposed) = prepare(work, &mut self.loaded, primary, Indexed::No, join).await?;
        let pages = draft.diff.pages.len();
        let is_same = earlier.as_ref().is_some_and(|(ancestor, before)| *before == proposed && ancestor == primary);
        Ok(match request {
            Some(request) if proposed == *primary => Proposal::Archive(Box::new(request)),
            None if proposed == *primary => Proposal::None,
            Some(request) if is_same => Proposal::Same(Box::new(request)),
            request => Proposal::Content { request: request.map(Box::new), draft: Box::new(draft), pages },
        })
    }
}

/// Stores the result of a run.
async fn store(
    work: &mut Work<'_>,
    plan: Plan,
    mut space: Space,
    mut translation: Translation,
    source: &Space,
    record: &TranslationRun,
) -> Result<(), Error> {
    let Plan { head: _, primary, machine, proposal } = plan;
    let mut revision = None;
    if let Some(draft) = primary {
        let metadata = RevisionMetadata::new(work, &space.id, RevisionKind::Edits, vec![space.revision.clone()]);
        revision = Some(advance(work, &mut space, draft.with_metadata(metadata)).await?);
    }
    match machine {
        Machine::Same => {}
        Machine::Primary => translation.machine_revision = Some(space.revision.clone()),
        Machine::Own(draft) => {
            let parents = translation.machine_revision.iter().cloned().collect();
            let metadata = RevisionMetadata::new(work, &space.id, RevisionKind::Edits, parents);
            translation.machine_revision = Some(draft.with_metadata(metadata).store(work).await?);
        }
    }
    propose(work, &mut space, &mut translation, proposal).await?;
    let now = work.now();
    translation.source_revision = Some(source.revision.clone());
    translation.result_revision = Some(space.revision.clone());
    translation.complete(record, now);
    work.translations().save(&translation).await?;
    work.translations().save_run(record).await?;
    work.translations().remove_old_runs(&translation.id, KEPT_RUNS).await?;
    let change = Change::TranslationRun { translation: translation.id.clone(), revision, words: record.words };
    work.record(&translation.organization, change).await
}

/// Creates, updates or archives the change request.
async fn propose(
    work: &mut Work<'_>,
    space: &mut Space,
    translation: &mut Translation,
    proposal: Proposal,
) -> Result<(), Error> {
    match proposal {
        Proposal::Same(_) => Ok(()),
        // An earlier one was merged or archived.
        Proposal::None => {
            translation.change_request = None;
            Ok(())
        }
        Proposal::Archive(request) => {
            translation.change_request = None;
            let patch = ChangeRequestPatch { status: Some(ProposedStatus::Archived), ..ChangeRequestPatch::default() };
            change(work, space, *request, patch).await
        }
        Proposal::Content { request, draft, pages } => {
            let request = match request {
                Some(request) => *request,
                None => {
                    let (number, now) = (space.counters.create(), work.now());
                    let author = translation.acts_for().clone();
                    let request =
                        ChangeRequest::new(work.ids.make(), space, number, Subject::fitted(SUBJECT, ""), author, now);
                    let (space, change_request) = (space.id.clone(), request.id.clone());
                    work.change_requests().add(&request).await?;
                    let change = Change::ChangeRequestCreated { space, change_request };
                    work.record(&translation.organization, change).await?;
                    request
                }
            };
            let parents: Vec<RevisionId> = vec![request.revision.clone(), space.revision.clone()];
            let metadata = RevisionMetadata::new(work, &space.id, RevisionKind::Update, parents);
            let revision = draft.with_metadata(metadata).store(work).await?;
            let mut request = request;
            request.bring_up_to_date(revision, space.revision.clone(), work.now());
            translation.change_request = Some(request.id.clone());
            let subject = match pages {
                1 => format!("{SUBJECT}: texts of 1 page changed in the source"),
                pages => format!("{SUBJECT}: texts of {pages} pages changed in the source"),
            };
            let patch = ChangeRequestPatch {
                subject: Some(Subject::fitted(&subject, SUBJECT)),
                status: Some(ProposedStatus::Open),
                ..ChangeRequestPatch::default()
            };
            change(work, space, request, patch).await
        }
    }
}

/// Changes a change request, and the counters of its space.
async fn change(
    work: &mut Work<'_>,
    space: &mut Space,
    mut request: ChangeRequest,
    patch: ChangeRequestPatch,
) -> Result<(), Error> {
    let before = request.status();
    request.update(patch, work.now());
    let status = request.status();
    space.counters.follow(before, status);
    work.change_requests().save(&request).await?;
    work.spaces().save(space).await?;
    let (at, change_request, revision) = (space.id.clone(), request.id.clone(), request.revision.clone());
    let change =
        Change::ChangeRequestContentUpdated { space: at.clone(), change_request: change_request.clone(), revision };
    work.record(&space.organization, change).await?;
    let change = Change::ChangeRequestUpdated { space: at, change_request, status, changes: Differences::default() };
    work.record(&space.organization, change).await
}
