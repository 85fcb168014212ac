//! URLs of previews.
use super::Urls;
use crate::actor::Actor;
use crate::id::{OrganizationId, SiteId, SiteSpaceId};
use crate::site::preview::PreviewPath;
use crate::site::resolve::is_path;
use crate::site::site_token::{PreviewToken, SiteToken, VALID_FOR};
use crate::site::visitor_query::PREVIEW_TOKEN;
use crate::text::Invalid;
use crate::usecases::sites::SeenStructure;
use crate::usecases::sites::addresses::Addressed;
use crate::usecases::{Error, Input};
use serde_json::{Map, Value};

/// What a preview shows.
#[derive(Clone, Debug, PartialEq)]
pub struct PreviewQuery {
    /// The space on the site to show first; the default one if absent.
    pub site_space: Option<SiteSpaceId>,
    /// The claims of the simulated visitor, with unsigned claims below `unsigned`.
    pub claims: Map<String, Value>,
    /// Whether drafts are shown.
    pub draft: bool,
    /// The path of the page to show first, below the address of the space on the site. It can begin with a version of
    /// the space, such as `~changes/3/install`.
    pub target: Option<String>,
}

impl Urls {
    /// Creates the URL of a preview of a site, published or not. Everyone with the URL can use it for an hour. It shows
    /// the spaces of the site that the caller may read.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the site; [`Error::Invalid`], also for claims that are not in the adaptive schema.
    pub async fn preview(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        query: Input<PreviewQuery>,
    ) -> Result<String, Error> {
        let mut work = self.sites.units.read(actor).await?;
        let site = work.site(organization, site, |may| may.view).await?;
        let PreviewQuery { site_space, claims, draft, target } = query.read()?;
        let schema = work.site_audiences().adaptive_schema(&site.id).await?.map(|set| set.schema);
        match &schema {
            Some(schema) => schema.check(&claims, "claims")?,
            None if claims.is_empty() => {}
            None => return Err(Invalid::new("claims", "must be empty: the site has no adaptive schema").into()),
        }
        let structure = work.sites().structure(&site.id).await?;
        let seen = SeenStructure::of(&mut work, &site, structure).await?.structure;
        let structure = if draft { seen.clone().with_drafts() } else { seen.clone() };
        let addressed = Addressed::load(&mut work, &self.sites.hosting, &site, structure).await?;
        let view = addressed.view();
        let start = match &site_space {
            None => String::new(),
            Some(id) => {
                let none = || Invalid::new("siteSpace", "must be the id of a space on the site that the preview shows");
                view.address(view.spot(id).ok_or_else(none)?, "")
            }
        };
        let target = target.unwrap_or_default();
        let (version, target) = match PreviewPath::read(target.trim_start_matches('/')) {
            PreviewPath::Primary(target) => (String::new(), target),
            PreviewPath::Version(version, target) => (version.to_string(), target),
            PreviewPath::Nothing => {
                return Err(Invalid::new(
                    "target",
                    "must name a change request or a revision after ~changes/ or ~revisions/",
                )
                .into());
            }
        };
        if !is_path(target) {
            let rule = "must be a path without \\, and without . and .. as segments";
            return Err(Invalid::new("target", rule).into());
        }
        let parts = [version.as_str(), start.as_str(), target];
        let path: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let (audience, _) = self.sites.audience(&mut work, &site).await?;
        let said = PreviewToken { site: site.id.clone(), member: actor.user().cloned(), claims, draft };
        let now = work.now();
        let token = said.signed(&audience.key, now, now + VALID_FOR);
        let address = self.sites.hosting.preview(&site.id).at(&path.join("/"));
        Ok(format!("{address}?{PREVIEW_TOKEN}={token}"))
    }
}
