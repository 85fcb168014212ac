//! The scopes that operations need. The server's check and the OpenAPI document both use this table. An operation that
//! is missing here is closed to tokens with scopes, and fails a test.
//!
//! An operation that no scope covers needs a token with all scopes ([`Wanted::AllScopes`]), so that a token for one
//! purpose cannot obtain more rights.
use domain::scope::{Scope, Wanted};
use utoipa::openapi::SecurityRequirement;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

/// Operation ids, grouped by the scope they need.
const TABLE: &[(Wanted, &[&str])] = &[
    (Wanted::AnyToken, &["getApiInformation"]),
    // Operations on accounts and tokens, and others that no scope covers.
    (
        Wanted::AllScopes,
        &[
            "updateUserById",
            "listUserTokens",
            "createUserToken",
            "getUserTokenById",
            "deleteUserTokenById",
            "listOrganizationAuditEvents",
            "getOrganizationAuditEvent",
            "listOrganizationAuditEventActions",
            "updateOrganizationMemberLastSeenAt",
            "setUserAsSSOMemberForOrganization",
            "joinOrganization",
            "joinOrganizationWithInvite",
            "getOrganizationsForEmailDomain",
            "getOrganizationAgentInstructions",
            "updateOrganizationAgentInstructions",
            // Webhooks get the events of the audit log.
            "listOrganizationWebhooks",
            "createOrganizationWebhook",
            "getOrganizationWebhookById",
            "updateOrganizationWebhookById",
            "deleteOrganizationWebhookById",
            "replaceOrganizationWebhookSecret",
            "pingOrganizationWebhook",
            "listOrganizationWebhookDeliveries",
            "getOrganizationWebhookDeliveryById",
            "redeliverOrganizationWebhookDelivery",
            "listTranslations",
            "createTranslation",
            "getTranslation",
            "updateTranslation",
            "deleteTranslation",
            "runTranslation",
            "listGlossaryEntries",
            "updateGlossaryEntries",
            "getGlossaryEntryById",
            "listUserNotifications",
            "readUserNotifications",
            "getUserNotificationById",
            "updateUserNotificationById",
            "getUserNotificationSettings",
            "updateUserNotificationSettings",
            "getSpaceNotificationSettings",
            "updateSpaceNotificationSettings",
            "listConversations",
            "ingestConversation",
            "getConversationById",
            "deleteConversationById",
            "listConversationsIssues",
            "getConversationIssueById",
            "listConversationsIssuesClusters",
            "getConversationsIssuesCluster",
            "updateConversationsIssuesCluster",
        ],
    ),
    (Wanted::Scope(Scope::UserRead), &["getAuthenticatedUser", "getUserById"]),
    (
        Wanted::Scope(Scope::OrganizationRead),
        &["listOrganizationsForAuthenticatedUser", "getOrganizationById", "getSubdomain"],
    ),
    (
        Wanted::Scope(Scope::OrganizationMembersRead),
        &[
            "listMembersInOrganizationById",
            "getMemberInOrganizationById",
            "listSpacesForOrganizationMember",
            "listTeamsForOrganizationMember",
            "listTeamsInOrganizationById",
            "getTeamInOrganizationById",
            "listTeamMembersInOrganizationById",
        ],
    ),
    // Reading an invite link needs the same scope as creating one, since a reader can pass it on.
    (
        Wanted::Scope(Scope::OrganizationMembersWrite),
        &[
            "updateMemberInOrganizationById",
            "removeMemberFromOrganizationById",
            "createOrganizationTeam",
            "updateTeamInOrganizationById",
            "removeTeamFromOrganizationById",
            "updateMembersInOrganizationTeam",
            "addMemberToOrganizationTeamById",
            "deleteMemberFromOrganizationTeamById",
            "inviteUsersToOrganization",
            "listOrganizationInviteLinks",
            "createOrganizationInvite",
            "getOrganizationInviteById",
            "updateOrganizationInviteById",
            "deleteOrganizationInviteById",
        ],
    ),
    (Wanted::Scope(Scope::OrganizationSearch), &["searchOrganizationContent"]),
    (Wanted::Scope(Scope::OrganizationWrite), &["createOrganization", "updateOrganizationById"]),
    (
        Wanted::Scope(Scope::SpaceRead),
        &[
            "listSpacesInOrganizationById",
            "getSpaceById",
            "searchSpaceContent",
            "getCurrentRevision",
            "listPages",
            "listFiles",
            "getFileById",
            "getPageById",
            "getPageByPath",
            "listPageMetaLinksInSpace",
            "getReusableContentById",
            "getDocumentById",
            "getComputedDocument",
            "getComputedRevision",
            "listSpaceLinks",
            "listPageLinksInSpace",
            "listSpaceFileBacklinks",
            "listRevisionsInSpace",
            "getRevisionById",
            "listPagesInRevisionById",
            "listFilesInRevisionById",
            "getFileInRevisionById",
            "getPageInRevisionById",
            "getPageDocumentInRevisionById",
            "getPageInRevisionByPath",
            "listPageMetaLinksInRevision",
            "getReusableContentInRevisionById",
            "getReusableContentDocumentInRevisionById",
            "listChangeRequestsForSpace",
            "listChangeRequestsForOrganization",
            "getChangeRequestById",
            "getChangeRequestMergeStatus",
            "listChangeRequestConflicts",
            "getChangeRequestChanges",
            "getRevisionSemanticChanges",
            "listChangeRequestLinks",
            "getRevisionOfChangeRequestById",
            "listPagesInChangeRequest",
            "listFilesInChangeRequestById",
            "getFileInChangeRequestById",
            "listChangeRequestFileBacklinks",
            "getPageInChangeRequestById",
            "listChangeRequestPageLinks",
            "listPageMetaLinksInChangeRequest",
            "getPageInChangeRequestByPath",
            "getReusableContentInChangeRequestById",
            "listChangeRequestReviews",
            "getChangeRequestReviewById",
            "getRequestedReviewersByChangeRequestId",
            "getContributorsByChangeRequestId",
            "listCommentsInSpace",
            "getCommentInSpace",
            "listCommentRepliesInSpace",
            "getCommentReplyInSpace",
            "listCommentersInSpace",
            "listCommentsInChangeRequest",
            "getCommentInChangeRequest",
            "listCommentRepliesInChangeRequest",
            "getCommentReplyInChangeRequest",
            "listCommentersInChangeRequest",
            "listCollectionsInOrganizationById",
            "getCollectionById",
            "listSpacesInCollectionById",
            "getContentByUrl",
        ],
    ),
    (
        Wanted::Scope(Scope::SpaceWrite),
        &[
            "createSpace",
            "updateSpaceById",
            "applyTemplateToSpace",
            "createChangeRequest",
            "updateChangeRequestById",
            "updateChangeRequest",
            "resolveChangeRequestConflict",
            "updateChangeRequestContent",
            "submitChangeRequestReview",
            "requestReviewersForChangeRequest",
            "removeRequestedReviewerFromChangeRequest",
            "postCommentInSpace",
            "updateCommentInSpace",
            "deleteCommentInSpace",
            "postCommentReplyInSpace",
            "updateCommentReplyInSpace",
            "deleteCommentReplyInSpace",
            "postCommentInChangeRequest",
            "updateCommentInChangeRequest",
            "deleteCommentInChangeRequest",
            "postCommentReplyInChangeRequest",
            "updateCommentReplyInChangeRequest",
            "deleteCommentReplyInChangeRequest",
            "createCollection",
            "updateCollectionById",
            "moveCollection",
            "transferCollection",
            "deleteCollectionById",
            "moveSpace",
            "transferSpace",
            "deleteSpaceById",
            "restoreSpace",
            "duplicateSpace",
        ],
    ),
    (
        Wanted::Scope(Scope::SpacePermissionsRead),
        &[
            "listUserPermissionsInSpace",
            "listTeamPermissionsInSpace",
            "listTeamPermissionsInCollection",
            "listPermissionsAggregateInSpace",
            "listUserPermissionsInCollection",
            "listPermissionsAggregateInCollection",
        ],
    ),
    (
        Wanted::Scope(Scope::SpacePermissionsWrite),
        &[
            "inviteToSpace",
            "updateUserPermissionInSpace",
            "removeUserFromSpace",
            "updateTeamPermissionInSpace",
            "removeTeamFromSpace",
            "inviteToCollection",
            "updateUserPermissionInCollection",
            "removeUserFromCollection",
            "updateTeamPermissionInCollection",
            "removeTeamFromCollection",
        ],
    ),
    (
        Wanted::Scope(Scope::SiteRead),
        &[
            "listSites",
            "getSiteById",
            "getSiteStructure",
            "getPublishedContentSite",
            "listSiteSections",
            "listSiteSectionGroups",
            "listSiteSpaces",
            "listSiteRedirects",
            "getSiteRedirectById",
            "getSiteRedirectBySource",
            "getSiteAdaptiveSchema",
            "listSiteAdaptiveTemplateConditions",
            "listSiteIntegrationScripts",
            "getSiteCustomizationById",
            "getSiteSpaceCustomizationById",
            "listSiteFeedback",
            "getSiteFeedbackById",
            "resolvePublishedContentByUrl",
            "getPublishedContentByUrl",
        ],
    ),
    (
        Wanted::Scope(Scope::SiteWrite),
        &[
            "createSite",
            "updateSiteById",
            "deleteSiteById",
            "sortSiteStructure",
            "addSiteExternalLink",
            "updateSiteExternalLinkById",
            "deleteSiteExternalLinkById",
            "addSectionToSite",
            "updateSiteSectionById",
            "deleteSiteSectionById",
            "moveSiteSection",
            "addSectionGroupToSite",
            "updateSiteSectionGroupById",
            "deleteSiteSectionGroupById",
            "moveSiteSectionGroup",
            "addSectionToSiteSectionGroup",
            "addSpaceToSite",
            "duplicateSiteSpace",
            "applyTemplateToSite",
            "updateSiteSpaceById",
            "deleteSiteSpaceById",
            "moveSiteSpace",
            "createSiteRedirect",
            "upsertSiteRedirects",
            "updateSiteRedirectById",
            "deleteSiteRedirectById",
            "updateSiteAdaptiveSchema",
            "updateSiteCustomizationById",
            "overrideSiteSpaceCustomizationById",
            "deleteSiteSpaceCustomizationById",
            "deleteSiteFeedbackById",
        ],
    ),
    (
        Wanted::Scope(Scope::SiteAuthRead),
        &["listSiteShareLinks", "getSiteShareLinkById", "getSitePublishingAuthById", "getSitePublishingPreviewById"],
    ),
    (
        Wanted::Scope(Scope::SiteAuthWrite),
        &[
            "createSiteShareLink",
            "updateSiteShareLinkById",
            "deleteSiteShareLinkById",
            "updateSitePublishingAuthById",
            "regenerateSitePublishingAuthById",
        ],
    ),
    (Wanted::Scope(Scope::SiteSearch), &["searchSiteContent"]),
    (Wanted::Scope(Scope::SitePublish), &["publishSite", "unpublishSite"]),
    (
        Wanted::Scope(Scope::SitePermissionsRead),
        &["listUserPermissionsInSite", "listTeamPermissionsInSite", "listPermissionsAggregateInSite"],
    ),
    (
        Wanted::Scope(Scope::SitePermissionsWrite),
        &[
            "inviteToSite",
            "updateUserPermissionInSite",
            "removeUserFromSite",
            "updateTeamPermissionInSite",
            "removeTeamFromSite",
        ],
    ),
    (
        Wanted::Scope(Scope::OpenapiRead),
        &[
            "listOpenAPISpecs",
            "getOpenAPISpecBySlug",
            "listOpenAPISpecVersions",
            "listOpenAPISpecUsages",
            "listOpenAPISpecOperations",
            "getOpenAPISpecVersionChanges",
            "getOpenAPISpecOperation",
            "getLatestOpenAPISpecVersion",
            "getLatestOpenAPISpecVersionContent",
            "getLatestOpenAPISpecVersionRawContent",
            "getOpenAPISpecVersionById",
            "getOpenAPISpecVersionContentById",
            "getOpenAPISpecVersionRawContentById",
        ],
    ),
    (
        Wanted::Scope(Scope::OpenapiWrite),
        &["createOpenAPISpec", "createOrUpdateOpenAPISpecBySlug", "updateOpenAPISpecBySlug", "deleteOpenAPISpecBySlug"],
    ),
    (Wanted::Scope(Scope::ChangeRequestMerge), &["mergeChangeRequest"]),
];

