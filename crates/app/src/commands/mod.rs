//! The commands. Each works directly on the data, with the rights of the operator.
pub(crate) mod access;
pub(crate) mod audit;
mod choose;
pub(crate) mod conversations;
pub(crate) mod engine;
pub(crate) mod export;
pub(crate) mod fonts;
pub(crate) mod import;
pub(crate) mod jobs;
pub(crate) mod member;
pub(crate) mod openapi;
mod serve;
pub(crate) mod site;
pub(crate) mod token;
pub(crate) mod translations;
pub(crate) mod user;

use crate::cli::{Cli, Command};
use crate::compose::{open_for_command, open_for_sites};
use crate::config::Place;
use crate::failure::Failure;
use crate::logging;
use anyhow::Result;
use http_server::StopSignals;
use std::process::ExitCode;

/// Runs one command.
///
/// # Errors
/// An error for the operator.
pub(crate) async fn run(Cli { shared, command }: Cli) -> Result<ExitCode> {
    let serves = matches!(command, Command::Serve(_) | Command::Demo(_));
    logging::install(&shared, if serves { "info" } else { "warn" });
    let place = Place::new(&shared)?;
    match command {
        Command::Serve(serve) => Box::pin(serve::serve(place, serve.check()?)).await?,
        Command::Demo(serve) => Box::pin(serve::demo(place, serve.check()?)).await?,
        Command::Import(import) => return Box::pin(import.run(&place)).await,
        Command::Export(export) => stoppable(Box::pin(export.run(&open_for_command(&place).await?))).await?,
        Command::Token(command) => Box::pin(command.run(&open_for_command(&place).await?)).await?,
        Command::User(command) => Box::pin(command.run(&open_for_command(&place).await?)).await?,
        Command::Member(command) => Box::pin(command.run(&open_for_command(&place).await?)).await?,
        Command::Conversations(command) => Box::pin(command.run(&open_for_command(&place).await?)).await?,
        Command::Site(command) => {
            let use_cases = open_for_sites(&place, command.hosting()).await?;
            Box::pin(command.run(&use_cases)).await?;
        }
        Command::Access(command) => Box::pin(command.run(&open_for_command(&place).await?)).await?,
        Command::Audit(command) => Box::pin(command.run(&open_for_command(&place).await?)).await?,
        Command::Translations(command) => Box::pin(command.run(&open_for_command(&place).await?)).await?,
        Command::Engine(command) => Box::pin(command.run()).await?,
        Command::Fonts(command) => return command.run(),
        Command::Jobs(command) => Box::pin(command.run(&open_for_command(&place).await?)).await?,
        Command::Openapi(command) => return Box::pin(command.run(&place)).await,
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs an export until it ends or a signal stops it. A stopped export is dropped, which deletes its unfinished folder.
async fn stoppable(export: impl Future<Output = Result<()>>) -> Result<()> {
    let mut signals = StopSignals::listen()?;
    tokio::select! {
        ended = export => ended,
        signal = signals.next() => {
            let failure = Failure::new(format!("the export was stopped by {}", signal.as_str()));
            Err(failure.advise("nothing was exported; run the command again").into())
        }
    }
}
