//! Files at signed URLs.
use super::*;
use chrono::Utc;
use domain::content::page::FileEntry;
use rstest::rstest;

fn address(name: &str, media: &str) -> String {
    let file = FileEntry {
        name: name.into(),
        content_type: media.into(),
        size: FILE.len() as u64,
        blob: Hash::of(FILE),
        dimensions: None,
        git: None,
    };
    let now: DateTime<Utc> = DateTime::UNIX_EPOCH;
    let address = api(READER, UNLIMITED).links.download(&"s".parse().unwrap(), &file, now);
    address.strip_prefix("https://docs.test").unwrap().to_owned()
}

#[actix_web::test]
async fn a_file_is_sent_whole_and_harmless() {
    let answer = send(READER, get(&address("a/ü b.svg", "image/svg+xml"))).await;
    assert_eq!((answer.status, &answer.body[..]), (StatusCode::OK, FILE));
    assert_eq!(answer.header("content-type"), "image/svg+xml");
    assert_eq!(answer.header("content-security-policy"), "sandbox; default-src 'none'");
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"a__ b.svg\"; filename*=UTF-8''a%2F%C3%BC%20b.svg"
    );
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    let image = send(READER, get(&address("a.png", "image/png"))).await;
    assert!(image.header("content-disposition").starts_with("inline"));
}

#[rstest]
#[case::part("bytes=2-4", "", 206, "bytes 2-4/10", b"234".as_slice())]
#[case::end("bytes=-3", "", 206, "bytes 7-9/10", b"789")]
#[case::same_file("bytes=2-4", "same", 206, "bytes 2-4/10", b"234")]
#[case::another_file("bytes=2-4", "\"other\"", 200, "", FILE)]
#[case::nonsense("bytes=x", "", 200, "", FILE)]
#[actix_web::test]
async fn a_part_of_a_file_is_sent_alone(
    #[case] range: &'static str,
    #[case] condition: &str,
    #[case] status: u16,
    #[case] told: &str,
    #[case] bytes: &[u8],
) {
    let mut request = get(&address("a.png", "image/png")).insert_header(("range", range));
    if !condition.is_empty() {
        let tag = format!("\"{}\"", Hash::of(FILE));
        request = request.insert_header(("if-range", condition.replace("same", &tag)));
    }
    let answer = send(READER, request).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-range"), &answer.body[..]), (status, told, bytes));
}

#[rstest]
#[case::whole("same", "", 304)]
#[case::weak("W/same", "", 304)]
#[case::any("*", "", 304)]
#[case::part("same", "bytes=2-4", 304)]
#[case::outside("same", "bytes=10-", 304)]
#[case::another_part("\"other\"", "bytes=2-4", 206)]
#[case::another("\"other\"", "", 200)]
#[actix_web::test]
async fn a_file_that_the_client_has_is_not_sent_again(
    #[case] condition: &str,
    #[case] range: &'static str,
    #[case] status: u16,
) {
    let tag = format!("\"{}\"", Hash::of(FILE));
    let mut request =
        get(&address("a.png", "image/png")).insert_header(("if-none-match", condition.replace("same", &tag)));
    if !range.is_empty() {
        request = request.insert_header(("range", range));
    }
    let answer = send(READER, request).await;
    assert_eq!((answer.status.as_u16(), answer.header("etag")), (status, tag.as_str()));
    assert_eq!(answer.header("cache-control"), "private, max-age=86400, immutable");
    if status == 304 {
        assert!(answer.body.is_empty() && answer.header("content-type").is_empty());
    }
}

#[actix_web::test]
async fn a_part_outside_of_a_file_is_refused() {
    let answer = send(READER, get(&address("a.png", "image/png")).insert_header(("range", "bytes=10-"))).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-range")), (416, "bytes */10"));
    answer.error();
}

#[actix_web::test]
async fn an_address_of_a_file_that_was_not_given_out_opens_nothing() {
    let good = address("a.png", "image/png");
    let bad = [
        good.replace("image%2Fpng", "text%2Fhtml"),
        good.replace("a.png", "b.png"),
        good.replace("/s/", "/t/"),
        good.replace(&Hash::of(FILE).to_string(), &Hash::of(b"other").to_string()),
        good.split('?').next().unwrap().to_owned(),
        format!("{good}x"),
    ];
    for address in bad {
        let answer = send(READER, get(&address)).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{address}");
        answer.error();
    }
}
