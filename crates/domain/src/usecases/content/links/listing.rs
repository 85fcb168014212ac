//! The links of a revision, and how many of them a change request broke.
use super::collected::{About, RevisionLinks, all_links, collect};
use super::loaded::page_alone;
use super::{LinkItem, Targets, specs};
use crate::access::Granted;
use crate::change_request::ChangeRequest;
use crate::content::reference::ContentRef;
use crate::content::tree::{Node, Tree};
use crate::id::PageId;
use crate::organization::Organization;
use crate::usecases::Error;
use crate::usecases::change_requests::{ShownChangeRequest, show_one};
use crate::usecases::content::LoadedRevision;
use crate::usecases::work::Work;
use std::collections::HashSet;
use std::sync::Arc;

/// What a listing of links covers, in any revision of a space.
pub(super) struct Listing<'a> {
    /// One page; all of them if absent.
    pub(super) page: Option<&'a PageId>,
    /// The organization that owns the space.
    pub(super) organization: &'a Granted<Organization>,
    /// Addresses below it are links inside the product.
    pub(super) public_url: &'a str,
}

/// The pages of a revision that a listing covers.
pub(super) enum Pages {
    All,
    One(Arc<Node>),
}

/// All links of a listing.
pub(super) struct ListedLinks {
    known: Arc<RevisionLinks>,
    /// What each open link became, in their order.
    open: Vec<Vec<Arc<LinkItem>>>,
}

impl ListedLinks {
    /// The links, in the order of their references.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<LinkItem>> {
        self.known.with(&self.open)
    }

    /// The number of links, and how many of them are broken.
    pub(super) fn counts(&self) -> (usize, usize) {
        let (settled, broken) = self.known.counts();
        let open = || self.open.iter().flatten();
        (settled + open().count(), broken + open().filter(|link| link.is_broken()).count())
    }

    fn broken(&self) -> impl Iterator<Item = &str> {
        self.iter().filter(|link| link.is_broken()).map(|link| link.id.as_str())
    }
}

impl Listing<'_> {
    /// The pages; `None` if the revision does not have the page.
    pub(super) async fn pages(&self, work: &mut Work<'_>, opened: &mut LoadedRevision) -> Result<Option<Pages>, Error> {
        let Some(id) = self.page else { return Ok(Some(Pages::All)) };
        let page = opened.read(work, |snapshot, objects| page_alone(snapshot, objects, id)).await?;
        Ok(page.map(Pages::One))
    }

    /// The links in these pages.
    pub(super) async fn links(
        &self,
        work: &mut Work<'_>,
        opened: &mut LoadedRevision,
        pages: Pages,
    ) -> Result<ListedLinks, Error> {
        let known = match pages {
            Pages::All => all_links(work, opened, self.public_url).await?,
            Pages::One(page) => Arc::new(collect(work, opened, &[page], self.public_url).await?),
        };
        let links = known.open();
        let split = specs::split(work, self.organization, &links).await?;
        let wanted: Vec<&ContentRef> = links.iter().map(|link| &link.reference).collect();
        let targets = Targets::outside(work, opened, self.organization, &wanted).await?;
        let mut open = Vec::with_capacity(links.len());
        for (link, all) in links.into_iter().zip(split) {
            let items = all.into_iter().map(|places| {
                let lost = places.reason.is_some();
                let about = About { reference: &link.reference, depends_on: link.depends_on, lost };
                let target = targets.of(&link.reference, self.public_url);
                Arc::new(LinkItem::new(about, target, places.reason, places.locations.into()))
            });
            open.push(items.collect());
        }
        Ok(ListedLinks { known, open })
    }

    /// The number of broken links of a change request that are not broken in the primary content that it began with, or
    /// was last updated to.
    pub(super) async fn broken_by(
        &self,
        request: &ChangeRequest,
        links: &ListedLinks,
        work: &mut Work<'_>,
        opened: &LoadedRevision,
    ) -> Result<usize, Error> {
        let before = request.ancestor();
        let (_, broken) = links.counts();
        if *before == opened.revision.id || broken == 0 {
            return Ok(0);
        }
        let mut before = LoadedRevision::load(work, opened.space.clone(), before).await?;
        let Some(pages) = self.pages(work, &mut before).await? else { return Ok(broken) };
        let links_before = self.links(work, &mut before, pages).await?;
        let broken_before: HashSet<&str> = links_before.broken().collect();
        Ok(links.broken().filter(|id| !broken_before.contains(id)).count())
    }
}

/// Adds the users to the change request whose content was opened.
pub(super) async fn shown(
    work: &mut Work<'_>,
    opened: &LoadedRevision,
    request: Option<ChangeRequest>,
) -> Result<Option<ShownChangeRequest>, Error> {
    let Some(request) = request else { return Ok(None) };
    show_one(work, &opened.space.organization, request, opened.space.revision.clone()).await.map(Some)
}

/// A page without the pages below it.
pub(super) fn alone(node: &Node) -> Arc<Node> {
    Arc::new(Node::stored(node.id.clone(), node.page.clone(), node.path.clone(), Vec::new()))
}

/// All pages of a revision.
pub(super) async fn all_pages(work: &mut Work<'_>, opened: &mut LoadedRevision) -> Result<Vec<Arc<Node>>, Error> {
    let tree: Tree = opened.read(work, |snapshot, objects| snapshot.tree(objects)).await?;
    Ok(tree.iter().map(alone).collect())
}
