//! What references lead to.
use crate::content::document::{Color, SpecificationPart, SpecificationUse, Swagger};
use crate::content::reference::ContentRef;
use crate::id::FileId;
use openapi::example::OperationExamples;
use openapi::sample::CodeSample;
use openapi::view::{OperationView, SchemaRow};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// What references lead to, for one visitor. A reference that is not in it leads nowhere: its text is shown, without a
/// link. Addresses ([`ContentRef::Url`]) lead where they say, and are not in it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct References {
    /// By reference.
    #[serde(serialize_with = "pairs")]
    pub targets: BTreeMap<ContentRef, ReferenceTarget>,
    /// What the blocks of OpenAPI specs show; those that are missing cannot be shown.
    #[serde(serialize_with = "pairs")]
    pub openapi: BTreeMap<OpenapiKey, OpenapiBlock>,
}

/// Which part of which spec a block shows: as in [`SpecificationUse`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct OpenapiKey {
    /// The slug of the spec, as it is written; or an address, or a file.
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

    /// What a block shows of a document that is a file of a space. No slug begins so.
    pub fn of_file(file: &FileId, shows: SpecificationPart) -> Self {
        Self { spec: format!("~{file}"), version: None, shows }
    }

    /// What a block shows of a document that is at an address, or a file of a space.
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

    /// A name for what the block shows, for addresses: 16 characters.
    pub fn name(&self) -> String {
        let hash = blake3::hash(&serde_json::to_vec(self).unwrap_or_default());
        hash.to_hex().chars().take(16).collect()
    }
}

/// What a block of an OpenAPI spec shows.
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
    /// A page, a place in one, or a start of something.
    Link(PlaceTarget),
    /// A file.
    File(FileTarget),
    /// A tag.
    Tag(TagTarget),
    /// A person, by name.
    Person(String),
}

/// Something to open.
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

/// A map as a list of pairs, since its keys are no strings.
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

    /// What a reference leads to, if it can be opened.
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
