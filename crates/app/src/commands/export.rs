//! `octavo export`: a space becomes a folder of Markdown.
use crate::compose::Ports;
use crate::failure::Failure;
use crate::output::Output;
use adapters_files::target::FolderTarget;
use anyhow::Result;
use clap::Args;
use domain::actor::Actor;
use domain::content::export::{Body, ExportFile};
use domain::id::{RevisionId, SpaceId};
use domain::usecases::Error;
use domain::usecases::content::At;
use std::path::PathBuf;

/// `octavo export` as it is written.
#[derive(Args, Debug)]
#[command(after_long_help = "Example:\n  octavo export 0198c5e0-7a1b-7c1e-9c7f-3f5a8d0e4b21 ./out")]
pub(crate) struct Export {
    /// The id of the space.
    space: SpaceId,

    /// The folder: absent or empty.
    folder: PathBuf,

    /// Export this revision [default: the one that readers see].
    #[arg(long, value_name = "ID")]
    revision: Option<RevisionId>,
}

impl Export {
    /// Does it.
    ///
    /// # Errors
    /// When nothing was exported.
    pub(crate) async fn run(self, ports: &Ports) -> Result<()> {
        let at = self.revision.clone().map_or(At::Primary, At::Revision);
        let files = ports.content().export(&Actor::Operator, &self.space, &at).await.map_err(|error| {
            let failure = match &error {
                Error::NotFound("space") => Failure::new(format!("there is no space {}", self.space))
                    .advise("the id of a space is in every answer of the API, and in what its import printed"),
                _ => Failure::new(format!("cannot export space {}", self.space)).because(error),
            };
            anyhow::Error::from(failure)
        })?;
        let count = files.len();
        self.write(ports, files).await.map_err(|error| {
            Failure::new(format!("cannot export to {}", self.folder.display()))
                .advise("name a folder that is absent or empty, where this user can write")
                .because(error)
        })?;
        Output::people().line(format_args!("Exported {count} files to {}", self.folder.display()));
        Ok(())
    }

    async fn write(&self, ports: &Ports, files: Vec<ExportFile>) -> Result<()> {
        let mut target = FolderTarget::create(&self.folder)?;
        for ExportFile { path, body } in files {
            match body {
                Body::Text(text) => target.write(&path, &text)?,
                Body::Blob { hash, size } => {
                    let mut file = target.file(&path)?;
                    let mut blob = ports.files.open(&hash, 0, size).await?;
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
        }
        Ok(target.finish()?)
    }
}
