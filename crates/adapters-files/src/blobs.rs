//! The blob store: the bytes of files in a folder, named by their hash.
use crate::durable::{Unfinished, sync_folder, unique};
use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::content::object::Hash;
use domain::ports::{BlobReader, Clock, Files, FilesError};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};
use tokio::task::spawn_blocking;

/// The size of a read, in bytes.
const CHUNK: u64 = 256 * 1024;

/// The folder of unfinished files, on the same file system as their final place, so that they can be renamed.
const UNFINISHED: &str = "unfinished";

/// The age from which an unfinished file counts as left by a crash. Younger ones can belong to another server that
/// writes to the same folder.
const LEFT_OVER: Duration = Duration::from_secs(24 * 60 * 60);

/// The folder of files that are about to be removed. In this folder, no writer finds them.
const CONDEMNED: &str = "condemned";

/// Files in a folder: `<dir>/<first two digits of the hash>/<the others>`.
///
/// A file is written to another folder, made durable, and then renamed to its place. So a file in its place is always
/// complete. Its modification time is the time when it was last stored.
#[derive(Clone)]
pub struct LocalFiles {
    root: Arc<Path>,
    /// By the first byte of a hash: whether the folder is known to exist after a power loss.
    folders: Arc<[AtomicBool; 256]>,
    clock: Arc<dyn Clock>,
}

impl LocalFiles {
    /// Opens the store. The folder of a file is created when the first file is stored in it.
    ///
    /// # Errors
    /// If a folder cannot be created or written to.
    pub fn open(root: impl Into<PathBuf>, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let root: PathBuf = root.into();
        let unfinished = root.join(UNFINISHED);
        fs::create_dir_all(&unfinished)?;
        fs::create_dir_all(root.join(CONDEMNED))?;
        sync_folder(&root)?;
        let folders = Arc::new(std::array::from_fn(|_| AtomicBool::new(false)));
        let store = Self { root: root.into(), folders, clock };
        clear_left_over(&unfinished, store.now())?;
        store.put_back()?;
        Ok(store)
    }

    fn now(&self) -> SystemTime {
        self.clock.now().into()
    }

    /// Restores files whose removal a crash interrupted, because they can be in use.
    fn put_back(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.root.join(CONDEMNED))? {
            let entry = entry?;
            let name = entry.file_name();
            let hash = name.to_str().and_then(|name| name.split('-').next()?.parse().ok());
            let Some(hash) = hash else { continue };
            self.create_folder(&hash)?;
            match fs::rename(entry.path(), self.place(&hash)) {
                Ok(()) => drop(self.touch(&self.place(&hash))?),
                // Another server has just removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sets the modification time of a stored file to now, so that it is not removed as unused. Returns whether the
    /// file still exists; if not, it must be stored again.
    fn touch(&self, place: &Path) -> io::Result<bool> {
        let there = |result: io::Result<()>| match result {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            result => result.map(|()| true),
        };
        let noted = File::options().write(true).open(place).and_then(|file| file.set_modified(self.now()));
        // A removal moves the file away first and then checks its time. If the file is still in its place after its
        // time was set, the removal keeps it.
        Ok(there(noted)? && there(fs::metadata(place).map(drop))?)
    }

    /// See [`Files::remove`].
    fn move_and_remove(&self, hash: &Hash, since: SystemTime) -> io::Result<bool> {
        let place = self.place(hash);
        // A unique name, because another server can store and remove the file again in the meantime.
        let aside = self.root.join(CONDEMNED).join(unique(&hash.to_string()));
        match fs::rename(&place, &aside) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            moved => moved?,
        }
        // Opened, because a network file system otherwise returns cached metadata.
        let stored = File::open(&aside).and_then(|file| file.metadata()).and_then(|meta| meta.modified());
        match stored {
            Ok(stored) if stored <= since => {}
            // Another server that is starting has restored it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            wanted => {
                fs::rename(&aside, &place)?;
                return wanted.map(|_| false);
            }
        }
        match fs::remove_file(&aside) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true),
        }
    }

    /// Creates the folder of a file durably. If it exists already, another server may not have made it durable yet.
    fn create_folder(&self, hash: &Hash) -> io::Result<()> {
        let known = &self.folders[usize::from(hash.as_bytes()[0])];
        if known.load(Ordering::Relaxed) {
            return Ok(());
        }
        match self.place(hash).parent().map_or(Ok(()), fs::create_dir) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => sync_folder(&self.root)?,
        }
        known.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn place(&self, hash: &Hash) -> PathBuf {
        let digits = hash.to_string();
        self.root.join(&digits[..2]).join(&digits[2..])
    }
}

