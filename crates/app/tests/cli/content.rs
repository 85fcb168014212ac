//! `octavo import` and `octavo export`.
use crate::harness::{Octavo, files};
use acceptance::Backend;
use serde_json::Value;
use std::time::{Duration, Instant};

const DOCS: &[(&str, &str)] = &[
    ("README.md", "# Handbook\n\nStart with [the setup](guides/setup.md).\n"),
    ("SUMMARY.md", "# Table of contents\n\n* [Handbook](README.md)\n\n## Guides\n\n* [Set it up](guides/setup.md)\n"),
    ("guides/setup.md", "# Set it up\n\n![A dot](../dot.svg)\n\nBack to [the start](../README.md).\n"),
    ("dot.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"2\" height=\"2\"><circle r=\"1\"/></svg>\n"),
];

fn import(octavo: &Octavo, arguments: &[&str]) -> Value {
    octavo.run(&[&["import", "--json"], arguments].concat()).fine().json()
}

#[test]
fn what_is_imported_is_served_at_once_and_exported_as_it_came() {
    let octavo = Octavo::new();
    let server = octavo.start(&["serve"]);
    let token = octavo.run(&["token", "create"]).fine().stdout.trim().to_owned();
    let docs = octavo.docs("docs", DOCS);
    let summary = octavo.run(&["import", docs.to_str().unwrap()]).fine().stdout;
    for part in ["\"docs\"", "pages   2", "1 group", "files   1", "0 broken"] {
        assert!(summary.contains(part), "{part} is missing in {summary}");
    }

    let organization = server.get("/v1/orgs", &token).json()["items"][0]["id"].as_str().unwrap().to_owned();
    let spaces = server.get(&format!("/v1/orgs/{organization}/spaces"), &token).json();
    let space = spaces["items"][0]["id"].as_str().unwrap();
    let page = server.get(&format!("/v1/spaces/{space}/content/path/guides/setup?format=markdown"), &token);
    assert!(page.json()["markdown"].as_str().unwrap().contains("Back to [the start]"), "{}", page.body);

    let out = octavo.path("out");
    octavo.run(&["export", space, out.to_str().unwrap()]).fine();
    assert_eq!(files(&out), files(&docs));
    server.stop().fine();
}

#[test]
fn a_table_of_contents_in_any_form_is_exported_as_it_came() {
    let (octavo, _token) = Octavo::started_once();
    let summary = "# Contents\r\n\r\n-   [A &amp; *b* \\[c\\]](<./a.md> 'Short')\r\n    -   [](b.md)\r\n\r\n## Old `names`\r\n1. X\r\n2. X";
    let pages = [("README.md", "# Home\n"), ("a.md", "a\n"), ("b.md", "---\ntitle: B\n---\n\n# Other\n")];
    let docs = octavo.docs("docs", &[&[("SUMMARY.md", summary)][..], &pages].concat());
    let space = import(&octavo, &[docs.to_str().unwrap()])["space"].as_str().unwrap().to_owned();
    let out = octavo.path("out");
    octavo.run(&["export", &space, out.to_str().unwrap()]).fine();
    assert_eq!(files(&out), files(&docs));
}

