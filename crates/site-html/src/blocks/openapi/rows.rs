//! Schemas: rows with what is below them.
use super::{prose, stability_note};
use crate::blocks::Blocks;
use crate::schema;
use crate::texts::Word;
use domain::openapi::direction::Direction;
use domain::openapi::view::{RowRole, SchemaRow};
use maud::{Markup, html};

/// How rows are rendered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows<'s> {
    /// Whether the children of a row are open at first.
    pub(super) expanded: bool,
    /// The path on the server of the pages of schemas of the block, if it has any.
    pub(super) schemas: Option<&'s str>,
    /// The direction of values.
    pub(super) direction: Option<Direction>,
}

impl Rows<'_> {
    /// The address of the page of a schema, by its pointer; `skip` rows are left out at its start.
    fn page(self, pointer: &str, skip: usize) -> Option<String> {
        self.schemas.map(|schemas| schema::address(schemas, pointer, self.direction, skip))
    }

    /// The same rows for values that go to one side.
    pub(super) fn to(self, direction: Direction) -> Self {
        Self { direction: Some(direction), ..self }
    }

    /// A whole schema: what it is, and the rows below it.
    pub(super) fn whole(self, blocks: &mut Blocks<'_>, row: &SchemaRow) -> Markup {
        html! { (self.about(blocks, row)) (self.below(blocks, row)) (self.closed(blocks, row)) }
    }

    /// A row with the rows below it. The recursion is as deep as the view, which has a budget.
    pub(super) fn row(self, blocks: &mut Blocks<'_>, row: &SchemaRow) -> Markup {
        self.row_with(blocks, row, &html! {})
    }

    /// A row of which more is known.
    pub(super) fn row_with(self, blocks: &mut Blocks<'_>, row: &SchemaRow, further: &Markup) -> Markup {
        let is_choice = matches!(row.role, RowRole::OneOf | RowRole::AnyOf | RowRole::AllOf);
        let has_below = !row.children.is_empty() || row.rest.is_some();
        let class = if is_choice { "o-row o-choice" } else { "o-row" };
        html! {
            div class=(class) {
                p.o-head { (head(blocks, row)) }
                (self.about(blocks, row))
                (further)
                @if has_below {
                    details open[self.expanded] {
                        summary { (blocks.word(Word::ChildAttributes)) }
                        (self.below(blocks, row))
                    }
                }
                (self.closed(blocks, row))
            }
        }
    }

    /// The link to omitted child rows.
    fn closed(self, blocks: &Blocks<'_>, row: &SchemaRow) -> Markup {
        let page = self.page(&row.pointer, 0).filter(|_| row.closed);
        html! { @if let Some(page) = page { p.o-flag { a href=(page) rel="nofollow" { (blocks.word(Word::ChildAttributes)) } } } }
    }

    fn below(self, blocks: &mut Blocks<'_>, row: &SchemaRow) -> Markup {
        let mut before = None;
        html! {
            @for child in &row.children {
                @if let Some(word) = group(child.role).filter(|_| before != Some(child.role)) {
                    p.o-group { (blocks.word(word)) }
                }
                (self.row(blocks, child))
                @let _ = before.insert(child.role);
            }
            @if let Some(rest) = &row.rest {
                @let text = blocks.context.texts.with(Word::MoreFields, &rest.count.to_string());
                p.o-flag { (linked(self.page(&row.pointer, rest.skip), &text)) }
            }
        }
    }

    /// The details of a row, without its children.
    fn about(self, blocks: &mut Blocks<'_>, row: &SchemaRow) -> Markup {
        let fact = |word: &str, value: &str| html! { p.o-flag { (word) ": " code { (shown(value)) } } };
        html! {
            (prose(blocks, row.description.as_deref()))
            @if !row.constraints.is_empty() { p.o-flag { (row.constraints.join(", ")) } }
            @if !row.discriminator_values.is_empty() { p.o-flag { (codes(&row.discriminator_values)) } }
            @if let Some(default) = &row.default { (fact(blocks.word(Word::Default), default)) }
            @if let Some(example) = &row.example { (fact(blocks.word(Word::Example), example)) }
            (values(blocks, row))
            @if let Some(field) = &row.discriminator {
                p.o-flag { (blocks.context.texts.with(Word::DecidedBy, field)) }
            }
            @if row.recursive.is_some() {
                @let name = row.schema.as_deref().unwrap_or(&row.type_text);
                @let text = blocks.context.texts.with(Word::SameAsAbove, name);
                p.o-flag { (linked(row.recursive.as_deref().and_then(|above| self.page(above, 0)), &text)) }
            }
        }
    }
}

