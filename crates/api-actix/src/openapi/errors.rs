//! The errors that each operation declares.
//!
//! A rule for each status decides by what an operation takes. Tables name the operations that also return a status for
//! another reason. Errors that have nothing to do with the operation, such as 500, are declared as `default`.
use crate::answer::error::ErrorBody;
use crate::request::if_match;
use crate::state::scopes;
use actix_web::http::Method;
use domain::scope::Wanted;
use utoipa::ToSchema;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{Content, OpenApi, Ref, RefOr, Response, ResponseBuilder};

/// The operations other than `POST` that return 409: the state of the object, its name, or a change at the same time
/// does not allow the change. Every `POST` can return it, because of its `Idempotency-Key`.
const CONFLICTS: &[&str] = &[
    "updateOrganizationById",
    "updateMemberInOrganizationById",
    "removeMemberFromOrganizationById",
    "deleteCollectionById",
    "updateSpaceById",
    "updateUserPermissionInSpace",
    "removeUserFromSpace",
    "updateTeamPermissionInSpace",
    "removeTeamFromSpace",
    "updateUserPermissionInCollection",
    "removeUserFromCollection",
    "updateTeamPermissionInCollection",
    "removeTeamFromCollection",
    "updateChangeRequestById",
    "removeRequestedReviewerFromChangeRequest",
    "createOrUpdateOpenAPISpecBySlug",
    "updateSiteById",
    "updateSiteRedirectById",
];

/// The operations that return 404 without an id in their path: for the object that an address leads to, or for an
/// organization whose creation is repeated when it is gone.
const ABSENT: &[&str] =
    &["createOrganization", "getContentByUrl", "getPublishedContentByUrl", "resolvePublishedContentByUrl"];

/// The operations that return 412 without `If-Match`.
const PRECONDITIONS: &[&str] = &["transferCollection"];

/// The name and description of the response for all other errors.
const OTHER: (&str, &str) = ("Error", "Any other error, such as an internal error (500). All errors have this body.");

/// An error that operations return.
struct ErrorResponse {
    status: u16,
    /// The name of the response among the components.
    name: &'static str,
    description: &'static str,
    /// Whether an operation returns it.
    is_returned: fn(&Subject<'_>) -> bool,
}

/// In the order of statuses.
const ERRORS: &[ErrorResponse] = &[
    ErrorResponse {
        status: 400,
        name: "BadRequest",
        description: "The input breaks a rule. The message names the field and the rule.",
        is_returned: |one| one.has_body() || one.is_post() || one.has_parameter(&ParameterIn::Query),
    },
    ErrorResponse { status: 401, name: "Unauthorized", description: "There is no valid token.", is_returned: |_| true },
    ErrorResponse {
        status: 403,
        name: "Forbidden",
        description: "The token lacks the scope of the operation; or the caller may see the object, but not do this.",
        is_returned: |one| scopes::wanted(one.operation) != Some(Wanted::AnyToken),
    },
    ErrorResponse {
        status: 404,
        name: "NotFound",
        description: "The object does not exist, or the caller may not see it.",
        is_returned: |one| one.has_parameter(&ParameterIn::Path) || one.is_in(ABSENT),
    },
    ErrorResponse {
        status: 409,
        name: "Conflict",
        description: "The current state does not allow it; or a request with this `Idempotency-Key` is in progress, or \
                      its response was not stored because it shows a secret.",
        is_returned: |one| one.is_post() || one.is_in(CONFLICTS),
    },
    ErrorResponse {
        status: 412,
        name: "PreconditionFailed",
        description: "`If-Match` does not match the current state of the object, or a collection to transfer contains \
                      something that the caller may not manage. Nothing was changed.",
        is_returned: |one| if_match::is_taken_by(one.operation) || one.is_in(PRECONDITIONS),
    },
    ErrorResponse {
        status: 413,
        name: "ContentTooLarge",
        description: "The body is too large.",
        // A request with an `Idempotency-Key` is received whole, also if the operation takes no body.
        is_returned: |one| one.has_body() || one.is_post(),
    },
    ErrorResponse {
        status: 415,
        name: "UnsupportedMediaType",
        description: "The body is not JSON, or it is compressed.",
        is_returned: |one| one.has_body(),
    },
    ErrorResponse {
        status: 422,
        name: "UnprocessableContent",
        description: "The `Idempotency-Key` was used for a different request.",
        is_returned: |one| one.is_post(),
    },
    ErrorResponse {
        status: 429,
        name: "TooManyRequests",
        description: "There are too many requests. `Retry-After` gives the seconds to wait.",
        is_returned: |_| true,
    },
    ErrorResponse {
        status: 503,
        name: "ServiceUnavailable",
        description: "The server cannot handle the request now. Nothing was changed, unless the message says that the \
                      outcome is unknown.",
        is_returned: |_| true,
    },
    ErrorResponse {
        status: 507,
        name: "InsufficientStorage",
        description: "There is no disk space. Nothing was changed.",
        is_returned: |one| *one.method != Method::GET,
    },
];

/// An operation whose errors are wanted.
struct Subject<'a> {
    method: &'a Method,
    operation: &'a Operation,
}

impl Subject<'_> {
    fn is_post(&self) -> bool {
        *self.method == Method::POST
    }

    fn has_body(&self) -> bool {
        self.operation.request_body.is_some()
    }

    fn has_parameter(&self, place: &ParameterIn) -> bool {
        let mut all = self.operation.parameters.iter().flatten();
        all.any(|parameter| matches!(parameter, RefOr::T(one) if one.parameter_in == *place))
    }

    fn is_in(&self, table: &[&str]) -> bool {
        self.operation.operation_id.as_deref().is_some_and(|id| table.contains(&id))
    }
}

