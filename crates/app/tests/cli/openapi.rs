//! `octavo openapi`: checking, comparing and publishing documents.
use crate::harness::Octavo;
use rstest::rstest;
use serde_json::Value;

const PETS: &str = "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets:\n    get:\n      responses:\n        '200': {description: Pets}\n    post:\n      responses:\n        '201': {description: A pet}\n";

/// The same API without `POST /pets`.
fn fewer() -> String {
    PETS[..PETS.find("    post:").unwrap()].to_owned()
}

/// A document with a broken reference.
fn faulty() -> String {
    PETS.replace("{description: Pets}", "{$ref: '#/components/responses/Pets'}")
}

fn publish<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["openapi", "publish", "docs/pets.yaml", "--slug", "pets"][..], arguments].concat()
}

/// An installation with the document `docs/pets.yaml`, and a server that has published it or not.
fn published(octavo: &Octavo, text: &str) {
    octavo.docs("docs", &[("pets.yaml", text)]);
    let ended = octavo.run(&publish(&[])).fine();
    assert!(ended.stderr.contains("Published pets: version "), "{}", ended.stderr);
}

#[test]
fn a_document_is_published_into_the_data_folder_once() {
    let (octavo, _token) = Octavo::started_once();
    published(&octavo, PETS);
    let again = octavo.run(&publish(&["--json"])).fine().json();
    assert_eq!((&again["result"], &again["version"]), (&"unchanged".into(), &Value::Null));
    octavo.docs("docs", &[("pets.yaml", &PETS.replace("Pets}", "All pets}"))]);
    let changed = octavo.run(&publish(&["--json"])).fine().json();
    assert_eq!(changed["result"], "published");
    assert!(changed["version"].is_string());
    assert_eq!(
        (&changed["changes"]["counts"]["words"], &changed["changes"]["counts"]["breaking"]),
        (&1.into(), &0.into())
    );
}

#[test]
fn a_document_is_published_on_a_server_with_a_token() {
    let (octavo, token) = Octavo::started_once();
    let octavo = octavo.with("OCTAVO_TOKEN", &token);
    let server = octavo.start(&["serve"]);
    let url = format!("http://{}", server.address);
    octavo.docs("docs", &[("pets.yaml", PETS)]);
    let first = octavo.run(&publish(&["--server", &url])).fine();
    assert!(first.stderr.contains("Published pets: version "), "{}", first.stderr);
    let again = octavo.run(&publish(&["--server", &url])).fine();
    assert!(again.stderr.contains("pets is unchanged; nothing was sent."), "{}", again.stderr);
    octavo.docs("docs", &[("pets.yaml", &fewer())]);
    let ended = octavo.run(&publish(&["--server", &url, "--fail-on", "breaking"]));
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    let orgs = server.get("/v1/orgs", &token).json();
    let spec = format!("/v1/orgs/{}/openapi/pets/versions", orgs["items"][0]["id"].as_str().unwrap());
    assert_eq!(server.get(&spec, &token).json()["items"].as_array().unwrap().len(), 1);
    server.stop().fine();
}

