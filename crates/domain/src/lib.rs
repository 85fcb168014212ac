//! The product itself, independent of any framework: entities and rules at the root, interfaces to the outside in
//! [`ports`], and operations in [`usecases`]. The content engine is the crate [`content`]; ids, texts and patches are
//! in [`values`]; what translations compute is in [`translations`]. All are exported here, so that a user of this crate
//! needs no other.
//!
//! Everything outside `ports` and `usecases` is pure: no I/O, no async, no clock, no randomness.
pub mod access;
pub mod actor;
pub mod agent_instructions;
pub mod change_request;
pub mod collection;
pub mod comment;
pub mod conversation;
pub mod event;
pub mod heartbeat;
pub mod idempotency;
pub mod invite;
pub mod job;
pub mod member;
pub mod merge_rules;
pub mod notification;
pub mod openapi_pages;
pub mod openapi_spec;
pub mod organization;
pub mod paging;
pub mod place;
pub mod ports;
pub mod retention;
pub mod review;
pub mod rison;
pub mod scope;
pub mod site;
pub mod space;
pub mod team;
pub mod token;
pub mod translation;
pub mod usecases;
pub mod user;
pub mod web_address;
pub mod webhook;

pub use content;
pub use conversations;
pub use openapi;
pub use translations;
pub use values::{self, characters, id, patch, text, words};
