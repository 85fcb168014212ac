//! The files of a repository by their names, as links of wikis name them.
use super::path::{self, fold, is_markdown, is_readme};
use std::collections::HashMap;

/// The path of each name. Of several files with one name, the one with the shortest path, as in Obsidian.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names(HashMap<String, String>);

impl Names {
    /// The names of these files, which are in the order of their paths.
    pub(super) fn of<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        let mut names: HashMap<String, String> = HashMap::new();
        for path in paths {
            // The page of a folder has the name of the folder.
            let name = if is_readme(path) { key(path::name(path::folder(path))) } else { key(path::name(path)) };
            let shortest = names.entry(name).or_insert_with(|| path.to_owned());
            if path.len() < shortest.len() {
                path.clone_into(shortest);
            }
        }
        Self(names)
    }

    /// The file of a name, with or without `.md`, and with or without its last folders.
    pub(super) fn find(&self, name: &str) -> Option<&str> {
        let found = self.0.get(&key(path::name(name)))?;
        let folder = fold(path::folder(name));
        let around = fold(path::folder(found));
        let is_there = around.strip_suffix(&folder).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        (folder.is_empty() || is_there).then_some(found)
    }
}

/// A name without case and extension, with hyphens for blanks and underscores.
fn key(name: &str) -> String {
    let stem = if is_markdown(name) { path::stem(name) } else { name };
    fold(stem).replace([' ', '_'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Deep Page", Some("notes/deep/Deep page.md"))]
    #[case("deep_page.md", Some("notes/deep/Deep page.md"))]
    #[case("deep/Deep page", Some("notes/deep/Deep page.md"))]
    #[case("eep/Deep page", None)]
    #[case("twice", Some("twice.md"))]
    #[case("Guide", Some("guide/README.md"))]
    #[case("x.PNG", Some("a/x.png"))]
    #[case("x", None)]
    #[case("v1.2", Some("v1.2.md"))]
    fn a_file_is_found_by_its_name(#[case] name: &str, #[case] expected: Option<&str>) {
        let files = ["a/twice.md", "a/x.png", "guide/README.md", "notes/deep/Deep page.md", "twice.md", "v1.2.md"];
        assert_eq!(Names::of(files.into_iter()).find(name), expected);
    }
}
