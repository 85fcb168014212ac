//! The access matrix: every operation of the API, as every kind of caller. An operation that is missing here fails.
use super::webhooks::webhook_with_a_delivery;
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
use std::collections::BTreeSet;

/// What an operation requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Any valid token.
    Token,
    /// Membership in the organization, at least as a guest.
    Guest,
    /// Read access to the space.
    Read,
    /// The right to take part in discussions of the space.
    Comment,
    /// Edit access to the space.
    Edit,
    /// The right to review and merge in the space.
    Review,
    /// The right to create in the organization, or to manage the space.
    Create,
    /// Administrator of the organization.
    Admin,
    /// Being the account itself, which no caller of the table is.
    Owner,
    /// Membership in the organization; otherwise the request is invalid (400), not forbidden.
    Belong,
}

/// Every operation: method and path as in the OpenAPI document, the requirement, and the status for a caller who meets
/// it.
pub(crate) const OPERATIONS: &[(&str, &str, Need, u16)] = &[
    ("get", "/v1/", Need::Token, 200),
    ("get", "/v1/user", Need::Token, 200),
    ("get", "/v1/user/tokens", Need::Token, 200),
    ("post", "/v1/user/tokens", Need::Token, 201),
    ("get", "/v1/user/tokens/{tokenId}", Need::Token, 200),
    ("delete", "/v1/user/tokens/{tokenId}", Need::Token, 205),
    ("get", "/v1/users/{userId}", Need::Read, 200),
    ("patch", "/v1/users/{userId}", Need::Owner, 200),
    ("get", "/v1/orgs", Need::Token, 200),
    ("post", "/v1/orgs", Need::Token, 201),
    ("get", "/v1/orgs/{organizationId}", Need::Guest, 200),
    ("patch", "/v1/orgs/{organizationId}", Need::Admin, 200),
    ("get", "/v1/orgs/{organizationId}/audit-events", Need::Admin, 200),
    ("get", "/v1/orgs/{organizationId}/audit-events/{auditEventId}", Need::Admin, 200),
    ("get", "/v1/orgs/{organizationId}/audit-event-actions", Need::Admin, 200),
    ("get", "/v1/orgs/{organizationId}/webhooks", Need::Admin, 200),
    ("post", "/v1/orgs/{organizationId}/webhooks", Need::Admin, 201),
    ("get", "/v1/orgs/{organizationId}/webhooks/{webhookId}", Need::Admin, 200),
    ("patch", "/v1/orgs/{organizationId}/webhooks/{webhookId}", Need::Admin, 200),
    ("delete", "/v1/orgs/{organizationId}/webhooks/{webhookId}", Need::Admin, 204),
    ("post", "/v1/orgs/{organizationId}/webhooks/{webhookId}/secret", Need::Admin, 200),
    ("post", "/v1/orgs/{organizationId}/webhooks/{webhookId}/ping", Need::Admin, 201),
    ("get", "/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries", Need::Admin, 200),
    ("get", "/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}", Need::Admin, 200),
    // The delivery is still pending.
    ("post", "/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", Need::Admin, 409),
    ("post", "/v1/orgs/{organizationId}/join", Need::Belong, 204),
    ("get", "/v1/email-domains/{emailDomain}/orgs", Need::Token, 200),
    ("get", "/v1/orgs/{organizationId}/agent-instructions", Need::Read, 200),
    ("put", "/v1/orgs/{organizationId}/agent-instructions", Need::Admin, 200),
    ("get", "/v1/orgs/{organizationId}/members", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/members/{userId}", Need::Read, 200),
    ("patch", "/v1/orgs/{organizationId}/members/{userId}", Need::Admin, 200),
    ("delete", "/v1/orgs/{organizationId}/members/{userId}", Need::Admin, 204),
    ("post", "/v1/orgs/{organizationId}/ping", Need::Guest, 200),
    ("post", "/v1/orgs/{organizationId}/members/{userId}/sso", Need::Admin, 200),
    ("get", "/v1/orgs/{organizationId}/members/{userId}/spaces", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/members/{userId}/teams", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/teams", Need::Read, 200),
    ("put", "/v1/orgs/{organizationId}/teams", Need::Admin, 201),
    ("get", "/v1/orgs/{organizationId}/teams/{teamId}", Need::Read, 200),
    ("patch", "/v1/orgs/{organizationId}/teams/{teamId}", Need::Admin, 200),
    ("delete", "/v1/orgs/{organizationId}/teams/{teamId}", Need::Admin, 204),
    ("get", "/v1/orgs/{organizationId}/teams/{teamId}/members", Need::Read, 200),
    ("put", "/v1/orgs/{organizationId}/teams/{teamId}/members", Need::Admin, 204),
    ("put", "/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}", Need::Admin, 204),
    ("delete", "/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}", Need::Admin, 204),
    ("post", "/v1/orgs/{organizationId}/invites", Need::Admin, 200),
    ("post", "/v1/orgs/{organizationId}/invites/{inviteId}", Need::Token, 404),
    ("get", "/v1/orgs/{organizationId}/link-invites", Need::Admin, 200),
    ("post", "/v1/orgs/{organizationId}/link-invites", Need::Admin, 201),
    ("get", "/v1/orgs/{organizationId}/link-invites/{inviteId}", Need::Admin, 200),
    ("patch", "/v1/orgs/{organizationId}/link-invites/{inviteId}", Need::Admin, 200),
    ("delete", "/v1/orgs/{organizationId}/link-invites/{inviteId}", Need::Admin, 205),
    ("get", "/v1/orgs/{organizationId}/spaces", Need::Guest, 200),
    ("post", "/v1/orgs/{organizationId}/spaces", Need::Create, 201),
    ("get", "/v1/orgs/{organizationId}/search", Need::Guest, 200),
    ("get", "/v1/orgs/{organizationId}/collections", Need::Guest, 200),
    ("post", "/v1/orgs/{organizationId}/collections", Need::Create, 201),
    ("get", "/v1/collections/{collectionId}", Need::Read, 200),
    ("patch", "/v1/collections/{collectionId}", Need::Create, 200),
    ("get", "/v1/collections/{collectionId}/spaces", Need::Read, 200),
    // The target of the move below does not exist, or is the current position.
    ("post", "/v1/collections/{collectionId}/move", Need::Create, 400),
    ("post", "/v1/collections/{collectionId}/transfer", Need::Create, 409),
    ("delete", "/v1/collections/{collectionId}/permissions/users/{userId}", Need::Create, 204),
    ("post", "/v1/collections/{collectionId}/permissions", Need::Create, 204),
    ("delete", "/v1/collections/{collectionId}", Need::Create, 205),
    ("get", "/v1/collections/{collectionId}/permissions/teams", Need::Create, 200),
    ("get", "/v1/collections/{collectionId}/permissions/users", Need::Create, 200),
    ("patch", "/v1/collections/{collectionId}/permissions/users/{userId}", Need::Create, 204),
    ("patch", "/v1/collections/{collectionId}/permissions/teams/{teamId}", Need::Create, 404),
    ("delete", "/v1/collections/{collectionId}/permissions/teams/{teamId}", Need::Create, 204),
    ("get", "/v1/collections/{collectionId}/permissions/aggregate", Need::Create, 200),
    ("post", "/v1/spaces/{spaceId}/move", Need::Create, 400),
    ("post", "/v1/spaces/{spaceId}/transfer", Need::Create, 409),
    ("delete", "/v1/spaces/{spaceId}/permissions/users/{userId}", Need::Create, 204),
    ("post", "/v1/spaces/{spaceId}/permissions", Need::Create, 204),
    ("get", "/v1/spaces/{spaceId}/permissions/teams", Need::Create, 200),
    ("get", "/v1/spaces/{spaceId}/permissions/users", Need::Create, 200),
    ("patch", "/v1/spaces/{spaceId}/permissions/users/{userId}", Need::Create, 204),
    ("patch", "/v1/spaces/{spaceId}/permissions/teams/{teamId}", Need::Create, 404),
    ("delete", "/v1/spaces/{spaceId}/permissions/teams/{teamId}", Need::Create, 204),
    ("get", "/v1/spaces/{spaceId}/permissions/aggregate", Need::Create, 200),
    ("get", "/v1/spaces/{spaceId}", Need::Read, 200),
    ("patch", "/v1/spaces/{spaceId}", Need::Create, 200),
    ("delete", "/v1/spaces/{spaceId}", Need::Create, 205),
    ("post", "/v1/spaces/{spaceId}/restore", Need::Create, 409),
    ("post", "/v1/spaces/{spaceId}/duplicate", Need::Create, 201),
    ("get", "/v1/spaces/{spaceId}/links", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/search", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/content", Need::Read, 200),
    ("post", "/v1/spaces/{spaceId}/content/template", Need::Edit, 201),
    ("get", "/v1/spaces/{spaceId}/content/pages", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/content/files", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/content/files/{fileId}", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/content/files/{fileId}/backlinks", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/content/page/{pageId}", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/content/page/{pageId}/links", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/content/page/{pageId}/meta-links", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/content/path/{pagePath}", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/content/reusable-contents/{reusableContentId}", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/documents/{documentId}", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/revisions", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/pages", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/files", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/files/{fileId}", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/meta-links", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/path/{pagePath}", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}", Need::Read, 200),
    (
        "get",
        "/v1/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}/document",
        Need::Read,
        200,
    ),
    ("get", "/v1/spaces/{spaceId}/revisions/{revisionId}/changes", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/change-requests", Need::Guest, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests", Need::Read, 200),
    ("post", "/v1/spaces/{spaceId}/change-requests", Need::Edit, 201),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}", Need::Read, 200),
    ("patch", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}", Need::Edit, 200),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge", Need::Review, 200),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/update", Need::Edit, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge-status", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts", Need::Read, 200),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts/{conflictId}", Need::Edit, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/links", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews", Need::Read, 200),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews", Need::Review, 201),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId}", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers", Need::Read, 200),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers", Need::Edit, 200),
    ("delete", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers/{userId}", Need::Edit, 204),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/contributors", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content", Need::Read, 200),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content", Need::Edit, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/meta-links", Need::Read, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/path/{pagePath}", Need::Read, 200),
    (
        "get",
        "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/reusable-contents/{reusableContentId}",
        Need::Read,
        200,
    ),
    // Anyone who comments may react; the comments are the administrator's, so that only managers may delete them.
    ("get", "/v1/spaces/{spaceId}/comments", Need::Comment, 200),
    ("post", "/v1/spaces/{spaceId}/comments", Need::Comment, 200),
    ("get", "/v1/spaces/{spaceId}/comments/{commentId}", Need::Comment, 200),
    ("put", "/v1/spaces/{spaceId}/comments/{commentId}", Need::Comment, 200),
    ("get", "/v1/spaces/{spaceId}/comments/{commentId}/replies", Need::Comment, 200),
    ("post", "/v1/spaces/{spaceId}/comments/{commentId}/replies", Need::Comment, 200),
    ("get", "/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}", Need::Comment, 200),
    ("put", "/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}", Need::Comment, 200),
    ("delete", "/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}", Need::Create, 205),
    ("delete", "/v1/spaces/{spaceId}/comments/{commentId}", Need::Create, 205),
    ("get", "/v1/spaces/{spaceId}/commenters", Need::Comment, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments", Need::Comment, 200),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments", Need::Comment, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}", Need::Comment, 200),
    ("put", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}", Need::Comment, 200),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies", Need::Comment, 200),
    ("post", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies", Need::Comment, 200),
    (
        "get",
        "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}",
        Need::Comment,
        200,
    ),
    (
        "put",
        "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}",
        Need::Comment,
        200,
    ),
    (
        "delete",
        "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}",
        Need::Create,
        205,
    ),
    ("delete", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}", Need::Create, 205),
    ("get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/commenters", Need::Comment, 200),
    ("get", "/v1/user/notifications", Need::Token, 200),
    ("post", "/v1/user/notifications/read", Need::Token, 204),
    // The callers have no notification.
    ("get", "/v1/user/notifications/{notificationId}", Need::Token, 404),
    ("patch", "/v1/user/notifications/{notificationId}", Need::Token, 404),
    ("get", "/v1/user/notification-settings", Need::Token, 200),
    ("patch", "/v1/user/notification-settings", Need::Token, 200),
    ("get", "/v1/spaces/{spaceId}/notification-settings", Need::Read, 200),
    ("put", "/v1/spaces/{spaceId}/notification-settings", Need::Read, 200),
];

