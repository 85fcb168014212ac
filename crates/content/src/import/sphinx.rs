//! Sites of Sphinx with MyST: the tables of contents in their texts (`toctree`), and the places of their labels.
use super::address::{self, has_scheme};
use super::encoding::decode;
use super::include::Included;
use super::outline::{Outline, Place};
use super::path::{self, is_markdown};
use super::plan::{ImportError, MAX_PAGES, Plan};
use super::summary::{Item, ItemKind, Summary};
use super::syntaxes::SPHINX;
use crate::markdown::FrontMatter;
use crate::markdown::Syntax;
use crate::markdown::flavors::{self, Flavor, Label, LabelAt, Parts, Toctree, is_pattern};
use std::collections::{HashMap, HashSet};

/// The names of the first file, without extensions, unless the settings have another one.
const FIRST: [&str; 2] = ["index", "contents"];

/// How deep files with tables of contents are followed.
const MAX_DEPTH: usize = 32;

/// How many patterns of names are read, and the longest of them, in bytes. Each takes time in proportion to the number
/// of files.
const MAX_PATTERNS: usize = 64;
const MAX_PATTERN: usize = 255;

/// The most labels of all files, and the most tables of contents and entries in them.
const MAX_LABELS: usize = 100_000;
const MAX_ENTRIES: usize = 2 * MAX_PAGES;

/// The largest file in reStructuredText that is read, in bytes.
const MAX_FILE: usize = 1024 * 1024;

/// The pages in tables of contents.
pub(super) struct Found {
    pub(super) outline: Outline,
    /// The title of the site.
    pub(super) title: Option<String>,
    /// The file of the first of them.
    pub(super) file: String,
}

/// Labels of MyST, in lower case, with the files that have them.
pub(super) type Labels = HashMap<String, (String, LabelAt)>;

impl Plan<'_> {
    /// Reads the labels and the tables of contents of all files of MyST, and returns the pages in these tables. `None`
    /// if none of them is there.
    pub(super) fn toctrees(&mut self) -> Result<Option<Found>, ImportError> {
        let mut folders: Vec<String> = self.repository.syntaxes.folders(Syntax::Myst).map(str::to_owned).collect();
        let is_inside = |path: &str| self.repository.syntaxes.of(path).contains(&Syntax::Myst);
        let files: Vec<String> = (self.tree.paths())
            .filter(|path| (is_markdown(path) || path.ends_with(".rst")) && is_inside(path))
            .map(str::to_owned)
            .collect();
        let mut toctrees: HashMap<String, Vec<Toctree>> = HashMap::new();
        let mut may_have = MAX_ENTRIES;
        for file in files {
            let bytes = self.read(&file)?;
            let parts = match is_markdown(&file) {
                true => Parts::of(&decode(&bytes).0),
                false if bytes.len() <= MAX_FILE => Parts::of_restructured_text(&decode(&bytes).0),
                false => continue,
            };
            for label in parts.labels.into_iter().take(MAX_LABELS - self.labels.len()) {
                self.labels.entry(label.name.to_lowercase()).or_insert_with(|| (file.clone(), label));
            }
            let mut found = parts.toctrees;
            found.truncate(may_have);
            may_have -= found.len();
            for toctree in &mut found {
                toctree.entries.truncate(may_have);
                may_have -= toctree.entries.len();
            }
            if !found.is_empty() {
                toctrees.insert(file, found);
            }
        }
        folders.sort_by_key(String::len);
        for folder in folders {
            let settings = self.anywhere(&path::join(&self.config.root, &path::join(&folder, SPHINX)));
            let settings = settings.map(|bytes| decode(&bytes).0.into_owned()).unwrap_or_default();
            let own = ["root_doc", "master_doc"].iter().find_map(|name| value(&settings, name));
            let names = own.into_iter().chain(FIRST);
            let first = names.flat_map(|name| [format!("{name}.md"), format!("{name}.rst")]);
            let first = first.map(|name| path::join(&folder, &name)).find(|path| toctrees.contains_key(path));
            if let Some(first) = first {
                let outline = self.contents_of(&toctrees, &folder, &first);
                let title = value(&settings, "project").map(str::to_owned);
                let has_pages = outline.entries.iter().any(|entry| matches!(entry.place, Place::Text(_)));
                return Ok(has_pages.then_some(Found { outline, title, file: first }));
            }
        }
        Ok(None)
    }

    fn contents_of(&self, toctrees: &HashMap<String, Vec<Toctree>>, folder: &str, first: &str) -> Outline {
        let files: Vec<&str> = self.tree.paths().filter(|path| is_markdown(path)).collect();
        let mut contents = Contents {
            toctrees,
            folder,
            first,
            files,
            seen: HashSet::new(),
            patterns: 0,
            items: Vec::new(),
            others: Vec::new(),
            is_other: &|path: &str| {
                [".rst", ".ipynb", ".txt"].iter().any(|end| self.tree.contains(&format!("{path}{end}")))
            },
        };
        contents.add(first, 0, None);
        let Contents { items, others, .. } = contents;
        let readme = is_markdown(first).then_some(first);
        let mut outline = Outline::of_summary(&self.tree, first, Summary { title: None, items }, readme);
        let note = |path: String| format!("{path} is not Markdown; it is left out");
        outline.warnings.extend(others.into_iter().map(|(line, path)| (line, note(path))));
        outline
    }

    /// A text in ordinary Markdown, by the markup of its file.
    pub(super) fn in_markdown(&self, path: &str, text: Included) -> Included {
        let syntaxes = self.repository.syntaxes.of(path);
        if syntaxes.is_empty() {
            return text;
        }
        let label = |name: &str| {
            let (file, label) = self.labels.get(&name.to_lowercase())?;
            let here = file == path;
            let href = match &label.anchor {
                Some(anchor) if here => format!("#{anchor}"),
                anchor => address::write(path, file, anchor.as_deref()),
            };
            Some(Label { href, title: label.title.clone() })
        };
        let plain = flavors::read(&text.text, &Flavor::new(&syntaxes, &label));
        text.rewritten(plain.text, plain.lines)
    }
}

