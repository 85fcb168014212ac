//! The bottom of every page, and accounts on social networks.
use super::favicon::ThemedUrl;
use super::link::Link;
use super::list::AtMost;
use super::part;
use crate::text::Text;
use crate::words;
use serde::{Deserialize, Serialize};

/// The most columns of links in a footer.
const MAX_GROUPS: usize = 10;
/// The most links in a column.
const MAX_LINKS: usize = 20;

words! {
    /// A social network.
    pub enum SocialPlatform {
        Twitter = "twitter", Instagram = "instagram", Facebook = "facebook", Linkedin = "linkedin", Github = "github",
        Discord = "discord", Slack = "slack", Youtube = "youtube", Tiktok = "tiktok", Reddit = "reddit",
        Bluesky = "bluesky", Mastodon = "mastodon", Threads = "threads", Medium = "medium",
    }
}

part! {
    /// The footer.
    pub struct Footer {
        /// Its image.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub logo: Option<ThemedUrl> = None,
        /// Its columns of links.
        pub groups: AtMost<LinkGroup, MAX_GROUPS> = AtMost::default(),
        /// Its last line.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub copyright: Option<Text<0, 512>> = None,
    }
}

/// A column of links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkGroup {
    /// Its title.
    pub title: Text<1, 128>,
    /// Its links.
    #[serde(default)]
    pub links: AtMost<Link, MAX_LINKS>,
}

/// An account on a social network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocialAccount {
    /// The network.
    pub platform: SocialPlatform,
    /// The name of the account there, such as `octavo` or `company/octavo`.
    pub handle: Text<1, 128>,
    /// Where it is shown.
    #[serde(default)]
    pub display: SocialDisplay,
}

part! {
    /// Where an account is shown.
    pub struct SocialDisplay {
        /// In the footer.
        pub footer: bool = true,
        /// In the header.
        pub header: bool = false,
    }
}
