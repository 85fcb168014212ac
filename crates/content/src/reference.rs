//! References from content to pages, files and other objects.
use serde::{Deserialize, Serialize};
use values::id::{CollectionId, FileId, PageId, ReusableContentId, SpaceId, UserId};

/// A reference from content to something else. Pages and files are named by id, so a rename or a move breaks no link.
/// If `space` is absent, it is the space that contains the reference.
///
/// Its serialized form is the one of the API.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ContentRef {
    /// A file of a space.
    File {
        /// The file.
        file: FileId,
        /// Its space, when it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        space: Option<SpaceId>,
    },
    /// An address: absolute, or a relative one from a source whose target is unknown.
    Url {
        /// The address as written.
        url: String,
    },
    /// A page of a space.
    Page {
        /// The page.
        page: PageId,
        /// Its space, when it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        space: Option<SpaceId>,
    },
    /// An anchor in a page.
    Anchor {
        /// The id of a heading or block in the page.
        anchor: String,
        /// The page, when it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page: Option<PageId>,
        /// Its space, when it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        space: Option<SpaceId>,
    },
    /// A user.
    User {
        /// The user.
        user: UserId,
    },
    /// A collection of spaces.
    Collection {
        /// The collection.
        collection: CollectionId,
    },
    /// A whole space.
    Space {
        /// The space.
        space: SpaceId,
    },
    /// A reusable content of a space.
    ReusableContent {
        /// The reusable content.
        reusable_content: ReusableContentId,
        /// Its space, when it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        space: Option<SpaceId>,
    },
    /// An OpenAPI specification of the organization.
    Openapi {
        /// Its slug.
        spec: String,
        /// The id of a version; absent for the newest one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
    /// A tag of a space.
    Tag {
        /// Its slug.
        tag: String,
        /// Its space, when it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        space: Option<SpaceId>,
    },
}

impl ContentRef {
    /// An OpenAPI specification, as it is now.
    pub fn openapi(spec: &str) -> Self {
        Self::Openapi { spec: spec.to_owned(), version: None }
    }

    /// Whether it refers to a page, or to an anchor in a page that it names.
    pub(crate) fn is_page(&self) -> bool {
        matches!(self, Self::Page { .. } | Self::Anchor { page: Some(_), .. })
    }
}
