//! Failed connections, limits, and the meaning of statuses.
use super::*;
use crate::{Key, TranslatorKind};
use domain::ports::EngineError;
use rstest::rstest;
use std::time::Duration;

fn libretranslate(url: &str) -> EngineSettings {
    EngineSettings {
        translator: TranslatorKind::LibreTranslate,
        translator_url: Some(url.to_owned()),
        translator_key: Some(Key::new("s3cret")),
        timeout: Duration::from_secs(60),
        ..EngineSettings::default()
    }
}

async fn failure(reply: Reply) -> EngineError {
    let server = Server::new(vec![reply]).await;
    let error = translator(libretranslate(&server.url)).translate(&batch(&["One"])).await.unwrap_err();
    assert_eq!(server.requests().len(), 1, "a request is not sent again");
    assert!(!format!("{error} {error:?}").contains("s3cret"));
    error
}

fn down(reason: &str) -> EngineError {
    EngineError::Down(reason.to_owned())
}

#[rstest]
#[case(429, "Retry-After: 30", EngineError::Busy(Some(Duration::from_secs(30))))]
#[case(
    503,
    "Retry-After: Wed, 21 Oct 2015 07:28:05 GMT\r\nDate: Wed, 21 Oct 2015 07:28:00 GMT",
    EngineError::Busy(Some(Duration::from_secs(5)))
)]
#[case(503, "X: y", EngineError::Busy(None))]
#[case(529, "Retry-After: never", EngineError::Busy(None))]
#[case(500, "X: y", down("status 500"))]
#[case(502, "X: y", down("status 502"))]
#[case(504, "Retry-After: 9", down("status 504"))]
#[case(404, "X: y", down("status 404"))]
#[case(401, "X: y", EngineError::Denied(401))]
#[case(403, "X: y", EngineError::Denied(403))]
#[case(402, "X: y", EngineError::QuotaExceeded)]
#[case(456, "X: y", EngineError::QuotaExceeded)]
#[case(400, "X: y", EngineError::Refused(400))]
#[case(413, "X: y", EngineError::Refused(413))]
#[case(422, "X: y", EngineError::Refused(422))]
#[case(302, "Location: http://127.0.0.1:1/", down("it redirects: status 302"))]
#[case(307, "Location: /v1/translate", down("it redirects: status 307"))]
#[tokio::test]
async fn a_status_is_a_kind_of_failure(#[case] status: u16, #[case] headers: &str, #[case] error: EngineError) {
    assert_eq!(failure(with(status, headers)).await, error);
}

#[rstest]
#[tokio::test]
async fn errors_do_not_contain_a_key_that_an_engine_echoes(
    #[values(TranslatorKind::LibreTranslate, TranslatorKind::DeepL, TranslatorKind::Chat)] kind: TranslatorKind,
    #[values(200, 302, 400, 401, 402, 429, 500, 503)] status: u16,
) {
    let told = Reply {
        headers: "Retry-After: s3cret\r\nLocation: /?key=s3cret\r\n".to_owned(),
        ..reply(status, "{\"error\": {\"message\": \"the key s3cret is unknown\", \"code\": \"s3cret\"}}")
    };
    let server = Server::new(vec![told]).await;
    let settings = EngineSettings {
        translator: kind,
        chat_url: Some(server.url.clone()),
        chat_key: Some(Key::new("s3cret")),
        chat_model: Some("small".to_owned()),
        ..libretranslate(&server.url)
    };
    let error = translator(settings).translate(&batch(&["One"])).await.unwrap_err();
    assert!(format!("{:?}", server.last()).contains("s3cret"), "the key was sent");
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error}");
}

#[rstest]
#[case("")]
#[case("no JSON")]
#[case("{\"translatedText\": [\"Um\", \"Dois\"]}")]
#[case("{\"translatedText\": []}")]
#[case("{\"text\": \"Um\"}")]
#[tokio::test]
async fn an_answer_of_another_form_is_garbled(#[case] body: &str) {
    assert!(matches!(failure(reply(200, body)).await, EngineError::InvalidAnswer(_)));
}

#[tokio::test]
async fn an_answer_has_at_most_8_mebibytes() {
    let long = format!("{{\"translatedText\": [\"{}\"]}}", "x".repeat(8 << 20));
    assert_eq!(failure(reply(200, long)).await, EngineError::InvalidAnswer("it is longer than 8 MiB"));
}

#[tokio::test]
async fn an_unreachable_engine_is_down() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let asked = translator(libretranslate(&url)).translate(&batch(&["One"])).await;
    assert_eq!(asked.unwrap_err(), down("no connection"));
}

#[tokio::test]
async fn an_engine_that_takes_too_long_is_down() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let settings = EngineSettings { timeout: Duration::from_millis(50), ..libretranslate(&url) };
    let asked = translator(settings).translate(&batch(&["One"])).await;
    assert_eq!(asked.unwrap_err(), down("time-out"));
}

#[tokio::test]
async fn a_truncated_response_means_that_the_engine_is_down() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = [0; 512];
        let _ = stream.read(&mut asked).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{").await.unwrap();
    });
    let asked = translator(libretranslate(&url)).translate(&batch(&["One"])).await;
    assert!(matches!(asked, Err(EngineError::Down(_))), "{asked:?}");
}

#[tokio::test]
async fn concurrent_requests_are_limited() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let settings = EngineSettings { concurrency: 2, ..libretranslate(&url) };
    let engine = translator(settings);
    for _ in 0..3 {
        let engine = Arc::clone(&engine);
        tokio::spawn(async move { engine.translate(&batch(&["One"])).await });
    }
    let mut open = Vec::new();
    for _ in 0..2 {
        open.push(listener.accept().await.unwrap());
    }
    let third = tokio::time::timeout(Duration::from_millis(100), listener.accept()).await;
    assert!(third.is_err(), "a third request waits");
    drop(open);
    listener.accept().await.unwrap();
}
