//! A folder as the target of an export.
use crate::durable::{sync_folder, unique};
use domain::content::import::path::check_path;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An error of an export.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The target is not empty.
    #[error("{0} is not empty: an export never overwrites files")]
    NotEmpty(PathBuf),
    /// The target may only be replaced if it is an earlier export.
    #[error("{0} is not empty, and is no earlier export")]
    NoExport(PathBuf),
    /// The path leads outside the target.
    #[error("cannot write {path:?}: {rule}")]
    Unsafe {
        /// The path.
        path: String,
        /// The rule that it violates.
        rule: String,
    },
    /// A write failed.
    #[error("cannot write {path}")]
    Failed {
        /// The path of the write.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
}

/// A folder that is written under a temporary name and then renamed to its place, complete and durable. Dropping it
/// before [`finish`](Self::finish) deletes it.
#[derive(Debug)]
pub struct FolderTarget {
    place: PathBuf,
    staging: PathBuf,
    folders: BTreeSet<PathBuf>,
    /// The path that marks an earlier export; present if the target may replace one.
    mark: Option<&'static str>,
    finished: bool,
}

impl FolderTarget {
    /// Starts an export to a folder that does not exist or is empty.
    ///
    /// # Errors
    /// [`TargetError::NotEmpty`]; [`TargetError::Failed`] if the temporary folder cannot be created.
    pub fn create(place: &Path) -> Result<Self, TargetError> {
        Self::start(place, None)
    }

    /// As [`create`](Self::create), but [`finish`](Self::finish) can also replace an earlier export: a folder that
    /// contains the path `mark`.
    ///
    /// # Errors
    /// [`TargetError::NoExport`] if the folder is neither empty nor an earlier export; [`TargetError::Failed`].
    pub fn replacing(place: &Path, mark: &'static str) -> Result<Self, TargetError> {
        Self::start(place, Some(mark))
    }

    fn start(place: &Path, mark: Option<&'static str>) -> Result<Self, TargetError> {
        let failed = |cause| TargetError::Failed { path: place.to_owned(), cause };
        let place = std::path::absolute(place).map_err(failed)?;
        check_free(&place, mark)?;
        let (Some(parent), Some(name)) = (place.parent(), place.file_name()) else {
            return Err(TargetError::NotEmpty(place));
        };
        fs::create_dir_all(parent).map_err(failed)?;
        let staging = parent.join(unique(&format!(".{}", name.to_string_lossy())));
        fs::create_dir(&staging).map_err(failed)?;
        Ok(Self { folders: BTreeSet::from([staging.clone()]), place, staging, mark, finished: false })
    }

    /// Starts a file.
    ///
    /// # Errors
    /// [`TargetError::Unsafe`] if its path would be outside the target; [`TargetError::Failed`], also if the file
    /// already exists.
    pub fn file(&mut self, path: &str) -> Result<FileTarget, TargetError> {
        check_path(path).map_err(|rule| TargetError::Unsafe { path: path.to_owned(), rule: rule.0 })?;
        let place = self.staging.join(path);
        let failed = |cause| TargetError::Failed { path: self.place.join(path), cause };
        if let Some(folder) = place.parent()
            && !self.folders.contains(folder)
        {
            fs::create_dir_all(folder).map_err(failed)?;
            let inside = folder.ancestors().take_while(|above| *above != self.staging);
            self.folders.extend(inside.map(Path::to_owned));
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&place).map_err(failed)?;
        Ok(FileTarget { file, path: self.place.join(path) })
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// As [`file`](Self::file) and [`FileTarget::write`].
    pub fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), TargetError> {
        let mut file = self.file(path)?;
        file.write(bytes)?;
        file.close()
    }

    /// Renames the folder to its place.
    ///
    /// # Errors
    /// [`TargetError::NotEmpty`] and [`TargetError::NoExport`] if the place is no longer free; [`TargetError::Failed`].
    pub fn finish(mut self) -> Result<(), TargetError> {
        let failed = |cause| TargetError::Failed { path: self.place.clone(), cause };
        for folder in &self.folders {
            sync_folder(folder).map_err(failed)?;
        }
        match check_free(&self.place, self.mark)? {
            // A rename replaces an empty folder, and fails if the folder is not empty.
            Free::Empty => fs::rename(&self.staging, &self.place).map_err(failed)?,
            Free::Replaced => self.replace().map_err(failed)?,
        }
        let synced = self.place.parent().map_or(Ok(()), sync_folder).map_err(failed);
        self.finished = true;
        synced
    }

