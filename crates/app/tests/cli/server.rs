//! The server: its first start, later starts, and its end.
use crate::harness::{Octavo, free_address, get};
use acceptance::dump::lock_file;
use rstest::rstest;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const TOKEN: &str = "a-token-that-the-operator-chose";

/// The API token in a text.
fn token_in(text: &str) -> Option<String> {
    text.split_whitespace().find(|word| word.starts_with("octavo_")).map(str::to_owned)
}

#[test]
fn the_first_start_prints_a_token_that_works_and_the_second_prints_none() {
    let octavo = Octavo::new();
    let first = octavo.start(&["serve"]);
    let address = first.address.clone();
    let printed = {
        let ended = first.stop().fine();
        assert!(!ended.stderr.contains("octavo_"), "the log holds no token: {}", ended.stderr);
        ended.stdout
    };
    let token = token_in(&printed).expect("a token");
    assert!(printed.contains("admin@localhost") && printed.contains("My organization"), "{printed}");
    assert!(
        printed.contains(&format!("curl -H \"Authorization: Bearer {token}\" http://{address}/v1/orgs")),
        "{printed}"
    );

    let second = octavo.start(&["serve"]);
    let organizations = second.get("/v1/orgs", &token).json();
    assert_eq!(organizations["items"][0]["title"], "My organization");
    assert_eq!(second.get("/v1/orgs", "").status, 401);
    assert_eq!(second.get("/readyz", "").status, 200);
    let ended = second.stop().fine();
    assert_eq!(token_in(&ended.stdout), None, "{}", ended.stdout);
}

#[test]
fn a_token_that_is_set_works_and_is_never_printed() {
    let octavo = Octavo::new().with("OCTAVO_ADMIN_TOKEN", TOKEN).with("OCTAVO_ADMIN_EMAIL", "ada@example.org");
    let server = octavo.start(&["serve", "--log-level", "trace"]);
    let user = server.get("/v1/user", TOKEN).json();
    assert_eq!(user["email"], "ada@example.org");
    let ended = server.stop().fine();
    assert!(ended.stdout.contains("$OCTAVO_ADMIN_TOKEN"), "{}", ended.stdout);
    assert!(!ended.stdout.contains(TOKEN) && !ended.stderr.contains(TOKEN));
}

#[test]
fn a_token_that_is_set_too_late_is_warned_of() {
    let (octavo, _token) = Octavo::started_once();
    let octavo = octavo.with("OCTAVO_ADMIN_TOKEN", TOKEN);
    let server = octavo.start(&["serve"]);
    assert_eq!(server.get("/v1/user", TOKEN).status, 401);
    let ended = server.stop().fine();
    assert!(ended.stderr.contains("OCTAVO_ADMIN_TOKEN is not valid"), "{}", ended.stderr);
}

#[rstest]
#[case::no_http("hello\r\n\r\n".to_owned(), 400)]
#[case::a_blank_in_a_name("GET /v1/orgs HTTP/1.1\r\nHost: localhost\r\nA b: c\r\n\r\n".to_owned(), 400)]
#[case::too_many_headers(format!("GET /v1/orgs HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "a: b\r\n".repeat(200)), 431)]
#[case::a_long_address(format!("GET /v1/{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(70 * 1024)), 414)]
fn what_is_not_a_request_gets_an_error_of_the_api(#[case] bytes: String, #[case] status: u16) {
    let octavo = Octavo::new();
    let server = octavo.start(&["serve"]);
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("a response");
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
    let body: serde_json::Value = serde_json::from_str(body).expect("an error of the API");
    assert_eq!(body["error"]["code"], status);
    server.stop().fine();
}

#[test]
fn a_lost_secret_is_warned_of() {
    let warning = "created a new secret, but the database is older";
    let octavo = Octavo::new();
    for is_lost in [false, false, true, false] {
        if is_lost {
            std::fs::remove_file(octavo.data().join("secret")).unwrap();
        }
        let ended = octavo.start(&["serve"]).stop().fine();
        assert_eq!(ended.stderr.contains(warning), is_lost, "{}", ended.stderr);
    }
}

#[test]
fn a_secret_that_differs_from_that_of_the_data_folder_is_warned_of() {
    let (mut octavo, _token) = Octavo::started_once();
    let kept = std::fs::read_to_string(octavo.data().join("secret")).unwrap();
    let other = "7".repeat(64);
    for (secret, differs) in [(kept.trim(), false), (other.as_str(), true)] {
        octavo = octavo.with("OCTAVO_SECRET", secret);
        let ended = octavo.start(&["serve"]).stop().fine();
        let warning = "OCTAVO_SECRET (--secret) differs from the file `secret`";
        assert_eq!(ended.stderr.contains(warning), differs, "{}", ended.stderr);
        assert!(!ended.stderr.contains(secret), "{}", ended.stderr);
    }
}

