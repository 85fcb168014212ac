//! A file has one purpose, so its length is limited.
use crate::workspace::{read, relative, sources};
use std::collections::BTreeMap;

/// The maximum number of lines of a source file. Consider splitting a file from about 400 lines.
const MOST: usize = 500;

/// Files that may be longer, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[];

#[test]
fn no_source_file_is_longer_than_one_idea() {
    let exceptions: BTreeMap<&str, &str> = EXCEPTIONS.iter().copied().collect();
    let long: Vec<String> = sources()
        .into_iter()
        .map(|path| (relative(&path), read(&path).lines().count()))
        .filter(|(path, lines)| *lines > MOST && !exceptions.contains_key(path.as_str()))
        .map(|(path, lines)| format!("{path}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "longer than {MOST} lines, split these files:\n{}", long.join("\n"));
}

#[test]
fn an_exception_is_a_file_that_is_long() {
    for (path, reason) in EXCEPTIONS {
        let long =
            sources().into_iter().any(|source| relative(&source) == *path && read(&source).lines().count() > MOST);
        assert!(long && !reason.is_empty(), "{path} no longer needs an exception");
    }
}
