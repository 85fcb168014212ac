//! A complete Octavo in the test's process: the real use cases on a separate database, called through the API.
use crate::answer::{Answer, Fields};
use crate::cached_page::CachedPageCheck;
use crate::caller::{Call, Caller};
use crate::clock::TestClock;
use crate::counted::Counted;
use crate::dump::{self, Dump};
use crate::engine::{ScriptedChat, ScriptedTranslator};
use crate::mailbox::Mailbox;
use crate::source::Fixture;
use actix_service::{Service, ServiceFactory};
use actix_web::dev::AppConfig;
use actix_web::http::Method;
use actix_web::test::TestRequest;
use actix_web::web::Data;
use adapters_diesel::{Database, DatabaseOptions, DieselStore, StoreOptions};
use adapters_fetch::{FetchOptions, HttpFetcher};
use adapters_files::LocalFiles;
use adapters_system::{BlockingThreads, OsSecrets, UuidIds};
use api_actix::{Api, Settings};
use chrono::TimeDelta;
use domain::access::{Membership, Role};
use domain::actor::Actor;
use domain::id::{OrganizationId, SpaceId, UserId};
use domain::job::Task;
use domain::member::Member;
use domain::ports::{Clock, Fetcher, Store};
use domain::scope::{Scope, ScopeSet, Scopes};
use domain::site::address::Hosting;
use domain::token::{NewToken, Secret, Token};
use domain::usecases::Jobs;
use domain::usecases::accounts::NewUser;
use domain::usecases::content::{Content, Destination};
use domain::usecases::jobs::{Engines, JobResult, Outbox};
use domain::usecases::{Ports, Units, UseCases};
use http_server::Limits;
use serde_json::Value;
use site_actix::{CachedPages, FEEDBACK_PER_MINUTE, SiteServer, SiteSettings};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use test_database::{Backend, TestDatabase};

/// The interval at which jobs run while time passes.
const WATCHED: TimeDelta = TimeDelta::minutes(50);

/// The public URL of the server under test.
pub const PUBLIC_URL: &str = "https://docs.test";

/// The instance's secret.
const SECRET: [u8; 32] = [7; 32];

/// The longest wait for a connection or a lock: longer than a busy machine needs, since no test is about this wait.
const WAIT: Duration = Duration::from_secs(60);

/// The configuration of a server under test.
struct Setup {
    limits: Limits,
    /// The number of database connections.
    connections: usize,
    /// The size of the response caches in bytes.
    room: u64,
    /// The size of the cache of stored objects in bytes.
    object_cache_bytes: u64,
    /// Fetches files and sends to webhooks.
    fetcher: Arc<dyn Fetcher>,
    /// Whether the server sends e-mail.
    mails: bool,
}

impl Default for Setup {
    /// No rate limits.
    fn default() -> Self {
        let limits = Limits { requests_per_minute: 0, burst: 0, failures_per_minute: 0 };
        let fetcher = Arc::new(HttpFetcher::new(FetchOptions::default()));
        let object_cache_bytes = StoreOptions::default().object_cache_bytes;
        Self { limits, connections: 4, room: 1 << 20, object_cache_bytes, fetcher, mails: true }
    }
}

/// A server with an administrator (`Ada`) and an organization.
pub struct World {
    /// The use cases, for actions without an operation.
    pub services: UseCases,
    /// The background jobs.
    pub jobs: Jobs,
    /// The clock of the server.
    pub clock: Arc<TestClock>,
    /// The e-mails that the server sent.
    pub mailbox: Arc<Mailbox>,
    /// Translates for the server.
    pub translator: Arc<ScriptedTranslator>,
    /// Answers questions of the server, for organizations that allow it.
    pub chat: Arc<ScriptedChat>,
    /// The organization.
    pub organization: OrganizationId,
    /// The administrator of the organization.
    pub ada: Caller,
    call: Call,
    opened: Database,
    // Dropped last: the store above uses it.
    database: TestDatabase,
    files: tempfile::TempDir,
}

