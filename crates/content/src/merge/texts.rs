//! Merges the texts that both sides changed.
use super::blocks::{Joined, join};
use super::conflict::{Conflict, Holder, Value};
use super::entries::differing;
use super::three_way::agreed;
use super::{Output, Sides};
use crate::document::Document;
use crate::object::{Hash, Objects, Read, ReadError, Scratch, fetch};
use crate::page::{PageEntry, ReusableContent};
use std::collections::{BTreeSet, HashMap};

/// Documents by the objects that hold them.
pub(super) struct Texts(HashMap<Hash, Document>);

impl Texts {
    /// Reads all texts to merge, at once.
    pub(super) fn read(objects: &dyn Objects, sides: &Sides<'_>) -> Read<Self> {
        let mut wanted: BTreeSet<Hash> = BTreeSet::new();
        let mut want = |hashes: [Option<Hash>; 3]| {
            if agreed(hashes[0], hashes[1], hashes[2]).is_none() {
                wanted.extend(hashes.into_iter().flatten());
            }
        };
        let of_page = |page: &Option<PageEntry>| page.as_ref().and_then(PageEntry::document);
        for page in differing(&sides.of_primary.pages, &sides.of_change.pages).values() {
            if page.primary.is_some() && page.change.is_some() {
                want([of_page(&page.base), of_page(&page.primary), of_page(&page.change)]);
            }
        }
        let of_content = |content: &Option<ReusableContent>| content.as_ref().and_then(|content| content.document);
        for content in differing(&sides.of_primary.reusable_contents, &sides.of_change.reusable_contents).values() {
            if content.primary.is_some() && content.change.is_some() {
                want([of_content(&content.base), of_content(&content.primary), of_content(&content.change)]);
            }
        }
        let bytes = fetch(objects, wanted.iter().copied())?;
        let decoded = wanted.into_iter().zip(bytes).map(|(hash, bytes)| {
            let document = Document::decode(&bytes).map_err(|error| ReadError::corrupt(hash, error))?;
            Ok((hash, document))
        });
        decoded.collect::<Read<HashMap<_, _>>>().map(Self)
    }

    fn text(&self, hash: Option<Hash>) -> Document {
        hash.and_then(|hash| self.0.get(&hash)).cloned().unwrap_or_default()
    }
}

impl Output {
    /// Merges the texts of the base, the primary content and the change.
    pub(super) fn text(
        &mut self,
        scratch: &mut Scratch<'_>,
        holder: &Holder,
        texts: &Texts,
        documents: [Option<Hash>; 3],
    ) -> Option<Hash> {
        if let Some(agreed) = agreed(documents[0], documents[1], documents[2]) {
            return agreed;
        }
        let [base, primary, change] = documents.map(|hash| texts.text(hash));
        match join(&base, &primary, &change, self.wording) {
            Joined::Blocks(joint, conflicts) => {
                for conflict in conflicts {
                    let [base, primary, change] = [conflict.base, conflict.primary, conflict.change]
                        .map(|side| side.map(|block| Value::Block(Box::new(block))));
                    let subject = holder.block(conflict.block, conflict.part);
                    self.conflicts.push(Conflict { subject, base, primary, change });
                }
                stored(scratch, &joint)
            }
            Joined::Contested => {
                let [base, primary, change] = [(documents[0], base), (documents[1], primary), (documents[2], change)]
                    .map(|(hash, document)| hash.map(|_| Value::Document(document)));
                self.conflicts.push(Conflict { subject: holder.document(), base, primary, change });
                documents[2]
            }
        }
    }
}

/// The object that holds a text; none for one without blocks.
pub(super) fn stored(scratch: &mut Scratch<'_>, document: &Document) -> Option<Hash> {
    (!document.blocks.is_empty()).then(|| scratch.put(document.encode()))
}
