//! Markdown: reads it into a document, and writes a document as Markdown.
//!
//! The language is CommonMark with GFM's tables, task lists, strikethrough, footnotes and autolinks; front matter in
//! YAML or TOML; formulas between dollars; alerts and admonitions; the block tags of documentation repositories
//! (`{% hint %}`); components of MDX, shortcodes of Hugo, and links and callouts of Obsidian; and some HTML. Syntax
//! that is not understood is kept as source. Two details are not kept: a soft line break is a space, and the blank
//! lines between the items of a list follow from their content.
mod admonitions;
mod alerts;
mod assembly;
mod attributes;
mod blocks;
mod bounds;
mod components;
mod definitions;
mod details;
mod dialects;
mod divs;
mod dollars;
mod elements;
mod events;
mod footnotes;
mod front_matter;
mod heading_id;
mod hidden;
mod html;
mod html_blocks;
mod html_lists;
mod html_tables;
mod info;
mod inlines;
mod links;
mod marks;
mod matching;
mod parts;
mod raw;
mod respelled;
mod spelling;
mod tables;
mod tagged;
mod tags;
#[cfg(test)]
mod tests;
mod toml;
mod write;

pub(crate) use dialects::flavors;
pub use dialects::flavors::Syntax;
pub use front_matter::FrontMatter;
pub use links::{BROKEN_REFERENCE, Hrefs, LinkAt, LinkUse, Links, Unresolved};
pub(crate) use spelling::spelled;
pub use write::{write, write_page};

use crate::document::{Block, Document, DocumentError, Inline, Key, Kind, MAX_PARTS, Problem};
use blocks::{Context, verbatim};
use hidden::Hidden;

/// The content of a Markdown file.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkdownFile {
    /// Its front matter.
    pub front_matter: Option<FrontMatter>,
    /// The text of the heading of level 1 at its beginning, which is then not in the document. There may be comments
    /// before it.
    pub title: Option<String>,
    /// Its text. Blocks have no keys yet. An error if it has more than [`MAX_PARTS`] parts or lines.
    pub document: Result<Document, DocumentError>,
    /// Its addresses, in the order of their lines.
    pub links: Vec<LinkAt>,
}

impl MarkdownFile {
    /// The document of its text: in normal form, with keys, and checked.
    ///
    /// # Errors
    /// The text has too many parts, or the first rule that it breaks; see [`Document::from_blocks`].
    pub fn into_document(self) -> Result<Document, DocumentError> {
        Document::from_blocks(self.document?.blocks)
    }
}

/// Reads a Markdown file. Every text is Markdown, so this fails only for a text with too many parts. It takes linear
/// time.
pub fn parse(text: &str, links: &dyn Links) -> MarkdownFile {
    let mut source = parse_whole(text, links);
    if let Ok(document) = &mut source.document
        && let Some((at, title)) = title_in(&document.blocks)
    {
        document.blocks.remove(at);
        source.title = Some(title);
    }
    source
}

/// Like [`parse`], but a heading at the beginning stays in the document.
pub fn parse_whole(text: &str, links: &dyn Links) -> MarkdownFile {
    let text = normal_lines(text);
    let (front_matter, body) = front_matter::split(&text);
    let offset = text[..text.len() - body.len()].matches('\n').count();
    MarkdownFile { front_matter, ..read_body(body, links, offset, true) }
}

/// Like [`parse_whole`] for a text that is not a file, such as a comment or a description: it has no front matter, a
/// line of `---` at its beginning is a rule, and imports and comments of MDX, callouts and links of wikis are text.
pub fn parse_text(text: &str, links: &dyn Links) -> MarkdownFile {
    read_body(&normal_lines(text), links, 0, false)
}

/// Reads what follows the front matter, which begins after this many lines of the file.
fn read_body(body: &str, links: &dyn Links, offset: usize, is_file: bool) -> MarkdownFile {
    let place = Place { line: offset, depth: 1, one_line: false, within: 0, is_file };
    let body = dialects::rewritten(body, is_file, links);
    let Some(Read { blocks, mut found, .. }) = read(&body, links, place, MAX_PARTS) else {
        let refused = DocumentError { block: Key::default(), problem: Problem::TooManyParts };
        return MarkdownFile { front_matter: None, title: None, document: Err(refused), links: Vec::new() };
    };
    found.sort_by_key(|link| link.line);
    // A card has its address twice: in its tag, and in the link under it.
    found.dedup_by(|next, link| {
        next.href == link.href && next.use_ == link.use_ && next.resolved == link.resolved && next.line == link.line + 1
    });
    MarkdownFile { front_matter: None, title: None, document: Ok(Document { blocks }), links: found }
}

/// A line of text, such as the description of a page, for places that show no markup: without that of code, of bold and
/// italic text, of elements of HTML and of links. Names such as `__init__` and `snake_case` are words.
pub fn plain_line(line: &str) -> String {
    let has_markup = ["`", "**", "](", "</"].iter().any(|sign| line.contains(sign)) && !line.contains("__");
    let document = if has_markup { parse_text(line, &Unresolved).document.ok() } else { None };
    match document.as_ref().map(|document| &document.blocks[..]) {
        Some([Block { kind: Kind::Paragraph(_), content, .. }]) => one_line(&plain_text(content)),
        _ => line.to_owned(),
    }
}

