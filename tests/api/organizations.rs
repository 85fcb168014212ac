use acceptance::{Fields, World};
use domain::access::Role;
use serde_json::{Value, json};

/// Every permission that the response for an organization must contain.
const PERMISSIONS: [&str; 13] = [
    "view",
    "access",
    "admin",
    "ownTeam",
    "createContent",
    "createOpenAPISpec",
    "ingestConversations",
    "viewBilling",
    "listMembers",
    "listTeams",
    "listIntegrations",
    "listInstallations",
    "installIntegration",
];

#[acceptance::test]
async fn an_organization_carries_all_that_clients_need(world: World) {
    let organization = world.ada.get(&world.org("")).await.ok();
    for field in
        ["id", "title", "createdAt", "emailDomains", "type", "inviteLinks", "plan", "mergeRules", "urls", "trial"]
    {
        assert!(!organization[field].is_null(), "{field} is missing: {organization}");
    }
    assert_eq!(organization["object"], "organization");
    assert_eq!(organization["title"], "Analytical Engines");
    for permission in PERMISSIONS {
        assert_eq!(organization["permissions"][permission], true, "{permission}");
    }
    assert!(organization["trial"]["status"].is_string() && organization["trial"]["count"].is_number());
    assert!(organization["urls"]["location"].is_string() && organization["urls"]["app"].is_string());
}

#[acceptance::test]
async fn the_creator_of_an_organization_administers_it(world: World) {
    let eve = world.stranger("eve").await;
    let answer = eve.post("/orgs", json!({"title": "Eve's", "emailDomains": ["EXAMPLE.org"]})).await;
    let location = answer.header("location").unwrap().to_owned();
    let made = answer.expect(201);
    assert_eq!(made["permissions"]["admin"], true);
    assert_eq!(made["emailDomains"], json!(["example.org"]));
    let path = location.strip_prefix("https://docs.test/v1").unwrap();
    assert_eq!(eve.get(path).await.ok(), made);
    world.ada.get(path).await.error(404);
    let own = eve.get("/orgs").await.ok();
    assert_eq!(own.list("items").len(), 1);
}

#[acceptance::test]
async fn an_organization_can_be_created_with_a_site_that_is_its_default_content(world: World) {
    let body = json!({"title": "Engines"});
    let made = world.ada.post("/orgs?withDefaultSite=true", body.clone()).await.expect(201);
    let organization = format!("/orgs/{}", made.id());
    let sites = world.ada.get(&format!("{organization}/sites")).await.ok();
    let titles: Vec<&str> = sites.list("items").iter().map(|site| site.text("title")).collect();
    assert_eq!(titles, ["Engines"]);
    assert_eq!(made["defaultContent"], json!({"type": "site", "site": sites["items"][0].id()}));
    assert_eq!(world.ada.get(&organization).await.ok(), made);
    let events = world.ada.get(&format!("{organization}/audit-events")).await.ok();
    assert!(events.list("items").iter().any(|event| event["action"] == "site_created"), "{events}");
    for query in ["", "?withDefaultSite=false"] {
        let made = world.ada.post(&format!("/orgs{query}"), body.clone()).await.expect(201);
        let sites = world.ada.get(&format!("/orgs/{}/sites", made.id())).await.ok();
        assert_eq!((&sites["items"], made.get("defaultContent")), (&json!([]), None), "{query}");
    }
}

#[acceptance::test]
#[case("?withDefaultSite=maybe", json!({}), "withDefaultSite: ")]
#[case("?openapiUrl=https://example.org/a.json", json!({}), "openapiUrl: is not supported")]
#[case("", json!({"onboardingPreferences": {"source": "paper"}}), "onboardingPreferences.source: ")]
#[case("", json!({"onboardingPreferences": {"interests": ["weather"]}}), "onboardingPreferences.interests[0]: ")]
#[case("", json!({"onboardingPreferences": null}), "onboardingPreferences: ")]
async fn no_organization_is_created_with_a_wrong_option(
    world: World,
    #[case] query: &str,
    #[case] fields: Value,
    #[case] error: &str,
) {
    let count = async || world.ada.get("/orgs").await.ok()["count"].clone();
    let before = count().await;
    let mut body = json!({"title": "Engines"});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let message = world.ada.post(&format!("/orgs{query}"), body).await.error(400);
    assert!(message.starts_with(error), "{message}");
    assert_eq!(count().await, before);
    let preferences = json!({"source": "markdown-in-git", "audience": null, "interests": ["api-docs"]});
    world.ada.post("/orgs", json!({"title": "Engines", "onboardingPreferences": preferences})).await.expect(201);
}

#[acceptance::test]
async fn settings_change_field_by_field(world: World) {
    let path = world.org("");
    let changed = world
        .ada
        .patch(&path, json!({"title": "Engines", "defaultRole": null, "hostname": "engines", "ai": true}))
        .await
        .ok();
    assert_eq!(changed["title"], "Engines");
    assert_eq!(changed["defaultRole"], json!(null));
    assert_eq!(changed["hostname"], "engines");
    assert_eq!(changed["ai"], true);
    let changed = world.ada.patch(&path, json!({"defaultRole": "edit"})).await.ok();
    assert_eq!(changed["defaultRole"], "edit");
    assert_eq!(changed["title"], "Engines", "absent fields stay unchanged");
    assert_eq!(world.ada.get(&path).await.ok(), changed);
}

