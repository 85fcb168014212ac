//! The table of operations: what each requires, and a valid body for it.
use serde_json::{Value, json};

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
    ("get", "/v1/orgs/{organizationId}/conversations", Need::Edit, 200),
    ("post", "/v1/orgs/{organizationId}/conversations", Need::Create, 204),
    ("get", "/v1/orgs/{organizationId}/conversations/{conversationId}", Need::Edit, 200),
    ("delete", "/v1/orgs/{organizationId}/conversations/{conversationId}", Need::Create, 204),
    ("get", "/v1/orgs/{organizationId}/conversations-issues", Need::Edit, 200),
    ("get", "/v1/orgs/{organizationId}/conversations-issues/{issueId}", Need::Edit, 200),
    ("get", "/v1/orgs/{organizationId}/conversations-clusters", Need::Edit, 200),
    ("get", "/v1/orgs/{organizationId}/conversations-clusters/{clusterId}", Need::Edit, 200),
    ("patch", "/v1/orgs/{organizationId}/conversations-clusters/{clusterId}", Need::Create, 200),
    ("get", "/v1/orgs/{organizationId}/translations", Need::Admin, 200),
    ("post", "/v1/orgs/{organizationId}/translations", Need::Admin, 201),
    ("get", "/v1/orgs/{organizationId}/translations/{translationId}", Need::Admin, 200),
    ("put", "/v1/orgs/{organizationId}/translations/{translationId}", Need::Admin, 200),
    ("delete", "/v1/orgs/{organizationId}/translations/{translationId}", Need::Admin, 204),
    ("post", "/v1/orgs/{organizationId}/translations/{translationId}/run", Need::Admin, 204),
    ("get", "/v1/orgs/{organizationId}/translations-glossary", Need::Admin, 200),
    ("put", "/v1/orgs/{organizationId}/translations-glossary", Need::Admin, 204),
    ("get", "/v1/orgs/{organizationId}/translations-glossary/{glossaryEntryId}", Need::Admin, 200),
    ("get", "/v1/orgs/{organizationId}/openapi", Need::Read, 200),
    ("post", "/v1/orgs/{organizationId}/openapi", Need::Create, 201),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}", Need::Read, 200),
    ("put", "/v1/orgs/{organizationId}/openapi/{specSlug}", Need::Create, 200),
    ("patch", "/v1/orgs/{organizationId}/openapi/{specSlug}", Need::Create, 200),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/usages", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/operations", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/changes", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/operation", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content/raw", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content/raw", Need::Read, 200),
    ("delete", "/v1/orgs/{organizationId}/openapi/{specSlug}", Need::Create, 205),
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
    ("post", "/v1/spaces/{spaceId}/content/computed/document", Need::Read, 200),
    ("post", "/v1/spaces/{spaceId}/content/computed/revision", Need::Read, 200),
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
    // Each request that changes a site gets one of its own.
    ("get", "/v1/orgs/{organizationId}/sites", Need::Guest, 200),
    ("post", "/v1/orgs/{organizationId}/sites", Need::Create, 201),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}", Need::Read, 200),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}", Need::Create, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/publish", Need::Admin, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/unpublish", Need::Admin, 200),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/structure", Need::Read, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/search", Need::Read, 200),
    // The site is not published.
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/published", Need::Read, 404),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/structure/sort", Need::Create, 200),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/sections", Need::Read, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/sections", Need::Create, 201),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}", Need::Create, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}/move", Need::Create, 200),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}", Need::Create, 205),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/section-groups", Need::Read, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/section-groups", Need::Create, 201),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}", Need::Create, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/move", Need::Create, 200),
    (
        "post",
        "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections",
        Need::Create,
        201,
    ),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}", Need::Create, 205),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces", Need::Read, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces", Need::Create, 201),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}", Need::Create, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move", Need::Create, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/duplicate", Need::Create, 201),
    // The site has spaces.
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/template", Need::Create, 409),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}", Need::Create, 205),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/customization", Need::Read, 200),
    ("put", "/v1/orgs/{organizationId}/sites/{siteId}/customization", Need::Admin, 200),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization", Need::Read, 200),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization", Need::Admin, 200),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization", Need::Admin, 205),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/external-links", Need::Create, 201),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/external-links/{siteExternalLinkId}", Need::Create, 200),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/external-links/{siteExternalLinkId}", Need::Create, 205),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/permissions", Need::Create, 204),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/permissions/users", Need::Create, 200),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/permissions/users/{userId}", Need::Create, 404),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/permissions/users/{userId}", Need::Create, 204),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/permissions/teams", Need::Create, 200),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/permissions/teams/{teamId}", Need::Create, 404),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/permissions/teams/{teamId}", Need::Create, 204),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/permissions/aggregate", Need::Create, 200),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/redirects", Need::Read, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/redirects", Need::Create, 201),
    ("put", "/v1/orgs/{organizationId}/sites/{siteId}/redirects", Need::Create, 200),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/redirect", Need::Read, 200),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}", Need::Read, 200),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}", Need::Create, 200),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}", Need::Create, 205),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/share-links", Need::Admin, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/share-links", Need::Admin, 201),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}", Need::Admin, 200),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}", Need::Admin, 200),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}", Need::Admin, 205),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/feedback", Need::Edit, 200),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/feedback/{feedbackId}", Need::Edit, 200),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}/feedback/{feedbackId}", Need::Admin, 205),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth", Need::Admin, 200),
    ("patch", "/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth", Need::Admin, 200),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth/regenerate", Need::Admin, 200),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema", Need::Edit, 200),
    ("put", "/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema", Need::Admin, 200),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema/template-conditions", Need::Edit, 200),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/integration-scripts", Need::Read, 200),
    ("delete", "/v1/orgs/{organizationId}/sites/{siteId}", Need::Admin, 205),
    ("get", "/v1/orgs/{organizationId}/sites/{siteId}/publishing/preview", Need::Read, 200),
    // No site has the address.
    ("post", "/v1/urls/published", Need::Token, 404),
    ("get", "/v1/urls/published", Need::Token, 404),
    ("get", "/v1/urls/content", Need::Read, 200),
    // No organization has the host name.
    ("get", "/v1/subdomains/{subdomain}", Need::Token, 404),
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

