//! The table of contents of a variant.
use super::context::FrameContext;
use super::header::{self, outside};
use super::href::Href;
use super::variants;
use crate::texts::Word;
use domain::site::reader::NavigationEntry;
use maud::{Markup, html};
use std::fmt::Write;

/// The name of the software.
const NAME: &str = "Octavo";
/// The most rows of a navigation that browsers lay out as a whole.
const LONG: usize = 400;
/// The height of a row with a title of one line, in rem.
const ROW: usize = 2;

/// The sidebar, with the parts of the header if it has them.
pub(super) fn sidebar(context: &FrameContext<'_>, has_header: bool) -> Markup {
    html! {
        aside.o-side id="side" aria-label=(context.word(Word::Navigation)) {
            @if has_header { (header::above_contents(context)) }
            (variants::versions(context))
            nav.o-nav aria-label=(context.word(Word::Pages)) { (entries(context, &context.frame.navigation)) }
            @if has_header { (header::links(context)) }
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
pub(super) fn target(context: &FrameContext<'_>, one: &NavigationEntry, href: &str) -> Option<Href> {
    match one.external {
        true => context.safe(href),
        false => Some(Href::inside(href)),
    }
}

fn leads_to_current(entries: &[NavigationEntry]) -> bool {
    entries.iter().any(|entry| entry.current || leads_to_current(&entry.children))
}

/// The rules of a long navigation: browsers lay out each of its groups when it comes near the screen. Until then, a
/// group has the height of titles of one line, so browsers must keep the visitor's place when the height changes. Empty
/// for other navigations, which gain nothing.
pub(super) fn rules(context: &FrameContext<'_>) -> String {
    let entries = &context.frame.navigation;
    if rows(entries) <= LONG {
        return String::new();
    }
    let mut css = String::from(
        "@supports(overflow-anchor:auto){@media screen{\
         .o-nav>ul>.o-group>ul{content-visibility:auto;overflow-clip-margin:.25rem}",
    );
    for (number, group) in (1..).zip(entries).filter(|(_, entry)| entry.group) {
        let height = rows(&group.children) * ROW;
        let _ = write!(css, ".o-nav>ul>:nth-child({number})>ul{{contain-intrinsic-block-size:auto {height}rem}}");
    }
    css.push_str("}}");
    css
}

/// How many rows entries have, without those in closed branches.
fn rows(entries: &[NavigationEntry]) -> usize {
    let is_open = |entry: &NavigationEntry| entry.group || entry.current || leads_to_current(&entry.children);
    entries.iter().map(|entry| 1 + if is_open(entry) { rows(&entry.children) } else { 0 }).sum()
}
