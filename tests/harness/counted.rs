//! Counts what each unit of work writes.
use crate::watched::{Watch, Watched};
use async_trait::async_trait;
use bytes::Bytes;
use domain::content::changes::FormerAnchor;
use domain::content::object::{Hash, SharedObjects};
use domain::content::revision::Revision;
use domain::content::search::{Candidate, Condition, IndexedPage, SectionId, SectionText};
use domain::id::{PageId, ReusableContentId, RevisionId, SpaceId};
use domain::paging::{Page, PageRequest};
use domain::ports::store::Lockable;
use domain::ports::store::{
    ChangeRequestStore, CollectionStore, CommentStore, ContentStore, ConversationStore, EventLog, GarbageStore,
    GlossaryStore, GrantStore, IdempotencyStore, InviteStore, JobStore, MemberStore, NotificationStore,
    OpenapiSpecStore, OrganizationStore, PurgeStore, ReviewStore, SearchIndex, SiteAddressStore, SiteAudienceStore,
    SiteCustomizationStore, SiteFeedbackStore, SiteRedirectStore, SiteStore, SpaceStore, TeamStore, TokenStore,
    TranslationMemory, TranslationStore, UserStore, WebhookStore,
};
use domain::ports::{Store, StoreResult, Tx};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What one unit of work wrote before its commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The number of objects.
    pub objects: usize,
    /// The size of the objects in bytes.
    pub bytes: usize,
    /// The number of revisions.
    pub revisions: usize,
    /// The number of pages added to the search index.
    pub indexed: usize,
    /// How long it held the write lock, from its start to the end of its commit.
    pub held: Duration,
}

/// Counts writes.
#[derive(Default)]
pub struct Counter {
    committed: Arc<Mutex<Vec<Written>>>,
}

/// A store that counts the writes through it. Its stamp changes with the commits through it only, whereas that of
/// PostgreSQL also changes with those of other tests, in other databases of the server.
pub type Counted = Watched<Counter>;

impl Counted {
    /// Counts the writes to a store.
    pub fn new(store: Arc<dyn Store>) -> Arc<Self> {
        Self::over(store, Counter::default())
    }

