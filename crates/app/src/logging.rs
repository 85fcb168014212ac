//! The log: structured, on the standard error, without secrets.
use crate::config::{LogFormat, Shared};
use std::backtrace::{Backtrace, BacktraceStatus};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tracing::Subscriber;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::{MakeWriter, SubscriberBuilder};

/// Filters for useless lines of libraries at the level `info`: their start, and invalid HTTP of clients (these requests
/// get a response and are counted).
const QUIET: &str = "actix_server=warn,actix_http=off";

/// Lines that could not be written.
static LOST: AtomicU64 = AtomicU64::new(0);

/// The number of log lines that could not be written, for example because the disk is full or the reader has ended.
pub(crate) fn lines_lost() -> u64 {
    LOST.load(Relaxed)
}

/// Installs the log. `default_level` applies if the settings have no level.
pub(crate) fn install(shared: &Shared, default_level: &str) {
    let filter = filter(shared.log_level.as_deref().unwrap_or(default_level));
    // This fails only if a log is already installed.
    let _installed = tracing::subscriber::set_global_default(subscriber(
        filter,
        shared.log_format,
        std::io::stderr().is_terminal() && !is_colourless(std::env::var_os("NO_COLOR")),
        || LossyWriter(std::io::stderr()),
    ));
    std::panic::set_hook(Box::new(log_panic));
}

/// Whether a value of `NO_COLOR` asks for output without colours (no-color.org).
fn is_colourless(value: Option<OsString>) -> bool {
    value.is_some_and(|value| !value.is_empty())
}

fn subscriber<W>(filter: EnvFilter, format: LogFormat, colours: bool, writer: W) -> Box<dyn Subscriber + Send + Sync>
where
    W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
{
    let log: SubscriberBuilder<_, _, _, _> = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        .with_span_events(FmtSpan::NONE)
        // Otherwise it would report a failed write to the standard error on the standard error, and panic.
        .log_internal_errors(false);
    match format {
        LogFormat::Json => {
            Box::new(log.json().flatten_event(true).with_current_span(true).with_span_list(false).finish())
        }
        LogFormat::Pretty => Box::new(log.compact().with_ansi(colours).finish()),
    }
}

fn filter(level: &str) -> EnvFilter {
    let plain = !level.contains(['=', ',']);
    let directives =
        if plain && level.eq_ignore_ascii_case("info") { format!("{level},{QUIET}") } else { level.to_owned() };
    EnvFilter::new(directives)
}

/// Writes lines, and counts the lines that cannot be written instead of failing: a server that cannot log continues.
struct LossyWriter<W>(W);

impl<W: Write> Write for LossyWriter<W> {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        if self.0.write_all(line).is_err() {
            LOST.fetch_add(1, Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let _lost = self.0.flush();
        Ok(())
    }
}

/// Logs a panic, since a panic is a defect that the operator must see. This must not panic, which would end the
/// process.
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

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use std::io::{Error, ErrorKind};
    use std::panic::catch_unwind;

    /// A disk without space, or a pipe without a reader.
    #[derive(Clone, Copy)]
    struct Refuses(ErrorKind);

    impl Write for Refuses {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(Error::from(self.0))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Err(Error::from(self.0))
        }
    }

    #[rstest]
    #[case(None, false)]
    #[case(Some(""), false)]
    #[case(Some("1"), true)]
    fn colours_can_be_switched_off(#[case] value: Option<&str>, #[case] colourless: bool) {
        assert_eq!(is_colourless(value.map(OsString::from)), colourless);
    }

    #[rstest]
    fn a_panic_whose_line_cannot_be_written_is_no_second_panic(
        #[values(ErrorKind::StorageFull, ErrorKind::BrokenPipe)] fault: ErrorKind,
        #[values(LogFormat::Json, LogFormat::Pretty)] format: LogFormat,
    ) {
        let subscriber = subscriber(filter("info"), format, false, move || LossyWriter(Refuses(fault)));
        let before = lines_lost();
        let default = std::panic::take_hook();
        std::panic::set_hook(Box::new(log_panic));
        // A second panic would end this process.
        let caught = tracing::subscriber::with_default(subscriber, || {
            tracing::warn!("a warning");
            catch_unwind(|| panic!("a fault"))
        });
        std::panic::set_hook(default);
        assert!(caught.is_err());
        assert!(lines_lost() >= before + 2, "both lines are counted");
    }
}
