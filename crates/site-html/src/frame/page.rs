//! A page of a site.
use super::below::below;
use super::context::FrameContext;
use super::document::Parts;
use super::{actions, feedback, head, outline};
use crate::article::Article;
use crate::texts::Word;
use chrono::SecondsFormat;
use domain::content::page::Width;
use domain::site::reader::{PageLink, SiteCover, SitePage};
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

/// The parts of a page.
pub(super) fn parts(context: &FrameContext<'_>, page: &SitePage, article: &Article) -> Parts {
    let layout = &page.layout;
    let outline = (layout.outline && !article.outline.is_empty()).then_some(&article.outline);
    let has_api = article.html.contains("class=\"o-api\"");
    // Wide texts leave no room for it.
    let beside = outline.filter(|_| layout.width == Width::Default && !has_api);
    let main = html! {
        main.o-main id="main" data-width=(layout.width) data-api[has_api] data-toc[beside.is_some()] tabindex="-1" {
            @if let Some(cover) = shown_cover(page) { (picture(cover)) }
            @if let Some(outline) = outline { (outline::above(context, outline)) }
            (crumbs(context, page))
            (heading(context, page))
            article.o-text data-anchors=[(!layout.anchors).then_some("no")] {
                (PreEscaped(&article.html))
                (below(context, article))
            }
            (pager(context, page))
            (feedback::form(context, page))
            @if layout.metadata { (updated(context, page)) }
        }
        @if let Some(outline) = beside { (outline::beside(context, outline)) }
    };
    Parts {
        title: Some(page.title.clone()),
        head: head::of_the_page(context, page),
        css: format!("{}{}", shown_cover(page).map(cover_rules).unwrap_or_default(), article.css),
        without_contents: !layout.table_of_contents,
        printed: false,
        body: super::layout(context, &main, !layout.table_of_contents),
        images: super::images::of(context, Some(page)),
    }
}

fn shown_cover(page: &SitePage) -> Option<&SiteCover> {
    page.cover.as_ref().filter(|_| page.layout.cover)
}

fn picture(cover: &SiteCover) -> Markup {
    html! {
        figure.o-hero data-size=(cover.size) data-mask=(cover.mask) {
            @match &cover.dark {
                Some(dark) if *dark != cover.image => {
                    img.o-light src=(cover.image) alt="" fetchpriority="high" decoding="async";
                    img.o-dark src=(dark) alt="" decoding="async";
                }
                _ => img src=(cover.image) alt="" fetchpriority="high" decoding="async";
            }
        }
    }
}

/// How high the cover is, and how far down it is cut.
fn cover_rules(cover: &SiteCover) -> String {
    let mut css = String::new();
    if let Some(height) = cover.height {
        let _ = write!(css, ".o-hero{{--cover-height:{height}px}}");
    }
    if cover.y_pos != 0 {
        let _ = write!(css, ".o-hero img{{object-position:50% calc(50% - {}px)}}", cover.y_pos);
    }
    css
}

fn crumbs(context: &FrameContext<'_>, page: &SitePage) -> Markup {
    if page.breadcrumbs.is_empty() {
        return html! {};
    }
    html! {
        nav.o-crumbs aria-label=(context.word(Word::Breadcrumbs)) {
            ol { @for crumb in &page.breadcrumbs { li { (crumb_link(context, crumb)) } } }
        }
    }
}

fn crumb_link(context: &FrameContext<'_>, crumb: &PageLink) -> Markup {
    let sign = context.sign(crumb.emoji.as_deref(), crumb.icon.as_deref());
    let label = html! { (sign) @if crumb.icon.is_some() { " " } (crumb.title) };
    match &crumb.href {
        Some(href) => html! { a href=(href) { (label) } },
        None => html! { span { (label) } },
    }
}

fn heading(context: &FrameContext<'_>, page: &SitePage) -> Markup {
    let layout = &page.layout;
    let description = super::head::own_description(page).filter(|_| layout.description);
    let tags = page.tags.iter().filter(|_| layout.tags);
    let tags: Vec<_> = tags.collect();
    html! {
        header.o-head {
            h1 class=[(!layout.title).then_some("o-hidden")] {
                (context.sign(page.emoji.as_deref(), page.icon.as_deref())) (page.title)
            }
            @if layout.actions { (actions::actions(context, page)) }
            @if let Some(description) = description { p.o-lead { (description) } }
            @if !tags.is_empty() {
                ul.o-tags aria-label=(context.word(Word::Tags)) {
                    @for tag in tags {
                        li {
                            span class={ "o-tag o-bg-" (tag.color.as_str().trim_start_matches('$')) } {
                                (context.sign(tag.emoji.as_deref(), tag.icon.as_deref())) (tag.label)
                            }
                        }
                    }
                }
            }
        }
    }
}

fn pager(context: &FrameContext<'_>, page: &SitePage) -> Markup {
    let side = |link: &Option<PageLink>, rel: &'static str, word: Word| {
        let (title, href) = link.as_ref().and_then(|link| Some((&link.title, link.href.as_ref()?)))?;
        Some(html! { a rel=(rel) href=(href) { small { (context.word(word)) } span { (title) } } })
    };
    let previous = side(&page.previous, "prev", Word::Previous);
    let next = side(&page.next, "next", Word::Next);
    let shown = context.customization.pagination.enabled && page.layout.pagination;
    if !shown || (previous.is_none() && next.is_none()) {
        return html! {};
    }
    html! {
        nav.o-pager aria-label=(context.word(Word::Pager)) {
            @if let Some(link) = &previous { (link) }
            @if let Some(link) = &next { (link) }
        }
    }
}

fn updated(context: &FrameContext<'_>, page: &SitePage) -> Markup {
    let at = page.updated_at;
    let time = html! {
        time datetime=(at.to_rfc3339_opts(SecondsFormat::Secs, true)) { (at.format("%Y-%m-%d")) }
    };
    html! { p.o-updated { (context.framed(Word::LastUpdated, &time)) } }
}
