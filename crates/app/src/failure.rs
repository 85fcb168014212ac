//! Errors of commands for people: what is wrong, why, and what to do next.
use domain::ports::StoreError;
use std::fmt;
use std::io::ErrorKind;
use std::process::ExitCode;

/// A failed command.
#[derive(Debug)]
pub(crate) struct Failure {
    problem: String,
    advice: Option<String>,
    usage: bool,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Failure {
    /// A failure with exit code 1.
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), advice: None, usage: false, cause: None }
    }

    /// A wrong command line or environment variable: exit code 2.
    pub(crate) fn usage(problem: impl Into<String>) -> Self {
        Self { usage: true, ..Self::new(problem) }
    }

    /// Adds the next step for the operator.
    pub(crate) fn advise(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }

    /// Adds the cause.
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

/// Formats an error for people: the error with its causes, each once, and the next step.
pub(crate) fn explain(error: &anyhow::Error) -> String {
    let mut said: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        // Many errors include the text of their cause.
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

/// The next step for a full disk; it replaces the advice of the failure.
const ROOM: &str = "the disk is full: free some space, or choose another disk; existing data is not lost";

/// Whether a disk was full.
fn is_full(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        matches!(io, Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded))
            || matches!(cause.downcast_ref(), Some(StoreError::Full(_)))
            // The text of SQLite, which is never translated. Errors of migrations have no error code.
            || cause.to_string().contains("database or disk is full")
    })
}

/// 2 for a wrong command line or environment variable, 1 for every other failure.
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
    fn an_error_shows_the_problem_the_cause_and_the_next_step() {
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
    fn a_start_on_a_full_disk_reports_it(#[case] error: anyhow::Error) {
        let told = explain(&error);
        assert!(told.contains("next: the disk is full") && !told.contains("check it"), "{told}");
    }

    #[test]
    fn a_cause_that_was_reported_is_not_repeated() {
        let error = Err::<(), _>(anyhow::anyhow!("no such file")).context("cannot read a: no such file").unwrap_err();
        assert_eq!(explain(&error), "error: cannot read a: no such file\n");
    }

    #[test]
    fn a_wrong_command_line_has_its_own_exit_code() {
        assert_eq!(exit_code(&Failure::usage("--listen: wrong").into()), ExitCode::from(2));
    }
}
