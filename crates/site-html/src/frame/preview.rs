//! The bar of a preview: what it shows, the pages that changed, and the way back.
use super::around::Around;
use crate::texts::Word;
use chrono::SecondsFormat;
use domain::site::reader::{PageLink, PreviewOf, Previewed};
use maud::{Markup, html};

/// The bar; nothing on a site that is no preview.
pub(super) fn bar(around: &Around<'_>) -> Markup {
    let frame = around.frame;
    match &frame.previewed {
        _ if !frame.preview => html! {},
        None => html! { aside.o-preview role="note" { p { (around.word(Word::PreviewNote)) } } },
        Some(previewed) => html! {
            aside.o-preview role="note" {
                p {
                    (what(around, &previewed.version)) " "
                    a href=(previewed.published) { (around.word(Word::PreviewPublished)) }
                }
                (changed(around, previewed))
            }
        },
    }
}

fn what(around: &Around<'_>, version: &PreviewOf) -> Markup {
    match version {
        PreviewOf::ChangeRequest { number, subject, .. } => {
            let number = html! {
                bdi { "#" (number) @if !subject.is_empty() { ": " (subject) } }
            };
            html! { strong { (around.framed(Word::PreviewOfChange, &number)) } }
        }
        PreviewOf::Revision { created_at, .. } => {
            let time = html! {
                time datetime=(created_at.to_rfc3339_opts(SecondsFormat::Secs, true)) {
                    (created_at.format("%Y-%m-%d %H:%M")) " UTC"
                }
            };
            html! { strong { (around.framed(Word::PreviewOfRevision, &html! { bdi { (time) } })) } }
        }
    }
}

/// The pages that a change request changes.
fn changed(around: &Around<'_>, previewed: &Previewed) -> Markup {
    let PreviewOf::ChangeRequest { pages, more, .. } = &previewed.version else { return html! {} };
    let links: Vec<(&PageLink, &str)> = pages.iter().filter_map(|link| Some((link, link.href.as_deref()?))).collect();
    if links.is_empty() {
        return html! {};
    }
    let count = format!("{}{}", links.len(), if *more { "+" } else { "" });
    html! {
        details.o-changed {
            summary { (around.filled(Word::ChangedPages, &count)) }
            ul {
                @for (link, href) in links {
                    li { a href=(href) { (around.sign(link.emoji.as_deref(), link.icon.as_deref())) (link.title) } }
                }
            }
        }
    }
}