/// The scope that an operation needs; `None` if the table does not have the operation.
pub(crate) fn wanted(operation: &Operation) -> Option<Wanted> {
    let id = operation.operation_id.as_deref()?;
    TABLE.iter().find(|(_, operations)| operations.contains(&id)).map(|(wanted, _)| *wanted)
}

/// The security scheme for tokens with all scopes.
pub(crate) const BEARER: &str = "bearer";
/// The security scheme for tokens with limited scopes.
const SCOPED: &str = "scoped";

/// The security schemes, for the OpenAPI document.
pub(crate) fn schemes() -> [(&'static str, SecurityScheme); 2] {
    let bearer = |description| HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(description)).build();
    [
        (BEARER, bearer("An API token without scopes. It has all the rights of its user.")),
        (
            SCOPED,
            bearer("An API token limited to scopes. It can call the operations that list one of its scopes, with the rights of its user."),
        ),
    ]
    .map(|(name, scheme)| (name, SecurityScheme::Http(scheme)))
}

/// Documents the scope that an operation needs.
pub(crate) fn declare(operation: &mut Operation) {
    let scopes = match wanted(operation) {
        None | Some(Wanted::AllScopes) => None,
        Some(Wanted::AnyToken) => Some(Vec::new()),
        Some(Wanted::Scope(scope)) => Some(vec![scope.as_str()]),
    };
    let whole = SecurityRequirement::new(BEARER, Vec::<String>::new());
    let scoped = scopes.map(|scopes| SecurityRequirement::new(SCOPED, scopes));
    operation.security = Some(std::iter::once(whole).chain(scoped).collect());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;
    use std::collections::BTreeSet;

    #[test]
    fn every_operation_documents_its_scope_and_nothing_else_does() {
        let document = document("0");
        let items = document.paths.paths.values();
        let operations = items.flat_map(|item| [&item.get, &item.put, &item.post, &item.patch, &item.delete]);
        let served: BTreeSet<&str> = operations.flatten().filter_map(|one| one.operation_id.as_deref()).collect();
        let rows: Vec<&str> = TABLE.iter().flat_map(|(_, operations)| operations.iter().copied()).collect();
        let table: BTreeSet<&str> = rows.iter().copied().collect();
        assert_eq!(table.len(), rows.len(), "an operation has two rows");
        let missing: Vec<_> = served.difference(&table).collect();
        let gone: Vec<_> = table.difference(&served).collect();
        assert!(missing.is_empty() && gone.is_empty(), "not in the table: {missing:?}; no operations: {gone:?}");
    }
}
