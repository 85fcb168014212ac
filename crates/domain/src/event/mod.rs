//! What happened: recorded in the transaction that did it, so nothing is announced that was not committed, and
//! nothing committed goes unannounced. The audit log and, later, webhooks and jobs feed from it. The log tells besides
//! who was denied what.
mod differences;

use crate::access::Role;
use crate::actor::{Client, Source};
use crate::change_request::Status;
use crate::id::{
    ChangeRequestId, CollectionId, ConflictId, EventId, InviteId, OrganizationId, ReviewId, RevisionId, SpaceId,
    TeamId, TokenId, UserId,
};
use crate::scope::ScopeSet;
use crate::text::Rule;
use chrono::{DateTime, Utc};
pub use differences::{Audited, Differences};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The version of the form in which events are told. It grows when a field changes its meaning or goes.
pub const SCHEMA_VERSION: u32 = 1;

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// Its name, which never changes.
    pub id: &'static str,
    /// What people call it.
    pub label: &'static str,
}

impl std::str::FromStr for Action {
    type Err = Rule;
    fn from_str(raw: &str) -> Result<Self, Rule> {
        let known = || Change::ACTIONS.iter().map(|action| action.id).collect::<Vec<_>>().join(", ");
        let found = Change::ACTIONS.iter().find(|action| action.id == raw);
        found.copied().ok_or_else(|| Rule(format!("must be one of {}", known())))
    }
}

/// What a change was made to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// What it is, in the API's words.
    pub kind: &'a str,
    /// Its id.
    pub id: &'a str,
}

impl<'a> Target<'a> {
    fn new(kind: &'a str, id: &'a impl AsRef<str>) -> Self {
        Self { kind, id: id.as_ref() }
    }
}

