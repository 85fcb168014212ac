//! The meaning of each block tag.
use super::assembly::{Assembly, Opening};
use super::blocks::{Context, verbatim};
use super::elements::word;
use super::links::LinkUse;
use super::tags::{Attributes, NotUnderstood, Tag};
use crate::document::{
    Block, Code, Column, Columns, ContentRefBlock, Embed, Expandable, FileBlock, Hint, HintStyle, If, Inline,
    Integration, Kind, Length, OpenapiOperation, OpenapiSchemas, OpenapiWebhook, Prompt, ReusableContentBlock,
    StepperStep, Swagger, Tabs, TabsItem, Target, Update, Updates,
};
use crate::reference::ContentRef;
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};

/// Adds the block of a tag.
pub(super) fn tag(context: &mut Context<'_, '_>, tag: &Tag<'_>, line: usize, assembly: &mut Assembly) {
    if !tag.is_block() {
        return assembly.block(verbatim(tag.source, "markdown"));
    }
    if let Some(name) = tag.name.strip_prefix("end") {
        return assembly.close(name, tag.source, "markdown");
    }
    let found = context.found.len();
    let block = block(context, tag, line, assembly.parent()).ok();
    if block.is_none() {
        context.found.truncate(found);
    }
    if matches!(tag.name, "include" | "integration" | "page-ref") {
        return assembly.block(block.unwrap_or_else(|| verbatim(tag.source, "markdown")));
    }
    assembly.open(Opening { name: tag.name, source: tag.source, syntax: "markdown", block });
}