/// Instructions to agents or translators.
pub(crate) fn instructions() -> Value {
    let text = json!({"object": "text", "leaves": [{"object": "leaf", "text": "Be brief."}]});
    let paragraph = json!({"object": "block", "type": "paragraph", "nodes": [text]});
    json!({"object": "document", "data": {}, "nodes": [paragraph]})
}

/// A valid body for the operation. The first request with it changes something, where that is possible.
pub(crate) fn body(method: &str, path: &str) -> Option<Value> {
    match (method, path) {
        ("post", "/v1/orgs") => Some(json!({"title": "Another"})),
        ("post", "/v1/user/tokens") => Some(json!({"label": "another"})),
        ("patch", "/v1/users/{userId}") => Some(json!({"displayName": "Another"})),
        ("patch", "/v1/orgs/{organizationId}" | "/v1/collections/{collectionId}" | "/v1/spaces/{spaceId}") => {
            Some(json!({"title": "Another"}))
        }
        ("patch", path) if path.ends_with("/{changeRequestId}") => Some(json!({"subject": "Another"})),
        ("patch", path) if path.ends_with("/{webhookId}") => Some(json!({"description": "Another"})),
        ("patch", "/v1/user/notifications/{notificationId}") => Some(json!({"read": true})),
        ("patch", "/v1/user/notification-settings") => Some(json!({"email": false})),
        ("put", "/v1/spaces/{spaceId}/notification-settings") => Some(json!({"level": "all"})),
        ("patch", path) if path.ends_with("/sort") => {
            Some(json!({"item": {"type": "site-section", "id": "{siteSectionId}"}, "position": {}}))
        }
        ("patch", path) if path.ends_with("/sites/{siteId}") => Some(json!({"defaultSiteSection": "{siteSectionId}"})),
        ("patch", path)
            if ["/{siteSectionId}", "/{siteSectionGroupId}", "/{siteExternalLinkId}"]
                .iter()
                .any(|end| path.ends_with(end)) =>
        {
            Some(json!({"title": "Another"}))
        }
        ("patch", path) if path.ends_with("/{siteSpaceId}") => Some(json!({"hidden": true})),
        ("patch", path) if path.ends_with("/{siteRedirectId}") => Some(json!({"permanent": true})),
        ("put" | "patch", path) if path.ends_with("/customization") => Some(json!({"title": "Handbook"})),
        ("post", path) if path.contains("/sites/") && path.ends_with("/move") => Some(json!({})),
        ("post", path) if path.ends_with("/{siteSectionGroupId}/sections") => {
            Some(json!({"sectionId": "{siteSectionId}"}))
        }
        ("post", path) if path.ends_with("/site-spaces") || path.ends_with("/sections") => {
            Some(json!({"spaceId": "{spaceId}"}))
        }
        ("post", path) if path.ends_with("/redirects") => {
            let destination = json!({"kind": "external", "url": "https://example.org/"});
            Some(json!({"source": "/old", "destination": destination}))
        }
        ("put", path) if path.ends_with("/redirects") => {
            Some(json!({"redirects": [{"source": "/gone", "destination": null}]}))
        }
        ("post", path) if path.ends_with("/urls/published") => Some(json!({"url": "https://docs.test/s/nowhere/"})),
        ("post", path) if path.ends_with("/share-links") => Some(json!({"name": "Partners"})),
        ("patch", path) if path.ends_with("/{shareLinkId}") => Some(json!({"active": false})),
        ("patch", path) if path.ends_with("/publishing/auth") => Some(json!({"backend": "integration"})),
        ("put", path) if path.ends_with("/adaptive-schema") => {
            let plan = json!({"plan": {"type": "string", "description": "The plan"}});
            Some(json!({"jsonSchema": {"type": "object", "properties": plan, "additionalProperties": false}}))
        }
        ("post", path) if path.ends_with("/section-groups") => Some(json!({"title": "Guides"})),
        ("post", path) if path.ends_with("/external-links") => {
            Some(json!({"title": "Status", "url": "https://example.org/"}))
        }
        ("post", path) if path.contains("/search") => Some(json!({"query": "engine"})),
        ("post", path) if path.contains("/content/computed/") => {
            let props = if path.ends_with("/document") { json!({"doc": "operations", "page": ""}) } else { json!({}) };
            let spec = json!({"spec": {"ref": {"kind": "openapi", "spec": "{specSlug}"}}});
            Some(json!({"source": {"type": "builtin:openapi", "dependencies": spec, "props": props}}))
        }
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
        ("post", path) if path.ends_with("/conversations") => {
            let part = json!({"type": "message", "role": "user", "body": "The export fails."});
            Some(json!({"id": "{new}", "parts": [part]}))
        }
        ("patch", path) if path.ends_with("/{clusterId}") => Some(json!({"muted": true})),
        ("post", path) if path.ends_with("/openapi") => {
            Some(json!({"slug": "{new}", "source": {"url": "https://127.0.0.1/"}}))
        }
        ("put", path) if path.ends_with("/{specSlug}") => Some(json!({"source": {"url": "https://127.0.0.1/"}})),
        ("patch", path) if path.ends_with("/{specSlug}") => Some(json!({"visibility": "public"})),
        ("post", path) if path.ends_with("/webhooks") => Some(json!({"url": "https://127.0.0.1/"})),
        ("post", path) if path.ends_with("/translations") => {
            Some(json!({"source": {"space": "{spaceId}", "language": "en"}, "language": "de"}))
        }
        ("put", path) if path.ends_with("/{translationId}") || path.ends_with("/agent-instructions") => {
            Some(json!({"instructions": instructions()}))
        }
        ("put", path) if path.ends_with("/translations-glossary") => {
            Some(json!({"operations": [{"type": "insert", "translations": {"en": "engine"}}]}))
        }
        ("post", path) if path.ends_with("/link-invites") => Some(json!({"role": "read"})),
        ("patch", path) if path.ends_with("/{inviteId}") => Some(json!({"role": "edit"})),
        ("patch", path) if path.ends_with("/members/{userId}") => Some(json!({"role": "comment"})),
        ("put", path) if path.ends_with("/members") => Some(json!({"add": ["{userId}"]})),
        ("put", path) if path.ends_with("/teams") => Some(json!({"title": "Writers"})),
        ("patch", path) if path.ends_with("/{teamId}") => Some(json!({"title": "Authors"})),
        ("post" | "put" | "patch", _) => Some(json!({})),
        _ => None,
    }
}
