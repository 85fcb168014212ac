//! Writing blocks. Nothing is built in memory first: a page is written as often as it is read.
use super::write_inline::{CodeLines, Line};
use super::write_table::Cells;
use crate::document::{Block, BlockType, Heading, Inline, Kind, Void};
use crate::reference::ContentRef;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

/// A list of blocks.
pub(super) struct Blocks<'a>(pub(super) &'a [Block]);

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(Written))
    }
}

/// An object whose fields are written one by one.
pub(super) struct Fields<M>(pub(super) M);

impl<M: SerializeMap> Fields<M> {
    /// Opens an object.
    pub(super) fn of<S: Serializer<SerializeMap = M, Ok = M::Ok, Error = M::Error>>(to: S) -> Result<Self, M::Error> {
        to.serialize_map(None).map(Self)
    }

    /// The object with this field.
    pub(super) fn with(mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<Self, M::Error> {
        self.0.serialize_entry(name, value)?;
        Ok(self)
    }

    /// The object with this field, if it has a value.
    pub(super) fn maybe(self, name: &str, value: Option<&(impl Serialize + ?Sized)>) -> Result<Self, M::Error> {
        match value {
            Some(value) => self.with(name, value),
            None => Ok(self),
        }
    }

    /// Closes the object.
    pub(super) fn end(self) -> Result<M::Ok, M::Error> {
        self.0.end()
    }
}

/// An object without fields.
#[derive(Serialize)]
pub(super) struct Empty {}

/// A paragraph around a line that is not a block of its own in our model.
pub(super) struct BareParagraph<'a>(pub(super) &'a [Inline]);

impl Serialize for BareParagraph<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let paragraph = Fields::of(to)?.with("object", "block")?.with("type", "paragraph")?.with("isVoid", &false)?;
        paragraph.with("data", &Empty {})?.with("nodes", &Line(self.0))?.end()
    }
}

/// The nodes of a body that needs at least one block: a bare paragraph means none.
pub(super) struct Body<'a>(pub(super) &'a [Block]);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.0.is_empty() { [BareParagraph(&[])].serialize(to) } else { Blocks(self.0).serialize(to) }
    }
}

/// A fragment that is known by its name, and by its type where that says more.
#[derive(Serialize)]
pub(super) struct Fragment<'a, N> {
    pub(super) object: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fragment: Option<&'a str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<&'a str>,
    pub(super) nodes: N,
}

impl<'a, N> Fragment<'a, N> {
    pub(super) fn named(name: &'a str, nodes: N) -> Self {
        Self { object: "fragment", key: None, fragment: Some(name), kind: None, nodes }
    }

    pub(super) fn of_type(self, kind: &'a str) -> Self {
        Self { kind: Some(kind), ..self }
    }
}

/// The caption of a picture or the like, if it has one.
struct Captions<'a>(&'a [Inline]);

impl Serialize for Captions<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let caption = (!self.0.is_empty()).then(|| Fragment::named("caption", [BareParagraph(self.0)]));
        to.collect_seq(caption)
    }
}

/// The two parts of an expandable block.
struct Unfolding<'a>(&'a Block);

impl Serialize for Unfolding<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (title, body) = ("expandable-title", "expandable-body");
        let mut parts = to.serialize_seq(Some(2))?;
        parts.serialize_element(&Fragment::named(title, [BareParagraph(&self.0.content)]).of_type(title))?;
        parts.serialize_element(&Fragment::named(body, Body(&self.0.children)).of_type(body))?;
        parts.end()
    }
}

/// The `meta` of a block.
#[derive(Serialize)]
struct Meta<'a> {
    id: &'a str,
}

