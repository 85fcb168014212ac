//! The operations: one small struct per area, one method per operation. HTTP and CLI call the same methods.
//!
//! Every method has the same order: open a unit of work ([`work`]), load with a check of the permission ([`open`]), read
//! the input, apply the rule, save, record the event, commit.
pub mod accounts;
pub mod agent_instructions;
pub mod audit;
pub mod change_requests;
pub mod collections;
pub mod comments;
mod composition;
mod compute;
pub mod content;
mod error;
pub mod explain;
mod idempotency;
mod input;
pub mod invites;
pub mod jobs;
pub mod members;
pub mod notifications;
mod open;
pub mod organizations;
mod people;
pub mod permissions;
pub mod placing;
mod precondition;
pub mod search;
pub mod sites;
pub mod spaces;
pub mod teams;
pub mod webhooks;
mod work;

pub use accounts::Accounts;
pub use agent_instructions::Instructions;
pub use audit::Audit;
pub use change_requests::ChangeRequests;
pub use collections::Collections;
pub use comments::Comments;
pub use composition::{Ports, UseCases};
pub use content::Content;
pub use error::Error;
pub use explain::Explain;
pub use idempotency::{Begun, Idempotency};
pub use input::Input;
pub use invites::Invites;
pub use jobs::Jobs;
pub use members::Members;
pub use notifications::Notifications;
pub use organizations::Organizations;
pub use permissions::Permissions;
pub use precondition::Precondition;
pub use search::Search;
pub use sites::{AdaptiveSchemas, PublishingAuths, ShareLinks, Sites};
pub use spaces::{ShownSpace, Spaces};
pub use teams::Teams;
pub use webhooks::Webhooks;
pub use work::Units;
