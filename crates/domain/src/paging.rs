//! Lists that are returned in pages.

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

/// The requested part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Return items after this key; from the start if absent.
    pub after: Option<String>,
    /// The maximum number of items, 1 to [`MAX_LIMIT`].
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

    /// Returns one page of a list that is wholly in memory, in any order; `None` if the item that the last page ended with
    /// is gone.
    pub fn of_ordered(all: Vec<T>, request: &PageRequest, key: impl Fn(&T) -> String) -> Option<Self> {
        let total = all.len();
        let first = match &request.after {
            Some(after) => all.iter().position(|item| key(item) == *after)? + 1,
            None => 0,
        };
        let rest = all.into_iter().skip(first).take(request.limit + 1).collect();
        Some(Self::from_overfetch(rest, request, total, key))
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

    /// Converts the items and leaves out those without a result. The total stays: the list was already filtered where
    /// it was counted.
    pub fn filter_map<U>(self, f: impl FnMut(T) -> Option<U>) -> Page<U> {
        Page { items: self.items.into_iter().filter_map(f).collect(), total: self.total, next: self.next }
    }

    /// Converts every item.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), total: self.total, next: self.next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
