//! Renames: the files of a repository that the import before had under another path.
//!
//! Found as git finds them. Candidates are the files of the import before that are gone, and the files that are new:
//!
//! 1. files with equal bytes, those of the same name first;
//! 2. texts of the same name, where no other candidate has that name, that are equal by [`LIKE_BY_NAME`] percent;
//! 3. the most similar of the other texts, down to [`LIKE`] percent.
//!
//! A file that the table of contents names comes before one that it does not: a file without a page keeps nothing.
//! Memory and time are bounded by [`MAX_PIECES`] and [`MAX_PAIRS`]; texts beyond them are recognized by equal bytes
//! only.
use super::config::SERVICE_FOLDER;
use super::file::git_id;
use super::outline::Place;
use super::path::{self, is_markdown};
use super::plan::{ImportError, Plan};
use super::previous::Previous;
use crate::object::{Hash, Objects, Read, fetch};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

#[cfg(test)]
mod tests;

/// How much of the larger of two texts both share, in percent, so that they are the same file.
const LIKE: u64 = 50;
/// The same for two texts that alone have their name.
const LIKE_BY_NAME: u64 = 75;
/// The most pieces of text of all candidates of one side. A piece takes 16 bytes.
const MAX_PIECES: usize = 2_000_000;
/// The most pairs of texts that are compared.
const MAX_PAIRS: usize = 1_000_000;
/// The most pieces that are compared, over all pairs.
const MAX_COMPARED: usize = 200_000_000;

/// The search for renames. Reads new files at once, and the texts of the import before in steps
/// ([`read`](Self::read)).
#[derive(Default)]
pub struct Renames {
    /// Files that are gone and not found yet.
    gone: Vec<Candidate>,
    /// Files that are new and not matched yet.
    new: Vec<Candidate>,
    /// Number of files of `gone` whose text was read.
    read: usize,
    pieces: usize,
    /// Whether some texts were too many to be compared.
    skipped: bool,
    found: Renamed,
}

/// The renames that were found.
#[derive(Clone, Debug, Default)]
pub(super) struct Renamed {
    /// The path of the import before, by the path now.
    pub(super) paths: HashMap<String, String>,
    /// Why some texts were not compared.
    pub(super) warning: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Page,
    ReusableContent,
    File,
}

struct Candidate {
    kind: Kind,
    path: String,
    oid: String,
    /// The stored text, of a file that is gone.
    source: Option<Hash>,
    /// Whether the table of contents names it, of a new file.
    listed: bool,
    text: Option<Pieces>,
}

impl Candidate {
    fn compare(&self, other: &Self) -> u64 {
        match (&self.text, &other.text) {
            (Some(one), Some(two)) if self.kind == other.kind => one.likeness(two),
            _ => 0,
        }
    }
}

impl Renames {
    /// Finds the renames of files with equal bytes.
    ///
    /// # Errors
    /// [`ImportError`] if a new file cannot be read.
    pub fn of(plan: &Plan<'_>, previous: &Previous) -> Result<Self, ImportError> {
        let mut gone: Vec<Candidate> = previous.imported().filter(|gone| !plan.tree.contains(&gone.path)).collect();
        if gone.is_empty() {
            return Ok(Self::default());
        }
        gone.sort_by(|a, b| a.path.cmp(&b.path));
        let listed: HashSet<&str> = (plan.outline.entries.iter())
            .filter_map(|entry| match &entry.place {
                Place::Text(path) => Some(path.as_str()),
                Place::Group | Place::Bare | Place::Link(_) | Place::Computed(_) => None,
            })
            .collect();
        let kinds: HashSet<Kind> = gone.iter().map(|gone| gone.kind).collect();
        // A file that was renamed keeps its extension: so only few files are read twice.
        let extensions: HashSet<String> = gone.iter().map(|gone| extension(&gone.path)).collect();
        let mut renames = Self::default();
        for path in plan.tree.paths().filter(|path| !previous.has_path(path) && *path != plan.config.summary) {
            let kind = kind(path);
            if !kinds.contains(&kind) || kind == Kind::File && !extensions.contains(&extension(path)) {
                continue;
            }
            let bytes = plan.read(path)?;
            let text = if kind == Kind::File { None } else { renames.pieces(&bytes) };
            let (oid, path, listed) = (git_id(&bytes), path.to_owned(), listed.contains(path));
            renames.new.push(Candidate { kind, path, oid, source: None, listed, text });
        }
        renames.gone = gone;
        renames.pieces = 0;
        renames.equal();
        let no_text = |gone: &Candidate| gone.source.is_none() || renames.new.iter().all(|new| new.kind != gone.kind);
        if renames.gone.iter().all(no_text) {
            renames.gone.clear();
        }
        Ok(renames)
    }

