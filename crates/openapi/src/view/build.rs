//! Builds the view of an operation: everything except the rows of its schemas.
use super::find::{self, Found};
use super::operation::{
    BodyView, CallbackView, EncodingView, MediaView, OperationOptions, OperationView, ParameterGroup, ParameterView,
    ResponseView, ServerVariable, ServerView,
};
use super::row::SchemaRow;
use super::text::{described, long, member_text, scalar, short, shown, stability, sunset};
use super::{Budget, Meter, Rows, security};
use crate::direction::Direction;
use crate::parts::is_internal;
use crate::schema::{LocatedNode, Schemas};
use crate::tree::{Node, Value};

/// The longest description of an operation, in characters.
const MAX_DESCRIPTION: usize = 16_000;
/// The maximum number of tags, encodings, variables of a server and values of a variable.
const MAX_ITEMS: usize = 100;
/// The places of parameters, in the order in which they are shown. Others come after them.
const PLACES: [&str; 5] = ["path", "query", "querystring", "header", "cookie"];

/// The owner of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject<'a> {
    /// A path.
    Path(&'a str),
    /// The webhook with this name.
    Webhook(&'a str),
    /// A callback, by the expression of its address.
    Callback(&'a str),
}

/// The view of an operation with its schemas.
pub(super) fn view<'a>(
    schemas: &Schemas<'a>,
    found: &Found<'a>,
    subject: Subject<'_>,
    budget: &Budget,
) -> OperationView {
    let mut meter = Meter::new(budget);
    let rows = Rows::new(schemas, budget.depth);
    let mut builder = Builder { schemas, rows, meter: &mut meter, left_out: 0 };
    let mut view = builder.operation(found, subject);
    let Builder { mut rows, .. } = builder;
    rows.grow(&mut meter, 0);
    for (row, finished) in view.rows_mut().zip(rows.finish()) {
        *row = finished;
    }
    view
}

/// A view under construction.
struct Builder<'a, 's, 'm> {
    schemas: &'s Schemas<'a>,
    rows: Rows<'a, 's>,
    meter: &'m mut Meter,
    /// The number of parts without room in the budget.
    left_out: usize,
}

impl<'a> Builder<'a, '_, '_> {
    fn operation(&mut self, found: &Found<'a>, subject: Subject<'_>) -> OperationView {
        let mut view = head(self.schemas, found, subject);
        // Even without a budget, a view has its head.
        self.meter.admits(&view);
        // The API sends the request, to an address and with credentials of its receiver. Those of the document are for
        // requests to the API.
        let is_sent = !matches!(subject, Subject::Path(_));
        let document = Some(self.schemas.root().node).filter(|_| !is_sent);
        view.servers = self.servers(found, document);
        let security =
            [Some(found.operation.node), document].into_iter().flatten().find_map(|owner| owner.get("security"));
        view.security = security::view(self.schemas, security, self.meter);
        let (request, response) = match is_sent {
            false => (Direction::Request, Direction::Response),
            true => (Direction::Response, Direction::Request),
        };
        view.parameters = self.parameters(found, request);
        view.body = found.operation.key("requestBody").and_then(|body| self.body(body, request));
        view.responses = self.responses(found, response);
        // A callback of a callback would be two requests away.
        if !matches!(subject, Subject::Callback(_)) {
            view.callbacks = self.callbacks(found);
        }
        view.left_out = std::mem::take(&mut self.left_out);
        view
    }

    /// The value, if the budget allows it.
    fn admit<T: serde::Serialize>(&mut self, value: T) -> Option<T> {
        let admits = self.meter.admits(&value);
        self.left_out += usize::from(!admits);
        admits.then_some(value)
    }

    fn row(
        &mut self,
        schema: Option<&LocatedNode<'a>>,
        direction: Direction,
        complete: impl FnOnce(&mut SchemaRow),
    ) -> Option<SchemaRow> {
        let row = self.rows.add(schema, Some(direction), self.meter, complete);
        self.left_out += usize::from(row.is_none());
        row
    }

    fn servers(&mut self, found: &Found<'a>, document: Option<&'a Node>) -> Vec<ServerView> {
        let owners = [Some(found.operation.node), Some(found.item.node), document];
        let mut lists = owners.into_iter().flatten().map(|owner| owner.items_of("servers"));
        // An empty list states nothing.
        let stated = lists.find(|servers| !servers.is_empty()).unwrap_or_default();
        stated.iter().filter_map(server).filter_map(|server| self.admit(server)).collect()
    }

