//! The migrations of the two databases correspond.
use crate::workspace::{files, read, relative, root};
use std::collections::BTreeSet;
use std::path::Path;

/// The names of the migration folders of one database.
fn names(folder: &Path) -> BTreeSet<String> {
    files(folder, "sql")
        .into_iter()
        .map(|path| path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy().into_owned())
        .collect()
}

#[test]
fn every_migration_exists_for_both_databases() {
    let migrations = root().join("migrations");
    let (sqlite, postgres) = (names(&migrations.join("sqlite")), names(&migrations.join("postgres")));
    let alone: Vec<&String> = sqlite.symmetric_difference(&postgres).collect();
    assert!(alone.is_empty(), "only one database has {alone:?}");
}

#[test]
fn every_migration_goes_up_and_down() {
    for path in files(&root().join("migrations"), "sql") {
        let folder = path.parent().expect("a folder");
        for direction in ["up.sql", "down.sql"] {
            let file = folder.join(direction);
            assert!(file.is_file() && !read(&file).trim().is_empty(), "{} has no {direction}", relative(folder));
        }
    }
}

/// The tables that a script creates, ordinary and virtual.
fn tables(sql: &str) -> BTreeSet<String> {
    let words: Vec<String> = sql.split_whitespace().map(str::to_lowercase).filter(|word| word != "virtual").collect();
    let made = words.windows(3).filter(|three| three[0] == "create" && three[1] == "table");
    let made = made.map(|three| three[2].trim_end_matches('(').to_owned());
    // Temporary tables are dropped when the script ends.
    let made: BTreeSet<String> = made.filter(|name| !name.starts_with("temp.")).collect();
    // A table that is renamed takes the place of another one: SQLite cannot change the rules of a table.
    let renamed = |name: &str| words.windows(4).any(|four| four[..] == ["alter", "table", name, "rename"]);
    made.into_iter().filter(|name| !renamed(name)).collect()
}

#[test]
fn both_databases_get_the_same_tables() {
    let migrations = root().join("migrations");
    let mut seen = 0;
    for name in names(&migrations.join("sqlite")) {
        let of = |database: &str| tables(&read(&migrations.join(database).join(&name).join("up.sql")));
        let (sqlite, postgres) = (of("sqlite"), of("postgres"));
        seen += sqlite.len();
        assert_eq!(sqlite, postgres, "{name}");
    }
    assert!(seen > 5, "only {seen} tables were found");
}
