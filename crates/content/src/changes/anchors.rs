//! Finds the anchors that headings no longer have.
//!
//! Only anchors that were made from the text of a heading are kept: they change without the writer's notice. An id that
//! a writer removes is gone. Headings of reusable contents are not kept, since each page that includes them has its own
//! anchors for them.
use crate::document::{Block, Document, Key, Kind};
use crate::map::MapChange;
use crate::object::{Hash, Objects, Read, fetch};
use crate::page::PageEntry;
use crate::text_of;
use serde::Serialize;
use std::collections::HashSet;
use values::id::PageId;

/// The maximum number of former anchors of a page.
pub const MAX_FORMER_ANCHORS: usize = 20;
/// The maximum length of a former anchor, in characters. Longer ones are not kept.
pub const MAX_FORMER_ANCHOR: usize = 200;

/// An anchor that a heading of a page had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FormerAnchor {
    /// The anchor, without `#`.
    pub anchor: String,
    /// The key of the heading.
    pub heading: Key,
}

impl FormerAnchor {
    /// The anchors to keep out of all that the headings of a page had, the newest first: at most
    /// [`MAX_FORMER_ANCHORS`], each with the heading that had it last.
    pub fn newest(all: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut seen = HashSet::new();
        all.into_iter().filter(|former| seen.insert(former.anchor.clone())).take(MAX_FORMER_ANCHORS).collect()
    }
}

/// A page whose text differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedText {
    /// The page.
    pub page: PageId,
    /// Its text before.
    pub before: Hash,
    /// Its text after.
    pub after: Hash,
}

impl EditedText {
    /// The pages that have a text both before and after a change, but not the same one. Pages that had a condition are
    /// left out: not everyone who sees them now could see their texts before.
    pub fn all(pages: &[MapChange<PageEntry>]) -> Vec<Self> {
        let edited = |change: &MapChange<PageEntry>| {
            let page = change.before.as_ref().filter(|page| page.condition.as_deref().is_none_or(str::is_empty))?;
            let (before, after) = (page.document()?, change.after.as_ref()?.document()?);
            let page = PageId::try_from(change.key.clone()).ok()?;
            (before != after).then_some(Self { page, before, after })
        };
        pages.iter().filter_map(edited).collect()
    }
}

/// The pages with a heading that lost its anchor, each with the anchors that its headings lost ([`left_anchors`]). All
/// texts are loaded at once.
pub fn pages_with_left_anchors(objects: &dyn Objects, edited: &[EditedText]) -> Read<Vec<(PageId, Vec<FormerAnchor>)>> {
    fetch(objects, edited.iter().flat_map(|text| [text.before, text.after]))?;
    let mut pages = Vec::new();
    for EditedText { page, before, after } in edited {
        let left = left_anchors(&text_of(objects, Some(*before))?, &text_of(objects, Some(*after))?);
        if !left.is_empty() {
            pages.push((page.clone(), left));
        }
    }
    Ok(pages)
}