    /// The stored texts that the next step reads, at most `most`. None if all are read.
    pub fn needs(&self, most: usize) -> Vec<Hash> {
        self.gone[self.read..].iter().filter_map(|gone| gone.source).take(most).collect()
    }

    /// Reads the next stored texts, at most `most`; returns whether there were any.
    pub fn read(&mut self, objects: &dyn Objects, most: usize) -> Read<bool> {
        let needed = self.needs(most);
        let mut texts = fetch(objects, needed.iter().copied())?.into_iter();
        while self.read < self.gone.len() {
            if self.gone[self.read].source.is_some() {
                let Some(text) = texts.next() else { break };
                self.gone[self.read].text = self.pieces(&text);
            }
            self.read += 1;
        }
        Ok(!needed.is_empty())
    }

    /// Finds the renames of texts that are similar. All pages, reusable contents and files of `previous` are then known
    /// by their new paths.
    pub fn finish(mut self, previous: &mut Previous) {
        self.same_name();
        self.similar();
        if self.skipped && !self.gone.is_empty() && !self.new.is_empty() {
            let reason = "too many files are new and gone to compare all their texts: \
                          a file that was renamed and edited is a new page";
            self.found.warning = Some(reason.to_owned());
        }
        previous.renamed = self.found;
    }

    /// The pieces of a text, unless there are too many of all texts.
    fn pieces(&mut self, text: &[u8]) -> Option<Pieces> {
        let text = (self.pieces < MAX_PIECES).then(|| Pieces::of(text, MAX_PIECES - self.pieces)).flatten();
        match &text {
            Some(text) => self.pieces += text.pieces.len(),
            None => self.skipped = true,
        }
        text
    }

    /// Files with equal bytes: first of the same name, then of any.
    fn equal(&mut self) {
        for by_name in [true, false] {
            let key = |file: &Candidate| {
                let name = if by_name { path::name(&file.path).to_owned() } else { String::new() };
                (file.kind, file.oid.clone(), name)
            };
            let says_something =
                |file: &Candidate| file.kind == Kind::File || file.text.as_ref().is_none_or(|text| text.weight > 0);
            let mut waiting: HashMap<_, Vec<usize>> = HashMap::new();
            for (at, new) in self.new.iter().enumerate().filter(|(_, new)| says_something(new)) {
                waiting.entry(key(new)).or_default().push(at);
            }
            for list in waiting.values_mut() {
                list.sort_by_key(|at| Reverse((!self.new[*at].listed, *at)));
            }
            let pairs =
                self.gone.iter().enumerate().filter_map(|(at, gone)| Some((at, waiting.get_mut(&key(gone))?.pop()?)));
            let pairs = pairs.collect();
            self.take(pairs);
        }
    }

    /// Texts that alone have their name.
    fn same_name(&mut self) {
        let unique = |files: &[Candidate]| {
            let mut names: HashMap<(Kind, String), Option<usize>> = HashMap::new();
            for (at, file) in files.iter().enumerate() {
                let name = (file.kind, path::name(&file.path).to_owned());
                names.entry(name).and_modify(|at| *at = None).or_insert(Some(at));
            }
            names
        };
        let new = unique(&self.new);
        let pairs = unique(&self.gone).into_iter().filter_map(|(name, gone)| {
            let (gone, new) = (gone?, (*new.get(&name)?)?);
            (self.gone[gone].compare(&self.new[new]) >= LIKE_BY_NAME).then_some((gone, new))
        });
        let pairs = pairs.collect();
        self.take(pairs);
    }

    /// The most similar texts.
    fn similar(&mut self) {
        let length = |files: &[Candidate]| files.iter().filter_map(|file| Some(file.text.as_ref()?.pieces.len())).sum();
        let (old, new): (usize, usize) = (length(&self.gone), length(&self.new));
        let compared = old.saturating_mul(self.new.len()).saturating_add(new.saturating_mul(self.gone.len()));
        if self.gone.len().saturating_mul(self.new.len()) > MAX_PAIRS || compared > MAX_COMPARED {
            self.skipped = true;
            return;
        }
        let mut scores: Vec<(bool, Reverse<u64>, usize, usize)> = Vec::new();
        for (at, gone) in self.gone.iter().enumerate() {
            for (new_at, new) in self.new.iter().enumerate() {
                let score = gone.compare(new);
                if score >= LIKE {
                    scores.push((!new.listed, Reverse(score), at, new_at));
                }
            }
        }
        scores.sort_unstable();
        let (mut gone, mut new) = (HashSet::new(), HashSet::new());
        let mut pairs = Vec::new();
        for (_, _, at, new_at) in scores {
            if !gone.contains(&at) && !new.contains(&new_at) {
                gone.insert(at);
                new.insert(new_at);
                pairs.push((at, new_at));
            }
        }
        self.take(pairs);
    }

