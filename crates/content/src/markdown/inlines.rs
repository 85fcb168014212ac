//! Makes inline content from events.
use super::blocks::{Context, TooDeep};
use super::elements::Element;
use super::events::{Event, Mark};
use super::html::HtmlTag;
use super::links::LinkUse;
use super::matching::{End, matched};
use crate::document::{Annotation, Button, Icon, Inline, InlineImage, Link, Marks, Target, Text, TextColor};

/// Reads the inline content of `events`. `depth` is that of the block that contains it.
pub(super) fn inlines(events: Vec<Event>, context: &mut Context<'_, '_>, depth: usize) -> Result<Vec<Inline>, TooDeep> {
    if let [Event::Text(text)] = &events[..] {
        // Most lines have only text, so no element can belong to their brackets.
        return Ok(if text.is_empty() { Vec::new() } else { vec![Inline::from(text.as_str())] });
    }
    let mut ends = matched(&events);
    let mut builder =
        Builder { context, depth, open_marks: OpenMarks::default(), frames: vec![Frame::new(Capture::Root)] };
    let mut skip = 0;
    for (at, event) in events.iter().enumerate() {
        if at < skip {
            continue;
        }
        let Event::Html { source, line } = event else {
            builder.event(event)?;
            continue;
        };
        match ends[at].take() {
            Some(End::Open(element)) => builder.open(&element, source, *line),
            Some(End::Close(element)) => builder.close(element, source),
            None => match builder.context.picture(&events[at..]) {
                Some((image, length)) => {
                    builder.push(Inline::Image(Box::new(image)));
                    skip = at + length;
                }
                None => builder.html(source, *line),
            },
        }
    }
    let content = builder.frames.pop().map(|frame| frame.out).unwrap_or_default();
    Ok(settled(content))
}

/// Whether a certain mark is set.
type HasMark = fn(&Marks) -> bool;

/// The tags of marks, which are written where Markdown's own syntax is not possible.
const MARK_TAGS: [(&str, HasMark); 7] = [
    ("strong", |marks| marks.bold),
    ("em", |marks| marks.italic),
    ("del", |marks| marks.strikethrough),
    ("sup", |marks| marks.superscript),
    ("sub", |marks| marks.subscript),
    ("kbd", |marks| marks.keyboard),
    ("mark", |marks| marks.color.is_some()),
];

/// Content in which a verbatim tag cannot be taken for the end of a mark: such a tag becomes text.
fn settled(content: Vec<Inline>) -> Vec<Inline> {
    let named = |source: &str, name: &str| {
        let rest = source.strip_prefix("</").or_else(|| source.strip_prefix('<')).unwrap_or_default();
        rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && !rest[name.len()..].starts_with(|next: char| next.is_ascii_alphanumeric() || next == '-')
    };
    let verbatim = |inline: &Inline| matches!(inline, Inline::Verbatim { source } if source.starts_with('<'));
    if !content.iter().any(|inline| verbatim(inline) || matches!(inline, Inline::Link(_) | Inline::Annotation(_))) {
        return content;
    }
    let mut has = [false; MARK_TAGS.len()];
    note_marks(&content, &mut has);
    let used: Vec<&str> = MARK_TAGS.iter().zip(has).filter(|(_, has)| *has).map(|((name, _), _)| *name).collect();
    let is_text = |source: &str| used.iter().any(|name| named(source, name));
    if used.is_empty() { content } else { as_text(content, &is_text) }
}

/// Records which marks the content has.
fn note_marks(content: &[Inline], has: &mut [bool; MARK_TAGS.len()]) {
    for inline in content {
        match inline {
            Inline::Text(text) if text.marks != Marks::default() => {
                has.iter_mut().zip(MARK_TAGS).for_each(|(has, (_, has_mark))| *has |= has_mark(&text.marks));
            }
            Inline::Link(link) => note_marks(&link.content, has),
            Inline::Annotation(note) => note_marks(&note.content, has),
            _ => {}
        }
    }
}

fn as_text(content: Vec<Inline>, is_text: &dyn Fn(&str) -> bool) -> Vec<Inline> {
    let mut frame = Frame::new(Capture::Root);
    for inline in content {
        match inline {
            Inline::Verbatim { source } if is_text(&source) => frame.text(&source, &Marks::default()),
            Inline::Text(text) => frame.text(&text.text, &text.marks),
            Inline::Link(mut link) => {
                link.content = as_text(link.content, is_text);
                frame.push(Inline::Link(link));
            }
            Inline::Annotation(mut note) => {
                note.content = as_text(note.content, is_text);
                frame.push(Inline::Annotation(note));
            }
            other => frame.push(other),
        }
    }
    frame.out
}

/// The marks that are open.
#[derive(Clone, Debug, Default)]
struct OpenMarks {
    counts: [usize; 7],
    colors: Vec<TextColor>,
}

impl OpenMarks {
    fn count(&mut self, mark: Mark) -> &mut usize {
        &mut self.counts[mark as usize]
    }

