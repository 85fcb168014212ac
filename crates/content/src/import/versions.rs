//! Versions of the pages of a site of Docusaurus: `versioned_docs/version-1.0`, which `versions.json` names. An import
//! has the pages of the current version only, or those of the latest one if there are no others.
use super::outline::Place;
use super::path::{self, is_markdown};
use super::plan::Plan;
use super::report::Warning;
use super::sidebar::{SITES, has_pages};
use super::source::SourceTree;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The file with the names of versions, the latest first. Those of several parts of a site have other words before it.
const VERSIONS: &str = "versions.json";

/// The folder of the pages of versions, the one of their sidebars, and what is before the name of a version.
const DOCS: &str = "versioned_docs";
const SIDEBARS: &str = "versioned_sidebars";
const VERSION: &str = "version-";

/// The usual folder of the current pages.
const CURRENT: &str = "docs";

/// The largest file of versions that is read, in bytes.
const MAX_FILE: usize = 64 * 1024;

/// The usual folder of the current pages of a site, if they are there: in the folder of the site, or beside it.
pub(super) fn current(tree: &SourceTree, site: &str) -> Option<String> {
    let is_current = |folder: &String| {
        // The folder of a site that is called `docs` itself can have the pages of all its versions.
        let has_versions = || folder == site && tree.has_start(&path::join(site, &format!("{DOCS}/{VERSION}")));
        !has_versions() && has_pages(tree, folder)
    };
    [path::join(site, CURRENT), path::join(path::folder(site), CURRENT)].into_iter().find(is_current)
}

/// The pages of a version.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Version {
    /// Their folder.
    pub folder: String,
    /// The path of the file with their sidebar, if there is one.
    pub sidebars: Option<String>,
}

impl Version {
    /// The latest version of the site in a folder that has pages. `read` returns the text of a file.
    pub(super) fn latest(tree: &SourceTree, site: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let text = read(&path::join(site, VERSIONS)).filter(|text| text.len() <= MAX_FILE)?;
        let names: Vec<String> = serde_json::from_str(&text).ok()?;
        // Each folder is searched once.
        let mut seen = HashSet::new();
        names.iter().filter(|name| !name.contains('/') && seen.insert(name.as_str())).find_map(|name| {
            let folder = path::join(site, &format!("{DOCS}/{VERSION}{name}"));
            let sidebars = path::join(site, &format!("{SIDEBARS}/{VERSION}{name}-sidebars.json"));
            let sidebars = Some(sidebars).filter(|path| tree.contains(path));
            has_pages(tree, &folder).then_some(Self { folder, sidebars })
        })
    }
}

/// The folders of versions in a repository.
#[derive(Debug, Default)]
pub(super) struct Versions {
    /// The files that name them, by the folders of their pages.
    folders: BTreeMap<String, String>,
}

impl Versions {
    /// Finds them: a folder of versions has a file with their names beside it.
    pub(super) fn find(tree: &SourceTree) -> Self {
        let folder_of = |file: &str| {
            let prefix = path::name(file).strip_suffix(VERSIONS)?;
            let folder = path::join(path::folder(file), &format!("{prefix}{DOCS}"));
            let is_part = prefix.is_empty() || prefix.ends_with('_');
            (is_part && tree.has_start(&format!("{folder}/{VERSION}"))).then(|| (folder, file.to_owned()))
        };
        Self { folders: tree.paths().filter_map(folder_of).collect() }
    }

    /// The folder with the pages of a version that a path is in, and the file that names the version.
    fn of<'p>(&self, path: &'p str) -> Option<(&'p str, &str)> {
        path.match_indices('/').find_map(|(at, _)| {
            let file = self.folders.get(&path[..at])?;
            let length = path[at + 1..].find('/').filter(|_| path[at + 1..].starts_with(VERSION))?;
            Some((&path[..at + 1 + length], file.as_str()))
        })
    }

    /// The folders of the latest versions of sites without current pages. `read` returns the text of a file.
    pub(super) fn latest(&self, tree: &SourceTree, read: &dyn Fn(&str) -> Option<String>) -> Latest {
        let sites = self.folders.values().filter(|file| path::name(file) == VERSIONS).map(|file| path::folder(file));
        let sites = sites.filter(|site| current(tree, site).is_none());
        Latest(sites.filter_map(|site| Some((site.to_owned(), Version::latest(tree, site, read)?.folder))).collect())
    }

    /// The files without those of versions, except for the latest ones. If there are no other pages, all files.
    pub(super) fn without<'t>(&self, tree: &'t SourceTree, latest: &Latest) -> Cow<'t, SourceTree> {
        let kept: HashSet<&str> = latest.0.values().map(String::as_str).collect();
        let is_kept = |path: &&str| self.of(path).is_none_or(|(folder, _)| kept.contains(folder));
        if self.folders.is_empty() || !tree.paths().filter(is_kept).any(is_markdown) {
            return Cow::Borrowed(tree);
        }
        let mut rest = SourceTree::default();
        tree.paths().filter(is_kept).for_each(|path| rest.insert(path));
        Cow::Owned(rest)
    }
}

