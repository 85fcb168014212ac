//! Events: each is recorded in the transaction that made the change. So only committed changes have an event, and each
//! of them has one. The audit log and the webhooks use the events. The log also records denied operations.
mod differences;

use crate::access::Role;
use crate::actor::{Client, Source};
use crate::change_request::Status;
use crate::comment::Discussion;
use crate::id::{
    ChangeRequestId, CollectionId, CommentId, CommentReplyId, ConflictId, EventId, InviteId, OrganizationId, ReviewId,
    RevisionId, SpaceId, TeamId, TokenId, UserId, WebhookId,
};
use crate::notification::NotificationLevel;
use crate::scope::ScopeSet;
use crate::text::Rule;
use chrono::{DateTime, Utc};
pub use differences::{Audited, Differences};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The version of the event format. It increases when a field changes its meaning or is removed.
pub const SCHEMA_VERSION: u32 = 1;

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// Its name, which never changes.
    pub id: &'static str,
    /// The label shown to people.
    pub label: &'static str,
}

impl std::str::FromStr for Action {
    type Err = Rule;
    fn from_str(raw: &str) -> Result<Self, Rule> {
        let found = Change::ACTIONS.iter().find(|action| action.id == raw);
        found.copied().ok_or_else(|| Rule::one_of(Change::ACTIONS.iter().map(|action| action.id)))
    }
}

impl Action {
    /// Whether webhooks get events of this kind.
    pub fn is_sent(&self) -> bool {
        !NOT_SENT.contains(&self.id)
    }

    /// The kinds that webhooks get.
    pub fn sent() -> impl Iterator<Item = Self> {
        Change::ACTIONS.iter().copied().filter(Self::is_sent)
    }
}

/// The object of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// The kind of object, as in the API.
    pub kind: &'a str,
    /// Its id.
    pub id: &'a str,
}

impl<'a> Target<'a> {
    fn new(kind: &'a str, id: &'a impl AsRef<str>) -> Self {
        Self { kind, id: id.as_ref() }
    }
}

