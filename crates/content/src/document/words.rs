//! Words, colours and lengths that data is made of.
use serde::{Deserialize, Serialize};

/// Enums of words of the API; the first value is the default.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $first:ident = $word:literal $(, $other:ident = $others:literal)* $(,)? })*) => {
        values::words! {$(
            $(#[$doc])*
            #[derive(Default)]
            pub enum $name { #[default] $first = $word $(, $other = $others)* }
        )*}
    };
}
pub(crate) use words;

words! {
    /// Alignment of text.
    Align { Start = "start", Center = "center", End = "end" }
    /// Alignment of images.
    ImageAlign { Center = "center", Left = "left", Right = "right" }
    /// Alignment of a column's content.
    VerticalAlign { Top = "top", Middle = "middle", Bottom = "bottom" }
    /// The meaning of a callout.
    HintStyle { Info = "info", Warning = "warning", Danger = "danger", Success = "success" }
    /// What long lines of code do.
    Overflow { Scroll = "scroll", Wrap = "wrap" }
    /// How dates of updates are shown.
    UpdatesFormat { Full = "full", Numeric = "numeric", Short = "short" }
    /// Alignment of a table column.
    ColumnAlign { Left = "left", Center = "center", Right = "right" }
    /// The size of cards.
    CardSize { Medium = "medium", Large = "large" }
    /// The size of an inline image.
    InlineImageSize { Original = "original", Line = "line" }
    /// The weight of a button.
    ButtonKind { Primary = "primary", Secondary = "secondary" }
    /// How an image fills its cell.
    ObjectFit { Contain = "contain", Fill = "fill", Cover = "cover" }
    /// A colour of text, tags and options.
    Color {
        Default = "default", Green = "green", Blue = "blue", Red = "red", Orange = "orange", Yellow = "yellow",
        Purple = "purple", Pink = "pink", Violet = "violet", Cyan = "cyan", Primary = "$primary", Info = "$info",
        Success = "$success", Warning = "$warning", Danger = "$danger", Tint = "$tint",
    }
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
