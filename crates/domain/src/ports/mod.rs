//! The interfaces that the use cases need: storage, files, the network, time, ids and secrets.
pub mod engines;
pub mod fetch;
pub mod files;
pub mod mail;
pub mod store;
pub mod system;
#[cfg(any(test, feature = "mocks"))]
pub mod testing;

pub use engines::{
    Chat, ChatAnswer, ChatQuestion, Embedder, EngineError, EngineUse, Markup, TranslationBatch, Translator,
    TranslatorAbilities,
};
pub use fetch::{FetchError, FetchRequest, Fetched, Fetcher, FoundFile, PostRequest, Posted};
pub use files::{BlobReader, Files, FilesError};
pub use mail::{Mail, MailError, MailLinks, Mailer};
pub use store::{Store, StoreError, StoreResult, Tx};
pub use system::{Clock, Ids, LongWork, Secrets};
