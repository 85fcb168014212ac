//! A page of a revision, without its text.
mod slug;

pub(crate) use slug::numbered_slug;
pub use slug::{MAX_SLUG, check_slug, free_slug, read_slug, slugify};

use crate::computed::ComputedSource;
use crate::document::{Color, words};
use crate::object::Hash;
use crate::order::OrderKey;
use crate::reference::ContentRef;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use values::id::{PageId, UserId};

/// The maximum depth of a page below the root. Bounds every recursion over pages.
pub const MAX_DEPTH: usize = 64;

/// The kind of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum PageKind {
    /// A page with text.
    Document {
        /// The object that holds its text; absent when it has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        document: Option<Hash>,
    },
    /// A heading in the table of contents, with pages below it.
    Group,
    /// An entry of the table of contents that links elsewhere.
    Link {
        /// Where it leads.
        target: ContentRef,
    },
    /// A placeholder for pages that are generated when the content is read.
    Computed {
        /// The source of these pages. Boxed: few pages are computed.
        computed: Box<ComputedSource>,
    },
}

impl PageKind {
    /// Whether it is a placeholder for generated pages.
    pub fn is_computed(&self) -> bool {
        matches!(self, Self::Computed { .. })
    }

    /// Whether it has a slug, and can have pages below it. Links and computed pages have neither.
    pub fn has_path(&self) -> bool {
        match self {
            Self::Document { .. } | Self::Group => true,
            Self::Link { .. } | Self::Computed { .. } => false,
        }
    }
}

/// A page. The API description says what the fields mean to readers; here they are data.
///
/// Serialized with defaults left out: adding a field changes no stored hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageEntry {
    /// Its kind.
    pub kind: PageKind,
    /// Its parent; absent at the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<PageId>,
    /// Its position among its siblings.
    pub order: OrderKey,
    /// Its title, never empty.
    pub title: String,
    /// A shorter title for the table of contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_title: Option<String>,
    /// Its part of the path; unique among siblings. Empty for links and computed pages, which have no path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub slug: String,
    /// An emoji before the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    /// An icon before the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// A line under the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Left out of the table of contents.
    #[serde(default, skip_serializing_if = "crate::document::is_default")]
    pub hidden: bool,
    /// Left out of search.
    #[serde(default, skip_serializing_if = "crate::document::is_default")]
    pub no_index: bool,
    /// External search engines are asked to leave it out.
    #[serde(default, skip_serializing_if = "crate::document::is_default")]
    pub no_robots_index: bool,
    /// An expression that decides who sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The parts of the page that are shown.
    #[serde(default, skip_serializing_if = "crate::document::is_default")]
    pub layout: Layout,
    /// A picture at its head. Boxed: few pages have one, and thousands of pages are held in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover: Option<Box<Cover>>,
    /// Values that its expressions may use.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, Variable>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<PageTag>,
    /// Other places with the same content.
    #[serde(default, skip_serializing_if = "crate::document::is_default")]
    pub meta_links: MetaLinks,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was last edited; absent until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
    /// Who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserId>,
    /// The file it was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitBlob>,
    /// The object that holds the text of that file. While the page has the same content, an export writes this text
    /// byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Hash>,
    /// The digest of what the import made of that text. While the page still has it, an export knows without reading
    /// the text again that the page has the same content. Absent on a page that an older version imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_digest: Option<Hash>,
}

impl PageEntry {
    /// A page with a title and nothing else.
    pub fn new(
        kind: PageKind,
        title: impl Into<String>,
        slug: impl Into<String>,
        order: OrderKey,
        at: DateTime<Utc>,
    ) -> Self {
        Self {
            kind,
            parent: None,
            order,
            title: title.into(),
            link_title: None,
            slug: slug.into(),
            emoji: None,
            icon: None,
            description: None,
            hidden: false,
            no_index: false,
            no_robots_index: false,
            condition: None,
            layout: Layout::default(),
            cover: None,
            variables: BTreeMap::new(),
            tags: Vec::new(),
            meta_links: MetaLinks::default(),
            created_at: at,
            updated_at: None,
            created_by: None,
            git: None,
            source: None,
            import_digest: None,
        }
    }

    /// The page as the next version of `before`: it keeps the time and author of the creation, and `at` becomes its
    /// edit time if anything but its position among its siblings and the digest of its import differs.
    #[must_use]
    pub fn since(self, before: &Self, at: DateTime<Utc>) -> Self {
        let kept = Self {
            created_at: before.created_at,
            created_by: before.created_by.clone(),
            updated_at: before.updated_at,
            ..self
        };
        let same_place = Self { order: before.order.clone(), import_digest: before.import_digest, ..kept.clone() };
        if same_place == *before { kept } else { Self { updated_at: Some(at), ..kept } }
    }

