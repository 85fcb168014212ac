//! The access matrix: every operation of the API, as every kind of caller. An operation that is missing here fails.
use super::conversations::Talks;
use super::openapi_specs::processed_spec;
use super::translations::translation_with_a_term;
use super::webhooks::webhook_with_a_delivery;
mod operations;
mod site;

pub(crate) use operations::{Need, OPERATIONS, body, instructions};

use acceptance::{Answer, Caller, Fields, Fixture, World};
use actix_web::http::Method;
use domain::access::{Level, Membership, Role};
use domain::actor::Actor;
use domain::content::merge::{Conflict, Subject, Value as MergeValue};
use domain::content::page::Variable;
use domain::id::{SpaceId, UserId};
use domain::ports::store::change_requests::OpenConflict;
use domain::token::NewToken;
use serde_json::{Value, json};
use site::Site;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The expected status for a caller with this role.
pub(crate) fn expected(pattern: &str, need: Need, role: Option<Option<Role>>, fine: u16) -> u16 {
    let at_least = |floor: Role| role.flatten().is_some_and(|role| Level::from(role) >= Level::from(floor));
    let in_site = pattern.contains("/sites/");
    let (sees, may) = match need {
        Need::Token => (true, true),
        Need::Guest => (role.is_some(), role.is_some()),
        Need::Read => (at_least(Role::Read), at_least(Role::Read)),
        Need::Comment => (at_least(Role::Read), at_least(Role::Comment)),
        Need::Edit => (at_least(Role::Read), at_least(Role::Edit)),
        Need::Review => (at_least(Role::Read), at_least(Role::Review)),
        // Readers see the space, guests see the organization; the path determines which applies.
        Need::Create => (at_least(Role::Read), at_least(Role::Create)),
        Need::Admin if in_site => (at_least(Role::Read), at_least(Role::Admin)),
        Need::Admin => (role.is_some(), at_least(Role::Admin)),
        Need::Owner => (at_least(Role::Read), false),
        Need::Belong => return if role.is_some() { fine } else { 400 },
    };
    match (sees, may) {
        // A guest does not see the site.
        (false, _) if in_site && pattern.contains("/permissions") => 404,
        (false, _) if in_site => {
            if fine == 205 {
                204
            } else {
                404
            }
        }
        // A guest sees the organization, so a refusal there is 403.
        (false, _) if pattern.starts_with("/v1/orgs/") && role == Some(None) => 403,
        // A `DELETE` of a hidden object returns 204, as for one that does not exist (docs/api.md, Deletion).
        (false, _) if fine == 205 && (pattern.ends_with("/{spaceId}") || pattern.ends_with("/{collectionId}")) => 204,
        (false, _) => 404,
        (true, false) => 403,
        (true, true) => fine,
    }
}

/// A change request with a review, a conflict and a thread.
pub(crate) struct Proposal {
    pub(crate) id: String,
    review: String,
    conflict: String,
    thread: Thread,
}

/// A comment and a reply to it.
struct Thread {
    comment: String,
    reply: String,
}

impl Thread {
    /// Posts them on a space or a change request.
    async fn post(world: &World, place: &str) -> Self {
        let text = json!({"body": {"markdown": "Why?"}});
        let comment = world.ada.post(&format!("{place}/comments"), text.clone()).await.ok().id().to_owned();
        let reply = world.ada.post(&format!("{place}/comments/{comment}/replies"), text).await.ok().id().to_owned();
        Self { comment, reply }
    }
}

