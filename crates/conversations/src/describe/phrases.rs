//! Phrases of titles, and how well each distinguishes a cluster from all others.
use crate::lexicon::{Lexicon, Token, tokens};
use content::search::Words;
use std::collections::{HashMap, HashSet};
use values::text::Language;

/// The most words of a phrase.
const MOST_WORDS: usize = 4;
/// The minimum share of a cluster's issues that have the phrase of its label, in tenths.
const SHARE: usize = 3;
/// The minimum share of a cluster's issues that have a common stem, in tenths.
const COMMON: usize = 2;
/// The maximum number of words read from a title.
const READ: usize = 40;

/// The numbers of issues that have each phrase, among all issues of an organization in one language.
#[derive(Debug, Default)]
pub struct Statistics {
    issues: usize,
    counts: HashMap<u64, u32>,
}

impl Statistics {
    /// The statistics of these titles.
    pub fn of<'a>(titles: impl IntoIterator<Item = &'a str>, language: Option<Language>) -> Self {
        let mut reader = Reader::new(language);
        let mut all = Self::default();
        for title in titles {
            all.issues += 1;
            for phrase in reader.phrases(title) {
                *all.counts.entry(phrase.hash).or_default() += 1;
            }
        }
        all
    }

    /// Adds the title of an issue.
    pub fn add(&mut self, title: &str, language: Option<Language>) {
        self.issues += 1;
        for phrase in Reader::new(language).phrases(title) {
            *self.counts.entry(phrase.hash).or_default() += 1;
        }
    }

    /// The inverse document frequency of a phrase among all issues.
    fn rarity(&self, hash: u64) -> f32 {
        let with = self.counts.get(&hash).copied().unwrap_or(0) as f32;
        ((self.issues as f32 + 1.0) / (with + 0.5)).ln().max(0.0)
    }
}

/// A phrase of a title.
#[derive(Debug)]
struct Phrase {
    /// The hash of its stems.
    hash: u64,
    /// Its text in the title.
    text: String,
    /// The hashes of the stems of its content words.
    stems: Vec<u64>,
}

/// A phrase that enough issues of a cluster have.
#[derive(Debug)]
pub(super) struct Candidate {
    hash: u64,
    /// Its commonest form.
    pub text: String,
    /// How well it distinguishes the cluster from others.
    pub score: f32,
    /// Its share of the weight of the titles' common stems, 0 to 1.
    pub coverage: f32,
}

/// The common stems of the titles of a cluster, each with its weight.
#[derive(Debug, Default)]
pub(super) struct Common(HashMap<u64, f32>);

impl Common {
    /// The share of the weight of these stems.
    fn coverage(&self, stems: &HashSet<u64>) -> f32 {
        // Sorted, so that the sums do not depend on the order of the map.
        let mut weights: Vec<(&u64, &f32)> = self.0.iter().collect();
        weights.sort_unstable_by_key(|(stem, _)| **stem);
        let all: f32 = weights.iter().map(|(_, weight)| **weight).sum();
        let of: f32 = weights.iter().filter(|(stem, _)| stems.contains(stem)).map(|(_, weight)| **weight).sum();
        if all > 0.0 { of / all } else { 0.0 }
    }
}

/// A phrase among the titles of a cluster.
#[derive(Debug, Default)]
struct Seen {
    /// The number of titles that have it.
    count: usize,
    /// The hashes of its stems.
    stems: Vec<u64>,
    /// Its forms, each with its number of occurrences.
    forms: HashMap<String, usize>,
}

/// Reads the phrases of titles in one language.
pub(super) struct Reader {
    words: Words,
    lexicon: &'static Lexicon,
}

impl Reader {
    pub(super) fn new(language: Option<Language>) -> Self {
        Self { words: Words::of(language), lexicon: Lexicon::of(language) }
    }

    /// The stems that at least 20 % of the titles have.
    pub(super) fn common(&mut self, titles: &[&str], all: &Statistics) -> Common {
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for title in titles {
            let stems: HashSet<u64> = self.phrases(title).into_iter().flat_map(|phrase| phrase.stems).collect();
            stems.into_iter().for_each(|stem| *counts.entry(stem).or_default() += 1);
        }
        let kept = counts.into_iter().filter(|(_, count)| enough(*count, titles, COMMON));
        Common(kept.map(|(stem, count)| (stem, count as f32 / titles.len() as f32 * all.rarity(stem))).collect())
    }

