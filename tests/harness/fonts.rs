//! The fonts that a server under test has.
use domain::site::customization::TextFont;
use domain::site::served_font::{FaceWeights, FontTable, KnownFont, ServedFace, ServedFont};

/// Only Lato, which no site has until it is chosen: two scripts in one weight.
pub(crate) fn fonts() -> FontTable {
    let face = |script: &str, characters: &str, bytes: &'static str| ServedFace {
        script: script.to_owned(),
        weights: FaceWeights::One(400),
        characters: characters.to_owned(),
        name: format!("lato-{script}-400-normal-0123456789abcdef.woff2"),
        bytes: bytes.into(),
    };
    let mut table = FontTable::default();
    let font = ServedFont {
        package: "@fontsource/lato".to_owned(),
        version: "5.3.0".to_owned(),
        licence: "OFL-1.1".to_owned(),
        faces: vec![face("latin-ext", "U+0100-02BA", "wOF2 ext"), face("latin", "U+0000-00FF", "wOF2 latin")],
    };
    table.add(KnownFont::Text(TextFont::Lato), font);
    table
}
