//! The parts of a structure.
use crate::id::{PageId, SiteLinkId, SiteSectionGroupId, SiteSectionId, SiteSpaceId, SpaceId};
use crate::patch::{Patch, set};
use crate::site::condition::Condition;
use crate::site::path::SitePath;
use crate::text::{Icon, Language, Rule, Text};
use crate::web_address::WebAddress;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// The title of a site, a section, a space on a site, or a link.
pub type SiteTitle = Text<2, 128>;
/// The title of a group of sections.
pub type SectionGroupTitle = Text<1, 100>;
/// The description of a section or a link; empty means none.
pub type SiteDescription = Text<0, 256>;

/// A text in several languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, T>")]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Localized<T>(BTreeMap<String, T>);

impl<T> Default for Localized<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Localized<T> {
    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All texts with their languages.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(language, text)| (language.as_str(), text))
    }

    /// The text in a language, which is the language of a space and can be absent.
    pub fn get(&self, language: Option<Language>) -> Option<&T> {
        self.0.get(language?.as_str())
    }
}

impl<T> TryFrom<BTreeMap<String, T>> for Localized<T> {
    type Error = Rule;

    fn try_from(texts: BTreeMap<String, T>) -> Result<Self, Rule> {
        match texts.keys().find(|key| key.parse::<Language>().is_err()) {
            Some(unknown) => Err(Rule(format!("must have languages as names; {unknown:?} is none"))),
            None => Ok(Self(texts)),
        }
    }
}

/// Reads a stored condition, which was checked when it was set.
fn condition<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Condition>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(Condition::stored))
}

/// The settings of a space on a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteSpaceSettings {
    /// Its title on the site; the title of the space if absent.
    #[serde(default)]
    pub title: Option<SiteTitle>,
    /// Its path among its siblings.
    pub path: SitePath,
    /// The page that it starts with; the first one if absent.
    #[serde(default)]
    pub page: Option<PageId>,
    /// Whether it is the default among its siblings.
    #[serde(default)]
    pub default: bool,
    /// A draft is left out of what visitors see.
    #[serde(default)]
    pub draft: bool,
    /// Whether it is left out of the navigation.
    #[serde(default)]
    pub hidden: bool,
    /// Which visitors see it.
    #[serde(default, deserialize_with = "condition")]
    pub condition: Option<Condition>,
    /// The title in other languages.
    #[serde(default)]
    pub localized_title: Localized<SiteTitle>,
}

/// A space on a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteSpace {
    /// The id.
    pub id: SiteSpaceId,
    /// The space.
    pub space: SpaceId,
    /// Its settings.
    pub settings: SiteSpaceSettings,
}

/// Changes to a space on a site; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of SiteSpace and SiteSpaceSettings")]
pub struct SiteSpacePatch {
    pub space: Option<SpaceId>,
    pub title: Patch<SiteTitle>,
    pub path: Option<SitePath>,
    pub page: Patch<PageId>,
    pub draft: Option<bool>,
    pub hidden: Option<bool>,
    pub condition: Patch<Condition>,
    pub localized_title: Option<Localized<SiteTitle>>,
}

impl SiteSpace {
    /// A space with this path, shown with its own title.
    pub fn new(id: SiteSpaceId, space: SpaceId, path: SitePath) -> Self {
        let settings = SiteSpaceSettings {
            title: None,
            path,
            page: None,
            default: false,
            draft: false,
            hidden: false,
            condition: None,
            localized_title: Localized::default(),
        };
        Self { id, space, settings }
    }

    /// Applies changes. Another space removes the page that the old one started with.
    pub(super) fn update(&mut self, patch: SiteSpacePatch) {
        let SiteSpacePatch { space, title, path, page, draft, hidden, condition, localized_title } = patch;
        if let Some(space) = space.filter(|space| *space != self.space) {
            self.space = space;
            self.settings.page = None;
        }
        let settings = &mut self.settings;
        title.apply(&mut settings.title);
        page.apply(&mut settings.page);
        condition.apply(&mut settings.condition);
        set(&mut settings.path, path);
        set(&mut settings.draft, draft);
        set(&mut settings.hidden, hidden);
        set(&mut settings.localized_title, localized_title);
    }
}

