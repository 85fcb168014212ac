//! Lists that are wholly in memory, and lists of one item.
use super::Error;
use crate::paging::{Page, PageRequest};
use crate::text::Invalid;
use std::collections::HashMap;

/// A page of a list, in the order that the list had on the first page.
pub(super) fn paged<T>(all: Vec<T>, page: &PageRequest, id: impl Fn(&T) -> &str) -> Result<Page<T>, Error> {
    let rule = "what the last page ended with is gone: list again from the first page";
    Page::of_movable(all, page, id).ok_or_else(|| Invalid::new("page", rule).into())
}

/// The item of a list of one item.
///
/// # Errors
/// [`Error::Corrupt`] for an empty list, which is a bug.
pub(super) fn only<T>(list: Page<T>) -> Result<T, Error> {
    list.items.into_iter().next().ok_or_else(|| Error::Corrupt("the only item of a list is missing".into()))
}

/// As [`paged`], for a list in which several items can have one id: these are numbered in their order.
pub(super) fn paged_numbered<T>(
    all: impl Iterator<Item = T>,
    page: &PageRequest,
    id: impl Fn(&T) -> String,
) -> Result<Page<T>, Error> {
    let mut count: HashMap<String, usize> = HashMap::new();
    let numbered = all.map(|item| {
        let id = id(&item);
        let number = count.entry(id.clone()).or_default();
        *number += 1;
        (format!("{id}/{number}"), item)
    });
    Ok(paged(numbered.collect(), page, |(id, _): &(String, T)| id.as_str())?.map(|(_, item)| item))
}
