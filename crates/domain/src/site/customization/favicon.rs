//! The icon of a site, and images with a version for each mode.
use crate::text::{Rule, Text};
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

/// The icon of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Sent", into = "Sent")]
pub enum Favicon {
    /// That of the software.
    #[default]
    None,
    /// An image.
    Icon(ThemedUrl),
    /// An emoji.
    Emoji(Text<1, 50>),
}

/// The form of an icon in the API: one of the keys, or none.
#[derive(Serialize, Deserialize)]
struct Sent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    icon: Option<ThemedUrl>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    emoji: Option<Text<1, 50>>,
}

impl TryFrom<Sent> for Favicon {
    type Error = Rule;

    fn try_from(sent: Sent) -> Result<Self, Rule> {
        match sent {
            Sent { icon: None, emoji: None } => Ok(Self::None),
            Sent { icon: Some(icon), emoji: None } => Ok(Self::Icon(icon)),
            Sent { icon: None, emoji: Some(emoji) } => Ok(Self::Emoji(emoji)),
            Sent { icon: Some(_), emoji: Some(_) } => Err(Rule("must have an icon or an emoji, not both".to_owned())),
        }
    }
}

impl From<Favicon> for Sent {
    fn from(favicon: Favicon) -> Self {
        match favicon {
            Favicon::None => Self { icon: None, emoji: None },
            Favicon::Icon(icon) => Self { icon: Some(icon), emoji: None },
            Favicon::Emoji(emoji) => Self { icon: None, emoji: Some(emoji) },
        }
    }
}
