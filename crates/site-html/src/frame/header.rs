//! The top of a page: announcement, header, sections.
use super::context::FrameContext;
use super::href::Href;
use super::icons;
use super::sections;
use super::social;
use crate::texts::Word;
use domain::site::SiteIcon;
use domain::site::customization::{Announcement, HeaderLink, HeaderLinkStyle, Link, ThemedUrl};
use maud::{Markup, html};
use sha2::{Digest, Sha256};

/// The announcement, the header and the sections. If the parts of the header are in the sidebar, it has only those that
/// small screens need.
pub(super) fn header(context: &FrameContext<'_>, is_in_sidebar: bool) -> Markup {
    html! {
        (announcement(context))
        header.o-header {
            div.o-bar {
                button.o-menu type="button" aria-expanded="false" aria-controls="side" hidden {
                    span.o-hidden { (context.word(Word::Menu)) }
                }
                (logo(context))
                // After the logo, which takes the room: on wide screens, nothing is seen of it.
                noscript { a.o-menu href="#side" { span.o-hidden { (context.word(Word::Menu)) } } }
                (search(context))
                @if !is_in_sidebar {
                    (links(context))
                    (super::variants::languages(context))
                }
                (theme(context))
            }
            @if !is_in_sidebar { (sections::sections(context)) }
        }
    }
}

/// The parts of the header that are above the table of contents, if they are in the sidebar. The first ones are for wide
/// screens only.
pub(super) fn above_contents(context: &FrameContext<'_>) -> Markup {
    html! {
        div.o-bare {
            div { (logo(context)) (theme(context)) }
            (search(context))
        }
        (super::variants::languages(context))
        (sections::sections(context))
    }
}

fn search(context: &FrameContext<'_>) -> Markup {
    html! { a.o-search href=(context.own("search")) { span { (context.word(Word::Search)) "…" } kbd {} } }
}

fn theme(context: &FrameContext<'_>) -> Markup {
    html! {
        @if context.customization.themes.toggeable {
            button.o-theme type="button" hidden { span.o-hidden { (context.word(Word::Theme)) } }
        }
    }
}

fn shown<'a>(context: &'a FrameContext<'_>) -> Option<&'a Announcement> {
    context.customization.announcement.as_ref().filter(|announcement| announcement.enabled)
}

/// The key under which browsers store that an announcement was closed: a changed text is another announcement.
pub(super) fn announcement_key(context: &FrameContext<'_>) -> Option<String> {
    let announcement = shown(context)?;
    let mut hash = Sha256::new();
    hash.update(announcement.message.as_str());
    if let Some(link) = &announcement.link {
        hash.update("\n");
        hash.update(link.title.as_str());
    }
    Some(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

fn announcement(context: &FrameContext<'_>) -> Markup {
    let Some((announcement, key)) = shown(context).zip(announcement_key(context)) else { return html! {} };
    html! {
        aside class={ "o-announce o-" (announcement.style) } data-key=(key)
            aria-label=(context.word(Word::Announcement)) {
            p dir="auto" {
                (announcement.message)
                @if let Some(link) = announcement.link.as_ref() {
                    @if let Some(href) = context.href(&link.to) {
                        " " (context.link(&href, None, &html! { (link.title) }))
                    }
                }
            }
            button.o-close type="button" hidden { span.o-hidden { (context.word(Word::Close)) } }
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

fn logo(context: &FrameContext<'_>) -> Markup {
    let frame = context.frame;
    let header = &context.customization.header;
    let target = header.primary_link.as_ref().and_then(|target| context.href(target));
    let href = target.unwrap_or_else(|| Href { href: frame.base.clone(), external: false });
    let inner = match (&header.logo, &frame.icon) {
        (Some(logo), _) => themed(logo, &frame.title),
        (None, Some(SiteIcon::Icon { light, dark })) => {
            let image = ThemedUrl { light: light.clone(), dark: dark.clone() };
            html! { (themed(&image, "")) span { (frame.title) } }
        }
        (None, Some(SiteIcon::Emoji(emoji))) => {
            html! { (context.sign(Some(emoji.as_str()), None)) span { (frame.title) } }
        }
        (None, None) => html! { span { (frame.title) } },
    };
    context.link(&href, Some("o-logo"), &inner)
}

/// The links of the header, and the accounts that are shown beside them.
pub(super) fn links(context: &FrameContext<'_>) -> Markup {
    let links: Vec<Markup> =
        context.customization.header.links.iter().filter_map(|link| entry(context, link)).collect();
    let accounts = social::accounts(context, |display| display.header);
    html! {
        @if !links.is_empty() {
            nav.o-links aria-label=(context.word(Word::Links)) { ul { @for link in &links { li { (link) } } } }
        }
        (accounts)
    }
}

fn entry(context: &FrameContext<'_>, link: &HeaderLink) -> Option<Markup> {
    let class = match link.style {
        Some(HeaderLinkStyle::ButtonPrimary) => Some("o-button o-primary"),
        Some(HeaderLinkStyle::ButtonSecondary) => Some("o-button"),
        Some(HeaderLinkStyle::Link) | None => None,
    };
    let own = link.to.as_ref().and_then(|target| context.href(target));
    let menu: Vec<(&Link, Href)> = link.links.iter().filter_map(|link| Some((link, context.href(&link.to)?))).collect();
    if menu.is_empty() {
        return own.map(|href| context.link(&href, class, &html! { (link.title) }));
    }
    Some(html! {
        details.o-drop {
            summary class=[class] { (link.title) }
            ul {
                @if let Some(href) = &own { li { (context.link(href, None, &html! { (link.title) })) } }
                @for (link, href) in &menu { li { (context.link(href, outside(href), &html! { (link.title) })) } }
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
