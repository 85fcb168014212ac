//! Keys for blocks that have none.
use super::check::is_key;
use super::{Block, BlockType, CellMerge, Document, Key, Kind, Walk};
use smol_str::{SmolStr, format_smolstr};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// The length of a generated key, in characters: 60 bits, so that different texts do not collide.
const LENGTH: usize = 12;
/// The maximum size of the text from which a block's key is made, in bytes.
const FINGERPRINT_BYTES: usize = 256;
/// The maximum number of blocks that this text is collected from.
const FINGERPRINT_BLOCKS: usize = 8;

impl Key {
    /// The key of the cell of a row in a column. Cells are addressed by that pair, so their keys are made of it. The
    /// dot, which no other key has, prevents collisions.
    pub fn of_cell(row: &Self, column: &str) -> Self {
        Self(format_smolstr!("{}.{column}", row.0))
    }

    /// Whether it is [the key of the cell](Self::of_cell) of this row in this column.
    pub(super) fn is_of_cell(&self, row: &Self, column: &str) -> bool {
        let rest = self.0.strip_prefix(row.0.as_str()).and_then(|rest| rest.strip_prefix('.'));
        rest == Some(column)
    }

    /// Another key, derived from this one and from the content of its block; `ordinal` counts the attempts.
    pub(crate) fn derived(&self, said: &[u8], ordinal: u64) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.0.as_bytes()).update(&[0]).update(said);
        Self(make(&hasher.finalize(), ordinal))
    }
}

impl Document {
    /// Gives a key to every block that has none, or one that is not well-formed or that an earlier block has. Keys are
    /// made from the type and text of a block, so the same text gets the same keys wherever and whenever it is read.
    ///
    /// The keys of cells follow from rows and columns, and merged cells follow a row that gets another key.
    pub fn assign_keys(&mut self) {
        let mut missing = MissingKeys::default();
        self.blocks.iter().for_each(|block| missing.visit(block));
        missing.give_keys(self);
    }

    /// Changes keys: `key` gets the index of a block in the walk, and the block; it returns another key, or `None` to
    /// keep the present one. Merged cells follow their rows, and cells get the keys of their rows and columns.
    pub(crate) fn rename(&mut self, key: &mut impl FnMut(usize, &Block) -> Option<Key>) {
        // Merges name rows by key, so during the change they refer to rows by index.
        let mut merges = Vec::new();
        let mut at = 0;
        self.walk_mut(&mut |block| {
            let key = key(at, block).filter(|_| block.kind.block_type() != BlockType::TableCell);
            at += 1;
            if let Some(key) = key {
                block.key = key;
            }
            match &block.kind {
                Kind::Table(table) if !table.cell_merges.is_empty() => {
                    merges.push(places(&table.cell_merges, &block.children));
                }
                Kind::TableRow => {
                    for cell in &mut block.children {
                        if let Kind::TableCell(data) = &cell.kind {
                            cell.key = Key::of_cell(&block.key, &data.column);
                        }
                    }
                }
                _ => {}
            }
        });
        if merges.is_empty() {
            return;
        }
        let mut merges = merges.into_iter();
        self.walk_mut(&mut |block| {
            let Kind::Table(table) = &mut block.kind else { return };
            if table.cell_merges.is_empty() {
                return;
            }
            for (merge, place) in table.cell_merges.iter_mut().zip(merges.next().unwrap_or_default()) {
                if let Some(row) = place.and_then(|place| block.children.get(place)) {
                    merge.record = row.key.0.to_string();
                }
            }
        });
    }
}

/// Finds the blocks that need a key, block by block.
#[derive(Default)]
pub(super) struct MissingKeys {
    /// The number of blocks that were visited.
    seen: usize,
    /// The keys that are kept.
    taken: HashSet<Key>,
    /// The indexes of blocks in the walk, with their fingerprints.
    found: Vec<(usize, blake3::Hash)>,
    /// A buffer for the text of a block.
    said: Vec<u8>,
}

