//! A reference implementation of the index in memory, for tests, and texts to fill it.
use super::{Candidate, Condition, IndexedPage, Indexer, SectionId, SectionText, variants};
use crate::document::{Block, Document, Heading, Inline, Kind, Paragraph, Text};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use values::id::{PageId, SpaceId};

/// Indexed sections, in insertion order.
#[derive(Default)]
pub struct MemoryIndex {
    sections: Vec<(Candidate, SectionText, BTreeSet<String>)>,
    words: BTreeSet<String>,
}

impl MemoryIndex {
    /// Adds a page.
    pub fn insert(&mut self, space: &SpaceId, page: IndexedPage) {
        self.words.extend(page.words().into_iter().map(str::to_owned));
        for section in page.sections {
            let id = SectionId(self.sections.len() as i64);
            let lexemes = section.lexemes.split(' ').map(str::to_owned).collect();
            let text =
                SectionText { section: id, anchor: section.anchor, heading: section.heading, body: section.body };
            let (page, ordinal, terms) = (page.page.clone(), section.ordinal, section.terms);
            self.sections.push((Candidate { section: id, space: space.clone(), page, ordinal, terms }, text, lexemes));
        }
    }

    /// The matching sections in these spaces, in insertion order.
    pub fn matching(&self, spaces: &[SpaceId], condition: &Condition, limit: usize) -> Vec<SectionId> {
        let inside = self.sections.iter().filter(|(found, ..)| spaces.contains(&found.space));
        let matching = inside.filter(|(.., lexemes)| holds(condition, lexemes)).map(|(found, ..)| found.section);
        matching.take(limit).collect()
    }

    /// The sections that match the first condition, in insertion order, at most `limit`: if there are more, those that
    /// match the second condition are chosen first, then those that match the third, and so on.
    pub fn best(&self, spaces: &[SpaceId], conditions: &[Condition], limit: usize) -> Vec<Candidate> {
        let Some((whole, narrower)) = conditions.split_first() else { return Vec::new() };
        let mut rest = self.matching(spaces, whole, usize::MAX);
        let mut best = Vec::new();
        for condition in narrower {
            let (fits, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|id| self.fits(*id, condition));
            best.extend(fits);
            rest = others;
        }
        best.extend(rest);
        best.truncate(limit);
        self.candidates(&best)
    }

    fn fits(&self, section: SectionId, condition: &Condition) -> bool {
        let mut all = self.sections.iter();
        all.any(|(found, _, lexemes)| found.section == section && holds(condition, lexemes))
    }

    /// For each condition, whether a section matches it.
    pub fn occurring(&self, spaces: &[SpaceId], conditions: &[Condition]) -> Vec<bool> {
        conditions.iter().map(|condition| !self.matching(spaces, condition, 1).is_empty()).collect()
    }

    /// The candidates for ranking of these sections.
    pub fn candidates(&self, sections: &[SectionId]) -> Vec<Candidate> {
        self.sections
            .iter()
            .map(|(found, ..)| found.clone())
            .filter(|found| sections.contains(&found.section))
            .collect()
    }

    /// The shown parts of these sections.
    pub fn texts(&self, sections: &[SectionId]) -> Vec<SectionText> {
        self.sections.iter().map(|(_, text, _)| text.clone()).filter(|text| sections.contains(&text.section)).collect()
    }

    /// The words of all pages with one of these variants.
    pub fn words_with_variant(&self, wanted: &[String]) -> Vec<String> {
        let shares = |word: &&String| variants(word).iter().any(|variant| wanted.contains(variant));
        self.words.iter().filter(shares).cloned().collect()
    }
}

fn holds(condition: &Condition, lexemes: &BTreeSet<String>) -> bool {
    match condition {
        Condition::Term(term) => lexemes.contains(term),
        Condition::Prefix(prefix) => {
            lexemes.range(prefix.clone()..).next().is_some_and(|term| term.starts_with(prefix))
        }
        Condition::All(all) => all.iter().all(|condition| holds(condition, lexemes)),
        Condition::Any(any) => any.iter().any(|condition| holds(condition, lexemes)),
    }
}

/// A document of headings (lines that begin with `#`) and paragraphs (other lines).
pub fn document(text: &str) -> Document {
    let line = |(at, line): (usize, &str)| {
        let bare = line.trim_start_matches('#');
        let level = line.len() - bare.len();
        let kind = match u8::try_from(level) {
            Ok(level @ 1..=6) => Kind::Heading(Heading { level, ..Heading::default() }),
            _ => Kind::Paragraph(Paragraph::default()),
        };
        let content = vec![Inline::Text(Text { text: bare.trim().to_owned(), ..Text::default() })];
        Block { key: crate::document::Key(format!("k{at}").into()), content, ..Block::new(kind) }
    };
    Document { blocks: text.lines().filter(|line| !line.trim().is_empty()).enumerate().map(line).collect() }
}

/// The pages of the real documentation for tests: path without extension, title, text. Prints a message and returns no
/// pages if it is absent.
///
/// # Panics
/// If a file cannot be read.
pub fn corpus() -> Option<Vec<(String, String, Document)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/fluentd-docs");
    let mut folders = vec![root.clone()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            eprintln!("skipped: {} is absent", folder.display());
            return None;
        };
        for path in entries.map(|entry| entry.expect("a folder that can be read").path()) {
            if path.is_dir() {
                folders.push(path)
            } else if path.extension().is_some_and(|end| end == "md") {
                files.push(path)
            }
        }
    }
    files.sort();
    let pages = files.into_iter().filter(|file| !file.ends_with("SUMMARY.md")).map(|file| {
        let text = std::fs::read_to_string(&file).expect("a file that can be read");
        let path = file.strip_prefix(&root).unwrap_or(&file).with_extension("").display().to_string();
        let (title, rest) = text.split_once('\n').unwrap_or((&text, ""));
        (path, title.trim_start_matches('#').trim().to_owned(), document(rest))
    });
    Some(pages.collect())
}

/// The corpus, indexed. A page's id is its path, with `-` for characters that an id cannot have.
pub fn indexed_corpus(space: &SpaceId) -> Option<MemoryIndex> {
    let mut sections = MemoryIndex::default();
    let mut indexer = Indexer::new(None);
    for (path, title, document) in corpus()? {
        sections.insert(space, indexer.page(&page_id(&path), &title, None, &document));
    }
    Some(sections)
}

/// The id of a page of the corpus.
///
/// # Panics
/// If the path is empty or too long for an id.
pub fn page_id(path: &str) -> PageId {
    path.replace(|char: char| !char.is_ascii_alphanumeric() && char != '_', "-").parse().expect("a path makes an id")
}
