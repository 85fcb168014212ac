//! Resolves the addresses in files of a repository.
use super::address::{self, Found, is_elsewhere};
use super::path::{self, is_markdown};
use super::source::SourceTree;
use crate::href::read_by_id;
use crate::markdown::{LinkAt, LinkUse, Links};
use crate::reference::ContentRef;
use values::id::{FileId, PageId, ReusableContentId};

/// The targets in a repository.
pub(crate) trait Targets {
    /// The files.
    fn tree(&self) -> &SourceTree;
    /// The page of a Markdown file.
    fn page(&self, path: &str) -> Option<PageId>;
    /// The file with this path, if it is not a page.
    fn file(&self, path: &str) -> Option<FileId>;
    /// The reusable content of a Markdown file.
    fn content(&self, path: &str) -> Option<ReusableContentId>;
}

/// Resolves the addresses in one file.
pub(crate) struct FileLinks<'a> {
    /// The targets.
    pub targets: &'a dyn Targets,
    /// The file with the addresses.
    pub from: &'a str,
}

impl Links for FileLinks<'_> {
    fn resolve(&self, href: &str, use_: LinkUse) -> Option<ContentRef> {
        let (path, fragment) = match address::find(self.targets.tree(), self.from, href) {
            Found::Elsewhere => return None,
            Found::Nowhere => return read_by_id(href),
            Found::Here { fragment } if use_ == LinkUse::Link => {
                return Some(ContentRef::Anchor { anchor: fragment, page: None, space: None });
            }
            Found::Here { .. } => return None,
            Found::File { path, fragment } => (path, fragment),
        };
        match use_ {
            LinkUse::Include => {
                let reusable_content = self.targets.content(&path)?;
                Some(ContentRef::ReusableContent { reusable_content, space: None })
            }
            LinkUse::Link if is_markdown(&path) => {
                let page = self.targets.page(&path)?;
                Some(match fragment {
                    Some(anchor) => ContentRef::Anchor { anchor, page: Some(page), space: None },
                    None => ContentRef::Page { page, space: None },
                })
            }
            LinkUse::Link | LinkUse::Image | LinkUse::File => {
                Some(ContentRef::File { file: self.targets.file(&path)?, space: None })
            }
        }
    }

    /// Looks for a file relative to this one, then from the root and the folders around, then for its name anywhere.
    fn named(&self, name: &str) -> Option<String> {
        if !name.contains(char::is_alphanumeric) {
            return None;
        }
        let tree = self.targets.tree();
        let relative = path::encode(name);
        let find = |href: &str| match address::find(tree, self.from, href) {
            Found::File { path, .. } => Some(path),
            Found::Elsewhere | Found::Here { .. } | Found::Nowhere => None,
        };
        let found = find(&relative).or_else(|| find(&format!("/{relative}")));
        let found = found.or_else(|| tree.named(name).map(str::to_owned))?;
        Some(address::write(self.from, &found, None))
    }
}

impl FileLinks<'_> {
    /// Whether an address should have been resolved: it is inside the repository.
    pub(crate) fn is_broken(&self, link: &LinkAt) -> bool {
        !link.resolved && !is_elsewhere(&link.href)
    }
}
