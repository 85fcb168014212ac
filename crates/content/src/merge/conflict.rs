//! Conflicts: the parts that a merge could not join, for a decision by a user.
use crate::document::{Block, Document, Key};
use crate::page::{FileEntry, PageEntry, ReusableContent, Tag, Variable};
use serde::{Deserialize, Serialize};
use values::id::{FileId, PageId, ReusableContentId};
use values::words;

/// A place that two lines of change changed in different ways.
///
/// It is stored as JSON with a change request until it is decided. So it contains whole values, not hashes of objects
/// that may be gone by then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// The subject of the conflict.
    pub subject: Subject,
    /// The value in the base; absent if it did not exist.
    pub base: Option<Value>,
    /// The value in the primary content; absent if it does not exist.
    pub primary: Option<Value>,
    /// The value in the change request; absent if it does not exist.
    pub change: Option<Value>,
}

/// The subject of a conflict.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Subject {
    /// The existence of a page: one side deleted it, the other one edited it or put pages below it.
    Page {
        /// The page.
        page: PageId,
    },
    /// A field of a page, such as `title`, `position` (parent and place among siblings), `layout.width` or
    /// `variables.version`.
    PageField {
        /// The page.
        page: PageId,
        /// The field.
        field: String,
    },
    /// A block in the text of a page.
    Block {
        /// The page.
        page: PageId,
        /// The block.
        block: Key,
        /// The part of it.
        part: Part,
    },
    /// The text of a page as a whole, if the joined parts are not a valid document.
    Document {
        /// The page.
        page: PageId,
    },
    /// The existence of a file.
    File {
        /// The file.
        file: FileId,
    },
    /// A field of a file: `name`, or `content`, which is its bytes and everything that depends on them.
    FileField {
        /// The file.
        file: FileId,
        /// The field.
        field: String,
    },
    /// The existence of a reusable content.
    ReusableContent {
        /// The reusable content.
        reusable_content: ReusableContentId,
    },
    /// A field of a reusable content: `title`.
    ReusableContentField {
        /// The reusable content.
        reusable_content: ReusableContentId,
        /// The field.
        field: String,
    },
    /// A block in the text of a reusable content.
    ReusableContentBlock {
        /// The reusable content.
        reusable_content: ReusableContentId,
        /// The block.
        block: Key,
        /// The part of it.
        part: Part,
    },
    /// The text of a reusable content as a whole.
    ReusableContentDocument {
        /// The reusable content.
        reusable_content: ReusableContentId,
    },
    /// A variable of the space.
    Variable {
        /// Its name.
        name: String,
    },
    /// The existence of a tag.
    Tag {
        /// Its slug.
        slug: String,
    },
    /// A field of a tag, such as `label`.
    TagField {
        /// Its slug.
        slug: String,
        /// The field.
        field: String,
    },
    /// The layout files of a repository: `config`, `summary` or a file of settings.
    Repository {
        /// One of these: `config`, `summary`, or `settings.` with the name of the file.
        field: String,
    },
}

words! {
    /// The part of a block in a conflict.
    #[derive(PartialOrd, Ord)]
    pub enum Part {
        /// The block itself: its data and its line of text, without the blocks inside it.
        Own = "own",
        /// Its position.
        Place = "place",
        /// All of it, including the blocks inside it, or its existence.
        Whole = "whole",
    }
}

/// The value of one side in a conflict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "camelCase")]
pub enum Value {
    /// A page.
    Page(Box<PageValue>),
    /// A field of anything.
    Field(serde_json::Value),
    /// A block.
    Block(Box<BlockValue>),
    /// A whole text.
    Document(#[serde(with = "encoded")] Document),
    /// A file.
    File(Box<FileEntry>),
    /// A reusable content.
    ReusableContent(Box<ReusableContent>),
    /// A variable.
    Variable(Variable),
    /// A tag.
    Tag(Box<Tag>),
}

/// A page, with the information where to restore it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageValue {
    /// The page.
    pub page: PageEntry,
    /// The pages above it on its side, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub above: Vec<PageId>,
}

