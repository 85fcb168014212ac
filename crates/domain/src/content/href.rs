//! How references inside a revision are written as addresses in Markdown.
use crate::content::markdown::Hrefs;
use crate::content::object::{Objects, Read, together};
use crate::content::reference::ContentRef;
use crate::content::snapshot::Snapshot;
use crate::id::PageId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// The form of addresses (contract.md 1.11, `format.markdown.refs`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Pages relative to the page that is read, as files: `../guides/install.md`.
    #[default]
    Relative,
    /// Pages by id, which survive moves: `/pages/<id>`.
    Stable,
}

/// Addresses of what one page refers to.
#[derive(Clone, Debug, Default)]
pub struct Addresses(HashMap<ContentRef, String>);

impl Addresses {
    /// Finds the addresses of `targets`, as written on the page with the path `from`.
    pub fn find<'a>(
        objects: &dyn Objects,
        snapshot: &Snapshot,
        from: &str,
        form: Form,
        targets: impl IntoIterator<Item = &'a ContentRef>,
    ) -> Read<Self> {
        let targets: BTreeSet<&ContentRef> = targets.into_iter().collect();
        let paths = match form {
            Form::Stable => HashMap::new(),
            Form::Relative => {
                let pages: Vec<&PageId> = targets.iter().filter_map(|target| page_here(target)).collect();
                let paths = together(pages.iter().map(|id| snapshot.path(objects, id)))?;
                pages.into_iter().zip(paths).filter_map(|(id, path)| Some((id, path?))).collect()
            }
        };
        let written = targets.into_iter().filter_map(|target| Some((target.clone(), address(target, from, &paths)?)));
        Ok(Self(written.collect()))
    }

    /// The address of a reference, where it has one.
    pub fn get(&self, target: &ContentRef) -> Option<&str> {
        self.0.get(target).map(String::as_str)
    }
}

impl Hrefs for Addresses {
    fn href(&self, target: &ContentRef) -> Option<String> {
        self.get(target).map(str::to_owned)
    }
}

/// The page of the same space that a reference is about.
fn page_here(target: &ContentRef) -> Option<&PageId> {
    match target {
        ContentRef::Page { page, space: None } | ContentRef::Anchor { page: Some(page), space: None, .. } => Some(page),
        _ => None,
    }
}

fn address(target: &ContentRef, from: &str, paths: &HashMap<&PageId, String>) -> Option<String> {
    let in_space = |space: &Option<_>, rest: String| match space {
        None => rest,
        Some(space) => format!("/spaces/{space}{rest}"),
    };
    let page_address = |page: &PageId, space: &Option<crate::id::SpaceId>| match (space, paths.get(page)) {
        (None, Some(path)) => relative(from, path),
        _ => in_space(space, format!("/pages/{page}")),
    };
    Some(match target {
        ContentRef::Url { url } => url.clone(),
        ContentRef::Page { page, space } => page_address(page, space),
        ContentRef::Anchor { anchor, page: Some(page), space } => format!("{}#{anchor}", page_address(page, space)),
        ContentRef::Anchor { anchor, page: None, .. } => format!("#{anchor}"),
        ContentRef::File { file, space } => in_space(space, format!("/files/{file}")),
        ContentRef::ReusableContent { reusable_content, space } => {
            in_space(space, format!("/reusable-contents/{reusable_content}"))
        }
        ContentRef::Space { space } => format!("/spaces/{space}"),
        ContentRef::Collection { collection } => format!("/collections/{collection}"),
        ContentRef::User { user } => format!("/users/{user}"),
        ContentRef::Tag { tag, space } => in_space(space, format!("/tags/{tag}")),
        ContentRef::Openapi { spec } => format!("/openapi/{spec}"),
    })
}

/// The way from the file of one page to the file of another, both given by the path of their page.
pub fn relative(from: &str, to: &str) -> String {
    let folder: Vec<&str> = from.split('/').collect();
    let folder = &folder[..folder.len() - 1];
    let target: Vec<&str> = to.split('/').collect();
    let shared = folder.iter().zip(&target[..target.len() - 1]).take_while(|(a, b)| a == b).count();
    let mut way = "../".repeat(folder.len() - shared);
    way.push_str(&target[shared..].join("/"));
    way.push_str(".md");
    way
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("a", "b", "b.md")]
    #[case("a/b", "a/c", "c.md")]
    #[case("a/b", "c", "../c.md")]
    #[case("a", "a/b", "a/b.md")]
    #[case("a/b/c", "a/d/e", "../d/e.md")]
    #[case("a/b", "a", "../a.md")]
    fn the_way_between_two_pages_is_the_shortest(#[case] from: &str, #[case] to: &str, #[case] way: &str) {
        assert_eq!(relative(from, to), way);
    }
}
