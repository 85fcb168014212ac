//! Drafts as if they were live, for addresses in previews.
use super::{Item, Structure};

impl Structure {
    /// The structure with drafts that count as live.
    #[must_use]
    pub fn with_drafts(mut self) -> Self {
        match &mut self {
            Self::Spaces(spaces) => spaces.iter_mut().for_each(|space| space.settings.draft = false),
            Self::Sections(items) => items.iter_mut().for_each(publish),
        }
        self
    }
}

fn publish(item: &mut Item) {
    match item {
        Item::Section(section) => {
            section.settings.draft = false;
            section.spaces.iter_mut().for_each(|space| space.settings.draft = false);
        }
        Item::Group(group) => {
            group.settings.draft = false;
            group.items.iter_mut().for_each(publish);
        }
        Item::Link(link) => link.settings.draft = false,
    }
}
