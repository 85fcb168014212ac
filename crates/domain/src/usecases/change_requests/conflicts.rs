//! Conflicts: listing and resolving them.
use super::{ChangeRequests, Opened, ShownChangeRequest};
use crate::actor::Actor;
use crate::change_request::ChangeRequestRef;
use crate::content::merge::{Conflict, Keep, Value, resolve, touched};
use crate::content::object::{MemoryObjects, together};
use crate::content::snapshot::{EditError, Edits, SnapshotDiff};
use crate::event::Change;
use crate::id::{ConflictId, PageId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::ports::Tx;
use crate::ports::store::change_requests::OpenConflict;
use crate::usecases::compute::compute;
use crate::usecases::content::write::{About, Base, prepare};
use crate::usecases::record::record;
use crate::usecases::{Error, Input, open};

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

/// Adds the pages of conflicts, as they are in the change request, or else as the conflict has them.
pub(super) async fn show(
    tx: &mut dyn Tx,
    opened: &Opened,
    conflicts: Vec<(Option<ConflictId>, Conflict)>,
) -> Result<Vec<ShownConflict>, Error> {
    if conflicts.is_empty() {
        return Ok(Vec::new());
    }
    let head = Base::load(tx, &opened.space.id, &opened.request.revision).await?.snapshot;
    let mut at_hand = MemoryObjects::default();
    let pages = compute(tx, &mut at_hand, |objects| {
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

/// The title of a page that only the conflict has.
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
        let mut tx = self.store.read().await?;
        let opened = Opened::find(&mut *tx, actor, space, which, |may| may.view).await?;
        let page = page.read()?;
        let all = tx.change_requests().conflicts(&opened.request.id).await?;
        let Page { items, total, next } = Page::of_sorted(all, &page, |open| open.id.to_string());
        let items = items.into_iter().map(|open| (Some(open.id), open.conflict)).collect();
        Ok(Page { items: show(&mut *tx, &opened, items).await?, total, next })
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
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        let mut opened = Opened::lock(&mut *tx, actor, space, which, |may| may.edit).await?;
        let open = tx.change_requests().conflicts(&opened.request.id).await?;
        let (this, others): (Vec<_>, Vec<_>) = open.into_iter().partition(|open| open.id == *id);
        let conflict = this.into_iter().next().ok_or(Error::NotFound("conflict"))?.conflict;
        let keep = keep.read()?;
        opened.check_writable()?;
        let now = self.clock.now();
        let base = Base::load(&mut *tx, &opened.space.id, &opened.request.revision).await?;
        let next = |scratch: &mut crate::content::object::Scratch<'_>| {
            let edits = resolve(scratch, &base.snapshot, &conflict, keep)?;
            let nothing = edits == Edits::default();
            Ok(base.snapshot.edit(scratch, &edits)?.map(|next| (next, nothing)))
        };
        let mut at_hand = MemoryObjects::default();
        let worked_out = prepare(&mut *tx, &mut at_hand, &base.snapshot, None, next).await?;
        let cannot = |error: EditError| Error::Conflict(format!("this side cannot be kept: {error}"));
        let (prepared, nothing) = worked_out.map_err(cannot)?;
        // Other conflicts that this decision resolves as well, such as those of fields and blocks of a deleted page.
        let others = decided(&mut *tx, &mut at_hand, others, &prepared.diff).await?;
        tx.change_requests().remove_conflicts(std::slice::from_ref(id)).await?;
        tx.change_requests().remove_conflicts(&others).await?;
        if nothing {
            opened.request.updated_at = now;
            tx.change_requests().save(&opened.request).await?;
        } else {
            let about = About::edits(self.ids.make(), &opened.space.id, &base, actor, now);
            let revision = prepared.described(about).store(&mut *tx).await?;
            opened.advance(&mut *tx, &*self.ids, actor, revision, now).await?;
        }
        let change = Change::ConflictResolved {
            space: opened.space.id.clone(),
            change_request: opened.request.id.clone(),
            conflict: id.clone(),
        };
        record(&mut *tx, &*self.ids, actor, Some(&opened.space.organization), now, change).await?;
        let shown = opened.shown(&mut *tx, actor).await?;
        tx.commit().await?;
        Ok(shown)
    }
}

/// The open conflicts that an edit resolves because it touches the same content.
pub(super) async fn decided(
    tx: &mut dyn Tx,
    at_hand: &mut MemoryObjects,
    open: Vec<OpenConflict>,
    diff: &SnapshotDiff,
) -> Result<Vec<ConflictId>, Error> {
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let answers =
        compute(tx, at_hand, |objects| together(open.iter().map(|open| touched(objects, &open.conflict, diff))));
    let answers = answers.await?;
    Ok(open.into_iter().zip(answers).filter(|(_, decided)| *decided).map(|(open, _)| open.id).collect())
}
