//! Diagrams of pages: their addresses, and finding them again on their pages.
//!
//! The address of a diagram has the path of its page and a hash of its source. So a diagram is found by visitors who see the
//! page, and by nobody else.
use crate::frame::hash;
pub use diagrams::Diagram;
use diagrams::Mode;
use domain::content::document::{Block, Code, Document, Kind};
use std::sync::Arc;

/// How many diagrams of a page are drawn. The others are shown as code.
pub(crate) const MOST: usize = 20;

/// Draws diagrams. Drawing takes up to seconds, so a server keeps what was drawn.
pub trait DrawsDiagrams: std::fmt::Debug + Send + Sync {
    /// The diagram with this source; `None` if it cannot be drawn.
    fn diagram(&self, source: &str) -> Option<Arc<Diagram>>;
}

/// Draws diagrams, and keeps none.
#[derive(Clone, Copy, Debug)]
pub struct DrawnAgain;

impl DrawsDiagrams for DrawnAgain {
    fn diagram(&self, source: &str) -> Option<Arc<Diagram>> {
        diagrams::draw(source).ok().map(Arc::new)
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

/// A diagram as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The path of the page on its site.
    pub page: &'a str,
    hash: &'a str,
    mode: Mode,
}

impl<'a> Wanted<'a> {
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
        sources.take(MOST).find(|source| hash(&(diagrams::VERSION, source.as_str())) == self.hash)
    }

    /// The image for the mode that is asked for.
    pub fn svg<'d>(&self, diagram: &'d Diagram) -> &'d str {
        diagram.svg(self.mode)
    }
}
