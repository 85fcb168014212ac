//! A log that cannot be written does not affect anything else.
use crate::harness::{Octavo, free_address, get};
use rstest::rstest;
use std::fs::OpenOptions;
use std::io::{PipeReader, pipe};
use std::process::Stdio;

/// A full disk.
fn full() -> (Stdio, Option<PipeReader>) {
    (OpenOptions::new().write(true).open("/dev/full").unwrap().into(), None)
}

/// A program that reads for a while, then ends.
fn piped() -> (Stdio, Option<PipeReader>) {
    let (reader, writer) = pipe().unwrap();
    (writer.into(), Some(reader))
}

#[rstest]
#[case::a_full_disk(full())]
#[case::a_reader_that_is_gone(piped())]
fn a_server_that_cannot_log_continues(
    #[case] log: (Stdio, Option<PipeReader>),
    #[values("pretty", "json")] format: &str,
) {
    let (octavo, token) = Octavo::started_once();
    // Set too late, which the log warns about.
    let octavo = octavo.with("OCTAVO_ADMIN_TOKEN", "a-token-that-comes-too-late").with("OCTAVO_LOG", "debug");
    let metrics = free_address();
    let (log, reader) = log;
    let server = octavo.start_logging_to(log, &["serve", "--log-format", format, "--metrics-listen", &metrics]);
    drop(reader);
    for _ in 0..20 {
        assert_eq!(server.get("/v1/user", &token).status, 200);
        assert_eq!(server.get("/v1/user", "wrong").status, 401);
        assert_eq!(server.get("/nothing", "").status, 404);
    }
    let page = get(&metrics, "/metrics", "").body;
    let lost = page.lines().find_map(|line| line.strip_prefix("octavo_log_lines_lost_total ")).expect("it is counted");
    assert!(lost.parse::<u64>().unwrap() >= 60, "a line a request: {lost}");
    server.stop().fine();
}
