//! A folder as the source of an import.
use super::ignore::{IGNORE_FILES, Ignore, MAX_IGNORE_FILE};
use super::{Budget, Limits, Source, SourceError, SourceTree, bytes, is_foreign, refused, unreadable};
use bytes::Bytes;
use domain::content::import::path::{check_path, join};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A folder. Folders of version control, `node_modules`, and files that the root's `.gitignore` and `.bookignore` name
/// are left out. Symbolic links are followed only to files inside the folder; others are left out with a note. Names
/// that are not valid in a repository are also left out with a note.
#[derive(Debug)]
pub struct FolderSource {
    name: String,
    tree: SourceTree,
    /// The actual location of each file.
    places: BTreeMap<String, PathBuf>,
    limits: Limits,
}

impl FolderSource {
    /// Reads the names and sizes of all files.
    ///
    /// # Errors
    /// [`SourceError`] if the folder cannot be read or exceeds the limits.
    pub fn open(root: &Path, limits: Limits) -> Result<Self, SourceError> {
        let real = fs::canonicalize(root).map_err(|cause| unreadable(root.display(), cause))?;
        let name = real.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let mut walk = Walk {
            root: &real,
            limits,
            ignore: read_ignore(&real)?,
            tree: SourceTree::default(),
            places: BTreeMap::new(),
            count: 0,
        };
        walk.run()?;
        let Walk { mut tree, places, .. } = walk;
        let mut budget = Budget::new(limits);
        for (path, place) in &places {
            let size = fs::metadata(place).map_err(|cause| unreadable(path, cause))?.len();
            budget.file(path, size)?;
            tree.insert(path);
        }
        Ok(Self { name, tree, places, limits })
    }
}

impl Source for FolderSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn tree(&self) -> &SourceTree {
        &self.tree
    }

    fn read(&self, path: &str) -> Result<Bytes, SourceError> {
        let place = self.places.get(path).ok_or_else(|| unreadable(path, io::ErrorKind::NotFound.into()))?;
        read(path, place, &self.limits)
    }
}

fn read(path: &str, place: &Path, limits: &Limits) -> Result<Bytes, SourceError> {
    let mut content = Vec::new();
    let file = File::open(place).map_err(|cause| unreadable(path, cause))?;
    // The file can grow while it is read.
    file.take(limits.file_bytes + 1).read_to_end(&mut content).map_err(|cause| unreadable(path, cause))?;
    if content.len() as u64 > limits.file_bytes {
        return Err(Budget::new(*limits).too_large(path));
    }
    Ok(content.into())
}

fn read_ignore(root: &Path) -> Result<Ignore, SourceError> {
    let mut ignore = Ignore::default();
    for name in IGNORE_FILES {
        let place = root.join(name);
        match fs::symlink_metadata(&place) {
            Ok(found) if found.is_file() && found.len() > MAX_IGNORE_FILE => {
                return Err(refused(name, format!("an ignore file must not exceed {}", bytes(MAX_IGNORE_FILE))));
            }
            Ok(found) if found.is_file() => {
                let text = fs::read(&place).map_err(|cause| unreadable(name, cause))?;
                ignore.add(&String::from_utf8_lossy(&text));
            }
            _ => {}
        }
    }
    Ok(ignore)
}

struct Walk<'a> {
    root: &'a Path,
    limits: Limits,
    ignore: Ignore,
    tree: SourceTree,
    places: BTreeMap<String, PathBuf>,
    count: usize,
}

