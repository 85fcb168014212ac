//! The targets of references for a visitor.
use super::Visiting;
use super::places::VariantPages;
use crate::content::markdown::plain_line;
use crate::content::page::FileEntry;
use crate::content::reference::ContentRef;
use crate::id::{FileId, PageId, SiteSpaceId, SpaceId, UserId};
use crate::site::reader::{FileTarget, PlaceTarget, ReferenceTarget, TagTarget};
use crate::site::resolve::{Spot, View};
use crate::usecases::Error;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The number of characters of a file's hash in its address.
const HASH: usize = 16;

/// A variant whose references are resolved: its pages, and its files and tags.
struct Place<'p> {
    pages: &'p VariantPages,
    variant: SiteSpaceId,
    files: HashMap<FileId, FileEntry>,
    tags: HashMap<String, TagTarget>,
}

impl Visiting<'_> {
    /// The targets of references on a page of a variant.
    pub(super) async fn targets(
        &mut self,
        from: &Arc<VariantPages>,
        wanted: BTreeSet<ContentRef>,
    ) -> Result<BTreeMap<ContentRef, ReferenceTarget>, Error> {
        let mut all = self.people(&wanted).await?;
        let mut by_space: BTreeMap<Option<SpaceId>, Vec<ContentRef>> = BTreeMap::new();
        for reference in wanted {
            let space = space_of(&reference).filter(|space| **space != from.space).cloned();
            by_space.entry(space).or_default().push(reference);
        }
        for (space, references) in by_space {
            let pages = match &space {
                None => Some(from.clone()),
                Some(space) => match self.spot_of(space, from.spot) {
                    Some(spot) => self.pages(spot).await?,
                    None => None,
                },
            };
            let Some(pages) = pages else { continue };
            let place = self.place(&pages, &references).await?;
            let view = self.addressed.view();
            let found = references.into_iter().filter_map(|one| Some((one.clone(), self.target(&view, &place, &one)?)));
            all.extend(found);
        }
        Ok(all)
    }

    /// The names of the members of the organization that references name.
    async fn people(&mut self, wanted: &BTreeSet<ContentRef>) -> Result<BTreeMap<ContentRef, ReferenceTarget>, Error> {
        let users: Vec<UserId> = (wanted.iter())
            .filter_map(|reference| match reference {
                ContentRef::User { user } => Some(user.clone()),
                _ => None,
            })
            .collect();
        if users.is_empty() {
            return Ok(BTreeMap::new());
        }
        let found = self.work.members().find_many(&self.site.organization, &users).await?;
        let named = found.into_iter().map(|(_, user)| {
            (ContentRef::User { user: user.id }, ReferenceTarget::Person(user.display_name.to_string()))
        });
        Ok(named.collect())
    }

    /// The place of a space on the site: preferably in the section of `near`.
    pub(super) fn spot_of(&self, space: &SpaceId, near: Spot) -> Option<Spot> {
        let seen = self.seen();
        let view = self.addressed.view();
        let spots = seen.structure.spaces().into_iter().filter(|(_, one)| one.space == *space);
        let spots: Vec<Spot> = spots.filter_map(|(_, one)| view.spot(&one.id)).collect();
        spots.iter().find(|spot| spot.section == near.section).or(spots.first()).copied()
    }

    /// Loads the files and tags that references name.
    async fn place<'p>(&mut self, pages: &'p VariantPages, references: &[ContentRef]) -> Result<Place<'p>, Error> {
        let variant = self.addressed.view().at(pages.spot).map(|(_, one)| one.id.clone());
        let variant = variant.ok_or(Error::NotFound("site space"))?;
        let mut place = Place { pages, variant, files: HashMap::new(), tags: HashMap::new() };
        let (mut files, mut tags) = (Vec::new(), Vec::new());
        for reference in references {
            match reference {
                ContentRef::File { file, .. } => files.push(file),
                ContentRef::Tag { tag, .. } => tags.push(tag),
                _ => {}
            }
        }
        if files.is_empty() && tags.is_empty() {
            return Ok(place);
        }
        let Self { work, contents, .. } = self;
        let Some(opened) = contents.get(work, &pages.space).await? else { return Ok(place) };
        let read = opened.read(work, |snapshot, objects| {
            let found: Vec<_> = files.iter().map(|id| snapshot.file(objects, id)).collect::<Result<_, _>>()?;
            let named: Vec<_> = tags.iter().map(|slug| snapshot.tag(objects, slug)).collect::<Result<_, _>>()?;
            Ok((found, named))
        });
        let (found, named) = read.await?;
        place.files = files.into_iter().cloned().zip(found).filter_map(|(id, file)| Some((id, file?))).collect();
        let named = tags.into_iter().cloned().zip(named).filter_map(|(slug, tag)| Some((slug, tag?)));
        place.tags = named
            .map(|(slug, tag)| {
                (slug, TagTarget { label: tag.label, color: tag.color, emoji: tag.emoji, icon: tag.icon })
            })
            .collect();
        Ok(place)
    }

    fn target(&self, view: &View<'_>, place: &Place<'_>, reference: &ContentRef) -> Option<ReferenceTarget> {
        let page = |id: &PageId, anchor: Option<&str>| {
            let node = place.pages.shown(place.pages.get(id)?)?;
            let href = self.page_href_in(view, place.pages, node);
            let href = anchor.map_or_else(|| href.clone(), |anchor| format!("{href}#{anchor}"));
            let page = &node.page;
            Some(ReferenceTarget::Link(PlaceTarget {
                href,
                title: page.title.to_string(),
                description: page.description.as_deref().map(plain_line),
                emoji: page.settings().emoji.clone(),
                icon: page.settings().icon.clone(),
            }))
        };
        match reference {
            ContentRef::Page { page: id, .. } => page(id, None),
            ContentRef::Anchor { anchor, page: Some(id), .. } => page(id, Some(anchor)),
            ContentRef::Anchor { anchor, page: None, .. } => {
                Some(ReferenceTarget::Link(plain(format!("#{anchor}"), anchor)))
            }
            ContentRef::File { file, .. } => place.files.get(file).map(|entry| {
                ReferenceTarget::File(FileTarget {
                    href: self.file_href(&place.variant, file, entry),
                    name: entry.name.clone(),
                    content_type: entry.content_type.clone(),
                    size: entry.size,
                    dimensions: entry.dimensions.map(|size| (size.width, size.height)),
                })
            }),
            ContentRef::Space { .. } => {
                let href = self.href(&view.address(place.pages.spot, ""));
                Some(ReferenceTarget::Link(plain(href, &place.pages.title)))
            }
            ContentRef::Tag { tag, .. } => place.tags.get(tag).cloned().map(ReferenceTarget::Tag),
            ContentRef::Url { .. }
            | ContentRef::User { .. }
            | ContentRef::Collection { .. }
            | ContentRef::ReusableContent { .. }
            | ContentRef::Openapi { .. } => None,
        }
    }

    /// The address of a file. It contains the hash of the file, so it always refers to the same bytes.
    fn file_href(&self, variant: &SiteSpaceId, id: &FileId, entry: &FileEntry) -> String {
        let hash: String = entry.blob.to_string().chars().take(HASH).collect();
        self.href(&format!("~/files/{variant}/{id}-{hash}/{}", entry.name.replace('/', "_")))
    }
}

/// A link without anything but a title.
fn plain(href: String, title: &str) -> PlaceTarget {
    PlaceTarget { href, title: title.to_owned(), description: None, emoji: None, icon: None }
}

/// The space that a reference names.
pub(super) fn space_of(reference: &ContentRef) -> Option<&SpaceId> {
    match reference {
        ContentRef::File { space, .. }
        | ContentRef::Page { space, .. }
        | ContentRef::Anchor { space, .. }
        | ContentRef::Tag { space, .. }
        | ContentRef::ReusableContent { space, .. } => space.as_ref(),
        ContentRef::Space { space } => Some(space),
        ContentRef::Url { .. }
        | ContentRef::User { .. }
        | ContentRef::Collection { .. }
        | ContentRef::Openapi { .. } => None,
    }
}
