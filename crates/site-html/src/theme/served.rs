//! Known fonts that the server has: their rules, and the file that a page loads first.
use super::Needs;
use super::fonts::{name, quoted};
use domain::site::customization::{Font, Styling};
use domain::site::served_font::{FontTable, KnownFont, script_of};
use std::fmt::Write;

/// The known font of a setting; `None` for a font that the owner defines.
fn known<Name: Copy>(font: &Font<Name>, of: impl Fn(Name) -> KnownFont) -> Option<KnownFont> {
    match font {
        Font::Named(name) => Some(of(*name)),
        Font::Defined(_) => None,
    }
}

/// The known fonts of a page, each family once.
fn used(styling: &Styling, needs: Needs) -> Vec<KnownFont> {
    let code = if needs.code { known(&styling.monospace_font, KnownFont::Code) } else { None };
    let heading = styling.heading_font.as_ref().and_then(|font| known(font, KnownFont::Text));
    let mut used: Vec<KnownFont> = Vec::new();
    for font in [known(&styling.font, KnownFont::Text), heading, code].into_iter().flatten() {
        if used.iter().all(|before| before.family() != font.family()) {
            used.push(font);
        }
    }
    used
}

/// The faces of the known fonts that the server has, as rules. `path` makes the path of a file from its name.
///
/// A browser uses a face only if it has it about when it first shows the page (`optional`). So no text moves when a
/// slow font arrives, and the next page has it from the cache.
pub(crate) fn served_faces(
    styling: &Styling,
    needs: Needs,
    fonts: &FontTable,
    path: impl Fn(&str) -> String,
) -> String {
    let mut css = String::new();
    for known in used(styling, needs) {
        let family = name(known.family());
        for face in fonts.font(known).into_iter().flat_map(|font| &font.faces) {
            let _ = write!(
                css,
                "@font-face{{font-family:{family};font-weight:{};font-display:optional;src:url({})format(\"woff2\");\
                 unicode-range:{}}}",
                face.weights,
                quoted(&path(&face.name)),
                face.characters
            );
        }
    }
    css
}

/// The name of the file that a page in a language loads first: that of its text.
pub(crate) fn preloaded<'a>(styling: &Styling, fonts: &'a FontTable, language: &str) -> Option<&'a str> {
    let font = fonts.font(known(&styling.font, KnownFont::Text)?)?;
    font.face(script_of(language)).map(|face| face.name.as_str())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use domain::site::customization::{CodeFont, TextFont};
    use domain::site::served_font::{FaceWeights, ServedFace, ServedFont};
    use rstest::rstest;
    use serde_json::{Value, json};

    fn font(id: &str, scripts: &[&str]) -> ServedFont {
        let face = |script: &&str| ServedFace {
            script: (*script).to_owned(),
            weights: FaceWeights::Between(100, 900),
            characters: "U+0-FF".to_owned(),
            name: format!("{id}-{script}.woff2"),
            bytes: "wOF2".into(),
        };
        let faces = scripts.iter().map(face).collect();
        ServedFont { package: id.to_owned(), version: "1.0.0".to_owned(), licence: "OFL-1.1".to_owned(), faces }
    }

    /// Three fonts.
    pub(crate) fn table() -> FontTable {
        let mut table = FontTable::default();
        table.add(KnownFont::Text(TextFont::Inter), font("inter", &["cyrillic", "latin"]));
        table.add(KnownFont::Text(TextFont::NotoSans), font("noto-sans", &["latin"]));
        table.add(KnownFont::Code(CodeFont::IbmPlexMono), font("ibm-plex-mono", &["latin"]));
        table
    }

    fn faces(styling: Value, code: bool) -> String {
        let styling: Styling = serde_json::from_value(styling).unwrap();
        served_faces(&styling, Needs { marks: false, code }, &table(), |name| format!("/s/a b/~/assets/{name}"))
    }

    #[test]
    fn a_face_is_used_only_if_it_is_there_in_time() {
        assert_eq!(
            faces(json!({"font": "NotoSans"}), false),
            "@font-face{font-family:\"Noto Sans\";font-weight:100 900;font-display:optional;\
             src:url(\"/s/a b/~/assets/noto-sans-latin.woff2\")format(\"woff2\");unicode-range:U+0-FF}"
        );
    }

    #[rstest]
    #[case(json!({}), false, &["Inter", "Inter"])]
    #[case(json!({}), true, &["Inter", "Inter", "\"IBM Plex Mono\""])]
    #[case(json!({"headingFont": "NotoSans"}), false, &["Inter", "Inter", "\"Noto Sans\""])]
    #[case(json!({"font": "ABCFavorit", "headingFont": "Inter"}), false, &["Inter", "Inter"])]
    #[case(json!({"font": "Lato", "monospaceFont": "FiraCode"}), true, &[])]
    fn a_page_has_the_faces_of_its_fonts_once(#[case] styling: Value, #[case] code: bool, #[case] expected: &[&str]) {
        let css = faces(styling, code);
        let families: Vec<&str> =
            css.split("font-family:").skip(1).map(|rest| rest.split(';').next().unwrap_or_default()).collect();
        assert_eq!(families, expected);
    }

    #[rstest]
    #[case("Inter", "en", Some("inter-latin.woff2"))]
    #[case("Inter", "ru", Some("inter-cyrillic.woff2"))]
    #[case("NotoSans", "ru", Some("noto-sans-latin.woff2"))]
    #[case("Lato", "en", None)]
    fn a_page_loads_the_script_of_its_language_first(
        #[case] font: &str,
        #[case] language: &str,
        #[case] expected: Option<&str>,
    ) {
        let styling: Styling = serde_json::from_value(json!({"font": font})).unwrap();
        assert_eq!(preloaded(&styling, &table(), language), expected);
    }
}
