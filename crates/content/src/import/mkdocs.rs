//! `mkdocs.yml`: the navigation of a site of MkDocs, as a table of contents.
use super::address::has_scheme;
use super::finder::Finder;
use super::path;
use super::summary::{Item, ItemKind, Summary};
use crate::markdown::FrontMatter;
use serde_json::Value;

/// Names of the file, at the root of a repository.
pub(super) const NAMES: [&str; 2] = ["mkdocs.yml", "mkdocs.yaml"];

/// The line of a theme's setting with which each index in a section is the page of the section.
const INDEX_PAGES: &str = "- navigation.indexes";

/// How deep sections may nest.
const MAX_SECTIONS: usize = 32;

/// Reads the file. Addresses are relative to the root of the repository. `None` if it has no navigation.
pub(super) fn read(text: &str) -> Option<Summary> {
    let nav = value(text, "nav")?;
    let folder = value(text, "docs_dir").unwrap_or_else(|| "docs".into());
    let folder = path::resolve("", folder.as_str()?)?;
    let title = value(text, "site_name").and_then(|name| Some(name.as_str()?.trim().to_owned()));
    let (line, source) = lines(text, "nav");
    let has_index_pages = text.lines().any(|line| line.trim() == INDEX_PAGES);
    let mut reader = Reader { folder, has_index_pages, finder: Finder::new(&source, line), items: Vec::new() };
    reader.section(nav.as_array().into_iter().flatten(), 0);
    Some(Summary { title: title.filter(|title| !title.is_empty()), items: reader.items })
}

/// The lines of an outermost key and its value, and the number of the first one.
fn lines(text: &str, key: &str) -> (usize, String) {
    let begins = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    let goes_on = |line: &str| line.trim().is_empty() || line.starts_with([' ', '\t', '-', '#']);
    let mut lines = (1..).zip(text.lines()).skip_while(|(_, line)| !begins(line));
    let first = lines.next();
    let number = first.map_or(1, |(number, _)| number);
    let source = first.into_iter().chain(lines.take_while(|(_, line)| goes_on(line))).map(|(_, line)| line);
    (number, source.collect::<Vec<_>>().join("\n"))
}

/// The value of an outermost key. Others may have tags of Python, which cannot be read.
fn value(text: &str, key: &str) -> Option<Value> {
    FrontMatter::of_yaml(&lines(text, key).1)?.get(key).cloned()
}

struct Reader<'t> {
    folder: String,
    /// Whether also an index with a title of its own is the page of its section.
    has_index_pages: bool,
    finder: Finder<'t>,
    items: Vec<Item>,
}

impl Reader<'_> {
    fn section<'v>(&mut self, entries: impl Iterator<Item = &'v Value>, depth: usize) {
        for entry in entries {
            match entry {
                Value::String(href) => self.item("", Some(href.as_str()), depth),
                Value::Object(titled) => titled.iter().for_each(|(title, value)| self.entry(title, value, depth)),
                _ => {}
            }
        }
    }

    fn entry(&mut self, title: &str, value: &Value, depth: usize) {
        let inside = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let index = inside.iter().enumerate().find_map(|(at, entry)| Some((at, self.index(at, entry)?)));
        self.item(title, value.as_str().or(index.map(|(_, href)| href)), depth);
        if depth < MAX_SECTIONS {
            let others = inside.iter().enumerate().filter(|(at, _)| index.is_none_or(|(index, _)| *at != index));
            self.section(others.map(|(_, entry)| entry), depth + 1);
        }
    }

    /// The address of an entry that is the page of its section: an index without a title in the first place, or one in
    /// any place if the theme has such pages.
    fn index<'v>(&self, at: usize, entry: &'v Value) -> Option<&'v str> {
        let href = match entry {
            Value::String(href) if at == 0 || self.has_index_pages => href.as_str(),
            Value::Object(titled) if self.has_index_pages && titled.len() == 1 => titled.values().next()?.as_str()?,
            _ => return None,
        };
        (path::is_readme(href) && !has_scheme(href) && !href.starts_with('/')).then_some(href)
    }

    /// Adds an entry.
    fn item(&mut self, title: &str, href: Option<&str>, depth: usize) {
        let line = self.finder.find(href.unwrap_or(title));
        let kind = match href {
            Some(href) if has_scheme(href) || href.starts_with(['/', '#']) => ItemKind::Link { href: href.to_owned() },
            Some(href) => ItemKind::Link { href: path::join(&self.folder, href) },
            None => ItemKind::Bare,
        };
        let fields = FrontMatter::default();
        self.items.push(Item { kind, title: title.to_owned(), link_title: None, depth, line, fields });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn the_navigation_is_a_table_of_contents() {
        let text = "site_name: My docs\nmarkdown_extensions:\n  - x: !!python/name:a.b\nnav:\n- Home: index.md\n# more\n- Guide:\n  - a b/c.md\n  - Web: https://e.org\n\ndocs_dir: documents/\n";
        let summary = read(text).expect("a navigation");
        assert_eq!(summary.title.as_deref(), Some("My docs"));
        let items: Vec<_> =
            summary.items.iter().map(|item| (item.title.as_str(), &item.kind, item.depth, item.line)).collect();
        let link = |href: &str| ItemKind::Link { href: href.to_owned() };
        let expected = [
            ("Home", &link("documents/index.md"), 0, 5),
            ("Guide", &ItemKind::Bare, 0, 7),
            ("", &link("documents/a b/c.md"), 1, 8),
            ("Web", &link("https://e.org"), 1, 9),
        ];
        assert_eq!(items, expected);
    }

    #[test]
    fn an_entry_has_its_line_in_the_navigation() {
        let text = "site_name: a.md\nplugins:\n- b.md\nnav:\n- A: \"\\x61.md\"\n- b.md\n- C: [c.md, d.md]\n- e.md\nextra: d.md\n";
        let summary = read(text).expect("a navigation");
        let lines: Vec<_> = summary.items.iter().map(|item| (item.title.as_str(), &item.kind, item.line)).collect();
        let link = |href: &str| ItemKind::Link { href: format!("docs/{href}") };
        let expected = [
            ("A", &link("a.md"), 4),
            ("", &link("b.md"), 6),
            ("C", &ItemKind::Bare, 7),
            ("", &link("c.md"), 7),
            ("", &link("d.md"), 7),
            ("", &link("e.md"), 8),
        ];
        assert_eq!(lines, expected);
    }

    #[rstest]
    #[case("site_name: x\n")]
    #[case("nav: [\n")]
    #[case("nav:\n- a.md\ndocs_dir: ../x\n")]
    fn without_a_navigation_there_is_no_table_of_contents(#[case] text: &str) {
        assert_eq!(read(text), None);
    }
}
