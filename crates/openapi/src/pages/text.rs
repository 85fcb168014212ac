//! The text of a generated page.
use super::{HOOK, PageDoc};
use crate::parts::{OperationSummary, Summary, WebhookSummary};

/// The longest description that is one line, in characters.
const MAX_LINE: usize = 250;

/// A block of a generated page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageBlock {
    /// A heading of the second level.
    Heading(String),
    /// Text in Markdown, as the document has it.
    Markdown(String),
    /// A sentence, without markup.
    Sentence(String),
    /// A link to download the document.
    Download(String),
    /// An operation.
    Operation {
        /// The method, as the document writes it.
        method: String,
        /// The path.
        path: String,
        /// Whether the page has its title already.
        headless: bool,
    },
    /// An operation of a webhook.
    Webhook {
        /// The name of the webhook.
        name: String,
        /// The method, as the document writes it.
        method: String,
        /// Whether the page has its title already.
        headless: bool,
    },
    /// Schemas, by name.
    Schemas(Vec<String>),
}

/// The text of a page; `None` if the version has no content for the page, and for [`PageDoc::Changelog`], whose text
/// needs other versions.
pub fn text(summary: &Summary, doc: &PageDoc) -> Option<Vec<PageBlock>> {
    let blocks = match doc {
        PageDoc::Models if summary.schemas.is_empty() => Vec::new(),
        PageDoc::Models => vec![PageBlock::Schemas(summary.schemas.clone())],
        PageDoc::Info { .. } => info(summary),
        PageDoc::Operations { page } => {
            let shown = operations(summary, page);
            if shown.is_empty() { shown } else { described(summary, page).chain(shown).collect() }
        }
        PageDoc::Tag { page } => return tag(summary, page),
        PageDoc::Changelog { .. } => return None,
        PageDoc::Operation { page, method, .. } if method == HOOK => {
            let hooks = summary.webhooks.iter().filter(|hook| hook.name == *page && !hook.operation.internal);
            let hooks: Vec<&WebhookSummary> = hooks.collect();
            hooks.iter().map(|hook| webhook(hook, hooks.len() == 1)).collect()
        }
        PageDoc::Operation { page, method, .. } => {
            let mut found = summary.operations.iter().filter(|one| one.path == *page && one.method == *method);
            found.find(|one| !one.internal).map(|one| operation(one, true)).into_iter().collect()
        }
    };
    Some(blocks).filter(|blocks| !blocks.is_empty())
}

fn info(summary: &Summary) -> Vec<PageBlock> {
    let version = summary.version.trim();
    let version = (!version.is_empty()).then(|| PageBlock::Sentence(format!("Version {version}")));
    version.into_iter().chain([PageBlock::Download("Download the OpenAPI document".to_owned())]).collect()
}

/// The text of a tag that the document describes or an operation uses.
fn tag(summary: &Summary, name: &str) -> Option<Vec<PageBlock>> {
    let mut tags = summary.tags.iter().map(|tag| &tag.name);
    let operations = summary.operations.iter().chain(summary.webhooks.iter().map(|hook| &hook.operation));
    let mut used = operations.flat_map(|operation| &operation.tags);
    let known = !name.is_empty() && (tags.any(|tag| tag == name) || used.any(|tag| tag == name));
    known.then(|| described(summary, name).collect())
}

/// The description of a tag, if the page does not have it as its description.
fn described(summary: &Summary, name: &str) -> impl Iterator<Item = PageBlock> {
    let tag = summary.tags.iter().find(|tag| tag.name == name && !name.is_empty());
    let text = tag.and_then(|tag| tag.description.as_deref());
    let text = text.filter(|text| !text.trim().is_empty() && plain_line(text).is_none());
    text.map(|text| PageBlock::Markdown(text.to_owned())).into_iter()
}

/// The operations and webhooks of a tag. If there is no tag, they get headings if there are both.
fn operations(summary: &Summary, tag: &str) -> Vec<PageBlock> {
    let has = |one: &OperationSummary| match tag {
        "" => !one.internal && one.tags.iter().all(String::is_empty),
        tag => !one.internal && one.tags.iter().any(|name| name == tag),
    };
    let mut blocks: Vec<PageBlock> =
        summary.operations.iter().filter(|one| has(one)).map(|one| operation(one, false)).collect();
    let hooks: Vec<PageBlock> =
        summary.webhooks.iter().filter(|hook| has(&hook.operation)).map(|hook| webhook(hook, false)).collect();
    if tag.is_empty() && !blocks.is_empty() && !hooks.is_empty() {
        blocks.push(PageBlock::Heading("Webhooks".to_owned()));
    }
    blocks.extend(hooks);
    blocks
}

fn operation(operation: &OperationSummary, headless: bool) -> PageBlock {
    PageBlock::Operation { method: operation.method.clone(), path: operation.path.clone(), headless }
}

fn webhook(webhook: &WebhookSummary, headless: bool) -> PageBlock {
    PageBlock::Webhook { name: webhook.name.clone(), method: webhook.operation.method.clone(), headless }
}

/// A description that is one line and means the same with and without Markdown.
pub(super) fn plain_line(description: &str) -> Option<&str> {
    let line = description.trim();
    let marked = |c: char| c.is_control() || "*_`[]<>|\\&~{}#$!:".contains(c);
    let plain = line.starts_with(char::is_alphabetic) && !line.contains(marked) && !line.contains("www.");
    (plain && line.chars().count() <= MAX_LINE).then_some(line)
}
