//! OpenAPI specs and their versions.
use super::openapi_details::OpenapiChangeCounts;
use super::{given, schemas};
use crate::answer::links::Links;
use crate::answer::resource::{Presented, Resource};
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::access::Granted;
use domain::openapi::text::decoded;
use domain::openapi_spec::{
    DocumentFormat, OpenapiSpec, OpenapiVersion, ProcessError, ProcessingState, SpecFinding, SpecSlug, SpecSource,
    SpecText, SpecVisibility,
};
use domain::text::{Invalid, Rule};
use domain::usecases::openapi_specs::{NewSource, NewSpec, SourceText};
use domain::web_address::WebAddress;
use http_server::LARGEST_WITH_ROOM;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

/// The name of the only file in the content of a version.
const FILE: &str = "openapi.json";

/// An OpenAPI spec: the description of an API, with a version for each state of its source.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OpenAPISpec)]
pub(crate) struct OpenapiSpecFields {
    id: String,
    created_at: DateTime<Utc>,
    /// When its source was set, or its visibility changed.
    updated_at: DateTime<Utc>,
    #[schema(min_length = 1, max_length = 100, pattern = "^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$")]
    slug: String,
    /// The address of the source; absent for a text that was sent.
    #[serde(rename = "sourceURL", skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2048)]
    source_url: Option<String>,
    #[schema(value_type = schemas::OpenAPISpecProcessingState)]
    processing_state: ProcessingState,
    #[schema(value_type = schemas::OpenAPISpecVisibility)]
    visibility: SpecVisibility,
    /// The id of the newest version.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_version: Option<String>,
    /// When the source was last processed, with or without success.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_processed_at: Option<DateTime<Utc>>,
    /// Why the source could not be processed last time. `lastVersion` is still the last version that could.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::OpenAPISpecProcessErrorCode>)]
    last_process_error_code: Option<ProcessError>,
    /// Findings in the document: the first 50, the most severe first. A document with findings can still become a
    /// version.
    last_processed_errors: Vec<OpenapiSpecFinding>,
    /// The number of all findings; of each `code` at most 1,000 are counted.
    last_processed_error_count: u32,
}

/// A finding in a document.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenAPISpecFinding)]
pub(crate) struct OpenapiSpecFinding {
    /// A sentence that begins with the place.
    #[schema(example = "142:7 paths./pets.get: \"responses\" is missing")]
    message: String,
    /// The kind of the finding; absent if the source could not be fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "structure")]
    code: Option<String>,
    /// `fatal`, `error` or `warning`.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<String>,
    /// The file with the finding, relative to the source if possible; absent for the source itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "schemas/pet.yaml")]
    file: Option<String>,
    /// The line in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The column in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// The JSON Pointer of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
}

impl From<SpecFinding> for OpenapiSpecFinding {
    fn from(finding: SpecFinding) -> Self {
        let SpecFinding { message, code, level, file, line, column, pointer } = finding;
        Self { message, code, level, file, line, column, pointer }
    }
}

/// URLs of an OpenAPI spec.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenAPISpecUrls)]
pub(crate) struct OpenapiSpecUrls {
    /// In this API.
    pub(crate) location: String,
    /// In the application.
    app: String,
    /// The newest version as JSON, without a token; only for public specs. With the ending `.yaml` in place of `.json`,
    /// it is YAML; without an ending, the header `Accept` decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<String>,
}

impl Resource for OpenapiSpecFields {
    const OBJECT: &'static str = "openapi-spec";
    type Entity = OpenapiSpec;
    type Urls = OpenapiSpecUrls;
}

pub(crate) type OpenapiSpecResource = Presented<OpenapiSpecFields>;
pub(crate) type OpenapiSpecList = List<OpenapiSpecResource>;

/// The URL of a public spec.
fn published(spec: &OpenapiSpec, links: &Links) -> Option<String> {
    let public = spec.visibility == SpecVisibility::Public;
    public.then(|| links.published_openapi_spec(&spec.organization, &spec.slug))
}

pub(crate) fn openapi_spec(spec: Granted<OpenapiSpec>, links: &Links) -> OpenapiSpecResource {
    Presented::new(spec, |spec: OpenapiSpec| {
        let location = links.openapi_spec(&spec.organization, &spec.slug);
        let urls = OpenapiSpecUrls { app: location.clone(), location, published: published(&spec, links) };
        let source_url = match spec.source {
            SpecSource::Url(address) => Some(address.into()),
            SpecSource::Text(_) => None,
        };
        let fields = OpenapiSpecFields {
            id: spec.id.into(),
            created_at: spec.created_at,
            updated_at: spec.updated_at,
            slug: spec.slug.into(),
            source_url,
            processing_state: spec.state,
            visibility: spec.visibility,
            last_version: spec.last_version.map(String::from),
            last_processed_at: spec.processed_at,
            last_process_error_code: spec.error,
            last_processed_errors: spec.findings.into_iter().map(OpenapiSpecFinding::from).collect(),
            last_processed_error_count: spec.finding_count,
        };
        (fields, urls)
    })
}

