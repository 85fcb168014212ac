//! The ranking of results.
use super::SectionId;
use super::index::{FIELD, FORM, STEM, TYPICAL_WORDS, WORD};
use super::query::{Form, Query, Word};
use std::collections::HashMap;
use values::id::{PageId, SpaceId};

/// A section that matches, before ranking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The id of its row.
    pub section: SectionId,
    /// The space.
    pub space: SpaceId,
    /// The section's page.
    pub page: PageId,
    /// Its index in the page, from 0.
    pub ordinal: u32,
    /// See [`super::IndexedSection::terms`].
    pub terms: String,
}

/// A page in the results.
#[derive(Clone, Debug, PartialEq)]
pub struct PageHit {
    /// The space.
    pub space: SpaceId,
    /// The page.
    pub page: PageId,
    /// Its score, above 0. Comparable within one query only.
    pub score: f64,
    /// Its matching sections, best first; at least one.
    pub sections: Vec<SectionHit>,
}

/// A section in the results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionHit {
    /// The row.
    pub section: SectionId,
    /// Its index in the page, from 0.
    pub ordinal: u32,
    /// Its score.
    pub score: f64,
}

/// The weight of a field, and how fast further occurrences of a word stop counting.
struct Field {
    weight: f64,
    saturation: f64,
    typical: f64,
}

const TITLE: Field = Field { weight: 5.0, saturation: 0.4, typical: 3.0 };
/// The page's title, for sections other than the first.
const PAGE: Field = Field { weight: 0.8, saturation: 0.4, typical: 3.0 };
const HEADING: Field = Field { weight: 2.5, saturation: 0.4, typical: 4.0 };
const BODY: Field = Field { weight: 1.0, saturation: 1.2, typical: TYPICAL_WORDS };

/// A word that is elsewhere on the page.
const ELSEWHERE: f64 = 0.25;
/// A word that is not required.
const OPTIONAL: f64 = 0.15;
/// Neighbours in the query that are also neighbours in the text, as a fraction of the field's weight.
const NEIGHBOURS: f64 = 0.6;
/// The maximum distance of neighbours.
const MAX_GAP: u32 = 5;
/// A title or heading that has exactly the words of the query.
const WHOLE: [f64; 2] = [3.0, 0.75];
/// The share of the second and third best section of a page in its score.
const FURTHER: [f64; 2] = [0.15, 0.05];

/// Ranks candidates. `complete` means that every word of the query is known to be in each section or elsewhere on its
/// page; otherwise missing words lower the score.
///
/// Ties are broken by ids, so the order depends only on the candidates.
pub fn rank(candidates: &[Candidate], query: &Query, complete: bool) -> Vec<PageHit> {
    let slots = Slots::of(query);
    let seen: Vec<Seen> = candidates.iter().map(|candidate| slots.look(candidate)).collect();
    let rarity = slots.rarity(&seen);
    let mut pages: HashMap<&PageId, PageHit> = HashMap::new();
    for (candidate, seen) in candidates.iter().zip(&seen) {
        let score = slots.score(query, seen, &rarity, complete);
        let hit = SectionHit { section: candidate.section, ordinal: candidate.ordinal, score };
        let page = pages.entry(&candidate.page).or_insert_with(|| PageHit {
            space: candidate.space.clone(),
            page: candidate.page.clone(),
            score: 0.0,
            sections: Vec::new(),
        });
        page.sections.push(hit);
    }
    let mut pages: Vec<PageHit> = pages.into_values().collect();
    for page in &mut pages {
        page.sections.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.ordinal.cmp(&b.ordinal)));
        page.sections.dedup_by_key(|hit| hit.ordinal);
        let further = page.sections.iter().skip(1).zip(FURTHER).map(|(hit, part)| hit.score * part);
        page.score = page.sections[0].score + further.sum::<f64>();
    }
    pages.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| (&a.space, &a.page).cmp(&(&b.space, &b.page))));
    pages
}

/// A word of the query to look for in a text: a plain word, a whole identifier, or a part of one.
struct Slot<'q> {
    word: &'q Word,
    /// Plain words and parts, which form sequences in a text.
    leaf: bool,
}

