//! Documents with what they include put in place of the inclusion.
use crate::document::{Block, Document, Key, Kind};
use crate::object::{Objects, Read, together};
use crate::reference::ContentRef;
use crate::snapshot::Snapshot;
use std::collections::{BTreeSet, HashMap};
use values::id::ReusableContentId;

/// How deep reusable contents may include each other; deeper inclusions stay as they are, which also ends circles.
const MAX_INCLUSIONS: usize = 8;

/// The most blocks a document may grow to; further inclusions stay as they are, so that contents which include each
/// other many times cannot exhaust memory.
const MAX_BLOCKS: usize = 100_000;

/// Puts the blocks of reusable contents in place of their inclusions. What is not in this revision, or belongs to
/// another space, stays a reference.
pub fn expand(objects: &dyn Objects, snapshot: &Snapshot, document: Document) -> Read<Document> {
    let mut document = document;
    for round in 0..MAX_INCLUSIONS {
        let wanted = inclusions(&document);
        if wanted.is_empty() {
            break;
        }
        let contents = together(wanted.iter().map(|id| snapshot.reusable_content(objects, id)))?;
        let texts = together(contents.iter().map(|content| match content {
            Some(content) => crate::text_of(objects, content.document).map(Some),
            None => Ok(None),
        }))?;
        let found = wanted.into_iter().zip(texts).filter_map(|(id, text)| Some((id, text?))).collect();
        let mut place = Placing { texts: found, count: document.walk().count(), round, placed: 0 };
        place.place_all(&mut document.blocks);
        if place.placed == 0 {
            break;
        }
    }
    Ok(document)
}

/// The reusable contents that show a change of `changed`: these, and those that include them, directly or through
/// others.
///
/// # Errors
/// [`ReadError`](crate::object::ReadError).
pub fn dependents(
    objects: &dyn Objects,
    snapshot: &Snapshot,
    changed: BTreeSet<ReusableContentId>,
) -> Read<BTreeSet<ReusableContentId>> {
    let contents = snapshot.reusable_contents(objects)?;
    let texts = together(contents.iter().map(|(_, content)| crate::text_of(objects, content.document)))?;
    let mut found = changed;
    loop {
        let more = contents.iter().zip(&texts).filter(|((id, _), text)| !found.contains(id) && includes(text, &found));
        let more: Vec<ReusableContentId> = more.map(|((id, _), _)| id.clone()).collect();
        if more.is_empty() {
            return Ok(found);
        }
        found.extend(more);
    }
}

/// Whether a document itself includes one of these reusable contents.
pub fn includes(document: &Document, contents: &BTreeSet<ReusableContentId>) -> bool {
    document.walk().filter_map(included).any(|id| contents.contains(id))
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

fn inclusions(document: &Document) -> Vec<ReusableContentId> {
    let mut ids: Vec<_> = document.walk().filter_map(included).cloned().collect();
    ids.sort();
    ids.dedup();
    ids
}

struct Placing {
    texts: HashMap<ReusableContentId, Document>,
    count: usize,
    round: usize,
    placed: usize,
}

impl Placing {
    fn place_all(&mut self, blocks: &mut Vec<Block>) {
        for mut block in std::mem::take(blocks) {
            let text = included(&block).and_then(|id| self.texts.get(id)).cloned();
            match text {
                Some(mut text) if self.count + text.walk().count() <= MAX_BLOCKS => {
                    self.count += text.walk().count();
                    self.placed += 1;
                    // The same content may stand in a page twice: its keys tell the places apart.
                    let place = format!("{}/{}", block.key.0, self.round);
                    rekey(&mut text.blocks, &place);
                    blocks.append(&mut text.blocks);
                }
                _ => {
                    self.place_all(&mut block.children);
                    blocks.push(block);
                }
            }
        }
    }
}

fn rekey(blocks: &mut [Block], place: &str) {
    for block in blocks {
        let name = blake3::hash(format!("{place}/{}", block.key.0).as_bytes()).to_hex();
        block.key = Key(name[..16].to_owned());
        rekey(&mut block.children, place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::testing::World;

    fn id(world: &World, title: &str) -> ReusableContentId {
        let contents = world.snapshot.reusable_contents(&world.objects).unwrap();
        contents.into_iter().find(|(_, content)| content.title.as_str() == title).expect("the reusable content").0
    }

    #[test]
    fn a_change_is_shown_by_what_includes_it_directly_or_through_others() {
        let world = World::of(&[
            ("README.md", "# Home\n\n{% include \".gitbook/includes/outer.md\" %}\n"),
            ("plain.md", "# Plain\n"),
            (".gitbook/includes/outer.md", "---\ntitle: Outer\n---\n\n{% include \"inner.md\" %}\n"),
            (".gitbook/includes/inner.md", "---\ntitle: Inner\n---\n\nThe inner text.\n"),
            (".gitbook/includes/other.md", "---\ntitle: Other\n---\n\nAnother text.\n"),
        ]);
        let (inner, outer) = (id(&world, "Inner"), id(&world, "Outer"));
        let found = dependents(&world.objects, &world.snapshot, [inner.clone()].into()).unwrap();
        assert_eq!(found, [inner.clone(), outer].into());
        assert!(includes(&world.text(""), &found) && !includes(&world.text(""), &[inner].into()));
        assert!(!includes(&world.text("plain"), &found));
    }
}
