//! The published site of the demo: the guide, the documentation of Octavo, and the API of the weather station.
use super::{Files, everything, imported, space};
use anyhow::{Context, Result};
use domain::actor::Actor;
use domain::content::computed::ComputedSource;
use domain::id::{OrganizationId, SiteId, SpaceId};
use domain::openapi_spec::{SpecSlug, SpecText};
use domain::site::adaptive_schema::AdaptiveSchema;
use domain::site::customization::CustomizationPatch;
use domain::site::structure::SiteTitle;
use domain::site::{NewSite, SitePatch};
use domain::space::NewSpace;
use domain::text::SpaceTitle;
use domain::usecases::openapi_specs::NewSource;
use domain::usecases::sites::structure::{Linked, NewSection};
use domain::usecases::sites::{ShownSite, SiteFilter};
use domain::usecases::{Error, Precondition, UseCases};
use serde_json::{Map, Value, json};

const DOCS_SPACE: &str = "Octavo documentation";
const API_SPACE: &str = "Station API";
const SPEC: &str = "kestrel";
/// The OpenAPI document of the weather station.
const DOCUMENT: &str = include_str!("../../demo-api/kestrel.yaml");

/// Publishes a site with the guide, without the steps that an earlier run did.
pub(super) async fn make(
    use_cases: &UseCases,
    actor: &Actor,
    organization: &OrganizationId,
    guide: &SpaceId,
    docs: Files,
) -> Result<()> {
    let docs = imported(use_cases, actor, organization, DOCS_SPACE, docs).await?;
    let site = match sites_with(use_cases, actor, organization, guide).await?.into_iter().next() {
        Some(found) => found.site.id.clone(),
        None => {
            let title = SiteTitle::fitted(super::SPACE, super::SPACE);
            let new = NewSite { title: Some(title), spaces: vec![guide.clone(), docs], ..NewSite::default() };
            use_cases.sites.create(actor, organization, new.into()).await?.site.id.clone()
        }
    };
    let api = reference(use_cases, actor, organization).await?;
    if !sites_with(use_cases, actor, organization, &api).await?.iter().any(|shown| shown.site.id == site) {
        let section = NewSection {
            space: Linked::Existing(api),
            title: SiteTitle::try_from(API_SPACE.to_owned()).ok(),
            icon: None,
            page: None,
            draft: false,
            group: None,
        };
        use_cases.sites.add_section(actor, organization, &site, section.into()).await?;
    }
    customize(use_cases, actor, organization, &site).await?;
    use_cases.sites.publish(actor, organization, &site).await?;
    Ok(())
}

/// The sites with a space.
async fn sites_with(
    use_cases: &UseCases,
    actor: &Actor,
    organization: &OrganizationId,
    space: &SpaceId,
) -> Result<Vec<ShownSite>, Error> {
    let filter = SiteFilter { space: Some(space.clone()), ..SiteFilter::default() };
    Ok(use_cases.sites.list(actor, organization, (filter, everything()).into()).await?.items)
}

/// The address of the published site with a space.
pub(super) async fn address(
    use_cases: &UseCases,
    actor: &Actor,
    organization: &OrganizationId,
    space: &SpaceId,
) -> Result<Option<String>, Error> {
    let found = sites_with(use_cases, actor, organization, space).await?;
    let address = found.into_iter().filter(|shown| shown.site.is_published()).find_map(|shown| shown.address);
    Ok(address.map(|address| address.at(&use_cases.sites.hosting, "")))
}

/// A space whose pages are generated from the OpenAPI document of the weather station.
async fn reference(use_cases: &UseCases, actor: &Actor, organization: &OrganizationId) -> Result<SpaceId> {
    let specs = &use_cases.openapi_specs;
    let slug: SpecSlug = SPEC.parse().map_err(|_rule| anyhow::anyhow!("no slug"))?;
    let is_processed = match specs.get(actor, organization, &slug).await {
        Err(Error::NotFound(_)) => false,
        found => found?.last_version.is_some(),
    };
    if !is_processed {
        let text = SpecText::try_from(DOCUMENT.to_owned()).map_err(|rule| rule.of(SPEC))?;
        // Also frees the job that an interrupted run had claimed.
        specs.set(actor, organization, &slug, Precondition::none(), NewSource::Text(text).into()).await?;
        // The pages of the site are there with the first request.
        while let Some((claim, task)) = use_cases.jobs.claim().await? {
            use_cases.jobs.perform(&claim, &task).await?;
        }
    }
    if let Some(found) = space(use_cases, actor, organization, API_SPACE).await? {
        return Ok(found);
    }
    let Value::Object(props) = json!({"models": true}) else { return Err(anyhow::anyhow!("no options")) };
    let new = NewSpace {
        title: Some(SpaceTitle::fitted(API_SPACE, "")),
        computed: Some(ComputedSource::openapi(SPEC, props)),
        ..NewSpace::default()
    };
    Ok(use_cases.spaces.create(actor, organization, (new, None).into()).await?.space.id.clone())
}

/// Lets visitors rate pages, and lets a page depend on the plan of a visitor.
async fn customize(use_cases: &UseCases, actor: &Actor, organization: &OrganizationId, site: &SiteId) -> Result<()> {
    let schema = json!({"type": "object", "additionalProperties": false, "properties": {"unsigned": {
        "type": "object", "description": "Unsigned claims of the site visitor.", "additionalProperties": false,
        "properties": {"plan": {"type": "string", "description": "The plan of the visitor"}},
    }}});
    let schema = AdaptiveSchema::parse(&schema)?;
    use_cases.adaptive_schemas.put(actor, organization, site, Precondition::none(), schema.into()).await?;
    let patch = SitePatch { adaptive_content: Some(true), ..SitePatch::default() };
    use_cases.sites.update(actor, organization, site, Precondition::none(), patch.into()).await?;
    let values: Map<String, Value> = serde_json::from_value(json!({
        "feedback": {"enabled": true},
        "footer": {"copyright": "The guide of Octavo, MIT or Apache-2.0"},
    }))?;
    let values = CustomizationPatch::read(values, serde_json::from_value).context("the customization of the demo")?;
    use_cases.sites.replace_customization(actor, organization, site, Precondition::none(), values.into()).await?;
    Ok(())
}
