//! Diagrams of pages: their addresses, and looking them up on their pages.
//!
//! The address of a diagram has the path of its page and a hash of its source. So only visitors who can see the page
//! can load the diagram.
use crate::frame::hash;
pub use diagrams::Diagram;
use diagrams::Mode;
use domain::content::document::{Block, Code, Document, Kind};
use std::sync::Arc;

/// The maximum number of diagrams of a page that are rendered. Further ones are shown as code.
pub(crate) const MAX_DIAGRAMS: usize = 20;

/// Renders diagrams. Rendering takes up to seconds, so a server caches the results.
pub trait RendersDiagrams: std::fmt::Debug + Send + Sync {
    /// The diagram with this source; `None` if it cannot be rendered.
    fn diagram(&self, source: &str) -> Option<Arc<Diagram>>;
}

/// Renders diagrams without a cache.
#[derive(Clone, Copy, Debug)]
pub struct UncachedDiagrams;

impl RendersDiagrams for UncachedDiagrams {
    fn diagram(&self, source: &str) -> Option<Arc<Diagram>> {
        diagrams::render(source).ok().map(Arc::new)
    }
}

/// The source of a diagram; `None` for other code.
pub(crate) fn source(block: &Block, data: &Code) -> Option<String> {
    let syntax = data.syntax.as_deref().map(str::trim)?;
    syntax.eq_ignore_ascii_case("mermaid").then(|| block.line())
}

/// The path of a diagram on the server, for a page whose path there is `page`.
pub(crate) fn path(base: &str, page: &str, source: &str, mode: Mode) -> String {
    let page = page.strip_prefix(base).unwrap_or_default();
    let mode = match mode {
        Mode::Light => "light",
        Mode::Dark => "dark",
    };
    format!("{base}~/diagrams/{page}-{}.{mode}.svg", hash(&(diagrams::VERSION, source)))
}

/// The address of a diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagramAddress<'a> {
    /// The path of the page on its site.
    pub page: &'a str,
    hash: &'a str,
    mode: Mode,
}

impl<'a> DiagramAddress<'a> {
    /// Reads what follows `~/diagrams/` in an address.
    pub fn of(address: &'a str) -> Option<Self> {
        let (name, mode) = address.strip_suffix(".svg")?.rsplit_once('.')?;
        let mode = match mode {
            "light" => Mode::Light,
            "dark" => Mode::Dark,
            _ => return None,
        };
        let (page, hash) = name.rsplit_once('-')?;
        Some(Self { page, hash, mode })
    }

    /// The source of the diagram, if it is on the page.
    pub fn source(&self, document: &Document) -> Option<String> {
        let sources = document.walk().filter_map(|block| match &block.kind {
            Kind::Code(data) => source(block, data),
            _ => None,
        });
        sources.take(MAX_DIAGRAMS).find(|source| hash(&(diagrams::VERSION, source.as_str())) == self.hash)
    }

    /// The image for the requested mode.
    pub fn svg<'d>(&self, diagram: &'d Diagram) -> &'d str {
        diagram.svg(self.mode)
    }
}
