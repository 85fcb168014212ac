//! What an error of either database means to the domain.

use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind as Kind, Error as DieselError};
use domain::ports::{StoreError, StoreResult};

/// SQLite's way of saying that it cannot work now, but may later. diesel has no kinds for them.
const SQLITE_LATER: [&str; 4] =
    ["database is locked", "database table is locked", "database or disk is full", "disk I/O error"];

/// The same of PostgreSQL, where the connection lives on.
const POSTGRES_LATER: [&str; 3] = ["deadlock detected", "canceling statement due to", "could not serialize access"];

/// Translates a driver's error.
///
/// A broken unique rule is a [`StoreError::Conflict`] that names it alike on both databases, see [`unique_rule`].
pub(crate) fn store_error(error: DieselError) -> StoreError {
    let DieselError::DatabaseError(kind, info) = &error else { return StoreError::Internal(error.into()) };
    match kind {
        Kind::UniqueViolation => StoreError::Conflict(unique_rule(info.as_ref())),
        Kind::ForeignKeyViolation => StoreError::Conflict("reference".to_owned()),
        // A server that became read-only is the old primary after a failover.
        Kind::ClosedConnection | Kind::SerializationFailure | Kind::UnableToSendCommand | Kind::ReadOnlyTransaction => {
            StoreError::Unavailable(error.into())
        }
        _ if SQLITE_LATER.contains(&info.message())
            || POSTGRES_LATER.iter().any(|text| info.message().starts_with(text)) =>
        {
            StoreError::Unavailable(error.into())
        }
        _ => StoreError::Internal(error.into()),
    }
}

/// Translates an error after which the connection turned out to be dead: whatever the text, the database went away.
pub(crate) fn lost_connection(error: DieselError) -> StoreError {
    match store_error(error) {
        StoreError::Internal(source) => StoreError::Unavailable(source),
        other => other,
    }
}

/// Whether SQLite gave up waiting for another process's lock.
pub(crate) fn is_locked(error: &DieselError) -> bool {
    matches!(error, DieselError::DatabaseError(_, info) if info.message() == "database is locked")
}

/// Wraps any error as "try again later".
pub(crate) fn unavailable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Unavailable(error.into())
}

/// Wraps any error as a defect.
pub(crate) fn internal(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Internal(error.into())
}

/// Names a unique rule `table.column` or `table.column,column`, in the order of the index, on both databases.
///
/// SQLite says `UNIQUE constraint failed: spaces.organization_id, spaces.slug`. PostgreSQL says the table and, in the
/// details, `Key (organization_id, slug)=(…) already exists.` in whatever language it speaks; where it may not show the
/// key, the name of the constraint has to do.
fn unique_rule(info: &(dyn DatabaseErrorInformation + Send + Sync)) -> String {
    if let Some((_, columns)) = info.message().split_once("constraint failed: ") {
        let mut names = columns.split(", ");
        let first = names.next().unwrap_or_default().to_owned();
        return names
            .fold(first, |rule, name| rule + "," + name.rsplit_once('.').map_or(name, |(_table, column)| column));
    }
    let key = info.details().and_then(|text| Some(text.split_once('(')?.1.split_once(")=(")?.0));
    match (info.table_name(), key) {
        (Some(table), Some(key)) => format!("{table}.{}", key.replace(", ", ",")),
        _ => info.constraint_name().unwrap_or("unique").to_owned(),
    }
}

/// Gives a broken unique rule the name that the domain knows.
pub(crate) trait Meaning<T> {
    /// Renames a conflict on `rule` (`table.column`, see above) to `meaning`; everything else passes.
    fn meaning(self, rule: &str, meaning: &str) -> StoreResult<T>;
    /// Turns a conflict on the key of a row that was to be new into a fault: it is there, and was not locked.
    fn is_new(self, key: &str) -> StoreResult<T>;
}

impl<T> Meaning<T> for StoreResult<T> {
    fn meaning(self, rule: &str, meaning: &str) -> Self {
        self.map_err(|error| match error {
            StoreError::Conflict(name) if name == rule => StoreError::Conflict(meaning.to_owned()),
            other => other,
        })
    }

    fn is_new(self, key: &str) -> Self {
        self.map_err(|error| match error {
            StoreError::Conflict(name) if name == key => {
                internal(format!("{key}: it is there already, and was written without being locked"))
            }
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    struct Info(&'static str, Option<&'static str>, Option<&'static str>, Option<&'static str>);

    impl DatabaseErrorInformation for Info {
        fn message(&self) -> &str {
            self.0
        }
        fn details(&self) -> Option<&str> {
            self.1
        }
        fn hint(&self) -> Option<&str> {
            None
        }
        fn table_name(&self) -> Option<&str> {
            self.2
        }
        fn column_name(&self) -> Option<&str> {
            None
        }
        fn constraint_name(&self) -> Option<&str> {
            self.3
        }
        fn statement_position(&self) -> Option<i32> {
            None
        }
    }

    #[rstest]
    #[case::sqlite(Info("UNIQUE constraint failed: spaces.slug", None, None, None), "spaces.slug")]
    #[case::sqlite_two(Info("UNIQUE constraint failed: spaces.org, spaces.slug", None, None, None), "spaces.org,slug")]
    #[case::postgres(
        Info("duplicate key", Some("Key (org, slug)=(a, (b)) already exists."), Some("spaces"), Some("spaces_key")),
        "spaces.org,slug"
    )]
    #[case::postgres_that_hides_the_key(Info("duplicate key", None, Some("spaces"), Some("spaces_key")), "spaces_key")]
    fn a_unique_rule_has_one_name_on_both_databases(#[case] info: Info, #[case] name: &str) {
        let error = store_error(DieselError::DatabaseError(Kind::UniqueViolation, Box::new(info)));
        assert!(matches!(&error, StoreError::Conflict(rule) if rule == name), "{error:?}");
    }

    #[rstest]
    #[case("database is locked")]
    #[case("database or disk is full")]
    #[case("deadlock detected")]
    #[case("canceling statement due to statement timeout")]
    #[case("canceling statement due to lock timeout")]
    fn what_may_work_later_is_unavailable(#[case] message: &'static str) {
        let error = store_error(DieselError::DatabaseError(Kind::Unknown, Box::new(Info(message, None, None, None))));
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    }

    #[rstest]
    #[case("no such column: colour")]
    #[case("syntax error")]
    fn a_defect_is_internal(#[case] message: &'static str) {
        let error = || DieselError::DatabaseError(Kind::Unknown, Box::new(Info(message, None, None, None)));
        assert!(matches!(store_error(error()), StoreError::Internal(_)));
        assert!(matches!(lost_connection(error()), StoreError::Unavailable(_)));
    }

    #[test]
    fn a_conflict_takes_the_name_the_domain_knows() {
        let broken = || Err::<(), _>(StoreError::Conflict("spaces.slug".to_owned()));
        let renamed = broken().meaning("spaces.slug", "slug");
        assert!(matches!(renamed, Err(StoreError::Conflict(name)) if name == "slug"));
        let kept = broken().meaning("spaces.id", "space");
        assert!(matches!(kept, Err(StoreError::Conflict(name)) if name == "spaces.slug"));
    }
}
