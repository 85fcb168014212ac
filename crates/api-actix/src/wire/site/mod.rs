//! Docs sites.
pub(crate) mod audience;
pub(crate) mod customization;
pub(crate) mod feedback;
mod filters;
mod input;
mod moves;
mod parts;
mod published;
mod redirect;
mod search;
mod structure;

pub(crate) use filters::{ShareKeyParams, SiteSpacesParams};
pub(crate) use input::{CreateSite, ListSites, UpdateSite};
pub(crate) use moves::{MoveItem, MoveSection, MoveSectionGroup, MoveSiteSpace};
pub(crate) use parts::{
    AddGroupedSection, CreateLink, CreateSection, CreateSectionGroup, CreateSiteSpace, DuplicateSiteSpace, UpdateLink,
    UpdateSection, UpdateSectionGroup, UpdateSiteSpace,
};
pub(crate) use published::{PublishedContentSite, published};
pub(crate) use redirect::{
    CreateRedirect, ListRedirects, PutRedirects, PutResults, Redirect, RedirectList, RedirectParams, ResolvedRedirect,
    UpdateRedirect, redirect, resolved, results,
};
pub(crate) use search::SearchSite;
pub(crate) use structure::{
    ExternalLink, Section, SectionGroup, SectionGroupList, SectionList, SiteSpace, SiteSpaceList, SiteStructure,
    SortedPart, part, section, section_group, site_space, structure,
};

use super::schemas;
use crate::answer::links::Links;
use crate::answer::resource::{Presented, Resource};
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::content::reference::ContentRef;
use domain::site::{self, AgentsContext, SiteIcon, SiteType, SiteVisibility};
use domain::usecases::sites::ShownSite;
use serde::Serialize;
use utoipa::ToSchema;

/// A docs site: spaces that are published together under one address.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Site)]
pub(crate) struct SiteFields {
    id: String,
    /// The type that the site was created with.
    #[serde(rename = "type")]
    #[schema(value_type = schemas::SiteType)]
    kind: SiteType,
    /// The effective type: every feature is available, whatever the type.
    #[schema(value_type = schemas::SiteType)]
    applied_type: SiteType,
    #[schema(min_length = 2, max_length = 128)]
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<Icon>,
    /// The host name of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 512)]
    hostname: Option<String>,
    /// The name of the site in addresses of the server.
    #[schema(min_length = 1, max_length = 100)]
    basename: String,
    /// The address of the site behind a proxy of its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    proxy: Option<Proxy>,
    #[schema(value_type = schemas::SiteVisibility)]
    visibility: SiteVisibility,
    /// Whether the audience of its visibility can reach the site.
    published: bool,
    /// Role of members without a grant of their own; `null` means no access.
    #[schema(value_type = Option<schemas::DefaultLevel>, required)]
    default_level: Option<&'static str>,
    /// The number of spaces on the site.
    site_spaces: usize,
    created_at: DateTime<Utc>,
    adaptive_content: AdaptiveContent,
    #[schema(value_type = schemas::AgentsContext)]
    agents_context: AgentsContext,
    /// The space with the rules of style for the content of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::ContentReference>)]
    styleguide: Option<ContentRef>,
    features: Vec<SiteFeature>,
    /// A warning for administrators of the site: it is private, and a site of another organization has the same origin.
    /// Absent if there is no problem, and in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin_warning: Option<&'static str>,
}

/// A warning that a private site shares its origin, with the remedy.
const ORIGIN_WARNING: &str = "Sites of other organizations are on the same origin, and browsers do not keep paths apart. Give \
                              the site a hostname, or set OCTAVO_SITES_HOST and a hostname of the organization.";

/// The icon of a site: images or an emoji.
#[derive(Serialize, ToSchema)]
#[schema(as = SiteIcon)]
pub(crate) struct Icon {
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<IconImages>,
    #[serde(skip_serializing_if = "Option::is_none")]
    emoji: Option<String>,
}

/// Addresses of images for light and dark mode.
#[derive(Serialize, ToSchema)]
#[schema(as = SiteIconImages)]
pub(crate) struct IconImages {
    light: String,
    dark: String,
}

/// The two ends of a proxy.
#[derive(Serialize, ToSchema)]
#[schema(as = SiteProxy)]
pub(crate) struct Proxy {
    /// What visitors see, such as `www.example.org/docs`.
    origin: String,
    /// Where the proxy forwards requests to.
    target: String,
}