/// The value of a setting in Python: a string in a line of its own.
fn value<'t>(settings: &'t str, name: &str) -> Option<&'t str> {
    settings.lines().find_map(|line| {
        let value = line.strip_prefix(name)?.trim_start().strip_prefix('=')?.trim();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, _) = value[1..].split_once(quote)?;
        Some(value.trim()).filter(|value| !value.is_empty())
    })
}

/// Collects the entries of tables of contents.
struct Contents<'c> {
    toctrees: &'c HashMap<String, Vec<Toctree>>,
    /// The folder of the settings.
    folder: &'c str,
    /// The first file.
    first: &'c str,
    /// The files in Markdown.
    files: Vec<&'c str>,
    /// The files that have an entry.
    seen: HashSet<String>,
    patterns: usize,
    items: Vec<Item>,
    /// Files in other languages, with the lines of their entries.
    others: Vec<(usize, String)>,
    /// Whether there is a file in another language with this path, without its extension.
    is_other: &'c dyn Fn(&str) -> bool,
}

impl Contents<'_> {
    /// Adds the entries in a file. Those in a file that the first one names have the line of its entry.
    fn add(&mut self, file: &str, depth: usize, line: Option<usize>) {
        let toctrees = self.toctrees;
        for toctree in toctrees.get(file).into_iter().flatten() {
            let first = toctree.entries.first().map_or(1, |entry| entry.line);
            if depth == 0 {
                let kind = match toctree.caption {
                    Some(_) => ItemKind::Group { id: None },
                    None => ItemKind::EndOfGroup,
                };
                self.item(kind, toctree.caption.clone().unwrap_or_default(), 0, first);
            }
            for entry in &toctree.entries {
                let (title, line) = (entry.title.clone().unwrap_or_default(), line.unwrap_or(entry.line));
                if has_scheme(&entry.target) {
                    let title = if title.is_empty() { entry.target.clone() } else { title };
                    self.item(ItemKind::Link { href: entry.target.clone() }, title, depth, line);
                } else if toctree.is_glob && is_pattern(&entry.target) {
                    for path in self.matching(file, &entry.target) {
                        self.page(path, String::new(), depth, line);
                    }
                } else if let Some(path) = self.resolve(file, &entry.target) {
                    self.page(path, title, depth, line);
                }
            }
        }
    }

    fn item(&mut self, kind: ItemKind, title: String, depth: usize, line: usize) {
        if self.items.len() <= MAX_PAGES {
            let fields = FrontMatter::default();
            self.items.push(Item { kind, title, link_title: None, depth, line, fields });
        }
    }

    /// The path that an entry of a file means, from the root of the repository.
    fn resolve(&self, file: &str, target: &str) -> Option<String> {
        match target.strip_prefix('/') {
            Some(target) => path::resolve(self.folder, target),
            None => path::resolve(path::folder(file), target),
        }
    }

    fn page(&mut self, path: String, title: String, depth: usize, line: usize) {
        let candidates = [path.clone(), format!("{path}.md"), format!("{path}.markdown")];
        let found = candidates.into_iter().find(|path| self.files.binary_search(&path.as_str()).is_ok());
        if found.is_none() && (self.is_other)(path.trim_end_matches(".rst").trim_end_matches(".ipynb")) {
            return self.others.push((line, path));
        }
        let path = found.unwrap_or(path);
        // The first file is before all others.
        if path == self.first || !self.seen.insert(path.clone()) {
            return;
        }
        self.item(ItemKind::Link { href: format!("/{}", path::encode(&path)) }, title, depth, line);
        if depth < MAX_DEPTH {
            self.add(&path, depth + 1, Some(line));
        }
    }

    /// The files that match a pattern and have no entry yet.
    fn matching(&mut self, file: &str, pattern: &str) -> Vec<String> {
        self.patterns += 1;
        let is_read = |pattern: &String| self.patterns <= MAX_PATTERNS && pattern.len() <= MAX_PATTERN;
        let Some(pattern) = self.resolve(file, pattern).filter(is_read) else { return Vec::new() };
        let matches = |path: &&&str| {
            let stem = path.rsplit_once('.').map_or(**path, |(stem, _)| stem);
            **path != self.first
                && !self.seen.contains(**path)
                && (is_match(&pattern, stem) || is_match(&pattern, path))
        };
        self.files.iter().filter(matches).map(|path| (*path).to_owned()).collect()
    }
}

