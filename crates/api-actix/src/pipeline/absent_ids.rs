//! Ids in paths that no object can have, such as `a@b.c`: a request for one is handled like a request for an object
//! that does not exist. `DELETE` returns 204, other methods 404 with the name of the object, and the caller's rights on
//! the objects before it in the path are checked first.
use crate::Api;
use crate::state::route_table::{Found, path};
use actix_web::HttpMessage;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{Method, Uri};
use actix_web::middleware::Next;
use actix_web::web::Data;
use domain::change_request::ChangeRequestRef;
use domain::content::object::Hash;
use domain::id::SpaceId;
use domain::openapi_spec::SpecSlug;

/// Parameters with ids of any form: the sender of a conversation makes its id, and an invite can be named by its code.
const FREE: [&str; 2] = ["{conversationId}", "{inviteId}"];

/// Replaces ids that no object can have by one that no object has.
pub(crate) async fn replace<B: MessageBody + 'static>(
    api: Data<Api>,
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, actix_web::Error> {
    let route = request.extensions().get::<Found>().and_then(|found| found.0.clone());
    let replaced = route.and_then(|route| {
        let paths = (path(request.request()), request.uri().path());
        with_absent_ids(request.method(), &route.pattern, paths, &api.absent_id)
    });
    if let Some(uri) = replaced {
        request.match_info_mut().get_mut().update(&uri);
    }
    next.call(request).await
}

/// The path with its impossible ids replaced by `absent`, or `None` if it has none. `paths` are the path as the router
/// sees it and as it was sent; both have the same segments.
fn with_absent_ids(method: &Method, pattern: &str, (seen, sent): (&str, &str), absent: &str) -> Option<Uri> {
    let is_wrong = |(name, value): (&str, &str)| is_impossible(method, name, value);
    if !pattern.split('/').zip(seen.split('/')).any(is_wrong) {
        return None;
    }
    // The last parameter of a pattern can be several segments.
    let names = pattern.split('/').chain(std::iter::repeat(""));
    let segments = names.zip(seen.split('/')).zip(sent.split('/'));
    let segments = segments.map(|(pair, sent)| if is_wrong(pair) { absent } else { sent });
    segments.collect::<Vec<_>>().join("/").parse().ok()
}

/// Whether a segment is an id that no object can have.
fn is_impossible(method: &Method, name: &str, value: &str) -> bool {
    match name {
        // A `PUT` with a slug creates the spec, so there it is an error.
        "{specSlug}" => method != Method::PUT && value.parse::<SpecSlug>().is_err(),
        "{documentId}" => value.parse::<Hash>().is_err(),
        name if FREE.contains(&name) || !name.ends_with("Id}") => false,
        // A number can be of any length.
        "{changeRequestId}" => value.parse::<ChangeRequestRef>().is_err(),
        _ => value.parse::<SpaceId>().is_err(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("/orgs/{organizationId}/members/{userId}", "/orgs/o/members/a@b.c", Some("/orgs/o/members/absent"))]
    #[case("/orgs/{organizationId}/members/{userId}", "/orgs/a.b/members/a@b.c", Some("/orgs/absent/members/absent"))]
    #[case("/orgs/{organizationId}/members/{userId}", "/orgs/o/members/a%2Fb", Some("/orgs/o/members/absent"))]
    #[case("/orgs/{organizationId}/members/{userId}", "/orgs/o/members/u", None)]
    #[case("/orgs/{organizationId}/conversations/{conversationId}", "/orgs/o/conversations/a@b.c", None)]
    #[case("/orgs/{organizationId}/openapi/{specSlug}", "/orgs/o/openapi/a.b", Some("/orgs/o/openapi/absent"))]
    #[case("/spaces/{spaceId}/change-requests/{changeRequestId}", "/spaces/s/change-requests/7", None)]
    #[case("/spaces/{spaceId}/documents/{documentId}", "/spaces/s/documents/d", Some("/spaces/s/documents/absent"))]
    #[case("/spaces/{spaceId}/content/path/{pagePath}", "/spaces/s/content/path/a.b/c.d", None)]
    #[case(
        "/spaces/{spaceId}/content/path/{pagePath}",
        "/spaces/a.b/content/path/a.b/c%20d",
        Some("/spaces/absent/content/path/a.b/c%20d")
    )]
    fn ids_that_no_object_can_have_are_replaced(
        #[case] pattern: &str,
        #[case] sent: &str,
        #[case] expected: Option<&str>,
    ) {
        let replaced = with_absent_ids(&Method::DELETE, pattern, (sent, sent), "absent");
        assert_eq!(replaced.as_ref().map(Uri::path), expected);
    }

    #[test]
    fn a_put_creates_no_spec_with_the_name_of_none() {
        let paths = ("/orgs/o/openapi/a.b", "/orgs/o/openapi/a.b");
        assert_eq!(with_absent_ids(&Method::PUT, "/orgs/{organizationId}/openapi/{specSlug}", paths, "absent"), None);
    }
}