    /// Takes pairs of a file that is gone and a new one out of the candidates.
    fn take(&mut self, pairs: Vec<(usize, usize)>) {
        for (gone, new) in &pairs {
            self.found.paths.insert(self.new[*new].path.clone(), self.gone[*gone].path.clone());
        }
        let (gone, new): (HashSet<usize>, HashSet<usize>) = pairs.into_iter().unzip();
        remove(&mut self.gone, &gone);
        remove(&mut self.new, &new);
    }
}

impl Previous {
    /// The files that its content came from.
    fn imported(&self) -> impl Iterator<Item = Candidate> {
        let candidate = |kind, git: &Option<crate::page::GitBlob>, source| {
            let git = git.clone()?;
            Some(Candidate { kind, path: git.path, oid: git.oid, source, listed: false, text: None })
        };
        let pages = self.pages.values().filter_map(move |page| candidate(Kind::Page, &page.git, page.source));
        let contents = self.contents.values();
        let contents = contents.filter_map(move |text| candidate(Kind::ReusableContent, &text.git, text.source));
        pages.chain(contents).chain(self.files.values().filter_map(move |file| candidate(Kind::File, &file.git, None)))
    }
}

fn remove(files: &mut Vec<Candidate>, taken: &HashSet<usize>) {
    let mut at = 0;
    files.retain(|_| {
        at += 1;
        !taken.contains(&(at - 1))
    });
}

/// The kind of a new file.
fn kind(path: &str) -> Kind {
    let in_service_folder = path.strip_prefix(SERVICE_FOLDER).is_some_and(|rest| rest.starts_with('/'));
    match is_markdown(path) {
        true if in_service_folder => Kind::ReusableContent,
        true => Kind::Page,
        false => Kind::File,
    }
}

fn extension(path: &str) -> String {
    path::name(path).rsplit_once('.').map_or("", |(_, extension)| extension).to_lowercase()
}

/// A text as the number of bytes in each of its different pieces. A piece is a line, or a sentence in a line.
struct Pieces {
    /// The hash of a piece, in order, and the bytes of all pieces that are equal.
    pieces: Vec<(u64, u32)>,
    weight: u64,
}

impl Pieces {
    /// `None` if there are more than `most`.
    fn of(text: &[u8], most: usize) -> Option<Self> {
        let mut weights: HashMap<u64, u32> = HashMap::new();
        for line in text.split(|byte| *byte == b'\n') {
            for piece in sentences(line).map(<[u8]>::trim_ascii).filter(|piece| !piece.is_empty()) {
                let mut hasher = DefaultHasher::new();
                piece.hash(&mut hasher);
                let weight = weights.entry(hasher.finish()).or_default();
                *weight = weight.saturating_add(piece.len().try_into().unwrap_or(u32::MAX));
                if weights.len() > most {
                    return None;
                }
            }
        }
        let mut pieces: Vec<(u64, u32)> = weights.into_iter().collect();
        pieces.sort_unstable();
        let weight = pieces.iter().map(|(_, weight)| u64::from(*weight)).sum();
        Some(Self { pieces, weight })
    }

    /// How much of the larger text both share, in percent.
    fn likeness(&self, other: &Self) -> u64 {
        let (least, most) = (self.weight.min(other.weight), self.weight.max(other.weight));
        if least * 100 < most * LIKE || most == 0 {
            return 0;
        }
        let (mut shared, mut others) = (0_u64, other.pieces.iter().peekable());
        for (hash, weight) in &self.pieces {
            while others.next_if(|(other, _)| other < hash).is_some() {}
            if let Some((_, other)) = others.next_if(|(other, _)| other == hash) {
                shared += u64::from(*weight.min(other));
            }
        }
        shared * 100 / most
    }
}

/// The sentences of a line: cut after `.`, `!`, `?` and `:` with a space behind.
fn sentences(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.windows(2).position(|pair| matches!(pair, [b'.' | b'!' | b'?' | b':', b' ']));
        let (piece, behind) = rest.split_at(end.map_or(rest.len(), |at| at + 1));
        rest = behind;
        Some(piece)
    })
}
