//! The audiences of sites.
use super::{location, text};
use crate::urls::{BASE, adaptive, docs, signed};
use acceptance::{Answer, Fields, World};
use chrono::TimeDelta;
use serde_json::json;

/// The first cookie that a response sets, as a browser sends it back.
#[track_caller]
fn cookie(answer: &Answer) -> String {
    let set = answer.header("set-cookie").expect("a cookie");
    assert!(set.contains("HttpOnly") && set.contains("Secure") && set.contains("SameSite=Lax"), "{set}");
    assert!(set.contains("Path=/s/docs/"), "{set}");
    set.split(';').next().unwrap().to_owned()
}

async fn with_cookie(world: &World, url: &str, cookie: &str) -> Answer {
    world.browse_with(url, |request| request.insert_header(("Cookie", cookie))).await
}

#[acceptance::test]
async fn a_site_that_is_not_published_is_like_one_that_does_not_exist(world: World) {
    let (site, _) = docs(&world, "public").await;
    world.ada.post(&format!("{site}/unpublish"), json!({})).await.ok();
    let unpublished = text(world.browse(&format!("{BASE}/install")).await, 404);
    let unknown = text(world.browse("https://docs.test/s/nothing/install").await, 404);
    assert_eq!(unpublished, unknown);
    world.ada.patch(&site, json!({"visibility": "share-link"})).await.ok();
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let locked = text(world.browse(&format!("{BASE}/install")).await, 404);
    assert_eq!(locked, unknown, "a site without its key tells nothing");
}

/// What a visitor shows: the key of a share link and a visitor token.
struct Secrets {
    name: &'static str,
    key: Option<String>,
    token: Option<String>,
}

/// The statuses of the API and of the reader for a page of a site.
fn expected(visibility: &str, state: &str, secret: &str) -> (u16, u16) {
    let (right, signs_in) = (secret == "right", visibility == "visitor-auth");
    match (state, visibility) {
        ("unpublished", _) => (404, 404),
        (_, "visitor-auth") if !right => (404, 401),
        ("deleted", _) => (404, 404),
        (_, "share-link") if !right => (404, 404),
        _ => {
            assert!(right || !signs_in);
            (200, 200)
        }
    }
}

#[acceptance::test]
async fn access_to_a_page_follows_the_table_of_audiences(world: World) {
    let (site, space) = docs(&world, "share-link").await;
    let links = format!("{site}/share-links");
    let link = async |name: &str| {
        let link = world.ada.post(&links, json!({"name": name})).await.expect(201);
        let key = link["urls"].text("published").trim_end_matches('/').rsplit('/').next().unwrap().to_owned();
        (link.id().to_owned(), key)
    };
    let ((_, key), (revoked, revoked_key)) = (link("Right").await, link("Revoked").await);
    world.ada.patch(&format!("{links}/{revoked}"), json!({"active": false})).await.ok();
    let revoked = signed(&world, &site, 600, json!({})).await;
    world.ada.post(&format!("{site}/publishing/auth/regenerate"), json!({})).await.ok();
    let right = signed(&world, &site, 600, json!({})).await;
    let expired = signed(&world, &site, -600, json!({})).await;
    let wrong = format!("{}.{}", right.rsplit_once('.').unwrap().0, revoked.rsplit('.').next().unwrap());
    let secrets = [
        Secrets { name: "no", key: None, token: None },
        Secrets { name: "wrong", key: Some("octavo_share_wrong".into()), token: Some(wrong) },
        Secrets { name: "revoked", key: Some(revoked_key), token: Some(revoked) },
        Secrets { name: "expired", key: None, token: Some(expired) },
        Secrets { name: "right", key: Some(key), token: Some(right) },
    ];
    for visibility in ["public", "unlisted", "share-link", "visitor-auth"] {
        world.ada.patch(&site, json!({"visibility": visibility})).await.ok();
        for state in ["published", "unpublished", "deleted"] {
            let change = if state == "unpublished" { "unpublish" } else { "publish" };
            world.ada.post(&format!("{site}/{change}"), json!({})).await.ok();
            if state == "deleted" {
                world.ada.delete(&format!("/spaces/{space}")).await.expect(205);
            }
            for Secrets { name, key, token } in &secrets {
                let by_link = visibility == "share-link";
                let url = match key.as_ref().filter(|_| by_link) {
                    Some(key) => format!("{BASE}/~/share/{key}/install"),
                    None => format!("{BASE}/install"),
                };
                let body = json!({"url": url, "visitor": {"jwtToken": token}});
                let asked = if token.is_some() { body } else { json!({"url": url}) };
                let api = world.ada.post("/urls/published", asked).await.status.as_u16();
                let bearer = if by_link { key } else { token };
                let page = format!("{BASE}/install");
                let read = world.browse_with(&page, |request| match bearer {
                    Some(bearer) => request.insert_header(("Authorization", format!("Bearer {bearer}"))),
                    None => request,
                });
                let found = (api, read.await.status.as_u16());
                assert_eq!(found, expected(visibility, state, name), "{visibility}, {state}, {name}");
            }
            if state == "deleted" {
                world.ada.post(&format!("/spaces/{space}/restore"), json!({})).await.ok();
            }
        }
    }
}

