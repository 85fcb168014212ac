//! Docs sites: spaces that are published together under one address.
pub mod adaptive_schema;
pub mod address;
pub mod audience;
pub mod condition;
pub mod customization;
pub mod external_image;
pub mod feedback;
pub mod history;
pub mod isolation;
pub(crate) mod lost_path;
pub mod path;
pub mod preview;
pub mod publication;
pub mod publishing_auth;
pub mod reader;
pub mod redirect;
pub mod resolve;
pub mod served_font;
pub mod share_link;
pub mod site_token;
pub mod structure;
pub mod visitor;
pub mod visitor_query;
pub mod visitor_token;

use crate::access::{Access, DefaultLevel, Guarded, Level, permissions};
use crate::event::Audited;
use crate::id::{OrganizationId, SiteId, SiteSectionId, SiteSpaceId, SpaceId};
use crate::patch::{Patch, changed, set};
use crate::text::{Emoji, Rule};
use crate::web_address::WebAddress;
use crate::words;
use chrono::{DateTime, Utc};
use path::{Basename, Hostname, Proxy};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use structure::SiteTitle;

/// The maximum number of sites of an organization (Octavo's own limit).
pub const MAX_SITES: usize = 1000;

/// The title of a site that was created without one.
pub const UNTITLED: &str = "Docs";

words! {
    /// The type of a site. All features are available whatever the type.
    #[derive(Default)]
    pub enum SiteType {
        #[default]
        Basic = "basic",
        Premium = "premium",
        Ultimate = "ultimate",
        Sponsored = "sponsored",
        LegacyBasic = "legacy-basic",
        LegacyPremium = "legacy-premium",
    }
}

words! {
    /// Who can see a published site.
    #[derive(Default)]
    pub enum SiteVisibility {
        /// Anyone; indexed by search engines.
        #[default]
        Public = "public",
        /// Anyone who knows the address; not indexed.
        Unlisted = "unlisted",
        /// Anyone with a share link.
        ShareLink = "share-link",
        /// Anyone who authenticates with a JWT.
        VisitorAuth = "visitor-auth",
    }
}

impl SiteVisibility {
    /// Whether visitors need no credentials to see the site.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Public | Self::Unlisted)
    }
}

words! {
    /// Whether agents can use the site.
    #[derive(Default)]
    pub enum AgentsContext {
        /// Agents cannot access the site.
        Excluded = "excluded",
        /// Agents can access the site.
        #[default]
        Included = "included",
    }
}

/// The icon of a site: images for light and dark mode, or an emoji.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SiteIcon {
    /// Images.
    Icon {
        /// For light mode.
        light: WebAddress,
        /// For dark mode.
        dark: WebAddress,
    },
    /// An emoji.
    Emoji(Emoji),
}

/// A docs site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The id.
    pub id: SiteId,
    /// The organization that owns it.
    pub organization: OrganizationId,
    /// Its type.
    pub kind: SiteType,
    /// Its title.
    pub title: SiteTitle,
    /// Its icon.
    pub icon: Option<SiteIcon>,
    /// Its name in addresses of the instance, where it is unique.
    pub basename: Basename,
    /// A host name of its own, unique in the instance.
    pub hostname: Option<Hostname>,
    /// Its address behind a proxy of the owner.
    pub proxy: Option<Proxy>,
    /// Who can see it while it is published.
    pub visibility: SiteVisibility,
    /// When it was published; absent while it is not.
    pub published_at: Option<DateTime<Utc>>,
    /// Role of members without a grant of their own.
    pub default_level: DefaultLevel,
    /// Whether the content adapts to the claims of visitors.
    pub adaptive_content: bool,
    /// Whether agents can use it.
    pub agents_context: AgentsContext,
    /// The space with the style guide of its content.
    pub styleguide: Option<SpaceId>,
    /// A number that grows with every change of what visitors see: settings, structure, customization, redirects.
    pub version: u64,
    /// When the site was created.
    pub created_at: DateTime<Utc>,
    /// When the site was last changed.
    pub updated_at: DateTime<Utc>,
}

