//! Writes a document as canonical Markdown: reading and writing it again changes no byte.
mod blocks;
mod containers;
mod escape;
mod html;
mod inlines;
mod leaves;
mod tables;
mod tags;

use super::dialects::is_import;
use super::front_matter::FrontMatter;
use super::links::{BROKEN_REFERENCE, Hrefs, Unresolved};
use super::raw::{RAW_ELEMENTS, begins_raw_element};
use crate::document::{Block, Document, Inline, Kind};
use crate::reference::ContentRef;
use std::collections::{HashMap, HashSet};

/// Writes the text of a page.
pub fn write(document: &Document, hrefs: &dyn Hrefs) -> String {
    let mut writer = Writer::new(hrefs, &document.blocks);
    writer.document(&document.blocks, "");
    writer.out
}

/// Writes a page's file: front matter, title and text.
pub fn write_page(
    front_matter: Option<&FrontMatter>,
    title: Option<&str>,
    document: &Document,
    hrefs: &dyn Hrefs,
) -> String {
    let mut writer = Writer::new(hrefs, &document.blocks);
    if let Some(front_matter) = front_matter {
        writer.out = front_matter.write();
    }
    let heading = title.map(|title| {
        let words = title.replace(['\n', '\r', '\t'], " ");
        format!("# {}", inlines::plain(words.trim_matches(' '), inlines::Place::Heading, writer.has_definitions))
    });
    writer.document(&document.blocks, heading.as_deref().unwrap_or_default());
    writer.out
}

/// Writes the definition of a footnote without references, without its last line feed.
pub(super) fn footnote(label: &str, body: &[Block]) -> String {
    let mut writer = Writer::new(&Unresolved, body);
    writer.definition(label, body);
    writer.out.trim_end_matches('\n').to_owned()
}

/// The position in a sequence of blocks where more can be written: at its end, or before a last block that would absorb
/// it.
pub(super) fn end_of_flow(blocks: &[Block]) -> usize {
    match blocks.last().map(|block| &block.kind) {
        Some(Kind::Verbatim(verbatim)) if never_ends(&verbatim.source) => blocks.len() - 1,
        _ => blocks.len(),
    }
}

/// Whether HTML starts an element that continues over blank lines and does not end in it.
fn never_ends(source: &str) -> bool {
    let lower = source.to_ascii_lowercase();
    let pairs = [("<!--", "-->"), ("<?", "?>"), ("<![cdata[", "]]>")];
    if let Some((_, end)) = pairs.iter().find(|(start, _)| lower.starts_with(start)) {
        return !lower.contains(end);
    }
    if lower.starts_with("<!") {
        return !lower.contains('>');
    }
    begins_raw_element(&lower) && !RAW_ELEMENTS.iter().any(|name| lower.contains(&format!("</{name}>")))
}

/// The text that is written so far, and the state for the rest.
struct Writer<'h> {
    hrefs: &'h dyn Hrefs,
    out: String,
    /// The prefix of every line.
    prefix: String,
    /// The prefix of the next line, if it is another one.
    lead: Option<String>,
    /// Written notes by label, in order.
    notes: Vec<(String, String)>,
    labels: HashMap<String, usize>,
    next_label: usize,
    /// Whether the text defines references, so that every bracket could be a link.
    has_definitions: bool,
    /// The end tags without a start tag next to the current block.
    stray_ends: HashSet<String>,
}

impl<'h> Writer<'h> {
    fn new(hrefs: &'h dyn Hrefs, blocks: &[Block]) -> Self {
        Self {
            hrefs,
            out: String::new(),
            prefix: String::new(),
            lead: None,
            notes: Vec::new(),
            labels: HashMap::new(),
            next_label: 1,
            has_definitions: defines(blocks),
            stray_ends: HashSet::new(),
        }
    }

    /// The address of a reference.
    fn href(&self, target: &ContentRef) -> String {
        match target {
            ContentRef::Url { url } => url.clone(),
            other => self.hrefs.href(other).unwrap_or_else(|| BROKEN_REFERENCE.to_owned()),
        }
    }

