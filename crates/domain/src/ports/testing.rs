//! A unit of work made of the generated mocks, for tests of use cases, here and in other crates (feature `mocks`).
//!
//! ```
//! use domain::access::{Membership, Role};
//! use domain::actor::Actor;
//! use domain::id::OrganizationId;
//! use domain::organization::Organization;
//! use domain::ports::store::organizations::OrganizationForUser;
//! use domain::ports::testing::{Counting, FixedClock, MockTx};
//! use domain::usecases::{Organizations, Units};
//! use std::sync::Arc;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Every organization exists, and every caller may read it. A call to any other port fails the test.
//! let mut tx = MockTx::default();
//! tx.organizations.expect_find().returning(|id, _user| {
//!     let title = "Analytical Engines".parse().expect("a title");
//!     let organization = Organization::new(id.clone(), title, Default::default());
//!     let membership = Some(Membership { role: Some(Role::Read), disabled: false });
//!     Ok(Some(OrganizationForUser { organization, membership, owns_team: false }))
//! });
//! let (store, _committed) = tx.into_store();
//! let units = Units::new(store, Arc::new(FixedClock(Default::default())), Arc::new(Counting::default()));
//! let organizations = Organizations { units, hosting: Arc::default() };
//!
//! let id: OrganizationId = "engines".parse()?;
//! let reader = Actor::of("ada".parse()?, "token".parse()?);
//! let found = organizations.get(&reader, &id).await?;
//! assert!(found.permissions().list_members && !found.permissions().admin);
//! # Ok(())
//! # }
//! ```
use super::fetch::{FetchError, FetchRequest, Fetched, Fetcher, FoundFile, PostRequest, Posted};
use super::store::change_requests::MockChangeRequestStore;
use super::store::collections::MockCollectionStore;
use super::store::comments::MockCommentStore;
use super::store::content::MockContentStore;
use super::store::conversations::MockConversationStore;
use super::store::events::MockEventLog;
use super::store::garbage::MockGarbageStore;
use super::store::grants::MockGrantStore;
use super::store::idempotency::MockIdempotencyStore;
use super::store::invites::MockInviteStore;
use super::store::jobs::MockJobStore;
use super::store::members::MockMemberStore;
use super::store::notifications::MockNotificationStore;
use super::store::openapi_specs::MockOpenapiSpecStore;
use super::store::organizations::MockOrganizationStore;
use super::store::purge::MockPurgeStore;
use super::store::reviews::MockReviewStore;
use super::store::search::MockSearchIndex;
use super::store::site_addresses::{MockSiteAddressStore, MockSiteRedirectStore};
use super::store::site_audiences::MockSiteAudienceStore;
use super::store::site_customizations::MockSiteCustomizationStore;
use super::store::site_feedback::MockSiteFeedbackStore;
use super::store::sites::MockSiteStore;
use super::store::spaces::MockSpaceStore;
use super::store::teams::MockTeamStore;
use super::store::tokens::MockTokenStore;
use super::store::translations::{MockGlossaryStore, MockTranslationMemory, MockTranslationStore};
use super::store::users::MockUserStore;
use super::store::webhooks::MockWebhookStore;
use super::store::{
    ChangeRequestStore, CollectionStore, CommentStore, ContentStore, ConversationStore, EventLog, GarbageStore,
    GlossaryStore, GrantStore, IdempotencyStore, InviteStore, JobStore, Lockable, MemberStore, NotificationStore,
    OpenapiSpecStore, OrganizationStore, PurgeStore, ReviewStore, SearchIndex, SiteAddressStore, SiteAudienceStore,
    SiteCustomizationStore, SiteFeedbackStore, SiteRedirectStore, SiteStore, SpaceStore, Store, StoreResult, TeamStore,
    TokenStore, TranslationMemory, TranslationStore, Tx, UserStore, WebhookStore,
};
use super::system::{Clock, Ids, LongWork, Secrets};
use crate::id::UserId;
use crate::openapi_spec::Validators;
use crate::scope::Scopes;
use crate::text::TokenLabel;
use crate::token::{Token, TokenHash};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A unit of work made of mocks. An unexpected call to a mock fails the test.
#[derive(Default)]
#[expect(missing_docs, reason = "one mock per port")]
pub struct MockTx {
    pub users: MockUserStore,
    pub tokens: MockTokenStore,
    pub organizations: MockOrganizationStore,
    pub members: MockMemberStore,
    pub teams: MockTeamStore,
    pub invites: MockInviteStore,
    pub collections: MockCollectionStore,
    pub grants: MockGrantStore,
    pub spaces: MockSpaceStore,
    /// Without sites, unless a test replaces it.
    pub sites: NoSites,
    pub site_addresses: MockSiteAddressStore,
    pub site_redirects: MockSiteRedirectStore,
    pub site_audiences: MockSiteAudienceStore,
    pub site_customizations: MockSiteCustomizationStore,
    pub site_feedback: MockSiteFeedbackStore,
    pub content: MockContentStore,
    pub search: MockSearchIndex,
    pub change_requests: MockChangeRequestStore,
    pub reviews: MockReviewStore,
    pub comments: MockCommentStore,
    pub conversations: MockConversationStore,
    pub notifications: MockNotificationStore,
    pub openapi_specs: MockOpenapiSpecStore,
    pub idempotency: MockIdempotencyStore,
    pub jobs: MockJobStore,
    pub purge: MockPurgeStore,
    pub garbage: MockGarbageStore,
    pub events: MockEventLog,
    /// Without webhooks, unless a test replaces it.
    pub webhooks: NoWebhooks,
    /// Without translations, unless a test replaces it.
    pub translations: NoTranslations,
    pub translation_memory: MockTranslationMemory,
    pub glossary: MockGlossaryStore,
    /// The number of objects that were locked in shared mode.
    pub shared_locks: Arc<AtomicUsize>,
    committed: Arc<AtomicBool>,
}

