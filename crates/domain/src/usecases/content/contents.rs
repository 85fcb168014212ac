//! Reading all of a revision except the texts.
use super::page::{PageReader, PageTree};
use crate::content::page::{FileEntry, ReusableContent, Tag, Variable};
use crate::content::tree::Tree;
use crate::id::{FileId, ReusableContentId};
use crate::usecases::Error;

/// A revision without the texts of its pages.
#[derive(Debug)]
pub struct RevisionContents {
    /// Pages.
    pub tree: Tree,
    /// Files, by id.
    pub files: Vec<(FileId, FileEntry)>,
    /// Reusable contents, by id.
    pub reusable_contents: Vec<(ReusableContentId, ReusableContent)>,
    /// Variables, by name.
    pub variables: Vec<(String, Variable)>,
    /// Tags, by slug.
    pub tags: Vec<(String, Tag)>,
    /// Whether it is the same as long as the revision is. Generated pages change with their spec.
    pub is_lasting: bool,
}

impl PageReader<'_> {
    /// The revision with its pages (without their texts), files and the rest; with generated pages in the place of
    /// computed ones if `computed`.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub async fn contents(mut self, computed: bool) -> Result<RevisionContents, Error> {
        let PageTree { tree, is_lasting } = self.pages(computed).await?;
        let (files, reusable_contents, variables, tags) = self
            .read(|snapshot, objects| {
                let (files, reusable_contents) = (snapshot.files(objects)?, snapshot.reusable_contents(objects)?);
                Ok((files, reusable_contents, snapshot.variables(objects)?, snapshot.tags(objects)?))
            })
            .await?;
        Ok(RevisionContents { tree, files, reusable_contents, variables, tags, is_lasting })
    }
}
