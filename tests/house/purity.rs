//! The entities, the rules and the content engine are pure: they compute on values, without I/O.
use crate::workspace::{files, read, relative, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Words that indicate I/O, time, randomness, or knowledge of the outer crates.
const IMPURE: [&str; 18] = [
    "crate::ports",
    "crate::usecases",
    "async fn",
    "async move",
    "async_trait",
    ".await",
    "tokio",
    "futures_util",
    "Utc::now",
    "Local::now",
    "SystemTime",
    "Instant::now",
    "now_v7",
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
];

/// Modules for tests only; they may read real documentation from disk.
fn test_modules(sources: &[PathBuf]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in sources.iter().map(|path| read(path)) {
        for (line, next) in text.lines().zip(text.lines().skip(1)) {
            let name = next.trim().strip_suffix(';').and_then(|next| next.split_once("mod ")).map(|(_, name)| name);
            if let Some(name) = name.filter(|_| line.trim().starts_with("#[cfg(") && line.contains("test")) {
                found.insert(name.to_owned());
            }
        }
    }
    found
}

/// The code of a file, without comments, up to the first `#[cfg(test)]` before a block.
pub(crate) fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().zip(text.lines().skip(1).chain([""])).enumerate();
    let code = lines.take_while(|(_, (line, next))| !(line.trim() == "#[cfg(test)]" && next.trim_end().ends_with('{')));
    code.map(|(at, (line, _))| (at + 1, line.split("//").next().unwrap_or_default()))
}

fn faults(text: &str) -> Vec<String> {
    let lines = code(text)
        .flat_map(|(at, line)| IMPURE.iter().filter(move |word| line.contains(**word)).map(move |word| (at, word)));
    lines.map(|(at, word)| format!("line {at}: {word}")).collect()
}

#[test]
fn the_inner_crates_are_pure_outside_ports_and_use_cases() {
    for name in ["cards", "diagrams", "values", "content", "openapi", "conversations", "translations", "domain"] {
        let source = root().join("crates").join(name).join("src");
        let sources = files(&source, "rs");
        let test_modules = test_modules(&sources);
        let is_test =
            |path: &Path| path.with_extension("").iter().any(|part| test_modules.contains(&*part.to_string_lossy()));
        let mut looked_at = 0;
        for path in sources {
            let inside = path.strip_prefix(&source).expect("below the source folder");
            let outward = name == "domain" && (inside.starts_with("ports") || inside.starts_with("usecases"));
            if outward || is_test(inside) {
                continue;
            }
            looked_at += 1;
            let faults = faults(&read(&path));
            assert!(faults.is_empty(), "{}: {}", relative(&path), faults.join(", "));
        }
        assert!(looked_at > 2, "only {looked_at} files of {name} were looked at");
    }
}

#[test]
fn a_clock_is_noticed_and_a_comment_about_one_is_not() {
    assert_eq!(faults("use x;\nlet now = Utc::now();\n"), ["line 2: Utc::now"]);
    assert_eq!(faults("// never Utc::now\nlet a = 1; // std::fs\n"), Vec::<String>::new());
    assert_eq!(faults("fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n"), Vec::<String>::new());
    assert_eq!(faults("#[cfg(test)]\nmod tests;\nuse std::fs;\n"), ["line 3: std::fs"]);
}
