//! The markup that the files of a repository have besides ordinary Markdown, by the settings of its tools. Without
//! them, the same signs are text.
use super::config::SERVICE_FOLDER;
use super::source::SourceTree;
use super::{mkdocs, path};
use crate::markdown::Syntax;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;

/// How many files of settings are read.
const MAX_FILES: usize = 32;

/// How many folders can have markup of their own.
const MAX_FOLDERS: usize = 1_000;

/// The settings of Hugo, without extensions.
const HUGO: [&str; 4] = ["hugo", "config/_default/hugo", "config/_default/config", "config/_default/markup"];

/// The settings of MyST without Sphinx, and of Jupyter Book.
pub(super) const MYST: &str = "myst.yml";
pub(super) const BOOK: &str = "_config.yml";
/// The table of contents of Jupyter Book.
pub(super) const BOOK_CONTENTS: &str = "_toc.yml";

/// The settings of Sphinx.
pub(super) const SPHINX: &str = "conf.py";

/// The folder of the settings of Obsidian, which is a vault.
const VAULT: &str = ".obsidian/";

/// The file of an export, in the [service's folder](SERVICE_FOLDER), that says the same as these settings, which an
/// export does not have.
pub(crate) const MARKUP: &str = "markup.yaml";

/// The markup of files by their folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Syntaxes(BTreeMap<String, BTreeSet<Syntax>>);

impl Syntaxes {
    /// Finds it. `read` returns the text of a file.
    pub(super) fn find(tree: &SourceTree, read: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut found = Self::default();
        let is_settings = |path: &&str| matches!(path::name(path), SPHINX | MYST | BOOK);
        for settings in tree.paths().filter(is_settings).take(MAX_FILES) {
            let folder = path::folder(settings);
            let is_of_book = || tree.contains(&path::join(folder, BOOK_CONTENTS));
            if path::name(settings) == BOOK && !is_of_book() {
                continue;
            }
            let text = read(settings).unwrap_or_default();
            found.add(folder, of_myst(path::name(settings), &text));
        }
        let own = path::join(SERVICE_FOLDER, MARKUP);
        if tree.contains(&own) {
            found.extend(Self::parse(&read(&own).unwrap_or_default()));
        }
        for path in tree.paths() {
            if let Some((folder, _)) = path.split_once(VAULT)
                && (folder.is_empty() || folder.ends_with('/'))
            {
                found.add(folder.trim_end_matches('/'), [Syntax::Comments, Syntax::Highlights]);
            }
        }
        if let Some(name) = mkdocs::NAMES.into_iter().find(|name| tree.contains(name)) {
            found.add("", of_mkdocs(&read(name).unwrap_or_default()));
        }
        let has =
            |name: &str| ["toml", "yaml", "yml", "json"].iter().any(|end| tree.contains(&format!("{name}.{end}")));
        if HUGO.iter().any(|name| has(name)) {
            found.add("", [Syntax::DefinitionLists, Syntax::Shortcodes]);
        }
        found
    }

    fn add(&mut self, folder: &str, syntaxes: impl IntoIterator<Item = Syntax>) {
        let mut syntaxes = syntaxes.into_iter().peekable();
        if syntaxes.peek().is_some() && (self.0.len() < MAX_FOLDERS || self.0.contains_key(folder)) {
            self.0.entry(folder.to_owned()).or_default().extend(syntaxes);
        }
    }

    fn extend(&mut self, other: Self) {
        other.0.into_iter().for_each(|(folder, syntaxes)| self.add(&folder, syntaxes));
    }

    /// The markup in a text of the form that [`Self::write`] has. What is not known is left out.
    pub(crate) fn parse(text: &str) -> Self {
        let mut found = Self::default();
        if let Ok(Some(Value::Object(folders))) = serde_saphyr::from_str::<Option<Value>>(text) {
            for (folder, names) in folders {
                let Some(folder) = path::resolve("", &folder) else { continue };
                let names = names.as_array().into_iter().flatten();
                found.add(&folder, names.filter_map(|name| serde_json::from_value(name.clone()).ok()));
            }
        }
        found
    }

