//! Bodies above the limit of most operations: the text of an OpenAPI document.
//!
//! They are admitted by their `Content-Length`, before any of their bytes are read: the caller must have the right to
//! use the operation, and the number of large bodies in memory is limited.
use crate::Api;
use crate::answer::error::ApiError;
use crate::state::caller::Caller;
use crate::state::route_table::{Found, path};
use actix_web::{HttpMessage, HttpRequest};
use http_server::{LARGEST_BODY, LARGEST_WITH_ROOM, announced, refuse_announced};

/// The operations that take such a body.
const OPERATIONS: [&str; 2] = ["createOpenAPISpec", "createOrUpdateOpenAPISpecBySlug"];

/// Takes room for the body of a request, if it is large and the operation takes large ones. The request keeps it until
/// its end.
pub(crate) async fn admit(api: &Api, request: &HttpRequest, caller: &Caller) -> Result<(), ApiError> {
    if announced(request).is_none_or(|length| length <= LARGEST_BODY) {
        return Ok(());
    }
    let found = request.extensions().get::<Found>().and_then(|found| found.0.clone());
    let is_meant = |id: &str| OPERATIONS.contains(&id);
    let Some(route) = found.filter(|route| route.operation_id(request.method()).is_some_and(is_meant)) else {
        return Ok(());
    };
    refuse_announced(request, LARGEST_WITH_ROOM)?;
    let Some(organization) = route.places(path(request)).organization else { return Ok(()) };
    api.services.openapi_specs.may_set_sources(&caller.actor, &organization).await?;
    let room = api.large_bodies.enter(caller.actor.owner()).await?;
    request.extensions_mut().insert(room);
    Ok(())
}
