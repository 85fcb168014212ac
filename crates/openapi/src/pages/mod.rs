//! Generated pages: a whole document for readers, as a tree of pages and the text of each.
//!
//! Pages depend only on the [`Summary`] of a version, so a list of them loads no part of the document. The text of a
//! page names operations and schemas; the code that shows it loads these.
mod groups;
mod operations;
#[cfg(test)]
mod tests;
mod text;

pub use operations::OperationPages;
pub use text::{PageBlock, text};

use crate::is_default;
use crate::parts::{OperationSummary, Summary, WebhookSummary};
use groups::{Groups, Shown};
use serde::{Deserialize, Serialize};

/// The maximum number of levels of generated pages. Deeper tags are on the last level.
pub const MAX_LEVELS: usize = 8;

/// The method of a webhook's page, which shows all its operations.
pub const HOOK: &str = "hook";

/// How operations are divided into pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    /// A page for each tag.
    #[default]
    ByTag,
    /// A page for each operation, below the page of its first tag.
    ByOperation,
}

/// The pages to generate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PagesWanted {
    /// A page with all schemas.
    #[serde(default)]
    pub models: bool,
    /// A page about the document, with a link to download it.
    #[serde(default)]
    pub download_link: bool,
    /// How operations are divided into pages.
    #[serde(default)]
    pub grouping: Grouping,
    /// A page with the changes of the newest versions.
    #[serde(default)]
    pub changelog: bool,
}

/// The content of a generated page. This is enough to generate its text again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "doc", rename_all = "lowercase")]
pub enum PageDoc {
    /// All schemas.
    Models,
    /// The document as a whole.
    Info {
        /// Always `info`.
        page: String,
    },
    /// A tag with its operations and webhooks.
    Operations {
        /// The name of the tag; empty for operations and webhooks without one.
        page: String,
    },
    /// A tag without its operations.
    Tag {
        /// The name of the tag.
        page: String,
    },
    /// One operation, or all operations of a webhook.
    Operation {
        /// The path of the operation, or the name of the webhook.
        page: String,
        /// The method, as the document writes it; [`HOOK`] for a webhook.
        method: String,
        /// Whether it is deprecated.
        #[serde(default, skip_serializing_if = "is_default")]
        deprecated: bool,
    },
    /// The changes of the newest versions. Its text needs more than the summary of one version.
    Changelog {
        /// How operations are divided into pages, for links to them.
        #[serde(default)]
        grouping: Grouping,
    },
}

/// A generated page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedPage {
    /// Its content.
    pub doc: PageDoc,
    /// Its title, never empty.
    pub title: String,
    /// Its description, if that is one line without markup. Any other description begins the text.
    pub description: Option<String>,
    /// The name of its icon.
    pub icon: Option<String>,
    /// The pages below it.
    pub pages: Vec<GeneratedPage>,
}

impl PageDoc {
    /// An identifier of the page among those of a spec: 20 hexadecimal digits. It is the same in every version of the
    /// spec that has the page. A tag keeps it if the grouping changes.
    pub fn id(&self, spec: &str) -> String {
        let what = match self {
            Self::Models => ["models", "", ""],
            Self::Info { .. } => ["info", "", ""],
            Self::Operations { page } | Self::Tag { page } => ["tag", page, ""],
            Self::Operation { page, method, .. } => ["operation", method, page],
            Self::Changelog { .. } => ["changelog", "", ""],
        };
        let mut hasher = blake3::Hasher::new();
        for part in [spec.to_ascii_lowercase().as_str()].into_iter().chain(what) {
            hasher.update(&part.len().to_le_bytes()).update(part.as_bytes());
        }
        hasher.finalize().to_hex().chars().take(20).collect()
    }
}

impl GeneratedPage {
    fn new(doc: PageDoc, title: &str) -> Self {
        Self { doc, title: title.to_owned(), description: None, icon: None, pages: Vec::new() }
    }
}

