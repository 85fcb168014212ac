//! The request pipeline, with a fake store.
mod attempts;
mod files;
mod large_bodies;
mod pipeline;
mod socket;

use crate::answer::error::ApiError;
use crate::{Api, Settings, app};

use actix_web::body::to_bytes;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use actix_web::test::{TestRequest, init_service, try_call_service};
use actix_web::web::Data;
use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::access::{Membership, Role, UserGrants};
use domain::content::object::Hash;
use domain::organization::Organization;
use domain::paging::Page;
use domain::ports::store::organizations::OrganizationForUser;
use domain::ports::testing::{self, Counting, Fixed, FixedClock, InlineWork, MockTx, Offline};
use domain::ports::{BlobReader, Files, FilesError, Store, StoreError, StoreResult, Tx};
use domain::site::address::Hosting;
use domain::token::{Token, TokenHash};
use domain::usecases::{Ports, UseCases};
use http_server::Limits;
use serde_json::Value;
use std::sync::Arc;

const TOKEN: &str = "a-token-for-the-tests";
/// Tokens of users with the same role as Ada.
const BOBS_TOKEN: &str = "a-token-of-bob";
const EVES_TOKEN: &str = "a-token-of-eve";
const FILE: &[u8] = b"0123456789";

#[derive(Clone, Copy)]
enum Storage {
    /// The token's user, Ada, is a member of one organization with this role.
    Member(Option<Role>),
    /// The database is unavailable.
    Down,
    /// The adapter returns an internal error.
    Broken,
    /// The adapter panics.
    Panics,
}

fn organization() -> Organization {
    Organization::new("o".parse().unwrap(), "Docs".parse().unwrap(), DateTime::UNIX_EPOCH)
}

fn belonging(membership: Option<Membership>) -> OrganizationForUser {
    OrganizationForUser { organization: organization(), membership, owns_team: false }
}

fn token(hash: &TokenHash) -> Option<Token> {
    let users = [(TOKEN, "ada"), (BOBS_TOKEN, "bob"), (EVES_TOKEN, "eve")];
    let (_, user) = users.into_iter().find(|(secret, _)| *hash == TokenHash::of(secret))?;
    Some(testing::token(user.parse().unwrap()))
}

fn io() -> Box<dyn std::error::Error + Send + Sync> {
    Box::new(std::io::Error::other("postgres://secret@host"))
}

impl Storage {
    fn unit(self) -> StoreResult<Box<dyn Tx>> {
        let Self::Member(role) = self else {
            return match self {
                Self::Down => Err(StoreError::Unavailable(io())),
                Self::Broken => Err(StoreError::Internal(io())),
                _ => panic!("a fault"),
            };
        };
        let membership = Some(Membership { role, disabled: false });
        let mut tx = MockTx::default();
        tx.tokens.expect_find_by_hash().returning(|hash| Ok(token(hash)));
        tx.tokens.expect_find().returning(|_| Ok(token(&TokenHash::of(TOKEN))));
        tx.organizations.expect_find().returning(move |id, _| Ok((id.as_str() == "o").then(|| belonging(membership))));
        tx.organizations.expect_list().returning(move |_, page| {
            let next = page.after.is_none().then(|| "o".to_owned());
            Ok(Page { next, ..vec![belonging(membership)].into() })
        });
        tx.organizations.expect_save().returning(|_| Ok(()));
        tx.grants.expect_of_user().returning(|_, _| Ok(UserGrants::default()));
        tx.spaces.expect_exists().returning(|_| Ok(true));
        tx.events.expect_record().returning(|_| Ok(()));
        Ok(Box::new(tx))
    }
}

#[async_trait]
impl Store for Storage {
    async fn read(&self) -> StoreResult<Box<dyn Tx>> {
        self.unit()
    }
    async fn write(&self) -> StoreResult<Box<dyn Tx>> {
        self.unit()
    }
    async fn ping(&self) -> StoreResult<()> {
        self.unit().map(drop)
    }
    async fn stamp(&self) -> Option<u64> {
        None
    }
    async fn work(&self) {
        std::future::pending().await
    }
}

struct OneFile;
struct Rest(Bytes);

