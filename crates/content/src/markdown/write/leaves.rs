//! The pieces of inline content, which are written one after another.
use super::Writer;
use super::escape::{self, Around};
use super::html;
use super::inlines::{Place, plain};
use crate::document::{Inline, InlineImage, Length, Link, Marks, Text, TextColor};
use crate::markdown::elements::style;
use crate::markdown::tagged::readable_length;

/// A mark around text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextMark {
    Bold,
    Italic,
    Strikethrough,
    Superscript,
    Subscript,
    Keyboard,
    /// Colours, by their CSS style.
    Color(String),
}

impl TextMark {
    /// Its syntax in Markdown.
    pub(super) fn markdown(&self) -> Option<&'static str> {
        match self {
            Self::Bold => Some("**"),
            Self::Italic => Some("_"),
            Self::Strikethrough => Some("~~"),
            _ => None,
        }
    }

    /// The start tag of its element.
    pub(super) fn open_html(&self) -> String {
        match self {
            Self::Color(style) => format!("<mark style=\"{style}\">"),
            other => other.close_html().replace("</", "<"),
        }
    }

    /// The end tag of its element.
    pub(super) fn close_html(&self) -> &'static str {
        match self {
            Self::Bold => "</strong>",
            Self::Italic => "</em>",
            Self::Strikethrough => "</del>",
            Self::Superscript => "</sup>",
            Self::Subscript => "</sub>",
            Self::Keyboard => "</kbd>",
            Self::Color(_) => "</mark>",
        }
    }
}

/// The marks around text, without code, which is written with the text itself.
pub(super) fn text_marks(marks: &Marks) -> Vec<TextMark> {
    let flags = [
        (marks.bold, TextMark::Bold),
        (marks.italic, TextMark::Italic),
        (marks.strikethrough, TextMark::Strikethrough),
        (marks.superscript, TextMark::Superscript),
        (marks.subscript, TextMark::Subscript),
        (marks.keyboard, TextMark::Keyboard),
    ];
    let mut text_marks: Vec<TextMark> = flags.into_iter().filter(|(on, _)| *on).map(|(_, mark)| mark).collect();
    let color = marks.color.as_ref().filter(|color| **color != TextColor::default());
    text_marks.extend(color.map(|color| TextMark::Color(style(color))));
    text_marks
}

/// A piece of a line.
pub(super) struct Leaf<'d> {
    /// The marks around it, without those that are open around the whole line.
    pub(super) text_marks: Vec<TextMark>,
    kind: LeafKind<'d>,
}

