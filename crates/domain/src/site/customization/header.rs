//! The top of every page: header and announcement.
use super::color::ThemedColor;
use super::favicon::ThemedUrl;
use super::link::{Link, MenuTarget};
use super::list::AtMost;
use super::part;
use crate::site::condition::Condition;
use crate::text::Text;
use crate::words;
use serde::{Deserialize, Deserializer, Serialize};

/// The most links in a header.
const MAX_LINKS: usize = 20;
/// The most links in the menu of a link.
const MAX_MENU: usize = 20;

words! {
    /// The look of a header.
    pub enum HeaderPreset {
        /// The default of the theme.
        Default = "default",
        /// In the primary colour.
        Bold = "bold",
        /// Dark in light mode, light in dark mode.
        Contrast = "contrast",
        /// In the header's own colours.
        Custom = "custom",
        /// No header: its parts are in the sidebar.
        None = "none",
    }

    /// The look of a link in a header.
    pub enum HeaderLinkStyle {
        Link = "link",
        ButtonPrimary = "button-primary",
        ButtonSecondary = "button-secondary",
    }

    /// The colour of an announcement.
    pub enum AnnouncementStyle {
        Info = "info",
        Warning = "warning",
        Danger = "danger",
        Success = "success",
    }
}

part! {
    /// The header.
    pub struct Header {
        /// Its look.
        pub preset: HeaderPreset = HeaderPreset::Default,
        /// Replaces the icon and the title.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub logo: Option<ThemedUrl> = None,
        /// Where the logo leads; the start of the site if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub primary_link: Option<MenuTarget> = None,
        /// Of the preset `custom`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub background_color: Option<ThemedColor> = None,
        /// Of the preset `custom`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub link_color: Option<ThemedColor> = None,
        /// The links, in order.
        pub links: AtMost<HeaderLink, MAX_LINKS> = AtMost::default(),
    }
}

/// A link in the header, or a menu of links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeaderLink {
    /// The title.
    pub title: Text<1, 128>,
    /// Its look; a plain link if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<HeaderLinkStyle>,
    /// Where it leads; nowhere if it only opens its menu.
    #[serde(default)]
    pub to: Option<MenuTarget>,
    /// Its menu.
    #[serde(default)]
    pub links: AtMost<Link, MAX_MENU>,
    /// The condition for showing it; absent to show it to all visitors.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "condition")]
    pub condition: Option<Condition>,
}

/// Reads a condition without parsing it, see [`Customization::checked`](super::Customization::checked).
fn condition<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Condition>, D::Error> {
    let source = Option::<String>::deserialize(deserializer)?.filter(|source| !source.is_empty());
    Ok(source.map(Condition::stored))
}

/// A banner above every page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announcement {
    /// Whether it is shown.
    #[serde(default = "shown")]
    pub enabled: bool,
    /// The text.
    pub message: Text<2, 128>,
    /// A link after the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// Its colour.
    #[serde(default = "info")]
    pub style: AnnouncementStyle,
}

fn shown() -> bool {
    true
}

fn info() -> AnnouncementStyle {
    AnnouncementStyle::Info
}
