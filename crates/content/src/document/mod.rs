//! Rich text: a tree of keyed blocks that hold inline content. The text of a page, a reusable content or a comment.
//!
//! Every block has the same shape: its type and data ([`Kind`]), its text (`content`), and the blocks inside it
//! (`children`). One shape keeps alignment, diff, merge, search and link extraction generic. One rule says which kind
//! may contain which ([`Kind::allows`]); it is checked for every document that is stored.
mod align;
#[cfg(any(test, feature = "testing"))]
pub mod arbitrary;
mod check;
mod data;
mod encoding;
mod inline;
mod keys;
mod mentions;
mod normal;
mod outline;
mod references;
mod shape;
mod specifications;
mod table;
mod text;
mod walk;
pub mod wire;
mod words;

pub(crate) use align::bare;
pub use align::keep_keys;
pub(crate) use check::check_table;
pub use check::{DocumentError, MAX_DEPTH, MAX_KEY, MAX_NODES, MAX_PARTS, MAX_SPAN, MAX_TEXT, Problem};
pub use data::*;
pub use encoding::DecodeError;
pub use inline::*;
pub use outline::{Outline, Section, anchor_slug, plainer_anchor};
pub use references::{Found, Relation};
pub use shape::{AllowedTargets, BlockType, Children, Holds, Place, Shape, Void};
pub use specifications::{SpecificationPart, SpecificationUse};
pub use table::*;
pub use text::{emoji, inline_text};
pub use walk::Walk;
pub(crate) use walk::find_mut;
pub use words::*;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// The rich text of a page, a reusable content or a comment.
///
/// Its serialized form is the canonical encoding that is stored and hashed; the API's form is [`wire`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Document {
    /// The top-level blocks, in order.
    pub blocks: Vec<Block>,
}

/// The stable name of a block in its document. Comments anchor to it, and merges match by it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(pub SmolStr);

/// One block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Unique in the document.
    #[serde(rename = "k")]
    pub key: Key,
    /// Its type and data.
    #[serde(rename = "b")]
    pub kind: Kind,
    /// The text it holds.
    #[serde(rename = "t", default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Inline>,
    /// The blocks inside it.
    #[serde(rename = "c", default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Block>,
}

/// The type of a block, with its data. Data of more than 40 bytes is boxed: most blocks are paragraphs, items and
/// cells, and each takes as much memory as the largest kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Running text (content).
    Paragraph(Paragraph),
    /// A heading (content).
    Heading(Heading),
    /// A numbered list (children: list items).
    ListOrdered(ListOrdered),
    /// A bulleted list (children: list items).
    ListUnordered,
    /// A list of things to do (children: list items).
    ListTasks,
    /// An item of a list (children).
    ListItem(ListItem),
    /// A horizontal rule.
    Divider,
    /// A quotation (children).
    Blockquote,
    /// A callout (children).
    Hint(Hint),
    /// A prompt for an assistant (children: one code block).
    Prompt(Box<Prompt>),
    /// Code (content: plain text with line feeds, annotations, expressions).
    Code(Box<Code>),
    /// A displayed formula.
    Math(Math),
    /// Something embedded from an address (content: its caption).
    Embed(Embed),
    /// A block of an integration.
    Integration(Box<Integration>),
    /// A row of images (children: images).
    Images(Images),
    /// One image (content: its caption).
    Image(Box<Image>),
    /// A file to download (content: its caption).
    File(Box<FileBlock>),
    /// A drawing.
    Drawing(Box<Drawing>),
    /// A card that leads to other content.
    ContentRef(Box<ContentRefBlock>),
    /// The text of a reusable content.
    ReusableContent(Box<ReusableContentBlock>),
    /// A part that opens on demand (content: its title; children: its body).
    Expandable(Expandable),
    /// Tabs (children: tab items).
    Tabs(Tabs),
    /// One tab (children).
    TabsItem(Box<TabsItem>),
    /// Numbered steps (children: steps).
    Stepper,
    /// One step (children).
    StepperStep(StepperStep),
    /// Columns (children: columns).
    Columns(Columns),
    /// One column (children).
    Column(Box<Column>),
    /// A list of dated updates (children: updates).
    Updates(Updates),
    /// One dated update (children).
    Update(Update),
    /// A part that is shown on a condition (children).
    If(If),
    /// A table (children: rows).
    Table(Box<Table>),
    /// A row of a table (children: cells).
    TableRow,
    /// A cell of a table (content, where the column holds text).
    TableCell(TableCell),
    /// An operation of an OpenAPI document by address or file (the older form).
    Swagger(Box<Swagger>),
    /// An operation of a stored OpenAPI specification.
    OpenapiOperation(Box<OpenapiOperation>),
    /// Schemas of a stored OpenAPI specification.
    OpenapiSchemas(Box<OpenapiSchemas>),
    /// A webhook of a stored OpenAPI specification.
    OpenapiWebhook(Box<OpenapiWebhook>),
    /// Source that is not understood, kept unchanged.
    Verbatim(Verbatim),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_pieces_of_text_are_small() {
        // A page has tens of thousands of them, and how long it takes follows from how many bytes they are.
        assert!(size_of::<Block>() <= 120, "{}", size_of::<Block>());
        assert!(size_of::<Inline>() <= 40, "{}", size_of::<Inline>());
    }
}