impl World {
    /// Starts a world on its own copy of a migrated database; `None` if the database is not available.
    pub async fn boot(backend: Backend) -> Option<Self> {
        Self::start(backend, Setup::default(), |store| store).await
    }

    fn units_on(&self, store: Arc<dyn Store>) -> Units {
        self.jobs.units.on(store)
    }

    /// The use cases of content on another store, such as one that counts.
    pub fn content_on(&self, store: Arc<dyn Store>) -> Content {
        Content { units: self.units_on(store), ..self.services.content.clone() }
    }

    /// The jobs on another store.
    pub fn jobs_on(&self, store: Arc<dyn Store>) -> Jobs {
        Jobs { units: self.units_on(store), ..self.jobs.clone() }
    }

    /// As [`Self::boot`], with a number of database connections.
    pub async fn with_connections(backend: Backend, connections: usize) -> Option<Self> {
        Self::start(backend, Setup { connections, ..Setup::default() }, |store| store).await
    }

    /// As [`Self::boot`], with rate limits.
    pub async fn with_limits(backend: Backend, limits: Limits) -> Option<Self> {
        Self::start(backend, Setup { limits, ..Setup::default() }, |store| store).await
    }

    /// As [`Self::boot`], with a size of the response caches in bytes.
    pub async fn with_room(backend: Backend, room: u64) -> Option<Self> {
        Self::start(backend, Setup { room, ..Setup::default() }, |store| store).await
    }

    /// As [`Self::boot`], with a size of the cache of stored objects in bytes. What is larger is read from the database.
    pub async fn with_object_cache(backend: Backend, object_cache_bytes: u64) -> Option<Self> {
        Self::start(backend, Setup { object_cache_bytes, ..Setup::default() }, |store| store).await
    }

    /// As [`Self::boot`], with another way to fetch files and to send to webhooks, such as a
    /// [`Receiver`](crate::Receiver).
    pub async fn with_fetcher(backend: Backend, fetcher: Arc<dyn Fetcher>) -> Option<Self> {
        Self::start(backend, Setup { fetcher, ..Setup::default() }, |store| store).await
    }

    /// As [`Self::boot`], without a mail server.
    pub async fn without_mail(backend: Backend) -> Option<Self> {
        Self::start(backend, Setup { mails: false, ..Setup::default() }, |store| store).await
    }

    /// As [`Self::boot`], with caches that only commits of this world end. The tests share a PostgreSQL server, and
    /// otherwise a commit of any of them ends the caches of all.
    pub async fn undisturbed(backend: Backend) -> Option<Self> {
        Self::start(backend, Setup::default(), |store| Counted::new(store)).await
    }

    /// As [`Self::undisturbed`], without room for stored objects in memory: each one is read from the database.
    pub async fn undisturbed_without_objects(backend: Backend) -> Option<Self> {
        let setup = Setup { object_cache_bytes: 1, ..Setup::default() };
        Self::start(backend, setup, |store| Counted::new(store)).await
    }

    /// As [`Self::boot`], with a store wrapped by `wrap`.
    pub async fn over(backend: Backend, wrap: impl FnOnce(Arc<dyn Store>) -> Arc<dyn Store>) -> Option<Self> {
        Self::start(backend, Setup::default(), wrap).await
    }

