//! Conditional requests: they send the validators of a known file, and the host can respond 304.
use super::fetching::{Site, fetcher, ok, to};
use domain::openapi_spec::Validators;
use domain::ports::{FetchError, FetchRequest, Fetcher, FoundFile};
use rstest::rstest;

const UNCHANGED: &[u8] = b"HTTP/1.1 304 Not Modified\r\n\r\n";

async fn changed(site: &Site, path: &str, known: &Validators) -> Result<Option<FoundFile>, FetchError> {
    let request = FetchRequest { url: site.url(path), max_bytes: 1000, timeout: None };
    fetcher().fetch_if_changed(request, known).await
}

/// A host with `/file`; `/moved` redirects to it.
fn host(path: &str, head: &str) -> Vec<u8> {
    let head = head.to_lowercase();
    let since = "if-modified-since: mon, 23 nov 2026 00:00:00 gmt";
    match path {
        "/moved" => to(302, "/file"),
        _ if head.contains("if-none-match: \"1\"") || head.contains(since) => UNCHANGED.to_vec(),
        _ => ok("ETag: \"1\"\r\nLast-Modified: Mon, 23 Nov 2026 00:00:00 GMT\r\n", "file"),
    }
}

#[rstest]
#[case::directly("/file")]
#[case::after_a_redirect("/moved")]
#[tokio::test]
async fn an_unchanged_file_is_not_sent_again(#[case] path: &str) {
    let site = Site::open("127.0.0.1", host).await;
    let found = changed(&site, path, &Validators::default()).await.unwrap().unwrap();
    assert_eq!((&*found.file.bytes, &found.address), (&b"file"[..], &site.url("/file")));
    let Validators { etag, last_modified } = found.validators.clone();
    assert_eq!(etag.as_deref(), Some("\"1\""));
    assert_eq!(last_modified.as_deref(), Some("Mon, 23 Nov 2026 00:00:00 GMT"));
    assert_eq!(changed(&site, path, &found.validators).await, Ok(None));
    assert_eq!(changed(&site, path, &Validators { etag: None, last_modified }).await, Ok(None));
    let older = Validators { etag: Some("\"0\"".into()), last_modified: None };
    assert!(changed(&site, path, &older).await.unwrap().is_some());
}

#[tokio::test]
async fn an_unexpected_304_is_an_error() {
    let site = Site::open("127.0.0.1", |_, _| UNCHANGED.to_vec()).await;
    assert_eq!(changed(&site, "/", &Validators::default()).await, Err(FetchError::Status(304)));
    let request = FetchRequest { url: site.url("/"), max_bytes: 1000, timeout: None };
    assert_eq!(fetcher().fetch(request).await, Err(FetchError::Status(304)));
}

#[tokio::test]
async fn validators_that_cannot_be_sent_are_dropped() {
    let site = Site::open("127.0.0.1", |_, _| ok(&format!("ETag: \"{}\"\r\n", "a".repeat(2000)), "file")).await;
    let found = changed(&site, "/", &Validators::default()).await.unwrap().unwrap();
    assert!(found.validators.is_empty(), "{:?}", found.validators);
}
