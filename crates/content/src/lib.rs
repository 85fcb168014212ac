//! The content engine: the content of a space, its changes, and merges.
//!
//! It does no I/O and knows no users, so other programs can use it without the rest of Octavo. Ids, texts and patches
//! are in [`values`], which it exports.
//!
//! # Documents
//!
//! [`markdown`] reads and writes Markdown, [`document::wire`] the JSON of the API. Every [`Document`] from either
//! satisfies the rules of [`Document::check`]. An error names the place and the rule.
//!
//! ```
//! use content::document::wire::WireDocument;
//! use content::document::{Document, Kind};
//! use content::markdown::{Unresolved, parse, write};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = parse("# Engine\n\nTurn the *crank*.\n\n> [!WARNING]\n> It is hot.\n", &Unresolved);
//! assert_eq!(file.title.as_deref(), Some("Engine"));
//! let document = file.into_document()?;
//! assert!(matches!(document.blocks[1].kind, Kind::Hint(_)));
//! let markdown = write(&document, &Unresolved);
//! assert!(markdown.starts_with("Turn the _crank_.\n\n{% hint style=\"warning\" %}\n"));
//!
//! let json = serde_json::to_value(WireDocument(&document))?;
//! assert_eq!(Document::from_wire(&json)?, document);
//! let node = json!({"object": "block", "type": "poem"});
//! let refused = Document::from_wire(&json!({"object": "document", "data": {}, "nodes": [node]}));
//! assert_eq!(refused.unwrap_err().to_string(), "document.nodes[0].type: is not a type of block");
//! # Ok(())
//! # }
//! ```
//!
//! # Revisions
//!
//! A [`Snapshot`](snapshot::Snapshot) is the content of one revision: a few roots of trees of immutable [`object`]s. A
//! computation reads loaded objects and collects new ones in a [`Scratch`](object::Scratch); the caller stores them.
//! Here two revisions that change the same sentence are merged over their common base:
//!
//! ```
//! use content::document::{Document, keep_keys};
//! use content::markdown::{Unresolved, parse, write};
//! use content::merge::merge;
//! use content::object::{MemoryObjects, Scratch};
//! use content::order::OrderKey;
//! use content::page::{PageEntry, PageKind};
//! use content::snapshot::{Edits, Snapshot};
//! use content::text_of;
//! use content::values::id::PageId;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let loaded = MemoryObjects::default();
//! let mut scratch = Scratch::new(&loaded);
//! let id: PageId = "fox".parse()?;
//!
//! // A revision with one page.
//! let mut revision = |from: &Snapshot, text: &Document| {
//!     let kind = PageKind::Document { document: Some(scratch.put(text.encode())) };
//!     let page = PageEntry::new(kind, "Fox", "fox", OrderKey::first(), Default::default());
//!     let edits = Edits { pages: [(id.clone(), Some(page))].into(), ..Edits::default() };
//!     from.edit(&mut scratch, &edits).expect("all objects are loaded").expect("the pages are a tree")
//! };
//! let old = parse("The quick brown fox.\n", &Unresolved).into_document()?;
//! // The merge matches blocks by their keys. Markdown has none, so the new texts keep those of the old one.
//! let slow = keep_keys(&old, parse("The slow brown fox.\n", &Unresolved).into_document()?);
//! let cat = keep_keys(&old, parse("The quick brown cat.\n", &Unresolved).into_document()?);
//! let base = revision(&Snapshot::default(), &old);
//! let (primary, change) = (revision(&base, &slow), revision(&base, &cat));
//!
//! let merged = merge(&mut scratch, &base, &primary, &change)?;
//! assert!(merged.conflicts.is_empty());
//! let page = merged.snapshot.page(&scratch, &id)?.expect("both sides have the page");
//! let text = text_of(&scratch, page.document())?;
//! assert_eq!(write(&text, &Unresolved), "The slow brown cat.\n");
//! # Ok(())
//! # }
//! ```
pub mod anchors;
pub mod batch;
pub mod changes;
pub mod computed;
pub mod document;
pub mod evaluate;
pub mod expand;
pub mod export;
pub mod expression;
pub mod href;
pub mod import;
pub mod map;
pub mod markdown;
pub mod merge;
pub mod object;
pub mod order;
pub mod page;
pub mod reference;
pub mod revision;
pub mod search;
pub mod snapshot;
pub mod templates;
pub mod tree;

use document::Document;
use object::{Hash, Objects, Read, ReadError};
pub use values;

/// The document in an object; an empty document if there is no object.
///
/// # Errors
/// [`ReadError::Missing`]; [`ReadError::Corrupt`] when the object holds no document.
pub fn text_of(objects: &dyn Objects, document: Option<Hash>) -> Read<Document> {
    let Some(hash) = document else { return Ok(Document::default()) };
    let bytes = objects.get(&hash).ok_or_else(|| ReadError::Missing(vec![hash]))?;
    Document::decode(&bytes).map_err(|error| ReadError::Corrupt { hash, reason: error.to_string() })
}
