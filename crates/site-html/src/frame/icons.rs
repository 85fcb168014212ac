//! Icons of the interface. The style sheet draws them.
use maud::{Markup, html};

/// An icon of the interface.
pub(super) fn own(name: &'static str) -> Markup {
    html! { i.o-i data-i=(name) aria-hidden="true" {} }
}
