//! Colours, fonts and shapes.
use super::color::ThemedColor;
use super::font::{CodeFont, Font, TextFont};
use super::part;
use crate::text::Rule;
use crate::words;
use serde::{Deserialize, Serialize};

words! {
    /// How strongly the colours of the site are used.
    pub enum Theme {
        /// White, with lines.
        Clean = "clean",
        /// A tinted page.
        Muted = "muted",
        /// A header in the primary colour.
        Bold = "bold",
        /// A soft gradient of the primary colour at the top.
        Gradient = "gradient",
    }

    /// The shape of corners.
    pub enum Corners {
        Straight = "straight",
        Rounded = "rounded",
        Circular = "circular",
    }

    /// Whether layers cast shadows.
    pub enum Depth {
        /// They do.
        Subtle = "subtle",
        /// Lines only.
        Flat = "flat",
    }

    /// How links in text look.
    pub enum LinkStyle {
        /// In the primary colour.
        Default = "default",
        /// In the colour of the text, underlined in the primary colour.
        Accent = "accent",
    }

    /// The background of a page.
    pub enum Background {
        Plain = "plain",
        /// Tinted with the primary colour.
        Match = "match",
    }

    /// The style of icons.
    pub enum IconStyle {
        Regular = "regular",
        Solid = "solid",
        Duotone = "duotone",
        Light = "light",
        Thin = "thin",
    }

    /// The background of the sidebar.
    pub enum SidebarBackground {
        /// None.
        Default = "default",
        Filled = "filled",
    }

    /// How the sidebar marks the current page.
    pub enum SidebarList {
        /// By the weight and the colour of its title.
        Default = "default",
        Pill = "pill",
        Line = "line",
    }

    /// How the search box looks.
    pub enum SearchStyle {
        /// In the middle of the header.
        Prominent = "prominent",
        /// At the end of the header.
        Subtle = "subtle",
    }
}

part! {
    /// Colours, fonts and shapes.
    pub struct Styling {
        /// How strongly the colours are used.
        pub theme: Theme = Theme::Clean,
        /// The colour of links, buttons and the current page.
        pub primary_color: ThemedColor = ThemedColor::known("#346ddb", "#346ddb"),
        /// The colour of notes.
        pub info_color: ThemedColor = ThemedColor::known("#0284c7", "#38bdf8"),
        /// The colour of good news.
        pub success_color: ThemedColor = ThemedColor::known("#16a34a", "#4ade80"),
        /// The colour of warnings.
        pub warning_color: ThemedColor = ThemedColor::known("#d97706", "#fbbf24"),
        /// The colour of dangers.
        pub danger_color: ThemedColor = ThemedColor::known("#dc2626", "#f87171"),
        /// The colour that greys are tinted with.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub tint: Option<Tint> = None,
        /// The shape of corners.
        pub corners: Corners = Corners::Rounded,
        /// Whether layers cast shadows.
        pub depth: Depth = Depth::Subtle,
        /// How links in text look.
        pub links: LinkStyle = LinkStyle::Default,
        /// The font of text.
        pub font: Font<TextFont> = Font::Named(TextFont::Inter),
        /// The font of headings; that of text if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub heading_font: Option<Font<TextFont>> = None,
        /// The font of code.
        pub monospace_font: Font<CodeFont> = Font::Named(CodeFont::IbmPlexMono),
        /// The background of a page.
        pub background: Background = Background::Plain,
        /// The style of icons.
        pub icons: IconStyle = IconStyle::Regular,
        /// The colours of code.
        pub code_theme: CodeThemes = CodeThemes::default(),
        /// The sidebar.
        pub sidebar: Sidebar = Sidebar::default(),
        /// The search box.
        pub search: SearchStyle = SearchStyle::Prominent,
    }
}

part! {
    /// The sidebar.
    pub struct Sidebar {
        /// Its background.
        pub background: SidebarBackground = SidebarBackground::Default,
        /// How it marks the current page.
        pub list: SidebarList = SidebarList::Default,
    }
}

part! {
    /// The colours of code.
    pub struct CodeThemes {
        /// In code blocks.
        pub default: ThemedCodeTheme = ThemedCodeTheme::default(),
        /// In the reference of an API.
        pub openapi: ThemedCodeTheme = ThemedCodeTheme::default(),
    }
}

part! {
    /// The colours of code in each mode.
    pub struct ThemedCodeTheme {
        /// In light mode.
        pub light: CodeTheme = CodeTheme("default-light".to_owned()),
        /// In dark mode.
        pub dark: CodeTheme = CodeTheme("default-dark".to_owned()),
    }
}

/// The colour that greys are tinted with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tint {
    /// The colour in each mode.
    pub color: ThemedColor,
}

/// The longest name of a code theme, in characters.
const MAX_CODE_THEME: usize = 50;

/// The name of a code theme, such as `default-light` or `github-dark`. Any well-formed name is accepted, because sets
/// of themes grow: a site that is rendered without the theme uses the default one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct CodeTheme(String);

impl CodeTheme {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for CodeTheme {
    type Error = Rule;

    fn try_from(raw: String) -> Result<Self, Rule> {
        let of_a_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        match (1..=MAX_CODE_THEME).contains(&raw.len()) && raw.bytes().all(of_a_name) {
            true => Ok(Self(raw)),
            false => Err(Rule(format!(
                "must be the name of a code theme such as github-dark: 1 to {MAX_CODE_THEME} of a-z, 0-9 and -"
            ))),
        }
    }
}
