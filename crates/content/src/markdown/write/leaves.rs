//! The pieces of inline content that are written one after another.
use super::Writer;
use super::escape::{self, Around};
use super::html;
use super::inlines::{Place, plain};
use crate::document::{Inline, InlineImage, Link, Marks, Text, TextColor};
use crate::markdown::elements::style;

/// A look that surrounds text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Look {
    Bold,
    Italic,
    Strikethrough,
    Superscript,
    Subscript,
    Keyboard,
    /// Colours, by their style.
    Color(String),
}

impl Look {
    /// Its mark in Markdown.
    pub(super) fn markdown(&self) -> Option<&'static str> {
        match self {
            Self::Bold => Some("**"),
            Self::Italic => Some("_"),
            Self::Strikethrough => Some("~~"),
            _ => None,
        }
    }

    /// The begin of its element.
    pub(super) fn open_html(&self) -> String {
        match self {
            Self::Color(style) => format!("<mark style=\"{style}\">"),
            other => other.close_html().replace("</", "<"),
        }
    }

    /// The end of its element.
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

/// The looks of marks. Code is no look here: it is written at the text.
pub(super) fn looks(marks: &Marks) -> Vec<Look> {
    let flags = [
        (marks.bold, Look::Bold),
        (marks.italic, Look::Italic),
        (marks.strikethrough, Look::Strikethrough),
        (marks.superscript, Look::Superscript),
        (marks.subscript, Look::Subscript),
        (marks.keyboard, Look::Keyboard),
    ];
    let mut looks: Vec<Look> = flags.into_iter().filter(|(on, _)| *on).map(|(_, look)| look).collect();
    let color = marks.color.as_ref().filter(|color| **color != TextColor::default());
    looks.extend(color.map(|color| Look::Color(style(color))));
    looks
}

/// A piece of a line.
pub(super) struct Leaf<'d> {
    /// The looks around it, without those that are on around the whole line.
    pub(super) looks: Vec<Look>,
    what: What<'d>,
}

