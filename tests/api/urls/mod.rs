//! Resolving addresses: content for visitors, objects for members, host names of organizations.
mod content_tokens;
mod previews;

use super::change_requests::{edit, merged, propose};
use acceptance::{Caller, Fields, Fixture, World};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::access::Role;
use domain::id::SpaceId;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

/// The address of the site of [`docs`].
pub(super) const BASE: &str = "https://docs.test/s/docs";

/// A published site with the guide; its path in the API, and the space.
pub(super) async fn docs(world: &World, visibility: &str) -> (String, SpaceId) {
    let space = world.import(&Fixture::guide()).await;
    let body = json!({"title": "Docs", "visibility": visibility, "spaces": [space.as_str()]});
    let path = super::sites::site(world, body).await;
    world.ada.post(&format!("{path}/publish"), json!({})).await.ok();
    (path, space)
}

/// Asks with `POST` for an address.
async fn visit(world: &World, url: &str, visitor: Value) -> acceptance::Answer {
    world.ada.post("/urls/published", json!({"url": url, "visitor": visitor})).await
}

/// The visitor of an address, with its content token.
async fn visitor(world: &World, url: &str, about: Value) -> Caller {
    world.with_token(visit(world, url, about).await.ok().text("apiToken"))
}

/// The claims of a JSON Web Token, which are not verified.
fn claims(token: &str) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap()).unwrap()
}