enum LeafKind<'d> {
    Text(&'d str),
    Code(&'d str),
    Break,
    Other(&'d Inline),
}

/// Splits inline content into leaves.
pub(super) fn leaves<'d>(content: &'d [Inline], outer: &[TextMark]) -> Vec<Leaf<'d>> {
    let mut leaves: Vec<(Option<Vec<TextMark>>, LeafKind<'d>)> = Vec::new();
    for inline in content {
        match inline {
            Inline::Text(text) => text_leaves(text, &mut leaves),
            Inline::Link(link) => leaves.push((common(&link.content), LeafKind::Other(inline))),
            Inline::Annotation(note) => leaves.push((common(&note.content), LeafKind::Other(inline))),
            other => leaves.push((None, LeafKind::Other(other))),
        }
    }
    // An element without marks of its own continues the marks that both of its neighbours have.
    let mut next: Vec<TextMark> = Vec::new();
    let mut nexts: Vec<Vec<TextMark>> = Vec::with_capacity(leaves.len());
    for (text_marks, _) in leaves.iter().rev() {
        nexts.push(next.clone());
        if let Some(text_marks) = text_marks {
            next.clone_from(text_marks);
        }
    }
    let mut before: Vec<TextMark> = Vec::new();
    (leaves.into_iter().zip(nexts.into_iter().rev()))
        .map(|((text_marks, kind), next)| {
            let text_marks = match (text_marks, &kind) {
                (None, _) => before.iter().filter(|mark| next.contains(mark)).cloned().collect(),
                // A link alone has its marks inside.
                (Some(text_marks), LeafKind::Other(_)) => {
                    text_marks.into_iter().filter(|mark| before.contains(mark) || next.contains(mark)).collect()
                }
                (Some(text_marks), _) => text_marks,
            };
            before.clone_from(&text_marks);
            Leaf { text_marks: text_marks.into_iter().filter(|mark| !outer.contains(mark)).collect(), kind }
        })
        .collect()
}

fn text_leaves<'d>(text: &'d Text, leaves: &mut Vec<(Option<Vec<TextMark>>, LeafKind<'d>)>) {
    let text_marks = text_marks(&text.marks);
    for (at, line) in text.text.split('\n').enumerate() {
        if at > 0 {
            leaves.push((Some(text_marks.clone()), LeafKind::Break));
        }
        if !line.is_empty() {
            leaves.push((
                Some(text_marks.clone()),
                if text.marks.code { LeafKind::Code(line) } else { LeafKind::Text(line) },
            ));
        }
    }
}

/// The marks that all text in it has; `None` if there is no text.
fn common(content: &[Inline]) -> Option<Vec<TextMark>> {
    let mut common: Option<Vec<TextMark>> = None;
    for inline in content {
        let own = match inline {
            Inline::Text(text) => text_marks(&text.marks),
            Inline::Link(link) => match self::common(&link.content) {
                Some(text_marks) => text_marks,
                None => continue,
            },
            _ => continue,
        };
        common = Some(match common {
            None => own,
            Some(text_marks) => text_marks.into_iter().filter(|mark| own.contains(mark)).collect(),
        });
    }
    common
}

impl Leaf<'_> {
    pub(super) fn is_break(&self) -> bool {
        matches!(self.kind, LeafKind::Break)
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.kind, LeafKind::Text(_))
    }

    /// Whether it ends with a note: a colon after it would make the note's definition.
    pub(super) fn is_note(&self) -> bool {
        match self.kind {
            LeafKind::Other(Inline::Annotation(_)) => true,
            LeafKind::Other(Inline::Verbatim { source }) => source.ends_with(']'),
            _ => false,
        }
    }

    pub(super) fn is_verbatim(&self) -> bool {
        matches!(self.kind, LeafKind::Other(Inline::Verbatim { .. }))
    }

    /// Whether the CommonMark parser sees letters instead of it.
    pub(super) fn is_letters(&self) -> bool {
        match self.kind {
            LeafKind::Other(Inline::Math { .. }) => true,
            LeafKind::Other(Inline::Verbatim { source }) => source.starts_with("{%"),
            _ => false,
        }
    }

    /// The number of tildes in its text.
    pub(super) fn tildes(&self) -> usize {
        match self.kind {
            LeafKind::Text(text) => text.matches('~').count(),
            LeafKind::Other(Inline::Link(link)) => super::super::plain_text(&link.content).matches('~').count(),
            _ => 0,
        }
    }

    /// The first written character.
    pub(super) fn first_char(&self) -> Option<char> {
        match self.kind {
            LeafKind::Text(text) => text.chars().next(),
            LeafKind::Code(_) => Some('`'),
            LeafKind::Break => None,
            LeafKind::Other(Inline::Link(_) | Inline::Mention { .. } | Inline::Annotation(_)) => Some('['),
            LeafKind::Other(Inline::Image(_)) => Some('!'),
            LeafKind::Other(Inline::Math { .. }) => Some('$'),
            LeafKind::Other(Inline::Verbatim { source }) => source.chars().next(),
            LeafKind::Other(_) => Some('<'),
        }
    }

    /// The text at its beginning, for decisions that depend on the following text.
    pub(super) fn following(&self) -> String {
        match self.kind {
            LeafKind::Text(text) => text.chars().take(3).collect(),
            LeafKind::Break => "\n".to_owned(),
            _ => "<".to_owned(),
        }
    }

    pub(super) fn write(
        &self,
        writer: &mut Writer<'_>,
        place: Place,
        open: &[TextMark],
        around: Around,
        following: &str,
        closes: bool,
    ) -> String {
        match self.kind {
            LeafKind::Text(text) => {
                let mut out = String::new();
                escape::text(text, around, &mut out);
                if place == Place::Cell { escape_pipes(&out) } else { out }
            }
            LeafKind::Code(code) => write_code(code, place),
            LeafKind::Break => String::new(),
            LeafKind::Other(inline) => {
                let following = if closes { "*" } else { following };
                let out = writer.other(inline, place, open, around, following);
                // Source that is hidden from the CommonMark parser may have pipes in a cell.
                if place == Place::Cell && !self.is_letters() { escape_pipes(&out) } else { out }
            }
        }
    }
}

