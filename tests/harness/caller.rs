//! Callers of the API.
use crate::answer::Answer;
use crate::declared;
use actix_web::body::{BoxBody, MessageBody, to_bytes};
use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use actix_web::test::TestRequest;
use domain::id::UserId;
use serde_json::Value;
use std::pin::Pin;
use std::rc::Rc;

/// Sends a request to the server.
pub(crate) type Call = Rc<dyn Fn(TestRequest) -> Pin<Box<dyn Future<Output = ServiceResponse<BoxBody>>>>>;

/// A caller, with or without a token.
#[derive(Clone)]
pub struct Caller {
    /// The account, if there is one.
    pub user: Option<UserId>,
    /// The value of `Authorization`.
    pub authorization: Option<String>,
    call: Call,
}

impl Caller {
    pub(crate) fn new(user: Option<UserId>, token: Option<String>, call: Call) -> Self {
        Self { user, authorization: token.map(|token| format!("Bearer {token}")), call }
    }

    /// The same caller, on another server.
    pub(crate) fn on(&self, call: Call) -> Self {
        Self { user: self.user.clone(), authorization: self.authorization.clone(), call }
    }

    /// The id of the account.
    ///
    /// # Panics
    /// If the caller has none.
    pub fn id(&self) -> &str {
        self.user.as_ref().expect("an account").as_str()
    }

    /// Sends a request built by `with`; the path is relative to `/v1`.
    pub async fn send(&self, method: Method, path: &str, with: impl FnOnce(TestRequest) -> TestRequest) -> Answer {
        self.send_to(method, &format!("/v1{path}"), with).await
    }

    /// As [`Self::send`], with the whole path.
    pub async fn send_to(&self, method: Method, path: &str, with: impl FnOnce(TestRequest) -> TestRequest) -> Answer {
        let mut request = TestRequest::with_uri(path).method(method);
        if let Some(authorization) = &self.authorization {
            request = request.insert_header(("Authorization", authorization.as_str()));
        }
        let response = (self.call)(with(request)).await;
        declared::check(response.request(), response.status());
        let (status, headers) = (response.status(), response.headers().clone());
        let body: BoxBody = response.into_body().boxed();
        let bytes = to_bytes(body).await.unwrap_or_default().to_vec();
        Answer { status, headers, bytes }
    }

    /// `GET`.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, |request| request).await
    }

    /// `POST` with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, |request| request.set_json(body)).await
    }

    /// `PUT` with a JSON body.
    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, |request| request.set_json(body)).await
    }

    /// `DELETE`.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, |request| request).await
    }

    /// `PATCH` with a JSON body.
    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, |request| request.set_json(body)).await
    }
}