/// Whether visitors see content by their claims.
#[derive(Serialize, serde::Deserialize, ToSchema)]
#[schema(as = SiteAdaptiveContent)]
pub(crate) struct AdaptiveContent {
    pub(crate) enabled: bool,
}

/// A feature of sites.
#[derive(Serialize, ToSchema)]
pub(crate) struct SiteFeature {
    id: &'static str,
    /// The type of site that has the feature.
    #[schema(value_type = schemas::SiteType)]
    plan: SiteType,
    /// Whether the feature is disabled.
    frozen: bool,
    /// The parts that it can customize.
    customizations: Vec<&'static str>,
}

/// The features of the API that this server has.
const FEATURES: &[&str] = &[
    "sites-adaptive-content",
    "sites-advanced-customization",
    "sites-api-playground",
    "sites-basic-customization",
    "sites-broken-links",
    "sites-custom-domain",
    "sites-custom-fonts",
    "sites-custom-subdirectory",
    "sites-full-text-search",
    "sites-multivariant-site",
    "sites-page-feedback",
    "sites-preview-deployments",
    "sites-public-visibility",
    "sites-redirects",
    "sites-sections",
    "sites-seo",
    "sites-share-links",
    "sites-unlisted-visibility",
    "sites-visitor-authentication",
];

/// What advanced customization covers.
const CUSTOMIZATIONS: &[&str] = &[
    "header-logo",
    "header-primary-link",
    "theme-preset",
    "premium-fonts",
    "custom-icons",
    "footer-logo",
    "footer-links",
    "footer-copyright",
    "semantic-colors",
];

fn features() -> Vec<SiteFeature> {
    let customizations = |id: &str| match id {
        "sites-advanced-customization" => CUSTOMIZATIONS.to_vec(),
        _ => Vec::new(),
    };
    let feature = |id: &&'static str| SiteFeature {
        id,
        plan: SiteType::Ultimate,
        frozen: false,
        customizations: customizations(id),
    };
    FEATURES.iter().map(feature).collect()
}

/// URLs of a site.
#[derive(Serialize, ToSchema)]
pub(crate) struct SiteUrls {
    /// In this API.
    pub(crate) location: String,
    /// For people.
    app: String,
    /// The site with drafts, for people with access to it.
    preview: String,
    /// For visitors, while the site is published. A site with the visibility `share-link` has none of its own: see its
    /// share links.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<String>,
}

impl Resource for SiteFields {
    const OBJECT: &'static str = "site";
    type Entity = site::Site;
    type Urls = SiteUrls;
}

pub(crate) type Site = Presented<SiteFields>;
pub(crate) type SiteList = List<Site>;

fn icon(icon: SiteIcon) -> Icon {
    match icon {
        SiteIcon::Icon { light, dark } => {
            Icon { icon: Some(IconImages { light: light.into(), dark: dark.into() }), emoji: None }
        }
        SiteIcon::Emoji(emoji) => Icon { icon: None, emoji: Some(emoji.into()) },
    }
}

pub(crate) fn site(shown: ShownSite, links: &Links) -> Site {
    let ShownSite { site, spaces, address, exposed } = shown;
    Presented::new(site, |site: site::Site| {
        let location = links.site(&site.organization, &site.id);
        let urls = SiteUrls {
            app: location.clone(),
            location,
            preview: links.site_preview(&site.id),
            published: address.map(|address| links.published_site(&address)),
        };
        let proxy = site.proxy.map(|proxy| Proxy { origin: proxy.to_string(), target: links.proxy_target(&site.id) });
        let fields = SiteFields {
            id: site.id.into(),
            kind: site.kind,
            applied_type: SiteType::Ultimate,
            title: site.title.into(),
            icon: site.icon.map(icon),
            hostname: site.hostname.map(String::from),
            basename: site.basename.into(),
            proxy,
            visibility: site.visibility,
            published: site.published_at.is_some(),
            default_level: site.default_level.word(),
            site_spaces: spaces,
            created_at: site.created_at,
            adaptive_content: AdaptiveContent { enabled: site.adaptive_content },
            agents_context: site.agents_context,
            styleguide: site.styleguide.map(|space| ContentRef::Space { space }),
            features: features(),
            origin_warning: exposed.then_some(ORIGIN_WARNING),
        };
        (fields, urls)
    })
}