fn clear_left_over(folder: &Path, now: SystemTime) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let age = entry.metadata().and_then(|meta| meta.modified()).map(|at| now.duration_since(at));
        if matches!(age, Ok(Ok(age)) if age > LEFT_OVER) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The error code of a failing disk.
const EIO: i32 = 5;

fn failed(error: io::Error) -> FilesError {
    match error.kind() {
        io::ErrorKind::NotFound => FilesError::NotFound,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FilesError::Full(error),
        // `EIO` has no `ErrorKind`. The others are errors of a network file system.
        io::ErrorKind::StaleNetworkFileHandle | io::ErrorKind::TimedOut => FilesError::Unavailable(error),
        _ if error.raw_os_error() == Some(EIO) => FilesError::Unavailable(error),
        _ => FilesError::Internal(error),
    }
}

/// Runs blocking work on a thread that does not serve requests.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T, FilesError> {
    match spawn_blocking(work).await {
        Ok(done) => done.map_err(failed),
        Err(stopped) => Err(FilesError::Internal(io::Error::other(stopped))),
    }
}

#[async_trait]
impl Files for LocalFiles {
    async fn put(&self, bytes: Bytes) -> Result<Hash, FilesError> {
        let store = self.clone();
        let stored = blocking(move || {
            let hash = Hash::of(&bytes);
            let place = store.place(&hash);
            let whole = fs::metadata(&place).is_ok_and(|found| found.len() == bytes.len() as u64);
            if whole && store.touch(&place)? {
                // The writer of the existing file may not have made its name durable yet.
                place.parent().map_or(Ok(()), sync_folder)?;
            } else {
                store.create_folder(&hash)?;
                Unfinished::write(&store.root.join(UNFINISHED), &bytes, store.now())?.keep(&place)?;
            }
            Ok(hash)
        });
        match stored.await {
            // The folder of the store is missing, which is not the same as a missing file.
            Err(FilesError::NotFound) => Err(FilesError::Internal(io::ErrorKind::NotFound.into())),
            stored => stored,
        }
    }