impl Walk<'_> {
    fn run(&mut self) -> Result<(), SourceError> {
        let mut folders = vec![(String::new(), self.root.to_owned(), 1)];
        while let Some((folder, place, depth)) = folders.pop() {
            let shown = if folder.is_empty() { "." } else { &folder };
            let entries = fs::read_dir(&place).map_err(|cause| unreadable(shown, cause))?;
            for entry in entries {
                let entry = entry.map_err(|cause| unreadable(shown, cause))?;
                self.count += 1;
                if self.count > self.limits.entries {
                    return Err(refused(shown, format!("must have at most {} files and folders", self.limits.entries)));
                }
                let name = entry.file_name();
                let Some(name) = name.to_str() else {
                    let path = join(&folder, &name.to_string_lossy());
                    self.tree.note(format!("{path:?}: left out: its name is not UTF-8"));
                    continue;
                };
                let path = join(&folder, name);
                let kind = entry.file_type().map_err(|cause| unreadable(&path, cause))?;
                if is_foreign(name) || self.ignore.excludes(&path, kind.is_dir()) {
                    continue;
                }
                if let Err(rule) = check_path(&path) {
                    self.tree.note(format!("{path:?}: left out: {rule}"));
                } else if kind.is_dir() {
                    if depth >= self.limits.depth {
                        return Err(refused(path, format!("must be at most {} folders deep", self.limits.depth)));
                    }
                    folders.push((path, entry.path(), depth + 1));
                } else if kind.is_file() {
                    self.places.insert(path, entry.path());
                } else if kind.is_symlink() {
                    self.link(path, &entry.path());
                } else {
                    self.tree.note(format!("{path}: left out: not a regular file"));
                }
            }
        }
        Ok(())
    }

    fn link(&mut self, path: String, place: &Path) {
        match fs::canonicalize(place) {
            Ok(real) if !real.starts_with(self.root) => {
                self.tree.note(format!("{path}: left out: a symbolic link to a target outside the folder"));
            }
            Ok(real) if real.is_file() => drop(self.places.insert(path, real)),
            Ok(_) => self.tree.note(format!("{path}: left out: a symbolic link to a folder")),
            Err(_) => self.tree.note(format!("{path}: left out: a broken symbolic link")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let place = dir.path().join(path);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, text).unwrap();
        }
        dir
    }

    fn paths(source: &FolderSource) -> Vec<&str> {
        source.tree().paths().collect()
    }

    #[test]
    fn files_are_read_on_demand() {
        let dir = folder(&[("README.md", "# A"), ("a/b.png", "png"), (".gitbook.yaml", "root: ./")]);
        let source = FolderSource::open(dir.path(), Limits::default()).unwrap();
        assert_eq!(paths(&source), [".gitbook.yaml", "README.md", "a/b.png"]);
        assert_eq!(source.read("README.md").unwrap(), "# A");
        assert_eq!(source.read("a/b.png").unwrap(), "png");
        assert!(matches!(source.read("../x"), Err(SourceError::Unreadable { .. })));
    }

    #[test]
    fn files_outside_documentation_are_left_out() {
        let dir = folder(&[
            ("README.md", ""),
            (".git/config", ""),
            ("a/node_modules/x.md", ""),
            ("build/x.md", ""),
            ("x.sh", ""),
            (".gitignore", "build/\n"),
            (".bookignore", "*.sh\n"),
        ]);
        let source = FolderSource::open(dir.path(), Limits::default()).unwrap();
        assert_eq!(paths(&source), [".bookignore", ".gitignore", "README.md"]);
    }

    #[test]
    fn links_are_followed_only_to_files_inside() {
        let outside = folder(&[("secret.md", "secret")]);
        let dir = folder(&[("a.md", "a"), ("f/b.md", "b")]);
        symlink(outside.path().join("secret.md"), dir.path().join("out.md")).unwrap();
        symlink(outside.path(), dir.path().join("out")).unwrap();
        symlink(dir.path(), dir.path().join("f/again")).unwrap();
        symlink("../a.md", dir.path().join("f/in.md")).unwrap();
        symlink("nowhere", dir.path().join("dangling.md")).unwrap();
        let source = FolderSource::open(dir.path(), Limits::default()).unwrap();
        assert_eq!(paths(&source), ["a.md", "f/b.md", "f/in.md"]);
        assert_eq!(source.read("f/in.md").unwrap(), "a");
        assert_eq!(source.tree().notes().len(), 4);
    }

    #[test]
    fn invalid_names_are_left_out_with_a_note() {
        let dir = folder(&[("a\\b.md", ""), ("x\u{202e}dm.md", ""), ("fine.md", "")]);
        let source = FolderSource::open(dir.path(), Limits::default()).unwrap();
        assert_eq!(paths(&source), ["fine.md"]);
        assert_eq!(source.tree().notes().len(), 2);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_name_that_is_not_in_utf8_is_left_out_with_a_note_of_its_path_in_the_folder() {
        use std::os::unix::ffi::OsStrExt;
        let dir = folder(&[("a/fine.md", "")]);
        fs::write(dir.path().join("a").join(std::ffi::OsStr::from_bytes(b"bad\xff.md")), "").unwrap();
        let source = FolderSource::open(dir.path(), Limits::default()).unwrap();
        assert_eq!(paths(&source), ["a/fine.md"]);
        assert_eq!(source.tree().notes(), ["\"a/bad\u{fffd}.md\": left out: its name is not UTF-8"]);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_reported_with_the_reason() {
        let dir = folder(&[("README.md", "# A")]);
        let source = FolderSource::open(dir.path(), Limits::default()).unwrap();
        fs::remove_file(dir.path().join("README.md")).unwrap();
        let error = source.read("README.md").unwrap_err().to_string();
        assert!(error.starts_with("cannot read README.md: No such file"), "{error}");
    }

    #[test]
    fn exceeded_limits_are_refused_with_entry_and_rule() {
        let limits =
            Limits { entries: 3, depth: 2, file_bytes: 10, total_bytes: 15, text_bytes: 8, ..Limits::default() };
        let refusal = |files: &[(&str, &str)]| match FolderSource::open(folder(files).path(), limits) {
            Err(SourceError::Refused { path, rule }) => format!("{path}: {rule}"),
            other => panic!("{other:?}"),
        };
        assert_eq!(refusal(&[("a", ""), ("b", ""), ("c", ""), ("d", "")]), ".: must have at most 3 files and folders");
        assert_eq!(refusal(&[("a/b/c", "")]), "a/b: must be at most 2 folders deep");
        assert_eq!(refusal(&[("a", "0123456789"), ("b", "012345")]), "b: all files together must not exceed 15 bytes");
        assert_eq!(
            refusal(&[("a.md", "01234"), ("b.md", "01234")]),
            "b.md: all Markdown and YAML files together must not exceed 8 bytes"
        );
        let large = FolderSource::open(folder(&[("a.png", "0123456789+")]).path(), limits);
        assert!(large.is_ok(), "a large file matters only once it is needed");
    }

    #[test]
    fn a_file_that_is_too_large_is_refused_when_it_is_read() {
        let dir = folder(&[("a.png", "0123456789+")]);
        let source = FolderSource::open(dir.path(), Limits { file_bytes: 10, ..Limits::default() }).unwrap();
        let error = source.read("a.png").unwrap_err();
        assert_eq!(error.to_string(), "a.png: a file must not exceed 10 bytes");
    }
}
