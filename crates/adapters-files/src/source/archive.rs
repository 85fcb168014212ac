//! A zip archive as the source of an import.
use super::ignore::{IGNORE_FILES, Ignore, MAX_IGNORE_FILE};
use super::{Budget, Limits, Source, SourceError, SourceTree, bytes, is_foreign, refused, unreadable};
use bytes::Bytes;
use domain::content::import::path::{check_path, fold};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use zip::read::{Config, OwnedZipFileEntry, ZipFileEntry};
use zip::result::ZipError;
use zip::unstable::read::ZipIterable;
use zip::{CompressionMethod, ZipReadOptions};

/// The fixed part of the header before each file's data (APPNOTE 4.3.7).
const LOCAL_HEADER: u64 = 30;

/// The bits of a Unix mode for the type of a file, and the values for a regular file and a folder.
const FILE_TYPE: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

trait Bytestream: Read + Seek + Send {}
impl<T: Read + Seek + Send> Bytestream for T {}

/// A zip archive. The whole archive is checked before the first file is unpacked. Files are unpacked only in memory. If
/// a single folder contains everything, this folder is the root.
pub struct ZipSource {
    name: String,
    tree: SourceTree,
    entries: BTreeMap<String, OwnedZipFileEntry>,
    archive: Mutex<Box<dyn Bytestream>>,
}

impl std::fmt::Debug for ZipSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ZipSource").field("name", &self.name).field("entries", &self.entries.len()).finish()
    }
}

impl ZipSource {
    /// Opens an archive on disk.
    ///
    /// # Errors
    /// [`SourceError`] if it cannot be read or violates a rule.
    pub fn open(path: &Path, limits: Limits) -> Result<Self, SourceError> {
        let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let file = File::open(path).map_err(|cause| unreadable(path.display(), cause))?;
        Self::read(name, Box::new(BufReader::new(file)), limits)
    }

    /// Opens an archive in memory.
    ///
    /// # Errors
    /// [`SourceError`] if it violates a rule.
    pub fn from_bytes(name: impl Into<String>, archive: Bytes, limits: Limits) -> Result<Self, SourceError> {
        Self::read(name.into(), Box::new(Cursor::new(archive)), limits)
    }

    fn read(name: String, mut archive: Box<dyn Bytestream>, limits: Limits) -> Result<Self, SourceError> {
        let mut entries = checked_entries(&name, &mut archive, &limits)?;
        entries.retain(|path, _| !path.split('/').any(is_foreign));
        if let Some(top) = single_top(&entries) {
            entries = entries.into_iter().map(|(path, entry)| (path[top + 1..].to_owned(), entry)).collect();
        }
        let mut ignore = Ignore::default();
        for file in IGNORE_FILES {
            if let Some(entry) = entries.get(file) {
                if entry.size() > MAX_IGNORE_FILE {
                    return Err(refused(file, format!("an ignore file must not exceed {}", bytes(MAX_IGNORE_FILE))));
                }
                ignore.add(&String::from_utf8_lossy(&unpack(file, entry, &mut archive)?));
            }
        }
        entries.retain(|path, _| !ignore.excludes_file(path));
        let mut tree = SourceTree::default();
        entries.keys().for_each(|path| tree.insert(path));
        Ok(Self { name, tree, entries, archive: Mutex::new(archive) })
    }
}

impl Source for ZipSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn tree(&self) -> &SourceTree {
        &self.tree
    }

    fn read(&self, path: &str) -> Result<Bytes, SourceError> {
        let entry = self.entries.get(path).ok_or_else(|| unreadable(path, io::ErrorKind::NotFound.into()))?;
        // A reader that panicked has only changed the position, and every read starts with a seek.
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        unpack(path, entry, &mut archive)
    }
}

fn damaged(path: &str, error: ZipError) -> SourceError {
    match error {
        ZipError::Io(cause) if !matches!(cause.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) => {
            unreadable(path, cause)
        }
        error => refused(path, format!("the archive is damaged: {error}")),
    }
}

/// The files of an archive, by path. Checks every rule that can be checked without unpacking.
fn checked_entries(
    name: &str,
    archive: &mut Box<dyn Bytestream>,
    limits: &Limits,
) -> Result<BTreeMap<String, OwnedZipFileEntry>, SourceError> {
    let listing = ZipIterable::try_new(&mut *archive, Config::default()).map_err(|error| damaged(name, error))?;
    let mut listing = listing.enforce_header_consistency(true);
    if listing.len() > limits.entries {
        return Err(refused(
            name,
            format!("must have at most {} files and folders, not {}", limits.entries, listing.len()),
        ));
    }
    let mut names = Names::default();
    let mut budget = Budget::new(*limits);
    let mut packed = 0;
    let mut spans: Vec<(u64, u64, String)> = Vec::new();
    let mut entries = BTreeMap::new();
    for entry in listing.files().map_err(|error| damaged(name, error))? {
        let entry = entry.map_err(|error| damaged(name, error))?;
        let path = checked_name(&entry, limits)?;
        check_kind(&path, &entry)?;
        names.add(&path, entry.is_dir())?;
        let (size, compressed) = (entry.size(), entry.compressed_size());
        if size > limits.file_bytes {
            return Err(budget.too_large(&path));
        }
        check_ratio(&path, size, compressed, limits)?;
        packed += compressed;
        budget.file(&path, size)?;
        let start = entry.header_start();
        spans.push((start, start + LOCAL_HEADER + entry.name_raw().len() as u64 + compressed, path.clone()));
        if !entry.is_dir() {
            entries.insert(path, OwnedZipFileEntry::from(entry));
        }
    }
    check_ratio(name, budget.total, packed, limits)?;
    spans.sort();
    match spans.windows(2).find(|pair| pair[0].1 > pair[1].0) {
        Some(pair) => Err(refused(&pair[1].2, format!("its data overlaps with the data of {}", pair[0].2))),
        None => Ok(entries),
    }
}

