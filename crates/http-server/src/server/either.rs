//! Two applications on one socket.
use actix_http::{Request, RequestHead};
use actix_service::{Service, ServiceFactory};
use actix_web::Error;
use actix_web::dev::{AppConfig, ServiceResponse};
use futures_util::future::{LocalBoxFuture, try_join};
use std::rc::Rc;
use std::task::{Context, Poll};

/// Serves some requests with a first application, and the others with a second one. Both get the unchanged request.
#[derive(Clone, Debug)]
pub struct Either<A, B, F> {
    first: A,
    second: B,
    is_first: F,
}

impl<A, B, F> Either<A, B, F> {
    /// The requests for which `is_first` is true are for the first application.
    pub fn new(first: A, second: B, is_first: F) -> Self {
        Self { first, second, is_first }
    }
}

impl<A, B, F, R> ServiceFactory<Request> for Either<A, B, F>
where
    A: ServiceFactory<Request, Config = AppConfig, Response = ServiceResponse, Error = Error, InitError = ()>,
    B: ServiceFactory<Request, Config = AppConfig, Response = ServiceResponse, Error = Error, InitError = ()>,
    A::Service: 'static,
    B::Service: 'static,
    A::Future: 'static,
    B::Future: 'static,
    F: Fn(&RequestHead) -> R + Clone + 'static,
    R: Future<Output = bool> + 'static,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Config = AppConfig;
    type Service = EitherService<A::Service, B::Service, F>;
    type InitError = ();
    type Future = LocalBoxFuture<'static, Result<Self::Service, ()>>;

    fn new_service(&self, config: AppConfig) -> Self::Future {
        let both = try_join(self.first.new_service(config.clone()), self.second.new_service(config));
        let is_first = self.is_first.clone();
        Box::pin(async move {
            let (first, second) = both.await?;
            Ok(EitherService { first: Rc::new(first), second: Rc::new(second), is_first })
        })
    }
}

/// Both applications of a worker.
#[derive(Debug)]
pub struct EitherService<A, B, F> {
    first: Rc<A>,
    second: Rc<B>,
    is_first: F,
}

impl<A, B, F, R> Service<Request> for EitherService<A, B, F>
where
    A: Service<Request, Response = ServiceResponse, Error = Error> + 'static,
    B: Service<Request, Response = ServiceResponse, Error = Error> + 'static,
    F: Fn(&RequestHead) -> R + 'static,
    R: Future<Output = bool> + 'static,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<ServiceResponse, Error>>;

    fn poll_ready(&self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        match (self.first.poll_ready(context), self.second.poll_ready(context)) {
            (Poll::Ready(Err(error)), _) | (_, Poll::Ready(Err(error))) => Poll::Ready(Err(error)),
            (Poll::Ready(Ok(())), Poll::Ready(Ok(()))) => Poll::Ready(Ok(())),
            _ => Poll::Pending,
        }
    }

    fn call(&self, request: Request) -> Self::Future {
        let is_first = (self.is_first)(request.head());
        let (first, second) = (self.first.clone(), self.second.clone());
        Box::pin(async move {
            match is_first.await {
                true => first.call(request).await,
                false => second.call(request).await,
            }
        })
    }
}
