//! Writing blocks.
use super::write_inline::{code_lines, line};
use super::write_table::table;
use crate::content::document::{Block, BlockType, Heading, Inline, Kind, Void};
use crate::content::reference::ContentRef;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A list of blocks.
pub(super) fn blocks(blocks: &[Block]) -> Value {
    blocks.iter().map(block).collect()
}

/// The fields of a `data`.
#[derive(Default)]
pub(super) struct Data(pub(super) Map<String, Value>);

impl Data {
    /// The data with this field.
    pub(super) fn with(mut self, name: &str, value: &impl Serialize) -> Self {
        self.0.insert(name.to_owned(), json(value));
        self
    }

    /// The data with this field, if it has a value.
    pub(super) fn maybe(self, name: &str, value: Option<&impl Serialize>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}

/// A value as JSON.
pub(super) fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("maps have text for keys, so there is nothing that JSON cannot say")
}

/// A paragraph around a line that is no block of its own in our model.
pub(super) fn bare_paragraph(content: &[Inline]) -> Value {
    json!({"object": "block", "type": "paragraph", "isVoid": false, "data": {}, "nodes": line(content)})
}

/// The nodes of a body that needs at least one block: a bare paragraph stands for none.
pub(super) fn body(children: &[Block]) -> Value {
    if children.is_empty() { json!([bare_paragraph(&[])]) } else { blocks(children) }
}

/// A fragment that is known by its name and its type.
fn named(name: &str, nodes: Value) -> Value {
    json!({"object": "fragment", "fragment": name, "type": name, "nodes": nodes})
}

fn captions(content: &[Inline]) -> Value {
    match content {
        [] => json!([]),
        content => json!([{"object": "fragment", "fragment": "caption", "nodes": [bare_paragraph(content)]}]),
    }
}

fn block(block: &Block) -> Value {
    let kind = block.kind.block_type();
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| drop(out.insert(name.to_owned(), value));
    put("object", "block".into());
    put("type", type_name(&block.kind).into());
    put("key", block.key.0.clone().into());
    put("isVoid", (kind.shape().void == Void::Always).into());
    let (data, anchor) = data(&block.kind);
    put("data", data.0.into());
    if let Some(anchor) = anchor {
        put("meta", json!({"id": anchor}));
    }
    match &block.kind {
        Kind::Heading(heading) => {
            put("nodes", line(&block.content));
            if heading.level != default_level(type_name(&block.kind)) {
                put("level", heading.level.into());
            }
        }
        Kind::Paragraph(_) => put("nodes", line(&block.content)),
        Kind::Code(code) => put("nodes", code_lines(&block.content, &code.highlighted)),
        Kind::Verbatim(verbatim) => {
            put("nodes", code_lines(&[verbatim.source.as_str().into()], &Default::default()));
            put("verbatim", true.into());
        }
        Kind::Image(_) => put("fragments", captions(&block.content)),
        Kind::Embed(_) | Kind::File(_) if !block.content.is_empty() => put("fragments", captions(&block.content)),
        Kind::Expandable(_) => {
            let title = named("expandable-title", json!([bare_paragraph(&block.content)]));
            put("fragments", json!([title, named("expandable-body", body(&block.children))]));
        }
        Kind::Table(data) => {
            let (data, fragments) = table(data, &block.children);
            put("data", data.0.into());
            put("fragments", fragments);
        }
        _ if kind.shape().void != Void::Always => put("nodes", blocks(&block.children)),
        _ => {}
    }
    Value::Object(out)
}

/// The `type` of a block.
fn type_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Heading(Heading { level: 0..=2, .. }) => "heading-1",
        Kind::Heading(Heading { level: 3, .. }) => "heading-2",
        Kind::Heading(_) => "heading-3",
        Kind::Verbatim(_) => BlockType::Code.name(),
        kind => kind.block_type().name(),
    }
}

/// The level of Markdown that a type of heading alone means.
pub(super) fn default_level(heading: &str) -> u8 {
    match heading {
        "heading-1" => 2,
        "heading-2" => 3,
        _ => 4,
    }
}

/// Whether the id of a heading may stand in its `data`; any other stands in `meta` alone.
fn is_plain_anchor(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.+_".contains(&byte);
    !id.is_empty() && id.bytes().all(plain)
}

