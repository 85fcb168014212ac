//! `octavo user` and `octavo member`, while a server runs on the same data.
use crate::harness::Octavo;

#[test]
fn an_address_is_verified_or_not() {
    let (octavo, _token) = Octavo::started_once();
    let made = octavo.run(&["user", "create", "eve@example.org", "--unverified", "--json"]).fine().json();
    assert_eq!(made["emailVerified"], false);
    let made = octavo.run(&["user", "create", "ada@example.org", "--json"]).fine().json();
    assert_eq!(made["emailVerified"], true);
    let table = octavo.run(&["user", "list"]).fine().stdout;
    assert!(table.lines().any(|line| line.contains("eve@example.org") && line.contains(" no ")), "{table}");
    let told = octavo.run(&["user", "verify", "Eve@Example.org"]).fine().stderr;
    assert!(told.contains("eve@example.org is verified"), "{told}");
    assert!(octavo.run(&["user", "verify", "eve@example.org"]).fine().stderr.contains("already verified"));
    let missing = octavo.run(&["user", "verify", "nobody@example.org"]);
    assert_eq!(missing.code, 1);
    assert!(missing.stderr.contains("there is no account nobody@example.org"), "{}", missing.stderr);
}

#[test]
fn members_are_changed_while_the_server_runs() {
    let (octavo, _token) = Octavo::started_once();
    octavo.run(&["user", "create", "bob@example.org", "--role", "guest"]).fine();
    let token = octavo.run(&["token", "create", "--user", "bob@example.org"]).fine().stdout.trim().to_owned();
    let server = octavo.start(&["serve"]);
    let organization = server.get("/v1/orgs", &token).json()["items"][0].clone();
    let path = format!("/v1/orgs/{}", organization["id"].as_str().unwrap());
    let told = octavo.run(&["member", "role", "bob@example.org", "admin"]).fine().stderr;
    assert!(told.contains("bob@example.org: admin."), "{told}");
    assert_eq!(server.get(&path, &token).json()["permissions"]["admin"], true);
    let told = octavo.run(&["member", "disable", "bob@example.org"]).fine().stderr;
    assert!(told.contains("admin, disabled"), "{told}");
    assert_eq!(server.get(&path, &token).status, 404);
    octavo.run(&["member", "enable", "bob@example.org"]).fine();
    assert_eq!(server.get(&path, &token).status, 200);
    let table = octavo.run(&["member", "list"]).fine().stdout;
    assert!(table.lines().any(|line| line.contains("bob@example.org") && line.contains("admin")), "{table}");
    let list = octavo.run(&["member", "list", "--json"]).fine().json();
    assert_eq!((list[1]["email"].as_str(), list[1]["disabled"].as_bool()), (Some("bob@example.org"), Some(false)));
    octavo.run(&["member", "remove", "bob@example.org"]).fine();
    assert_eq!(server.get(&path, &token).status, 404);
    let again = octavo.run(&["member", "remove", "bob@example.org"]);
    assert!(again.code == 1 && again.stderr.contains("not a member of the organization"), "{}", again.stderr);
    octavo.run(&["member", "add", "bob@example.org", "read"]).fine();
    assert_eq!(server.get(&path, &token).status, 200);
    let twice = octavo.run(&["member", "add", "bob@example.org", "admin"]);
    assert!(twice.code == 1 && twice.stderr.contains("octavo member role"), "{}", twice.stderr);
    server.stop().fine();
}

#[test]
fn the_last_administrator_stays_until_there_is_another_one() {
    let (octavo, _token) = Octavo::started_once();
    for command in [&["member", "role", "admin@localhost", "read"][..], &["member", "remove", "admin@localhost"][..]] {
        let refused = octavo.run(command);
        assert!(refused.code == 1 && refused.stderr.contains("last administrator"), "{}", refused.stderr);
    }
    octavo.run(&["user", "create", "ada@example.org", "--role", "admin"]).fine();
    octavo.run(&["member", "role", "admin@localhost", "guest"]).fine();
}
