//! Writes blocks as Markdown.
use super::inlines::Place;
use super::{Writer, escape, tags};
use crate::document::{Block, Code, Inline, Kind, ListItem};
use crate::markdown::tags::Tag;
use crate::markdown::{heading_id, info};
use std::collections::HashSet;

impl Writer<'_> {
    /// Writes blocks with blank lines between them, and one before the first unless it is at the `start`.
    pub(super) fn flow(&mut self, blocks: &[Block], start: bool) {
        let mut first = start;
        let mut marker = None;
        let outer = std::mem::replace(&mut self.stray_ends, stray_ends(blocks));
        for block in blocks.iter().filter(|block| !is_nothing(block)) {
            if !first {
                self.lines("");
            }
            first = false;
            marker = self.block(block, marker);
        }
        self.stray_ends = outer;
    }

    /// Writes a block after one that ended with a list of this marker; returns its own marker if it is a list.
    fn block(&mut self, block: &Block, after: Option<char>) -> Option<char> {
        match &block.kind {
            Kind::Paragraph(paragraph) => match paragraph.align {
                None => {
                    let text = self.inlines(&block.content, Place::Paragraph, &[]);
                    self.lines(&text);
                }
                Some(align) => {
                    let text = self.aligned("p", align, None, &block.content);
                    self.lines(&text);
                }
            },
            Kind::Heading(heading) => {
                let level = usize::from(heading.level.clamp(1, 6));
                let text = match heading.align {
                    Some(align) => self.aligned(&format!("h{level}"), align, heading.id.as_deref(), &block.content),
                    None => {
                        let mut text = "#".repeat(level);
                        let words = self.inlines(&block.content, Place::Heading, &[]);
                        let id = heading.id.as_deref().filter(|id| heading_id::is_id(id)).map(heading_id::write);
                        for part in [Some(words), id].into_iter().flatten().filter(|part| !part.is_empty()) {
                            text.push(' ');
                            text.push_str(&part);
                        }
                        text
                    }
                };
                self.lines(&text);
            }
            Kind::ListOrdered(_) | Kind::ListUnordered | Kind::ListTasks => return Some(self.list(block, after)),
            Kind::Divider if self.lead.is_some() => self.lines("___"),
            Kind::Divider => self.lines("---"),
            Kind::Blockquote => self.within("> ", "> ", |writer| writer.flow(&block.children, true)),
            Kind::Code(code) => self.code(code, &block.content),
            Kind::Math(math) => self.math(&math.formula),
            Kind::Images(images) => {
                let text = self.images(images, &block.children);
                self.lines(&text);
            }
            Kind::Table(table) => self.table(table, &block.children),
            Kind::Verbatim(verbatim) => {
                self.lines(&verbatim.source);
                return verbatim.source.chars().next();
            }
            _ => self.container(block),
        }
        None
    }

    fn list(&mut self, block: &Block, after: Option<char>) -> char {
        let ordered = match &block.kind {
            Kind::ListOrdered(list) => Some(list.start.unwrap_or(1)),
            _ => None,
        };
        let marker = match (ordered, after) {
            (Some(_), Some('.' | '0'..='9')) => ')',
            (Some(_), _) => '.',
            (None, Some('*')) => '-',
            (None, _) => '*',
        };
        let tight = is_tight(block);
        for (at, item) in block.children.iter().enumerate() {
            if at > 0 && !tight {
                self.lines("");
            }
            let mark = match ordered {
                // A mark has nine digits at most; the numbers after the first one have no meaning.
                Some(start) => format!("{}{marker} ", start.saturating_add(at as u64).min(999_999_999)),
                None => format!("{marker} "),
            };
            let checked = match &item.kind {
                Kind::ListItem(ListItem { checked: Some(true) }) => "[x] ",
                Kind::ListItem(ListItem { checked: Some(false) }) => "[ ] ",
                _ => "",
            };
            let indent = " ".repeat(mark.len());
            self.within(&format!("{mark}{checked}"), &indent, |writer| {
                writer.item(item, marker, !checked.is_empty(), tight)
            });
        }
        marker
    }

    fn item(&mut self, item: &Block, marker: char, task: bool, tight: bool) {
        let children = &item.children;
        let text = children.first().is_some_and(|first| {
            matches!(&first.kind, Kind::Paragraph(paragraph) if paragraph.align.is_none()) && !first.content.is_empty()
        });
        if task && !text {
            // The box must be in a line of text, and this item has none.
            self.lines("");
            if !children.is_empty() {
                self.lines("");
            }
        }
        let outer = std::mem::replace(&mut self.stray_ends, stray_ends(children));
        let mut after = Some(marker).filter(|_| self.lead.is_some());
        let mut first = true;
        for child in children.iter().filter(|child| !is_nothing(child)) {
            if !first && !tight {
                self.lines("");
            }
            first = false;
            after = self.block(child, after);
        }
        self.stray_ends = outer;
    }

    fn code(&mut self, code: &Code, content: &[Inline]) {
        let attributes = tags::Attributes::default()
            .text("title", code.title.as_deref())
            .word("overflow", code.overflow.as_ref())
            .flag("lineNumbers", code.line_numbers)
            .flag("fullWidth", code.full_width)
            .flag("expandable", code.expandable)
            .text("collapsedLineCount", code.collapsed_line_count.map(|count| count.to_string()).as_deref());
        let tagged = !attributes.is_empty();
        if tagged {
            self.lines(&attributes.tag("code"));
        }
        let text = code_text(content);
        let info = info::write(code.syntax.as_deref(), &code.highlighted);
        let mark = if info.contains('`') { '~' } else { '`' };
        let longest = text.split(|each| each != mark).map(str::len).max().unwrap_or(0);
        let fence = mark.to_string().repeat(longest.max(2) + 1);
        self.lines(&format!("{fence}{}", escape_info(&info)));
        if !text.is_empty() {
            self.lines(&text);
        }
        self.lines(&fence);
        if tagged {
            self.lines("{% endcode %}");
        }
    }

    fn math(&mut self, formula: &str) {
        let odd = |line: &str| {
            let body = line.trim_start_matches([' ', '\t', '>']).trim_end();
            body == "$$" || body.starts_with("```") || body.starts_with("~~~") || body.starts_with("{%")
        };
        if formula.split('\n').any(odd) {
            return self.code(&Code { syntax: Some("math".to_owned()), ..Code::default() }, &[Inline::from(formula)]);
        }
        self.lines("$$");
        if !formula.is_empty() {
            self.lines(formula);
        }
        self.lines("$$");
    }
}

