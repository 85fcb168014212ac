//! The links of a revision, and how many of them a change request broke.
use super::{About, LinkItem, LinkStatus, Places, Targets, references, specs};
use crate::access::Granted;
use crate::change_request::ChangeRequest;
use crate::content::object::Hash;
use crate::content::reference::ContentRef;
use crate::content::tree::{Node, Tree};
use crate::id::PageId;
use crate::organization::Organization;
use crate::usecases::Error;
use crate::usecases::change_requests::{ShownChangeRequest, show_one};
use crate::usecases::content::LoadedRevision;
use crate::usecases::work::Work;
use serde_json::json;
use std::collections::{HashMap, HashSet};
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

impl Listing<'_> {
    /// The pages; `None` if the revision does not have the page.
    pub(super) async fn pages(
        &self,
        work: &mut Work<'_>,
        opened: &mut LoadedRevision,
    ) -> Result<Option<Vec<Arc<Node>>>, Error> {
        let Some(id) = self.page else { return all_pages(work, opened).await.map(Some) };
        let node = opened.read(work, |snapshot, objects| snapshot.subtree(objects, id)).await?;
        Ok(node.map(|node| vec![alone(&node)]))
    }

    /// The links in these pages.
    pub(super) async fn links(
        &self,
        work: &mut Work<'_>,
        opened: &mut LoadedRevision,
        pages: Vec<Arc<Node>>,
    ) -> Result<Vec<LinkItem>, Error> {
        let known: HashMap<PageId, Arc<Node>> = pages.iter().map(|page| (page.id.clone(), page.clone())).collect();
        let found = references(work, opened, pages, None).await?;
        let found = specs::with_specs(work, self.organization, found).await?;
        let wanted: Vec<&ContentRef> = found.keys().map(|about| &about.reference).collect();
        let mut targets = Targets::find(work, opened, &wanted, &known).await?;
        targets.find_around(work, self.organization, &wanted).await?;
        let item = |(about, Places { locations, reason }): (About, Places)| {
            let id = about.id();
            let About { reference, depends_on, lost } = about;
            let (status, target) = targets.of(&reference, self.public_url);
            let status = if lost { LinkStatus::Broken } else { status };
            LinkItem { status, depends_on, reference, target, reason, locations, id }
        };
        Ok(found.into_iter().map(item).collect())
    }

    /// The number of broken links of a change request that are not broken in the primary content that it began with, or
    /// was last updated to.
    pub(super) async fn broken_by(
        &self,
        request: &ChangeRequest,
        links: &[LinkItem],
        work: &mut Work<'_>,
        opened: &LoadedRevision,
    ) -> Result<usize, Error> {
        let before = request.ancestor();
        if *before == opened.revision.id || !links.iter().any(LinkItem::is_broken) {
            return Ok(0);
        }
        let mut before = LoadedRevision::load(work, opened.space.clone(), before).await?;
        let links_before = match self.pages(work, &mut before).await? {
            Some(pages) => self.links(work, &mut before, pages).await?,
            None => Vec::new(),
        };
        let is_broken = |link: &&LinkItem| link.is_broken();
        let broken_before: HashSet<&str> = links_before.iter().filter(is_broken).map(|link| link.id.as_str()).collect();
        Ok(links.iter().filter(is_broken).filter(|link| !broken_before.contains(link.id.as_str())).count())
    }
}

impl About {
    /// The same in every revision.
    fn id(&self) -> String {
        let Self { reference, depends_on, lost } = self;
        Hash::of(json!([reference, depends_on, lost]).to_string().as_bytes()).to_string()
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
