//! What a person is told when a command does not work: what is wrong, why, and what to do next.
use domain::ports::StoreError;
use std::fmt;
use std::io::ErrorKind;
use std::process::ExitCode;

/// A command that did not work.
#[derive(Debug)]
pub(crate) struct Failure {
    problem: String,
    advice: Option<String>,
    usage: bool,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Failure {
    /// Something went wrong.
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), advice: None, usage: false, cause: None }
    }

    /// The command line or the environment is wrong.
    pub(crate) fn usage(problem: impl Into<String>) -> Self {
        Self { usage: true, ..Self::new(problem) }
    }

    /// Says what to do next.
    pub(crate) fn advise(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }

    /// Says why.
    pub(crate) fn because(self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { cause: Some(cause.into()), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_ref().map(|cause| &**cause as _)
    }
}

/// The lines for a person: the error with its causes, each said once, and the next step.
pub(crate) fn explain(error: &anyhow::Error) -> String {
    let mut said: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        // Many errors repeat what caused them.
        if !said.iter().any(|before| before.contains(&cause)) {
            said.push(cause);
        }
    }
    let mut lines = format!("error: {}\n", said.join(": "));
    let advice = if is_full(error) { Some(ROOM) } else { failure(error).and_then(|failure| failure.advice.as_deref()) };
    if let Some(advice) = advice {
        lines += &format!("  next: {advice}\n");
    }
    lines
}

/// What to do where there is no room, whatever else a failure advises.
const ROOM: &str = "the disk is full: make room on it, or choose another one; nothing that was there before is lost";

/// Whether there was no room on a disk.
fn is_full(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        matches!(io, Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded))
            || matches!(cause.downcast_ref(), Some(StoreError::Full(_)))
            // SQLite, which has no other language. What migrations run into has no kind of its own.
            || cause.to_string().contains("database or disk is full")
    })
}

/// 2 where the command line or the environment is wrong, 1 for every other failure.
pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(if failure(error).is_some_and(|failure| failure.usage) { 2 } else { 1 })
}

fn failure(error: &anyhow::Error) -> Option<&Failure> {
    error.chain().find_map(|cause| cause.downcast_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;
    use rstest::rstest;

    #[test]
    fn a_person_reads_what_why_and_what_next() {
        let failure = Failure::new("cannot listen on 127.0.0.1:80").advise("choose another port").because("in use");
        let error = anyhow::Error::new(failure).context("cannot start");
        assert_eq!(
            explain(&error),
            "error: cannot start: cannot listen on 127.0.0.1:80: in use\n  next: choose another port\n"
        );
        assert_eq!(exit_code(&error), ExitCode::from(1));
    }

    #[rstest]
    #[case::a_file(anyhow::Error::new(std::io::Error::from(ErrorKind::StorageFull)).context("cannot write ./secret"))]
    #[case::the_database(anyhow::Error::new(StoreError::Full("no room".into())).context("cannot make the administrator"))]
    #[case::a_migration(anyhow::anyhow!("Failed to run: database or disk is full").context("cannot use the database"))]
    #[case::with_other_advice(
        Failure::new("cannot use it").advise("check it").because(std::io::Error::from(ErrorKind::QuotaExceeded)).into()
    )]
    fn a_start_on_a_full_disk_says_so(#[case] error: anyhow::Error) {
        let told = explain(&error);
        assert!(told.contains("next: the disk is full") && !told.contains("check it"), "{told}");
    }

    #[test]
    fn a_cause_that_was_said_is_not_repeated() {
        let error = Err::<(), _>(anyhow::anyhow!("no such file")).context("cannot read a: no such file").unwrap_err();
        assert_eq!(explain(&error), "error: cannot read a: no such file\n");
    }

    #[test]
    fn a_wrong_command_line_has_its_own_exit_code() {
        assert_eq!(exit_code(&Failure::usage("--listen: wrong").into()), ExitCode::from(2));
    }
}
