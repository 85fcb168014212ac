//! Lists that are returned in pages.
use std::collections::HashMap;

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Oldest or smallest first.
    Asc,
    /// Newest or largest first.
    #[default]
    Desc,
}

/// The maximum number of items of a list in one response.
pub const MAX_LIMIT: usize = 1000;
/// The number of items if the caller sets no limit.
pub const DEFAULT_LIMIT: usize = 100;
/// The most remaining items that a page key can name ([`Page::of_movable`]).
const NAMED: usize = 400;
/// The first character of a page key that names items. No id begins with it.
const NAMES: char = '~';

/// The requested part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Return items after this key; from the start if absent.
    pub after: Option<String>,
    /// The maximum number of items, 0 to [`MAX_LIMIT`]. With 0, no page follows: the caller wants only the total.
    pub limit: usize,
    /// The order.
    pub order: Order,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { after: None, limit: DEFAULT_LIMIT, order: Order::Asc }
    }
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// The number of items of the whole list.
    pub total: usize,
    /// The key of the last item, if more items follow.
    pub next: Option<String>,
}

/// A page of an empty list.
impl<T> Default for Page<T> {
    fn default() -> Self {
        Self { items: Vec::new(), total: 0, next: None }
    }
}

/// A list that fits on one page.
impl<T> From<Vec<T>> for Page<T> {
    fn from(items: Vec<T>) -> Self {
        Self { total: items.len(), items, next: None }
    }
}

impl<T> Page<T> {
    /// Builds a page of a list of `total` items from up to `limit + 1` rows; the extra row only shows that there are
    /// more.
    pub fn from_overfetch(mut rows: Vec<T>, request: &PageRequest, total: usize, key: impl Fn(&T) -> String) -> Self {
        let more = rows.len() > request.limit;
        rows.truncate(request.limit);
        let next = if more { rows.last().map(key) } else { None };
        Self { items: rows, total, next }
    }

    /// Returns one page of a list that is wholly in memory. `key` must be strictly increasing along `all`, or strictly
    /// decreasing if the request has [`Order::Desc`].
    pub fn of_sorted(all: Vec<T>, request: &PageRequest, key: impl Fn(&T) -> String) -> Self {
        let total = all.len();
        let seen = |item: &T, after: &String| match request.order {
            Order::Asc => key(item) <= *after,
            Order::Desc => key(item) >= *after,
        };
        let rest = all.into_iter().skip_while(|item| request.after.as_ref().is_some_and(|after| seen(item, after)));
        Self::from_overfetch(rest.take(request.limit + 1).collect(), request, total, key)
    }

    /// Returns one page of a list that is wholly in memory, in any order; `None` if the last item of the previous page
    /// no longer exists.
    pub fn of_ordered(all: Vec<T>, request: &PageRequest, key: impl Fn(&T) -> String) -> Option<Self> {
        let total = all.len();
        let first = match &request.after {
            Some(after) => all.iter().position(|item| key(item) == *after)? + 1,
            None => 0,
        };
        let rest = all.into_iter().skip(first).take(request.limit + 1).collect();
        Some(Self::from_overfetch(rest, request, total, key))
    }

    /// Returns one page of a list that is in memory. Later pages keep the order of the first page, because the page key
    /// contains hashes of the ids of the remaining items. So every item is on exactly one page, even if it is moved in
    /// the meantime; items that are added later are on none.
    ///
    /// While more than 400 items remain, a page begins after the current position of the previous page's last item;
    /// `None` if that item no longer exists.
    pub fn of_movable(all: Vec<T>, request: &PageRequest, id: impl Fn(&T) -> &str) -> Option<Self> {
        let Some(names) = request.after.as_deref().and_then(|after| after.strip_prefix(NAMES)) else {
            let total = all.len();
            let first = match &request.after {
                Some(after) => all.iter().position(|item| id(item) == after)? + 1,
                None => 0,
            };
            return Some(Self::of_rest(all.into_iter().skip(first).collect(), request, total, id));
        };
        let total = all.len();
        let mut wanted: HashMap<&str, usize> = names.split(' ').enumerate().map(|(at, name)| (name, at)).collect();
        let mut rest: Vec<(usize, T)> = Vec::with_capacity(wanted.len());
        // From the end, since the last pages of most lists have its last items: the names of the others are not needed.
        let mut items = all.into_iter().rev();
        while !wanted.is_empty()
            && let Some(item) = items.next()
        {
            rest.extend(wanted.remove(name(id(&item)).as_str()).map(|at| (at, item)));
        }
        rest.sort_unstable_by_key(|(at, _)| *at);
        Some(Self::of_rest(rest.into_iter().map(|(_, item)| item).collect(), request, total, id))
    }

    /// The page that begins with the first of these items.
    fn of_rest(mut rest: Vec<T>, request: &PageRequest, total: usize, id: impl Fn(&T) -> &str) -> Self {
        let left = rest.split_off(request.limit.min(rest.len()));
        let next = match left.len() {
            count if count == 0 || rest.is_empty() => None,
            1..=NAMED => {
                let names: Vec<String> = left.iter().map(|item| name(id(item))).collect();
                Some(format!("{NAMES}{}", names.join(" ")))
            }
            _ => rest.last().map(|item| id(item).to_owned()),
        };
        Self { items: rest, total, next }
    }