    async fn start(
        backend: Backend,
        Setup { limits, connections, room, object_cache_bytes, fetcher, mails }: Setup,
        wrap: impl FnOnce(Arc<dyn Store>) -> Arc<dyn Store>,
    ) -> Option<Self> {
        let migrate = async |url: &str| {
            Database::migrate(url).await.expect("migrations run");
        };
        let database = TestDatabase::create(backend, "api", migrate).await?;
        let options = DatabaseOptions { max_connections: connections, wait: WAIT, ..DatabaseOptions::default() };
        let opened = Database::open(database.url(), &options).await.expect("the database opens");
        let files = tempfile::tempdir().expect("a folder");
        let clock: Arc<TestClock> = Arc::default();
        let store = wrap(Arc::new(DieselStore::new(opened.clone(), &StoreOptions { object_cache_bytes })));
        let mailbox: Arc<Mailbox> = Arc::default();
        let mailer = mails.then(|| mailbox.clone());
        let translator: Arc<ScriptedTranslator> = Arc::default();
        let chat: Arc<ScriptedChat> = Arc::default();
        let engines = (translator.clone(), chat.clone());
        let services = services(store, files.path(), clock.clone(), fetcher, mailer, engines);
        let jobs = services.jobs.clone();
        let (email, title) = ("ada@example.org".parse(), "Analytical Engines".parse());
        let given = services.accounts.bootstrap(email.expect("an address"), title.expect("a title"), None).await;
        let given = given.expect("the store works").expect("the server was empty");
        let call = in_process(services.clone(), limits, room).await;
        let ada = Caller::new(Some(given.user.id), Some(given.secret.reveal().to_owned()), call.clone());
        let organization = given.organization.id;
        Some(Self {
            services,
            jobs,
            clock,
            mailbox,
            translator,
            chat,
            organization,
            ada,
            call,
            opened,
            database,
            files,
        })
    }

    /// Starts a second server on the same database. Returns Ada, as a caller of it.
    pub async fn second_server(&self) -> Caller {
        let options = DatabaseOptions { max_connections: 4, wait: WAIT, ..DatabaseOptions::default() };
        let opened = Database::open(self.database.url(), &options).await.expect("the database opens");
        let store: Arc<dyn Store> = Arc::new(DieselStore::new(opened, &StoreOptions::default()));
        let Setup { limits, room, fetcher, .. } = Setup::default();
        let engines = (self.translator.clone(), self.chat.clone());
        let services = services(store, self.files.path(), self.clock.clone(), fetcher, None, engines);
        self.ada.on(in_process(services, limits, room).await)
    }

    /// The database, for changes that a server does not make.
    pub fn database(&self) -> &TestDatabase {
        &self.database
    }

    /// The number of statements that the server sends to its database during `work`.
    pub async fn counted<T>(&self, work: impl Future<Output = T>) -> (T, u64) {
        let before = self.opened.statements();
        let done = work.await;
        (done, self.opened.statements() - before)
    }

    /// The current content of the database.
    pub async fn dump(&self) -> Dump {
        dump::dump(&self.database).await
    }

    /// The bytes of the database file and its log; `None` if it is not a file.
    pub fn raw(&self) -> Option<Vec<u8>> {
        dump::raw(&self.database)
    }

    /// Lets time pass, and runs the jobs that become due. Returns the jobs and their results.
    pub async fn pass(&self, time: TimeDelta) -> Vec<(Task, JobResult)> {
        let (mut left, mut done) = (time, self.work().await);
        while left > TimeDelta::zero() {
            let step = left.min(WATCHED);
            self.clock.advance(step);
            done.extend(self.work().await);
            left -= step;
        }
        done
    }

    /// Runs the jobs that are due now.
    pub async fn work(&self) -> Vec<(Task, JobResult)> {
        let mut done = Vec::new();
        while let Some((claim, task)) = self.jobs.claim().await.expect("the store works") {
            let ran = self.jobs.perform(&claim, &task).await.expect("the store works");
            done.push((task, ran));
        }
        done
    }

    /// A caller without a token.
    pub fn anonymous(&self) -> Caller {
        Caller::new(None, None, self.call.clone())
    }

    /// A caller with this token, valid or not.
    pub fn with_token(&self, token: &str) -> Caller {
        Caller::new(None, Some(token.to_owned()), self.call.clone())
    }

    /// A member of the organization with this role; `None` is a guest.
    pub async fn member(&self, name: &str, role: Option<Role>) -> Caller {
        self.account(name, Some((self.organization.clone(), role))).await
    }

    /// A user with an account who is in no organization.
    pub async fn stranger(&self, name: &str) -> Caller {
        self.account(name, None).await
    }

