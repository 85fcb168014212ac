//! Storage: one trait per aggregate, all accessed through one unit of work.
pub mod change_requests;
pub mod collections;
pub mod comments;
pub mod content;
pub mod conversations;
pub mod events;
pub mod garbage;
pub mod grants;
pub mod idempotency;
pub mod invites;
pub mod jobs;
pub mod locks;
pub mod members;
pub mod notifications;
pub mod openapi_specs;
pub mod organizations;
pub mod purge;
pub mod reviews;
pub mod search;
pub mod site_addresses;
pub mod site_audiences;
pub mod site_customizations;
pub mod site_feedback;
pub mod sites;
pub mod spaces;
pub mod teams;
pub mod tokens;
pub mod translations;
pub mod users;
pub mod webhooks;

use crate::content::object::SharedObjects;
use async_trait::async_trait;
pub use change_requests::ChangeRequestStore;
pub use collections::CollectionStore;
pub use comments::CommentStore;
pub use content::ContentStore;
pub use conversations::ConversationStore;
pub use events::EventLog;
pub use garbage::GarbageStore;
pub use grants::GrantStore;
pub use idempotency::IdempotencyStore;
pub use invites::InviteStore;
pub use jobs::JobStore;
pub use locks::{LockMode, Lockable};
pub use members::MemberStore;
pub use notifications::NotificationStore;
pub use openapi_specs::OpenapiSpecStore;
pub use organizations::OrganizationStore;
pub use purge::PurgeStore;
pub use reviews::ReviewStore;
pub use search::SearchIndex;
pub use site_addresses::{SiteAddressStore, SiteRedirectStore};
pub use site_audiences::SiteAudienceStore;
pub use site_customizations::SiteCustomizationStore;
pub use site_feedback::SiteFeedbackStore;
pub use sites::SiteStore;
pub use spaces::SpaceStore;
pub use teams::TeamStore;
pub use tokens::TokenStore;
pub use translations::{GlossaryStore, TranslationMemory, TranslationStore};
pub use users::UserStore;
pub use webhooks::WebhookStore;

