//! The table of contents of a variant.
use super::around::Around;
use super::header::outside;
use super::href::Href;
use super::variants;
use crate::texts::Word;
use domain::site::reader::NavigationEntry;
use maud::{Markup, html};

/// The name of the software.
const NAME: &str = "Octavo";

/// The sidebar.
pub(super) fn sidebar(around: &Around<'_>) -> Markup {
    html! {
        aside.o-side id="side" aria-label=(around.word(Word::Navigation)) {
            (variants::versions(around))
            nav.o-nav aria-label=(around.word(Word::Pages)) { (entries(around, &around.frame.navigation)) }
            @if around.customization.trademark.enabled {
                p.o-mark { (around.filled(Word::PoweredBy, NAME)) }
            }
        }
    }
}

fn entries(around: &Around<'_>, all: &[NavigationEntry]) -> Markup {
    html! { ul { @for one in all { (entry(around, one)) } } }
}

fn entry(around: &Around<'_>, one: &NavigationEntry) -> Markup {
    let label = html! { (around.sign(one.emoji.as_deref(), one.icon.as_deref())) (one.title) };
    if one.group {
        return html! { li.o-group { span { (label) } (entries(around, &one.children)) } };
    }
    let title = match one.href.as_deref().and_then(|href| target(around, one, href)) {
        Some(href) if href.external => around.link(&href, outside(&href), &label),
        Some(href) => html! { a href=(href.href) aria-current=[one.current.then_some("page")] { (label) } },
        None => html! { span { (label) } },
    };
    if one.children.is_empty() {
        return html! { li { (title) } };
    }
    html! {
        li.o-branch {
            (title)
            details open[one.current || leads_to_current(&one.children)] {
                summary aria-label=(around.filled(Word::PagesBelow, &one.title)) {}
                (entries(around, &one.children))
            }
        }
    }
}

/// Where an entry leads. Pages have addresses of ours, links can have any.
fn target(around: &Around<'_>, one: &NavigationEntry, href: &str) -> Option<Href> {
    match one.external {
        true => around.safe(href),
        false => Some(Href::inside(href)),
    }
}

fn leads_to_current(entries: &[NavigationEntry]) -> bool {
    entries.iter().any(|entry| entry.current || leads_to_current(&entry.children))
}
