//! What an address in Markdown points at, and how a reference is written as an address.
use crate::reference::ContentRef;

/// How a source uses an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkUse {
    /// As a link, a button, a mention or a card.
    Link,
    /// As a picture to show.
    Image,
    /// As a file to download or to read.
    File,
    /// As a reusable content to include.
    Include,
}

impl LinkUse {
    /// Whether a target can be used so.
    pub(crate) fn fits(self, target: &ContentRef) -> bool {
        match self {
            Self::Link => true,
            Self::Image | Self::File => matches!(target, ContentRef::File { .. }),
            Self::Include => matches!(target, ContentRef::ReusableContent { .. }),
        }
    }
}

/// Knows what the addresses in a source point at.
pub trait Links {
    /// The target of `href`, as it is written in the source. `None` when it points at nothing known: the address is
    /// then kept as it is written ([`ContentRef::Url`]).
    fn resolve(&self, href: &str, use_: LinkUse) -> Option<ContentRef>;
}

/// Knows how references are written.
pub trait Hrefs {
    /// The address of `target`; `None` when it has none, and [`BROKEN_REFERENCE`] is written in its place. Not asked for
    /// [`ContentRef::Url`], which is its own address.
    fn href(&self, target: &ContentRef) -> Option<String>;
}

/// The address of what has no address.
pub const BROKEN_REFERENCE: &str = "broken-reference";

/// An address in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkAt {
    /// The address as written.
    pub href: String,
    /// The line it stands in, from 1, counted from the beginning of the file (front matter included).
    pub line: usize,
    /// How it is used.
    pub use_: LinkUse,
    /// Whether [`Links`] knew its target.
    pub resolved: bool,
}

/// Knows nothing: every address stays as it is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unresolved;

impl Links for Unresolved {
    fn resolve(&self, _: &str, _: LinkUse) -> Option<ContentRef> {
        None
    }
}

impl Hrefs for Unresolved {
    fn href(&self, _: &ContentRef) -> Option<String> {
        None
    }
}
