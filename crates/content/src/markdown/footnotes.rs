//! Footnotes: their blocks become the notes of annotations where they are referred to.
use super::blocks::{Context, TooDeep};
use super::links::{Links, Unresolved};
use crate::document::{Block, Inline};
use comrak::nodes::{Node, NodeValue};
use std::collections::{HashMap, HashSet};

/// How much of notes may be repeated for further references to them, in about bytes. A reference beyond that stays as it
/// is written; without a bound, many references to one long note would make much of little.
const REPEATED: usize = 256 * 1024;

/// The footnotes of a text.
pub(super) struct Footnotes<'a> {
    definitions: Vec<(String, Node<'a>)>,
    by_name: HashMap<String, usize>,
    /// Blocks and weight of those that were referred to, in that order.
    bodies: Vec<(usize, Vec<Block>, usize)>,
    body_of: HashMap<usize, usize>,
    /// Those that nested too deep where they were referred to.
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
            left: REPEATED,
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

    /// Where reading stands, to go back to.
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.bodies.len(), self.left)
    }

    /// Forgets the references since `mark`.
    pub(super) fn reset(&mut self, mark: (usize, usize)) {
        for (definition, ..) in self.bodies.drain(mark.0..) {
            self.body_of.remove(&definition);
        }
        self.left = mark.1;
        self.inside = false;
    }
}

impl<'a> Context<'a, '_> {
    /// The label and blocks of the note called `name`. `None` when there is none, within another note, when it nested too
    /// deep before, and when repeating it again would make the document too large.
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
        // It is not read again and again: from then on it is kept as it came.
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

    /// The notes that no annotation has, as source.
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
                // What is too deep even for a note of its own is empty, like the note that has no text.
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
