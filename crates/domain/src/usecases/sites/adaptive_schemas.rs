//! Adaptive schemas of sites.
use crate::actor::Actor;
use crate::event::Change;
use crate::id::{OrganizationId, SiteId};
use crate::site::adaptive_schema::{AdaptiveSchema, SiteAdaptiveSchema, TemplateCondition};
use crate::usecases::work::Units;
use crate::usecases::{Error, Input, Precondition};

/// Reads and sets the adaptive schemas of sites.
#[derive(Clone)]
pub struct AdaptiveSchemas {
    /// Units of work.
    pub units: Units,
}

impl AdaptiveSchemas {
    /// The adaptive schema of a site.
    ///
    /// # Errors
    /// [`Error::NotFound`], also if none is set; [`Error::Forbidden`].
    pub async fn get(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
    ) -> Result<SiteAdaptiveSchema, Error> {
        let mut work = self.units.read(actor).await?;
        work.site(organization, site, |may| may.view_adaptive_schema).await?;
        work.site_audiences().adaptive_schema(site).await?.ok_or(Error::NotFound("adaptive schema"))
    }

    /// Sets the adaptive schema of a site.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators of the site; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    pub async fn put(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        precondition: Precondition<SiteAdaptiveSchema>,
        schema: Input<AdaptiveSchema>,
    ) -> Result<SiteAdaptiveSchema, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[site.into()]).await?;
        let mut site = work.site(organization, site, |may| may.edit_adaptive_schema).await?;
        let schema = schema.read()?;
        match work.site_audiences().adaptive_schema(&site.id).await? {
            Some(current) => {
                precondition.check(&current)?;
                if current.schema == schema {
                    return Ok(current);
                }
            }
            None => precondition.check_absent()?,
        }
        let set = SiteAdaptiveSchema { schema, updated_at: work.now() };
        work.site_audiences().save_adaptive_schema(&site.id, &set).await?;
        work.save_changed_site(&mut site).await?;
        work.record(organization, Change::SiteAdaptiveSchemaUpdated { site: site.id.clone() }).await?;
        work.commit().await?;
        Ok(set)
    }

    /// The conditions that the adaptive schema of a site suggests; none if there is no schema.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`].
    pub async fn template_conditions(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
    ) -> Result<Vec<TemplateCondition>, Error> {
        let mut work = self.units.read(actor).await?;
        work.site(organization, site, |may| may.view_adaptive_schema).await?;
        let set = work.site_audiences().adaptive_schema(site).await?;
        Ok(set.map(|set| set.schema.template_conditions()).unwrap_or_default())
    }
}