fn block(
    context: &mut Context<'_, '_>,
    tag: &Tag<'_>,
    line: usize,
    parent: Option<&Kind>,
) -> Result<Block, NotUnderstood> {
    if tag.name == "if" {
        return if tag.args.is_empty() {
            Err(NotUnderstood)
        } else {
            Ok(Block::new(Kind::If(If { expression: tag.args.to_owned() })))
        };
    }
    let mut given = tag.attributes().ok_or(NotUnderstood)?;
    let attribute = match tag.name {
        "embed" | "file" => Some("caption"),
        "expandable" => Some("title"),
        _ => None,
    };
    let content = attribute.and_then(|name| given.take(name)).filter(|text| !text.is_empty()).map(Inline::from);
    let mut target =
        |href: Option<String>, use_| href.map(|href| Target(context.reference(&href, use_, line))).ok_or(NotUnderstood);
    let kind = match tag.name {
        "hint" => Kind::Hint(Hint {
            style: given.take("style").map_or(Ok(Default::default()), |style| hint_style(&style))?,
            icon: given.take("icon"),
        }),
        // Blocks of other tools become it, because its end can share a line with other ends.
        "expandable" => Kind::Expandable(Expandable { default_expanded: given.flag("open")?, ..Expandable::default() }),
        "code" => Kind::Code(Box::new(Code {
            title: given.take("title"),
            overflow: given.take("overflow").map(|overflow| word(&overflow)).transpose()?,
            line_numbers: given.flag("lineNumbers")?,
            full_width: given.flag("fullWidth")?,
            expandable: given.flag("expandable")?,
            collapsed_line_count: number(&mut given, "collapsedLineCount")?,
            ..Code::default()
        })),
        "prompt" => Kind::Prompt(Box::new(Prompt {
            description: given.take("description").unwrap_or_default(),
            icon: given.take("icon"),
            open_in_ai_providers: given.take("openIn").map(|list| words(&list)),
            default_expanded: given.take("defaultExpanded"),
        })),
        "tabs" | "code-tabs" => Kind::Tabs(Tabs { full_width: given.flag("fullWidth")? }),
        "tab" | "code-tabs-item" if matches!(parent, Some(Kind::Tabs(_))) => Kind::TabsItem(Box::new(TabsItem {
            title: given.take("title"),
            icon: given.take("icon"),
            slug: given.take("slug"),
            id: given.take("id"),
        })),
        "stepper" => Kind::Stepper,
        "step" if matches!(parent, Some(Kind::Stepper)) => Kind::StepperStep(StepperStep { icon: given.take("icon") }),
        "columns" => Kind::Columns(Columns { full_width: given.flag("fullWidth")? }),
        "column" if matches!(parent, Some(Kind::Columns(_))) => Kind::Column(Box::new(Column {
            width: given.take("width").map(|width| length(&width).ok_or(NotUnderstood)).transpose()?,
            vertical_alignment: given.take("valign").map(|align| word(&align)).transpose()?,
        })),
        "updates" => Kind::Updates(Updates {
            format: given.take("format").map_or(Ok(Default::default()), |format| word(&format))?,
        }),
        "update" if matches!(parent, Some(Kind::Updates(_))) => Kind::Update(Update {
            date: given.take("date").and_then(|date| instant(&date)).ok_or(NotUnderstood)?,
            tags: given.take("tags").map(|tags| words(&tags)).unwrap_or_default().into_iter().map(slug).collect(),
        }),
        "content-ref" => {
            let href = given.take("url").ok_or(NotUnderstood)?;
            let (target, query) = context.link(&href, line);
            // Until its content is read, the label is the address, so that a label equal to the address is recognized.
            Kind::ContentRef(Box::new(ContentRefBlock { target: Target(target), query, label: Some(href) }))
        }
        "page-ref" => {
            let (target, query) = context.link(&given.take("page").ok_or(NotUnderstood)?, line);
            Kind::ContentRef(Box::new(ContentRefBlock { target: Target(target), query, label: None }))
        }
        "embed" => {
            Kind::Embed(Embed { url: given.take("url").ok_or(NotUnderstood)?, full_width: given.flag("fullWidth")? })
        }
        "file" => Kind::File(Box::new(FileBlock { source: target(given.take("src"), LinkUse::File)? })),
        "include" => {
            Kind::ReusableContent(Box::new(ReusableContentBlock { target: target(given.take(""), LinkUse::Include)? }))
        }
        "integration" => Kind::Integration(Box::new(Integration {
            integration: given.take("integration").ok_or(NotUnderstood)?,
            block: given.take("block").ok_or(NotUnderstood)?,
            props: json(&mut given, "props")?.unwrap_or_default(),
            action: json(&mut given, "action")?,
            url: given.take("url"),
            full_width: given.flag("fullWidth")?,
        })),
        "openapi" | "swagger" => Kind::Swagger(Box::new(Swagger {
            source: target(given.take("src"), LinkUse::File)?,
            path: given.take("path").ok_or(NotUnderstood)?,
            method: given.take("method").ok_or(NotUnderstood)?,
            expanded: given.flag("expanded")?,
            full_width: given.flag("fullWidth")?,
            id: given.take("id"),
        })),
        "openapi-operation" => Kind::OpenapiOperation(Box::new(OpenapiOperation {
            spec: given.take("spec").ok_or(NotUnderstood)?,
            version: given.take("version"),
            path: given.take("path").ok_or(NotUnderstood)?,
            method: given.take("method").ok_or(NotUnderstood)?,
            headless: given.flag("headless")?,
            id: given.take("id"),
        })),
        "openapi-schemas" => Kind::OpenapiSchemas(Box::new(OpenapiSchemas {
            spec: given.take("spec").ok_or(NotUnderstood)?,
            version: given.take("version"),
            schemas: words(&given.take("schemas").ok_or(NotUnderstood)?),
            grouped: given.flag("grouped")?,
            title: given.take("title"),
            id: given.take("id"),
        })),
        "openapi-webhook" => Kind::OpenapiWebhook(Box::new(OpenapiWebhook {
            spec: given.take("spec").ok_or(NotUnderstood)?,
            version: given.take("version"),
            name: given.take("name").ok_or(NotUnderstood)?,
            method: given.take("method").ok_or(NotUnderstood)?,
            headless: given.flag("headless")?,
            id: given.take("id"),
        })),
        _ => return Err(NotUnderstood),
    };
    given.finish().map(|()| Block::new(kind).with_content(content.into_iter().collect()))
}

