use acceptance::{Fields, Fixture, PUBLIC_URL, World};
use actix_web::http::Method;

async fn file(world: &World) -> (serde_json::Value, String) {
    let space = world.import(&Fixture::guide()).await;
    let files = world.ada.get(&format!("/spaces/{space}/content/files")).await.ok();
    let file = files["items"][0].clone();
    let url = file.text("downloadURL").strip_prefix(PUBLIC_URL).unwrap().to_owned();
    let same = world.ada.get(&format!("/spaces/{space}/content/files/{}", file.id())).await.ok();
    assert_eq!(same, file);
    (file, url)
}

#[acceptance::test]
async fn a_file_is_downloaded_by_its_address_alone(world: World) {
    let (file, url) = file(&world).await;
    assert_eq!(file["name"], "engine.svg");
    assert_eq!(file["contentType"], "image/svg+xml");
    let answer = world.anonymous().send_to(Method::GET, &url, |request| request).await;
    assert_eq!(answer.status.as_u16(), 200);
    assert_eq!(answer.bytes.len() as u64, file["size"].as_u64().unwrap());
    assert_eq!(answer.header("content-type"), Some("image/svg+xml"));
}

#[acceptance::test]
async fn a_hostile_picture_cannot_run(world: World) {
    let (_, url) = file(&world).await;
    let answer = world.anonymous().send_to(Method::GET, &url, |request| request).await;
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.contains("sandbox") && policy.contains("default-src 'none'"), "{policy}");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert!(answer.header("content-disposition").unwrap().starts_with("attachment"));
}

#[acceptance::test]
#[case("bytes=0-3", 206, Some("<svg"))]
#[case("bytes=-6", 206, Some("</svg>"))]
#[case("bytes=99999-", 416, None)]
#[case("bytes=x-y", 200, None)]
async fn a_part_of_a_file_can_be_asked_for(
    world: &World,
    #[case] range: &str,
    #[case] status: u16,
    #[case] part: Option<&str>,
) {
    let (file, url) = file(world).await;
    let answer = world.anonymous().send_to(Method::GET, &url, |request| request.insert_header(("Range", range))).await;
    assert_eq!(answer.status.as_u16(), status);
    if let Some(part) = part {
        assert_eq!(String::from_utf8_lossy(&answer.bytes), part);
        assert!(answer.header("content-range").unwrap().ends_with(&format!("/{}", file["size"])));
    }
}

#[acceptance::test]
async fn an_address_that_was_tampered_with_opens_nothing(world: World) {
    let (_, url) = file(&world).await;
    let flipped = |at: usize| {
        let mut bytes = url.clone().into_bytes();
        bytes[at] = if bytes[at] == b'a' { b'b' } else { b'a' };
        String::from_utf8(bytes).unwrap()
    };
    let signature = url.find("signature=").unwrap() + "signature=".len();
    let hash = url.rfind('/').unwrap() - 10;
    for forged in [
        flipped(signature + 3),
        flipped(hash),
        url.replace("svg%2Bxml", "png"),
        url.split('?').next().unwrap().to_owned(),
    ] {
        if forged == url {
            continue;
        }
        let answer = world.anonymous().send_to(Method::GET, &forged, |request| request).await;
        assert!(answer.status.is_client_error(), "{forged}: {}", answer.status);
    }
}
