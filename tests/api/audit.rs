use super::access::{Need, OPERATIONS, Place, expected, send};
use acceptance::{Caller, Fields, Fixture, World};
use actix_web::http::Method;
use chrono::TimeDelta;
use domain::access::Role;
use domain::actor::{Actor, Source};
use domain::event::{Change, Event};
use domain::id::{OrganizationId, UserId};
use domain::paging::{Order, PageRequest};
use domain::ports::store::events::EventFilter;
use domain::usecases::Error;
use serde_json::{Value, json};

async fn events(world: &World, query: &str) -> Vec<Value> {
    let list = world.ada.get(&world.org(&format!("/audit-events{query}"))).await.ok();
    list.list("items").to_vec()
}

fn actions(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event.text("action")).collect()
}

#[acceptance::test]
async fn an_event_has_actor_action_time_and_client(world: World) {
    let before = world.services.clock.now();
    let with = |request: actix_web::test::TestRequest| {
        let request = request.insert_header(("User-Agent", "tests/1.0")).insert_header(("X-Request-Id", "request-7"));
        request.set_json(json!({ "title": "Difference Engines", "defaultRole": null }))
    };
    world.ada.send(Method::PATCH, &world.org(""), with).await.ok();
    let event = events(&world, "").await.remove(0);
    assert_eq!((&event["object"], &event["schemaVersion"]), (&json!("audit-event"), &json!(1)));
    assert_eq!((&event["action"], &event["source"]), (&json!("organization_updated"), &json!("api")));
    assert_eq!(event["target"], json!({ "type": "organization", "id": world.organization }));
    assert_eq!((&event["actor"]["type"], &event["actor"]["email"]), (&json!("user"), &json!("ada@example.org")));
    assert_eq!(event["actor"]["id"], world.ada.user.as_ref().unwrap().as_str());
    let token = world.ada.get("/user/tokens").await.ok()["items"][0]["id"].clone();
    assert_eq!(event["actor"]["token"], token);
    assert_eq!(event["client"], json!({ "address": "127.0.0.1", "userAgent": "tests/1.0" }));
    assert_eq!(event["correlationId"], "request-7");
    let at: chrono::DateTime<chrono::Utc> = event.text("occurredAt").parse().unwrap();
    assert!(before <= at && at <= world.services.clock.now());
    let changes = json!({
        "title": { "before": "Analytical Engines", "after": "Difference Engines" },
        "defaultRole": { "before": "read", "after": null },
    });
    assert_eq!(event["payload"], json!({ "organization": world.organization, "changes": changes }));
    let path = event["urls"].text("location").strip_prefix("https://docs.test/v1").unwrap().to_owned();
    assert_eq!(world.ada.get(&path).await.ok(), event);
}

#[acceptance::test]
async fn actions_of_the_operator_and_of_the_server_are_distinguished(world: World) {
    world.import(&Fixture::guide()).await;
    world.member("rita", Some(Role::Read)).await;
    let events = events(&world, "").await;
    let told: Vec<(&Value, &Value, &Value)> =
        events.iter().map(|event| (&event["action"], &event["source"], &event["actor"]["type"])).collect();
    let (operator, server) = ((json!("cli"), json!("operator")), (json!("server"), json!("server")));
    let expected = [
        (json!("member_added"), &operator),
        (json!("space_created"), &operator),
        (json!("member_added"), &server),
        (json!("organization_created"), &server),
    ];
    let expected: Vec<_> = expected.iter().map(|(action, (source, actor))| (action, source, actor)).collect();
    assert_eq!(told, expected);
    assert_eq!(events[0]["payload"]["role"], "read");
    assert!(events.iter().all(|event| event.get("client").is_none() && event.get("correlationId").is_none()));
}

