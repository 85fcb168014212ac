//! The text of a change request for a cluster: quotations of users, how much the issue blocks them, and related pages.
use crate::describe::Summary;
use crate::impact::Impact;
use crate::lexicon::{Lexicon, tokens};
use crate::pulse::WEEKS;
use content::document::{
    Block, Document, DocumentError, Heading, Inline, Kind, Link, ListItem, Marks, Paragraph, Target, Text,
};
use content::reference::ContentRef;
use content::search::Words;
use std::collections::{HashMap, HashSet};
use values::id::PageId;
use values::text::{Language, one_line};

/// The most titles that evidence shows.
pub const MAX_TITLES: usize = 10;
/// The most pages that evidence shows.
pub const MAX_PAGES: usize = 3;
/// The maximum number of search terms.
const MAX_TERMS: usize = 8;
/// The minimum share of titles that contain a search term, in tenths.
const SHARE: usize = 2;

/// The facts about a cluster that its change request presents.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    /// Its label.
    pub label: &'a str,
    /// The number of its issues.
    pub issues: usize,
    /// The number of conversations that they are from.
    pub conversations: usize,
    /// Its impact.
    pub impact: Impact,
    /// Its issues in the last weeks; see [`weekly_pulse`](crate::pulse::weekly_pulse).
    pub pulse: [u32; WEEKS],
    /// Titles of its issues, the most typical first, each with the address of its conversation.
    pub titles: Vec<(&'a str, Option<&'a str>)>,
    /// The pages that may answer it, the best first.
    pub pages: Vec<AnsweringPage<'a>>,
    /// Whether a section of them contains half of the terms of the [`Question`].
    pub answered: bool,
}

/// A page that may answer what users of a cluster ask.
#[derive(Clone, Debug)]
pub struct AnsweringPage<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its id in the space of the change request.
    pub page: PageId,
    /// The headings of the sections that were found, the best first.
    pub sections: Vec<&'a str>,
}

impl Evidence<'_> {
    /// The evidence as a document. Text of users is plain text in it: their markup has no effect.
    ///
    /// # Errors
    /// A text or an address breaks a rule of documents.
    pub fn document(&self) -> Result<Document, DocumentError> {
        let mut blocks =
            vec![paragraph(vec![text(&self.counts())]), paragraph(vec![text(&pulse_in_words(&self.pulse))])];
        if !self.titles.is_empty() {
            blocks.push(heading("What users wrote"));
            let titles = self.titles.iter().take(MAX_TITLES);
            blocks.push(list(titles.map(|(title, url)| vec![linked(title, url.map(address))]).collect()));
        }
        blocks.push(heading("What the pages say"));
        if !self.answered {
            blocks.push(paragraph(vec![text("No page answers this.")]));
        }
        if !self.pages.is_empty() {
            let pages = self.pages.iter().take(MAX_PAGES).map(|page| {
                let target = ContentRef::Page { page: page.page.clone(), space: None };
                let mut line = vec![linked(page.title, Some(target))];
                if !page.sections.is_empty() {
                    line.push(text(&format!(": {}", page.sections.join(", "))));
                }
                line
            });
            blocks.push(list(pages.collect()));
        }
        Document::from_blocks(blocks)
    }

    fn counts(&self) -> String {
        let plural = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let impact = match self.impact {
            Impact::Low => "low: minor friction",
            Impact::Medium => "medium: noticeable friction or partial blocking",
            Impact::High => "high: fully or nearly blocking",
        };
        let (issues, conversations) = (plural(self.issues, "issue"), plural(self.conversations, "conversation"));
        format!("{issues} in {conversations} are about “{}”. The impact is {impact}.", self.label)
    }
}

impl Summary {
    /// The summary as a document: its sentence, then the quotations.
    ///
    /// # Errors
    /// A text breaks a rule of documents.
    pub fn document(&self) -> Result<Document, DocumentError> {
        let quote = |quote: &String| Block::new(Kind::Blockquote).with_children(vec![paragraph(vec![text(quote)])]);
        let sentence = paragraph(vec![text(&self.sentence)]);
        Document::from_blocks([sentence].into_iter().chain(self.quotes.iter().map(quote)).collect())
    }
}

