//! URLs that are stored and returned: they are validated as web URLs and stored in their normal form.
use acceptance::World;
use domain::web_address::WebAddress;
use serde_json::{Value, json};

/// The fields with URLs: the path, the field, and its place in the response.
async fn places(world: &World) -> [(String, &'static str, &'static str); 4] {
    let space = world.space(json!({})).await;
    [
        (format!("/spaces/{space}"), "icon", "/urls/icon"),
        (format!("/spaces/{space}"), "editURL", "/editURL"),
        (world.org(""), "logo", "/urls/logo"),
        (format!("/users/{}", world.ada.id()), "photoURL", "/photoURL"),
    ]
}

#[acceptance::test]
async fn an_address_is_kept_in_its_normal_form(world: World) {
    for (path, field, shown) in places(&world).await {
        let changed = world.ada.patch(&path, json!({field: "HTTPS://EXAMPLE.org:443/a/../ü.png"})).await.ok();
        assert_eq!(changed.pointer(shown), Some(&json!("https://example.org/%C3%BC.png")), "{field}");
        assert_eq!(world.ada.get(&path).await.ok().pointer(shown), changed.pointer(shown), "{field}");
        world.ada.patch(&path, json!({field: null})).await.ok();
        assert_eq!(world.ada.get(&path).await.ok().pointer(shown), None, "{field}");
    }
}

#[acceptance::test]
#[case("https://ada:secret@example.org/", "must not contain a user or a password")]
#[case("https://example.org/\u{1b}[2J", "must not contain control characters")]
#[case(
    "https://example.org/\u{202e}gnp.exe",
    "must not contain invisible characters or characters that change the direction of text"
)]
#[case("https://example.org/a b", "must not contain white space or backslashes")]
#[case("javascript:alert(1)", "must be an address such as https://example.org/logo.png")]
async fn what_hides_in_an_address_is_refused_with_the_field_and_the_rule(
    world: World,
    #[case] address: &str,
    #[case] rule: &str,
) {
    let places = places(&world).await;
    for (path, field, shown) in &places {
        assert_eq!(world.ada.patch(path, json!({*field: address})).await.error(400), format!("{field}: {rule}"));
        assert_eq!(world.ada.get(path).await.ok().pointer(shown), None, "{field}");
    }
    let requests = format!("{}/change-requests", places[0].0);
    let request = world.ada.post(&requests, json!({})).await.id();
    let files = json!([{"name": "a.png", "url": address}]);
    let batch = json!({"changes": [{"operation": "insert_files", "files": files}]});
    let content = format!("{requests}/{request}/content");
    assert_eq!(world.ada.post(&content, batch).await.error(400), format!("changes[0].files[0].url: {rule}"));
}

#[acceptance::test]
async fn an_address_of_an_earlier_version_is_shown_as_it_was_kept(world: World) {
    let old = "https://ada:secret@EXAMPLE.org/\u{202e}a b";
    let own = world.ada.user.clone().unwrap();
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[(&own).into()]).await.unwrap();
    let mut user = tx.users().find(&own).await.unwrap().unwrap();
    user.photo_url = Some(WebAddress::stored(old.to_owned()));
    tx.users().save(&user).await.unwrap();
    tx.commit().await.unwrap();
    let shown: Value = world.ada.get(&format!("/users/{own}")).await.ok();
    assert_eq!(shown["photoURL"], old);
    world.ada.patch(&format!("/users/{own}"), json!({"displayName": "Ada"})).await.ok();
}
