//! Migrations that have landed do not change: their scripts have the digests in `migrations.sha256`.
//!
//! A database stores only the names of the migrations that ran on it. So a script that is edited later has no effect
//! where it ran before, and these databases differ from new ones.
use crate::workspace::{files, read, relative, root};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// The list of digests, from the workspace root.
const LIST: &str = "tests/house/migrations.sha256";

/// Digests in hexadecimal by paths below `migrations`.
type Digests = BTreeMap<String, String>;

/// Reads a list of digests in the format of `sha256sum`. Lines with `#` at their beginning are comments.
fn listed(text: &str) -> Digests {
    let entries = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let entry = |line: &str| {
        let (digest, path) = line.split_once("  ").unwrap_or_else(|| panic!("{LIST}: not a digest and a path: {line}"));
        (path.to_owned(), digest.to_owned())
    };
    let entries: Vec<_> = entries.map(entry).collect();
    let count = entries.len();
    let digests = Digests::from_iter(entries);
    assert_eq!(digests.len(), count, "{LIST} has two lines for one file");
    digests
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digests of the scripts in a folder with migrations.
fn present(migrations: &Path) -> Digests {
    let path = |file: &Path| {
        let path = file.strip_prefix(migrations).expect("a file below the folder");
        path.iter().map(|name| name.to_string_lossy()).collect::<Vec<_>>().join("/")
    };
    let bytes = |file: &Path| std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    files(migrations, "sql").iter().map(|file| (path(file), digest(&bytes(file)))).collect()
}

/// The differences between the list and the scripts, with what to do about each.
fn problems(listed: &Digests, present: &Digests) -> Vec<String> {
    let of_script = |(path, digest): (&String, &String)| match listed.get(path) {
        None => Some(format!("migrations/{path} is new; add this line to {LIST}:\n{digest}  {path}")),
        Some(landed) if landed != digest => {
            Some(format!("migrations/{path} was edited; restore it and add a new migration instead"))
        }
        Some(_) => None,
    };
    let gone = listed.keys().filter(|path| !present.contains_key(*path));
    let gone = gone.map(|path| format!("migrations/{path} is gone; restore it: a new migration can undo what it does"));
    present.iter().filter_map(of_script).chain(gone).collect()
}

#[test]
fn no_migration_changes_after_it_landed() {
    let problems = problems(&listed(&read(&root().join(LIST))), &present(&root().join("migrations")));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_script_that_is_edited_new_or_gone_is_named() {
    let digests = |entries: &[(&str, &str)]| {
        entries.iter().map(|(path, text)| ((*path).to_owned(), digest(text.as_bytes()))).collect::<Digests>()
    };
    let before = digests(&[("sqlite/1/up.sql", "one"), ("sqlite/1/down.sql", "none"), ("sqlite/2/up.sql", "two")]);
    let after = digests(&[("sqlite/1/up.sql", "one "), ("sqlite/1/down.sql", "none"), ("sqlite/3/up.sql", "")]);
    let expected = [
        "migrations/sqlite/1/up.sql was edited; restore it and add a new migration instead",
        "migrations/sqlite/3/up.sql is new; add this line to tests/house/migrations.sha256:\n\
         e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  sqlite/3/up.sql",
        "migrations/sqlite/2/up.sql is gone; restore it: a new migration can undo what it does",
    ];
    assert_eq!(problems(&before, &after), expected);
    assert_eq!(problems(&before, &before), [""; 0]);
}

#[test]
fn the_list_is_in_the_order_of_paths() {
    let text = read(&root().join(LIST));
    let paths: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once("  ")?.1)).collect();
    assert!(paths.len() > 100, "only {} scripts are listed in {}", paths.len(), relative(&root().join(LIST)));
    assert!(paths.is_sorted(), "sort the lines of {LIST} by path");
}