/// The settings of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SectionSettings {
    /// Its title.
    pub title: SiteTitle,
    /// What it is for.
    #[serde(default)]
    pub description: Option<SiteDescription>,
    /// Its path on the site.
    pub path: SitePath,
    /// The name of an icon.
    #[serde(default)]
    pub icon: Option<Icon>,
    /// Whether it is the default of the site.
    #[serde(default)]
    pub default: bool,
    /// A draft is left out of what visitors see.
    #[serde(default)]
    pub draft: bool,
    /// Which visitors see it.
    #[serde(default, deserialize_with = "condition")]
    pub condition: Option<Condition>,
    /// The title in other languages.
    #[serde(default)]
    pub localized_title: Localized<SiteTitle>,
    /// The description in other languages.
    #[serde(default)]
    pub localized_description: Localized<SiteDescription>,
}

/// A section of a site: spaces that are variants of each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The id.
    pub id: SiteSectionId,
    /// Its settings.
    pub settings: SectionSettings,
    /// Its spaces, in order.
    pub spaces: Vec<SiteSpace>,
}

/// Changes to a section; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of SectionSettings")]
pub struct SectionPatch {
    pub title: Option<SiteTitle>,
    pub description: Patch<SiteDescription>,
    pub path: Option<SitePath>,
    pub icon: Patch<Icon>,
    pub draft: Option<bool>,
    pub condition: Patch<Condition>,
    pub localized_title: Option<Localized<SiteTitle>>,
    pub localized_description: Option<Localized<SiteDescription>>,
    /// Its default space.
    pub default_space: Option<SiteSpaceId>,
    /// The group that contains it; [`Patch::Clear`] is the top level.
    pub group: Patch<SiteSectionGroupId>,
}

impl SectionSettings {
    /// The settings of a new section.
    pub fn new(title: SiteTitle, path: SitePath) -> Self {
        Self {
            title,
            description: None,
            path,
            icon: None,
            default: false,
            draft: false,
            condition: None,
            localized_title: Localized::default(),
            localized_description: Localized::default(),
        }
    }

    pub(super) fn update(&mut self, patch: SectionPatch) {
        let SectionPatch {
            title,
            description,
            path,
            icon,
            draft,
            condition,
            localized_title,
            localized_description,
            default_space: _,
            group: _,
        } = patch;
        set(&mut self.title, title);
        description.apply(&mut self.description);
        set(&mut self.path, path);
        icon.apply(&mut self.icon);
        set(&mut self.draft, draft);
        condition.apply(&mut self.condition);
        set(&mut self.localized_title, localized_title);
        set(&mut self.localized_description, localized_description);
    }
}

/// The settings of a group of sections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SectionGroupSettings {
    /// Its title.
    pub title: SectionGroupTitle,
    /// The name of an icon.
    #[serde(default)]
    pub icon: Option<Icon>,
    /// A draft is left out of what visitors see, with all in it.
    #[serde(default)]
    pub draft: bool,
    /// The title in other languages.
    #[serde(default)]
    pub localized_title: Localized<SectionGroupTitle>,
}

/// A group of sections, links and groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionGroup {
    /// The id.
    pub id: SiteSectionGroupId,
    /// Its settings.
    pub settings: SectionGroupSettings,
    /// The items in it, in order.
    pub items: Vec<Item>,
}

/// Changes to a group; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of SectionGroupSettings")]
pub struct SectionGroupPatch {
    pub title: Option<SectionGroupTitle>,
    pub icon: Patch<Icon>,
    pub draft: Option<bool>,
    pub localized_title: Option<Localized<SectionGroupTitle>>,
    /// The group that contains it; [`Patch::Clear`] is the top level.
    pub parent: Patch<SiteSectionGroupId>,
}

