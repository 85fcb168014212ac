//! The pages below a page without text, so that it is not empty for visitors.
use super::context::FrameContext;
use super::sidebar::target;
use crate::article::Article;
use domain::site::reader::NavigationEntry;
use maud::{Markup, html};

/// Links to the pages below the current page, if it has no text.
pub(super) fn below(context: &FrameContext<'_>, article: &Article) -> Markup {
    let entry = if article.html.is_empty() { current(&context.frame.navigation) } else { None };
    let inside = entry.into_iter().flat_map(|entry| &entry.children);
    let cards: Vec<Markup> = inside.filter_map(|entry| card(context, entry)).collect();
    html! {
        @if !cards.is_empty() { ul.o-cards { @for card in &cards { li { (card) } } } }
    }
}

fn current(entries: &[NavigationEntry]) -> Option<&NavigationEntry> {
    entries.iter().find_map(|entry| if entry.current { Some(entry) } else { current(&entry.children) })
}

/// A card with the title of a page, with the markup of cards in texts.
fn card(context: &FrameContext<'_>, entry: &NavigationEntry) -> Option<Markup> {
    let href = target(context, entry, entry.href.as_deref()?)?;
    let sign = context.sign(entry.emoji.as_deref(), entry.icon.as_deref());
    let link = context.link(&href, Some("o-card-link"), &html! { span.o-hidden { (entry.title) } });
    Some(html! { article { div.o-card-title { (sign) (entry.title) } (link) } })
}
