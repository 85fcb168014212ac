//! The binary `octavo`: configuration, wiring and the command line.
mod cli;
mod commands;
mod compose;
mod config;
mod demo;
mod failure;
mod logging;
mod metrics;
mod output;

use std::process::ExitCode;

// Without huge pages (the feature `no_thp`): with them, the first few kilobytes of a thread take two megabytes, and no
// measurement showed a benefit.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = cli::Cli::read();
    let ended = run(cli).and_then(|code| match output::fault() {
        None => Ok(code),
        Some(fault) => Err(anyhow::anyhow!("cannot write the output: {fault}")),
    });
    ended.unwrap_or_else(|error| {
        output::Output::people().note(failure::explain(&error).trim_end());
        failure::exit_code(&error)
    })
}

fn run(cli: cli::Cli) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(commands::run(cli));
    // Does not wait for running work; everything that is not committed is rolled back.
    runtime.shutdown_background();
    ended
}
