//! The log: structured, to the standard error, never with a secret in it.
use crate::config::{LogFormat, Shared};
use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::IsTerminal;
use std::panic::PanicHookInfo;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// What libraries say at the level `info` that tells an operator nothing: how they start, and what clients send that is
/// no HTTP (those requests are answered, and counted).
const QUIET: &str = "actix_server=warn,actix_http=off";

/// Sends the log where it belongs. `default_level` applies when the settings name none.
pub(crate) fn install(shared: &Shared, default_level: &str) {
    let filter = filter(shared.log_level.as_deref().unwrap_or(default_level));
    let log =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_span_events(FmtSpan::NONE);
    match shared.log_format {
        LogFormat::Json => log.json().flatten_event(true).with_current_span(true).with_span_list(false).init(),
        LogFormat::Pretty => log.compact().with_ansi(std::io::stderr().is_terminal()).init(),
    }
    std::panic::set_hook(Box::new(log_panic));
}

fn filter(level: &str) -> EnvFilter {
    let plain = !level.contains(['=', ',']);
    let directives =
        if plain && level.eq_ignore_ascii_case("info") { format!("{level},{QUIET}") } else { level.to_owned() };
    EnvFilter::new(directives)
}

/// A panic is a defect: it goes to the log, like everything an operator must see.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("no message");
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let thread = std::thread::current();
    let thread = thread.name().unwrap_or("unnamed");
    let trace = Backtrace::capture();
    if trace.status() == BacktraceStatus::Captured {
        tracing::error!(place, thread, %trace, "panic: {message}");
    } else {
        tracing::error!(place, thread, "panic: {message}");
    }
}
