//! The position of a page among its siblings.
use crate::order::OrderKey;
use crate::snapshot::Sibling;
use values::id::PageId;

/// The key of a page at an index among siblings, which are in order and without the page; and new keys for siblings
/// after it that have the key of the one before them. Concurrent inserts give equal keys, between which there is no
/// other.
pub(super) fn key_at(siblings: &[Sibling], at: usize) -> (OrderKey, Vec<(PageId, OrderKey)>) {
    let (before, after) = siblings.split_at(at.min(siblings.len()));
    let left = before.last().map(|sibling| &sibling.order);
    let tied = after.iter().take_while(|sibling| Some(&sibling.order) == left).count();
    let right = after.get(tied).map(|sibling| &sibling.order);
    let between = |left: Option<&OrderKey>| OrderKey::between(left, right).expect("siblings are in order");
    let key = between(left);
    let mut last = key.clone();
    let tied = after[..tied].iter().map(|sibling| {
        last = between(Some(&last));
        (sibling.page.clone(), last.clone())
    });
    let tied = tied.collect();
    (key, tied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn siblings(keys: &[&str]) -> Vec<Sibling> {
        let sibling = |(at, key): (usize, &&str)| Sibling {
            order: key.parse().expect("a key"),
            page: format!("p{at:03}").parse().expect("an id"),
            slug: String::new(),
        };
        keys.iter().enumerate().map(sibling).collect()
    }

    #[test]
    fn a_place_past_the_end_is_the_end() {
        let (key, moved) = key_at(&siblings(&["A", "B"]), 7);
        assert!(key.as_str() > "B" && moved.is_empty());
        assert_eq!(key_at(&[], 3).1, []);
    }

    proptest! {
        #[test]
        fn a_page_gets_its_position_even_between_equal_keys(
            mut keys in prop::collection::vec("[A-D]", 0..8),
            at in 0_usize..9,
        ) {
            keys.sort();
            let mut siblings = siblings(&keys.iter().map(String::as_str).collect::<Vec<_>>());
            let mut wanted: Vec<PageId> = siblings.iter().map(|sibling| sibling.page.clone()).collect();
            let new: PageId = "new".parse().expect("an id");
            wanted.insert(at.min(wanted.len()), new.clone());
            let ties = keys.len() - keys.iter().collect::<std::collections::BTreeSet<_>>().len();
            let (order, moved) = key_at(&siblings, at);
            prop_assert!(moved.len() <= ties);
            for (page, order) in moved {
                siblings.iter_mut().filter(|sibling| sibling.page == page).for_each(|sibling| sibling.order = order.clone());
            }
            siblings.push(Sibling { order, page: new, slug: String::new() });
            siblings.sort();
            prop_assert_eq!(siblings.into_iter().map(|sibling| sibling.page).collect::<Vec<_>>(), wanted);
        }
    }
}