    /// The address of a link with a query.
    fn link_href(&self, target: &ContentRef, query: Option<&String>) -> String {
        let href = self.href(target);
        match query.filter(|_| target.is_page()) {
            Some(query) => {
                let (place, anchor) = href.split_at(href.find('#').unwrap_or(href.len()));
                format!("{place}?{query}{anchor}")
            }
            None => href,
        }
    }

    /// Writes lines.
    fn lines(&mut self, text: &str) {
        for line in text.split('\n') {
            let lead = self.lead.take();
            let start = lead.as_deref().unwrap_or(&self.prefix);
            if line.is_empty() {
                // The box of a task needs the space after it.
                self.out.push_str(if start.ends_with("] ") { start } else { start.trim_end() });
            } else {
                self.out.push_str(start);
                self.out.push_str(line);
            }
            self.out.push('\n');
        }
    }

    /// Writes the output of `inside`, with `first` before its first line and `rest` before the others.
    fn within(&mut self, first: &str, rest: &str, inside: impl FnOnce(&mut Self)) {
        let lead = format!("{}{first}", self.lead.as_deref().unwrap_or(&self.prefix));
        self.lead = Some(lead);
        let length = self.prefix.len();
        self.prefix.push_str(rest);
        inside(self);
        self.prefix.truncate(length);
        if self.lead.is_some() {
            self.lines("");
        }
    }

    /// Writes all blocks, after a heading if there is one, and the notes.
    fn document(&mut self, blocks: &[Block], heading: &str) {
        let start = self.out.len();
        if !heading.is_empty() {
            self.lines(heading);
        }
        let end = end_of_flow(blocks);
        let (flow, last) = blocks.split_at(end);
        let divider = heading.is_empty() && matches!(flow.first().map(|first| &first.kind), Some(Kind::Divider));
        let flow = if divider {
            // Three dashes in the first line would be front matter.
            self.lines("***");
            &flow[1..]
        } else {
            flow
        };
        self.flow(flow, !divider && heading.is_empty());
        self.write_notes();
        self.flow(last, self.out.is_empty());
        if self.out[start..].lines().next().is_some_and(is_import) {
            // Imports at the beginning become comments.
            self.out.replace_range(start..=start, "&#105;");
        }
    }

    fn write_notes(&mut self) {
        for (label, body) in std::mem::take(&mut self.notes) {
            if !self.out.is_empty() {
                self.lines("");
            }
            self.within(&format!("[^{label}]: "), "    ", |writer| writer.lines(&body));
        }
    }

    fn definition(&mut self, label: &str, body: &[Block]) {
        self.within(&format!("[^{label}]: "), "    ", |writer| writer.flow(body, true));
    }

    /// Adds a note, and returns its label.
    fn note(&mut self, label: Option<&str>, body: &[Block]) -> String {
        let mut inner = Writer::new(self.hrefs, &[]);
        inner.has_definitions = self.has_definitions;
        inner.flow(body, true);
        let own = inner.out.trim_end_matches('\n').to_owned();
        let fine = |label: &&str| {
            !label.is_empty() && !label.contains(|each: char| each.is_whitespace() || "[]".contains(each))
        };
        if let Some(label) = label.filter(fine) {
            match self.labels.get(&label.to_lowercase()) {
                None => return self.add_note(label.to_owned(), own),
                Some(at) if self.notes[*at].1 == own => return label.to_owned(),
                Some(_) => {}
            }
        }
        loop {
            let label = self.next_label.to_string();
            self.next_label += 1;
            if !self.labels.contains_key(&label) {
                return self.add_note(label, own);
            }
        }
    }

    fn add_note(&mut self, label: String, body: String) -> String {
        self.labels.insert(label.to_lowercase(), self.notes.len());
        self.notes.push((label.clone(), body));
        label
    }
}

/// Whether verbatim source may define references.
fn defines(blocks: &[Block]) -> bool {
    blocks.iter().any(|block| {
        let own = matches!(&block.kind, Kind::Verbatim(verbatim) if verbatim.source.contains("]:"));
        own || defines(&block.children)
            || block.content.iter().any(|inline| match inline {
                Inline::Verbatim { source } => source.contains("]:"),
                Inline::Annotation(note) => defines(&note.body),
                _ => false,
            })
    })
}