#[test]
fn a_document_can_be_read_from_a_pipe() {
    let octavo = Octavo::new();
    let docs = octavo.docs("docs", &[("pets.yaml", PETS)]);
    let line = "cat pets.yaml | \"$OCTAVO\" openapi check /dev/stdin";
    let mut shell = std::process::Command::new("sh");
    let ended =
        shell.args(["-c", line]).env("OCTAVO", env!("CARGO_BIN_EXE_octavo")).current_dir(docs).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn a_file_that_the_document_refers_to_is_sent_with_it() {
    let (octavo, _token) = Octavo::started_once();
    let text = PETS.replace("{description: Pets}", "{$ref: './parts/pets.yaml'}");
    octavo.docs("docs", &[("pets.yaml", &text), ("parts/pets.yaml", "description: Pets of the file\n")]);
    octavo.run(&publish(&["--fail-on", "errors"])).fine();
    let again = octavo.run(&publish(&["--json"])).fine().json();
    assert_eq!(again["result"], "unchanged");
    octavo.docs("docs", &[("parts/pets.yaml", "description: Other pets\n")]);
    assert_eq!(octavo.run(&publish(&["--json"])).fine().json()["result"], "published");
}

#[rstest]
#[case::errors(faulty(), &["--fail-on", "errors"], 3, "breaks rules of OpenAPI")]
#[case::errors_count_as_breaking_too(faulty(), &["--fail-on", "breaking"], 3, "breaks rules of OpenAPI")]
#[case::no_document("a: [1".to_owned(), &[], 3, "breaks rules of OpenAPI")]
#[case::breaking_changes(fewer(), &["--fail-on", "breaking"], 4, "breaking changes")]
#[case::no_time(PETS.replace("Pets", "Animals"), &["--wait", "soon"], 2, "invalid value 'soon'")]
fn what_is_refused_is_not_published(
    #[case] text: String,
    #[case] arguments: &[&str],
    #[case] code: i32,
    #[case] says: &str,
) {
    let (octavo, _token) = Octavo::started_once();
    published(&octavo, PETS);
    octavo.docs("docs", &[("pets.yaml", &text)]);
    let ended = octavo.run(&publish(arguments));
    assert_eq!(ended.code, code, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains(says), "{}", ended.stderr);
    octavo.docs("docs", &[("pets.yaml", PETS)]);
    assert_eq!(octavo.run(&publish(&["--json"])).fine().json()["result"], "unchanged");
}

#[test]
fn errors_alone_are_published_unless_they_are_refused() {
    let (octavo, _token) = Octavo::started_once();
    published(&octavo, &faulty());
}

#[test]
fn a_dry_run_publishes_nothing() {
    let (octavo, _token) = Octavo::started_once();
    published(&octavo, PETS);
    octavo.docs("docs", &[("pets.yaml", &fewer())]);
    let ended = octavo.run(&publish(&["--dry-run"])).fine();
    assert!(ended.stdout.contains("POST /pets") && ended.stderr.contains("nothing was sent"), "{}", ended.stdout);
    assert_eq!(octavo.run(&publish(&["--dry-run", "--fail-on", "breaking"])).code, 4);
    octavo.docs("docs", &[("pets.yaml", PETS)]);
    assert_eq!(octavo.run(&publish(&["--json"])).fine().json()["result"], "unchanged");
}

#[test]
fn an_accepted_change_is_not_reported_again() {
    let (octavo, _token) = Octavo::started_once();
    published(&octavo, PETS);
    octavo.docs("docs", &[("pets.yaml", &fewer())]);
    let refused = octavo.run(&publish(&["--fail-on", "breaking", "--json"]));
    let changes = &serde_json::from_str::<Value>(&refused.stdout).unwrap()["changes"]["changes"];
    let fingerprints: Vec<&str> =
        changes.as_array().unwrap().iter().map(|change| change["fingerprint"].as_str().unwrap()).collect();
    assert!(!fingerprints.is_empty());
    octavo.docs("docs", &[("accepted.txt", &format!("# known\n{} POST is gone\n", fingerprints.join("\n")))]);
    let ended = octavo.run(&publish(&["--fail-on", "breaking", "--accept", "docs/accepted.txt"])).fine();
    assert!(ended.stdout.contains("No changes.") && ended.stderr.contains("Published"), "{}", ended.stdout);
}

#[test]
fn an_address_is_left_to_the_server() {
    let (octavo, _token) = Octavo::started_once();
    let url = "https://127.0.0.1/pets.yaml";
    let ended = octavo.run(&["openapi", "publish", url, "--slug", "pets", "--wait", "0"]);
    assert_eq!(ended.code, 5, "{}", ended.stderr);
    assert!(ended.stderr.contains("is not processed after 0 seconds"), "{}", ended.stderr);
    let ended = octavo.run(&["openapi", "publish", url, "--slug", "pets", "--fail-on", "errors"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("--fail-on: works with a file only"), "{}", ended.stderr);
    let ended = octavo.run(&["openapi", "publish", url, "--slug", "pets", "--dry-run"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("--dry-run: works with a file only"), "{}", ended.stderr);
    let jobs = octavo.run(&["jobs", "list"]).fine();
    assert!(jobs.stdout.contains("process-openapi"), "{}", jobs.stdout);
}

#[test]
fn a_source_that_cannot_be_processed_is_a_failure() {
    let (octavo, token) = Octavo::started_once();
    let octavo = octavo.with("OCTAVO_TOKEN", &token);
    let server = octavo.start(&["serve"]);
    // The server asks for nothing there: the address is of its own machine.
    let url = "https://127.0.0.1/pets.yaml";
    let ended =
        octavo.run(&["openapi", "publish", url, "--slug", "pets", "--server", &format!("http://{}", server.address)]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("the source could not be processed: FETCH_ERROR"), "{}", ended.stderr);
}

#[rstest]
#[case::of_publish(&["publish", "docs/none.yaml", "--slug", "pets"], 1, "cannot read docs/none.yaml")]
#[case::of_check(&["check", "docs/none.yaml"], 1, "cannot read docs/none.yaml")]
#[case::to_check_against(&["check", "docs/pets.yaml", "--against", "docs/none.yaml"], 1, "cannot read docs/none.yaml")]
#[case::to_compare_with(&["diff", "docs/none.yaml", "docs/pets.yaml"], 1, "cannot read docs/none.yaml")]
#[case::of_accepted_changes(
    &["diff", "docs/pets.yaml", "docs/pets.yaml", "--accept", "docs/none.txt"], 1, "cannot read docs/none.txt"
)]
#[case::that_is_no_document(
    &["diff", "docs/pets.yaml", "docs/note.yaml"], 1, "docs/note.yaml is not an OpenAPI document"
)]
#[case::no_file(&["check"], 2, "<FILE>")]
#[case::an_unknown_format(&["diff", "docs/pets.yaml", "docs/pets.yaml", "--format", "xml"], 2, "[possible values: ")]
fn a_document_that_cannot_be_read_is_named(#[case] arguments: &[&str], #[case] code: i32, #[case] says: &str) {
    let (octavo, _token) = Octavo::started_once();
    octavo.docs("docs", &[("pets.yaml", PETS), ("note.yaml", "just: a note\n")]);
    let ended = octavo.run(&[&["openapi"], arguments].concat());
    assert_eq!(ended.code, code, "{}", ended.stderr);
    assert!(ended.stderr.contains(says), "{}", ended.stderr);
}