/// A mock in which no organization has webhooks.
pub struct NoWebhooks(pub MockWebhookStore);
impl Default for NoWebhooks {
    fn default() -> Self {
        let mut store = MockWebhookStore::new();
        store.expect_enabled().returning(|_| Ok(Vec::new()));
        Self(store)
    }
}

/// A mock in which no space is translated.
pub struct NoTranslations(pub MockTranslationStore);
impl Default for NoTranslations {
    fn default() -> Self {
        let mut store = MockTranslationStore::new();
        store.expect_of_source().returning(|_| Ok(Vec::new()));
        Self(store)
    }
}

/// A mock in which no space is on a site.
pub struct NoSites(pub MockSiteStore);
impl Default for NoSites {
    fn default() -> Self {
        let mut store = MockSiteStore::new();
        store.expect_of_space().returning(|_| Ok(Vec::new()));
        store.expect_published_with().returning(|_| Ok(Vec::new()));
        store.expect_published_of().returning(|_| Ok(Vec::new()));
        store.expect_unlink().returning(|_| Ok(()));
        Self(store)
    }
}

#[async_trait]
impl Tx for MockTx {
    async fn lock(&mut self, _: &[Lockable]) -> StoreResult<()> {
        Ok(())
    }
    async fn lock_shared(&mut self, what: &[Lockable]) -> StoreResult<()> {
        self.shared_locks.fetch_add(what.len(), Ordering::SeqCst);
        Ok(())
    }
    fn users(&mut self) -> &mut dyn UserStore {
        &mut self.users
    }
    fn tokens(&mut self) -> &mut dyn TokenStore {
        &mut self.tokens
    }
    fn organizations(&mut self) -> &mut dyn OrganizationStore {
        &mut self.organizations
    }
    fn members(&mut self) -> &mut dyn MemberStore {
        &mut self.members
    }
    fn teams(&mut self) -> &mut dyn TeamStore {
        &mut self.teams
    }
    fn invites(&mut self) -> &mut dyn InviteStore {
        &mut self.invites
    }
    fn collections(&mut self) -> &mut dyn CollectionStore {
        &mut self.collections
    }
    fn grants(&mut self) -> &mut dyn GrantStore {
        &mut self.grants
    }
    fn spaces(&mut self) -> &mut dyn SpaceStore {
        &mut self.spaces
    }
    fn sites(&mut self) -> &mut dyn SiteStore {
        &mut self.sites.0
    }
    fn site_audiences(&mut self) -> &mut dyn SiteAudienceStore {
        &mut self.site_audiences
    }
    fn site_customizations(&mut self) -> &mut dyn SiteCustomizationStore {
        &mut self.site_customizations
    }
    fn site_feedback(&mut self) -> &mut dyn SiteFeedbackStore {
        &mut self.site_feedback
    }
    fn content(&mut self) -> &mut dyn ContentStore {
        &mut self.content
    }
    fn search(&mut self) -> &mut dyn SearchIndex {
        &mut self.search
    }
    fn change_requests(&mut self) -> &mut dyn ChangeRequestStore {
        &mut self.change_requests
    }
    fn reviews(&mut self) -> &mut dyn ReviewStore {
        &mut self.reviews
    }
    fn comments(&mut self) -> &mut dyn CommentStore {
        &mut self.comments
    }
    fn conversations(&mut self) -> &mut dyn ConversationStore {
        &mut self.conversations
    }
    fn notifications(&mut self) -> &mut dyn NotificationStore {
        &mut self.notifications
    }
    fn openapi_specs(&mut self) -> &mut dyn OpenapiSpecStore {
        &mut self.openapi_specs
    }
    fn idempotency(&mut self) -> &mut dyn IdempotencyStore {
        &mut self.idempotency
    }
    fn jobs(&mut self) -> &mut dyn JobStore {
        &mut self.jobs
    }
    fn purge(&mut self) -> &mut dyn PurgeStore {
        &mut self.purge
    }
    fn garbage(&mut self) -> &mut dyn GarbageStore {
        &mut self.garbage
    }
    fn events(&mut self) -> &mut dyn EventLog {
        &mut self.events
    }
    fn site_addresses(&mut self) -> &mut dyn SiteAddressStore {
        &mut self.site_addresses
    }
    fn site_redirects(&mut self) -> &mut dyn SiteRedirectStore {
        &mut self.site_redirects
    }
    fn webhooks(&mut self) -> &mut dyn WebhookStore {
        &mut self.webhooks.0
    }
    fn translations(&mut self) -> &mut dyn TranslationStore {
        &mut self.translations.0
    }
    fn translation_memory(&mut self) -> &mut dyn TranslationMemory {
        &mut self.translation_memory
    }
    fn glossary(&mut self) -> &mut dyn GlossaryStore {
        &mut self.glossary
    }
    async fn commit(self: Box<Self>) -> StoreResult<()> {
        self.committed.store(true, Ordering::SeqCst);
        Ok(())
    }
}

