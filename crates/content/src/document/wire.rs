//! The API's form of a document.
//!
//! It has everything that a [`Document`] has, so reading back what was written gives an equal document. If the API's
//! description has no field for something, there is a key of our own next to `data` (other keys are not allowed inside
//! `data`; elsewhere they are):
//!
//! - headings have three types there: `heading-1` is level 1 or 2 of Markdown, `heading-2` is 3, and `heading-3` is 4
//!   to 6. By default they are 2, 3 and 4; another level is a key `level` of the block. It counts only if it fits the
//!   type, so a client that changes the type changes the heading.
//! - the assistants that a prompt can be opened in are `openIn`, a list; it counts only if `openInAIProviders` is true.
//!   Without it, a prompt can be opened in all;
//! - source that is kept unchanged is a `code` block, or a text in a line, with `"verbatim": true`;
//! - a link may have a `title`, and an annotation the `label` of the footnote that it was;
//! - a column of texts without an alignment of its own has the required `textAlignment`, `left`, and
//!   `"defaultAlignment": true`, which counts only with `left`;
//! - the heading of a table's column, if it is more than plain text, is a fragment of type `table-heading` with the
//!   name of the column; the text of a cell is a fragment that the cell's value names.
//!
//! Reading is strict with present values and lenient with absent ones. A type, an `object`, a mark or a field of `data`
//! that is not in the description is rejected, with its path and the rule. Absent keys are generated, `null` means
//! absent, `isVoid` may be left out, and so may `data` and `nodes` if nothing in them is required. Keys of texts, lines
//! of code, inline content and fragments are not kept, and neither are marks in code.
//! [`BlockType::allows`](super::BlockType::allows) is the rule for what may be where.
mod fields;
mod path;
mod read;
mod read_inline;
mod read_kind;
mod read_reference;
mod read_table;
mod stored;
mod write;
mod write_inline;
mod write_table;

pub use path::WireError;
pub use stored::StoredDocument;

use super::Document;
use path::Path;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Borrow;

/// A document that is written in the API's form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WireDocument<D>(pub D);

impl<D: Borrow<Document>> Serialize for WireDocument<D> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let document = write::Fields::of(to)?.with("object", "document")?.with("data", &write::Empty {})?;
        document.with("nodes", &write::Blocks(&self.0.borrow().blocks))?.end()
    }
}

impl Document {
    /// Reads a document from the API's form.
    ///
    /// # Errors
    /// The first rule that the value breaks, with the path of the place, such as `document.nodes[3].data.style`.
    pub fn from_wire(value: &Value) -> Result<Self, WireError> {
        let root = Path::root("document");
        let blocks = read::document(value, &root)?;
        Self::from_blocks(blocks).map_err(|error| root.refuse(error.to_string()))
    }
}

#[cfg(test)]
mod tests;
