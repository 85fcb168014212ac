//! A connection, between the socket and the framework.
//!
//! The framework parses requests well, but it trusts clients with time. It waits without limit for the later heads of a
//! connection, for a client that does not read a response, and for the overhead of a chunked body. It sends its own
//! errors without a body, and a stopping server drops received bytes that were not read. So this module passes requests
//! to the framework one at a time, when the head is complete and valid, and limits the time of every wait for a client.
//! Cached responses it sends itself.
mod deadline_timer;
mod fast;
mod framing;
mod head;
mod transfer_deadline;

#[cfg(test)]
pub(crate) use head::HEADER_COUNT;

use super::ServerOptions;
use super::exchange::{self, Exchange};
use super::fast_path::FastPath;
use super::traffic::Traffic;
use crate::body::LARGEST_BODY;
use crate::error::ServerError;
use actix_http::{ConnectionType, HttpService, Request, Response, ServiceConfig};
use actix_service::{IntoServiceFactory, ServiceFactory, ServiceFactoryExt, apply_fn_factory, fn_service, map_config};
use actix_web::dev::{AppConfig, Service, ServiceResponse};
use actix_web::http::KeepAlive;
use bytes::{Buf, BytesMut};
use deadline_timer::DeadlineTimer;
use fast::Fast;
use framing::Framing;
use head::{Head, HeadParser};
use socket2::SockRef;
use std::future::{self, Future};
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::net::Shutdown;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;
use transfer_deadline::TransferDeadline;

/// The number of bytes to read at once.
const READ: usize = 8 * 1024;
/// The maximum number of bytes of later requests to read during a request.
const READ_AHEAD: usize = 16 * 1024;
/// How far an unread body may exceed the largest allowed body before it is refused.
const SLACK: usize = 256 * 1024;
/// How long to keep reading from a client that still sends after the last response. Closing at once would reset the
/// connection, and the client might lose the response.
const LINGER: Duration = Duration::from_secs(2);
/// The placeholder for a refused head. The stored refusal distinguishes it from a client that sends the same bytes.
const REFUSED: &[u8] = b"REFUSED / HTTP/1.1\r\nhost: -\r\nconnection: close\r\n\r\n";

/// The service of a worker: takes a connection and answers its requests.
pub(crate) fn service<S>(
    application: impl IntoServiceFactory<S, Request>,
    traffic: Arc<Traffic>,
    options: ServerOptions,
    fast_path: Arc<dyn FastPath>,
) -> impl ServiceFactory<TcpStream, Config = (), Response = (), InitError = ()>
where
    S: ServiceFactory<
            Request,
            Config = AppConfig,
            Response = ServiceResponse,
            Error = actix_web::Error,
            InitError = (),
        > + 'static,
{
    let config = ServiceConfig::default();
    let application = apply_fn_factory(map_config(application, |()| AppConfig::default()), answer);
    let http = HttpService::build()
        // This module closes idle connections: the framework does not know of responses of the fast path.
        .keep_alive(KeepAlive::Os)
        // This module applies the timeout to every head.
        .client_request_timeout(Duration::ZERO)
        .client_disconnect_timeout(LINGER)
        .on_connect_ext(|connection: &Connection, data| {
            data.insert(connection.exchange.clone());
        })
        .h1(application);
    fn_service(move |stream: TcpStream| {
        let peer = stream.peer_addr().ok();
        let exchange = Rc::new(Exchange::new(stream, traffic.clone()));
        future::ready(Ok((Connection::new(exchange, config.clone(), options, fast_path.clone()), peer)))
    })
    .and_then(http)
}

/// Passes a request to the application, and its response to the connection.
fn answer<S>(request: Request, application: &S) -> impl Future<Output = std::result::Result<Answer, S::Error>> + use<S>
where
    S: Service<Request, Response = ServiceResponse, Error = actix_web::Error>,
{
    let exchange = request.conn_data::<Rc<Exchange>>().cloned();
    let answer = application.call(request);
    async move {
        let response = match answer.await {
            Ok(response) => Response::from(response),
            Err(error) => Response::from(error.error_response()),
        };
        Ok(exchange::answer(exchange, response))
    }
}

type Answer = Response<exchange::Answering>;

/// The next input expected from the client.
#[derive(Debug)]
enum Expected {
    Head,
    /// The rest of a body.
    Body(Framing),
    /// Nothing more is read: the last request was refused.
    Nothing,
    /// Nothing: the framework sees the end of the input.
    End,
}

/// The next step before the framework can get bytes.
enum Next {
    /// Bytes are ready.
    Ready,
    /// Answer the current request with a cached response.
    Fast,
    /// Read from the socket.
    Receive,
    /// Wait until the current request is answered.
    Wait,
    /// There are no more bytes.
    End,
}

