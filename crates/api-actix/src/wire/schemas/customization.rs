//! Schemas of the customization of sites. A part has two: the complete one of responses, and the one of requests, where
//! every key may be left out or `null`.
#[cfg(test)]
mod tests;

use super::{ContentReference, one_of, words};
use chrono::{DateTime, Utc};
use domain::site::customization as site;
use serde_json::Value;
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{OneOfBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};

words! {
    AiMode, "What a language model does for visitors. It has no effect yet, as no feature uses one.":
        words::<site::AiMode>();
    AnnouncementStyle, "The colour of an announcement.": words::<site::AnnouncementStyle>();
    CodeFont, "A known font for code.": words::<site::CodeFont>();
    Corners, "The shape of corners.": words::<site::Corners>();
    ExternalLinkTarget, "Where links to other sites open: `self` is the same tab, `blank` a new one.":
        words::<site::ExternalLinkTarget>();
    FontFormat, "The format of a font file.": words::<site::FontFormat>();
    HeaderLinkStyle, "The look of a link in the header.": words::<site::HeaderLinkStyle>();
    HeaderPreset, "The look of the header: `default` is that of the theme, `bold` in the primary colour, `contrast` dark \
        in light mode and\nlight in dark mode, `custom` in `backgroundColor` and `linkColor`; `none` moves its parts \
        to the sidebar.":
        words::<site::HeaderPreset>();
    InterfaceLocale, "A language of the interface.": words::<site::Locale>();
    PageAction, "What a visitor can do with a page.": words::<site::PageAction>();
    SiteBackground, "The background of a page: `match` is tinted with the primary colour.":
        words::<site::Background>();
    SiteDepth, "`subtle` casts shadows, `flat` has lines only.": words::<site::Depth>();
    SiteIconStyle, "The style of icons.": words::<site::IconStyle>();
    SiteLinkStyle, "Links in text: `default` in the primary colour, `accent` in the colour of text, underlined in the \
        primary colour.": words::<site::LinkStyle>();
    SiteSearchStyle, "The search box: `prominent` in the middle of the header, `subtle` at its end.":
        words::<site::SearchStyle>();
    SiteTheme, "How strongly the colours are used: `clean` is white with lines, `muted` tints the page, `bold` colours \
        the header,\n`gradient` the top of the page.": words::<site::Theme>();
    SiteThemeMode, "The mode of a first visit; `system` is that of the visitor's system.": words::<site::ThemeMode>();
    SidebarBackground, "The background of the sidebar; `default` is none.": words::<site::SidebarBackground>();
    SidebarList, "How the sidebar marks the current page; `default` by weight and colour.": words::<site::SidebarList>();
    SocialPlatform, "A social network.": words::<site::SocialPlatform>();
    TextFont, "A known font for text.": words::<site::TextFont>();
}

/// Defines a schema of one of two others.
macro_rules! either {
    ($($name:ident, $description:literal: $one:ty, $other:ty;)+) => {$(
        pub(crate) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let reference = utoipa::openapi::Ref::from_schema_name;
                let either = OneOfBuilder::new().description(Some($description));
                either.item(reference(<$one>::name())).item(reference(<$other>::name())).into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                for (name, schema) in [(<$one>::name(), <$one>::schema()), (<$other>::name(), <$other>::schema())] {
                    schemas.push((name.into(), schema));
                }
                <$one>::schemas(schemas);
                <$other>::schemas(schemas);
            }
        }
    )+};
}
either! {
    SiteTextFont, "A font for text: the name of a known one, or a definition.": TextFont, FontDefinition;
    SiteCodeFont, "A font for code: the name of a known one, or a definition.": CodeFont, FontDefinition;
}