/// Why storage failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A unique value is already in use; the text names it.
    #[error("conflict on {0}")]
    Conflict(String),
    /// The database cannot be reached or is too busy; a retry later may succeed.
    #[error("the database is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Another unit of work conflicted. Nothing was changed; an immediate retry may succeed.
    #[error("another change was made at the same time")]
    Contended(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The connection broke during a commit: whether the commit succeeded is unknown.
    #[error("the outcome is unknown: the change may have been made")]
    Unknown(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The disk is full. Nothing was changed.
    #[error("the disk of the database is full")]
    Full(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// An internal error.
    #[error("the database failed")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl StoreError {
    /// The same error during a commit.
    pub fn unknown(self) -> Self {
        match self {
            Self::Unavailable(source) | Self::Internal(source) => Self::Unknown(source),
            told => told,
        }
    }
}

/// A result of storage.
pub type StoreResult<T> = Result<T, StoreError>;

/// Opens units of work.
#[async_trait]
pub trait Store: Send + Sync {
    /// Opens a read-only unit of work on one snapshot.
    async fn read(&self) -> StoreResult<Box<dyn Tx>>;
    /// Opens a read-only unit of work without a snapshot. It is cheaper than [`Store::read`], and is for one query or
    /// for objects of content, which never change: each query sees the commits before it.
    async fn query(&self) -> StoreResult<Box<dyn Tx>> {
        self.read().await
    }
    /// Opens a writing unit of work. Loading does not lock: lock an object before loading it to change it
    /// ([`Tx::lock`]).
    async fn write(&self) -> StoreResult<Box<dyn Tx>>;
    /// Returns when the database can be used.
    async fn ping(&self) -> StoreResult<()>;
    /// A number that changes with every commit to the database, by this process or another. Data that was read after
    /// taking the number is current while the number stays the same. `None` if it cannot be determined.
    async fn stamp(&self) -> Option<u64>;
    /// The same, if the database need not be asked for it.
    fn stamp_without_query(&self) -> Option<u64> {
        None
    }
    /// Waits until this process commits a unit of work that added a job. Returns at once if one was committed since the
    /// last wait.
    async fn work(&self);
}

/// A unit of work: every port that it gives sees the same snapshot and commits together. Dropping it rolls everything
/// back. No call to the outside is made while one is open.
#[async_trait]
pub trait Tx: Send {
    /// Locks these until this unit of work ends; the order of the list does not matter. They are locked when the next
    /// call that reads has returned: that call waits for other holders. Data that is read afterwards cannot change,
    /// except by this unit of work. Objects that do not exist can be locked as well.
    ///
    /// # Errors
    /// `Internal` if the call breaks the lock order ([`Lockable`]), or in a read-only unit of work.
    async fn lock(&mut self, what: &[Lockable]) -> StoreResult<()>;
    /// Locks these in shared mode until this unit of work ends: no unit of work can change them; others can lock them
    /// in shared mode too.
    ///
    /// # Errors
    /// As [`Tx::lock`].
    async fn lock_shared(&mut self, what: &[Lockable]) -> StoreResult<()>;
    /// Accounts.
    fn users(&mut self) -> &mut dyn UserStore;
    /// API tokens.
    fn tokens(&mut self) -> &mut dyn TokenStore;
    /// Organizations.
    fn organizations(&mut self) -> &mut dyn OrganizationStore;
    /// Memberships in organizations.
    fn members(&mut self) -> &mut dyn MemberStore;
    /// Teams.
    fn teams(&mut self) -> &mut dyn TeamStore;
    /// Invite links.
    fn invites(&mut self) -> &mut dyn InviteStore;
    /// Collections.
    fn collections(&mut self) -> &mut dyn CollectionStore;
    /// Grants on spaces, collections and sites.
    fn grants(&mut self) -> &mut dyn GrantStore;
    /// Spaces.
    fn spaces(&mut self) -> &mut dyn SpaceStore;
    /// Docs sites.
    fn sites(&mut self) -> &mut dyn SiteStore;
    /// Share links, publishing authentication and adaptive schemas of docs sites.
    fn site_audiences(&mut self) -> &mut dyn SiteAudienceStore;
    /// The customization of docs sites.
    fn site_customizations(&mut self) -> &mut dyn SiteCustomizationStore;
    /// Feedback of visitors of docs sites.
    fn site_feedback(&mut self) -> &mut dyn SiteFeedbackStore;
    /// Revisions and the objects that they consist of.
    fn content(&mut self) -> &mut dyn ContentStore;
    /// The object cache: objects of any content, each checked against its hash; `None` without a cache.
    fn cached_objects(&self) -> Option<SharedObjects> {
        None
    }
    /// The search index of primary content.
    fn search(&mut self) -> &mut dyn SearchIndex;
    /// Change requests.
    fn change_requests(&mut self) -> &mut dyn ChangeRequestStore;
    /// Reviews of change requests.
    fn reviews(&mut self) -> &mut dyn ReviewStore;
    /// Comments.
    fn comments(&mut self) -> &mut dyn CommentStore;
    /// Conversations with customers.
    fn conversations(&mut self) -> &mut dyn ConversationStore;
    /// Notifications of users, and their settings.
    fn notifications(&mut self) -> &mut dyn NotificationStore;
    /// Idempotency keys of requests.
    fn idempotency(&mut self) -> &mut dyn IdempotencyStore;
    /// Jobs.
    fn jobs(&mut self) -> &mut dyn JobStore;
    /// Purging of deleted items.
    fn purge(&mut self) -> &mut dyn PurgeStore;
    /// Content that may no longer be referenced.
    fn garbage(&mut self) -> &mut dyn GarbageStore;
    /// The event log.
    fn events(&mut self) -> &mut dyn EventLog;
    /// The look-up of sites by address.
    fn site_addresses(&mut self) -> &mut dyn SiteAddressStore;
    /// Redirects of sites.
    fn site_redirects(&mut self) -> &mut dyn SiteRedirectStore;
    /// OpenAPI specs.
    fn openapi_specs(&mut self) -> &mut dyn OpenapiSpecStore;
    /// Webhooks and their deliveries.
    fn webhooks(&mut self) -> &mut dyn WebhookStore;
    /// Translations and their runs.
    fn translations(&mut self) -> &mut dyn TranslationStore;
    /// The translation memory, and the usage of engines.
    fn translation_memory(&mut self) -> &mut dyn TranslationMemory;
    /// Glossaries.
    fn glossary(&mut self) -> &mut dyn GlossaryStore;
    /// Commits all changes.
    async fn commit(self: Box<Self>) -> StoreResult<()>;
}
