//! Import and export between a repository of Markdown files and the content of a space.
use super::ahead::Ahead;
use super::read::{At, Content, open_at};
use super::write::{About, Base, NewContent, Prepared, advance, unlocked};
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::export::{self, ExportFile, Exporting, Linked};
use crate::content::import::{ImportError, Imported, Importing, Maker, Plan, Previous, Renames, Report, Source};
use crate::content::object::{MemoryObjects, Read, Scratch};
use crate::id::{OrganizationId, RevisionId, SpaceId};
use crate::space::{NewSpace, Space};
use crate::text::{Invalid, SpaceTitle};
use crate::usecases::compute::compute;
use crate::usecases::{Error, open, spaces};
use chrono::{DateTime, Utc};

/// The destination of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A new space of an organization, with this title or the title of the source.
    NewSpace {
        /// The organization.
        organization: OrganizationId,
        /// The title.
        title: Option<SpaceTitle>,
    },
    /// An existing space. Its content becomes that of the source. Pages from the same file keep their id.
    Space(SpaceId),
}

/// Number of files that are read before their objects are stored.
const FILES: usize = 32;
/// The same limit in bytes of objects.
const READ_AHEAD: usize = 512 * 1024;

/// The progress of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Reads pages and stores their texts: done, total.
    Reading(usize, usize),
    /// Stores files: done, total.
    Files(usize, usize),
    /// Writes the revision.
    Writing,
}

/// What an import stores: a new space with its content, or the next content of a space with the revision that it is
/// based on.
enum Ready {
    NewSpace(Box<Space>, Prepared),
    Space(SpaceId, RevisionId, Prepared),
}

impl Ready {
    fn content(&mut self) -> &mut Prepared {
        match self {
            Self::NewSpace(_, content) | Self::Space(_, _, content) => content,
        }
    }
}

/// The result of an import.
#[derive(Debug)]
pub struct Import {
    /// The space.
    pub space: Granted<Space>,
    /// Its new primary revision.
    pub revision: RevisionId,
    /// The warnings of the import.
    pub report: Report,
}

