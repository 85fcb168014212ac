//! The outline of a document: its headings with their anchors, and the sections they begin.
use super::text::inline_text;
use super::{Block, BlockType, Document, Heading, Key, Kind};
use std::collections::{HashMap, HashSet};
use unicode_normalization::char::is_combining_mark;

/// A heading, as a table of contents needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The heading's key.
    pub key: Key,
    /// Its level in Markdown, 1 to 6.
    pub level: u8,
    /// Its plain text.
    pub text: String,
    /// Its anchor in a URL, unique in the document: its own id, or else one made from its text.
    pub anchor: String,
}

/// The text from one heading to the next, as search needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The anchor of its heading; absent for the text before the first heading.
    pub anchor: Option<String>,
    /// The text of its heading; empty before the first one.
    pub title: String,
    /// The text below the heading, one line per block.
    pub body: String,
}

impl Document {
    /// The headings in document order, including those in tabs, columns and the like, but not those in tables and
    /// notes.
    ///
    /// Anchors made from text are lower case, with hyphens for spaces and without punctuation. If an anchor is taken,
    /// the next one gets `-1`, then `-2`. Ids that writers set win over derived ones.
    pub fn headings(&self) -> Vec<Outline> {
        let mut headings: Vec<(&Block, &Heading)> = Vec::new();
        each_read(&self.blocks, &mut |block| {
            if let Kind::Heading(heading) = &block.kind {
                headings.push((block, heading));
            }
        });
        let mut anchors = Anchors::new(headings.iter().filter_map(|(_, heading)| heading.id.as_deref()));
        let outline = |(block, heading): (&Block, &Heading)| {
            let text = inline_text(&block.content);
            let anchor = heading.id.clone().unwrap_or_else(|| anchors.derive(&text));
            Outline { key: block.key.clone(), level: heading.level, text, anchor }
        };
        headings.into_iter().map(outline).collect()
    }

    /// The text, split by headings. A heading without text below it is a section too; text before the first heading is
    /// one only if there is any.
    pub fn sections(&self) -> Vec<Section> {
        self.sections_under(self.headings())
    }

    /// The text, split by these of its headings, which are in document order. Other headings are text of the section
    /// that they are in.
    pub(crate) fn sections_under(&self, headings: Vec<Outline>) -> Vec<Section> {
        let mut headings = headings.into_iter().peekable();
        let mut sections = vec![Section { anchor: None, title: String::new(), body: String::new() }];
        each_read(&self.blocks, &mut |block| {
            if block.kind.block_type() == BlockType::Heading
                && let Some(heading) = headings.next_if(|heading| heading.key == block.key)
            {
                sections.push(Section { anchor: Some(heading.anchor), title: heading.text, body: String::new() });
            } else if let Some(section) = sections.last_mut() {
                block.push_read(&mut section.body);
            }
        });
        for section in &mut sections {
            section.body.truncate(section.body.trim_end_matches('\n').len());
        }
        if sections[0].body.is_empty() {
            sections.remove(0);
        }
        sections
    }
}

/// Visits the blocks in reading order. A table is one block here, and so is a line with its notes.
fn each_read<'a>(blocks: &'a [Block], visit: &mut impl FnMut(&'a Block)) {
    for block in blocks {
        visit(block);
        if block.kind.block_type() != BlockType::Table {
            each_read(&block.children, visit);
        }
    }
}

/// The anchors that are taken.
struct Anchors {
    taken: HashSet<String>,
    /// For each derived anchor, the number that the next equal one gets.
    next: HashMap<String, usize>,
}

impl Anchors {
    fn new<'a>(given: impl Iterator<Item = &'a str>) -> Self {
        Self { taken: given.map(str::to_owned).collect(), next: HashMap::new() }
    }

    fn derive(&mut self, text: &str) -> String {
        let slug = anchor_slug(text);
        let next = self.next.entry(slug.clone()).or_insert(0);
        loop {
            let anchor = if *next == 0 { slug.clone() } else { format!("{slug}-{next}") };
            *next += 1;
            if self.taken.insert(anchor.clone()) {
                return anchor;
            }
        }
    }
}

/// The anchor of a heading with this text, if no other heading has it; `section` if no character of the text can be in
/// an anchor.
pub fn anchor_slug(text: &str) -> String {
    let kept = text.trim().chars().filter_map(|char| match char {
        char if char.is_whitespace() => Some('-'),
        '-' | '_' => Some(char),
        char if char.is_alphanumeric() || is_combining_mark(char) => Some(char),
        _ => None,
    });
    let slug = kept.collect::<String>().to_lowercase();
    if slug.is_empty() { "section".to_owned() } else { slug }
}

