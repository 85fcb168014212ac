//! Icons of the interface. Their shapes are in the style sheet.
use maud::{Markup, html};

/// An icon of the interface.
pub(super) fn own(name: &'static str) -> Markup {
    html! { i.o-i data-i=(name) aria-hidden="true" {} }
}