/// The text with only line feeds as line ends, without a byte order mark, and with U+FFFD for U+0000, as in CommonMark.
fn normal_lines(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}")
}

/// The title of a page with these blocks, and its index: the first block that is not a comment has it.
pub(crate) fn title_in(blocks: &[Block]) -> Option<(usize, String)> {
    let at = blocks.iter().position(|block| !is_comment(block))?;
    title_of(&blocks[at]).map(|title| (at, title))
}

fn is_comment(block: &Block) -> bool {
    let Kind::Verbatim(verbatim) = &block.kind else { return false };
    let comment = verbatim.source.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
    verbatim.syntax == "html" && comment.is_some_and(|comment| !comment.contains("-->"))
}

/// The text of a block that would be the title of its page if it were the first.
fn title_of(block: &Block) -> Option<String> {
    let Kind::Heading(heading) = &block.kind else { return None };
    let words = |inline: &Inline| {
        matches!(inline, Inline::Text(_) | Inline::Link(_) | Inline::Verbatim { .. } | Inline::Math { .. })
    };
    if heading.level != 1 || heading.id.is_some() || heading.align.is_some() || !block.content.iter().all(words) {
        return None;
    }
    let words = plain_text(&block.content).replace(['\n', '\r', '\t'], " ");
    let title = words.trim_matches(' ');
    (!title.is_empty()).then(|| title.to_owned())
}

/// A text on one line, with single spaces between its words. Unlike [`values::text::one_line`], it keeps control
/// characters that are not white space, as Markdown does.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of inline content.
fn plain_text(content: &[Inline]) -> String {
    let mut words = String::new();
    for inline in content {
        match inline {
            Inline::Text(text) => words.push_str(&text.text),
            Inline::Link(link) => words.push_str(&plain_text(&link.content)),
            Inline::Annotation(note) => words.push_str(&plain_text(&note.content)),
            Inline::Verbatim { source } => words.push_str(source),
            Inline::Math { formula } => words.push_str(formula),
            Inline::Expression { expression } => words.push_str(expression),
            Inline::Button(button) => words.push_str(&button.label),
            Inline::Image(image) => words.push_str(image.alt.as_deref().unwrap_or_default()),
            Inline::Emoji { .. } | Inline::Icon(_) | Inline::Mention { .. } => {}
        }
    }
    words
}

fn options() -> comrak::Options<'static> {
    let mut options = comrak::Options::default();
    options.extension.autolink = true;
    options.extension.footnotes = true;
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.tasklist = true;
    options.parse.escaped_char_spans = true;
    options.parse.leave_footnote_definitions = true;
    options
}

/// The options for a text. For footnotes the parser passes twice more over its output, so a text that cannot have one
/// is parsed without: each begins with a bracket and a caret, which may be written as an entity.
fn options_for(text: &str) -> comrak::Options<'static> {
    let mut options = options();
    options.extension.footnotes = text.contains("[^") || text.contains("[&");
    options
}

/// The place of a text in its file.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The line before its first one.
    line: usize,
    /// The depth of its blocks.
    depth: usize,
    /// Whether all of it is in the line after `line`.
    one_line: bool,
    /// The number of separately parsed texts that contain it.
    within: usize,
    /// Whether it is a file, which may begin with a title.
    is_file: bool,
}

/// The result of reading a text.
struct Read {
    blocks: Vec<Block>,
    found: Vec<LinkAt>,
    /// The number of parts that may still be made.
    parts_left: usize,
}

/// Reads a text, if it has at most `parts` parts, and at most as many lines: in nested lists, a blank line costs as
/// much as a part.
fn read(body: &str, links: &dyn Links, place: Place, parts: usize) -> Option<Read> {
    if body.bytes().filter(|byte| *byte == b'\n').count() > parts {
        return None;
    }
    let hidden = Hidden::hide(body);
    let arena = comrak::Arena::new();
    let root =
        comrak::try_parse_document(&arena, &hidden.text, &options_for(&hidden.text), &|| arena.len() > parts).ok()?;
    let parts_left = parts.checked_sub(arena.len())?;
    let mut context = Context::new(&hidden, links, root, place, parts_left);
    let mut blocks = context.document(root, place.depth);
    let notes: Vec<Block> =
        context.unused_footnotes().into_iter().map(|source| verbatim(&source, "markdown")).collect();
    let end = write::end_of_flow(&blocks);
    blocks.splice(end..end, notes);
    Some(Read { blocks, found: context.found, parts_left: context.parts_left? })
}

/// The maximum number of separately parsed texts that may contain another one: text between tags, and text between tags
/// that follow HTML in it. Text further inside is not parsed, because each text is parsed again within the one around
/// it.
const MOST_WITHIN: usize = 2;

/// The blocks of text that is in a line with tags. A definition for the whole file is text there.
fn fragment(text: &str, links: &dyn Links, place: Place, parts: usize) -> Option<Read> {
    let mut parts_left = parts;
    if place.within <= MOST_WITHIN && !text.contains("]:") {
        let made = read(text, links, place, parts)?;
        if write::end_of_flow(&made.blocks) == made.blocks.len() {
            return Some(made);
        }
        parts_left = made.parts_left;
    }
    let words = Block::new(Kind::Paragraph(Default::default())).with_content(vec![Inline::from(text.trim())]);
    Some(Read { blocks: vec![words], found: Vec::new(), parts_left })
}