pub(super) struct Connection {
    exchange: Rc<Exchange>,
    options: ServerOptions,
    config: ServiceConfig,
    fast_path: Arc<dyn FastPath>,
    fast: Option<Fast>,
    /// Whether all bytes from the framework are sent. Only then, a response of the fast path may follow.
    flushed: bool,
    head_parser: HeadParser,
    expected: Expected,
    /// Bytes received and not yet passed on.
    received: BytesMut,
    /// The number of those bytes that can be passed on.
    ready: usize,
    /// Whether the client has closed its side.
    ended: bool,
    /// When the wait for the current head began.
    head_since: Option<Instant>,
    /// When the last response was sent, if no request has arrived since.
    idle_since: Option<Instant>,
    reading: TransferDeadline,
    writing: TransferDeadline,
    read_timer: DeadlineTimer,
    write_timer: DeadlineTimer,
    /// Resolves when idle connections must close.
    closing: Option<Pin<Box<dyn Future<Output = ()>>>>,
    /// When the connection began to discard further input.
    lingering: Option<Instant>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.exchange.end();
        self.exchange.traffic.close();
    }
}

impl Connection {
    fn new(
        exchange: Rc<Exchange>,
        config: ServiceConfig,
        options: ServerOptions,
        fast_path: Arc<dyn FastPath>,
    ) -> Self {
        Self {
            closing: Some(Box::pin(exchange.traffic.closing())),
            exchange,
            options,
            head_parser: HeadParser::new(config.clone()),
            config,
            fast_path,
            fast: None,
            flushed: true,
            expected: Expected::Head,
            received: BytesMut::new(),
            ready: 0,
            ended: false,
            head_since: Some(Instant::now()),
            idle_since: None,
            reading: TransferDeadline::new(options.body_timeout),
            writing: TransferDeadline::new(options.answer_timeout),
            read_timer: DeadlineTimer::default(),
            write_timer: DeadlineTimer::default(),
            lingering: None,
        }
    }

    /// Decides what to do with the received bytes.
    fn next_step(&mut self) -> Next {
        if self.ready > 0 {
            return Next::Ready;
        }
        if self.fast.is_some() {
            return Next::Fast;
        }
        match &self.expected {
            Expected::Nothing => Next::Wait,
            Expected::End => Next::End,
            Expected::Head if self.exchange.is_under_way() => self.hold(),
            Expected::Head => self.next_for_head(),
            Expected::Body(_) => self.next_for_body(),
        }
    }

    /// During a request: further bytes belong to the next request.
    fn hold(&self) -> Next {
        self.exchange.kept.set(!self.received.is_empty());
        match (self.received.is_empty(), self.ended) {
            (true, true) => Next::End,
            (false, true) => Next::Wait,
            _ if self.received.len() >= READ_AHEAD => Next::Wait,
            _ => Next::Receive,
        }
    }

    fn next_for_head(&mut self) -> Next {
        self.exchange.kept.set(false);
        if !self.received.is_empty() {
            self.head_since.get_or_insert_with(Instant::now);
            match self.head_parser.look(&self.received) {
                Head::Complete { length, framing, request } => {
                    if framing.is_done() && self.begin_fast(length, request.head()) {
                        return Next::Fast;
                    }
                    if request.head().connection_type() != ConnectionType::KeepAlive {
                        self.exchange.is_closing.set(true);
                    }
                    self.begin(length, if framing.is_done() { Expected::Head } else { Expected::Body(framing) });
                    return Next::Ready;
                }
                Head::Refused(error) => {
                    self.refuse(error);
                    return Next::Ready;
                }
                Head::Incomplete => {}
            }
        }
        if self.ended { Next::End } else { Next::Receive }
    }

    fn next_for_body(&mut self) -> Next {
        let Expected::Body(framing) = &mut self.expected else { return Next::Receive };
        if !self.exchange.is_under_way() {
            // The framework reads the rest of a body after its response only to close the connection.
            self.exchange.is_closing.set(true);
        }
        if self.received.is_empty() {
            return if self.ended { Next::End } else { Next::Receive };
        }
        let taken = framing.take(&self.received);
        let (limit, largest) = (self.exchange.body_limit() as u64, (LARGEST_BODY + SLACK) as u64);
        let Some(taken) = taken.ok().filter(|_| !framing.is_beyond(limit, largest)) else {
            // The reader of the body gets an error and reports it.
            self.expected = Expected::End;
            return Next::End;
        };
        if framing.is_done() {
            self.expected = Expected::Head;
        }
        self.ready = taken;
        Next::Ready
    }

    /// Passes a request on.
    fn begin(&mut self, ready: usize, expected: Expected) {
        (self.ready, self.expected, self.head_since, self.idle_since) = (ready, expected, None, None);
        self.reading = TransferDeadline::new(self.options.body_timeout);
        self.exchange.begin();
    }

    /// Lets the application report the error of a refused head.
    fn refuse(&mut self, error: ServerError) {
        self.received.clear();
        self.received.extend_from_slice(REFUSED);
        self.exchange.refusal.set(Some(error));
        self.begin(REFUSED.len(), Expected::Nothing);
    }