    async fn account(&self, name: &str, joins: Option<(OrganizationId, Option<Role>)>) -> Caller {
        let accounts = &self.services.accounts;
        let email = format!("{name}@example.org").parse().expect("an address");
        let display_name = name.parse().expect("a name");
        let new = NewUser { email, display_name, email_verified: true };
        let user = accounts.create_user(&Actor::Operator, new, joins).await.expect("a user").id;
        self.with_new_token(&user, NewToken::unlimited("test".parse().expect("a label"))).await
    }

    /// A caller with a new token for this user.
    pub async fn with_new_token(&self, user: &UserId, new: NewToken) -> Caller {
        let made = self.services.accounts.create_token(&Actor::Operator, user, new.into()).await;
        let (_, secret): (_, Secret) = made.expect("a token");
        Caller::new(Some(user.clone()), Some(secret.reveal().to_owned()), self.call.clone())
    }

    /// A caller with a token that is limited to scopes.
    pub async fn with_scopes(&self, user: &UserId, scopes: impl IntoIterator<Item = Scope>) -> Caller {
        let limit = ScopeSet::new(scopes).expect("a scope");
        let label = "limited".parse().expect("a label");
        self.with_new_token(user, NewToken { scopes: Scopes::Only(limit), ..NewToken::unlimited(label) }).await
    }

    /// A caller with a token that has just expired.
    pub async fn with_expired_token(&self, user: &UserId) -> Caller {
        let label = "old".parse().expect("a label");
        let made = self.services.accounts.create_token(&Actor::Operator, user, NewToken::unlimited(label).into()).await;
        let (token, secret) = made.expect("a token");
        let token = Token { expires_at: Some(self.services.clock.now()), ..token };
        let mut tx = self.services.store.write().await.expect("the store works");
        tx.tokens().save(&token).await.expect("saved");
        tx.commit().await.expect("committed");
        Caller::new(Some(user.clone()), Some(secret.reveal().to_owned()), self.call.clone())
    }

    /// Changes a user's membership in the organization.
    pub async fn set_membership(&self, user: &UserId, membership: Membership) {
        let mut tx = self.services.store.write().await.expect("the store works");
        tx.lock(&[(&self.organization).into()]).await.expect("locked");
        let new = Member::new(self.organization.clone(), user.clone(), None, self.services.clock.now());
        let member = tx.members().find(&self.organization, user).await.expect("the store works").unwrap_or(new);
        tx.members().save(&Member { membership, ..member }).await.expect("saved");
        tx.commit().await.expect("committed");
    }

    /// Ada creates a space in the organization.
    pub async fn space(&self, body: Value) -> SpaceId {
        self.ada.post(&self.org("/spaces"), body).await.id().parse().expect("an id")
    }

    /// Ada creates a collection in the organization. Returns its id.
    pub async fn collection(&self, body: Value) -> String {
        self.ada.post(&self.org("/collections"), body).await.id()
    }

    /// Ada creates a team in the organization. Returns its id.
    pub async fn team(&self, body: Value) -> String {
        self.ada.put(&self.org("/teams"), body).await.id()
    }

    /// Ada creates a change request in a space. Returns its path in the API.
    pub async fn change_request(&self, space: &SpaceId, body: Value) -> String {
        let requests = format!("/spaces/{space}/change-requests");
        format!("{requests}/{}", self.ada.post(&requests, body).await.id())
    }

    /// The id of the page with this path in the primary content of a space.
    pub async fn page(&self, space: &SpaceId, path: &str) -> String {
        let page = self.ada.get(&format!("/spaces/{space}/content/path/{path}")).await.ok();
        page.id().to_owned()
    }

    /// Imports a fixture into a new space.
    pub async fn import(&self, fixture: &Fixture) -> SpaceId {
        let destination = Destination::NewSpace { organization: self.organization.clone(), title: None };
        let import = self.services.content.import(&Actor::Operator, destination, fixture, &|_| {}).await;
        import.expect("the fixture imports").space.id.clone()
    }

    /// Imports a fixture into an existing space.
    pub async fn import_into(&self, space: &SpaceId, fixture: &Fixture) {
        let destination = Destination::Space(space.clone());
        let import = self.services.content.import(&Actor::Operator, destination, fixture, &|_| {}).await;
        import.expect("the fixture imports");
    }