    /// The object that holds its text.
    pub fn document(&self) -> Option<Hash> {
        match self.kind {
            PageKind::Document { document } => document,
            PageKind::Group | PageKind::Link { .. } | PageKind::Computed { .. } => None,
        }
    }
}

/// A file in a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitBlob {
    /// The id git gives to its content.
    pub oid: String,
    /// Its path from the root of the documentation.
    pub path: String,
}

words! {
    /// How wide a page is.
    Width { Default = "default", Wide = "wide" }
    /// How large its cover is.
    CoverSize { Hero = "hero", Full = "full", Background = "background" }
    /// What fades its cover out.
    CoverMask { None = "none", Radial = "radial" }
}

/// The parts of a page that are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the words are the API's own")]
pub struct Layout {
    pub width: Width,
    pub cover: bool,
    pub cover_size: CoverSize,
    pub cover_mask: CoverMask,
    pub title: bool,
    pub description: bool,
    pub table_of_contents: bool,
    pub outline: bool,
    pub pagination: bool,
    pub metadata: bool,
    pub tags: bool,
    pub actions: bool,
    pub anchors: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            width: Width::Default,
            cover: true,
            cover_size: CoverSize::Hero,
            cover_mask: CoverMask::None,
            title: true,
            description: true,
            table_of_contents: true,
            outline: true,
            pagination: true,
            metadata: true,
            tags: true,
            actions: true,
            anchors: true,
        }
    }
}

/// A picture at the head of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cover {
    /// The picture (a file or a url).
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ContentRef>,
    /// The picture for the dark theme.
    #[serde(rename = "refDark", default, skip_serializing_if = "Option::is_none")]
    pub source_dark: Option<ContentRef>,
    /// The vertical offset of the visible part, in pixels.
    #[serde(default)]
    pub y_pos: i32,
    /// Its height, 10 to 700 pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u16>,
}

/// The value of a variable: a text of at most 256 characters, a number or a boolean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Variable {
    /// Yes or no.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// A text.
    Text(String),
}

/// A tag on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageTag {
    /// The tag.
    pub tag: ContentRef,
    /// Whether it is the page's first tag.
    #[serde(default, skip_serializing_if = "crate::document::is_default")]
    pub primary: bool,
}

/// Other places with the content of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetaLinks {
    /// The authoritative place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<ContentRef>,
    /// Alternative forms of the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternates: Vec<ContentRef>,
}

/// A tag of a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// Its label.
    pub label: String,
    /// Its colour.
    pub color: Color,
    /// An emoji.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    /// An icon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
}

/// A piece of content that several pages include.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReusableContent {
    /// Its title.
    pub title: String,
    /// The object that holds its text; absent when it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Hash>,
    /// The file it was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitBlob>,
    /// The object that holds the text of that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Hash>,
    /// The digest of what the import made of that text, as for a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_digest: Option<Hash>,
}

/// A file of a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileEntry {
    /// Its name.
    pub name: String,
    /// Its media type.
    pub content_type: String,
    /// Its size in bytes.
    pub size: u64,
    /// The hash of its bytes.
    pub blob: Hash,
    /// Width and height in pixels, of images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<Dimensions>,
    /// The file it was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitBlob>,
}

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dimensions {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_settings_is_stored_without_them() {
        let page = PageEntry::new(PageKind::Group, "A", "a", OrderKey::sequence(1).remove(0), DateTime::UNIX_EPOCH);
        let json = serde_json::to_string(&page).unwrap();
        assert!(!json.contains("layout") && !json.contains("null"), "{json}");
        assert_eq!(serde_json::from_str::<PageEntry>(&json).unwrap(), page);
        let (title, document, git, source) = ("A".to_owned(), None, None, None);
        let content = ReusableContent { title, document, git, source, import_digest: None };
        assert_eq!(serde_json::to_string(&content).unwrap(), r#"{"title":"A"}"#);
    }

    #[test]
    fn the_digest_of_an_import_is_no_edit() {
        let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        let before = PageEntry::new(PageKind::Group, "A", "a", OrderKey::first(), at(1));
        let import_digest = Some(Hash::of(b"digest"));
        let after = PageEntry { import_digest, ..before.clone() }.since(&before, at(2));
        assert_eq!((after.updated_at, after.import_digest), (None, import_digest));
    }
}
