//! The table of contents of a variant.
use super::context::FrameContext;
use super::header::outside;
use super::href::Href;
use super::variants;
use crate::texts::Word;
use domain::site::reader::NavigationEntry;
use maud::{Markup, html};

/// The name of the software.
const NAME: &str = "Octavo";

/// The sidebar.
pub(super) fn sidebar(context: &FrameContext<'_>) -> Markup {
    html! {
        aside.o-side id="side" aria-label=(context.word(Word::Navigation)) {
            (variants::versions(context))
            nav.o-nav aria-label=(context.word(Word::Pages)) { (entries(context, &context.frame.navigation)) }
            @if context.customization.trademark.enabled {
                p.o-mark { (context.filled(Word::PoweredBy, NAME)) }
            }
        }
    }
}

fn entries(context: &FrameContext<'_>, all: &[NavigationEntry]) -> Markup {
    html! { ul { @for one in all { (entry(context, one)) } } }
}

fn entry(context: &FrameContext<'_>, one: &NavigationEntry) -> Markup {
    let label = html! { (context.sign(one.emoji.as_deref(), one.icon.as_deref())) (one.title) };
    if one.group {
        return html! { li.o-group { span { (label) } (entries(context, &one.children)) } };
    }
    let title = match one.href.as_deref().and_then(|href| target(context, one, href)) {
        Some(href) if href.external => context.link(&href, outside(&href), &label),
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
                summary aria-label=(context.filled(Word::PagesBelow, &one.title)) {}
                (entries(context, &one.children))
            }
        }
    }
}

/// The target of an entry. Pages have addresses of this server, links can have any address.
fn target(context: &FrameContext<'_>, one: &NavigationEntry, href: &str) -> Option<Href> {
    match one.external {
        true => context.safe(href),
        false => Some(Href::inside(href)),
    }
}

fn leads_to_current(entries: &[NavigationEntry]) -> bool {
    entries.iter().any(|entry| entry.current || leads_to_current(&entry.children))
}
