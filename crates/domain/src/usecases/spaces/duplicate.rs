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
use crate::usecases::content::write::{Base, Draft, Indexed, RevisionMetadata, prepare};
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
        let mut loaded = MemoryObjects::default();
        let nothing = Base::default();
        let (content, ()) = prepare(work, &mut loaded, &nothing.snapshot, Indexed::New(space.language), |_| {
            Ok(Ok((base.snapshot.clone(), ())))
        })
        .await?;
        Ok(Self { revision: space.revision.clone(), language: space.language, content })
    }

    fn is_current(&self, space: &Space) -> bool {
        self.revision == space.revision && self.language == space.language
    }

    /// Copies a space next to the original. The original must be locked in shared mode, the organization exclusively.
    /// If the space has changed, this computes its content again.
    pub(in crate::usecases) async fn make(
        self,
        work: &mut Work<'_>,
        original: &Granted<Space>,
    ) -> Result<Granted<Space>, Error> {
        let copy = if self.is_current(original) { self } else { Self::of(work, original).await? };
        let now = work.now();
        let mut space = original.duplicate(work.ids.make(), work.ids.make(), now);
        space.position = work.last_position(&space.organization, space.parent.as_ref()).await?;
        work.spaces().save(&space).await?;
        let (from, to) = (original.id.clone().into(), PlaceId::Space(space.id.clone()));
        work.grants().copy(&from, &to.clone().into(), now).await?;
        let metadata = RevisionMetadata {
            id: space.revision.clone(),
            ..RevisionMetadata::edits(work, &space.id, &Base::default())
        };
        copy.content.with_metadata(metadata).store_primary(work).await?;
        let change = Change::SpaceDuplicated { space: space.id.clone(), source: original.id.clone() };
        work.record(&space.organization, change).await?;
        work.grant_to_creator(&space.organization, &to, space.default_level).await?;
        work.space(&space.id, |may| may.view).await
    }
}

impl Spaces {
    /// Copies a space next to the original, with its primary content, settings and grants. The caller gets a grant to
    /// manage the copy.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] if the caller may not create next to the space.
    pub async fn duplicate(&self, actor: &Actor, id: &SpaceId) -> Result<ShownSpace, Error> {
        let (organization, copy) = {
            let mut work = self.units.read(actor).await?;
            let original = load_original(&mut work, id).await?;
            (original.organization.clone(), Copy::of(&mut work, &original).await?)
        };
        let mut work = self.units.write(actor).await?;
        work.lock(&[(&organization).into()]).await?;
        // Locked in shared mode: the space cannot change while it is copied, but others can copy it too.
        work.lock_shared(&[id.into()]).await?;
        let original = load_original(&mut work, id).await?;
        if original.organization != organization {
            return Err(placing::transferred_concurrently());
        }
        let made = copy.make(&mut work, &original).await?;
        work.commit().await?;
        Ok(ShownSpace::unpublished(made))
    }
}

/// Loads a space and checks that the caller may read it and create a space next to it.
pub(in crate::usecases) async fn load_original(work: &mut Work<'_>, id: &SpaceId) -> Result<Granted<Space>, Error> {
    let original = work.space(id, |may| may.view).await?;
    let (organization, parent) = (&original.organization, original.parent.as_ref());
    let may = work.check_parent(organization, parent, 0, None).await;
    may.map_err(|error| match error {
        // The caller may have no access to the parent collection.
        Error::Invalid(_) => {
            Error::Forbidden("you can see this space, but you may not create another one next to it".into())
        }
        other => other,
    })?;
    Ok(original)
}