fn returned(method: &Method, operation: &Operation) -> Vec<&'static ErrorResponse> {
    let subject = Subject { method, operation };
    ERRORS.iter().filter(|error| (error.is_returned)(&subject)).collect()
}

/// The statuses of the errors that an operation declares.
pub(super) fn statuses(method: &Method, operation: &Operation) -> Vec<u16> {
    returned(method, operation).into_iter().map(|error| error.status).collect()
}

/// Documents the errors of an operation.
pub(super) fn declare(method: &Method, operation: &mut Operation) {
    let named = returned(method, operation).into_iter().map(|error| (error.status.to_string(), error.name));
    let all = named.chain([("default".to_owned(), OTHER.0)]);
    operation.responses.responses.extend(all.map(|(status, name)| (status, Ref::from_response_name(name).into())));
}

/// The responses that operations refer to, for the components of the document. They have the same body.
pub(super) fn responses() -> impl Iterator<Item = (String, RefOr<Response>)> {
    let all = ERRORS.iter().map(|error| (error.name, error.description)).chain([OTHER]);
    all.map(|(name, description)| {
        let content = Content::new(Some(Ref::from_schema_name(ErrorBody::name())));
        let response = ResponseBuilder::new().description(description).content("application/json", content);
        (name.to_owned(), response.into())
    })
}

/// Removes the body from all errors but `default`.
pub(super) fn remove_bodies(document: &mut OpenApi) {
    for (name, response) in document.components.iter_mut().flat_map(|components| &mut components.responses) {
        if let RefOr::T(response) = response
            && name != OTHER.0
        {
            response.content.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::{declared_errors, document, operations, operations_of};
    use rstest::rstest;
    use serde_json::{Value, to_value};

    #[rstest]
    #[case::of_any_token(Method::GET, "/v1/", &[401, 429, 503])]
    #[case::of_a_list(Method::GET, "/v1/orgs", &[400, 401, 403, 429, 503])]
    #[case::of_an_address(Method::GET, "/v1/urls/content", &[400, 401, 403, 404, 429, 503])]
    #[case::of_an_object(Method::GET, "/v1/orgs/{organizationId}", &[401, 403, 404, 429, 503])]
    #[case::of_a_deletion(Method::DELETE, "/v1/spaces/{spaceId}", &[401, 403, 404, 412, 429, 503, 507])]
    #[case::of_a_deletion_in_a_state(
        Method::DELETE,
        "/v1/orgs/{organizationId}/members/{userId}",
        &[401, 403, 404, 409, 412, 429, 503, 507]
    )]
    #[case::of_a_change(
        Method::PATCH,
        "/v1/spaces/{spaceId}",
        &[400, 401, 403, 404, 409, 412, 413, 415, 429, 503, 507]
    )]
    #[case::of_a_post_without_a_body(
        Method::POST,
        "/v1/spaces/{spaceId}/duplicate",
        &[400, 401, 403, 404, 409, 413, 422, 429, 503, 507]
    )]
    #[case::of_a_post_without_an_id(
        Method::POST,
        "/v1/user/tokens",
        &[400, 401, 403, 409, 413, 415, 422, 429, 503, 507]
    )]
    #[case::of_a_transfer(
        Method::POST,
        "/v1/collections/{collectionId}/transfer",
        &[400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503, 507]
    )]
    fn an_operation_declares_what_it_can_return(#[case] method: Method, #[case] path: &str, #[case] statuses: &[u16]) {
        let declared = declared_errors();
        assert_eq!(declared[&(method.clone(), path.to_owned())], statuses);
        let document = to_value(document("0")).unwrap();
        let responses = &document["paths"][path][method.as_str().to_lowercase()]["responses"];
        let named = responses.as_object().unwrap().keys().filter_map(|status| status.parse::<u16>().ok());
        assert_eq!(named.filter(|status| *status >= 400).collect::<Vec<_>>(), statuses);
        assert_eq!(responses["default"]["$ref"], "#/components/responses/Error");
    }

    #[test]
    fn a_table_names_only_operations_that_the_rule_does_not_cover() {
        let mut paths = operations();
        let all: Vec<_> = paths.paths.values_mut().flat_map(operations_of).collect();
        for id in CONFLICTS.iter().chain(ABSENT).chain(PRECONDITIONS) {
            let found = all.iter().find(|(_, operation)| operation.operation_id.as_deref() == Some(*id));
            let (method, operation) = found.unwrap_or_else(|| panic!("{id} is no operation"));
            let subject = Subject { method, operation };
            assert!(!subject.is_in(CONFLICTS) || !subject.is_post(), "{id}");
            assert!(!subject.is_in(ABSENT) || !subject.has_parameter(&ParameterIn::Path), "{id}");
            assert!(!subject.is_in(PRECONDITIONS) || !if_match::is_taken_by(operation), "{id}");
        }
    }

    #[test]
    fn the_body_of_errors_can_be_left_to_the_default_one() {
        let mut short = document("0");
        remove_bodies(&mut short);
        let [whole, short] = [document("0"), short].map(|document| to_value(document).unwrap());
        let body = |document: &Value, name: &str| document["components"]["responses"][name]["content"].clone();
        for (name, is_kept) in [("NotFound", false), (OTHER.0, true)] {
            assert!(body(&whole, name)["application/json"]["schema"]["$ref"].is_string(), "{name}");
            assert_eq!(body(&short, name).is_object(), is_kept, "{name}");
        }
        assert_eq!(whole["paths"], short["paths"]);
    }
}