/// The words of a query, prepared for many texts.
pub(super) struct Slots<'q> {
    slots: Vec<Slot<'q>>,
    /// Every term with its slot, by its first byte.
    by_first: HashMap<u8, Vec<(usize, &'q str, Form)>>,
    first: [bool; 256],
}

/// The matches of the query in one field.
#[derive(Default)]
struct SeenField {
    /// The number of words in the field.
    length: u32,
    /// By slot, the number of occurrences, weighted by match quality. Empty if there are none, as in most fields.
    found: Vec<f64>,
    /// The positions and slots of leaves, by position.
    places: Vec<(u32, usize)>,
}

impl SeenField {
    /// The number of occurrences of a slot, weighted by match quality.
    fn often(&self, slot: usize) -> f64 {
        self.found.get(slot).copied().unwrap_or_default()
    }
}

/// The matches of the query in one section.
struct Seen {
    first: bool,
    fields: [SeenField; 3],
}

impl Seen {
    fn weights(&self) -> [&'static Field; 3] {
        [if self.first { &TITLE } else { &PAGE }, &HEADING, &BODY]
    }

    fn has(&self, slot: usize) -> bool {
        self.fields.iter().any(|field| field.often(slot) > 0.0)
    }

    /// The contribution of one slot, over all fields.
    fn value(&self, slot: usize) -> f64 {
        let values = self.fields.iter().zip(self.weights()).map(|(seen, field)| {
            let often = seen.often(slot);
            let wear = 0.4 + 0.6 * f64::from(seen.length) / field.typical;
            if often > 0.0 { field.weight * often / (often + field.saturation * wear) } else { 0.0 }
        });
        values.sum()
    }
}

impl<'q> Slots<'q> {
    pub(super) fn of(query: &'q Query) -> Self {
        let mut slots = Vec::new();
        for word in &query.words {
            slots.push(Slot { word, leaf: word.parts.is_empty() });
            slots.extend(word.parts.iter().map(|part| Slot { word: part, leaf: true }));
        }
        let mut by_first: HashMap<u8, Vec<(usize, &str, Form)>> = HashMap::new();
        let mut first = [false; 256];
        for (index, slot) in slots.iter().enumerate() {
            for (term, form) in &slot.word.forms {
                let byte = term.as_bytes()[0];
                first[usize::from(byte)] = true;
                by_first.entry(byte).or_default().push((index, term, *form));
            }
        }
        Self { slots, by_first, first }
    }

    /// Whether a form of a word can match a word of the query; see [`Self::quality`].
    pub(super) fn may_match(&self, form: &str) -> bool {
        form.as_bytes().first().is_some_and(|byte| self.first[usize::from(*byte)])
    }

    /// Calls `visit` with each slot that a form of a word matches, and the quality of the match: above 0, at most 1.
    pub(super) fn quality(&self, form: &str, is_stem: bool, mut visit: impl FnMut(usize, f64)) {
        if !self.may_match(form) {
            return;
        }
        let Some(terms) = self.by_first.get(&form.as_bytes()[0]) else { return };
        for (slot, term, kind) in terms {
            let quality = match kind {
                Form::Prefix if !is_stem && form.starts_with(term) => 0.4 + 0.4 * term.len() as f64 / form.len() as f64,
                Form::Prefix => 0.0,
                _ if form != *term => 0.0,
                Form::Exact if !is_stem => 1.0,
                Form::Exact | Form::Stem => 0.75,
                Form::Typo(1) => 0.5,
                Form::Typo(_) => 0.3,
            };
            if quality > 0.0 {
                visit(*slot, quality);
            }
        }
    }

    fn look(&self, candidate: &Candidate) -> Seen {
        let mut fields = candidate.terms.split(FIELD);
        let fields = [(); 3].map(|()| self.look_at(fields.next().unwrap_or_default()));
        Seen { first: candidate.ordinal == 0, fields }
    }