/// The names of end tags without a start tag in a sequence of blocks. A tag that needs no end tag must have one before
/// them.
fn stray_ends(blocks: &[Block]) -> HashSet<String> {
    let ends = blocks.iter().filter_map(|block| match &block.kind {
        Kind::Verbatim(verbatim) => Tag::lex(&verbatim.source)?.name.strip_prefix("end").map(str::to_owned),
        _ => None,
    });
    ends.collect()
}

/// Whether a block has no written form.
fn is_nothing(block: &Block) -> bool {
    match &block.kind {
        Kind::Paragraph(_) => block.content.is_empty(),
        Kind::ListOrdered(_) | Kind::ListUnordered | Kind::ListTasks | Kind::Images(_) => block.children.is_empty(),
        Kind::Verbatim(verbatim) => verbatim.source.trim().is_empty(),
        _ => false,
    }
}

/// The text of code with its inline elements.
fn code_text(content: &[Inline]) -> String {
    crate::markdown::plain_text(content)
}

fn escape_info(info: &str) -> String {
    let chars: Vec<char> = info.chars().collect();
    let mut out = String::with_capacity(info.len());
    for (at, each) in chars.iter().enumerate() {
        match each {
            '\\' if chars.get(at + 1).is_none_or(char::is_ascii_punctuation) => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            '{' if chars.get(at + 1) == Some(&'%') => out.push_str("\\{"),
            each => out.push(*each),
        }
    }
    out
}

/// Whether the items of a list have no blank lines between them: each is a line of text, with tight lists under it that
/// may follow text without a blank line.
fn is_tight(list: &Block) -> bool {
    list.children.iter().all(|item| {
        let Some((first, rest)) = item.children.split_first() else { return true };
        is_line(first) && rest.len() < 2 && rest.iter().all(follows_text)
    })
}

fn is_line(block: &Block) -> bool {
    matches!(&block.kind, Kind::Paragraph(paragraph) if paragraph.align.is_none()) && !block.content.is_empty()
}

fn follows_text(block: &Block) -> bool {
    let list = match &block.kind {
        Kind::ListUnordered | Kind::ListTasks => true,
        Kind::ListOrdered(list) => list.start.is_none(),
        _ => false,
    };
    list && block.children.first().and_then(|item| item.children.first()).is_some_and(is_line)
}

/// Writes an address in a tag, with its label.
pub(super) fn card(href: &str, label: Option<&str>) -> String {
    let label = crate::markdown::one_line(label.unwrap_or(href));
    let words = super::inlines::plain(&label, Place::Brackets, false);
    format!("[{words}]({})", escape::destination(href, None))
}