/// A version of an OpenAPI spec. It never changes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OpenAPISpecVersion)]
pub(crate) struct OpenapiVersionResource {
    #[schema(example = "openapi-spec-version")]
    object: &'static str,
    id: String,
    created_at: DateTime<Utc>,
    /// Where the source of the version can be read, without a token, for one to two days.
    #[schema(max_length = 2048)]
    url: String,
    urls: OpenapiVersionUrls,
    /// How many changes it has, compared with the version before it; absent for the first version.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<OpenapiChangeCounts>,
}

/// URLs of a version of an OpenAPI spec.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenAPISpecVersionUrls)]
pub(crate) struct OpenapiVersionUrls {
    /// In this API.
    location: String,
}

pub(crate) type OpenapiVersionList = List<OpenapiVersionResource>;

pub(crate) fn openapi_version(
    version: OpenapiVersion,
    spec: &OpenapiSpec,
    links: &Links,
    now: DateTime<Utc>,
) -> OpenapiVersionResource {
    let location = links.openapi_version(&spec.organization, &spec.slug, &version.id);
    OpenapiVersionResource {
        object: "openapi-spec-version",
        url: links.openapi_source(&version, now),
        urls: OpenapiVersionUrls { location },
        changes: version.changes.map(OpenapiChangeCounts::from),
        id: version.id.into(),
        created_at: version.created_at,
    }
}

/// The form of the files of a version.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OpenapiContentParams {
    /// `list` makes `filesystem` a list of files instead of an object with a field for each.
    #[param(inline, value_type = Option<schemas::OpenAPISpecFilesystem>)]
    filesystem: Option<String>,
}

impl Wire for OpenapiContentParams {
    type Command = bool;

    fn command(self) -> Result<bool, Invalid> {
        match self.filesystem.as_deref() {
            None => Ok(false),
            Some("list") => Ok(true),
            Some(_) => Err(Rule::one_of(["list"]).of("filesystem")),
        }
    }
}

