//! Anchors of a page. Each belongs to one element.
use domain::content::document::{Key, Outline};
use std::collections::{HashMap, HashSet, VecDeque};

/// Anchors that the page around a text has.
const AROUND: [&str; 6] = ["main", "side", "toc", "find", "comment", "feedback-thanks"];

/// The anchors of a text.
pub(super) struct Anchors<'a> {
    /// Those of headings, by the keys of their blocks. A key is there more than once if a text is included twice.
    headings: HashMap<&'a Key, VecDeque<String>>,
    taken: HashSet<String>,
    /// By requested anchor, the number of the next duplicate.
    next: HashMap<String, usize>,
    /// The prefix of all anchors.
    part: &'a str,
}

impl<'a> Anchors<'a> {
    pub(super) fn new(headings: &'a [Outline], part: &'a str) -> Self {
        let taken = AROUND.into_iter().map(str::to_owned).collect();
        let mut anchors = Self { headings: HashMap::new(), taken, next: HashMap::new(), part };
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

    /// A unique anchor: this one, or this one with a number. It has no blanks.
    pub(super) fn free(&mut self, wanted: &str) -> String {
        let words: Vec<&str> = wanted.split_whitespace().collect();
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
        let mut anchors = Anchors::new(&headings, "");
        assert_eq!(anchors.heading(&Key("a".into())).as_deref(), Some("x"));
        assert_eq!(anchors.heading(&Key("a".into())).as_deref(), Some("y"));
        assert_eq!(anchors.heading(&Key("a".into())), None);
        assert_eq!(anchors.heading(&Key("b".into())).as_deref(), Some("x-1"));
        assert_eq!(anchors.heading(&Key("c".into())).as_deref(), Some("main-1"));
        assert_eq!(anchors.free("x"), "x-2");
        assert_eq!(anchors.free(" two words "), "two-words");
        assert_eq!(anchors.free(" "), "section");
        let mut anchors = Anchors::new(&headings, "p2-");
        assert_eq!(anchors.heading(&Key("c".into())).as_deref(), Some("p2-main"));
        assert_eq!(anchors.free("x"), "p2-x-2");
    }
}
