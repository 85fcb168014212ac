//! Answers requests with cached responses.
use super::{Connection, Expected};
use crate::server::fast_path::{PendingResponse, is_eligible};
use actix_http::RequestHead;
use bytes::{Buf, Bytes};
use std::io::{IoSlice, Result};
use std::task::{Context, Poll, ready};
use std::time::Instant as StdInstant;
use tokio::time::Instant;

/// A request that the connection may answer itself.
pub(super) enum Fast {
    /// Its head has `length` bytes, which are still in the buffer.
    Finding { length: usize, started: StdInstant, pending: PendingResponse },
    /// The rest of the head and of the body of the response.
    Sending(Bytes, Bytes),
}

impl Connection {
    /// Starts to answer a request without a body, if it may have a cached response.
    pub(super) fn begin_fast(&mut self, length: usize, request: &RequestHead) -> bool {
        let exchange = &self.exchange;
        let may_answer = self.flushed && !exchange.is_closing.get() && !exchange.traffic.is_draining();
        if !may_answer || !is_eligible(request, length) {
            return false;
        }
        let started = StdInstant::now();
        let Some(pending) = self.fast_path.find(request) else { return false };
        self.begin(0, Expected::Head);
        self.fast = Some(Fast::Finding { length, started, pending });
        true
    }

    /// Sends the cached response, or passes the request on if there is none.
    pub(super) fn poll_fast(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        if let Some(Fast::Finding { length, started, pending }) = &mut self.fast {
            let (found, length) = (ready!(pending.as_mut().poll(context)), *length);
            let Some(response) = found else {
                (self.ready, self.fast) = (length, None);
                return Poll::Ready(Ok(()));
            };
            response.observe(*started);
            self.received.advance(length);
            let (head, body) = response.into_bytes(&self.config);
            self.fast = Some(Fast::Sending(head, body));
        }
        while let Some(Fast::Sending(mut head, mut body)) = self.fast.take() {
            if head.is_empty() && body.is_empty() {
                self.exchange.end();
                self.idle_since = Some(Instant::now());
                break;
            }
            let sent = self.poll_send(context, &[IoSlice::new(&head), IoSlice::new(&body)]);
            if let Poll::Ready(Ok(sent)) = sent {
                let of_head = sent.min(head.len());
                head.advance(of_head);
                body.advance(sent - of_head);
            }
            self.fast = Some(Fast::Sending(head, body));
            ready!(sent)?;
        }
        Poll::Ready(Ok(()))
    }
}
