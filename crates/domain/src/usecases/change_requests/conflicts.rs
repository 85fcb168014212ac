//! Conflicts: listing and resolving them.
use super::{ChangeRequests, LoadedChangeRequest, ShownChangeRequest};
use crate::actor::Actor;
use crate::change_request::ChangeRequestRef;
use crate::content::merge::{Conflict, Keep, Value, resolve, touched};
use crate::content::object::{MemoryObjects, Scratch, together};
use crate::content::snapshot::{EditError, Edits, SnapshotDiff};
use crate::event::Change;
use crate::id::{ConflictId, PageId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::ports::store::change_requests::OpenConflict;
use crate::usecases::content::write::{Base, Indexed, RevisionMetadata, prepare};
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};

/// A conflict with its page.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownConflict {
    /// The id; absent if only a trial merge found the conflict.
    pub id: Option<ConflictId>,
    /// The conflict.
    pub conflict: Conflict,
    /// The page.
    pub page: Option<ConflictPage>,
}

/// A page of a conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictPage {
    /// The id.
    pub id: PageId,
    /// Its title.
    pub title: String,
    /// Its path in the change request; absent if it is not there.
    pub path: Option<String>,
}

/// Adds the pages of conflicts, as in the change request; pages that are missing there, as in the conflict.
pub(super) async fn show(
    work: &mut Work<'_>,
    opened: &LoadedChangeRequest,
    conflicts: Vec<(Option<ConflictId>, Conflict)>,
) -> Result<Vec<ShownConflict>, Error> {
    if conflicts.is_empty() {
        return Ok(Vec::new());
    }
    let head = Base::load(work, &opened.space.id, &opened.request.revision).await?.snapshot;
    let mut loaded = MemoryObjects::default();
    let pages = work.compute(&mut loaded, |objects| {
        together(conflicts.iter().map(|(_, conflict)| {
            let Some(id) = conflict.subject.page() else { return Ok(None) };
            let here = head.page(objects, id)?.map(|page| page.title);
            let path = head.path(objects, id)?;
            Ok(here.or_else(|| title(conflict)).map(|title| ConflictPage { id: id.clone(), title, path }))
        }))
    });
    let pages = pages.await?;
    let shown = conflicts.into_iter().zip(pages);
    Ok(shown.map(|((id, conflict), page)| ShownConflict { id, conflict, page }).collect())
}

/// The title of a page that exists only in the conflict.
fn title(conflict: &Conflict) -> Option<String> {
    let sides = [&conflict.change, &conflict.primary, &conflict.base];
    sides.into_iter().flatten().find_map(|value| match value {
        Value::Page(page) => Some(page.page.title.clone()),
        _ => None,
    })
}

impl ChangeRequests {
    /// The open conflicts of a change request.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn conflicts(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        page: Input<PageRequest>,
    ) -> Result<Page<ShownConflict>, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedChangeRequest::find(&mut work, space, which, |may| may.view).await?;
        let page = page.read()?;
        let all = work.change_requests().conflicts(&opened.request.id).await?;
        let Page { items, total, next } = Page::of_sorted(all, &page, |open| open.id.to_string());
        let items = items.into_iter().map(|open| (Some(open.id), open.conflict)).collect();
        Ok(Page { items: show(&mut work, &opened, items).await?, total, next })
    }

    /// Resolves a conflict: the change request gets the version of the chosen side.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a resolved conflict; [`Error::Forbidden`], [`Error::Invalid`]; [`Error::Conflict`]
    /// if the content of the change request cannot change.
    pub async fn resolve(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        id: &ConflictId,
        keep: Input<Keep>,
    ) -> Result<ShownChangeRequest, Error> {
        let mut work = self.units.write(actor).await?;
        let mut opened = LoadedChangeRequest::lock(&mut work, space, which, |may| may.edit).await?;
        let open = work.change_requests().conflicts(&opened.request.id).await?;
        let (this, others): (Vec<_>, Vec<_>) = open.into_iter().partition(|open| open.id == *id);
        let conflict = this.into_iter().next().ok_or(Error::NotFound("conflict"))?.conflict;
        let keep = keep.read()?;
        opened.check_writable()?;
        let base = Base::load(&mut work, &opened.space.id, &opened.request.revision).await?;
        let next = |scratch: &mut Scratch<'_>| {
            let edits = resolve(scratch, &base.snapshot, &conflict, keep)?;
            let nothing = edits == Edits::default();
            let edited = base.snapshot.edit(scratch, &edits)?.map_err(cannot_be_kept);
            Ok(edited.map(|next| (next, nothing)))
        };
        let mut loaded = MemoryObjects::default();
        let (draft, nothing) = prepare(&mut work, &mut loaded, &base.snapshot, Indexed::No, next).await?;
        // Other conflicts that this decision resolves as well, such as those of fields and blocks of a deleted page.
        let others = decided(&mut work, &mut loaded, others, &draft.diff).await?;
        work.change_requests().remove_conflicts(std::slice::from_ref(id)).await?;
        work.change_requests().remove_conflicts(&others).await?;
        if nothing {
            opened.request.updated_at = work.now();
            work.change_requests().save(&opened.request).await?;
        } else {
            let metadata = RevisionMetadata::edits(&work, &opened.space.id, &base);
            let revision = draft.with_metadata(metadata).store(&mut work).await?;
            opened.advance(&mut work, revision).await?;
        }
        let change = Change::ConflictResolved {
            space: opened.space.id.clone(),
            change_request: opened.request.id.clone(),
            conflict: id.clone(),
        };
        opened.record(&mut work, change).await?;
        let shown = opened.shown(&mut work).await?;
        work.commit().await?;
        Ok(shown)
    }
}

fn cannot_be_kept(error: EditError) -> Error {
    Error::Conflict(format!("this side cannot be kept: {error}"))
}

/// The open conflicts that an edit resolves because it touches the same content.
pub(super) async fn decided(
    work: &mut Work<'_>,
    loaded: &mut MemoryObjects,
    open: Vec<OpenConflict>,
    diff: &SnapshotDiff,
) -> Result<Vec<ConflictId>, Error> {
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let answers =
        work.compute(loaded, |objects| together(open.iter().map(|open| touched(objects, &open.conflict, diff))));
    let answers = answers.await?;
    Ok(open.into_iter().zip(answers).filter(|(_, decided)| *decided).map(|(open, _)| open.id).collect())
}