#[acceptance::test]
async fn events_are_filtered_by_what_is_asked(world: World) {
    let cora = world.member("cora", Some(Role::Create)).await;
    let space = cora.post(&world.org("/spaces"), json!({})).await.id();
    world.ada.patch(&format!("/spaces/{space}"), json!({ "title": "One" })).await.ok();
    cora.patch(&format!("/spaces/{space}"), json!({ "title": "Two" })).await.ok();
    let all = events(&world, "").await;
    assert_eq!(
        actions(&all),
        ["space_updated", "space_updated", "space_created", "member_added", "member_added", "organization_created"]
    );
    let cora = cora.user.as_ref().unwrap();
    assert_eq!(actions(&events(&world, &format!("?actor={cora}")).await), ["space_updated", "space_created"]);
    assert_eq!(events(&world, &format!("?target={space}")).await.len(), 3);
    assert_eq!(events(&world, "?action=space_updated").await, all[..2]);
    let both = format!("?action=space_updated&actor={cora}&target={space}");
    assert_eq!(events(&world, &both).await, all[..1]);
    let at = |index: usize| all[index].text("occurredAt");
    assert_eq!(events(&world, &format!("?from={}&to={}", at(2), at(1))).await, all[1..3], "both ends are in it");
    assert!(events(&world, "?actor=nobody").await.is_empty());
    for (query, field) in [("action=x", "action:"), ("from=x", "from:"), ("to=x", "to:"), ("actor=%20", "actor:")] {
        let message = world.ada.get(&world.org(&format!("/audit-events?{query}"))).await.error(400);
        assert!(message.starts_with(field), "{message}");
    }
}

#[acceptance::test]
async fn events_are_read_a_page_at_a_time_newest_first(world: World) {
    let mut tx = world.services.store.write().await.unwrap();
    let now = world.services.clock.now();
    for number in 0..7 {
        // Two events at each time; the id orders them.
        let event = Event {
            id: format!("event-{number}").parse().unwrap(),
            organization: Some(world.organization.clone()),
            actor: None,
            token: None,
            source: Source::Cli,
            client: None,
            at: now + TimeDelta::seconds(number / 2),
            change: Change::SpaceCreated { space: format!("space-{number}").parse().unwrap() },
        };
        tx.events().record(&event).await.unwrap();
    }
    tx.commit().await.unwrap();
    let (mut seen, mut page) = (Vec::new(), String::new());
    loop {
        let list = world.ada.get(&world.org(&format!("/audit-events?action=space_created&limit=3{page}"))).await.ok();
        seen.extend(list.list("items").iter().map(|event| event.id().to_owned()));
        let Some(next) = list["next"]["page"].as_str() else { break };
        page = format!("&page={next}");
    }
    assert_eq!(seen, (0..7).rev().map(|number| format!("event-{number}")).collect::<Vec<_>>());
    for limit in ["-1", "1001"] {
        world.ada.get(&world.org(&format!("/audit-events?limit={limit}"))).await.error(400);
    }
    world.ada.get(&world.org("/audit-events?limit=1000")).await.ok();
}

#[acceptance::test]
async fn an_event_of_another_organization_is_not_found(world: World) {
    let elsewhere = world.ada.post("/orgs", json!({ "title": "Elsewhere" })).await.id();
    let theirs = world.ada.get(&format!("/orgs/{elsewhere}/audit-events")).await.ok();
    assert_eq!(theirs["count"], 2);
    let id = theirs["items"][0].id();
    world.ada.get(&format!("/orgs/{elsewhere}/audit-events/{id}")).await.ok();
    let hidden = world.ada.get(&world.org(&format!("/audit-events/{id}"))).await.error(404);
    assert_eq!(world.ada.get(&world.org("/audit-events/nothing")).await.error(404), hidden);
}

#[acceptance::test]
async fn every_kind_of_event_has_a_name_and_a_label(world: World) {
    let list = world.ada.get(&world.org("/audit-event-actions")).await.ok();
    let items = list.list("items");
    assert_eq!(items.len(), Change::ACTIONS.len());
    assert!(
        items.contains(&json!({ "object": "audit-event-action", "id": "space_created", "label": "Space created" }))
    );
    for event in events(&world, "").await {
        assert!(items.iter().any(|item| item["id"] == event["action"]), "{event}");
    }
}

#[acceptance::test]
async fn a_change_of_a_role_is_recorded_with_the_earlier_role(world: World) {
    let rita = world.member("rita", Some(Role::Read)).await.user.unwrap();
    let space = world.space(json!({})).await;
    let path = format!("/spaces/{space}/permissions");
    world.ada.post(&path, json!({ "role": "comment", "users": [rita] })).await.expect(204);
    world.ada.patch(&format!("{path}/users/{rita}"), json!({ "role": "edit" })).await.expect(204);
    world.ada.send(Method::DELETE, &format!("{path}/users/{rita}"), |request| request).await;
    let told = events(&world, &format!("?target={space}")).await;
    assert_eq!(actions(&told), ["access_withdrawn", "access_granted", "access_granted", "space_created"]);
    assert_eq!(told[0]["payload"]["role"], "edit");
    assert_eq!(told[1]["payload"]["changes"]["role"], json!({ "before": "comment", "after": "edit" }));
    assert_eq!((&told[2]["payload"]["role"], told[2]["payload"].get("changes")), (&json!("comment"), None));
    assert!(told[..3].iter().all(|event| event["payload"]["user"] == rita.as_str()));
}