#[test]
fn importing_again_keeps_the_space_and_its_pages() {
    let (octavo, token) = Octavo::started_once();
    let docs = octavo.docs("docs", DOCS);
    let first = import(&octavo, &[docs.to_str().unwrap()]);
    let space = first["space"].as_str().unwrap().to_owned();
    octavo.docs("docs", &[("guides/setup.md", "# Set it up\n\nShorter now. Back to [the start](../README.md).\n")]);
    let second = import(&octavo, &[docs.to_str().unwrap(), "--space", &space]);
    assert_eq!(second["space"], first["space"]);
    assert_ne!(second["revision"], first["revision"]);

    let server = octavo.start(&["serve"]);
    let pages = |revision: &Value| {
        let path = format!("/v1/spaces/{space}/revisions/{}/pages", revision.as_str().unwrap());
        let pages = server.get(&path, &token).json();
        pages["pages"].as_array().unwrap().iter().map(|page| page["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(pages(&first["revision"]), pages(&second["revision"]));
    server.stop().fine();
}

#[test]
fn an_import_sets_where_its_files_are_edited() {
    let (octavo, token) = Octavo::started_once();
    let docs = octavo.docs("docs", DOCS);
    let docs = docs.to_str().unwrap();
    let [main, next] = ["main", "next"].map(|branch| format!("https://git.example.org/docs/edit/{branch}/"));
    let space = import(&octavo, &[docs, "--edit-url", &main])["space"].as_str().unwrap().to_owned();
    let server = octavo.start(&["serve"]);
    let edit_url = || server.get(&format!("/v1/spaces/{space}"), &token).json()["editURL"].clone();
    assert_eq!(edit_url(), main.as_str());
    import(&octavo, &[docs, "--space", &space]);
    assert_eq!(edit_url(), main.as_str(), "an import without the option keeps it");
    for _again in 0..2 {
        import(&octavo, &[docs, "--space", &space, "--edit-url", &next]);
        assert_eq!(edit_url(), next.as_str());
    }
    server.stop().fine();
    let log = octavo.run(&["audit", "tail", "--action", "space_updated"]).fine().stdout;
    assert_eq!(log.matches("space_updated").count(), 2, "an address that was set already is no change: {log}");

    let refused = octavo.run(&["import", docs, "--edit-url", "edit/main"]);
    assert!(refused.code == 2 && refused.stderr.contains("--edit-url"), "{}", refused.stderr);
}

#[test]
fn a_broken_link_is_reported_with_file_and_line_and_fails_a_strict_import_only() {
    let (octavo, _token) = Octavo::started_once();
    let docs = octavo.docs("docs", &[("README.md", "# One\n\nSee [two](two.md).\n")]);
    let docs = docs.to_str().unwrap();
    let relaxed = octavo.run(&["import", docs]).fine();
    assert!(
        relaxed.stdout.contains("1 broken") && relaxed.stdout.contains("README.md:3: two.md"),
        "{}",
        relaxed.stdout
    );
    let strict = octavo.run(&["import", docs, "--strict"]);
    assert_eq!(strict.code, 3, "{}", strict.stderr);
    assert!(strict.stdout.contains("Imported"), "it is imported all the same");
}

#[test]
fn the_summary_counts_computed_pages() {
    let (octavo, _token) = Octavo::started_once();
    let block = "type: builtin:openapi\n  dependencies: {spec: {ref: {kind: openapi, spec: pets}}}";
    let contents = format!("# API\n\n* ```yaml\n  {block}\n  ```\n");
    let docs = octavo.docs("docs", &[("SUMMARY.md", &contents)]);
    let summary = octavo.run(&["import", docs.to_str().unwrap()]).fine().stdout;
    assert!(summary.contains("pages   0, 1 computed page\n"), "{summary}");
}

#[test]
fn what_is_no_documentation_is_refused_with_a_reason() {
    let (octavo, _token) = Octavo::started_once();
    let empty = octavo.docs("empty", &[("notes.txt", "no Markdown")]);
    let missing = octavo.path("missing");
    // It has no writer, so opening it would wait for ever.
    let pipe = octavo.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [&empty, &missing, &pipe] {
        let ended = octavo.run(&["import", path.to_str().unwrap()]);
        assert_eq!(ended.code, 1);
        assert!(ended.stderr.contains("cannot import") && ended.stderr.contains("next: "), "{}", ended.stderr);
    }
}

#[test]
fn an_unknown_space_is_reported_and_nothing_is_written() {
    let (octavo, _token) = Octavo::started_once();
    let docs = octavo.docs("docs", DOCS);
    let out = octavo.path("out");
    let imported = octavo.run(&["import", docs.to_str().unwrap(), "--space", "nothing"]);
    let exported = octavo.run(&["export", "nothing", out.to_str().unwrap()]);
    assert_eq!((imported.code, exported.code), (1, 1));
    assert!(imported.stderr.contains("space not found"), "{}", imported.stderr);
    assert!(exported.stderr.contains("there is no space nothing"), "{}", exported.stderr);
    assert!(!out.exists());
}

/// As on a standby of PostgreSQL.
#[test]
fn a_space_of_a_database_that_is_read_only_can_be_exported() {
    let Some(octavo) = Octavo::on(Backend::Postgres) else { return };
    octavo.start(&["serve"]).stop().fine();
    let docs = octavo.docs("docs", DOCS);
    let space = import(&octavo, &[docs.to_str().unwrap()])["space"].as_str().unwrap().to_owned();
    octavo.change(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); \
         END $$",
    );
    let out = octavo.path("out");
    octavo.run(&["export", &space, out.to_str().unwrap()]).fine();
    let (out, docs) = (files(&out), files(&docs));
    assert!(docs.iter().all(|file| out.contains(file)), "{out:?}");
    assert!(octavo.run(&["user", "list"]).fine().stdout.contains("admin@localhost"));
    assert_eq!(octavo.run(&["token", "create"]).code, 1);
}

#[test]
fn an_export_never_writes_over_files() {
    let (octavo, _token) = Octavo::started_once();
    let docs = octavo.docs("docs", DOCS);
    let space = import(&octavo, &[docs.to_str().unwrap()])["space"].as_str().unwrap().to_owned();
    let before = files(&docs);
    let ended = octavo.run(&["export", &space, docs.to_str().unwrap()]);
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("is not empty"), "{}", ended.stderr);
    assert_eq!(files(&docs), before);
    let remains = octavo.path("out/.export-1-2-0");
    std::fs::create_dir_all(&remains).unwrap();
    let ended = octavo.run(&["export", &space, octavo.path("out").to_str().unwrap()]);
    assert_eq!((ended.code, remains.exists()), (1, true));
    assert!(ended.stderr.contains("out/.export-1-2-0 is the temporary folder"), "{}", ended.stderr);
    assert!(ended.stderr.contains("next: delete that folder"), "{}", ended.stderr);
}

/// The most memory of an import, in KiB, whatever its size.
const MEMORY: u64 = 128 * 1024;

/// Writes documentation of 40 MiB: 2,000 long pages, most of them with `noIndex`.
fn much(octavo: &Octavo) -> std::path::PathBuf {
    let folder = octavo.path("much");
    std::fs::create_dir_all(&folder).unwrap();
    let line = |page: usize, line: usize| format!("let value_{page}_{line} = weave(pattern, {line});\n");
    for page in 0..2_000 {
        let code: String = (0..420).map(|at| line(page, at)).collect();
        let front = if page % 20 == 0 { "" } else { "---\nnoIndex: true\n---\n" };
        let text =
            format!("{front}# Page {page}\n\nSee [the next](page-{}.md).\n\n```rust\n{code}```\n", (page + 1) % 2_000);
        std::fs::write(folder.join(format!("page-{page}.md")), text).unwrap();
    }
    folder
}

#[test]
fn a_stopped_export_leaves_nothing_behind() {
    let (octavo, _token) = Octavo::started_once();
    let much = much(&octavo);
    let space = import(&octavo, &[much.to_str().unwrap()])["space"].as_str().unwrap().to_owned();
    let exports = octavo.path("exports");
    std::fs::create_dir(&exports).unwrap();
    let entries = || std::fs::read_dir(&exports).unwrap().count();
    for signal in ["INT", "TERM"] {
        let mut export = octavo.watch(&["export", &space, exports.join("out").to_str().unwrap()]);
        let began = Instant::now();
        while entries() == 0 {
            assert!(!export.has_ended() && began.elapsed().as_secs() < 60, "the export writes nothing");
            std::thread::sleep(Duration::from_millis(1));
        }
        export.signal(signal);
        assert_eq!((export.wait(), entries()), (1, 0), "{signal}");
    }
}

#[rstest::rstest]
fn an_import_of_forty_mebibytes_takes_little_memory(
    #[values(acceptance::Backend::Sqlite, acceptance::Backend::Postgres)] backend: acceptance::Backend,
) {
    let Some(octavo) = Octavo::on(backend) else { return };
    octavo.start(&["serve"]).stop().fine();
    let much = much(&octavo);
    let (imported, most) = octavo.run_measured(&["import", "--json", much.to_str().unwrap()]);
    let imported = imported.fine().json();
    assert_eq!((&imported["report"]["pages"], &imported["report"]["linksResolved"]), (&2_000.into(), &2_000.into()));
    println!("{} MiB on {backend:?}", most / 1024);
    assert!(most > 0 && most < MEMORY, "{most} KiB");
    let left = octavo.run(&["jobs", "list"]).fine().stdout;
    assert!(!left.contains("index-space"), "the command has seen to the search index: {left}");
    let space = imported["space"].as_str().unwrap();
    let (again, most) = octavo.run_measured(&["import", "--json", much.to_str().unwrap(), "--space", space]);
    again.fine();
    println!("{} MiB to bring it up to date", most / 1024);
    assert!(most > 0 && most < MEMORY, "{most} KiB");
    let out = octavo.path("out");
    let (exported, most) = octavo.run_measured(&["export", space, out.to_str().unwrap()]);
    exported.fine();
    println!("{} MiB to export it", most / 1024);
    assert!(most > 0 && most < MEMORY, "{most} KiB");
    assert_eq!(files(&out), files(&much));
}
