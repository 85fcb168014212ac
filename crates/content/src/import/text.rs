//! Reads the file of a page or of a reusable content: front matter, title and text.
use super::links::FileLinks;
use super::{address, metadata};
use crate::document::{Block, Document, DocumentError, Kind, Verbatim, keep_keys};
use crate::markdown::{self, FrontMatter, LinkAt, LinkUse, MarkdownFile};
use crate::page::PageEntry;
use crate::reference::ContentRef;

/// A file that was read.
pub(crate) struct Text {
    /// Its front matter.
    pub front: FrontMatter,
    /// Its text.
    pub document: Document,
    /// Its addresses.
    pub links: Vec<LinkAt>,
    /// The problems for the report.
    pub strange: Vec<String>,
}

/// Reads the file of a page. `page.title` is the title that the table of contents has for it, or empty.
///
/// The title of a page is the first of these that exists: the one in its front matter, the one in the table of
/// contents, the heading of level 1 at its beginning, the name of its file. A heading equal to the title is not part of
/// the text; another one stays in the text, so that nothing is lost.
pub(crate) fn read_page(text: &str, page: &mut PageEntry, links: &FileLinks<'_>) -> Text {
    let MarkdownFile { front_matter, document, links: mut found, .. } = markdown::parse_whole(text, links);
    let front = front_matter.unwrap_or_default();
    let mut strange = strange_front(&front);
    let keys = metadata::read(&front, page, links);
    strange.extend(keys.into_iter().map(|key| format!("the front matter's {key} is not understood")));
    found.extend(lost_covers(text, page));
    let heading = document.as_ref().ok().and_then(|document| markdown::title_in(&document.blocks));
    if page.title.is_empty() {
        let title = heading.as_ref().map(|(_, title)| title.clone());
        page.title = title.unwrap_or_else(|| address::title_of(links.from));
    }
    let mut blocks = document.map(|document| document.blocks);
    if let (Ok(blocks), Some((at, heading))) = (&mut blocks, heading)
        && words(&heading) == words(&page.title)
    {
        blocks.remove(at);
    }
    let document = checked(blocks, text, &mut strange);
    Text { front, document, links: found, strange }
}

/// Reads the file of a reusable content, whose title is in its front matter. Returns it with the file.
pub(crate) fn read_content(text: &str, links: &FileLinks<'_>) -> (String, Text) {
    let MarkdownFile { front_matter, document, links: found, .. } = markdown::parse_whole(text, links);
    let front = front_matter.unwrap_or_default();
    let mut strange = strange_front(&front);
    let title = front.title().map(str::trim).filter(|title| !title.is_empty());
    let title = title.map_or_else(|| address::title_of(links.from), str::to_owned);
    let document = checked(document.map(|document| document.blocks), text, &mut strange);
    (title, Text { front, document, links: found, strange })
}

/// The pictures of a cover that are not files of the import.
fn lost_covers(text: &str, page: &PageEntry) -> impl Iterator<Item = LinkAt> {
    let cover = page.cover.iter();
    let pictures = cover.flat_map(|cover| [("cover", &cover.source), ("coverDark", &cover.source_dark)]);
    pictures.filter_map(move |(key, picture)| {
        let Some(ContentRef::Url { url: href }) = picture.clone() else { return None };
        let is_key = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with([':', '=']));
        let line = text.lines().position(is_key).map_or(1, |at| at + 1);
        Some(LinkAt { href, line, use_: LinkUse::Image, resolved: false })
    })
}

fn strange_front(front: &FrontMatter) -> Vec<String> {
    if front.is_malformed() {
        vec!["the front matter is neither a YAML mapping nor TOML; it is kept as it came".to_owned()]
    } else {
        Vec::new()
    }
}

/// A title without differences that readers do not see.
pub(crate) fn words(title: &str) -> String {
    crate::markdown::one_line(title)
}

/// The document of these blocks. If they break a rule of documents, such as the maximum nesting, it is one block with
/// the whole source. If the source breaks one too, the document is empty: the page keeps the file it came from, which
/// an export writes again.
fn checked(blocks: Result<Vec<Block>, DocumentError>, text: &str, strange: &mut Vec<String>) -> Document {
    let rule = match blocks.and_then(Document::from_blocks) {
        Ok(document) => return document,
        Err(rule) => rule,
    };
    let source = text.trim_end_matches('\n').to_owned();
    let kept = Verbatim { source, syntax: "markdown".to_owned() };
    match Document::from_blocks(vec![Block::new(Kind::Verbatim(kept))]) {
        Ok(document) => {
            strange.push(format!("the text is kept as source: {}", rule.problem));
            document
        }
        Err(rule) => {
            strange.push(format!("the page is empty, and an export writes the file as it came: {}", rule.problem));
            Document::empty()
        }
    }
}

/// Whether two documents are equal except for their keys.
pub(crate) fn same(one: &Document, other: &Document) -> bool {
    one == other || one.blocks.len() == other.blocks.len() && *one == keep_keys(one, other.clone())
}