/// Describes a pulse in words.
pub fn pulse_in_words(pulse: &[u32; WEEKS]) -> String {
    let all: u32 = pulse.iter().sum();
    let recent: u32 = pulse[WEEKS - 4..].iter().sum();
    let before: u32 = pulse[WEEKS - 8..WEEKS - 4].iter().sum();
    if all == 0 {
        return format!("No issue came in the last {WEEKS} weeks.");
    }
    let trend = match (recent, before) {
        (0, _) => "it has become quiet",
        (_, 0) => "it is new or has come back",
        _ if recent * 2 >= before * 3 => "it is growing",
        _ if recent * 3 <= before * 2 => "it is declining",
        _ => "it is steady",
    };
    let came = |count: u32| if count == 1 { "1 came".to_owned() } else { format!("{count} came") };
    format!(
        "{} in the last 4 weeks, and {before} in the 4 weeks before: {trend}. {all} in the last {WEEKS} weeks.",
        came(recent)
    )
}

/// What the users of a cluster ask, as search terms for pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    language: Option<Language>,
    /// The stems of the terms, the highest weight first.
    stems: Vec<String>,
    /// The terms as users wrote them, for a search.
    pub query: String,
}

impl Question {
    /// The question of a cluster with this label and these titles. Terms of the label, and terms in many titles, have
    /// the highest weights.
    pub fn of(label: &str, titles: &[&str], language: Option<Language>) -> Self {
        let mut words = Words::of(language);
        let lexicon = Lexicon::of(language);
        // The first position, the weight in titles, and the first form of each stem.
        let mut found: HashMap<String, (usize, usize, String)> = HashMap::new();
        let texts = [label].into_iter().chain(titles.iter().copied().take(200));
        let mut place = 0;
        for (at, title) in texts.enumerate() {
            let mut seen = HashSet::new();
            for token in tokens(&mut words, title).into_iter().filter(|token| !lexicon.is_filler(token)) {
                place += 1;
                let entry = found.entry(token.stem.clone()).or_insert((place, 0, token.folded));
                // The label counts as a third of the titles.
                entry.1 += if !seen.insert(token.stem) {
                    0
                } else if at == 0 {
                    1 + titles.len() / 3
                } else {
                    1
                };
            }
        }
        let mut all: Vec<(String, (usize, usize, String))> = found.into_iter().collect();
        all.sort_by(|(_, one), (_, other)| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        all.retain(|(_, (_, count, _))| count * 10 >= titles.len() * SHARE);
        all.truncate(MAX_TERMS);
        let query = all.iter().map(|(_, (_, _, word))| word.as_str()).collect::<Vec<_>>().join(" ");
        Self { language, stems: all.into_iter().map(|(stem, _)| stem).collect(), query }
    }

    /// Whether the text of a section, with its heading and the title of its page, contains half of the terms.
    pub fn is_answered_by(&self, section: &str) -> bool {
        let mut missing: HashSet<&str> = self.stems.iter().map(String::as_str).collect();
        Words::of(self.language).each(section, |word| {
            missing.remove(word.stem);
        });
        !self.stems.is_empty() && missing.len() * 2 <= self.stems.len()
    }
}

fn text(text: &str) -> Inline {
    Inline::Text(Text { text: one_line(text), marks: Marks::default() })
}

fn address(url: &str) -> ContentRef {
    ContentRef::Url { url: url.to_owned() }
}

fn linked(title: &str, target: Option<ContentRef>) -> Inline {
    match target {
        Some(target) => Inline::Link(Box::new(Link {
            target: Target(target),
            query: None,
            title: None,
            content: vec![text(title)],
        })),
        None => text(title),
    }
}

fn paragraph(content: Vec<Inline>) -> Block {
    Block::new(Kind::Paragraph(Paragraph::default())).with_content(content)
}

fn heading(words: &str) -> Block {
    Block::new(Kind::Heading(Heading { level: 2, ..Heading::default() })).with_content(vec![text(words)])
}

fn list(items: Vec<Vec<Inline>>) -> Block {
    let item = |line| Block::new(Kind::ListItem(ListItem::default())).with_children(vec![paragraph(line)]);
    Block::new(Kind::ListUnordered).with_children(items.into_iter().map(item).collect())
}

#[cfg(test)]
mod tests;
