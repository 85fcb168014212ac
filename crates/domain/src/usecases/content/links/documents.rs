//! The links of one document: all that its text determines, in every page and revision that has it.
use crate::content::document::{self, Document, Key, Relation, SpecificationPart, SpecificationUse};
use crate::content::reference::ContentRef;
use std::collections::HashMap;

/// The links of a document, in its order.
pub(super) struct DocumentLinks {
    pub(super) links: Box<[DocumentLink]>,
    /// Whether some lead to anchors of the page itself.
    pub(super) to_own_anchors: bool,
}

/// A reference in a document.
pub(super) struct DocumentLink {
    pub(super) reference: ContentRef,
    /// Whether the page cannot be shown without the target.
    pub(super) depends_on: bool,
    /// The block that has it.
    pub(super) key: Key,
    /// What it shows of an OpenAPI spec.
    pub(super) shows: Option<Box<SpecificationUse>>,
}

impl DocumentLinks {
    pub(super) fn of(document: Document) -> Self {
        let uses = document.specification_uses();
        let of_specs = uses.into_iter().filter(|shows| !shows.is_address);
        let mut uses: HashMap<Key, SpecificationUse> = of_specs.map(|shows| (shows.key.clone(), shows)).collect();
        let link = |found: document::Found| {
            let depends_on = matches!(found.relation, Relation::Include | Relation::Specification);
            let shows = match (found.relation, &found.target) {
                (Relation::Specification, _) => uses.remove(&found.key),
                (_, ContentRef::Openapi { spec, version: version @ Some(_) }) => {
                    let shows = SpecificationPart::Schemas { schemas: Vec::new() };
                    let (key, spec, version) = (found.key.clone(), spec.clone(), version.clone());
                    Some(SpecificationUse { key, spec, is_address: false, version, shows })
                }
                _ => None,
            };
            DocumentLink { reference: found.target, depends_on, key: found.key, shows: shows.map(Box::new) }
        };
        let links: Box<[DocumentLink]> = document.into_references().into_iter().map(link).collect();
        let own = |link: &DocumentLink| matches!(link.reference, ContentRef::Anchor { page: None, space: None, .. });
        Self { to_own_anchors: links.iter().any(own), links }
    }

    /// The memory that they take, in bytes, approximately.
    pub(super) fn size(&self) -> usize {
        let link = |link: &DocumentLink| {
            size_of::<DocumentLink>() + text_size(&link.reference) + link.shows.as_deref().map_or(0, use_size)
        };
        size_of::<Self>() + self.links.iter().map(link).sum::<usize>()
    }
}

/// The memory that the use of a spec takes, in bytes, approximately.
pub(super) fn use_size(shows: &SpecificationUse) -> usize {
    size_of::<SpecificationUse>() + shows.spec.len() + shows.shows.to_string().len()
}

/// The size of the text in a reference, in bytes, approximately. Most ids have 36 bytes.
pub(super) fn text_size(reference: &ContentRef) -> usize {
    match reference {
        ContentRef::Url { url } => url.len(),
        ContentRef::Anchor { anchor, .. } => anchor.len() + 64,
        _ => 64,
    }
}