/// A block.
pub(super) struct Written<'a>(pub(super) &'a Block);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Block { kind, content, children, .. } = self.0;
        let (name, void) = (type_name(kind), kind.block_type().shape().void == Void::Always);
        let out = Fields::of(to)?.with("object", "block")?.with("type", name)?;
        let out = out.with("key", &self.0.key.0)?.with("isVoid", &void)?.with("data", &Data(self.0))?;
        let out = out.maybe("meta", anchor(kind).map(|id| Meta { id }).as_ref())?;
        let out = match kind {
            Kind::Heading(heading) => {
                let level = Some(&heading.level).filter(|level| **level != default_level(name));
                out.with("nodes", &Line(content))?.maybe("level", level)?
            }
            Kind::Paragraph(_) => out.with("nodes", &Line(content))?,
            Kind::Prompt(prompt) => {
                let providers = prompt.open_in_ai_providers.as_ref().filter(|list| !list.is_empty());
                out.with("nodes", &Blocks(children))?.maybe("openIn", providers)?
            }
            Kind::Code(code) => out.with("nodes", &CodeLines { content, highlighted: &code.highlighted })?,
            Kind::Verbatim(verbatim) => {
                let source = [verbatim.source.as_str().into()];
                let lines = CodeLines { content: &source, highlighted: &Default::default() };
                out.with("nodes", &lines)?.with("verbatim", &true)?
            }
            Kind::Image(_) => out.with("fragments", &Captions(content))?,
            Kind::Embed(_) | Kind::File(_) if !content.is_empty() => out.with("fragments", &Captions(content))?,
            Kind::Expandable(_) => out.with("fragments", &Unfolding(self.0))?,
            Kind::Table(table) => out.with("fragments", &Cells { table, rows: children })?,
            _ if kind.block_type().shape().void != Void::Always => out.with("nodes", &Blocks(children))?,
            _ => out,
        };
        out.end()
    }
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

/// The Markdown level of a type of heading without `level`.
pub(super) fn default_level(heading: &str) -> u8 {
    match heading {
        "heading-1" => 2,
        "heading-2" => 3,
        _ => 4,
    }
}

/// Whether the id of a heading may be in its `data`; any other is in `meta` only.
fn is_plain_anchor(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.+_".contains(&byte);
    !id.is_empty() && id.bytes().all(plain)
}

/// The anchor in the `meta` of a block.
fn anchor(kind: &Kind) -> Option<&str> {
    let id = match kind {
        Kind::Heading(heading) => heading.id.as_ref(),
        Kind::Expandable(expandable) => expandable.id.as_ref(),
        Kind::TabsItem(tab) => tab.id.as_ref(),
        Kind::Swagger(operation) => operation.id.as_ref(),
        Kind::OpenapiOperation(operation) => operation.id.as_ref(),
        Kind::OpenapiSchemas(schemas) => schemas.id.as_ref(),
        Kind::OpenapiWebhook(webhook) => webhook.id.as_ref(),
        _ => None,
    };
    id.map(String::as_str)
}