    fn parameters(&mut self, found: &Found<'a>, direction: Direction) -> Vec<ParameterGroup> {
        let mut groups: Vec<ParameterGroup> =
            PLACES.map(|place| ParameterGroup { place: place.to_owned(), parameters: Vec::new() }).into();
        let mut parameters = find::parameters(self.schemas, found);
        let place = |located: &LocatedNode<'_>| located.node.text_of("in").map(short).unwrap_or_default();
        // Rows are in the order of the view.
        parameters
            .sort_by_key(|located| PLACES.iter().position(|known| *known == place(located)).unwrap_or(PLACES.len()));
        for located in parameters {
            let place = place(&located);
            let Some(group) = groups.iter_mut().find(|group| group.place == place) else {
                self.left_out += 1;
                continue;
            };
            group.parameters.extend(self.parameter(&located, direction));
        }
        groups.retain(|group| !group.parameters.is_empty());
        groups
    }

    fn parameter(&mut self, located: &LocatedNode<'a>, direction: Direction) -> Option<ParameterView> {
        let content = located.members("content").next();
        let media = content.as_ref().and_then(|(_, media)| self.schemas.behind(media.clone()));
        let schema = located.key("schema").or_else(|| media.as_ref()?.key("schema"));
        let name = located.node.get("name").and_then(scalar);
        let example = self.example(located).or_else(|| self.example(media.as_ref()?));
        let row = self.row(schema.as_ref(), direction, |row| {
            own(located.node, row);
            row.name = name;
            row.example = example.or(row.example.take());
            // A parameter of the path is always there.
            row.required |= located.node.text_of("in") == Some("path");
        })?;
        Some(ParameterView {
            style: member_text(located.node, "style"),
            explode: boolean(located.node, "explode"),
            media_type: content.map(|(media, _)| short(media)),
            row,
        })
    }

    /// The example that a parameter, a header or a media type gives itself.
    fn example(&self, owner: &LocatedNode<'a>) -> Option<String> {
        let listed = || {
            let (_, example) = owner.members("examples").next()?;
            let example = self.schemas.behind(example)?.node;
            ["value", "dataValue", "serializedValue"].into_iter().find_map(|key| example.get(key))
        };
        owner.node.get("example").or_else(listed).map(shown)
    }

    fn body(&mut self, body: LocatedNode<'a>, direction: Direction) -> Option<BodyView> {
        let body = self.schemas.behind(body)?;
        let view = BodyView {
            description: described(body.node),
            required: body.node.is_true("required"),
            content: Vec::new(),
        };
        let view = self.admit(view)?;
        Some(BodyView { content: self.content(&body, direction), ..view })
    }

    fn content(&mut self, owner: &LocatedNode<'a>, direction: Direction) -> Vec<MediaView> {
        let mut views = Vec::new();
        for (media_type, media) in owner.members("content") {
            let Some(media) = self.schemas.behind(media) else { continue };
            let encodings = media.members("encoding").take(MAX_ITEMS);
            let encodings = encodings.filter_map(|(name, located)| {
                Some(EncodingView { name: short(name), content_type: member_text(located.node, "contentType")? })
            });
            let encodings = encodings.collect();
            let view = MediaView { media_type: short(media_type), encodings, ..MediaView::default() };
            let Some(mut view) = self.admit(view) else { continue };
            view.schema = media.key("schema").and_then(|schema| self.row(Some(&schema), direction, |_| ()));
            view.item_schema = media.key("itemSchema").and_then(|schema| self.row(Some(&schema), direction, |_| ()));
            views.push(view);
        }
        views
    }