/// The anchors, made from their texts, that headings have in `before` and no heading has in `after`, in their order.
/// Headings that `after` does not have are left out, and so are those that depended on a condition before, because an
/// anchor tells their text; at most [`MAX_FORMER_ANCHORS`].
pub fn left_anchors(before: &Document, after: &Document) -> Vec<FormerAnchor> {
    let has_id = before.walk().filter(|block| matches!(&block.kind, Kind::Heading(heading) if heading.id.is_some()));
    let has_id: HashSet<&Key> = has_id.map(|block| &block.key).collect();
    let conditional = before.walk().filter(|block| matches!(block.kind, Kind::If(_)));
    let conditional: HashSet<&Key> = conditional.flat_map(Block::walk).map(|block| &block.key).collect();
    let now = after.headings();
    let keys: HashSet<&Key> = now.iter().map(|heading| &heading.key).collect();
    let anchors: HashSet<&str> = now.iter().map(|heading| heading.anchor.as_str()).collect();
    let left = before.headings().into_iter().filter(|heading| {
        !has_id.contains(&heading.key)
            && !conditional.contains(&heading.key)
            && keys.contains(&heading.key)
            && !anchors.contains(heading.anchor.as_str())
            && heading.anchor.chars().count() <= MAX_FORMER_ANCHOR
    });
    left.map(|heading| FormerAnchor { anchor: heading.anchor, heading: heading.key }).take(MAX_FORMER_ANCHORS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::arbitrary::documents;
    use crate::document::{Expandable, Heading, If, Tabs};
    use crate::object::{MemoryObjects, ReadError};
    use crate::order::OrderKey;
    use crate::page::PageKind;
    use chrono::DateTime;
    use proptest::prelude::*;
    use rstest::rstest;
    use std::collections::HashMap;

    fn keyed(key: &str, kind: Kind) -> Block {
        Block { key: Key(key.into()), ..Block::new(kind) }
    }

    /// A heading with its key as text: `a Install` has the key `a`, and `b #own Use` also the id `own`.
    fn heading(line: &str) -> Block {
        let (key, text) = line.split_once(' ').expect("a key and a text");
        let given = text.strip_prefix('#').and_then(|rest| rest.split_once(' '));
        let (id, text) = given.map_or((None, text), |(id, text)| (Some(id.to_owned()), text));
        keyed(key, Kind::Heading(Heading { level: 2, id, ..Heading::default() })).with_content(vec![text.into()])
    }

    fn document(lines: &[&str]) -> Document {
        Document { blocks: lines.iter().map(|line| heading(line)).collect() }
    }

    fn shown(left: &[FormerAnchor]) -> Vec<String> {
        left.iter().map(|former| format!("{} {}", former.heading.0, former.anchor)).collect()
    }

    #[rstest]
    #[case::renamed(&["a Install", "b Use"], &["a Set up", "b Use"], &["a install"])]
    #[case::the_same_anchor(&["a Install"], &["a INSTALL!"], &[])]
    #[case::moved(&["a Install", "b Use"], &["b Use", "a Install"], &[])]
    #[case::removed(&["a Install", "b Use"], &["b Use"], &[])]
    #[case::added(&["a Install"], &["b Use", "a Install"], &[])]
    #[case::taken_by_another(&["a Use", "b Install"], &["a Help", "b Use"], &["b install"])]
    #[case::an_id_was_given(&["a Use"], &["a #own Use"], &["a use"])]
    #[case::the_same_id_was_given(&["a Use"], &["a #use Usage"], &[])]
    #[case::an_id_is_not_kept(&["a #own Use"], &["a Use"], &[])]
    #[case::the_second_of_equal_ones(&["a Use", "b Use"], &["a Use", "b Help"], &["b use-1"])]
    #[case::the_first_of_equal_ones(&["a Use", "b Use"], &["a Help", "b Use"], &["b use-1"])]
    #[case::one_more_before_equal_ones(&["a Use", "b Use"], &["c Use", "a Use", "b Use"], &[])]
    #[case::an_id_that_takes_an_anchor(&["a Use", "b Help"], &["a Use", "b #use Help"], &["b help"])]
    #[case::without_letters(&["a ???"], &["a Why"], &["a section"])]
    fn a_heading_keeps_the_anchors_that_no_other_has(
        #[case] before: &[&str],
        #[case] after: &[&str],
        #[case] expected: &[&str],
    ) {
        assert_eq!(shown(&left_anchors(&document(before), &document(after))), expected);
    }

    #[test]
    fn a_heading_behind_a_condition_leaves_no_anchor() {
        let hidden = |line: &str| keyed("if", Kind::If(If::default())).with_children(vec![heading(line)]);
        let text = |block: Block| Document { blocks: vec![heading("b Use"), block] };
        assert!(left_anchors(&text(hidden("a Secret")), &text(heading("a Public"))).is_empty());
        assert_eq!(shown(&left_anchors(&text(heading("a Public")), &text(hidden("a Secret")))), ["a public"]);
    }

    #[test]
    fn headings_at_any_depth_keep_their_anchors() {
        let text = |lines: [&str; 3]| {
            let [one, two, three] = lines.map(heading);
            let item = keyed("item", Kind::TabsItem(Box::default())).with_children(vec![one]);
            let tabs = keyed("tabs", Kind::Tabs(Tabs::default())).with_children(vec![item]);
            let more = keyed("more", Kind::Expandable(Expandable::default())).with_children(vec![two]);
            Document { blocks: vec![tabs, more, three] }
        };
        let before = text(["a Linux", "b Details", "c End"]);
        let left = left_anchors(&before, &text(["a On Linux", "b More details", "c End"]));
        assert_eq!(shown(&left), ["a linux", "b details"]);
        // A heading that moves out of its container is the same one.
        assert_eq!(shown(&left_anchors(&before, &document(&["a On Linux", "c End"]))), ["a linux"]);
    }

    #[test]
    fn few_anchors_of_a_page_are_kept_and_no_long_ones() {
        let long = format!("x {}", "a".repeat(MAX_FORMER_ANCHOR + 1));
        assert_eq!(left_anchors(&document(&[long.as_str()]), &document(&["x Short"])), []);
        assert_eq!(left_anchors(&document(&[&long[..long.len() - 1]]), &document(&["x Short"])).len(), 1);
        let many = |word: &str| -> Vec<String> { (0..30).map(|at| format!("k{at} {word} {at}")).collect() };
        let all = |lines: &[String]| document(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let left = left_anchors(&all(&many("Part")), &all(&many("Chapter")));
        assert_eq!((left.len(), left[0].anchor.as_str()), (MAX_FORMER_ANCHORS, "part-0"));
    }

    #[test]
    fn the_newest_anchors_win_and_each_is_of_the_heading_that_had_it_last() {
        let former = |anchor: String, heading: &str| FormerAnchor { anchor, heading: Key(heading.into()) };
        let all = (0..60).map(|at| former(format!("a{}", at % 30), if at < 30 { "new" } else { "old" }));
        let newest = FormerAnchor::newest(all);
        let expected: Vec<_> = (0..MAX_FORMER_ANCHORS).map(|at| former(format!("a{at}"), "new")).collect();
        assert_eq!(newest, expected);
    }

    #[test]
    fn only_pages_with_another_text_are_read_and_all_at_once() {
        let mut objects = MemoryObjects::default();
        let [old, new, other] =
            [&["a Install"][..], &["a Set up"], &["b Use"]].map(|lines| objects.insert(document(lines).encode()));
        let page = |document: Option<Hash>| {
            let order = OrderKey::sequence(1).remove(0);
            let entry = PageEntry::new(PageKind::Document { document }, "P", "p", order, DateTime::UNIX_EPOCH);
            Some(Box::new(entry))
        };
        let change = |key: &str, before, after| MapChange { key: key.to_owned(), before, after };
        let condition = Some("visitor.claims.plan == \"pro\"".to_owned());
        let conditional = page(Some(old)).map(|entry| Box::new(PageEntry { condition, ..*entry }));
        let edited = EditedText::all(&[
            change("edited", page(Some(old)), page(Some(new))),
            change("other", page(Some(old)), page(Some(other))),
            change("same", page(Some(old)), page(Some(old))),
            change("emptied", page(Some(old)), page(None)),
            change("added", None, page(Some(new))),
            change("removed", page(Some(old)), None),
            change("conditional", conditional, page(Some(new))),
        ]);
        assert_eq!(edited.iter().map(|text| text.page.as_str()).collect::<Vec<_>>(), ["edited", "other"]);
        let left = pages_with_left_anchors(&objects, &edited).expect("at hand");
        let found: Vec<_> = left.iter().map(|(page, left)| (page.as_str(), shown(left))).collect();
        assert_eq!(found, [("edited", vec!["a install".to_owned()])]);
        let missing = pages_with_left_anchors(&MemoryObjects::default(), &edited);
        assert!(matches!(missing, Err(ReadError::Missing(all)) if all.len() == 3), "one round of reading");
    }

    /// Headings, some of them with an id.
    fn headings() -> impl Strategy<Value = Document> {
        let heading = ("[ab]{1,2}", prop::option::weighted(0.2, "[ab]{1,2}"));
        let block = |(key, (text, id)): (String, (String, Option<String>))| {
            let kind = Kind::Heading(Heading { level: 2, id, ..Heading::default() });
            keyed(&key, kind).with_content(vec![text.as_str().into()])
        };
        let all = prop::collection::btree_map("[k-q]", heading, 0..6);
        let blocks = all.prop_map(move |all| all.into_iter().map(block).collect::<Vec<Block>>());
        blocks.prop_shuffle().prop_map(|blocks| Document { blocks })
    }

    proptest! {
        #[test]
        fn no_anchor_of_a_heading_that_stays_is_lost(before in headings(), after in headings()) {
            let left = left_anchors(&before, &after);
            let now = after.headings();
            for former in &left {
                prop_assert!(now.iter().all(|heading| heading.anchor != former.anchor), "an anchor in use wins");
                prop_assert!(now.iter().any(|heading| heading.key == former.heading), "it leads to a heading");
            }
            for heading in before.headings() {
                let given = before.find(&heading.key).map(|block| block.kind.clone());
                let given = matches!(given, Some(Kind::Heading(Heading { id: Some(_), .. })));
                let stays = now.iter().any(|other| other.key == heading.key);
                let leads = now.iter().any(|other| other.anchor == heading.anchor)
                    || left.iter().any(|former| former.anchor == heading.anchor);
                prop_assert!(given || !stays || leads, "{} is lost", heading.anchor);
            }
        }

        #[test]
        fn after_any_renamings_each_anchor_leads_to_the_heading_that_had_it_last(
            renamings in prop::collection::vec((0usize..3, "[abc]"), 0..30),
        ) {
            let mut texts = ["a", "b", "c"].map(str::to_owned);
            let whole = |texts: &[String; 3]| {
                let lines: Vec<String> = texts.iter().enumerate().map(|(at, text)| format!("k{at} {text}")).collect();
                document(&lines.iter().map(String::as_str).collect::<Vec<_>>())
            };
            let mut had: HashMap<String, Key> = HashMap::new();
            let mut log: Vec<FormerAnchor> = Vec::new();
            for (at, text) in renamings {
                let before = whole(&texts);
                had.extend(before.headings().into_iter().map(|heading| (heading.anchor, heading.key)));
                texts[at] = text;
                let mut left = left_anchors(&before, &whole(&texts));
                left.append(&mut log);
                log = left;
            }
            // Three letters with at most two numbers each: all anchors fit.
            let (now, newest) = (whole(&texts).headings(), FormerAnchor::newest(log));
            for (anchor, key) in had {
                if now.iter().all(|heading| heading.anchor != anchor) {
                    let former = newest.iter().find(|former| former.anchor == anchor);
                    prop_assert_eq!(former.map(|former| &former.heading), Some(&key), "{}", anchor);
                }
            }
        }

        #[test]
        fn a_text_that_stays_leaves_no_anchor(document in documents()) {
            prop_assert_eq!(left_anchors(&document, &document), []);
        }
    }
}
