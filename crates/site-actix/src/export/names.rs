//! The paths of the files of an export.
use super::targets::hashed;
use crate::pages::OWN;
use domain::content::import::path::{check_path, fold, folder};
use std::collections::{HashMap, HashSet};

/// The paths of the files of an export. No two of them are one file where case does not matter, as on Windows and
/// macOS, and no file has the path of a folder.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The paths, by their form without case.
    files: HashMap<String, String>,
    /// The folders above them, in this form.
    folders: HashSet<String>,
}

/// The folders above a path, the nearest first.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder(path)), |path| Some(folder(path))).take_while(|path| !path.is_empty())
}

impl Names {
    /// Takes a path for a file; `false` if another file is in its way, or if not every operating system allows the
    /// path.
    pub(super) fn take(&mut self, path: &str) -> bool {
        let key = fold(path);
        let is_free = check_path(path).is_ok()
            && !self.files.contains_key(&key)
            && !self.folders.contains(&key)
            && above(&key).all(|folder| !self.files.contains_key(folder));
        if is_free {
            self.folders.extend(above(&key).map(str::to_owned));
            self.files.insert(key, path.to_owned());
        }
        is_free
    }

    /// Takes the path of a file in a folder of its own. If another file is in its way, the folder gets a number, with a
    /// character that no page has in its path. A folder that not every operating system allows gets another name.
    pub(super) fn take_below(&mut self, folder: &str, name: &str) -> String {
        let is_allowed = check_path(&format!("{folder}~{}/{name}", usize::MAX)).is_ok();
        let folder = if is_allowed { folder.to_owned() } else { format!("{OWN}pages/{}", hashed(folder)) };
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut path = format!("{start}{name}");
        let mut number = 1;
        while !self.take(&path) {
            number += 1;
            path = format!("{folder}~{number}/{name}");
        }
        path
    }

    /// The file that is there instead of a path: the same, or one whose path differs in case.
    pub(super) fn like(&self, path: &str) -> Option<&str> {
        self.files.get(&fold(path)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_has_the_path_of_another_one() {
        let mut names = Names::default();
        let taken = ["a/b/index.html", "A/b/Index.html", "a", "a/b", "a/b/index.html/x", "a/c", "a/é", "a/e\u{301}"];
        let taken = taken.map(|path| names.take(path));
        assert_eq!(taken, [true, false, false, false, false, true, true, false]);
        assert_eq!((names.like("A/C"), names.like("a/d")), (Some("a/c"), None));
    }

    #[test]
    fn no_file_has_a_path_that_a_file_system_refuses() {
        let mut names = Names::default();
        let long = "é".repeat(128);
        assert!(["../a", "a//b", "c:/a", "a\u{200b}b", &long].into_iter().all(|path| !names.take(path)));
        for folder in ["../a", &long, &"a/".repeat(600)] {
            let path = names.take_below(folder, "index.html");
            assert!(path.starts_with("~/pages/") && check_path(&path).is_ok(), "{path}");
        }
    }

    #[test]
    fn pages_of_one_folder_get_folders_of_their_own() {
        let mut names = Names::default();
        assert_eq!(names.take_below("", "index.html"), "index.html");
        assert_eq!(names.take_below("Guide", "index.html"), "Guide/index.html");
        assert_eq!(names.take_below("guide", "index.html"), "guide~2/index.html");
        assert_eq!(names.take_below("GUIDE", "index.html"), "GUIDE~3/index.html");
        assert_eq!(names.take_below("index.html", "index.html"), "index.html~2/index.html");
        assert_eq!(names.take_below("guide/index.html", "index.html"), "guide/index.html~2/index.html");
    }
}
