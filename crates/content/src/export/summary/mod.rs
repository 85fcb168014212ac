//! The table of contents: as it was imported, with only the lines of changed pages written again.
//!
//! A text is right if an import of it gives the pages that there are, in their places. The imported text is kept while
//! it is right. Otherwise, the lines that still fit their pages are kept, and the others are written again. If the
//! result is not right, the whole text is written.
mod described;
mod lines;
mod listing;
mod made;
mod pairs;

pub(super) use described::{described, has_comments};
pub(super) use listing::{Kept, Listing};

use crate::import::outline::Entry;

/// The table of contents. `kept` is the imported one, if there was one.
pub(super) fn write(listing: &Listing<'_>, kept: Option<&Kept>) -> String {
    let made = || made::write(listing.content, listing.layout, listing.unlisted, listing.place);
    let Some((text, kept)) = listing.content.repository.summary.as_deref().zip(kept) else { return made() };
    if listing.is_right(kept.entries()) {
        return text.to_owned();
    }
    let made = made();
    let wanted = listing.read(&made);
    // Some values, such as very long titles, are cut by an import of any text.
    let fits = |entries: &[Entry]| listing.is_right(entries) || listing.are_alike(entries, wanted.entries());
    if fits(kept.entries()) {
        return text.to_owned();
    }
    let merged = lines::merged(listing, kept, text);
    merged.filter(|merged| fits(listing.read(merged).entries())).unwrap_or(made)
}
