//! The texts of a source, and the source with its texts translated.
use crate::content::document::Document;
use crate::content::object::{Hash, MemoryObjects, Read, Scratch, together};
use crate::content::page::{PageEntry, PageKind, ReusableContent, Tag};
use crate::content::reference::ContentRef;
use crate::content::snapshot::{EditError, Edits, Snapshot};
use crate::content::text_of;
use crate::id::{PageId, ReusableContentId, SpaceId};
use crate::translation::run::MemoryKey;
use crate::translations::{Tagged, Translatable, Unit};
use crate::usecases::Error;
use crate::usecases::work::Work;
use bytes::Bytes;
use std::collections::{BTreeMap, HashMap};

/// A part of a space with texts.
pub(super) enum Item {
    Tag(String, Tag),
    Reusable(ReusableContentId, ReusableContent),
    ReusableText(ReusableContentId, Document),
    Page(PageId, Box<PageEntry>),
    PageText(PageId, Document),
}

impl Item {
    /// The page that it is a part of.
    pub(super) fn page(&self) -> Option<&PageId> {
        match self {
            Self::Page(id, _) | Self::PageText(id, _) => Some(id),
            Self::Tag(..) | Self::Reusable(..) | Self::ReusableText(..) => None,
        }
    }

    fn units(&self) -> Vec<Unit> {
        match self {
            Self::Tag(_, tag) => tag.units(),
            Self::Reusable(_, content) => content.units(),
            Self::Page(_, page) => page.units(),
            Self::ReusableText(_, text) | Self::PageText(_, text) => text.units(),
        }
    }
}

/// A text, with its key in the memory.
pub(super) struct Wanted {
    /// The text.
    pub(super) unit: Unit,
    /// Its key.
    pub(super) key: MemoryKey,
}

/// The texts of a page, or those outside pages.
pub(super) struct Group {
    /// The page.
    pub(super) page: Option<PageId>,
    /// Its title.
    pub(super) title: Option<String>,
    /// The texts, by their places in [`Texts::wanted`].
    pub(super) texts: std::ops::Range<usize>,
}

/// A source with its texts. Pages are in the order of their ids.
pub(super) struct Texts {
    snapshot: Snapshot,
    items: Vec<(Item, std::ops::Range<usize>)>,
    /// All texts.
    pub(super) wanted: Vec<Wanted>,
    /// The same by page.
    pub(super) groups: Vec<Group>,
}

/// The spaces that are translated into the same language, with their targets.
pub(super) type TranslatedSpaces = HashMap<SpaceId, SpaceId>;

/// Translations by their keys in the memory, in canonical tags.
pub(super) type KnownTexts = HashMap<MemoryKey, String>;

impl Texts {
    /// Reads the texts of a source. `key` computes their keys.
    pub(super) async fn read(
        work: &mut Work<'_>,
        snapshot: Snapshot,
        key: impl Fn(&Unit) -> MemoryKey,
    ) -> Result<Self, Error> {
        let mut objects = MemoryObjects::default();
        let items = work.compute(&mut objects, |objects| items(&snapshot, objects)).await?;
        let mut texts = Self { snapshot, items: Vec::new(), wanted: Vec::new(), groups: Vec::new() };
        for item in items {
            let from = texts.wanted.len();
            texts.wanted.extend(item.units().into_iter().map(|unit| Wanted { key: key(&unit), unit }));
            let range = from..texts.wanted.len();
            match texts.groups.last_mut().filter(|group| group.page.as_ref() == item.page()) {
                Some(group) => group.texts.end = range.end,
                None => {
                    let title = match &item {
                        Item::Page(_, page) => Some(page.title.clone()),
                        _ => None,
                    };
                    texts.groups.push(Group { page: item.page().cloned(), title, texts: range.clone() });
                }
            }
            texts.items.push((item, range));
        }
        Ok(texts)
    }

    /// The content with translated texts, as changes of the source, and the number of texts that have no translation.
    /// Links to a space in `elsewhere` point to its translation.
    pub(super) fn translated(&self, known: &KnownTexts, elsewhere: TranslatedSpaces) -> (Translated, u32) {
        let mut translated = Translated { elsewhere, ..Translated::default() };
        let mut missing = 0_u32;
        for (item, range) in &self.items {
            let read = |wanted: &Wanted| wanted.unit.text.read_canonical(known.get(&wanted.key)?).ok();
            let answers: Vec<Option<Tagged>> = self.wanted[range.clone()].iter().map(read).collect();
            let absent = answers.iter().filter(|answer| answer.is_none()).count();
            missing = missing.saturating_add(u32::try_from(absent).unwrap_or(u32::MAX));
            translated.add(item, &answers);
        }
        (translated, missing)
    }

