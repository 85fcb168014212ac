//! Converts addresses in Markdown to references, and references to addresses.
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
    /// Whether a target allows this use.
    pub(crate) fn fits(self, target: &ContentRef) -> bool {
        match self {
            Self::Link => true,
            Self::Image | Self::File => matches!(target, ContentRef::File { .. }),
            Self::Include => matches!(target, ContentRef::ReusableContent { .. }),
        }
    }
}

/// Resolves the addresses in a source.
pub trait Links {
    /// The target of `href`, as it is written in the source. `None` if it is unknown: then the address stays as it is
    /// written ([`ContentRef::Url`]).
    fn resolve(&self, href: &str, use_: LinkUse) -> Option<ContentRef>;

    /// The address of the page or file with this name, wherever it is, as in links of wikis. `None` if it is unknown:
    /// then the link stays text.
    fn named(&self, _name: &str) -> Option<String> {
        None
    }
}

/// Finds the addresses of references.
pub trait Hrefs {
    /// The address of `target`; `None` if it has none, so that [`BROKEN_REFERENCE`] is written instead. Not called for
    /// [`ContentRef::Url`], which is its own address.
    fn href(&self, target: &ContentRef) -> Option<String>;
}

/// The address of a reference that has none.
pub const BROKEN_REFERENCE: &str = "broken-reference";

/// An address in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkAt {
    /// The address as written.
    pub href: String,
    /// Its line, from 1, counted from the beginning of the file (front matter included).
    pub line: usize,
    /// How it is used.
    pub use_: LinkUse,
    /// Whether [`Links`] knew its target.
    pub resolved: bool,
}

/// Resolves nothing: every address stays as it is written.
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