    /// The writes of each committed unit of work, in order.
    pub fn committed(&self) -> Vec<Written> {
        self.watch.committed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Watch for Counter {
    fn opened(&self, tx: Box<dyn Tx>) -> Box<dyn Tx> {
        let committed = Arc::clone(&self.committed);
        Box::new(CountedTx { tx, written: Written::default(), begun: Instant::now(), committed })
    }

    async fn stamp(&self, _: &dyn Store) -> Option<u64> {
        u64::try_from(self.committed.lock().unwrap_or_else(PoisonError::into_inner).len()).ok()
    }
}

struct CountedTx {
    tx: Box<dyn Tx>,
    written: Written,
    begun: Instant,
    committed: Arc<Mutex<Vec<Written>>>,
}

#[async_trait]
impl Tx for CountedTx {
    async fn lock(&mut self, what: &[Lockable]) -> StoreResult<()> {
        self.tx.lock(what).await
    }
    async fn lock_shared(&mut self, what: &[Lockable]) -> StoreResult<()> {
        self.tx.lock_shared(what).await
    }
    fn users(&mut self) -> &mut dyn UserStore {
        self.tx.users()
    }
    fn tokens(&mut self) -> &mut dyn TokenStore {
        self.tx.tokens()
    }
    fn organizations(&mut self) -> &mut dyn OrganizationStore {
        self.tx.organizations()
    }
    fn members(&mut self) -> &mut dyn MemberStore {
        self.tx.members()
    }
    fn teams(&mut self) -> &mut dyn TeamStore {
        self.tx.teams()
    }
    fn invites(&mut self) -> &mut dyn InviteStore {
        self.tx.invites()
    }
    fn collections(&mut self) -> &mut dyn CollectionStore {
        self.tx.collections()
    }
    fn grants(&mut self) -> &mut dyn GrantStore {
        self.tx.grants()
    }
    fn spaces(&mut self) -> &mut dyn SpaceStore {
        self.tx.spaces()
    }
    fn sites(&mut self) -> &mut dyn SiteStore {
        self.tx.sites()
    }
    fn site_audiences(&mut self) -> &mut dyn SiteAudienceStore {
        self.tx.site_audiences()
    }
    fn site_customizations(&mut self) -> &mut dyn SiteCustomizationStore {
        self.tx.site_customizations()
    }
    fn site_feedback(&mut self) -> &mut dyn SiteFeedbackStore {
        self.tx.site_feedback()
    }
    fn content(&mut self) -> &mut dyn ContentStore {
        self
    }
    fn cached_objects(&self) -> Option<SharedObjects> {
        self.tx.cached_objects()
    }
    fn search(&mut self) -> &mut dyn SearchIndex {
        self
    }
    fn change_requests(&mut self) -> &mut dyn ChangeRequestStore {
        self.tx.change_requests()
    }
    fn reviews(&mut self) -> &mut dyn ReviewStore {
        self.tx.reviews()
    }
    fn comments(&mut self) -> &mut dyn CommentStore {
        self.tx.comments()
    }
    fn conversations(&mut self) -> &mut dyn ConversationStore {
        self.tx.conversations()
    }
    fn notifications(&mut self) -> &mut dyn NotificationStore {
        self.tx.notifications()
    }
    fn idempotency(&mut self) -> &mut dyn IdempotencyStore {
        self.tx.idempotency()
    }
    fn jobs(&mut self) -> &mut dyn JobStore {
        self.tx.jobs()
    }
    fn purge(&mut self) -> &mut dyn PurgeStore {
        self.tx.purge()
    }
    fn garbage(&mut self) -> &mut dyn GarbageStore {
        self.tx.garbage()
    }
    fn events(&mut self) -> &mut dyn EventLog {
        self.tx.events()
    }
    fn site_addresses(&mut self) -> &mut dyn SiteAddressStore {
        self.tx.site_addresses()
    }
    fn site_redirects(&mut self) -> &mut dyn SiteRedirectStore {
        self.tx.site_redirects()
    }
    fn openapi_specs(&mut self) -> &mut dyn OpenapiSpecStore {
        self.tx.openapi_specs()
    }
    fn webhooks(&mut self) -> &mut dyn WebhookStore {
        self.tx.webhooks()
    }
    fn translations(&mut self) -> &mut dyn TranslationStore {
        self.tx.translations()
    }
    fn translation_memory(&mut self) -> &mut dyn TranslationMemory {
        self.tx.translation_memory()
    }
    fn glossary(&mut self) -> &mut dyn GlossaryStore {
        self.tx.glossary()
    }

    async fn commit(self: Box<Self>) -> StoreResult<()> {
        let Self { tx, written, begun, committed } = *self;
        tx.commit().await?;
        let written = Written { held: begun.elapsed(), ..written };
        committed.lock().unwrap_or_else(PoisonError::into_inner).push(written);
        Ok(())
    }
}

#[async_trait]
impl ContentStore for CountedTx {
    async fn objects(&mut self, hashes: &[Hash]) -> StoreResult<Vec<(Hash, Bytes)>> {
        self.tx.content().objects(hashes).await
    }
    async fn put_objects(&mut self, objects: Vec<(Hash, Bytes)>) -> StoreResult<()> {
        self.written.objects += objects.len();
        self.written.bytes += objects.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        self.tx.content().put_objects(objects).await
    }
    async fn keep_objects(&mut self, hashes: &[Hash]) -> StoreResult<Vec<Hash>> {
        self.tx.content().keep_objects(hashes).await
    }
    async fn revisions(&mut self, ids: &[RevisionId]) -> StoreResult<Vec<Revision>> {
        self.tx.content().revisions(ids).await
    }
    async fn revision(&mut self, space: &SpaceId, id: &RevisionId) -> StoreResult<Option<Revision>> {
        self.tx.content().revision(space, id).await
    }
    async fn primary_revisions(&mut self, space: &SpaceId, page: &PageRequest) -> StoreResult<Page<Revision>> {
        self.tx.content().primary_revisions(space, page).await
    }
    async fn insert_revision(&mut self, revision: &Revision) -> StoreResult<()> {
        self.written.revisions += 1;
        self.tx.content().insert_revision(revision).await
    }
    async fn record_documents(&mut self, space: &SpaceId, documents: &[Hash]) -> StoreResult<()> {
        self.tx.content().record_documents(space, documents).await
    }
    async fn holds_document(&mut self, space: &SpaceId, document: &Hash) -> StoreResult<bool> {
        self.tx.content().holds_document(space, document).await
    }
    async fn record_former_paths(&mut self, space: &SpaceId, paths: Vec<(String, PageId)>) -> StoreResult<()> {
        self.tx.content().record_former_paths(space, paths).await
    }
    async fn former_pages(&mut self, space: &SpaceId, paths: &[String]) -> StoreResult<Vec<Option<PageId>>> {
        self.tx.content().former_pages(space, paths).await
    }
    async fn former_paths(&mut self, space: &SpaceId) -> StoreResult<Vec<String>> {
        self.tx.content().former_paths(space).await
    }
    async fn record_former_anchors(
        &mut self,
        space: &SpaceId,
        anchors: Vec<(PageId, Vec<FormerAnchor>)>,
    ) -> StoreResult<()> {
        self.tx.content().record_former_anchors(space, anchors).await
    }
    async fn former_anchors(&mut self, space: &SpaceId, page: &PageId) -> StoreResult<Vec<FormerAnchor>> {
        self.tx.content().former_anchors(space, page).await
    }
}

#[async_trait]
impl SearchIndex for CountedTx {
    async fn including(&mut self, space: &SpaceId, contents: &BTreeSet<ReusableContentId>) -> StoreResult<Vec<PageId>> {
        self.tx.search().including(space, contents).await
    }
    async fn outdated<'a>(&mut self, version: u32, after: Option<&'a SpaceId>) -> StoreResult<Option<SpaceId>> {
        self.tx.search().outdated(version, after).await
    }
    async fn set_version(&mut self, space: &SpaceId, version: u32) -> StoreResult<()> {
        self.tx.search().set_version(space, version).await
    }
    async fn remove(&mut self, space: &SpaceId, pages: &[PageId]) -> StoreResult<()> {
        self.tx.search().remove(space, pages).await
    }
    async fn insert(&mut self, space: &SpaceId, pages: &[IndexedPage]) -> StoreResult<()> {
        self.written.indexed += pages.len();
        self.tx.search().insert(space, pages).await
    }
    async fn add_words(&mut self, words: &BTreeSet<String>) -> StoreResult<()> {
        self.tx.search().add_words(words).await
    }
    async fn words_with_variant(&mut self, variants: &[String]) -> StoreResult<Vec<String>> {
        self.tx.search().words_with_variant(variants).await
    }
    async fn candidates(
        &mut self,
        spaces: &[SpaceId],
        conditions: &[Condition],
        limit: usize,
    ) -> StoreResult<Vec<Candidate>> {
        self.tx.search().candidates(spaces, conditions, limit).await
    }
    async fn occurring(&mut self, spaces: &[SpaceId], conditions: &[Condition]) -> StoreResult<Vec<bool>> {
        self.tx.search().occurring(spaces, conditions).await
    }
    async fn texts(&mut self, sections: &[SectionId]) -> StoreResult<Vec<SectionText>> {
        self.tx.search().texts(sections).await
    }
}