/// Returns prepared units of work, each once, in order.
pub struct Script(Mutex<VecDeque<MockTx>>);

#[async_trait]
impl Store for Script {
    async fn read(&self) -> StoreResult<Box<dyn Tx>> {
        self.write().await
    }
    async fn write(&self) -> StoreResult<Box<dyn Tx>> {
        Ok(Box::new(self.0.lock().expect("nobody panicked").pop_front().expect("another unit of work")))
    }
    async fn ping(&self) -> StoreResult<()> {
        Ok(())
    }
    async fn stamp(&self) -> Option<u64> {
        None
    }
    async fn work(&self) {
        std::future::pending().await
    }
}

impl MockTx {
    /// A store that returns this unit of work once, and whether it was committed.
    pub fn into_store(self) -> (Arc<dyn Store>, Arc<AtomicBool>) {
        Self::script([self])
    }

    /// A store that returns these units of work in order, and whether the last one was committed.
    pub fn script(units: impl IntoIterator<Item = Self>) -> (Arc<dyn Store>, Arc<AtomicBool>) {
        let units: VecDeque<Self> = units.into_iter().collect();
        let committed = units.back().map(|last| last.committed.clone()).unwrap_or_default();
        (Arc::new(Script(Mutex::new(units))), committed)
    }
}

/// A token of a user without limits, created at the epoch; its secret is `secret`.
pub fn token(user: UserId) -> Token {
    Token {
        id: "t".parse().expect("an id"),
        user,
        label: TokenLabel::fitted("", ""),
        scopes: Scopes::All,
        hash: TokenHash::of("secret"),
        created_at: DateTime::UNIX_EPOCH,
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
    }
}

/// A clock that always returns the same time.
pub struct FixedClock(pub DateTime<Utc>);
impl Clock for FixedClock {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

/// Returns the ids `id-1`, `id-2` and so on.
#[derive(Default)]
pub struct Counting(AtomicUsize);
impl Ids for Counting {
    fn next(&self) -> String {
        format!("id-{}", self.0.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

/// Always returns the same bytes.
pub struct Fixed(pub [u8; 32]);
impl Secrets for Fixed {
    fn random(&self) -> [u8; 32] {
        self.0
    }
}

/// Fails every request: no host can be resolved.
pub struct Offline;
#[async_trait]
impl Fetcher for Offline {
    async fn fetch(&self, _: FetchRequest) -> Result<Fetched, FetchError> {
        Err(FetchError::Private)
    }
    async fn fetch_if_changed(&self, _: FetchRequest, _: &Validators) -> Result<Option<FoundFile>, FetchError> {
        Err(FetchError::Private)
    }
    async fn post(&self, _: PostRequest) -> Result<Posted, FetchError> {
        Err(FetchError::Private)
    }
}

/// Runs computations at once, on the thread of the caller.
pub struct InlineWork;
#[async_trait]
impl LongWork for InlineWork {
    async fn run(&self, work: Box<dyn FnOnce() + Send>) {
        work();
    }
}