permissions! {
    /// What a member may do with a site (see `docs/access.md`).
    pub struct SitePermissions {
        view = "view",
        access = "access",
        edit = "edit",
        create = "create",
        admin = "admin",
        install_integration = "installIntegration",
        view_adaptive_schema = "viewAdaptiveSchema",
        edit_adaptive_schema = "editAdaptiveSchema",
    }
    internal {
        /// To read the published site: for members who may view the site, and for its visitors.
        read,
    }
}

impl Guarded for Site {
    type Permissions = SitePermissions;

    fn permissions(&self, access: &Access) -> SitePermissions {
        let (reads, edits, administers) =
            (access.at_least(Level::Read), access.at_least(Level::Edit), access.at_least(Level::Admin));
        SitePermissions {
            view: reads,
            access: reads,
            edit: edits,
            create: access.at_least(Level::Create),
            admin: administers,
            install_integration: administers,
            view_adaptive_schema: edits,
            edit_adaptive_schema: administers,
            read: reads || access.visits,
        }
    }

    fn visible(permissions: &SitePermissions) -> bool {
        permissions.read
    }
}

impl Audited for Site {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("title", json!(self.title)),
            ("icon", json!(self.icon)),
            ("basename", json!(self.basename)),
            ("hostname", json!(self.hostname)),
            ("proxy", json!(self.proxy)),
            ("visibility", json!(self.visibility)),
            ("defaultLevel", json!(self.default_level.word())),
            ("adaptiveContent", json!(self.adaptive_content)),
            ("agentsContext", json!(self.agents_context)),
            ("styleguide", json!(self.styleguide)),
        ]
    }
}

/// The initial settings of a new site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSite {
    /// Its type.
    pub kind: SiteType,
    /// Its title; [`UNTITLED`] if absent.
    pub title: Option<SiteTitle>,
    /// Who can see it once it is published.
    pub visibility: SiteVisibility,
    /// The spaces on it, in order; the first one is the default.
    pub spaces: Vec<SpaceId>,
}

/// Changes to a site; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of Site")]
pub struct SitePatch {
    pub title: Option<SiteTitle>,
    pub icon: Patch<SiteIcon>,
    pub visibility: Option<SiteVisibility>,
    pub basename: Option<Basename>,
    pub hostname: Patch<Hostname>,
    pub proxy: Patch<Proxy>,
    pub default_level: Option<DefaultLevel>,
    pub adaptive_content: Option<bool>,
    pub agents_context: Option<AgentsContext>,
    pub styleguide: Patch<SpaceId>,
    /// The default section.
    pub default_section: Option<SiteSectionId>,
    /// The default space of the default section, or of a site without sections.
    pub default_space: Option<SiteSpaceId>,
}

impl SitePatch {
    /// Whether it changes only the defaults of the structure.
    pub fn is_structure(&self) -> bool {
        let rest = Self { default_section: None, default_space: None, ..self.clone() };
        rest == Self::default()
    }
}

impl Site {
    /// A new site, not published.
    pub fn new(id: SiteId, organization: OrganizationId, basename: Basename, new: &NewSite, at: DateTime<Utc>) -> Self {
        Self {
            id,
            organization,
            kind: new.kind,
            title: new.title.clone().unwrap_or_else(|| SiteTitle::fitted(UNTITLED, UNTITLED)),
            icon: None,
            basename,
            hostname: None,
            proxy: None,
            visibility: new.visibility,
            published_at: None,
            default_level: DefaultLevel::Inherit,
            adaptive_content: false,
            agents_context: AgentsContext::default(),
            styleguide: None,
            version: 1,
            created_at: at,
            updated_at: at,
        }
    }

    /// The site as its visitors see it, without the fields for members.
    #[must_use]
    pub fn without_internals(self) -> Self {
        Self { default_level: DefaultLevel::Inherit, styleguide: None, ..self }
    }

    /// Whether visitors can reach it.
    pub fn is_published(&self) -> bool {
        self.published_at.is_some()
    }

