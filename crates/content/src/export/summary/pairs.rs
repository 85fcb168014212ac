//! Which items of the imported table of contents are still entries of pages.
use super::listing::{Kept, Level, Listing};
use crate::changes::longest_ascending;
use crate::import::outline::{Entry, Place};
use crate::import::summary::Form;
use crate::page::PageKind;
use std::collections::HashMap;
use std::ops::Range;

/// The page of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    /// The index of the page.
    pub page: usize,
    /// Whether the item says all about it. Otherwise the entry of the page takes its place.
    pub is_same: bool,
}

/// The items of pages. Their pages are in the order of the items.
pub(super) struct Pairs {
    /// How many pages come before all items, without an item.
    pub implied: usize,
    /// The pages of the items, by their indexes.
    pub of_tokens: Vec<Option<Pair>>,
}

/// What makes an entry and a page probably the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'k> {
    File(&'k str),
    Other(&'static str, Level, &'k str),
}

impl<'k> Key<'k> {
    fn of_entry(entry: &'k Entry, level: Level) -> Self {
        let kind = match &entry.place {
            Place::Text(path) => return Self::File(path),
            Place::Group => "group",
            Place::Bare => "bare",
            Place::Link(_) => "link",
            Place::Computed(_) => "computed",
        };
        Self::Other(kind, level, &entry.title)
    }
}

/// Finds the items of pages, in linear time except for sorting.
///
/// Items and pages with a key that only they have are paired, as many as are in the same order. Between them, equal
/// items and pages at the start and at the end are paired. If as many items as pages remain, these are taken for
/// changed entries.
pub(super) fn pair(listing: &Listing<'_>, kept: &Kept) -> Pairs {
    let is_implied = kept.implied().zip(listing.pages.first());
    let is_implied = is_implied.is_some_and(|(entry, page)| listing.is_same((entry, Level::default()), page));
    let mut pairing = Pairing {
        listing,
        kept,
        tokens: (0..kept.tokens().len()).filter(|at| kept.tokens()[*at].entry.is_some()).collect(),
        found: Pairs { implied: usize::from(is_implied), of_tokens: vec![None; kept.tokens().len()] },
    };
    let anchors = pairing.anchors();
    let (mut token, mut page) = (0, pairing.found.implied);
    for (next_token, next_page) in anchors {
        pairing.between(token..next_token, page..next_page);
        pairing.pair(next_token, next_page);
        (token, page) = (next_token + 1, next_page + 1);
    }
    let ends = (pairing.tokens.len(), listing.pages.len());
    pairing.between(token..ends.0, page..ends.1);
    pairing.found
}

struct Pairing<'p> {
    listing: &'p Listing<'p>,
    kept: &'p Kept,
    /// The indexes of the items that are no ends of groups.
    tokens: Vec<usize>,
    found: Pairs,
}

impl<'p> Pairing<'p> {
    fn entry(&self, token: usize) -> Option<(&'p Entry, Level)> {
        Some(self.kept.entry(self.kept.tokens()[self.tokens[token]].entry?))
    }

    fn key_of_page(&self, page: usize) -> Key<'p> {
        let listed = &self.listing.pages[page];
        if let Some(path) = self.listing.file(listed.node) {
            return Key::File(path);
        }
        let kind = match &listed.node.page.kind {
            PageKind::Group => "group",
            PageKind::Document { .. } => "bare",
            PageKind::Link { .. } => "link",
            PageKind::Computed { .. } => "computed",
        };
        Key::Other(kind, listed.level, &listed.node.page.title)
    }

    /// Items and pages with a key that no other has, in the order of both.
    fn anchors(&self) -> Vec<(usize, usize)> {
        let pages = (self.found.implied..self.listing.pages.len()).map(|page| (self.key_of_page(page), page));
        let pages = unique(pages);
        let tokens = (0..self.tokens.len()).filter_map(|token| {
            let (entry, level) = self.entry(token)?;
            Some((Key::of_entry(entry, level), token))
        });
        let tokens = unique(tokens);
        let mut both: Vec<(usize, usize)> =
            tokens.iter().filter_map(|(key, token)| Some(((*token)?, (*pages.get(key)?)?))).collect();
        both.sort_unstable();
        let stay = longest_ascending(&both);
        both.retain(|(token, _)| stay.contains(token));
        both
    }

    fn is_same(&self, token: usize, page: usize) -> bool {
        self.entry(token).is_some_and(|entry| self.listing.is_same(entry, &self.listing.pages[page]))
    }

    /// Pairs an item with a page if the item can be that of the page.
    fn pair(&mut self, token: usize, page: usize) {
        let listed = &self.listing.pages[page];
        let Some((_, level)) = self.entry(token) else { return };
        let at = self.tokens[token];
        let is_heading = self.kept.tokens()[at].span.form == Form::Heading;
        let is_same = self.is_same(token, page);
        if is_same || level == listed.level && is_heading == listed.is_group() {
            self.found.of_tokens[at] = Some(Pair { page, is_same });
        }
    }

    /// Pairs the items and the pages between two anchors.
    fn between(&mut self, mut tokens: Range<usize>, mut pages: Range<usize>) {
        let some = |tokens: &Range<usize>, pages: &Range<usize>| !tokens.is_empty() && !pages.is_empty();
        while some(&tokens, &pages) && self.is_same(tokens.start, pages.start) {
            self.pair(tokens.start, pages.start);
            (tokens.start, pages.start) = (tokens.start + 1, pages.start + 1);
        }
        while some(&tokens, &pages) && self.is_same(tokens.end - 1, pages.end - 1) {
            (tokens.end, pages.end) = (tokens.end - 1, pages.end - 1);
            self.pair(tokens.end, pages.end);
        }
        if tokens.len() == pages.len() {
            for (token, page) in tokens.zip(pages) {
                self.pair(token, page);
            }
        }
    }
}

/// The values by their keys; `None` for a key of several.
fn unique<'k>(values: impl Iterator<Item = (Key<'k>, usize)>) -> HashMap<Key<'k>, Option<usize>> {
    let mut found = HashMap::new();
    for (key, value) in values {
        found.entry(key).and_modify(|found| *found = None).or_insert(Some(value));
    }
    found
}
