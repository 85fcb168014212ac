//! Records denied operations in the audit log.
use crate::Api;
use crate::state::caller::Caller;
use crate::state::route_table::{Found, Places, path};
use actix_web::HttpMessage;
use actix_web::body::BoxBody;
use actix_web::dev::ServiceResponse;
use actix_web::http::{Method, StatusCode};
use domain::place::PlaceId;
use domain::scope::Wanted;
use domain::usecases::audit::About;
use http_server::chain;

/// Records the event if the response denies the caller an operation (403). If recording fails, the response is sent
/// anyway.
pub(crate) async fn record(api: &Api, wanted: Wanted, caller: &Caller, response: &ServiceResponse<BoxBody>) {
    let request = response.request();
    // Denied reads are not recorded, except reads that need all scopes: they are about accounts and the acts of others.
    let counts = *request.method() != Method::GET || wanted == Wanted::AllScopes;
    if response.status() != StatusCode::FORBIDDEN || !counts {
        return;
    }
    let Some(route) = request.extensions().get::<Found>().and_then(|found| found.0.clone()) else { return };
    let mut caller = caller.clone();
    caller.note_client(request, &api.settings.trusted_proxies);
    let Places { space, collection, organization } = route.places(path(request));
    let place = space.map(PlaceId::Space).or(collection.map(PlaceId::Collection));
    let about = place.map(About::Place).or(organization.map(About::Organization));
    let operation = route.operation_id(request.method()).unwrap_or_default();
    let reason = response.response().error().map(ToString::to_string).unwrap_or_default();
    if let Err(error) = api.services.audit.denied(&caller.actor, operation, about, &reason).await {
        tracing::warn!(error = chain(&error), operation, "a denied operation could not be recorded");
    }
}
