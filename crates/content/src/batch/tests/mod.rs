//! Batches on small spaces.
mod files;
mod links;
mod pages;
mod properties;
mod reverts;
mod texts;

use super::*;
use crate::document::Block;
use crate::href::{Addresses, Form};
use crate::markdown::{self, Unresolved};
use crate::object::{Hash, MemoryObjects, Objects};
use crate::order::OrderKey;
use crate::page::{PageEntry, PageKind};
use crate::text_of;
use chrono::TimeDelta;

/// A space under test: what is stored, and the revisions it had.
#[derive(Clone, Default)]
struct World {
    stored: MemoryObjects,
    base: Snapshot,
    head: Snapshot,
    revisions: BTreeMap<RevisionId, Snapshot>,
    batches: i64,
    /// How many times the last batch had to load objects.
    rounds: usize,
}

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(raw: &str) -> T {
    raw.parse().expect("an id")
}

fn time(minutes: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
}

fn document(source: &str) -> Document {
    let blocks = markdown::parse_whole(source, &Unresolved).document.expect("not too many parts").blocks;
    Document::from_blocks(blocks).expect("a valid document")
}

/// An insertion with default values.
fn new_page(name: &str, markdown: &str) -> InsertPage {
    InsertPage {
        id: id(name),
        fields: PageFields::default(),
        document: Body::Markdown(markdown.to_owned()),
        into: None,
        at: None,
        reference: None,
    }
}

fn update(page: &str) -> UpdatePage {
    UpdatePage { page: page.to_owned(), fields: PageFields::default(), document: None, into: Patch::Keep, at: None }
}

fn write(page: &str, markdown: &str) -> Change {
    Change::UpdatePage(UpdatePage { document: Some(Body::Markdown(markdown.to_owned())), ..update(page) })
}

fn delete(page: &str) -> Change {
    Change::DeletePage { page: page.to_owned() }
}

fn revert(page: &str) -> Change {
    Change::RevertPage(RevertPage { page: page.to_owned(), revision: None, blocks: None })
}

fn file(name: &str, reference: Option<&str>) -> NewFile {
    let entry = FileEntry {
        name: name.to_owned(),
        content_type: "image/png".to_owned(),
        size: 3,
        blob: Hash::of(name.as_bytes()),
        dimensions: None,
        git: None,
    };
    NewFile { id: id(&name.replace('.', "-")), entry, reference: reference.map(str::to_owned) }
}

impl World {
    /// A space with these pages: name, path, text. The last part of a path is the slug; titles are the names in upper
    /// case.
    fn of(pages: &[(&str, &str, &str)]) -> Self {
        let mut world = Self::default();
        let mut scratch = Scratch::new(&world.stored);
        let mut edits = Edits::default();
        let orders = OrderKey::sequence(pages.len());
        for ((name, path, text), order) in pages.iter().zip(orders) {
            let (above, slug) = path.rsplit_once('/').unwrap_or(("", path));
            let parent = pages.iter().find(|(_, path, _)| *path == above).map(|(name, ..)| id(name));
            let text = document(text);
            let hash = (!text.blocks.is_empty()).then(|| scratch.put(text.encode()));
            let kind = PageKind::Document { document: hash };
            let page = PageEntry { parent, ..PageEntry::new(kind, name.to_uppercase(), slug, order, time(0)) };
            edits.pages.insert(id(name), Some(page));
        }
        let snapshot = Snapshot::default().edit(&mut scratch, &edits).expect("at hand").expect("a valid tree");
        let written = scratch.into_written();
        world.stored.extend(written);
        world.base = snapshot.clone();
        world.head = snapshot;
        world
    }

    /// Changes the head by hand.
    fn edit(&mut self, change: impl FnOnce(&mut Edits, &Self)) {
        let mut edits = Edits::default();
        change(&mut edits, self);
        let mut scratch = Scratch::new(&self.stored);
        let snapshot = self.head.edit(&mut scratch, &edits).expect("at hand").expect("a valid tree");
        let written = scratch.into_written();
        self.stored.extend(written);
        self.head = snapshot;
    }

    /// Makes the head what changes start from.
    fn rebase(&mut self) {
        self.base = self.head.clone();
    }