    /// Opens an address of a site, without credentials.
    pub async fn browse(&self, url: &str) -> Answer {
        self.browse_with(url, |request| request).await
    }

    /// Opens an address of a site with a request built by `with`.
    pub async fn browse_with(&self, url: &str, with: impl FnOnce(TestRequest) -> TestRequest) -> Answer {
        let url: url::Url = url.parse().expect("a URL");
        let path = url[url::Position::BeforePath..url::Position::AfterQuery].to_owned();
        let host = url[url::Position::BeforeHost..url::Position::AfterPort].to_owned();
        let visitor = Caller::new(None, None, self.call.clone());
        visitor.send_to(Method::GET, &path, |request| with(request.insert_header(("Host", host)))).await
    }

    /// The path of the organization in the API.
    pub fn org(&self, rest: &str) -> String {
        format!("/orgs/{}{rest}", self.organization)
    }
}

fn services(
    store: Arc<dyn Store>,
    files: &std::path::Path,
    clock: Arc<dyn Clock>,
    fetcher: Arc<dyn Fetcher>,
    mailer: Option<Arc<Mailbox>>,
    (translator, chat): (Arc<ScriptedTranslator>, Arc<ScriptedChat>),
) -> UseCases {
    let ports = Ports {
        store,
        files: Arc::new(LocalFiles::open(files, clock.clone()).expect("the folder of files opens")),
        fetcher,
        clock,
        ids: Arc::new(UuidIds),
        secrets: Arc::new(OsSecrets),
        long_work: Arc::new(BlockingThreads),
        outbox: mailer.map(|mailer| {
            let links = api_actix::mail_links(&PUBLIC_URL.parse().expect("a URL"), &SECRET);
            Outbox { mailer, links }
        }),
        engines: Some(Engines { translator, words_a_day: None }),
        chat: Some(chat),
        embedder: None,
    };
    let url = PUBLIC_URL.parse().expect("a URL");
    let hosting = Hosting::new(&url, &url, None, "*.sites.test.org".parse().ok());
    UseCases::new(&ports, PUBLIC_URL, hosting, &SECRET)
}

async fn in_process(services: UseCases, limits: Limits, room: u64) -> Call {
    let settings = Settings {
        public_url: PUBLIC_URL.parse().expect("a URL"),
        secret: SECRET,
        version: "0.0.0-test".to_owned(),
        build: "2026-01-01T00:00:00Z".to_owned(),
        limits,
        trusted_proxies: Vec::new(),
        answer_cache_bytes: room,
        home: None,
    };
    let sites = SiteSettings {
        public_url: settings.public_url.clone(),
        api_document: || api_actix::reference_document("0.0.0-test"),
        sites_url: settings.public_url.clone(),
        trusted_proxies: Vec::new(),
        cache_bytes: room,
        feedback_per_minute: if settings.limits.requests_per_minute > 0 { FEEDBACK_PER_MINUTE } else { 0 },
        // Fewer than in use: a search takes long without optimisation, and the budget refills.
        searches_per_minute: if settings.limits.requests_per_minute > 0 { 12 } else { 0 },
        edge_seconds: 0,
        keep_external_images: true,
        fonts: Arc::new(crate::fonts::fonts()),
    };
    let sites = Data::new(SiteServer::new(services.clone(), sites));
    let cached_pages = Rc::new(CachedPages::new(sites.clone()));
    let both = site_actix::dispatch(sites, api_actix::app(Data::new(Api::new(services, settings))));
    let app = Rc::new(both.new_service(AppConfig::default()).await.expect("the applications start"));
    Rc::new(move |request: TestRequest| {
        let (app, cached_pages) = (app.clone(), cached_pages.clone());
        Box::pin(async move {
            let request = request.peer_addr("127.0.0.1:9999".parse().expect("an address")).to_request();
            let check = CachedPageCheck::begin(cached_pages, &request).await;
            let response = app.call(request).await.expect("errors are answers").map_into_boxed_body();
            match check {
                Some(check) => check.end(response).await,
                None => response,
            }
        })
    })
}
