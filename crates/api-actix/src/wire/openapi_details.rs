//! Operations and changes of versions of OpenAPI specs, and the blocks that show specs.
use super::schemas;
use crate::answer::links::{Links, Place};
use crate::request::Wire;
use crate::request::paging::List;
use domain::content::document::SpecificationPart;
use domain::id::{InvalidId, OpenapiVersionId};
use domain::openapi::diff::{self, Change, ChangeCounts, ChangeLevel, ChangedOperation, Diff};
use domain::openapi::example::OperationExamples;
use domain::openapi::parts::OperationSummary;
use domain::openapi::sample::CodeSample;
use domain::openapi::view::OperationView;
use domain::openapi_spec::{OpenapiUsage, Presence, SpecSlug};
use domain::text::Invalid;
use domain::usecases::openapi_specs::{
    ListedOperation, ShownOperation, ShownUsage, VersionChanges, WantedOperation, WhichVersion,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The word for the newest version in paths.
const LATEST: &str = "latest";

/// A version in a path: its id, or `latest`.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct WhichVersionPath(pub(crate) WhichVersion);

impl TryFrom<String> for WhichVersionPath {
    type Error = InvalidId;

    fn try_from(raw: String) -> Result<Self, InvalidId> {
        Ok(Self(if raw == LATEST { WhichVersion::Latest } else { WhichVersion::Id(raw.try_into()?) }))
    }
}

/// A block that shows an OpenAPI spec.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenAPISpecUsage)]
pub(crate) struct OpenapiUsageResource {
    #[schema(example = "openapi-spec-usage")]
    object: &'static str,
    /// The id of the space.
    space: String,
    /// The id of the page.
    page: String,
    /// The id of the block.
    node: String,
    /// The id of the version that the block names; absent if it shows the newest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[schema(value_type = schemas::OpenAPISpecPart)]
    shows: SpecificationPart,
    #[schema(value_type = schemas::OpenAPISpecUsageStatus)]
    status: &'static str,
    /// Why the block is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "the version does not have GET /pets")]
    reason: Option<String>,
    urls: OpenapiUsageUrls,
}

/// URLs of a block that shows an OpenAPI spec.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenAPISpecUsageUrls)]
pub(crate) struct OpenapiUsageUrls {
    /// The page, in this API.
    location: String,
}

pub(crate) type OpenapiUsageList = List<OpenapiUsageResource>;

pub(crate) fn openapi_usage(usage: ShownUsage, links: &Links) -> OpenapiUsageResource {
    let ShownUsage { usage: OpenapiUsage { space, page, block, version, shows }, presence } = usage;
    let status = match presence {
        Presence::Present => "ok",
        Presence::Deprecated => "deprecated",
        Presence::NoSpec | Presence::NoVersion | Presence::Missing(_) => "broken",
    };
    OpenapiUsageResource {
        object: "openapi-spec-usage",
        urls: OpenapiUsageUrls { location: links.page(&space, Place::Primary, &page) },
        space: space.into(),
        page: page.into(),
        node: block.0.into(),
        version,
        shows,
        status,
        reason: presence.is_broken().then(|| presence.to_string()),
    }
}

/// An operation of a version of an OpenAPI spec.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OpenAPISpecOperation)]
pub(crate) struct OpenapiOperationResource {
    #[schema(example = "openapi-spec-operation")]
    object: &'static str,
    /// As the document writes it.
    #[schema(example = "get")]
    method: String,
    /// Absent for a webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "/pets/{id}")]
    path: Option<String>,
    /// The name of the webhook; absent for an operation of a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    tags: Vec<String>,
    deprecated: bool,
    /// Whether readers should not see it: `x-internal` or `x-gitbook-ignore`.
    internal: bool,
}

pub(crate) type OpenapiOperationList = List<OpenapiOperationResource>;

pub(crate) fn openapi_operation(listed: ListedOperation) -> OpenapiOperationResource {
    let ListedOperation { webhook, operation } = listed;
    let OperationSummary { method, path, id, summary, tags, deprecated, internal } = operation;
    OpenapiOperationResource {
        object: "openapi-spec-operation",
        method,
        path: webhook.is_none().then_some(path),
        webhook,
        operation_id: id,
        summary,
        tags,
        deprecated,
        internal,
    }
}

/// Numbers of changes by level.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenAPISpecChangeCounts)]
pub(crate) struct OpenapiChangeCounts {
    breaking: usize,
    risky: usize,
    announced: usize,
    fine: usize,
    words: usize,
}

impl From<ChangeCounts> for OpenapiChangeCounts {
    fn from(counts: ChangeCounts) -> Self {
        let ChangeCounts { breaking, risky, announced, fine, words } = counts;
        Self { breaking, risky, announced, fine, words }
    }
}

/// The version to compare with, and the format of the changes.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OpenapiChangesParams {
    /// The id of a version of the same spec; by default the version before this one.
    against: Option<String>,
}

impl Wire for OpenapiChangesParams {
    type Command = Option<OpenapiVersionId>;

