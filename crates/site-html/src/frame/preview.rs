//! The bar of a preview: its version, the changed pages, and a link to the published content.
use super::context::FrameContext;
use crate::texts::Word;
use chrono::SecondsFormat;
use domain::site::reader::{PageLink, PreviewOf, Previewed};
use maud::{Markup, html};

/// The bar; nothing on a site that is no preview.
pub(super) fn bar(context: &FrameContext<'_>) -> Markup {
    let (frame, note) = (context.frame, context.word(Word::PreviewNote));
    match &frame.previewed {
        _ if !frame.preview => html! {},
        None => html! { aside.o-preview aria-label=(note) { p { (note) } } },
        Some(previewed) => html! {
            aside.o-preview aria-label=(note) {
                p {
                    (what(context, &previewed.version)) " "
                    a href=(previewed.published) { (context.word(Word::PreviewPublished)) }
                }
                (changed(context, previewed))
            }
        },
    }
}

fn what(context: &FrameContext<'_>, version: &PreviewOf) -> Markup {
    match version {
        PreviewOf::ChangeRequest { number, subject, .. } => {
            let number = html! {
                bdi { "#" (number) @if !subject.is_empty() { ": " (subject) } }
            };
            html! { strong { (context.framed(Word::PreviewOfChange, &number)) } }
        }
        PreviewOf::Revision { created_at, .. } => {
            let time = html! {
                time datetime=(created_at.to_rfc3339_opts(SecondsFormat::Secs, true)) {
                    (created_at.format("%Y-%m-%d %H:%M")) " UTC"
                }
            };
            html! { strong { (context.framed(Word::PreviewOfRevision, &html! { bdi { (time) } })) } }
        }
    }
}

/// The pages that a change request changes.
fn changed(context: &FrameContext<'_>, previewed: &Previewed) -> Markup {
    let PreviewOf::ChangeRequest { pages, more, .. } = &previewed.version else { return html! {} };
    let links: Vec<(&PageLink, &str)> = pages.iter().filter_map(|link| Some((link, link.href.as_deref()?))).collect();
    if links.is_empty() {
        return html! {};
    }
    let count = format!("{}{}", links.len(), if *more { "+" } else { "" });
    html! {
        details.o-changed {
            summary { (context.filled(Word::ChangedPages, &count)) }
            ul {
                @for (link, href) in links {
                    li {
                        a href=(href) {
                            (context.sign(link.emoji.as_deref(), link.icon.as_deref()))
                            @if link.icon.is_some() { " " }
                            (link.title)
                        }
                    }
                }
            }
        }
    }
}
