//! Which texts of content are translated, and content with translated texts.
mod anchors;
mod document;
mod entries;
#[cfg(test)]
mod tests;

use crate::tagged::{Line, Tagged};
use content::document::{Document, DocumentError, Inline, Key};
use content::page::{PageEntry, ReusableContent, Tag};
use std::sync::Arc;

/// A text that is translated by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Where it is.
    pub place: Place,
    /// What it is.
    pub kind: TextKind,
    /// The most characters that it may have, if there is a limit.
    pub limit: Option<usize>,
    /// The text. It has at least one letter outside its tags.
    pub text: Tagged,
    /// The headings above it, the outermost first.
    pub headings: Arc<[String]>,
}

/// The place of a text in what it is a part of.
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
        /// Which of its texts.
        part: Part,
    },
}

/// One of the texts of a block. Numbers count the things of this sort in the block, from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Its content.
    Line,
    /// Its title.
    Title,
    /// Its description.
    Description,
    /// What an image shows.
    Alt,
    /// The words of a card.
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
    /// What hovering over a link shows.
    LinkTitle(usize),
    /// What an image in a line shows.
    ImageAlt(usize),
    /// The caption of an image in a line.
    ImageCaption(usize),
    /// The words of a button.
    Button(usize),
}

/// What a text is, as far as it decides how a few words are translated.
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
    /// A caption, or what an image shows.
    Caption,
    /// The words of a button, a tag or an option.
    Label,
}

impl TextKind {
    /// Its name, which is part of the memory's keys: it never changes.
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

/// Content that has texts to translate.
pub trait Translatable: Sized {
    /// The texts, in a fixed order. Texts without a letter outside tags are left out.
    fn units(&self) -> Vec<Unit>;

    /// The content with translated texts: an answer for each of the [units](Self::units), in the same order.
    ///
    /// A text without an answer stays, and so does one whose answer does not have its tags. Ids, keys, slugs and targets are
    /// as they were. In a document, every heading, tab and expandable gets the anchor that it had as a fixed id, so that
    /// links to it lead to it in every language.
    ///
    /// # Errors
    /// If the document would be larger than one may be.
    fn assembled(&self, answers: &[Option<Tagged>]) -> Result<Self, DocumentError>;
}

/// A text that was found.
struct Found<'a> {
    place: Place,
    kind: TextKind,
    limit: Option<usize>,
    /// The level of the heading whose line it is.
    level: Option<u8>,
    text: TextMut<'a>,
}

/// A text where it is.
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

/// Content whose texts can be visited: one traversal lists them and replaces them, so that both see the same ones.
trait Texts: Clone {
    fn each_text(&mut self, visit: &mut Visit<'_>);

    /// What else is done to translated content.
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