    /// Finds the matches in one field. A search spends most of its time here: it reads every word of every candidate
    /// once.
    fn look_at(&self, text: &str) -> SeenField {
        let mut seen = SeenField::default();
        if text.is_empty() {
            return seen;
        }
        let bytes = text.as_bytes();
        let (mut position, mut start, mut is_stem) = (0, 0, false);
        let mut best: Vec<(usize, f64)> = Vec::new();
        for end in 0..=bytes.len() {
            let separator = match bytes.get(end) {
                Some(byte) if !matches!(char::from(*byte), WORD | FORM | STEM) => continue,
                separator => separator.copied(),
            };
            if start < end && self.first[usize::from(bytes[start])] {
                self.quality(&text[start..end], is_stem, |slot, quality| {
                    match best.iter_mut().find(|(known, _)| *known == slot) {
                        Some((_, best)) => *best = best.max(quality),
                        None => best.push((slot, quality)),
                    }
                });
            }
            start = end + 1;
            is_stem = separator.map(char::from) == Some(STEM);
            if separator.map(char::from).is_none_or(|separator| separator == WORD) {
                if !best.is_empty() && seen.found.is_empty() {
                    seen.found = vec![0.0; self.slots.len()];
                }
                for (slot, quality) in best.drain(..) {
                    seen.found[slot] += quality;
                    if self.slots[slot].leaf {
                        seen.places.push((position, slot));
                    }
                }
                position += 1;
            }
        }
        seen.length = position;
        seen
    }

    /// The weight of each slot among these sections: rare words weigh more.
    fn rarity(&self, seen: &[Seen]) -> Vec<f64> {
        let all = seen.len() as f64;
        let holding = |slot| seen.iter().filter(|seen| seen.has(slot)).count() as f64;
        (0..self.slots.len()).map(|slot| (1.0 + all / holding(slot).max(1.0)).log2()).collect()
    }

    fn score(&self, query: &Query, seen: &Seen, rarity: &[f64], complete: bool) -> f64 {
        let (mut score, mut required, mut found) = (0.0, 0, 0);
        let mut slot = 0;
        for word in &query.words {
            let parts = slot + 1..slot + 1 + word.parts.len();
            let mut value = seen.value(slot);
            if !parts.is_empty() && parts.clone().all(|part| seen.has(part)) {
                value += 0.5 * parts.clone().map(|part| seen.value(part)).sum::<f64>() / parts.len() as f64;
            }
            if word.required {
                required += 1;
                found += usize::from(value > 0.0);
                if value == 0.0 && complete {
                    value = ELSEWHERE;
                }
            }
            score += value * rarity[slot] * if word.required { 1.0 } else { OPTIONAL };
            slot = parts.end;
        }
        score += self.neighbours(seen) + self.whole(query, seen);
        if complete || required == 0 {
            return score;
        }
        let share = f64::from(found as u32) / f64::from(required);
        score * share * share
    }

    /// The bonus for words that are neighbours in the query and in the text.
    fn neighbours(&self, seen: &Seen) -> f64 {
        let leaves: Vec<usize> = (0..self.slots.len()).filter(|slot| self.slots[*slot].leaf).collect();
        let mut score = 0.0;
        for pair in leaves.windows(2) {
            let [left, right] = [pair[0], pair[1]];
            let wanted = self.slots[right].word.position.saturating_sub(self.slots[left].word.position);
            let value = |(field, weights): (&SeenField, &Field)| {
                let gap = nearest(&field.places, left, right, wanted)?;
                Some(weights.weight * NEIGHBOURS / f64::from(1 + gap))
            };
            let both = self.slots[left].word.required && self.slots[right].word.required;
            let best = seen.fields.iter().zip(seen.weights()).filter_map(value).fold(0.0, f64::max);
            score += best * if both { 1.0 } else { OPTIONAL };
        }
        score
    }

    /// The bonus for a title or heading that has exactly the words of the query.
    fn whole(&self, query: &Query, seen: &Seen) -> f64 {
        let wanted = |slot: &usize| self.slots[*slot].leaf && self.slots[*slot].word.required;
        let slots: Vec<usize> = (0..self.slots.len()).filter(wanted).collect();
        let words = query.words.iter().map(|word| word.parts.len().max(1)).sum::<usize>();
        let value = |(field, worth): (&SeenField, f64)| {
            let least = slots.iter().map(|slot| field.often(*slot).min(1.0)).fold(1.0, f64::min);
            let alone = (slots.len()..=words).contains(&(field.length as usize)) && !slots.is_empty();
            if alone { worth * least } else { 0.0 }
        };
        let fields = seen.fields.iter().zip(WHOLE);
        fields.skip(usize::from(!seen.first)).map(value).fold(0.0, f64::max)
    }
}