impl SectionGroupSettings {
    pub(super) fn update(&mut self, patch: SectionGroupPatch) {
        let SectionGroupPatch { title, icon, draft, localized_title, parent: _ } = patch;
        set(&mut self.title, title);
        icon.apply(&mut self.icon);
        set(&mut self.draft, draft);
        set(&mut self.localized_title, localized_title);
    }
}

/// The settings of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkSettings {
    /// Its title.
    pub title: SiteTitle,
    /// Where it leads to.
    pub url: WebAddress,
    /// Its description.
    #[serde(default)]
    pub description: Option<SiteDescription>,
    /// The name of an icon.
    #[serde(default)]
    pub icon: Option<Icon>,
    /// A draft is left out of what visitors see.
    #[serde(default)]
    pub draft: bool,
    /// Which visitors see it.
    #[serde(default, deserialize_with = "condition")]
    pub condition: Option<Condition>,
    /// The title in other languages.
    #[serde(default)]
    pub localized_title: Localized<SiteTitle>,
    /// The description in other languages.
    #[serde(default)]
    pub localized_description: Localized<SiteDescription>,
}

/// A link to another site, among the sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalLink {
    /// The id.
    pub id: SiteLinkId,
    /// Its settings.
    pub settings: LinkSettings,
}

/// Changes to a link; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of LinkSettings")]
pub struct LinkPatch {
    pub title: Option<SiteTitle>,
    pub url: Option<WebAddress>,
    pub description: Patch<SiteDescription>,
    pub icon: Patch<Icon>,
    pub draft: Option<bool>,
    pub condition: Patch<Condition>,
    pub localized_title: Option<Localized<SiteTitle>>,
    pub localized_description: Option<Localized<SiteDescription>>,
    /// The group that contains it; [`Patch::Clear`] is the top level.
    pub parent: Patch<SiteSectionGroupId>,
}

impl LinkSettings {
    pub(super) fn update(&mut self, patch: LinkPatch) {
        let LinkPatch {
            title,
            url,
            description,
            icon,
            draft,
            condition,
            localized_title,
            localized_description,
            parent: _,
        } = patch;
        set(&mut self.title, title);
        set(&mut self.url, url);
        description.apply(&mut self.description);
        icon.apply(&mut self.icon);
        set(&mut self.draft, draft);
        condition.apply(&mut self.condition);
        set(&mut self.localized_title, localized_title);
        set(&mut self.localized_description, localized_description);
    }
}

/// The settings of any part of a structure, to compare them before and after a change.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
#[expect(missing_docs, reason = "see the settings of each part")]
pub enum PartSettings<'a> {
    Space {
        space: &'a SpaceId,
        #[serde(flatten)]
        settings: &'a SiteSpaceSettings,
    },
    Section(&'a SectionSettings),
    Group(&'a SectionGroupSettings),
    Link(&'a LinkSettings),
}

/// An item at the top level of a site with sections, or in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A section.
    Section(Section),
    /// A group.
    Group(SectionGroup),
    /// A link.
    Link(ExternalLink),
}

impl Item {
    /// The id.
    pub fn id(&self) -> ItemId {
        match self {
            Self::Section(section) => ItemId::Section(section.id.clone()),
            Self::Group(group) => ItemId::Group(group.id.clone()),
            Self::Link(link) => ItemId::Link(link.id.clone()),
        }
    }
}

/// The id of a part of a structure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ItemId {
    /// A space on the site.
    Space(SiteSpaceId),
    /// A section.
    Section(SiteSectionId),
    /// A group.
    Group(SiteSectionGroupId),
    /// A link.
    Link(SiteLinkId),
}

impl ItemId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Space(id) => id.as_str(),
            Self::Section(id) => id.as_str(),
            Self::Group(id) => id.as_str(),
            Self::Link(id) => id.as_str(),
        }
    }

    /// The kind of part, as in the API.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Space(_) => "site-space",
            Self::Section(_) => "site-section",
            Self::Group(_) => "site-section-group",
            Self::Link(_) => "site-external-link",
        }
    }

    /// The kind of part, in words.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Space(_) => "site space",
            Self::Section(_) => "site section",
            Self::Group(_) => "site section group",
            Self::Link(_) => "external link",
        }
    }
}