enum What<'d> {
    Text(&'d str),
    Code(&'d str),
    Break,
    Other(&'d Inline),
}

/// Cuts inline content into leaves.
pub(super) fn leaves<'d>(content: &'d [Inline], outer: &[Look]) -> Vec<Leaf<'d>> {
    let mut leaves: Vec<(Option<Vec<Look>>, What<'d>)> = Vec::new();
    for inline in content {
        match inline {
            Inline::Text(text) => text_leaves(text, &mut leaves),
            Inline::Link(link) => leaves.push((common(&link.content), What::Other(inline))),
            Inline::Annotation(note) => leaves.push((common(&note.content), What::Other(inline))),
            other => leaves.push((None, What::Other(other))),
        }
    }
    // What has no look of its own keeps the marks around it together where both of its sides have them.
    let mut next: Vec<Look> = Vec::new();
    let mut nexts: Vec<Vec<Look>> = Vec::with_capacity(leaves.len());
    for (looks, _) in leaves.iter().rev() {
        nexts.push(next.clone());
        if let Some(looks) = looks {
            next.clone_from(looks);
        }
    }
    let mut before: Vec<Look> = Vec::new();
    (leaves.into_iter().zip(nexts.into_iter().rev()))
        .map(|((looks, what), next)| {
            let looks = match (looks, &what) {
                (None, _) => before.iter().filter(|look| next.contains(look)).cloned().collect(),
                // A link alone has its marks inside.
                (Some(looks), What::Other(_)) => {
                    looks.into_iter().filter(|look| before.contains(look) || next.contains(look)).collect()
                }
                (Some(looks), _) => looks,
            };
            before.clone_from(&looks);
            Leaf { looks: looks.into_iter().filter(|look| !outer.contains(look)).collect(), what }
        })
        .collect()
}

fn text_leaves<'d>(text: &'d Text, leaves: &mut Vec<(Option<Vec<Look>>, What<'d>)>) {
    let looks = looks(&text.marks);
    for (at, line) in text.text.split('\n').enumerate() {
        if at > 0 {
            leaves.push((Some(looks.clone()), What::Break));
        }
        if !line.is_empty() {
            leaves.push((Some(looks.clone()), if text.marks.code { What::Code(line) } else { What::Text(line) }));
        }
    }
}

/// The looks that all text in here has; `None` when there is no text.
fn common(content: &[Inline]) -> Option<Vec<Look>> {
    let mut common: Option<Vec<Look>> = None;
    for inline in content {
        let own = match inline {
            Inline::Text(text) => looks(&text.marks),
            Inline::Link(link) => match self::common(&link.content) {
                Some(looks) => looks,
                None => continue,
            },
            _ => continue,
        };
        common = Some(match common {
            None => own,
            Some(looks) => looks.into_iter().filter(|look| own.contains(look)).collect(),
        });
    }
    common
}

impl Leaf<'_> {
    pub(super) fn is_break(&self) -> bool {
        matches!(self.what, What::Break)
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.what, What::Text(_))
    }

    /// Whether it ends with a note, after which a colon would make the note's definition.
    pub(super) fn is_note(&self) -> bool {
        match self.what {
            What::Other(Inline::Annotation(_)) => true,
            What::Other(Inline::Verbatim { source }) => source.ends_with(']'),
            _ => false,
        }
    }

    pub(super) fn is_verbatim(&self) -> bool {
        matches!(self.what, What::Other(Inline::Verbatim { .. }))
    }

    /// Whether the CommonMark parser gets to see letters in its place.
    pub(super) fn is_letters(&self) -> bool {
        match self.what {
            What::Other(Inline::Math { .. }) => true,
            What::Other(Inline::Verbatim { source }) => source.starts_with("{%"),
            _ => false,
        }
    }

    /// How many tildes are in its text.
    pub(super) fn tildes(&self) -> usize {
        match self.what {
            What::Text(text) => text.matches('~').count(),
            What::Other(Inline::Link(link)) => super::super::plain_text(&link.content).matches('~').count(),
            _ => 0,
        }
    }

    /// The first character it is written with.
    pub(super) fn first_char(&self) -> Option<char> {
        match self.what {
            What::Text(text) => text.chars().next(),
            What::Code(_) => Some('`'),
            What::Break => None,
            What::Other(Inline::Link(_) | Inline::Mention { .. } | Inline::Annotation(_)) => Some('['),
            What::Other(Inline::Image(_)) => Some('!'),
            What::Other(Inline::Math { .. }) => Some('$'),
            What::Other(Inline::Verbatim { source }) => source.chars().next(),
            What::Other(_) => Some('<'),
        }
    }

    /// The text it begins with, for what has to know what follows.
    pub(super) fn following(&self) -> String {
        match self.what {
            What::Text(text) => text.chars().take(3).collect(),
            What::Break => "\n".to_owned(),
            _ => "<".to_owned(),
        }
    }

    pub(super) fn write(
        &self,
        writer: &mut Writer<'_>,
        place: Place,
        open: &[Look],
        around: Around,
        following: &str,
        closes: bool,
    ) -> String {
        match self.what {
            What::Text(text) => {
                let mut out = String::new();
                escape::text(text, around, &mut out);
                if place == Place::Cell { escape_pipes(&out) } else { out }
            }
            What::Code(code) => write_code(code, place),
            What::Break => String::new(),
            What::Other(inline) => {
                let following = if closes { "*" } else { following };
                let out = writer.other(inline, place, open, around, following);
                // What is hidden from the CommonMark parser may have pipes in a cell.
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
    fn other(&mut self, inline: &Inline, place: Place, open: &[Look], around: Around, following: &str) -> String {
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

    fn link(&mut self, link: &Link, place: Place, open: &[Look], around: Around, following: &str) -> String {
        let href = self.link_href(&link.target.0, link.query.as_ref());
        if let ([Inline::Text(text)], None) = (&link.content[..], &link.title)
            && !text.marks.code
            && place != Place::Brackets
            && looks(&text.marks).iter().all(|look| open.contains(look))
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
        let plain_image = image.source_dark.is_none() && image.size.is_none();
        if !plain_image || image.alt.as_deref() == Some("") {
            return self.inline_image_html(image);
        }
        let alt = plain(&image.alt.as_deref().unwrap_or_default().replace(['\n', '\r'], " "), Place::Brackets, false);
        let destination = escape::destination(&self.href(&image.source.0), image.caption.as_deref());
        format!("![{alt}]({destination})")
    }
}
