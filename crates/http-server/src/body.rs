//! Bodies of requests.
use crate::error::ServerError;
use crate::server::exchange::Exchange;
use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_LENGTH;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use std::rc::Rc;

/// The maximum size of a body, in bytes. An operation may have a lower limit. Only a body whose size is announced, and
/// that has [`Room`](crate::Room), may be larger.
pub const LARGEST_BODY: usize = 8 * 1024 * 1024;

/// The size of a body in bytes, where the request says it.
pub fn announced(request: &HttpRequest) -> Option<usize> {
    request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

/// Refuses a body whose `Content-Length` is too large, before reading it.
///
/// # Errors
/// [`ServerError::TooLarge`] if it is.
pub fn refuse_announced(request: &HttpRequest, limit: usize) -> Result<(), ServerError> {
    if announced(request).is_some_and(|length| length > limit) { Err(ServerError::TooLarge { limit }) } else { Ok(()) }
}

/// Reads the body of a request, of at most `limit` bytes. The connection, if there is one, limits the time.
///
/// # Errors
/// [`ServerError::TooLarge`], [`ServerError::Timeout`] or [`ServerError::BrokenBody`].
pub fn collect(
    request: &HttpRequest,
    mut payload: Payload,
    limit: usize,
) -> impl Future<Output = Result<Bytes, ServerError>> + use<> {
    let exchange = request.conn_data::<Rc<Exchange>>().cloned();
    // Few bodies have room. Each takes its memory at once, as growing would take more and copy it.
    let length = if limit > LARGEST_BODY { announced(request).unwrap_or_default().min(limit) } else { 0 };
    async move {
        if let Some(exchange) = &exchange {
            exchange.limit_body(limit);
        }
        let mut bytes = BytesMut::with_capacity(length);
        while let Some(chunk) = payload.next().await {
            let broken = |_| exchange.as_ref().map_or(ServerError::BrokenBody, |exchange| exchange.broken_body());
            let chunk = chunk.map_err(broken)?;
            if bytes.len() + chunk.len() > limit {
                return Err(ServerError::TooLarge { limit });
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.freeze())
    }
}
