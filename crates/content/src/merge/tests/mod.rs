//! Laws and cases of merging.
mod cases;
mod corpus;
mod laws;
mod scripts;
mod tree;
mod whole;
mod words;

use super::*;
use crate::document::{Block, Document, Heading, Inline, Key, Kind, Paragraph};
use crate::object::{MemoryObjects, Objects};
use crate::order::OrderKey;
use crate::page::{PageEntry, PageKind};
use crate::text_of;
use chrono::DateTime;
use proptest::test_runner::Config;
use values::id::PageId;

/// So many cases, or as many as `PROPTEST_CASES` says.
fn few(cases: u32) -> Config {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    Config { cases: asked.unwrap_or(cases), ..Config::default() }
}

fn id(name: &str) -> PageId {
    name.parse().expect("an id")
}

fn page(slug: &str, parent: Option<&str>, order: usize) -> PageEntry {
    let order = OrderKey::sequence(62).swap_remove(order);
    let kind = PageKind::Document { document: None };
    PageEntry { parent: parent.map(id), ..PageEntry::new(kind, slug, slug, order, DateTime::UNIX_EPOCH) }
}

fn paragraph(key: &str, text: &str) -> Block {
    let block = Block::new(Kind::Paragraph(Paragraph::default()));
    Block { key: Key(key.into()), ..block.with_content(vec![Inline::from(text)]) }
}

fn heading(key: &str, text: &str) -> Block {
    let block = Block::new(Kind::Heading(Heading { level: 2, ..Heading::default() }));
    Block { key: Key(key.into()), ..block.with_content(vec![Inline::from(text)]) }
}

/// The objects of a space with several lines of change.
#[derive(Debug, Default)]
struct World {
    objects: MemoryObjects,
}

impl World {
    fn keep<T>(&mut self, make: impl FnOnce(&mut Scratch<'_>) -> Read<T>) -> T {
        let mut scratch = Scratch::new(&self.objects);
        let made = make(&mut scratch).expect("all is at hand");
        let written = scratch.into_written();
        self.objects.extend(written);
        made
    }

    /// A page with this text.
    fn written(&mut self, page: PageEntry, blocks: Vec<Block>) -> PageEntry {
        let document = Document::from_blocks(blocks).expect("a valid document");
        let document = self.keep(|scratch| Ok(super::texts::stored(scratch, &document)));
        PageEntry { kind: PageKind::Document { document }, ..page }
    }

    fn edit(&mut self, from: &Snapshot, edits: Edits) -> Option<Snapshot> {
        self.keep(|scratch| from.edit(scratch, &edits)).ok()
    }

    fn with(&mut self, from: &Snapshot, pages: &[(&str, Option<PageEntry>)]) -> Snapshot {
        let pages = pages.iter().map(|(name, page)| (id(name), page.clone())).collect();
        self.edit(from, Edits { pages, ..Edits::default() }).expect("a valid tree")
    }

    fn merge(&mut self, base: &Snapshot, primary: &Snapshot, change: &Snapshot) -> Merged {
        self.keep(|scratch| merge(scratch, base, primary, change))
    }

    fn page(&self, snapshot: &Snapshot, name: &str) -> Option<PageEntry> {
        snapshot.page(&self.objects, &id(name)).expect("all is at hand")
    }

    fn text(&self, snapshot: &Snapshot, name: &str) -> Document {
        let page = self.page(snapshot, name);
        text_of(&self.objects, page.and_then(|page| page.document())).expect("all is at hand")
    }

    fn lines(&self, snapshot: &Snapshot, name: &str) -> Vec<String> {
        self.text(snapshot, name).walk().map(Block::line).collect()
    }

    fn paths(&self, snapshot: &Snapshot) -> Vec<String> {
        snapshot.tree(&self.objects).expect("all is at hand").iter().map(|node| node.path.clone()).collect()
    }

    /// The content with a conflict decided.
    fn resolved(&mut self, head: &Snapshot, conflict: &Conflict, keep: Keep) -> Snapshot {
        let edits = self.keep(|scratch| resolve(scratch, head, conflict, keep));
        self.edit(head, edits).expect("a decided conflict gives a valid tree")
    }

    fn resolved_all(&mut self, merged: &Merged, keep: Keep) -> Snapshot {
        let mut head = merged.snapshot.clone();
        for conflict in &merged.conflicts {
            head = self.resolved(&head, conflict, keep);
        }
        head
    }

    /// Panics when a content is no tree, or a text no valid document.
    fn check(&self, snapshot: &Snapshot) {
        let pages = snapshot.pages(&self.objects).expect("all is at hand");
        let tree = snapshot.tree(&self.objects).expect("all is at hand");
        assert_eq!(tree.iter().count(), pages.len(), "every page hangs on the root");
        for node in tree.iter() {
            let has_path = node.page.kind.has_path();
            assert!(node.children.is_empty() || has_path, "nothing is below a page without a path");
            assert!(node.page.kind != PageKind::Group || node.page.parent.is_none(), "groups are at the root");
            if has_path {
                let at = snapshot.page_at(&self.objects, &node.path).expect("all is at hand");
                assert_eq!(at.as_ref(), Some(&node.id), "a path leads to its page");
            }
            let text = text_of(&self.objects, node.page.document()).expect("all is at hand");
            assert_eq!(text.check(), Ok(()));
        }
    }
}

fn keys(merged: &Merged) -> Vec<String> {
    merged.conflicts.iter().map(|conflict| conflict.subject.key()).collect()
}

/// The same conflict seen from the other side.
fn mirrored(conflict: &Conflict) -> Conflict {
    Conflict { primary: conflict.change.clone(), change: conflict.primary.clone(), ..conflict.clone() }
}
