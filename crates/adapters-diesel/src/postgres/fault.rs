//! What went wrong on PostgreSQL, told apart by SQLSTATE: texts are in the language of the server.
use crate::error::{internal, rule_of_key, unavailable};
use diesel::result::Error as DieselError;
use domain::ports::StoreError;
use tokio_postgres::error::{DbError, Severity, SqlState};

/// Why a statement has no answer.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The server refused it, or the connection broke.
    Server(tokio_postgres::Error),
    /// It could not be written down, or its rows could not be read.
    Form(DieselError),
}

impl Fault {
    fn told(&self) -> Option<&DbError> {
        match self {
            Self::Server(error) => error.as_db_error(),
            Self::Form(_) => None,
        }
    }

    /// Whether the connection is of no use any more. The server ends one with an error of its own kind.
    pub(crate) fn ends_the_connection(&self) -> bool {
        let fatal = |told: &DbError| matches!(told.parsed_severity(), Some(Severity::Fatal | Severity::Panic));
        matches!(self, Self::Server(_)) && self.told().is_none_or(fatal)
    }

    /// Whether the server is no primary: the old one after a failover.
    pub(crate) fn is_read_only(&self) -> bool {
        self.told().is_some_and(|told| *told.code() == SqlState::READ_ONLY_SQL_TRANSACTION)
    }

    /// What it means to the domain.
    pub(crate) fn into_store_error(self) -> StoreError {
        let ends = self.ends_the_connection();
        match self {
            Self::Form(error) => internal(error),
            Self::Server(error) => match error.as_db_error().map(|told| meaning(told.code(), || unique_rule(told))) {
                Some(Meaning::Conflict(rule)) => StoreError::Conflict(rule),
                Some(Meaning::Contended) => StoreError::Contended(error.into()),
                Some(Meaning::Full) => StoreError::Full(error.into()),
                Some(Meaning::Fault) if !ends => internal(error),
                Some(Meaning::Later | Meaning::Fault) | None => unavailable(error),
            },
        }
    }
}

/// What an SQLSTATE means to the domain.
#[derive(Debug, PartialEq, Eq)]
enum Meaning {
    /// A rule of the schema is broken.
    Conflict(String),
    /// Another unit of work was in the way.
    Contended,
    /// There is no room.
    Full,
    /// It may work later.
    Later,
    /// It never will.
    Fault,
}

/// See the appendix "PostgreSQL Error Codes" of its manual; the first two characters are the class.
fn meaning(code: &SqlState, rule: impl FnOnce() -> String) -> Meaning {
    match code.code() {
        "23505" => Meaning::Conflict(rule()),
        "23503" => Meaning::Conflict("reference".to_owned()),
        "40001" | "40P01" => Meaning::Contended,
        "53100" => Meaning::Full,
        // A server that became read-only, time that is up, a lock that others kept, a disk that fails.
        "25006" | "25P03" | "25P04" | "55P03" | "58030" => Meaning::Later,
        // Connections, resources, and what the operator does: cancelling, shutting down, starting.
        other if ["08", "53", "57"].iter().any(|class| other.starts_with(class)) => Meaning::Later,
        _ => Meaning::Fault,
    }
}

/// Names a unique rule as [`crate::error::rule_of_key`] does. The details say `Key (organization_id, slug)=(…) …` in
/// whatever language the server speaks; where it may not show the key, the name of the constraint has to do.
fn unique_rule(told: &DbError) -> String {
    rule_of_key(told.table(), told.detail()).unwrap_or_else(|| told.constraint().unwrap_or("unique").to_owned())
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
