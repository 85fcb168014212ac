//! Detects commits.

use super::open;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::BigInt;
use diesel::sqlite::Sqlite;
use diesel::{QueryResult, RunQueryDsl, SqliteConnection};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::ManuallyDrop;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// Detects commits by this process and by any other.
///
/// Every commit changes the header of the index of the write-ahead log, a file that all processes map into their
/// memory. Reading the header takes a third of a microsecond; asking SQLite takes two microseconds and more, and every
/// request asks.
pub(crate) struct Watch {
    path: PathBuf,
    opened: OnceLock<Option<Opened>>,
}

struct Opened {
    /// SQLite counts, for each connection, the commits of all others. An open connection also keeps the index.
    conn: Mutex<SqliteConnection>,
    /// `None` if it cannot be read, for example because the file system cannot share memory: then there is no
    /// write-ahead log.
    index: Option<WalIndex>,
}

impl Watch {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, opened: OnceLock::new() }
    }

    /// A number that changes with every commit; `None` if it is not available.
    pub(crate) fn stamp(&self) -> Option<u64> {
        let Opened { conn, index } = self.opened.get_or_init(|| Opened::new(&self.path)).as_ref()?;
        match index {
            Some(index) => index.stamp(),
            None => data_version(&mut *conn.lock().ok()?),
        }
    }
}

impl Opened {
    fn new(path: &Path) -> Option<Self> {
        let mut conn = open(path).ok()?;
        // SQLite creates the index when the connection first reads. If that fails now, SQLite is asked each time.
        let _first = data_version(&mut conn);
        let index = WalIndex::open(path);
        Some(Self { conn: Mutex::new(conn), index })
    }
}

/// The index of the write-ahead log (<https://sqlite.org/walformat.html#the_wal_index_file_format>).
///
/// The file is never closed: closing it would release the locks that the connections of this process have on it, as
/// POSIX defines them.
struct WalIndex(ManuallyDrop<File>);

/// The size of the header, in bytes. It is at the start of the file, twice: a reader that finds two different ones
/// came in the middle of a change.
const HEADER: usize = 48;
/// The version of the format, at the start of the header.
const FORMAT: u32 = 3_007_000;
/// The byte that is 1 in a header that is in use.
const IN_USE: usize = 12;
/// How often to read the header until both are equal. A change of it takes nanoseconds.
const ATTEMPTS: usize = 100;

impl WalIndex {
    fn open(database: &Path) -> Option<Self> {
        // As SQLite does: a link to a database elsewhere has its index there.
        let mut path = database.canonicalize().ok()?.into_os_string();
        path.push("-shm");
        let index = Self(ManuallyDrop::new(File::open(path).ok()?));
        let mut format = [0; 4];
        index.0.read_exact_at(&mut format, 0).ok()?;
        (format == FORMAT.to_ne_bytes()).then_some(index)
    }

