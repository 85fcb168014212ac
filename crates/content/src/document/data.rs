//! The data of each kind of block.
use super::{Align, HintStyle, ImageAlign, Length, Overflow, UpdatesFormat, VerticalAlign};
use crate::reference::ContentRef;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Structs of data. Their fields are left out of the encoding if they have their defaults.
macro_rules! data {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $type:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $(
                $(#[$fdoc])*
                #[serde(default, skip_serializing_if = "crate::document::data::is_default")]
                pub $field: $type,
            )*
        }
    )*};
}

/// Whether a value need not be written: the encoding leaves defaults out, so adding a field changes no stored hash.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
pub(super) use data;

data! {
    /// Data of a paragraph.
    Paragraph { /** Alignment, when not at the start. */ align: Option<Align> }
    /// Data of a heading.
    Heading {
        /// The level in Markdown, 1 to 6. A page's title is the level 1 of its page, so bodies begin at 2.
        level: u8,
        /// A fixed anchor, when the writer gave one; otherwise the anchor derives from the text.
        id: Option<String>,
        /// Alignment.
        align: Option<Align>,
    }
    /// Data of a numbered list.
    ListOrdered { /** The first number, when it is not 1. */ start: Option<u64> }
    /// Data of a list item.
    ListItem { /** In a list of tasks: whether it is done. */ checked: Option<bool> }
    /// Data of a callout.
    Hint { /** Its meaning. */ style: HintStyle, /** An icon in place of the style's own. */ icon: Option<String> }
    /// Data of a prompt.
    Prompt {
        /// A description of the prompt.
        description: String,
        /// Its icon.
        icon: Option<String>,
        /// Assistants it may be opened in.
        open_in_ai_providers: Option<Vec<String>>,
        /// `hidden`, `partial` or `full`.
        default_expanded: Option<String>,
    }
    /// Data of a code block.
    Code {
        /// The language.
        syntax: Option<String>,
        /// A file name or title above the code.
        title: Option<String>,
        /// Whether long lines wrap.
        overflow: Option<Overflow>,
        /// Whether lines are numbered.
        line_numbers: Option<bool>,
        /// Whether it takes the page's full width.
        full_width: Option<bool>,
        /// Whether it is cut until opened.
        expandable: Option<bool>,
        /// The number of lines that are visible before it is opened.
        collapsed_line_count: Option<u32>,
        /// Highlighted lines, from 0.
        highlighted: BTreeSet<u32>,
    }
    /// Data of a displayed formula.
    Math { /** TeX. */ formula: String }
    /// Data of an embed.
    Embed { /** Its address. */ url: String, /** Full width. */ full_width: Option<bool> }
    /// Data of an integration block.
    Integration {
        /// The integration.
        integration: String,
        /// Its block.
        block: String,
        /// Its properties, free-form.
        props: serde_json::Map<String, serde_json::Value>,
        /// Its action.
        action: Option<serde_json::Value>,
        /// The address that it was made from.
        url: Option<String>,
        /// Full width.
        full_width: Option<bool>,
    }
    /// Data of a row of images.
    Images { /** `center`, `left` or `right`. */ align: Option<ImageAlign>, /** Full width. */ full_width: Option<bool>, /** Framed. */ with_frame: Option<bool> }
    /// Data of an image.
    Image {
        /// The picture (a url or a file).
        source: Target,
        /// The picture for the dark theme.
        source_dark: Option<ContentRef>,
        /// Width.
        width: Option<Length>,
        /// Height.
        height: Option<Length>,
        /// Its alternative text.
        alt: Option<String>,
    }
    /// Data of a file block.
    FileBlock { /** The file (or the address it was written as). */ source: Target }
    /// Data of a drawing.
    Drawing { /** Its file. */ source: Option<ContentRef> }
    /// Data of a card.
    ContentRefBlock {
        /// Its target.
        target: Target,
        /// The query of the address of a page, without `?`.
        query: Option<String>,
        /// The words of the link in Markdown, unless they are the address. Readers see the title of the page.
        label: Option<String>,
    }
    /// Data of an inclusion.
    ReusableContentBlock { /** The reusable content (or the address it was written as). */ target: Target }
    /// Data of an expandable.
    Expandable { /** Whether it starts open. */ default_expanded: Option<bool>, /** Anchor. */ id: Option<String> }
    /// Data of tabs.
    Tabs { /** Full width. */ full_width: Option<bool> }
    /// Data of a tab.
    TabsItem { /** Its title. */ title: Option<String>, /** Its icon. */ icon: Option<String>, /** Its slug. */ slug: Option<String>, /** Anchor. */ id: Option<String> }
    /// Data of a step.
    StepperStep { /** Its icon. */ icon: Option<String> }
    /// Data of columns.
    Columns { /** Full width. */ full_width: Option<bool> }
    /// Data of a column.
    Column { /** Width. */ width: Option<Length>, /** Vertical alignment. */ vertical_alignment: Option<VerticalAlign> }
    /// Data of a list of updates.
    Updates { /** How dates are shown. */ format: UpdatesFormat }
    /// Data of an update.
    Update { /** Its date. */ date: DateTime<Utc>, /** Its tags. */ tags: Vec<ContentRef> }
    /// Data of a conditional part.
    If { /** The condition. */ expression: String }
    /// Data of the older OpenAPI block.
    Swagger { /** Path of the operation. */ path: String, /** Its method. */ method: String, /** The document. */ source: Target, /** Starts open. */ expanded: Option<bool>, /** Full width. */ full_width: Option<bool>, /** Anchor. */ id: Option<String> }
    /// Data of an OpenAPI operation.
    OpenapiOperation { /** Path. */ path: String, /** Method. */ method: String, /** The specification's slug. */ spec: String, /** A version of it; absent for the newest one. */ version: Option<String>, /** Without heading. */ headless: Option<bool>, /** Anchor. */ id: Option<String> }
    /// Data of OpenAPI schemas.
    OpenapiSchemas { /** Names. */ schemas: Vec<String>, /** Together. */ grouped: Option<bool>, /** Title. */ title: Option<String>, /** The specification's slug. */ spec: String, /** A version of it; absent for the newest one. */ version: Option<String>, /** Anchor. */ id: Option<String> }
    /// Data of an OpenAPI webhook.
    OpenapiWebhook { /** Name. */ name: String, /** Method. */ method: String, /** The specification's slug. */ spec: String, /** A version of it; absent for the newest one. */ version: Option<String>, /** Without heading. */ headless: Option<bool>, /** Anchor. */ id: Option<String> }
    /// Source that is kept unchanged.
    Verbatim { /** The source, without its last line feed. */ source: String, /** Its language, `markdown` or `html`. */ syntax: String }
}

/// A reference that is required. An incomplete source leaves an empty address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Target(pub ContentRef);

impl Default for Target {
    fn default() -> Self {
        Self(ContentRef::Url { url: String::new() })
    }
}
