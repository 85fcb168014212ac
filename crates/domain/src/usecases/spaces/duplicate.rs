//! Duplicating spaces. A copy shares all content with the original: its revision refers to the same objects.
use super::{ShownSpace, Spaces};
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::object::MemoryObjects;
use crate::event::Change;
use crate::id::{RevisionId, SpaceId};
use crate::place::PlaceId;
use crate::space::Space;
use crate::text::Language;
use crate::usecases::content::write::{About, Base, Draft, Indexed, prepare};
use crate::usecases::work::Work;
use crate::usecases::{Error, placing};

/// The computed content of a copy.
pub(in crate::usecases) struct Copy {
    /// The revision that was copied.
    revision: RevisionId,
    language: Option<Language>,
    content: Draft,
}

impl Copy {
    pub(in crate::usecases) async fn of(work: &mut Work<'_>, space: &Space) -> Result<Self, Error> {
        let base = Base::load(work, &space.id, &space.revision).await?;
        let mut at_hand = MemoryObjects::default();
        let nothing = Base::default();
        let (content, ()) = prepare(work, &mut at_hand, &nothing.snapshot, Indexed::New(space.language), |_| {
            Ok(Ok((base.snapshot.clone(), ())))
        })
        .await?;
        Ok(Self { revision: space.revision.clone(), language: space.language, content })
    }

    fn is_of(&self, space: &Space) -> bool {
        self.revision == space.revision && self.language == space.language
    }

    /// Copies a space next to the original, which must be kept as it is, in a locked organization. If the space has
    /// changed, its content is computed again.
    pub(in crate::usecases) async fn make(
        self,
        work: &mut Work<'_>,
        original: &Granted<Space>,
    ) -> Result<Granted<Space>, Error> {
        let copy = if self.is_of(original) { self } else { Self::of(work, original).await? };
        let now = work.now();
        let mut space = original.duplicate(work.ids.make(), work.ids.make(), now);
        space.position = work.position_behind_all(&space.organization, space.parent.as_ref()).await?;
        work.spaces().save(&space).await?;
        let (from, to) = (original.id.clone().into(), PlaceId::Space(space.id.clone()));
        work.grants().copy(&from, &to.clone().into(), now).await?;
        let about = About { id: space.revision.clone(), ..About::edits(work, &space.id, &Base::default()) };
        copy.content.described(about).store_primary(work).await?;
        let change = Change::SpaceDuplicated { space: space.id.clone(), source: original.id.clone() };
        work.record(&space.organization, change).await?;
        work.take_hold(&space.organization, &to, space.default_level).await?;
        work.space(&space.id, |may| may.view).await
    }
}

impl Spaces {
    /// Copies a space next to the original: its primary content and settings, and its grants. The caller can manage the
    /// copy.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] if the caller may not create next to the space.
    pub async fn duplicate(&self, actor: &Actor, id: &SpaceId) -> Result<ShownSpace, Error> {
        let (organization, copy) = {
            let mut work = self.units.read(actor).await?;
            let original = to_duplicate(&mut work, id).await?;
            (original.organization.clone(), Copy::of(&mut work, &original).await?)
        };
        let mut work = self.units.write(actor).await?;
        work.lock(&[(&organization).into()]).await?;
        // Locked in shared mode: the space cannot change while it is copied, but others can copy it too.
        work.keep(&[id.into()]).await?;
        let original = to_duplicate(&mut work, id).await?;
        if original.organization != organization {
            return Err(placing::moved_meanwhile());
        }
        let made = copy.make(&mut work, &original).await?;
        work.commit().await?;
        Ok(ShownSpace::unpublished(made))
    }
}

/// A space that the caller may read and may create another one next to.
pub(in crate::usecases) async fn to_duplicate(work: &mut Work<'_>, id: &SpaceId) -> Result<Granted<Space>, Error> {
    let original = work.space(id, |may| may.view).await?;
    let (organization, parent) = (&original.organization, original.parent.as_ref());
    let may = work.check_parent(organization, parent, 0, &PlaceId::Space(id.clone())).await;
    may.map_err(|error| match error {
        // The parent collection, which the caller might not see.
        Error::Invalid(_) => {
            Error::Forbidden("you can see this space, but you may not create another one next to it".into())
        }
        other => other,
    })?;
    Ok(original)
}