/// The content of a version: its document in OpenAPI 3.1 or 3.2, with everything that it refers to.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenAPISpecVersionContent)]
pub(crate) struct OpenapiVersionContent {
    /// The files by their names; there is one. With `?filesystem=list`, a list of files.
    #[schema(value_type = schemas::OpenAPISpecFiles)]
    filesystem: Filesystem,
    urls: OpenapiContentUrls,
    /// As `urls.source`.
    #[schema(max_length = 2048)]
    url: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Filesystem {
    Named(BTreeMap<&'static str, File>),
    List([File; 1]),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File {
    dir: &'static str,
    is_entrypoint: bool,
    references: [&'static str; 0],
    filename: &'static str,
    specification: Box<RawValue>,
}

/// URLs of the content of a version.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenAPISpecVersionContentUrls)]
pub(crate) struct OpenapiContentUrls {
    /// The document as it was sent or fetched, without a token, for one to two days.
    source: String,
    /// The newest version of the spec, without a token; `null` if the spec is private.
    #[schema(required)]
    public: Option<String>,
}

pub(crate) fn openapi_content(
    version: &OpenapiVersion,
    spec: &OpenapiSpec,
    specification: Box<RawValue>,
    as_list: bool,
    links: &Links,
    now: DateTime<Utc>,
) -> OpenapiVersionContent {
    let file = File { dir: ".", is_entrypoint: true, references: [], filename: FILE, specification };
    let filesystem = if as_list { Filesystem::List([file]) } else { Filesystem::Named(BTreeMap::from([(FILE, file)])) };
    let source = links.openapi_source(version, now);
    OpenapiVersionContent {
        filesystem,
        url: source.clone(),
        urls: OpenapiContentUrls { source, public: published(spec, links) },
    }
}

/// The document of a version as it was sent or fetched.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenAPISpecVersionText)]
pub(crate) struct OpenapiVersionText {
    text: String,
    #[schema(value_type = schemas::OpenAPISpecFormat)]
    format: DocumentFormat,
}

pub(crate) fn openapi_text(source: &SourceText) -> OpenapiVersionText {
    OpenapiVersionText { text: decoded(&source.bytes).unwrap_or_default().into_owned(), format: source.format }
}

/// Where the document of a spec comes from: either `url` or `text`.
#[derive(Deserialize, ToSchema)]
#[schema(as = OpenAPISpecSource)]
pub(crate) struct Source {
    /// An `http` or `https` address. It is fetched now, and again from time to time.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, max_length = 2048)]
    url: Option<WebAddress>,
    /// A document in JSON or YAML, of at most 32 MiB. The whole body may have 48 MiB; above 8 MiB it needs a
    /// `Content-Length`.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, min_length = 1)]
    text: Option<SpecText>,
}

impl Source {
    fn read(self) -> Result<NewSource, Invalid> {
        match (self.url, self.text) {
            (Some(url), None) => Ok(NewSource::Url(url)),
            (None, Some(text)) => Ok(NewSource::Text(text)),
            _ => Err(Rule("must have either url or text".into()).of("source")),
        }
    }
}

/// An OpenAPI spec to create.
#[derive(Deserialize, ToSchema)]
#[schema(as = CreateOpenAPISpec)]
pub(crate) struct CreateOpenapiSpec {
    #[schema(value_type = String, min_length = 1, max_length = 100, pattern = "^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$")]
    slug: SpecSlug,
    source: Source,
}

impl Wire for CreateOpenapiSpec {
    const MAX_BODY: usize = LARGEST_WITH_ROOM;
    type Command = NewSpec;

    fn command(self) -> Result<NewSpec, Invalid> {
        Ok(NewSpec { slug: self.slug, source: self.source.read()? })
    }
}

/// The source of an OpenAPI spec.
#[derive(Deserialize, ToSchema)]
#[schema(as = PutOpenAPISpec)]
pub(crate) struct PutOpenapiSpec {
    source: Source,
}

impl Wire for PutOpenapiSpec {
    const MAX_BODY: usize = LARGEST_WITH_ROOM;
    type Command = NewSource;

    fn command(self) -> Result<NewSource, Invalid> {
        self.source.read()
    }
}

/// A change of an OpenAPI spec.
#[derive(Deserialize, ToSchema)]
#[schema(as = UpdateOpenAPISpec)]
pub(crate) struct UpdateOpenapiSpec {
    #[schema(value_type = schemas::OpenAPISpecVisibility)]
    visibility: SpecVisibility,
}

impl Wire for UpdateOpenapiSpec {
    type Command = SpecVisibility;

    fn command(self) -> Result<SpecVisibility, Invalid> {
        Ok(self.visibility)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    fn new(body: &str) -> Result<NewSpec, Invalid> {
        read_json::<CreateOpenapiSpec>(body.as_bytes())?.command()
    }

    #[rstest]
    #[case("{}", "slug")]
    #[case(r#"{"slug":"a b","source":{"text":"x"}}"#, "slug")]
    #[case(r#"{"slug":"pets"}"#, "source")]
    #[case(r#"{"slug":"pets","source":{}}"#, "source")]
    #[case(r#"{"slug":"pets","source":{"url":"https://a.example/","text":"x"}}"#, "source")]
    #[case(r#"{"slug":"pets","source":{"url":"ftp://a.example/"}}"#, "source.url")]
    #[case(r#"{"slug":"pets","source":{"text":""}}"#, "source.text")]
    #[case(r#"{"slug":"pets","source":{"text":null}}"#, "source.text")]
    fn a_field_that_breaks_a_rule_is_named(#[case] body: &str, #[case] field: &str) {
        assert_eq!(new(body).unwrap_err().field, field);
    }

    #[test]
    fn a_source_is_an_address_or_a_text() {
        let source = |source: &str| new(&format!(r#"{{"slug":"pets","source":{source}}}"#)).unwrap().source;
        assert_eq!(
            source(r#"{"text":"openapi: 3.1.0"}"#),
            NewSource::Text("openapi: 3.1.0".to_owned().try_into().unwrap())
        );
        let NewSource::Url(address) = source(r#"{"url":"https://a.example/x"}"#) else { panic!("a text") };
        assert_eq!(address.as_str(), "https://a.example/x");
    }

    #[rstest]
    #[case("", Ok(false))]
    #[case("filesystem=list", Ok(true))]
    #[case("filesystem=tree", Err("filesystem".to_owned()))]
    fn the_files_are_an_object_unless_a_list_is_asked_for(#[case] query: &str, #[case] list: Result<bool, String>) {
        let read = crate::request::read_query::<OpenapiContentParams>(query).and_then(Wire::command);
        assert_eq!(read.map_err(|invalid| invalid.field), list);
    }
}
