//! Durable writes: acknowledged data survives a power loss.
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Makes the entries of a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// A file that is deleted unless it is [kept](Self::keep).
pub(crate) struct Unfinished {
    path: Option<PathBuf>,
}

impl Unfinished {
    /// Writes bytes to a new file in `folder` with this modification time, and makes them durable.
    pub(crate) fn write(folder: &Path, bytes: &[u8], at: SystemTime) -> io::Result<Self> {
        let path = folder.join(unique("part"));
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        // From here on, dropping the value deletes the file.
        let unfinished = Self { path: Some(path) };
        file.write_all(bytes)?;
        file.set_modified(at)?;
        file.sync_all()?;
        Ok(unfinished)
    }

    /// Renames the file to its place atomically, and makes the name durable.
    pub(crate) fn keep(mut self, place: &Path) -> io::Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, place)?;
            self.path = None;
        }
        place.parent().map_or(Ok(()), sync_folder)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Report the error that led here. The next start of the store removes what is left.
            let _ = fs::remove_file(path);
        }
    }
}

/// A unique name, across processes, threads, crashes, and containers with equal process ids.
pub(crate) fn unique(prefix: &str) -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{prefix}-{}-{}-{}", std::process::id(), since.as_nanos(), COUNTER.fetch_add(1, Ordering::Relaxed))
}