async fn proposal(world: &World, space: &SpaceId) -> Proposal {
    let path = format!("/spaces/{space}/change-requests");
    let request = world.ada.post(&path, json!({})).await.id();
    let id = request.clone();
    let review = world.ada.post(&format!("{path}/{id}/reviews"), json!({"status": "approved"})).await.expect(201);
    let open = OpenConflict {
        id: world.services.ids.make(),
        conflict: Conflict {
            subject: Subject::Variable { name: "nothing".to_owned() },
            base: None,
            primary: Some(MergeValue::Variable(Variable::Bool(true))),
            change: None,
        },
    };
    let mut tx = world.services.store.write().await.unwrap();
    tx.change_requests().add_conflicts(&id.parse().unwrap(), std::slice::from_ref(&open)).await.unwrap();
    tx.commit().await.unwrap();
    let thread = Thread::post(world, &format!("{path}/{id}")).await;
    Proposal { id, review: review.id().to_owned(), conflict: open.id.to_string(), thread }
}

/// The path of an operation on the organization. Each caller gets a new invite, since one caller may delete it, and a
/// member to remove that no other caller needs.
async fn aim(world: &World, team: &str, method: &str, pattern: &str) -> String {
    let Some((before, _last)) = pattern.rsplit_once('/').filter(|_| pattern.starts_with("/v1/orgs/")) else {
        return pattern.to_owned();
    };
    if pattern.ends_with("/link-invites/{inviteId}") {
        let invite = world.ada.post(&world.org("/link-invites"), json!({"role": "read"})).await.id();
        return pattern.replace("{inviteId}", &invite);
    }
    if pattern.ends_with("/versions/{versionId}/operation") {
        return format!("{pattern}?path=/pets&method=get");
    }
    if pattern.contains("/sites/") {
        return pattern.replace("{teamId}", team);
    }
    let absent = (method == "delete" && !pattern.contains("/openapi/")) || pattern.ends_with("/invites/{inviteId}");
    let pattern = if absent { format!("{before}/nobody") } else { pattern.to_owned() };
    pattern.replace("{teamId}", team)
}

#[test]
fn every_operation_of_the_document_is_in_the_table() {
    let document: Value = serde_json::from_str(&api_actix::openapi_document("0")).unwrap();
    let mut documented = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in ["get", "post", "put", "patch", "delete"] {
            if operations.get(method).is_some() {
                documented.insert((method.to_owned(), path.clone()));
            }
        }
    }
    let table: BTreeSet<_> =
        OPERATIONS.iter().map(|(method, path, ..)| ((*method).to_owned(), (*path).to_owned())).collect();
    let missing: Vec<_> = documented.difference(&table).collect();
    let gone: Vec<_> = table.difference(&documented).collect();
    assert!(missing.is_empty() && gone.is_empty(), "not in the table: {missing:?}; not in the document: {gone:?}");
}

/// Objects for a request that changes some: they are its own, since it may delete them.
#[derive(Default)]
struct Own {
    proposal: Option<Proposal>,
    site: Option<Site>,
}

/// A server with one of each object that the paths of operations name.
pub(crate) struct Place {
    pub(crate) world: World,
    pub(crate) team: String,
    pub(crate) space: SpaceId,
    pub(crate) collection: Value,
    revision: Value,
    page: Value,
    event: String,
    pub(crate) webhook: String,
    delivery: String,
    talks: Talks,
    pub(crate) translation: String,
    glossary_entry: String,
    /// The slug of an OpenAPI spec, and the id of its version.
    pub(crate) spec: (String, String),
    pub(crate) reader: UserId,
    site: Site,
    /// A space on all sites of the table.
    shown: SpaceId,
    pub(crate) proposed: Proposal,
    thread: Thread,
    /// The objects of the last request that was refused. It changed nothing, so the next request gets them.
    spare: RefCell<Own>,
}

impl Place {
    pub(crate) async fn build(world: World) -> Self {
        // In a box, since the future of every test of the table has it.
        Box::pin(Self::with_reader(world, "reader")).await
    }