#[acceptance::test]
async fn a_grant_of_the_same_role_leaves_no_event(world: World) {
    let (rita, bob) = (world.member("rita", Some(Role::Read)).await, world.member("bob", Some(Role::Read)).await);
    let space = world.space(json!({})).await;
    let path = format!("/spaces/{space}/permissions");
    let grant =
        |users: &[&Caller]| json!({ "role": "edit", "users": users.iter().map(|user| user.id()).collect::<Vec<_>>() });
    world.ada.post(&path, grant(&[&rita])).await.expect(204);
    world.ada.post(&path, grant(&[&rita, &bob])).await.expect(204);
    world.ada.patch(&format!("{path}/users/{}", rita.id()), json!({ "role": "edit" })).await.expect(204);
    let told = events(&world, &format!("?target={space}")).await;
    assert_eq!(actions(&told), ["access_granted", "access_granted", "space_created"]);
    assert_eq!((&told[0]["payload"]["user"], &told[1]["payload"]["user"]), (&json!(bob.id()), &json!(rita.id())));
}

#[acceptance::test]
async fn the_event_of_a_team_names_only_users_whose_membership_changed(world: World) {
    let (rita, bob) = (world.member("rita", Some(Role::Read)).await, world.member("bob", Some(Role::Read)).await);
    let team = world.team(json!({ "title": "Writers", "members": [rita.id()] })).await;
    let path = world.org(&format!("/teams/{team}/members"));
    let roles = json!({ "memberships": { rita.id(): { "role": "owner" } } });
    world.ada.put(&path, roles.clone()).await.expect(204);
    let made = events(&world, "?action=team_members_updated").await;
    assert_eq!(
        (&made[0]["payload"]["members"], &made[0]["payload"]["owners"]),
        (&json!([rita.id()]), &json!([rita.id()]))
    );
    for idle in [
        roles,
        json!({ "add": [rita.id()] }),
        json!({ "remove": [bob.id()] }),
        json!({ "add": [bob.id()], "remove": [bob.id()] }),
        json!({}),
    ] {
        world.ada.put(&path, idle).await.expect(204);
    }
    for role in [json!({}), json!({ "role": "owner" })] {
        world.ada.put(&format!("{path}/{}", rita.id()), role).await.expect(204);
    }
    assert_eq!(events(&world, "?action=team_members_updated").await, made, "nothing was changed");
    world.ada.put(&path, json!({ "add": [rita.id(), bob.id()], "remove": [world.ada.id()] })).await.expect(204);
    let told = &events(&world, "?action=team_members_updated").await[0]["payload"];
    assert_eq!((&told["members"], &told["removed"], told.get("owners")), (&json!([bob.id()]), &json!([]), None));
}