#[acceptance::test]
#[case(json!({"title": "x"}), "title")]
#[case(json!({"title": "x".repeat(256)}), "title")]
#[case(json!({"title": 5}), "title")]
#[case(json!({"title": "a\u{0}b"}), "title")]
#[case(json!({"emailDomains": ["nope"]}), "emailDomains[0]")]
#[case(json!({"hostname": "-x-"}), "hostname")]
#[case(json!({"defaultRole": "king"}), "defaultRole")]
#[case(json!({"mergeRules": {"type": "inherit"}}), "mergeRules")]
#[case(json!({"title": " Acme"}), "title")]
#[case(json!({"hostname": "x".repeat(33)}), "hostname")]
#[case(json!({"defaultContent": {"kind": "space", "space": "nowhere"}}), "defaultContent")]
async fn a_bad_setting_is_named_and_nothing_changes(
    world: &World,
    #[case] body: serde_json::Value,
    #[case] field: &str,
) {
    let before = world.ada.get(&world.org("")).await.ok();
    let message = world.ada.patch(&world.org(""), body).await.error(400);
    assert!(message.contains(field), "{message}");
    assert_eq!(world.ada.get(&world.org("")).await.ok(), before);
}

#[acceptance::test]
#[case(2)]
#[case(255)]
async fn a_title_at_its_edges_is_fine(world: World, #[case] length: usize) {
    let changed = world.ada.patch(&world.org(""), json!({"title": "é".repeat(length)})).await.ok();
    assert_eq!(changed["title"], "é".repeat(length));
    world.ada.post("/orgs", json!({"title": "x".repeat(length)})).await.expect(201);
}

#[acceptance::test]
async fn a_host_name_belongs_to_one_organization(world: World) {
    world.ada.patch(&world.org(""), json!({"hostname": "acme"})).await.ok();
    let zoe = world.stranger("zoe").await;
    let other = zoe.post("/orgs", json!({"title": "Another"})).await.id();
    let path = format!("/orgs/{other}");
    let before = zoe.get(&path).await.ok();
    let message = zoe.patch(&path, json!({"hostname": "acme", "title": "Renamed"})).await.error(409);
    assert_eq!(message, "hostname: another organization of this server has this host name");
    assert_eq!(zoe.get(&path).await.ok(), before, "nothing is changed");
    world.ada.patch(&world.org(""), json!({"hostname": "acme", "title": "Acme"})).await.ok();
    world.ada.patch(&world.org(""), json!({"hostname": null})).await.ok();
    assert_eq!(zoe.patch(&path, json!({"hostname": "acme"})).await.ok()["hostname"], "acme");
    assert_eq!(zoe.get("/subdomains/acme").await.ok()["target"]["organization"], json!(other));
    world.ada.patch(&world.org(""), json!({"hostname": "acme"})).await.error(409);
}

#[acceptance::test]
async fn only_administrators_change_settings(world: World) {
    let creator = world.member("carl", Some(Role::Create)).await;
    let seen = creator.get(&world.org("")).await.ok();
    assert_eq!(seen["permissions"]["admin"], false);
    creator.patch(&world.org(""), json!({"title": "Mine now"})).await.error(403);
    let stranger = world.stranger("eve").await;
    stranger.patch(&world.org(""), json!({"title": "Mine now"})).await.error(404);
}

#[acceptance::test]
async fn a_list_is_read_page_by_page(world: World) {
    for n in 0..4 {
        world.ada.post("/orgs", json!({"title": format!("Org {n}")})).await.expect(201);
    }
    let mut titles = Vec::new();
    let mut path = "/orgs?limit=2".to_owned();
    loop {
        let list = world.ada.get(&path).await.ok();
        titles.extend(list.list("items").iter().map(|item| item.text("title").to_owned()));
        match list["next"]["page"].as_str() {
            Some(page) => path = format!("/orgs?limit=2&page={page}"),
            None => break,
        }
    }
    assert_eq!(titles, ["Analytical Engines", "Org 0", "Org 1", "Org 2", "Org 3"]);
}

#[acceptance::test]
async fn the_default_content_is_a_site_of_the_organization_until_it_is_deleted(world: World) {
    let site = world.ada.post(&world.org("/sites"), json!({"title": "Docs"})).await.id();
    let other = world.ada.post("/orgs", json!({"title": "Other"})).await.id();
    let foreign = world.ada.post(&format!("/orgs/{other}/sites"), json!({"title": "Foreign"})).await.id();
    let content = |site: &str| json!({"type": "site", "site": site});
    for wrong in [foreign.as_str(), "nowhere"] {
        let message = world.ada.patch(&world.org(""), json!({"defaultContent": content(wrong)})).await.error(400);
        assert!(message.starts_with("defaultContent.site"), "{message}");
    }
    let changed = world.ada.patch(&world.org(""), json!({"defaultContent": content(&site)})).await.ok();
    assert_eq!(changed["defaultContent"], content(&site));
    let changed = world.ada.patch(&world.org(""), json!({"ai": true})).await.ok();
    assert_eq!(changed["defaultContent"], content(&site), "absent fields stay unchanged");
    // Others may not see every site.
    for (name, role) in [("cora", Some(Role::Create)), ("gus", None)] {
        let member = world.member(name, role).await;
        assert_eq!(member.get(&world.org("")).await.ok().get("defaultContent"), None, "{name}");
    }
    world.ada.delete(&world.org(&format!("/sites/{site}"))).await;
    assert_eq!(world.ada.get(&world.org("")).await.ok().get("defaultContent"), None);
}
