//! The API's part of the telemetry, and the form of its errors.
use crate::answer::error::{ApiError, ErrorBody};
use crate::api::Api;
use crate::state::caller::Caller;
use crate::state::route_table::Found;
use actix_web::http::StatusCode;
use actix_web::{HttpMessage, HttpRequest};
use http_server::Driver;
use std::sync::Arc;

impl Driver for Api {
    type Error = ApiError;
    const ERROR_TYPE: &'static str = "application/json";

    fn error_body(&self, _request: &HttpRequest, status: StatusCode, message: &str) -> String {
        ErrorBody::new(status, message).to_json()
    }

    fn new_request_id(&self) -> String {
        self.services.ids.next()
    }

    fn route(&self, request: &HttpRequest) -> Option<Arc<str>> {
        let route = self.route_table.route(request);
        request.extensions_mut().insert(Found(route.clone()));
        route.map(|route| route.pattern.clone())
    }

    fn user(&self, request: &HttpRequest) -> Option<String> {
        request.extensions().get::<Caller>()?.actor.user().map(ToString::to_string)
    }
}
