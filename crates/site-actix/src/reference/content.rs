//! The pages of the reference: their texts, made of the OpenAPI document.
use domain::content::document::{
    Block, Document, Heading, Inline, Kind, Link, ListItem, Marks, OpenapiOperation, OpenapiWebhook, Paragraph, Target,
    Text,
};
use domain::content::markdown::{Unresolved, parse_text};
use domain::content::page::slugify;
use domain::content::reference::ContentRef;
use domain::id::PageId;
use domain::openapi::pages::{GeneratedPage, PageBlock, PageDoc, PagesWanted, pages, text};
use domain::openapi::parts::Summary;
use domain::openapi::tree::Node;
use domain::site::{self, reader::PlaceTarget};
use std::collections::{BTreeMap, HashSet};

/// What the blocks of the reference have as the slug of their spec.
pub(super) const SPEC: &str = "octavo";
/// The path of the page of operations without a tag.
const OTHERS: &str = "operations";

/// A page of the reference.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chapter {
    /// Its id in the navigation.
    pub(super) page: PageId,
    /// Its path below the reference; empty for the start.
    pub(super) slug: String,
    /// Its title.
    pub(super) title: String,
    /// A line about it.
    pub(super) description: Option<String>,
    /// What it shows, but for the start.
    pub(super) blocks: Vec<PageBlock>,
    /// The operations on it, in their order.
    pub(super) entries: Vec<Entry>,
}

/// An operation or a webhook on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its id in the navigation.
    pub(super) page: PageId,
    /// Its anchor on the page, without `#`.
    pub(super) anchor: String,
    /// Its summary, else its method and path.
    pub(super) title: String,
    /// The method in capitals, and the path or the name of the webhook.
    pub(super) call: String,
    /// The operation id; empty if it has none.
    pub(super) id: String,
}

/// The pages of tags, in the order of the document.
pub(super) fn chapters(summary: &Summary) -> Vec<Chapter> {
    let mut roots = pages(summary, &PagesWanted::default());
    let mut chapters = Vec::new();
    let mut taken = HashSet::new();
    let mut ids = (1..).map_while(|number: u32| format!("page-{number}").parse().ok());
    roots.reverse();
    // In the order of reading: a page, then those below it.
    while let Some(page) = roots.pop() {
        let GeneratedPage { doc, title, description, pages, icon: _ } = page;
        roots.extend(pages.into_iter().rev());
        let (PageDoc::Operations { page: tag } | PageDoc::Tag { page: tag }) = &doc else { continue };
        let Some(blocks) = text(summary, &doc) else { continue };
        let slug = if tag.is_empty() { OTHERS.to_owned() } else { slugify(tag) };
        let slug = free(&slug, &mut taken);
        let mut anchors = HashSet::new();
        let entries = blocks.iter().filter_map(|block| entry(summary, block, &mut anchors, &mut ids)).collect();
        let Some(page) = ids.next() else { continue };
        chapters.push(Chapter { page, slug, title, description, blocks, entries });
    }
    chapters
}

/// The operation or the webhook that a block shows.
fn entry(
    summary: &Summary,
    block: &PageBlock,
    anchors: &mut HashSet<String>,
    ids: &mut impl Iterator<Item = PageId>,
) -> Option<Entry> {
    let (operation, name) = match block {
        PageBlock::Operation { method, path, .. } => {
            let found = summary.operations.iter().find(|one| one.method == *method && one.path == *path)?;
            (found, path)
        }
        PageBlock::Webhook { name, method, .. } => {
            let found = summary.webhooks.iter().find(|one| one.name == *name && one.operation.method == *method)?;
            (&found.operation, name)
        }
        _ => return None,
    };
    let call = format!("{} {name}", operation.method.to_uppercase());
    let id = operation.id.clone().unwrap_or_default();
    let wanted = if id.is_empty() { slugify(&call) } else { id.clone() };
    let title = operation.summary.clone().unwrap_or_else(|| call.clone());
    Some(Entry { page: ids.next()?, anchor: free(&wanted, anchors), title, call, id })
}

/// A unique name.
fn free(wanted: &str, taken: &mut HashSet<String>) -> String {
    let mut name = wanted.to_owned();
    let mut number = 1;
    while !taken.insert(name.clone()) {
        number += 1;
        name = format!("{wanted}-{number}");
    }
    name
}

