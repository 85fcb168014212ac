//! Fonts. Known ones are named, and used where the visitor's system or the server ([`super::served`]) has them. Those
//! that the owner defines are downloaded from the addresses of the customization, which the driver can have changed to
//! its own.
use domain::site::customization::{Font, FontDefinition, FontFormat, Styling, TextFont};
use domain::site::served_font::KnownFont;
use std::collections::BTreeSet;
use std::fmt::Write;

const SANS: &str = "ui-sans-serif,system-ui,sans-serif";
const SERIF: &str = "ui-serif,Georgia,serif";
const MONO: &str = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace";

/// A family as CSS writes it.
pub(super) fn name(family: &str) -> String {
    if family.contains(' ') { quoted(family) } else { family.to_owned() }
}

/// The families of a known font, the best first.
fn stack(font: KnownFont) -> String {
    let family = name(font.family());
    match font {
        // A commercial font: visitors that have it see it, others a free one.
        KnownFont::Text(TextFont::AbcFavorit) => format!("\"ABC Favorit\",{family},{SANS}"),
        KnownFont::Text(TextFont::SourceSansPro) => format!("{family},\"Source Sans Pro\",{SANS}"),
        KnownFont::Text(TextFont::RobotoSlab | TextFont::Merriweather | TextFont::IbmPlexSerif) => {
            format!("{family},{SERIF}")
        }
        KnownFont::Text(_) => format!("{family},{SANS}"),
        KnownFont::Code(_) => format!("{family},{MONO}"),
    }
}

fn family<Name: Copy>(font: &Font<Name>, known: impl Fn(Name) -> KnownFont, other: &str) -> String {
    match font {
        Font::Named(name) => stack(known(*name)),
        Font::Defined(definition) => format!("{},{other}", quoted(definition.font_family.as_str())),
    }
}

/// A text as a string of CSS. All but letters, digits and the usual parts of addresses is escaped.
pub(super) fn quoted(text: &str) -> String {
    let mut string = String::from("\"");
    for char in text.chars() {
        match char {
            'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '-' | '_' | '.' | '/' | ':' | '?' | '=' | '%' | '~' | ',' => {
                string.push(char);
            }
            other => {
                let _ = write!(string, "\\{:x} ", u32::from(other));
            }
        }
    }
    string.push('"');
    string
}

/// The families, as declarations.
pub(super) fn families(styling: &Styling) -> Vec<(&'static str, String)> {
    let mut all = vec![("font", family(&styling.font, KnownFont::Text, SANS))];
    if let Some(font) = &styling.heading_font {
        all.push(("font-head", family(font, KnownFont::Text, SANS)));
    }
    all.push(("font-mono", family(&styling.monospace_font, KnownFont::Code, MONO)));
    all
}

fn defined(styling: &Styling) -> Vec<&FontDefinition> {
    fn of<Name>(font: &Font<Name>) -> Option<&FontDefinition> {
        match font {
            Font::Named(_) => None,
            Font::Defined(definition) => Some(definition),
        }
    }
    let all = [of(&styling.font), styling.heading_font.as_ref().and_then(of), of(&styling.monospace_font)];
    let mut known: Vec<&FontDefinition> = Vec::new();
    for definition in all.into_iter().flatten() {
        if !known.contains(&definition) {
            known.push(definition);
        }
    }
    known
}

/// The files of fonts that the owner defines, as rules.
pub(super) fn faces(styling: &Styling) -> String {
    let mut css = String::new();
    for definition in defined(styling) {
        let name = quoted(definition.font_family.as_str());
        for face in definition.font_faces.iter().filter(|face| !face.sources.is_empty()) {
            let sources: Vec<String> = face
                .sources
                .iter()
                .map(|source| {
                    let format = match source.format {
                        Some(FontFormat::Woff2) => "format(\"woff2\")",
                        Some(FontFormat::Woff) => "format(\"woff\")",
                        None => "",
                    };
                    format!("url({}){format}", quoted(source.url.as_str()))
                })
                .collect();
            let _ = write!(
                css,
                "@font-face{{font-family:{name};font-weight:{};font-display:swap;src:{}}}",
                face.weight.get(),
                sources.join(",")
            );
        }
    }
    css
}

/// The origins of those files.
pub(crate) fn origins(styling: &Styling) -> BTreeSet<String> {
    let faces = defined(styling).into_iter().flat_map(|definition| definition.font_faces.iter());
    faces.flat_map(|face| face.sources.iter()).filter_map(|source| source.url.origin()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_hostile_family_stays_a_string() {
        let styling: Styling = serde_json::from_value(json!({"font": {
            "id": "f", "custom": true, "fontFamily": "A\"}</style><script>",
            "fontFaces": [{"weight": 400, "sources": [{"url": "https://example.org/a'b).woff2", "format": "woff2"}]}]
        }}))
        .unwrap();
        let css = faces(&styling);
        assert!(!css.contains('<') && css.matches('"').count() == 6, "{css}");
        assert_eq!(
            css,
            "@font-face{font-family:\"A\\22 \\7d \\3c /style\\3e \\3c script\\3e \";font-weight:400;font-display:swap;\
             src:url(\"https://example.org/a\\27 b\\29 .woff2\")format(\"woff2\")}"
        );
        assert_eq!(origins(&styling).into_iter().collect::<Vec<_>>(), ["https://example.org"]);
    }
}
