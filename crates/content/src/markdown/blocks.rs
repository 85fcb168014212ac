//! Makes blocks from the output of the CommonMark parser.
use super::assembly::Assembly;
use super::bounds::absent_cells;
use super::events::of_node;
use super::footnotes::Footnotes;
use super::hidden::{Hidden, is_block_line};
use super::html_blocks::{OpenElements, begins_with, container_tags};
use super::inlines::inlines;
use super::links::{LinkAt, LinkUse, Links};
use super::parts::{Part, parts};
use super::{
    Place, admonitions, alerts, components, definitions, details, elements, heading_id, html_blocks, tables, tagged,
};
use crate::document::{
    Align, Block, Heading, Image, Images, Inline, InlineImage, Kind, ListItem, ListOrdered, Marks, Math, Paragraph,
    Text, Verbatim,
};
use crate::reference::ContentRef;
use comrak::nodes::{ListType, Node, NodeCodeBlock, NodeList, NodeValue};
use std::collections::HashSet;

/// The maximum depth of parsed blocks. The blocks of a document nest to 64; a few levels are left for tables.
pub(super) const LIMIT: usize = 60;

/// Blocks nest deeper than a document can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooDeep;

/// The state of parsing a text.
pub(super) struct Context<'a, 'l> {
    pub(super) hidden: &'a Hidden,
    pub(super) links: &'l dyn Links,
    pub(super) found: Vec<LinkAt>,
    pub(super) footnotes: Footnotes<'a>,
    /// The line of the file before the first one of the text.
    pub(super) line_offset: usize,
    pub(super) one_line: bool,
    /// The number of separately parsed texts that contain this one.
    pub(super) within: usize,
    /// Whether it is a file, which may begin with a title.
    is_file: bool,
    /// The number of cells that tables may still leave out.
    pub(super) absent_cells: usize,
    /// The number of parts that separately parsed texts may still have; `None` after the limit was exceeded.
    pub(super) parts_left: Option<usize>,
    lines: Vec<&'a str>,
}

impl<'a, 'l> Context<'a, 'l> {
    pub(super) fn new(hidden: &'a Hidden, links: &'l dyn Links, root: Node<'a>, place: Place, parts: usize) -> Self {
        Self {
            hidden,
            links,
            found: Vec::new(),
            footnotes: if hidden.text.contains("]:") { Footnotes::of(root) } else { Footnotes::default() },
            line_offset: place.line,
            one_line: place.one_line,
            within: place.within,
            is_file: place.is_file,
            absent_cells: absent_cells(hidden.text.len()),
            parts_left: Some(parts),
            lines: hidden.text.split('\n').collect(),
        }
    }

    /// The reference of an address.
    pub(super) fn reference(&mut self, href: &str, use_: LinkUse, line: usize) -> ContentRef {
        let resolved = self.links.resolve(href, use_);
        let line = self.line_offset + if self.one_line { 1 } else { line };
        self.found.push(LinkAt { href: href.to_owned(), line, use_, resolved: resolved.is_some() });
        resolved.unwrap_or_else(|| elements::as_written(href))
    }

    /// Like [`reference`](Self::reference), for a link; with the query of the address if it leads to a page.
    pub(super) fn link(&mut self, href: &str, line: usize) -> (ContentRef, Option<String>) {
        let target = self.reference(href, LinkUse::Link, line);
        let (place, anchor) = href.split_once('#').map_or((href, None), |(place, anchor)| (place, Some(anchor)));
        let Some((path, query)) = place.split_once('?') else { return (target, None) };
        // A file name may contain a `?`: this is a query if the address without it leads to the same page.
        let without = anchor.map_or_else(|| path.to_owned(), |anchor| format!("{path}#{anchor}"));
        let same = self.links.resolve(&without, LinkUse::Link).is_some_and(|without| without == target);
        let query = (same && target.is_page()).then(|| query.to_owned());
        (target, query)
    }

