//! The kinds of changes.
use super::define::changes;
use super::{Action, Differences, Target};
use crate::access::Role;
use crate::change_request::Status;
use crate::comment::Discussion;
use crate::id::{
    ChangeRequestId, CollectionId, CommentId, CommentReplyId, ConflictId, ConversationId, InviteId, IssueClusterId,
    OpenapiSpecId, OpenapiVersionId, OrganizationId, PageId, ReviewId, RevisionId, ShareLinkId, SiteFeedbackId, SiteId,
    SiteRedirectId, SiteSpaceId, SpaceId, TeamId, TokenId, TranslationId, UserId, WebhookId,
};
use crate::notification::NotificationLevel;
use crate::scope::ScopeSet;
use crate::site::feedback::FeedbackRating;
use crate::text::Language;
use crate::words;
use chrono::{DateTime, Utc};
use openapi::diff::ChangeCounts;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

words! {
    /// What happened to a part of the structure of a site.
    pub enum StructureChange {
        Added = "added",
        Updated = "updated",
        Moved = "moved",
        Removed = "removed",
    }
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
    /// A review of a change request was requested from a user.
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
    /// A site was created.
    SiteCreated = "site_created", "Site created", { site: SiteId } => Target::new("site", site);
    /// The settings of a site were updated.
    SiteUpdated = "site_updated", "Site updated", {
        site: SiteId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("site", site);
    /// A site was published.
    SitePublished = "site_published", "Site published", { site: SiteId } => Target::new("site", site);
    /// A site was taken offline.
    SiteUnpublished = "site_unpublished", "Site unpublished", { site: SiteId } => Target::new("site", site);
    /// A site was deleted.
    SiteDeleted = "site_deleted", "Site deleted", { site: SiteId } => Target::new("site", site);
    /// A part of the structure of a site was added, updated, moved or removed: a space, a section, a group or a link.
    SiteStructureUpdated = "site_structure_updated", "Site structure updated", {
        site: SiteId,
        change: StructureChange,
        part: String,
        id: String,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("site", site);
    /// Redirects of a site were added, updated or removed.
    SiteRedirectsUpdated = "site_redirects_updated", "Site redirects updated", {
        site: SiteId,
        added: Vec<SiteRedirectId>,
        updated: Vec<SiteRedirectId>,
        removed: Vec<SiteRedirectId>,
    } => Target::new("site", site);
    /// A share link of a site was created.
    SiteShareLinkCreated = "site_share_link_created", "Share link created", {
        site: SiteId,
        share_link: ShareLinkId,
    } => Target::new("site", site);
    /// A share link of a site was renamed, activated or deactivated.
    SiteShareLinkUpdated = "site_share_link_updated", "Share link updated", {
        site: SiteId,
        share_link: ShareLinkId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("site", site);
    /// A share link of a site was deleted.
    SiteShareLinkDeleted = "site_share_link_deleted", "Share link deleted", {
        site: SiteId,
        share_link: ShareLinkId,
    } => Target::new("site", site);
    /// The publishing authentication of a site was updated, or its private key was replaced.
    SitePublishingAuthUpdated = "site_publishing_auth_updated", "Publishing authentication updated", {
        site: SiteId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("site", site);
    /// The adaptive schema of a site was set.
    SiteAdaptiveSchemaUpdated = "site_adaptive_schema_updated", "Adaptive schema updated", {
        site: SiteId,
    } => Target::new("site", site);
    /// The customization of a site, or of a space on it, was changed. `keys` are the changed keys, such as
    /// `styling.theme`.
    SiteCustomizationUpdated = "site_customization_updated", "Site customization updated", {
        site: SiteId,
        #[serde(default, skip_serializing_if = "Option::is_none")] site_space: Option<SiteSpaceId>,
        keys: Vec<String>,
    } => Target::new("site", site);
    /// A visitor of a site rated a page. The log does not have the comment, which can be deleted.
    PageFeedback = "page_feedback", "Page rated", {
        site: SiteId,
        site_space: SiteSpaceId,
        space: SpaceId,
        page: PageId,
        feedback: SiteFeedbackId,
        rating: FeedbackRating,
    } => Target::new("site-feedback", feedback);
    /// The feedback of a visitor was deleted.
    PageFeedbackDeleted = "page_feedback_deleted", "Feedback deleted", {
        site: SiteId,
        feedback: SiteFeedbackId,
    } => Target::new("site-feedback", feedback);
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
    /// A translation was created.
    TranslationCreated = "translation_created", "Translation created", {
        translation: TranslationId,
        space: SpaceId,
        language: Language,
    } => Target::new("translation", translation);
    /// The instructions of a translation were set.
    TranslationUpdated = "translation_updated", "Translation updated", {
        translation: TranslationId,
    } => Target::new("translation", translation);
    /// A run of a translation was requested.
    TranslationRunRequested = "translation_run_requested", "Translation run requested", {
        translation: TranslationId,
    } => Target::new("translation", translation);
    /// A run of a translation finished. `revision` is the primary revision of its target, if the run made one.
    TranslationRun = "translation_run", "Translation run", {
        translation: TranslationId,
        #[serde(default, skip_serializing_if = "Option::is_none")] revision: Option<RevisionId>,
        words: u64,
    } => Target::new("translation", translation);
    /// A translation was deleted. Its target stays.
    TranslationDeleted = "translation_deleted", "Translation deleted", {
        translation: TranslationId,
    } => Target::new("translation", translation);
    /// Terms of the glossary were added, updated or deleted.
    GlossaryUpdated = "glossary_updated", "Glossary updated", {
        organization: OrganizationId,
        saved: usize,
        removed: usize,
    } => Target::new("organization", organization);
    /// An OpenAPI spec was created.
    OpenapiSpecCreated = "openapi_spec_created", "OpenAPI spec created", {
        spec: OpenapiSpecId,
        slug: String,
    } => Target::new("openapi-spec", spec);
    /// The source or the visibility of an OpenAPI spec was set.
    OpenapiSpecUpdated = "openapi_spec_updated", "OpenAPI spec updated", {
        spec: OpenapiSpecId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")] source_set: bool,
    } => Target::new("openapi-spec", spec);
    /// An OpenAPI spec was deleted, with all its versions.
    OpenapiSpecDeleted = "openapi_spec_deleted", "OpenAPI spec deleted", {
        spec: OpenapiSpecId,
        slug: String,
    } => Target::new("openapi-spec", spec);
    /// The server added a version to an OpenAPI spec.
    OpenapiVersionAdded = "openapi_version_added", "OpenAPI version added", {
        spec: OpenapiSpecId,
        version: OpenapiVersionId,
        #[serde(default, skip_serializing_if = "Option::is_none")] changes: Option<ChangeCounts>,
    } => Target::new("openapi-spec", spec);
    /// Conversations were stored. Unchanged known conversations do not count.
    ConversationsIngested = "conversations_ingested", "Conversations ingested", {
        organization: OrganizationId,
        conversations: u32,
    } => Target::new("organization", organization);
    /// A conversation was deleted, with its issues.
    ConversationForgotten = "conversation_forgotten", "Conversation deleted", {
        conversation: ConversationId,
    } => Target::new("conversation", conversation);
    /// A cluster of issues was muted, or unmuted.
    IssueClusterUpdated = "issue_cluster_updated", "Cluster of issues updated", {
        cluster: IssueClusterId,
        #[serde(default, skip_serializing_if = "Differences::is_empty")] changes: Differences,
    } => Target::new("issues-cluster", cluster);
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

/// The kinds that webhooks do not get: changes of accounts, which belong to no organization, and denied operations,
/// which change nothing.
pub(super) const NOT_SENT: [&str; 8] = [
    "user_created",
    "user_updated",
    "user_verified",
    "token_created",
    "token_revoked",
    "access_denied",
    "notification_level_updated",
    "notification_settings_updated",
];

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
