//! The structure of sites: spaces, sections, groups and links.
use crate::answer::links::Links;
use crate::request::paging::List;
use crate::wire::space::{Space, space};
use domain::site::condition::Condition;
use domain::site::structure::{self as domain_structure, Item, ItemId, Localized, Structure};
use domain::usecases::sites::{Part, ShownStructure};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// URLs of a part of a site.
#[derive(Serialize, ToSchema)]
pub(crate) struct SitePartUrls {
    /// For visitors, while the site is published and they can see the part. On a site with the visibility `share-link`
    /// it has the `shareKey` of the request, and is absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<String>,
}

/// A space on a site.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SiteSpace)]
pub(crate) struct SiteSpace {
    /// `site-space`.
    object: &'static str,
    id: String,
    /// The path of the space among its siblings. The address of the default space does not contain it.
    #[schema(min_length = 1, max_length = 100)]
    path: String,
    /// The section that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<String>,
    space: Space,
    /// The title on the site; the title of the space, if none was set.
    title: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    localized_title: BTreeMap<String, String>,
    /// Whether it is the default among its siblings.
    default: bool,
    /// The page that it starts with.
    #[serde(skip_serializing_if = "Option::is_none")]
    page_id: Option<String>,
    /// Whether it is a draft, which visitors do not see.
    draft: bool,
    /// Whether the navigation omits it.
    hidden: bool,
    /// The expression that decides which visitors see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    urls: SitePartUrls,
}

/// A section of a site.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SiteSection)]
pub(crate) struct Section {
    /// `site-section`.
    object: &'static str,
    id: String,
    #[schema(min_length = 2, max_length = 128)]
    title: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    localized_title: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256)]
    description: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    localized_description: BTreeMap<String, String>,
    /// The path of the section on the site. The default one has none in its address.
    #[schema(min_length = 1, max_length = 100)]
    path: String,
    /// Whether it is the default section of the site.
    default: bool,
    /// Whether it is a draft, which visitors do not see.
    draft: bool,
    /// The expression that decides which visitors see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    /// The group that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    section_group: Option<String>,
    /// The name of an icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 50)]
    icon: Option<String>,
    site_spaces: Vec<SiteSpace>,
    urls: SitePartUrls,
}

/// A group of sections, links and groups.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SiteSectionGroup)]
pub(crate) struct SectionGroup {
    /// `site-section-group`.
    object: &'static str,
    id: String,
    #[schema(min_length = 1, max_length = 100)]
    title: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    localized_title: BTreeMap<String, String>,
    /// The name of an icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 50)]
    icon: Option<String>,
    /// Whether it is a draft: visitors do not see it or its children.
    draft: bool,
    /// The group that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    section_group: Option<String>,
    #[schema(no_recursion)]
    children: Vec<SortedPart>,
    /// The sections among the children. Use `children` instead.
    #[schema(deprecated)]
    sections: Vec<Section>,
}

/// A link among the sections of a site.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SiteExternalLink)]
pub(crate) struct ExternalLink {
    /// `site-external-link`.
    object: &'static str,
    id: String,
    #[schema(min_length = 2, max_length = 128)]
    title: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    localized_title: BTreeMap<String, String>,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256)]
    description: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    localized_description: BTreeMap<String, String>,
    /// The name of an icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 50)]
    icon: Option<String>,
    /// Whether it is a draft, which visitors do not see.
    draft: bool,
    /// The expression that decides which visitors see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    /// The group that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    section_group: Option<String>,
}

/// A part of the structure of a site.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = SiteStructureItem)]
pub(crate) enum SortedPart {
    SiteSpace(Box<SiteSpace>),
    Section(Box<Section>),
    #[schema(no_recursion)]
    Group(Box<SectionGroup>),
    Link(Box<ExternalLink>),
}

/// The structure of a site.
#[derive(Serialize, ToSchema)]
pub(crate) struct SiteStructure {
    /// `sections` or `siteSpaces`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Sections, groups and links of a site with sections, otherwise its site spaces; in order.
    structure: Vec<SortedPart>,
}

pub(crate) type SectionList = List<Section>;
pub(crate) type SectionGroupList = List<SectionGroup>;
pub(crate) type SiteSpaceList = List<SiteSpace>;

fn texts<T: Clone + Into<String>>(localized: &Localized<T>) -> BTreeMap<String, String> {
    localized.texts().map(|(language, text)| (language.to_owned(), text.clone().into())).collect()
}

fn condition(condition: Option<&Condition>) -> Option<String> {
    condition.map(|condition| condition.as_str().to_owned())
}

