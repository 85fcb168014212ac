//! Anchors of a page. Each belongs to one element.
use domain::content::changes::FormerAnchor;
use domain::content::document::{Key, Outline, plainer_anchor};
use maud::{Markup, PreEscaped, html};
use std::collections::{HashMap, HashSet, VecDeque};

/// Anchors that the page around a text has.
const AROUND: [&str; 6] = ["main", "side", "toc", "find", "comment", "feedback-thanks"];

/// The start of the ids that the scripts give to elements. No text has such an anchor. Those that are made of headings
/// and titles do not begin so.
const OF_SCRIPTS: char = '~';

/// The start of the mark in a heading that is the place of its other anchors. `<` is escaped in texts, so they do not
/// have it.
const MARK: &str = "<other-anchors ";

/// The anchors of a text.
pub(super) struct Anchors<'a> {
    /// Those of headings, by the keys of their blocks. A key is there more than once if a text is included twice.
    headings: HashMap<&'a Key, VecDeque<String>>,
    taken: HashSet<String>,
    /// By requested anchor, the number of the next duplicate.
    next: HashMap<String, usize>,
    /// The prefix of all anchors.
    part: &'a str,
    /// The anchors that headings had.
    former: &'a [FormerAnchor],
    /// The headings with a mark, by its number.
    marked: Vec<Marked<'a>>,
}

/// A heading with other anchors.
struct Marked<'a> {
    /// Its anchor in the form of other tools.
    plainer: Option<String>,
    /// Its key, if it had other anchors.
    former: Option<&'a Key>,
}

impl<'a> Anchors<'a> {
    pub(super) fn new(headings: &'a [Outline], former: &'a [FormerAnchor], part: &'a str) -> Self {
        let taken = AROUND.into_iter().map(str::to_owned).collect();
        let (by_key, next, marked) = (HashMap::new(), HashMap::new(), Vec::new());
        let mut anchors = Self { headings: by_key, taken, next, part, former, marked };
        for heading in headings {
            let anchor = anchors.free(&heading.anchor);
            anchors.headings.entry(&heading.key).or_default().push_back(anchor);
        }
        anchors
    }

    /// The anchor of a heading; `None` if the text does not have the heading, for example since it is in a note.
    pub(super) fn heading(&mut self, key: &Key) -> Option<String> {
        self.headings.get_mut(key)?.pop_front()
    }

    /// The mark for a heading that has other anchors. Which of them are free is known when the whole text is rendered.
    pub(super) fn mark(&mut self, key: &Key, anchor: &str) -> Option<Markup> {
        let plainer = plainer_anchor(anchor.strip_prefix(self.part).unwrap_or(anchor));
        let former = self.former.iter().map(|former| &former.heading).find(|heading| *heading == key);
        if plainer.is_none() && former.is_none() {
            return None;
        }
        self.marked.push(Marked { plainer, former });
        Some(PreEscaped(format!("{MARK}{}>", self.marked.len() - 1)))
    }