impl Content {
    /// Imports a source as one revision, completely or not at all.
    ///
    /// Reads the source with blocking calls, so it must be called from a command line or a background job.
    ///
    /// # Errors
    /// [`Error::NotFound`] and [`Error::Forbidden`] for the destination; [`Error::Invalid`] if the source cannot be
    /// imported; [`Error::Conflict`] if the space changed during the import or is locked.
    pub async fn import(
        &self,
        actor: &Actor,
        destination: Destination,
        source: &dyn Source,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Import, Error> {
        let (previous, base) = self.previous(actor, &destination).await?;
        let at = self.clock.now();
        let mut ahead = Ahead::new(&*self.store, &*self.clock, &*self.ids);
        let imported = self.read_source(actor, source, previous, at, &mut ahead, progress).await?;
        let Imported { title, mut edits, files, report } = imported;
        // Files are stored before the revision that refers to them. If no revision refers to a file in the end, it is
        // collected as garbage.
        for (done, file) in files.iter().enumerate() {
            progress(Progress::Files(done, files.len()));
            let bytes = source.read(&file.path).map_err(|error| Invalid::new("source", error.to_string()))?;
            edits.files.insert(file.id.clone(), Some(file.entry(&bytes)));
            self.files.put(bytes).await?;
        }
        progress(Progress::Writing);
        let content = NewContent { edits, objects: ahead.rest().await?, git: None };
        let mut prepared = self.prepare_import(actor, destination, title, source.name(), content, base, at).await?;
        prepared.content().send_ahead(&mut ahead).await?;
        let mut tx = open::write(&*self.store, &*self.clock, actor).await?;
        ahead.check()?;
        // Reading the source may have taken long; the log gets the time when it was done.
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
                        "the content of the space changed during the import: start the import again".into(),
                    ));
                }
                advance(&mut *tx, &*self.ids, actor, space.entity_mut(), content, done).await?;
                space
            }
        };
        tx.commit().await?;
        ahead.release().await;
        Ok(Import { revision: space.revision.clone(), space, report })
    }

    /// Reads a source file by file, and stores the objects on the way, so that little remains to be stored in the end.
    async fn read_source(
        &self,
        actor: &Actor,
        source: &dyn Source,
        mut previous: Previous,
        at: DateTime<Utc>,
        ahead: &mut Ahead<'_>,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Imported, Error> {
        let mut plan = Plan::of(source).map_err(refused)?;
        let pages = plan.pages();
        self.find_renames(&plan, &mut previous).await?;
        let mut ids = || self.ids.next();
        let maker = Maker { ids: &mut ids, at, author: actor.user().cloned() };
        let mut importing = Importing::new(&mut plan, &previous, maker);
        loop {
            progress(Progress::Reading(importing.done(), pages.max(importing.done())));
            let mut before = MemoryObjects::default();
            let (needed, steps) = importing.needs(FILES);
            if !needed.is_empty() {
                before.extend(self.store.ask().await?.content().objects(&needed).await?);
            }
            let mut scratch = Scratch::new(&before);
            let mut more = true;
            for _ in 0..steps {
                more = importing.step(&mut scratch).map_err(refused)?;
                if scratch.written_bytes() >= READ_AHEAD {
                    break;
                }
            }
            ahead.add(scratch.into_written()).await?;
            if !more {
                break;
            }
        }
        let nothing = MemoryObjects::default();
        let mut scratch = Scratch::new(&nothing);
        let imported = importing.finish(&mut scratch);
        ahead.add(scratch.into_written()).await?;
        Ok(imported)
    }

    /// Finds the files that `previous` had under other paths. Reads their stored texts a few at a time.
    async fn find_renames(&self, plan: &Plan<'_>, previous: &mut Previous) -> Result<(), Error> {
        let mut renames = Renames::of(plan, previous).map_err(refused)?;
        loop {
            let needed = renames.needs(FILES);
            if needed.is_empty() {
                break;
            }
            let mut texts = MemoryObjects::default();
            texts.extend(self.store.ask().await?.content().objects(&needed).await?);
            renames.read(&texts, FILES).map_err(|fault| Error::Corrupt(fault.to_string()))?;
        }
        renames.finish(previous);
        Ok(())
    }

    /// Computes what is stored, before the database is written to.
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

    /// The current content of the destination, and its revision.
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

    /// Exports a revision: passes its files to `write`, one after the other. The bytes of files are read from the file
    /// store by their hash.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space or the revision, before anything is written; the errors of `write`.
    pub async fn export<E: From<Error>>(
        &self,
        actor: &Actor,
        space: &SpaceId,
        at: &At,
        mut write: impl AsyncFnMut(ExportFile) -> Result<(), E>,
    ) -> Result<(), E> {
        let content = {
            let mut tx = self.store.read().await.map_err(Error::from)?;
            let mut opened = open_at(&mut *tx, actor, space, at).await?;
            opened.read(&mut *tx, |snapshot, objects| export::Content::read(snapshot, objects)).await?
        };
        let mut linked = Linked::of(&content);
        while self.over_texts(|objects| linked.listen(objects, FILES)).await? {}
        let mut exporting = Exporting::new(&content, linked);
        while self.over_texts(|objects| exporting.look_for_unlisted(objects)).await? {}
        while let Some(file) = self.over_texts(|objects| exporting.text(objects)).await? {
            write(file).await?;
        }
        for file in exporting.rest() {
            write(file).await?;
        }
        Ok(())
    }

    /// A computation over texts, which are not kept in memory afterwards.
    async fn over_texts<T>(&self, step: impl FnMut(&MemoryObjects) -> Read<T>) -> Result<T, Error> {
        let mut tx = self.store.read().await?;
        compute(&mut *tx, &mut MemoryObjects::default(), step).await
    }
}

/// The error of a source that cannot be imported.
fn refused(error: ImportError) -> Error {
    match error {
        ImportError::Stored(fault) => Error::Corrupt(fault.to_string()),
        error => Invalid::new("source", error.to_string()).into(),
    }
}
