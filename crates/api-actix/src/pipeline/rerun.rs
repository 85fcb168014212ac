//! Runs a request a second time if it failed on a deadlock.
//!
//! Two units of work that lock the same rows in different order deadlock, and PostgreSQL aborts one of them. All code
//! locks in one order, so this is rare. The aborted request has changed nothing and can be repeated as a whole at once.
//! See `docs/decisions/0019-a-request-is-run-again-as-a-whole.md`.
use crate::answer::error::ApiError;
use actix_web::HttpMessage;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::http::Method;
use actix_web::middleware::Next;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http_server::running_again;
use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

/// Calls a handler and `finish` with its response, and both again if a concurrent unit of work aborted one of them.
/// Reads are never aborted that way, so they run once.
pub(crate) async fn call<B: MessageBody + 'static>(
    next: &Next<B>,
    mut request: ServiceRequest,
    finish: impl AsyncFn(ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    if *request.method() == Method::GET {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    let body = ReplayableBody::of(request.take_payload());
    let place = request.match_info().clone();
    request.set_payload(body.replay());
    let first = finish(next.call(request).await?.map_into_boxed_body()).await;
    if !is_contended(&first) {
        return Ok(first);
    }
    running_again();
    let (request, _) = first.into_parts();
    let mut request = ServiceRequest::from_parts(request, body.replay());
    // The router stores its progress there.
    *request.match_info_mut() = place;
    Ok(finish(next.call(request).await?.map_into_boxed_body()).await)
}

fn is_contended(response: &ServiceResponse<BoxBody>) -> bool {
    let error = response.response().error().and_then(|error| error.as_error::<ApiError>());
    matches!(error, Some(ApiError::UseCase(error)) if error.is_retryable_at_once())
}

/// A request body that can be replayed from its beginning.
#[derive(Clone)]
struct ReplayableBody(Rc<RefCell<ReceivedBody>>);

struct ReceivedBody {
    source: Payload,
    /// The chunks received so far. They are shared with the reader, not copied.
    chunks: Vec<Bytes>,
}

impl ReplayableBody {
    fn of(source: Payload) -> Self {
        Self(Rc::new(RefCell::new(ReceivedBody { source, chunks: Vec::new() })))
    }

    /// The body, replayed from its beginning.
    fn replay(&self) -> Payload {
        Payload::Stream { payload: Box::pin(Replay { body: self.clone(), at: 0 }) }
    }
}

struct Replay {
    body: ReplayableBody,
    at: usize,
}

impl Stream for Replay {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = {
            let mut body = self.body.0.borrow_mut();
            match body.chunks.get(self.at) {
                Some(chunk) => Ok(chunk.clone()),
                None => match ready!(body.source.poll_next_unpin(context)) {
                    Some(Ok(chunk)) => {
                        body.chunks.push(chunk.clone());
                        Ok(chunk)
                    }
                    Some(Err(error)) => Err(error),
                    None => return Poll::Ready(None),
                },
            }
        };
        self.at += usize::from(next.is_ok());
        Poll::Ready(Some(next))
    }
}
