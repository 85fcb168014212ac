//! The bytes that are written around the copied ones. They are cut out of the form of a sample.
use super::super::WireDocument;
use super::super::write::Written;
use super::super::write_inline::{Leaf, Node};
use crate::document::{
    Block, Document, Heading, Inline, Key, Kind, Link, ListItem, Marks, Paragraph, Target, Text, Void,
};
use crate::reference::ContentRef;
use serde::Serialize;
use std::sync::LazyLock;

/// A sample's text. It needs no escape.
const SAMPLE: &str = "sample";
/// The reason why every sample has a frame.
const WHOLE: &str = "what is written for a sample has the sample's parts";
/// The nodes of a sample.
const NO_NODES: &[u8] = br#""nodes":[]"#;

/// The bytes around the key and the nodes of a block.
pub(super) struct BlockFrame {
    /// The stored form of its kind.
    pub(super) kind: Vec<u8>,
    pub(super) holds: Nodes,
    pub(super) before_key: Vec<u8>,
    pub(super) before_nodes: Vec<u8>,
    pub(super) after_nodes: Vec<u8>,
}

/// The content of the nodes of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nodes {
    Line,
    Blocks,
}

impl BlockFrame {
    /// The frame of a block of this kind, if its nodes are only its line or the blocks inside it.
    pub(super) fn of(kind: Kind) -> Option<Self> {
        let holds = match &kind {
            Kind::Paragraph(_) | Kind::Heading(_) => Nodes::Line,
            Kind::Code(_) | Kind::Verbatim(_) | Kind::Table(_) | Kind::Expandable(_) => return None,
            Kind::Image(_) | Kind::Embed(_) | Kind::File(_) => return None,
            other if other.block_type().shape().void == Void::Always => return None,
            _ => Nodes::Blocks,
        };
        let stored = json(&kind)?;
        let written = json(&Written(&Block { key: Key(SAMPLE.into()), ..Block::new(kind) }))?;
        let key = format!("\"key\":\"{SAMPLE}\"");
        // The first of its name and the last of its name: the data of the block is between them.
        let before_key = find(&written, key.as_bytes())? + r#""key":"#.len();
        let nodes = written.windows(NO_NODES.len()).rposition(|bytes| bytes == NO_NODES)? + NO_NODES.len() - 2;
        Some(Self {
            kind: stored,
            holds,
            before_key: written[..before_key].to_vec(),
            before_nodes: written[before_key + SAMPLE.len() + 2..nodes].to_vec(),
            after_nodes: written[nodes + 2..].to_vec(),
        })
    }
}

/// The frames of the most frequent blocks.
pub(super) static BLOCKS: LazyLock<Vec<BlockFrame>> = LazyLock::new(|| {
    let item = |checked| Kind::ListItem(ListItem { checked });
    let heading = |level| Kind::Heading(Heading { level, ..Default::default() });
    let kinds = [
        Kind::Paragraph(Paragraph::default()),
        item(None),
        Kind::ListUnordered,
        heading(2),
        heading(3),
        heading(4),
        Kind::ListOrdered(Default::default()),
        item(Some(false)),
        item(Some(true)),
        Kind::ListTasks,
        Kind::Blockquote,
    ];
    kinds.into_iter().filter_map(BlockFrame::of).collect()
});

/// The bytes around neighbouring texts: before the first, and after the last.
pub(super) static TEXTS: LazyLock<(Vec<u8>, Vec<u8>)> = LazyLock::new(|| {
    let frame = || {
        let text = [Inline::Text(Text { text: SAMPLE.into(), ..Default::default() })];
        let leaf = json(&Leaf::new(SAMPLE, &Marks::default()))?;
        around(&json(&Node(&text))?, &leaf)
    };
    frame().expect(WHOLE)
});

/// The bytes around a text, by the stored form of its marks.
pub(super) struct LeafFrame {
    pub(super) marks: Vec<u8>,
    pub(super) before: Vec<u8>,
    pub(super) after: Vec<u8>,
}

impl LeafFrame {
    pub(super) fn of(marks: &Marks) -> Option<Self> {
        let stored = if *marks == Marks::default() { Vec::new() } else { json(marks)? };
        let (before, after) = around(&json(&Leaf::new(SAMPLE, marks))?, format!("\"{SAMPLE}\"").as_bytes())?;
        Some(Self { marks: stored, before, after })
    }
}

/// The frames of the most frequent looks.
pub(super) static LEAVES: LazyLock<Vec<LeafFrame>> = LazyLock::new(|| {
    let plain = Marks::default;
    let looks = [
        plain(),
        Marks { code: true, ..plain() },
        Marks { bold: true, ..plain() },
        Marks { italic: true, ..plain() },
        Marks { bold: true, italic: true, ..plain() },
    ];
    looks.iter().filter_map(LeafFrame::of).collect()
});

/// The bytes before the target of a link, between it and the nodes, and after them.
pub(super) static LINK: LazyLock<[Vec<u8>; 3]> = LazyLock::new(|| {
    let frame = || {
        let target = ContentRef::Url { url: SAMPLE.into() };
        let link = Link { target: Target(target.clone()), ..Default::default() };
        let (before, rest) = around(&json(&Node(&[Inline::Link(Box::new(link))]))?, &json(&target)?)?;
        let (between, after) = around(&rest, b"[]")?;
        Some([before, between, after])
    };
    frame().expect(WHOLE)
});

/// The bytes before the blocks of a document, and after them.
pub(super) static DOCUMENT: LazyLock<(Vec<u8>, Vec<u8>)> =
    LazyLock::new(|| json(&WireDocument(Document::empty())).and_then(|empty| around(&empty, b"[]")).expect(WHOLE));

fn json(value: &impl Serialize) -> Option<Vec<u8>> {
    serde_json::to_vec(value).ok()
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// The bytes before and after a part.
fn around(bytes: &[u8], part: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let at = find(bytes, part)?;
    Some((bytes[..at].to_vec(), bytes[at + part.len()..].to_vec()))
}
