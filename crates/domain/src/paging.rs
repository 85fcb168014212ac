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
    /// The key of the last item, if more items follow.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Builds a page from up to `limit + 1` rows; the extra row only shows that there are more.
    pub fn from_overfetch(mut rows: Vec<T>, request: &PageRequest, key: impl Fn(&T) -> String) -> Self {
        let more = rows.len() > request.limit;
        rows.truncate(request.limit);
        let next = if more { rows.last().map(key) } else { None };
        Self { items: rows, next }
    }

    /// Returns one page of a list that is wholly in memory. `key` must be strictly increasing along `all`.
    pub fn of_sorted(all: Vec<T>, request: &PageRequest, key: impl Fn(&T) -> String) -> Self {
        let rest = all.into_iter().skip_while(|item| request.after.as_ref().is_some_and(|after| key(item) <= *after));
        Self::from_overfetch(rest.take(request.limit + 1).collect(), request, key)
    }

    /// Converts every item; the first error is returned.
    ///
    /// # Errors
    /// The errors of `f`.
    pub fn try_map<U, E>(self, f: impl FnMut(T) -> Result<U, E>) -> Result<Page<U>, E> {
        Ok(Page { items: self.items.into_iter().map(f).collect::<Result<_, E>>()?, next: self.next })
    }

    /// Converts every item.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), next: self.next }
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
                prop_assert!(page.items.len() <= limit);
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
