//! The head of a page: metadata for search engines, browsers and social networks.
use super::card::Face;
use super::context::FrameContext;
use super::favicon::{Favicon, favicon};
use crate::theme;
use chrono::SecondsFormat;
use domain::content::document::{Block, Kind};
use domain::site::SiteIcon;
use domain::site::customization::ThemeMode;
use domain::site::reader::SitePage;
use maud::{Markup, html};
use url::Url;

/// The longest description that is made from a text, in characters.
const LONGEST_DESCRIPTION: usize = 160;

/// The common metadata of all pages of a site.
pub(super) fn of_the_site(context: &FrameContext<'_>) -> Markup {
    let outside = theme::outside(&context.customization);
    let browser = &outside.browser;
    html! {
        @match context.customization.themes.default {
            ThemeMode::System => {
                meta name="theme-color" media="(prefers-color-scheme:light)" content=(browser.light);
                meta name="theme-color" media="(prefers-color-scheme:dark)" content=(browser.dark);
            }
            ThemeMode::Light => { meta name="theme-color" content=(browser.light); }
            ThemeMode::Dark => { meta name="theme-color" content=(browser.dark); }
        }
        (icon(context))
        @if !context.frame.exported {
            link rel="search" type="application/opensearchdescription+xml" title=(context.frame.title)
                href={ (context.frame.base) "opensearch.xml" };
        }
    }
}

/// The icon in the browser's tab.
fn icon(context: &FrameContext<'_>) -> Markup {
    match &context.frame.icon {
        Some(SiteIcon::Icon { light, dark }) if light != dark => html! {
            link rel="icon" media="(prefers-color-scheme:light)" href=(light.as_str());
            link rel="icon" media="(prefers-color-scheme:dark)" href=(dark.as_str());
        },
        icon => match favicon(icon.as_ref(), &context.customization) {
            Favicon::At(address) => html! { link rel="icon" href=(address); },
            Favicon::Svg(svg) => html! { link rel="icon" href={ "data:image/svg+xml," (encoded(&svg)) }; },
        },
    }
}

/// An SVG image in a data address.
fn encoded(svg: &str) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    for byte in svg.bytes() {
        match byte.is_ascii_graphic() && !b"<>#%\"&".contains(&byte) {
            true => out.push(char::from(byte)),
            false => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// The other metadata of a page.
pub(super) fn of_the_page(context: &FrameContext<'_>, page: &SitePage) -> Markup {
    let frame = context.frame;
    let description = description(page);
    let own = image(context, page);
    let card = if own.is_none() { Face::new(context, page) } else { None };
    let image = own.or_else(|| card.as_ref().map(|card| card.address(frame, page)));
    html! {
        @if let Some(description) = &description { meta name="description" content=(description); }
        @if !page.indexed { meta name="robots" content="noindex"; }
        @if !page.canonical.is_empty() { link rel="canonical" href=(page.canonical); }
        @for other in &page.alternates {
            link rel="alternate" hreflang=[other.language.as_ref()] href=(other.href);
        }
        @if !page.markdown.is_empty() { link rel="alternate" type="text/markdown" href=(page.markdown); }
        @if let Some(feed) = &page.feed {
            link rel="alternate" type="application/rss+xml" title=(page.title) href=(feed);
        }
        @if let Some(previous) = page.previous.as_ref().and_then(|link| link.href.as_ref()) {
            link rel="prev" href=(previous);
        }
        @if let Some(next) = page.next.as_ref().and_then(|link| link.href.as_ref()) { link rel="next" href=(next); }
        meta property="og:type" content="article";
        meta property="og:site_name" content=(frame.title);
        meta property="og:title" content=(page.title);
        @if let Some(description) = &description { meta property="og:description" content=(description); }
        @if !page.canonical.is_empty() { meta property="og:url" content=(page.canonical); }
        @if let Some(language) = frame.language { meta property="og:locale" content=(locale(language.as_str())); }
        @if let Some(image) = &image { meta property="og:image" content=(image); }
        @if card.is_some() {
            meta property="og:image:width" content=(cards::WIDTH);
            meta property="og:image:height" content=(cards::HEIGHT);
            meta property="og:image:alt" content=(page.title);
        }
        meta name="twitter:card" content=(if image.is_some() { "summary_large_image" } else { "summary" });
        @if let Some(image) = &image { meta name="twitter:image" content=(image); }
        @if page.layout.metadata {
            meta property="article:modified_time" content=(page.updated_at.to_rfc3339_opts(SecondsFormat::Secs, true));
        }
        @if page.indexed && !frame.exported { (super::structured::data(context, page, description.as_deref())) }
    }
}

/// The picture for social networks: that of the site, else the cover of the page. Networks show no SVG, and a file of an
/// export has no address that is known to others.
pub(super) fn image(context: &FrameContext<'_>, page: &SitePage) -> Option<String> {
    let own = context.customization.social_preview.url.as_ref().map(|url| url.as_str().to_owned());
    let cover = page.cover.as_ref().filter(|_| !context.frame.exported);
    let parsed = |address: String| Url::parse(&address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let is_svg = |url: &Url| url.path().to_ascii_lowercase().ends_with(".svg");
    let cover = cover.and_then(|cover| parsed(context.absolute(&cover.image))).filter(|url| !is_svg(url));
    own.and_then(parsed).or(cover).map(String::from)
}

/// A language as social networks write it: `pt_BR`.
fn locale(code: &str) -> String {
    match code.split_once('-') {
        Some((language, region)) => format!("{language}_{}", region.to_uppercase()),
        None => code.to_owned(),
    }
}

/// The description of a page that its writer set, unless it only repeats the title.
pub(super) fn own_description(page: &SitePage) -> Option<&str> {
    let description = page.description.as_deref()?;
    (!description.trim().is_empty() && description.trim() != page.title.trim()).then_some(description)
}

/// The description of a page: its own, or else its first paragraph.
pub(super) fn description(page: &SitePage) -> Option<String> {
    own_description(page).map(str::to_owned).or_else(|| {
        let paragraph = |block: &&Block| matches!(block.kind, Kind::Paragraph(_));
        let paragraphs = page.document.walk().filter(paragraph).map(Block::line);
        let mut texts = paragraphs.filter(|line| !line.trim().is_empty());
        texts.next().map(|text| shortened(&text))
    })
}

/// The words of a text that fit.
fn shortened(text: &str) -> String {
    let mut short = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let characters = word.chars().count();
        if length + characters + 1 > LONGEST_DESCRIPTION {
            if short.is_empty() {
                short.extend(word.chars().take(LONGEST_DESCRIPTION));
            }
            return short + "…";
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
        length += characters + 1;
    }
    short
}
