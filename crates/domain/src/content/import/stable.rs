//! Addresses by id, for what has no file in a repository: other spaces, people, specifications, and pages that are gone.
use crate::content::reference::ContentRef;
use crate::id::SpaceId;

/// The address of a reference by ids; `None` for [`ContentRef::Url`], which is its own.
pub(crate) fn write(target: &ContentRef) -> Option<String> {
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
        ContentRef::Openapi { spec } => format!("/openapi/{spec}"),
    })
}

/// The reference that an address by ids stands for.
pub(crate) fn read(href: &str) -> Option<ContentRef> {
    let (path, anchor) = href.split_once('#').map_or((href, None), |(path, anchor)| (path, Some(anchor)));
    let names: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    let (space, names) = match names[..] {
        ["spaces", space] if anchor.is_none() => return Some(ContentRef::Space { space: space.parse().ok()? }),
        ["spaces", space, ..] => (Some(space.parse().ok()?), &names[2..]),
        _ => (None, &names[..]),
    };
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
        ("openapi", None) if space.is_none() && !name.is_empty() => ContentRef::Openapi { spec: name.to_owned() },
        _ => return None,
    };
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

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
        let target = read(address).expect("a reference");
        assert_eq!(write(&target).as_deref(), Some(address));
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
        assert_eq!(read(address), None);
    }
}
