//! Files of a site.
use super::Visiting;
use super::file_uses::{FileOfSpace, FileUse, RevisionFiles, file_of, references_of_settings};
use super::frame::references_of;
use super::page_tree::Node;
use super::texts::texts_at_once;
use crate::content::page::FileEntry;
use crate::content::reference::ContentRef;
use crate::id::{FileId, PageId, SiteSpaceId, SpaceId};
use crate::site::customization::EffectiveCustomization;
use crate::usecases::Error;
use crate::usecases::sites::resolve::Seen;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// A file that a visitor may download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFile {
    /// The file.
    pub entry: FileEntry,
    /// Whether all visitors of the site may download it. Otherwise shared caches must not store it.
    pub for_all: bool,
}

/// Who may download a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileAccess {
    /// All who see its space.
    All,
    /// The visitor, but not all others.
    Visitor,
    /// Not the visitor.
    Others,
}

impl Visiting<'_> {
    /// The file at an address below `~/files/`: the site space, then the file and the start of its hash. `None` if the
    /// visitor sees no such file, or if it has other bytes now.
    ///
    /// A file that its space uses only on pages and in blocks with conditions is there for visitors who see one of
    /// these uses, or a use in another space of the site.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn file(&mut self, address: &str) -> Result<Option<SiteFile>, Error> {
        let mut parts = address.split('/');
        let (Some(variant), Some(named)) = (parts.next(), parts.next()) else { return Ok(None) };
        let Some((id, hash)) = named.rsplit_once('-') else { return Ok(None) };
        let (Ok(variant), Ok(id)) = (variant.parse::<SiteSpaceId>(), id.parse::<FileId>()) else { return Ok(None) };
        let space = {
            let seen = self.seen();
            seen.structure.space(&variant).map(|(_, one)| one.space.clone())
        };
        let Some(space) = space else { return Ok(None) };
        let Self { work, contents, .. } = self;
        let Some(opened) = contents.get(work, &space).await? else { return Ok(None) };
        let entry = opened.read(work, |snapshot, objects| snapshot.file(objects, &id)).await?;
        let is_current = |entry: &FileEntry| !hash.is_empty() && entry.blob.to_string().starts_with(hash);
        let Some(entry) = entry.filter(is_current) else { return Ok(None) };
        Ok(match self.access_to_file(&variant, &(space, id)).await? {
            FileAccess::All => Some(SiteFile { entry, for_all: self.all_see(&variant) }),
            FileAccess::Visitor => Some(SiteFile { entry, for_all: false }),
            FileAccess::Others => None,
        })
    }

    /// Whether visitors without claims see a space on the site, too.
    fn all_see(&self, variant: &SiteSpaceId) -> bool {
        if self.visit.claims().is_empty() {
            return true;
        }
        let without_claims = self.visit.without_claims();
        Seen::of(&without_claims, &self.addressed).shows(variant)
    }

    /// Who may download a file of a space on the site that the visitor sees.
    async fn access_to_file(&mut self, variant: &SiteSpaceId, file: &FileOfSpace) -> Result<FileAccess, Error> {
        let Some(uses) = self.uses_of_files(&file.0).await? else { return Ok(FileAccess::Others) };
        let pages = match uses.of(file) {
            FileUse::Unused | FileUse::Everyone => return Ok(FileAccess::All),
            FileUse::OnPages(pages) => pages,
        };
        let is_seen = Box::pin(self.sees_file(variant, &pages, file)).await?;
        Ok(if is_seen { FileAccess::Visitor } else { FileAccess::Others })
    }

    /// Whether the visitor sees a file of a variant: on one of these pages of it, in a menu, or in another space.
    async fn sees_file(&mut self, variant: &SiteSpaceId, pages: &[PageId], file: &FileOfSpace) -> Result<bool, Error> {
        Ok(self.sees_file_on(variant, pages, file).await?
            || self.sees_file_in_menus(file).await?
            || self.sees_file_elsewhere(file).await?)
    }

    /// The uses of files in a space; `None` if the space has no content.
    async fn uses_of_files(&mut self, space: &SpaceId) -> Result<Option<Arc<RevisionFiles>>, Error> {
        self.open_ahead(space).await?;
        let Self { cache, work, contents, .. } = self;
        let Some(opened) = contents.get(work, space).await? else { return Ok(None) };
        Ok(Some(cache.file_uses.of(&cache.trees, work, opened).await?))
    }

    /// Whether the visitor sees a file on one of these pages of a variant. Only some of the texts are in memory at the
    /// same time.
    async fn sees_file_on(
        &mut self,
        variant: &SiteSpaceId,
        pages: &[PageId],
        file: &FileOfSpace,
    ) -> Result<bool, Error> {
        let Some(spot) = self.addressed.view().spot(variant) else { return Ok(false) };
        let Some(known) = self.pages(spot).await? else { return Ok(false) };
        let is_file = |reference: &ContentRef| file_of(reference, &known.space).as_ref() == Some(file);
        let (mut rest, mut read) = (pages, 0);
        while !rest.is_empty() {
            let (some, later) = rest.split_at(texts_at_once(read).min(rest.len()));
            let nodes: Vec<&Node> = some.iter().filter_map(|page| known.get(page)).collect();
            if nodes.iter().any(|node| references_of_settings(&node.page).any(is_file)) {
                return Ok(true);
            }
            self.load_texts(variant, some).await?;
            for node in nodes {
                // A condition that is still there, such as in the heading of a column, shows nothing.
                let (shown, _) = self.document(&known, node).await?.into_targets_by_condition();
                if shown.iter().any(is_file) {
                    return Ok(true);
                }
            }
            let Self { work, contents, .. } = self;
            if let Some(opened) = contents.get(work, &known.space).await? {
                opened.drop_objects();
            }
            (rest, read) = (later, read + some.len());
        }
        Ok(false)
    }

    /// Whether a link of the header, the footer or the announcement leads the visitor to a file, in any space on the
    /// site: each can have its own links.
    async fn sees_file_in_menus(&mut self, file: &FileOfSpace) -> Result<bool, Error> {
        let stored = self.work.site_customizations().load(&self.site.id, None).await?;
        let claims = self.visit.claims();
        let links = |shown: EffectiveCustomization| references_of(&shown.for_visitor(claims).customization);
        let of_site = links(stored.of_site());
        let leads = |links: &BTreeSet<ContentRef>, space: &SpaceId| {
            links.iter().any(|link| file_of(link, space).as_ref() == Some(file))
        };
        let seen = self.seen();
        Ok(seen.structure.spaces().into_iter().any(|(_, one)| match stored.spaces.contains_key(&one.id) {
            true => leads(&links(stored.of_space(&one.id)), &one.space),
            false => leads(&of_site, &one.space),
        }))
    }

    /// Whether the visitor sees a file in another space of the site. Few visitors need this: others see the file in its
    /// own space.
    async fn sees_file_elsewhere(&mut self, file: &FileOfSpace) -> Result<bool, Error> {
        let variants: Vec<(SpaceId, SiteSpaceId)> = {
            let seen = self.seen();
            let mut spaces: HashSet<&SpaceId> = HashSet::from([&file.0]);
            let others = seen.structure.spaces().into_iter().filter(|(_, one)| spaces.insert(&one.space));
            others.map(|(_, one)| (one.space.clone(), one.id.clone())).collect()
        };
        for (space, variant) in variants {
            let Some(uses) = self.uses_of_files(&space).await? else { continue };
            let is_seen = match uses.of(file) {
                FileUse::Unused => false,
                FileUse::Everyone => true,
                FileUse::OnPages(pages) => self.sees_file_on(&variant, &pages, file).await?,
            };
            if is_seen {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
