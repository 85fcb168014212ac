//! Texts of pages, without the site around them.
use super::page_tree::Node;
use super::places::VariantPages;
use super::{PageOnSite, Visiting};
use crate::content::document::Document;
use crate::content::markdown::plain_line;
use crate::content::object::{Hash, fetch};
use crate::content::page::PageKind;
use crate::content::reference::ContentRef;
use crate::id::{PageId, SiteSpaceId};
use crate::site::reader::References;
use crate::usecases::Error;
use crate::usecases::sites::reader::page::Found;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use std::sync::Arc;
use url::Url;

/// The text of a page for the visitor.
#[derive(Clone, Debug)]
pub struct PageText {
    /// The page.
    pub id: PageId,
    /// Its title.
    pub title: String,
    /// A line about it.
    pub description: Option<String>,
    /// Its absolute canonical address.
    pub url: String,
    /// When it was last edited; if never, when it was created.
    pub updated_at: DateTime<Utc>,
    /// The text, with reusable contents, and without what a condition hides.
    pub document: Document,
    /// The targets of the references in the text.
    pub references: References,
}

/// The most texts to load at once.
const MOST_AT_ONCE: usize = 64;

/// How many texts to load at once ([`Visiting::load_texts`]) after some were read: as many as those. A reader that stops
/// early, because the texts are large, has loaded at most twice as many as it read.
pub fn texts_at_once(read: usize) -> usize {
    read.clamp(1, MOST_AT_ONCE)
}

impl Visiting<'_> {
    /// Loads the texts of pages with one query, before [`Self::text`] reads each. Pages that the visitor does not see
    /// are left out.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn load_texts(&mut self, variant: &SiteSpaceId, pages: &[PageId]) -> Result<(), Error> {
        let Some(spot) = self.addressed.view().spot(variant) else { return Ok(()) };
        let Some(known) = self.pages(spot).await? else { return Ok(()) };
        let texts: Vec<Hash> = pages.iter().filter_map(|page| known.get(page)?.page.document()).collect();
        let Self { work, contents, .. } = self;
        let Some(opened) = contents.get(work, &known.space).await? else { return Ok(()) };
        opened.read(work, |_, objects| fetch(objects, texts.iter().copied())).await?;
        Ok(())
    }

    /// The text of a page of a space on the site; `None` if the visitor does not see it.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn text(&mut self, variant: &SiteSpaceId, page: &PageId) -> Result<Option<PageText>, Error> {
        let Some(spot) = self.addressed.view().spot(variant) else { return Ok(None) };
        let Some(pages) = self.pages(spot).await? else { return Ok(None) };
        let Some((node, _)) = pages.find(page).filter(|(node, _)| matches!(node.page.kind, PageKind::Document { .. }))
        else {
            return Ok(None);
        };
        Ok(Some(self.node_text(&pages, node).await?))
    }

    /// The text of the page at an address: absolute, a path on the server or a path on the site, of a page or of its
    /// Markdown. `None` if the visitor finds no page there, or one that is left out of outputs for agents.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn text_at(&mut self, address: &str) -> Result<Option<PageText>, Error> {
        let Some(mut path) = self.path_at(address) else { return Ok(None) };
        // A former address redirects to the current one, and the address of a group to its first page.
        for _ in 0..MAX_STEPS {
            match self.find(&path, None).await? {
                Found::At(PageOnSite { spot, page }, _) => {
                    let Some(pages) = self.pages(spot).await? else { return Ok(None) };
                    let Some((node, _)) = pages.find(&page).filter(|(node, _)| !node.page.no_index) else {
                        return Ok(None);
                    };
                    return Ok(Some(self.node_text(&pages, node).await?));
                }
                Found::Redirect { url, .. } => match self.path_at(&url) {
                    Some(next) => path = next,
                    None => return Ok(None),
                },
                Found::Nothing => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The path on the site of an address, as written; `None` if it is of another site.
    pub fn path_at(&self, address: &str) -> Option<String> {
        let address = address.split(['?', '#']).next().unwrap_or_default().trim();
        if let Some(rest) = address.strip_prefix(self.address()) {
            return Some(rest.to_owned());
        }
        if let Ok(url) = Url::parse(address) {
            return self.addressed.within(&url);
        }
        let path = address.strip_prefix(&self.base_path()).unwrap_or(address);
        Some(path.trim_start_matches('/').to_owned())
    }

    async fn node_text(&mut self, pages: &Arc<VariantPages>, node: &Node) -> Result<PageText, Error> {
        let document = self.document(pages, node).await?;
        let wanted: BTreeSet<ContentRef> = document.references().into_iter().map(|found| found.target).collect();
        let targets = self.targets(pages, wanted).await?;
        let sources = self.openapi_sources(pages, &document).await?;
        let (openapi, _) = self.openapi_blocks(&sources).await?;
        let address = self.addressed.view().address(pages.spot, pages.path(node));
        Ok(PageText {
            id: node.id.clone(),
            title: node.page.title.to_string(),
            description: node.page.description.as_deref().map(plain_line),
            url: self.addressed.base().at(&address),
            updated_at: node.page.updated_at,
            document,
            references: References { targets, openapi },
        })
    }
}

/// The most redirects that are followed to a page.
const MAX_STEPS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_queries_load_many_texts_and_a_reader_that_stops_early_has_loaded_few() {
        let (mut loaded, mut queries) = (0, 0);
        for read in 0..512 {
            if read == loaded {
                loaded += texts_at_once(read);
                queries += 1;
            }
            assert!(loaded > read && loaded <= 2 * (read + 1), "{loaded} loaded, {read} read");
        }
        assert_eq!(queries, 14);
    }
}
