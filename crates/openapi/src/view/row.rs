//! The rows of a schema's view.
use crate::is_default;
use serde::Serialize;

/// A row: a schema, or a value below one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SchemaRow {
    /// Its relation to the row above it.
    pub role: RowRole,
    /// The name of a field, parameter or header; the name of a choice; the pattern or index in place of a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The type in words: `string`, `array of Pet`, `Pet or null`.
    #[serde(rename = "type")]
    pub type_text: String,
    /// The name of the schema among the components; of a list, that of its items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The format, such as `date-time`; of a list without one, that of its items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Further rules, each a phrase: `1 to 50 characters`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// Whether it is required.
    #[serde(skip_serializing_if = "is_default")]
    pub required: bool,
    /// Whether it is deprecated.
    #[serde(skip_serializing_if = "is_default")]
    pub deprecated: bool,
    /// Whether only the API sets it.
    #[serde(skip_serializing_if = "is_default")]
    pub read_only: bool,
    /// Whether the API never returns it.
    #[serde(skip_serializing_if = "is_default")]
    pub write_only: bool,
    /// `x-stability`: how stable it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<String>,
    /// `x-deprecated-sunset` or `x-sunset`: the date when it is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sunset: Option<String>,
    /// The default: a text as it is, other values as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The first example that the schema gives, written as the default is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// The possible values, if they are listed; of a list, those of its items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueView>,
    /// The number of further values.
    #[serde(skip_serializing_if = "is_default")]
    pub more_values: usize,
    /// The description, as Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The field whose value selects the choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discriminator: Option<String>,
    /// For a choice: the values of that field for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub discriminator_values: Vec<String>,
    /// The JSON Pointer of its schema in the document.
    pub pointer: String,
    /// Whether the rows below it are left out. A view of its pointer shows them.
    #[serde(skip_serializing_if = "is_default")]
    pub closed: bool,
    /// The pointer of the nearest row above that has the same schema; the rows below it are those of that row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recursive: Option<String>,
    /// Whether a part is missing: a reference of the schema has no target, or it has too many parts or choices.
    #[serde(skip_serializing_if = "is_default")]
    pub incomplete: bool,
    /// The rows below it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<SchemaRow>,
    /// Further rows below it that are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<RowsLeftOut>,
}

/// The relation of a row to the row above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RowRole {
    /// It is the first row: a whole schema, a parameter or a header.
    #[default]
    Schema,
    /// A field with this name.
    Field,
    /// All fields whose name matches the pattern in its name.
    Pattern,
    /// All other fields.
    OtherFields,
    /// The item of a list at the position in its name, counted from 0.
    Item,
    /// All other items of a list.
    OtherItems,
    /// One of several schemas, of which exactly one must fit.
    OneOf,
    /// One of several schemas, of which at least one must fit.
    AnyOf,
    /// One of several schemas that contradict each other, although all must fit.
    AllOf,
}

/// Rows that are left out because the budget is too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RowsLeftOut {
    /// Their maximum number.
    pub count: usize,
    /// The [`skip`](super::Budget::skip) with which a view of the pointer shows them.
    pub skip: usize,
}

/// A possible value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ValueView {
    /// A text as it is, other values as JSON.
    pub value: String,
    /// Its meaning, as Markdown: `x-enumDescriptions` or `x-gitbook-enum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
