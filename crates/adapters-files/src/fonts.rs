//! A folder with fonts in Fontsource packages.
use bytes::Bytes;
use domain::site::served_font::{FontPackage, InvalidFont, KnownFont, ServedFont};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The largest file of a font, in bytes.
const LARGEST: u64 = 8 << 20;
/// The largest description of a package, in bytes.
const LARGEST_DESCRIPTION: u64 = 1 << 20;

/// A font that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FontError {
    /// A read failed.
    #[error("cannot read {path}")]
    Failed {
        /// The path of the read.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// A path is outside of the folder, by a symbolic link.
    #[error("{0} leads outside of the folder")]
    Outside(PathBuf),
    /// A file is too large.
    #[error("{0} is too large for a font")]
    Large(PathBuf),
    /// The package is invalid.
    #[error("{package}")]
    Invalid {
        /// The folder of the package.
        package: PathBuf,
        /// The rule that it violates.
        #[source]
        rule: InvalidFont,
    },
}

/// An error of a package, before its folder is added.
enum Fault {
    Font(FontError),
    Package(InvalidFont),
}

impl From<InvalidFont> for Fault {
    fn from(rule: InvalidFont) -> Self {
        Self::Package(rule)
    }
}

/// A folder with packages: a `node_modules`, or a folder whose subfolders are font packages.
#[derive(Debug)]
pub struct FontFolder {
    /// Without symbolic links.
    root: PathBuf,
}

impl FontFolder {
    /// Opens a folder.
    ///
    /// # Errors
    /// [`FontError::Failed`] if there is none.
    pub fn open(folder: &Path) -> Result<Self, FontError> {
        let failed = |cause| FontError::Failed { path: folder.to_owned(), cause };
        let root = folder.canonicalize().map_err(failed)?;
        if !root.is_dir() {
            return Err(failed(ErrorKind::NotADirectory.into()));
        }
        Ok(Self { root })
    }

    /// The font that is served for a known one; `None` if the folder has no package of it. The package of the variable
    /// font comes first.
    ///
    /// # Errors
    /// [`FontError`] if the package cannot be read or is invalid.
    pub fn font(&self, known: KnownFont) -> Result<Option<ServedFont>, FontError> {
        let id = known.family_id();
        let folders = [format!("{}/{id}", FontPackage::VARIABLE), id.clone(), format!("{}/{id}", FontPackage::STATIC)];
        for folder in folders.map(|folder| self.root.join(folder)) {
            let Some(package) = self.read(&folder.join("package.json"), LARGEST_DESCRIPTION)? else { continue };
            let font = self.package(known, &folder, &package).map_err(|fault| match fault {
                Fault::Font(error) => error,
                Fault::Package(rule) => FontError::Invalid { package: folder.clone(), rule },
            })?;
            return Ok(Some(font));
        }
        Ok(None)
    }

    fn package(&self, known: KnownFont, folder: &Path, package: &[u8]) -> Result<ServedFont, Fault> {
        let description = |name: &str| {
            let read = self.read(&folder.join(name), LARGEST_DESCRIPTION).map_err(Fault::Font)?;
            let missing = || FontError::Failed { path: folder.join(name), cause: ErrorKind::NotFound.into() };
            read.ok_or_else(|| Fault::Font(missing()))
        };
        let (metadata, unicode) = (description("metadata.json")?, description("unicode.json")?);
        let files = folder.join("files");
        FontPackage::read(known, package, &metadata, &unicode)?
            .load::<Fault>(|name| Ok(self.read(&files.join(name), LARGEST).map_err(Fault::Font)?.map(Bytes::from)))
    }