#[acceptance::test]
async fn changes_of_members_teams_and_invites_are_recorded_with_the_earlier_state(world: World) {
    let rita = world.member("rita", Some(Role::Read)).await.user.unwrap();
    let member = world.org(&format!("/members/{rita}"));
    world.ada.patch(&member, json!({ "role": "review" })).await.ok();
    let told = events(&world, "?action=member_updated").await;
    assert_eq!(told[0]["payload"]["changes"], json!({ "role": { "before": "read", "after": "review" } }));

    let team = world.team(json!({ "title": "Writers" })).await;
    let team = world.org(&format!("/teams/{team}"));
    world.ada.patch(&team, json!({ "title": "Authors" })).await.ok();
    world.ada.put(&format!("{team}/members/{rita}"), json!({ "role": "owner" })).await.expect(204);
    let told = events(&world, "").await;
    assert_eq!(actions(&told[..2]), ["team_members_updated", "team_updated"]);
    assert_eq!(told[0]["payload"]["owners"], json!([rita]));
    assert_eq!(told[1]["payload"]["changes"], json!({ "title": { "before": "Writers", "after": "Authors" } }));

    world.ada.send(Method::DELETE, &member, |request| request).await;
    assert_eq!(events(&world, "?action=member_removed").await[0]["payload"]["role"], "review");

    let invite = world.ada.post(&world.org("/link-invites"), json!({ "role": "read" })).await.expect(201);
    let code = invite.id();
    world.ada.patch(&world.org(&format!("/link-invites/{code}")), json!({ "role": null })).await.ok();
    let told = events(&world, "").await;
    assert_eq!(actions(&told[..2]), ["invite_updated", "invite_created"]);
    assert_eq!(told[0]["payload"]["changes"], json!({ "role": { "before": "read", "after": null } }));
    assert_eq!(told[1]["payload"]["role"], "read");
    assert!(!told.iter().any(|event| event.to_string().contains(code)), "the log must not contain an invite's id");

    let space = world.ada.post(&world.org("/spaces"), json!({})).await.expect(201);
    world.ada.post(&world.org("/link-invites"), json!({ "space": space["id"], "level": "edit" })).await.expect(201);
    let told = &events(&world, "?action=invite_created").await[0]["payload"];
    assert_eq!((&told["space"], &told["role"]), (&space["id"], &json!("edit")));

    world.ada.post(&world.org("/invites"), json!({ "emails": ["new@example.org"] })).await.ok();
    let told = events(&world, "").await;
    assert_eq!(told[0]["action"], "member_added");
    assert!(!actions(&told).contains(&"user_created"), "the log does not reveal which addresses had an account");
}

/// The operator's events, beyond those of organizations.
async fn accounts_events(world: &World) -> Vec<Event> {
    let all = world.services.audit.everything(&Actor::Operator, &EventFilter::default(), &PageRequest::default()).await;
    all.unwrap().items.into_iter().map(|shown| shown.event).filter(|event| event.organization.is_none()).collect()
}

#[acceptance::test]
async fn only_the_operator_sees_events_of_accounts(world: World) {
    let ada = world.ada.user.clone().unwrap();
    let made = world.ada.post("/user/tokens", json!({ "label": "x", "scopes": ["site:ask"] })).await.id();
    let path = format!("/user/tokens/{made}");
    world.ada.send(Method::DELETE, &path, |request| request).await;
    world.ada.patch(&format!("/users/{ada}"), json!({ "displayName": "Ada" })).await.ok();
    let told = accounts_events(&world).await;
    let kinds: Vec<&str> = told.iter().map(|event| event.change.action()).collect();
    assert_eq!(kinds, ["user_created", "token_created", "token_created", "token_revoked", "user_updated"]);
    assert!(told[2..].iter().all(|event| event.actor.as_ref() == Some(&ada) && event.source == Source::Api));
    assert_eq!(told[2].change.payload()["scopes"], json!(["site:ask"]));
    assert_eq!(
        told[4].change.payload()["changes"]["displayName"],
        json!({ "before": "Administrator", "after": "Ada" })
    );
    let in_organization = events(&world, "").await;
    assert_eq!(actions(&in_organization), ["member_added", "organization_created"]);
    let somebody = Actor::of(ada, "t".parse().unwrap());
    let refused = world.services.audit.everything(&somebody, &EventFilter::default(), &PageRequest::default()).await;
    assert!(matches!(refused, Err(Error::Forbidden(_))));
}

/// The number of events of an organization.
async fn count(world: &World, organization: &OrganizationId) -> usize {
    let filter = EventFilter { organization: Some(organization.clone()), ..EventFilter::default() };
    let page = PageRequest { limit: 1000, ..PageRequest::default() };
    world.services.audit.everything(&Actor::Operator, &filter, &page).await.unwrap().items.len()
}

#[acceptance::test]
async fn what_was_invalid_or_only_read_leaves_no_event(world: World) {
    let before = count(&world, &world.organization).await;
    world.ada.patch(&world.org(""), json!({ "title": "x" })).await.error(400);
    world.ada.get(&world.org("")).await.ok();
    world.ada.get(&world.org("/audit-events")).await.ok();
    assert_eq!(count(&world, &world.organization).await, before);
}