    fn marks(&self) -> Marks {
        let on = |mark: Mark| self.counts[mark as usize] > 0;
        Marks {
            bold: on(Mark::Bold),
            italic: on(Mark::Italic),
            code: on(Mark::Code),
            keyboard: on(Mark::Keyboard),
            strikethrough: on(Mark::Strikethrough),
            superscript: on(Mark::Superscript),
            subscript: on(Mark::Subscript),
            color: self.colors.last().cloned(),
        }
    }
}

enum Capture {
    Root,
    Link { href: String, title: String, line: usize },
    Element { source: String, line: usize, marks: Marks },
}

struct Frame {
    out: Vec<Inline>,
    capture: Capture,
    /// The positions of open brackets: the index of a text, and the byte in it.
    brackets: Vec<(usize, usize)>,
    /// The last pair of brackets: its start and its end.
    pair: Option<((usize, usize), (usize, usize))>,
    /// The index of the last piece that cannot be annotated.
    fixed: Option<usize>,
}

impl Frame {
    fn new(capture: Capture) -> Self {
        Self { out: Vec::new(), capture, brackets: Vec::new(), pair: None, fixed: None }
    }

    fn push(&mut self, inline: Inline) {
        if matches!(inline, Inline::Annotation(_) | Inline::Mention { .. } | Inline::Button(_)) {
            self.fixed = Some(self.out.len());
        }
        self.out.push(inline);
    }

    /// Adds text; a line feed is never code, because code has no line breaks.
    fn text(&mut self, text: &str, marks: &Marks) {
        if !marks.code || !text.contains('\n') {
            return self.piece(text, marks);
        }
        for piece in text.split_inclusive('\n') {
            let line = piece.trim_end_matches('\n');
            self.piece(line, marks);
            self.piece(&piece[line.len()..], &Marks { code: false, ..marks.clone() });
        }
    }

    fn piece(&mut self, text: &str, marks: &Marks) {
        if text.is_empty() {
            return;
        }
        match self.out.last_mut() {
            Some(Inline::Text(last)) if last.marks == *marks => last.text.push_str(text),
            _ => self.out.push(Inline::Text(Text { text: text.to_owned(), marks: marks.clone() })),
        }
    }

    /// The end of the content: the index of its last text, and the byte after it.
    fn end(&self) -> Option<(usize, usize)> {
        match self.out.last() {
            Some(Inline::Text(text)) => Some((self.out.len() - 1, text.text.len())),
            _ => None,
        }
    }

    /// Records the brackets of the text that was added last.
    fn note_brackets(&mut self, text: &str) {
        let Some((index, end)) = self.end() else { return };
        let Some(start) = end.checked_sub(text.len()) else { return };
        for (at, bracket) in text.match_indices(['[', ']']) {
            if bracket == "[" {
                self.brackets.push((index, start + at));
            } else if let Some(open) = self.brackets.pop() {
                self.pair = Some((open, (index, start + at + 1)));
            }
        }
    }

    /// Removes and returns the text in the brackets that end here.
    fn take_bracketed(&mut self) -> Vec<Inline> {
        let Some(((index, byte), end)) = self.pair.take() else { return Vec::new() };
        if Some(end) != self.end() || self.fixed.is_some_and(|fixed| fixed >= index) {
            return Vec::new();
        }
        let mut taken = self.out.split_off(index);
        if let Some(Inline::Text(first)) = taken.first_mut() {
            let rest = first.text.split_off(byte + 1);
            let mut before = std::mem::replace(&mut first.text, rest);
            before.truncate(byte);
            let marks = first.marks.clone();
            self.piece(&before, &marks);
        }
        if let Some(Inline::Text(last)) = taken.last_mut() {
            last.text.pop();
        }
        taken.retain(|inline| !matches!(inline, Inline::Text(text) if text.text.is_empty()));
        taken
    }
}

struct Builder<'b, 'a, 'l> {
    context: &'b mut Context<'a, 'l>,
    depth: usize,
    open_marks: OpenMarks,
    frames: Vec<Frame>,
}

