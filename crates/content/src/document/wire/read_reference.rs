//! Reading references.
use super::fields::{Fields, parse};
use super::path::Path;
use super::read::Read;
use crate::document::AllowedTargets;
use crate::reference::ContentRef;
use serde_json::Value;

/// A reference with one of these targets.
pub(super) fn reference(value: &Value, allowed: AllowedTargets, path: &Path<'_>) -> Read<ContentRef> {
    let target = content_ref(value, path)?;
    if allowed.allows(&target) {
        Ok(target)
    } else {
        Err(path.refuse(format!("must be a reference to {}", allowed.words())))
    }
}

/// A reference, field by field: serde does not say which field of an enum with a tag is wrong.
fn content_ref(value: &Value, path: &Path<'_>) -> Read<ContentRef> {
    let fields = Fields::of(Some(value), path)?;
    let kind: String = fields.need("kind")?;
    Ok(match kind.as_str() {
        "file" => ContentRef::File { file: fields.need("file")?, space: fields.get("space")? },
        "url" => ContentRef::Url { url: fields.need("url")? },
        "page" => ContentRef::Page { page: fields.need("page")?, space: fields.get("space")? },
        "anchor" => ContentRef::Anchor {
            anchor: fields.need("anchor")?,
            page: fields.get("page")?,
            space: fields.get("space")?,
        },
        "user" => ContentRef::User { user: fields.need("user")? },
        "collection" => ContentRef::Collection { collection: fields.need("collection")? },
        "space" => ContentRef::Space { space: fields.need("space")? },
        "reusable-content" => ContentRef::ReusableContent {
            reusable_content: fields.need("reusableContent")?,
            space: fields.get("space")?,
        },
        "openapi" => ContentRef::Openapi { spec: fields.need("spec")?, version: fields.get("version")? },
        "tag" => ContentRef::Tag { tag: fields.need("tag")?, space: fields.get("space")? },
        // The error lists the kinds.
        _ => parse(value, &path.key("kind"))?,
    })
}
