//! `octavo token` and `octavo user`, while a server runs on the same data.
use crate::harness::Octavo;

#[test]
fn a_token_is_made_listed_and_revoked_while_the_server_runs() {
    let octavo = Octavo::new();
    let server = octavo.start(&["serve"]);
    let created = octavo.run(&["token", "create", "--label", "ci", "--expires", "90d"]).fine();
    let token = created.stdout.trim();
    assert!(token.starts_with("octavo_") && token.lines().count() == 1, "the output is the token alone: {token}");
    assert!(created.stderr.contains("shown only once"), "{}", created.stderr);
    assert_eq!(server.get("/v1/user", token).status, 200);

    let table = octavo.run(&["token", "list"]).fine().stdout;
    assert!(table.lines().next().unwrap().starts_with("ID"), "{table}");
    assert!(table.contains("ci") && table.contains("first administrator") && !table.contains("octavo_"), "{table}");
    let list = octavo.run(&["token", "list", "--json"]).fine().json();
    let made = list.as_array().unwrap().iter().find(|token| token["label"] == "ci").unwrap();
    assert_eq!((made["state"].as_str(), made["email"].as_str()), (Some("valid"), Some("admin@localhost")));
    assert!(made["expiresAt"].is_string() && made["revokedAt"].is_null());

    let id = made["id"].as_str().unwrap();
    octavo.run(&["token", "revoke", id]).fine();
    assert_eq!(server.get("/v1/user", token).status, 401);
    let again = octavo.run(&["token", "revoke", id]).fine();
    assert!(again.stderr.contains("already revoked"), "{}", again.stderr);
    server.stop().fine();
}

#[test]
fn a_name_does_not_control_the_terminal() {
    let (octavo, token) = Octavo::started_once();
    let server = octavo.start(&["serve"]);
    let label = "\u{1b}[2Jred\r\nfake \u{202e}row";
    let body = serde_json::json!({ "label": label }).to_string();
    assert_eq!(server.post("/v1/user/tokens", &token, &body).status, 201);
    let table = octavo.run(&["token", "list"]).fine().stdout;
    assert!(table.contains(r"\u{1b}[2Jred\r\nfake \u{202e}row"), "{table:?}");
    assert!(!table.contains(['\u{1b}', '\r', '\u{202e}']) && table.lines().count() == 4, "{table:?}");
    let list = octavo.run(&["token", "list", "--json"]).fine().json();
    assert!(list.as_array().unwrap().iter().any(|token| token["label"] == label), "{list}");
    server.stop().fine();
}

#[test]
fn an_unknown_account_is_reported_with_those_that_exist() {
    let (octavo, _token) = Octavo::started_once();
    for (name, is_address) in [("eve@example.org", true), ("eve", false)] {
        let ended = octavo.run(&["token", "create", "--user", name]);
        assert_eq!(ended.code, 1);
        assert!(ended.stderr.contains(&format!("there is no account {name}")), "{}", ended.stderr);
        assert!(ended.stderr.contains("admin@localhost"), "{}", ended.stderr);
        assert_eq!(ended.stderr.contains("octavo user create"), is_address, "{}", ended.stderr);
    }
}

#[test]
fn an_unknown_token_cannot_be_revoked() {
    let (octavo, _token) = Octavo::started_once();
    let ended = octavo.run(&["token", "revoke", "nothing"]);
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("there is no token nothing") && ended.stderr.contains("octavo token list"));
}

