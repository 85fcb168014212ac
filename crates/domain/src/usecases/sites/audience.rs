//! Loads the audience of a site.
use super::Sites;
use crate::id::SiteId;
use crate::site::Site;
use crate::site::audience::SiteAudience;
use crate::site::publishing_auth::PublishingAuth;
use crate::usecases::Error;
use crate::usecases::work::Work;

impl Sites {
    /// The audience of a site, with its publishing authentication.
    pub(super) async fn audience(
        &self,
        work: &mut Work<'_>,
        site: &Site,
    ) -> Result<(SiteAudience, PublishingAuth), Error> {
        let audience = self.audience_if(work, &site.id, Some(site)).await?;
        audience.ok_or(Error::NotFound("site"))
    }

    /// The same for a site that may be missing, with the same queries.
    pub(super) async fn audience_if(
        &self,
        work: &mut Work<'_>,
        id: &SiteId,
        site: Option<&Site>,
    ) -> Result<Option<(SiteAudience, PublishingAuth)>, Error> {
        let stored = work.site_audiences().publishing_auth(id).await?;
        let auth = stored.unwrap_or_else(|| PublishingAuth::new(id.clone()));
        let schema = work.site_audiences().adaptive_schema(id).await?.map(|set| set.schema);
        Ok(site.map(|site| (SiteAudience::of(site, self.deriver.key(&auth), schema), auth)))
    }
}