    /// Applies changes of settings. Changes of the structure are not applied here. Returns the site before; `None` if
    /// nothing changed.
    pub fn update(&mut self, patch: SitePatch, at: DateTime<Utc>) -> Option<Self> {
        let before = changed(self, |site| site.apply(patch))?;
        self.touch(at);
        Some(before)
    }

    fn apply(&mut self, patch: SitePatch) {
        let SitePatch {
            title,
            icon,
            visibility,
            basename,
            hostname,
            proxy,
            default_level,
            adaptive_content,
            agents_context,
            styleguide,
            default_section: _,
            default_space: _,
        } = patch;
        set(&mut self.title, title);
        icon.apply(&mut self.icon);
        set(&mut self.visibility, visibility);
        set(&mut self.basename, basename);
        hostname.apply(&mut self.hostname);
        proxy.apply(&mut self.proxy);
        set(&mut self.default_level, default_level);
        set(&mut self.adaptive_content, adaptive_content);
        set(&mut self.agents_context, agents_context);
        styleguide.apply(&mut self.styleguide);
    }

    /// Publishes the site. Returns whether it was not published before.
    pub fn publish(&mut self, at: DateTime<Utc>) -> bool {
        let first = self.published_at.is_none();
        if first {
            self.published_at = Some(at);
            self.touch(at);
        }
        first
    }

    /// Takes the site offline. Returns whether it was published before.
    pub fn unpublish(&mut self, at: DateTime<Utc>) -> bool {
        let was = self.published_at.take().is_some();
        if was {
            self.touch(at);
        }
        was
    }

    /// Marks a change that visitors see.
    pub fn touch(&mut self, at: DateTime<Utc>) {
        self.version += 1;
        self.updated_at = at;
    }
}

/// Parses the icon of a site from its two forms, of which at most one may be set.
///
/// # Errors
/// A rule if both are given.
pub fn icon(images: Option<(WebAddress, WebAddress)>, emoji: Option<Emoji>) -> Result<Option<SiteIcon>, Rule> {
    match (images, emoji) {
        (Some(_), Some(_)) => Err(Rule("must have either icon or emoji".into())),
        (Some((light, dark)), None) => Ok(Some(SiteIcon::Icon { light, dark })),
        (None, emoji) => Ok(emoji.filter(|emoji| !emoji.as_str().is_empty()).map(SiteIcon::Emoji)),
    }
}

#[cfg(test)]
impl Site {
    /// A public site that is not published.
    pub(crate) fn sample() -> Self {
        let (id, organization, basename) = ("w".parse().unwrap(), "o".parse().unwrap(), "docs".parse().unwrap());
        Self::new(id, organization, basename, &NewSite::default(), DateTime::UNIX_EPOCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(Level::Guest, [false, false, false, false])]
    #[case(Level::Read, [true, false, false, false])]
    #[case(Level::Edit, [true, true, false, false])]
    #[case(Level::Create, [true, true, true, false])]
    #[case(Level::Admin, [true, true, true, true])]
    fn rights_on_a_site_follow_the_level(#[case] level: Level, #[case] expected: [bool; 4]) {
        let may = Site::sample().permissions(&Access::new("u".parse().ok(), level));
        assert_eq!([may.view, may.edit, may.create, may.admin], expected);
        assert_eq!((may.view_adaptive_schema, may.edit_adaptive_schema), (may.edit, may.admin));
    }

    #[test]
    fn publishing_twice_is_no_change() {
        let (mut site, at) = (Site::sample(), DateTime::UNIX_EPOCH);
        assert!(!site.unpublish(at) && site.version == 1);
        assert!(site.publish(at) && !site.publish(at) && site.version == 2);
        assert!(site.unpublish(at) && site.version == 3 && !site.is_published());
    }

    #[test]
    fn an_icon_is_made_of_images_or_of_an_emoji() {
        let image = || "https://example.org/i.png".parse::<String>().unwrap().try_into().unwrap();
        assert!(icon(Some((image(), image())), "1f4d6".parse().ok()).is_err());
        assert_eq!(icon(None, None), Ok(None));
        assert!(matches!(icon(None, "1f4d6".parse().ok()), Ok(Some(SiteIcon::Emoji(_)))));
    }
}
