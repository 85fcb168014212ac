//! What a merge could not join, told so that somebody can decide it later.
use crate::document::{Block, Document, Key};
use crate::page::{FileEntry, PageEntry, ReusableContent, Tag, Variable};
use serde::{Deserialize, Serialize};
use values::id::{FileId, PageId, ReusableContentId};
use values::words;

/// A place where two lines of change want different things.
///
/// It is kept as JSON beside a change request until it is decided, so it holds whole values, not the hashes of objects
/// that a later state may have no use for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// What it is about.
    pub subject: Subject,
    /// What both sides came from; absent where it was not there.
    pub base: Option<Value>,
    /// What the primary content has; absent where it is not there.
    pub primary: Option<Value>,
    /// What the change request has; absent where it is not there.
    pub change: Option<Value>,
}

/// What a conflict is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Subject {
    /// Whether there is a page: one side took it away, the other one edited it or put pages below it.
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
        /// What of it.
        part: Part,
    },
    /// The text of a page as a whole, where the parts of both sides make no valid document.
    Document {
        /// The page.
        page: PageId,
    },
    /// Whether there is a file.
    File {
        /// The file.
        file: FileId,
    },
    /// A field of a file: `name`, or `content`, which is its bytes with all that follows from them.
    FileField {
        /// The file.
        file: FileId,
        /// The field.
        field: String,
    },
    /// Whether there is a reusable content.
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
        /// What of it.
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
    /// Whether there is a tag.
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
    /// What a repository says besides its pages: `config`, `summary` or a file of settings.
    Repository {
        /// Which of these: `config`, `summary`, or `settings.` with the name of the file.
        field: String,
    },
}

words! {
    /// What of a block a conflict is about.
    #[derive(PartialOrd, Ord)]
    pub enum Part {
        /// What the block itself says: its data and its line of text, not the blocks inside it.
        Own = "own",
        /// Where it stands.
        Place = "place",
        /// All of it with what is inside, or whether it is there at all.
        Whole = "whole",
    }
}

/// What one side has at the place of a conflict.
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

/// A page, with what tells where to put it back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageValue {
    /// The page.
    pub page: PageEntry,
    /// The pages above it on its side, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub above: Vec<PageId>,
}

/// A block with all inside it, and where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockValue {
    /// The block.
    #[serde(with = "encoded")]
    pub block: Block,
    /// The block it is in; absent at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Key>,
    /// The block before it; absent where it is the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Key>,
}

/// Blocks as a text that holds their canonical encoding: they nest deeper than readers of JSON follow.
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
    /// For which side a conflict is decided.
    pub enum Keep {
        /// For what the primary content has.
        Primary = "primary",
        /// For what the change request has.
        Change = "change",
    }
}

impl Conflict {
    /// What the side has that is kept.
    pub fn side(&self, keep: Keep) -> Option<&Value> {
        match keep {
            Keep::Primary => self.primary.as_ref(),
            Keep::Change => self.change.as_ref(),
        }
    }
}

impl Subject {
    /// The page that it is about, if it is about one.
    pub fn page(&self) -> Option<&PageId> {
        match self {
            Self::Page { page } | Self::PageField { page, .. } | Self::Block { page, .. } | Self::Document { page } => {
                Some(page)
            }
            _ => None,
        }
    }

    /// A text that names the place: the same for the same place in every merge, and no other conflict of one merge has
    /// it.
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

/// What has a text: a page or a reusable content.
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
