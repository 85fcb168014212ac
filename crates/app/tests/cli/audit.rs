//! `octavo audit`, while a server runs on the same data.
use crate::harness::Octavo;
use acceptance::Backend;
use serde_json::Value;

#[test]
fn the_log_has_actor_action_and_client() {
    let (octavo, token) = Octavo::started_once();
    octavo.run(&["user", "create", "grace@example.org", "--role", "edit"]).fine();
    let server = octavo.start(&["serve"]);
    server.post("/v1/orgs", &token, r#"{"title":"Second"}"#);
    let told = octavo.run(&["audit", "tail"]).fine().stdout;
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].contains("user_created") && lines[0].contains("  server  "), "{told}");
    assert!(told.contains("  operator  user ") && told.contains("  cli"), "{told}");
    let last = lines.last().unwrap();
    assert!(last.contains("member_added") && last.contains("  admin@localhost  user "), "{told}");
    assert!(last.ends_with("api 127.0.0.1"), "{told}");

    let few = octavo.run(&["audit", "tail", "--limit", "2"]).fine().stdout;
    assert_eq!(few.lines().collect::<Vec<_>>(), lines[lines.len() - 2..], "the newest, oldest first");
    let filter = ["audit", "tail", "--action", "organization_created", "--actor", "admin@localhost", "--json"];
    let found = octavo.run(&filter).fine().json();
    assert_eq!((found["actor"]["email"].as_str(), found["source"].as_str()), (Some("admin@localhost"), Some("api")));
    let organization = found["organization"].as_str().unwrap();
    let theirs = octavo.run(&["audit", "tail", "--org", organization]).fine().stdout;
    assert_eq!(theirs.lines().count(), 2, "{theirs}");
    server.stop().fine();
}

#[test]
fn an_empty_result_is_distinguished_from_an_error() {
    let (octavo, _token) = Octavo::started_once();
    let nothing = octavo.run(&["audit", "tail", "--action", "space_created"]).fine();
    assert!(nothing.stdout.is_empty() && nothing.stderr.contains("No matching events"), "{}", nothing.stderr);
    let unknown = octavo.run(&["audit", "tail", "--org", "nowhere"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("there is no organization nowhere"), "{}", unknown.stderr);
    let unknown = octavo.run(&["audit", "tail", "--actor", "eve@example.org"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("there is no account eve@example.org"), "{}", unknown.stderr);
}

#[test]
fn following_shows_what_happens_from_now_on_once() {
    let (octavo, _token) = Octavo::started_once();
    let mut following = octavo.watch(&["audit", "tail", "--follow", "--limit", "1", "--json"]);
    let first: Value = serde_json::from_str(&following.line()).unwrap();
    assert_eq!(first["action"], "token_created", "the newest of those that were there");
    for name in ["grace@example.org", "alan@example.org"] {
        octavo.run(&["user", "create", name]).fine();
        let actions: Vec<Value> = (0..2).map(|_| serde_json::from_str(&following.line()).unwrap()).collect();
        assert_eq!((&actions[0]["action"], &actions[1]["action"]), (&"user_created".into(), &"member_added".into()));
        assert_eq!(actions[0]["target"]["id"], actions[1]["target"]["id"]);
    }
}

#[test]
fn following_continues_after_the_database_was_unavailable() {
    let Some(octavo) = Octavo::on(Backend::Postgres) else { return };
    octavo.start(&["serve"]).stop().fine();
    let mut following = octavo.watch(&["audit", "tail", "--follow", "--limit", "1", "--json"]);
    following.line();
    let allow = |allowed: bool| {
        octavo.change_on_server(|name| format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {allowed}"));
    };
    allow(false);
    octavo.change_on_server(|name| {
        format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    });
    let note = following.note();
    assert!(note.contains("Trying again"), "{note:?}");
    allow(true);
    octavo.run(&["user", "create", "grace@example.org"]).fine();
    let next: Value = serde_json::from_str(&following.line()).unwrap();
    assert_eq!(next["action"], "user_created");
}