/// A valid body for the operation.
pub(crate) fn body(method: &str, path: &str) -> Option<Value> {
    match (method, path) {
        ("post", "/v1/orgs") => Some(json!({"title": "Another"})),
        ("post", "/v1/user/tokens") => Some(json!({"label": "another"})),
        ("patch", "/v1/users/{userId}") => Some(json!({"displayName": "Another"})),
        ("patch", "/v1/user/notifications/{notificationId}") => Some(json!({"read": true})),
        ("patch", "/v1/user/notification-settings") => Some(json!({"email": true})),
        ("put", "/v1/spaces/{spaceId}/notification-settings") => Some(json!({"level": "all"})),
        ("post", path) if path.ends_with("/template") => Some(json!({"id": "release-notes"})),
        ("post", path) if path.ends_with("/{conflictId}") => Some(json!({"keep": "change"})),
        ("put", path) if path.ends_with("/{commentId}") || path.ends_with("/{commentReplyId}") => {
            Some(json!({"addedReactions": ["1f44d"]}))
        }
        ("post", path) if path.ends_with("/comments") || path.ends_with("/replies") => {
            Some(json!({"body": {"markdown": "Why?"}}))
        }
        ("post", path) if path.ends_with("/reviews") => Some(json!({"status": "approved"})),
        ("post", path) if path.ends_with("/requested-reviewers") => Some(json!({"users": ["{userId}"]})),
        ("post", path) if path.ends_with("/{changeRequestId}/content") => {
            Some(json!({"changes": [{"operation": "insert_page", "document": {"markdown": "# New"}}]}))
        }
        ("post", path) if path.ends_with("/move") => Some(json!({"parent": "nowhere"})),
        ("post", path) if path.ends_with("/transfer") => Some(json!({"organization": "{organizationId}"})),
        ("post", path) if path.ends_with("/permissions") => Some(json!({"role": "read", "users": ["{userId}"]})),
        ("post", path) if path.ends_with("/invites") => Some(json!({"emails": ["new@example.org"]})),
        ("post", path) if path.ends_with("/webhooks") => Some(json!({"url": "https://127.0.0.1/"})),
        ("post", path) if path.ends_with("/link-invites") => Some(json!({"role": "read"})),
        ("patch", path) if path.ends_with("/{inviteId}") => Some(json!({"role": "edit"})),
        ("patch", path) if path.ends_with("/members/{userId}") => Some(json!({"role": "comment"})),
        ("put", path) if path.ends_with("/members") => Some(json!({"add": ["{userId}"]})),
        ("put" | "patch", path) if path.ends_with("/teams") || path.ends_with("/{teamId}") => {
            Some(json!({"title": "Writers"}))
        }
        ("put", path) if path.ends_with("/agent-instructions") => {
            Some(json!({"instructions": {"object": "document", "data": {}, "nodes": []}}))
        }
        ("post" | "put" | "patch", _) => Some(json!({})),
        _ => None,
    }
}

