//! The top of a page: announcement, header, sections.
use super::around::Around;
use super::href::Href;
use super::icons;
use super::sections;
use super::social;
use crate::texts::Word;
use domain::site::SiteIcon;
use domain::site::customization::{Announcement, HeaderLink, HeaderLinkStyle, Link, ThemedUrl};
use maud::{Markup, html};
use sha2::{Digest, Sha256};

/// The announcement, the header and the sections.
pub(super) fn header(around: &Around<'_>) -> Markup {
    let title = around.word(Word::Search);
    html! {
        (announcement(around))
        header.o-header {
            div.o-bar {
                button.o-menu type="button" aria-expanded="false" aria-controls="side" {
                    span.o-hidden { (around.word(Word::Menu)) }
                }
                noscript { a.o-menu href="#side" { span.o-hidden { (around.word(Word::Menu)) } } }
                (logo(around))
                a.o-search href=(around.own("search")) { span { (title) "…" } kbd {} }
                (links(around))
                (super::variants::languages(around))
                @if around.customization.themes.toggeable {
                    button.o-theme type="button" hidden { span.o-hidden { (around.word(Word::Theme)) } }
                }
            }
            (sections::sections(around))
        }
    }
}

fn shown<'a>(around: &'a Around<'_>) -> Option<&'a Announcement> {
    around.customization.announcement.as_ref().filter(|announcement| announcement.enabled)
}

/// What is remembered of an announcement that was closed: another text is another announcement.
pub(super) fn announcement_key(around: &Around<'_>) -> Option<String> {
    let announcement = shown(around)?;
    let mut hash = Sha256::new();
    hash.update(announcement.message.as_str());
    if let Some(link) = &announcement.link {
        hash.update("\n");
        hash.update(link.title.as_str());
    }
    Some(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

fn announcement(around: &Around<'_>) -> Markup {
    let Some((announcement, key)) = shown(around).zip(announcement_key(around)) else { return html! {} };
    html! {
        aside class={ "o-announce o-" (announcement.style) } data-key=(key)
            aria-label=(around.word(Word::Announcement)) {
            p {
                (announcement.message)
                @if let Some(link) = announcement.link.as_ref() {
                    @if let Some(href) = around.href(&link.to) {
                        " " (around.link(&href, None, &html! { (link.title) }))
                    }
                }
            }
            button.o-close type="button" hidden { span.o-hidden { (around.word(Word::Close)) } }
        }
    }
}

/// An image for each mode.
pub(super) fn themed(image: &ThemedUrl, alt: &str) -> Markup {
    html! {
        @if image.light == image.dark {
            img src=(image.light.as_str()) alt=(alt);
        } @else {
            img.o-light src=(image.light.as_str()) alt=(alt);
            img.o-dark src=(image.dark.as_str()) alt=(alt);
        }
    }
}

fn logo(around: &Around<'_>) -> Markup {
    let frame = around.frame;
    let header = &around.customization.header;
    let target = header.primary_link.as_ref().and_then(|target| around.href(target));
    let href = target.unwrap_or_else(|| Href { href: frame.base.clone(), external: false });
    let inner = match (&header.logo, &frame.icon) {
        (Some(logo), _) => themed(logo, &frame.title),
        (None, Some(SiteIcon::Icon { light, dark })) => {
            let image = ThemedUrl { light: light.clone(), dark: dark.clone() };
            html! { (themed(&image, "")) span { (frame.title) } }
        }
        (None, Some(SiteIcon::Emoji(emoji))) => {
            html! { (around.sign(Some(emoji.as_str()), None)) span { (frame.title) } }
        }
        (None, None) => html! { span { (frame.title) } },
    };
    around.link(&href, Some("o-logo"), &inner)
}

fn links(around: &Around<'_>) -> Markup {
    let links: Vec<Markup> = around.customization.header.links.iter().filter_map(|link| entry(around, link)).collect();
    let accounts = social::accounts(around, |display| display.header);
    html! {
        @if !links.is_empty() {
            nav.o-links aria-label=(around.word(Word::Links)) { ul { @for link in &links { li { (link) } } } }
        }
        (accounts)
    }
}

fn entry(around: &Around<'_>, link: &HeaderLink) -> Option<Markup> {
    let class = match link.style {
        Some(HeaderLinkStyle::ButtonPrimary) => Some("o-button o-primary"),
        Some(HeaderLinkStyle::ButtonSecondary) => Some("o-button"),
        Some(HeaderLinkStyle::Link) | None => None,
    };
    let own = link.to.as_ref().and_then(|target| around.href(target));
    let menu: Vec<(&Link, Href)> = link.links.iter().filter_map(|link| Some((link, around.href(&link.to)?))).collect();
    if menu.is_empty() {
        return own.map(|href| around.link(&href, class, &html! { (link.title) }));
    }
    Some(html! {
        details.o-drop {
            summary class=[class] { (link.title) }
            ul {
                @if let Some(href) = &own { li { (around.link(href, None, &html! { (link.title) })) } }
                @for (link, href) in &menu { li { (around.link(href, outside(href), &html! { (link.title) })) } }
            }
        }
    })
}

/// The class of a link to another site.
pub(super) fn outside(href: &Href) -> Option<&'static str> {
    href.external.then_some("o-external")
}

/// The icon of a menu.
pub(super) fn sign(name: &'static str) -> Markup {
    icons::own(name)
}