    /// The same page with references to its items.
    pub fn as_ref(&self) -> Page<&T> {
        Page { items: self.items.iter().collect(), total: self.total, next: self.next.clone() }
    }

    /// Converts every item; the first error is returned.
    ///
    /// # Errors
    /// The errors of `f`.
    pub fn try_map<U, E>(self, f: impl FnMut(T) -> Result<U, E>) -> Result<Page<U>, E> {
        let items = self.items.into_iter().map(f).collect::<Result<_, E>>()?;
        Ok(Page { items, total: self.total, next: self.next })
    }

    /// Converts the items and leaves out those without a result. The total stays: it was counted with the same filter.
    pub fn filter_map<U>(self, f: impl FnMut(T) -> Option<U>) -> Page<U> {
        Page { items: self.items.into_iter().filter_map(f).collect(), total: self.total, next: self.next }
    }

    /// Converts every item.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), total: self.total, next: self.next }
    }
}

/// A short hash of an id, for a page key.
fn name(id: &str) -> String {
    blake3::hash(id.as_bytes()).to_hex().chars().take(12).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ids(count: usize) -> Vec<String> {
        (0..count).map(|n| format!("{n:03}")).collect()
    }

    /// All items of a list that `change` changes after each page.
    fn walk(mut all: Vec<String>, limit: usize, mut change: impl FnMut(&mut Vec<String>)) -> Option<Vec<String>> {
        let mut request = PageRequest { limit, ..PageRequest::default() };
        let mut seen = Vec::new();
        loop {
            let page = Page::of_movable(all.clone(), &request, String::as_str)?;
            seen.extend(page.items);
            change(&mut all);
            match page.next {
                Some(next) => request.after = Some(next),
                None => return Some(seen),
            }
        }
    }

    proptest! {
        #[test]
        fn a_list_whose_items_move_between_pages_has_each_item_once(
            length in 0usize..50,
            limit in 1usize..20,
            moves in proptest::collection::vec((0usize..50, 0usize..50), 1..4),
        ) {
            let seen = walk(ids(length), limit, |all| {
                for (from, to) in moves.iter().filter(|(from, to)| *from < length && *to < length) {
                    let moved = all.remove(*from);
                    all.insert(*to, moved);
                }
            });
            prop_assert_eq!(seen, Some(ids(length)));
        }
    }

    #[test]
    fn removed_items_are_left_out_and_new_ones_belong_to_the_next_walk() {
        let seen = walk(ids(6), 2, |all| {
            all.retain(|id| id != "001" && id != "004");
            all.push("new".to_owned());
        });
        assert_eq!(seen.unwrap(), ["000", "001", "002", "003", "005"]);
    }

    #[test]
    fn a_long_list_is_walked_once_and_its_keys_stay_short() {
        let all: Vec<String> = (0..1000).map(|n| format!("{n:04}")).collect();
        assert_eq!(walk(all.clone(), 70, |_| ()), Some(all.clone()));
        for limit in [1, 599, 600, 999] {
            let request = PageRequest { limit, ..PageRequest::default() };
            let next = Page::of_movable(all.clone(), &request, String::as_str).unwrap().next.unwrap();
            assert!(next.len() <= 13 * NAMED, "{limit}: {}", next.len());
        }
        let gone = walk(all, 500, |all| drop(all.drain(..500)));
        assert_eq!(gone, None, "the last item of the first page is gone");
    }

    #[test]
    fn with_a_limit_of_zero_a_page_has_only_the_total() {
        let none = PageRequest { limit: 0, ..PageRequest::default() };
        for length in [0, 1, NAMED, NAMED + 1] {
            let expected = Page { items: Vec::new(), total: length, next: None };
            let first = ids(length.min(1));
            assert_eq!(Page::from_overfetch(first, &none, length, Clone::clone), expected, "{length}");
            assert_eq!(Page::of_sorted(ids(length), &none, Clone::clone), expected, "{length}");
            assert_eq!(Page::of_movable(ids(length), &none, String::as_str), Some(expected), "{length}");
        }
    }

    proptest! {
        #[test]
        fn following_the_pages_gives_the_whole_list_once(length in 0usize..50, limit in 1usize..20) {
            let all: Vec<String> = (0..length).map(|n| format!("{n:03}")).collect();
            let mut request = PageRequest { limit, ..PageRequest::default() };
            let mut seen = Vec::new();
            loop {
                let page = Page::of_sorted(all.clone(), &request, Clone::clone);
                let ordered = Page::of_ordered(all.clone(), &request, Clone::clone);
                prop_assert_eq!(ordered.as_ref(), Some(&page));
                prop_assert!(page.items.len() <= limit);
                prop_assert_eq!(page.total, length);
                seen.extend(page.items);
                match page.next {
                    Some(next) => request.after = Some(next),
                    None => break,
                }
            }
            prop_assert_eq!(seen, all);
        }
    }
}
