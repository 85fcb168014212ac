use super::*;
use rstest::rstest;
use serde_json::{Value, json};

const INTER: KnownFont = KnownFont::Text(TextFont::Inter);
const LATO: KnownFont = KnownFont::Text(TextFont::Lato);

fn read(known: KnownFont, name: &str, metadata: &Value, unicode: &Value) -> Result<FontPackage, InvalidFont> {
    let package = json!({"name": name, "version": "5.3.0", "license": "OFL-1.1"});
    let [package, metadata, unicode] = [&package, metadata, unicode].map(|value| value.to_string());
    FontPackage::read(known, package.as_bytes(), metadata.as_bytes(), unicode.as_bytes())
}

fn inter() -> Value {
    json!({"id": "inter", "weights": [400], "variable": {"wght": {"min": "100", "max": "900"}, "opsz": {}}})
}

fn scripts() -> Value {
    json!({"latin": "U+0000-00FF,U+0131", "greek": "U+0370-0377", "latin-ext": "U+0100-02BA", "[7]": "U+4E00"})
}

/// The font with the files that have these names.
fn load(package: FontPackage, files: &[&str]) -> Result<ServedFont, InvalidFont> {
    package.load(|name| Ok(files.contains(&name).then(|| Bytes::from(format!("wOF2{name}")))))
}

#[test]
fn a_variable_font_has_a_file_for_each_script_and_latin_last() {
    let package = read(INTER, "@fontsource-variable/inter", &inter(), &scripts()).unwrap();
    let files = ["inter-greek-wght-normal.woff2", "inter-latin-wght-normal.woff2", "inter-latin-wght-italic.woff2"];
    let font = load(package, &files).unwrap();
    assert_eq!((font.version.as_str(), font.licence.as_str()), ("5.3.0", "OFL-1.1"));
    let faces = font.faces.iter().map(|face| (face.script.as_str(), face.weights.to_string()));
    let all = "100 900".to_owned();
    assert_eq!(faces.collect::<Vec<_>>(), [("greek", all.clone()), ("latin", all)]);
    let latin = font.face("cyrillic").unwrap();
    assert_eq!(latin.characters, "U+0000-00FF,U+0131");
    let hash = blake3::hash(b"wOF2inter-latin-wght-normal.woff2").to_hex();
    assert_eq!(latin.name, format!("inter-latin-wght-normal-{}.woff2", &hash.as_str()[..16]));
    assert_eq!(font.face("greek").unwrap().script, "greek");
}

#[test]
fn a_static_font_has_a_weight_for_text_and_a_bold_one() {
    let metadata = json!({"id": "lato", "weights": [100, 300, 400, 700, 900], "variable": false});
    let package = read(LATO, "@fontsource/lato", &metadata, &scripts()).unwrap();
    let font = load(package, &["lato-latin-400-normal.woff2", "lato-latin-700-normal.woff2"]).unwrap();
    let weights: Vec<String> = font.faces.iter().map(|face| face.weights.to_string()).collect();
    assert_eq!(weights, ["400", "700"]);
    assert_eq!(font.face("latin").unwrap().weights, FaceWeights::One(400));
}

#[rstest]
#[case::of_another_family(json!({"id": "lato"}), scripts(), "must be inter")]
#[case::without_weights(json!({"id": "inter", "variable": false}), scripts(), "variable.wght")]
#[case::weights_that_css_does_not_know(
    json!({"id": "inter", "variable": {"wght": {"min": "0", "max": "2000"}}}), scripts(), "variable.wght"
)]
#[case::characters_that_end_a_style(inter(), json!({"latin": "U+0}</style>"}), "latin: must be a unicode-range")]
#[case::no_description(json!([]), scripts(), "metadata.json cannot be read")]
fn a_package_that_is_not_as_it_should_be_is_refused(
    #[case] metadata: Value,
    #[case] unicode: Value,
    #[case] rule: &str,
) {
    let error = read(INTER, "@fontsource-variable/inter", &metadata, &unicode).unwrap_err().to_string();
    assert!(error.contains(rule), "{error}");
}

#[test]
fn a_file_of_another_format_is_no_font() {
    let package = || read(INTER, "@fontsource-variable/inter", &inter(), &scripts()).unwrap();
    let html = |_: &str| Ok::<_, InvalidFont>(Some(Bytes::from_static(b"<html>")));
    assert!(matches!(package().load(html), Err(InvalidFont::Format(_))));
    assert!(matches!(load(package(), &["inter-latin-opsz-normal.woff2"]), Err(InvalidFont::Empty)));
}

#[test]
fn a_table_has_a_font_for_all_names_of_its_family_and_no_other_file() {
    let package = read(INTER, "@fontsource-variable/inter", &inter(), &scripts()).unwrap();
    let mut table = FontTable::default();
    table.add(INTER, load(package, &["inter-latin-wght-normal.woff2"]).unwrap());
    let font = table.font(KnownFont::Text(TextFont::AbcFavorit)).unwrap();
    assert!(table.file(&font.faces[0].name).is_some());
    for other in ["inter-latin-wght-normal.woff2", "../package.json", ""] {
        assert!(table.file(other).is_none(), "{other}");
    }
    assert!(table.font(LATO).is_none());
}

#[test]
fn every_known_font_has_a_package() {
    let ids: Vec<String> = KnownFont::all().map(KnownFont::family_id).collect();
    assert_eq!(ids.len(), TextFont::ALL.len() + CodeFont::ALL.len());
    for id in ["inter", "source-sans-3", "ibm-plex-serif", "jetbrains-mono", "dm-mono"] {
        assert!(ids.iter().any(|known| known == id), "{id}");
    }
}

#[rstest]
#[case("ru", "cyrillic")]
#[case("el", "greek")]
#[case("pt-br", "latin")]
#[case("ja", "latin")]
fn a_language_has_a_script(#[case] language: &str, #[case] script: &str) {
    assert_eq!(script_of(language), script);
}