impl MissingKeys {
    /// Visits the next block of the document, and all blocks inside it.
    pub(super) fn visit(&mut self, block: &Block) {
        for block in Walk::over(std::slice::from_ref(block)) {
            let at = self.seen;
            self.seen += 1;
            if block.kind.block_type() == BlockType::TableCell {
                continue;
            }
            if !is_key(&block.key.0) || !self.taken.insert(block.key.clone()) {
                self.found.push((at, fingerprint(block, &mut self.said)));
            }
        }
    }

    /// Gives keys to the blocks that were found in this document.
    pub(super) fn give_keys(self, document: &mut Document) {
        let Self { taken, found, .. } = self;
        // Half of a hash is unique too, and takes half of the memory.
        let mut ordinals: HashMap<[u8; 16], u32, Hashed> =
            HashMap::with_capacity_and_hasher(found.len(), Hashed::default());
        let mut fresh: HashSet<[u8; LENGTH], Hashed> =
            HashSet::with_capacity_and_hasher(found.len(), Hashed::default());
        // The found blocks are in the order of the walk, as the blocks are.
        let mut found = found.into_iter().peekable();
        document.rename(&mut |at, _| {
            let (_, fingerprint) = found.next_if(|(place, _)| *place == at)?;
            let half: [u8; 16] = std::array::from_fn(|at| fingerprint.as_bytes()[at]);
            let ordinal = ordinals.entry(half).or_insert(0);
            loop {
                let key = Key(make(&fingerprint, u64::from(*ordinal)));
                *ordinal += 1;
                let letters: [u8; LENGTH] = std::array::from_fn(|at| key.0.as_bytes()[at]);
                if !taken.contains(&key) && fresh.insert(letters) {
                    return Some(key);
                }
            }
        });
    }
}

/// The indexes of the rows at which merges start.
fn places(merges: &[CellMerge], rows: &[Block]) -> Vec<Option<usize>> {
    if merges.is_empty() {
        return Vec::new();
    }
    let mut places = HashMap::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        places.entry(row.key.0.as_str()).or_insert(at);
    }
    merges.iter().map(|merge| places.get(merge.record.as_str()).copied()).collect()
}

/// The fingerprint of a block: its type and the beginning of the text in it. `said` is a buffer for that.
fn fingerprint(block: &Block, said: &mut Vec<u8>) -> blake3::Hash {
    said.clear();
    said.extend_from_slice(block.kind.block_type().name().as_bytes());
    let mut left = FINGERPRINT_BYTES;
    for inside in Walk::over(std::slice::from_ref(block)).take(FINGERPRINT_BLOCKS) {
        let line = inside.line();
        let line = &line.as_bytes()[..line.len().min(left)];
        said.push(0);
        said.extend_from_slice(line);
        left -= line.len();
    }
    blake3::hash(said)
}

/// The key of a block after `ordinal` blocks with the same fingerprint.
fn make(fingerprint: &blake3::Hash, ordinal: u64) -> SmolStr {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut named = [0; 40];
    named[..32].copy_from_slice(fingerprint.as_bytes());
    named[32..].copy_from_slice(&ordinal.to_le_bytes());
    blake3::hash(&named).as_bytes()[..LENGTH].iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()
}

/// Hashes values that are hashes already.
type Hashed = BuildHasherDefault<First>;

/// Mixes the first bytes, which are as good as random.
#[derive(Default)]
struct First(u64);

impl Hasher for First {
    fn write(&mut self, bytes: &[u8]) {
        for (at, byte) in bytes.iter().take(12).enumerate() {
            self.0 ^= u64::from(*byte) << (at * 5);
        }
    }

    fn write_usize(&mut self, _: usize) {}