/// How much the distance of two words differs from `wanted`, at the closest place.
fn nearest(places: &[(u32, usize)], left: usize, right: usize, wanted: u32) -> Option<u32> {
    let mut best: Option<u32> = None;
    let mut last: [Option<u32>; 2] = [None, None];
    for (position, slot) in places {
        let (side, gap) = if *slot == left {
            // The reverse order counts as one word further apart.
            (0, last[1].map(|right| (position - right).abs_diff(wanted) + 1))
        } else if *slot == right {
            (1, last[0].map(|left| (position - left).abs_diff(wanted)))
        } else {
            continue;
        };
        best = [best, gap.filter(|gap| *gap <= MAX_GAP)].into_iter().flatten().min();
        last[side] = Some(*position);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::memory_index::{MemoryIndex, document, page_id};
    use super::super::{Indexer, MAX_CANDIDATES};
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn candidates(pages: &[(&str, &str, &str)], query: &Query) -> Vec<Candidate> {
        let space: SpaceId = "s".parse().unwrap();
        let mut sections = MemoryIndex::default();
        for (id, title, text) in pages {
            sections.insert(&space, Indexer::new(None).page(&page_id(id), title, None, &document(text)));
        }
        let found = query.every_word().map(|condition| sections.matching(&[space], &condition, MAX_CANDIDATES));
        sections.candidates(&found.unwrap_or_default())
    }

    #[rstest]
    #[case(&[(1, 0), (2, 1)], Some(0))]
    #[case(&[(1, 0), (4, 1)], Some(2))]
    #[case(&[(1, 1), (2, 0)], Some(1))]
    #[case(&[(1, 0), (100, 1)], None)]
    #[case(&[(1, 0), (50, 0), (51, 1)], Some(0))]
    #[case(&[(1, 0)], None)]
    fn words_are_neighbours_where_they_come_nearest(#[case] places: &[(u32, usize)], #[case] gap: Option<u32>) {
        assert_eq!(nearest(places, 0, 1, 1), gap);
    }

    #[test]
    fn the_best_section_of_a_page_counts_fully_and_the_others_add_a_little() {
        let query = Query::parse("tls ", &[None]);
        let pages = [("a", "One", "x\n# tls\ntls\n# More\ntls"), ("b", "Two", "x\n# tls\ntls")];
        let hits = rank(&candidates(&pages, &query), &query, true);
        assert_eq!(hits.iter().map(|hit| hit.page.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(hits[0].sections.iter().map(|hit| hit.ordinal).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(hits[0].sections[0].score, hits[1].sections[0].score);
        assert!(hits[0].score > hits[1].score && hits[0].score < 1.5 * hits[1].score);
    }

    #[test]
    fn a_title_with_exactly_the_words_of_the_query_comes_first() {
        let query = Query::parse("config file", &[None]);
        let pages = [
            ("c", "Config File Syntax in YAML", "config file config file"),
            ("b", "Config File", "x"),
            ("a", "Other", "# Config File\nconfig file"),
        ];
        let hits = rank(&candidates(&pages, &query), &query, true);
        assert_eq!(hits[0].page.as_str(), "b");
    }

    proptest! {
        #[test]
        fn the_order_depends_on_nothing_but_what_is_ranked(
            texts in prop::collection::vec("(alpha|beta|gamma|alphas|# beta\n| ){1,12}", 1..12), turn in 0usize..12,
        ) {
            let query = Query::parse("alpha beta", &[None]);
            let pages: Vec<(String, String)> = texts.into_iter().enumerate().map(|(n, text)| (format!("p{n}"), text)).collect();
            let pages: Vec<(&str, &str, &str)> = pages.iter().map(|(id, text)| (id.as_str(), "Alpha", text.as_str())).collect();
            let mut found = candidates(&pages, &query);
            let before = rank(&found, &query, true);
            for hit in &before {
                prop_assert!(hit.score > 0.0 && hit.score.is_finite());
                prop_assert!(hit.sections.iter().is_sorted_by(|a, b| a.score >= b.score));
            }
            prop_assert!(before.iter().is_sorted_by(|a, b| a.score >= b.score));
            let by = turn % found.len().max(1);
            found.rotate_left(by);
            prop_assert_eq!(before, rank(&found, &query, true));
        }
    }
}
