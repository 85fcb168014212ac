//! The paths of the files of an export.
use super::targets::hashed;
use domain::content::import::path::{check_path, fold, folder};
use domain::site::path::OWN;
use std::collections::{HashMap, HashSet};

/// The highest number in the name of a file or a folder.
const MOST_NUMBER: usize = 99;
/// Names that Windows gives to devices, with any ending.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
/// The same, before a digit.
const PORTS: [&str; 2] = ["com", "lpt"];

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

/// A name of a file or a folder as Windows allows it, too: a device and a dot or a space at the end get a `~`, which no
/// page has in its path.
pub(super) fn portable_name(name: &str) -> String {
    let (stem, ending) = name.split_at(name.find('.').unwrap_or(name.len()));
    let device = stem.trim_end().to_lowercase();
    let is_number = |rest: &str| matches!(rest, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³");
    let is_port = PORTS.iter().any(|port| device.strip_prefix(port).is_some_and(is_number));
    let mark = |is_marked: bool| if is_marked { "~" } else { "" };
    let is_device = is_port || DEVICES.contains(&device.as_str());
    format!("{stem}{}{ending}{}", mark(is_device), mark(name.ends_with(['.', ' '])))
}

/// A path of such names.
fn portable(path: &str) -> String {
    path.split('/').map(portable_name).collect::<Vec<_>>().join("/")
}

impl Names {
    /// Takes a path for a file; `false` if another file is in its way, or if not every operating system allows the
    /// path.
    pub(super) fn take(&mut self, path: &str) -> bool {
        let key = fold(path);
        let is_free = check_path(path).is_ok()
            && portable(path) == path
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
        let below = |folder: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        self.take_named(folder, &|folder, mark| below(&format!("{folder}{mark}")))
    }

    /// Takes the path of a file. If another one is in its way, the number is before its ending.
    pub(super) fn take_file(&mut self, path: &str) -> String {
        let at = path.rfind('.').filter(|at| path.rfind('/').is_none_or(|slash| slash < *at));
        let (start, ending) = path.split_at(at.unwrap_or(path.len()));
        self.take_named(start, &|start, mark| format!("{start}{mark}{ending}"))
    }

    /// Takes the first free path of those that `path` makes of a name and a mark behind it.
    fn take_named(&mut self, name: &str, path: &dyn Fn(&str, &str) -> String) -> String {
        let hashed = format!("{OWN}pages/{}", hashed(name));
        // A name that leaves its folder is not made to one that does not.
        let own = check_path(&path(name, "")).is_ok().then(|| portable(name));
        let found = own.and_then(|own| self.take_numbered(&own, path)).or_else(|| self.take_numbered(&hashed, path));
        found.unwrap_or_else(|| path(&hashed, ""))
    }

    fn take_numbered(&mut self, name: &str, path: &dyn Fn(&str, &str) -> String) -> Option<String> {
        let marks = std::iter::once(String::new()).chain((2..=MOST_NUMBER).map(|number| format!("~{number}")));
        marks.map(|mark| path(name, &mark)).find(|path| self.take(path))
    }

    /// The file that is there instead of a path: the same, or one whose path differs in case.
    pub(super) fn like(&self, path: &str) -> Option<&str> {
        self.files.get(&fold(path)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

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
        let refused = ["../a", "a//b", "c:/a", "a\u{200b}b", "con/a", "a/LPT1.md", "a./b", &long];
        assert!(refused.into_iter().all(|path| !names.take(path)));
        for folder in ["../a", &long, &"a/".repeat(600)] {
            let path = names.take_below(folder, "index.html");
            assert!(path.starts_with("~/pages/") && check_path(&path).is_ok(), "{path}");
            let path = names.take_file(&format!("{folder}.md"));
            assert!(path.starts_with("~/pages/") && path.ends_with(".md") && check_path(&path).is_ok(), "{path}");
        }
    }

    #[rstest]
    #[case("guide", "guide")]
    #[case("index", "index")]
    #[case("v1.2", "v1.2")]
    #[case("con", "con~")]
    #[case("CON", "CON~")]
    #[case("Aux.tar.gz", "Aux~.tar.gz")]
    #[case("com1", "com1~")]
    #[case("lpt³.md", "lpt³~.md")]
    #[case("com10", "com10")]
    #[case("console", "console")]
    #[case("v1.", "v1.~")]
    #[case("nul.", "nul~.~")]
    fn a_name_is_one_on_windows_too(#[case] name: &str, #[case] expected: &str) {
        assert_eq!(portable_name(name), expected);
        assert_eq!(portable_name(expected), expected, "it is changed once");
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
        assert_eq!(names.take_below("con/a.", "index.html"), "con~/a.~/index.html");
    }

    #[test]
    fn a_file_in_the_way_of_another_one_gives_it_a_number() {
        let mut names = Names::default();
        names.take_below("guide.md", "index.html");
        assert_eq!(names.take_file("guide.md"), "guide~2.md");
        assert_eq!(names.take_file("Guide.md"), "Guide~3.md");
        assert_eq!(names.take_file("v1.2/guide"), "v1.2/guide");
        assert_eq!(names.take_file("aux.md"), "aux~.md");
        // No number helps where a file has the path of the folder.
        let path = names.take_file("v1.2/guide/a.md");
        assert!(path.starts_with("~/pages/") && path.ends_with(".md"), "{path}");
        assert!(names.take_below("v1.2/guide/a", "index.html").starts_with("~/pages/"));
    }
}