/// A visitor token that is valid for `seconds`.
pub(super) async fn signed(world: &World, site: &str, seconds: i64, mut claims: Value) -> String {
    let auth = world.ada.get(&format!("{site}/publishing/auth")).await.ok();
    claims["exp"] = json!(world.services.clock.now().timestamp() + seconds);
    let encode = |text: String| URL_SAFE_NO_PAD.encode(text);
    let input = format!("{}.{}", encode(json!({"alg": "HS256"}).to_string()), encode(claims.to_string()));
    let mut mac = Hmac::<Sha256>::new_from_slice(auth.text("privateKey").as_bytes()).unwrap();
    mac.update(input.as_bytes());
    format!("{input}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

/// A schema with a signed and an unsigned plan.
pub(super) async fn adaptive(world: &World, site: &str) {
    let plan = json!({"plan": {"type": "string", "enum": ["free", "pro"], "description": "The plan"}});
    let mut properties = plan.clone();
    properties["unsigned"] = json!({"type": "object", "description": "Unsigned claims of the site visitor.",
        "additionalProperties": false, "properties": plan});
    let schema = json!({"type": "object", "additionalProperties": false, "properties": properties});
    world.ada.put(&format!("{site}/adaptive-schema"), json!({"jsonSchema": schema})).await.ok();
    world.ada.patch(site, json!({"adaptiveContent": {"enabled": true}})).await.ok();
}

#[acceptance::test]
async fn an_address_of_a_public_site_is_its_content_for_any_user(world: World) {
    let (site, space) = docs(&world, "public").await;
    let structure = world.ada.get(&format!("{site}/structure")).await.ok();
    let eve = world.stranger("eve").await;
    let answer = eve.post("/urls/published", json!({"url": format!("{BASE}/install/linux")})).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let mut found = answer.ok();
    let token = found["apiToken"].take();
    let expected = json!({
        "organization": world.organization, "site": site.rsplit('/').next().unwrap(),
        "siteSpace": structure["structure"][0].id(), "space": space,
        "revision": world.ada.get(&format!("/spaces/{space}/content")).await.ok().id(),
        "pathname": "/install/linux", "basePath": "/s/docs/", "siteBasePath": "/s/docs/", "apiToken": null,
        "complete": true, "canonicalUrl": format!("{BASE}/install/linux"),
    });
    assert_eq!(found, expected);
    let said = claims(token.as_str().unwrap());
    assert_eq!((&said["kind"], &said["spaces"], &said["draft"]), (&json!("site"), &json!([space]), &json!(false)));
    assert_eq!(said["exp"].as_i64().unwrap() - said["iat"].as_i64().unwrap(), 3600);

    let start = visit(&world, &format!("{BASE}/"), json!({})).await.ok();
    assert_eq!((start.text("pathname"), start.text("canonicalUrl")), ("/", format!("{BASE}/").as_str()));
    let old = eve.get(&format!("/urls/published?url={BASE}/install")).await.ok();
    assert_eq!(old.text("pathname"), "/install");
    for nothing in ["/nowhere", "/llms.txt", "/install/nowhere"] {
        let answer = visit(&world, &format!("{BASE}{nothing}"), json!({})).await;
        assert_eq!(answer.error(404), "published content not found");
    }
    assert_eq!(world.ada.post("/urls/published", json!({})).await.error(400), "url: is required");
    let told = world.ada.post("/urls/published", json!({"url": "docs"})).await.error(400);
    assert_eq!(told, "url: must be an http or https address");
    world.anonymous().post("/urls/published", json!({"url": BASE})).await.error(401);
}

#[acceptance::test]
async fn the_address_of_a_site_with_sections_and_variants_names_the_parts(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let other = world.import(&Fixture::guide()).await;
    let site = super::sites::site(&world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    let section = json!({"spaceId": other.as_str(), "title": "API"});
    let section = world.ada.post(&format!("{site}/sections"), section).await.expect(201);
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let found = visit(&world, &format!("{BASE}/api/install"), json!({})).await.ok();
    assert_eq!((found.text("siteSection"), found.text("siteSpace")), (section.id(), section["siteSpaces"][0].id()));
    assert_eq!((found.text("basePath"), found.text("pathname")), ("/s/docs/api/", "/install"));
    assert_eq!((&found["space"], &found["complete"]), (&json!(other), &json!(true)));
    assert_eq!(claims(found.text("apiToken"))["spaces"].as_array().unwrap().len(), 2);
    let start = visit(&world, &format!("{BASE}/"), json!({})).await.ok();
    assert_eq!(
        (start.text("basePath"), &start["complete"]),
        ("/s/docs/", &json!(false)),
        "a longer address is of the API"
    );
}

#[acceptance::test]
async fn other_addresses_of_a_page_redirect(world: World) {
    let (site, _) = docs(&world, "public").await;
    let id = site.rsplit('/').next().unwrap();
    for (source, url) in [
        ("/gone", "https://example.org/new"),
        ("/tab", "https://docs.test/s/docs/install/linux?tab=deb#updating-packages"),
    ] {
        let redirect = json!({"source": source, "destination": {"kind": "external", "url": url}});
        world.ada.post(&format!("{site}/redirects"), redirect).await.expect(201);
    }
    for (from, target, to) in [
        ("/tab?q=1", "content", format!("{BASE}/install/linux?tab=deb&q=1#updating-packages")),
        ("", "content", format!("{BASE}/")),
        ("/Install/Linux?q=1", "content", format!("{BASE}/install/linux?q=1")),
        ("/reference", "content", format!("{BASE}/reference/options")),
        ("/gone?q=1&jwt_token=x", "external", "https://example.org/new?q=1".to_owned()),
    ] {
        let found = visit(&world, &format!("{BASE}{from}"), json!({})).await.ok();
        assert_eq!(found, json!({"target": target, "redirect": to, "site": id}), "{from}");
    }
    world.ada.patch(&site, json!({"hostname": "docs.acme.org"})).await.ok();
    let found = visit(&world, &format!("{BASE}/install"), json!({})).await.ok();
    assert_eq!(found.text("redirect"), "https://docs.acme.org/install");
}

#[acceptance::test]
async fn an_unknown_site_an_unpublished_one_and_one_without_its_share_key_are_the_same(world: World) {
    let (site, _) = docs(&world, "share-link").await;
    let link = world.ada.post(&format!("{site}/share-links"), json!({"name": "Partners"})).await.expect(201);
    let shared = link["urls"].text("published").to_owned();
    let key = shared.trim_end_matches('/').rsplit('/').next().unwrap();
    let refused = async |url: String| visit(&world, &url, json!({})).await;
    let unknown = refused("https://docs.test/s/unknown/install".to_owned()).await.error(404);
    for url in [format!("{BASE}/install"), BASE.to_owned(), format!("{BASE}/~/share/{key}x/install")] {
        assert_eq!(refused(url).await.error(404), unknown);
    }
    let found = refused(format!("{shared}install")).await.ok();
    assert_eq!((found.text("shareKey"), found.text("pathname")), (key, "/install"));
    assert_eq!(found.text("canonicalUrl"), format!("{BASE}/install"), "without the key");
    let moved = refused(format!("{shared}Install")).await.ok();
    assert_eq!(moved.text("redirect"), format!("{shared}install"), "with the key");
    let other = format!("https://docs.test/s/docs-2/~/share/{key}/install");
    docs(&world, "public").await;
    assert_eq!(refused(other).await.error(404), unknown);

    let partner = world.with_token(found.text("apiToken"));
    partner.get(&format!("{site}/structure")).await.ok();
    world.ada.patch(&format!("{site}/share-links/{}", link.id()), json!({"active": false})).await.ok();
    partner.get(&format!("{site}/structure")).await.error(401);
    assert_eq!(refused(format!("{shared}install")).await.error(404), unknown);
    world.ada.patch(&format!("{site}/share-links/{}", link.id()), json!({"active": true})).await.ok();
    partner.get(&format!("{site}/structure")).await.ok();
    world.ada.delete(&format!("{site}/share-links/{}", link.id())).await;
    partner.get(&format!("{site}/structure")).await.error(401);
    world.ada.post(&format!("{site}/unpublish"), json!({})).await.ok();
    assert_eq!(refused(format!("{shared}install")).await.error(404), unknown);
}

#[acceptance::test]
async fn a_site_with_visitor_tokens_sends_visitors_without_one_to_sign_in(world: World) {
    let (site, _) = docs(&world, "visitor-auth").await;
    let url = format!("{BASE}/install?q=1");
    let ask = async |redirect: bool, token: Option<&str>| {
        let visitor = token.map_or_else(|| json!({}), |token| json!({"jwtToken": token}));
        let body = json!({"url": url, "redirectOnError": redirect, "visitor": visitor});
        world.ada.post("/urls/published", body).await
    };
    ask(true, None).await.error(404);
    let auth = json!({"backend": "custom", "fallbackURL": "https://acme.org/sign-in?from=docs"});
    world.ada.patch(&format!("{site}/publishing/auth"), auth).await.ok();
    ask(false, None).await.error(404);
    let expired = signed(&world, &site, -1, json!({})).await;
    for token in [None, Some("a.b.c"), Some(expired.as_str())] {
        let found = ask(true, token).await.ok();
        assert_eq!(found["target"], "external");
        assert_eq!(found.text("redirect"), "https://acme.org/sign-in?from=docs&location=%2Finstall%3Fq%3D1");
    }
    let token = signed(&world, &site, 60, json!({})).await;
    let found = ask(true, Some(&token)).await.ok();
    let ends = |token: &str| claims(token)["exp"].clone();
    assert_eq!(ends(found.text("apiToken")), ends(&token), "the content token ends with the visitor token");
    let in_address = json!({"url": format!("{BASE}/install?jwt_token={token}")});
    assert_eq!(world.ada.post("/urls/published", in_address).await.ok()["pathname"], "/install");
    // The one is not the other.
    assert_eq!(ask(false, Some(found.text("apiToken"))).await.error(404), "published content not found");
    world.with_token(&token).get(&format!("{site}/structure")).await.error(401);
    let old = world.ada.get(&format!("/urls/published?url={BASE}/install&visitorAuthToken={token}")).await.ok();
    assert_eq!(old.text("pathname"), "/install");
}

#[acceptance::test]
async fn what_a_condition_hides_is_not_there_for_this_visitor(world: World) {
    let (site, _) = docs(&world, "public").await;
    adaptive(&world, &site).await;
    let other = world.import(&Fixture::guide()).await;
    let hidden = json!({"spaceId": other.as_str(), "title": "Internal"});
    let added = world.ada.post(&format!("{site}/site-spaces"), hidden).await.expect(201);
    let condition = json!({"condition": "visitor.claims.plan === 'pro'", "path": "internal"});
    world.ada.patch(&format!("{site}/site-spaces/{}", added.id()), condition).await.ok();
    let url = format!("{BASE}/internal/install");
    let pro = signed(&world, &site, 600, json!({"plan": "pro"})).await;
    let nothing = visit(&world, &format!("{BASE}/internally"), json!({})).await.error(404);
    for visitor in [json!({}), json!({"unsignedClaims": {"plan": "pro"}}), json!({"jwtToken": "junk"})] {
        assert_eq!(visit(&world, &url, visitor).await.error(404), nothing);
    }
    assert_eq!(visit(&world, &format!("{BASE}/internal/Install"), json!({})).await.error(404), nothing, "no redirect");
    let found = visit(&world, &url, json!({"jwtToken": pro})).await.ok();
    assert_eq!(found["space"], json!(other));
    let unknown = visit(&world, &format!("{BASE}/install"), json!({})).await.ok();
    let free = visit(&world, &format!("{BASE}/install"), json!({"unsignedClaims": {"plan": "free"}})).await.ok();
    assert_eq!(unknown.get("contextId"), None);
    let address = format!("{BASE}/install?visitor.plan=free&visitor.other=1");
    let stated = visit(&world, &address, json!({})).await.ok();
    assert_eq!(stated["contextId"], free["contextId"], "the address states claims too");
    let both = visit(&world, &address, json!({"unsignedClaims": {"plan": "pro"}})).await.ok();
    assert_ne!(both["contextId"], free["contextId"], "the body wins");
    assert!(found["contextId"].is_string() && found["contextId"] != free["contextId"]);

    let titles = async |token: &Value| {
        let caller = world.with_token(token.text("apiToken"));
        let structure = caller.get(&format!("{site}/structure")).await.ok();
        let published = caller.get(&format!("{site}/published")).await.ok();
        assert_eq!(published["structure"], structure);
        caller.get(&format!("/spaces/{other}/content")).await.status.as_u16()
    };
    assert_eq!((titles(&unknown).await, titles(&free).await, titles(&found).await), (404, 404, 200));
}

#[acceptance::test]
async fn the_address_of_a_site_is_the_first_space_that_the_visitor_sees(world: World) {
    let (site, _) = docs(&world, "public").await;
    adaptive(&world, &site).await;
    let other = world.import(&Fixture::guide()).await;
    let added = world.ada.post(&format!("{site}/site-spaces"), json!({"spaceId": other.as_str()})).await.expect(201);
    let spaces = world.ada.get(&format!("{site}/site-spaces?default=true")).await.ok();
    let condition = json!({"condition": "visitor.claims.plan === 'pro'"});
    world.ada.patch(&format!("{site}/site-spaces/{}", spaces["items"][0].id()), condition).await.ok();
    let (start, own) = (format!("{BASE}/"), format!("{BASE}/{}", added.text("path")));
    let found = visit(&world, &start, json!({})).await.ok();
    assert_eq!((found["siteSpace"].as_str(), found["canonicalUrl"].as_str()), (Some(added.id()), Some(own.as_str())));
    assert_eq!(found["pathname"], "/");
    let title = async |url: &str| {
        let page = super::reader::text(world.browse(url).await, 200);
        page.split("<title>").nth(1).unwrap().split('<').next().unwrap().to_owned()
    };
    assert_eq!(title(&start).await, title(&own).await, "the pages are the same");
    visit(&world, &format!("{BASE}/install"), json!({})).await.error(404);
    let pro = signed(&world, &site, 600, json!({"plan": "pro"})).await;
    let found = visit(&world, &start, json!({"jwtToken": pro})).await.ok();
    assert_eq!(found["siteSpace"], spaces["items"][0]["id"]);
}

#[acceptance::test]
async fn a_page_that_a_condition_hides_is_not_there_either(world: World) {
    let (site, space) = docs(&world, "public").await;
    adaptive(&world, &site).await;
    let install = world.page(&space, "install").await;
    let request = propose(&world.ada, &space, "").await;
    let change = json!([{"operation": "update_page", "page": install, "condition": "visitor.claims.plan === 'pro'"}]);
    edit(&world.ada, &request, change).await.ok();
    merged(&world.ada, &request).await;
    let linux = world.page(&space, "install/linux").await;
    let pro = signed(&world, &site, 600, json!({"plan": "pro"})).await;
    let start = format!("{BASE}/");
    let (anyone, pro) =
        (visitor(&world, &start, json!({})).await, visitor(&world, &start, json!({"jwtToken": pro})).await);
    visit(&world, &format!("{BASE}/install/linux"), json!({})).await.error(404);
    let content = format!("/spaces/{space}/content");
    for path in [
        format!("{content}/page/{install}"),
        format!("{content}/page/{linux}"),
        format!("{content}/path/install/linux"),
        format!("{content}/page/{linux}/meta-links"),
    ] {
        pro.get(&path).await.ok();
        assert_eq!(anyone.get(&path).await.error(404), "page not found", "{path}");
        world.ada.get(&path).await.ok();
    }
    let options = world.page(&space, "reference/options").await;
    let request = propose(&world.ada, &space, "").await;
    let text = "# Options\n\n{% if visitor.claims.plan === 'pro' %}\nFor payers.\n{% endif %}\n\nFor all.\n";
    let change = json!([{"operation": "update_page", "page": options, "document": {"markdown": text}}]);
    edit(&world.ada, &request, change).await.ok();
    merged(&world.ada, &request).await;
    let revision = world.ada.get(&content).await.ok().id().to_owned();
    for path in [
        format!("{content}/page/{options}"),
        format!("{content}/page/{options}?format=markdown"),
        format!("/spaces/{space}/revisions/{revision}/page/{options}/document"),
    ] {
        for _ in 0..2 {
            let (all, fewer) = (pro.get(&path).await.ok().to_string(), anyone.get(&path).await.ok().to_string());
            assert!(all.contains("For payers") && all.contains("For all"), "{path}: {all}");
            assert!(!fewer.contains("For payers") && fewer.contains("For all"), "{path}: {fewer}");
            assert!(
                world.ada.get(&path).await.ok().to_string().contains("visitor.claims.plan"),
                "members see the condition"
            );
        }
    }
    for path in [content.clone(), format!("{content}/pages")] {
        let (all, fewer) = (pro.get(&path).await.ok(), anyone.get(&path).await.ok());
        let has = |list: &Value| list["pages"].to_string().contains(&linux);
        assert!(has(&all) && !has(&fewer), "{path}");
        assert!(has(&world.ada.get(&path).await.ok()));
    }
}

#[acceptance::test]
async fn agents_find_only_sites_that_include_them(world: World) {
    let (site, _) = docs(&world, "public").await;
    let url = format!("{BASE}/install");
    let found = visit(&world, &url, json!({"type": "agent"})).await.ok();
    assert_eq!(claims(found.text("apiToken"))["visitorType"], "agent");
    world.ada.patch(&site, json!({"agentsContext": "excluded"})).await.ok();
    visit(&world, &url, json!({"type": "agent"})).await.error(404);
    visit(&world, &url, json!({"type": "human"})).await.ok();
    world.with_token(found.text("apiToken")).get(&format!("{site}/structure")).await.error(401);
}

#[acceptance::test]
async fn an_address_names_the_object_for_those_who_may_read_it(world: World) {
    let (_, space) = docs(&world, "public").await;
    let collection = world.collection(json!({"title": "Guides"})).await;
    let request = propose(&world.ada, &space, "Change").await;
    let request = world.ada.get(&request).await.ok();
    let page = world.page(&space, "install/linux").await;
    let (rita, eve) = (world.member("rita", Some(Role::Read)).await, world.stranger("eve").await);
    let find = async |caller: &Caller, url: &str| caller.get(&format!("/urls/content?url={url}")).await;
    let app = |path: String| format!("https://docs.test/v1{path}");
    let found = find(&rita, &app(format!("/collections/{collection}"))).await.ok();
    assert_eq!(found, json!({"collection": rita.get(&format!("/collections/{collection}")).await.ok()}));
    let found = find(&rita, &app(format!("/spaces/{space}"))).await.ok();
    assert_eq!(found, json!({"space": rita.get(&format!("/spaces/{space}")).await.ok()}));
    for url in [app(format!("/spaces/{space}/content/page/{page}")), format!("{BASE}/Install/Linux")] {
        let found = find(&rita, &url).await.ok();
        assert_eq!((found["space"].id(), found["page"].id()), (space.as_str(), page.as_str()));
        assert_eq!(found["page"].get("document"), None);
    }
    let proposed = format!("/spaces/{space}/change-requests/{}", request.id());
    let found = find(&rita, &app(format!("{proposed}/content/page/{page}"))).await.ok();
    assert_eq!((found["changeRequest"].id(), found["page"].id()), (request.id(), page.as_str()));
    let gone = find(&rita, &app("/spaces/nowhere".to_owned())).await.error(404);
    for url in [
        app(format!("/spaces/{space}/content/page/nowhere")),
        app(format!("/spaces/{space}/change-requests/99")),
        app("/user".to_owned()),
        format!("{BASE}/nowhere"),
        "https://example.org/".to_owned(),
    ] {
        assert_eq!(find(&rita, &url).await.error(404), gone, "{url}");
    }
    for url in [app(format!("/spaces/{space}")), app(format!("/collections/{collection}")), format!("{BASE}/install")] {
        assert_eq!(find(&eve, &url).await.error(404), gone, "{url}");
    }
    assert_eq!(find(&rita, "docs").await.error(400), "url: must be an http or https address");
}

#[acceptance::test]
async fn the_host_name_of_an_organization_is_found_by_its_members(world: World) {
    assert_eq!(world.ada.get("/subdomains/acme").await.error(404), "subdomain not found");
    world.ada.patch(&world.org(""), json!({"hostname": "acme"})).await.ok();
    let found = world.ada.get("/subdomains/acme").await.ok();
    let target = json!({"type": "organization", "organization": world.organization});
    assert_eq!(found, json!({"object": "subdomain", "subdomain": "acme", "target": target, "isActive": true}));
    world.stranger("eve").await.get("/subdomains/acme").await.error(404);
    world.ada.patch(&world.org(""), json!({"hostname": null})).await.ok();
    world.ada.get("/subdomains/acme").await.error(404);
}