    /// Runs a batch as the use case does: what is missing is loaded, and the batch runs again.
    fn run(&mut self, changes: &[Change]) -> Result<(Applied, BTreeMap<Hash, bytes::Bytes>), BatchError> {
        let sources = Sources { head: &self.head, base: &self.base, revisions: &self.revisions };
        let editor = Editor { author: Some(id("ada")), at: time(self.batches + 1) };
        let mut at_hand = MemoryObjects::default();
        self.rounds = 0;
        loop {
            let mut scratch = Scratch::new(&at_hand);
            match apply(&mut scratch, sources, changes, &editor) {
                Ok(applied) => {
                    let written = scratch.into_written();
                    return applied.map(|applied| (applied, written));
                }
                Err(ReadError::Missing(hashes)) => {
                    self.rounds += 1;
                    let loaded: Vec<_> =
                        hashes.iter().map(|hash| (*hash, self.stored.get(hash).expect("it is stored"))).collect();
                    at_hand.extend(loaded);
                }
                Err(fault) => panic!("{fault}"),
            }
        }
    }

    fn apply(&mut self, changes: &[Change]) -> Applied {
        let (applied, written) = self.run(changes).expect("a batch that fits");
        self.stored.extend(written);
        self.head = applied.snapshot.clone();
        self.batches += 1;
        applied
    }

    /// The field and the rule at fault, as the API names them.
    fn refused(&mut self, changes: &[Change]) -> (String, String) {
        let error = self.run(changes).expect_err("a batch that does not fit");
        let invalid = Invalid::from(error.clone());
        assert_eq!(error.to_string(), invalid.to_string());
        (invalid.field, invalid.rule)
    }

    fn field(&mut self, changes: &[Change]) -> String {
        self.refused(changes).0
    }

    fn paths(&self) -> Vec<String> {
        self.head.tree(&self.stored).expect("at hand").iter().map(|node| node.path.clone()).collect()
    }

    fn page(&self, name: &str) -> PageEntry {
        self.head.page(&self.stored, &id(name)).expect("at hand").expect("the page")
    }

    fn text(&self, name: &str) -> Document {
        text_of(&self.stored, self.page(name).document()).expect("at hand")
    }

    /// A page as a read gives it.
    fn markdown(&self, name: &str, form: Form) -> String {
        let text = self.text(name);
        let path = self.head.path(&self.stored, &id(name)).expect("at hand").expect("the page");
        let targets: Vec<_> = text.references().into_iter().map(|found| found.target).collect();
        let addresses = Addresses::find(&self.stored, &self.head, &path, form, &targets).expect("at hand");
        markdown::write(&text, &addresses)
    }

    fn keys(&self, name: &str) -> Vec<String> {
        self.text(name).blocks.into_iter().map(|block: Block| block.key.0.into()).collect()
    }
}

fn guide() -> World {
    World::of(&[
        ("home", "home", "Welcome.\n"),
        ("guides", "guides", "All guides.\n"),
        ("install", "guides/install", "How to install.\n\nOn Linux.\n"),
        ("update", "guides/update", "How to update.\n"),
        ("faq", "faq", ""),
    ])
}

#[test]
fn a_batch_has_one_to_fifty_changes() {
    let mut world = guide();
    assert_eq!(world.field(&[]), "changes");
    let changes: Vec<Change> = (0..51).map(|at| Change::InsertPage(new_page(&format!("p{at}"), ""))).collect();
    assert_eq!(world.refused(&changes), ("changes".to_owned(), "a batch has 1 to 50 changes".to_owned()));
    assert_eq!(world.apply(&changes[..50]).outcomes.len(), 50);
}

#[test]
fn nothing_happens_when_one_change_is_at_fault() {
    let mut world = guide();
    let changes = [Change::InsertPage(new_page("new", "")), delete("gone")];
    assert_eq!(world.refused(&changes), ("changes[1].page".to_owned(), "there is no such page".to_owned()));
}

#[test]
fn what_a_batch_reads_comes_in_few_rounds() {
    let pages: Vec<(String, String)> = (0..600).map(|at| (format!("p{at}"), format!("page-{at}"))).collect();
    let pages: Vec<(&str, &str, &str)> =
        pages.iter().map(|(name, path)| (name.as_str(), path.as_str(), "Text.\n")).collect();
    let mut world = World::of(&pages);
    let changes: Vec<Change> =
        (0..50).map(|at| write(&format!("p{}", at * 12), &format!("See [it](page-{at}.md).\n"))).collect();
    let applied = world.apply(&changes);
    assert_eq!(applied.outcomes.len(), 50);
    assert_eq!(applied.edits.pages.len(), 50);
    assert!(world.rounds <= 12, "{} rounds", world.rounds);
}