    fn command(self) -> Result<Option<OpenapiVersionId>, Invalid> {
        let id = self.against.map(|against| against.try_into()).transpose();
        id.map_err(|_no_id: InvalidId| Invalid::new("against", "must be the id of a version"))
    }
}

/// What changed between two versions of an OpenAPI spec.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenAPISpecVersionChanges)]
pub(crate) struct OpenapiVersionChanges {
    #[schema(example = "openapi-spec-version-changes")]
    object: &'static str,
    /// The id of the version.
    version: String,
    /// The id of the version that it is compared with; absent if there is none before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<String>,
    /// How many changes there are.
    counts: OpenapiChangeCounts,
    /// The first 1,000 changes, the most severe first.
    changes: Vec<OpenapiChange>,
    /// The number of changes that are left out.
    more: usize,
    /// The changes as text for readers.
    markdown: String,
}

/// A change between two versions of an OpenAPI spec.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OpenAPISpecChange)]
pub(crate) struct OpenapiChange {
    /// The kind of the change.
    #[schema(example = "request-field-now-required")]
    id: String,
    /// The severity for callers of the API.
    #[schema(value_type = schemas::OpenAPISpecChangeLevel)]
    level: ChangeLevel,
    /// What changed.
    text: String,
    /// The operations that it concerns; none for a schema that no operation uses.
    operations: Vec<OpenapiChangedOperation>,
    /// The number of operations that are left out.
    more_operations: usize,
    /// The JSON Pointer of what changed.
    pointer: String,
    /// Whether the pointer is valid in the older version, because the newer one has no value there.
    in_old: bool,
    /// 12 hexadecimal digits that are the same whenever the same versions are compared.
    fingerprint: String,
}

/// An operation that a change concerns.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenAPISpecChangedOperation)]
pub(crate) struct OpenapiChangedOperation {
    method: String,
    /// Absent for a webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The name of the webhook; absent for an operation of a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook: Option<String>,
}

impl From<Change> for OpenapiChange {
    fn from(change: Change) -> Self {
        let Change { id, level, text, operations, more_operations, pointer, in_old, fingerprint, position: _ } = change;
        let operations = operations.into_iter().map(OpenapiChangedOperation::from).collect();
        Self { id, level, text, operations, more_operations, pointer, in_old, fingerprint }
    }
}

impl From<ChangedOperation> for OpenapiChangedOperation {
    fn from(operation: ChangedOperation) -> Self {
        let ChangedOperation { method, path, webhook } = operation;
        Self { method, path: webhook.is_none().then_some(path), webhook }
    }
}

pub(crate) fn openapi_changes(found: VersionChanges, slug: &SpecSlug) -> OpenapiVersionChanges {
    let VersionChanges { version, against, diff } = found;
    let markdown = diff::markdown(&diff, slug.as_str());
    let Diff { changes, counts, more } = diff;
    OpenapiVersionChanges {
        object: "openapi-spec-version-changes",
        version: version.id.into(),
        against: against.map(|against| against.id.into()),
        counts: counts.into(),
        changes: changes.into_iter().map(OpenapiChange::from).collect(),
        more,
        markdown,
    }
}

/// The operation to return: `path` and `method`, or `webhook` and `method`.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OpenapiOperationParams {
    /// The path as in the document; a slash at its end is ignored.
    #[param(example = "/pets/{id}")]
    path: Option<String>,
    /// The name of a webhook.
    webhook: Option<String>,
    /// The method, without regard to case.
    #[param(example = "get")]
    method: Option<String>,
}

impl Wire for OpenapiOperationParams {
    type Command = WantedOperation;

    fn command(self) -> Result<WantedOperation, Invalid> {
        let method = self.method.ok_or_else(|| Invalid::new("method", "is required"))?;
        match (self.path, self.webhook) {
            (Some(path), None) => Ok(WantedOperation::Path { path, method }),
            (None, Some(name)) => Ok(WantedOperation::Webhook { name, method }),
            _ => Err(Invalid::new("path", "is required, unless there is a webhook")),
        }
    }
}

/// An operation as documentation shows it: `parameters`, `bodies`, `responses`, `callbacks`, `security` and more.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenAPISpecOperationView)]
pub(crate) struct OpenapiOperationView {
    #[schema(example = "openapi-spec-operation-view")]
    object: &'static str,
    /// The operation.
    #[schema(value_type = Object)]
    operation: OperationView,
    /// Examples of the bodies: from the document, or generated from the schemas. A generated example is the same every
    /// time.
    #[schema(value_type = Object)]
    examples: OperationExamples,
    /// Code that sends a request: from the document (`x-codeSamples`), then generated for the other languages. Empty
    /// for a webhook.
    #[schema(value_type = Vec<Object>)]
    samples: Vec<CodeSample>,
}

impl From<ShownOperation> for OpenapiOperationView {
    fn from(shown: ShownOperation) -> Self {
        let ShownOperation { view, examples, samples } = shown;
        Self { object: "openapi-spec-operation-view", operation: view, examples, samples }
    }
}
