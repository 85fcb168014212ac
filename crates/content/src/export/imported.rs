//! Recognizes content that is still as it was imported, by the digests of its import.
use super::Exporting;
use super::layout::Layout;
use crate::document::Document;
use crate::import::digest::{self, Places, Reading};
use crate::import::text::words;
use crate::object::{Objects, Read};
use crate::page::{PageEntry, ReusableContent};
use crate::reference::ContentRef;
use crate::text_of;
use crate::tree::Node;

/// How the next import comes to a file.
#[derive(Clone, Copy)]
pub(super) enum Found {
    /// The table of contents names it, with the title of the page.
    Listed,
    /// A page links to it. It becomes a hidden page.
    Linked,
    /// By its folder, without a title.
    InFolder,
}

impl Exporting<'_> {
    /// Whether an import made this page, as it is now, of its source.
    pub(super) fn is_as_imported(&self, objects: &dyn Objects, node: &Node, path: &str, found: Found) -> Read<bool> {
        let page = &node.page;
        let Some(wanted) = page.import_digest else { return Ok(false) };
        // A title with other white space would be written into the file.
        if words(&page.title) != page.title {
            return Ok(false);
        }
        let places = places(&self.layout, Some(page), text_of(objects, page.document())?);
        // The slug is written into the file if the place of the page does not imply it.
        let implied = (!self.slugs.contains_key(&node.id)).then_some(None);
        let slugs = implied.into_iter().chain([Some(page.slug.as_str())]);
        let alone: &[bool] = if matches!(found, Found::Listed) { &[false, true] } else { &[true] };
        let shown = matches!(found, Found::Linked).then(|| PageEntry { hidden: false, ..page.clone() });
        let pages = || shown.iter().chain([page]);
        Ok(slugs
            .flat_map(|slug| alone.iter().map(move |alone| Reading { path, slug, alone: *alone }))
            .any(|reading| pages().any(|page| digest::of_page(page, reading, &places) == wanted)))
    }
}

/// Whether an import made this reusable content, as it is now, of its source.
pub(super) fn is_content_as_imported(layout: &Layout, content: &ReusableContent, path: &str, text: &Document) -> bool {
    let Some(wanted) = content.import_digest else { return false };
    digest::of_content(content, path, &places(layout, None, text.clone())) == wanted
}

fn places(layout: &Layout, page: Option<&PageEntry>, mut document: Document) -> Places {
    let path_of = |target: &ContentRef| layout.path_of(target).map(str::to_owned);
    digest::places(page, &mut document, &path_of)
}
