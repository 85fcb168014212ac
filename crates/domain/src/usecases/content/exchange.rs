//! Import and export: a repository of Markdown becomes the content of a space, and the other way around.
use super::read::{At, Content, open_at};
use super::write::{About, Base, NewContent, Prepared, advance, unlocked};
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::export::{self, ExportFile, export};
use crate::content::import::{Imported, Maker, Previous, Report, Source, import};
use crate::content::object::{MemoryObjects, Scratch};
use crate::id::{OrganizationId, RevisionId, SpaceId};
use crate::space::{NewSpace, Space};
use crate::text::{Invalid, SpaceTitle};
use crate::usecases::{Error, open, spaces};
use chrono::{DateTime, Utc};

/// Where an import goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A new space of an organization, with this title or the one that the source gives.
    NewSpace {
        /// The organization.
        organization: OrganizationId,
        /// The title.
        title: Option<SpaceTitle>,
    },
    /// An existing space, whose content becomes what the source says. Pages that come from the same file stay the
    /// same pages.
    Space(SpaceId),
}

/// What an import is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It reads the pages; there are so many source files.
    Reading(usize),
    /// It stores files: so many of so many are done.
    Files(usize, usize),
    /// It writes the revision.
    Writing,
}

/// What an import stores: a new space with its content, or the next content of a space at a revision.
enum Ready {
    NewSpace(Box<Space>, Prepared),
    Space(SpaceId, RevisionId, Prepared),
}

/// What an import made.
#[derive(Debug)]
pub struct Import {
    /// The space.
    pub space: Granted<Space>,
    /// Its primary revision now.
    pub revision: RevisionId,
    /// What was found on the way.
    pub report: Report,
}

impl Content {
    /// Imports a source as one revision: all of it, or nothing.
    ///
    /// Reads the source with blocking calls: to be called from a command line or a background job.
    ///
    /// # Errors
    /// [`Error::NotFound`] and [`Error::Forbidden`] for the destination, [`Error::Invalid`] when the source is not what
    /// can be imported, [`Error::Conflict`] when the space changed meanwhile or is locked.
    pub async fn import(
        &self,
        actor: &Actor,
        destination: Destination,
        source: &dyn Source,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Import, Error> {
        progress(Progress::Reading(source.tree().len()));
        let (previous, base) = self.previous(actor, &destination).await?;
        let at = self.clock.now();
        let nothing = MemoryObjects::default();
        let mut scratch = Scratch::new(&nothing);
        let mut ids = || self.ids.next();
        let maker = Maker { ids: &mut ids, at, author: actor.user().cloned() };
        let planned = import(source.tree(), &previous, maker, &mut scratch);
        let Imported { title, mut edits, files, report, .. } =
            planned.map_err(|error| Invalid::new("source", error.to_string()))?;
        // Files are stored before the revision that names them; one that no revision names is only garbage.
        for (done, file) in files.iter().enumerate() {
            progress(Progress::Files(done, files.len()));
            let bytes = source.read(&file.path).map_err(|error| Invalid::new("source", error.to_string()))?;
            edits.files.insert(file.id.clone(), Some(file.entry(&bytes)));
            self.files.put(bytes).await?;
        }
        progress(Progress::Writing);
        let content = NewContent { edits, objects: scratch.into_written(), git: None };
        let prepared = self.prepare_import(actor, destination, title, source.name(), content, base, at).await?;
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        // Reading the source may have taken long; the log tells when it was done.
        let done = self.clock.now();
        let space = match prepared {
            Ready::NewSpace(space, content) => {
                tx.lock(&[(&space.organization).into()]).await?;
                open::organization(&mut *tx, actor, &space.organization, |may| may.create_content).await?;
                let space = Space { created_at: done, updated_at: done, ..*space };
                spaces::create(&mut *tx, &*self.ids, actor, space, content).await?
            }
            Ready::Space(id, base, content) => {
                tx.lock(&[(&id).into()]).await?;
                let mut space = open::space(&mut *tx, actor, &id, |may| may.edit).await?;
                if base != space.revision {
                    return Err(Error::Conflict(
                        "the content of the space changed during the import: import again".into(),
                    ));
                }
                advance(&mut *tx, &*self.ids, actor, space.entity_mut(), content, done).await?;
                space
            }
        };
        tx.commit().await?;
        Ok(Import { revision: space.revision.clone(), space, report })
    }

    /// Works out what is stored, before the database is written to.
    #[expect(clippy::too_many_arguments, reason = "all that an import knows by then")]
    async fn prepare_import(
        &self,
        actor: &Actor,
        destination: Destination,
        title: Option<String>,
        name: &str,
        content: NewContent,
        base: Option<RevisionId>,
        at: DateTime<Utc>,
    ) -> Result<Ready, Error> {
        let mut tx = self.store.read().await?;
        match (destination, base) {
            (Destination::NewSpace { organization, title: wished }, _) => {
                let title =
                    wished.unwrap_or_else(|| SpaceTitle::fitted(title.as_deref().unwrap_or(name), "Documentation"));
                let new = NewSpace { title: Some(title), ..NewSpace::default() };
                let space = Space::new(self.ids.make(), organization, self.ids.make(), new, at);
                let content = spaces::first(&mut *tx, actor, &space, content).await?;
                Ok(Ready::NewSpace(Box::new(space), content))
            }
            (Destination::Space(id), base) => {
                let space = open::space(&mut *tx, actor, &id, |may| may.edit).await?;
                unlocked(&space)?;
                let base = Base::load(&mut *tx, &id, base.as_ref().unwrap_or(&space.revision)).await?;
                let about = About::edits(self.ids.make(), &id, &base, actor, at);
                let seen = base.revision.clone().unwrap_or_else(|| space.revision.clone());
                let content = content.prepare(&mut *tx, &base, about, Some(space.language)).await?;
                Ok(Ready::Space(id, seen, content))
            }
        }
    }

    /// What the destination holds, and at which revision.
    async fn previous(
        &self,
        actor: &Actor,
        destination: &Destination,
    ) -> Result<(Previous, Option<RevisionId>), Error> {
        let mut tx = self.store.read().await?;
        match destination {
            Destination::NewSpace { organization, .. } => {
                open::organization(&mut *tx, actor, organization, |may| may.create_content).await?;
                Ok((Previous::default(), None))
            }
            Destination::Space(id) => {
                open::space(&mut *tx, actor, id, |may| may.edit).await?;
                let mut opened = open_at(&mut *tx, actor, id, &At::Primary).await?;
                let previous = opened.read(&mut *tx, |snapshot, objects| Previous::read(snapshot, objects)).await?;
                Ok((previous, Some(opened.revision.id)))
            }
        }
    }

    /// The files of an export of a revision, sorted by path. Blobs are read from the port by their hash.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space or the revision.
    pub async fn export(&self, actor: &Actor, space: &SpaceId, at: &At) -> Result<Vec<ExportFile>, Error> {
        let mut tx = self.store.read().await?;
        let mut opened = open_at(&mut *tx, actor, space, at).await?;
        let content = opened.read(&mut *tx, |snapshot, objects| export::Content::read(snapshot, objects)).await?;
        Ok(export(&content))
    }
}