    /// The blocks of a whole text. Blocks that nest too deep are kept as source.
    pub(super) fn document(&mut self, root: Node<'a>, depth: usize) -> Vec<Block> {
        let used = if self.hidden.text.contains("]:") { definitions::destinations(root) } else { HashSet::new() };
        let mut assembly = Assembly::of(root, self.hidden, depth);
        let mut next = 1;
        for child in root.children() {
            let (start, end) = lines_of(child);
            for source in definitions::unused(&self.lines, next, start, child, &used) {
                assembly.block(verbatim(&self.hidden.restore(&source), "markdown"));
            }
            next = next.max(end + 1);
            let before = (self.found.len(), self.footnotes.mark());
            if self.node(child, &mut assembly).is_err() {
                self.found.truncate(before.0);
                self.footnotes.reset(before.1);
                let source = self.lines.get(start - 1..end.min(self.lines.len())).unwrap_or_default().join("\n");
                assembly.block(verbatim(&self.hidden.restore(&source), "markdown"));
            }
        }
        for source in definitions::unused_at_end(&self.lines, next, &used) {
            assembly.block(verbatim(&self.hidden.restore(&source), "markdown"));
        }
        assembly.finish()
    }

    /// The blocks inside `parent`.
    pub(super) fn children(&mut self, parent: Node<'a>, depth: usize) -> Result<Vec<Block>, TooDeep> {
        if depth > LIMIT {
            return Err(TooDeep);
        }
        let mut assembly = Assembly::of(parent, self.hidden, depth);
        for child in parent.children() {
            self.node(child, &mut assembly)?;
        }
        Ok(assembly.finish())
    }

    fn node(&mut self, node: Node<'a>, assembly: &mut Assembly) -> Result<(), TooDeep> {
        let depth = assembly.depth();
        if depth > LIMIT {
            return Err(TooDeep);
        }
        let (line, _) = lines_of(node);
        let data = node.data();
        let block = match &data.value {
            NodeValue::Paragraph => {
                let is_body = matches!(assembly.parent(), Some(Kind::Expandable(_)));
                let (block, end) = self.paragraph(node, depth, is_body)?;
                block.into_iter().for_each(|block| assembly.block(block));
                if let Some(end) = end {
                    assembly.close("details", &end, "html");
                }
                return Ok(());
            }
            NodeValue::Heading(heading) => {
                // At the start of a file, a heading of level 1 is the title of its page.
                let at_root = node.parent().is_some_and(|parent| matches!(parent.data().value, NodeValue::Document));
                let is_title = self.is_file && at_root && heading.level == 1 && assembly.has_only_comments();
                self.heading(node, heading.level, depth, is_title)?
            }
            NodeValue::ThematicBreak => Block::new(Kind::Divider),
            NodeValue::BlockQuote => {
                let mark = alerts::take(node);
                let inside = self.children(node, depth + 1)?;
                match mark {
                    Some(mark) => mark.block(inside),
                    None => Block::new(Kind::Blockquote).with_children(inside),
                }
            }
            NodeValue::List(list) => self.list(node, list, depth)?,
            NodeValue::CodeBlock(code) => code_block(code, self.hidden),
            NodeValue::Table(table) => tables::table(self, node, &table.alignments, depth)?,
            NodeValue::HtmlBlock(html) if matches!(html.block_type, 6 | 7) => {
                return self.html_and_tags(&html.literal, line, assembly);
            }
            NodeValue::HtmlBlock(html) => return self.html(&html.literal, line, assembly),
            // Its blocks are in the references to it.
            NodeValue::FootnoteDefinition(_) => return Ok(()),
            _ => return Ok(()),
        };
        assembly.block(block);
        Ok(())
    }

    fn html(&mut self, literal: &str, line: usize, assembly: &mut Assembly) -> Result<(), TooDeep> {
        let hidden = self.hidden;
        if let Some(formula) = hidden.math(literal) {
            assembly.block(formula_block(&formula));
        } else if hidden.begins_math(literal) {
            // A formula that does not end in its list or quotation is not a formula.
            let text = super::one_line(&hidden.restore(literal));
            assembly.block(Block::new(Kind::Paragraph(Paragraph::default())).with_content(vec![Inline::from(text)]));
        } else if let Some(source) = hidden.line(literal) {
            self.tags(source, line, assembly);
        } else {
            html_blocks::html_block(self, &hidden.restore(literal), line, assembly)?;
        }
        Ok(())
    }

    /// HTML of a kind that extends to the next blank line (CommonMark 4.6), and so over lines of tags, too. After
    /// complete HTML, such lines are tags; the text after them is text again.
    fn html_and_tags(&mut self, literal: &str, line: usize, assembly: &mut Assembly) -> Result<(), TooDeep> {
        let hidden = self.hidden;
        let mut elements = OpenElements::of(literal);
        let (mut chunk, mut begins, mut is_html) = (0, line, true);
        let mut end = 0;
        for (at, text) in literal.split_inclusive('\n').enumerate() {
            let start = end;
            end += text.len();
            if let Some(source) = hidden.line(text).filter(|_| elements.all_closed_before(start)) {
                self.chunk(&literal[chunk..start], begins, is_html, assembly)?;
                self.tags(source, line + at, assembly);
                (chunk, begins, is_html) = (end, line + at + 1, begins_with(&literal[end..], &["details", "summary"]));
            }
        }
        self.chunk(&literal[chunk..], begins, is_html, assembly)
    }