    fn responses(&mut self, found: &Found<'a>, direction: Direction) -> Vec<ResponseView> {
        let mut views = Vec::new();
        for (status, response) in found.operation.members("responses").filter(|(status, _)| !status.starts_with("x-")) {
            // If the reference has no target, only the status is shown.
            let response = self.schemas.behind(response.clone()).unwrap_or(response);
            let view = ResponseView {
                status: short(status),
                summary: member_text(response.node, "summary"),
                description: described(response.node),
                ..ResponseView::default()
            };
            let Some(mut view) = self.admit(view) else { continue };
            for (name, header) in response.members("headers") {
                let Some(header) = self.schemas.behind(header) else { continue };
                let media = header.members("content").next();
                let media = media.and_then(|(_, media)| self.schemas.behind(media));
                let schema = header.key("schema").or_else(|| media.as_ref()?.key("schema"));
                let example = self.example(&header).or_else(|| self.example(media.as_ref()?));
                view.headers.extend(self.row(schema.as_ref(), direction, |row| {
                    own(header.node, row);
                    row.name = Some(short(name));
                    row.example = example.or(row.example.take());
                }));
            }
            view.content = self.content(&response, direction);
            views.push(view);
        }
        views
    }

    fn callbacks(&mut self, found: &Found<'a>) -> Vec<CallbackView> {
        let mut views = Vec::new();
        for (name, callback) in found.operation.members("callbacks") {
            let Some(callback) = self.schemas.behind(callback) else { continue };
            let items = callback.node.members().filter(|(key, _)| !key.starts_with("x-"));
            for (expression, _) in items {
                let item = callback.key(expression).and_then(|item| find::item(self.schemas, item));
                for found in item.iter().flat_map(find::all) {
                    if self.meter.is_used_up() {
                        self.left_out += 1;
                        continue;
                    }
                    let outer = std::mem::take(&mut self.left_out);
                    let operation = self.operation(&found, Subject::Callback(expression));
                    self.left_out = outer;
                    views.push(CallbackView { name: short(name), operation });
                }
            }
        }
        views
    }
}

/// The operation's own fields.
fn head<'a>(schemas: &Schemas<'a>, found: &Found<'a>, subject: Subject<'_>) -> OperationView {
    let Found { method, item, operation } = found;
    let (item, node, root) = (item.node, operation.node, schemas.root().node);
    let (path, webhook) = match subject {
        Subject::Path(path) | Subject::Callback(path) => (Some(short(path)), None),
        Subject::Webhook(name) => (None, Some(short(name))),
    };
    let description = |node: &Node| long(node.text_of("description")?, MAX_DESCRIPTION);
    let owners = [node, item, root];
    let any = |key: &str| owners.iter().any(|owner| owner.is_true(key));
    OperationView {
        method: short(method),
        path,
        webhook,
        pointer: operation.pointer.clone(),
        id: member_text(node, "operationId"),
        summary: member_text(node, "summary").or_else(|| member_text(item, "summary")),
        description: description(node).or_else(|| description(item)),
        tags: node.items_of("tags").iter().filter_map(scalar).take(MAX_ITEMS).collect(),
        deprecated: node.is_true("deprecated"),
        stability: stability(node),
        sunset: sunset(node),
        internal: is_internal(node) || is_internal(item),
        options: OperationOptions {
            hide_try_it: any("x-hideTryItPanel"),
            enable_proxy: owners.iter().find_map(|owner| boolean(owner, "x-enable-proxy")),
            expand_responses: any("x-expandAllResponses"),
            expand_schemas: any("x-expandAllModelSections"),
        },
        docs_url: node.get("externalDocs").and_then(|docs| member_text(docs, "url")),
        ..OperationView::default()
    }
}

fn server(node: &Node) -> Option<ServerView> {
    let variables = node.members_of("variables").take(MAX_ITEMS).map(|(name, variable)| ServerVariable {
        name: short(name),
        default: member_text(variable, "default").unwrap_or_default(),
        values: variable.items_of("enum").iter().filter_map(scalar).take(MAX_ITEMS).collect(),
        description: described(variable),
    });
    Some(ServerView {
        url: node.text_of("url").map(short)?,
        name: member_text(node, "name"),
        description: described(node),
        variables: variables.collect(),
    })
}

/// Adds the own fields of a parameter or header to its row. The others come from its schema.
fn own(node: &Node, row: &mut SchemaRow) {
    row.description = described(node).or(row.description.take());
    row.required = node.is_true("required");
    row.deprecated |= node.is_true("deprecated");
    row.stability = stability(node).or(row.stability.take());
    row.sunset = sunset(node).or(row.sunset.take());
}

fn boolean(node: &Node, key: &str) -> Option<bool> {
    match node.get(key)?.value {
        Value::Bool(value) => Some(value),
        _ => None,
    }
}