/// Whether a path matches a pattern: `*` is any text without `/`, and `?` any other character.
fn is_match(pattern: &str, path: &str) -> bool {
    let (pattern, path) = (pattern.as_bytes(), path.as_bytes());
    let (mut at, mut place) = (0, 0);
    // After the last star: the place in the pattern, and in the path.
    let mut back: Option<(usize, usize)> = None;
    while place < path.len() {
        match pattern.get(at) {
            Some(b'*') => {
                back = Some((at + 1, place));
                at += 1;
            }
            Some(byte) if (*byte == b'?' && path[place] != b'/') || *byte == path[place] => {
                at += 1;
                place += 1;
            }
            _ => match back {
                Some((after, from)) if path[from] != b'/' => {
                    back = Some((after, from + 1));
                    (at, place) = (after, from + 1);
                }
                _ => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("guide/*", "guide/a", true)]
    #[case("guide/*", "guide/a/b", false)]
    #[case("a*c?", "abcd", true)]
    #[case("a*c?", "abc/", false)]
    #[case("*b*", "aabaa", true)]
    #[case("a", "b", false)]
    #[case("*", "", true)]
    fn a_star_matches_any_text_in_a_folder(#[case] pattern: &str, #[case] path: &str, #[case] expected: bool) {
        assert_eq!(is_match(pattern, path), expected);
    }

    #[rstest]
    #[case("project = \"A B\"  # it", Some("A B"))]
    #[case("import x\nproject='A'", Some("A"))]
    #[case("project = name()", None)]
    #[case("project_copyright = 'A'", None)]
    fn the_title_is_a_string_in_the_settings(#[case] settings: &str, #[case] expected: Option<&str>) {
        assert_eq!(value(settings, "project"), expected);
    }
}