    /// The source.
    pub(super) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }
}

fn items(snapshot: &Snapshot, objects: &MemoryObjects) -> Read<Vec<Item>> {
    let tags = snapshot.tags(objects)?;
    let reusable = snapshot.reusable_contents(objects)?;
    let mut pages = snapshot.pages(objects)?;
    pages.sort_by(|one, other| one.0.cmp(&other.0));
    let texts = together(reusable.iter().map(|(_, content)| text_of(objects, content.document)));
    let of_pages = together(pages.iter().map(|(_, page)| text_of(objects, page.document())));
    let (texts, of_pages) = match (texts, of_pages) {
        (Ok(texts), Ok(of_pages)) => (texts, of_pages),
        // Both name what they lack.
        (one, other) => return together([one.map(drop), other.map(drop)]).map(|_| Vec::new()),
    };
    let mut items: Vec<Item> = tags.into_iter().map(|(slug, tag)| Item::Tag(slug, tag)).collect();
    for ((id, content), text) in reusable.into_iter().zip(texts) {
        let has_text = content.document.is_some();
        items.push(Item::Reusable(id.clone(), content));
        items.extend(has_text.then_some(Item::ReusableText(id, text)));
    }
    for ((id, page), text) in pages.into_iter().zip(of_pages) {
        let has_text = page.document().is_some();
        items.push(Item::Page(id.clone(), Box::new(page)));
        items.extend(has_text.then_some(Item::PageText(id, text)));
    }
    Ok(items)
}

/// Translated content, as changes of the source.
#[derive(Default)]
pub(super) struct Translated {
    edits: Edits,
    texts: BTreeMap<Hash, Bytes>,
    elsewhere: TranslatedSpaces,
}

impl Translated {
    /// Adds an item with translated texts. A document that would become too large is not translated.
    fn add(&mut self, item: &Item, answers: &[Option<Tagged>]) {
        match item {
            Item::Tag(slug, tag) => {
                let done = tag.assembled(answers).unwrap_or_else(|_| tag.clone());
                self.edits.tags.insert(slug.clone(), Some(done));
            }
            Item::Reusable(id, content) => {
                let done = content.assembled(answers).unwrap_or_else(|_| content.clone());
                self.edits.reusable_contents.insert(id.clone(), Some(done));
            }
            Item::Page(id, page) => {
                let mut done = page.assembled(answers).unwrap_or_else(|_| PageEntry::clone(page));
                if let PageKind::Link { target } = &mut done.kind {
                    self.retarget(target);
                }
                self.edits.pages.insert(id.clone(), Some(done));
            }
            Item::ReusableText(id, text) => {
                let hash = self.text(text, answers);
                if let Some(Some(content)) = self.edits.reusable_contents.get_mut(id) {
                    content.document = Some(hash);
                }
            }
            Item::PageText(id, text) => {
                let hash = self.text(text, answers);
                if let Some(Some(page)) = self.edits.pages.get_mut(id) {
                    page.kind = PageKind::Document { document: Some(hash) };
                }
            }
        }
    }

    fn text(&mut self, text: &Document, answers: &[Option<Tagged>]) -> Hash {
        let mut done = text.assembled(answers).unwrap_or_else(|_| text.clone());
        if !self.elsewhere.is_empty() {
            done.map_references(|target| self.retarget(target));
        }
        let bytes = Bytes::from(done.encode());
        let hash = Hash::of(&bytes);
        self.texts.insert(hash, bytes);
        hash
    }

    /// Points a link to a space, or to a page of it, to the translation of that space.
    fn retarget(&self, target: &mut ContentRef) {
        let space = match target {
            ContentRef::Page { space: Some(space), .. }
            | ContentRef::Anchor { space: Some(space), .. }
            | ContentRef::Space { space } => space,
            _ => return,
        };
        if let Some(translated) = self.elsewhere.get(space) {
            space.clone_from(translated);
        }
    }

    /// The translated content of a source.
    ///
    /// # Errors
    /// Translated texts cannot cause an error, because the tree of pages is that of the source.
    pub(super) fn snapshot(&self, scratch: &mut Scratch<'_>, source: &Snapshot) -> Read<Result<Snapshot, EditError>> {
        for bytes in self.texts.values() {
            scratch.put(bytes.clone());
        }
        source.edit(scratch, &self.edits)
    }
}
