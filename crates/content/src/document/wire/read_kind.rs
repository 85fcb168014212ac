//! Reading the data of a block.
use super::WireError;
use super::fields::Fields;
use super::read::Read;
use super::write::default_level;
use crate::document::*;
use crate::reference::ContentRef;
use chrono::{DateTime, Utc};
use serde_json::Value;

/// The kind of a `block` of this `type`; `None` if there is no such type. A table is read elsewhere, with its rows.
pub(super) fn kind(
    name: &str,
    data: &Fields<'_, '_>,
    anchor: Option<String>,
    block: &Fields<'_, '_>,
) -> Read<Option<Kind>> {
    Ok(Some(match name {
        "paragraph" => Kind::Paragraph(Paragraph { align: data.get("align")? }),
        "heading-1" | "heading-2" | "heading-3" => Kind::Heading(Heading {
            level: heading_level(name, block.value("level")),
            id: data.get("id")?.or(anchor),
            align: data.get("align")?,
        }),
        "list-ordered" => Kind::ListOrdered(ListOrdered { start: data.get("start")? }),
        "list-unordered" => Kind::ListUnordered,
        "list-tasks" => Kind::ListTasks,
        "list-item" => Kind::ListItem(ListItem { checked: data.get("checked")? }),
        "divider" => Kind::Divider,
        "blockquote" => Kind::Blockquote,
        "hint" => Kind::Hint(Hint { style: data.need("style")?, icon: data.get("icon")? }),
        "prompt" => Kind::Prompt(Box::new(Prompt {
            description: data.need("description")?,
            icon: data.get("icon")?,
            open_in_ai_providers: providers(data.get("openInAIProviders")?, block)?,
            default_expanded: data.get("defaultExpanded")?,
        })),
        "code" => Kind::Code(Box::new(Code {
            syntax: data.get("syntax")?,
            title: data.get("title")?,
            overflow: data.get("overflow")?,
            line_numbers: data.get("lineNumbers")?,
            full_width: data.get("fullWidth")?,
            expandable: data.get("expandable")?,
            collapsed_line_count: data.get("collapsedLineCount")?,
            highlighted: Default::default(),
        })),
        "math" => Kind::Math(Math { formula: data.need("formula")? }),
        "embed" => Kind::Embed(Embed { url: data.need("url")?, full_width: data.get("fullWidth")? }),
        "integration" => Kind::Integration(Box::new(Integration {
            integration: data.need("integration")?,
            block: data.need("block")?,
            props: data.need("props")?,
            action: data.get("action")?,
            url: data.get("url")?,
            full_width: data.get("fullWidth")?,
        })),
        "images" => Kind::Images(Images {
            align: data.get("align")?,
            full_width: data.get("fullWidth")?,
            with_frame: data.get("withFrame")?,
        }),
        "image" => Kind::Image(Box::new(Image {
            source: Target(data.need_reference("ref", AllowedTargets::File)?),
            source_dark: data.reference("refDark", AllowedTargets::File)?,
            width: length(data, "width")?,
            height: length(data, "height")?,
            alt: data.get("alt")?,
        })),
        "file" => Kind::File(Box::new(FileBlock { source: Target(data.need_reference("ref", AllowedTargets::File)?) })),
        "drawing" => Kind::Drawing(Box::new(Drawing { source: data.reference("ref", AllowedTargets::File)? })),
        "content-ref" => Kind::ContentRef(Box::new(ContentRefBlock {
            target: Target(data.need_reference("ref", AllowedTargets::Any)?),
            query: data.query("query")?,
            label: data.get("label")?,
        })),
        "reusable-content" => Kind::ReusableContent(Box::new(ReusableContentBlock {
            target: Target(data.need_reference("ref", AllowedTargets::ReusableContent)?),
        })),
        "expandable" => Kind::Expandable(Expandable { default_expanded: data.get("defaultExpanded")?, id: anchor }),
        "tabs" => Kind::Tabs(Tabs { full_width: data.get("fullWidth")? }),
        "tabs-item" => Kind::TabsItem(Box::new(TabsItem {
            title: data.get("title")?,
            icon: data.get("icon")?,
            slug: data.get("slug")?,
            id: anchor,
        })),
        "stepper" => Kind::Stepper,
        "stepper-step" => Kind::StepperStep(StepperStep { icon: data.get("icon")? }),
        "columns" => Kind::Columns(Columns { full_width: data.get("fullWidth")? }),
        "column" => Kind::Column(Box::new(Column {
            width: length(data, "width")?,
            vertical_alignment: data.get("verticalAlignment")?,
        })),
        "updates" => Kind::Updates(Updates { format: data.need("format")? }),
        "update" => Kind::Update(Update { date: date(data)?, tags: data.references("tags", AllowedTargets::Tag)? }),
        "if" => Kind::If(If { expression: data.need("expression")? }),
        name => return openapi(name, data, anchor),
    }))
}

