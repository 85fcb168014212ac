//! Pages without content: 404, a site without pages, a message.
use super::Html;
use super::context::FrameContext;
use super::document::{Parts, plain};
use super::search::{self, SearchRequest};
use crate::texts::{Texts, Word};
use domain::site::reader::PageLink;
use maud::html;

/// The parts of the 404 page.
pub(super) fn parts(context: &FrameContext<'_>, near: &[PageLink]) -> Parts {
    let near: Vec<(&PageLink, &str)> = near.iter().filter_map(|link| Some((link, link.href.as_deref()?))).collect();
    let main = html! {
        main.o-main.o-missing-page id="main" tabindex="-1" {
            header.o-head {
                p.o-code404 aria-hidden="true" { "404" }
                h1 { (context.word(Word::NotFound)) }
                p.o-lead { (context.word(Word::NotFoundHint)) }
            }
            (search::form(context, &SearchRequest::default()))
            @if !near.is_empty() {
                h2 { (context.word(Word::Suggestions)) }
                ul.o-near {
                    @for (link, href) in near {
                        li {
                            a href=(href) {
                                (context.sign(link.emoji.as_deref(), link.icon.as_deref())) span { (link.title) }
                                @if let Some(path) = readable_path(context, href) { " " small dir="ltr" { (path) } }
                            }
                        }
                    }
                }
            }
        }
    };
    Parts {
        title: Some(context.word(Word::NotFound).to_owned()),
        head: html! { meta name="robots" content="noindex"; },
        body: super::layout(context, &main, false),
        images: super::images::of(context, None),
        ..Parts::default()
    }
}

/// The path of a page on the site, which tells pages of one title apart; `None` if people cannot read it.
fn readable_path<'h>(context: &FrameContext<'_>, href: &'h str) -> Option<&'h str> {
    href.strip_prefix(&context.frame.base).filter(|path| !path.is_empty() && !path.contains('%'))
}

/// The page of a site without content.
pub(super) fn empty(title: &str, base: &str, texts: &Texts) -> Html {
    let body = html! {
        main.o-main.o-message id="main" {
            h1 { (title) }
            p.o-lead { (texts.get(Word::EmptySite)) }
        }
    };
    plain(title, Some(base), texts.locale.as_str(), &body)
}

/// A page with a message. It has no style: its policy allows nothing.
pub(super) fn message(status: u16, message: &str) -> String {
    let title = format!("{status}");
    let body = html! { main { h1 { (title) } p { (message) } } };
    plain(&title, None, "en", &body).html
}