/// Mappings of nine aliases each, ten deep.
fn bomb() -> String {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        text += &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", "));
    }
    text
}

/// A document that refers to more files than it may.
fn many_files() -> String {
    let all: Vec<String> = (0..300).map(|number| format!("{{$ref: {number}.yaml}}")).collect();
    format!(
        "openapi: 3.1.0\ninfo: {{title: a, version: b}}\ncomponents: {{schemas: {{A: {{allOf: [{}]}}}}}}\n",
        all.join(", ")
    )
}

#[rstest]
#[case::a_bomb_of_aliases(bomb())]
#[case::nested_lists("[".repeat(100_000))]
#[case::too_many_values(format!("[{}1]", "1,".repeat(4_000_000)))]
#[case::too_many_bytes(format!("a: \"{}\"", "x".repeat(33 << 20)))]
#[case::too_many_files(many_files())]
fn a_document_that_is_too_large_is_refused_within_128_mib(#[case] text: String) {
    let octavo = Octavo::new();
    octavo.docs("docs", &[("large.yaml", &text)]);
    let (ended, peak) = octavo.run_measured(&["openapi", "check", "docs/large.yaml"]);
    assert_eq!(ended.code, 3, "{}", ended.stderr);
    assert!(ended.stdout.contains("(fatal, too-large)"), "{}", &ended.stdout[..ended.stdout.len().min(2_000)]);
    assert!(peak > 0 && peak < 128 << 10, "{peak} KiB");
}