    /// Replaces the marks in the whole text by empty elements, one for each other anchor that no element has. Those of
    /// present headings take precedence over former ones.
    pub(super) fn with_others(&mut self, html: String) -> String {
        if self.marked.is_empty() {
            return html;
        }
        let (marked, all_former) = (std::mem::take(&mut self.marked), self.former);
        let plainer: Vec<Option<String>> =
            marked.iter().map(|heading| heading.plainer.as_deref().and_then(|anchor| self.exact(anchor))).collect();
        let mut parts = html.split(MARK);
        let mut whole = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (number, rest) = part.split_once('>').unwrap_or_default();
            let number = number.parse().unwrap_or(usize::MAX);
            let key = marked.get(number).and_then(|heading| heading.former);
            let former = all_former.iter().filter(|former| Some(&former.heading) == key);
            let former: Vec<String> = former.filter_map(|former| self.exact(&former.anchor)).collect();
            for anchor in plainer.get(number).into_iter().flatten().chain(&former) {
                whole.push_str(&html! { span id=(anchor) {} }.into_string());
            }
            whole.push_str(rest);
        }
        whole
    }

    /// This anchor, if no element has it yet.
    pub(super) fn exact(&mut self, wanted: &str) -> Option<String> {
        if wanted.starts_with(OF_SCRIPTS) {
            return None;
        }
        let anchor = format!("{}{wanted}", self.part);
        self.taken.insert(anchor.clone()).then_some(anchor)
    }

    /// A unique anchor: this one, or this one with a number. It has no blanks.
    pub(super) fn free(&mut self, wanted: &str) -> String {
        let is_dropped = |char: char| char == OF_SCRIPTS || char.is_whitespace();
        let words: Vec<&str> = wanted.trim_start_matches(is_dropped).split_whitespace().collect();
        let wanted = if words.is_empty() { "section".to_owned() } else { words.join("-") };
        let wanted = format!("{}{wanted}", self.part);
        if self.taken.insert(wanted.clone()) {
            return wanted;
        }
        loop {
            let next = self.next.entry(wanted.clone()).or_insert(0);
            *next += 1;
            let anchor = format!("{wanted}-{next}");
            if self.taken.insert(anchor.clone()) {
                return anchor;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(key: &str, anchor: &str) -> Outline {
        Outline { key: Key(key.into()), level: 2, text: String::new(), anchor: anchor.to_owned() }
    }

    #[test]
    fn each_anchor_is_of_one_element() {
        let headings = [heading("a", "x"), heading("b", "x"), heading("a", "y"), heading("c", "main")];
        let mut anchors = Anchors::new(&headings, &[], "");
        assert_eq!(anchors.heading(&Key("a".into())).as_deref(), Some("x"));
        assert_eq!(anchors.heading(&Key("a".into())).as_deref(), Some("y"));
        assert_eq!(anchors.heading(&Key("a".into())), None);
        assert_eq!(anchors.heading(&Key("b".into())).as_deref(), Some("x-1"));
        assert_eq!(anchors.heading(&Key("c".into())).as_deref(), Some("main-1"));
        assert_eq!(anchors.free("x"), "x-2");
        assert_eq!(anchors.free(" two words "), "two-words");
        assert_eq!(anchors.free(" "), "section");
        assert_eq!(anchors.exact("old").as_deref(), Some("old"));
        assert_eq!((anchors.exact("old"), anchors.exact("x"), anchors.exact("main")), (None, None, None));
        let mut anchors = Anchors::new(&headings, &[], "p2-");
        assert_eq!(anchors.heading(&Key("c".into())).as_deref(), Some("p2-main"));
        assert_eq!(anchors.free("x"), "p2-x-2");
    }

    #[test]
    fn no_text_has_the_ids_of_scripts() {
        let headings = [heading("a", "~found"), heading("b", "rings")];
        let former = [FormerAnchor { anchor: "~tab0-0".to_owned(), heading: Key("a".into()) }];
        let mut anchors = Anchors::new(&headings, &former, "");
        assert_eq!(anchors.heading(&Key("a".into())).as_deref(), Some("found"));
        assert_eq!(anchors.heading(&Key("b".into())).as_deref(), Some("rings"));
        assert_eq!((anchors.free("~ ~option-1"), anchors.free("~")), ("option-1".to_owned(), "section".to_owned()));
        assert_eq!(anchors.exact("~found"), None);
        let mark = anchors.mark(&Key("a".into()), "found").expect("a mark").into_string();
        assert_eq!(anchors.with_others(mark), "");
    }

    #[test]
    fn former_anchors_are_in_the_places_of_their_headings_unless_they_are_taken() {
        let headings = [heading("a", "x"), heading("b", "y")];
        let former = |key: &str, anchor: &str| FormerAnchor { anchor: anchor.to_owned(), heading: Key(key.into()) };
        let all = [former("b", "one"), former("a", "one"), former("a", "y"), former("b", "later"), former("a", "<")];
        let mut anchors = Anchors::new(&headings, &all, "");
        let mark = |anchors: &mut Anchors<'_>, key: &str| anchors.mark(&Key(key.into()), "x").map(Markup::into_string);
        let [a, b] = ["a", "b"].map(|key| mark(&mut anchors, key).expect("a mark"));
        assert_eq!(mark(&mut anchors, "c"), None);
        assert_eq!(anchors.free("later"), "later");
        let html = anchors.with_others(format!("<h2>{b}B</h2><h2>{a}A</h2>"));
        assert_eq!(html, "<h2><span id=\"one\"></span>B</h2><h2><span id=\"&lt;\"></span>A</h2>");
        let mut anchors = Anchors::new(&headings, &all, "p2-");
        let a = mark(&mut anchors, "a").expect("a mark");
        assert_eq!(anchors.with_others(a), "<span id=\"p2-one\"></span><span id=\"p2-&lt;\"></span>");
    }
}
