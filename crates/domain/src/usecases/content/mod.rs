//! Content: reading a space at its primary revision or at any other, and writing the next one.
pub(super) mod ahead;
mod exchange;
mod links;
mod read;
mod templates;
pub(super) mod write;

pub use exchange::{Destination, Import, Progress};
pub use links::{Found, LinkItem, LinkQuery, LinkStats, LinkStatus, Links, Target};
pub use read::{At, Body, Content, Dereferenced, Format, PageContent, PageOptions, PageRef, Revised, Whole};
pub(super) use read::{Opened, open_at};
pub use templates::{Apply, ApplyTo};
