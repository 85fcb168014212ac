//! The context that all parts of the frame are rendered with.
use super::href::Href;
use crate::assets::Asset;
use crate::icons::icon;
use crate::texts::{Texts, Word};
use domain::content::document::emoji;
use domain::content::reference::ContentRef;
use domain::site::customization::{Customization, ExternalLinkTarget, MenuTarget, Styling};
use domain::site::reader::{ReferenceTarget, SiteFrame};
use maud::{Markup, html};
use std::borrow::Cow;

/// The placeholder of a value in an interface text.
const SLOT: &str = "{}";

/// The site around a page, with the interface texts.
#[derive(Clone, Debug)]
pub(super) struct FrameContext<'a> {
    pub(super) frame: &'a SiteFrame,
    /// The customization that applies.
    pub(super) customization: Cow<'a, Customization>,
    pub(super) texts: &'a Texts,
}

impl<'a> FrameContext<'a> {
    pub(super) fn new(frame: &'a SiteFrame, texts: &'a Texts) -> Self {
        Self { frame, customization: in_force(&frame.customization), texts }
    }

    /// A word of the interface.
    pub(super) fn word(&self, word: Word) -> &'static str {
        self.texts.get(word)
    }

    /// An interface text with a value in it.
    pub(super) fn filled(&self, word: Word, value: &str) -> String {
        self.texts.with(word, value)
    }

    /// The same with markup in it.
    pub(super) fn framed(&self, word: Word, inner: &Markup) -> Markup {
        let (before, after) = self.word(word).split_once(SLOT).unwrap_or((self.word(word), ""));
        html! { (before) (inner) (after) }
    }

    /// The path of an asset.
    pub(super) fn asset(&self, asset: &Asset) -> String {
        asset_path(&self.frame.base, asset)
    }

    /// The path of one of the site's own addresses.
    pub(super) fn own(&self, path: &str) -> String {
        format!("{}~/{path}", self.frame.base)
    }

    /// The absolute canonical address of a path on the server.
    pub(super) fn absolute(&self, href: &str) -> String {
        match href.strip_prefix(&self.frame.base) {
            Some(rest) => format!("{}{rest}", self.frame.canonical),
            None => href.to_owned(),
        }
    }

    /// The target of a link of the customization; `None` if it has none for this visitor.
    pub(super) fn href(&self, target: &MenuTarget) -> Option<Href> {
        match target.reference() {
            ContentRef::Url { url } => self.safe(url),
            reference => match self.frame.references.get(reference)? {
                ReferenceTarget::Link(link) => Some(Href { href: link.href.clone(), external: false }),
                ReferenceTarget::File(file) => Some(Href { href: file.href.clone(), external: false }),
                ReferenceTarget::Tag(_) | ReferenceTarget::Person(_) => None,
            },
        }
    }

    /// An address as a setting has it, as a link; see [`Href::of`].
    pub(super) fn safe(&self, url: &str) -> Option<Href> {
        Href::of(url, &self.frame.base, &self.frame.canonical)
    }

    /// A link around something.
    pub(super) fn link(&self, href: &Href, class: Option<&str>, inner: &Markup) -> Markup {
        let blank = href.external && self.customization.external_links.target == ExternalLinkTarget::Blank;
        html! {
            a class=[class] href=(href.href) rel=[href.external.then_some("noopener")]
                target=[blank.then_some("_blank")] {
                (inner)
                @if blank { span.o-hidden { " (" (self.word(Word::NewTab)) ")" } }
            }
        }
    }

    /// The sign before a title: an emoji, or else an icon.
    pub(super) fn sign(&self, emoji: Option<&str>, icon: Option<&str>) -> Markup {
        match (emoji.map(characters).filter(|emoji| !emoji.is_empty()), icon) {
            (Some(emoji), _) => html! { span.o-emoji aria-hidden="true" { (emoji) } " " },
            (None, Some(icon)) => self.icon(icon),
            (None, None) => html! {},
        }
    }

    /// An icon by its name.
    pub(super) fn icon(&self, name: &str) -> Markup {
        icon(name, self.customization.styling.icons)
    }
}

/// The characters of an emoji, which is stored as its code points or as itself.
pub(super) fn characters(code: &str) -> String {
    let text: String = emoji(code).collect();
    if text.is_empty() || text.is_ascii() {
        if code.is_ascii() { String::new() } else { code.to_owned() }
    } else {
        text
    }
}

/// The path of an asset of a site.
pub(super) fn asset_path(base: &str, asset: &Asset) -> String {
    path_of(base, asset.name)
}

/// The path of an asset of a site, or of a file of a font, by its name.
pub(super) fn path_of(base: &str, name: &str) -> String {
    format!("{base}~/assets/{name}")
}

/// The effective customization: without advanced customization, only colours, logos, and behaviour.
fn in_force(customization: &Customization) -> Cow<'_, Customization> {
    if customization.advanced_customization.enabled {
        return Cow::Borrowed(customization);
    }
    let mut plain = customization.clone();
    let defaults = Customization::default();
    let Styling { primary_color, info_color, success_color, warning_color, danger_color, tint, .. } = plain.styling;
    let colors =
        Styling { primary_color, info_color, success_color, warning_color, danger_color, tint, ..defaults.styling };
    let (logo, primary_link) = (plain.header.logo, plain.header.primary_link);
    plain.styling = colors;
    plain.header = defaults.header;
    (plain.header.logo, plain.header.primary_link) = (logo, primary_link);
    plain.footer = domain::site::customization::Footer { logo: plain.footer.logo, ..defaults.footer };
    plain.announcement = None;
    plain.social_preview = defaults.social_preview;
    plain.social_accounts = defaults.social_accounts;
    Cow::Owned(plain)
}
