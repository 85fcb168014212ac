//! The rules of documents, checked for every document that is stored.
mod table;

pub(crate) use table::check_table;

use super::keys::MissingKeys;
use super::shape::{AllowedTargets, Children, Place};
use super::{Block, BlockType, Document, Inline, Key, Kind};
use crate::reference::ContentRef;
use serde_json::Value;
use std::collections::HashSet;

/// The maximum nesting depth of blocks and inline content together, from 1 at the top. It bounds every recursion.
pub const MAX_DEPTH: usize = 64;
/// The maximum number of blocks and pieces of inline content of a document, counted together. A cell that a table's row
/// leaves out counts too, because it is written like the others. Each takes about two microseconds of processor time,
/// however short its source is.
pub const MAX_NODES: usize = 100_000;
/// The maximum number of parts of a Markdown text for the CommonMark parser, which stops there: blocks, pieces of
/// words, and marks; and the maximum number of lines. Each takes time, however short its source is, even if the
/// document has no piece for it.
pub const MAX_PARTS: usize = 260_000;
/// The maximum size of the text of a document, in bytes.
pub const MAX_TEXT: usize = 16 * 1024 * 1024;
/// The maximum length of a key, or of the id of a table's column, in characters.
pub const MAX_KEY: usize = 64;
/// The maximum number of rows or columns of one merged cell.
pub const MAX_SPAN: u8 = 50;

/// A rule that a document breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", named(.block))]
pub struct DocumentError {
    /// The block; if the problem is not in a block, the nearest one around it.
    pub block: Key,
    /// The rule.
    pub problem: Problem,
}

fn named(block: &Key) -> String {
    if block.0.is_empty() { String::new() } else { format!("block {:?}: ", block.0) }
}

/// A rule that a document breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Nested too deep.
    #[error("content must be nested at most {MAX_DEPTH} levels deep")]
    TooDeep,
    /// Too many blocks and pieces of inline content.
    #[error("a document must have at most {MAX_NODES} blocks and pieces of text")]
    TooMany,
    /// Too many parts of Markdown.
    #[error("Markdown must have at most {MAX_PARTS} lines, and as many blocks, marks and pieces of text")]
    TooManyParts,
    /// Too much text.
    #[error("a document must have at most {MAX_TEXT} bytes of text")]
    TooLong,
    /// A key that is not well-formed.
    #[error("a key must be 1 to {MAX_KEY} characters of a-z, A-Z, 0-9, _ and -")]
    InvalidKey,
    /// A key that names two blocks.
    #[error("the key {0:?} is used more than once")]
    RepeatedKey(String),
    /// A block that its parent cannot contain.
    #[error("a {child} cannot be in a {parent}")]
    Misplaced {
        /// Its parent.
        parent: BlockType,
        /// Its type.
        child: BlockType,
    },
    /// An item without its parent.
    #[error("a {0} cannot be here by itself")]
    NotTopLevel(BlockType),
    /// A prompt without its code block, or with more than one.
    #[error("a {0} must have exactly one {1}")]
    NotOne(BlockType, BlockType),
    /// Content in a block that cannot have any.
    #[error("a {0} must not have text of its own")]
    NoContent(BlockType),
    /// Inline content in a place that cannot contain it.
    #[error("a {inline} cannot be {place}")]
    MisplacedInline {
        /// Its type.
        inline: &'static str,
        /// Where it is.
        place: &'static str,
    },
    /// A heading with an invalid level.
    #[error("the level of a heading must be 1 to 6")]
    Level,
    /// A reference of a kind that is not allowed there.
    #[error("the reference must be to {0}")]
    Target(&'static str),
    /// Two columns with one id.
    #[error("the column {0:?} is defined more than once")]
    RepeatedColumn(String),
    /// A column without a valid id.
    #[error("the id of a column must be 1 to {MAX_KEY} characters of a-z, A-Z, 0-9, _ and -")]
    InvalidColumn,
    /// A cell without a column.
    #[error("there is no column {0:?}")]
    NoColumn(String),
    /// Two cells of a row in one column.
    #[error("the row has more than one cell in the column {0:?}")]
    RepeatedCell(String),
    /// A cell whose key does not follow from its row and its column.
    #[error("the key of a cell must be its row's key, a dot, and its column's id")]
    CellKey,
    /// A cell with content that its column cannot have.
    #[error("a cell must have text or blocks if its column is of text, and otherwise one value")]
    CellContent,
    /// A merge without cells.
    #[error("merged cells must start at a row and a column of the table and span 1 to {MAX_SPAN} of each")]
    Merge,
    /// Merges that share a cell.
    #[error("merged cells must not overlap")]
    Overlap,
}

impl Document {
    /// Checks every rule: nesting, keys, sizes, and which block may contain what.
    ///
    /// # Errors
    /// The first rule that is broken, in document order.
    pub fn check(&self) -> Result<(), DocumentError> {
        self.checked_size().map(drop)
    }

