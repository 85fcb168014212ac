//! Takes locks: one statement for each kind, in the order of ids.
use crate::conn::Conn;
use crate::schema::accounts::{instance, users};
use crate::schema::collections::collections;
use crate::schema::jobs::{heartbeat, jobs};
use crate::schema::organizations::{organizations, spaces};
use crate::schema::sites::sites;
use crate::sql::{Lock, NAMED, locked};
use diesel::{ExpressionMethods, QueryDsl};
use domain::ports::StoreResult;
use domain::ports::store::{LockMode, Lockable};

/// Locks the rows of a table with these keys, in the order of the keys.
macro_rules! rows {
    ($conn:expr, $lock:expr, $table:ident, $key:ident, $keys:expr) => {
        for keys in $keys.chunks(NAMED) {
            let rows = $table::table.order($table::$key.asc()).select($table::$key);
            // A statement without a list stays prepared.
            match keys {
                [key] => $conn.lock(locked(rows.filter($table::$key.eq(*key)), $lock)).await?,
                _ => $conn.lock(locked(rows.filter($table::$key.eq_any(keys.iter().copied())), $lock)).await?,
            }
        }
    };
}

/// Locks `wanted`, which must be sorted.
pub(crate) async fn take(conn: &mut Conn, wanted: &[Lockable], mode: LockMode) -> StoreResult<()> {
    let lock = match mode {
        LockMode::Shared => Lock::Shared,
        LockMode::Exclusive => Lock::Rows,
    };
    for kind in wanted.chunk_by(|one, next| std::mem::discriminant(one) == std::mem::discriminant(next)) {
        let keys: Vec<&str> = kind.iter().map(key).collect();
        match kind.first() {
            None => {}
            Some(Lockable::FirstStart) => {
                conn.lock(locked(instance::table.select(instance::id), lock)).await?;
            }
            Some(Lockable::Organization(_)) => rows!(conn, lock, organizations, id, keys),
            Some(Lockable::User(_)) => rows!(conn, lock, users, id, keys),
            Some(Lockable::Site(_)) => rows!(conn, lock, sites, id, keys),
            Some(Lockable::Collection(_)) => rows!(conn, lock, collections, id, keys),
            Some(Lockable::Space(_)) => rows!(conn, lock, spaces, id, keys),
            Some(Lockable::Job(_)) => rows!(conn, lock, jobs, key, keys),
            Some(Lockable::Heartbeat) => {
                conn.lock(locked(heartbeat::table.select(heartbeat::id), lock)).await?;
            }
        }
    }
    Ok(())
}

/// The key of the row to lock.
fn key(what: &Lockable) -> &str {
    match what {
        Lockable::FirstStart | Lockable::Heartbeat => "",
        Lockable::Organization(id) => id.as_str(),
        Lockable::User(id) => id.as_str(),
        Lockable::Site(id) => id.as_str(),
        Lockable::Collection(id) => id.as_str(),
        Lockable::Space(id) => id.as_str(),
        Lockable::Job(key) => key,
    }
}
