//! Duplicating spaces. A copy shares all content with the original: its revision refers to the same objects.
use super::Spaces;
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::object::MemoryObjects;
use crate::content::revision::RevisionKind;
use crate::event::Change;
use crate::id::{RevisionId, SpaceId};
use crate::place::PlaceId;
use crate::ports::Tx;
use crate::space::Space;
use crate::text::Language;
use crate::usecases::content::write::{About, Base, Prepared, prepare};
use crate::usecases::permissions::take_hold;
use crate::usecases::record::record;
use crate::usecases::{Error, open, placing};
use std::convert::Infallible;

/// The computed content of a copy.
struct Copy {
    /// The revision that was copied.
    revision: RevisionId,
    language: Option<Language>,
    content: Prepared,
}

impl Copy {
    async fn of(tx: &mut dyn Tx, space: &Space) -> Result<Self, Error> {
        let base = Base::load(tx, &space.id, &space.revision).await?;
        let mut at_hand = MemoryObjects::default();
        let nothing = Base::default();
        let same = prepare(tx, &mut at_hand, &nothing.snapshot, Some(space.language), |_| {
            Ok(Ok::<_, Infallible>((base.snapshot.clone(), ())))
        });
        let Ok((content, ())) = same.await?;
        Ok(Self { revision: space.revision.clone(), language: space.language, content })
    }

    fn is_of(&self, space: &Space) -> bool {
        self.revision == space.revision && self.language == space.language
    }
}

impl Spaces {
    /// Copies a space next to the original: its primary content and settings, and its grants. The caller can manage the
    /// copy.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] if the caller may not create next to the space.
    pub async fn duplicate(&self, actor: &Actor, id: &SpaceId) -> Result<Granted<Space>, Error> {
        let (organization, copy) = {
            let mut tx = self.store.read().await?;
            let original = self.to_duplicate(&mut *tx, actor, id).await?;
            (original.organization.clone(), Copy::of(&mut *tx, &original).await?)
        };
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        tx.lock(&[(&organization).into()]).await?;
        // Locked in shared mode: the space cannot change while it is copied, but others can copy it too.
        tx.keep(&[id.into()]).await?;
        let original = self.to_duplicate(&mut *tx, actor, id).await?;
        if original.organization != organization {
            return Err(placing::moved_meanwhile());
        }
        // If the space has changed, the copy is computed again under the lock.
        let copy = if copy.is_of(&original) { copy } else { Copy::of(&mut *tx, &original).await? };
        let now = self.clock.now();
        let mut space = original.duplicate(self.ids.make(), self.ids.make(), now);
        space.position = placing::behind_all(&mut *tx, &space.organization, space.parent.as_ref()).await?;
        tx.spaces().save(&space).await?;
        let (from, to) = (PlaceId::Space(id.clone()), PlaceId::Space(space.id.clone()));
        tx.grants().copy(&from, &to, now).await?;
        let about = About {
            id: space.revision.clone(),
            space: space.id.clone(),
            parents: Vec::new(),
            kind: RevisionKind::Edits,
            author: actor.user().cloned(),
            at: now,
            merged_from: None,
        };
        copy.content.described(about).store_primary(&mut *tx, &*self.ids).await?;
        let change = Change::SpaceDuplicated { space: space.id.clone(), source: id.clone() };
        record(&mut *tx, &*self.ids, actor, Some(&space.organization), now, change).await?;
        take_hold(&mut *tx, &*self.ids, actor, &space.organization, &to, space.default_level, now).await?;
        let made = open::space(&mut *tx, actor, &space.id, |may| may.view).await?;
        tx.commit().await?;
        Ok(made)
    }

    /// A space that the caller may read and may create another one next to.
    async fn to_duplicate(&self, tx: &mut dyn Tx, actor: &Actor, id: &SpaceId) -> Result<Granted<Space>, Error> {
        let original = open::space(tx, actor, id, |may| may.view).await?;
        let (organization, parent) = (&original.organization, original.parent.as_ref());
        let may = placing::check_parent(tx, actor, organization, parent, 0, &PlaceId::Space(id.clone())).await;
        may.map_err(|error| match error {
            // The parent collection, which the caller might not see.
            Error::Invalid(_) => {
                Error::Forbidden("you can see this space, but you may not create another one next to it".into())
            }
            other => other,
        })?;
        Ok(original)
    }
}