#[acceptance::test]
async fn an_unlisted_site_is_not_indexed(world: World) {
    docs(&world, "unlisted").await;
    let answer = world.browse(&format!("{BASE}/install")).await;
    assert_eq!(answer.header("x-robots-tag"), Some("noindex"));
    assert!(text(answer, 200).contains("noindex"));
    text(world.browse(&format!("{BASE}/sitemap.xml")).await, 404);
}

#[acceptance::test]
async fn the_key_of_a_share_link_moves_from_the_address_to_a_cookie(world: World) {
    let (site, _) = docs(&world, "share-link").await;
    let link = world.ada.post(&format!("{site}/share-links"), json!({"name": "Press"})).await.expect(201);
    let entry = link["urls"].text("published").to_owned();
    let entered = world.browse(&format!("{}install?q=1", entry)).await;
    assert_eq!(location(&entered), (303, format!("{BASE}/install?q=1").as_str()));
    assert_eq!(entered.header("cache-control"), Some("no-store"));
    assert_eq!(entered.header("referrer-policy"), Some("no-referrer"));
    let cookie = cookie(&entered);
    let page = with_cookie(&world, &format!("{BASE}/install"), &cookie).await;
    assert_eq!(page.header("cache-control"), Some("private, no-store"));
    assert_eq!(page.header("x-robots-tag"), Some("noindex"));
    text(page, 200);
    text(with_cookie(&world, &format!("{BASE}/install"), "__Secure-octavo-share=wrong").await, 404);
    let key = entry.trim_end_matches('/').rsplit('/').next().unwrap().to_owned();
    let bearer =
        |request: actix_web::test::TestRequest| request.insert_header(("Authorization", format!("Bearer {key}")));
    text(world.browse_with(&format!("{BASE}/install.md"), bearer).await, 200);
    world.ada.patch(&format!("{site}/share-links/{}", link.id()), json!({"active": false})).await.ok();
    text(with_cookie(&world, &format!("{BASE}/install"), &cookie).await, 404);
}

#[acceptance::test]
async fn a_visitor_signs_in_with_the_service_of_the_owner(world: World) {
    let (site, _) = docs(&world, "visitor-auth").await;
    text(world.browse(&format!("{BASE}/install")).await, 401);
    let auth = json!({"backend": "custom", "fallbackURL": "https://id.example.org/in?app=docs"});
    world.ada.patch(&format!("{site}/publishing/auth"), auth).await.ok();
    let sent = world.browse(&format!("{BASE}/install?q=1&jwt_token=wrong")).await;
    let expected = "https://id.example.org/in?app=docs&location=%2Finstall%3Fq%3D1";
    assert_eq!(location(&sent), (302, expected));
    assert_eq!(sent.header("cache-control"), Some("no-store"));
    let other = world.browse(&format!("{BASE}//evil.test/")).await;
    let expected = "https://id.example.org/in?app=docs&location=%2Fevil.test%2F";
    assert_eq!(location(&other), (302, expected), "a path with two slashes at its start would be on another host");
    let token = signed(&world, &site, 600, json!({})).await;
    let back = world.browse(&format!("{BASE}/install?q=1&jwt_token={token}")).await;
    assert_eq!(location(&back), (303, format!("{BASE}/install?q=1").as_str()));
    let cookie = cookie(&back);
    for path in [format!("install?jwt_token={token}"), "install".to_owned(), "~/auth/logout".to_owned()] {
        let ahead =
            |request: actix_web::test::TestRequest| request.insert_header(("Sec-Purpose", "prefetch;prerender"));
        let answer = world.browse_with(&format!("{BASE}/{path}"), ahead).await;
        assert_eq!(answer.header("set-cookie"), None, "{path}: nobody has opened it");
        text(answer, 403);
    }
    text(with_cookie(&world, &format!("{BASE}/install?q=1"), &cookie).await, 200);
    text(with_cookie(&world, &format!("{BASE}/install"), &format!("gitbook-visitor-token={token}")).await, 200);
    let expired = signed(&world, &site, -1, json!({})).await;
    let refused = with_cookie(&world, &format!("{BASE}/install"), &format!("octavo-visitor={expired}")).await;
    assert_eq!(refused.status.as_u16(), 302);

    let mut rounds = "octavo-rounds=".to_owned();
    for round in 1..=4 {
        let answer = with_cookie(&world, &format!("{BASE}/install"), &rounds).await;
        if round == 4 {
            let body = text(answer, 401);
            assert!(!body.contains("Docs") && !body.contains("docs"), "nothing about the site: {body}");
            break;
        }
        assert_eq!(answer.status.as_u16(), 302, "round {round}");
        rounds = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    }
    world.ada.post(&format!("{site}/publishing/auth/regenerate"), json!({})).await.ok();
    assert_eq!(with_cookie(&world, &format!("{BASE}/install"), &cookie).await.status.as_u16(), 302);
}

