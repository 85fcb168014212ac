//! A real documentation repository keeps its meaning.
use super::*;
use std::path::{Path, PathBuf};

fn files() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/fluentd-docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                files.push((path.clone(), std::fs::read_to_string(path).expect("a text")));
            }
        }
    }
    if files.is_empty() {
        println!("skipped: the corpus is absent");
    }
    files
}

/// What CommonMark and GFM make of a text, without what a document does not keep: the kind of line ends, whether the
/// items of a list stand apart, the marks of a title, and in tables of HTML the blanks and the usual alignment. Lines of
/// tags stand alone, as they do for us.
fn rendered(text: &str) -> String {
    let tags = |line: &str| if line.starts_with("{%") { format!("\n{line}\n") } else { line.to_owned() };
    let text = &text.lines().map(tags).collect::<Vec<_>>().join("\n");
    let mut options = options();
    options.render.r#unsafe = true;
    let arena = comrak::Arena::new();
    let root = comrak::parse_document(&arena, text, &options);
    let mut html = String::new();
    comrak::format_html(root, &options, &mut html).expect("HTML");
    let (title, rest) = html.split_once("</h1>").unwrap_or(("", &html));
    let html = format!("{}{rest}", title.replace("<code>", "").replace("</code>", ""));
    let words = html.replace("<p>", "").replace("</p>", "");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let usual = [(" style=\"text-align:left\"", ""), ("<br />", "<br>"), (" <br>", "<br>"), ("&quot;", "'")];
    let blanks = [("<li> ", "<li>"), (" </li>", "</li>"), ("<td> ", "<td>"), (" </td>", "</td>"), ("> <", "><")];
    usual.iter().chain(&blanks).fold(words, |words, (from, to)| words.replace(from, to))
}

#[test]
fn a_repository_means_the_same_after_writing() {
    for (path, text) in files() {
        let (_, once) = round_trip(&text);
        assert_eq!(rendered(&once), rendered(&text), "{}", path.display());
    }
}

#[test]
fn most_of_a_repository_is_written_as_it_was() {
    let (mut all, mut same) = (0, 0);
    for (_, text) in files() {
        let once = written(&parse(&text, &Unresolved));
        let lines: std::collections::HashSet<&str> = once.lines().collect();
        all += text.lines().count();
        same += text.lines().filter(|line| lines.contains(line)).count();
    }
    assert!(same * 100 >= all * 95, "{same} of {all} lines");
}
