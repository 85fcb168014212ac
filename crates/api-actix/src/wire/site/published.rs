//! Published sites.
use super::audience::{IntegrationScript, integration_scripts};
use super::customization::{SiteCustomization, customization};
use super::{Site, SiteStructure, site, structure};
use crate::answer::links::Links;
use domain::usecases::sites::PublishedSite;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A published site as a visitor sees it.
#[derive(Serialize, ToSchema)]
pub(crate) struct PublishedContentSite {
    /// `published-content-site`.
    object: &'static str,
    site: Site,
    structure: SiteStructure,
    customizations: PublishedCustomizations,
    /// Scripts of integrations; always empty.
    scripts: Vec<IntegrationScript>,
}

/// The customizations of a published site.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PublishedCustomizations {
    site: SiteCustomization,
    /// By the id of the site space.
    site_spaces: BTreeMap<String, SiteCustomization>,
}

pub(crate) fn published(found: PublishedSite, links: &Links) -> PublishedContentSite {
    let site_spaces = found.site_spaces.into_iter().map(|(id, own)| (id.to_string(), customization(own, links)));
    PublishedContentSite {
        object: "published-content-site",
        structure: structure(&found.structure, links),
        site: site(found.site, links),
        customizations: PublishedCustomizations {
            site: customization(found.customization, links),
            site_spaces: site_spaces.collect(),
        },
        scripts: integration_scripts(),
    }
}