impl Entry {
    fn reference(&self, chapter: &Chapter) -> ContentRef {
        ContentRef::Anchor { anchor: self.anchor.clone(), page: Some(chapter.page.clone()), space: None }
    }
}

impl Chapter {
    fn reference(&self) -> ContentRef {
        ContentRef::Page { page: self.page.clone(), space: None }
    }

    /// The text of the page of a tag: its description and its operations.
    pub(super) fn text(&self) -> Document {
        let mut anchors = self.entries.iter().map(|entry| entry.anchor.clone());
        let blocks = self.blocks.iter().flat_map(|block| match block {
            PageBlock::Markdown(text) => markdown(text),
            PageBlock::Heading(title) => vec![heading(2, vec![words(title)])],
            PageBlock::Operation { method, path, .. } => {
                let (method, path, spec) = (method.clone(), path.clone(), SPEC.to_owned());
                let operation =
                    OpenapiOperation { path, method, spec, id: anchors.next(), ..OpenapiOperation::default() };
                vec![Block::new(Kind::OpenapiOperation(Box::new(operation)))]
            }
            PageBlock::Webhook { name, method, .. } => {
                let (name, method, spec) = (name.clone(), method.clone(), SPEC.to_owned());
                let webhook = OpenapiWebhook { name, method, spec, id: anchors.next(), ..OpenapiWebhook::default() };
                vec![Block::new(Kind::OpenapiWebhook(Box::new(webhook)))]
            }
            PageBlock::Sentence(_) | PageBlock::Download(_) | PageBlock::Schemas(_) => Vec::new(),
        });
        document(blocks.collect())
    }
}

/// The text of the start: the introduction, how callers prove who they are, and all operations.
pub(super) fn start(root: &Node, summary: &Summary, chapters: &[Chapter]) -> Document {
    let introduction = root.get("info").and_then(|info| info.text_of("description")).unwrap_or_default();
    let mut blocks = markdown(introduction);
    blocks.push(paragraph(vec![
        words(&format!("Version {}. For programs: ", summary.version)),
        link(ContentRef::openapi(SPEC), "the OpenAPI document"),
        words("."),
    ]));
    blocks.extend(authentication(root));
    for chapter in chapters {
        blocks.push(heading(2, vec![link(chapter.reference(), &chapter.title)]));
        blocks.extend(chapter.description.as_deref().map(|about| paragraph(vec![words(about)])));
        let items = chapter.entries.iter().map(|entry| {
            let title = link(entry.reference(chapter), &entry.title);
            let line = paragraph(vec![title, words(" "), code(&entry.call)]);
            Block::new(Kind::ListItem(ListItem::default())).with_children(vec![line])
        });
        blocks.push(Block::new(Kind::ListUnordered).with_children(items.collect()));
    }
    document(blocks)
}

/// What the links of the start lead to. `base` is the path of the reference with a slash at its end; `file` is the
/// address of the OpenAPI document.
pub(super) fn targets(
    chapters: &[Chapter],
    base: &str,
    file: String,
) -> BTreeMap<ContentRef, site::reader::ReferenceTarget> {
    let to = |href: String, title: &str| {
        let title = title.to_owned();
        site::reader::ReferenceTarget::Link(PlaceTarget { href, title, description: None, emoji: None, icon: None })
    };
    let mut targets = BTreeMap::from([(ContentRef::openapi(SPEC), to(file, "OpenAPI document"))]);
    for chapter in chapters {
        let href = format!("{base}{}", chapter.slug);
        for entry in &chapter.entries {
            targets.insert(entry.reference(chapter), to(format!("{href}#{}", entry.anchor), &entry.title));
        }
        targets.insert(chapter.reference(), to(href, &chapter.title));
    }
    targets
}

/// The security schemes of the document.
fn authentication(root: &Node) -> Vec<Block> {
    let schemes = root.at_pointer("/components/securitySchemes").and_then(Node::as_map);
    let Some(schemes) = schemes.filter(|schemes| !schemes.is_empty()) else { return Vec::new() };
    let items = schemes.iter().map(|(name, scheme)| {
        let about = scheme.node.text_of("description").map(|about| format!(": {about}")).unwrap_or_default();
        let line = paragraph(vec![code(name), words(&about)]);
        Block::new(Kind::ListItem(ListItem::default())).with_children(vec![line])
    });
    vec![heading(2, vec![words("Authentication")]), Block::new(Kind::ListUnordered).with_children(items.collect())]
}