    /// As [`Self::build`], with a member of this name as the target of operations.
    pub(crate) async fn with_reader(world: World, name: &str) -> Self {
        let space = world.import(&Fixture::guide()).await;
        let collection = world.ada.post(&world.org("/collections"), json!({"title": "Guides"})).await.expect(201);
        // With a query of its own: the response of the operation itself is not cached yet.
        let revision = world.ada.get(&format!("/spaces/{space}/content?metadata=true")).await.ok();
        let page = world.ada.get(&format!("/spaces/{space}/content/path/install")).await.ok();
        let events = world.ada.get(&world.org("/audit-events")).await.ok();
        let event = events["items"][0].id().to_owned();
        let reader = world.member(name, Some(Role::Read)).await.user.unwrap();
        let proposed = proposal(&world, &space).await;
        let thread = Thread::post(&world, &format!("/spaces/{space}")).await;
        let team = world.team(json!({"title": "Writers"})).await;
        let (webhook, delivery) = webhook_with_a_delivery(&world).await;
        let talks = Talks::ingest(&world).await;
        let spec = processed_spec(&world, "pets").await;
        let (translation, glossary_entry) = translation_with_a_term(&world, &space).await;
        let shown = world.space(json!({"title": "Shown"})).await;
        let site = Site::build(&world, &shown).await;
        Self {
            world,
            team,
            space,
            collection,
            revision,
            page,
            event,
            webhook,
            delivery,
            glossary_entry,
            talks,
            translation,
            spec,
            reader,
            site,
            shown,
            proposed,
            thread,
            spare: RefCell::default(),
        }
    }

    /// The id for each path parameter.
    pub(crate) fn ids(&self, proposed: &Proposal) -> Vec<(&'static str, String)> {
        vec![
            ("{changeRequestId}", proposed.id.clone()),
            ("{conflictId}", proposed.conflict.clone()),
            ("{reviewId}", proposed.review.clone()),
            ("{userId}", self.reader.to_string()),
            ("{auditEventId}", self.event.clone()),
            ("{webhookId}", self.webhook.clone()),
            ("{deliveryId}", self.delivery.clone()),
            ("{conversationId}", self.talks.conversation.clone()),
            ("{issueId}", self.talks.issue.clone()),
            ("{clusterId}", self.talks.cluster.clone()),
            ("{translationId}", self.translation.clone()),
            ("{glossaryEntryId}", self.glossary_entry.clone()),
            ("{specSlug}", self.spec.0.clone()),
            ("{versionId}", self.spec.1.clone()),
            ("{organizationId}", self.world.organization.to_string()),
            ("{spaceId}", self.space.to_string()),
            ("{collectionId}", self.collection.id().to_owned()),
            ("{revisionId}", self.revision.id().to_owned()),
            ("{pageId}", self.page.id().to_owned()),
            ("{documentId}", self.page.text("documentId").to_owned()),
            ("{fileId}", self.revision["files"][0].id().to_owned()),
            ("{reusableContentId}", self.revision["reusableContents"][0].id().to_owned()),
        ]
    }

    /// The path of an operation, filled with existing ids.
    pub(crate) fn fill(&self, path: &str, proposed: &Proposal, token: &str) -> String {
        let thread = if path.contains("/change-requests/") { &proposed.thread } else { &self.thread };
        let path = self.site.fill(path);
        let path = path.replace("{commentId}", &thread.comment).replace("{commentReplyId}", &thread.reply);
        let ids = self.ids(proposed).into_iter();
        let filled = ids.fold(path, |path, (name, id)| path.replace(name, &id));
        let filled = filled
            .replace("{tokenId}", token)
            .replace("{teamId}", "nobody")
            .replace("{notificationId}", "none")
            .replace("{emailDomain}", "example.org")
            .replace("{subdomain}", "nowhere")
            .replace("{pagePath}", "install")
            .replace("/search", "/search?query=engine");
        let space = &self.space;
        match filled.rsplit('/').next() {
            Some("redirect") => filled + "?source=/gone",
            Some("published") if filled.ends_with("/urls/published") => filled + "?url=https://docs.test/s/nowhere/",
            Some("content") if filled.ends_with("/urls/content") => {
                format!("{filled}?url=https://docs.test/v1/spaces/{space}")
            }
            _ => filled,
        }
    }

