//! The style element of a page.
use super::context::{FrameContext, path_of};
use super::{header, sidebar};
use crate::assets::{BARE_STYLE, FEEDBACK_STYLE, FIND_STYLE, MARKS_STYLE, PREVIEW_STYLE, PRINT_STYLE};
use crate::theme::{self, Needs};
use domain::site::customization::Customization;
use domain::site::served_font::FontTable;
use std::fmt::Write;

/// Which of two colours of a token is taken.
const SCHEMES: &str = ":root{color-scheme:light dark}:root[data-theme=light]{color-scheme:light}\
                       :root[data-theme=dark]{color-scheme:dark}";

/// Pages fade into each other. Browsers look for this rule before they have loaded the style sheet.
const TRANSITION: &str = "@media(prefers-reduced-motion:no-preference){@view-transition{navigation:auto}}";

/// The style of a page of a site, with the faces of the fonts that the server has.
pub(super) fn of(context: &FrameContext<'_>, fonts: &FontTable, body: &str) -> String {
    let (customization, needs) = (&context.customization, Needs::of(body));
    let mut css = format!("{SCHEMES}{TRANSITION}{}", theme::style(customization, needs));
    let path = |name: &str| path_of(&context.frame.base, name);
    css.push_str(&theme::served_faces(&customization.styling, needs, fonts, path));
    if let Some(key) = header::announcement_key(context) {
        let _ = write!(css, ":root[data-closed=\"{key}\"] .o-announce{{display:none}}");
    }
    let parts = [
        ("class=\"o-bare\"", BARE_STYLE),
        ("class=\"o-find\"", FIND_STYLE),
        ("class=\"o-feedback\"", FEEDBACK_STYLE),
        ("class=\"o-printed\"", PRINT_STYLE),
    ];
    for (part, style) in parts {
        if body.contains(part) {
            css.push_str(style);
        }
    }
    if ["o-fg-", "o-bg-"].iter().any(|part| body.contains(part)) {
        css.push_str(MARKS_STYLE);
    }
    if context.frame.previewed.is_some() {
        css.push_str(PREVIEW_STYLE);
    }
    if body.contains("class=\"o-nav\"") {
        css.push_str(&sidebar::rules(context));
    }
    css
}

/// The style of a page without a site.
pub(super) fn plain() -> String {
    format!("{SCHEMES}{}", theme::style(&Customization::default(), Needs::default()))
}