    fn chunk(&mut self, chunk: &str, line: usize, is_html: bool, assembly: &mut Assembly) -> Result<(), TooDeep> {
        if is_html {
            return self.html(chunk, line, assembly);
        }
        let text = self.hidden.restore(chunk);
        if !text.trim().is_empty() {
            self.text(&text, line, assembly);
        }
        Ok(())
    }

    /// Text that is parsed separately.
    pub(super) fn text(&mut self, text: &str, line: usize, assembly: &mut Assembly) {
        let offset = self.line_offset + if self.one_line { 0 } else { line - 1 };
        let (depth, within) = (assembly.depth(), self.within + 1);
        let place = Place { line: offset, depth, one_line: self.one_line, within, is_file: false };
        let made = self.parts_left.and_then(|parts| super::fragment(text, self.links, place, parts));
        self.parts_left = made.as_ref().map(|made| made.parts_left);
        if let Some(made) = made {
            self.found.extend(made.found);
            made.blocks.into_iter().for_each(|block| self.block_of_text(block, line, assembly));
        }
    }

    /// A block of a text that was parsed separately. The other end of its container can be outside of the text.
    fn block_of_text(&mut self, mut block: Block, line: usize, assembly: &mut Assembly) {
        match &block.kind {
            Kind::Verbatim(kept) if kept.syntax == "html" && container_tags(self, &kept.source, line, assembly) => {}
            Kind::Verbatim(kept) if kept.syntax == "markdown" && admonitions::is_line(&kept.source) => {
                admonitions::add(&kept.source, assembly);
            }
            Kind::Verbatim(kept) if components::is_line(&kept.source) => {
                components::add(self, &kept.source, line, assembly);
            }
            Kind::Paragraph(Paragraph { align: None }) if matches!(assembly.parent(), Some(Kind::Expandable(_))) => {
                let end = details::take_end(&mut block.content);
                if !block.content.is_empty() {
                    assembly.block(line_block(block.content, None));
                }
                if let Some(end) = end {
                    assembly.close("details", &end, "html");
                }
            }
            _ => assembly.block(block),
        }
    }

    /// A line that begins with a tag, or is one of an admonition or a component.
    fn tags(&mut self, source: &str, line: usize, assembly: &mut Assembly) {
        if admonitions::is_line(source) {
            return admonitions::add(source, assembly);
        }
        if components::is_line(source) {
            return components::add(self, source, line, assembly);
        }
        for part in parts(source) {
            match part {
                Part::Tag(tag) => tagged::tag(self, &tag, line, assembly),
                Part::Text(text) => self.text(text, line, assembly),
            }
        }
    }

    /// The block of a paragraph, and the end tag of the expandable that it `is_body` of, if it ends with one.
    fn paragraph(
        &mut self,
        node: Node<'a>,
        depth: usize,
        is_body: bool,
    ) -> Result<(Option<Block>, Option<String>), TooDeep> {
        let events = of_node(node, self.hidden);
        let task = node.previous_sibling().is_none()
            && node.parent().is_some_and(|parent| matches!(parent.data().value, NodeValue::TaskItem(_)));
        let mut content = inlines(events, self, depth)?;
        let end = if is_body { details::take_end(&mut content) } else { None };
        let content = as_line(content);
        if content.is_empty() {
            return Ok((None, end));
        }
        // The box of a task needs a line of text.
        let block = match task {
            true => Block::new(Kind::Paragraph(Paragraph::default())).with_content(content),
            false => line_block(content, None),
        };
        Ok((Some(block), end))
    }

    fn heading(&mut self, node: Node<'a>, level: u8, depth: usize, is_title: bool) -> Result<Block, TooDeep> {
        let mut events = of_node(node, self.hidden);
        let short = heading_id::take_short(&mut events);
        let mut content = inlines(events, self, depth)?;
        let id = match short {
            None => heading_id::take(&mut content),
            // A title has no id.
            Some(_) if is_title => None,
            some => some,
        };
        Ok(Block::new(Kind::Heading(Heading { level, id, align: None })).with_content(content))
    }