/// The folders of the latest versions of sites, by the folders of the sites.
pub(super) struct Latest(BTreeMap<String, String>);

impl Latest {
    /// That of the site of the repository, in one of the usual folders of sites.
    pub(super) fn of_repository(&self) -> Option<&str> {
        SITES.iter().find_map(|site| self.0.get(*site)).map(String::as_str)
    }
}

impl Plan<'_> {
    /// Leaves out the pages of versions that have none in the table of contents. One warning names all versions of a
    /// part of the site.
    pub(super) fn leave_out_versions(&mut self) {
        let versions = Versions::find(&self.tree);
        // Such a table of contents names the pages that its author chose.
        if self.repository.summary.is_some() || versions.folders.is_empty() {
            return;
        }
        let entries = self.outline.entries.iter().filter_map(|entry| match &entry.place {
            Place::Text(path) => Some(versions.of(path)?.0),
            _ => None,
        });
        let named: HashSet<&str> = entries.collect();
        let mut left_out: BTreeMap<&str, (BTreeSet<&str>, usize)> = BTreeMap::new();
        for path in self.tree.paths().filter(|path| is_markdown(path)) {
            if let Some((folder, file)) = versions.of(path).filter(|(folder, _)| !named.contains(folder)) {
                self.site.non_pages.push(path.to_owned());
                let (folders, pages) = left_out.entry(file).or_default();
                folders.insert(folder);
                *pages += 1;
            }
        }
        for (file, (folders, pages)) in left_out {
            let message = format!("other versions are left out: {} (pages: {pages})", folders.len());
            self.site.warnings.push(Warning { file: Some(file.to_owned()), line: None, message });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn tree(paths: &[&str]) -> SourceTree {
        let mut tree = SourceTree::default();
        paths.iter().for_each(|path| tree.insert(*path));
        tree
    }

    #[rstest]
    #[case("[\"2.0\", \"1.0\"]", Some(("a/versioned_docs/version-2.0", true)))]
    #[case("[\"gone\", \"1.0\"]", Some(("a/versioned_docs/version-1.0", false)))]
    #[case("[\"../../b\", \"/\", \"\"]", None)]
    #[case("{\"2.0\": 1}", None)]
    #[case("[2, 1]", None)]
    #[case("", None)]
    fn the_latest_version_with_pages_is_the_first_one_that_is_named(
        #[case] text: &str,
        #[case] expected: Option<(&str, bool)>,
    ) {
        let tree = tree(&[
            "a/versioned_docs/version-2.0/b.md",
            "a/versioned_sidebars/version-2.0-sidebars.json",
            "a/versioned_docs/version-1.0/b.md",
            "b/c.md",
        ]);
        let latest = Version::latest(&tree, "a", &|path| (path == "a/versions.json").then(|| text.to_owned()));
        let latest = latest.map(|version| (version.folder, version.sidebars.is_some()));
        assert_eq!(latest.as_ref().map(|(folder, has_sidebars)| (folder.as_str(), *has_sidebars)), expected);
    }

    #[test]
    fn a_version_that_is_named_many_times_is_searched_once() {
        let paths: Vec<String> = (0..20_000).map(|at| format!("versioned_docs/version-1/{at}.png")).collect();
        let tree = tree(&paths.iter().map(String::as_str).collect::<Vec<_>>());
        let text = format!("[{}\"2\"]", "\"1\",".repeat(16_000));
        assert_eq!(Version::latest(&tree, "", &|_| Some(text.clone())), None);
    }

    #[test]
    fn a_folder_of_versions_has_a_file_with_their_names_beside_it() {
        let tree = tree(&[
            "a/versions.json",
            "a/versioned_docs/version-1/b/c.md",
            "a/part_versions.json",
            "a/part_versioned_docs/version-2/d.md",
            "conversions.json",
            "conversioned_docs/version-3/e.md",
            "b/versioned_docs/version-4/f.md",
            "g/versions.json",
        ]);
        let versions = Versions::find(&tree);
        let of = |path: &'static str| versions.of(path);
        assert_eq!(of("a/versioned_docs/version-1/b/c.md"), Some(("a/versioned_docs/version-1", "a/versions.json")));
        let part = Some(("a/part_versioned_docs/version-2", "a/part_versions.json"));
        assert_eq!(of("a/part_versioned_docs/version-2/d.md"), part);
        for path in ["conversioned_docs/version-3/e.md", "b/versioned_docs/version-4/f.md", "a/versioned_docs/x.md"] {
            assert_eq!(of(path), None, "{path}");
        }
    }
}