    /// Replaces an earlier export, and deletes it after the replacement.
    fn replace(&self) -> io::Result<()> {
        let name = self.place.file_name().unwrap_or_default().to_string_lossy();
        let earlier = self.place.with_file_name(unique(&format!(".{name}")));
        fs::rename(&self.place, &earlier)?;
        if let Err(error) = fs::rename(&self.staging, &self.place) {
            // Report the first error.
            let _ = fs::rename(&earlier, &self.place);
            return Err(error);
        }
        fs::remove_dir_all(&earlier)
    }
}

impl Drop for FolderTarget {
    fn drop(&mut self) {
        if !self.finished {
            // Report the error that led here.
            let _ = fs::remove_dir_all(&self.staging);
        }
    }
}

/// Why a folder can be used for an export.
enum Free {
    /// It is empty, or there is none.
    Empty,
    /// It is an earlier export that is replaced.
    Replaced,
}

fn check_free(place: &Path, mark: Option<&str>) -> Result<Free, TargetError> {
    match fs::read_dir(place).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(Free::Empty),
        Ok(false) => match mark {
            None => Err(TargetError::NotEmpty(place.to_owned())),
            Some(mark) if place.join(mark).exists() => Ok(Free::Replaced),
            Some(_) => Err(TargetError::NoExport(place.to_owned())),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Free::Empty),
        Err(cause) => Err(TargetError::Failed { path: place.to_owned(), cause }),
    }
}

/// A file of an export that is being written.
#[derive(Debug)]
pub struct FileTarget {
    file: File,
    path: PathBuf,
}

impl FileTarget {
    /// Appends bytes.
    ///
    /// # Errors
    /// [`TargetError::Failed`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), TargetError> {
        self.file.write_all(bytes).map_err(|cause| TargetError::Failed { path: self.path.clone(), cause })
    }

    /// Makes the file durable.
    ///
    /// # Errors
    /// [`TargetError::Failed`].
    pub fn close(self) -> Result<(), TargetError> {
        self.file.sync_all().map_err(|cause| TargetError::Failed { path: self.path, cause })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_appears_complete_in_one_step() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("new/docs");
        let mut target = FolderTarget::create(&place).unwrap();
        target.write("README.md", b"# A").unwrap();
        let mut file = target.file("a/b/c.png").unwrap();
        file.write(b"p").unwrap();
        file.write(b"ng").unwrap();
        file.close().unwrap();
        assert!(!place.exists());
        target.finish().unwrap();
        assert_eq!(names(&dir.path().join("new")), ["docs"]);
        assert_eq!(fs::read(place.join("README.md")).unwrap(), b"# A");
        assert_eq!(fs::read(place.join("a/b/c.png")).unwrap(), b"png");
    }

    #[test]
    fn a_dropped_export_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut target = FolderTarget::create(&dir.path().join("docs")).unwrap();
        target.write("a/README.md", b"# A").unwrap();
        drop(target);
        assert_eq!(names(dir.path()), [""; 0]);
    }

    #[test]
    fn existing_files_are_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("docs");
        fs::create_dir(&place).unwrap();
        let mut target = FolderTarget::create(&place).unwrap();
        target.write("README.md", b"new").unwrap();
        fs::write(place.join("mine"), b"mine").unwrap();
        assert!(matches!(target.finish(), Err(TargetError::NotEmpty(_))));
        assert!(matches!(FolderTarget::create(&place), Err(TargetError::NotEmpty(_))));
        assert!(matches!(FolderTarget::create(&place.join("mine")), Err(TargetError::Failed { .. })));
        assert_eq!(names(dir.path()), ["docs"]);
        assert_eq!(names(&place), ["mine"]);
    }

    #[test]
    fn an_earlier_export_is_replaced_as_a_whole_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("docs");
        let export = |name: &str| {
            let mut target = FolderTarget::replacing(&place, "~/mark")?;
            target.write("~/mark", b"")?;
            target.write(name, b"x")?;
            target.finish()
        };
        export("one").unwrap();
        export("two").unwrap();
        assert_eq!(
            (names(dir.path()), names(&place)),
            (vec!["docs".to_owned()], vec!["two".to_owned(), "~".to_owned()])
        );
        fs::remove_dir_all(place.join("~")).unwrap();
        assert!(matches!(export("three"), Err(TargetError::NoExport(_))));
        assert_eq!((names(dir.path()), names(&place)), (vec!["docs".to_owned()], vec!["two".to_owned()]));
    }

    #[test]
    fn paths_outside_the_target_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut target = FolderTarget::create(&dir.path().join("docs")).unwrap();
        for path in ["../x", "/tmp/x", "a/../../x", "C:\\x", "a\0"] {
            assert!(matches!(target.write(path, b""), Err(TargetError::Unsafe { .. })), "{path:?}");
        }
        assert!(matches!(
            target.write("a", b"").and_then(|()| target.write("a", b"")),
            Err(TargetError::Failed { .. })
        ));
    }
}