/// The `data` of a block, and the anchor in its `meta`. A table's is made with its rows.
fn data(kind: &Kind) -> (Data, Option<&String>) {
    let data = Data::default();
    let data = match kind {
        Kind::Paragraph(paragraph) => data.maybe("align", paragraph.align.as_ref()),
        Kind::Heading(heading) => {
            let plain = heading.id.as_ref().filter(|id| is_plain_anchor(id));
            return (data.maybe("id", plain).maybe("align", heading.align.as_ref()), heading.id.as_ref());
        }
        Kind::ListOrdered(list) => data.maybe("start", list.start.as_ref()),
        Kind::ListItem(item) => data.maybe("checked", item.checked.as_ref()),
        Kind::Hint(hint) => data.with("style", &hint.style).maybe("icon", hint.icon.as_ref()),
        Kind::Prompt(prompt) => data
            .with("description", &prompt.description)
            .maybe("icon", prompt.icon.as_ref())
            .maybe("openInAIProviders", prompt.open_in_ai_providers.as_ref())
            .maybe("defaultExpanded", prompt.default_expanded.as_ref()),
        Kind::Code(code) => data
            .maybe("syntax", code.syntax.as_ref())
            .maybe("title", code.title.as_ref())
            .maybe("overflow", code.overflow.as_ref())
            .maybe("lineNumbers", code.line_numbers.as_ref())
            .maybe("fullWidth", code.full_width.as_ref())
            .maybe("expandable", code.expandable.as_ref())
            .maybe("collapsedLineCount", code.collapsed_line_count.as_ref()),
        Kind::Math(math) => data.with("formula", &math.formula),
        Kind::Embed(embed) => data.with("url", &embed.url).maybe("fullWidth", embed.full_width.as_ref()),
        Kind::Integration(integration) => data
            .with("integration", &integration.integration)
            .with("block", &integration.block)
            .with("props", &integration.props)
            .maybe("action", integration.action.as_ref())
            .maybe("url", integration.url.as_ref())
            .maybe("fullWidth", integration.full_width.as_ref()),
        Kind::Images(images) => data
            .maybe("align", images.align.as_ref())
            .maybe("fullWidth", images.full_width.as_ref())
            .maybe("withFrame", images.with_frame.as_ref()),
        Kind::Image(image) => data
            .with("ref", &image.source)
            .maybe("refDark", image.source_dark.as_ref())
            .maybe("width", image.width.as_ref())
            .maybe("height", image.height.as_ref())
            .maybe("alt", image.alt.as_ref()),
        Kind::File(file) => data.with("ref", &file.source),
        Kind::Drawing(drawing) => data.maybe("ref", drawing.source.as_ref()),
        Kind::ContentRef(card) => data.with("ref", &card.target),
        Kind::ReusableContent(reusable) => data.with("ref", &reusable.target),
        Kind::Expandable(expandable) => {
            return (data.maybe("defaultExpanded", expandable.default_expanded.as_ref()), expandable.id.as_ref());
        }
        Kind::Tabs(tabs) => data.maybe("fullWidth", tabs.full_width.as_ref()),
        Kind::TabsItem(tab) => {
            let data = data.maybe("title", tab.title.as_ref()).maybe("icon", tab.icon.as_ref());
            return (data.maybe("slug", tab.slug.as_ref()), tab.id.as_ref());
        }
        Kind::StepperStep(step) => data.maybe("icon", step.icon.as_ref()),
        Kind::Columns(columns) => data.maybe("fullWidth", columns.full_width.as_ref()),
        Kind::Column(column) => {
            data.maybe("width", column.width.as_ref()).maybe("verticalAlignment", column.vertical_alignment.as_ref())
        }
        Kind::Updates(updates) => data.with("format", &updates.format),
        Kind::Update(update) => {
            let tags = Some(&update.tags).filter(|tags| !tags.is_empty());
            data.with("date", &update.date).maybe("tags", tags)
        }
        Kind::If(condition) => data.with("expression", &condition.expression),
        Kind::Swagger(operation) => {
            let data = data.with("path", &operation.path).with("method", &operation.method);
            let data = data.with("ref", &operation.source).maybe("expanded", operation.expanded.as_ref());
            return (data.maybe("fullWidth", operation.full_width.as_ref()), operation.id.as_ref());
        }
        Kind::OpenapiOperation(operation) => {
            let data = data.with("path", &operation.path).with("method", &operation.method);
            let data = data.with("ref", &specification(&operation.spec));
            return (data.maybe("headless", operation.headless.as_ref()), operation.id.as_ref());
        }
        Kind::OpenapiSchemas(schemas) => {
            let data = data.with("schemas", &schemas.schemas).maybe("grouped", schemas.grouped.as_ref());
            let data = data.maybe("title", schemas.title.as_ref()).with("ref", &specification(&schemas.spec));
            return (data, schemas.id.as_ref());
        }
        Kind::OpenapiWebhook(webhook) => {
            let data = data.with("name", &webhook.name).with("method", &webhook.method);
            let data = data.with("ref", &specification(&webhook.spec));
            return (data.maybe("headless", webhook.headless.as_ref()), webhook.id.as_ref());
        }
        Kind::Verbatim(verbatim) => data.maybe("syntax", Some(&verbatim.syntax).filter(|syntax| !syntax.is_empty())),
        Kind::ListUnordered
        | Kind::ListTasks
        | Kind::Divider
        | Kind::Blockquote
        | Kind::Stepper
        | Kind::Table(_)
        | Kind::TableRow
        | Kind::TableCell(_) => data,
    };
    (data, None)
}

fn specification(spec: &str) -> ContentRef {
    ContentRef::Openapi { spec: spec.to_owned() }
}
