//! Inline content.
use super::data::data;
use super::{Block, ButtonKind, Color, InlineImageSize, Length, Target};
use crate::reference::ContentRef;
use serde::{Deserialize, Serialize};

/// A piece of text, or another element in a line of text. Elements that are larger than text are boxed, because most
/// pieces are text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inline {
    /// Text with one set of marks. A line feed in it is a hard line break.
    Text(Text),
    /// A link around text and inline images.
    Link(Box<Link>),
    /// An emoji by its code point in hexadecimal.
    Emoji {
        /// Code point(s), such as `1f600`.
        code: String,
    },
    /// An icon by name.
    Icon(Icon),
    /// An expression that is evaluated on reading.
    Expression {
        /// The expression.
        expression: String,
    },
    /// A formula in the line.
    Math {
        /// TeX.
        formula: String,
    },
    /// An image in the line.
    Image(Box<InlineImage>),
    /// Text with a note to it (a footnote).
    Annotation(Box<Annotation>),
    /// A mention of a user, a page or something else.
    Mention {
        /// Its target.
        target: Box<ContentRef>,
    },
    /// A button.
    Button(Box<Button>),
    /// Source that is not understood, kept unchanged.
    Verbatim {
        /// The source.
        source: String,
    },
}

data! {
    /// Text with one set of marks.
    Text { /** The characters. */ text: String, /** Its marks. */ marks: Marks }
    /// A link.
    Link { /** Its target. */ target: Target, /** The query of the address of a page, without `?`. */ query: Option<String>, /** What hovering shows. */ title: Option<String>, /** What is linked: text and inline images. */ content: Vec<Inline> }
    /// An icon.
    Icon { /** Its name. */ icon: String, /** Its colour. */ color: Option<Color> }
    /// An inline image.
    InlineImage {
        /// The picture (a url or a file).
        source: Target,
        /// The picture for the dark theme.
        source_dark: Option<ContentRef>,
        /// Caption.
        caption: Option<String>,
        /// Its alternative text.
        alt: Option<String>,
        /// Size.
        size: Option<InlineImageSize>,
        /// Width.
        width: Option<Length>,
        /// Height.
        height: Option<Length>,
    }
    /// An annotation.
    Annotation { /** The text that is annotated; may be empty. */ content: Vec<Inline>, /** The note. */ body: Vec<Block>, /** The footnote's label in its source. */ label: Option<String> }
    /// A button.
    Button { /** Its label. */ label: String, /** Its weight. */ kind: ButtonKind, /** `small`, `medium` or `large`. */ size: Option<String>, /** Its icon. */ icon: Option<String>, /** Where it leads, when it does not act. */ target: Option<ContentRef>, /** What it does. */ action: Option<serde_json::Value> }
    /// The marks of text.
    Marks {
        /// Bold.
        bold: bool,
        /// Italic.
        italic: bool,
        /// Code.
        code: bool,
        /// A keyboard key.
        keyboard: bool,
        /// Struck through.
        strikethrough: bool,
        /// Raised.
        superscript: bool,
        /// Lowered.
        subscript: bool,
        /// Colours, when not the default ones.
        color: Option<TextColor>,
    }
    /// Colours of text.
    TextColor { /** Of the letters. */ text: Color, /** Behind them. */ background: Color }
}
