//! All pages of a site that a visitor sees, for sitemaps and lists.
use super::Visiting;
use super::alternates::{Alternates, combined};
use super::page_tree::Node;
use super::places::VariantPages;
use crate::content::markdown::plain_line;
use crate::content::page::PageKind;
use crate::id::{PageId, SiteSpaceId};
use crate::site::reader::{AlternateLink, References};
use crate::site::resolve::Spot;
use crate::text::Language;
use crate::usecases::Error;
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// A page in a list of all pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPage {
    /// The page.
    pub id: PageId,
    /// The site space that it is in.
    pub site_space: SiteSpaceId,
    /// The title of its section, if the site has sections.
    pub section: Option<String>,
    /// The title of its variant.
    pub variant: String,
    /// Whether its variant is the default one of its section.
    pub default_variant: bool,
    /// The language of its content.
    pub language: Option<Language>,
    /// Its title.
    pub title: String,
    /// A line about it.
    pub description: Option<String>,
    /// Its absolute canonical address.
    pub url: String,
    /// Whether its address is the canonical one; otherwise its author has set another canonical address, which exists.
    pub canonical: bool,
    /// The same page in other languages and in its own, as in the page itself: language, or `x-default` for all others,
    /// and absolute address.
    pub alternates: Vec<(String, String)>,
    /// The absolute canonical address of the page as Markdown.
    pub markdown: String,
    /// The path of the page as Markdown below the address of the site, not encoded.
    pub markdown_path: String,
    /// When it was last edited; if never, when it was created.
    pub updated_at: DateTime<Utc>,
    /// Whether search engines may index it.
    pub indexed: bool,
    /// Whether it is left out of search and of outputs for agents.
    pub no_index: bool,
    /// Whether it is left out of the table of contents.
    pub hidden: bool,
}

/// A space on the site whose pages are listed.
pub(super) struct Listed {
    pub(super) spot: Spot,
    id: SiteSpaceId,
    section: Option<String>,
    default: bool,
    pub(super) hidden: bool,
}

impl Visiting<'_> {
    /// All pages with text that the visitor sees, in order.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn all_pages(&mut self) -> Result<Vec<ListedPage>, Error> {
        let mut all = Vec::new();
        let mut languages: Option<(usize, Alternates)> = None;
        for variant in self.listed_variants() {
            let Some(pages) = self.pages(variant.spot).await? else { continue };
            let section = variant.spot.section;
            let alternates = match languages.take() {
                Some((known, alternates)) if known == section => alternates,
                _ => self.alternates(section).await?,
            };
            let links = pages.tree.iter().map(|node| &node.page.settings().meta_links);
            let wanted = links.flat_map(|links| links.canonical.iter().chain(&links.alternates)).cloned().collect();
            let references = References { targets: self.targets(&pages, wanted).await?, ..References::default() };
            let mut named: HashMap<&PageId, Vec<AlternateLink>> = HashMap::new();
            for node in pages.tree.iter() {
                let links = &node.page.settings().meta_links.alternates;
                if !links.is_empty() {
                    named.insert(&node.id, self.named_alternates(&pages, links, &references).await?);
                }
            }
            let by_path = alternates.by_path();
            let at_path = |pages: &VariantPages, path: &str| by_path.get(pages, path);
            let (view, base) = (self.addressed.view(), self.addressed.base());
            let address = |pages: &VariantPages, node: &Node| base.at(&view.address(pages.spot, pages.path(node)));
            let mut hidden_above: Vec<&str> = Vec::new();
            for node in pages.tree.iter() {
                hidden_above.retain(|path| node.path.starts_with(&format!("{path}/")));
                if node.page.hidden && node.page.kind.has_path() {
                    hidden_above.push(&node.path);
                }
                if !matches!(node.page.kind, PageKind::Document { .. }) {
                    continue;
                }
                let page = &node.page;
                let url = address(&pages, node);
                let canonical = page.settings().meta_links.canonical.as_ref();
                let canonical = canonical.and_then(|reference| self.address_of(reference, &references));
                let named = named.remove(&node.id).unwrap_or_default();
                let forms =
                    combined(named, alternates.links(variant.spot, node, address, at_path), (pages.language, &url));
                let markdown_path = view.markdown_address(variant.spot, &node.path);
                all.push(ListedPage {
                    id: node.id.clone(),
                    site_space: variant.id.clone(),
                    section: variant.section.clone(),
                    variant: pages.title.clone(),
                    default_variant: variant.default,
                    language: pages.language,
                    title: page.title.to_string(),
                    description: page.description.as_deref().map(plain_line),
                    canonical: canonical.is_none_or(|canonical| canonical == url),
                    url,
                    alternates: forms.into_iter().filter_map(|form| Some((form.language?, form.href))).collect(),
                    markdown: base.at(&markdown_path),
                    markdown_path,
                    updated_at: page.updated_at,
                    indexed: self.is_indexed() && !page.no_robots_index,
                    no_index: page.no_index,
                    hidden: page.hidden || !hidden_above.is_empty() || variant.hidden,
                });
            }
            languages = Some((section, alternates));
        }
        Ok(all)
    }

    /// The spaces on the site that the visitor sees, in order.
    pub(super) fn listed_variants(&self) -> Vec<Listed> {
        let (seen, view) = (self.seen(), self.addressed.view());
        let mut all = Vec::new();
        for (section, one) in view.sections.iter().enumerate() {
            let title = one.id.and_then(|id| seen.structure.section(id));
            let title = title.map(|section| section.settings.title.to_string());
            let first = one.variants.iter().position(|variant| variant.default).unwrap_or(0);
            for (variant, space) in one.variants.iter().enumerate() {
                let Some((_, shown)) = seen.structure.space(space.id) else { continue };
                let default = variant == first;
                all.push(Listed {
                    spot: Spot { section, variant },
                    id: space.id.clone(),
                    section: title.clone(),
                    default,
                    hidden: shown.settings.hidden && !default,
                });
            }
        }
        all
    }
}
