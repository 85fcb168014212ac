//! Paths of a site that have no page of their own and lead to one.
use super::Visiting;
use crate::content::import::path::decode;
use crate::content::page::PageKind;
use crate::paging::{MAX_LIMIT, Order, PageRequest};
use crate::site::redirect::{RedirectFilter, RedirectOrder, SiteRedirect};
use crate::usecases::Error;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Paths of a site that have no page of their own, not encoded. [`Visiting::read`] finds the target of each for a
/// visitor, if it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OldPaths {
    /// Paths that the site redirects.
    pub redirected: BTreeSet<String>,
    /// Paths that pages had, that an import redirects, those of groups, and those of pages with former segments of
    /// sections and site spaces.
    pub former: BTreeSet<String>,
    /// The redirects for all paths with a prefix, in the order of their precedence.
    pub wildcards: Vec<WildcardRedirect>,
}

/// A redirect for all paths with a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WildcardRedirect {
    /// The source, with `*` at its end.
    pub source: String,
    /// The absolute address that it leads to.
    pub to: String,
    /// Whether the part of the path that `*` matches is appended to the address.
    pub captures: bool,
}

impl Visiting<'_> {
    /// All paths of the site that can lead to a page without having one.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn old_paths(&mut self) -> Result<OldPaths, Error> {
        let mut all = OldPaths { former: self.former_paths().await?, ..OldPaths::default() };
        for redirect in self.redirects().await? {
            if !redirect.source.is_wildcard() {
                let path = redirect.source.as_str().trim_start_matches('/');
                all.redirected.insert(path.split('/').map(decode).collect::<Vec<_>>().join("/"));
                continue;
            }
            let Self { work, contents, addressed, .. } = self;
            if let Some(to) = addressed.destination(work, contents, &redirect.destination).await? {
                let (source, captures) = (redirect.source.to_string(), redirect.capture_wildcard);
                all.wildcards.push(WildcardRedirect { source, to: to.into(), captures });
            }
        }
        all.wildcards.sort_by_key(|wildcard| Reverse(wildcard.source.len()));
        Ok(all)
    }

    /// The redirects of the site that are not drafts.
    async fn redirects(&mut self) -> Result<Vec<SiteRedirect>, Error> {
        let filter = RedirectFilter { order_by: RedirectOrder::Source, ..RedirectFilter::default() };
        let mut request = PageRequest { limit: MAX_LIMIT, order: Order::Asc, after: None };
        let mut all = Vec::new();
        loop {
            let part = self.work.site_redirects().list(&self.site.id, &filter, &request).await?;
            all.extend(part.items);
            let Some(next) = part.next else { return Ok(all) };
            request.after = Some(next);
        }
    }

    /// See [`OldPaths::former`].
    async fn former_paths(&mut self) -> Result<BTreeSet<String>, Error> {
        let mut all = BTreeSet::new();
        for listed in self.listed_variants() {
            let Some(pages) = self.pages(listed.spot).await? else { continue };
            let Self { work, contents, addressed, .. } = self;
            let mut paths = work.content().former_paths(&pages.space).await?;
            if let Some(opened) = contents.get(work, &pages.space).await? {
                paths.extend(opened.read(work, |snapshot, objects| snapshot.redirected_paths(objects)).await?);
            }
            let groups = pages.tree.iter().filter(|node| matches!(node.page.kind, PageKind::Group));
            paths.extend(groups.map(|node| node.path.to_string()).filter(|path| !path.is_empty()));
            let view = addressed.view();
            all.extend(paths.iter().map(|path| view.address(listed.spot, path)));
            let documents = || pages.tree.iter().filter(|node| matches!(node.page.kind, PageKind::Document { .. }));
            for start in view.former_starts(listed.spot) {
                let below = documents().map(|node| [start.as_str(), pages.path(node)]);
                all.extend(below.map(|[start, path]| format!("{start}/{path}").trim_matches('/').to_owned()));
            }
        }
        Ok(all)
    }
}
