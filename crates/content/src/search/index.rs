//! The index entries of a page.
use super::condition::{BEGINNING, FIRST, Tier, beginning};
use super::correct::{MAX_WORD, MIN_WORD};
use super::language::{Stems, is_stop_word};
use super::terms::{TokenKind, each_token};
use crate::document::{Document, Outline, Section, SpecificationUse};
use crate::expand::Expanded;
use crate::page::PageEntry;
use std::collections::BTreeSet;
use values::id::{PageId, ReusableContentId};
use values::text::{Language, one_line};

/// The version of the indexer. A change of what [`Indexer`] makes of a page, or of the text that it gets, needs the
/// next number: spaces that were indexed by an earlier version are then indexed again in the background.
pub const VERSION: u32 = 5;

/// Separates the fields of [`IndexedSection::terms`]: title, heading, body.
pub(super) const FIELD: char = '\n';
/// Separates words.
pub(super) const WORD: char = ' ';
/// Precedes another form of a word, as it was written: the first part of an identifier.
pub(super) const FORM: char = '\u{1f}';
/// Precedes a stem of a word.
pub(super) const STEM: char = '\u{1e}';

/// The longest text of one indexed section, in bytes. Longer texts are indexed in parts: PostgreSQL takes at most a
/// megabyte of terms per row, and distant words are rarely related.
const MAX_BODY: usize = 6_000;
/// The longest indexed title and heading, in bytes.
const MAX_HEADING: usize = 1_000;
/// The maximum number of terms from the rest of the page under which its first section is indexed.
const MAX_CONTEXT: usize = 2_000;
/// A word is prominent in a body if it occurs this often, in longer bodies more often.
const STRONG: f64 = 2.0;
/// The length of a typical section, in words.
pub(super) const TYPICAL_WORDS: f64 = 100.0;

/// The index entries of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedPage {
    /// The page.
    pub page: PageId,
    /// Its sections, none if searches leave the page out. The first is before any heading and represents the page as a
    /// whole.
    pub sections: Vec<IndexedSection>,
    /// The reusable contents that its text depends on: if the text of one changes, the page must be indexed again.
    pub contents: BTreeSet<ReusableContentId>,
    /// The parts of OpenAPI specifications that it shows.
    pub specifications: Vec<SpecificationUse>,
}

/// A part of a page, from one heading to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedSection {
    /// Its place in the page, from 0.
    pub ordinal: u32,
    /// Its anchor; absent for the first.
    pub anchor: Option<String>,
    /// Its heading; empty for the first.
    pub heading: String,
    /// Its text, in one line. The text of the first begins with the page's description.
    pub body: String,
    /// The words of title, heading and body in their order with all their forms. Ranking uses them.
    pub terms: String,
    /// The terms that find the section, each once, separated by spaces. A term has letters, digits, marks, `_` and `.`,
    /// after at most one mark of ASCII punctuation. That of the beginning of words ends with `*`.
    pub lexemes: String,
}

impl IndexedPage {
    /// The words that a mistyped word can be corrected to.
    pub fn words(&self) -> BTreeSet<&str> {
        let forms = self.sections.iter().flat_map(|section| forms(&section.terms));
        let words = forms.filter(|(word, stem)| !stem && is_correctable(word));
        words.map(|(word, _)| word).collect()
    }
}

/// Whether this word can be a correction, and can be corrected if it is not found.
pub(super) fn is_correctable(word: &str) -> bool {
    (MIN_WORD..=MAX_WORD).contains(&word.chars().count()) && word.chars().all(char::is_alphabetic)
}

/// Every form of every word, and whether it is a stem.
fn forms(terms: &str) -> impl Iterator<Item = (&str, bool)> {
    let words = terms.split([FIELD, WORD]).flat_map(|word| word.split_inclusive([FORM, STEM]));
    // `split_inclusive` leaves the separator at the end of the previous form.
    words.scan(false, |stem, form| {
        let was = std::mem::replace(stem, form.ends_with(STEM));
        Some((form.trim_end_matches([FORM, STEM]), was))
    })
}

/// Builds the index entries of pages of one language.
pub struct Indexer {
    language: Option<Language>,
    stems: Stems,
}

impl Indexer {
    /// For pages in this language; English if absent.
    pub fn new(language: Option<Language>) -> Self {
        Self { language, stems: Stems::of(language) }
    }

    /// The index entries of a page.
    pub fn page(&mut self, page: &PageId, title: &str, description: Option<&str>, document: &Document) -> IndexedPage {
        let sections = self.sections(title, description, document.sections());
        let specifications = document.specification_uses();
        IndexedPage { page: page.clone(), sections, contents: BTreeSet::new(), specifications }
    }