fn openapi(name: &str, data: &Fields<'_, '_>, id: Option<String>) -> Read<Option<Kind>> {
    if name == "swagger" {
        return Ok(Some(Kind::Swagger(Box::new(Swagger {
            path: data.need("path")?,
            method: data.need("method")?,
            source: Target(data.need_reference("ref", AllowedTargets::File)?),
            expanded: data.get("expanded")?,
            full_width: data.get("fullWidth")?,
            id,
        }))));
    }
    if !matches!(name, "openapi-operation" | "openapi-schemas" | "openapi-webhook") {
        return Ok(None);
    }
    let (spec, version) = specification(data)?;
    Ok(Some(match name {
        "openapi-operation" => Kind::OpenapiOperation(Box::new(OpenapiOperation {
            path: data.need("path")?,
            method: data.need("method")?,
            spec,
            version,
            headless: data.get("headless")?,
            id,
        })),
        "openapi-schemas" => Kind::OpenapiSchemas(Box::new(OpenapiSchemas {
            schemas: data.need_items("schemas")?,
            grouped: data.get("grouped")?,
            title: data.get("title")?,
            spec,
            version,
            id,
        })),
        _ => Kind::OpenapiWebhook(Box::new(OpenapiWebhook {
            name: data.need("name")?,
            method: data.need("method")?,
            spec,
            version,
            headless: data.get("headless")?,
            id,
        })),
    }))
}

/// The assistants that a prompt can be opened in; `None` means all.
fn providers(any: Option<bool>, block: &Fields<'_, '_>) -> Read<Option<Vec<String>>> {
    match any {
        None => Ok(None),
        Some(true) => block.items("openIn"),
        Some(false) => Ok(Some(Vec::new())),
    }
}

/// The Markdown level of a heading: the given one if it fits this type.
fn heading_level(name: &str, level: Option<&Value>) -> u8 {
    let of_type = match name {
        "heading-1" => 1..=2,
        "heading-2" => 3..=3,
        _ => 4..=6,
    };
    let given = level.and_then(Value::as_u64).and_then(|level| u8::try_from(level).ok());
    given.filter(|level| of_type.contains(level)).unwrap_or_else(|| default_level(name))
}

pub(super) fn length(data: &Fields<'_, '_>, name: &'static str) -> Read<Option<Length>> {
    data.get(name).map_err(|error| WireError { rule: "must be a number, or a unit and a value".into(), ..error })
}

fn date(data: &Fields<'_, '_>) -> Read<DateTime<Utc>> {
    const RULE: &str = "must be a time such as 2026-01-31T12:00:00Z";
    let sent: String = data.need("date")?;
    sent.parse().map_err(|_no_time: chrono::ParseError| data.refuse("date", RULE))
}

/// The slug of a specification, and the version of it.
fn specification(data: &Fields<'_, '_>) -> Read<(String, Option<String>)> {
    match data.need_reference("ref", AllowedTargets::Any)? {
        ContentRef::Openapi { spec, version } => Ok((spec, version)),
        _ => Err(data.refuse("ref", "must be a reference to an OpenAPI specification")),
    }
}
