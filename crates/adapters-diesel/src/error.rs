//! Maps errors of both databases to errors of the domain.

use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind as Kind, Error as DieselError};
use domain::ports::{StoreError, StoreResult};

/// SQLite's messages for temporary failures. diesel has no error kinds for these; SQLite never translates its messages.
const SQLITE_LATER: [&str; 4] =
    ["database is locked", "database table is locked", "disk I/O error", "unable to open database file"];
/// SQLite's message for a full disk.
const SQLITE_FULL: &str = "database or disk is full";

/// Maps an error of SQLite. `postgres/fault.rs` maps those of PostgreSQL.
///
/// A violated unique rule is a [`StoreError::Conflict`] with the same name on both databases, see [`unique_rule`].
pub(crate) fn store_error(error: DieselError) -> StoreError {
    let DieselError::DatabaseError(kind, info) = &error else { return StoreError::Internal(error.into()) };
    match kind {
        Kind::UniqueViolation => StoreError::Conflict(unique_rule(info.as_ref())),
        Kind::ForeignKeyViolation => StoreError::Conflict("reference".to_owned()),
        _ if info.message() == SQLITE_FULL => StoreError::Full(error.into()),
        _ if SQLITE_LATER.contains(&info.message()) => StoreError::Unavailable(error.into()),
        _ => StoreError::Internal(error.into()),
    }
}

/// Whether SQLite gave up waiting for the lock of another process.
pub(crate) fn is_locked(error: &DieselError) -> bool {
    matches!(error, DieselError::DatabaseError(_, info) if info.message() == "database is locked")
}

/// Wraps an error as a temporary failure.
pub(crate) fn unavailable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Unavailable(error.into())
}

/// Wraps an error as a defect.
pub(crate) fn internal(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Internal(error.into())
}

/// The result of an update of one object, from the number of updated rows. An object that does not exist is a defect.
pub(crate) fn updated(what: &str, id: &impl std::fmt::Display, rows: usize) -> StoreResult<()> {
    match rows {
        0 => Err(internal(format!("{what} {id} does not exist"))),
        _ => Ok(()),
    }
}

/// The name of a unique rule: `table.column` or `table.column,column`, in the order of the index, on both databases.
///
/// SQLite's message is `UNIQUE constraint failed: spaces.organization_id, spaces.slug`.
fn unique_rule(info: &(dyn DatabaseErrorInformation + Send + Sync)) -> String {
    let Some((_, columns)) = info.message().split_once("constraint failed: ") else { return "unique".to_owned() };
    let mut names = columns.split(", ");
    let first = names.next().unwrap_or_default().to_owned();
    names.fold(first, |rule, name| rule + "," + name.rsplit_once('.').map_or(name, |(_table, column)| column))
}

/// [`unique_rule`] from PostgreSQL's error fields: the table, and the detail `Key (organization_id, slug)=(…) already
/// exists.` in any language.
pub(crate) fn rule_of_key(table: Option<&str>, details: Option<&str>) -> Option<String> {
    let key = details?.split_once('(')?.1.split_once(")=(")?.0;
    Some(format!("{}.{}", table?, key.replace(", ", ",")))
}

/// Renames a violated unique rule for the domain.
pub(crate) trait Meaning<T> {
    /// Renames a conflict on `rule` (`table.column`, see above) to `meaning`; other results pass unchanged.
    fn meaning(self, rule: &str, meaning: &str) -> StoreResult<T>;
    /// Turns a conflict on the key of a new row into a defect: the row exists and was not locked.
    fn of_new(self, key: &str) -> StoreResult<T>;
}

impl<T> Meaning<T> for StoreResult<T> {
    fn meaning(self, rule: &str, meaning: &str) -> Self {
        self.map_err(|error| match error {
            StoreError::Conflict(name) if name == rule => StoreError::Conflict(meaning.to_owned()),
            other => other,
        })
    }

    fn of_new(self, key: &str) -> Self {
        self.map_err(|error| match error {
            StoreError::Conflict(name) if name == key => {
                internal(format!("{key}: already exists, and was written without a lock"))
            }
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn told(kind: Kind, message: &str) -> StoreError {
        store_error(DieselError::DatabaseError(kind, Box::new(message.to_owned())))
    }

    #[rstest]
    #[case::one("UNIQUE constraint failed: spaces.slug", "spaces.slug")]
    #[case::two("UNIQUE constraint failed: spaces.org, spaces.slug", "spaces.org,slug")]
    fn a_unique_rule_of_sqlite_is_named_by_its_columns(#[case] message: &str, #[case] name: &str) {
        let error = told(Kind::UniqueViolation, message);
        assert!(matches!(&error, StoreError::Conflict(rule) if rule == name), "{error:?}");
    }

    #[rstest]
    #[case::english(Some("Key (org, slug)=(a, (b)) already exists."), Some("spaces.org,slug"))]
    #[case::german(Some("Schlüssel »(org, slug)=(a, b)« existiert bereits."), Some("spaces.org,slug"))]
    #[case::hidden(None, None)]
    fn a_unique_rule_of_postgresql_has_the_same_name(#[case] details: Option<&str>, #[case] name: Option<&str>) {
        assert_eq!(rule_of_key(Some("spaces"), details).as_deref(), name);
    }

    #[rstest]
    #[case("database is locked")]
    #[case("disk I/O error")]
    #[case("unable to open database file")]
    fn temporary_errors_are_unavailable(#[case] message: &str) {
        let error = told(Kind::Unknown, message);
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    }

    #[test]
    fn a_full_disk_has_its_own_name() {
        let error = told(Kind::Unknown, "database or disk is full");
        assert!(matches!(error, StoreError::Full(_)), "{error:?}");
    }

    #[rstest]
    #[case("no such column: colour")]
    #[case("syntax error")]
    fn a_defect_is_internal(#[case] message: &str) {
        assert!(matches!(told(Kind::Unknown, message), StoreError::Internal(_)));
    }

    #[test]
    fn a_conflict_is_renamed_for_the_domain() {
        let broken = || Err::<(), _>(StoreError::Conflict("spaces.slug".to_owned()));
        let renamed = broken().meaning("spaces.slug", "slug");
        assert!(matches!(renamed, Err(StoreError::Conflict(name)) if name == "slug"));
        let kept = broken().meaning("spaces.id", "space");
        assert!(matches!(kept, Err(StoreError::Conflict(name)) if name == "spaces.slug"));
    }
}
