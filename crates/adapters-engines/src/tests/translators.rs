//! Requests to translators, and how their responses are read.
use super::*;
use crate::{Key, TranslatorKind};
use domain::ports::{EngineError, Markup};
use rstest::rstest;
use serde_json::json;

fn settings(translator: TranslatorKind, url: &str) -> EngineSettings {
    EngineSettings {
        translator,
        translator_url: Some(url.to_owned()),
        translator_key: Some(Key::new("s3cret")),
        ..EngineSettings::default()
    }
}

fn texts(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|text| Some((*text).to_owned())).collect()
}

#[tokio::test]
async fn libretranslate_gets_html_and_its_codes_of_languages() {
    let server = Server::new(vec![reply(200, json!({"translatedText": ["Um", "Dois"]}))]).await;
    let engine = translator(settings(TranslatorKind::LibreTranslate, &server.url));
    let (answers, used) = engine.translate(&batch(&["One", "Two"])).await.unwrap();
    assert_eq!((answers, used.requests), (texts(&["Um", "Dois"]), 1));
    let asked = server.last();
    assert_eq!(asked.path, "/v1/translate");
    let expected = json!({"q": ["One", "Two"], "source": "en", "target": "pb", "format": "html", "api_key": "s3cret"});
    assert_eq!(asked.json(), expected);
    assert!(!asked.head.contains("s3cret"));
    assert_eq!(engine.abilities().markup, Markup::Html);
}

#[tokio::test]
async fn deepl_gets_xml_with_context_and_its_key_in_a_header() {
    let server = Server::new(vec![reply(200, json!({"translations": [{"text": "Um"}]}))]).await;
    let engine = translator(settings(TranslatorKind::DeepL, &server.url));
    let asked = TranslationBatch { context: vec!["Page".into(), "Heading".into()], ..batch(&["One"]) };
    assert_eq!(engine.translate(&asked).await.unwrap().0, texts(&["Um"]));
    let asked = server.last();
    assert_eq!(asked.path, "/v1/v2/translate");
    assert!(asked.head.contains("authorization: deepl-auth-key s3cret"));
    let expected = json!({
        "text": ["One"], "source_lang": "EN", "target_lang": "PT-BR", "tag_handling": "xml", "outline_detection": false,
        "context": "Page\nHeading",
    });
    assert_eq!(asked.json(), expected);
    assert_eq!(engine.abilities().markup, Markup::Xml);
}

#[tokio::test]
async fn apertium_gets_a_form_with_a_paragraph_for_each_text() {
    let answer = "<p id=\"u0\">Um<\\/p>\\n<p id=\"u1\">Dois<\\/p>".replace('"', "\\\"");
    let body = format!("{{\"responseData\": {{\"translatedText\": \"{answer}\"}}, \"responseStatus\": 200}}");
    let server = Server::new(vec![reply(200, body)]).await;
    let engine = translator(settings(TranslatorKind::Apertium, &server.url));
    assert_eq!(engine.translate(&batch(&["One", "Two"])).await.unwrap().0, texts(&["Um", "Dois"]));
    let asked = server.last();
    let fields: Vec<(String, String)> = url::form_urlencoded::parse(asked.body.as_bytes()).into_owned().collect();
    assert_eq!(fields[0], ("langpair".to_owned(), "eng|por_BR".to_owned()));
    assert_eq!(fields[3].1, "<p id=\"u0\">One</p>\n<p id=\"u1\">Two</p>\n");
    assert!(!format!("{asked:?}").contains("s3cret"), "it has no use for a key");
}

#[rstest]
#[case(TranslatorKind::LibreTranslate, json!({"error": "pb is not supported"}))]
#[case(TranslatorKind::DeepL, json!({"message": "Value for 'target_lang' not supported."}))]
#[case(TranslatorKind::Apertium, json!({"status": "error", "code": 400, "explanation": "That pair is not installed"}))]
#[tokio::test]
async fn languages_that_an_engine_lacks_are_named(#[case] kind: TranslatorKind, #[case] body: serde_json::Value) {
    let server = Server::new(vec![reply(400, body)]).await;
    let asked = translator(settings(kind, &server.url)).translate(&batch(&["One"])).await;
    assert_eq!(asked.unwrap_err(), EngineError::Languages { from: "en", to: "pt-br" });
}

#[rstest]
#[case(TranslatorKind::LibreTranslate)]
#[case(TranslatorKind::DeepL)]
#[case(TranslatorKind::Apertium)]
#[tokio::test]
async fn a_language_without_a_code_is_not_requested(#[case] kind: TranslatorKind) {
    let server = Server::new(vec![reply(200, "{}")]).await;
    let engine = translator(settings(kind, &server.url));
    assert!(!engine.has(Language::En, Language::Yue) && engine.has(Language::En, Language::No));
    let asked = engine.translate(&TranslationBatch { to: Language::Yue, ..batch(&["One"]) }).await;
    assert_eq!(asked.unwrap_err(), EngineError::Languages { from: "en", to: "yue" });
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn the_pseudo_translator_has_every_language_and_needs_no_server() {
    let engine = translator(EngineSettings { translator: TranslatorKind::Pseudo, ..EngineSettings::default() });
    for to in Language::ALL.iter().copied() {
        assert!(engine.has(Language::En, to));
        let (answers, _) = engine.translate(&TranslationBatch { to, ..batch(&["Open <g1>it</g1>"]) }).await.unwrap();
        assert_eq!(answers, texts(&["Öþéñ <g1>îţ</g1>"]));
    }
}