/// A block with all blocks inside it, and its position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockValue {
    /// The block.
    #[serde(with = "encoded")]
    pub block: Block,
    /// Its parent; absent at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Key>,
    /// The block before it; absent if it is the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Key>,
}

/// Blocks as a text with their canonical encoding: they nest deeper than JSON parsers allow.
mod encoded {
    use crate::document::{Block, Document};
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _, ser::Error as _};

    pub(super) trait Encoded: Sized {
        fn to_document(&self) -> Document;
        fn of(document: Document) -> Option<Self>;
    }

    impl Encoded for Document {
        fn to_document(&self) -> Document {
            self.clone()
        }

        fn of(document: Document) -> Option<Self> {
            Some(document)
        }
    }

    impl Encoded for Block {
        fn to_document(&self) -> Document {
            Document { blocks: vec![self.clone()] }
        }

        fn of(mut document: Document) -> Option<Self> {
            document.blocks.pop()
        }
    }

    pub(super) fn serialize<T: Encoded, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        let text = String::from_utf8(value.to_document().encode()).map_err(S::Error::custom)?;
        serializer.serialize_str(&text)
    }

    pub(super) fn deserialize<'de, T: Encoded, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        let text = String::deserialize(deserializer)?;
        let document = Document::decode(text.as_bytes()).map_err(D::Error::custom)?;
        T::of(document).ok_or_else(|| D::Error::custom("no block"))
    }
}

words! {
    /// The side that decides a conflict.
    pub enum Keep {
        /// The primary content.
        Primary = "primary",
        /// The change request.
        Change = "change",
    }
}

impl Conflict {
    /// The value of the side that is kept.
    pub fn side(&self, keep: Keep) -> Option<&Value> {
        match keep {
            Keep::Primary => self.primary.as_ref(),
            Keep::Change => self.change.as_ref(),
        }
    }
}

impl Subject {
    /// The page of the conflict, if it concerns one.
    pub fn page(&self) -> Option<&PageId> {
        match self {
            Self::Page { page } | Self::PageField { page, .. } | Self::Block { page, .. } | Self::Document { page } => {
                Some(page)
            }
            _ => None,
        }
    }

    /// A text that identifies the place: the same in every merge, and unique among the conflicts of one merge.
    pub fn key(&self) -> String {
        match self {
            Self::Page { page } => format!("page/{page}"),
            Self::PageField { page, field } => format!("page-field/{page}/{field}"),
            Self::Block { page, block, part } => format!("block/{page}/{}/{}", part.as_str(), block.0),
            Self::Document { page } => format!("document/{page}"),
            Self::File { file } => format!("file/{file}"),
            Self::FileField { file, field } => format!("file-field/{file}/{field}"),
            Self::ReusableContent { reusable_content } => format!("reusable-content/{reusable_content}"),
            Self::ReusableContentField { reusable_content, field } => {
                format!("reusable-content-field/{reusable_content}/{field}")
            }
            Self::ReusableContentBlock { reusable_content, block, part } => {
                format!("reusable-content-block/{reusable_content}/{}/{}", part.as_str(), block.0)
            }
            Self::ReusableContentDocument { reusable_content } => {
                format!("reusable-content-document/{reusable_content}")
            }
            Self::Variable { name } => format!("variable/{name}"),
            Self::Tag { slug } => format!("tag/{slug}"),
            Self::TagField { slug, field } => format!("tag-field/{field}/{slug}"),
            Self::Repository { field } => format!("repository/{field}"),
        }
    }
}

/// The owner of a text: a page or a reusable content.
#[derive(Clone, Debug)]
pub(super) enum Holder {
    Page(PageId),
    ReusableContent(ReusableContentId),
}

impl Holder {
    pub(super) fn block(&self, block: Key, part: Part) -> Subject {
        match self.clone() {
            Self::Page(page) => Subject::Block { page, block, part },
            Self::ReusableContent(reusable_content) => Subject::ReusableContentBlock { reusable_content, block, part },
        }
    }

    pub(super) fn document(&self) -> Subject {
        match self.clone() {
            Self::Page(page) => Subject::Document { page },
            Self::ReusableContent(reusable_content) => Subject::ReusableContentDocument { reusable_content },
        }
    }
}
