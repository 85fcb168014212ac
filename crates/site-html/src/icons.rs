//! Icons by the names that content and settings have for them: names of Font Awesome.
//!
//! The drawings are those of Phosphor, which has the same weights. A name without a drawing renders nothing.
mod table;

use domain::site::customization::IconStyle;
use maud::{Markup, PreEscaped, html};
use std::collections::HashMap;
use std::sync::LazyLock;
use table::{ICONS, Icon};

static BY_NAME: LazyLock<HashMap<&str, &Icon>> =
    LazyLock::new(|| ICONS.iter().flat_map(|icon| icon.names.iter().map(move |name| (*name, icon))).collect());

/// The icon with a name. It is invisible to screen readers, has the colour of the text, and the class `o-icon`. Nothing
/// if there is none.
pub fn icon(name: &str, style: IconStyle) -> Markup {
    let Some(icon) = find(name) else { return html! {} };
    let drawing = match style {
        IconStyle::Regular => icon.regular,
        IconStyle::Solid => icon.solid,
        IconStyle::Duotone => icon.duotone,
        IconStyle::Light => icon.light,
        IconStyle::Thin => icon.thin,
    };
    html! {
        svg class="o-icon" aria-hidden="true" viewBox="0 0 256 256" width="16" height="16" fill="currentColor" {
            // The drawings are part of this program.
            (PreEscaped(paths(drawing)))
        }
    }
}

/// Whether there is an icon with a name.
pub fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// `gear`, `fa-gear`, `fa-solid fa-gear` and `solid/gear` are one icon.
fn find(name: &str) -> Option<&'static Icon> {
    let last = name.trim().rsplit(['/', ' ', ':']).next().unwrap_or_default().to_ascii_lowercase();
    let plain = last.strip_prefix("fa-").unwrap_or(&last);
    BY_NAME.get(plain).or_else(|| BY_NAME.get(plain.strip_suffix("-o")?)).copied()
}

/// The content of the SVG element of a drawing.
fn paths(drawing: &'static str) -> &'static str {
    let inside = drawing.split_once('>').map_or("", |(_, inside)| inside);
    inside.trim_end().trim_end_matches("</svg>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use std::collections::HashSet;

    #[rstest]
    #[case("gear")]
    #[case("cog")]
    #[case("fa-cog")]
    #[case("fa-solid fa-gear")]
    #[case("solid/gear")]
    #[case(" Gear ")]
    fn an_icon_has_many_names(#[case] name: &str) {
        let known = icon("gear", IconStyle::Regular).into_string();
        assert!(known.contains("<path d="), "{known}");
        assert_eq!(icon(name, IconStyle::Regular).into_string(), known);
    }

    #[rstest]
    #[case("")]
    #[case("no-such-icon")]
    #[case("gear\"><script>")]
    fn an_unknown_name_renders_nothing(#[case] name: &str) {
        assert_eq!(icon(name, IconStyle::Solid).into_string(), "");
        assert!(!is_known(name));
    }

    #[test]
    fn each_name_is_of_one_icon() {
        let mut names = HashSet::new();
        for name in ICONS.iter().flat_map(|icon| icon.names) {
            assert!(names.insert(name), "{name} is of two icons");
            assert_eq!(*name, name.to_ascii_lowercase());
        }
    }

    #[test]
    fn drawings_are_shapes_only() {
        for drawing in ICONS.iter().flat_map(|icon| [icon.regular, icon.solid, icon.duotone, icon.light, icon.thin]) {
            let inside = paths(drawing);
            let elements = inside.matches('<').count();
            assert_eq!(inside.matches("<path ").count(), elements, "{drawing}");
            assert!(drawing.starts_with("<svg ") && drawing.contains("viewBox=\"0 0 256 256\""), "{drawing}");
            for attribute in [" on", "style=", "href"] {
                assert!(!inside.contains(attribute), "{drawing}");
            }
        }
    }

    #[test]
    fn each_style_has_a_drawing_of_its_own() {
        let rendered: HashSet<String> = IconStyle::ALL.iter().map(|style| icon("bell", *style).into_string()).collect();
        assert_eq!(rendered.len(), IconStyle::ALL.len());
    }
}