    /// A hash of the header, which has the number of changes and a checksum.
    fn stamp(&self) -> Option<u64> {
        let mut both = [0; 2 * HEADER];
        for _ in 0..ATTEMPTS {
            self.0.read_exact_at(&mut both, 0).ok()?;
            let (first, second) = both.split_at(HEADER);
            if first == second {
                return (first[IN_USE] == 1).then(|| hash(first));
            }
        }
        None
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The query for the number of commits. A separate type, because statements of `sql_query` are prepared again each
/// time.
#[derive(QueryId)]
struct DataVersion;

impl QueryFragment<Sqlite> for DataVersion {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("PRAGMA data_version");
        Ok(())
    }
}

impl Query for DataVersion {
    type SqlType = BigInt;
}

impl RunQueryDsl<SqliteConnection> for DataVersion {}

fn data_version(conn: &mut SqliteConnection) -> Option<u64> {
    u64::try_from(DataVersion.get_result::<i64>(conn).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::connection::SimpleConnection;

    /// A database in a folder, with a connection that writes.
    fn database() -> (tempfile::TempDir, PathBuf, SqliteConnection) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("octavo.db");
        let mut conn = open(&path).unwrap();
        conn.batch_execute("CREATE TABLE t (n INTEGER)").unwrap();
        (folder, path, conn)
    }

    #[test]
    fn the_stamp_changes_with_every_commit_and_with_nothing_else() {
        let (_folder, path, mut conn) = database();
        let watch = Watch::new(path);
        let mut seen = vec![watch.stamp().unwrap()];
        assert!(watch.opened.get().unwrap().as_ref().unwrap().index.is_some(), "it reads the index");
        for _ in 0..300 {
            conn.batch_execute("BEGIN; INSERT INTO t VALUES (1); ROLLBACK; SELECT * FROM t").unwrap();
            assert_eq!(watch.stamp(), seen.last().copied());
            conn.batch_execute("INSERT INTO t VALUES (1)").unwrap();
            seen.push(watch.stamp().unwrap());
        }
        let commits = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), commits);
    }

    #[test]
    fn commits_after_the_log_was_restarted_are_detected() {
        let (_folder, path, mut conn) = database();
        let watch = Watch::new(path);
        let mut before = watch.stamp().unwrap();
        for mode in ["PASSIVE", "FULL", "RESTART", "TRUNCATE"] {
            conn.batch_execute(&format!("PRAGMA wal_checkpoint({mode}); UPDATE t SET n = n + 1")).unwrap();
            conn.batch_execute("INSERT INTO t VALUES (1)").unwrap();
            let after = watch.stamp().unwrap();
            assert_ne!(after, before, "{mode}");
            before = after;
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_locks_of_the_process_on_the_index_stay_when_a_watch_ends() {
        use std::os::unix::fs::MetadataExt;
        let (_folder, path, _conn) = database();
        let inode = std::fs::metadata(path.with_extension("db-shm")).unwrap().ino();
        let of_index = format!(":{inode} ");
        let locks = || {
            let all = std::fs::read_to_string("/proc/locks").unwrap();
            all.lines().filter(|line| line.contains(&of_index)).count()
        };
        let before = locks();
        assert!(before > 0, "an open connection has a lock");
        let watch = Watch::new(path);
        watch.stamp().unwrap();
        drop(watch);
        assert_eq!(locks(), before);
    }

    #[test]
    fn a_link_to_a_database_elsewhere_has_its_index_there() {
        let (folder, path, mut conn) = database();
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        // What a killed server left beside the link, before its database was moved.
        std::fs::copy(path.with_extension("db-shm"), folder.path().join("link.db-shm")).unwrap();
        let watch = Watch::new(link);
        let before = watch.stamp().unwrap();
        conn.batch_execute("INSERT INTO t VALUES (1)").unwrap();
        assert_ne!(watch.stamp(), Some(before));
    }

    #[test]
    fn without_an_index_sqlite_is_asked() {
        let (folder, path, _conn) = database();
        assert!(WalIndex::open(&folder.path().join("absent.db")).is_none());
        let other = folder.path().join("other.db");
        std::fs::write(&other, "").unwrap();
        assert!(WalIndex::open(&other).is_none(), "there is no file");
        std::fs::write(folder.path().join("other.db-shm"), [1; 2 * HEADER]).unwrap();
        assert!(WalIndex::open(&other).is_none(), "it has another format");
        assert!(WalIndex::open(&path).is_some());
    }

    #[test]
    fn without_the_index_sqlite_counts_the_commits() {
        let (_folder, path, mut conn) = database();
        let counted = Opened { conn: Mutex::new(open(&path).unwrap()), index: None };
        let watch = Watch { path, opened: OnceLock::from(Some(counted)) };
        let before = watch.stamp().unwrap();
        assert_eq!(watch.stamp(), Some(before));
        conn.batch_execute("INSERT INTO t VALUES (1)").unwrap();
        assert_ne!(watch.stamp(), Some(before));
    }
}