/// A server keeps responding while it reads a document of many values. Without optimisation and on a busy machine, a
/// million would take longer than the minute that a document has.
#[test]
fn a_server_answers_while_it_processes_a_large_document() {
    let (octavo, token) = Octavo::started_once();
    // Its log is not read: without requests in it, it does not fill the pipe.
    let octavo = octavo.with("OCTAVO_TOKEN", &token).with("OCTAVO_RATE_LIMIT", "0").with("OCTAVO_LOG", "error");
    let server = octavo.start(&["serve"]);
    let large = format!("{}x-values: [{}1]\n", PETS, "1, ".repeat(200_000));
    octavo.docs("docs", &[("pets.yaml", &large)]);
    let url = format!("http://{}", server.address);
    let sent = octavo.run(&publish(&["--server", &url, "--wait", "0"]));
    assert_eq!(sent.code, 5, "{}", sent.stderr);
    let orgs = server.get("/v1/orgs", &token).json();
    let spec = format!("/v1/orgs/{}/openapi/pets", orgs["items"][0]["id"].as_str().unwrap());
    let (mut answers, began) = (0, std::time::Instant::now());
    let done = loop {
        let shown = server.get(&spec, &token).json();
        match shown["processingState"].as_str().expect("the server answers") {
            "complete" => break shown,
            "progress" => answers += 1,
            _ => {}
        }
        assert!(began.elapsed().as_secs() < 120, "it is not processed");
    };
    assert!(answers > 3, "the server answered {answers} times while it read the document");
    assert!(done["lastVersion"].is_string(), "{done}");
}

#[test]
fn a_large_document_is_sent_to_a_server_as_it_is() {
    let (octavo, token) = Octavo::started_once();
    let octavo = octavo.with("OCTAVO_TOKEN", &token).with("OCTAVO_LOG", "error");
    let server = octavo.start(&["serve"]);
    let small = r#"{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "paths": {}}"#;
    let large = format!("{small}{}", " ".repeat(9 << 20));
    octavo.docs("docs", &[("pets.yaml", &large)]);
    octavo.run(&publish(&["--server", &format!("http://{}", server.address)])).fine();
    let orgs = server.get("/v1/orgs", &token).json();
    let spec = format!("/v1/orgs/{}/openapi/pets", orgs["items"][0]["id"].as_str().unwrap());
    let raw = server.get(&format!("{spec}/versions/latest/content/raw"), &token).json();
    assert!(raw["text"] == large.as_str(), "it is not the same text");
}

#[test]
fn accepted_changes_are_not_reported_by_check_and_diff() {
    let octavo = Octavo::new();
    octavo.docs("docs", &[("old.yaml", PETS), ("new.yaml", &fewer())]);
    let diff = ["openapi", "diff", "docs/old.yaml", "docs/new.yaml"];
    let found: Value = octavo.run(&[&diff[..], &["--format", "json"]].concat()).fine().json();
    let fingerprint = found["changes"][0]["fingerprint"].as_str().unwrap();
    octavo.docs("docs", &[("accepted.txt", fingerprint)]);
    let accept = ["--accept", "docs/accepted.txt"];
    let ended = octavo.run(&[&diff[..], &accept].concat()).fine();
    assert_eq!(ended.stdout.trim(), "No changes.");
    let check = ["openapi", "check", "docs/new.yaml", "--against", "docs/old.yaml"];
    assert_eq!(octavo.run(&check).code, 4);
    assert_eq!(octavo.run(&[&check[..], &accept].concat()).code, 0);
}