#[acceptance::test]
async fn visitors_with_different_claims_get_different_pages_and_others_share_none(world: World) {
    let (site, space) = docs(&world, "public").await;
    adaptive(&world, &site).await;
    let page = world.page(&space, "install/macos").await;
    let condition = json!({"condition": "visitor.claims.plan === 'pro'"});
    super::change(&world, &space, &page, condition).await;
    text(world.browse(&format!("{BASE}/install/macos")).await, 404);
    let other = world.browse(&format!("{BASE}/install/linux")).await;
    assert_eq!(other.header("cache-control"), Some("private, no-store"), "no shared cache knows who asks");
    let other = text(other, 200);
    assert!(!other.contains("macOS"), "{other}");
    let token = signed(&world, &site, 600, json!({"plan": "pro"})).await;
    let cookie = format!("octavo-visitor={token}");
    let pro = with_cookie(&world, &format!("{BASE}/install/macos"), &cookie).await;
    assert_eq!(pro.header("cache-control"), Some("private, no-store"));
    text(pro, 200);
    let pro = text(with_cookie(&world, &format!("{BASE}/install/linux"), &cookie).await, 200);
    assert!(pro.contains("On macOS"), "{pro}");
    text(world.browse(&format!("{BASE}/install/macos")).await, 404);
}

#[acceptance::test]
async fn what_a_visitor_sees_because_of_claims_ends_with_the_token_without_a_commit(world: World) {
    let (site, space) = docs(&world, "public").await;
    adaptive(&world, &site).await;
    let page = world.page(&space, "install/macos").await;
    super::change(&world, &space, &page, json!({"condition": "visitor.claims.plan === 'pro'"})).await;
    world.clock.set(world.services.clock.now());
    let cookie = format!("octavo-visitor={}", signed(&world, &site, 5, json!({"plan": "pro"})).await);
    text(with_cookie(&world, &format!("{BASE}/install/macos"), &cookie).await, 200);
    // A response in the cache is used for ten seconds.
    world.clock.advance(TimeDelta::seconds(5));
    text(with_cookie(&world, &format!("{BASE}/install/macos"), &cookie).await, 404);
}

#[acceptance::test]
async fn a_preview_is_opened_with_its_token_and_is_never_kept(world: World) {
    let (site, _) = docs(&world, "public").await;
    world.ada.post(&format!("{site}/unpublish"), json!({})).await.ok();
    let url = world.ada.get(&format!("{site}/publishing/preview?target=/install")).await.ok().text("url").to_owned();
    let opened = world.browse(&url).await;
    let (status, plain) = location(&opened);
    assert_eq!((status, plain.contains("token")), (303, false), "{plain}");
    let set = opened.header("set-cookie").unwrap();
    assert!(set.contains("octavo-preview=") && set.contains("Path=/~preview/"), "{set}");
    let cookie = set.split(';').next().unwrap().to_owned();
    let page = with_cookie(&world, plain, &cookie).await;
    assert_eq!(page.header("x-robots-tag"), Some("noindex"));
    assert_eq!(page.header("cache-control"), Some("private, no-store"));
    let page = text(page, 200);
    assert!(page.contains("href=\"/~preview/"), "{page}");
    text(world.browse(plain).await, 404);
}

#[acceptance::test]
async fn a_visitor_of_a_public_site_signs_in_and_out_with_the_service_of_the_owner(world: World) {
    let (site, _) = docs(&world, "public").await;
    let login = format!("{BASE}/~/auth/login");
    assert_eq!(location(&world.browse(&login).await), (302, "https://docs.test/s/docs/"), "no service is set");
    let auth = json!({"backend": "custom", "fallbackURL": "https://acme.org/sign-in"});
    world.ada.patch(&format!("{site}/publishing/auth"), auth).await.ok();
    let sent = world.browse(&login).await;
    assert_eq!(location(&sent), (302, "https://acme.org/sign-in?location=%2F"));
    let out = world.browse(&format!("{BASE}/~/auth/logout")).await;
    assert_eq!(location(&out), (302, "https://docs.test/s/docs/"));

    // If the site requires a sign-in, a visitor who signed out gets the start page after signing in.
    world.ada.patch(&site, json!({"visibility": "visitor-auth"})).await.ok();
    let out = world.browse(&format!("{BASE}/~/auth/logout")).await;
    assert_eq!(location(&out), (302, "https://acme.org/sign-in?location=%2F"));
}