#[async_trait]
impl BlobReader for Rest {
    async fn chunk(&mut self) -> Result<Bytes, FilesError> {
        Ok(self.0.split_to(self.0.len().min(3)))
    }
}

#[async_trait]
impl Files for OneFile {
    async fn put(&self, bytes: Bytes) -> Result<Hash, FilesError> {
        Ok(Hash::of(&bytes))
    }
    async fn size(&self, hash: &Hash) -> Result<Option<u64>, FilesError> {
        Ok((*hash == Hash::of(FILE)).then_some(FILE.len() as u64))
    }
    async fn remove(&self, _: &Hash, _: DateTime<Utc>) -> Result<bool, FilesError> {
        Ok(false)
    }
    async fn open(&self, _: &Hash, start: u64, length: u64) -> Result<Box<dyn BlobReader>, FilesError> {
        let (start, length) = (usize::try_from(start).unwrap(), usize::try_from(length).unwrap());
        Ok(Box::new(Rest(Bytes::from_static(&FILE[start..start + length]))))
    }
}

fn api(storage: Storage, limits: Limits) -> Data<Api> {
    api_on(Arc::new(storage), limits)
}

fn api_on(store: Arc<dyn Store>, limits: Limits) -> Data<Api> {
    Data::new(new_api(store, limits))
}

fn new_api(store: Arc<dyn Store>, limits: Limits) -> Api {
    let ports = Ports {
        store,
        files: Arc::new(OneFile),
        fetcher: Arc::new(Offline),
        clock: Arc::new(FixedClock(DateTime::UNIX_EPOCH)),
        ids: Arc::new(Counting::default()),
        secrets: Arc::new(Fixed([1; 32])),
        long_work: Arc::new(InlineWork),
        outbox: None,
        engines: None,
        chat: None,
        embedder: None,
    };
    let services = UseCases::new(&ports, "https://docs.test", Hosting::default(), &[3; 32]);
    let settings = Settings {
        public_url: "https://docs.test".parse().unwrap(),
        secret: [3; 32],
        version: "1.2.3".into(),
        build: "2026-01-01".into(),
        limits,
        trusted_proxies: Vec::new(),
        answer_cache_bytes: 1 << 20,
        home: None,
    };
    Api::new(services, settings)
}

const UNLIMITED: Limits = Limits { requests_per_minute: 0, burst: 0, failures_per_minute: 0 };

struct Answered {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Answered {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {:?}", self.body))
    }
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
    /// Checks the form of an error, and returns its message.
    fn error(&self) -> String {
        let body = self.json();
        assert_eq!(body["error"]["code"], self.status.as_u16());
        assert_eq!(self.header("content-type"), "application/json");
        assert_eq!(self.header("x-content-type-options"), "nosniff");
        assert_eq!(self.header("cache-control"), "no-store");
        assert!(!self.header("x-request-id").is_empty());
        body["error"]["message"].as_str().unwrap().to_owned()
    }
}

async fn send_to(api: &Data<Api>, request: TestRequest) -> Answered {
    let service = init_service(app(api.clone())).await;
    match try_call_service(&service, request.to_request()).await {
        Ok(response) => {
            let (status, headers) = (response.status(), response.headers().clone());
            let body = to_bytes(response.into_body()).await.ok().unwrap();
            Answered { status, headers, body }
        }
        Err(error) => {
            let response = error.error_response();
            let (status, headers) = (response.status(), response.headers().clone());
            Answered { status, headers, body: to_bytes(response.into_body()).await.unwrap() }
        }
    }
}

async fn send(storage: Storage, request: TestRequest) -> Answered {
    send_to(&api(storage, UNLIMITED), request).await
}

const ADMIN: Storage = Storage::Member(Some(Role::Admin));
const READER: Storage = Storage::Member(Some(Role::Read));

fn get(path: &str) -> TestRequest {
    TestRequest::get().uri(path)
}
fn authenticated(request: TestRequest) -> TestRequest {
    request.insert_header(("authorization", format!("Bearer {TOKEN}")))
}
fn patch(path: &str, body: &'static str) -> TestRequest {
    let request = TestRequest::patch().uri(path).insert_header(("content-type", "application/json"));
    authenticated(request.set_payload(body))
}
