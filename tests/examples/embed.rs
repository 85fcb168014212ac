//! Octavo inside another program: `cargo run -p acceptance --example embed`.
//!
//! 1. [`ports`]: what the use cases need from outside. Most are adapters of Octavo; files are stored by an
//!    implementation of this program.
//! 2. [`write_guide`]: calls of use cases, without HTTP.
//! 3. [`server`]: the HTTP API of the same use cases. A [`Worker`] runs their background jobs.
#![expect(clippy::print_stdout, reason = "it shows what it does")]

use actix_web::dev::Server;
use actix_web::web::Data;
use adapters_diesel::{Database, DatabaseOptions, DieselStore, StoreOptions};
use adapters_fetch::{FetchOptions, HttpFetcher};
use adapters_system::{BlockingThreads, OsSecrets, SystemClock, UuidIds};
use api_actix::{Api, Settings};
use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::change_request::ChangeRequestRef;
use domain::content::batch::{self, PageFields};
use domain::content::import::InMemory;
use domain::content::object::Hash;
use domain::ports::{BlobReader, Clock, Files, FilesError};
use domain::site::address::Hosting;
use domain::usecases::change_requests::{NewChange, NewChangeRequest, Write};
use domain::usecases::content::{At, Body, Destination, Format, PageOptions, PageRef};
use domain::usecases::{Ports, Precondition, UseCases};
use http_server::{Limits, ServerOptions, Traffic};
use job_worker::Worker;
use std::collections::HashMap;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Any failure of this program. A caller that must tell failures apart matches on [`domain::usecases::Error`].
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The secret of the instance, from which keys and codes are derived. It must stay the same.
pub(crate) const SECRET: [u8; 32] = [7; 32];

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    let use_cases = UseCases::new(&ports(folder.path()).await?, &url, Hosting::default(), &SECRET);

    let guide = Box::pin(write_guide(&use_cases)).await?;
    println!("the new page: {}", guide.markdown);
    println!("curl --header 'Authorization: Bearer {}' {url}/v1/orgs", guide.token);

    let worker = Worker::start(use_cases.jobs.clone());
    let serving = server(use_cases, listener, &url)?;
    tokio::select! {
        ended = serving => ended?,
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    worker.stop().await;
    Ok(())
}

/// The ports of a program with a database in a folder. It sends no e-mail and uses no translator or language model.
pub(crate) async fn ports(folder: &Path) -> Result<Ports, Failure> {
    let url = folder.join("octavo.db").display().to_string();
    Database::migrate(&url).await?;
    let database = Database::open(&url, &DatabaseOptions::default()).await?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    Ok(Ports {
        store: Arc::new(DieselStore::new(database, &StoreOptions::default())),
        files: Arc::new(MemoryFiles { clock: clock.clone(), files: Mutex::default() }),
        fetcher: Arc::new(HttpFetcher::new(FetchOptions::default())),
        clock,
        ids: Arc::new(UuidIds),
        secrets: Arc::new(OsSecrets),
        long_work: Arc::new(BlockingThreads),
        outbox: None,
        engines: None,
        chat: None,
        embedder: None,
    })
}

/// Files in memory, with the time of their storage.
struct MemoryFiles {
    clock: Arc<dyn Clock>,
    files: Mutex<HashMap<Hash, (DateTime<Utc>, Bytes)>>,
}

impl MemoryFiles {
    fn files(&self) -> MutexGuard<'_, HashMap<Hash, (DateTime<Utc>, Bytes)>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Files for MemoryFiles {
    async fn put(&self, bytes: Bytes) -> Result<Hash, FilesError> {
        let hash = Hash::of(&bytes);
        self.files().insert(hash, (self.clock.now(), bytes));
        Ok(hash)
    }

    async fn size(&self, hash: &Hash) -> Result<Option<u64>, FilesError> {
        Ok(self.files().get(hash).map(|(_, bytes)| bytes.len() as u64))
    }

