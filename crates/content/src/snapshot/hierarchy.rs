//! Reads pages as a tree: ancestors, children and paths.
use super::{Place, Sibling, Snapshot};
use crate::object::{Objects, Read, both, fetch, together};
use crate::page::{MAX_DEPTH, PageEntry, PageKind};
use crate::tree::{Node, Tree};
use bytes::Bytes;
use values::id::PageId;
use values::text::folded;

/// A page with the ids of the pages below it, which must be known before the rest is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlined {
    /// The page.
    pub page: PageEntry,
    /// The pages below it.
    pub below: Vec<PageId>,
}

impl Snapshot {
    /// The pages directly below `parent` (at the root when absent), in their order.
    pub fn children(&self, objects: &dyn Objects, parent: Option<&PageId>) -> Read<Vec<PageId>> {
        Ok(self.siblings(objects, parent)?.into_iter().map(|sibling| sibling.page).collect())
    }

    /// The same with their slugs and order keys. Reads the index of places, not the pages.
    pub fn siblings(&self, objects: &dyn Objects, parent: Option<&PageId>) -> Read<Vec<Sibling>> {
        let prefix = format!("{}/", parent.map_or("", PageId::as_str));
        let sibling = |(key, Place { page, order }): (String, Place)| {
            let slug = key.get(prefix.len()..).filter(|slug| !slug.starts_with(':')).unwrap_or_default().to_owned();
            Sibling { order, page, slug }
        };
        let mut siblings: Vec<Sibling> = self.places.with_prefix(objects, &prefix)?.into_iter().map(sibling).collect();
        // Concurrent inserts give equal order keys. Then the id decides, so that every reader sees one order.
        siblings.sort();
        Ok(siblings)
    }

    /// The pages directly below `parent` (at the root when absent), in their order, without the pages below them.
    pub fn level(&self, objects: &dyn Objects, parent: Option<&PageId>) -> Read<Vec<Node>> {
        let path = match parent {
            Some(parent) => self.path(objects, parent).map(Option::unwrap_or_default),
            None => Ok(String::new()),
        };
        let (path, ids) = both(path, self.children(objects, parent))?;
        let pages = self.pages_of(objects, &ids)?;
        let node = |(id, page): (PageId, Option<PageEntry>)| {
            let page = page?;
            let path = if path.is_empty() { page.slug.clone() } else { format!("{path}/{}", page.slug) };
            Some(Node::stored(id, page, path, Vec::new()))
        };
        Ok(ids.into_iter().zip(pages).filter_map(node).collect())
    }

