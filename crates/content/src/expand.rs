//! Expands documents: replaces inclusions by the reusable contents that they include.
use crate::document::{Block, Document, Key, Kind};
use crate::object::{Objects, Read, fetch, together};
use crate::page::ReusableContent;
use crate::reference::ContentRef;
use crate::snapshot::Snapshot;
use bytes::Bytes;
use std::collections::{BTreeSet, HashMap};
use values::id::ReusableContentId;

/// The maximum depth of inclusions. Deeper ones stay unexpanded, which also ends cycles.
const MAX_INCLUSIONS: usize = 8;

/// The maximum number of blocks of an expanded document; further inclusions stay unexpanded, so contents that include
/// each other many times cannot exhaust memory.
const MAX_BLOCKS: usize = 100_000;

/// The maximum size of the included texts, in stored bytes; further inclusions stay unexpanded. A few large texts that
/// are included many times have fewer than [`MAX_BLOCKS`] blocks.
const MAX_BYTES: usize = 16 << 20;

/// A document after its expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// The document, with the blocks of reusable contents in place of their inclusions.
    pub document: Document,
    /// The reusable contents that were looked up, directly or through others, also those that do not exist. The
    /// expansion changes only if the document or the text of one of these changes.
    pub contents: BTreeSet<ReusableContentId>,
}

/// Replaces inclusions by the blocks of the reusable contents. An inclusion stays a reference if this revision does not
/// have the content, or if it belongs to another space.
///
/// # Errors
/// [`ReadError`](crate::object::ReadError).
pub fn expand(objects: &dyn Objects, snapshot: &Snapshot, document: Document) -> Read<Document> {
    let expanded = expand_all(objects, snapshot, vec![document], usize::MAX)?;
    Ok(expanded.and_then(|mut all| all.pop()).map(|only| only.document).unwrap_or_default())
}

/// Expands several documents, with as many rounds of reading as for one document. Returns `None` if more than `most`
/// bytes of stored texts would be included in all of them together.
///
/// # Errors
/// [`ReadError`](crate::object::ReadError).
pub fn expand_all(
    objects: &dyn Objects,
    snapshot: &Snapshot,
    documents: Vec<Document>,
    most: usize,
) -> Read<Option<Vec<Expanded>>> {
    let expansion = |document: Document| {
        let blocks = document.walk().count();
        Expansion { all: Expanded { document, contents: BTreeSet::new() }, blocks, bytes: 0, finished: false }
    };
    let mut expansions: Vec<Expansion> = documents.into_iter().map(expansion).collect();
    for round in 0..MAX_INCLUSIONS {
        let mut wanted: BTreeSet<ReusableContentId> = BTreeSet::new();
        for one in expansions.iter_mut().filter(|one| !one.finished) {
            let included: BTreeSet<_> = one.all.document.walk().filter_map(included).cloned().collect();
            one.finished = included.is_empty();
            wanted.extend(included.iter().cloned());
            one.all.contents.extend(included);
        }
        if wanted.is_empty() {
            break;
        }
        let texts = texts(objects, snapshot, wanted)?;
        for one in expansions.iter_mut().filter(|one| !one.finished) {
            let mut inliner = Inliner { texts: &texts, blocks: one.blocks, bytes: one.bytes, round, placed: 0 };
            inliner.inline_all(&mut one.all.document.blocks);
            (one.blocks, one.bytes, one.finished) = (inliner.blocks, inliner.bytes, inliner.placed == 0);
        }
        if expansions.iter().map(|one| one.bytes).sum::<usize>() > most {
            return Ok(None);
        }
    }
    Ok(Some(expansions.into_iter().map(|one| one.all).collect()))
}

/// A document during its expansion.
struct Expansion {
    all: Expanded,
    blocks: usize,
    /// The stored size of the included texts.
    bytes: usize,
    /// Whether a limit is reached, so nothing more is included.
    finished: bool,
}

/// The text of a reusable content.
struct IncludedText {
    document: Document,
    blocks: usize,
    /// Its stored size.
    bytes: usize,
}

/// The texts of these reusable contents, without those that do not exist.
fn texts(
    objects: &dyn Objects,
    snapshot: &Snapshot,
    wanted: BTreeSet<ReusableContentId>,
) -> Read<HashMap<ReusableContentId, IncludedText>> {
    let contents = together(wanted.iter().map(|id| snapshot.reusable_content(objects, id)))?;
    let contents = wanted.into_iter().zip(contents).filter_map(|(id, content)| Some((id, content?)));
    let read = |(id, content): (ReusableContentId, ReusableContent)| {
        let document = crate::text_of(objects, content.document)?;
        let bytes = fetch(objects, content.document)?.iter().map(Bytes::len).sum();
        let blocks = document.walk().count();
        Ok((id, IncludedText { document, blocks, bytes }))
    };
    Ok(together(contents.map(read))?.into_iter().collect())
}

fn included(block: &Block) -> Option<&ReusableContentId> {
    match &block.kind {
        Kind::ReusableContent(data) => match &data.target.0 {
            ContentRef::ReusableContent { reusable_content, space: None } => Some(reusable_content),
            _ => None,
        },
        _ => None,
    }
}

struct Inliner<'t> {
    texts: &'t HashMap<ReusableContentId, IncludedText>,
    blocks: usize,
    bytes: usize,
    round: usize,
    placed: usize,
}