    /// Reads from the socket.
    fn receive(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        loop {
            match self.exchange.stream.poll_read_ready(context) {
                Poll::Pending => return self.wait(context),
                Poll::Ready(ready) => ready?,
            }
            self.received.reserve(READ);
            let room = self.received.capacity() - self.received.len();
            match self.exchange.stream.try_read_buf(&mut self.received) {
                Ok(0) => self.ended = true,
                Ok(bytes) => {
                    self.reading.moved(bytes, Instant::now);
                    if bytes < room {
                        self.exchange.wait_for_more();
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                Err(error) => return Poll::Ready(Err(error)),
            }
            return Poll::Ready(Ok(()));
        }
    }

    /// Waits for input, until the deadline of the client.
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        if self.closing.as_mut().is_some_and(|closing| closing.as_mut().poll(context).is_ready()) {
            self.closing = None;
        }
        let body = matches!(self.expected, Expected::Body(_));
        let deadline = match &self.expected {
            Expected::Body(_) => self.reading.deadline(Instant::now()),
            Expected::Head if !self.exchange.is_under_way() => {
                if self.closing.is_none() && !self.exchange.has_unread() {
                    self.ended = true;
                    return Poll::Ready(Ok(()));
                }
                if self.received.is_empty() {
                    self.received = BytesMut::new();
                }
                match self.head_since {
                    Some(since) => since + self.options.head_timeout,
                    None => self.idle_deadline(),
                }
            }
            _ => return Poll::Pending,
        };
        if self.read_timer.poll(deadline, context).is_pending() {
            return Poll::Pending;
        }
        if body {
            self.exchange.body_late.set(true);
            self.expected = Expected::End;
        } else if self.head_since.is_none() {
            if self.exchange.has_unread() {
                // A request has just arrived: the runtime is about to tell.
                return Poll::Pending;
            }
            self.ended = true;
        } else {
            self.refuse(ServerError::HeadTimeout);
        }
        Poll::Ready(Ok(()))
    }

    /// When to close the connection if no request arrives.
    fn idle_deadline(&mut self) -> Instant {
        *self.idle_since.get_or_insert_with(Instant::now) + self.options.keep_alive
    }

    /// Sends bytes. Returns how many were sent.
    fn poll_send(&mut self, context: &mut Context<'_>, bytes: &[IoSlice<'_>]) -> Poll<Result<usize>> {
        loop {
            match self.exchange.stream.poll_write_ready(context) {
                Poll::Ready(ready) => ready?,
                Poll::Pending => {
                    let deadline = self.writing.deadline(Instant::now());
                    return self.write_timer.poll(deadline, context).map(|()| Err(Error::from(ErrorKind::TimedOut)));
                }
            }
            match self.exchange.stream.try_write_vectored(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
                Ok(written) => {
                    self.writing.moved(written, Instant::now);
                    return Poll::Ready(Ok(written));
                }
            }
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let this = &mut *self;
        loop {
            match this.next_step() {
                Next::Ready => {
                    let length = this.ready.min(out.remaining());
                    out.put_slice(&this.received[..length]);
                    this.received.advance(length);
                    this.ready -= length;
                    return Poll::Ready(Ok(()));
                }
                Next::Fast => ready!(this.poll_fast(context))?,
                Next::End => return Poll::Ready(Ok(())),
                Next::Wait => {
                    this.exchange.wake_at_end(context.waker());
                    return Poll::Pending;
                }
                Next::Receive => {
                    if this.exchange.is_under_way() {
                        this.exchange.wake_at_end(context.waker());
                    }
                    if this.receive(context)?.is_pending() {
                        return Poll::Pending;
                    }
                }
            }
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        self.flushed = false;
        self.poll_send(context, &[IoSlice::new(bytes)])
    }

    /// The framework has sent all its bytes.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let this = &mut *self;
        this.flushed = true;
        if this.head_since.is_none() && !this.exchange.is_under_way() {
            // The next poll after this time finds that the connection is idle.
            let deadline = this.idle_deadline();
            if this.read_timer.poll(deadline, context).is_ready() {
                context.waker().wake_by_ref();
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Closes the sending side, and reads for a while from a client that is still sending.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let this = &mut *self;
        let since = match this.lingering {
            Some(since) => since,
            None => {
                // Ignore the error: the client may already be gone.
                let _gone = SockRef::from(&this.exchange.stream).shutdown(Shutdown::Write);
                let all_read = matches!(this.expected, Expected::Head) && !this.exchange.has_unread();
                if this.ended || all_read && this.received.is_empty() {
                    return Poll::Ready(Ok(()));
                }
                *this.lingering.insert(Instant::now())
            }
        };
        while this.exchange.stream.poll_read_ready(context)?.is_ready() {
            let mut thrown_away = [0; READ];
            match this.exchange.stream.try_read(&mut thrown_away) {
                Ok(0) => return Poll::Ready(Ok(())),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        this.read_timer.poll(since + LINGER, context).map(Ok)
    }
}
