//! Footnotes: their blocks become the notes of annotations at the references to them.
use super::blocks::{Context, TooDeep};
use super::links::{Links, Unresolved};
use crate::document::{Block, Inline};
use comrak::nodes::{Node, NodeValue};
use std::collections::{HashMap, HashSet};

/// The maximum size of notes that are repeated for further references to them, in bytes (estimated). A reference beyond
/// that stays as source; without a bound, many references to one long note would make a huge document of a short text.
const MAX_REPEATED: usize = 256 * 1024;

/// The footnotes of a text.
pub(super) struct Footnotes<'a> {
    definitions: Vec<(String, Node<'a>)>,
    by_name: HashMap<String, usize>,
    /// The index, blocks and weight of each note with a reference, in the order of the references.
    bodies: Vec<(usize, Vec<Block>, usize)>,
    body_of: HashMap<usize, usize>,
    /// The notes that nested too deep at a reference to them.
    too_deep: HashSet<usize>,
    left: usize,
    inside: bool,
}

impl Default for Footnotes<'_> {
    fn default() -> Self {
        Self {
            definitions: Vec::new(),
            by_name: HashMap::new(),
            bodies: Vec::new(),
            body_of: HashMap::new(),
            too_deep: HashSet::new(),
            left: MAX_REPEATED,
            inside: false,
        }
    }
}

impl<'a> Footnotes<'a> {
    pub(super) fn of(root: Node<'a>) -> Self {
        let mut definitions = Vec::new();
        let mut by_name = HashMap::new();
        for node in root.descendants() {
            if let NodeValue::FootnoteDefinition(definition) = &node.data().value {
                by_name.entry(definition.name.to_lowercase()).or_insert(definitions.len());
                definitions.push((definition.name.clone(), node));
            }
        }
        Self { definitions, by_name, ..Self::default() }
    }

    /// A position in the sequence of references, for [`reset`](Self::reset).
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.bodies.len(), self.left)
    }

    /// Forgets the references after `mark`.
    pub(super) fn reset(&mut self, mark: (usize, usize)) {
        for (definition, ..) in self.bodies.drain(mark.0..) {
            self.body_of.remove(&definition);
        }
        self.left = mark.1;
        self.inside = false;
    }
}

impl<'a> Context<'a, '_> {
    /// The label and blocks of the note `name`. `None` if it does not exist, within another note, if it nested too deep
    /// before, and if repeating it again would make the document too large.
    pub(super) fn footnote(&mut self, name: &str, depth: usize) -> Result<Option<(String, Vec<Block>)>, TooDeep> {
        if self.footnotes.inside {
            return Ok(None);
        }
        let Some(definition) = self.footnotes.by_name.get(&name.to_lowercase()).copied() else { return Ok(None) };
        let (label, node) = self.footnotes.definitions[definition].clone();
        let label = self.hidden.restore(&label).into_owned();
        if let Some(at) = self.footnotes.body_of.get(&definition) {
            let (_, body, weight) = &self.footnotes.bodies[*at];
            let Some(left) = self.footnotes.left.checked_sub(*weight) else { return Ok(None) };
            self.footnotes.left = left;
            return Ok(Some((label, body.clone())));
        }
        // Do not read it again for each reference: from now on it is kept as source.
        if self.footnotes.too_deep.contains(&definition) {
            return Ok(None);
        }
        self.footnotes.inside = true;
        let body = self.children(node, depth + 1).inspect_err(|_| {
            self.footnotes.too_deep.insert(definition);
        })?;
        self.footnotes.inside = false;
        if body.is_empty() {
            return Ok(None);
        }
        self.footnotes.body_of.insert(definition, self.footnotes.bodies.len());
        self.footnotes.bodies.push((definition, body.clone(), weight(&body)));
        Ok(Some((label, body)))
    }

    /// The notes without an annotation, as source.
    pub(super) fn unused_footnotes(&mut self) -> Vec<String> {
        let used: HashSet<usize> = self.footnotes.body_of.keys().copied().collect();
        let unused: Vec<(String, Node<'a>)> =
            (self.footnotes.definitions.iter().enumerate().filter(|(at, _)| !used.contains(at)))
                .map(|(_, definition)| definition.clone())
                .collect();
        let found = self.found.len();
        let links: &dyn Links = std::mem::replace(&mut self.links, &Unresolved);
        self.footnotes.inside = true;
        let sources = (unused.into_iter())
            .map(|(label, node)| {
                // A note that is too deep even on its own becomes empty, like a note without text.
                let body = self.children(node, 1).unwrap_or_default();
                super::write::footnote(&self.hidden.restore(&label), &body)
            })
            .collect();
        self.footnotes.inside = false;
        self.links = links;
        self.found.truncate(found);
        sources
    }
}

fn weight(blocks: &[Block]) -> usize {
    blocks.iter().map(|block| 64 + content_weight(&block.content) + weight(&block.children)).sum()
}

fn content_weight(content: &[Inline]) -> usize {
    content
        .iter()
        .map(|inline| match inline {
            Inline::Text(text) => 32 + text.text.len(),
            Inline::Link(link) => 64 + content_weight(&link.content),
            Inline::Verbatim { source } => 32 + source.len(),
            Inline::Math { formula } => 32 + formula.len(),
            _ => 128,
        })
        .sum()
}