    fn finish(&self) -> u64 {
        // Spreads the bits, of which letters leave some unused.
        self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::arbitrary::{documents, without_keys};
    use super::super::{Heading, Inline, Paragraph, Table, TableCell, TableColumn};
    use super::*;
    use proptest::prelude::*;

    fn paragraph(text: &str) -> Block {
        Block::new(Kind::Paragraph(Paragraph::default())).with_content(vec![Inline::from(text)])
    }

    fn keys(blocks: Vec<Block>) -> Vec<String> {
        let mut document = Document { blocks };
        document.assign_keys();
        document.walk().map(|block| block.key.0.to_string()).collect()
    }

    #[test]
    fn keys_are_short_and_follow_from_type_and_text_and_order() {
        let made = keys(vec![paragraph("a"), paragraph("b"), paragraph("a")]);
        assert!(made.iter().all(|key| key.len() == 12 && is_key(key)), "{made:?}");
        assert_eq!(keys(vec![paragraph("a")])[0], made[0], "the same text has the same key elsewhere");
        assert_ne!(made[0], made[2], "the second of two equal blocks has another one");
        let heading = Block::new(Kind::Heading(Heading { level: 2, ..Heading::default() }));
        assert_ne!(keys(vec![heading.with_content(vec![Inline::from("a")])])[0], made[0]);
    }

    #[test]
    fn a_present_key_is_kept_and_a_second_equal_one_is_not() {
        let keyed = |key: &str| Block { key: Key(key.into()), ..paragraph("a") };
        let made = keys(vec![keyed("mine"), keyed("mine"), keyed("not a key"), keyed("yours")]);
        assert_eq!((made[0].as_str(), made[3].as_str()), ("mine", "yours"));
        assert!(is_key(&made[1]) && made[1] != "mine");
        assert!(is_key(&made[2]));
    }

    #[test]
    fn a_key_made_earlier_for_equal_text_is_not_made_again() {
        let first = keys(vec![paragraph("a")]).remove(0);
        let made = keys(vec![paragraph("a"), Block { key: Key(first.as_str().into()), ..paragraph("b") }]);
        assert_eq!(made[1], first);
        assert_ne!(made[0], first);
    }

    #[test]
    fn cells_and_merges_follow_their_row() {
        let cell = Block::new(Kind::TableCell(TableCell { column: "c".into(), value: None }));
        let row =
            |key: &str| Block { key: Key(key.into()), ..Block::new(Kind::TableRow).with_children(vec![cell.clone()]) };
        let table = Table {
            columns: vec![TableColumn { id: "c".into(), ..TableColumn::default() }],
            cell_merges: vec![CellMerge { record: "r 1".into(), column: "c".into(), row_span: 2, col_span: 1 }],
            ..Table::default()
        };
        let table = Block::new(Kind::Table(Box::new(table))).with_children(vec![row("r 1"), row("r2")]);
        let document = Document::from_blocks(vec![table]).expect("a valid document");
        let Kind::Table(data) = &document.blocks[0].kind else { panic!("a table") };
        let rows = &document.blocks[0].children;
        assert_eq!(data.cell_merges[0].record, rows[0].key.0);
        assert_ne!(rows[0].key.0, "r 1", "which is no key");
        assert_eq!(rows[1].children[0].key.0, "r2.c");
    }

    #[test]
    fn many_blocks_without_text_get_keys_in_linear_time() {
        let made = keys((0..50_000).map(|_| Block::new(Kind::Divider)).collect());
        assert_eq!(made.iter().collect::<HashSet<_>>().len(), 50_000);
    }

    proptest! {
        #[test]
        fn every_document_gets_well_formed_keys_and_the_same_ones_each_time(document in documents()) {
            let mut once = without_keys(document.clone());
            once.assign_keys();
            prop_assert_eq!(once.check(), Ok(()));
            let mut again = without_keys(document);
            again.assign_keys();
            prop_assert_eq!(&once, &again);
            again.assign_keys();
            prop_assert_eq!(once, again);
        }
    }
}