    /// Checks the document, and returns how many bytes of text it holds.
    ///
    /// # Errors
    /// See [`Document::check`].
    pub(crate) fn checked_size(&self) -> Result<usize, DocumentError> {
        Check { keys: Some(HashSet::new()), nodes: 0, text: 0 }.size(self)
    }

    /// Makes a document of these blocks: in normal form, every block with a key, every rule checked.
    ///
    /// # Errors
    /// The first rule that is broken, in document order.
    pub fn from_blocks(blocks: Vec<Block>) -> Result<Self, DocumentError> {
        let mut document = Self { blocks };
        let (mut blocks, mut missing) = (0, MissingKeys::default());
        for block in &mut document.blocks {
            // Block by block: a block is still in the caches of the processor when it is changed.
            bounded(std::slice::from_ref(block), 1, &mut blocks).or_else(|problem| refuse(&Key::default(), problem))?;
            block.normalize();
            missing.visit(block);
        }
        missing.give_keys(&mut document);
        // From here on, keys are unique.
        Check { keys: None, nodes: 0, text: 0 }.size(&document)?;
        Ok(document)
    }
}

/// Checks the nesting and the number of blocks, on which everything after it depends. The first block is at `depth`.
/// Cells are not counted, because the normal form leaves some out.
fn bounded(blocks: &[Block], depth: usize, count: &mut usize) -> Result<(), Problem> {
    if !blocks.is_empty() && depth > MAX_DEPTH {
        return Err(Problem::TooDeep);
    }
    for block in blocks {
        *count += usize::from(block.kind.block_type() != BlockType::TableCell);
        if *count > MAX_NODES {
            return Err(Problem::TooMany);
        }
        if let Kind::Table(table) = &block.kind {
            table.columns.iter().try_for_each(|column| bounded_line(&column.heading, depth + 1, count))?;
        }
        bounded_line(&block.content, depth + 1, count)?;
        bounded(&block.children, depth + 1, count)?;
    }
    Ok(())
}

fn bounded_line(content: &[Inline], depth: usize, count: &mut usize) -> Result<(), Problem> {
    for inline in content {
        let (line, body): (_, &[Block]) = match inline {
            Inline::Link(link) => (&link.content, &[]),
            Inline::Annotation(note) => (&note.content, &note.body),
            _ => continue,
        };
        if depth > MAX_DEPTH {
            return Err(Problem::TooDeep);
        }
        bounded_line(line, depth + 1, count)?;
        bounded(body, depth + 1, count)?;
    }
    Ok(())
}

struct Check<'a> {
    /// The keys so far; `None` where no key can be repeated.
    keys: Option<HashSet<&'a str>>,
    nodes: usize,
    text: usize,
}

type Checked = Result<(), DocumentError>;

fn refuse<T>(key: &Key, problem: Problem) -> Result<T, DocumentError> {
    Err(DocumentError { block: key.clone(), problem })
}

impl<'a> Check<'a> {
    /// Checks a document, and returns how many bytes of text it holds.
    fn size(mut self, document: &'a Document) -> Result<usize, DocumentError> {
        self.flow(&document.blocks, 1, &Key::default())?;
        Ok(self.text)
    }

    fn flow(&mut self, blocks: &'a [Block], depth: usize, around: &Key) -> Checked {
        for block in blocks {
            let block_type = block.kind.block_type();
            if depth > MAX_DEPTH {
                return refuse(around, Problem::TooDeep);
            }
            if !block_type.shape().top_level {
                return refuse(&block.key, Problem::NotTopLevel(block_type));
            }
            self.block(block, depth)?;
        }
        Ok(())
    }

    fn block(&mut self, block: &'a Block, depth: usize) -> Checked {
        let (key, parent) = (&block.key, block.kind.block_type());
        if depth > MAX_DEPTH {
            return refuse(key, Problem::TooDeep);
        }
        self.count(key, 0)?;
        if parent != BlockType::TableCell && !is_key(&key.0) {
            return refuse(key, Problem::InvalidKey);
        }
        if self.keys.as_mut().is_some_and(|keys| !keys.insert(&key.0)) {
            return refuse(key, Problem::RepeatedKey(key.0.to_string()));
        }
        self.data(block, depth)?;
        match Place::of(parent.shape().holds) {
            Some(place) => self.line(&block.content, place, depth + 1, key)?,
            None if block.content.is_empty() => {}
            None => return refuse(key, Problem::NoContent(parent)),
        }
        if let Children::One(item) = parent.shape().children
            && block.children.len() != 1
        {
            return refuse(key, Problem::NotOne(parent, item));
        }
        for child in &block.children {
            let child_type = child.kind.block_type();
            if !parent.allows(child_type) {
                return refuse(&child.key, Problem::Misplaced { parent, child: child_type });
            }
            self.block(child, depth + 1)?;
        }
        Ok(())
    }

