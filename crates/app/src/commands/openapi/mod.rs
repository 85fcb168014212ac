//! `octavo openapi`: OpenAPI documents: checking, comparing and publishing them; and the document of the API itself.
mod check;
mod diff;
mod document;
mod publish;
mod server;
mod target;

use crate::config::Place;
use crate::output::Output;
use anyhow::Result;
use check::Check;
use clap::Subcommand;
use diff::Compare;
use publish::Publish;
use std::process::ExitCode;

/// The exit code for a document that breaks a rule of OpenAPI.
const FAULTY: u8 = 3;
/// The exit code for changes that break callers.
const BREAKING: u8 = 4;
/// The exit code for a source that was not processed in time.
const LATE: u8 = 5;

#[derive(Debug, Subcommand)]
pub(crate) enum OpenapiCommand {
    /// Print the OpenAPI document of the API of Octavo.
    #[command(after_long_help = "Example:\n  octavo openapi print > openapi.json")]
    Print,

    /// Check an OpenAPI document: report its errors with their positions.
    ///
    /// Reads JSON and YAML, OpenAPI 2.0 to 3.2, and the local files that the document refers to; fetches nothing. The
    /// exit code is 3 if the document breaks a rule of OpenAPI, and 4 if it has breaking changes against another one;
    /// warnings and hints alone are no failure.
    #[command(after_long_help = "\
Examples:
  octavo openapi check openapi.yaml
  octavo openapi check openapi.yaml --against released.yaml
  octavo openapi check openapi.yaml --json")]
    Check(Check),

    /// Compare two OpenAPI documents: what changed, and whether it breaks callers.
    ///
    /// Reads what `octavo openapi check` reads. The exit code is 0, whatever changed.
    #[command(after_long_help = "\
Examples:
  octavo openapi diff released.yaml openapi.yaml
  octavo openapi diff old.yaml new.yaml --format markdown >> CHANGELOG.md
  octavo openapi diff released.yaml openapi.yaml --format github")]
    Diff(Compare),

    /// Publish an OpenAPI document as a version of a spec.
    ///
    /// The document is checked first, and compared with the newest version. Local files that it refers to are sent with
    /// it. Nothing is sent if nothing changed.
    ///
    /// Without --server, the version is added to the data folder. With --server, it is sent to a running server over
    /// its API, with the token of the environment variable OCTAVO_TOKEN.
    ///
    /// Exit codes: 0 published, or nothing changed; 1 failure; 2 wrong command line; 3 the document is faulty, see
    /// --fail-on; 4 breaking changes, see --fail-on; 5 not processed in time. With 3 and 4, nothing was published.
    #[command(after_long_help = "\
Examples:
  octavo openapi publish openapi.yaml --slug pets
  octavo openapi publish openapi.yaml --slug pets --fail-on breaking
  octavo openapi publish openapi.yaml --slug pets --accept accepted.txt
  OCTAVO_TOKEN=octavo_… octavo openapi publish openapi.yaml --slug pets \\
    --server https://docs.example.org
  octavo openapi publish https://api.example.org/openapi.json --slug pets")]
    Publish(Publish),
}

impl OpenapiCommand {
    pub(crate) async fn run(self, place: &Place) -> Result<ExitCode> {
        match self {
            Self::Print => {
                Output::people().exact(api_actix::openapi_document(env!("CARGO_PKG_VERSION")));
                Ok(ExitCode::SUCCESS)
            }
            Self::Check(check) => check.run(),
            Self::Diff(compare) => compare.run(),
            Self::Publish(publish) => publish.run(place).await,
        }
    }
}