/// The expected status for a caller with this role.
pub(crate) fn expected(pattern: &str, need: Need, role: Option<Option<Role>>, fine: u16) -> u16 {
    let at_least = |floor: Role| role.flatten().is_some_and(|role| Level::from(role) >= Level::from(floor));
    let (sees, may) = match need {
        Need::Token => (true, true),
        Need::Guest => (role.is_some(), role.is_some()),
        Need::Read => (at_least(Role::Read), at_least(Role::Read)),
        Need::Comment => (at_least(Role::Read), at_least(Role::Comment)),
        Need::Edit => (at_least(Role::Read), at_least(Role::Edit)),
        Need::Review => (at_least(Role::Read), at_least(Role::Review)),
        // Readers see the space, guests see the organization; the path tells which applies.
        Need::Create => (at_least(Role::Read), at_least(Role::Create)),
        Need::Admin => (role.is_some(), at_least(Role::Admin)),
        Need::Owner => (at_least(Role::Read), false),
        Need::Belong => return if role.is_some() { fine } else { 400 },
    };
    match (sees, may) {
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
    let absent = method == "delete" || pattern.ends_with("/invites/{inviteId}");
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
    pub(crate) reader: UserId,
    pub(crate) proposed: Proposal,
    thread: Thread,
}

impl Place {
    pub(crate) async fn build(world: World) -> Self {
        Self::with_reader(world, "reader").await
    }

    /// As [`Self::build`], with a member of this name as the target of operations.
    pub(crate) async fn with_reader(world: World, name: &str) -> Self {
        let space = world.import(&Fixture::guide()).await;
        let collection = world.ada.post(&world.org("/collections"), json!({"title": "Guides"})).await.expect(201);
        let revision = world.ada.get(&format!("/spaces/{space}/content")).await.ok();
        let page = world.ada.get(&format!("/spaces/{space}/content/path/install")).await.ok();
        let events = world.ada.get(&world.org("/audit-events")).await.ok();
        let event = events["items"][0].id().to_owned();
        let reader = world.member(name, Some(Role::Read)).await.user.unwrap();
        let proposed = proposal(&world, &space).await;
        let thread = Thread::post(&world, &format!("/spaces/{space}")).await;
        let team = world.team(json!({"title": "Writers"})).await;
        let (webhook, delivery) = webhook_with_a_delivery(&world).await;
        Self { world, team, space, collection, revision, page, event, webhook, delivery, reader, proposed, thread }
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
        let path = path.replace("{commentId}", &thread.comment).replace("{commentReplyId}", &thread.reply);
        let ids = self.ids(proposed).into_iter();
        let filled = ids.fold(path, |path, (name, id)| path.replace(name, &id));
        filled
            .replace("{tokenId}", token)
            .replace("{teamId}", "nobody")
            .replace("{notificationId}", "none")
            .replace("{emailDomain}", "example.org")
            .replace("{pagePath}", "install")
            .replace("/search", "/search?query=engine")
    }

    /// Sends an operation as a caller.
    pub(crate) async fn send(&self, caller: &Caller, method: &str, pattern: &str) -> Answer {
        self.send_as(caller, method, pattern, "request").await
    }

    /// As [`Self::send`], with a request id.
    pub(crate) async fn send_as(&self, caller: &Caller, method: &str, pattern: &str, id: &str) -> Answer {
        let (path, body) = self.prepare(caller, method, pattern).await;
        send(caller, method, &path, body, id).await
    }

    /// A path and body with which a caller can send an operation now.
    pub(crate) async fn prepare(&self, caller: &Caller, method: &str, pattern: &str) -> (String, Option<Value>) {
        // A change request can be merged, decided or deleted only once, so each caller gets a new one.
        let writes = method != "get" && pattern.contains("{changeRequestId}");
        let own = if writes { Some(proposal(&self.world, &self.space).await) } else { None };
        let proposed = own.as_ref().unwrap_or(&self.proposed);
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
            // A comment can be deleted only once.
            ("delete", _) if pattern.contains("{commentId}") && !pattern.contains("{changeRequestId}") => {
                let Thread { comment, reply } = Thread::post(&self.world, &format!("/spaces/{}", self.space)).await;
                &pattern.replace("{commentId}", &comment).replace("{commentReplyId}", &reply)
            }
            _ => pattern,
        };
        let body = body(method, pattern)
            .map(|body| serde_json::from_str::<Value>(&self.fill(&body.to_string(), proposed, &token)).unwrap());
        let aimed = aim(&self.world, &self.team, method, pattern).await;
        (self.fill(&aimed, proposed, &token), body)
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
        ("nobody", world.nobody()),
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
async fn junk_from_somebody_who_may_not_is_answered_like_anything_else(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let eve = world.stranger("eve").await;
    let junk = |request: actix_web::test::TestRequest| {
        request.insert_header(("Content-Type", "application/json")).set_payload("{")
    };
    eve.send(Method::PATCH, &format!("/spaces/{space}"), junk).await.error(404);
    eve.get(&format!("/spaces/{space}/content/files?limit=0")).await.error(404);
    let reader = world.member("rita", Some(Role::Read)).await;
    reader.send(Method::PATCH, &format!("/spaces/{space}"), junk).await.error(403);
    let hidden = eve.get(&format!("/spaces/{space}")).await.error(404);
    let absent = eve.get("/spaces/0193a1f0-7c5e-7000-8000-000000000000").await.error(404);
    assert_eq!(hidden, absent, "a hidden object looks like a missing one");
}
