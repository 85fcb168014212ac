//! Import and export between a repository of Markdown files and the content of a space.
use super::ahead::Ahead;
use super::read::{At, Content, LoadedRevision};
use super::write::{Base, Indexed, NewContent, RevisionMetadata, Step, advance, unlocked};
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::export::{self, ExportFile, Exporting, Linked};
use crate::content::import::{ImportError, Imported, Importing, Maker, Plan, Previous, Renames, Report, Source};
use crate::content::object::{MemoryObjects, Read, Scratch};
use crate::id::{OrganizationId, RevisionId, SpaceId};
use crate::space::{NewSpace, Space};
use crate::text::{Invalid, SpaceTitle};
use crate::usecases::work::Work;
use crate::usecases::{Error, spaces};
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

/// The prepared result of an import: a new space with its content, or the next content of a space with the revision
/// that it is based on.
enum Ready {
    NewSpace(Box<Space>, Step),
    Space(SpaceId, RevisionId, Step),
}

impl Ready {
    fn content(&mut self) -> &mut Step {
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
        let at = self.units.clock.now();
        let mut ahead = Ahead::new(&self.units);
        let imported = self.read_source(actor, source, previous, at, &mut ahead, progress).await?;
        let Imported { title, mut edits, files, report } = imported;
        // Files are stored before the revision that refers to them. A file that no revision refers to in the end is
        // collected as garbage.
        for (done, file) in files.iter().enumerate() {
            progress(Progress::Files(done, files.len()));
            let bytes = source.read(&file.path).map_err(|error| Invalid::new("source", error.to_string()))?;
            edits.files.insert(file.id.clone(), Some(file.entry(&bytes)));
            self.files.put(bytes).await?;
        }
        progress(Progress::Writing);
        let content = NewContent { edits, objects: ahead.rest().await?, git: None };
        let prepared = self.units.read(actor).await?.at(at);
        let mut prepared =
            prepare_import(prepared, destination, title.as_deref().unwrap_or(source.name()), content, base).await?;
        prepared.content().send_ahead(&mut ahead).await?;
        let mut work = self.units.write(actor).await?;
        ahead.check()?;
        let space = match prepared {
            Ready::NewSpace(space, content) => {
                work.lock(&[(&space.organization).into()]).await?;
                work.organization(&space.organization, |may| may.create_content).await?;
                // Reading the source may take long; the space gets the time of its end.
                let done = work.now();
                let space = Space { created_at: done, updated_at: done, ..*space };
                spaces::create(&mut work, space, content).await?
            }
            Ready::Space(id, base, content) => {
                work.lock(&[(&id).into()]).await?;
                let mut space = work.space(&id, |may| may.edit).await?;
                if base != space.revision {
                    return Err(Error::Conflict(
                        "the content of the space changed during the import: start the import again".into(),
                    ));
                }
                advance(&mut work, space.entity_mut(), content).await?;
                space
            }
        };
        work.commit_and_release(ahead.into_stored()).await?;
        Ok(Import { revision: space.revision.clone(), space, report })
    }

    /// Reads a source file by file, and stores the objects while reading, so that little remains to be stored in the
    /// end.
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
        let mut ids = || self.units.ids.next();
        let maker = Maker { ids: &mut ids, at, author: actor.user().cloned() };
        let mut importing = Importing::new(&mut plan, &previous, maker);
        loop {
            progress(Progress::Reading(importing.done(), pages.max(importing.done())));
            let mut before = MemoryObjects::default();
            let (needed, steps) = importing.needs(FILES);
            if !needed.is_empty() {
                before.extend(self.units.store.query().await?.content().objects(&needed).await?);
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
            texts.extend(self.units.store.query().await?.content().objects(&needed).await?);
            renames.read(&texts, FILES).map_err(|fault| Error::Corrupt(fault.to_string()))?;
        }
        renames.finish(previous);
        Ok(())
    }

    /// The current content of the destination, and its revision.
    async fn previous(
        &self,
        actor: &Actor,
        destination: &Destination,
    ) -> Result<(Previous, Option<RevisionId>), Error> {
        let mut work = self.units.read(actor).await?;
        match destination {
            Destination::NewSpace { organization, .. } => {
                work.organization(organization, |may| may.create_content).await?;
                Ok((Previous::default(), None))
            }
            Destination::Space(id) => {
                let space = work.space(id, |may| may.edit).await?;
                let revision = space.revision.clone();
                let mut opened = LoadedRevision::load(&mut work, space, &revision).await?;
                let previous = opened.read(&mut work, |snapshot, objects| Previous::read(snapshot, objects)).await?;
                Ok((previous, Some(revision)))
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
            let mut open = self.open(actor, space, at).await?.load().await?;
            open.read(|snapshot, objects| export::Content::read(snapshot, objects)).await?
        };
        let mut linked = Linked::of(&content);
        while self.over_texts(actor, |objects| linked.read_texts(objects, FILES)).await? {}
        let mut exporting = Exporting::new(&content, linked);
        while self.over_texts(actor, |objects| exporting.find_unlisted(objects)).await? {}
        while let Some(file) = self.over_texts(actor, |objects| exporting.text(objects)).await? {
            write(file).await?;
        }
        for file in exporting.rest() {
            write(file).await?;
        }
        Ok(())
    }

    /// A computation over texts, which are not kept in memory afterwards.
    async fn over_texts<T>(&self, actor: &Actor, step: impl FnMut(&MemoryObjects) -> Read<T>) -> Result<T, Error> {
        let mut work = self.units.read(actor).await?;
        work.compute(&mut MemoryObjects::default(), step).await
    }
}

/// Computes the result of an import before anything is written. `title` is that of the source.
async fn prepare_import(
    mut work: Work<'_>,
    destination: Destination,
    title: &str,
    content: NewContent,
    base: Option<RevisionId>,
) -> Result<Ready, Error> {
    match destination {
        Destination::NewSpace { organization, title: wanted } => {
            let title = wanted.unwrap_or_else(|| SpaceTitle::fitted(title, "Documentation"));
            let new = NewSpace { title: Some(title), ..NewSpace::default() };
            let space = Space::new(work.ids.make(), organization, work.ids.make(), new, work.now());
            let content = spaces::first(&mut work, &space, content).await?;
            Ok(Ready::NewSpace(Box::new(space), content))
        }
        Destination::Space(id) => {
            let space = work.space(&id, |may| may.edit).await?;
            unlocked(&space)?;
            let seen = base.unwrap_or_else(|| space.revision.clone());
            let base = Base::load(&mut work, &id, &seen).await?;
            let metadata = RevisionMetadata::edits(&work, &id, &base);
            let indexed = Indexed::In(id.clone(), space.language);
            let content = content.prepare(&mut work, &space.organization, &base, metadata, indexed).await?;
            Ok(Ready::Space(id, seen, content))
        }
    }
}

/// The error of a source that cannot be imported.
fn refused(error: ImportError) -> Error {
    match error {
        ImportError::Stored(fault) => Error::Corrupt(fault.to_string()),
        error => Invalid::new("source", error.to_string()).into(),
    }
}
