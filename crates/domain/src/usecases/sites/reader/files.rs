//! Files of a site.
use super::Visiting;
use crate::content::page::FileEntry;
use crate::id::{FileId, SiteSpaceId};
use crate::usecases::Error;

/// A file that a visitor may download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFile {
    /// The file.
    pub entry: FileEntry,
}

impl Visiting<'_> {
    /// The file at an address below `~/files/`: the site space, then the file and the start of its hash. `None` if the
    /// visitor sees no such file, or if it has other bytes now.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn file(&mut self, address: &str) -> Result<Option<SiteFile>, Error> {
        let mut parts = address.split('/');
        let (Some(variant), Some(named)) = (parts.next(), parts.next()) else { return Ok(None) };
        let Some((id, hash)) = named.rsplit_once('-') else { return Ok(None) };
        let (Ok(variant), Ok(id)) = (variant.parse::<SiteSpaceId>(), id.parse::<FileId>()) else { return Ok(None) };
        let seen = self.seen();
        let Some(space) = seen.structure.space(&variant).map(|(_, one)| one.space.clone()) else { return Ok(None) };
        let Self { work, contents, .. } = self;
        let Some(opened) = contents.get(work, &space).await? else { return Ok(None) };
        let entry = opened.read(work, |snapshot, objects| snapshot.file(objects, &id)).await?;
        let is_current = |entry: &FileEntry| !hash.is_empty() && entry.blob.to_string().starts_with(hash);
        Ok(entry.filter(is_current).map(|entry| SiteFile { entry }))
    }
}