/// Generates the pages of a version, in this order: the document, tags in the order of the document, entries without a
/// tag, schemas, changes. Tags without a tag object follow in the order of their first use. Internal operations are
/// left out, and so are tags without operations, unless they have pages below them, or are described and never used.
pub fn pages(summary: &Summary, wanted: &PagesWanted) -> Vec<GeneratedPage> {
    let mut pages = Vec::new();
    if wanted.download_link {
        let doc = PageDoc::Info { page: "info".to_owned() };
        pages.push(GeneratedPage::new(doc, first_of([summary.title.as_str(), "API"])));
    }
    let groups = Groups::of(summary, wanted.grouping);
    pages.extend(groups.roots.iter().filter_map(|root| group(&groups, *root, wanted.grouping)));
    match wanted.grouping {
        Grouping::ByTag if groups.untagged.is_empty() => {}
        Grouping::ByTag => {
            let hooks = groups.untagged.iter().all(|shown| matches!(shown, Shown::Webhook(_)));
            let doc = PageDoc::Operations { page: String::new() };
            pages.push(GeneratedPage::new(doc, if hooks { "Webhooks" } else { "Operations" }));
        }
        Grouping::ByOperation => pages.extend(groups.untagged.iter().map(operation)),
    }
    if wanted.models && !summary.schemas.is_empty() {
        pages.push(GeneratedPage::new(PageDoc::Models, "Models"));
    }
    if wanted.changelog {
        pages.push(GeneratedPage::new(PageDoc::Changelog { grouping: wanted.grouping }, "Changelog"));
    }
    pages
}

/// The page of a tag. The groups have at most [`MAX_LEVELS`] levels, which bounds this recursion.
fn group(groups: &Groups<'_>, at: usize, grouping: Grouping) -> Option<GeneratedPage> {
    let group_of_tag = groups.all.get(at)?;
    let below = group_of_tag.below.iter().filter_map(|below| group(groups, *below, grouping));
    let mut pages: Vec<GeneratedPage> = below.collect();
    let shown = &group_of_tag.shown;
    let tag = group_of_tag.tag;
    let description = tag.and_then(|tag| tag.description.as_deref()).filter(|text| !text.trim().is_empty());
    let described = description.is_some() && !group_of_tag.is_used;
    if shown.is_empty() && pages.is_empty() && !described {
        return None;
    }
    let page = group_of_tag.name.to_owned();
    let doc = match grouping {
        Grouping::ByTag if !shown.is_empty() => PageDoc::Operations { page },
        _ => PageDoc::Tag { page },
    };
    if grouping == Grouping::ByOperation {
        pages.extend(shown.iter().map(operation));
    }
    let title = tag.and_then(|tag| tag.title.as_deref()).unwrap_or_default();
    Some(GeneratedPage {
        description: description.and_then(text::plain_line).map(str::to_owned),
        icon: tag.and_then(|tag| tag.icon.clone()).filter(|icon| !icon.trim().is_empty()),
        pages,
        ..GeneratedPage::new(doc, first_of([title, group_of_tag.name, "Operations"]))
    })
}

/// The page of an operation or a webhook.
fn operation(shown: &Shown<'_>) -> GeneratedPage {
    match shown {
        Shown::Operation(operation) => {
            let OperationSummary { method, path, deprecated, .. } = operation;
            let doc = PageDoc::Operation { page: path.clone(), method: method.clone(), deprecated: *deprecated };
            let name = format!("{} {path}", method.to_uppercase());
            GeneratedPage::new(doc, first_of([operation.summary.as_deref().unwrap_or_default(), &name, "Operation"]))
        }
        Shown::Webhook(WebhookSummary { name, operation }) => {
            let (page, method) = (name.clone(), HOOK.to_owned());
            let doc = PageDoc::Operation { page, method, deprecated: operation.deprecated };
            GeneratedPage::new(doc, first_of([operation.summary.as_deref().unwrap_or_default(), name, "Webhook"]))
        }
    }
}

/// The first text that is not blank, without white space around it.
fn first_of<const N: usize>(texts: [&str; N]) -> &str {
    texts.into_iter().map(str::trim).find(|text| !text.is_empty()).unwrap_or_default()
}