/// All there is to say of a kind of change, in one place: its name and label, what is kept of it, and what it is made to.
/// Names are for ever, since the log is; a field that is added later needs a default.
macro_rules! changes {
    ($(
        $(#[doc = $doc:literal])+
        $variant:ident = $id:literal, $label:literal,
        { $($(#[$meta:meta])* $field:ident: $type:ty),* $(,)? } => $target:expr;
    )+) => {
        /// Something that changed.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "type")]
        #[expect(missing_docs, reason = "the fields are ids")]
        pub enum Change {
            $($(#[doc = $doc])+ #[serde(rename = $id)] $variant { $($(#[$meta])* $field: $type),* }),+
        }

        impl Change {
            /// Every kind of change.
            pub const ACTIONS: &'static [Action] = &[$(Action { id: $id, label: $label }),+];

            /// The name of its kind.
            pub fn action(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $id),+ }
            }

            /// What it was made to.
            pub fn target(&self) -> Target<'_> {
                match self { $(Self::$variant { $($field),* } => { let _others = ($($field,)*); $target }),+ }
            }
        }
    };
}
changes! {
    /// An account was made.
    UserCreated = "user_created", "Account created", { user: UserId } => Target::new("user", user);
    /// What an account shows of itself changed.
    UserUpdated = "user_updated", "Account updated", {
        user: UserId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("user", user);
    /// A token was made.
    TokenCreated = "token_created", "Token created", {
        token: TokenId,
        user: UserId,
        #[serde(default, skip_serializing_if = "Option::is_none")] scopes: Option<ScopeSet>,
        #[serde(default, skip_serializing_if = "Option::is_none")] expires_at: Option<DateTime<Utc>>,
    } => Target::new("token", token);
    /// A token was withdrawn.
    TokenRevoked = "token_revoked", "Token revoked", { token: TokenId, user: UserId } => Target::new("token", token);
    /// An organization was made.
    OrganizationCreated = "organization_created", "Organization created", {
        organization: OrganizationId,
    } => Target::new("organization", organization);
    /// An organization's settings changed.
    OrganizationUpdated = "organization_updated", "Organization updated", {
        organization: OrganizationId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("organization", organization);
    /// The address of an account turned out to be its own.
    UserVerified = "user_verified", "Email address verified", { user: UserId } => Target::new("user", user);
    /// What an organization tells agents changed.
    AgentInstructionsUpdated = "agent_instructions_updated", "Agent instructions updated", {
        organization: OrganizationId,
    } => Target::new("organization", organization);
    /// Somebody became a member of an organization.
    MemberAdded = "member_added", "Member added", { user: UserId, role: Option<Role> } => Target::new("user", user);
    /// A member's place in the organization changed.
    MemberUpdated = "member_updated", "Member updated", {
        user: UserId,
        role: Option<Role>,
        disabled: bool,
        sso: bool,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("user", user);
    /// Somebody is no longer a member.
    MemberRemoved = "member_removed", "Member removed", {
        user: UserId,
        #[serde(default, skip_serializing_if = "Option::is_none")] role: Option<Role>,
    } => Target::new("user", user);
    /// A team was made.
    TeamCreated = "team_created", "Team created", { team: TeamId } => Target::new("team", team);
    /// A team's title changed.
    TeamUpdated = "team_updated", "Team updated", {
        team: TeamId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("team", team);
    /// A team was taken away.
    TeamDeleted = "team_deleted", "Team deleted", { team: TeamId } => Target::new("team", team);
    /// Users joined a team or became something else in it, and others left it. Those who own it now are named twice.
    TeamMembersUpdated = "team_members_updated", "Team members updated", {
        team: TeamId,
        members: Vec<UserId>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")] owners: Vec<UserId>,
        removed: Vec<UserId>,
    } => Target::new("team", team);
    /// An invite was made. What it lets into was told as `place` at first.
    InviteCreated = "invite_created", "Invite created", {
        invite: InviteId,
        #[serde(default, skip_serializing_if = "Option::is_none")] place: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")] space: Option<SpaceId>,
        #[serde(default, skip_serializing_if = "Option::is_none")] collection: Option<CollectionId>,
        #[serde(default, skip_serializing_if = "Option::is_none")] role: Option<Role>,
    } => Target::new("invite", invite);
    /// What an invite gives changed.
    InviteUpdated = "invite_updated", "Invite updated", {
        invite: InviteId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("invite", invite);
    /// An invite was withdrawn.
    InviteDeleted = "invite_deleted", "Invite deleted", { invite: InviteId } => Target::new("invite", invite);
    /// Somebody was given what an invite gives.
    InviteAccepted = "invite_accepted", "Invite accepted", {
        invite: InviteId,
        user: UserId,
    } => Target::new("invite", invite);
    /// Somebody was refused something that only whoever has the right to it can do. Nothing changed.
    AccessDenied = "access_denied", "Access denied", {
        operation: String,
        reason: String,
        kind: String,
        id: String,
    } => Target::new(kind, id);
    /// A space was made.
    SpaceCreated = "space_created", "Space created", { space: SpaceId } => Target::new("space", space);
    /// A space's settings changed.
    SpaceUpdated = "space_updated", "Space updated", {
        space: SpaceId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("space", space);
    /// A space was put elsewhere in its organization.
    SpaceMoved = "space_moved", "Space moved", {
        space: SpaceId,
        parent: Option<CollectionId>,
    } => Target::new("space", space);
    /// A space was handed over to another organization. Both are told.
    SpaceTransferred = "space_transferred", "Space transferred", {
        space: SpaceId,
        from: OrganizationId,
        to: OrganizationId,
    } => Target::new("space", space);
    /// A space was made as a copy of another one.
    SpaceDuplicated = "space_duplicated", "Space duplicated", {
        space: SpaceId,
        source: SpaceId,
    } => Target::new("space", space);
    /// A space was deleted; it can be restored for a while.
    SpaceDeleted = "space_deleted", "Space deleted", { space: SpaceId } => Target::new("space", space);
    /// A deleted space came back.
    SpaceRestored = "space_restored", "Space restored", { space: SpaceId } => Target::new("space", space);
    /// A deleted space was removed for good.
    SpacePurged = "space_purged", "Space purged", { space: SpaceId } => Target::new("space", space);
    /// A collection was made.
    CollectionCreated = "collection_created", "Collection created", {
        collection: CollectionId,
    } => Target::new("collection", collection);
    /// A collection's settings changed.
    CollectionUpdated = "collection_updated", "Collection updated", {
        collection: CollectionId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("collection", collection);
    /// A collection was put elsewhere in its organization.
    CollectionMoved = "collection_moved", "Collection moved", {
        collection: CollectionId,
        parent: Option<CollectionId>,
    } => Target::new("collection", collection);
    /// A collection was handed over to another organization, with all that is in it. Both are told.
    CollectionTransferred = "collection_transferred", "Collection transferred", {
        collection: CollectionId,
        from: OrganizationId,
        to: OrganizationId,
    } => Target::new("collection", collection);
    /// A collection was deleted, with all that is in it.
    CollectionDeleted = "collection_deleted", "Collection deleted", {
        collection: CollectionId,
    } => Target::new("collection", collection);
    /// A deleted collection came back, with a space in it.
    CollectionRestored = "collection_restored", "Collection restored", {
        collection: CollectionId,
    } => Target::new("collection", collection);
    /// A deleted collection was removed for good.
    CollectionPurged = "collection_purged", "Collection purged", {
        collection: CollectionId,
    } => Target::new("collection", collection);
    /// Somebody was let into a space or a collection, or shut out of it, by name or as a team.
    AccessGranted = "access_granted", "Access granted", {
        place: String,
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")] user: Option<UserId>,
        #[serde(default, skip_serializing_if = "Option::is_none")] team: Option<TeamId>,
        role: Option<Role>,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new(place, id);
    /// What was granted on a space or a collection was taken back.
    AccessWithdrawn = "access_withdrawn", "Access withdrawn", {
        place: String,
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")] user: Option<UserId>,
        #[serde(default, skip_serializing_if = "Option::is_none")] team: Option<TeamId>,
        #[serde(default, skip_serializing_if = "Option::is_none")] role: Option<Role>,
    } => Target::new(place, id);
    /// The primary content of a space moved to another revision.
    SpaceContentUpdated = "space_content_updated", "Space content updated", {
        space: SpaceId,
        revision: RevisionId,
    } => Target::new("space", space);
    /// A change request was made.
    ChangeRequestCreated = "change_request_created", "Change request created", {
        space: SpaceId,
        change_request: ChangeRequestId,
    } => Target::new("change-request", change_request);
    /// The facts or the state of a change request changed.
    ChangeRequestUpdated = "change_request_updated", "Change request updated", {
        space: SpaceId,
        change_request: ChangeRequestId,
        status: Status,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("change-request", change_request);
    /// The content of a change request moved to another revision.
    ChangeRequestContentUpdated = "change_request_content_updated", "Change request content updated", {
        space: SpaceId,
        change_request: ChangeRequestId,
        revision: RevisionId,
    } => Target::new("change-request", change_request);
    /// A change request became part of the primary content.
    ChangeRequestMerged = "change_request_merged", "Change request merged", {
        space: SpaceId,
        change_request: ChangeRequestId,
        revision: RevisionId,
    } => Target::new("change-request", change_request);
    /// A conflict of a change request was decided.
    ConflictResolved = "conflict_resolved", "Conflict resolved", {
        space: SpaceId,
        change_request: ChangeRequestId,
        conflict: ConflictId,
    } => Target::new("change-request", change_request);
    /// Somebody was asked to review a change request.
    ReviewRequested = "review_requested", "Review requested", {
        space: SpaceId,
        change_request: ChangeRequestId,
        user: UserId,
    } => Target::new("change-request", change_request);
    /// Somebody is no longer asked to review a change request.
    ReviewRequestWithdrawn = "review_request_withdrawn", "Review request withdrawn", {
        space: SpaceId,
        change_request: ChangeRequestId,
        user: UserId,
    } => Target::new("change-request", change_request);
    /// A change request was reviewed.
    ReviewSubmitted = "review_submitted", "Review submitted", {
        space: SpaceId,
        change_request: ChangeRequestId,
        review: ReviewId,
    } => Target::new("change-request", change_request);
}

impl Change {
    /// What is kept of it, in the API's words.
    pub fn payload(&self) -> Map<String, Value> {
        let Ok(Value::Object(fields)) = serde_json::to_value(self) else { return Map::new() };
        fields.into_iter().filter(|(name, _)| name != "type").map(|(name, value)| (camel(&name), value)).collect()
    }
}

/// A name as the API writes it: `change_request` is `changeRequest`.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut whole, part| {
        let mut letters = part.chars();
        whole.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        whole + letters.as_str()
    })
}

/// A change, with who made it, when, and from where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The id; sorts by time.
    pub id: EventId,
    /// The organization concerned, if any.
    pub organization: Option<OrganizationId>,
    /// Who made it; absent when the server itself or its operator did.
    pub actor: Option<UserId>,
    /// The token it was made with.
    pub token: Option<TokenId>,
    /// Which way in was taken.
    pub source: Source,
    /// Where the request came from, where there was one.
    pub client: Option<Arc<Client>>,
    /// When.
    pub at: DateTime<Utc>,
    /// What.
    pub change: Change,
}

impl Event {
    /// What kind of actor made the change, in the API's words.
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
    fn what_was_recorded_before_fields_were_added_is_still_read() {
        let old = json!({ "type": "token_created", "token": "t", "user": "u" });
        let change: Change = serde_json::from_value(old.clone()).unwrap();
        assert!(matches!(&change, Change::TokenCreated { scopes: None, expires_at: None, .. }), "{change:?}");
        assert_eq!(serde_json::to_value(change).unwrap(), old);
        let old = json!({ "type": "invite_created", "invite": "i", "place": "s", "role": "edit" });
        assert_eq!(serde_json::to_value(serde_json::from_value::<Change>(old.clone()).unwrap()).unwrap(), old);
        let old = json!({ "type": "space_updated", "space": "s" });
        assert_eq!(serde_json::to_value(serde_json::from_value::<Change>(old.clone()).unwrap()).unwrap(), old);
    }

    #[test]
    fn an_unknown_action_is_refused_with_those_that_are_known() {
        let Err(Rule(rule)) = "space_exploded".parse::<Action>() else { panic!("accepted") };
        assert!(rule.starts_with("must be one of user_created, "), "{rule}");
        assert_eq!("space_created".parse::<Action>().unwrap().label, "Space created");
    }
}