/// A document without the blocks that break a rule of documents.
fn document(blocks: Vec<Block>) -> Document {
    Document::from_blocks(blocks.clone()).unwrap_or_else(|_| {
        let fits = |block: &Block| Document::from_blocks(vec![block.clone()]).is_ok();
        Document::from_blocks(blocks.into_iter().filter(fits).collect()).unwrap_or_default()
    })
}

fn markdown(text: &str) -> Vec<Block> {
    let read = parse_text(text, &Unresolved).document;
    read.map_or_else(|_| vec![paragraph(vec![words(text)])], |document| document.blocks)
}

fn heading(level: u8, content: Vec<Inline>) -> Block {
    Block::new(Kind::Heading(Heading { level, ..Heading::default() })).with_content(content)
}

fn paragraph(content: Vec<Inline>) -> Block {
    Block::new(Kind::Paragraph(Paragraph::default())).with_content(content)
}

fn words(text: &str) -> Inline {
    Inline::Text(Text { text: text.to_owned(), ..Text::default() })
}

fn code(text: &str) -> Inline {
    let marks = Marks { code: true, ..Marks::default() };
    Inline::Text(Text { text: text.to_owned(), marks })
}

fn link(to: ContentRef, title: &str) -> Inline {
    Inline::Link(Box::new(Link { target: Target(to), content: vec![words(title)], ..Link::default() }))
}

#[cfg(test)]
mod tests {
    use super::super::tests::node;
    use super::*;
    use domain::content::document::Found;
    use domain::openapi::parts::summary;

    #[test]
    fn each_tag_has_a_page_with_its_operations_in_the_order_of_the_document() {
        let chapters = chapters(&summary(&node()));
        let pages: Vec<(&str, &str, Vec<&str>)> = chapters
            .iter()
            .map(|chapter| {
                let calls = chapter.entries.iter().map(|entry| entry.call.as_str()).collect();
                (chapter.slug.as_str(), chapter.title.as_str(), calls)
            })
            .collect();
        assert_eq!(
            pages,
            [
                ("pets", "All pets", vec!["GET /pets", "POST /pets", "POST petAdded"]),
                ("pets-2", "PETS", vec!["GET /shops"]),
                ("operations", "Operations", vec!["GET /health"]),
            ]
        );
        let anchors: Vec<&str> = chapters[0].entries.iter().map(|entry| entry.anchor.as_str()).collect();
        assert_eq!(anchors, ["listPets", "post-pets", "post-petadded"]);
        let ids: HashSet<&PageId> =
            chapters.iter().flat_map(|one| one.entries.iter().map(|entry| &entry.page)).collect();
        assert_eq!(ids.len(), 5);
    }

    #[test]
    fn the_start_has_the_introduction_the_schemes_and_links_to_all_operations() {
        let node = node();
        let summary = summary(&node);
        let chapters = chapters(&summary);
        let start = start(&node, &summary, &chapters);
        let titles: Vec<String> = start.headings().into_iter().map(|heading| heading.text).collect();
        assert_eq!(titles, ["Authentication", "All pets", "PETS", "Operations"]);
        let targets = targets(&chapters, "/docs/", "/openapi.json".to_owned());
        let leads = |found: Found| match targets.get(&found.target) {
            Some(site::reader::ReferenceTarget::Link(link)) => link.href.as_str(),
            other => panic!("{:?} leads to {other:?}", found.target),
        };
        let links: Vec<&str> = start.references().into_iter().map(leads).collect();
        for url in ["/openapi.json", "/docs/pets", "/docs/pets#listPets", "/docs/operations#get-health"] {
            assert!(links.contains(&url), "{url} is not in {links:?}");
        }
        let text: String = start.walk().map(|block| block.line() + "\n").collect();
        for part in ["About *pets* and shops", "key: A key of the shop.", "Version 7"] {
            assert!(text.contains(&part.replace('*', "")), "{part} is not in {text}");
        }
    }

    #[test]
    fn a_document_without_schemes_and_operations_has_a_start() {
        let node =
            domain::openapi::text::read(br#"{"openapi":"3.1.0","info":{"title":"A","version":"1"}}"#).root.unwrap();
        let start = start(&node, &summary(&node), &[]);
        assert_eq!((start.blocks.len(), start.headings()), (1, Vec::new()));
    }
}
