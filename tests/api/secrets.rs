//! Nothing stored in the database grants access.
use acceptance::{Answer, Fields, Fixture, World};
use actix_web::http::Method;
use domain::access::Role;
use domain::token::TokenHash;
use serde_json::{Value, json};
use std::fmt::Write;

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}

/// The base64 form of bytes, without the characters that depend on neighbouring bytes. There are three forms, by
/// offset.
fn base64(bytes: &[u8], letters: &[u8; 64]) -> String {
    let bits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    let groups = bits.as_bytes().chunks_exact(6);
    groups
        .map(|six| char::from(letters[usize::from_str_radix(std::str::from_utf8(six).unwrap(), 2).unwrap()]))
        .collect()
}

/// The forms in which a secret may be stored: as it is, and as text encodings of its bytes.
fn forms(secret: &str) -> Vec<String> {
    let common: Vec<u8> = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').collect();
    let letters = |last: &[u8; 2]| -> [u8; 64] { [common.as_slice(), last].concat().try_into().unwrap() };
    let mut forms = vec![secret.to_owned(), secret.chars().rev().collect(), hexadecimal(secret.as_bytes())];
    for from in 0..3 {
        let rest = &secret.as_bytes()[from..];
        forms.extend([base64(rest, &letters(b"+/")), base64(rest, &letters(b"-_"))]);
    }
    forms
}

async fn under_a_key(world: &World, key: &str, path: &str, body: Value) -> Answer {
    let with = |request: actix_web::test::TestRequest| request.insert_header(("Idempotency-Key", key)).set_json(body);
    world.ada.send(Method::POST, path, with).await
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// All secrets that were issued, each after it was used.
async fn handed_out(world: &World) -> Vec<(&'static str, String)> {
    let space = world.import(&Fixture::guide()).await;
    let collection = world.ada.post(&world.org("/collections"), json!({})).await.expect(201);
    let first = world.ada.authorization.as_deref().unwrap().trim_start_matches("Bearer ").to_owned();
    let mut secrets = vec![("the token of the first start", first)];
    for (what, key, body) in [
        ("a token", None, json!({"label": "plain"})),
        ("a token with scopes", None, json!({"label": "limited", "scopes": ["space:read"]})),
        ("a token that ends", None, json!({"label": "ends", "expiresAt": "2999-01-01T00:00:00Z"})),
        ("a token under a key", Some("t"), json!({"label": "once"})),
    ] {
        let made = match key {
            Some(key) => under_a_key(world, key, "/user/tokens", body).await.expect(201),
            None => world.ada.post("/user/tokens", body).await.expect(201),
        };
        world.with_token(made.text("token")).get("/v1/").await;
        secrets.push((what, text(&made["token"])));
        if what == "a token that ends" {
            assert_eq!(world.ada.delete(&format!("/user/tokens/{}", text(&made["id"]))).await.status.as_u16(), 205);
        }
    }
    let invites = world.org("/link-invites");
    for (what, key, body) in [
        ("an invite", None, json!({"role": "read"})),
        ("an invite to a space", None, json!({"level": "read", "space": space.as_str()})),
        ("an invite to a collection", None, json!({"level": "edit", "collection": collection["id"]})),
        ("an invite under a key", Some("i"), json!({"role": "edit"})),
    ] {
        let made = match key {
            Some(key) => under_a_key(world, key, &invites, body).await.expect(201),
            None => world.ada.post(&invites, body).await.expect(201),
        };
        let (code, guest) = (text(&made["id"]), world.stranger(&what.replace(' ', "-")).await);
        guest.post(&world.org(&format!("/invites/{code}")), json!({})).await.ok();
        if what == "an invite" {
            world.ada.patch(&format!("{invites}/{code}"), json!({"role": "comment"})).await.ok();
        }
        // The id is in the database; its proof is not.
        secrets.push((what, code[..27].to_owned()));
    }
    let webhook = world.ada.post(&world.org("/webhooks"), json!({"url": "https://127.0.0.1/"})).await.expect(201);
    let replaced = world.org(&format!("/webhooks/{}/secret", text(&webhook["id"])));
    let replaced = under_a_key(world, "w", &replaced, json!({})).await.ok();
    world.work().await;
    secrets.push(("the secret of a webhook", text(&webhook["secret"])));
    secrets.push(("the new secret of a webhook", text(&replaced["secret"])));
    let site = world.ada.post(&world.org("/sites"), json!({"visibility": "share-link"})).await.id();
    let site = world.org(&format!("/sites/{site}"));
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let shared = under_a_key(world, "l", &format!("{site}/share-links"), json!({"name": "Partners"})).await.expect(201);
    let shared = text(&shared["urls"]["published"]);
    secrets.push(("the key of a share link", shared.trim_end_matches('/').rsplit('/').next().unwrap().to_owned()));
    let auth = format!("{site}/publishing/auth");
    let first = world.ada.get(&auth).await.ok();
    let second = under_a_key(world, "r", &format!("{auth}/regenerate"), json!({})).await.ok();
    secrets.push(("the private key of a site", text(&first["privateKey"])));
    secrets.push(("the new private key of a site", text(&second["privateKey"])));
    let public = world.ada.patch(&site, json!({"visibility": "public"})).await.ok();
    let visited = json!({"url": public["urls"]["published"]});
    world.ada.post(&format!("{site}/site-spaces"), json!({"spaceId": space.as_str()})).await.expect(201);
    let visited = under_a_key(world, "v", "/urls/published", visited).await.ok();
    secrets.push(("a content token", text(&visited["apiToken"])));
    world.with_token(&text(&visited["apiToken"])).get(&format!("{site}/structure")).await.ok();
    let preview = world.ada.get(&format!("{site}/publishing/preview")).await.ok();
    let preview = text(&preview["url"]);
    world.ada.post("/urls/published", json!({"url": preview})).await.ok();
    secrets.push(("the token of a preview", preview.split_once("token=").unwrap().1.to_owned()));
    let claims = under_a_key(world, "p", &world.org("/ping"), json!({})).await.ok();
    secrets.push(("claims of a visitor", text(&claims["serviceVisitorClaims"])));
    let reader = world.member("rita", Some(Role::Read)).await;
    secrets.push(("a token of the operator", reader.authorization.unwrap().trim_start_matches("Bearer ").to_owned()));
    secrets
}

#[acceptance::test]
async fn no_usable_secret_is_in_a_dump_of_the_database(world: World) {
    let secrets = handed_out(&world).await;
    world.services.accounts.write_uses().await.unwrap();
    let dump = world.dump().await;
    // The hash of the first token is found, so a secret would be found too.
    let hash = hexadecimal(&TokenHash::of(&secrets[0].1).0);
    assert!(dump["tokens"].iter().any(|row| row.to_lowercase().contains(&hash)), "{:?}", dump["tokens"]);
    let mut found = Vec::new();
    for (table, rows) in &dump {
        let rows = rows.join("\n").to_lowercase();
        for (what, secret) in &secrets {
            if forms(secret).iter().any(|form| rows.contains(&form.to_lowercase())) {
                found.push(format!("{what} in {table}"));
            }
        }
    }
    assert!(found.is_empty(), "{found:?}");
    if let Some(bytes) = world.raw() {
        // Deleted data stays in free pages of the file for a while.
        let file: String = bytes.iter().map(|byte| char::from(*byte).to_ascii_lowercase()).collect();
        let found: Vec<_> = secrets.iter().filter(|(_, secret)| file.contains(&secret.to_lowercase())).collect();
        assert!(found.is_empty(), "in the file: {found:?}");
    }
}