    /// A visitor of the site, which shows the space of the table and is published, with a content token.
    pub(crate) async fn visitor(&self) -> Caller {
        let (world, site) = (&self.world, self.world.org(&format!("/sites/{}", self.site.id)));
        world.ada.post(&format!("{site}/sections"), json!({"spaceId": self.space.as_str()})).await.expect(201);
        let url = world.ada.post(&format!("{site}/publish"), json!({})).await.ok()["urls"].text("published").to_owned();
        let found = world.ada.post("/urls/published", json!({"url": url})).await.ok();
        world.with_token(found.text("apiToken"))
    }

    /// Sends an operation as a caller.
    pub(crate) async fn send(&self, caller: &Caller, method: &str, pattern: &str) -> Answer {
        self.send_as(caller, method, pattern, "request").await
    }

    /// As [`Self::send`], with a request id.
    pub(crate) async fn send_as(&self, caller: &Caller, method: &str, pattern: &str, id: &str) -> Answer {
        let (path, body, own) = self.equip(caller, method, pattern).await;
        let answer = send(caller, method, &path, body, id).await;
        if answer.status.is_client_error() {
            let mut spare = self.spare.borrow_mut();
            spare.proposal = own.proposal.or_else(|| spare.proposal.take());
            spare.site = own.site.or_else(|| spare.site.take());
        }
        answer
    }

    /// A path and body with which a caller can send an operation now.
    pub(crate) async fn prepare(&self, caller: &Caller, method: &str, pattern: &str) -> (String, Option<Value>) {
        let (path, body, _own) = self.equip(caller, method, pattern).await;
        (path, body)
    }

    /// Objects that a request may change.
    async fn own(&self, method: &str, pattern: &str) -> Own {
        let mut own = Own::default();
        // A change request can be merged, decided or deleted only once.
        if method != "get" && pattern.contains("{changeRequestId}") {
            let spare = self.spare.borrow_mut().proposal.take();
            own.proposal = Some(match spare {
                Some(spare) => spare,
                None => proposal(&self.world, &self.space).await,
            });
        }
        if method != "get" && pattern.contains("/sites/") {
            let spare = self.spare.borrow_mut().site.take();
            own.site = Some(match spare {
                Some(spare) => spare,
                None => Site::build(&self.world, &self.shown).await,
            });
        }
        own
    }

    async fn equip(&self, caller: &Caller, method: &str, pattern: &str) -> (String, Option<Value>, Own) {
        let own = self.own(method, pattern).await;
        let proposed = own.proposal.as_ref().unwrap_or(&self.proposed);
        let token = match &caller.user {
            Some(user) if pattern.contains("{tokenId}") => self.spare_token(user).await,
            _ => "none".to_owned(),
        };
        let pattern = match (method, pattern) {
            ("delete", "/v1/spaces/{spaceId}") => &pattern.replace("{spaceId}", &self.spare_space().await),
            ("delete", "/v1/collections/{collectionId}") => {
                let spare = self.world.collection(json!({})).await;
                &pattern.replace("{collectionId}", &spare)
            }
            ("delete", "/v1/orgs/{organizationId}/openapi/{specSlug}") => {
                let spare = self.world.services.ids.next();
                let source = json!({"source": {"url": "https://127.0.0.1/"}});
                self.world.ada.put(&self.world.org(&format!("/openapi/{spare}")), source).await.expect(201);
                &pattern.replace("{specSlug}", &spare)
            }
            // A comment can be deleted only once.
            ("delete", _) if pattern.contains("{commentId}") && !pattern.contains("{changeRequestId}") => {
                let Thread { comment, reply } = Thread::post(&self.world, &format!("/spaces/{}", self.space)).await;
                &pattern.replace("{commentId}", &comment).replace("{commentReplyId}", &reply)
            }
            _ => pattern,
        };
        let at_site = |text: &str| own.site.as_ref().map_or_else(|| text.to_owned(), |site| site.fill(text));
        let new = self.world.services.ids.next();
        let body = body(method, pattern).map(|body| at_site(&body.to_string().replace("{new}", &new)));
        let body = body.map(|body| serde_json::from_str::<Value>(&self.fill(&body, proposed, &token)).unwrap());
        let pattern = &at_site(pattern);
        let aimed = aim(&self.world, &self.team, method, pattern).await;
        (self.fill(&aimed, proposed, &token), body, own)
    }

