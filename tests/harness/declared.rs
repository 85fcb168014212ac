//! A check of every response to a [`Caller`](crate::Caller): an error of an operation is one that the OpenAPI document
//! declares for it.
use actix_web::HttpRequest;
use actix_web::http::{Method, StatusCode};
use std::collections::HashMap;
use std::sync::LazyLock;

static DECLARED: LazyLock<HashMap<(Method, String), Vec<u16>>> = LazyLock::new(api_actix::declared_errors);

/// Errors that no operation declares: the connection or the server is the reason.
const OF_THE_SERVER: [u16; 4] = [408, 414, 431, 500];

/// Checks the status of a response.
pub(crate) fn check(request: &HttpRequest, status: StatusCode) {
    let status = status.as_u16();
    if status < 400 || OF_THE_SERVER.contains(&status) {
        return;
    }
    // The router's pattern also has what the rest of a path must match.
    let Some(path) = request.match_pattern().map(|pattern| pattern.replace(":.*}", "}")) else { return };
    let operation = (request.method().clone(), path);
    if let Some(declared) = DECLARED.get(&operation) {
        let (method, path) = &operation;
        assert!(
            declared.contains(&status),
            "{method} {path} returned {status}, which openapi/errors.rs does not declare"
        );
    }
}