impl Inliner<'_> {
    fn inline_all(&mut self, blocks: &mut Vec<Block>) {
        for mut block in std::mem::take(blocks) {
            match included(&block).and_then(|id| self.texts.get(id)) {
                Some(text) if self.blocks + text.blocks <= MAX_BLOCKS && self.bytes + text.bytes <= MAX_BYTES => {
                    self.blocks += text.blocks;
                    self.bytes += text.bytes;
                    self.placed += 1;
                    // A page may include the same content twice: the keys must differ between the two places.
                    let place = format!("{}/{}", block.key.0, self.round);
                    let mut text = text.document.clone();
                    rekey(&mut text.blocks, &place);
                    blocks.append(&mut text.blocks);
                }
                _ => {
                    self.inline_all(&mut block.children);
                    blocks.push(block);
                }
            }
        }
    }
}

fn rekey(blocks: &mut [Block], place: &str) {
    for block in blocks {
        let name = blake3::hash(format!("{place}/{}", block.key.0).as_bytes()).to_hex();
        block.key = Key(name[..16].into());
        rekey(&mut block.children, place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::testing::World;
    use crate::object::Scratch;
    use crate::snapshot::Edits;

    fn id(world: &World, title: &str) -> ReusableContentId {
        let contents = world.snapshot.reusable_contents(&world.objects).unwrap();
        contents.into_iter().find(|(_, content)| content.title.as_str() == title).expect("the reusable content").0
    }

    fn ids(world: &World, titles: &[&str]) -> BTreeSet<ReusableContentId> {
        titles.iter().map(|title| id(world, title)).collect()
    }

    fn all(world: &World, pages: &[&str], most: usize) -> Option<Vec<Expanded>> {
        let documents = pages.iter().map(|path| world.text(path)).collect();
        expand_all(&world.objects, &world.snapshot, documents, most).unwrap()
    }

    fn nested() -> World {
        World::of(&[
            ("README.md", "# Home\n\n{% include \".gitbook/includes/outer.md\" %}\n"),
            ("inner.md", "# Inner\n\n{% include \".gitbook/includes/inner.md\" %}\n"),
            ("plain.md", "# Plain\n\nOnly this.\n"),
            (".gitbook/includes/outer.md", "---\ntitle: Outer\n---\n\nOuter text.\n\n{% include \"inner.md\" %}\n"),
            (".gitbook/includes/inner.md", "---\ntitle: Inner\n---\n\nInner text.\n"),
            (".gitbook/includes/other.md", "---\ntitle: Other\n---\n\nAnother text.\n"),
        ])
    }

    #[test]
    fn an_expanded_document_names_all_contents_that_it_depends_on() {
        let world = nested();
        let expanded = all(&world, &["", "inner", "plain"], usize::MAX).unwrap();
        let seen: Vec<_> = expanded.iter().map(|one| (one.document.text(), one.contents.clone())).collect();
        let expected = [
            ("Outer text.\nInner text.".to_owned(), ids(&world, &["Outer", "Inner"])),
            ("Inner text.".to_owned(), ids(&world, &["Inner"])),
            ("Only this.".to_owned(), BTreeSet::new()),
        ];
        assert_eq!(seen, expected);
        for path in ["", "inner", "plain"] {
            let alone = expand(&world.objects, &world.snapshot, world.text(path)).unwrap();
            assert_eq!(Some(alone), all(&world, &[path], usize::MAX).unwrap().pop().map(|one| one.document));
        }
    }

    #[test]
    fn a_content_that_does_not_exist_is_named_too() {
        let mut world = nested();
        let inner = id(&world, "Inner");
        let edits = Edits { reusable_contents: [(inner.clone(), None)].into(), ..Edits::default() };
        let mut scratch = Scratch::new(&world.objects);
        world.snapshot = world.snapshot.edit(&mut scratch, &edits).unwrap().unwrap();
        let written = scratch.into_written();
        world.objects.extend(written);
        let expanded = all(&world, &["inner"], usize::MAX).unwrap().remove(0);
        assert_eq!((expanded.document, expanded.contents), (world.text("inner"), [inner].into()));
    }

    #[test]
    fn more_included_text_than_allowed_is_not_expanded() {
        let world = nested();
        let size = |title: &str| {
            let content = world.snapshot.reusable_content(&world.objects, &id(&world, title)).unwrap().unwrap();
            world.object(&content.document.unwrap()).len()
        };
        let needed = size("Outer") + 2 * size("Inner");
        assert!(all(&world, &["", "inner"], needed).is_some());
        assert_eq!(all(&world, &["", "inner"], needed - 1), None);
        assert!(all(&world, &["plain"], 0).is_some());
    }

    #[test]
    fn contents_that_include_each_other_end() {
        let world = World::of(&[
            ("README.md", "# Home\n\n{% include \".gitbook/includes/a.md\" %}\n"),
            (".gitbook/includes/a.md", "---\ntitle: A\n---\n\nalpha\n\n{% include \"b.md\" %}\n"),
            (".gitbook/includes/b.md", "---\ntitle: B\n---\n\nbeta\n\n{% include \"a.md\" %}\n"),
        ]);
        let expanded = all(&world, &[""], usize::MAX).unwrap().remove(0);
        assert_eq!(expanded.contents, ids(&world, &["A", "B"]));
        assert_eq!(expanded.document.text().matches("alpha").count(), MAX_INCLUSIONS / 2);
    }

    #[test]
    fn a_large_text_that_is_included_very_often_stays_a_reference_in_the_end() {
        let include = "{% include \".gitbook/includes/large.md\" %}\n\n".repeat(100);
        let large = format!("---\ntitle: Large\n---\n\n{}\n", "word ".repeat(100_000));
        let world =
            World::of(&[("README.md", &format!("# Home\n\n{include}")), (".gitbook/includes/large.md", &large)]);
        let expanded = expand(&world.objects, &world.snapshot, world.text("")).unwrap();
        let left = expanded.walk().filter_map(included).count();
        assert!((1..100).contains(&left) && expanded.text().len() <= MAX_BYTES, "{left}");
    }
}