    /// The index entries of a page that includes reusable contents. `headings` are those of the page itself: a hit in
    /// an included text belongs to the section of the page that includes it.
    pub fn expanded_page(
        &mut self,
        (page, entry): (&PageId, &PageEntry),
        headings: Vec<Outline>,
        expanded: Expanded,
    ) -> IndexedPage {
        let Expanded { document, contents } = expanded;
        let specifications = document.specification_uses();
        let sections = if entry.no_index {
            Vec::new()
        } else {
            self.sections(&entry.title, entry.description.as_deref(), document.sections_under(headings))
        };
        IndexedPage { page: page.clone(), sections, contents, specifications }
    }

    fn sections(&mut self, title: &str, description: Option<&str>, found: Vec<Section>) -> Vec<IndexedSection> {
        let title = cut(&one_line(title), MAX_HEADING).to_owned();
        let mut sections: Vec<IndexedSection> = Vec::new();
        let mut before_headings = description.unwrap_or_default().to_owned();
        let mut found = found.into_iter().peekable();
        if let Some(first) = found.next_if(|section| section.anchor.is_none()) {
            before_headings.push('\n');
            before_headings.push_str(&first.body);
        }
        self.push(&mut sections, &title, None, "", &one_line(&before_headings));
        for section in found {
            let heading = one_line(&section.title);
            let anchor = section.anchor.as_deref();
            self.push(&mut sections, &title, anchor, cut(&heading, MAX_HEADING), &one_line(&section.body));
        }
        self.add_lexemes(&mut sections);
        sections
    }

    /// Adds a section, in parts if it is long.
    fn push(&mut self, to: &mut Vec<IndexedSection>, title: &str, anchor: Option<&str>, heading: &str, body: &str) {
        let mut rest = body;
        loop {
            let part = cut(rest, MAX_BODY);
            rest = rest[part.len()..].trim_start();
            let mut terms = String::with_capacity(title.len() + heading.len() + 2 * part.len());
            for (index, field) in [title, heading, part].into_iter().enumerate() {
                if index > 0 {
                    terms.push(FIELD);
                }
                self.write_terms(field, &mut terms);
            }
            to.push(IndexedSection {
                ordinal: u32::try_from(to.len()).unwrap_or(u32::MAX),
                anchor: anchor.map(str::to_owned),
                heading: heading.to_owned(),
                body: part.trim_end().to_owned(),
                terms,
                lexemes: String::new(),
            });
            if rest.is_empty() {
                break;
            }
        }
    }

    fn write_terms(&mut self, text: &str, to: &mut String) {
        let start = to.len();
        let mut at = None;
        each_token(text, |token| {
            if at == Some(token.position) {
                to.push(FORM);
            } else if to.len() > start {
                to.push(WORD);
            }
            at = Some(token.position);
            to.push_str(token.folded);
            if token.kind == TokenKind::Word
                && let Some(stem) = self.stems.stem(token.lower)
            {
                to.push(STEM);
                to.push_str(stem);
            }
        });
    }

    /// Sets the terms of each section. The first also gets terms from anywhere on its page.
    fn add_lexemes(&self, sections: &mut [IndexedSection]) {
        let page: Vec<&str> = match &*sections {
            [] | [_] => Vec::new(),
            [_, others @ ..] => distinct(others.iter().flat_map(|section| forms(&section.terms))),
        };
        let lexemes: Vec<String> =
            sections.iter().map(|section| self.lexemes(section.ordinal == 0, &section.terms, &page)).collect();
        for (section, lexemes) in sections.iter_mut().zip(lexemes) {
            section.lexemes = lexemes;
        }
    }

    /// The terms of a section. `page` has the forms of all other sections, for the first one.
    fn lexemes(&self, first: bool, terms: &str, page: &[&str]) -> String {
        let mut fields = terms.split(FIELD);
        let [title, heading, body] = [(); 3].map(|()| fields.next().unwrap_or_default());
        let own = own_forms(if first { title } else { "" }, heading, body);
        let length = body.split(WORD).count() as f64;
        // Long texts are discounted as in ranking.
        let strong = STRONG * (0.4 + 0.6 * length / TYPICAL_WORDS).max(1.0);
        let mut lexemes = Lexemes::new(first, terms.len());
        for same in own.chunk_by(|(one, _), (other, _)| one == other) {
            let (form, best) = same[0];
            lexemes.add(Tier::Any, form);
            let stands_out = same.len() as f64 >= strong && !is_stop_word(form, self.language);
            let best = if stands_out { best.min(Tier::Strong.rank()) } else { best };
            // Each tier includes the better tiers.
            for tier in [Tier::Strong, Tier::Heading, Tier::Title] {
                if best <= tier.rank() {
                    lexemes.add(tier, form);
                }
            }
        }
        let title = if first { Vec::new() } else { distinct(forms(title)) };
        let elsewhere = if first { page } else { &title };
        let is_own = |form: &&&str| own.binary_search_by(|(known, _)| known.cmp(*form)).is_ok();
        let elsewhere = elsewhere.iter().filter(|form| !is_own(form)).take(MAX_CONTEXT);
        elsewhere.for_each(|form| lexemes.add(Tier::Elsewhere, form));
        lexemes.text
    }
}

