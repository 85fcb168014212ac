//! Invalid settings: each is refused at the start, with its name, the rule and the next step.
use crate::harness::Octavo;
use rstest::rstest;

#[rstest]
#[case::listen("OCTAVO_LISTEN", "8080", "--listen", "such as 127.0.0.1:8080")]
#[case::metrics("OCTAVO_METRICS_LISTEN", "nowhere", "--metrics-listen", "such as 127.0.0.1:8080")]
#[case::public_url("OCTAVO_PUBLIC_URL", "docs.example.org", "--public-url", "https://docs.example.org")]
#[case::sites_url("OCTAVO_SITES_URL", "docs.example.org", "--sites-url", "https://docs.example.org")]
#[case::root_site("OCTAVO_ROOT_SITE", "my site", "--root-site", "the id or the basename of a site")]
#[case::sites_host("OCTAVO_SITES_HOST", "docs.example.org", "--sites-host", "such as *.docs.example.org")]
#[case::fonts("OCTAVO_FONTS_DIR", "/nowhere/fonts", "--fonts-dir", "must be a folder that can be read")]
#[case::log_level("OCTAVO_LOG", "loud", "--log-level", "error, warn, info, debug or trace")]
#[case::log_format("OCTAVO_LOG_FORMAT", "xml", "--log-format", "pretty, json")]
#[case::rate_limit("OCTAVO_RATE_LIMIT", "many", "--rate-limit", "a whole number from 0")]
#[case::proxies("OCTAVO_TRUSTED_PROXIES", "10.0.0.0/99", "--trusted-proxies", "such as 10.0.0.0/8")]
#[case::fetching("OCTAVO_ALLOW_PRIVATE_FETCH", "yes", "--allow-private-fetch", "must be true or false")]
#[case::email("OCTAVO_ADMIN_EMAIL", "ada", "--admin-email", "such as ada@example.org")]
#[case::workers("OCTAVO_WORKERS", "0", "--workers", "a whole number from 1 to 1024")]
#[case::admin_token("OCTAVO_ADMIN_TOKEN", "short-secret", "--admin-token", "20 to 200 characters")]
#[case::secret("OCTAVO_SECRET", "abcdef", "--secret", "64 hexadecimal digits")]
#[case::scheme(
    "DATABASE_URL",
    "mysql://ada:hunter2@db/octavo",
    "--database-url",
    "postgres://user:password@host/database"
)]
#[case::keywords(
    "DATABASE_URL",
    "host=db password=hunter2 dbname=octavo",
    "--database-url",
    "must begin with postgres://"
)]
#[case::memory("DATABASE_URL", ":memory:", "--database-url", "needs a file")]
fn a_wrong_setting_stops_the_start(
    #[case] variable: &str,
    #[case] value: &str,
    #[case] option: &str,
    #[case] rule: &str,
) {
    let octavo = Octavo::new().with(variable, value);
    let ended = octavo.run(&["serve"]);
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    for part in [variable, option, rule] {
        assert!(ended.stderr.contains(part), "{part} is missing in: {}", ended.stderr);
    }
    assert_eq!(ended.stdout, "");
    assert!(!octavo.data().exists(), "nothing was made");
}

