//! Sites of Sphinx with MyST: the tables of contents in their texts (`toctree`), and the places of their labels.
use super::address::{self, has_scheme};
use super::encoding::decode;
use super::include::{Included, MAX_INCLUDED, PER_INCLUDE};
use super::outline::{Outline, Place};
use super::path::{self, is_markdown};
use super::patterns::Patterns;
use super::plan::{ImportError, MAX_PAGES, Plan};
use super::summary::{Item, ItemKind, Summary};
use super::syntaxes::SPHINX;
use crate::markdown::FrontMatter;
use crate::markdown::Syntax;
use crate::markdown::flavors::{self, Flavor, Label, LabelAt, Parts, Toctree, is_pattern};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// The names of the first file, without extensions, unless the settings have another one.
const FIRST: [&str; 2] = ["index", "contents"];

/// How deep files with tables of contents are followed.
const MAX_DEPTH: usize = 32;

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
            patterns: Patterns::default(),
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

    /// A text in ordinary Markdown, by the markup of its file. `read` returns the text of a file of the repository that
    /// it includes.
    pub(super) fn in_markdown(&self, path: &str, text: Included, read: &dyn Fn(&str) -> Option<String>) -> Included {
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
        let left = Cell::new(MAX_INCLUDED);
        let include = |address: &str| {
            let included = read(&self.included(path, address)?)?;
            left.set(left.get().checked_sub(included.len() + PER_INCLUDE)?);
            Some(included)
        };
        let plain = flavors::read(&text.text, &Flavor::new(&syntaxes, &label).including(&include));
        text.rewritten(plain.text, plain.lines)
    }

    /// The path in the repository of a file that a text names which is at `path` in the documentation. An address that
    /// begins with `/` is relative to the folder of the settings of Sphinx.
    fn included(&self, path: &str, address: &str) -> Option<String> {
        let Some(address) = address.strip_prefix('/') else {
            return path::resolve(path::folder(&path::join(&self.config.root, path)), address);
        };
        let around =
            self.repository.syntaxes.folders(Syntax::Myst).filter(|folder| path::inside(folder, path).is_some());
        let folder = around.max_by_key(|folder| folder.len()).unwrap_or_default();
        path::resolve(path::join(&self.config.root, folder).trim_end_matches('/'), address)
    }
}

/// The value of a setting in Python: a string in a line of its own.
pub(super) fn value<'t>(settings: &'t str, name: &str) -> Option<&'t str> {
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
    patterns: Patterns,
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
        let Some(pattern) = self.resolve(file, pattern) else { return Vec::new() };
        let found = self.patterns.matching(&pattern, self.files.iter().copied()).unwrap_or_default();
        let is_new = |path: &&str| *path != self.first && !self.seen.contains(*path);
        found.into_iter().filter(is_new).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("project = \"A B\"  # it", Some("A B"))]
    #[case("import x\nproject='A'", Some("A"))]
    #[case("project = name()", None)]
    #[case("project_copyright = 'A'", None)]
    fn the_title_is_a_string_in_the_settings(#[case] settings: &str, #[case] expected: Option<&str>) {
        assert_eq!(value(settings, "project"), expected);
    }
}
