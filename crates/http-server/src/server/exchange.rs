//! State shared by a connection and the application.
use super::traffic::Traffic;
use crate::body::LARGEST_BODY;
use crate::error::ServerError;
use actix_http::{ConnectionType, Response};
use actix_web::body::{BodySize, BoxBody, MessageBody};
use bytes::Bytes;
use socket2::SockRef;
use std::cell::{Cell, RefCell};
use std::io::{self, ErrorKind};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::io::Interest;
use tokio::net::TcpStream;

/// State shared by a connection and the application. The connection passes one request at a time to the application.
pub(crate) struct Exchange {
    pub(crate) stream: TcpStream,
    pub(crate) traffic: Arc<Traffic>,
    /// Whether the server waits for this connection when it stops.
    counted: bool,
    under_way: Cell<bool>,
    /// Whether bytes of another request are held back until the current one is answered.
    pub(crate) kept: Cell<bool>,
    reader: RefCell<Option<Waker>>,
    /// Whether the connection closes after the current or the last response. Later requests are not answered.
    pub(crate) is_closing: Cell<bool>,
    pub(crate) refusal: Cell<Option<ServerError>>,
    body_limit: Cell<usize>,
    pub(crate) body_late: Cell<bool>,
}

impl Exchange {
    pub(crate) fn new(stream: TcpStream, traffic: Arc<Traffic>) -> Self {
        let counted = traffic.open();
        Self {
            stream,
            traffic,
            counted,
            under_way: Cell::new(false),
            kept: Cell::new(false),
            reader: RefCell::new(None),
            is_closing: Cell::new(false),
            refusal: Cell::new(None),
            body_limit: Cell::new(LARGEST_BODY),
            body_late: Cell::new(false),
        }
    }

    /// The error for a request head that was refused. The current request is then a placeholder for it.
    pub(crate) fn take_refusal(&self) -> Option<ServerError> {
        self.refusal.take()
    }

    /// Whether the current request is a placeholder for a request head that was refused.
    pub(crate) fn is_refused(&self) -> bool {
        let refusal = self.refusal.take();
        let is_refused = refusal.is_some();
        self.refusal.set(refusal);
        is_refused
    }

    /// Sets the maximum size of the current request's body.
    pub(crate) fn limit_body(&self, limit: usize) {
        self.body_limit.set(limit);
    }

    /// The reason why a body is incomplete.
    pub(crate) fn broken_body(&self) -> ServerError {
        if self.body_late.get() { ServerError::Timeout } else { ServerError::BrokenBody }
    }

    pub(crate) fn body_limit(&self) -> usize {
        self.body_limit.get()
    }

    pub(crate) fn is_under_way(&self) -> bool {
        self.under_way.get()
    }

    /// Starts a request.
    pub(crate) fn begin(&self) {
        self.body_limit.set(LARGEST_BODY);
        self.under_way.set(true);
        if self.counted {
            self.traffic.begin();
        }
    }

    /// Ends the current request: the response is sent, or never will be.
    pub(crate) fn end(&self) {
        if !self.under_way.replace(false) {
            return;
        }
        if self.counted {
            self.traffic.end();
        }
        // Otherwise the next bytes wake the reader.
        if (self.kept.get() || self.traffic.is_draining())
            && let Some(reader) = self.reader.borrow_mut().take()
        {
            reader.wake();
        }
    }

    /// Stores the waker to call when the current request ends.
    pub(crate) fn wake_at_end(&self, reader: &Waker) {
        let mut kept = self.reader.borrow_mut();
        if !kept.as_ref().is_some_and(|kept| kept.will_wake(reader)) {
            *kept = Some(reader.clone());
        }
    }

    /// Lets the next read wait until the socket reports more bytes: the last one got all that there were. Without this,
    /// each request would take a read that gets nothing.
    pub(crate) fn wait_for_more(&self) {
        // The runtime marks the socket as not readable after an operation that would block. This cannot hide bytes that
        // arrive after the read: the runtime marks the socket as readable when it polls for events, which only the
        // thread of this connection does, so not between the read and this call.
        let _: io::Result<()> = self.stream.try_io(Interest::READABLE, || Err(ErrorKind::WouldBlock.into()));
    }

    /// Whether the client has sent more bytes that have not been read.
    pub(crate) fn has_unread(&self) -> bool {
        // Ask the kernel: the runtime learns of new bytes only when it next polls.
        let mut byte = [MaybeUninit::uninit()];
        self.kept.get() || SockRef::from(&self.stream).peek(&mut byte).is_ok_and(|bytes| bytes > 0)
    }
}

/// Prepares a response: marks it as the last of the connection if the server is stopping, and ends the request once the
/// response is sent.
pub(crate) fn answer(exchange: Option<Rc<Exchange>>, mut response: Response<BoxBody>) -> Response<Answering> {
    if exchange.as_ref().is_some_and(|exchange| exchange.traffic.is_draining() && !exchange.has_unread()) {
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    if let Some(exchange) = exchange.as_ref().filter(|_| response.head().connection_type() == ConnectionType::Close) {
        exchange.is_closing.set(true);
    }
    response.map_body(|_, body| Answering { body, exchange })
}

/// The body of a response. Dropping it ends the request.
pub(crate) struct Answering {
    body: BoxBody,
    exchange: Option<Rc<Exchange>>,
}

impl Drop for Answering {
    fn drop(&mut self) {
        if let Some(exchange) = &self.exchange {
            exchange.end();
        }
    }
}

impl MessageBody for Answering {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(context)
    }
}
