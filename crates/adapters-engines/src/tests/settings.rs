//! Settings of engines.
use super::*;
use crate::{EngineSettingsError, Key, TranslatorKind};
use rstest::rstest;

fn settings(translator: TranslatorKind, url: Option<&str>) -> EngineSettings {
    EngineSettings { translator, translator_url: url.map(str::to_owned), ..EngineSettings::default() }
}

#[test]
fn without_settings_there_is_no_engine() {
    let engines = Engines::new(&EngineSettings::default()).unwrap();
    assert!(engines.translator.is_none() && engines.chat.is_none() && engines.embedder.is_none());
}

#[rstest]
#[case(settings(TranslatorKind::LibreTranslate, None), "OCTAVO_TRANSLATOR_URL: must be set for this engine")]
#[case(settings(TranslatorKind::Apertium, None), "OCTAVO_TRANSLATOR_URL: must be set for this engine")]
#[case(
    settings(TranslatorKind::DeepL, Some("https://a.example")),
    "OCTAVO_TRANSLATOR_KEY: must be set for this engine"
)]
#[case(settings(TranslatorKind::Chat, None), "OCTAVO_CHAT_URL: must be set for this engine")]
#[case(EngineSettings { chat_url: Some("http://a.example".into()), ..settings(TranslatorKind::Chat, None) }, "OCTAVO_CHAT_MODEL: must be set for this engine")]
#[case(EngineSettings { embeddings_model: Some("m".into()), ..EngineSettings::default() }, "OCTAVO_CHAT_URL: must be set for this engine")]
#[case(EngineSettings { chat_model: Some("m".into()), ..EngineSettings::default() }, "OCTAVO_CHAT_URL: must be set for this engine")]
#[case(EngineSettings { chat_url: Some("http://a.example".into()), ..EngineSettings::default() }, "OCTAVO_CHAT_MODEL: must be set for this engine")]
#[case(
    settings(TranslatorKind::Apertium, Some("a.example")),
    "OCTAVO_TRANSLATOR_URL: must be an http or https address without a user, a query and a fragment"
)]
fn a_missing_or_invalid_setting_is_named(#[case] settings: EngineSettings, #[case] message: &str) {
    assert_eq!(Engines::new(&settings).unwrap_err().to_string(), message);
}

#[test]
fn an_address_can_be_for_embeddings_only() {
    let (url, model) = (Some("http://a.example".into()), Some("m".into()));
    let settings = EngineSettings { chat_url: url, embeddings_model: model, ..EngineSettings::default() };
    let engines = Engines::new(&settings).unwrap();
    assert!(engines.chat.is_none() && engines.embedder.is_some());
}

#[rstest]
#[case("ftp://a.example")]
#[case("http://user@a.example")]
#[case("http://user:word@a.example")]
#[case("https://a.example/?key=1")]
#[case("https://a.example/#a")]
#[case("http:///translate")]
fn an_address_is_an_http_url_without_other_parts(#[case] url: &str) {
    let error = Engines::new(&settings(TranslatorKind::Apertium, Some(url))).err();
    // The last one is read as the host `translate`.
    assert_eq!(error.is_none(), url.ends_with("/translate"), "{error:?}");
}

#[test]
fn an_invalid_key_is_neither_shown_nor_sent() {
    let key = Key::new("line\nfeed");
    let deepl = EngineSettings { translator_key: Some(key), ..settings(TranslatorKind::DeepL, None) };
    assert_eq!(Engines::new(&deepl).unwrap_err(), EngineSettingsError::Key("OCTAVO_TRANSLATOR_KEY"));
    assert!(!format!("{deepl:?}").contains("feed"));
}

#[test]
fn debug_output_does_not_show_settings() {
    let chat = EngineSettings {
        chat_url: Some("http://a.example".into()),
        chat_key: Some(Key::new("s3cret")),
        chat_model: Some("m".into()),
        ..settings(TranslatorKind::Chat, None)
    };
    let shown = format!("{:?} {chat:?}", Engines::new(&chat).unwrap());
    assert!(shown.contains("chat") && !shown.contains("s3cret"), "{shown}");
}
