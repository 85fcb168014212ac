//! The texts of content that are translated, and content with translated texts.
mod anchors;
mod document;
mod entries;
#[cfg(test)]
mod tests;

use crate::tagged::{Line, Tagged};
use content::document::{Document, DocumentError, Inline, Key};
use content::page::{PageEntry, ReusableContent, Tag};
use std::sync::Arc;

/// A text that is translated separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its place.
    pub place: Place,
    /// Its kind.
    pub kind: TextKind,
    /// Its maximum number of characters, if there is a limit.
    pub limit: Option<usize>,
    /// The text. It has at least one letter outside of its tags.
    pub text: Tagged,
    /// The headings above it, the outermost first.
    pub headings: Arc<[String]>,
}

/// The place of a text in its document, page, reusable content or tag.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The title of a page or of a reusable content.
    Title,
    /// The shorter title of a page.
    LinkTitle,
    /// The description of a page.
    Description,
    /// The label of a tag.
    Label,
    /// In a block of a document.
    Block {
        /// The key of the block.
        key: Key,
        /// The text of the block.
        part: Part,
    },
}

/// One of the texts of a block. Numbers count the elements of this kind in the block, from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Its content.
    Line,
    /// Its title.
    Title,
    /// Its description.
    Description,
    /// The alternative text of an image.
    Alt,
    /// The text of a card.
    Label,
    /// The heading of this column of a table.
    Column(String),
    /// The label of an option of a column of a table.
    Choice {
        /// The column's id.
        column: String,
        /// The option's name in records.
        value: String,
    },
    /// The title of a link, which is shown on hover.
    LinkTitle(usize),
    /// The alternative text of an image in a line.
    ImageAlt(usize),
    /// The caption of an image in a line.
    ImageCaption(usize),
    /// The label of a button.
    Button(usize),
}

/// The kind of a text, which affects the translation of short texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextKind {
    /// The title of a page, a tab, a step or the like.
    Title,
    /// A heading.
    Heading,
    /// Running text.
    Text,
    /// A cell or the heading of a column.
    Cell,
    /// A caption, or the alternative text of an image.
    Caption,
    /// The label of a button, a tag or an option.
    Label,
}

impl TextKind {
    /// Its name, which is part of the keys of the memory: it never changes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Heading => "heading",
            Self::Text => "text",
            Self::Cell => "cell",
            Self::Caption => "caption",
            Self::Label => "label",
        }
    }
}

/// Content with texts to translate.
pub trait Translatable: Sized {
    /// The texts, in a fixed order. Texts without a letter outside of tags are left out.
    fn units(&self) -> Vec<Unit>;

    /// The content with translated texts: an answer for each of the [units](Self::units), in the same order.
    ///
    /// A text without an answer stays unchanged, and so does one whose answer does not have its tags. Ids, keys, slugs
    /// and targets do not change. In a document, every heading, tab and expandable gets its old anchor as a fixed id,
    /// so links to it work in every language.
    ///
    /// # Errors
    /// If the document would exceed the maximum size.
    fn assembled(&self, answers: &[Option<Tagged>]) -> Result<Self, DocumentError>;
}

/// A text that was found.
struct Found<'a> {
    place: Place,
    kind: TextKind,
    limit: Option<usize>,
    /// The level of the heading with this text.
    level: Option<u8>,
    text: TextMut<'a>,
}

/// A mutable text in its place.
enum TextMut<'a> {
    Line(&'a mut Vec<Inline>),
    Plain(&'a mut String),
}

impl TextMut<'_> {
    fn line(&self) -> Line {
        match self {
            Self::Line(content) => Line::of(content),
            Self::Plain(text) => Line::plain(text),
        }
    }

    fn put(self, line: &Line, translation: &Tagged) {
        match self {
            Self::Line(content) => *content = line.put(translation),
            Self::Plain(text) => *text = line.put_plain(translation),
        }
    }
}

type Visit<'v> = dyn FnMut(Found<'_>) + 'v;

/// Content with texts that can be visited. One traversal both lists and replaces them, so both use the same texts.
trait Texts: Clone {
    fn each_text(&mut self, visit: &mut Visit<'_>);

    /// Further changes of translated content.
    fn finish(self, _source: &Self) -> Result<Self, DocumentError> {
        Ok(self)
    }
}

fn units(content: &impl Texts) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut above: Vec<(u8, String)> = Vec::new();
    let mut headings: Arc<[String]> = Arc::default();
    content.clone().each_text(&mut |found| {
        let line = found.text.line();
        let level = found.level;
        let words = level.map(|level| (level, line.text.words()));
        if line.text.has_letters() {
            let Found { place, kind, limit, .. } = found;
            units.push(Unit { place, kind, limit, text: line.text, headings: Arc::clone(&headings) });
        }
        if let Some((level, words)) = words {
            above.retain(|(outer, _)| *outer < level);
            above.push((level, words));
            headings = above.iter().map(|(_, words)| words.clone()).collect();
        }
    });
    units
}

fn assembled<T: Texts>(content: &T, answers: &[Option<Tagged>]) -> Result<T, DocumentError> {
    let mut answers = answers.iter();
    let mut translated = content.clone();
    translated.each_text(&mut |found| {
        let line = found.text.line();
        if line.text.has_letters()
            && let Some(Some(answer)) = answers.next()
            && answer.fits(&line.text)
        {
            found.text.put(&line, answer);
        }
    });
    translated.finish(content)
}

macro_rules! translatable {
    ($($type:ty)*) => {$(
        impl Translatable for $type {
            fn units(&self) -> Vec<Unit> {
                units(self)
            }

            fn assembled(&self, answers: &[Option<Tagged>]) -> Result<Self, DocumentError> {
                assembled(self, answers)
            }
        }
    )*};
}
translatable! { Document PageEntry ReusableContent Tag }