    /// A file of the folder; `None` if it does not exist.
    fn read(&self, path: &Path, largest: u64) -> Result<Option<Vec<u8>>, FontError> {
        let failed = |cause| FontError::Failed { path: path.to_owned(), cause };
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        if !real.starts_with(&self.root) {
            return Err(FontError::Outside(path.to_owned()));
        }
        // Opening a named pipe would block until a writer opens it.
        if !fs::metadata(&real).map_err(failed)?.is_file() {
            return Err(failed(ErrorKind::InvalidInput.into()));
        }
        let mut bytes = Vec::new();
        File::open(&real).and_then(|file| file.take(largest + 1).read_to_end(&mut bytes)).map_err(failed)?;
        if bytes.len() as u64 > largest {
            return Err(FontError::Large(path.to_owned()));
        }
        Ok(Some(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::site::customization::TextFont;
    use rstest::rstest;
    use tempfile::TempDir;

    const INTER: KnownFont = KnownFont::Text(TextFont::Inter);
    const FILE: &str = "inter-latin-wght-normal.woff2";

    /// Writes a package of Inter to a folder below `root`.
    fn write(root: &Path, folder: &str, name: &str) -> PathBuf {
        let package = root.join(folder);
        fs::create_dir_all(package.join("files")).unwrap();
        let description = format!(r#"{{"name": "{name}", "version": "1.2.3", "license": "OFL-1.1"}}"#);
        let metadata = r#"{"id": "inter", "weights": [400], "variable": {"wght": {"min": "100", "max": "900"}}}"#;
        for (file, text) in [
            ("package.json", description.as_str()),
            ("metadata.json", metadata),
            ("unicode.json", r#"{"latin": "U+0000-00FF"}"#),
            ("files/inter-latin-wght-normal.woff2", "wOF2variable"),
            ("files/inter-latin-400-normal.woff2", "wOF2static"),
        ] {
            fs::write(package.join(file), text).unwrap();
        }
        package
    }

    fn font(root: &Path) -> Result<Option<ServedFont>, FontError> {
        FontFolder::open(root).unwrap().font(INTER)
    }

    #[rstest]
    #[case("@fontsource-variable/inter", "@fontsource-variable/inter", "wOF2variable")]
    #[case("inter", "@fontsource-variable/inter", "wOF2variable")]
    #[case("inter", "@fontsource/inter", "wOF2static")]
    #[case("@fontsource/inter", "@fontsource/inter", "wOF2static")]
    fn a_package_is_found_in_its_scope_and_beside_others(
        #[case] folder: &str,
        #[case] name: &str,
        #[case] bytes: &'static str,
    ) {
        let root = TempDir::new().unwrap();
        write(root.path(), folder, name);
        let font = font(root.path()).unwrap().unwrap();
        assert_eq!((font.package.as_str(), font.version.as_str(), font.licence.as_str()), (name, "1.2.3", "OFL-1.1"));
        assert_eq!(font.faces.len(), 1);
        assert_eq!(font.faces[0].bytes, bytes);
    }

    #[test]
    fn the_variable_package_comes_before_the_static_one() {
        let root = TempDir::new().unwrap();
        for name in ["@fontsource/inter", "@fontsource-variable/inter"] {
            write(root.path(), name, name);
        }
        assert_eq!(font(root.path()).unwrap().unwrap().package, "@fontsource-variable/inter");
    }

    #[test]
    fn a_font_without_a_package_is_missing() {
        let root = TempDir::new().unwrap();
        assert!(font(root.path()).unwrap().is_none());
        fs::write(root.path().join("inter"), "a file").unwrap();
        assert!(font(root.path()).unwrap().is_none());
        let nowhere = FontFolder::open(&root.path().join("nowhere"));
        assert!(matches!(nowhere, Err(FontError::Failed { .. })), "{nowhere:?}");
        let file = FontFolder::open(&root.path().join("inter"));
        assert!(matches!(file, Err(FontError::Failed { .. })), "{file:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_file_outside_of_the_folder_is_refused() {
        use std::os::unix::fs::symlink;
        let (root, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let package = write(root.path(), "inter", "@fontsource-variable/inter");
        let file = package.join("files").join(FILE);
        fs::rename(&file, outside.path().join(FILE)).unwrap();
        symlink(outside.path().join(FILE), &file).unwrap();
        assert!(matches!(font(root.path()), Err(FontError::Outside(_))));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_package_in_the_folder_is_followed_and_one_to_another_folder_is_refused() {
        use std::os::unix::fs::symlink;
        let (root, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let name = "@fontsource-variable/inter";
        let stored = write(root.path(), ".store/inter", name);
        symlink(&stored, root.path().join("inter")).unwrap();
        assert!(font(root.path()).unwrap().is_some());
        let other = write(outside.path(), "inter", name);
        fs::remove_file(root.path().join("inter")).unwrap();
        symlink(&other, root.path().join("inter")).unwrap();
        assert!(matches!(font(root.path()), Err(FontError::Outside(_))));
    }

    #[test]
    fn a_package_with_a_fault_is_refused_with_its_folder_and_the_rule() {
        let root = TempDir::new().unwrap();
        let package = write(root.path(), "inter", "@fontsource-variable/inter");
        fs::write(package.join("files").join(FILE), "<html>").unwrap();
        assert!(matches!(font(root.path()), Err(FontError::Invalid { rule: InvalidFont::Format(_), .. })));
        fs::remove_file(package.join("unicode.json")).unwrap();
        assert!(matches!(font(root.path()), Err(FontError::Failed { .. })));
    }

    #[test]
    fn a_file_that_is_too_large_is_not_read() {
        let root = TempDir::new().unwrap();
        let package = write(root.path(), "inter", "@fontsource-variable/inter");
        File::create(package.join("files").join(FILE)).unwrap().set_len(LARGEST + 1).unwrap();
        assert!(matches!(font(root.path()), Err(FontError::Large(_))));
    }
}
