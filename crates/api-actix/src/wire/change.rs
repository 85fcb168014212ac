//! Differences between two revisions.
use super::change_request::{ChangeRequest, change_request};
use super::page::View;
use crate::request::Wire;
use chrono::{DateTime, Utc};
use domain::content::changes::{ChangedFile, ContentChange, FileAttributes};
use domain::content::object::Hash;
use domain::content::page::FileEntry;
use domain::text::Invalid;
use domain::usecases::change_requests::Changes as Found;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

/// The number of differences returned by default.
const DEFAULT_LIMIT: usize = 10;
/// The maximum number of differences returned.
const MAX_LIMIT: usize = 1000;

/// The number of differences to return.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ChangesParams {
    /// The maximum number of differences to return.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 1000, default = 10)]
    limit: Option<String>,
}

impl Wire for ChangesParams {
    type Command = usize;

    fn command(self) -> Result<usize, Invalid> {
        let Some(raw) = self.limit else { return Ok(DEFAULT_LIMIT) };
        let limit = raw.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
        limit.ok_or_else(|| Invalid::new("limit", format!("must be a whole number from 1 to {MAX_LIMIT}")))
    }
}

/// The differences.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Changes {
    /// The differences. Each has a `type` (`page`, `file`, `variables`, `reusableContent` or `tag`), and `attributes`
    /// or `parent` with the values before and after.
    #[schema(value_type = Vec<Object>)]
    changes: Vec<Value>,
    /// The number of further differences that were not returned.
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
    /// The change request that the revision merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_from: Option<ChangeRequest>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}

pub(crate) fn changes(found: Found, view: View<'_>, now: DateTime<Utc>) -> Changes {
    let Found { found, merged_from, .. } = found;
    Changes {
        changes: found.changes.into_iter().map(|one| change(one, view, now)).collect(),
        more: found.more,
        merged_from: merged_from.map(|shown| change_request(shown, view.links)),
    }
}

fn to_json(value: &impl Serialize) -> Value {
    // These domain types have string keys and no floats that JSON lacks.
    serde_json::to_value(value).unwrap_or(Value::Null)
}

fn change(change: ContentChange, view: View<'_>, now: DateTime<Utc>) -> Value {
    let file = |file: &ChangedFile| {
        let url = view.links.download(view.space, &file.entry, now);
        json!({ "id": file.id, "name": file.entry.name, "contentType": file.entry.content_type, "downloadURL": url })
    };
    match change {
        ContentChange::PageCreated { page } => json!({ "type": "page_created", "page": page }),
        ContentChange::PageDeleted { page } => json!({ "type": "page_deleted", "page": page }),
        ContentChange::PageEdited { page, attributes } => {
            json!({ "type": "page_edited", "page": page, "attributes": to_json(&attributes) })
        }
        ContentChange::PageMoved { page, parent } => {
            json!({ "type": "page_moved", "page": page, "parent": to_json(&parent) })
        }
        ContentChange::FileCreated { file: found } => json!({ "type": "file_created", "file": file(&found) }),
        ContentChange::FileDeleted { file: found } => json!({ "type": "file_deleted", "file": file(&found) }),
        ContentChange::FileEdited { file: found, attributes } => {
            let attributes = file_attributes(&found.entry, attributes, view, now);
            json!({ "type": "file_edited", "file": file(&found), "attributes": attributes })
        }
        ContentChange::VariablesEdited { variables } => {
            json!({ "type": "variables_edited", "variables": to_json(&variables) })
        }
        ContentChange::ReusableContentCreated { reusable_content } => {
            json!({ "type": "reusable_content_created", "reusableContent": reusable_content })
        }
        ContentChange::ReusableContentDeleted { reusable_content } => {
            json!({ "type": "reusable_content_deleted", "reusableContent": reusable_content })
        }
        ContentChange::ReusableContentEdited { reusable_content, attributes } => {
            let attributes = to_json(&attributes);
            json!({ "type": "reusable_content_edited", "reusableContent": reusable_content, "attributes": attributes })
        }
        ContentChange::TagCreated { tag } => json!({ "type": "tag_created", "tag": tag }),
        ContentChange::TagDeleted { tag } => json!({ "type": "tag_deleted", "tag": tag }),
        ContentChange::TagEdited { tag, attributes } => {
            json!({ "type": "tag_edited", "tag": tag, "attributes": to_json(&attributes) })
        }
    }
}

/// The differing attributes of a file; the bytes are shown as download URLs.
fn file_attributes(entry: &FileEntry, attributes: FileAttributes, view: View<'_>, now: DateTime<Utc>) -> Value {
    let blobs = attributes.blob.clone();
    let mut shown = to_json(&attributes);
    if let (Some(blobs), Some(fields)) = (blobs, shown.as_object_mut()) {
        fields.remove("blob");
        let address = |blob: Option<Hash>| {
            blob.map(|blob| view.links.download(view.space, &FileEntry { blob, ..entry.clone() }, now))
        };
        let (before, after) = (address(blobs.before), address(blobs.after));
        fields.insert("downloadURL".to_owned(), json!({ "before": before, "after": after }));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_query;
    use rstest::rstest;

    #[rstest]
    #[case("", Ok(10))]
    #[case("limit=1", Ok(1))]
    #[case("limit=1000", Ok(1000))]
    #[case("limit=0", Err("limit"))]
    #[case("limit=1001", Err("limit"))]
    #[case("limit=x", Err("limit"))]
    fn ten_differences_are_returned_by_default(#[case] query: &str, #[case] expected: Result<usize, &str>) {
        let found = read_query::<ChangesParams>(query).unwrap().command();
        assert_eq!(found.map_err(|error| error.field), expected.map_err(str::to_owned));
    }
}