fn write_code(code: &str, place: Place) -> String {
    let odd = code.contains(['\r', '\u{b}', '\u{c}']) || (place == Place::Cell && code.contains("\\|"));
    if odd {
        let mut out = String::from("<code>");
        for each in code.chars() {
            match each {
                each if each.is_ascii_punctuation() || each.is_control() || each == ' ' => {
                    out.push_str(&format!("&#{};", u32::from(each)));
                }
                each => out.push(each),
            }
        }
        out.push_str("</code>");
        return out;
    }
    let written = escape::code(code);
    if place == Place::Cell { written.replace('|', "\\|") } else { written }
}

fn escape_pipes(written: &str) -> String {
    let mut out = String::with_capacity(written.len());
    let mut escaped = false;
    for each in written.chars() {
        if each == '|' && !escaped {
            out.push('\\');
        }
        escaped = each == '\\' && !escaped;
        out.push(each);
    }
    out
}

impl Writer<'_> {
    fn other(&mut self, inline: &Inline, place: Place, open: &[TextMark], around: Around, following: &str) -> String {
        match inline {
            Inline::Link(link) => self.link(link, place, open, around, following),
            Inline::Annotation(note) => {
                let content = if note.content.is_empty() {
                    String::new()
                } else {
                    format!("[{}]", self.inlines(&note.content, Place::Brackets, open))
                };
                format!("{content}[^{}]", self.note(note.label.as_deref(), &note.body))
            }
            Inline::Image(image) => self.inline_image(image),
            Inline::Mention { target } => {
                let href = self.href(target);
                let destination = escape::destination(&href, Some("mention"));
                format!("[{}]({destination})", plain(&href, Place::Brackets, false))
            }
            Inline::Math { formula } => format!("$${}$$", formula.replace('\n', " ")),
            Inline::Verbatim { source } => source.replace('\n', " "),
            Inline::Expression { expression } => {
                let inner = plain(expression, Place::Brackets, false);
                format!("<code class=\"expression\">{inner}</code>")
            }
            Inline::Emoji { code } => html::emoji(code),
            other => self.inline_html(other),
        }
    }

    fn link(&mut self, link: &Link, place: Place, open: &[TextMark], around: Around, following: &str) -> String {
        let href = self.link_href(&link.target.0, link.query.as_ref());
        if let ([Inline::Text(text)], None) = (&link.content[..], &link.title)
            && !text.marks.code
            && place != Place::Brackets
            && text_marks(&text.marks).iter().all(|mark| open.contains(mark))
        {
            if open.is_empty() && escape::is_bare_link(&text.text, &href, around.before, following) {
                return text.text.clone();
            }
            if escape::is_pointed_link(&text.text, &href) {
                return format!("<{}>", text.text);
            }
        }
        let content = self.inlines(&link.content, Place::Brackets, open);
        format!("[{content}]({})", escape::destination(&href, link.title.as_deref()))
    }

    fn inline_image(&mut self, image: &InlineImage) -> String {
        let is_given = |length: &Option<Length>| readable_length(length.as_ref()).is_some();
        let has_size = image.size.is_some() || is_given(&image.width) || is_given(&image.height);
        let plain_image = image.source_dark.is_none() && !has_size;
        if !plain_image || image.alt.as_deref() == Some("") {
            return self.inline_image_html(image);
        }
        let alt = plain(&image.alt.as_deref().unwrap_or_default().replace(['\n', '\r'], " "), Place::Brackets, false);
        let destination = escape::destination(&self.href(&image.source.0), image.caption.as_deref());
        format!("![{alt}]({destination})")
    }
}
