//! Previews: content that is generated from a source without storing it in a page.
use super::computed::{Generator, VisibleSources, names_text};
use super::read::Content;
use crate::actor::Actor;
use crate::content::computed::ComputedSource;
use crate::content::document::Document;
use crate::content::order::OrderKey;
use crate::content::page::{PageEntry, PageKind};
use crate::content::tree::{Node, Tree};
use crate::id::{OrganizationId, PageId, SpaceId};
use crate::openapi::pages::{PageDoc, PagesWanted};
use crate::text::Invalid;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};
use chrono::DateTime;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A source to generate content from.
#[derive(Clone, Debug, PartialEq)]
pub struct ComputedPreview {
    /// The source.
    pub source: ComputedSource,
    /// The prefix of the ids of generated pages; `preview` if absent.
    pub seed: Option<PageId>,
}

impl Content {
    /// Writes the text of a generated page with this source.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space, or if the spec or the translation lacks what the source shows, or the caller
    /// may not view it; [`Error::Forbidden`] for guests, who read no specs; [`Error::Invalid`].
    pub async fn preview_document(
        &self,
        actor: &Actor,
        space: &SpaceId,
        preview: Input<ComputedPreview>,
    ) -> Result<Document, Error> {
        let mut work = self.units.read(actor).await?;
        let organization = readable(&mut work, space).await?;
        let source = preview.read()?.source;
        check_text(&source)?;
        let found = Generator::new(organization, VisibleSources::Viewed).document(&mut work, &source, None).await?;
        found.ok_or(Error::NotFound("document"))
    }

    /// Generates the pages that would replace a computed page with this source. There are none if the spec has no
    /// version, or the caller may not view the translated space.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space; [`Error::Forbidden`] for guests, who read no specs; [`Error::Invalid`].
    pub async fn preview_pages(
        &self,
        actor: &Actor,
        space: &SpaceId,
        preview: Input<ComputedPreview>,
    ) -> Result<Tree, Error> {
        let mut work = self.units.read(actor).await?;
        let organization = readable(&mut work, space).await?;
        let ComputedPreview { source, seed } = preview.read()?;
        check_pages(&source)?;
        let id = seed.or_else(|| "preview".parse().ok()).ok_or(Error::NotFound("page"))?;
        let mut generator = Generator::new(organization, VisibleSources::Viewed);
        let generated = generator.computed(&mut work, vec![(id.clone(), source.clone())]).await?;
        let (title, kind) = (source.title().to_owned(), PageKind::Computed { computed: Box::new(source) });
        // A placeholder time, because nothing is stored.
        let page = PageEntry::new(kind, title, "", OrderKey::first(), DateTime::UNIX_EPOCH);
        let tree = Tree { roots: vec![Node::stored(id, page, String::new(), Vec::new())] };
        Ok(tree.with_computed(&generated))
    }
}

/// The organization of a space, for a caller who may view the space and read the specs of the organization.
async fn readable(work: &mut Work<'_>, space: &SpaceId) -> Result<OrganizationId, Error> {
    let space = work.space(space, |may| may.view).await?;
    Ok(work.organization(&space.organization, |may| may.read).await?.id.clone())
}

/// Checks that a source is one of a text.
fn check_text(source: &ComputedSource) -> Result<(), Invalid> {
    if source.translation().is_none() {
        return check::<PageDoc>(source);
    }
    let rule = "must have space, the id of a space, and document, the documentId of one of its pages";
    if names_text(source) { Ok(()) } else { Err(Invalid::new("source.props", rule)) }
}

/// Checks that a source is one of pages.
fn check_pages(source: &ComputedSource) -> Result<(), Invalid> {
    match source.translation() {
        None => check::<PagesWanted>(source),
        Some(_) if source.props.is_empty() => Ok(()),
        Some(_) => Err(Invalid::new("source.props", "must be empty for pages of a translation")),
    }
}

/// Checks that a source is an OpenAPI spec with options of this form.
fn check<T: DeserializeOwned>(source: &ComputedSource) -> Result<(), Invalid> {
    if source.spec().is_none() {
        let rule = "must have the type builtin:openapi and a dependency spec with a reference of the kind openapi, or the \
                    type builtin:translation and a dependency translation with a reference of the kind translation";
        return Err(Invalid::new("source", rule));
    }
    let options = serde_json::from_value::<T>(Value::Object(source.props.clone()));
    options.map(drop).map_err(|error| Invalid::new("source.props", error.to_string()))
}
