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
    /// The target has nothing but the temporary folder of another export, at this path.
    #[error("{0} is the temporary folder of an export that was killed or still runs")]
    Unfinished(PathBuf),
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
///
/// An existing empty folder is kept, with its owner and mode: it can be a mount point, the current folder, or in a
/// folder that this user cannot write to. The temporary folder is then inside it, and its content is moved out at the
/// end, one entry after another.
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
    /// [`TargetError::NotEmpty`] and [`TargetError::Unfinished`]; [`TargetError::Failed`] if the temporary folder cannot
    /// be created.
    pub fn create(place: &Path) -> Result<Self, TargetError> {
        Self::start(place, None)
    }

    /// As [`create`](Self::create), but [`finish`](Self::finish) can also replace an earlier export: a folder that
    /// contains the path `mark`.
    ///
    /// # Errors
    /// [`TargetError::NoExport`] and [`TargetError::Unfinished`] if the folder is neither empty nor an earlier export;
    /// [`TargetError::Failed`].
    pub fn replacing(place: &Path, mark: &'static str) -> Result<Self, TargetError> {
        Self::start(place, Some(mark))
    }

    fn start(place: &Path, mark: Option<&'static str>) -> Result<Self, TargetError> {
        let failed = |cause| TargetError::Failed { path: place.to_owned(), cause };
        // A link to a folder stays a link.
        let place = fs::canonicalize(place).or_else(|_missing| std::path::absolute(place)).map_err(failed)?;
        let staging = match (check_free(&place, mark, None)?, place.parent(), place.file_name()) {
            (Free::Empty, ..) => place.join(unique(TEMPORARY)),
            (Free::Missing | Free::Replaced, Some(parent), Some(name)) => {
                fs::create_dir_all(parent).map_err(failed)?;
                parent.join(unique(&format!(".{}", name.to_string_lossy())))
            }
            _ => return Err(TargetError::NotEmpty(place)),
        };
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

    /// Renames the folder to its place, or moves its content to the empty folder there.
    ///
    /// # Errors
    /// [`TargetError::NotEmpty`], [`TargetError::NoExport`] and [`TargetError::Unfinished`] if the place is no longer
    /// free; [`TargetError::Failed`].
    pub fn finish(mut self) -> Result<(), TargetError> {
        let failed = |cause| TargetError::Failed { path: self.place.clone(), cause };
        for folder in &self.folders {
            sync_folder(folder).map_err(failed)?;
        }
        let is_inside = self.staging.parent() == Some(self.place.as_path());
        let moved = match check_free(&self.place, self.mark, Some(&self.staging))? {
            Free::Replaced if is_inside => return Err(TargetError::NotEmpty(self.place.clone())),
            Free::Replaced => self.replace(),
            Free::Missing | Free::Empty if is_inside => self.fill(),
            // A rename replaces an empty folder, and fails if the folder is not empty.
            Free::Missing | Free::Empty => fs::rename(&self.staging, &self.place),
        };
        moved.map_err(failed)?;
        let changed = if is_inside { Some(self.place.as_path()) } else { self.place.parent() };
        let synced = changed.map_or(Ok(()), sync_folder).map_err(failed);
        self.finished = true;
        synced
    }

    /// Moves everything out of the temporary folder, into the folder around it. This is not atomic: readers can see a
    /// part of the files, and a failure or a kill before the end leaves a part of them.
    fn fill(&self) -> io::Result<()> {
        // Listed as a whole before the first move, which changes the listed folder.
        for entry in fs::read_dir(&self.staging)?.collect::<io::Result<Vec<_>>>()? {
            fs::rename(entry.path(), self.place.join(entry.file_name()))?;
        }
        fs::remove_dir(&self.staging)
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

/// How the name of a temporary folder begins that is in an empty folder.
const TEMPORARY: &str = ".export";

/// Whether an export named its temporary folder so.
fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix(TEMPORARY).is_some_and(|rest| rest.starts_with('-'))
}

/// Why a folder can be used for an export.
enum Free {
    /// There is none.
    Missing,
    /// It is empty.
    Empty,
    /// It is an earlier export that is replaced.
    Replaced,
}

/// Whether a folder can be used for an export. Its temporary folder `staging` does not count.
fn check_free(place: &Path, mark: Option<&str>, staging: Option<&Path>) -> Result<Free, TargetError> {
    let entries = fs::read_dir(place)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>());
    let mut others = match entries {
        Ok(others) => others,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Free::Missing),
        Err(cause) => return Err(TargetError::Failed { path: place.to_owned(), cause }),
    };
    others.retain(|path| Some(path.as_path()) != staging);
    match (others.as_slice(), mark) {
        ([], _) => Ok(Free::Empty),
        (_, Some(mark)) if place.join(mark).exists() => Ok(Free::Replaced),
        // Its name is hidden, so to its owner the folder looks empty.
        ([first, ..], _) if others.iter().all(|path| is_temporary(path)) => Err(TargetError::Unfinished(first.clone())),
        (_, None) => Err(TargetError::NotEmpty(place.to_owned())),
        (_, Some(_)) => Err(TargetError::NoExport(place.to_owned())),
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

    #[cfg(unix)]
    #[test]
    fn an_empty_folder_is_filled_and_keeps_its_identity_and_mode() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("docs");
        fs::create_dir(&place).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o750)).unwrap();
        let identity = || fs::metadata(&place).map(|it| (it.ino(), it.mode() & 0o777)).unwrap();
        let before = identity();
        let link = dir.path().join("link");
        symlink(&place, &link).unwrap();
        let mut target = FolderTarget::create(&link).unwrap();
        target.write("README.md", b"# A").unwrap();
        target.write("a/b.md", b"# B").unwrap();
        target.finish().unwrap();
        assert_eq!((identity(), names(&place)), (before, vec!["README.md".to_owned(), "a".to_owned()]));
        assert_eq!(names(dir.path()), ["docs", "link"]);
        assert_eq!(fs::read(place.join("a/b.md")).unwrap(), b"# B");
    }

    #[test]
    fn a_dropped_export_leaves_an_empty_folder_empty() {
        let dir = tempfile::tempdir().unwrap();
        let mut target = FolderTarget::replacing(dir.path(), "~/mark").unwrap();
        target.write("a/README.md", b"# A").unwrap();
        drop(target);
        assert_eq!(names(dir.path()), [""; 0]);
    }

    #[test]
    fn the_remains_of_a_killed_export_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let mut target = FolderTarget::create(dir.path()).unwrap();
        target.write("README.md", b"# A").unwrap();
        std::mem::forget(target);
        let remains = names(dir.path()).pop().unwrap();
        for next in [FolderTarget::create(dir.path()), FolderTarget::replacing(dir.path(), "~/mark")] {
            let error = next.unwrap_err();
            assert!(matches!(error, TargetError::Unfinished(_)), "{error}");
            assert!(remains.starts_with(".export-") && error.to_string().contains(&remains), "{error}");
        }
        fs::write(dir.path().join("mine"), b"mine").unwrap();
        assert!(matches!(FolderTarget::create(dir.path()), Err(TargetError::NotEmpty(_))));
        assert!(matches!(FolderTarget::replacing(dir.path(), "~/mark"), Err(TargetError::NoExport(_))));
    }

    #[test]
    fn files_that_appear_in_an_empty_folder_during_an_export_stay() {
        let dir = tempfile::tempdir().unwrap();
        let mut target = FolderTarget::replacing(dir.path(), "~/mark").unwrap();
        target.write("mine", b"# A").unwrap();
        // They even look like an earlier export.
        fs::create_dir_all(dir.path().join("~/mark")).unwrap();
        assert!(matches!(target.finish(), Err(TargetError::NotEmpty(_))));
        assert_eq!(names(dir.path()), ["~"]);
    }

    #[cfg(unix)]
    #[test]
    fn an_earlier_export_behind_a_link_is_replaced_and_the_link_stays() {
        let dir = tempfile::tempdir().unwrap();
        let (place, link) = (dir.path().join("docs"), dir.path().join("link"));
        std::os::unix::fs::symlink(&place, &link).unwrap();
        fs::create_dir_all(place.join("~/mark")).unwrap();
        let mut target = FolderTarget::replacing(&link, "~/mark").unwrap();
        target.write("new", b"x").unwrap();
        target.finish().unwrap();
        assert!(link.is_symlink());
        assert_eq!(
            (names(dir.path()), names(&place)),
            (vec!["docs".to_owned(), "link".to_owned()], vec!["new".to_owned()])
        );
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
