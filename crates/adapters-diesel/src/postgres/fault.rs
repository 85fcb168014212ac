//! Errors of PostgreSQL, classified by SQLSTATE: their texts are in the language of the server.
use crate::error::{internal, rule_of_key, unavailable};
use diesel::result::Error as DieselError;
use domain::ports::StoreError;
use tokio_postgres::error::{DbError, Severity, SqlState};

/// Why a statement failed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The server refused it, or the connection failed.
    Server(tokio_postgres::Error),
    /// The unit of work has not begun: its connection is lost, or in another state than expected, for example in the
    /// aborted transaction of an earlier unit of work whose `ROLLBACK` was cancelled.
    NotBegun(tokio_postgres::Error),
    /// It could not be encoded, or its rows could not be decoded.
    Form(DieselError),
}

impl Fault {
    fn db_error(&self) -> Option<&DbError> {
        match self {
            Self::Server(error) | Self::NotBegun(error) => error.as_db_error(),
            Self::Form(_) => None,
        }
    }

    /// The fault of what begins a unit of work.
    pub(super) fn not_begun(self) -> Self {
        match self {
            Self::Server(error) => Self::NotBegun(error),
            other => other,
        }
    }

    /// Whether the server has answered with an error. Then the statement has changed nothing, and nor do the later ones
    /// of its transaction.
    pub(super) fn is_an_answer(&self) -> bool {
        self.db_error().is_some()
    }

    /// Whether the connection can no longer be used. The server reports this with a special kind of error.
    pub(crate) fn ends_the_connection(&self) -> bool {
        let fatal = |error: &DbError| matches!(error.parsed_severity(), Some(Severity::Fatal | Severity::Panic));
        match self {
            Self::Server(_) => self.db_error().is_none_or(fatal),
            Self::NotBegun(_) => true,
            Self::Form(_) => false,
        }
    }

    /// Whether the connection is in an aborted transaction.
    pub(super) fn is_in_an_aborted_transaction(&self) -> bool {
        self.db_error().is_some_and(|error| *error.code() == SqlState::IN_FAILED_SQL_TRANSACTION)
    }

    /// Whether the server is not a primary: for example the old one after a failover.
    pub(crate) fn is_read_only(&self) -> bool {
        self.db_error().is_some_and(|error| *error.code() == SqlState::READ_ONLY_SQL_TRANSACTION)
    }

    /// Maps the error to one of the domain.
    pub(crate) fn into_store_error(self) -> StoreError {
        let ends = self.ends_the_connection();
        match self {
            Self::Form(error) => internal(error),
            Self::Server(error) | Self::NotBegun(error) => {
                match error.as_db_error().map(|error| meaning(error.code(), || unique_rule(error))) {
                    Some(Meaning::Conflict(rule)) => StoreError::Conflict(rule),
                    Some(Meaning::Contended) => StoreError::Contended(error.into()),
                    Some(Meaning::Full) => StoreError::Full(error.into()),
                    Some(Meaning::Fault) if !ends => internal(error),
                    Some(Meaning::Later | Meaning::Fault) | None => unavailable(error),
                }
            }
        }
    }
}

/// The meaning of an SQLSTATE for the domain.
#[derive(Debug, PartialEq, Eq)]
enum Meaning {
    /// A violated rule of the schema, with its name.
    Conflict(String),
    /// A conflict with another unit of work.
    Contended,
    /// The disk is full.
    Full,
    /// A temporary failure.
    Later,
    /// A permanent failure: a defect.
    Fault,
}

/// See the appendix "PostgreSQL Error Codes" of the PostgreSQL manual; the first two characters are the class.
fn meaning(code: &SqlState, rule: impl FnOnce() -> String) -> Meaning {
    match code.code() {
        "23505" => Meaning::Conflict(rule()),
        "23503" => Meaning::Conflict("reference".to_owned()),
        "40001" | "40P01" => Meaning::Contended,
        "53100" => Meaning::Full,
        // A server that became read-only, a timeout, a lock held by another unit of work, a failing disk.
        "25006" | "25P03" | "25P04" | "55P03" | "58030" => Meaning::Later,
        // Connections, resources, and actions of the operator: cancelling, shutting down, starting.
        other if ["08", "53", "57"].iter().any(|class| other.starts_with(class)) => Meaning::Later,
        _ => Meaning::Fault,
    }
}

/// The name of a unique rule, as in [`crate::error::rule_of_key`]. The detail is `Key (organization_id, slug)=(…) …` in
/// the language of the server. If the server must not show the key, the name is that of the constraint.
fn unique_rule(error: &DbError) -> String {
    rule_of_key(error.table(), error.detail()).unwrap_or_else(|| error.constraint().unwrap_or("unique").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::deadlock("40P01", Meaning::Contended)]
    #[case::serialization("40001", Meaning::Contended)]
    #[case::disk_full("53100", Meaning::Full)]
    #[case::out_of_memory("53200", Meaning::Later)]
    #[case::too_many_connections("53300", Meaning::Later)]
    #[case::cancelled("57014", Meaning::Later)]
    #[case::shutdown("57P01", Meaning::Later)]
    #[case::crash("57P02", Meaning::Later)]
    #[case::starting("57P03", Meaning::Later)]
    #[case::io_error("58030", Meaning::Later)]
    #[case::lock_timeout("55P03", Meaning::Later)]
    #[case::connection("08006", Meaning::Later)]
    #[case::unique("23505", Meaning::Conflict("rule".into()))]
    #[case::reference("23503", Meaning::Conflict("reference".into()))]
    #[case::no_such_column("42703", Meaning::Fault)]
    #[case::damaged("XX001", Meaning::Fault)]
    fn each_code_has_one_meaning(#[case] code: &str, #[case] means: Meaning) {
        assert_eq!(meaning(&SqlState::from_code(code), || "rule".into()), means);
    }
}
