//! What versions of OpenAPI specs have, and what shows them.
use super::schemas;
use crate::answer::links::{Links, Place};
use crate::request::paging::List;
use domain::content::document::SpecificationPart;
use domain::id::InvalidId;
use domain::openapi::parts::OperationSummary;
use domain::openapi_spec::{OpenapiUsage, Presence};
use domain::usecases::openapi_specs::{ListedOperation, ShownUsage, WhichVersion};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
