//! `If-Match` on every change of a single object.
use super::access::instructions;
use super::conversations::Talks;
use super::sites::feedback;
use super::translations::translation_with_a_term;
use acceptance::{Answer, Caller, Fields, Fixture, World};
use actix_web::http::Method;
use domain::access::Role;
use serde_json::{Value, json};

const CHANGED: &str = "the resource changed since you read it: read it again, then repeat the change";

/// Ends of paths of changes that are not of a single object: of lists, of an order, and of a team that may not exist.
const SEVERAL: [&str; 5] = ["/teams", "/members", "/redirects", "/translations-glossary", "/structure/sort"];

/// An adaptive schema of these claims.
fn schema(claims: Value) -> Value {
    json!({"jsonSchema": {"type": "object", "properties": claims, "additionalProperties": false}})
}

/// A server with one of each object that can be updated or deleted on its own.
struct Place {
    world: World,
    document: Value,
    ids: Vec<(&'static str, String)>,
    /// A comment and a reply, on the space and on the change request.
    threads: Vec<(String, String)>,
}

impl Place {
    async fn build(world: World) -> Self {
        let ada = &world.ada;
        let reader = world.member("rita", Some(Role::Read)).await;
        let space = world.import(&Fixture::guide()).await.to_string();
        let collection = ada.post(&world.org("/collections"), json!({"title": "Guides"})).await.id();
        let site = ada.post(&world.org("/sites"), json!({"title": "Docs"})).await.id();
        let team = ada.put(&world.org("/teams"), json!({"title": "Writers", "members": [reader.id()]})).await;
        let team = team.id();
        let on_site = world.org(&format!("/sites/{site}"));
        for place in [format!("/spaces/{space}"), format!("/collections/{collection}"), on_site.clone()] {
            let grant = json!({"role": "read", "users": [reader.id()], "teams": [team]});
            ada.post(&format!("{place}/permissions"), grant).await.expect(204);
        }
        let proposals = format!("/spaces/{space}/change-requests");
        let request = ada.post(&proposals, json!({})).await.id();
        let ask = json!({"users": [reader.id()]});
        ada.post(&format!("{proposals}/{request}/requested-reviewers"), ask).await.ok();
        let text = json!({"body": {"markdown": "Why?"}});
        let mut threads = Vec::new();
        for place in [format!("/spaces/{space}"), format!("{proposals}/{request}")] {
            let comment = ada.post(&format!("{place}/comments"), text.clone()).await.ok().id().to_owned();
            let reply = ada.post(&format!("{place}/comments/{comment}/replies"), text.clone()).await.ok();
            threads.push((comment, reply.id().to_owned()));
        }
        let part = async |kind: &str, body: Value| ada.post(&format!("{on_site}/{kind}"), body).await.expect(201);
        let section = part("sections", json!({"spaceId": space})).await.id().to_owned();
        let another = part("sections", json!({"spaceId": world.space(json!({})).await.as_str()})).await;
        let group = part("section-groups", json!({"title": "Guides"})).await.id().to_owned();
        let link = json!({"title": "Status", "url": "https://example.org/"});
        let link = part("external-links", link).await.id().to_owned();
        let redirect = json!({"source": "/old", "destination": {"kind": "external", "url": "https://example.org/"}});
        let redirect = part("redirects", redirect).await.id().to_owned();
        let share_link = part("share-links", json!({"name": "Partners"})).await.id().to_owned();
        let rated = (another["siteSpaces"][0].id(), another["siteSpaces"][0]["space"].id());
        let feedback = feedback(&world, &on_site, rated, "page", "bad").await;
        ada.put(&format!("{on_site}/adaptive-schema"), schema(json!({}))).await.ok();
        let talks = Talks::ingest(&world).await;
        let invite = ada.post(&world.org("/link-invites"), json!({"role": "read"})).await.id();
        let webhook = ada.post(&world.org("/webhooks"), json!({"url": "https://127.0.0.1/"})).await.id();
        let body = json!({"slug": "pets", "source": {"url": "https://127.0.0.1/"}});
        let spec = ada.post(&world.org("/openapi"), body).await.expect(201).text("slug").to_owned();
        let (translation, _) = translation_with_a_term(&world, &space.parse().unwrap()).await;
        let token = ada.post("/user/tokens", json!({"label": "spare"})).await.id();
        let cora = world.member("cora", Some(Role::Comment)).await;
        ada.put(&format!("/spaces/{space}/notification-settings"), json!({"level": "all"})).await.ok();
        cora.post(&format!("/spaces/{space}/comments"), json!({"body": {"markdown": "Why?"}})).await.ok();
        let notification = ada.get("/user/notifications").await.ok()["items"][0].id().to_owned();
        let ids = vec![
            ("{notificationId}", notification),
            ("{organizationId}", world.organization.to_string()),
            ("{spaceId}", space),
            ("{collectionId}", collection),
            ("{teamId}", team),
            ("{userId}", reader.id().to_owned()),
            ("{changeRequestId}", request),
            ("{inviteId}", invite),
            ("{conversationId}", talks.conversation),
            ("{clusterId}", talks.cluster),
            ("{webhookId}", webhook),
            ("{translationId}", translation),
            ("{specSlug}", spec),
            ("{tokenId}", token),
            ("{siteId}", site),
            ("{siteSectionId}", section),
            ("{siteSectionGroupId}", group),
            // Of another section, since that one is deleted.
            ("{siteSpaceId}", another["siteSpaces"][0].id().to_owned()),
            ("{siteExternalLinkId}", link),
            ("{siteRedirectId}", redirect),
            ("{shareLinkId}", share_link),
            ("{feedbackId}", feedback),
        ];
        let document = serde_json::from_str(&api_actix::openapi_document("0")).unwrap();
        Self { world, document, ids, threads }
    }

