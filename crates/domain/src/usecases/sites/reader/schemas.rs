//! A schema that a block of a page shows, on its own page: for parts that are too large for the block.
use super::Visiting;
use super::page::ReadPage;
use crate::content::document::{Document, SpecificationUse};
use crate::id::{PageId, SiteSpaceId};
use crate::site::reader::OpenapiKey;
use crate::site::resolve::Form;
use crate::usecases::Error;
use crate::usecases::openapi_specs::shown::ShownVersions;
use crate::usecases::openapi_specs::views;
use openapi::direction::Direction;
use openapi::view::{Budget, SchemaRow};

/// A schema of a block of an OpenAPI spec.
#[derive(Clone, Debug)]
pub struct SchemaQuery {
    /// The space on the site.
    pub variant: SiteSpaceId,
    /// The page.
    pub page: PageId,
    /// The block: [`OpenapiKey::name`].
    pub block: String,
    /// The JSON Pointer of the schema in the spec.
    pub pointer: String,
    /// The direction of its values: fields of the other direction are left out.
    pub direction: Option<Direction>,
    /// The number of rows below it to skip.
    pub skip: usize,
}

/// A schema, as a page of the site.
#[derive(Debug)]
pub struct SchemaPage {
    /// The site around it, and a page with the name of the schema and without text, below the page with the block.
    pub read: ReadPage,
    /// The schema.
    pub row: SchemaRow,
}

impl Visiting<'_> {
    /// A schema that a block of a page reaches. `None` if the visitor does not see the page, if it has no such block,
    /// or if the block does not reach the schema: no other part of the spec is shown.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn schema(&mut self, query: &SchemaQuery) -> Result<Option<SchemaPage>, Error> {
        let Some(spot) = self.addressed.view().spot(&query.variant) else { return Ok(None) };
        let Some(pages) = self.pages(spot).await? else { return Ok(None) };
        let Some((node, above)) = pages.find(&query.page) else { return Ok(None) };
        let uses = self.document(&pages, node).await?.specification_uses();
        let Some(found) = uses.iter().find(|found| OpenapiKey::of(found).name() == query.block) else {
            return Ok(None);
        };
        let Some(row) = self.row(found, query).await? else { return Ok(None) };
        let frame = self.frame(&pages, Some(&node.id)).await?;
        let mut page = self.site_page(&pages, node, &above, &frame, Document::default()).await?;
        page.breadcrumbs.push(self.page_link(&pages, node));
        page.title = row.schema.clone().or_else(|| row.title.clone()).unwrap_or_else(|| row.type_text.clone());
        (page.emoji, page.icon, page.description, page.cover) = (None, None, None, None);
        (page.previous, page.next, page.feed, page.indexed) = (None, None, None, false);
        page.edit = None;
        page.tags.clear();
        page.alternates.clear();
        Ok(Some(SchemaPage { read: ReadPage { frame, page, form: Form::Page }, row }))
    }

    async fn row(&mut self, found: &SpecificationUse, query: &SchemaQuery) -> Result<Option<SchemaRow>, Error> {
        let specs = ShownVersions::load(&mut self.work, &self.site.organization, std::slice::from_ref(found)).await?;
        let Some(version) = specs.version(found) else { return Ok(None) };
        let budget = Budget { skip: query.skip, ..Budget::default() };
        views::schema(&mut self.work, &version.parts, &found.shows, (&query.pointer, query.direction), &budget).await
    }
}