    async fn remove(&self, hash: &Hash, since: DateTime<Utc>) -> Result<bool, FilesError> {
        let mut files = self.files();
        let was_stored_again = files.get(hash).is_some_and(|(stored_at, _)| *stored_at > since);
        if !was_stored_again {
            files.remove(hash);
        }
        Ok(!was_stored_again)
    }

    async fn open(&self, hash: &Hash, start: u64, length: u64) -> Result<Box<dyn BlobReader>, FilesError> {
        let bytes = self.files().get(hash).map(|(_, bytes)| bytes.clone()).ok_or(FilesError::NotFound)?;
        let end = start.saturating_add(length).min(bytes.len() as u64);
        Ok(Box::new(MemoryReader(bytes.slice(start.min(end) as usize..end as usize))))
    }
}

/// The unread part of a file.
struct MemoryReader(Bytes);

#[async_trait]
impl BlobReader for MemoryReader {
    async fn chunk(&mut self) -> Result<Bytes, FilesError> {
        Ok(std::mem::take(&mut self.0))
    }
}

/// The result of [`write_guide`].
pub(crate) struct Guide {
    /// The new page as Markdown.
    pub(crate) markdown: String,
    /// The token of the administrator.
    pub(crate) token: String,
}

/// Creates an account and an organization, imports a space, and adds a page with a change request.
pub(crate) async fn write_guide(use_cases: &UseCases) -> Result<Guide, Failure> {
    let UseCases { accounts, content, change_requests, .. } = use_cases;
    let made = accounts.bootstrap("ada@example.org".parse()?, "Analytical Engines".parse()?, None).await?;
    let made = made.ok_or("the database already has accounts")?;
    let token = made.secret.reveal().to_owned();
    let ada = accounts.authenticate(&token).await?.actor;

    let source = InMemory::new("engine", [("README.md", Bytes::from_static(b"# Engine\n\nTurn the crank.\n"))]);
    let to = Destination::NewSpace { organization: made.organization.id, title: None };
    let space = content.import(&ada, to, &source, &|_progress| {}).await?.space.id.clone();

    let new = NewChangeRequest { subject: Some("Care".parse()?), ..NewChangeRequest::default() };
    let request = ChangeRequestRef::Id(change_requests.create(&ada, &space, new.into()).await?.request.id);
    let page = NewChange::InsertPage {
        fields: PageFields { title: Some("Care".to_owned()), ..PageFields::default() },
        document: batch::Body::Markdown("Oil the *bearings*.\n".to_owned()),
        into: None,
        at: None,
        reference: None,
    };
    let write = Write { changes: vec![page] };
    // Boxed, since the future is too large for a stack.
    Box::pin(change_requests.edit(&ada, &space, &request, Precondition::none(), write.into())).await?;
    change_requests.merge(&ada, &space, &request).await?;

    let pages = content.open(&ada, &space, &At::Primary).await?.pages().await?;
    let options = PageOptions { format: Format::Markdown, ..PageOptions::default() };
    let page = pages.page(&PageRef::Path("care".to_owned()), false, options.into()).await?;
    match page.body {
        Some(Body::Markdown(markdown)) => Ok(Guide { markdown, token }),
        _ => Err("the page has no text".into()),
    }
}

/// A server of the API, which runs while it is awaited. Sites for readers are another application; a server of both
/// serves `site_actix::dispatch(sites, api)`. On a signal, `octavo serve` finishes the requests in progress
/// (`http_server::stop_at`).
///
/// # Errors
/// If the socket cannot be used.
pub(crate) fn server(use_cases: UseCases, listener: TcpListener, url: &str) -> Result<Server, Failure> {
    let settings = Settings {
        public_url: url.parse()?,
        secret: SECRET,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: "2026-01-01T00:00:00Z".to_owned(),
        limits: Limits::default(),
        trusted_proxies: Vec::new(),
        answer_cache_bytes: 16 << 20,
        home: None,
    };
    let api = Data::new(Api::new(use_cases, settings));
    let application = move || api_actix::app(api.clone());
    let traffic = Arc::<Traffic>::default();
    Ok(http_server::serve(listener, ServerOptions::default(), traffic, Arc::new(()), application)?)
}
