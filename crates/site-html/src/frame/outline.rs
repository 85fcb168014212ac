//! The outline of a page.
use super::around::Around;
use crate::article::OutlineEntry;
use crate::texts::Word;
use maud::{Markup, html};

/// The outline beside a page.
pub(super) fn beside(around: &Around<'_>, outline: &[OutlineEntry]) -> Markup {
    html! {
        aside.o-toc {
            nav aria-labelledby="toc" {
                p id="toc" { (around.word(Word::OnThisPage)) }
                (entries(outline))
            }
        }
    }
}

/// The outline above a page, for small screens.
pub(super) fn above(around: &Around<'_>, outline: &[OutlineEntry]) -> Markup {
    html! {
        details.o-toc-small {
            summary { (around.word(Word::OnThisPage)) }
            (entries(outline))
        }
    }
}

fn entries(outline: &[OutlineEntry]) -> Markup {
    html! {
        ul {
            @for entry in outline {
                li data-level=(entry.level) { a href={ "#" (entry.anchor) } { (entry.text) } }
            }
        }
    }
}
