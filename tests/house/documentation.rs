//! Links in the documentation lead to existing files, and every page is in an index. Examples are run.
use crate::workspace::{files, packages, read, relative, root, sources};
use std::path::{Path, PathBuf};

/// The pages of the documentation.
fn pages() -> Vec<PathBuf> {
    let root = root();
    let mut pages = files(&root.join("docs"), "md");
    pages.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root.join(name)));
    pages
}

/// The targets of the links of a page: `](target)` and `src="target"`, outside of code.
fn targets(text: &str) -> Vec<&str> {
    let mut in_code = false;
    let prose = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    });
    prose
        .flat_map(|line| line.split('`').step_by(2))
        .flat_map(|text| {
            let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            let images = text.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
            links.chain(images)
        })
        .collect()
}

/// Whether the target of a link is a file of the project.
fn leads_somewhere(page: &Path, target: &str) -> bool {
    if target.starts_with('#') || target.contains("://") || target.starts_with("mailto:") {
        return true;
    }
    let path = target.split('#').next().unwrap_or_default();
    page.parent().expect("a folder").join(path).exists()
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    let mut checked = 0;
    for page in pages() {
        let text = read(&page);
        for target in targets(&text) {
            checked += 1;
            assert!(leads_somewhere(&page, target), "{} links to {target}, which does not exist", relative(&page));
        }
    }
    assert!(checked > 20, "only {checked} links were found");
}

#[test]
fn every_page_of_the_documentation_is_in_an_index() {
    let docs = root().join("docs");
    // The table of contents of the documentation as a site.
    let summary = docs.join("SUMMARY.md");
    for page in files(&docs, "md").into_iter().filter(|page| *page != summary) {
        let is_index = page.file_name().is_some_and(|name| name == "README.md");
        let own = page.parent().expect("a folder");
        let index = (if is_index { own.parent().expect("a folder") } else { own }).join("README.md");
        let name =
            page.strip_prefix(index.parent().expect("a folder")).expect("below it").to_string_lossy().into_owned();
        assert!(
            read(&index).contains(&format!("]({name}")) || own == docs && is_index,
            "{} does not name {name}",
            relative(&index)
        );
    }
}

#[test]
fn every_page_of_the_documentation_is_in_its_table_of_contents() {
    let docs = root().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    for page in files(&docs, "md") {
        let name = page.strip_prefix(&docs).expect("below it").to_string_lossy().into_owned();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("]({name})")), "docs/SUMMARY.md lacks {name}");
    }
}

#[test]
fn a_dead_link_is_noticed_and_an_example_is_not() {
    assert_eq!(targets("see [a](b.md) and\n```\n[c](d.md)\n```\n<img src=\"e.png\">"), ["b.md", "e.png"]);
    assert!(!leads_somewhere(&root().join("README.md"), "no/such/file.md"));
}

/// The pages that a text names: those in the folder `docs`, and foreign ones.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let is_path = |char: char| char.is_ascii_alphanumeric() || "/-_.".contains(char);
    text.split(move |char: char| !is_path(char)).map(|word| word.trim_matches('.')).filter(|word| {
        word.strip_suffix(".md").is_some_and(|name| name.starts_with("docs/") || FOREIGN.contains(&name))
    })
}

/// Documents that are not in this repository, and so explain nothing to its readers.
const FOREIGN: [&str; 3] = ["contract", "house", "engine"];

#[test]
fn no_comment_refers_to_a_document_that_is_not_here() {
    let foreign: Vec<String> = sources()
        .iter()
        .flat_map(|path| {
            let text = read(path);
            let comments = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("//"));
            let missing = |name: &&str| !root().join(name).exists();
            comments
                .flat_map(|(at, line)| named(line).filter(missing).map(move |name| (at + 1, name)))
                .map(|(at, name)| format!("{} line {at}: {name}", relative(path)))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(foreign.is_empty(), "documents that are not here:\n{}", foreign.join("\n"));
}

#[test]
fn a_named_document_is_found_in_a_sentence() {
    let text = "/// Described in (docs/api.md, Deletion) and contract.md 2.4; a file `guide.md` of an example is not.";
    assert_eq!(named(text).collect::<Vec<_>>(), ["docs/api.md", "contract.md"]);
}

#[test]
fn every_test_that_a_promise_names_exists() {
    let promises = read(&root().join("docs/promises.md"));
    let is_test = |name: &&str| name.len() >= 20 && name.chars().all(|char| char.is_ascii_lowercase() || char == '_');
    let code: String = sources().iter().map(|path| read(path)).collect();
    let named: Vec<&str> = promises.split('`').skip(1).step_by(2).filter(is_test).collect();
    let missing: Vec<&&str> = named.iter().filter(|name| !code.contains(&format!("fn {name}("))).collect();
    assert!(named.len() > 50, "only {} tests were found", named.len());
    assert!(missing.is_empty(), "no such tests: {missing:?}");
}

/// Whether the comments of a source file have an example that `cargo test --doc` runs.
fn has_example(text: &str) -> bool {
    let mut in_code = false;
    let comments = text.lines().map(str::trim_start);
    let comments = comments.filter_map(|line| line.strip_prefix("///").or_else(|| line.strip_prefix("//!")));
    let mut fences = comments.filter_map(|line| line.trim_start().strip_prefix("```"));
    fences.any(|language| {
        in_code = !in_code;
        in_code && (language.is_empty() || language.starts_with("rust"))
    })
}

/// `cargo test --doc` reads the whole of a crate to find that it has none.
#[test]
fn examples_are_run_of_the_crates_that_have_some() {
    for package in packages() {
        let targets = package["targets"].as_array().expect("a list of targets");
        let Some(library) = targets.iter().find(|target| target["kind"][0] == "lib") else { continue };
        let folder = Path::new(library["src_path"].as_str().expect("a path")).parent().expect("a folder");
        let has_some = files(folder, "rs").iter().any(|file| has_example(&read(file)));
        assert_eq!(library["doctest"].as_bool(), Some(has_some), "`doctest` in the Cargo.toml of {}", package["name"]);
    }
}

#[test]
fn an_example_is_told_from_other_code() {
    assert!(has_example("//! ```text\n//! a\n//! ```\n/// ```\n/// let a = 1;\n/// ```"));
    assert!(!has_example("//! ```sh\n//! a\n//! ```\nlet a = \"\n```\";"));
}