    /// The longest prefix of a path that is a page, with that page, and the rest of the path.
    pub fn page_above<'p>(&self, objects: &dyn Objects, path: &'p str) -> Read<(Option<PageId>, &'p str)> {
        let mut rest = path.trim_matches('/');
        let mut at: Option<PageId> = None;
        while !rest.is_empty() {
            let (slug, below) = rest.split_once('/').unwrap_or((rest, ""));
            let key = format!("{}/{slug}", at.as_ref().map_or("", PageId::as_str));
            match self.places.get(objects, &key)? {
                Some(place) => (at, rest) = (Some(place.page), below),
                None => break,
            }
        }
        Ok((at, rest))
    }

    /// The page at a path such as `guides/install`. The empty path is the first page of the space.
    pub fn page_at(&self, objects: &dyn Objects, path: &str) -> Read<Option<PageId>> {
        let path = path.trim_matches('/');
        if path.is_empty() {
            return Ok(self.children(objects, None)?.into_iter().next());
        }
        let mut at: Option<PageId> = None;
        for slug in path.split('/') {
            let key = format!("{}/{slug}", at.as_ref().map_or("", PageId::as_str));
            match self.places.get(objects, &key)? {
                Some(place) => at = Some(place.page),
                None => return Ok(None),
            }
        }
        Ok(at)
    }

    /// The same for a path that a user wrote: if no page has a part of it, a page whose slug differs only in case.
    pub fn page_like(&self, objects: &dyn Objects, path: &str) -> Read<Option<PageId>> {
        if let Some(found) = self.page_at(objects, path)? {
            return Ok(Some(found));
        }
        let mut at: Option<PageId> = None;
        for slug in path.trim_matches('/').split('/') {
            let siblings = self.siblings(objects, at.as_ref())?;
            let exact = siblings.iter().find(|one| one.slug == slug);
            let like = || siblings.iter().find(|one| !one.slug.is_empty() && folded(&one.slug) == folded(slug));
            match exact.or_else(like) {
                Some(sibling) => at = Some(sibling.page.clone()),
                None => return Ok(None),
            }
        }
        Ok(at)
    }

    /// The first page with text below a page (of the space when absent), in reading order.
    pub fn first_document(&self, objects: &dyn Objects, parent: Option<&PageId>) -> Read<Option<PageId>> {
        let mut waiting = self.children(objects, parent)?;
        waiting.reverse();
        while let Some(id) = waiting.pop() {
            match self.page(objects, &id)?.map(|page| page.kind) {
                Some(PageKind::Document { .. }) => return Ok(Some(id)),
                Some(PageKind::Group) => waiting.extend(self.children(objects, Some(&id))?.into_iter().rev()),
                Some(PageKind::Link { .. } | PageKind::Computed { .. }) | None => {}
            }
        }
        Ok(None)
    }

    /// The ancestors of a page, from the root down.
    pub fn ancestors(&self, objects: &dyn Objects, page: &PageEntry) -> Read<Vec<(PageId, PageEntry)>> {
        let mut above = Vec::new();
        let mut parent = page.parent.clone();
        while let Some(id) = parent {
            let Some(entry) = self.page(objects, &id)? else { break };
            parent = entry.parent.clone();
            above.push((id, entry));
            if above.len() > MAX_DEPTH {
                break;
            }
        }
        above.reverse();
        Ok(above)
    }

    /// The path of a page: the slugs from the root down, joined by `/`.
    pub fn path(&self, objects: &dyn Objects, id: &PageId) -> Read<Option<String>> {
        let Some(page) = self.page(objects, id)? else { return Ok(None) };
        let mut slugs: Vec<String> = self.ancestors(objects, &page)?.into_iter().map(|(_, above)| above.slug).collect();
        slugs.push(page.slug);
        Ok(Some(slugs.join("/")))
    }

    /// A page with all pages below it.
    pub fn subtree(&self, objects: &dyn Objects, id: &PageId) -> Read<Option<Node>> {
        let page = self.outlined(objects, id, usize::MAX)?;
        page.map(|page| self.node(objects, id, &page)).transpose()
    }

    /// A page with the ids of all pages below it. If there are more than `enough`, it may have only some more than
    /// that.
    pub fn outlined(&self, objects: &dyn Objects, id: &PageId, enough: usize) -> Read<Option<Outlined>> {
        let (page, below) = both(self.page(objects, id), self.descendants(objects, id, enough))?;
        Ok(page.map(|page| Outlined { page, below }))
    }

    /// The same page with all pages below it, and its stored text.
    pub fn node_and_text(&self, objects: &dyn Objects, id: &PageId, page: &Outlined) -> Read<(Node, Option<Bytes>)> {
        let text = fetch(objects, page.page.document());
        let (node, text) = both(self.node(objects, id, page), text)?;
        Ok((node, text.into_iter().next()))
    }

    fn node(&self, objects: &dyn Objects, id: &PageId, Outlined { page, below }: &Outlined) -> Read<Node> {
        let names: Vec<&str> = below.iter().map(PageId::as_str).collect();
        let (above, found) = both(self.ancestors(objects, page), self.pages.get_many(objects, &names))?;
        let mut path: Vec<String> = above.into_iter().map(|(_, above)| above.slug).collect();
        path.push(page.slug.clone());
        let pages = below.iter().cloned().zip(found).filter_map(|(id, page)| Some((id, page?)));
        Ok(Tree::below(id.clone(), page.clone(), path.join("/"), pages))
    }

    /// The ids of the pages below a page: all of them, or some more than `enough` if there are more.
    pub fn descendants(&self, objects: &dyn Objects, id: &PageId, enough: usize) -> Read<Vec<PageId>> {
        let mut found = Vec::new();
        let mut level = vec![id.clone()];
        while !level.is_empty() && found.len() <= enough {
            let children = together(level.iter().map(|parent| self.children(objects, Some(parent))))?;
            let next: Vec<PageId> = children.into_iter().flatten().collect();
            found.extend(next.iter().cloned());
            level = next;
        }
        Ok(found)
    }

    /// All pages as a tree.
    pub fn tree(&self, objects: &dyn Objects) -> Read<Tree> {
        Ok(Tree::new(self.pages(objects)?))
    }
}
