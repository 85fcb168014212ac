//! The texts of pages, reusable contents and tags.
use super::{Found, Place, TextKind, TextMut, Texts, Visit};
use content::page::{PageEntry, ReusableContent, Tag};

/// The maximum number of characters of a title.
const MAX_TITLE: usize = 500;
/// The maximum number of characters of a description.
const MAX_DESCRIPTION: usize = 2000;

fn plain(place: Place, kind: TextKind, limit: usize, text: &mut String) -> Found<'_> {
    Found { place, kind, limit: Some(limit), level: None, text: TextMut::Plain(text) }
}

impl Texts for PageEntry {
    fn each_text(&mut self, visit: &mut Visit<'_>) {
        visit(plain(Place::Title, TextKind::Title, MAX_TITLE, &mut self.title));
        if let Some(title) = &mut self.link_title {
            visit(plain(Place::LinkTitle, TextKind::Title, MAX_TITLE, title));
        }
        if let Some(description) = &mut self.description {
            visit(plain(Place::Description, TextKind::Text, MAX_DESCRIPTION, description));
        }
    }
}

impl Texts for ReusableContent {
    fn each_text(&mut self, visit: &mut Visit<'_>) {
        visit(plain(Place::Title, TextKind::Title, MAX_TITLE, &mut self.title));
    }
}

impl Texts for Tag {
    fn each_text(&mut self, visit: &mut Visit<'_>) {
        visit(plain(Place::Label, TextKind::Label, MAX_TITLE, &mut self.label));
    }
}
