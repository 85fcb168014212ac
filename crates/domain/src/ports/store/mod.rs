//! Storage: one trait per aggregate in the area's own words, all reached through one unit of work.
pub mod change_requests;
pub mod collections;
pub mod content;
pub mod events;
pub mod garbage;
pub mod grants;
pub mod idempotency;
pub mod invites;
pub mod jobs;
pub mod locks;
pub mod members;
pub mod organizations;
pub mod purge;
pub mod reviews;
pub mod search;
pub mod spaces;
pub mod teams;
pub mod tokens;
pub mod users;

use crate::content::object::SharedObjects;
use async_trait::async_trait;
pub use change_requests::ChangeRequestStore;
pub use collections::CollectionStore;
pub use content::ContentStore;
pub use events::EventLog;
pub use garbage::GarbageStore;
pub use grants::GrantStore;
pub use idempotency::IdempotencyStore;
pub use invites::InviteStore;
pub use jobs::JobStore;
pub use locks::{Hold, Lockable};
pub use members::MemberStore;
pub use organizations::OrganizationStore;
pub use purge::PurgeStore;
pub use reviews::ReviewStore;
pub use search::SearchIndex;
pub use spaces::SpaceStore;
pub use teams::TeamStore;
pub use tokens::TokenStore;
pub use users::UserStore;

/// Why storage failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Something that must be unique is taken; the text says what.
    #[error("conflict on {0}")]
    Conflict(String),
    /// The database cannot be reached, or is too busy: trying again later may help.
    #[error("the database is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Another unit of work was in the way: nothing was done, and the same may work at once.
    #[error("another change was made at the same time")]
    Contended(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// It broke off during a commit: whether that was made is not known.
    #[error("the outcome is unknown: the change may have been made")]
    Unknown(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// There is no room for it on the disk: nothing was done.
    #[error("the disk of the database is full")]
    Full(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A fault.
    #[error("the database failed")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl StoreError {
    /// The same for what broke off during a commit.
    pub fn unknown(self) -> Self {
        match self {
            Self::Unavailable(source) | Self::Internal(source) => Self::Unknown(source),
            told => told,
        }
    }
}

/// What storage answers.
pub type StoreResult<T> = Result<T, StoreError>;

/// Opens units of work.
#[async_trait]
pub trait Store: Send + Sync {
    /// Opens a unit of work that only reads, on one snapshot.
    async fn read(&self) -> StoreResult<Box<dyn Tx>>;
    /// Opens a unit of work for a single question, which costs less than [`Store::read`]: were there more, each would
    /// see what is committed when it is asked.
    async fn ask(&self) -> StoreResult<Box<dyn Tx>> {
        self.read().await
    }
    /// Opens a unit of work that writes. Loading locks nothing: what is to be changed is locked first ([`Tx::lock`]).
    async fn write(&self) -> StoreResult<Box<dyn Tx>>;
    /// Answers when the database can be used.
    async fn ping(&self) -> StoreResult<()>;
    /// A number that is another one after every commit to the database, by this process or any other: what was read
    /// after taking it still holds as long as it is the same. Nothing where it cannot be told.
    async fn stamp(&self) -> Option<u64>;
    /// Waits until a unit of work that added a job was committed by this process, unless one was since the last wait.
    async fn work(&self);
}

/// A unit of work: every port reached through it sees the same snapshot and commits together. Dropping it undoes
/// everything at once. No call to the outside is made while one is open.
#[async_trait]
pub trait Tx: Send {
    /// Locks these until this unit of work ends, in whatever order they are named, and waits for whoever holds one. What is
    /// read afterwards stays as it is until this unit of work changes it. What is not there can be locked as well.
    ///
    /// # Errors
    /// `Internal` where that breaks the order in which everybody locks ([`Lockable`]), and in a unit of work that reads.
    async fn lock(&mut self, what: &[Lockable]) -> StoreResult<()>;
    /// Keeps these as they are until this unit of work ends; others may rely on them meanwhile as well.
    ///
    /// # Errors
    /// As [`Tx::lock`].
    async fn keep(&mut self, what: &[Lockable]) -> StoreResult<()>;
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
    /// Invites that are good for whoever has them.
    fn invites(&mut self) -> &mut dyn InviteStore;
    /// Collections.
    fn collections(&mut self) -> &mut dyn CollectionStore;
    /// Grants on spaces and collections.
    fn grants(&mut self) -> &mut dyn GrantStore;
    /// Spaces.
    fn spaces(&mut self) -> &mut dyn SpaceStore;
    /// Revisions and the objects they are made of.
    fn content(&mut self) -> &mut dyn ContentStore;
    /// Objects that are in memory, of whatever content, each checked against its name; nothing where none are kept.
    fn at_hand(&self) -> Option<SharedObjects> {
        None
    }
    /// The search index of primary content.
    fn search(&mut self) -> &mut dyn SearchIndex;
    /// Change requests.
    fn change_requests(&mut self) -> &mut dyn ChangeRequestStore;
    /// Reviews of change requests.
    fn reviews(&mut self) -> &mut dyn ReviewStore;
    /// Requests that must not be done twice.
    fn idempotency(&mut self) -> &mut dyn IdempotencyStore;
    /// Jobs.
    fn jobs(&mut self) -> &mut dyn JobStore;
    /// Removing what was deleted.
    fn purge(&mut self) -> &mut dyn PurgeStore;
    /// Content that nobody may hold.
    fn garbage(&mut self) -> &mut dyn GarbageStore;
    /// The event log.
    fn events(&mut self) -> &mut dyn EventLog;
    /// Makes everything lasting and visible.
    async fn commit(self: Box<Self>) -> StoreResult<()>;
}
