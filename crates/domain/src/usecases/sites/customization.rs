//! The customization of sites and of the spaces on them.
use super::{SeenStructure, Sites};
use crate::access::Granted;
use crate::actor::Actor;
use crate::event::Change;
use crate::id::{OrganizationId, SiteId, SiteSpaceId};
use crate::site::Site;
use crate::site::customization::{
    CustomizationPatch, Customized, EffectiveCustomization, Overrides, SiteCustomizations,
};
use crate::usecases::work::Work;
use crate::usecases::{Error, Input, Precondition};

impl Sites {
    /// The customization of a site, for members who can view it and for its visitors.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn customization(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
    ) -> Result<EffectiveCustomization, Error> {
        let mut work = self.units.read(actor).await?;
        work.site(organization, id, |may| may.read).await?;
        Ok(seen_by(actor, work.site_customizations().load(id, Some(&[])).await?.of_site()))
    }

    /// Replaces the customization of a site. Values that are not given return to their defaults.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators of the site; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    pub async fn replace_customization(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &SiteId,
        precondition: Precondition<EffectiveCustomization>,
        values: Input<CustomizationPatch>,
    ) -> Result<EffectiveCustomization, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[id.into()]).await?;
        let site = work.site(organization, id, |may| may.admin).await?;
        let overrides = Overrides::from(values.read()?);
        let before = work.site_customizations().load(id, Some(&[])).await?;
        let shown = before.of_site();
        precondition.check(&shown)?;
        let customized = Customized { overrides, updated_at: work.now() };
        let after = SiteCustomizations { site: Some(customized.clone()), ..before };
        if after.of_site().customization == shown.customization {
            return Ok(shown);
        }
        work.site_customizations().save(id, None, &customized).await?;
        ended(work, site, None, &shown, after.of_site()).await
    }

    /// The customization of a space on a site that the caller sees: that of the site with the overrides of the space.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn site_space_customization(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteSpaceId),
    ) -> Result<EffectiveCustomization, Error> {
        let mut work = self.units.read(actor).await?;
        let site = work.site(organization, site, |may| may.read).await?;
        Ok(seen_by(actor, of_space(&mut work, &site, id).await?.of_space(id)))
    }

    /// Changes the overrides of a space on a site.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators of the site; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    pub async fn update_site_space_customization(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteSpaceId),
        precondition: Precondition<EffectiveCustomization>,
        patch: Input<CustomizationPatch>,
    ) -> Result<EffectiveCustomization, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[site.into()]).await?;
        let site = work.site(organization, site, |may| may.admin).await?;
        let mut customizations = of_space(&mut work, &site, id).await?;
        let patch = patch.read()?;
        let shown = customizations.of_space(id);
        precondition.check(&shown)?;
        let before = customizations.spaces.remove(id).map(|customized| customized.overrides).unwrap_or_default();
        let mut overrides = before.clone();
        overrides.patch(patch);
        if overrides == before {
            return Ok(shown);
        }
        if overrides.is_empty() {
            work.site_customizations().remove(&site.id, id).await?;
        } else {
            let customized = Customized { overrides, updated_at: work.now() };
            work.site_customizations().save(&site.id, Some(id), &customized).await?;
            customizations.spaces.insert(id.clone(), customized);
        }
        ended(work, site, Some(id), &shown, customizations.of_space(id)).await
    }

    /// Removes all overrides of a space on a site. Returns whether there were any.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers other than administrators of the site; [`Error::PreconditionFailed`].
    pub async fn remove_site_space_customization(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        (site, id): (&SiteId, &SiteSpaceId),
        precondition: Precondition<EffectiveCustomization>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[site.into()]).await?;
        let found = work.site(organization, site, |may| may.admin).await;
        let Some(site) = precondition.found(found)? else { return Ok(false) };
        let found = of_space(&mut work, &site, id).await;
        let Some(mut customizations) = precondition.found(found)? else { return Ok(false) };
        let shown = customizations.of_space(id);
        precondition.check(&shown)?;
        if customizations.spaces.remove(id).is_none() {
            return Ok(false);
        }
        work.site_customizations().remove(&site.id, id).await?;
        ended(work, site, Some(id), &shown, customizations.of_space(id)).await?;
        Ok(true)
    }
}

/// A customization as the caller sees it: a visitor gets no link whose condition is false.
fn seen_by(actor: &Actor, shown: EffectiveCustomization) -> EffectiveCustomization {
    match actor.visitor() {
        Some(visitor) => shown.for_visitor(visitor.visit.claims()),
        None => shown,
    }
}

/// The overrides of a site and of a space on it that the caller may see.
async fn of_space(work: &mut Work<'_>, site: &Granted<Site>, id: &SiteSpaceId) -> Result<SiteCustomizations, Error> {
    let structure = work.sites().structure(&site.id).await?;
    let seen = SeenStructure::of(work, site, structure).await?;
    seen.structure.space(id).ok_or(Error::NotFound("site space"))?;
    Ok(work.site_customizations().load(&site.id, Some(std::slice::from_ref(id))).await?)
}

/// Completes a change of a customization: marks the site as changed, and records the changed keys.
async fn ended(
    mut work: Work<'_>,
    mut site: Granted<Site>,
    space: Option<&SiteSpaceId>,
    before: &EffectiveCustomization,
    after: EffectiveCustomization,
) -> Result<EffectiveCustomization, Error> {
    work.save_changed_site(&mut site).await?;
    let change = Change::SiteCustomizationUpdated {
        site: site.id.clone(),
        site_space: space.cloned(),
        keys: before.customization.changed_keys(&after.customization),
    };
    work.record(&site.organization, change).await?;
    work.commit().await?;
    Ok(after)
}