#[acceptance::test]
async fn denied_requests_are_recorded(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let rita = world.member("rita", Some(Role::Read)).await;
    let collection = world.ada.post(&world.org("/collections"), json!({})).await.expect(201)["id"].clone();
    let before = count(&world, &world.organization).await;
    let with = |request: actix_web::test::TestRequest| {
        let request = request.insert_header(("X-Request-Id", "request-8")).insert_header(("Idempotency-Key", "once"));
        request.set_json(json!({ "title": "Mine" }))
    };
    let reason = rita.send(Method::POST, &world.org("/spaces"), with).await.error(403);
    assert_eq!(
        rita.send(Method::POST, &world.org("/spaces"), with).await.error(403),
        reason,
        "a retry is refused the same way"
    );
    let encoded = format!("/spaces/%{:02X}{}", space.as_str().as_bytes()[0], &space.as_str()[1..]);
    rita.send(Method::DELETE, &encoded, |request| request).await.error(403);
    let path = format!("/collections/{}", collection.as_str().unwrap());
    rita.patch(&path, json!({ "title": "Mine" })).await.error(403);
    rita.get(&world.org("/audit-events")).await.error(403);
    // A denied request on a hidden object leaves no event: it looks the same as one on a missing object.
    world.stranger("eve").await.patch(&path, json!({ "title": "Mine" })).await.error(404);

    let told = events(&world, "?action=access_denied").await;
    assert_eq!((told.len(), count(&world, &world.organization).await), (5, before + 5));
    let operations: Vec<&Value> = told.iter().map(|event| &event["payload"]["operation"]).collect();
    let expected =
        ["listOrganizationAuditEvents", "updateCollectionById", "deleteSpaceById", "createSpace", "createSpace"];
    assert_eq!(operations, expected);
    assert_eq!(told[1]["target"], json!({ "type": "collection", "id": collection }));
    assert_eq!(told[2]["target"], json!({ "type": "space", "id": space }));
    let event = &told[4];
    assert_eq!(event["target"], json!({ "type": "organization", "id": world.organization }));
    assert_eq!((&event["actor"]["id"], &event["correlationId"]), (&json!(rita.id()), &json!("request-8")));
    assert_eq!((&event["payload"]["reason"], &event["source"]), (&json!(reason), &json!("api")));
    assert!(event["client"]["address"].is_string() && event["actor"]["token"].is_string());
}

#[acceptance::test]
async fn a_denied_use_of_a_token_is_recorded(world: World) {
    let (rita, eve) = (world.member("rita", Some(Role::Read)).await, world.stranger("eve").await);
    for caller in [&rita, &eve] {
        let limited = caller.post("/user/tokens", json!({ "label": "x", "scopes": ["space:read"] })).await.expect(201);
        let limited = world.with_token(limited.text("token"));
        limited.patch(&world.org(""), json!({ "title": "Mine" })).await.error(403);
    }
    let told = events(&world, "?action=access_denied").await;
    assert_eq!(told.len(), 1, "a caller cannot write to the log of a hidden organization");
    assert_eq!(told[0]["actor"]["id"], rita.id());
    assert!(told[0]["payload"].text("reason").contains("organization:write"), "{}", told[0]);
    let to_operator = accounts_events(&world).await;
    let denied: Vec<&Event> = to_operator.iter().filter(|event| event.change.action() == "access_denied").collect();
    assert_eq!(denied.len(), 1);
    assert_eq!((denied[0].change.target().kind, denied[0].change.target().id), ("user", eve.id()));
}

#[acceptance::test]
async fn every_change_that_is_denied_leaves_an_event(world: World) {
    let place = Place::build(world).await;
    let rita = place.world.member("rita", Some(Role::Read)).await;
    let mut denied = 0;
    for (method, pattern, need, fine) in OPERATIONS {
        if *method == "get" || expected(pattern, *need, Some(Some(Role::Read)), *fine) != 403 {
            continue;
        }
        let id = request_id(method, pattern);
        assert_eq!(place.send_as(&rita, method, pattern, &id).await.status, 403, "{method} {pattern}");
        let event = latest(&place.world, rita.user.as_ref(), &id).await;
        let event = event.unwrap_or_else(|| panic!("{method} {pattern} leaves no event"));
        // Accounts belong to no organization.
        let home = (!pattern.starts_with("/v1/user")).then_some(&place.world.organization);
        assert_eq!((event.change.action(), event.organization.as_ref()), ("access_denied", home), "{method} {pattern}");
        denied += 1;
    }
    assert!(denied > 40, "{denied}");
}