impl Builder<'_, '_, '_> {
    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(Capture::Root));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn push(&mut self, inline: Inline) {
        self.frame().push(inline);
    }

    fn text(&mut self, text: &str) {
        let marks = self.open_marks.marks();
        self.frame().text(text, &marks);
    }

    fn in_link(&self) -> bool {
        self.frames.len() > 1
    }

    fn event(&mut self, event: &Event) -> Result<(), TooDeep> {
        match event {
            Event::Text(text) => {
                self.text(text);
                if !self.open_marks.marks().code {
                    self.frame().note_brackets(text);
                }
            }
            Event::Literal(text) => self.text(text),
            Event::Break => {
                let marks = Marks { code: false, ..self.open_marks.marks() };
                self.frame().text("\n", &marks);
            }
            Event::Code(code) => {
                *self.open_marks.count(Mark::Code) += 1;
                self.text(code);
                *self.open_marks.count(Mark::Code) -= 1;
            }
            Event::Enter(mark) => *self.open_marks.count(*mark) += 1,
            Event::Leave(mark) => *self.open_marks.count(*mark) -= 1,
            Event::Link { href, title, line } => {
                self.frames.push(Frame::new(Capture::Link { href: href.clone(), title: title.clone(), line: *line }))
            }
            Event::EndLink => self.end_link(),
            Event::Image { href, title, alt, line } => {
                let source = Target(self.context.reference(href, LinkUse::Image, *line));
                let some = |text: &String| (!text.is_empty()).then(|| text.clone());
                let image = InlineImage { source, alt: some(alt), caption: some(title), ..InlineImage::default() };
                self.push(Inline::Image(Box::new(image)));
            }
            Event::Footnote(name) => self.footnote(name)?,
            Event::Html { source, line } => self.html(source, *line),
            Event::Math(formula) => self.push(Inline::Math { formula: formula.clone() }),
            Event::Raw(source) => self.push(Inline::Verbatim { source: source.clone() }),
        }
        Ok(())
    }

    fn end_link(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let Capture::Link { href, title, line } = frame.capture else { return };
        self.link(&href, Some(title), line, frame.out);
    }

    /// Adds a link; one with a certain title is a mention of its target. An empty title is none.
    fn link(&mut self, href: &str, title: Option<String>, line: usize, content: Vec<Inline>) {
        let (target, query) = self.context.link(href, line);
        let title = title.filter(|title| !title.is_empty());
        if title.as_deref() == Some("mention") {
            return self.push(Inline::Mention { target: Box::new(target) });
        }
        self.push(Inline::Link(Box::new(Link { target: Target(target), query, title, content })));
    }

    fn footnote(&mut self, name: &str) -> Result<(), TooDeep> {
        let note = if self.in_link() { None } else { self.context.footnote(name, self.depth)? };
        match note {
            Some((label, body)) => {
                let content = self.frame().take_bracketed();
                self.push(Inline::Annotation(Box::new(Annotation { content, body, label: Some(label) })));
            }
            None => self.push(Inline::Verbatim { source: format!("[^{name}]") }),
        }
        Ok(())
    }

    /// A tag without a partner, or a comment.
    fn html(&mut self, source: &str, line: usize) {
        let Some(mut tag) = HtmlTag::parse(source) else {
            return self.push(Inline::Verbatim { source: source.to_owned() });
        };
        if tag.name == "br" && !tag.close && tag.finish().is_ok() {
            let marks = Marks { code: false, ..self.open_marks.marks() };
            return self.frame().text("\n", &marks);
        }
        if tag.name == "img"
            && let Some(image) = self.context.inline_image(&mut tag, line)
        {
            return self.push(Inline::Image(Box::new(image)));
        }
        self.context.note_addresses(source, line);
        self.push(Inline::Verbatim { source: source.to_owned() });
    }

    fn open(&mut self, element: &Element, source: &str, line: usize) {
        match element {
            Element::Mark(mark) => *self.open_marks.count(*mark) += 1,
            Element::Color(color) => self.open_marks.colors.push(color.clone()),
            _ => {
                let marks = self.open_marks.marks();
                self.frames.push(Frame::new(Capture::Element { source: source.to_owned(), line, marks }));
            }
        }
    }

    fn close(&mut self, element: Element, end: &str) {
        match element {
            Element::Mark(mark) => *self.open_marks.count(mark) -= 1,
            Element::Color(_) => {
                self.open_marks.colors.pop();
            }
            element => self.end_element(element, end),
        }
    }

    fn end_element(&mut self, element: Element, end: &str) {
        let Some(frame) = self.frames.pop() else { return };
        let Capture::Element { source, line, marks } = frame.capture else { return };
        if let Element::Link { href, title } = element {
            return self.link(&href, title, line, frame.out);
        }
        let Some(words) = plain(&frame.out, &marks) else {
            // The element cannot have this content: its tags stay as source around the content.
            self.push(Inline::Verbatim { source });
            for inline in frame.out {
                match inline {
                    Inline::Text(text) => self.frame().text(&text.text, &text.marks),
                    other => self.push(other),
                }
            }
            return self.push(Inline::Verbatim { source: end.to_owned() });
        };
        match element {
            Element::Expression => self.push(Inline::Expression { expression: words }),
            Element::Icon { icon, color } => self.push(Inline::Icon(Icon { icon, color })),
            Element::Button { href, button } => {
                let target = href.map(|href| self.context.reference(&href, LinkUse::Link, line));
                self.push(Inline::Button(Box::new(Button { label: words, target, ..button })));
            }
            Element::Link { .. } | Element::Mark(_) | Element::Color(_) => {}
        }
    }
}

/// The text of content that has only text with the same marks.
fn plain(content: &[Inline], marks: &Marks) -> Option<String> {
    match content {
        [] => Some(String::new()),
        [Inline::Text(text)] if text.marks == *marks => Some(text.text.clone()),
        _ => None,
    }
}
