//! Content: reading a space at its primary revision or at any other, and writing the next revision.
pub(super) mod ahead;
mod anchors;
mod computed;
mod contents;
mod import_export;
mod links;
mod page;
mod page_cache;
mod previews;
mod read;
mod templates;
pub(super) mod write;

pub(super) use computed::{Generator, VisibleSources, Wanted, sources};
pub use contents::RevisionContents;
pub use import_export::{Destination, Import, Progress};
pub(super) use links::LinkCache;
pub use links::{Backlinks, Found, LinkItem, LinkQuery, LinkStats, LinkStatus, LinkTarget, Links};
pub use page::{Body, Dereferenced, Format, PageContent, PageOptions, PageReader, PageTree};
pub(super) use page_cache::PageCache;
pub use previews::ComputedPreview;
pub(super) use read::LoadedRevision;
pub use read::{At, Content, PageRef, Reader, Revised, ShownRevision, Version};
pub use templates::{Apply, ApplyTo};