    /// The operations that update or delete a single object, ordered so that each object is still there.
    fn operations(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (pattern, item) in self.document["paths"].as_object().unwrap() {
            let single = !SEVERAL.iter().any(|end| pattern.ends_with(end));
            for method in ["put", "patch", "delete"].into_iter().filter(|method| single && item.get(method).is_some()) {
                found.push((method.to_owned(), pattern.clone()));
            }
        }
        found.sort_by_key(|(method, pattern)| (method == "delete", usize::MAX - pattern.matches('/').count()));
        found
    }

    fn path(&self, pattern: &str) -> String {
        // Callers may update only their own account.
        let pattern = pattern.replace("/users/{userId}", &format!("/users/{}", self.about(pattern)));
        let (comment, reply) = &self.threads[usize::from(pattern.contains("/change-requests/"))];
        let pattern = pattern.replace("{commentId}", comment).replace("{commentReplyId}", reply);
        self.ids.iter().fold(pattern, |path, (name, id)| path.replace(name, id))
    }

    fn about(&self, pattern: &str) -> String {
        if pattern == "/v1/users/{userId}" { self.world.ada.id().to_owned() } else { self.id("{userId}") }
    }

    fn id(&self, name: &str) -> String {
        self.ids.iter().find(|(known, _)| *known == name).unwrap().1.clone()
    }

    /// The current tag of the object: that of its `GET`; if there is none, that of a change, or a word in the list.
    async fn tag(&self, pattern: &str) -> String {
        let (ada, path) = (&self.world.ada, self.path(pattern));
        if self.document["paths"][pattern].get("get").is_some() {
            let answer = ada.send_to(Method::GET, &path, |request| request).await;
            return answer.header("etag").unwrap().to_owned();
        }
        if self.document["paths"][pattern].get("patch").is_some() && !pattern.contains("/permissions/") {
            // A change of nothing shows it.
            return send(ada, "patch", &path, Some(json!({})), None).await.header("etag").unwrap().to_owned();
        }
        let (list, id) = path.rsplit_once('/').unwrap();
        let list = ada.send_to(Method::GET, list, |request| request).await.ok();
        let named = |item: &&Value| {
            let ids = [&item["user"]["id"], &item["team"]["id"], &item["organization"]["id"]];
            ids.iter().any(|found| **found == id)
        };
        let item = list.list("items").iter().find(named).unwrap_or_else(|| panic!("{list}"));
        let words = [&item["permission"], &item["revision"], &item["team"]["role"]];
        format!("\"{}\"", words.iter().find_map(|word| word.as_str()).unwrap())
    }

