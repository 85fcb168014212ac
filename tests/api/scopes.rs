//! Tokens limited to scopes: every operation of the table, against the OpenAPI document and the expected scopes below.
use super::access::{OPERATIONS, Place, expected, send};
use acceptance::{Caller, Fields, World};
use domain::access::Role;
use domain::id::UserId;
use domain::scope::{Scope, Wanted};
use serde_json::Value;
use std::collections::HashMap;

/// An id that was never issued.
const ABSENT: &str = "0193a1f0-7c5e-7000-8000-000000000000";

/// The scope that an operation is expected to need, by the area of its path.
fn contract(method: &str, path: &str) -> Wanted {
    let by_method = |read, write| Wanted::Scope(if method == "get" { read } else { write });
    let is_in = |areas: &[&str]| path.split('/').any(|segment| areas.contains(&segment));
    let path = path.strip_prefix("/v1").unwrap();
    if path == "/" {
        return Wanted::AnyToken;
    }
    if is_in(&[
        "tokens",
        "audit-events",
        "audit-event-actions",
        "agent-instructions",
        "join",
        "ping",
        "sso",
        "webhooks",
        "translations",
        "translations-glossary",
        "conversations",
        "conversations-issues",
        "conversations-clusters",
    ]) {
        return Wanted::AllScopes;
    }
    if is_in(&["email-domains"]) || (method, path) == ("patch", "/users/{userId}") {
        return Wanted::AllScopes;
    }
    if is_in(&["notifications", "notification-settings"]) {
        return Wanted::AllScopes;
    }
    if path.starts_with("/user") {
        return Wanted::Scope(Scope::UserRead);
    }
    if is_in(&["urls"]) {
        return Wanted::Scope(if path == "/urls/content" { Scope::SpaceRead } else { Scope::SiteRead });
    }
    if is_in(&["openapi"]) {
        return by_method(Scope::OpenapiRead, Scope::OpenapiWrite);
    }
    if is_in(&["sites"]) {
        return match path.rsplit('/').next() {
            Some("search") => Wanted::Scope(Scope::SiteSearch),
            Some("publish" | "unpublish") => Wanted::Scope(Scope::SitePublish),
            _ if is_in(&["permissions"]) => by_method(Scope::SitePermissionsRead, Scope::SitePermissionsWrite),
            _ if is_in(&["share-links", "publishing"]) => by_method(Scope::SiteAuthRead, Scope::SiteAuthWrite),
            _ => by_method(Scope::SiteRead, Scope::SiteWrite),
        };
    }
    if path == "/orgs/{organizationId}/search" {
        return Wanted::Scope(Scope::OrganizationSearch);
    }
    if is_in(&["computed"]) {
        // Previews store nothing.
        return Wanted::Scope(Scope::SpaceRead);
    }
    if path.ends_with("/merge") {
        return Wanted::Scope(Scope::ChangeRequestMerge);
    }
    if is_in(&["permissions"]) {
        return by_method(Scope::SpacePermissionsRead, Scope::SpacePermissionsWrite);
    }
    if path.ends_with("/invites/{inviteId}") {
        // The caller joins by the invite.
        return Wanted::AllScopes;
    }
    if is_in(&["invites", "link-invites"]) {
        // Reading an invite link needs the scope for writing, since a reader can pass it on.
        return Wanted::Scope(Scope::OrganizationMembersWrite);
    }
    if is_in(&["members", "teams"]) {
        return by_method(Scope::OrganizationMembersRead, Scope::OrganizationMembersWrite);
    }
    if is_in(&["spaces", "collections", "change-requests"]) {
        return by_method(Scope::SpaceRead, Scope::SpaceWrite);
    }
    by_method(Scope::OrganizationRead, Scope::OrganizationWrite)
}

/// The scope of an operation in the OpenAPI document.
fn documented(document: &Value, method: &str, path: &str) -> Wanted {
    let ways = document["paths"][path][method].list("security");
    assert!(ways.iter().any(|way| way["bearer"].as_array().is_some_and(Vec::is_empty)), "{method} {path}");
    match ways.iter().find_map(|way| way["scoped"].as_array()) {
        None => Wanted::AllScopes,
        Some(scopes) if scopes.is_empty() => Wanted::AnyToken,
        Some(scopes) => Wanted::Scope(scopes[0].as_str().unwrap().parse().unwrap()),
    }
}

#[test]
fn the_document_says_what_the_contract_says() {
    let document: Value = serde_json::from_str(&api_actix::openapi_document("0")).unwrap();
    for (method, path, ..) in OPERATIONS {
        assert_eq!(documented(&document, method, path), contract(method, path), "{method} {path}");
    }
}

/// Callers with limited tokens, each created on first use.
struct Limited<'w> {
    world: &'w World,
    made: HashMap<(UserId, Vec<&'static str>), Caller>,
}

impl Limited<'_> {
    async fn to(&mut self, user: &UserId, scopes: Vec<Scope>) -> Caller {
        let key = (user.clone(), scopes.iter().map(|scope| scope.as_str()).collect());
        if let Some(caller) = self.made.get(&key) {
            return caller.clone();
        }
        let caller = self.world.with_scopes(user, scopes).await;
        self.made.insert(key, caller.clone());
        caller
    }
}

