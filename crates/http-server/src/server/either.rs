//! Two applications on one socket.
use actix_http::Request;
use actix_service::{Service, ServiceFactory};
use actix_web::Error;
use actix_web::dev::{AppConfig, ServiceResponse};
use futures_util::future::{LocalBoxFuture, try_join};
use std::rc::Rc;
use std::task::{Context, Poll};

/// Serves some requests with a first application, and the others with a second one. Both get the request as it arrived.
#[derive(Clone, Debug)]
pub struct Either<A, B, F> {
    first: A,
    second: B,
    is_first: F,
}

impl<A, B, F> Either<A, B, F> {
    /// The requests for which `is_first` is true are for the first application. What it adds to the extensions of a
    /// request reaches the handlers of the application, as extensions of their request.
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
    F: Fn(&Request) -> R + Clone + 'static,
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
    F: Fn(&Request) -> R + 'static,
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
        let is_first = (self.is_first)(&request);
        let (first, second) = (self.first.clone(), self.second.clone());
        Box::pin(async move {
            match is_first.await {
                true => first.call(request).await,
                false => second.call(request).await,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_service::IntoServiceFactory;
    use actix_web::test::{TestRequest, read_body};
    use actix_web::web::{self, Bytes};
    use actix_web::{App, HttpMessage, HttpRequest};
    use std::future::ready;

    struct Note(&'static str);

    async fn first(request: HttpRequest) -> String {
        format!("first, {}", request.extensions().get::<Note>().map_or("nothing", |note| note.0))
    }

    async fn second(request: HttpRequest) -> String {
        format!("second, {}", request.extensions().get::<Note>().map_or("nothing", |note| note.0))
    }

    /// The responses to requests that come one after the other.
    async fn answers(paths: [&str; 4]) -> Vec<Bytes> {
        let is_first = |request: &Request| {
            if request.path().ends_with("noted") {
                request.extensions_mut().insert(Note("noted"));
            }
            ready(request.path().starts_with("/first"))
        };
        let apps = (App::new().default_service(web::to(first)), App::new().default_service(web::to(second)));
        let both = Either::new(apps.0.into_factory(), apps.1.into_factory(), is_first);
        let both = both.new_service(AppConfig::default()).await.expect("the applications start");
        let mut bodies = Vec::new();
        for path in paths {
            let response = both.call(TestRequest::with_uri(path).to_request()).await.expect("a response");
            bodies.push(read_body(response).await);
        }
        bodies
    }

    #[actix_web::test]
    async fn the_handler_of_the_chosen_application_gets_what_the_choice_has_learned() {
        let bodies = answers(["/first/noted", "/second/noted", "/first", "/second"]).await;
        // Nothing is left from an earlier request.
        assert_eq!(bodies, ["first, noted", "second, noted", "first, nothing", "second, nothing"]);
    }
}