#[test]
fn a_change_names_the_file_that_it_is_in() {
    let octavo = Octavo::new();
    let text = PETS.replace("{description: Pets}", "{$ref: '../parts/pets.yaml'}");
    let part = "description: Pets\ncontent:\n  application/json:\n    schema: {type: string}\n";
    octavo.docs("old", &[("api/pets.yaml", &text), ("parts/pets.yaml", part)]);
    let (new_text, new_part) = (text.replace("A pet", "One pet"), part.replace("string", "integer"));
    octavo.docs("new", &[("api/pets.yaml", &new_text), ("parts/pets.yaml", &new_part)]);
    let diff = ["openapi", "diff", "old/api/pets.yaml", "new/api/pets.yaml", "--format"];
    let ended = octavo.run(&[&diff[..], &["github"]].concat()).fine();
    let begins = |with: &str| ended.stdout.lines().any(|line| line.starts_with(with));
    assert!(begins("::error file=new/parts/pets.yaml,line=4,col="), "{}", ended.stdout);
    assert!(begins("::notice file=new/api/pets.yaml,line=10,col="), "{}", ended.stdout);
    let json: Value = octavo.run(&[&diff[..], &["json"]].concat()).fine().json();
    let files: Vec<&str> =
        json["changes"].as_array().unwrap().iter().map(|change| change["position"]["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["new/parts/pets.yaml", "new/api/pets.yaml"]);
}

#[rstest]
#[case::no_token(&["--server", "http://127.0.0.1:1"], 2, "OCTAVO_TOKEN")]
#[case::no_url(&["--server", "docs.example.org"], 2, "must be a URL such as https://docs.example.org")]
#[case::no_slug(&["--slug", "two--hyphens"], 2, "invalid value 'two--hyphens'")]
fn a_wrong_command_line_is_refused(#[case] arguments: &[&str], #[case] code: i32, #[case] says: &str) {
    let octavo = Octavo::new();
    octavo.docs("docs", &[("pets.yaml", PETS)]);
    let slug = if arguments.contains(&"--slug") { &[][..] } else { &["--slug", "pets"] };
    let ended = octavo.run(&[&["openapi", "publish", "docs/pets.yaml"], slug, arguments].concat());
    assert_eq!(ended.code, code, "{}", ended.stderr);
    assert!(ended.stderr.contains(says), "{}", ended.stderr);
}

#[rstest]
#[case::a_user("http://ada@127.0.0.1:1")]
#[case::a_query("http://127.0.0.1:1/?a=b")]
#[case::a_fragment("http://127.0.0.1:1/#a")]
fn the_address_of_a_server_is_plain(#[case] server: &str) {
    let octavo = Octavo::new().with("OCTAVO_TOKEN", "octavo_x");
    octavo.docs("docs", &[("pets.yaml", PETS)]);
    let ended = octavo.run(&publish(&["--server", server]));
    assert_eq!(ended.code, 2);
    assert!(
        ended.stderr.contains("--server: must be an address without a user, a query and a fragment"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_server_that_cannot_be_reached_is_a_failure() {
    let octavo = Octavo::new().with("OCTAVO_TOKEN", "octavo_x");
    octavo.docs("docs", &[("pets.yaml", PETS)]);
    let ended = octavo.run(&publish(&["--server", "http://127.0.0.1:1"]));
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("cannot reach http://127.0.0.1:1/v1"), "{}", ended.stderr);
    assert!(ended.stderr.contains("next: check the URL of --server"), "{}", ended.stderr);
}

#[test]
fn a_wrong_token_and_a_wrong_url_are_reported_with_what_to_do() {
    let octavo = Octavo::new().with("OCTAVO_TOKEN", "octavo_wrong");
    octavo.docs("docs", &[("pets.yaml", PETS)]);
    let server = octavo.start(&["serve"]);
    let right = format!("http://{}", server.address);
    let wrong = format!("{right}/nothing");
    for (url, says) in [(right, "next: set OCTAVO_TOKEN"), (wrong, "/nothing/v1 is not the API of an Octavo server")] {
        let ended = octavo.run(&publish(&["--server", &url]));
        assert!(ended.code == 1 && ended.stderr.contains(says), "{url}: {}", ended.stderr);
    }
    server.stop().fine();
}

#[rstest]
#[case::text("text", "POST /pets")]
#[case::json("json", "\"breaking\": 1")]
#[case::markdown("markdown", "### Breaking changes")]
#[case::github("github", "::error file=docs/old.yaml,line=8,col=5,title=")]
fn two_documents_are_compared(#[case] format: &str, #[case] expected: &str) {
    let octavo = Octavo::new();
    octavo.docs("docs", &[("old.yaml", PETS), ("new.yaml", &fewer())]);
    let ended = octavo.run(&["openapi", "diff", "docs/old.yaml", "docs/new.yaml", "--format", format]).fine();
    assert!(ended.stdout.contains(expected), "{}", ended.stdout);
    let same = octavo.run(&["openapi", "diff", "docs/old.yaml", "docs/old.yaml", "--format", format]).fine();
    assert!(!same.stdout.contains(expected), "{}", same.stdout);
}

#[rstest]
#[case::text("text", r"POST /pe\u{200b}ts")]
#[case::json("json", "\"/pe\u{200b}ts\"")]
#[case::markdown("markdown", "`POST /pe\u{200b}ts`")]
#[case::github("github", "::POST /pe\u{200b}ts: ")]
fn invisible_characters_are_escaped_for_people_only(#[case] format: &str, #[case] expected: &str) {
    let octavo = Octavo::new();
    let invisible = |text: &str| text.replace("/pets", "\"/pe\u{200b}ts\"");
    octavo.docs("docs", &[("old.yaml", &invisible(PETS)), ("new.yaml", &invisible(&fewer()))]);
    let ended = octavo.run(&["openapi", "diff", "docs/old.yaml", "docs/new.yaml", "--format", format]).fine();
    assert!(ended.stdout.contains(expected), "{:?}", ended.stdout);
}

#[test]
fn a_check_can_compare_with_a_released_document() {
    let octavo = Octavo::new();
    octavo.docs("docs", &[("old.yaml", PETS), ("new.yaml", &fewer()), ("bad.yaml", &faulty())]);
    let check = |file: &str| octavo.run(&["openapi", "check", file, "--against", "docs/old.yaml"]);
    assert_eq!(check("docs/old.yaml").code, 0);
    let breaking = check("docs/new.yaml");
    assert_eq!(breaking.code, 4);
    assert!(breaking.stdout.contains("POST /pets"), "{}", breaking.stdout);
    assert_eq!(check("docs/bad.yaml").code, 3);
}

#[test]
fn warnings_and_hints_are_shown_and_are_no_failure() {
    let octavo = Octavo::new();
    let text = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths: {}\n\
                components: {schemas: {A: {type: integer, example: x}, B: {enum: [a, a]}}}\n";
    octavo.docs("docs", &[("pets.yaml", text)]);
    let ended = octavo.run(&["openapi", "check", "docs/pets.yaml"]).fine();
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert!(lines.len() == 2 && lines[0].ends_with(" (warning, enum-twice)"), "{}", ended.stdout);
    assert!(lines[1].ends_with(" (hint, example-unfit)"), "{}", ended.stdout);
}

#[test]
fn a_check_names_the_file_that_a_finding_is_in() {
    let octavo = Octavo::new();
    let text = PETS.replace("{description: Pets}", "{$ref: 'parts/pets.yaml'}");
    octavo.docs(
        "docs",
        &[("pets.yaml", &text), ("parts/pets.yaml", "description: Pets\nheaders: {A: {$ref: '#/no'}}\n")],
    );
    let ended = octavo.run(&["openapi", "check", "docs/pets.yaml"]);
    assert_eq!(ended.code, 3);
    let line = "docs/parts/pets.yaml:2:21 headers.A.$ref: #/no is not there (error, ref-missing)";
    assert!(ended.stdout.lines().any(|found| found == line), "{}", ended.stdout);
    let json: Value = octavo.run(&["openapi", "check", "docs/pets.yaml", "--json"]).json();
    let finding = &json["findings"][0];
    assert_eq!((&finding["file"], &finding["line"]), (&"parts/pets.yaml".into(), &2.into()), "{json}");
}