    async fn spare_space(&self) -> String {
        self.world.space(json!({})).await.to_string()
    }

    async fn spare_token(&self, user: &UserId) -> String {
        let new = NewToken::unlimited("spare".parse().unwrap());
        let made = self.world.services.accounts.create_token(&Actor::Operator, user, new.into()).await;
        made.unwrap().0.id.to_string()
    }

    /// Callers in every role, with their roles; `None` for those who are not members, or disabled.
    async fn callers(&self) -> Vec<(String, Caller, Option<Option<Role>>)> {
        let world = &self.world;
        let disabled = world.member("dora", Some(Role::Admin)).await;
        let out = Membership { role: Some(Role::Admin), disabled: true };
        world.set_membership(disabled.user.as_ref().unwrap(), out).await;
        let mut callers = vec![
            ("a stranger".to_owned(), world.stranger("eve").await, None),
            ("a disabled administrator".to_owned(), disabled, None),
            ("a guest".to_owned(), world.member("gus", None).await, Some(None)),
        ];
        for role in Role::ALL.iter().copied() {
            callers.push((role.as_str().to_owned(), world.member(role.as_str(), Some(role)).await, Some(Some(role))));
        }
        callers
    }
}

/// Sends a request with a request id.
pub(crate) async fn send(caller: &Caller, method: &str, path: &str, body: Option<Value>, id: &str) -> Answer {
    let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
    let with = |request: actix_web::test::TestRequest| {
        let request = request.insert_header(("X-Request-Id", id));
        match body {
            Some(body) => request.set_json(body),
            None => request,
        }
    };
    caller.send_to(method, path, with).await
}

#[acceptance::test]
async fn every_caller_gets_what_the_table_says(world: World) {
    let place = Place::build(world).await;
    let world = &place.world;
    let without = [
        ("nobody", world.anonymous()),
        ("a bad token", world.with_token("octavo_bad")),
        ("an expired token", world.with_expired_token(world.ada.user.as_ref().unwrap()).await),
    ];
    let callers = place.callers().await;
    let mut faults = Vec::new();
    for (method, pattern, need, fine) in OPERATIONS {
        let without = without.iter().map(|(name, caller)| (*name, caller, 401));
        let with =
            callers.iter().map(|(name, caller, role)| (name.as_str(), caller, expected(pattern, *need, *role, *fine)));
        for (name, caller, wanted) in without.chain(with) {
            let status = place.send(caller, method, pattern).await.status.as_u16();
            if status != wanted {
                faults.push(format!("{method} {pattern} as {name}: {status}, not {wanted}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[acceptance::test]
async fn invalid_input_of_a_caller_without_access_gets_the_same_response(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let eve = world.stranger("eve").await;
    let junk = |request: actix_web::test::TestRequest| {
        request.insert_header(("Content-Type", "application/json")).set_payload("{")
    };
    eve.send(Method::PATCH, &format!("/spaces/{space}"), junk).await.error(404);
    eve.get(&format!("/spaces/{space}/content/files?limit=-1")).await.error(404);
    let reader = world.member("rita", Some(Role::Read)).await;
    reader.send(Method::PATCH, &format!("/spaces/{space}"), junk).await.error(403);
    let hidden = eve.get(&format!("/spaces/{space}")).await.error(404);
    let absent = eve.get("/spaces/0193a1f0-7c5e-7000-8000-000000000000").await.error(404);
    assert_eq!(hidden, absent, "a hidden object looks like a missing one");
}
