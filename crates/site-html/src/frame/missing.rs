//! Pages without content: a path that leads nowhere, a site without pages, a message.
use super::Html;
use super::around::Around;
use super::document::{Parts, plain};
use super::search::{self, SearchRequest};
use crate::texts::{Texts, Word};
use domain::site::reader::PageLink;
use maud::html;

/// The parts of the page for a path that leads nowhere.
pub(super) fn parts(around: &Around<'_>, near: &[PageLink]) -> Parts {
    let near: Vec<(&PageLink, &str)> = near.iter().filter_map(|link| Some((link, link.href.as_deref()?))).collect();
    let main = html! {
        main.o-main.o-missing-page id="main" tabindex="-1" {
            header.o-head {
                p.o-code404 aria-hidden="true" { "404" }
                h1 { (around.word(Word::NotFound)) }
                p.o-lead { (around.word(Word::NotFoundHint)) }
            }
            (search::form(around, &SearchRequest::default()))
            @if !near.is_empty() {
                h2 { (around.word(Word::Suggestions)) }
                ul.o-near {
                    @for (link, href) in near {
                        li {
                            a href=(href) {
                                (around.sign(link.emoji.as_deref(), link.icon.as_deref())) (link.title)
                            }
                        }
                    }
                }
            }
        }
    };
    Parts {
        title: Some(around.word(Word::NotFound).to_owned()),
        head: html! { meta name="robots" content="noindex"; },
        body: super::shell(around, &main),
        images: super::images::of(around, None),
        ..Parts::default()
    }
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
