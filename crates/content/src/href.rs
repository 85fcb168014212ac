//! How references are written as addresses in Markdown: by id, or, for the pages of one revision, relative to each
//! other.
use crate::import::path;
use crate::markdown::{Hrefs, LinkUse, Links};
use crate::object::{Objects, Read, together};
use crate::reference::ContentRef;
use crate::snapshot::Snapshot;
use std::collections::{BTreeSet, HashMap};
use values::id::{PageId, SpaceId};
use values::words;

words! {
    /// The form of addresses in Markdown.
    #[derive(Default)]
    pub enum Form {
        /// Pages relative to the page that is read, as files: `../guides/install.md`.
        #[default]
        Relative = "relative",
        /// Pages by id, which survive moves: `/pages/<id>`.
        Stable = "stable",
    }
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

/// Writes and reads addresses that contain ids ([`Form::Stable`]), without looking up their targets.
#[derive(Clone, Copy, Debug)]
pub struct ById;

impl Hrefs for ById {
    fn href(&self, target: &ContentRef) -> Option<String> {
        by_id(target)
    }
}

/// For texts that belong to no page: only an address with an id has a target.
impl Links for ById {
    fn resolve(&self, href: &str, use_: LinkUse) -> Option<ContentRef> {
        read_by_id(href).filter(|target| use_.fits(target))
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
    if let ContentRef::Url { url } = target {
        return Some(url.clone());
    }
    let Some(path) = page_here(target).and_then(|page| paths.get(page)) else { return by_id(target) };
    let way = relative(from, path);
    Some(match target {
        ContentRef::Anchor { anchor, .. } => format!("{way}#{anchor}"),
        _ => way,
    })
}

/// The relative path from the file of one page to the file of another; both are given by the path of their page.
pub fn relative(from: &str, to: &str) -> String {
    path::relative(path::folder(from), &format!("{to}.md"))
}

/// The address of a reference by ids; `None` for [`ContentRef::Url`], which is an address already.
pub fn by_id(target: &ContentRef) -> Option<String> {
    let inside = |space: &Option<SpaceId>, rest: String| match space {
        None => rest,
        Some(space) => format!("/spaces/{space}{rest}"),
    };
    Some(match target {
        ContentRef::Url { .. } => return None,
        ContentRef::Page { page, space } => inside(space, format!("/pages/{page}")),
        ContentRef::Anchor { anchor, page: Some(page), space } => inside(space, format!("/pages/{page}#{anchor}")),
        ContentRef::Anchor { anchor, page: None, .. } => format!("#{anchor}"),
        ContentRef::File { file, space } => inside(space, format!("/files/{file}")),
        ContentRef::ReusableContent { reusable_content, space } => {
            inside(space, format!("/reusable-contents/{reusable_content}"))
        }
        ContentRef::Tag { tag, space } => inside(space, format!("/tags/{tag}")),
        ContentRef::Space { space } => format!("/spaces/{space}"),
        ContentRef::Collection { collection } => format!("/collections/{collection}"),
        ContentRef::User { user } => format!("/users/{user}"),
        ContentRef::Openapi { spec, version: None } => format!("/openapi/{spec}"),
        ContentRef::Openapi { spec, version: Some(version) } => format!("/openapi/{spec}/versions/{version}"),
    })
}

/// Parses an address by ids.
pub(crate) fn read_by_id(href: &str) -> Option<ContentRef> {
    let (path, anchor) = href.split_once('#').map_or((href, None), |(path, anchor)| (path, Some(anchor)));
    if let Some((path, _)) = path.split_once('?') {
        // Only the address of a page can have a query, which is not part of the reference.
        let without = anchor.map_or_else(|| path.to_owned(), |anchor| format!("{path}#{anchor}"));
        return read_by_id(&without).filter(ContentRef::is_page);
    }
    let names: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    let (space, names) = match names[..] {
        ["spaces", space] if anchor.is_none() => return Some(ContentRef::Space { space: space.parse().ok()? }),
        ["spaces", space, ..] => (Some(space.parse().ok()?), &names[2..]),
        _ => (None, &names[..]),
    };
    if let (["openapi", spec, "versions", version], None, None) = (names, anchor, &space)
        && ![spec, version].iter().any(|name| name.is_empty())
    {
        return Some(ContentRef::Openapi { spec: (*spec).to_owned(), version: Some((*version).to_owned()) });
    }
    let &[kind, name] = names else { return None };
    let target = match (kind, anchor) {
        ("pages", Some(anchor)) => {
            let page = Some(name.parse().ok()?);
            return Some(ContentRef::Anchor { anchor: anchor.to_owned(), page, space });
        }
        (_, Some(_)) => return None,
        ("pages", None) => ContentRef::Page { page: name.parse().ok()?, space },
        ("files", None) => ContentRef::File { file: name.parse().ok()?, space },
        ("reusable-contents", None) => ContentRef::ReusableContent { reusable_content: name.parse().ok()?, space },
        ("tags", None) if !name.is_empty() => ContentRef::Tag { tag: name.to_owned(), space },
        ("collections", None) if space.is_none() => ContentRef::Collection { collection: name.parse().ok()? },
        ("users", None) if space.is_none() => ContentRef::User { user: name.parse().ok()? },
        ("openapi", None) if space.is_none() && !name.is_empty() => {
            ContentRef::Openapi { spec: name.to_owned(), version: None }
        }
        _ => return None,
    };
    Some(target)
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

    #[rstest]
    #[case("/pages/p1")]
    #[case("/pages/p1#part")]
    #[case("/spaces/s1/pages/p1#part")]
    #[case("/spaces/s1/files/f1")]
    #[case("/spaces/s1")]
    #[case("/reusable-contents/r1")]
    #[case("/tags/new")]
    #[case("/users/u1")]
    #[case("/collections/c1")]
    #[case("/openapi/petstore")]
    fn an_address_by_ids_reads_back(#[case] address: &str) {
        let target = read_by_id(address).expect("a reference");
        assert_eq!(by_id(&target).as_deref(), Some(address));
    }

    #[rstest]
    #[case("/pages")]
    #[case("/pages/a/b")]
    #[case("/pages/é")]
    #[case("pages/p1")]
    #[case("/spaces/s1/users/u1")]
    #[case("/guides/install")]
    #[case("/files/f#x")]
    fn other_addresses_are_none(#[case] address: &str) {
        assert_eq!(read_by_id(address), None);
    }
}
