//! Conflicts of a change request, and its merge status.
use super::change::is_zero;
use super::page::View;
use super::schemas;
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::change_request::Status;
use domain::content::document::Document;
use domain::content::document::wire::WireDocument;
use domain::content::href::ById;
use domain::content::markdown as md;
use domain::content::merge::{self, Keep, Subject, Value};
use domain::content::page::{FileEntry, PageEntry, PageKind};
use domain::id::ConflictId;
use domain::merge_rules::{Gate, MergeRule};
use domain::text::Invalid;
use domain::usecases::change_requests::{MergeStatus as Status_, ShownConflict};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

/// Conflicting changes to the same content in a change request and the primary content.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Conflict {
    #[schema(example = "change-request-conflict")]
    object: &'static str,
    /// The id of the conflict. Absent if the conflict was only found by the merge status; updating the change request
    /// stores it under an id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    id: Option<ConflictId>,
    /// The subject of the conflict: its `type`, and the ids that identify it.
    #[schema(value_type = Object)]
    subject: Subject,
    /// The page with the conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<ConflictPage>,
    /// The common ancestor; absent if it did not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    base: Option<serde_json::Value>,
    /// The version in the primary content; absent if it does not exist there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    primary: Option<serde_json::Value>,
    /// The version in the change request; absent if it does not exist there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    change: Option<serde_json::Value>,
}

/// A page with its title.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConflictPage {
    id: String,
    title: String,
    /// The path in the change request; absent if the page does not exist there.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

pub(crate) type ConflictList = List<Conflict>;

/// A text in Markdown, with links by id.
pub(crate) fn markdown(text: &Document) -> String {
    md::write(text, &ById)
}

fn text(document: &Document) -> serde_json::Value {
    json!({ "markdown": markdown(document), "document": WireDocument(document) })
}

fn page(page: &PageEntry) -> serde_json::Value {
    let kind = match page.kind {
        PageKind::Document { .. } => "document",
        PageKind::Group => "group",
        PageKind::Link { .. } => "link",
        PageKind::Computed { .. } => "computed",
    };
    json!({
        "type": kind, "title": page.title, "slug": page.slug, "parent": page.parent, "emoji": page.emoji,
        "icon": page.icon, "description": page.description, "hidden": page.hidden, "documentId": page.document(),
    })
}

fn file(file: &FileEntry, view: View<'_>, now: DateTime<Utc>) -> serde_json::Value {
    let url = view.links.download(view.space, file, now);
    json!({ "name": file.name, "contentType": file.content_type, "size": file.size, "downloadURL": url })
}

fn side(value: &Value, view: View<'_>, now: DateTime<Utc>) -> serde_json::Value {
    match value {
        Value::Field(value) => json!({ "type": "field", "value": value }),
        Value::Block(block) => {
            let mut shown = text(&Document { blocks: vec![block.block.clone()] });
            shown["type"] = "block".into();
            shown
        }
        Value::Document(document) => {
            let mut shown = text(document);
            shown["type"] = "document".into();
            shown
        }
        Value::Page(found) => json!({ "type": "page", "value": page(&found.page) }),
        Value::File(found) => json!({ "type": "file", "value": file(found, view, now) }),
        Value::ReusableContent(content) => {
            json!({ "type": "reusableContent", "value": { "title": content.title, "document": content.document } })
        }
        Value::Variable(variable) => json!({ "type": "variable", "value": variable }),
        Value::Tag(tag) => json!({ "type": "tag", "value": tag }),
    }
}

pub(crate) fn conflict(shown: ShownConflict, view: View<'_>, now: DateTime<Utc>) -> Conflict {
    let side = |value: &Value| side(value, view, now);
    let ShownConflict { id, conflict, page } = shown;
    let merge::Conflict { subject, base, primary, change } = conflict;
    Conflict {
        object: "change-request-conflict",
        id,
        subject,
        page: page.map(|page| ConflictPage { id: page.id.into(), title: page.title, path: page.path }),
        base: base.as_ref().map(side),
        primary: primary.as_ref().map(side),
        change: change.as_ref().map(side),
    }
}

/// The side of a conflict to keep.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ResolveConflict {
    #[schema(value_type = schemas::KeepSide)]
    keep: Keep,
}

impl Wire for ResolveConflict {
    type Command = Keep;

    fn command(self) -> Result<Keep, Invalid> {
        Ok(self.keep)
    }
}

/// Whether a change request can be merged, and what prevents it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MergeStatus {
    /// Whether the change request can be merged now.
    mergeable: bool,
    /// Whether the primary content has changes that the change request does not have.
    outdated: bool,
    #[schema(value_type = schemas::ChangeRequestStatus)]
    status: Status,
    /// Whether the space is locked: then nothing can be merged.
    locked: bool,
    /// The first of the conflicts: unresolved ones, and those that an update would find.
    conflicts: Vec<Conflict>,
    /// The number of further conflicts that were not returned.
    #[serde(skip_serializing_if = "is_zero")]
    more_conflicts: usize,
    /// The merge rules, evaluated for the caller.
    rules: Vec<RuleStatus>,
    /// Whether the caller may merge regardless of the rules.
    bypass: bool,
}

/// Whether a merge rule is satisfied.
#[derive(Serialize, ToSchema)]
pub(crate) struct RuleStatus {
    #[schema(value_type = schemas::MergeRule)]
    rule: MergeRule,
    satisfied: bool,
    /// Why the rule is not satisfied. Also present if the rule requires something else than it says, because users in
    /// it, or the author, left the organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// The maximum number of conflicts in a merge status.
const MAX_CONFLICTS: usize = 100;

pub(crate) fn merge_status(status: Status_, view: View<'_>, now: DateTime<Utc>) -> MergeStatus {
    let Gate { checks, bypass } = status.gate;
    let rule = |check: domain::merge_rules::Check| RuleStatus {
        rule: check.rule,
        satisfied: check.unsatisfied.is_none(),
        reason: match (check.unsatisfied, check.limitation) {
            (Some(unsatisfied), Some(limitation)) => Some(format!("{unsatisfied}; {limitation}")),
            (unsatisfied, limitation) => unsatisfied.or(limitation),
        },
    };
    MergeStatus {
        mergeable: status.mergeable,
        outdated: status.outdated,
        status: status.status,
        locked: status.locked,
        more_conflicts: status.conflicts.len().saturating_sub(MAX_CONFLICTS),
        conflicts: status.conflicts.into_iter().take(MAX_CONFLICTS).map(|shown| conflict(shown, view, now)).collect(),
        rules: checks.into_iter().map(rule).collect(),
        bypass,
    }
}