#[rstest]
#[case("OCTAVO_ADMIN_TOKEN", "short-secret")]
#[case("OCTAVO_SECRET", "0123456789abcdef-secret")]
#[case("DATABASE_URL", "mysql://ada:short-secret@db/octavo")]
#[case("DATABASE_URL", "postgres://ada:short-secret@127.0.0.1:1/octavo")]
#[case("DATABASE_URL", "postgres://ada:short-secret@127.0.0.1:1,127.0.0.1:2/octavo")]
#[case("DATABASE_URL", "postgres://ada:short-secret@/octavo?host=/nowhere")]
#[case("DATABASE_URL", "postgres:///octavo?host=127.0.0.1&port=1&user=ada&password=short-secret")]
#[case("DATABASE_URL", "host=127.0.0.1 port=1 user=ada password=short-secret")]
fn no_error_shows_a_secret(#[case] variable: &str, #[case] value: &str) {
    let ended = Octavo::new().with(variable, value).run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_ne!(ended.code, 0);
    assert!(!ended.stderr.contains("secret") || ended.stderr.contains("--secret"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("short-secret") && !ended.stderr.contains("-secret:"), "{}", ended.stderr);
    assert!(!ended.stderr.contains(value), "{}", ended.stderr);
}

#[test]
fn a_database_that_cannot_be_used_is_reported_with_what_to_check() {
    let (octavo, _token) = Octavo::started_once();
    let other = octavo.docs("other", &[("notes.txt", &"no database\n".repeat(1_000))]);
    let [missing, text] = ["missing.db", "notes.txt"].map(|name| other.join(name).display().to_string());
    for (url, advice) in [
        (missing.as_str(), "missing.db is missing"),
        (text.as_str(), "can write to the file"),
        ("postgres://ada@127.0.0.1:1/octavo", "that it is running"),
    ] {
        let ended = octavo.run(&["token", "list", "--database-url", url]);
        assert!(ended.code == 1 && ended.stderr.contains(advice), "{url}: {}", ended.stderr);
    }
    assert!(!other.join("missing.db").exists(), "nothing was made");
}

#[test]
fn a_variable_that_is_empty_is_not_set() {
    let octavo =
        Octavo::new().with("OCTAVO_METRICS_LISTEN", "").with("DATABASE_URL", "").with("OCTAVO_ADMIN_TOKEN", "");
    octavo.start(&["serve"]).stop().fine();
}

#[test]
fn an_option_wins_over_its_variable() {
    let octavo = Octavo::new().with("OCTAVO_LISTEN", "127.0.0.1:1");
    octavo.start(&["serve"]).stop().fine();
}

#[test]
fn a_database_server_that_does_not_answer_is_named() {
    let octavo = Octavo::new();
    let url = "postgres://ada:hunter2@127.0.0.1:1/octavo";
    let ended = octavo.run(&["serve", "--listen", "127.0.0.1:0", "--database-url", url]);
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("cannot use the database (PostgreSQL 127.0.0.1/octavo)"), "{}", ended.stderr);
    assert!(ended.stderr.contains("next: ") && !ended.stderr.contains("hunter2"), "{}", ended.stderr);
}

#[test]
fn a_data_folder_that_cannot_be_made_is_named() {
    let octavo = Octavo::new();
    std::fs::write(octavo.data(), "a file").unwrap();
    let ended = octavo.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("cannot use the data folder"), "{}", ended.stderr);
    assert!(ended.stderr.contains("OCTAVO_DATA_DIR"), "{}", ended.stderr);
}

#[test]
fn an_address_in_use_is_reported_with_the_setting() {
    let octavo = Octavo::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ended = octavo.run(&["serve", "--listen", &address]);
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains(&format!("cannot listen on {address}")), "{}", ended.stderr);
    assert!(ended.stderr.contains("choose another port with --listen"), "{}", ended.stderr);
}

#[rstest]
#[case(&["token", "list"])]
#[case(&["token", "create"])]
#[case(&["user", "list"])]
#[case(&["export", "s1", "out"])]
#[case(&["import", "."])]
fn a_command_never_makes_data_where_there_is_none(#[case] arguments: &[&str]) {
    let octavo = Octavo::new();
    let ended = octavo.run(arguments);
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("there is no Octavo data"), "{}", ended.stderr);
    assert!(ended.stderr.contains("octavo serve"), "{}", ended.stderr);
    assert!(!octavo.data().exists());
}

#[test]
fn the_openapi_document_needs_no_data() {
    let document = Octavo::new().run(&["openapi", "print"]).fine().json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3."));
    assert!(document["paths"].as_object().unwrap().contains_key("/v1/orgs"));
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_written_are_a_failure() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = Octavo::new().run_into(full, &["openapi", "print"]);
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("cannot write the output: No space left on device"), "{}", ended.stderr);
}

#[test]
fn the_version_is_that_of_the_package() {
    let ended = Octavo::new().run(&["--version"]).fine();
    assert_eq!(ended.stdout.trim(), concat!("octavo ", env!("CARGO_PKG_VERSION")));
}
