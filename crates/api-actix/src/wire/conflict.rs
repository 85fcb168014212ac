//! Conflicts of a change request, and what merging it would do.
use super::change::is_zero;
use super::described;
use super::page::View;
use crate::input::Wire;
use crate::paging::List;
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

/// A place where a change request and the primary content want different things.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Conflict {
    #[schema(example = "change-request-conflict")]
    object: &'static str,
    /// Absent for what only a trial found: updating the change request keeps it, under an id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    id: Option<ConflictId>,
    /// What it is about: its `type`, and the ids that name it.
    #[schema(value_type = Object)]
    subject: Subject,
    /// The page that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<ConflictPage>,
    /// What both came from; absent where it was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    base: Option<serde_json::Value>,
    /// What the primary content has; absent where it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    primary: Option<serde_json::Value>,
    /// What the change request has; absent where it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    change: Option<serde_json::Value>,
}

/// A page, named for people.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConflictPage {
    id: String,
    title: String,
    /// Its path in the change request; absent where it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

/// Conflicts.
pub(crate) type ConflictList = List<Conflict>;

/// A text in Markdown, with addresses by id.
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

/// Shows a conflict.
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

/// For which side a conflict is decided.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ResolveConflict {
    #[schema(value_type = described::KeepSide)]
    keep: Keep,
}

impl Wire for ResolveConflict {
    type Command = Keep;

    fn command(self) -> Result<Keep, Invalid> {
        Ok(self.keep)
    }
}

/// What merging a change request would do.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MergeStatus {
    /// Whether it would be merged now.
    mergeable: bool,
    /// Whether the primary content has something that it does not have.
    outdated: bool,
    #[schema(value_type = described::ChangeRequestStatus)]
    status: Status,
    /// Whether the space is locked, so that nothing can be merged.
    locked: bool,
    /// Conflicts to be decided, and those that updating it would find: the first of them.
    conflicts: Vec<Conflict>,
    /// How many conflicts there are besides.
    #[serde(skip_serializing_if = "is_zero")]
    more_conflicts: usize,
    /// What the merge rules say to the caller.
    rules: Vec<RuleStatus>,
    /// Whether the caller may merge whatever the rules say.
    bypass: bool,
}

/// Whether a merge rule holds.
#[derive(Serialize, ToSchema)]
pub(crate) struct RuleStatus {
    #[schema(value_type = described::MergeRule)]
    rule: MergeRule,
    satisfied: bool,
    /// Why it does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// How many conflicts the answer to a trial holds.
const MAX_CONFLICTS: usize = 100;

/// Shows what merging would do.
pub(crate) fn merge_status(status: Status_, view: View<'_>, now: DateTime<Utc>) -> MergeStatus {
    let Gate { checks, bypass } = status.gate;
    let rule = |check: domain::merge_rules::Check| RuleStatus {
        rule: check.rule,
        satisfied: check.unsatisfied.is_none(),
        reason: check.unsatisfied,
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
