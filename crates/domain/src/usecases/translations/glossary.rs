//! Glossaries of organizations.
use crate::actor::Actor;
use crate::event::Change;
use crate::id::{GlossaryEntryId, OrganizationId};
use crate::paging::{Page, PageRequest};
use crate::text::{Invalid, Language};
use crate::translation::glossary::{GlossaryEntry, GlossaryOperation, apply, sort};
use crate::usecases::work::Units;
use crate::usecases::{Error, Input};

/// Manages the glossaries of organizations, for their administrators.
#[derive(Clone)]
pub struct Glossary {
    /// Units of work.
    pub units: Units,
}

impl Glossary {
    /// The entries of an organization, oldest first, or by their words in a language.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`], also if the
    /// last entry of the previous page was deleted.
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        query: Input<(Option<Language>, PageRequest)>,
    ) -> Result<Page<GlossaryEntry>, Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.admin).await?;
        let (by, page) = query.read()?;
        let mut all = work.glossary().entries(organization).await?;
        sort(&mut all, by);
        let gone = || Invalid::new("page", "the list has changed: read it from the start").into();
        Page::of_ordered(all, &page, |entry| entry.id.to_string()).ok_or_else(gone)
    }

    /// An entry.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators.
    pub async fn get(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &GlossaryEntryId,
    ) -> Result<GlossaryEntry, Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.admin).await?;
        work.glossary().entry(organization, id).await?.ok_or(Error::NotFound("glossary entry"))
    }

    /// Adds, updates and removes entries; on an error, it changes nothing.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`].
    pub async fn change(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        operations: Input<Vec<GlossaryOperation>>,
    ) -> Result<(), Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        work.organization(organization, |may| may.admin).await?;
        let operations = operations.read()?;
        let entries = work.glossary().entries(organization).await?;
        let (ids, now) = (work.ids, work.now());
        let changes = apply(organization, entries, operations, || ids.make(), now)?;
        let (saved, removed) = (changes.saved.len(), changes.removed.len());
        if saved + removed > 0 {
            work.glossary().change(organization, &changes).await?;
            let change = Change::GlossaryUpdated { organization: organization.clone(), saved, removed };
            work.record(organization, change).await?;
        }
        work.commit().await
    }
}