/// The forms in a section with the ranks of their tiers, in order, the best rank of each form first.
fn own_forms<'t>(title: &'t str, heading: &'t str, body: &'t str) -> Vec<(&'t str, u8)> {
    let mut own = Vec::new();
    for (field, tier) in [(title, Tier::Title), (heading, Tier::Heading), (body, Tier::Any)] {
        own.extend(forms(field).filter(|(form, _)| !form.is_empty()).map(|(form, _)| (form, tier.rank())));
    }
    own.sort_unstable();
    own
}

/// The terms of a section, as they are written.
struct Lexemes<'t> {
    text: String,
    /// The last beginning of each tier. Forms come in order, so those with the same beginning follow each other.
    last: [&'t str; Tier::COUNT],
}

impl<'t> Lexemes<'t> {
    fn new(first: bool, capacity: usize) -> Self {
        let mut text = String::with_capacity(capacity);
        text.push_str(if first { FIRST } else { "" });
        Self { text, last: [""; Tier::COUNT] }
    }

    /// Adds a form in a tier, and its beginning.
    fn add(&mut self, tier: Tier, form: &'t str) {
        self.push(tier, form, None);
        let last = &mut self.last[usize::from(tier.rank())];
        if let Some(beginning) = beginning(form).filter(|beginning| beginning != last) {
            *last = beginning;
            self.push(tier, beginning, Some(BEGINNING));
        }
    }

    fn push(&mut self, tier: Tier, term: &str, end: Option<char>) {
        if !self.text.is_empty() {
            self.text.push(WORD);
        }
        self.text.extend(tier.mark());
        self.text.push_str(term);
        self.text.extend(end);
    }
}

