//! Responses that a connection sends itself, without the framework.
//!
//! The framework parses the head again, routes the request, runs its middleware and builds the response: for a cached
//! response, most of the work. So a connection asks the application for a cached response as soon as the head is
//! complete, and sends it. All other requests are for the framework.
use crate::telemetry::{self, COMMON_HEADERS, MAX_URI, REQUEST_ID};
use actix_http::{ConnectionType, RequestHead, ServiceConfig, Version};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use bytes::{Bytes, BytesMut};
use futures_util::future::LocalBoxFuture;
use std::sync::Arc;
use std::time::Instant;

/// Room for the head of most responses, in bytes.
const HEAD: usize = 1024;

/// Finds cached responses.
pub trait FastPath: Send + Sync {
    /// The cached response to a GET request without a body. `None` if there is none: then the application answers.
    fn find(&self, request: &RequestHead) -> Option<PendingResponse>;
}

/// No response is cached.
impl FastPath for () {
    fn find(&self, _request: &RequestHead) -> Option<PendingResponse> {
        None
    }
}

/// A cached response whose validity is being checked; `None` if it is no longer valid.
pub type PendingResponse = LocalBoxFuture<'static, Option<FastResponse>>;

/// Whether the connection may answer a request with a head of this length and no body.
pub(super) fn is_eligible(request: &RequestHead, length: usize) -> bool {
    request.method == Method::GET
        && request.version == Version::HTTP_11
        && request.connection_type() == ConnectionType::KeepAlive
        // The application checks the limits of longer heads.
        && length <= MAX_URI
}

/// A response that a connection sends itself.
#[derive(Debug)]
pub struct FastResponse {
    status: StatusCode,
    /// The status line and the headers, without the date.
    head: BytesMut,
    body: Bytes,
    id: String,
    route: Arc<str>,
}

impl FastResponse {
    /// A response to the request with this id and route, with the headers that every response has.
    pub(crate) fn new(
        status: StatusCode,
        headers: &[(HeaderName, HeaderValue)],
        body: Bytes,
        id: String,
        route: Arc<str>,
    ) -> Self {
        let mut head = BytesMut::with_capacity(HEAD);
        for part in ["HTTP/1.1 ", status.as_str(), " ", status.canonical_reason().unwrap_or_default(), "\r\n"] {
            head.extend_from_slice(part.as_bytes());
        }
        if status == StatusCode::OK {
            add(&mut head, "content-length", body.len().to_string().as_bytes());
        }
        for (name, value) in headers {
            add(&mut head, name.as_str(), value.as_bytes());
        }
        for (name, value) in COMMON_HEADERS.iter().filter(|(mark, _)| headers.iter().all(|(name, _)| name != mark)) {
            add(&mut head, name.as_str(), value.as_bytes());
        }
        add(&mut head, REQUEST_ID.as_str(), id.as_bytes());
        Self { status, head, body, id, route }
    }

    /// The status line and the headers, without the date.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The body.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Logs and counts the response, which is about to be sent.
    pub(super) fn observe(&self, started: Instant) {
        let _entered = telemetry::span(&self.id).entered();
        telemetry::count(&Method::GET, Some(self.route.clone()), None, started, self.status);
    }

    /// The bytes to send.
    pub(super) fn into_bytes(mut self, config: &ServiceConfig) -> (Bytes, Bytes) {
        config.write_date_header(&mut self.head, false);
        self.head.extend_from_slice(b"\r\n");
        (self.head.freeze(), self.body)
    }
}

fn add(head: &mut BytesMut, name: &str, value: &[u8]) {
    for part in [name.as_bytes(), b": ", value, b"\r\n"] {
        head.extend_from_slice(part);
    }
}