#[test]
fn a_moment_that_has_passed_is_no_end() {
    let (octavo, _token) = Octavo::started_once();
    let ended = octavo.run(&["token", "create", "--expires", "2001-01-01"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("--expires"), "{}", ended.stderr);
}

#[test]
fn an_account_gets_a_role_and_a_token_of_its_own() {
    let (octavo, _token) = Octavo::started_once();
    let arguments = ["user", "create", "Grace@Example.org", "--name", "Grace Hopper", "--role", "read", "--json"];
    let user = octavo.run(&arguments).fine().json();
    assert_eq!(
        (user["email"].as_str(), user["displayName"].as_str()),
        (Some("grace@example.org"), Some("Grace Hopper"))
    );

    let unclear = octavo.run(&["token", "create"]);
    assert_eq!(unclear.code, 1, "two accounts: one must be named");
    assert!(unclear.stderr.contains("--user") && unclear.stderr.contains("grace@example.org"), "{}", unclear.stderr);

    let token = octavo.run(&["token", "create", "--user", "grace@example.org"]).fine().stdout.trim().to_owned();
    let server = octavo.start(&["serve"]);
    let organizations = server.get("/v1/orgs", &token).json();
    assert_eq!(organizations["items"][0]["permissions"]["view"], true);
    assert_eq!(organizations["items"][0]["permissions"]["admin"], false);
    server.stop().fine();

    let twice = octavo.run(&["user", "create", "grace@example.org"]);
    assert_eq!(twice.code, 1);
    assert!(twice.stderr.contains("already has an account"), "{}", twice.stderr);
    let table = octavo.run(&["user", "list"]).fine().stdout;
    assert!(table.contains("admin@localhost") && table.contains("Grace Hopper"), "{table}");
}

#[test]
fn the_operator_gets_the_reason_for_the_level_of_a_user() {
    let (octavo, token) = Octavo::started_once();
    octavo.run(&["user", "create", "grace@example.org", "--role", "read"]).fine();
    let server = octavo.start(&["serve"]);
    let organization = server.get("/v1/orgs", &token).json()["items"][0]["id"].as_str().unwrap().to_owned();
    let space = server.post(&format!("/v1/orgs/{organization}/spaces"), &token, r#"{"title":"Guide"}"#);
    let space: serde_json::Value = serde_json::from_str(&space.body).unwrap();
    server.stop().fine();
    let space = space["id"].as_str().unwrap();
    let why = octavo.run(&["access", "explain", "grace@example.org", space]).fine().stdout;
    assert!(why.starts_with("grace@example.org: read on the space \"Guide\"\n"), "{why}");
    assert!(why.contains("->  organization") && why.contains("default: inherit"), "{why}");
    assert!(why.trim_end().ends_with("No place sets a level, so the role in the organization decides."), "{why}");
    let why = octavo.run(&["access", "explain", "admin@localhost", space, "--json"]).fine().json();
    assert_eq!((why["level"].as_str(), &why["places"][0]["says"]), (Some("admin"), &serde_json::Value::Null));
    let ended = octavo.run(&["access", "explain", "nobody@example.org", space]);
    assert!(ended.code == 1 && ended.stderr.contains("has no account"), "{}", ended.stderr);
    for arguments in [
        &["access", "explain", "grace@example.org", "nowhere"][..],
        &["conversations", "propose", "--user", "grace@example.org", "--space", "nowhere"],
    ] {
        let ended = octavo.run(arguments);
        assert!(ended.code == 1 && ended.stderr.contains("there is no space nowhere"), "{}", ended.stderr);
        assert!(ended.stderr.contains("next: find the id"), "{}", ended.stderr);
    }
}

#[test]
fn a_token_can_be_limited_to_scopes_and_its_last_use_is_known() {
    let (octavo, _token) = Octavo::started_once();
    let arguments = ["token", "create", "--label", "reader", "--scope", "user:read", "--scope", "space:read,site:ask"];
    let created = octavo.run(&arguments).fine();
    assert!(created.stderr.contains(", for user:read,space:read,site:ask, never expires"), "{}", created.stderr);
    let token = created.stdout.trim();
    let server = octavo.start(&["serve"]);
    assert_eq!(server.get("/v1/user", token).status, 200);
    let refused = server.get("/v1/orgs", token);
    assert!(refused.status == 403 && refused.body.contains("organization:read"), "{}", refused.body);
    let listed = || {
        let list = octavo.run(&["token", "list", "--json"]).fine().json();
        list.as_array().unwrap().iter().find(|token| token["label"] == "reader").unwrap().clone()
    };
    assert_eq!(listed()["scopes"], serde_json::json!(["user:read", "space:read", "site:ask"]));
    assert!(listed()["lastUsedAt"].is_null(), "it is not written down yet");
    server.stop().fine();
    assert!(listed()["lastUsedAt"].is_string(), "a server that stops writes down what is left");
    let table = octavo.run(&["token", "list"]).fine().stdout;
    assert!(table.contains("user:read,space:read,site:ask") && table.contains("  all"), "{table}");
}

#[test]
fn a_scope_that_does_not_exist_is_refused_with_those_that_do() {
    let (octavo, _token) = Octavo::started_once();
    let ended = octavo.run(&["token", "create", "--scope", "space:reed"]);
    assert_eq!(ended.code, 2);
    for part in ["--scope", "change-request:merge", "openapi:write", "a similar value exists: 'space:read'"] {
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
}