/// A text, as a link if there is a page for it.
fn linked(page: Option<String>, text: &str) -> Markup {
    html! { @match page { Some(page) => a href=(page) rel="nofollow" { (text) }, None => (text) } }
}

/// The label before the first of several choices.
fn group(role: RowRole) -> Option<Word> {
    match role {
        RowRole::OneOf => Some(Word::OneOf),
        RowRole::AnyOf => Some(Word::AnyOf),
        RowRole::AllOf => Some(Word::AllOf),
        _ => None,
    }
}

/// The name of a row, its type, and its marks.
fn head(blocks: &Blocks<'_>, row: &SchemaRow) -> Markup {
    let format = row.format.as_deref().filter(|format| !row.type_text.contains(*format));
    let word = match row.role {
        RowRole::OtherFields => Some(blocks.word(Word::OtherFields)),
        RowRole::OtherItems => Some(blocks.word(Word::OtherItems)),
        _ => None,
    };
    let name = row.name.as_deref().filter(|name| *name != row.type_text || word.is_none());
    // A choice that has the name of its type says it once.
    let has_type = name != Some(row.type_text.as_str()) || matches!(row.role, RowRole::Field);
    let title = row.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    let title = title.filter(|title| ![name, Some(row.type_text.as_str())].contains(&Some(title)));
    html! {
        @if let Some(word) = word { span.o-name { (word) } " " }
        @if let Some(name) = name {
            code.o-name translate="no" {
                @match row.role {
                    RowRole::Pattern => { "/" (name) "/" },
                    RowRole::Item => { "[" (name) "]" },
                    _ => { (name) },
                }
            }
            " "
        }
        @if has_type { span.o-type { (row.type_text) @if let Some(format) = format { " (" (format) ")" } } }
        @if let Some(title) = title { " " span.o-title { (title) } }
        @if row.required { " " span.o-required { (blocks.word(Word::Required)) } }
        @if row.read_only { " " span.o-flag { (blocks.word(Word::ReadOnly)) } }
        @if row.write_only { " " span.o-flag { (blocks.word(Word::WriteOnly)) } }
        (stability_note(blocks, row.deprecated, row.stability.as_deref(), row.sunset.as_deref()))
    }
}

/// A value for readers: an empty one as quotes.
fn shown(value: &str) -> &str {
    if value.is_empty() { "\"\"" } else { value }
}

fn codes(values: &[String]) -> Markup {
    html! { @for (at, value) in values.iter().enumerate() { @if at > 0 { ", " } code { (shown(value)) } } }
}

/// The possible values: a list if they are described, else a line.
fn values(blocks: &mut Blocks<'_>, row: &SchemaRow) -> Markup {
    if row.values.is_empty() {
        return html! {};
    }
    let more = (row.more_values > 0).then(|| blocks.context.texts.with(Word::MoreValues, &row.more_values.to_string()));
    let are_described = row.values.iter().any(|value| value.description.is_some());
    html! {
        @if are_described {
            p.o-flag { (blocks.word(Word::Values)) ":" }
            dl.o-values {
                @for value in &row.values {
                    dt { code { (shown(&value.value)) } }
                    dd { (prose(blocks, value.description.as_deref())) }
                }
            }
            @if let Some(more) = more { p.o-flag { (more) } }
        } @else {
            p.o-flag {
                (blocks.word(Word::Values)) ": "
                @for (at, value) in row.values.iter().enumerate() { @if at > 0 { ", " } code { (shown(&value.value)) } }
                @if let Some(more) = more { ", " (more) }
            }
        }
    }
}