    async fn send(&self, method: &str, pattern: &str, tag: Option<&str>) -> Answer {
        send(&self.world.ada, method, &self.path(pattern), body(method, pattern), tag).await
    }
}

async fn send(caller: &Caller, method: &str, path: &str, body: Option<Value>, tag: Option<&str>) -> Answer {
    let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
    let with = |request: actix_web::test::TestRequest| {
        let request = tag.into_iter().fold(request, |request, tag| request.insert_header(("If-Match", tag)));
        body.into_iter().fold(request, |request, body| request.set_json(body))
    };
    caller.send_to(method, path, with).await
}

/// A body that changes the object.
fn body(method: &str, pattern: &str) -> Option<Value> {
    let role = |role: &str| Some(json!({"role": role}));
    match (method, pattern.rsplit('/').next().unwrap()) {
        ("delete", _) => None,
        (_, "notification-settings") => Some(json!({"level": "none", "email": false})),
        (_, "{notificationId}") => Some(json!({"read": true})),
        ("put", "{userId}") => role("owner"),
        (_, "{userId}") if pattern == "/v1/users/{userId}" => Some(json!({"displayName": "Another"})),
        (_, "{teamId}") if pattern.contains("/permissions/") => role("comment"),
        (_, "{userId}" | "{inviteId}") => role("comment"),
        (_, "{commentId}" | "{commentReplyId}") => Some(json!({"body": {"markdown": "Why not?"}})),
        (_, "{clusterId}") => Some(json!({"muted": true})),
        (_, "{translationId}" | "agent-instructions") => Some(json!({"instructions": instructions()})),
        (_, "{webhookId}") => Some(json!({"description": "Another"})),
        ("put", "{specSlug}") => Some(json!({"source": {"url": "https://127.0.0.1/b"}})),
        (_, "{specSlug}") => Some(json!({"visibility": "public"})),
        (_, "{siteSpaceId}") => Some(json!({"hidden": true})),
        (_, "{siteRedirectId}") => Some(json!({"draft": true})),
        (_, "{shareLinkId}") => Some(json!({"active": false})),
        (_, "auth") => Some(json!({"backend": "integration"})),
        (_, "adaptive-schema") => Some(schema(json!({"plan": {"type": "string", "description": "The plan"}}))),
        (_, "{changeRequestId}") => Some(json!({"subject": "Another"})),
        _ => Some(json!({"title": "Another"})),
    }
}

#[acceptance::test]
async fn every_change_of_a_single_object_looks_at_if_match(world: World) {
    let place = Box::pin(Place::build(world)).await;
    let operations = place.operations();
    assert!(operations.len() >= 50, "{operations:?}");
    for (method, pattern) in operations {
        let at = format!("{method} {pattern}");
        let operation = &place.document["paths"][&pattern][&method];
        let parameters = operation.list("parameters");
        let declared = parameters.iter().filter(|one| one["name"] == "If-Match" && one["in"] == "header").count();
        assert_eq!(declared, 1, "{at} declares the header");
        assert!(operation["responses"]["412"].is_object(), "{at} declares 412");

        let (tag, before) = (place.tag(&pattern).await, place.world.dump().await);
        for stale in
            ["\"stale\"".to_owned(), format!("W/{tag}"), tag.replace('"', ""), "W/\"stale\", \"old\"".to_owned()]
        {
            let refused = place.send(&method, &pattern, Some(&stale)).await;
            assert_eq!(refused.status.as_u16(), 412, "{at}: {stale}");
            let message = refused.error(412);
            assert!(
                message == CHANGED || message.starts_with("the change request is now at revision"),
                "{at}: {message}"
            );
        }
        assert!(place.world.dump().await == before, "{at} has no effect");

        if method == "delete" {
            let done = place.send(&method, &pattern, Some(&format!("\"stale\", {tag}"))).await;
            assert_eq!(done.status.as_u16(), 205, "{at}: {tag}");
            // A site always has a customization.
            let gone = if pattern.ends_with("/customization") { 204 } else { 412 };
            assert_eq!(place.send(&method, &pattern, Some("*")).await.status.as_u16(), gone, "{at}, once it is gone");
            assert_eq!(place.send(&method, &pattern, None).await.status.as_u16(), 204, "{at}, once more");
        } else {
            assert!(place.send(&method, &pattern, Some(&tag)).await.status.is_success(), "{at}: {tag}");
            place.send(&method, &pattern, Some(&tag)).await.error(412);
            assert!(place.send(&method, &pattern, Some("*")).await.status.is_success(), "{at}: any");
        }
    }
}

#[acceptance::test]
async fn a_precondition_on_an_absent_or_hidden_object_fails_alike(world: World) {
    let place = Box::pin(Place::build(world)).await;
    let gus = place.world.member("gus", None).await;
    let outsider =
        format!("/v1/orgs/{}/teams/{}/members/{}", place.id("{organizationId}"), place.id("{teamId}"), gus.id());
    let put = send(&place.world.ada, "put", &outsider, Some(json!({"role": "member"})), Some("*")).await;
    put.error(412);
    assert_eq!(
        send(&place.world.ada, "delete", &outsider, None, None).await.status.as_u16(),
        204,
        "the user was not added"
    );
    let eve = place.world.stranger("eve").await;
    for (hidden, absent) in [
        (format!("/v1/spaces/{}", place.id("{spaceId}")), "/v1/spaces/0193a1f0-7c5e-7000-8000-000000000000"),
        (
            format!("/v1/collections/{}", place.id("{collectionId}")),
            "/v1/collections/0193a1f0-7c5e-7000-8000-000000000000",
        ),
    ] {
        for (method, status) in [("patch", 404), ("delete", 412)] {
            let body = || (method == "patch").then(|| json!({"title": "Another"}));
            let one = send(&eve, method, &hidden, body(), Some("*")).await.error(status);
            let other = send(&eve, method, absent, body(), Some("*")).await.error(status);
            assert_eq!(one, other, "{method} {hidden}");
        }
    }
}
