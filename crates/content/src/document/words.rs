//! Words, colours and lengths that data is made of.
use serde::{Deserialize, Serialize};

/// Enumerations of the API's words, the first of which is the usual one.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $first:ident $(, $other:ident)* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[expect(missing_docs, reason = "the words are the API's own")]
        pub enum $name { #[default] $first $(, $other)* }
    )*};
}
pub(crate) use words;

words! {
    /// Alignment of text.
    Align { Start, Center, End }
    /// Alignment of images.
    ImageAlign { Center, Left, Right }
    /// Alignment of a column's content.
    VerticalAlign { Top, Middle, Bottom }
    /// The meaning of a callout.
    HintStyle { Info, Warning, Danger, Success }
    /// What long lines of code do.
    Overflow { Scroll, Wrap }
    /// How dates of updates are shown.
    UpdatesFormat { Full, Numeric, Short }
    /// Alignment of a table column.
    ColumnAlign { Left, Center, Right }
    /// The size of cards.
    CardSize { Medium, Large }
    /// The size of an inline image.
    InlineImageSize { Original, Line }
    /// The weight of a button.
    ButtonKind { Primary, Secondary }
    /// How an image fills its cell.
    ObjectFit { Contain, Fill, Cover }
}

/// A length: pixels, or a number with its unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Length {
    /// Pixels.
    Pixels(serde_json::Number),
    /// A number with its unit.
    Unit {
        /// The unit, such as `%`.
        unit: String,
        /// The number.
        value: serde_json::Number,
    },
}

/// A colour of text, tags and options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words are the API's own")]
pub enum Color {
    #[default]
    Default,
    Green,
    Blue,
    Red,
    Orange,
    Yellow,
    Purple,
    Pink,
    Violet,
    Cyan,
    #[serde(rename = "$primary")]
    Primary,
    #[serde(rename = "$info")]
    Info,
    #[serde(rename = "$success")]
    Success,
    #[serde(rename = "$warning")]
    Warning,
    #[serde(rename = "$danger")]
    Danger,
    #[serde(rename = "$tint")]
    Tint,
}