    /// The share of the weight of the common stems that a title has, 0 to 1.
    pub(super) fn coverage(&mut self, title: &str, common: &Common) -> f32 {
        common.coverage(&self.phrases(title).into_iter().flat_map(|phrase| phrase.stems).collect())
    }

    /// The phrases of two or more words that at least 30 % of the titles have, and two of them if there are two.
    pub(super) fn candidates(&mut self, titles: &[&str], all: &Statistics, common: &Common) -> Vec<Candidate> {
        let mut found: HashMap<u64, Seen> = HashMap::new();
        for title in titles {
            for phrase in self.phrases(title).into_iter().filter(|phrase| phrase.stems.len() > 1) {
                let Seen { count, stems, forms } = found.entry(phrase.hash).or_default();
                *count += 1;
                *stems = phrase.stems;
                *forms.entry(phrase.text).or_default() += 1;
            }
        }
        let kept = found.into_iter().filter(|(_, Seen { count, .. })| enough(*count, titles, SHARE));
        let mut candidates: Vec<Candidate> = kept
            .map(|(hash, Seen { count, stems, forms })| {
                let share = count as f32 / titles.len() as f32;
                let longer = 1.0 + 0.3 * (stems.len() as f32 - 1.0);
                let coverage = common.coverage(&stems.into_iter().collect());
                let score = share.sqrt() * all.rarity(hash) * longer * coverage;
                let commonest = forms.into_iter().max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(&one.0)));
                Candidate { hash, text: commonest.map(|(text, _)| text).unwrap_or_default(), score, coverage }
            })
            .collect();
        candidates.sort_by_key(|candidate| candidate.hash);
        candidates
    }

    /// The score of a label among the candidates; `None` if it is none of them.
    pub(super) fn score_of(&mut self, label: &str, candidates: &[Candidate]) -> Option<f32> {
        let whole = label.trim().chars().count();
        let hashes: Vec<u64> = self
            .phrases(label)
            .into_iter()
            .filter(|phrase| phrase.text.chars().count() == whole)
            .map(|phrase| phrase.hash)
            .collect();
        candidates.iter().find(|candidate| hashes.contains(&candidate.hash)).map(|candidate| candidate.score)
    }

    /// The phrases of a title, each once. A phrase begins and ends with a content word.
    fn phrases(&mut self, title: &str) -> Vec<Phrase> {
        let mut tokens = tokens(&mut self.words, title);
        tokens.truncate(READ);
        let is_content = |token: &Token| !self.lexicon.is_filler(token) && !token.folded.chars().all(char::is_numeric);
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for start in 0..tokens.len() {
            for end in start + 1..=tokens.len().min(start + MOST_WORDS) {
                let run = &tokens[start..end];
                if end - start > 1 && ends_between(title, &run[run.len() - 2], &run[run.len() - 1]) {
                    break;
                }
                let (first, last) = (&run[0], &run[run.len() - 1]);
                if !is_content(first) || !is_content(last) {
                    continue;
                }
                let stems = run.iter().filter(|token| is_content(token)).map(|token| token.stem.as_str());
                let hash = hash_of(stems.clone());
                if seen.insert(hash) {
                    let stems = stems.map(|stem| hash_of([stem].into_iter())).collect();
                    found.push(Phrase { hash, text: title[first.range.start..last.range.end].to_owned(), stems });
                }
            }
        }
        found
    }
}

/// Whether `count` is at least this many tenths of the titles, and at least two unless there is only one title.
fn enough(count: usize, titles: &[&str], tenths: usize) -> bool {
    count * 10 >= titles.len() * tenths && count >= titles.len().min(2)
}

/// Whether punctuation separates two words.
fn ends_between(title: &str, one: &Token, other: &Token) -> bool {
    let between = title.get(one.range.end..other.range.start).unwrap_or_default();
    between.contains([',', ';', ':', '.', '!', '?', '(', ')', '"', '“', '”', '/']) && !between.is_empty()
}

/// FNV-1a of words, with blanks between them.
fn hash_of<'a>(words: impl Iterator<Item = &'a str>) -> u64 {
    let bytes = words.flat_map(|word| word.bytes().chain([b' ']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
