//! `octavo export`: writes a space as a folder of Markdown.
use super::choose;
use crate::failure::Failure;
use crate::output::Output;
use adapters_files::target::{FolderTarget, TargetError};
use anyhow::Result;
use clap::Args;
use domain::actor::Actor;
use domain::content::export::{ExportFile, FileBody};
use domain::id::{RevisionId, SpaceId};
use domain::usecases::Error;
use domain::usecases::UseCases;
use domain::usecases::content::At;
use std::path::{Path, PathBuf};

/// The arguments of `octavo export`.
#[derive(Args, Debug)]
#[command(after_long_help = "Example:\n  octavo export 0198c5e0-7a1b-7c1e-9c7f-3f5a8d0e4b21 ./out")]
pub(crate) struct Export {
    /// The id of the space.
    space: SpaceId,

    /// The folder to write; it must not exist, or be empty.
    folder: PathBuf,

    /// The revision to export [default: the current one].
    #[arg(long, value_name = "ID")]
    revision: Option<RevisionId>,
}

impl Export {
    /// Runs the command.
    ///
    /// # Errors
    /// If nothing was exported.
    pub(crate) async fn run(self, use_cases: &UseCases) -> Result<()> {
        let at = self.revision.clone().map_or(At::Primary, At::Revision);
        let mut folder = Folder::new(&self.folder, None);
        let content = &use_cases.content;
        let written =
            content.export(&Actor::Operator, &self.space, &at, async |file| folder.write(use_cases, file).await);
        written.await.map_err(|error| match error.downcast::<Error>() {
            Ok(Error::NotFound("space")) => choose::no_space(&self.space).into(),
            Ok(error) => Failure::new(format!("cannot export space {}", self.space)).because(error).into(),
            Err(failure) => failure,
        })?;
        let count = folder.finish()?;
        let files = if count == 1 { "file" } else { "files" };
        Output::people().line(format_args!("Exported {count} {files} to {}", self.folder.display()));
        Ok(())
    }
}

/// The output folder, created with the first file.
pub(super) struct Folder<'p> {
    path: &'p Path,
    /// What an earlier export has in it, if the folder may replace one.
    mark: Option<&'static str>,
    target: Option<FolderTarget>,
    count: usize,
}

impl<'p> Folder<'p> {
    pub(super) fn new(path: &'p Path, mark: Option<&'static str>) -> Self {
        Self { path, mark, target: None, count: 0 }
    }

    fn create(&self) -> Result<FolderTarget> {
        Ok(match self.mark {
            Some(mark) => FolderTarget::replacing(self.path, mark)?,
            None => FolderTarget::create(self.path)?,
        })
    }

    pub(super) async fn write(&mut self, use_cases: &UseCases, file: ExportFile) -> Result<()> {
        self.count += 1;
        self.put(use_cases, file).await.map_err(|error| self.unwritable(error))
    }

    async fn put(&mut self, use_cases: &UseCases, ExportFile { path, body }: ExportFile) -> Result<()> {
        // Reads of SQLite and writes to a folder never wait, and a signal is noticed only while the export does.
        tokio::task::yield_now().await;
        let target = match self.target.take() {
            Some(target) => target,
            None => self.create()?,
        };
        let target = self.target.insert(target);
        match body {
            FileBody::Text(text) => target.write(&path, &text)?,
            FileBody::Blob { hash, size } => {
                let mut file = target.file(&path)?;
                let mut blob = use_cases.files.open(&hash, 0, size).await?;
                loop {
                    let chunk = blob.chunk().await?;
                    if chunk.is_empty() {
                        break;
                    }
                    file.write(&chunk)?;
                }
                file.close()?;
            }
        }
        Ok(())
    }

    /// Finishes the folder, also without files. Returns the number of files.
    pub(super) fn finish(mut self) -> Result<usize> {
        let target = match self.target.take() {
            Some(target) => Ok(target),
            None => self.create(),
        };
        let finished = target.and_then(|target| Ok(target.finish()?));
        finished.map(|_finished| self.count).map_err(|error| self.unwritable(error))
    }

    fn unwritable(&self, error: anyhow::Error) -> anyhow::Error {
        let advice = match error.downcast_ref() {
            Some(TargetError::Unfinished(_)) => "delete that folder, unless another export is running",
            _ => "name a folder that does not exist or is empty, and that this user can write to",
        };
        Failure::new(format!("cannot export to {}", self.path.display())).advise(advice).because(error).into()
    }
}
