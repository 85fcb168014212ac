//! The space with a translation: an ordinary space next to its source.
use super::{Lease, Stop};
use crate::id::SpaceId;
use crate::job::Task;
use crate::place::PlaceId;
use crate::space::{NewSpace, Space};
use crate::translation::Translation;
use crate::usecases::content::write::NewContent;
use crate::usecases::spaces;

/// Creates the target of a translation: private, with the parent, the default level and the grants of the source.
/// Returns the translation with it; `None` if it was deleted.
pub(super) async fn create(
    lease: &Lease<'_>,
    translation: &Translation,
    source: &Space,
) -> Result<Option<Translation>, Stop> {
    let id: SpaceId = lease.jobs.units.ids.make();
    let index = Task::index_space(id.clone(), None);
    let organization = &translation.organization;
    let mut work = lease.step_with(&[organization.into(), (&id).into(), (&index).into()]).await?;
    let Some(mut translation) = work.translations().find(organization, &translation.id).await? else {
        return Ok(None);
    };
    let new = NewSpace {
        title: Some(translation.target_title(&source.title)),
        parent: source.parent.clone(),
        language: Some(translation.language),
        emoji: Some(source.emoji.clone()),
        empty: true,
        ..NewSpace::default()
    };
    let content = NewContent::initial(&work, &new);
    let made = Space::new(id.clone(), organization.clone(), work.ids.make(), new, work.now());
    let made = Space { icon: source.icon.clone(), default_level: source.default_level, ..made };
    let first = spaces::first(&mut work, &made, content).await?;
    spaces::create(&mut work, made, first).await?;
    let (from, to) = (PlaceId::Space(source.id.clone()), PlaceId::Space(id.clone()));
    let now = work.now();
    work.grants().copy(&from.into(), &to.into(), now).await?;
    translation.target = Some(id);
    translation.machine_revision = None;
    translation.updated_at = now;
    work.translations().save(&translation).await?;
    work.commit().await?;
    Ok(Some(translation))
}
