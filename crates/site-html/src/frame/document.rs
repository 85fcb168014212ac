//! The document: its head, its body, and the hashes of what is in it.
use super::Html;
use super::context::{FrameContext, path_of};
use super::script;
use crate::assets::{APP, EXPORT, MORE, PRINT, REFERENCE, SEARCH, STYLE};
use crate::texts::Word;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::site::customization::ThemeMode;
use domain::site::served_font::FontTable;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::json;
use sha2::{Digest, Sha256};

/// The parts of a document.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Its title, without that of the site.
    pub(super) title: Option<String>,
    /// What else is in its head.
    pub(super) head: Markup,
    /// Rules of style of its own, behind those of the site.
    pub(super) css: String,
    /// Whether the table of contents is left out.
    pub(super) without_contents: bool,
    /// Whether it is for printing: in light mode, without the parts and the script of pages for the screen.
    pub(super) printed: bool,
    /// Its body.
    pub(super) body: Markup,
    /// The origins of the images in it that are not on the site.
    pub(super) images: Vec<String>,
}

/// The SHA-256 of a text, in base64.
pub(super) fn sha256(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// A style cannot end its element: our styles contain no `<`.
fn style_text(css: &str) -> String {
    css.replace('<', "")
}

/// The value of a `Link` header with the files that browsers need before they can show a page.
///
/// It is a header, and not elements in the page: it arrives before the page does, and proxies can send it even earlier
/// (status 103). Files of an export have no headers, and browsers refuse to preload fonts from a disk.
fn preload(styles: &[String], font: Option<&str>) -> String {
    let styles = styles.iter().map(|style| format!("<{style}>; rel=preload; as=style"));
    let font = font.map(|font| format!("<{font}>; rel=preload; as=font; type=\"font/woff2\"; crossorigin"));
    styles.chain(font).collect::<Vec<_>>().join(", ")
}

/// The document.
pub(super) fn document(context: &FrameContext<'_>, fonts: &FontTable, parts: Parts) -> Html {
    let frame = context.frame;
    let customization = &context.customization;
    let styling = &customization.styling;
    let css = style_text(&format!("{}{}", super::style::of(context, fonts, &parts.body.0), parts.css));
    let title = match parts.title {
        Some(title) if title != frame.title => format!("{title} · {}", frame.title),
        _ => frame.title.clone(),
    };
    let language = frame.language.map_or(context.texts.locale.as_str(), |language| language.as_str());
    let served = !frame.exported;
    let mut styles = vec![context.asset(&STYLE)];
    if parts.body.0.contains("class=\"o-api\"") {
        styles.push(context.asset(&REFERENCE));
    }
    let font = crate::theme::preloaded(styling, fonts, language).map(|font| path_of(&frame.base, font));
    let markup = html! {
        (DOCTYPE)
        html lang=(language) dir=(super::languages::direction(language)) class={ "o-" (styling.theme) }
            data-theme=(if parts.printed { ThemeMode::Light } else { customization.themes.default })
            data-toggle=[(!customization.themes.toggeable).then_some("no")]
            data-base=[served.then_some(&frame.base)] data-search=[served.then(|| context.asset(&SEARCH))]
            data-more=[served.then(|| context.asset(&MORE))]
            data-variant=(frame.variant)
            data-corners=(styling.corners) data-depth=(styling.depth) data-links=(styling.links)
            data-sidebar=(styling.sidebar.background) data-list=(styling.sidebar.list)
            data-search-style=(styling.search) data-header=(customization.header.preset)
            data-background=(styling.background) data-side=[parts.without_contents.then_some("no")]
            data-scopes=[(frame.sections.is_empty() && frame.variants.is_empty()).then_some("no")] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (title) }
                (parts.head)
                (super::head::of_the_site(context))
                style { (PreEscaped(&css)) }
                @if !parts.printed { script { (PreEscaped(script::SCRIPT)) } }
                @for style in &styles { link rel="stylesheet" href=(style); }
                @if served {
                    script type="module" src=(context.asset(if parts.printed { &PRINT } else { &APP })) {}
                } @else {
                    // Browsers load no modules from files.
                    script defer src=(context.asset(&EXPORT)) {}
                }
            }
            // Here, since the encoding must be in the first 1,024 bytes.
            body data-words=(words(context)) {
                @if !parts.printed {
                    a.o-skip href="#main" { (context.word(Word::SkipToContent)) }
                    (super::preview::bar(context))
                }
                (parts.body)
            }
        }
    };
    Html {
        style_hash: sha256(&css),
        script_hash: script::HASH.clone(),
        images: parts.images,
        fonts: crate::theme::font_origins(styling).into_iter().collect(),
        preload: preload(&styles, font.as_deref()),
        html: without_nul(markup.into_string()),
    }
}

/// The words for scripts, as JSON.
fn words(context: &FrameContext<'_>) -> String {
    let word = |word| context.word(word);
    let results = word(Word::Results);
    let mut words = json!({
        "search": word(Word::Search),
        "placeholder": format!("{}…", word(Word::Search)),
        "results": results.replacen("{}", "{n}", 1),
        "result": results.replacen("{}", "1", 1),
        "none": word(Word::NoResults).replacen("{}", "{q}", 1),
        "hint": word(Word::NoResultsHint),
        "failed": word(Word::SearchFailed),
        "recent": word(Word::RecentSearches),
        "here": word(Word::ThisSection),
        "all": word(Word::Everything),
        "close": word(Word::Close),
        "copy": word(Word::Copy),
        "copied": word(Word::Copied),
        "more": word(Word::ShowMore),
        "less": word(Word::ShowLess),
    });
    if context.customization.themes.toggeable
        && let Some(map) = words.as_object_mut()
    {
        let theme = [("theme", Word::Theme), ("light", Word::Light), ("dark", Word::Dark), ("system", Word::System)];
        map.extend(theme.map(|(key, name)| (key.to_owned(), word(name).into())));
    }
    words.to_string()
}

/// A page without a site: only the common parts of all pages.
pub(super) fn plain(title: &str, base: Option<&str>, language: &str, body: &Markup) -> Html {
    let css = super::style::plain();
    let style_hash = sha256(&css);
    let style = base.map(|base| super::context::asset_path(base, &STYLE));
    let markup = html! {
        (DOCTYPE)
        html lang=(language) dir=(super::languages::direction(language)) data-theme=(ThemeMode::System) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="robots" content="noindex";
                meta name="color-scheme" content="light dark";
                title { (title) }
                @if let Some(style) = &style {
                    style { (PreEscaped(&css)) }
                    link rel="stylesheet" href=(style);
                }
            }
            body { (body) }
        }
    };
    let preload = preload(style.as_slice(), None);
    let html = without_nul(markup.into_string());
    Html { html, style_hash, script_hash: script::HASH.clone(), preload, ..Html::default() }
}

/// U+0000 is no character of HTML. Texts of pages cannot have it, those of OpenAPI documents can.
fn without_nul(html: String) -> String {
    if html.contains('\0') { html.replace('\0', "\u{fffd}") } else { html }
}
