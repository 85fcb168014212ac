//! The outline of a page.
use super::context::FrameContext;
use crate::article::OutlineEntry;
use crate::texts::Word;
use maud::{Markup, html};

/// The outline beside a page.
pub(super) fn beside(context: &FrameContext<'_>, outline: &[OutlineEntry]) -> Markup {
    html! {
        aside.o-toc {
            nav aria-labelledby="toc" {
                p id="toc" { (context.word(Word::OnThisPage)) }
                (entries(outline))
            }
        }
    }
}

/// The outline above a page, for small screens.
pub(super) fn above(context: &FrameContext<'_>, outline: &[OutlineEntry]) -> Markup {
    html! {
        details.o-toc-small {
            summary { (context.word(Word::OnThisPage)) }
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
