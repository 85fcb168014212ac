//! Repositories to import from disk: a folder or a zip archive.
//!
//! [`Limits`] bounds the input, and no name may lead outside. An archive that violates a rule is refused as a whole;
//! the error names the entry and the rule.
mod archive;
mod folder;
mod ignore;

pub use archive::ZipSource;
pub use domain::content::import::{Source, SourceError, SourceTree};
pub use folder::FolderSource;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The limits of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of files and folders.
    pub entries: usize,
    /// The depth of nested folders.
    pub depth: usize,
    /// The size of one file, in bytes.
    pub file_bytes: u64,
    /// The total size of all files, in bytes.
    pub total_bytes: u64,
    /// The total size of all Markdown and YAML files, in bytes.
    pub text_bytes: u64,
    /// The largest ratio of unpacked to packed size, for content of an archive larger than `ratio_from`.
    pub ratio: u64,
    /// The size from which `ratio` applies, in bytes: a small text can be compressed very much.
    pub ratio_from: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: 20_000,
            depth: 32,
            file_bytes: 50 << 20,
            total_bytes: 2 << 30,
            text_bytes: 128 << 20,
            ratio: 200,
            ratio_from: 10 << 20,
        }
    }
}

/// Opens a folder or a zip archive.
///
/// # Errors
/// [`SourceError`] if the path is neither, cannot be read, or violates a rule.
pub fn open(path: &Path, limits: Limits) -> Result<Box<dyn Source>, SourceError> {
    let shown = path.display();
    let found = std::fs::metadata(path).map_err(|cause| unreadable(&shown, cause))?;
    if found.is_dir() {
        return Ok(Box::new(FolderSource::open(path, limits)?));
    }
    // Opening a pipe would wait for its writer.
    if !found.is_file() || !is_zip(path).map_err(|cause| unreadable(&shown, cause))? {
        return Err(refused(&shown, "must be a folder or a zip archive"));
    }
    Ok(Box::new(ZipSource::open(path, limits)?))
}

/// Whether a file begins as a zip archive.
fn is_zip(path: &Path) -> io::Result<bool> {
    let mut start = [0; 4];
    match File::open(path)?.read_exact(&mut start) {
        Ok(()) => Ok(matches!(&start, b"PK\x03\x04" | b"PK\x05\x06")),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn refused(path: impl Display, rule: impl Into<String>) -> SourceError {
    SourceError::Refused { path: path.to_string(), rule: rule.into() }
}

fn unreadable(path: impl Display, cause: io::Error) -> SourceError {
    SourceError::Unreadable { path: path.to_string(), cause }
}

/// Counts the input and refuses input beyond the limits.
#[derive(Clone, Debug)]
struct Budget {
    limits: Limits,
    total: u64,
    text: u64,
}

impl Budget {
    fn new(limits: Limits) -> Self {
        Self { limits, total: 0, text: 0 }
    }

    fn file(&mut self, path: &str, size: u64) -> Result<(), SourceError> {
        self.total = self.total.saturating_add(size);
        if self.total > self.limits.total_bytes {
            return Err(refused(
                path,
                format!("all files together must not exceed {}", bytes(self.limits.total_bytes)),
            ));
        }
        if SourceTree::is_text(path) {
            self.text = self.text.saturating_add(size);
            if self.text > self.limits.text_bytes {
                let most = bytes(self.limits.text_bytes);
                return Err(refused(path, format!("all Markdown and YAML files together must not exceed {most}")));
            }
        }
        Ok(())
    }

    fn too_large(&self, path: &str) -> SourceError {
        refused(path, format!("a file must not exceed {}", bytes(self.limits.file_bytes)))
    }
}

/// A size for people.
fn bytes(size: u64) -> String {
    match size {
        size if size >= 1 << 30 && size % (1 << 30) == 0 => format!("{} GiB", size >> 30),
        size if size >= 1 << 20 && size % (1 << 20) == 0 => format!("{} MiB", size >> 20),
        size => format!("{size} bytes"),
    }
}

/// Names that are never part of documentation, in any folder.
fn is_foreign(name: &str) -> bool {
    matches!(name, ".git" | "node_modules" | "__MACOSX" | ".DS_Store" | ".hg" | ".svn")
}