    fn data(&mut self, block: &'a Block, depth: usize) -> Checked {
        let key = &block.key;
        match &block.kind {
            Kind::Heading(heading) if !(1..=6).contains(&heading.level) => return refuse(key, Problem::Level),
            Kind::Math(math) => self.count(key, math.formula.len())?,
            Kind::Verbatim(verbatim) => self.count(key, verbatim.source.len())?,
            Kind::Integration(integration) => {
                integration.props.values().chain(&integration.action).try_for_each(|value| free(value, key))?;
            }
            Kind::Table(table) => {
                let cells: usize = block.children.iter().map(|row| row.children.len()).sum();
                self.nodes += table.columns.len().saturating_mul(block.children.len()).saturating_sub(cells);
                self.count(key, 0)?;
                check_table(table, &block.children).or_else(|problem| refuse(key, problem))?;
                for column in &table.columns {
                    self.line(&column.heading, Place::Line, depth + 1, key)?;
                }
            }
            _ => {}
        }
        for (points, target) in block.kind.restricted_references() {
            if !points.allows(target) {
                return refuse(key, Problem::Target(points.words()));
            }
        }
        Ok(())
    }

    fn line(&mut self, content: &'a [Inline], place: Place, depth: usize, key: &Key) -> Checked {
        for inline in content {
            if !place.allows(inline) {
                return refuse(key, Problem::MisplacedInline { inline: inline.name(), place: place.words() });
            }
            match inline {
                Inline::Text(text) => self.count(key, text.text.len())?,
                Inline::Verbatim { source } => self.count(key, source.len())?,
                Inline::Math { formula } => self.count(key, formula.len())?,
                Inline::Image(image) => {
                    self.count(key, 0)?;
                    if !AllowedTargets::File.allows(&image.source.0)
                        || image.source_dark.as_ref().is_some_and(|dark| !AllowedTargets::File.allows(dark))
                    {
                        return refuse(key, Problem::Target(AllowedTargets::File.words()));
                    }
                }
                Inline::Link(link) => {
                    self.nest(depth, key)?;
                    self.line(&link.content, Place::Link, depth + 1, key)?;
                }
                Inline::Annotation(note) => {
                    self.nest(depth, key)?;
                    self.line(&note.content, Place::Annotated, depth + 1, key)?;
                    self.flow(&note.body, depth + 1, key)?;
                }
                Inline::Button(button) => {
                    self.count(key, 0)?;
                    button.action.iter().try_for_each(|action| free(action, key))?;
                }
                Inline::Emoji { .. } | Inline::Icon(_) | Inline::Expression { .. } | Inline::Mention { .. } => {
                    self.count(key, 0)?;
                }
            }
        }
        Ok(())
    }

    fn nest(&mut self, depth: usize, key: &Key) -> Checked {
        if depth > MAX_DEPTH { refuse(key, Problem::TooDeep) } else { self.count(key, 0) }
    }

    fn count(&mut self, key: &Key, text: usize) -> Checked {
        self.nodes += 1;
        self.text += text;
        match () {
            () if self.nodes > MAX_NODES => refuse(key, Problem::TooMany),
            () if self.text > MAX_TEXT => refuse(key, Problem::TooLong),
            () => Ok(()),
        }
    }
}

/// Checks that free-form data does not nest too deep.
fn free(value: &Value, key: &Key) -> Checked {
    fn fits(value: &Value, left: usize) -> bool {
        match value {
            Value::Array(items) => left > 0 && items.iter().all(|item| fits(item, left - 1)),
            Value::Object(map) => left > 0 && map.values().all(|item| fits(item, left - 1)),
            _ => true,
        }
    }
    if fits(value, MAX_DEPTH) { Ok(()) } else { refuse(key, Problem::TooDeep) }
}

impl Place {
    /// The place, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Line => "in a line of text",
            Self::Code => "in code",
            Self::Link => "in a link",
            Self::Annotated => "in text that has a note",
        }
    }
}

impl Kind {
    /// The references of its own with restricted targets, and these restrictions.
    fn restricted_references(&self) -> Vec<(AllowedTargets, &ContentRef)> {
        match self {
            Self::Image(image) => {
                let dark = image.source_dark.iter().map(|dark| (AllowedTargets::File, dark));
                std::iter::once((AllowedTargets::File, &image.source.0)).chain(dark).collect()
            }
            Self::File(file) => vec![(AllowedTargets::File, &file.source.0)],
            Self::Drawing(drawing) => drawing.source.iter().map(|source| (AllowedTargets::File, source)).collect(),
            Self::Swagger(swagger) => vec![(AllowedTargets::File, &swagger.source.0)],
            Self::ReusableContent(reusable) => vec![(AllowedTargets::ReusableContent, &reusable.target.0)],
            Self::Update(update) => update.tags.iter().map(|tag| (AllowedTargets::Tag, tag)).collect(),
            _ => Vec::new(),
        }
    }
}

/// Whether a text is a valid key of a block.
pub(super) fn is_key(key: &str) -> bool {
    (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

#[cfg(test)]
mod tests;
