//! What each operation wants of a token: the one table of it. What the server checks and what the OpenAPI document says
//! are both read from here. An operation that is not in it is closed to tokens with scopes, and fails a test.
//!
//! The scopes are those that the contract gives (contract.md 1.1); where it gives none, [`Wanted::AllScopes`] is the
//! answer, so that a token for one purpose cannot be turned into more.
use domain::scope::{Scope, Wanted};
use utoipa::openapi::SecurityRequirement;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

/// Operations by their ids, grouped by what they want.
const TABLE: &[(Wanted, &[&str])] = &[
    (Wanted::AnyToken, &["getApiInformation"]),
    // Accounts and tokens, and what the contract keeps out of scopes.
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
        ],
    ),
    (Wanted::Scope(Scope::UserRead), &["getAuthenticatedUser", "getUserById"]),
    (Wanted::Scope(Scope::OrganizationRead), &["listOrganizationsForAuthenticatedUser", "getOrganizationById"]),
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
    // Who reads an invite by link can hand it on: reading one is as much as making one.
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
            "listSpaceLinks",
            "listPageLinksInSpace",
            "listSpaceFileBacklinks",
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
            "listCollectionsInOrganizationById",
            "getCollectionById",
            "listSpacesInCollectionById",
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
    (Wanted::Scope(Scope::ChangeRequestMerge), &["mergeChangeRequest"]),
];

/// What an operation wants; nothing where the table does not know it.
pub(crate) fn wanted(operation: &Operation) -> Option<Wanted> {
    let id = operation.operation_id.as_deref()?;
    TABLE.iter().find(|(_, operations)| operations.contains(&id)).map(|(wanted, _)| *wanted)
}

/// The name of the way to authenticate with a token that opens everything.
pub(crate) const BEARER: &str = "bearer";
/// The name of the way to authenticate with a token that is limited to scopes.
const SCOPED: &str = "scoped";

/// The ways to authenticate, for the document.
pub(crate) fn schemes() -> [(&'static str, SecurityScheme); 2] {
    let bearer = |description| HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(description)).build();
    [
        (BEARER, bearer("An API token without limit. It has the rights of the user it was made for.")),
        (
            SCOPED,
            bearer("An API token that is limited to scopes. It opens the operations that name one of them, as far as its user may."),
        ),
    ]
    .map(|(name, scheme)| (name, SecurityScheme::Http(scheme)))
}

/// Says in the document what an operation wants.
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
    fn every_operation_says_what_it_wants_and_nothing_else_does() {
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