#[test]
fn links_that_only_this_machine_can_open_are_warned_of() {
    let octavo = Octavo::new();
    let without: &[&str] = &["serve", "--listen", "0.0.0.0:0"];
    let with: &[&str] = &["serve", "--listen", "0.0.0.0:0", "--public-url", "https://docs.example.org"];
    for (arguments, is_warned_of) in [(without, true), (with, false)] {
        let mut server = octavo.watch(arguments);
        let mut log = String::new();
        while !log.contains(": serving ") {
            let line = server.note();
            assert_ne!(line, "", "the server ended: {log}");
            log += &line;
        }
        let warning = "OCTAVO_PUBLIC_URL (--public-url) is not set: links begin with http://localhost:";
        assert_eq!(log.contains(warning), is_warned_of, "{log}");
    }
}

#[test]
fn an_unknown_site_at_the_root_is_warned_of_until_it_is_created() {
    let (octavo, _token) = Octavo::started_once();
    let octavo = octavo.with("OCTAVO_ROOT_SITE", "product-docs");
    for exists in [false, true] {
        if exists {
            octavo.run(&["site", "create", "Product docs"]).fine();
        }
        let ended = octavo.start(&["serve"]).stop().fine();
        let warning = "OCTAVO_ROOT_SITE (--root-site) names a site that does not exist: product-docs";
        assert_eq!(ended.stderr.contains(warning), !exists, "{}", ended.stderr);
    }
}

#[test]
fn metrics_are_served_on_their_own_address_only() {
    let octavo = Octavo::new();
    let metrics = free_address();
    let server = octavo.start(&["serve", "--metrics-listen", &metrics]);
    assert_eq!(server.get("/v1/orgs", "").status, 401);
    let page = get(&metrics, "/metrics", "");
    assert_eq!(page.status, 200);
    for metric in [
        "octavo_http_requests_total{",
        "octavo_http_request_duration_seconds_bucket{",
        "octavo_build_info{",
        "octavo_http_requests_run_again_total 0",
        "octavo_work_refused_total 0",
        "octavo_work_running 0",
        "octavo_work_waiting 0",
    ] {
        assert!(page.body.contains(metric), "{metric} is missing in {}", page.body);
    }
    assert_eq!(server.get("/metrics", "").status, 404);
    server.stop().fine();
}

#[test]
fn the_log_can_be_json_with_one_object_a_line() {
    let octavo = Octavo::new();
    let server = octavo.start(&["serve", "--log-format", "json"]);
    assert_eq!(server.get("/v1/orgs", "").status, 401);
    let ended = server.stop().fine();
    let lines: Vec<serde_json::Value> =
        ended.stderr.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let answered = lines.iter().find(|line| line["message"] == "answered").expect("the request is logged");
    assert_eq!(answered["status"], 401);
    assert!(answered["span"]["id"].is_string(), "the request's id is there: {answered}");
}

#[rstest]
#[case("TERM", 143)]
#[case("INT", 130)]
fn a_second_signal_ends_the_server_at_once_while_a_request_is_under_way(#[case] signal: &str, #[case] code: i32) {
    let octavo = Octavo::new().with("OCTAVO_ADMIN_TOKEN", TOKEN);
    let mut server = octavo.start(&["serve"]);
    // The body of this request never arrives.
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let head = format!("POST /v1/orgs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 9\r\n");
    write!(stream, "{head}Content-Type: application/json\r\n\r\n").unwrap();
    // A later request that is answered shows that it was read.
    assert_eq!(server.get("/v1/user", TOKEN).status, 200);
    server.signal("TERM");
    server.wait_for("stopping: finishing requests in progress");
    server.signal(signal);
    let ended = server.wait();
    assert_eq!(ended.code, code, "{}", ended.stderr);
    assert!(ended.stderr.contains("stopping at once"), "{}", ended.stderr);
}

#[test]
fn a_second_signal_ends_the_server_at_once_while_it_waits_for_the_database() {
    let octavo = Octavo::new().with("OCTAVO_ADMIN_TOKEN", TOKEN);
    let mut server = octavo.start(&["serve"]);
    // The last use of the token is stored after all requests.
    assert_eq!(server.get("/v1/user", TOKEN).status, 200);
    let lock = lock_file(octavo.data().join("octavo.db").to_str().unwrap());
    server.signal("TERM");
    server.wait_for("stopping: finishing requests in progress");
    while TcpStream::connect(&server.address).is_ok() {
        std::thread::sleep(Duration::from_millis(10));
    }
    server.signal("TERM");
    let ended = server.wait();
    drop(lock);
    assert_eq!(ended.code, 143, "{}", ended.stderr);
    assert!(!ended.stderr.contains("cannot store the last use"), "it did not wait: {}", ended.stderr);
}

#[test]
fn both_signals_end_the_server_well() {
    for signal in ["TERM", "INT"] {
        let server = Octavo::new().start(&["serve"]);
        server.signal(signal);
        server.wait().fine();
    }
}
