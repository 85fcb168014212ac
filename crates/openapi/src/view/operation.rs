//! The view of an operation.
use super::row::SchemaRow;
use super::security::SecurityView;
use crate::is_default;
use serde::Serialize;

/// An operation of a path, a webhook or a callback.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationView {
    /// The method, as the document writes it.
    pub method: String,
    /// The path, as the document writes it; of a callback, the expression of its address. Absent for a webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The name of the webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<String>,
    /// The JSON Pointer of the operation in the document.
    pub pointer: String,
    /// The operation id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The summary: its own, else that of its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The description as Markdown: its own, else that of its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The names of its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether it is deprecated.
    #[serde(skip_serializing_if = "is_default")]
    pub deprecated: bool,
    /// `x-stability`: how stable it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<String>,
    /// `x-deprecated-sunset` or `x-sunset`: the date when it is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sunset: Option<String>,
    /// Whether readers should not see it: `x-internal` or `x-gitbook-ignore`, of its own or of its path.
    #[serde(skip_serializing_if = "is_default")]
    pub internal: bool,
    /// The author's options for the page.
    #[serde(skip_serializing_if = "is_default")]
    pub options: OperationOptions,
    /// The address of further documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs_url: Option<String>,
    /// The servers: its own, else those of its path, else those of the document. For a webhook or a callback, which the
    /// API sends, those of the document do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerView>,
    /// How callers authenticate: its own security, else that of the document. For a webhook or a callback, which the
    /// API sends, only its own.
    pub security: SecurityView,
    /// The parameters: those of its path and its own, in the places path, query, header, cookie.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<ParameterGroup>,
    /// The request body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<BodyView>,
    /// The responses, in the order of the document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub responses: Vec<ResponseView>,
    /// The callbacks; callbacks of callbacks are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub callbacks: Vec<CallbackView>,
    /// The number of parameters, responses, bodies and the like that are left out because the budget is too small.
    #[serde(skip_serializing_if = "is_default")]
    pub left_out: usize,
}

/// The author's options for the page of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationOptions {
    /// `x-hideTryItPanel`: readers cannot try the operation.
    #[serde(skip_serializing_if = "is_default")]
    pub hide_try_it: bool,
    /// `x-enable-proxy`: whether requests may go through a proxy; absent if it is not stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_proxy: Option<bool>,
    /// `x-expandAllResponses`: all responses are open at first.
    #[serde(skip_serializing_if = "is_default")]
    pub expand_responses: bool,
    /// `x-expandAllModelSections`: all rows are open at first.
    #[serde(skip_serializing_if = "is_default")]
    pub expand_schemas: bool,
}

/// A server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerView {
    /// Its address, with variables in braces.
    pub url: String,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The description, as Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The variables of its address.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<ServerVariable>,
}

/// A variable of a server's address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerVariable {
    /// Its name.
    pub name: String,
    /// The value if readers choose no other.
    pub default: String,
    /// The possible values, if they are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// The description, as Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The parameters in one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ParameterGroup {
    /// Their place: `path`, `query`, `querystring`, `header` or `cookie`.
    pub place: String,
    /// The parameters.
    pub parameters: Vec<ParameterView>,
}

/// A parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ParameterView {
    /// How its value is written, if the document states it: `form`, `deepObject` and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
    /// Whether each item of a list is a parameter of its own, if the document states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explode: Option<bool>,
    /// The media type that its value is written in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Its name, its schema and everything else.
    #[serde(flatten)]
    pub row: SchemaRow,
}

/// A request body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BodyView {
    /// The description, as Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is required.
    #[serde(skip_serializing_if = "is_default")]
    pub required: bool,
    /// Its media types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<MediaView>,
}

/// A body in one media type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MediaView {
    /// The media type, such as `application/json`.
    pub media_type: String,
    /// The schema of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<SchemaRow>,
    /// The schema of each item of a body that is a sequence: `itemSchema`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_schema: Option<SchemaRow>,
    /// The media types of parts of the body, where the document states them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub encodings: Vec<EncodingView>,
}

/// The media type of a part of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EncodingView {
    /// The field.
    pub name: String,
    /// Its media types, as the document writes them.
    pub content_type: String,
}

/// A response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseView {
    /// The status: `200`, `4XX` or `default`.
    pub status: String,
    /// The summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The description, as Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The headers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<SchemaRow>,
    /// The media types of its body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<MediaView>,
}

/// A request of the API to an address from the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallbackView {
    /// The name of the callback.
    pub name: String,
    /// The request.
    pub operation: OperationView,
}

impl OperationView {
    /// The first rows of its parameters, bodies and headers, without those of callbacks.
    pub fn rows(&self) -> impl Iterator<Item = &SchemaRow> {
        let parameters = self.parameters.iter().flat_map(|group| &group.parameters).map(|parameter| &parameter.row);
        let body = self.body.iter().flat_map(|body| &body.content).flat_map(MediaView::rows);
        let responses = self
            .responses
            .iter()
            .flat_map(|response| response.headers.iter().chain(response.content.iter().flat_map(MediaView::rows)));
        parameters.chain(body).chain(responses)
    }

    /// The rows without a parent, in the order in which the view is built.
    pub(super) fn rows_mut(&mut self) -> Box<dyn Iterator<Item = &mut SchemaRow> + '_> {
        let parameters = self.parameters.iter_mut().flat_map(|group| &mut group.parameters);
        let body = self.body.iter_mut().flat_map(|body| &mut body.content).flat_map(MediaView::rows_mut);
        let responses = self.responses.iter_mut().flat_map(|response| {
            response.headers.iter_mut().chain(response.content.iter_mut().flat_map(MediaView::rows_mut))
        });
        let callbacks = self.callbacks.iter_mut().flat_map(|callback| callback.operation.rows_mut());
        Box::new(parameters.map(|parameter| &mut parameter.row).chain(body).chain(responses).chain(callbacks))
    }
}

impl MediaView {
    fn rows(&self) -> impl Iterator<Item = &SchemaRow> {
        self.schema.iter().chain(&self.item_schema)
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut SchemaRow> {
        self.schema.iter_mut().chain(&mut self.item_schema)
    }
}