/// Defines a kind of change in one place: its name, its label, its stored fields and its target. Names must never
/// change, because the log is permanent; a field that is added later needs a default.
macro_rules! changes {
    ($(
        $(#[doc = $doc:literal])+
        $variant:ident = $id:literal, $label:literal,
        { $($(#[$meta:meta])* $field:ident: $type:ty),* $(,)? } => $target:expr;
    )+) => {
        /// A change.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "type")]
        #[expect(missing_docs, reason = "the fields are ids")]
        pub enum Change {
            $($(#[doc = $doc])+ #[serde(rename = $id)] $variant { $($(#[$meta])* $field: $type),* }),+
        }

        impl Change {
            /// Every kind of change.
            pub const ACTIONS: &'static [Action] = &[$(Action { id: $id, label: $label }),+];

            /// Its kind.
            pub fn kind(&self) -> Action {
                match self { $(Self::$variant { .. } => Action { id: $id, label: $label }),+ }
            }

            /// The name of its kind.
            pub fn action(&self) -> &'static str {
                self.kind().id
            }

            /// The object that was changed.
            pub fn target(&self) -> Target<'_> {
                match self { $(Self::$variant { $($field),* } => { let _others = ($($field,)*); $target }),+ }
            }
        }
    };
}
changes! {
    /// An account was created.
    UserCreated = "user_created", "Account created", { user: UserId } => Target::new("user", user);
    /// The profile of an account was updated.
    UserUpdated = "user_updated", "Account updated", {
        user: UserId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("user", user);
    /// A token was created.
    TokenCreated = "token_created", "Token created", {
        token: TokenId,
        user: UserId,
        #[serde(default, skip_serializing_if = "Option::is_none")] scopes: Option<ScopeSet>,
        #[serde(default, skip_serializing_if = "Option::is_none")] expires_at: Option<DateTime<Utc>>,
    } => Target::new("token", token);
    /// A token was revoked.
    TokenRevoked = "token_revoked", "Token revoked", { token: TokenId, user: UserId } => Target::new("token", token);
    /// An organization was created.
    OrganizationCreated = "organization_created", "Organization created", {
        organization: OrganizationId,
    } => Target::new("organization", organization);
    /// The settings of an organization were updated.
    OrganizationUpdated = "organization_updated", "Organization updated", {
        organization: OrganizationId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("organization", organization);
    /// The email address of an account was verified.
    UserVerified = "user_verified", "Email address verified", { user: UserId } => Target::new("user", user);
    /// The agent instructions of an organization were updated.
    AgentInstructionsUpdated = "agent_instructions_updated", "Agent instructions updated", {
        organization: OrganizationId,
    } => Target::new("organization", organization);
    /// A user became a member of an organization.
    MemberAdded = "member_added", "Member added", { user: UserId, role: Option<Role> } => Target::new("user", user);
    /// The role or status of a member was updated.
    MemberUpdated = "member_updated", "Member updated", {
        user: UserId,
        role: Option<Role>,
        disabled: bool,
        sso: bool,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("user", user);
    /// A user was removed from an organization.
    MemberRemoved = "member_removed", "Member removed", {
        user: UserId,
        #[serde(default, skip_serializing_if = "Option::is_none")] role: Option<Role>,
    } => Target::new("user", user);
    /// A team was created.
    TeamCreated = "team_created", "Team created", { team: TeamId } => Target::new("team", team);
    /// The title of a team was updated.
    TeamUpdated = "team_updated", "Team updated", {
        team: TeamId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("team", team);
    /// A team was deleted.
    TeamDeleted = "team_deleted", "Team deleted", { team: TeamId } => Target::new("team", team);
    /// Users joined a team, changed their role in it, or left it. Those who are owners now are in `members` and in
    /// `owners`.
    TeamMembersUpdated = "team_members_updated", "Team members updated", {
        team: TeamId,
        members: Vec<UserId>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")] owners: Vec<UserId>,
        removed: Vec<UserId>,
    } => Target::new("team", team);
    /// An invite was created: to the organization, or to a space or a collection.
    InviteCreated = "invite_created", "Invite created", {
        invite: InviteId,
        #[serde(default, skip_serializing_if = "Option::is_none")] space: Option<SpaceId>,
        #[serde(default, skip_serializing_if = "Option::is_none")] collection: Option<CollectionId>,
        #[serde(default, skip_serializing_if = "Option::is_none")] role: Option<Role>,
    } => Target::new("invite", invite);
    /// An invite was updated.
    InviteUpdated = "invite_updated", "Invite updated", {
        invite: InviteId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("invite", invite);
    /// An invite was deleted.
    InviteDeleted = "invite_deleted", "Invite deleted", { invite: InviteId } => Target::new("invite", invite);
    /// A user accepted an invite.
    InviteAccepted = "invite_accepted", "Invite accepted", {
        invite: InviteId,
        user: UserId,
    } => Target::new("invite", invite);
    /// A caller was denied an operation that requires a permission. Nothing changed.
    AccessDenied = "access_denied", "Access denied", {
        operation: String,
        reason: String,
        kind: String,
        id: String,
    } => Target::new(kind, id);
    /// A space was created.
    SpaceCreated = "space_created", "Space created", { space: SpaceId } => Target::new("space", space);
    /// The settings of a space were updated.
    SpaceUpdated = "space_updated", "Space updated", {
        space: SpaceId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("space", space);
    /// A space was moved within its organization.
    SpaceMoved = "space_moved", "Space moved", {
        space: SpaceId,
        parent: Option<CollectionId>,
    } => Target::new("space", space);
    /// A space was transferred to another organization. Recorded in both organizations.
    SpaceTransferred = "space_transferred", "Space transferred", {
        space: SpaceId,
        from: OrganizationId,
        to: OrganizationId,
    } => Target::new("space", space);
    /// A space was created as a copy of another one.
    SpaceDuplicated = "space_duplicated", "Space duplicated", {
        space: SpaceId,
        source: SpaceId,
    } => Target::new("space", space);
    /// A space was deleted; it can be restored for a while.
    SpaceDeleted = "space_deleted", "Space deleted", { space: SpaceId } => Target::new("space", space);
    /// A deleted space was restored.
    SpaceRestored = "space_restored", "Space restored", { space: SpaceId } => Target::new("space", space);
    /// A deleted space was purged.
    SpacePurged = "space_purged", "Space purged", { space: SpaceId } => Target::new("space", space);
    /// A collection was created.
    CollectionCreated = "collection_created", "Collection created", {
        collection: CollectionId,
    } => Target::new("collection", collection);
    /// The settings of a collection were updated.
    CollectionUpdated = "collection_updated", "Collection updated", {
        collection: CollectionId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("collection", collection);
    /// A collection was moved within its organization.
    CollectionMoved = "collection_moved", "Collection moved", {
        collection: CollectionId,
        parent: Option<CollectionId>,
    } => Target::new("collection", collection);
    /// A collection was transferred to another organization, with everything in it. Recorded in both organizations.
    CollectionTransferred = "collection_transferred", "Collection transferred", {
        collection: CollectionId,
        from: OrganizationId,
        to: OrganizationId,
    } => Target::new("collection", collection);
    /// A collection was deleted, with everything in it.
    CollectionDeleted = "collection_deleted", "Collection deleted", {
        collection: CollectionId,
    } => Target::new("collection", collection);
    /// A deleted collection was restored, with a space in it.
    CollectionRestored = "collection_restored", "Collection restored", {
        collection: CollectionId,
    } => Target::new("collection", collection);
    /// A deleted collection was purged.
    CollectionPurged = "collection_purged", "Collection purged", {
        collection: CollectionId,
    } => Target::new("collection", collection);
    /// A user or a team was given or denied access to a space or a collection.
    AccessGranted = "access_granted", "Access granted", {
        place: String,
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")] user: Option<UserId>,
        #[serde(default, skip_serializing_if = "Option::is_none")] team: Option<TeamId>,
        role: Option<Role>,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new(place, id);
    /// A grant on a space or a collection was withdrawn.
    AccessWithdrawn = "access_withdrawn", "Access withdrawn", {
        place: String,
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")] user: Option<UserId>,
        #[serde(default, skip_serializing_if = "Option::is_none")] team: Option<TeamId>,
        #[serde(default, skip_serializing_if = "Option::is_none")] role: Option<Role>,
    } => Target::new(place, id);
    /// The primary content of a space changed to another revision.
    SpaceContentUpdated = "space_content_updated", "Space content updated", {
        space: SpaceId,
        revision: RevisionId,
    } => Target::new("space", space);
    /// A change request was created.
    ChangeRequestCreated = "change_request_created", "Change request created", {
        space: SpaceId,
        change_request: ChangeRequestId,
    } => Target::new("change-request", change_request);
    /// The metadata or the status of a change request was updated.
    ChangeRequestUpdated = "change_request_updated", "Change request updated", {
        space: SpaceId,
        change_request: ChangeRequestId,
        status: Status,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("change-request", change_request);
    /// The content of a change request changed to another revision.
    ChangeRequestContentUpdated = "change_request_content_updated", "Change request content updated", {
        space: SpaceId,
        change_request: ChangeRequestId,
        revision: RevisionId,
    } => Target::new("change-request", change_request);
    /// A change request was merged into the primary content.
    ChangeRequestMerged = "change_request_merged", "Change request merged", {
        space: SpaceId,
        change_request: ChangeRequestId,
        revision: RevisionId,
    } => Target::new("change-request", change_request);
    /// A conflict of a change request was resolved.
    ConflictResolved = "conflict_resolved", "Conflict resolved", {
        space: SpaceId,
        change_request: ChangeRequestId,
        conflict: ConflictId,
    } => Target::new("change-request", change_request);
    /// A user was asked to review a change request.
    ReviewRequested = "review_requested", "Review requested", {
        space: SpaceId,
        change_request: ChangeRequestId,
        user: UserId,
    } => Target::new("change-request", change_request);
    /// A request for a review was withdrawn.
    ReviewRequestWithdrawn = "review_request_withdrawn", "Review request withdrawn", {
        space: SpaceId,
        change_request: ChangeRequestId,
        user: UserId,
    } => Target::new("change-request", change_request);
    /// A review was submitted.
    ReviewSubmitted = "review_submitted", "Review submitted", {
        space: SpaceId,
        change_request: ChangeRequestId,
        review: ReviewId,
    } => Target::new("change-request", change_request);
    /// A comment was posted.
    CommentPosted = "comment_posted", "Comment posted", {
        #[serde(flatten)] discussion: Discussion,
        comment: CommentId,
    } => Target::new("comment", comment);
    /// The text of a comment was edited.
    CommentEdited = "comment_edited", "Comment edited", {
        #[serde(flatten)] discussion: Discussion,
        comment: CommentId,
    } => Target::new("comment", comment);
    /// A comment was resolved.
    CommentResolved = "comment_resolved", "Comment resolved", {
        #[serde(flatten)] discussion: Discussion,
        comment: CommentId,
    } => Target::new("comment", comment);
    /// A resolved comment was opened again.
    CommentReopened = "comment_reopened", "Comment reopened", {
        #[serde(flatten)] discussion: Discussion,
        comment: CommentId,
    } => Target::new("comment", comment);
    /// A comment was deleted, with its replies.
    CommentDeleted = "comment_deleted", "Comment deleted", {
        #[serde(flatten)] discussion: Discussion,
        comment: CommentId,
    } => Target::new("comment", comment);
    /// A reply to a comment was posted.
    CommentReplyPosted = "comment_reply_posted", "Reply posted", {
        #[serde(flatten)] discussion: Discussion,
        comment: CommentId,
        reply: CommentReplyId,
    } => Target::new("comment", comment);
    /// The text of a reply was edited.
    CommentReplyEdited = "comment_reply_edited", "Reply edited", {
        #[serde(flatten)] discussion: Discussion,
        comment: CommentId,
        reply: CommentReplyId,
    } => Target::new("comment", comment);
    /// A reply was deleted.
    CommentReplyDeleted = "comment_reply_deleted", "Reply deleted", {
        #[serde(flatten)] discussion: Discussion,
        comment: CommentId,
        reply: CommentReplyId,
    } => Target::new("comment", comment);
    /// A user changed their reactions to a comment or a reply.
    CommentReactionsUpdated = "comment_reactions_updated", "Reactions updated", {
        #[serde(flatten)] discussion: Discussion,
        comment: CommentId,
        #[serde(default, skip_serializing_if = "Option::is_none")] reply: Option<CommentReplyId>,
        added: Vec<String>,
        removed: Vec<String>,
    } => Target::new("comment", comment);
    /// A webhook was created.
    WebhookCreated = "webhook_created", "Webhook created", { webhook: WebhookId } => Target::new("webhook", webhook);
    /// The settings of a webhook were updated, or its secret was replaced.
    WebhookUpdated = "webhook_updated", "Webhook updated", {
        webhook: WebhookId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")] secret_replaced: bool,
    } => Target::new("webhook", webhook);
    /// A webhook was deleted.
    WebhookDeleted = "webhook_deleted", "Webhook deleted", { webhook: WebhookId } => Target::new("webhook", webhook);
    /// A webhook was disabled by the server, because its deliveries failed.
    WebhookDisabled = "webhook_disabled", "Webhook disabled", { webhook: WebhookId } => Target::new("webhook", webhook);
    /// A user set which events of a space to be notified of; no level is the default.
    NotificationLevelUpdated = "notification_level_updated", "Notification level updated", {
        space: SpaceId,
        user: UserId,
        #[serde(default, skip_serializing_if = "Option::is_none")] level: Option<NotificationLevel>,
    } => Target::new("space", space);
    /// A user set whether to get e-mails about notifications.
    NotificationSettingsUpdated = "notification_settings_updated", "Notification settings updated", {
        user: UserId,
        email: bool,
    } => Target::new("user", user);
}

/// The kinds that webhooks do not get: changes of accounts, which belong to no organization, and denied operations, which
/// change nothing.
const NOT_SENT: [&str; 6] =
    ["user_created", "user_updated", "user_verified", "token_created", "token_revoked", "access_denied"];

impl Change {
    /// The stored fields, with the names of the API.
    pub fn payload(&self) -> Map<String, Value> {
        let Ok(Value::Object(fields)) = serde_json::to_value(self) else { return Map::new() };
        fields.into_iter().filter(|(name, _)| name != "type").map(|(name, value)| (camel(&name), value)).collect()
    }
}

/// A name in the API's style: `change_request` becomes `changeRequest`.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut whole, part| {
        let mut letters = part.chars();
        whole.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        whole + letters.as_str()
    })
}

/// A change with its actor, time and source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The id; ids sort by time.
    pub id: EventId,
    /// The organization, if the change belongs to one.
    pub organization: Option<OrganizationId>,
    /// The user who made the change; absent for the server itself and its operator.
    pub actor: Option<UserId>,
    /// The token of the request.
    pub token: Option<TokenId>,
    /// The source of the call.
    pub source: Source,
    /// The client of the request, if there was one.
    pub client: Option<Arc<Client>>,
    /// When the change was made.
    pub at: DateTime<Utc>,
    /// The change.
    pub change: Change,
}

impl Event {
    /// The kind of actor, as in the API.
    pub fn actor_kind(&self) -> &'static str {
        match (&self.actor, self.source) {
            (Some(_), _) => "user",
            (None, Source::Server) => "server",
            (None, Source::Api | Source::Cli) => "operator",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_of_change_has_a_name_and_a_label_of_its_own() {
        let names: BTreeSet<&str> = Change::ACTIONS.iter().map(|action| action.id).collect();
        let labels: BTreeSet<&str> = Change::ACTIONS.iter().map(|action| action.label).collect();
        assert_eq!((names.len(), labels.len()), (Change::ACTIONS.len(), Change::ACTIONS.len()));
        let plain = |id: &str| id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        assert!(Change::ACTIONS.iter().all(|action| plain(action.id) && !action.label.is_empty()));
    }

    #[test]
    fn a_change_is_told_in_the_words_of_the_api() {
        let (space, change_request) = ("s".parse().unwrap(), "c".parse().unwrap());
        let change = Change::ChangeRequestCreated { space, change_request };
        assert_eq!(Value::Object(change.payload()), json!({ "space": "s", "changeRequest": "c" }));
        assert_eq!(change.action(), "change_request_created");
        assert_eq!(change.target(), Target { kind: "change-request", id: "c" });
    }

    #[test]
    fn webhooks_get_the_changes_of_organizations_and_neither_accounts_nor_denied_requests() {
        let sent: BTreeSet<&str> = Action::sent().map(|action| action.id).collect();
        assert_eq!(sent.len() + NOT_SENT.len(), Change::ACTIONS.len(), "every kind in the list exists");
        assert!(sent.contains("space_created") && sent.contains("member_added") && !sent.contains("access_denied"));
    }

    #[test]
    fn an_unknown_action_is_refused_with_those_that_are_known() {
        let Err(Rule(rule)) = "space_exploded".parse::<Action>() else { panic!("accepted") };
        assert!(rule.starts_with("must be one of user_created, "), "{rule}");
        assert_eq!("space_created".parse::<Action>().unwrap().label, "Space created");
    }
}
