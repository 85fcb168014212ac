//! Features for visitors, and settings about the site itself.
use super::list::AtMost;
use super::part;
use crate::text::{Rule, Text};
use crate::web_address::WebAddress;
use crate::words;
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// The most suggested questions.
const MAX_SUGGESTIONS: usize = 5;

words! {
    /// A language of the interface. Content has its own.
    pub enum Locale {
        En = "en", Fr = "fr", Es = "es", Zh = "zh", Ja = "ja", De = "de", Nl = "nl", No = "no", PtBr = "pt-br",
        Ru = "ru", Ar = "ar", He = "he",
    }

    /// A mode of a page.
    pub enum ThemeMode {
        Light = "light",
        Dark = "dark",
        /// The mode of the visitor's system.
        System = "system",
    }

    /// The role of a language model for visitors.
    pub enum AiMode {
        None = "none",
        /// It answers searches.
        Search = "search",
        /// It answers in a chat.
        Assistant = "assistant",
    }

    /// An action of visitors on a page.
    pub enum PageAction {
        /// Ask the site's assistant.
        Assistant = "assistant",
        /// Open it in an assistant elsewhere.
        ExternalAi = "external-ai",
        /// Copy or view its Markdown.
        Markdown = "markdown",
        /// Connect an assistant to the site.
        Mcp = "mcp",
        /// Edit its file in the repository.
        Git = "git",
        /// Print it.
        Pdf = "pdf",
    }

    /// Where links to other sites open.
    pub enum ExternalLinkTarget {
        /// In the same tab.
        Own = "self",
        /// In a new tab.
        Blank = "blank",
    }
}

part! {
    /// The language of the interface.
    pub struct Internationalization {
        /// Used where the language of the content is unknown, or the interface does not have it.
        pub locale: Locale = Locale::En,
    }
}

part! {
    /// Light and dark mode.
    pub struct Themes {
        /// The mode of a first visit.
        pub default: ThemeMode = ThemeMode::System,
        /// Whether visitors can switch.
        pub toggeable: bool = true,
    }
}

part! {
    /// A feature that is off by default.
    pub struct OptIn {
        /// Whether it is on.
        pub enabled: bool = false,
    }
}

part! {
    /// A feature that is on by default.
    pub struct OptOut {
        /// Whether it is on.
        pub enabled: bool = true,
    }
}

part! {
    /// Answers by a language model.
    pub struct Ai {
        /// Its role.
        pub mode: AiMode = AiMode::None,
        /// Its greeting.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub greeting: Option<Text<0, 256>> = None,
        /// Suggested first questions.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub suggestions: Option<AtMost<Text<3, 64>, MAX_SUGGESTIONS>> = None,
        /// Its instructions for each conversation.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub instructions: Option<Text<0, 10_000>> = None,
    }
}

part! {
    /// Actions of visitors on a page.
    pub struct PageActions {
        /// In their order, none twice.
        pub items: PageActionItems = PageActionItems::default(),
    }
}

/// Actions in their order, none twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<PageAction>")]
pub struct PageActionItems(Vec<PageAction>);

impl Default for PageActionItems {
    fn default() -> Self {
        use PageAction::{ExternalAi, Git, Markdown, Mcp, Pdf};
        Self(vec![Markdown, ExternalAi, Mcp, Git, Pdf])
    }
}

impl PageActionItems {
    /// Leaves out an action.
    pub fn remove(&mut self, action: PageAction) {
        self.0.retain(|item| *item != action);
    }
}

impl Deref for PageActionItems {
    type Target = [PageAction];

    fn deref(&self) -> &[PageAction] {
        &self.0
    }
}

impl TryFrom<Vec<PageAction>> for PageActionItems {
    type Error = Rule;

    fn try_from(items: Vec<PageAction>) -> Result<Self, Rule> {
        let twice = items.iter().enumerate().find(|(at, item)| items[..*at].contains(item));
        match twice {
            Some((_, item)) => Err(Rule(format!("must not have {item} twice"))),
            None => Ok(Self(items)),
        }
    }
}

part! {
    /// Links to other sites.
    pub struct ExternalLinks {
        /// Where they open.
        pub target: ExternalLinkTarget = ExternalLinkTarget::Own,
    }
}

part! {
    /// The privacy policy.
    pub struct PrivacyPolicy {
        /// Its address.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub url: Option<WebAddress> = None,
    }
}

part! {
    /// The image of the site on social networks.
    pub struct SocialPreview {
        /// Its address; one is rendered for each page if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub url: Option<WebAddress> = None,
    }
}

part! {
    /// Measuring visits.
    pub struct Insights {
        /// Whether a cookie may recognize a visitor.
        pub tracking_cookie: bool = false,
    }
}
