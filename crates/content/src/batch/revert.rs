//! Resets pages to their state in a revision.
use super::blocks::{self, RevertError};
use super::pages::NO_SUCH_PAGE;
use super::place::key_at;
use super::run::Batch;
use super::texts::{Pending, Text};
use super::{RevertPage, Step, refuse};
use crate::document::Key;
use crate::object::together;
use crate::page::{PageEntry, PageKind};
use crate::snapshot::Snapshot;
use crate::text_of;
use values::id::PageId;

impl Batch<'_> {
    pub(super) fn revert_page(&mut self, change: &RevertPage) -> Step<()> {
        let RevertPage { page: name, revision, blocks } = change;
        let Some(target) = self.sources.target(revision.as_ref()) else {
            return refuse("revision", "there is no such revision");
        };
        let (id, now) = match self.named(name)? {
            Some((id, page)) => (id, Some(page)),
            None => match name.parse::<PageId>() {
                Ok(id) => (id, None),
                Err(_) => return refuse("page", NO_SUCH_PAGE),
            },
        };
        let then = target.page(self.work.objects, &id)?;
        match (now, then, blocks) {
            (None, None, _) => return refuse("page", NO_SUCH_PAGE),
            (Some(now), Some(then), Some(keys)) => self.revert_blocks(&id, &now, &then, keys)?,
            (None, _, Some(_)) => {
                return refuse("page", "there is no such page; without blocks, it is restored as a whole");
            }
            (Some(_), None, Some(_)) => return refuse("revision", "the page is not in that revision"),
            (Some(_), None, None) => self.take_back(&id, target)?,
            (now, Some(then), None) => self.put_back(&id, now.as_ref(), then)?,
        }
        self.touch(&id);
        Ok(())
    }

    /// Removes a page that was added since, with the pages below it, unless one of those existed before.
    fn take_back(&mut self, id: &PageId, target: &Snapshot) -> Step<()> {
        let below = self.work.below(id)?;
        let before = together(below.iter().map(|below| target.page(self.work.objects, below)))?;
        if let Some((page, _)) = below.iter().zip(before).find(|(_, before)| before.is_some()) {
            let rule = format!("page {page}, which is below it, is of that revision: move or revert that one first");
            return refuse("page", rule);
        }
        self.remove(id)
    }

    /// Restores a page and its place.
    fn put_back(&mut self, id: &PageId, now: Option<&PageEntry>, mut then: PageEntry) -> Step<()> {
        if let Some(parent) = &then.parent {
            match self.work.page(parent)? {
                Some(page) if page.kind.has_path() => {}
                _ => {
                    let rule = format!("page {parent}, which it stood below, is not there: revert that one first");
                    return refuse("page", rule);
                }
            }
            if now.is_some() && self.work.upwards(parent)?.contains(id) {
                let rule = format!("page {parent}, which it stood below, is below it now: move that one first");
                return refuse("page", rule);
            }
        }
        let siblings = self.siblings_without(then.parent.as_ref(), id)?;
        let has_path = then.kind.has_path();
        if let Some(sibling) = siblings.iter().find(|sibling| has_path && sibling.slug == then.slug) {
            let rule = format!("its slug {:?} is taken by page {} now: change that one first", then.slug, sibling.page);
            return refuse("page", rule);
        }
        if !has_path && !self.work.siblings(Some(id))?.is_empty() {
            return refuse("page", "it held no pages, and there are pages below it now: move those first");
        }
        if siblings.iter().any(|sibling| sibling.order == then.order) {
            let at = siblings.partition_point(|sibling| sibling.order <= then.order);
            then.order = key_at(&siblings, at).0;
        }
        self.texts.remove(id);
        self.work.put_verbatim(id, then, self.index)?;
        Ok(())
    }

    fn revert_blocks(&mut self, id: &PageId, now: &PageEntry, then: &PageEntry, keys: &[Key]) -> Step<()> {
        for page in [now, then] {
            if !matches!(page.kind, PageKind::Document { .. }) {
                return refuse("block", "the page has no text");
            }
        }
        let text = self.text(id, now)?;
        let target = text_of(self.work.objects, then.document())?;
        match blocks::revert(&text, &target, keys) {
            Ok(reverted) => {
                let text = match self.texts.get(id).map(|pending| &pending.text) {
                    None | Some(Text::Ready(_)) => Text::Ready(reverted),
                    Some(Text::Mixed(_) | Text::Markdown { .. }) => Text::Mixed(reverted),
                };
                self.texts.insert(id.clone(), Pending { by: self.index, text, old: target });
                Ok(())
            }
            Err(RevertError { at: Some(at), rule }) => refuse(format!("block[{at}]"), rule),
            Err(RevertError { at: None, rule }) => refuse("block", rule),
        }
    }
}
