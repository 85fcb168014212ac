//! The storage ports, one file per aggregate: a row struct, and the implementation of the trait.

mod access_list;
mod change_requests;
mod collections;
mod comments;
mod content;
mod conversations;
mod events;
mod garbage;
mod grant_targets;
mod grants;
mod idempotency;
mod invites;
mod jobs;
mod keys;
mod members;
mod notifications;
mod openapi_specs;
mod openapi_usages;
mod organizations;
pub(crate) mod positions;
mod published_sites;
mod purge;
mod reviews;
mod search;
mod site_addresses;
mod site_audiences;
mod site_customizations;
mod site_feedback;
mod sites;
mod space_rows;
mod spaces;
mod stored;
mod teams;
mod tokens;
mod translation_memory;
mod translations;
mod users;
mod webhooks;

use crate::database::Purpose;
use crate::tx::{DieselStore, DieselTx};
use async_trait::async_trait;
use domain::content::object::SharedObjects;
use domain::ports::StoreResult;
use domain::ports::store::{
    ChangeRequestStore, CollectionStore, CommentStore, ContentStore, ConversationStore, EventLog, GarbageStore,
    GlossaryStore, GrantStore, IdempotencyStore, InviteStore, JobStore, LockMode, Lockable, MemberStore,
    NotificationStore, OpenapiSpecStore, OrganizationStore, PurgeStore, ReviewStore, SearchIndex, SiteAddressStore,
    SiteAudienceStore, SiteCustomizationStore, SiteFeedbackStore, SiteRedirectStore, SiteStore, SpaceStore, Store,
    TeamStore, TokenStore, TranslationMemory, TranslationStore, Tx, UserStore, WebhookStore,
};

#[async_trait]
impl Store for DieselStore {
    async fn read(&self) -> StoreResult<Box<dyn Tx>> {
        Ok(Box::new(self.begin(Purpose::Read).await?))
    }

    async fn query(&self) -> StoreResult<Box<dyn Tx>> {
        Ok(Box::new(self.begin(Purpose::Query).await?))
    }

    async fn write(&self) -> StoreResult<Box<dyn Tx>> {
        Ok(Box::new(self.begin(Purpose::Write).await?))
    }

    async fn ping(&self) -> StoreResult<()> {
        self.database.ping().await
    }

    async fn stamp(&self) -> Option<u64> {
        self.database.stamp().await
    }

    fn stamp_without_query(&self) -> Option<u64> {
        self.database.stamp_without_query()
    }

    async fn work(&self) {
        self.work.notified().await;
    }
}

#[async_trait]
impl Tx for DieselTx {
    async fn lock(&mut self, what: &[Lockable]) -> StoreResult<()> {
        self.take(what, LockMode::Exclusive).await
    }
    async fn lock_shared(&mut self, what: &[Lockable]) -> StoreResult<()> {
        self.take(what, LockMode::Shared).await
    }
    fn users(&mut self) -> &mut dyn UserStore {
        self
    }
    fn tokens(&mut self) -> &mut dyn TokenStore {
        self
    }
    fn organizations(&mut self) -> &mut dyn OrganizationStore {
        self
    }
    fn members(&mut self) -> &mut dyn MemberStore {
        self
    }
    fn teams(&mut self) -> &mut dyn TeamStore {
        self
    }
    fn invites(&mut self) -> &mut dyn InviteStore {
        self
    }
    fn collections(&mut self) -> &mut dyn CollectionStore {
        self
    }
    fn grants(&mut self) -> &mut dyn GrantStore {
        self
    }
    fn spaces(&mut self) -> &mut dyn SpaceStore {
        self
    }
    fn sites(&mut self) -> &mut dyn SiteStore {
        self
    }
    fn site_audiences(&mut self) -> &mut dyn SiteAudienceStore {
        self
    }
    fn site_customizations(&mut self) -> &mut dyn SiteCustomizationStore {
        self
    }
    fn site_feedback(&mut self) -> &mut dyn SiteFeedbackStore {
        self
    }
    fn content(&mut self) -> &mut dyn ContentStore {
        self
    }
    fn cached_objects(&self) -> Option<SharedObjects> {
        Some(self.objects.cached_objects())
    }
    fn search(&mut self) -> &mut dyn SearchIndex {
        self
    }
    fn change_requests(&mut self) -> &mut dyn ChangeRequestStore {
        self
    }
    fn reviews(&mut self) -> &mut dyn ReviewStore {
        self
    }
    fn comments(&mut self) -> &mut dyn CommentStore {
        self
    }
    fn conversations(&mut self) -> &mut dyn ConversationStore {
        self
    }
    fn notifications(&mut self) -> &mut dyn NotificationStore {
        self
    }
    fn idempotency(&mut self) -> &mut dyn IdempotencyStore {
        self
    }
    fn jobs(&mut self) -> &mut dyn JobStore {
        self
    }
    fn purge(&mut self) -> &mut dyn PurgeStore {
        self
    }
    fn garbage(&mut self) -> &mut dyn GarbageStore {
        self
    }
    fn events(&mut self) -> &mut dyn EventLog {
        self
    }
    fn site_addresses(&mut self) -> &mut dyn SiteAddressStore {
        self
    }
    fn site_redirects(&mut self) -> &mut dyn SiteRedirectStore {
        self
    }
    fn openapi_specs(&mut self) -> &mut dyn OpenapiSpecStore {
        self
    }
    fn webhooks(&mut self) -> &mut dyn WebhookStore {
        self
    }

    fn translations(&mut self) -> &mut dyn TranslationStore {
        self
    }
    fn translation_memory(&mut self) -> &mut dyn TranslationMemory {
        self
    }
    fn glossary(&mut self) -> &mut dyn GlossaryStore {
        self
    }

    async fn commit(self: Box<Self>) -> StoreResult<()> {
        self.finish().await
    }
}
