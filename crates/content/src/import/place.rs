//! Slugs and order keys of pages.
use super::outline::Place;
use super::path;
use crate::order::OrderKey;
use crate::page::{numbered_slug, slugify};
use std::collections::{HashMap, HashSet};
use values::id::PageId;

/// The default slug of a page: from the name of its file, or of the folder whose page it is; without a file, from its
/// title.
pub(crate) fn default_slug(place: &Place, title: &str) -> String {
    match place {
        Place::Text(file) if path::is_readme(file) => match path::name(path::folder(file)) {
            "" => slugify(title),
            folder => slugify(folder),
        },
        Place::Text(file) => slugify(path::stem(file)),
        Place::Group | Place::Bare | Place::Link(_) | Place::Computed(_) => slugify(title),
    }
}

/// The slugs in use. Like [`free_slug`](crate::page::free_slug), but remembers which numbers are in use, so that
/// thousands of siblings of one name take linear time.
#[derive(Default)]
pub(crate) struct Slugs<'a> {
    taken: HashSet<(Option<&'a PageId>, String)>,
    numbers: HashMap<(Option<&'a PageId>, String), u32>,
}

impl<'a> Slugs<'a> {
    /// A free slug for a page below `parent`.
    pub(crate) fn free(&mut self, parent: Option<&'a PageId>, wanted: String) -> String {
        let mut key = (parent, wanted);
        if !self.taken.contains(&key) {
            return key.1;
        }
        let wanted = key.1.clone();
        let number = self.numbers.entry((parent, wanted.clone())).or_insert(1);
        loop {
            key.1 = numbered_slug(&wanted, *number);
            if !self.taken.contains(&key) {
                return key.1;
            }
            *number += 1;
        }
    }

    /// Marks a slug as taken.
    pub(crate) fn take(&mut self, parent: Option<&'a PageId>, slug: String) {
        self.taken.insert((parent, slug));
    }
}

/// Order keys for siblings, given their previous ones. These stay while they ascend, so a new page between others
/// changes none of them. If most pages are new, all get new keys, because keys between two others grow.
pub(crate) fn order_keys(before: &[Option<OrderKey>]) -> Vec<OrderKey> {
    let known: Vec<&OrderKey> = before.iter().flatten().collect();
    if known.len() * 2 < before.len() || !known.is_sorted_by(|a, b| a < b) {
        return OrderKey::sequence(before.len());
    }
    let mut coming = known.iter().copied().peekable();
    let mut keys: Vec<OrderKey> = Vec::with_capacity(before.len());
    for key in before {
        let next = match key {
            Some(key) => {
                coming.next();
                Ok(key.clone())
            }
            None => OrderKey::between(keys.last(), coming.peek().copied()),
        };
        match next {
            Ok(key) => keys.push(key),
            Err(_) => return OrderKey::sequence(before.len()),
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("guides/install_it.md", "install_it")]
    #[case("guides/README.md", "guides")]
    #[case("README.md", "first-steps")]
    #[case("a/v0.12.md", "v0.12")]
    fn a_slug_follows_from_the_file(#[case] file: &str, #[case] slug: &str) {
        assert_eq!(default_slug(&Place::Text(file.to_owned()), "First steps"), slug);
        assert_eq!(default_slug(&Place::Group, "First steps"), "first-steps");
    }

    #[test]
    fn slugs_of_one_name_are_numbered_as_usual() {
        let mut slugs = Slugs::default();
        slugs.take(None, "a-2".to_owned());
        let mut given = Vec::new();
        for _ in 0..4 {
            given.push(slugs.free(None, "a".to_owned()));
            slugs.take(None, given[given.len() - 1].clone());
        }
        assert_eq!(given, ["a", "a-1", "a-3", "a-4"]);
        let below = "p".parse().expect("an id");
        assert_eq!(slugs.free(Some(&below), "a".to_owned()), "a");
    }

    proptest! {
        #[test]
        fn order_keys_ascend_and_stay_where_they_can(kept in prop::collection::vec(prop::option::of(0usize..50), 0..30)) {
            let all = OrderKey::sequence(50);
            let before: Vec<Option<OrderKey>> = kept.iter().map(|at| at.map(|at| all[at].clone())).collect();
            let keys = order_keys(&before);
            prop_assert_eq!(keys.len(), before.len());
            prop_assert!(keys.is_sorted_by(|a, b| a < b));
            let known = before.iter().flatten().count();
            if known * 2 >= before.len() && before.iter().flatten().is_sorted_by(|a, b| a < b) {
                prop_assert!(before.iter().zip(&keys).all(|(before, key)| before.as_ref().is_none_or(|before| before == key)));
            }
        }
    }
}