/// The anchor that some tools make where this one has several hyphens in one place, or hyphens at its ends: of `A & B`
/// and of `--verbose`, `a-b` and `verbose`. `None` for other anchors.
pub fn plainer_anchor(anchor: &str) -> Option<String> {
    let words: Vec<&str> = anchor.split('-').filter(|word| !word.is_empty()).collect();
    let plainer = words.join("-");
    (!words.is_empty() && plainer != anchor).then_some(plainer)
}

#[cfg(test)]
mod tests {
    use super::super::arbitrary::documents;
    use super::super::{Expandable, Paragraph, Tabs, TabsItem};
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn heading(text: &str, id: Option<&str>) -> Block {
        let heading = Heading { level: 2, id: id.map(str::to_owned), ..Heading::default() };
        Block::new(Kind::Heading(heading)).with_content(vec![text.into()])
    }

    fn paragraph(text: &str) -> Block {
        Block::new(Kind::Paragraph(Paragraph::default())).with_content(vec![text.into()])
    }

    #[rstest]
    #[case("Getting Started", "getting-started")]
    #[case("  What's new in 2.0?  ", "whats-new-in-20")]
    #[case("a_b - c", "a_b---c")]
    #[case("Überblick", "überblick")]
    #[case("日本語の見出し", "日本語の見出し")]
    #[case("हिन्दी", "हिन्दी")]
    #[case("???", "section")]
    fn an_anchor_is_made_of_the_text(#[case] text: &str, #[case] anchor: &str) {
        assert_eq!(anchor_slug(text), anchor);
    }

    #[rstest]
    #[case("a--b", Some("a-b"))]
    #[case("--a-b-", Some("a-b"))]
    #[case("a-b", None)]
    #[case("--", None)]
    #[case("", None)]
    fn a_plainer_anchor_has_single_hyphens_between_words(#[case] anchor: &str, #[case] plainer: Option<&str>) {
        assert_eq!(plainer_anchor(anchor).as_deref(), plainer);
    }

    #[test]
    fn equal_headings_get_numbers_and_given_ids_win() {
        let blocks = vec![
            heading("Use", None),
            heading("Use", None),
            heading("Use 1", None),
            heading("Use", None),
            heading("Other", Some("use")),
        ];
        let anchors: Vec<String> = Document { blocks }.headings().into_iter().map(|heading| heading.anchor).collect();
        assert_eq!(anchors, ["use-1", "use-2", "use-1-1", "use-3", "use"]);
    }

    #[test]
    fn sections_are_the_text_between_headings_at_any_depth() {
        let tab = Block::new(Kind::TabsItem(Box::new(TabsItem { title: Some("Linux".into()), ..TabsItem::default() })))
            .with_children(vec![heading("Install", None), paragraph("apt")]);
        let tabs = Block::new(Kind::Tabs(Tabs::default())).with_children(vec![tab]);
        let more = Block::new(Kind::Expandable(Expandable::default()))
            .with_content(vec!["More".into()])
            .with_children(vec![paragraph("end")]);
        let document = Document { blocks: vec![paragraph("intro"), tabs, more, heading("Empty", Some("e"))] };
        let section = |anchor: Option<&str>, title: &str, body: &str| Section {
            anchor: anchor.map(str::to_owned),
            title: title.into(),
            body: body.into(),
        };
        assert_eq!(
            document.sections(),
            [
                section(None, "", "intro\nLinux"),
                section(Some("install"), "Install", "apt\nMore\nend"),
                section(Some("e"), "Empty", ""),
            ]
        );
        assert_eq!(Document::empty().sections(), []);
    }

    #[test]
    fn a_heading_that_is_not_named_is_text_of_the_section_around_it() {
        let keyed = |key: &str, block: Block| Block { key: Key(key.into()), ..block };
        let blocks = vec![keyed("a", heading("Own", None)), keyed("b", heading("Foreign", None)), paragraph("text")];
        let own = Document { blocks: vec![blocks[0].clone()] }.headings();
        let body = "Foreign\ntext".to_owned();
        let section = Section { anchor: Some("own".into()), title: "Own".into(), body };
        assert_eq!(Document { blocks }.sections_under(own), [section]);
    }

    proptest! {
        #[test]
        fn derived_anchors_are_unique(texts in proptest::collection::vec("[ab1-]{0,3}", 0..30)) {
            let blocks = texts.iter().map(|text| heading(text, None)).collect();
            let headings = Document { blocks }.headings();
            let anchors: HashSet<&str> = headings.iter().map(|heading| heading.anchor.as_str()).collect();
            prop_assert_eq!(anchors.len(), texts.len());
        }

        #[test]
        fn every_heading_begins_a_section(document in documents()) {
            let headings = document.headings();
            let sections = document.sections();
            let begun: Vec<&str> = sections.iter().filter_map(|section| section.anchor.as_deref()).collect();
            prop_assert_eq!(begun, headings.iter().map(|heading| heading.anchor.as_str()).collect::<Vec<_>>());
        }
    }
}