    /// Writes it as JSON, which is YAML.
    pub(crate) fn write(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The markup of the file at a path.
    pub(crate) fn of(&self, path: &str) -> BTreeSet<Syntax> {
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        iter::once("").chain(folders).filter_map(|folder| self.0.get(folder)).flatten().copied().collect()
    }

    /// The folders whose files have this markup.
    pub(crate) fn folders(&self, syntax: Syntax) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(_, syntaxes)| syntaxes.contains(&syntax)).map(|(folder, _)| folder.as_str())
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The markup that settings of Sphinx, MyST or Jupyter Book have.
fn of_myst(name: &str, text: &str) -> Vec<Syntax> {
    let is_of_sphinx =
        ["myst_parser", "myst_nb", "myst-parser", "myst-nb"].iter().any(|package| text.contains(package));
    match name {
        MYST => vec![Syntax::Myst, Syntax::MystTitles, Syntax::DefinitionLists],
        SPHINX if !is_of_sphinx => Vec::new(),
        _ if text.contains("deflist") => vec![Syntax::Myst, Syntax::DefinitionLists],
        _ => vec![Syntax::Myst],
    }
}

/// The markup of the extensions that settings of MkDocs name.
fn of_mkdocs(text: &str) -> Vec<Syntax> {
    // The extra settings of a theme have the name of an extension.
    let has_extra = text.lines().any(|line| {
        let item = line.trim().strip_prefix("- ").map(|item| item.trim_end_matches(':').trim());
        matches!(item, Some("extra" | "markdown.extensions.extra" | "pymdownx.extra"))
    });
    let extensions = [
        (Syntax::DefinitionLists, "def_list"),
        (Syntax::Highlights, "pymdownx.mark"),
        (Syntax::Icons, "pymdownx.emoji"),
        (Syntax::Insertions, "pymdownx.caret"),
        (Syntax::Keys, "pymdownx.keys"),
        (Syntax::MarkdownInHtml, "md_in_html"),
    ];
    let is_in_extra = |syntax| matches!(syntax, Syntax::DefinitionLists | Syntax::MarkdownInHtml);
    let found =
        extensions.into_iter().filter(|(syntax, name)| names(text, name) || (has_extra && is_in_extra(*syntax)));
    found.map(|(syntax, _)| syntax).collect()
}

/// Whether a text has a name as a whole word, outside of comments.
fn names(text: &str, name: &str) -> bool {
    let of_word = |next: char| next.is_alphanumeric() || next == '_';
    text.lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .any(|line| line.split_once(name).is_some_and(|(_, after)| !after.starts_with(of_word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn found(files: &[(&str, &str)], path: &str) -> Vec<Syntax> {
        let mut tree = SourceTree::default();
        files.iter().for_each(|(path, _)| tree.insert(*path));
        let read = |path: &str| files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned());
        Syntaxes::find(&tree, &read).of(path).into_iter().collect()
    }

    #[rstest]
    #[case::sphinx(&[("docs/conf.py", "extensions = ['myst_parser']")], "docs/a/b.md", &[Syntax::Myst])]
    #[case::outside(&[("docs/conf.py", "extensions = ['myst_parser']")], "README.md", &[])]
    #[case::other_sphinx(&[("docs/conf.py", "extensions = ['recommonmark']")], "docs/a.md", &[])]
    #[case::with_lists(
        &[("conf.py", "extensions = ['myst_nb']\nmyst_enable_extensions = ['deflist']")],
        "a.md",
        &[Syntax::DefinitionLists, Syntax::Myst]
    )]
    #[case::myst(&[("myst.yml", "version: 1")], "a.md", &[Syntax::DefinitionLists, Syntax::Myst, Syntax::MystTitles])]
    #[case::book(&[("_config.yml", "title: A"), ("_toc.yml", "root: a")], "a.md", &[Syntax::Myst])]
    #[case::jekyll(&[("_config.yml", "title: A")], "a.md", &[])]
    #[case::mkdocs(
        &[("mkdocs.yml", "markdown_extensions:\n  - pymdownx.keys\n  - pymdownx.mark: {}\n  # - pymdownx.caret\n")],
        "docs/a.md",
        &[Syntax::Highlights, Syntax::Keys]
    )]
    #[case::extra_of_a_theme(&[("mkdocs.yml", "extra:\n  - a\nmarkdown_extensions: [tables]\n")], "docs/a.md", &[])]
    #[case::extra(
        &[("mkdocs.yml", "markdown_extensions:\n  - extra\n")],
        "docs/a.md",
        &[Syntax::DefinitionLists, Syntax::MarkdownInHtml]
    )]
    #[case::vault(&[(".obsidian/app.json", "{}")], "a/b.md", &[Syntax::Comments, Syntax::Highlights])]
    #[case::vault_beside(&[("notes/.obsidian/app.json", "{}")], "b.md", &[])]
    #[case::no_vault(&[("my.obsidian/app.json", "{}")], "b.md", &[])]
    #[case::export(
        &[(".gitbook/markup.yaml", "./docs/: [keys, unknown, 7]\nother: 1\n")],
        "docs/a.md",
        &[Syntax::Keys]
    )]
    #[case::hugo(&[("hugo.toml", "")], "content/a.md", &[Syntax::DefinitionLists, Syntax::Shortcodes])]
    fn settings_of_tools_say_which_markup_files_have(
        #[case] files: &[(&str, &str)],
        #[case] path: &str,
        #[case] expected: &[Syntax],
    ) {
        assert_eq!(found(files, path), expected);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut syntaxes = Syntaxes::default();
        syntaxes.add("", [Syntax::MarkdownInHtml]);
        syntaxes.add("a b", [Syntax::Myst, Syntax::DefinitionLists]);
        assert_eq!(Syntaxes::parse(&syntaxes.write()), syntaxes);
        for text in ["- not a mapping", "a: [", "../a: [myst]", ""] {
            assert_eq!(Syntaxes::parse(text), Syntaxes::default(), "{text}");
        }
    }
}