/// A request id for an operation.
fn request_id(method: &str, pattern: &str) -> String {
    let id = format!("{method}-{}", pattern.replace(|char: char| !char.is_ascii_alphanumeric(), "-"));
    id[id.len().saturating_sub(64)..].to_owned()
}

/// The event of a request, among the newest events of a user.
async fn latest(world: &World, user: Option<&UserId>, request: &str) -> Option<Event> {
    let filter = EventFilter { actor: user.cloned(), ..EventFilter::default() };
    let page = PageRequest { order: Order::Desc, ..PageRequest::default() };
    let events = world.services.audit.everything(&Actor::Operator, &filter, &page).await.unwrap().items;
    let of_request = |event: &Event| event.client.as_ref().is_some_and(|client| client.request == request);
    events.into_iter().map(|shown| shown.event).find(of_request)
}

/// Operations that succeed but change nothing with the body in the table.
const IDLE: &[(&str, &str)] = &[
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/update"),
    // There is a conflict, so nothing is merged.
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge"),
    ("patch", "/v1/spaces/{spaceId}/permissions/users/{userId}"),
    ("patch", "/v1/collections/{collectionId}/permissions/users/{userId}"),
    // What a user has read is no change of the organization.
    ("post", "/v1/user/notifications/read"),
    ("patch", "/v1/user/notifications/{notificationId}"),
    // The caller is already a member.
    ("post", "/v1/orgs/{organizationId}/join"),
    // The user already belongs to the team.
    ("put", "/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}"),
    // The section is the default already.
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}"),
    // The only space of its section is at the end of it.
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move"),
    // The site is not published.
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/unpublish"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/search"),
    ("post", "/v1/urls/published"),
    // Previews store nothing.
    ("post", "/v1/spaces/{spaceId}/content/computed/document"),
    ("post", "/v1/spaces/{spaceId}/content/computed/revision"),
    // A ping changes no setting.
    ("post", "/v1/orgs/{organizationId}/webhooks/{webhookId}/ping"),
    // A ping is stored without an event.
    ("post", "/v1/orgs/{organizationId}/ping"),
];

#[acceptance::test]
async fn every_operation_that_changes_something_leaves_an_event(world: World) {
    let place = Place::build(world).await;
    let ada = &place.world.ada;
    for (method, pattern, need, fine) in OPERATIONS {
        // An object that does not exist is not deleted.
        let fails = *fine >= 400 || (*method, *fine) == ("delete", 204) || *need == Need::Owner;
        if *method == "get" || fails || IDLE.contains(&(method, pattern)) {
            continue;
        }
        let id = request_id(method, pattern);
        let status = place.send_as(ada, method, pattern, &id).await.status;
        assert!(status.is_success(), "{method} {pattern}: {status}");
        let event = latest(&place.world, ada.user.as_ref(), &id).await;
        let event = event.unwrap_or_else(|| panic!("{method} {pattern} leaves no event"));
        assert!(event.source == Source::Api && event.token.is_some(), "{event:?}");
    }
}

/// Changes that change something each time.
const REPEATABLE: &[(&str, &str)] = &[
    // Creates a team, and adds an entry.
    ("put", "/v1/orgs/{organizationId}/teams"),
    ("put", "/v1/orgs/{organizationId}/translations-glossary"),
    // The source is read again.
    ("put", "/v1/orgs/{organizationId}/openapi/{specSlug}"),
];

#[acceptance::test]
async fn a_change_that_is_sent_again_leaves_no_event(world: World) {
    let place = Place::build(world).await;
    let ada = &place.world.ada;
    for (method, pattern, need, fine) in OPERATIONS {
        if (*method, pattern.ends_with("/permissions")) == ("post", true) {
            // The grant that is changed next.
            place.send_as(ada, method, pattern, &request_id(method, pattern)).await;
        }
        let changes = ["put", "patch"].contains(method) && *fine < 400 && *need != Need::Owner;
        if !changes || REPEATABLE.contains(&(method, pattern)) {
            continue;
        }
        let (path, body) = place.prepare(ada, method, pattern).await;
        let id = request_id(method, pattern);
        for id in ["first", id.as_str()] {
            let status = send(ada, method, &path, body.clone(), id).await.status;
            assert!(status.is_success(), "{method} {pattern}: {status}");
        }
        let event = latest(&place.world, ada.user.as_ref(), &id).await;
        assert!(event.is_none(), "{method} {pattern}: {event:?}");
    }
}
