//! The targets of references.
use crate::content::document::{
    Color, OpenapiOperation, OpenapiSchemas, OpenapiWebhook, SpecificationPart, SpecificationUse, Swagger,
};
use crate::content::object::Hash;
use crate::content::reference::ContentRef;
use crate::id::FileId;
use openapi::example::OperationExamples;
use openapi::sample::CodeSample;
use openapi::view::{OperationView, SchemaRow};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The targets of references, for one visitor. A reference without a target is shown as text, without a link. Addresses
/// ([`ContentRef::Url`]) need no target, and are not in it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct References {
    /// By reference.
    #[serde(serialize_with = "pairs")]
    pub targets: BTreeMap<ContentRef, ReferenceTarget>,
    /// The content of blocks that show OpenAPI specs; a missing block cannot be shown. It is not serialized, since it
    /// is large and follows from [`SitePage::openapi`](super::SitePage::openapi).
    #[serde(skip)]
    pub openapi: BTreeMap<OpenapiKey, OpenapiBlock>,
}

/// The document that a block of a page shows. Documents never change: blocks with equal keys and sources have equal
/// content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum OpenapiSource {
    /// A version of a spec.
    Version {
        /// The hash of its parts.
        parts: Hash,
        /// The address that it was fetched from, as samples use it.
        url: Option<String>,
    },
    /// A file of a space.
    File {
        /// The hash of its bytes.
        blob: Hash,
        /// Its size in bytes.
        size: u64,
    },
}

/// The documents that the blocks of a page show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OpenapiSources(#[serde(serialize_with = "pairs")] pub BTreeMap<OpenapiKey, OpenapiSource>);

/// The spec and the part that a block shows, as in [`SpecificationUse`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct OpenapiKey {
    /// The slug of the spec as written in the block; or an address, or a file.
    pub spec: String,
    /// The id of its version; absent for the newest one.
    pub version: Option<String>,
    /// The part.
    pub shows: SpecificationPart,
}

impl OpenapiKey {
    /// What a block shows.
    pub fn of(found: &SpecificationUse) -> Self {
        let SpecificationUse { key: _, spec, is_address: _, version, shows } = found;
        Self { spec: spec.clone(), version: version.clone(), shows: shows.clone() }
    }

    /// The key of a block that shows an operation of a spec.
    pub fn of_operation(data: &OpenapiOperation) -> Self {
        let shows = SpecificationPart::Operation { method: data.method.clone(), path: data.path.clone() };
        Self { spec: data.spec.clone(), version: data.version.clone(), shows }
    }

    /// The key of a block that shows a webhook of a spec.
    pub fn of_webhook(data: &OpenapiWebhook) -> Self {
        let shows = SpecificationPart::Webhook { name: data.name.clone(), method: data.method.clone() };
        Self { spec: data.spec.clone(), version: data.version.clone(), shows }
    }

    /// The key of a block that shows schemas of a spec.
    pub fn of_schemas(data: &OpenapiSchemas) -> Self {
        let shows = SpecificationPart::Schemas { schemas: data.schemas.clone() };
        Self { spec: data.spec.clone(), version: data.version.clone(), shows }
    }

    /// The key of a block that shows a document in a file of a space. No slug begins in this way.
    pub fn of_file(file: &FileId, shows: SpecificationPart) -> Self {
        Self { spec: format!("~{file}"), version: None, shows }
    }

    /// The key of a block that shows a document at an address, or in a file of a space.
    pub fn of_document(data: &Swagger) -> Option<Self> {
        let shows = SpecificationPart::Operation { method: data.method.clone(), path: data.path.clone() };
        match &data.source.0 {
            ContentRef::Url { url } => Some(Self { spec: url.clone(), version: None, shows }),
            ContentRef::File { file, .. } => Some(Self::of_file(file, shows)),
            _ => None,
        }
    }

    /// Whether the document is a file of a space.
    pub fn is_file(&self) -> bool {
        self.spec.starts_with('~')
    }

    /// A hash of the key, for addresses: 16 characters.
    pub fn name(&self) -> String {
        let hash = blake3::hash(&serde_json::to_vec(self).unwrap_or_default());
        hash.to_hex().chars().take(16).collect()
    }
}

/// The content of a block of an OpenAPI spec.
#[derive(Clone, Debug, Serialize)]
pub enum OpenapiBlock {
    /// An operation or a webhook.
    Operation {
        /// Everything but examples and samples.
        view: Box<OperationView>,
        /// Examples of its bodies.
        examples: Box<OperationExamples>,
        /// Code that sends a request; none for a webhook.
        samples: Vec<CodeSample>,
    },
    /// Schemas.
    Schemas(Vec<SchemaRow>),
}

/// What a reference leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum ReferenceTarget {
    /// A page, an anchor in a page, or the start page of a site, a section or a space.
    Link(PlaceTarget),
    /// A file.
    File(FileTarget),
    /// A tag.
    Tag(TagTarget),
    /// A person, by name.
    Person(String),
}

/// A target that can be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceTarget {
    /// Its address.
    pub href: String,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub description: Option<String>,
    /// An emoji before the title.
    pub emoji: Option<String>,
    /// An icon before the title.
    pub icon: Option<String>,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileTarget {
    /// Its address.
    pub href: String,
    /// Its name.
    pub name: String,
    /// Its media type.
    pub content_type: String,
    /// Its size in bytes.
    pub size: u64,
    /// Width and height in pixels, of images.
    pub dimensions: Option<(u32, u32)>,
}

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TagTarget {
    /// Its label.
    pub label: String,
    /// Its colour.
    pub color: Color,
    /// An emoji.
    pub emoji: Option<String>,
    /// An icon.
    pub icon: Option<String>,
}

/// A map as a list of pairs, because its keys are not strings.
fn pairs<K: Serialize, V: Serialize, S: Serializer>(map: &BTreeMap<K, V>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(map.len()))?;
    for pair in map {
        list.serialize_element(&pair)?;
    }
    list.end()
}

impl References {
    /// What a reference leads to.
    pub fn get(&self, reference: &ContentRef) -> Option<&ReferenceTarget> {
        self.targets.get(reference)
    }

    /// The target of a reference, if it can be opened.
    pub fn link(&self, reference: &ContentRef) -> Option<&PlaceTarget> {
        match self.get(reference) {
            Some(ReferenceTarget::Link(link)) => Some(link),
            _ => None,
        }
    }

    /// The file that a reference leads to.
    pub fn file(&self, reference: &ContentRef) -> Option<&FileTarget> {
        match self.get(reference) {
            Some(ReferenceTarget::File(file)) => Some(file),
            _ => None,
        }
    }
}