    fn list(&mut self, node: Node<'a>, list: &NodeList, depth: usize) -> Result<Block, TooDeep> {
        let mut items = Vec::new();
        let mut tasks = false;
        for item in node.children() {
            let checked = match &item.data().value {
                NodeValue::TaskItem(task) => Some(task.symbol.is_some()),
                _ => None,
            };
            tasks |= checked.is_some();
            let children = self.children(item, depth + 2)?;
            items.push(Block::new(Kind::ListItem(ListItem { checked })).with_children(children));
        }
        let kind = match list.list_type {
            ListType::Ordered => {
                Kind::ListOrdered(ListOrdered { start: (list.start != 1).then_some(list.start as u64) })
            }
            ListType::Bullet if tasks => Kind::ListTasks,
            ListType::Bullet => Kind::ListUnordered,
        };
        Ok(Block::new(kind).with_children(items))
    }
}

fn lines_of(node: Node<'_>) -> (usize, usize) {
    let position = node.data().sourcepos;
    (position.start.line.max(1), position.end.line.max(position.start.line).max(1))
}

fn code_block(code: &NodeCodeBlock, hidden: &Hidden) -> Block {
    let info = hidden.restore(&code.info);
    let literal = hidden.restore(&code.literal);
    let text = literal.strip_suffix('\n').unwrap_or(&literal);
    if code.fenced && info.trim() == "math" && !text.trim().is_empty() {
        return formula_block(text);
    }
    let data = super::info::parse(info.replace(['\n', '\r'], " ").trim(), 1 + text.matches('\n').count());
    let content = if text.is_empty() { Vec::new() } else { vec![Inline::from(text)] };
    Block::new(Kind::Code(Box::new(data))).with_content(content)
}

/// A formula, without white space at the ends of its lines, and without empty lines around it.
fn formula_block(text: &str) -> Block {
    let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    Block::new(Kind::Math(Math { formula: lines.join("\n").trim_matches('\n').to_owned() }))
}

/// Source that is kept unchanged.
pub(super) fn verbatim(source: &str, syntax: &str) -> Block {
    let lines = source.trim_matches('\n');
    Block::new(Kind::Verbatim(Verbatim { source: lines.trim_start_matches(' ').to_owned(), syntax: syntax.to_owned() }))
}

/// The block of content in a line of its own. An image alone is a row of one image.
pub(super) fn line_block(content: Vec<Inline>, align: Option<Align>) -> Block {
    if let [Inline::Image(image)] = &content[..]
        && image.caption.is_none()
        && image.size.is_none()
    {
        let InlineImage { source, source_dark, alt, width, height, .. } = (**image).clone();
        let image = Block::new(Kind::Image(Box::new(Image { source, source_dark, width, height, alt })));
        let row = Images { align: align.map(html_blocks::image_align), ..Images::default() };
        return Block::new(Kind::Images(row)).with_children(vec![image]);
    }
    Block::new(Kind::Paragraph(Paragraph { align })).with_content(content)
}

/// Content that is written as a paragraph: a first line that would make another block is text.
fn as_line(mut content: Vec<Inline>) -> Vec<Inline> {
    let alone = content.len() == 1;
    let Some(Inline::Verbatim { source }) = content.first() else { return content };
    let html = source.starts_with('<') && begins_html_block(source, alone);
    let tags = source.starts_with(['{', '<']) && is_block_line(&first_line(&content));
    if !html && !tags {
        return content;
    }
    let mut text = source.clone();
    let after = matches!(content.get(1), Some(Inline::Text(next)) if next.marks == Marks::default());
    if after && let Inline::Text(next) = content.remove(1) {
        text.push_str(&next.text);
    }
    content[0] = Inline::Text(Text { text, marks: Marks::default() });
    content
}

fn begins_html_block(source: &str, alone: bool) -> bool {
    let probe = format!("{source}{}", if alone { "" } else { "x" });
    let arena = comrak::Arena::new();
    let root = comrak::parse_document(&arena, &probe, &super::options());
    root.first_child().is_some_and(|first| matches!(first.data().value, NodeValue::HtmlBlock(_)))
}

fn first_line(content: &[Inline]) -> String {
    let mut line = String::new();
    for inline in content {
        match inline {
            Inline::Verbatim { source } => line.push_str(source),
            Inline::Text(text) => {
                let end = text.text.find('\n').unwrap_or(text.text.len());
                line.push_str(&text.text[..end]);
                if end < text.text.len() {
                    break;
                }
            }
            _ => line.push('x'),
        }
    }
    line
}