/// Defines the two schemas of each part: for each key its type in responses, and in requests.
macro_rules! parts {
    ($($(#[$about:meta])* $name:ident, $sent:ident {
        $($(#[$about_key:meta])* $key:ident: $type:ty, $sent_type:ty;)+
    })+) => {$(
        $(#[$about])*
        #[derive(ToSchema)]
        #[schema(rename_all = "camelCase")]
        pub(crate) struct $name {
            $($(#[$about_key])* $key: $type),+
        }

        $(#[$about])*
        #[derive(ToSchema)]
        #[schema(rename_all = "camelCase")]
        pub(crate) struct $sent {
            $($(#[$about_key])* $key: Option<$sent_type>),+
        }
    )+};
}
parts! {
    /// Colours, fonts and shapes.
    SiteStyling, UpdateSiteStyling {
        theme: SiteTheme, SiteTheme;
        /// The colour of links, buttons and the current page.
        primary_color: ThemedColor, UpdateThemedColor;
        /// The colour of notes.
        info_color: ThemedColor, UpdateThemedColor;
        /// The colour of good news.
        success_color: ThemedColor, UpdateThemedColor;
        /// The colour of warnings.
        warning_color: ThemedColor, UpdateThemedColor;
        /// The colour of dangers.
        danger_color: ThemedColor, UpdateThemedColor;
        tint: Option<SiteTint>, SiteTint;
        corners: Corners, Corners;
        depth: SiteDepth, SiteDepth;
        links: SiteLinkStyle, SiteLinkStyle;
        font: SiteTextFont, SiteTextFont;
        /// The font of headings; that of text if absent.
        heading_font: Option<SiteTextFont>, SiteTextFont;
        monospace_font: SiteCodeFont, SiteCodeFont;
        background: SiteBackground, SiteBackground;
        icons: SiteIconStyle, SiteIconStyle;
        code_theme: CodeThemes, UpdateCodeThemes;
        sidebar: SiteSidebar, UpdateSiteSidebar;
        search: SiteSearchStyle, SiteSearchStyle;
    }

    /// A colour in each mode.
    ThemedColor, UpdateThemedColor {
        /// Three or six hexadecimal digits.
        #[schema(pattern = "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", example = "#346ddb")]
        light: String, String;
        /// Three or six hexadecimal digits.
        #[schema(pattern = "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", example = "#346ddb")]
        dark: String, String;
    }

    /// The colours of code.
    CodeThemes, UpdateCodeThemes {
        /// In code blocks.
        default: ThemedCodeTheme, UpdateThemedCodeTheme;
        /// In the reference of an API.
        openapi: ThemedCodeTheme, UpdateThemedCodeTheme;
    }

    /// The names of the code themes for each mode. An unknown name means the default.
    ThemedCodeTheme, UpdateThemedCodeTheme {
        #[schema(pattern = "^[a-z0-9-]{1,50}$", example = "github-light")]
        light: String, String;
        #[schema(pattern = "^[a-z0-9-]{1,50}$", example = "github-dark")]
        dark: String, String;
    }

    /// The sidebar.
    SiteSidebar, UpdateSiteSidebar {
        background: SidebarBackground, SidebarBackground;
        list: SidebarList, SidebarList;
    }

    /// The language of the interface.
    SiteInternationalization, UpdateSiteInternationalization {
        /// Used where the language of the content is unknown, or the interface does not have it.
        locale: InterfaceLocale, InterfaceLocale;
    }

    /// The header.
    SiteHeader, UpdateSiteHeader {
        preset: HeaderPreset, HeaderPreset;
        /// Replaces the icon and the title.
        logo: Option<ThemedUrl>, ThemedUrl;
        /// Where the logo leads; the start of the site if absent.
        primary_link: Option<ContentReference>, ContentReference;
        /// Used by the preset `custom`.
        background_color: Option<ThemedColor>, ThemedColor;
        /// Used by the preset `custom`.
        link_color: Option<ThemedColor>, ThemedColor;
        #[schema(max_items = 20)]
        links: Vec<HeaderLink>, Vec<HeaderLink>;
    }

    /// The footer.
    SiteFooter, UpdateSiteFooter {
        logo: Option<ThemedUrl>, ThemedUrl;
        #[schema(max_items = 10)]
        groups: Vec<FooterGroup>, Vec<FooterGroup>;
        #[schema(max_length = 512)]
        copyright: Option<String>, String;
    }

    /// Light and dark mode.
    SiteThemes, UpdateSiteThemes {
        default: SiteThemeMode, SiteThemeMode;
        /// Whether visitors can switch.
        toggeable: bool, bool;
    }

    /// Something that is on or off.
    SiteSwitch, UpdateSiteSwitch {
        enabled: bool, bool;
    }

    /// A language model for visitors. It has no effect yet, as no feature uses one.
    SiteAi, UpdateSiteAi {
        mode: AiMode, AiMode;
        #[schema(max_length = 256)]
        greeting: Option<String>, String;
        /// Questions to begin with, of 3 to 64 characters.
        #[schema(max_items = 5)]
        suggestions: Option<Vec<String>>, Vec<String>;
        #[schema(max_length = 10_000)]
        instructions: Option<String>, String;
    }

    /// What visitors can do with a page.
    SitePageActions, UpdateSitePageActions {
        /// In order, without duplicates.
        items: Vec<PageAction>, Vec<PageAction>;
    }

    /// Links to other sites.
    SiteExternalLinks, UpdateSiteExternalLinks {
        target: ExternalLinkTarget, ExternalLinkTarget;
    }

    /// Measuring visits.
    SiteInsights, UpdateSiteInsights {
        /// Whether a cookie may recognize a visitor. It has no effect: the reader sets none.
        tracking_cookie: bool, bool;
    }

    /// How a site looks and behaves for its visitors.
    SiteCustomization, UpdateSiteCustomization {
        /// Replaces the site's title for visitors.
        #[schema(min_length = 2, max_length = 128)]
        title: Option<String>, String;
        styling: SiteStyling, UpdateSiteStyling;
        internationalization: SiteInternationalization, UpdateSiteInternationalization;
        favicon: SiteFavicon, SiteFavicon;
        header: SiteHeader, UpdateSiteHeader;
        footer: SiteFooter, UpdateSiteFooter;
        announcement: Option<SiteAnnouncement>, SiteAnnouncement;
        themes: SiteThemes, UpdateSiteThemes;
        /// Whether visitors can rate a page.
        feedback: SiteSwitch, UpdateSiteSwitch;
        ai: SiteAi, UpdateSiteAi;
        /// Whether settings beyond title, icon, logo and colours are shown to visitors.
        advanced_customization: SiteSwitch, UpdateSiteSwitch;
        page_actions: SitePageActions, UpdateSitePageActions;
        external_links: SiteExternalLinks, UpdateSiteExternalLinks;
        /// Whether a page links to the previous and to the next page.
        pagination: SiteSwitch, UpdateSiteSwitch;
        /// Whether the site names the software that serves it.
        trademark: SiteSwitch, UpdateSiteSwitch;
        /// The privacy policy.
        privacy_policy: SiteAddress, SiteAddress;
        /// The image of the site on social networks; one is rendered for each page if absent.
        social_preview: SiteAddress, SiteAddress;
        #[schema(max_items = 10)]
        social_accounts: Vec<SocialAccount>, Vec<SocialAccount>;
        insights: SiteInsights, UpdateSiteInsights;
        /// When it was last changed; absent if never. Ignored in requests.
        updated_at: Option<DateTime<Utc>>, Value;
    }
}

/// The colour that greys are tinted with.
#[derive(ToSchema)]
pub(crate) struct SiteTint {
    color: ThemedColor,
}

/// A font that is not among the known ones.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct FontDefinition {
    #[schema(min_length = 1, max_length = 256)]
    id: String,
    /// Whether it is a font of the organization.
    custom: bool,
    /// The family, as in CSS.
    #[schema(min_length = 1, max_length = 50)]
    font_family: String,
    #[schema(max_items = 20)]
    font_faces: Vec<FontFace>,
}

/// A weight of a font.
#[derive(ToSchema)]
pub(crate) struct FontFace {
    /// 400 is regular.
    #[schema(minimum = 1, maximum = 1000)]
    weight: u16,
    /// The same face in several formats.
    #[schema(max_items = 10)]
    sources: Vec<FontSource>,
}

/// A file of a font.
#[derive(ToSchema)]
pub(crate) struct FontSource {
    #[schema(max_length = 2048)]
    url: String,
    format: Option<FontFormat>,
}

/// An image for each mode.
#[derive(ToSchema)]
pub(crate) struct ThemedUrl {
    #[schema(max_length = 2048)]
    light: String,
    #[schema(max_length = 2048)]
    dark: String,
}

/// The icon of a site: images or an emoji, not both.
#[derive(ToSchema)]
pub(crate) struct SiteFavicon {
    icon: Option<ThemedUrl>,
    #[schema(max_length = 50)]
    emoji: Option<String>,
}

/// A link in the header, or a menu of links.
#[derive(ToSchema)]
pub(crate) struct HeaderLink {
    #[schema(min_length = 1, max_length = 128)]
    title: String,
    /// A plain link if absent.
    style: Option<HeaderLinkStyle>,
    /// Where it leads; `null` if it only opens its menu.
    to: Option<ContentReference>,
    /// Its menu.
    #[schema(max_items = 20, required = false)]
    links: Vec<TitledLink>,
    /// An expression: the link is shown to visitors for whom it is true.
    #[schema(max_length = 1024)]
    condition: Option<String>,
}

/// A link with a title. An address is relative, or has the scheme `http`, `https`, `mailto` or `tel`.
#[derive(ToSchema)]
pub(crate) struct TitledLink {
    #[schema(min_length = 1, max_length = 64)]
    title: String,
    to: ContentReference,
}

/// A column of links in the footer.
#[derive(ToSchema)]
pub(crate) struct FooterGroup {
    #[schema(min_length = 1, max_length = 128)]
    title: String,
    #[schema(max_items = 20, required = false)]
    links: Vec<TitledLink>,
}

/// A banner above every page.
#[derive(ToSchema)]
pub(crate) struct SiteAnnouncement {
    /// Whether it is shown; `true` if absent in a request.
    #[schema(required = false)]
    enabled: bool,
    #[schema(min_length = 2, max_length = 128)]
    message: String,
    /// A link after the message.
    link: Option<TitledLink>,
    /// `info` if absent in a request.
    #[schema(required = false)]
    style: AnnouncementStyle,
}

/// The address of something.
#[derive(ToSchema)]
pub(crate) struct SiteAddress {
    #[schema(max_length = 2048)]
    url: Option<String>,
}

/// An account on a social network.
#[derive(ToSchema)]
pub(crate) struct SocialAccount {
    platform: SocialPlatform,
    /// The name of the account there, such as `octavo` or `company/octavo`.
    #[schema(min_length = 1, max_length = 128)]
    handle: String,
    /// In the footer only, if absent in a request.
    #[schema(required = false)]
    display: SocialDisplay,
}

/// Where an account is shown.
#[derive(ToSchema)]
pub(crate) struct SocialDisplay {
    #[schema(required = false)]
    footer: bool,
    #[schema(required = false)]
    header: bool,
}
