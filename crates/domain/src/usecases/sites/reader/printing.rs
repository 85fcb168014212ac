//! Printing: one page, or all pages of a variant in order.
use super::Visiting;
use super::page_tree::Node;
use super::places::VariantPages;
use crate::content::page::PageKind;
use crate::id::{PageId, SiteSpaceId};
use crate::site::reader::SiteFrame;
use crate::site::resolve::Spot;
use crate::usecases::Error;

/// The pages to print. [`Visiting::text`] reads their texts.
#[derive(Debug)]
pub struct Printing {
    /// The site around it.
    pub frame: SiteFrame,
    /// The title of the variant.
    pub title: String,
    /// The pages, in order, each with its path on the server.
    pub pages: Vec<(PageId, String)>,
}

impl Visiting<'_> {
    /// One page of a variant, or all pages of its table of contents. Without a variant, it is the first one with the
    /// page, or the first one of the site. `None` if the visitor does not see it.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn printing(
        &mut self,
        variant: Option<&SiteSpaceId>,
        page: Option<&PageId>,
    ) -> Result<Option<Printing>, Error> {
        let spots: Vec<Spot> = match (variant, page) {
            (Some(variant), _) => self.addressed.view().spot(variant).into_iter().collect(),
            (None, None) => self.first_spot().into_iter().collect(),
            (None, Some(_)) => self.listed_variants().into_iter().map(|listed| listed.spot).collect(),
        };
        for spot in spots {
            let Some(pages) = self.pages(spot).await? else { continue };
            let Some(found) = self.printed(&pages, page) else { continue };
            let frame = self.frame(&pages, page).await?;
            return Ok(Some(Printing { frame, title: pages.title.clone(), pages: found }));
        }
        Ok(None)
    }

    /// The pages to print, with their paths; `None` if the only page is not in the variant.
    fn printed(&self, pages: &VariantPages, page: Option<&PageId>) -> Option<Vec<(PageId, String)>> {
        let view = self.addressed.view();
        let place = |node: &Node| (node.id.clone(), self.page_href_in(&view, pages, node));
        match page {
            None => Some(pages.listed().into_iter().map(place).collect()),
            Some(page) => {
                let is_text = |node: &&Node| matches!(node.page.kind, PageKind::Document { .. });
                pages.get(page).filter(is_text).map(|node| vec![place(node)])
            }
        }
    }
}