/// The `data` of a block.
struct Data<'a>(&'a Block);

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let data = Fields::of(to)?;
        let data = match &self.0.kind {
            Kind::Paragraph(paragraph) => data.maybe("align", paragraph.align.as_ref())?,
            Kind::Heading(heading) => {
                let plain = heading.id.as_ref().filter(|id| is_plain_anchor(id));
                data.maybe("id", plain)?.maybe("align", heading.align.as_ref())?
            }
            Kind::ListOrdered(list) => data.maybe("start", list.start.as_ref())?,
            Kind::ListItem(item) => data.maybe("checked", item.checked.as_ref())?,
            Kind::Hint(hint) => data.with("style", &hint.style)?.maybe("icon", hint.icon.as_ref())?,
            Kind::Prompt(prompt) => data
                .with("description", &prompt.description)?
                .maybe("icon", prompt.icon.as_ref())?
                .maybe("openInAIProviders", prompt.open_in_ai_providers.as_ref().map(|list| !list.is_empty()).as_ref())?
                .maybe("defaultExpanded", prompt.default_expanded.as_ref())?,
            Kind::Code(code) => data
                .maybe("syntax", code.syntax.as_ref())?
                .maybe("title", code.title.as_ref())?
                .maybe("overflow", code.overflow.as_ref())?
                .maybe("lineNumbers", code.line_numbers.as_ref())?
                .maybe("fullWidth", code.full_width.as_ref())?
                .maybe("expandable", code.expandable.as_ref())?
                .maybe("collapsedLineCount", code.collapsed_line_count.as_ref())?,
            Kind::Math(math) => data.with("formula", &math.formula)?,
            Kind::Embed(embed) => data.with("url", &embed.url)?.maybe("fullWidth", embed.full_width.as_ref())?,
            Kind::Integration(integration) => data
                .with("integration", &integration.integration)?
                .with("block", &integration.block)?
                .with("props", &integration.props)?
                .maybe("action", integration.action.as_ref())?
                .maybe("url", integration.url.as_ref())?
                .maybe("fullWidth", integration.full_width.as_ref())?,
            Kind::Images(images) => data
                .maybe("align", images.align.as_ref())?
                .maybe("fullWidth", images.full_width.as_ref())?
                .maybe("withFrame", images.with_frame.as_ref())?,
            Kind::Image(image) => data
                .with("ref", &image.source)?
                .maybe("refDark", image.source_dark.as_ref())?
                .maybe("width", image.width.as_ref())?
                .maybe("height", image.height.as_ref())?
                .maybe("alt", image.alt.as_ref())?,
            Kind::File(file) => data.with("ref", &file.source)?,
            Kind::Drawing(drawing) => data.maybe("ref", drawing.source.as_ref())?,
            Kind::ContentRef(card) => data
                .with("ref", &card.target)?
                .maybe("query", card.query.as_ref())?
                .maybe("label", card.label.as_ref())?,
            Kind::ReusableContent(reusable) => data.with("ref", &reusable.target)?,
            Kind::Expandable(expandable) => data.maybe("defaultExpanded", expandable.default_expanded.as_ref())?,
            Kind::Tabs(tabs) => data.maybe("fullWidth", tabs.full_width.as_ref())?,
            Kind::TabsItem(tab) => data
                .maybe("title", tab.title.as_ref())?
                .maybe("icon", tab.icon.as_ref())?
                .maybe("slug", tab.slug.as_ref())?,
            Kind::StepperStep(step) => data.maybe("icon", step.icon.as_ref())?,
            Kind::Columns(columns) => data.maybe("fullWidth", columns.full_width.as_ref())?,
            Kind::Column(column) => data
                .maybe("width", column.width.as_ref())?
                .maybe("verticalAlignment", column.vertical_alignment.as_ref())?,
            Kind::Updates(updates) => data.with("format", &updates.format)?,
            Kind::Update(update) => {
                let tags = Some(&update.tags).filter(|tags| !tags.is_empty());
                data.with("date", &update.date)?.maybe("tags", tags)?
            }
            Kind::If(condition) => data.with("expression", &condition.expression)?,
            Kind::Swagger(operation) => data
                .with("path", &operation.path)?
                .with("method", &operation.method)?
                .with("ref", &operation.source)?
                .maybe("expanded", operation.expanded.as_ref())?
                .maybe("fullWidth", operation.full_width.as_ref())?,
            Kind::OpenapiOperation(operation) => data
                .with("path", &operation.path)?
                .with("method", &operation.method)?
                .with("ref", &specification(&operation.spec, operation.version.as_ref()))?
                .maybe("headless", operation.headless.as_ref())?,
            Kind::OpenapiSchemas(schemas) => data
                .with("schemas", &schemas.schemas)?
                .maybe("grouped", schemas.grouped.as_ref())?
                .maybe("title", schemas.title.as_ref())?
                .with("ref", &specification(&schemas.spec, schemas.version.as_ref()))?,
            Kind::OpenapiWebhook(webhook) => data
                .with("name", &webhook.name)?
                .with("method", &webhook.method)?
                .with("ref", &specification(&webhook.spec, webhook.version.as_ref()))?
                .maybe("headless", webhook.headless.as_ref())?,
            Kind::Verbatim(verbatim) => {
                data.maybe("syntax", Some(&verbatim.syntax).filter(|syntax| !syntax.is_empty()))?
            }
            Kind::Table(table) => super::write_table::data(data, table, &self.0.children)?,
            Kind::ListUnordered
            | Kind::ListTasks
            | Kind::Divider
            | Kind::Blockquote
            | Kind::Stepper
            | Kind::TableRow
            | Kind::TableCell(_) => data,
        };
        data.end()
    }
}

fn specification(spec: &str, version: Option<&String>) -> ContentRef {
    ContentRef::Openapi { spec: spec.to_owned(), version: version.cloned() }
}