/// Each form once, in order.
fn distinct<'t>(forms: impl Iterator<Item = (&'t str, bool)>) -> Vec<&'t str> {
    let mut all: Vec<&str> = forms.map(|(form, _)| form).filter(|form| !form.is_empty()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The beginning of a text: at most this many bytes, up to the end of a word if possible.
fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = text.floor_char_boundary(most);
    let end = text[..end].rfind(' ').filter(|at| *at > 0).unwrap_or(end);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::super::memory_index::document;
    use super::*;
    use proptest::prelude::*;

    fn page(title: &str, description: Option<&str>, text: &str) -> IndexedPage {
        Indexer::new(None).page(&"p".parse().unwrap(), title, description, &document(text))
    }

    fn lexemes(section: &IndexedSection) -> Vec<&str> {
        section.lexemes.split(' ').collect()
    }

    #[test]
    fn a_page_is_indexed_by_section() {
        let page = page("Forward Output", Some("Sends events."), "It  sends\n# Parameters\nhost\n## \nport");
        let seen: Vec<_> =
            page.sections.iter().map(|s| (s.ordinal, s.anchor.as_deref(), &*s.heading, &*s.body)).collect();
        let expected = [
            (0, None, "", "Sends events. It sends"),
            (1, Some("parameters"), "Parameters", "host"),
            (2, Some("section"), "", "port"),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn words_are_kept_in_order_with_all_their_forms() {
        let page = page("Plugins", None, "out_forward sends chunkLimits");
        let body = "out_forward\u{1f}out forward sends\u{1e}send chunklimits\u{1f}chunk limits\u{1e}limit";
        assert_eq!(page.sections[0].terms, format!("plugins\u{1e}plugin\n\n{body}"));
        let stems: Vec<&str> = forms(&page.sections[0].terms).filter(|(_, stem)| *stem).map(|(form, _)| form).collect();
        assert_eq!(stems, ["plugin", "send", "limit"]);
    }

    #[test]
    fn a_section_is_found_by_its_words_and_by_their_prominence() {
        let page = page("Title", None, "text\n# Heading\nbody body body the the the");
        let second = lexemes(&page.sections[1]);
        for term in ["body", "+body", "heading", "#heading", "+heading", "~title", "the"] {
            assert!(second.contains(&term), "{term} in {second:?}");
        }
        for term in ["~", "^heading", "title", "+the", "text"] {
            assert!(!second.contains(&term), "{term} in {second:?}");
        }
        let first = lexemes(&page.sections[0]);
        assert!(["~", "^title", "~heading", "~body"].iter().all(|term| first.contains(term)), "{first:?}");
    }

    #[test]
    fn a_section_is_found_by_two_letters_that_its_words_begin_with() {
        let page = page("Title", None, "text ten it\n# Heading\nbody body body both 日本語");
        let second = lexemes(&page.sections[1]);
        for term in ["bo*", "+bo*", "he*", "#he*", "+he*", "~ti*"] {
            assert!(second.contains(&term), "{term} in {second:?}");
        }
        for term in ["#bo*", "^ti*", "日本*", "~te*"] {
            assert!(!second.contains(&term), "{term} in {second:?}");
        }
        let first = lexemes(&page.sections[0]);
        assert_eq!(first.iter().filter(|term| **term == "te*").count(), 1, "{first:?}");
        assert!(!first.contains(&"it*"), "a whole word is its own beginning: {first:?}");
    }

    #[test]
    fn a_page_without_text_is_found_by_its_title() {
        let page = page("Title", None, "");
        assert_eq!(page.sections.len(), 1);
        let terms = lexemes(&page.sections[0]);
        assert!(["~", "title", "+title", "#title", "^title"].iter().all(|term| terms.contains(term)), "{terms:?}");
    }

    #[test]
    fn a_long_section_is_indexed_in_parts_that_lose_no_word() {
        let words: Vec<String> = (0..3000).map(|n| format!("w{n}")).collect();
        let page = page("T", None, &format!("# H\n{}", words.join(" ")));
        assert!(page.sections.len() > 2);
        assert!(page.sections.iter().all(|section| section.body.len() <= MAX_BODY));
        let together: Vec<&str> = page.sections.iter().flat_map(|section| section.body.split_whitespace()).collect();
        assert_eq!(together, words);
        let anchors: BTreeSet<_> = page.sections[1..].iter().map(|section| section.anchor.as_deref()).collect();
        assert_eq!(anchors, BTreeSet::from([Some("h")]));
    }

    #[test]
    fn only_plain_words_of_some_length_correct_others() {
        let page = page("Forwarding", None, "out_s3 v0.12 the 日本語です chunkLimit");
        assert_eq!(page.words(), BTreeSet::from(["forwarding", "chunk", "chunklimit", "limit"]));
    }

    #[test]
    fn what_the_indexer_makes_of_a_page_changes_only_with_its_version() {
        let text = "The out_forward plugin, v0.12\n# Chunk limits\nbufferChunkLimit is 8m; Zürich\n# 日本語の見出し\nend\n\n\
             {% openapi-operation spec=\"pets\" path=\"/pets\" method=\"get\" %}\n{% endopenapi-operation %}\n\n\
             {% openapi src=\"https://a.test/b.json\" path=\"/c\" method=\"put\" %}\n{% endopenapi %}\n";
        let mut seen = String::new();
        for language in [None, Some(Language::De)] {
            let page =
                Indexer::new(language).page(&"p".parse().unwrap(), "Forwarding", Some("Sends."), &document(text));
            let shown: Vec<_> =
                page.specifications.iter().map(|found| (&found.spec, found.is_address, &found.shows)).collect();
            seen.push_str(&format!("{:?}{shown:?}", page.sections));
        }
        let seen = (VERSION, &blake3::hash(seen.as_bytes()).to_hex()[..16]);
        assert_eq!(
            seen,
            (5, "9ae6bbfe484ac44c"),
            "the index of existing spaces would differ: raise VERSION, then change this"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_indexed_within_bounds(title in any::<String>(), text in "(?s).{0,400}", repeat in 1usize..60) {
            let page = page(&title, Some(&title), &text.repeat(repeat));
            prop_assert!(!page.sections.is_empty());
            for section in page.sections {
                prop_assert!(section.body.len() <= MAX_BODY && section.heading.len() <= MAX_HEADING);
                prop_assert!(!section.lexemes.contains("  ") && !section.lexemes.chars().any(char::is_control));
                let lexemes: Vec<&str> = section.lexemes.split(' ').filter(|term| !term.is_empty()).collect();
                prop_assert_eq!(lexemes.iter().collect::<BTreeSet<_>>().len(), lexemes.len());
                prop_assert_eq!(section.terms.matches(FIELD).count(), 2);
            }
        }
    }
}