/// The largest set of scopes that does not allow an operation.
fn lacking(wanted: Wanted) -> Option<Vec<Scope>> {
    match wanted {
        Wanted::AnyToken => None,
        Wanted::AllScopes => Some(Scope::ALL.to_vec()),
        Wanted::Scope(scope) => Some(Scope::ALL.iter().copied().filter(|other| *other != scope).collect()),
    }
}

/// The smallest set of scopes that allows an operation.
fn enough(wanted: Wanted) -> Option<Vec<Scope>> {
    match wanted {
        Wanted::AnyToken => Some(vec![Scope::SiteAsk]),
        Wanted::AllScopes => None,
        Wanted::Scope(scope) => Some(vec![scope]),
    }
}

fn with_absent_ids(pattern: &str) -> String {
    let parts = pattern.split('/').map(|part| if part.starts_with('{') { ABSENT } else { part });
    parts.collect::<Vec<_>>().join("/")
}

#[acceptance::test]
async fn without_the_scope_of_an_operation_a_token_gets_403_whatever_it_is_about(world: World) {
    let place = Place::build(world).await;
    let (ada, eve) = (place.world.ada.user.clone().unwrap(), place.world.stranger("eve").await.user.unwrap());
    let mut limited = Limited { world: &place.world, made: HashMap::new() };
    for (method, pattern, ..) in OPERATIONS {
        let wanted = contract(method, pattern);
        let Some(scopes) = lacking(wanted) else { continue };
        let (ada, eve) = (limited.to(&ada, scopes.clone()).await, limited.to(&eve, scopes).await);
        let visible = place.send(&ada, method, pattern).await.error(403);
        if let Wanted::Scope(scope) = wanted {
            assert!(visible.ends_with(&format!("lacks the scope {scope}")), "{method} {pattern}: {visible}");
        }
        let hidden = place.send(&eve, method, pattern).await.error(403);
        // Without the scope, not even the body is checked.
        let absent =
            send(&ada, method, &with_absent_ids(pattern), Some(serde_json::json!("junk")), "absent").await.error(403);
        assert_eq!((&hidden, &absent), (&visible, &visible), "{method} {pattern}");
    }
}

#[acceptance::test]
async fn with_the_scope_of_an_operation_a_token_opens_what_its_user_may(world: World) {
    let place = Place::build(world).await;
    let world = &place.world;
    let callers = [
        (world.member("anna", Some(Role::Admin)).await, Some(Some(Role::Admin))),
        (world.member("rita", Some(Role::Read)).await, Some(Some(Role::Read))),
        (world.member("gus", None).await, Some(None)),
        (world.stranger("eve").await, None),
    ];
    let mut limited = Limited { world, made: HashMap::new() };
    for (method, pattern, need, fine) in OPERATIONS {
        let Some(scopes) = enough(contract(method, pattern)) else { continue };
        for (caller, role) in &callers {
            let caller = limited.to(caller.user.as_ref().unwrap(), scopes.clone()).await;
            let status = place.send(&caller, method, pattern).await.status.as_u16();
            assert_eq!(status, expected(pattern, *need, *role, *fine), "{method} {pattern} as {role:?}");
        }
    }
}

#[acceptance::test]
async fn an_organization_with_a_site_also_needs_the_scope_for_sites(world: World) {
    let ada = world.ada.user.as_ref().unwrap();
    let one = world.with_scopes(ada, [Scope::OrganizationRead, Scope::OrganizationWrite]).await;
    let body = serde_json::json!({"title": "Engines"});
    let count = async || one.get("/orgs").await.ok()["count"].clone();
    let before = count().await;
    let refused = one.post("/orgs?withDefaultSite=true", body.clone()).await.error(403);
    assert_eq!(refused, "the token lacks the scope site:write");
    assert_eq!(count().await, before, "nothing is created");
    for query in ["", "?withDefaultSite=false"] {
        one.post(&format!("/orgs{query}"), body.clone()).await.expect(201);
    }
    let both = world.with_scopes(ada, [Scope::OrganizationWrite, Scope::SiteWrite]).await;
    let made = both.post("/orgs?withDefaultSite=true", body.clone()).await.expect(201);
    assert_eq!(made["defaultContent"]["type"], "site");
    let sites = world.with_scopes(ada, [Scope::SiteWrite]).await;
    let refused = sites.post("/orgs?withDefaultSite=true", body).await.error(403);
    assert_eq!(refused, "the token lacks the scope organization:write");
}

#[acceptance::test]
async fn a_limited_token_gets_no_answer_that_another_one_was_given(world: World) {
    let ada = world.ada.user.as_ref().unwrap();
    let limited = world.with_scopes(ada, [Scope::SpaceRead]).await;
    for _ in 0..2 {
        world.ada.get("/user").await.ok();
        assert_eq!(limited.get("/user").await.error(403), "the token lacks the scope user:read");
    }
}