/// The style of a hint. Old repositories have two more.
fn hint_style(name: &str) -> Result<HintStyle, NotUnderstood> {
    match name {
        "tip" => Ok(HintStyle::Success),
        "working" => Ok(HintStyle::Warning),
        name => word(name),
    }
}

fn number(given: &mut Attributes, name: &str) -> Result<Option<u32>, NotUnderstood> {
    given.take(name).map(|value| value.parse().map_err(|_not_a_number| NotUnderstood)).transpose()
}

fn json<T: serde::de::DeserializeOwned>(given: &mut Attributes, name: &str) -> Result<Option<T>, NotUnderstood> {
    given.take(name).map(|value| serde_json::from_str(&value).map_err(|_not_json| NotUnderstood)).transpose()
}

/// The items of a comma-separated list.
fn words(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn slug(tag: String) -> ContentRef {
    ContentRef::Tag { tag, space: None }
}

/// Reads `300` and `50%`.
pub(super) fn length(text: &str) -> Option<Length> {
    let end = text.find(|each: char| !(each.is_ascii_digit() || each == '.')).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let value: serde_json::Number = serde_json::from_str(digits).ok()?;
    // The number must be written in its normal form, or it is not a length.
    if value.to_string() != digits || !unit.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'%') {
        return None;
    }
    Some(if unit.is_empty() { Length::Pixels(value) } else { Length::Unit { unit: unit.to_owned(), value } })
}

/// Writes what [`length`] reads.
pub(super) fn length_text(length: &Length) -> String {
    match length {
        Length::Pixels(value) => value.to_string(),
        Length::Unit { unit, value } => format!("{value}{unit}"),
    }
}

/// The same, for a length that [`length`] reads.
pub(super) fn readable_length(given: Option<&Length>) -> Option<String> {
    given.map(length_text).filter(|text| length(text).is_some())
}

/// Reads a day, which begins at midnight, or a time with its zone.
fn instant(text: &str) -> Option<DateTime<Utc>> {
    if let Ok(day) = text.parse::<NaiveDate>() {
        return Some(day.and_time(NaiveTime::MIN).and_utc());
    }
    DateTime::parse_from_rfc3339(text).ok().map(|time| time.with_timezone(&Utc))
}

/// Writes what [`instant`] reads.
pub(super) fn instant_text(time: &DateTime<Utc>) -> String {
    if time.time() == NaiveTime::MIN {
        time.date_naive().to_string()
    } else {
        time.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("300", true)]
    #[case("50%", true)]
    #[case("12.5em", true)]
    #[case("", false)]
    #[case("%", false)]
    #[case("1.50%", false)]
    #[case("10 px", false)]
    #[case("-1", false)]
    fn a_length_is_a_number_with_its_unit(#[case] text: &str, #[case] fine: bool) {
        assert_eq!(length(text).map(|length| length_text(&length)), fine.then(|| text.to_owned()));
    }

    #[rstest]
    #[case("2025-01-01", Some("2025-01-01"))]
    #[case("2025-01-01T10:00:00Z", Some("2025-01-01T10:00:00Z"))]
    #[case("2025-01-01T01:30:00.250+01:30", Some("2025-01-01T00:00:00.250Z"))]
    #[case("2025-01-01T00:00:00Z", Some("2025-01-01"))]
    #[case("2025-13-01", None)]
    #[case("yesterday", None)]
    fn a_date_is_a_day_or_a_time(#[case] text: &str, #[case] written: Option<&str>) {
        assert_eq!(instant(text).map(|time| instant_text(&time)).as_deref(), written);
    }
}