pub(crate) fn site_space(
    shown: &ShownStructure,
    section: Option<&domain_structure::Section>,
    one: &domain_structure::SiteSpace,
    links: &Links,
) -> Option<SiteSpace> {
    let granted = shown.spaces.get(&one.space)?.clone();
    let settings = &one.settings;
    let title = settings.title.as_ref().map_or_else(|| granted.title.to_string(), ToString::to_string);
    let published = shown.published.as_ref().and_then(|published| links.published_parts(published).site_space(&one.id));
    let published = published.map(ToOwned::to_owned);
    Some(SiteSpace {
        object: "site-space",
        id: one.id.to_string(),
        path: settings.path.to_string(),
        section: section.map(|section| section.id.to_string()),
        title,
        localized_title: texts(&settings.localized_title),
        default: settings.default,
        page_id: settings.page.as_ref().map(ToString::to_string),
        draft: settings.draft,
        hidden: settings.hidden,
        condition: condition(settings.condition.as_ref()),
        urls: SitePartUrls { published },
        space: space(granted, links),
    })
}

pub(crate) fn section(shown: &ShownStructure, one: &domain_structure::Section, links: &Links) -> Section {
    let settings = &one.settings;
    let group = shown.structure.parent(&ItemId::Section(one.id.clone()));
    let spaces = one.spaces.iter().filter_map(|space| site_space(shown, Some(one), space, links));
    let published = shown.published.as_ref().and_then(|published| links.published_parts(published).section(&one.id));
    let published = published.map(ToOwned::to_owned);
    Section {
        object: "site-section",
        id: one.id.to_string(),
        title: settings.title.to_string(),
        localized_title: texts(&settings.localized_title),
        description: settings.description.as_ref().map(ToString::to_string),
        localized_description: texts(&settings.localized_description),
        path: settings.path.to_string(),
        default: settings.default,
        draft: settings.draft,
        condition: condition(settings.condition.as_ref()),
        section_group: group.map(|group| group.id.to_string()),
        icon: settings.icon.as_ref().map(ToString::to_string),
        site_spaces: spaces.collect(),
        urls: SitePartUrls { published },
    }
}

pub(crate) fn section_group(
    shown: &ShownStructure,
    one: &domain_structure::SectionGroup,
    links: &Links,
) -> SectionGroup {
    let settings = &one.settings;
    let sections = one.items.iter().filter_map(|item| match item {
        Item::Section(one) => Some(section(shown, one, links)),
        _ => None,
    });
    SectionGroup {
        object: "site-section-group",
        id: one.id.to_string(),
        title: settings.title.to_string(),
        localized_title: texts(&settings.localized_title),
        icon: settings.icon.as_ref().map(ToString::to_string),
        draft: settings.draft,
        section_group: shown.structure.parent(&ItemId::Group(one.id.clone())).map(|group| group.id.to_string()),
        children: one.items.iter().map(|item| sorted(shown, item, links)).collect(),
        sections: sections.collect(),
    }
}

fn link(shown: &ShownStructure, one: &domain_structure::ExternalLink) -> ExternalLink {
    let settings = &one.settings;
    ExternalLink {
        object: "site-external-link",
        id: one.id.to_string(),
        title: settings.title.to_string(),
        localized_title: texts(&settings.localized_title),
        url: settings.url.to_string(),
        description: settings.description.as_ref().map(ToString::to_string),
        localized_description: texts(&settings.localized_description),
        icon: settings.icon.as_ref().map(ToString::to_string),
        draft: settings.draft,
        condition: condition(settings.condition.as_ref()),
        section_group: shown.structure.parent(&ItemId::Link(one.id.clone())).map(|group| group.id.to_string()),
    }
}

fn sorted(shown: &ShownStructure, item: &Item, links: &Links) -> SortedPart {
    match item {
        Item::Section(one) => SortedPart::Section(Box::new(section(shown, one, links))),
        Item::Group(one) => SortedPart::Group(Box::new(section_group(shown, one, links))),
        Item::Link(one) => SortedPart::Link(Box::new(link(shown, one))),
    }
}

pub(crate) fn structure(shown: &ShownStructure, links: &Links) -> SiteStructure {
    match &shown.structure {
        Structure::Spaces(spaces) => {
            let spaces = spaces.iter().filter_map(|one| site_space(shown, None, one, links));
            let structure = spaces.map(|space| SortedPart::SiteSpace(Box::new(space))).collect();
            SiteStructure { kind: "siteSpaces", structure }
        }
        Structure::Sections(items) => {
            let structure = items.iter().map(|item| sorted(shown, item, links)).collect();
            SiteStructure { kind: "sections", structure }
        }
    }
}

/// One part of a structure; `None` if the caller may not see it.
pub(crate) fn part(part: &Part, links: &Links) -> Option<SortedPart> {
    let shown = &part.of;
    match &part.id {
        ItemId::Space(id) => {
            let (section, space) = shown.structure.space(id)?;
            site_space(shown, section, space, links).map(|space| SortedPart::SiteSpace(Box::new(space)))
        }
        other => shown.structure.item(other).map(|item| sorted(shown, item, links)),
    }
}
