//! Customization: how a site looks and behaves for its visitors.
//!
//! Every part has defaults, which make a complete site. The API and the database use the same serialized form: missing
//! keys have their defaults, unknown keys are ignored, and every required key is written.
mod color;
mod customized;
mod favicon;
mod features;
mod font;
mod footer;
mod header;
mod link;
mod list;
mod overrides;
mod stored;
mod styling;
#[cfg(test)]
mod tests;

pub use color::{Color, ThemedColor};
pub use customized::{Customized, EffectiveCustomization, SiteCustomizations};
pub use favicon::{Favicon, ThemedUrl};
pub use features::{
    Ai, AiMode, ExternalLinkTarget, ExternalLinks, Insights, Internationalization, Locale, OptIn, OptOut, PageAction,
    PageActionItems, PageActions, PrivacyPolicy, SocialPreview, ThemeMode, Themes,
};
pub use font::{CodeFont, Font, FontDefinition, FontFace, FontFormat, FontSource, FontWeight, TextFont};
pub use footer::{Footer, LinkGroup, SocialAccount, SocialDisplay, SocialPlatform};
pub use header::{Announcement, AnnouncementStyle, Header, HeaderLink, HeaderLinkStyle, HeaderPreset};
pub use link::{Link, MenuTarget};
pub use list::AtMost;
pub use overrides::{CustomizationPatch, Overrides};
pub use styling::{
    Background, CodeTheme, CodeThemes, Corners, Depth, IconStyle, LinkStyle, SearchStyle, Sidebar, SidebarBackground,
    SidebarList, Styling, Theme, ThemedCodeTheme, Tint,
};

use super::adaptive_schema::VisitorClaims;
use super::condition::{Condition, ConditionScope};
use super::structure::SiteTitle;
use crate::text::Invalid;
use serde::{Deserialize, Serialize};

/// Defines a part of a customization: its keys, each with its default.
macro_rules! part {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$about:meta])* pub $key:ident: $type:ty = $default:expr),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(default, rename_all = "camelCase")]
        pub struct $name {
            $($(#[$about])* pub $key: $type),+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($key: $default),+ }
            }
        }
    };
}
use part;

/// The most accounts on social networks.
pub const MAX_SOCIAL_ACCOUNTS: usize = 10;

/// How a site looks and behaves for its visitors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Customization {
    /// Replaces the site's title for visitors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<SiteTitle>,
    /// Colours, fonts and shapes.
    pub styling: Styling,
    /// The language of the interface.
    pub internationalization: Internationalization,
    /// The icon of the site, also in the browser's tab.
    pub favicon: Favicon,
    /// The top of every page.
    pub header: Header,
    /// The bottom of every page.
    pub footer: Footer,
    /// A banner above every page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub announcement: Option<Announcement>,
    /// Light and dark mode.
    pub themes: Themes,
    /// Whether visitors can rate a page.
    pub feedback: OptIn,
    /// Answers by a language model.
    pub ai: Ai,
    /// Whether settings beyond colours and logos apply.
    pub advanced_customization: OptOut,
    /// Actions of visitors on a page.
    pub page_actions: PageActions,
    /// Where links to other sites open.
    pub external_links: ExternalLinks,
    /// Whether a page links to the previous and to the next page.
    pub pagination: OptOut,
    /// Whether the site names the software that serves it.
    pub trademark: OptIn,
    /// The privacy policy.
    pub privacy_policy: PrivacyPolicy,
    /// The image of the site on social networks.
    pub social_preview: SocialPreview,
    /// Accounts that the site links to.
    pub social_accounts: AtMost<SocialAccount, MAX_SOCIAL_ACCOUNTS>,
    /// Measuring visits.
    pub insights: Insights,
}

impl Customization {
    /// Checks the values that deserialization does not check: conditions, because parsing them is expensive, and web
    /// addresses, because stored ones are already normalized. So their rules can become stricter, and stored values
    /// stay readable.
    ///
    /// # Errors
    /// [`Invalid`] names the condition or the link.
    pub fn checked(mut self) -> Result<Self, Invalid> {
        let Self { header, footer, announcement, .. } = &mut self;
        normalize("header.primaryLink", header.primary_link.as_mut())?;
        for (at, link) in header.links.iter_mut().enumerate() {
            let field = format!("header.links[{at}]");
            if let Some(condition) = &link.condition {
                Condition::parse(condition.as_str()).map_err(|rule| rule.of(format!("{field}.condition")))?;
            }
            normalize(&format!("{field}.to"), link.to.as_mut())?;
            normalize_all(&field, &mut link.links)?;
        }
        for (at, group) in footer.groups.iter_mut().enumerate() {
            normalize_all(&format!("footer.groups[{at}]"), &mut group.links)?;
        }
        normalize(
            "announcement.link.to",
            announcement.as_mut().and_then(|shown| shown.link.as_mut()).map(|link| &mut link.to),
        )?;
        Ok(self)
    }

    /// Removes the links of the header whose condition is false for a visitor with these claims.
    pub fn hide_links(&mut self, claims: &VisitorClaims) {
        let (space, page) = Default::default();
        let scope = ConditionScope::new(claims, &space, &page);
        let is_seen = |condition: &Condition| condition.compile().holds(&scope);
        self.header.links.retain_mut(|link| link.condition.as_ref().is_none_or(is_seen));
    }
}

/// Replaces a target by its normal form.
fn normalize(field: &str, target: Option<&mut MenuTarget>) -> Result<(), Invalid> {
    if let Some(target) = target {
        *target = target.normal().map_err(|rule| rule.of(field))?;
    }
    Ok(())
}

fn normalize_all(field: &str, links: &mut [Link]) -> Result<(), Invalid> {
    for (at, link) in links.iter_mut().enumerate() {
        normalize(&format!("{field}.links[{at}].to"), Some(&mut link.to))?;
    }
    Ok(())
}