fn check_ratio(path: &str, size: u64, compressed: u64, limits: &Limits) -> Result<(), SourceError> {
    if size > limits.ratio_from && size / limits.ratio > compressed {
        let (ratio, from) = (limits.ratio, bytes(limits.ratio_from));
        return Err(refused(path, format!("content larger than {from} must not be compressed more than 1:{ratio}")));
    }
    Ok(())
}

/// The checked path of an entry, without the `/` at the end of a folder.
fn checked_name(entry: &ZipFileEntry<'_>, limits: &Limits) -> Result<String, SourceError> {
    let shown = || format!("{:?}", String::from_utf8_lossy(entry.name_raw()));
    let raw = entry.name().map_err(|error| refused(shown(), format!("its name is damaged: {error}")))?;
    if raw.contains(char::REPLACEMENT_CHARACTER) {
        return Err(refused(shown(), "its name does not match its declared encoding"));
    }
    let path = if entry.is_dir() { raw.strip_suffix('/').unwrap_or(&raw) } else { &raw };
    check_path(path).map_err(|rule| refused(shown(), rule.0))?;
    if path.matches('/').count() >= limits.depth {
        return Err(refused(shown(), format!("must be at most {} folders deep", limits.depth)));
    }
    Ok(path.to_owned())
}

fn check_kind(path: &str, entry: &ZipFileEntry<'_>) -> Result<(), SourceError> {
    if entry.encrypted() {
        return Err(refused(path, "an archive must not be encrypted"));
    }
    if entry.is_symlink() {
        return Err(refused(path, "an archive must not contain symbolic links"));
    }
    let kind = entry.unix_mode().map_or(0, |mode| mode & FILE_TYPE);
    if kind != 0 && kind != REGULAR && kind != FOLDER || entry.is_dir() && entry.size() > 0 {
        return Err(refused(path, "an archive must contain only regular files and folders"));
    }
    match entry.compression() {
        CompressionMethod::Stored | CompressionMethod::Deflated => Ok(()),
        other => Err(refused(path, format!("compression method {other} is not supported, use deflate"))),
    }
}

/// The names seen so far, as a file system that ignores case treats them.
#[derive(Default)]
struct Names(BTreeMap<String, (String, bool)>);

impl Names {
    fn add(&mut self, path: &str, is_folder: bool) -> Result<(), SourceError> {
        // The parent folders of a file need no entry.
        for (at, _) in path.match_indices('/') {
            self.put(&path[..at], true, false)?;
        }
        self.put(path, is_folder, true)
    }

    fn put(&mut self, path: &str, is_folder: bool, is_entry: bool) -> Result<(), SourceError> {
        let Some((other, other_is_folder)) = self.0.insert(fold(path), (path.to_owned(), is_folder)) else {
            return Ok(());
        };
        if other != path {
            return Err(refused(path, format!("its name differs from {other} in case or encoding alone")));
        }
        if is_folder != other_is_folder {
            return Err(refused(path, "it is both a file and a folder"));
        }
        if is_entry && !is_folder {
            return Err(refused(path, "an archive must not contain a file twice"));
        }
        Ok(())
    }
}

/// The length of the name of the only top-level folder, if it contains all files.
fn single_top(entries: &BTreeMap<String, OwnedZipFileEntry>) -> Option<usize> {
    let mut files = entries.keys();
    let top = files.next()?.split_once('/')?.0;
    files.all(|path| path.split_once('/').is_some_and(|(first, _)| first == top)).then_some(top.len())
}

/// The bytes of an entry. Checks their declared number and checksum.
fn unpack(path: &str, entry: &OwnedZipFileEntry, archive: &mut Box<dyn Bytestream>) -> Result<Bytes, SourceError> {
    let size = entry.size();
    let reader = entry.as_ref().with_reader(archive, ZipReadOptions::new()).map_err(|error| damaged(path, error))?;
    // The declared size can be wrong: the buffer grows with the actual data, and reading stops one byte after the
    // declared size.
    let mut content = Vec::new();
    reader.take(size + 1).read_to_end(&mut content).map_err(|cause| damaged(path, cause.into()))?;
    if content.len() as u64 != size {
        return Err(refused(path, format!("its size is not the declared {}", bytes(size))));
    }
    Ok(content.into())
}

#[cfg(test)]
mod tests;
