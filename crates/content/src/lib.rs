//! The content engine: the content of a space, its changes, and merges.
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

/// The document in an object; an empty document if there is no object.
///
/// # Errors
/// [`ReadError::Missing`]; [`ReadError::Corrupt`] when the object holds no document.
pub fn text_of(objects: &dyn Objects, document: Option<Hash>) -> Read<Document> {
    let Some(hash) = document else { return Ok(Document::default()) };
    let bytes = objects.get(&hash).ok_or_else(|| ReadError::Missing(vec![hash]))?;
    Document::decode(&bytes).map_err(|error| ReadError::Corrupt { hash, reason: error.to_string() })
}