    async fn size(&self, hash: &Hash) -> Result<Option<u64>, FilesError> {
        let place = self.place(hash);
        match blocking(move || fs::metadata(place)).await {
            Ok(found) => Ok(Some(found.len())),
            Err(FilesError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn remove(&self, hash: &Hash, since: DateTime<Utc>) -> Result<bool, FilesError> {
        let (store, hash) = (self.clone(), *hash);
        blocking(move || store.move_and_remove(&hash, since.into())).await
    }

    async fn open(&self, hash: &Hash, start: u64, length: u64) -> Result<Box<dyn BlobReader>, FilesError> {
        let place = self.place(hash);
        let file = blocking(move || {
            let mut file = File::open(place)?;
            if start > 0 {
                file.seek(SeekFrom::Start(start))?;
            }
            Ok(file)
        });
        Ok(Box::new(Reading { file: Some(file.await?), left: length }))
    }
}

/// An open file.
struct Reading {
    /// `None` after an error: the position in the file is then unknown.
    file: Option<File>,
    left: u64,
}

#[async_trait]
impl BlobReader for Reading {
    async fn chunk(&mut self) -> Result<Bytes, FilesError> {
        let want = self.left.min(CHUNK);
        if want == 0 {
            return Ok(Bytes::new());
        }
        let mut file = self.file.take().ok_or_else(|| FilesError::Internal(io::ErrorKind::BrokenPipe.into()))?;
        let (file, chunk) = blocking(move || {
            let mut chunk = Vec::new();
            (&mut file).take(want).read_to_end(&mut chunk)?;
            Ok((file, chunk))
        })
        .await?;
        self.file = Some(file);
        self.left = if chunk.is_empty() { 0 } else { self.left - chunk.len() as u64 };
        Ok(chunk.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    struct Machine;
    impl Clock for Machine {
        fn now(&self) -> DateTime<Utc> {
            SystemTime::now().into()
        }
    }

    fn open(root: &Path) -> LocalFiles {
        LocalFiles::open(root, Arc::new(Machine)).unwrap()
    }

    async fn read(files: &LocalFiles, hash: &Hash, start: u64, length: u64) -> Vec<Vec<u8>> {
        let mut reader = files.open(hash, start, length).await.unwrap();
        let mut chunks = Vec::new();
        loop {
            let chunk = reader.chunk().await.unwrap();
            if chunk.is_empty() {
                return chunks;
            }
            chunks.push(chunk.to_vec());
        }
    }

    fn names(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    #[tokio::test]
    async fn bytes_are_read_by_their_hash_after_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let files = open(dir.path());
        let hash = files.put(Bytes::from_static(b"hello")).await.unwrap();
        assert_eq!(hash, Hash::of(b"hello"));
        let files = open(dir.path());
        assert_eq!(files.size(&hash).await.unwrap(), Some(5));
        assert_eq!(read(&files, &hash, 0, 5).await, [b"hello"]);
    }

    #[tokio::test]
    async fn the_same_bytes_are_stored_once_without_unfinished_files() {
        let dir = tempfile::tempdir().unwrap();
        let files = open(dir.path());
        let puts = (0..32).map(|_| {
            let files = files.clone();
            tokio::spawn(async move { files.put(Bytes::from_static(b"same")).await.unwrap() })
        });
        for put in puts.collect::<Vec<_>>() {
            assert_eq!(put.await.unwrap(), Hash::of(b"same"));
        }
        let place = files.place(&Hash::of(b"same"));
        assert_eq!(names(place.parent().unwrap()), [place]);
        assert!(names(&dir.path().join(UNFINISHED)).is_empty());
    }

    #[tokio::test]
    async fn a_file_that_lost_bytes_is_written_again() {
        let dir = tempfile::tempdir().unwrap();
        let files = open(dir.path());
        let hash = files.put(Bytes::from_static(b"whole")).await.unwrap();
        fs::write(files.place(&hash), b"who").unwrap();
        files.put(Bytes::from_static(b"whole")).await.unwrap();
        assert_eq!(read(&files, &hash, 0, 5).await, [b"whole"]);
    }

    #[rstest]
    #[case(0, 600_000, &[262_144, 262_144, 75_712])]
    #[case(262_143, 2, &[2])]
    #[case(599_999, 100, &[1])]
    #[case(600_000, 1, &[])]
    #[case(5, 0, &[])]
    #[tokio::test]
    async fn a_range_is_read_in_chunks(#[case] start: u64, #[case] length: u64, #[case] sizes: &[usize]) {
        let dir = tempfile::tempdir().unwrap();
        let files = open(dir.path());
        let bytes: Vec<u8> = (0..600_000u32).map(|at| (at % 251) as u8).collect();
        let hash = files.put(bytes.clone().into()).await.unwrap();
        let chunks = read(&files, &hash, start, length).await;
        assert_eq!(chunks.iter().map(Vec::len).collect::<Vec<_>>(), sizes);
        let end = bytes.len().min((start + length) as usize);
        assert_eq!(chunks.concat(), bytes[start as usize..end]);
    }

    #[tokio::test]
    async fn a_folder_is_created_with_its_first_file() {
        let dir = tempfile::tempdir().unwrap();
        let files = open(dir.path());
        assert_eq!(names(dir.path()).len(), 2, "the folders of unfinished and of condemned files");
        let hash = files.put(Bytes::from_static(b"first")).await.unwrap();
        let folder = files.place(&hash).parent().unwrap().to_owned();
        assert_eq!(names(&folder), [files.place(&hash)]);
        // Another server has created the folder and removed the file.
        let other = open(dir.path());
        fs::remove_file(files.place(&hash)).unwrap();
        assert_eq!(other.put(Bytes::from_static(b"first")).await.unwrap(), hash);
        assert_eq!(names(dir.path()).len(), 3);
    }

    #[tokio::test]
    async fn an_unknown_hash_is_not_found() {
        let dir = tempfile::tempdir().unwrap();
        let files = open(dir.path());
        let absent = Hash::of(b"absent");
        assert_eq!(files.size(&absent).await.unwrap(), None);
        assert!(matches!(files.open(&absent, 0, 1).await, Err(FilesError::NotFound)));
    }

    #[tokio::test]
    async fn a_read_only_store_fails_without_leaving_files() {
        let dir = tempfile::tempdir().unwrap();
        let files = open(dir.path());
        fs::remove_dir(dir.path().join(UNFINISHED)).unwrap();
        assert!(matches!(files.put(Bytes::from_static(b"x")).await, Err(FilesError::Internal(_))));
        assert_eq!(files.size(&Hash::of(b"x")).await.unwrap(), None);
    }

    /// Sets the modification time of a stored file to the past.
    fn age(files: &LocalFiles, hash: &Hash) {
        let file = File::options().write(true).open(files.place(hash)).unwrap();
        file.set_modified(SystemTime::now() - 2 * LEFT_OVER).unwrap();
    }

    fn a_day_ago() -> DateTime<Utc> {
        (SystemTime::now() - LEFT_OVER).into()
    }

    #[tokio::test]
    async fn an_old_file_is_removed_once_and_can_be_stored_again() {
        let dir = tempfile::tempdir().unwrap();
        let files = open(dir.path());
        let hash = files.put(Bytes::from_static(b"old")).await.unwrap();
        age(&files, &hash);
        assert!(files.remove(&hash, a_day_ago()).await.unwrap());
        assert_eq!(files.size(&hash).await.unwrap(), None);
        assert!(files.remove(&hash, a_day_ago()).await.unwrap(), "what is gone is gone");
        assert!(names(&dir.path().join(CONDEMNED)).is_empty());
        files.put(Bytes::from_static(b"old")).await.unwrap();
        assert_eq!(files.size(&hash).await.unwrap(), Some(3));
    }

    #[tokio::test]
    async fn a_file_that_was_stored_again_is_not_removed() {
        let dir = tempfile::tempdir().unwrap();
        let files = open(dir.path());
        let hash = files.put(Bytes::from_static(b"wanted")).await.unwrap();
        assert!(!files.remove(&hash, a_day_ago()).await.unwrap(), "it is new");
        age(&files, &hash);
        files.put(Bytes::from_static(b"wanted")).await.unwrap();
        assert!(!files.remove(&hash, a_day_ago()).await.unwrap(), "it was stored again");
        assert_eq!(read(&files, &hash, 0, 6).await, [b"wanted"]);
        assert!(names(&dir.path().join(CONDEMNED)).is_empty());
    }

    #[tokio::test]
    async fn a_crash_during_a_removal_loses_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let files = open(dir.path());
        let hash = files.put(Bytes::from_static(b"x")).await.unwrap();
        fs::rename(files.place(&hash), dir.path().join(CONDEMNED).join(unique(&hash.to_string()))).unwrap();
        assert_eq!(files.size(&hash).await.unwrap(), None);
        // A backup can lack empty folders.
        fs::remove_dir(files.place(&hash).parent().unwrap()).unwrap();
        let files = open(dir.path());
        assert_eq!(files.size(&hash).await.unwrap(), Some(1));
    }

    /// Stores a file many times while others remove it; afterwards it exists.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn a_file_that_is_stored_during_its_removal_exists() {
        let dir = tempfile::tempdir().unwrap();
        let files = open(dir.path());
        for round in 0..200_u32 {
            let bytes = Bytes::from(round.to_be_bytes().to_vec());
            let hash = files.put(bytes.clone()).await.unwrap();
            age(&files, &hash);
            let since = a_day_ago();
            let removing = (0..2).map(|_| {
                let files = files.clone();
                tokio::spawn(async move { files.remove(&hash, since).await.unwrap() })
            });
            let removing: Vec<_> = removing.collect();
            let storing = (0..2).map(|_| {
                let (files, bytes) = (files.clone(), bytes.clone());
                tokio::spawn(async move {
                    let hash = files.put(bytes).await.unwrap();
                    files.size(&hash).await.unwrap()
                })
            });
            for storing in storing.collect::<Vec<_>>() {
                storing.await.unwrap();
            }
            for removing in removing {
                removing.await.unwrap();
            }
            assert_eq!(files.size(&hash).await.unwrap(), Some(4), "round {round}");
            assert!(names(&dir.path().join(CONDEMNED)).is_empty(), "round {round}");
        }
    }

    #[test]
    fn a_full_disk_has_its_own_error() {
        assert!(matches!(failed(io::Error::from_raw_os_error(28)), FilesError::Full(_)));
        assert!(matches!(failed(io::Error::from_raw_os_error(EIO)), FilesError::Unavailable(_)));
    }

    #[test]
    fn only_old_unfinished_files_are_deleted_at_start() {
        let dir = tempfile::tempdir().unwrap();
        open(dir.path());
        let (old, new) = (dir.path().join(UNFINISHED).join("old"), dir.path().join(UNFINISHED).join("new"));
        fs::write(&old, b"x").unwrap();
        fs::write(&new, b"x").unwrap();
        let file = File::options().write(true).open(&old).unwrap();
        file.set_modified(SystemTime::now() - 2 * LEFT_OVER).unwrap();
        open(dir.path());
        assert!(!old.exists() && new.exists());
    }
}
