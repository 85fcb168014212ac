//! The icon of a site, and images with a version for each mode.
use crate::site::{SiteIcon, icon};
use crate::text::{Emoji, Rule};
use crate::web_address::WebAddress;
use serde::{Deserialize, Serialize};

/// An image for each mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThemedUrl {
    /// In light mode.
    pub light: WebAddress,
    /// In dark mode.
    pub dark: WebAddress,
}

/// The icon that the site shows; that of the software if absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Sent", into = "Sent")]
pub struct Favicon(pub Option<SiteIcon>);

/// The form of an icon in the API: one of the keys, or none.
#[derive(Serialize, Deserialize)]
struct Sent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    icon: Option<ThemedUrl>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    emoji: Option<Emoji>,
}

impl TryFrom<Sent> for Favicon {
    type Error = Rule;

    fn try_from(Sent { icon: images, emoji }: Sent) -> Result<Self, Rule> {
        icon(images.map(|images| (images.light, images.dark)), emoji).map(Self)
    }
}

impl From<Favicon> for Sent {
    fn from(Favicon(icon): Favicon) -> Self {
        match icon {
            None => Self { icon: None, emoji: None },
            Some(SiteIcon::Icon { light, dark }) => Self { icon: Some(ThemedUrl { light, dark }), emoji: None },
            Some(SiteIcon::Emoji(emoji)) => Self { icon: None, emoji: Some(emoji) },
        }
    }
}
