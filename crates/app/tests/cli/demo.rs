//! `octavo demo`.
use crate::harness::{Octavo, Server};
use serde_json::{Value, json};
use std::time::Instant;

/// The first run is killed at this many moments, unless `OCTAVO_TEST_KILLS` sets it.
const KILLS: u32 = 5;

/// The ids and the token that the demo printed, and its curl lines.
fn shown(stdout: &str) -> (Vec<String>, Vec<String>) {
    let facts = ["Organization  ", "Space  ", "API token  "];
    let lines = || stdout.lines().map(str::trim);
    let facts = facts.iter().map(|fact| lines().find(|line| line.starts_with(fact)).expect(fact).to_owned()).collect();
    let tries = lines().filter(|line| line.starts_with("curl ")).map(str::to_owned).collect();
    (facts, tries)
}

/// The token and path of a curl line.
fn request(line: &str, printed_for: &str) -> (String, String) {
    let token = line.split("Bearer ").nth(1).unwrap().split('"').next().unwrap();
    let url = line.split('"').nth(3).unwrap();
    (token.to_owned(), url.strip_prefix(&format!("http://{printed_for}")).expect("the public URL").to_owned())
}

fn stop(server: Server) -> String {
    server.stop().fine().stdout
}

/// The token of the demo.
fn token(octavo: &Octavo) -> String {
    std::fs::read_to_string(octavo.data().join("demo-token")).unwrap().trim().to_owned()
}

/// The items of a list.
fn items(list: &Value) -> &[Value] {
    list["items"].as_array().unwrap()
}

/// These fields of each item of a list.
fn fields(list: &Value, names: &[&str]) -> Vec<Value> {
    items(list).iter().map(|item| names.iter().map(|name| item[*name].clone()).collect()).collect()
}

/// The ids of the items of a list.
fn ids(list: &Value) -> impl Iterator<Item = &str> {
    items(list).iter().map(|item| item["id"].as_str().unwrap())
}

/// The sample without its ids, times and texts.
fn outline(octavo: &Octavo, server: &Server) -> Value {
    let token = token(octavo);
    let get = |path: &str| server.get(&format!("/v1{path}"), &token).json();
    let organizations = get("/orgs");
    let home = format!("/orgs/{}", ids(&organizations).next().unwrap());
    let spaces = get(&format!("{home}/spaces"));
    let within = ids(&spaces).map(|id| {
        let space = format!("/spaces/{id}");
        let requests = get(&format!("{space}/change-requests?status=draft&status=open&status=archived&status=merged"));
        let of_requests = ids(&requests).map(|id| {
            let request = format!("{space}/change-requests/{id}");
            let conflicts = get(&format!("{request}/conflicts"));
            json!([items(&conflicts).len(), fields(&get(&format!("{request}/comments")), &["replies"])])
        });
        json!({
            "requests": fields(&requests, &["number", "subject", "status"]),
            "ofRequests": of_requests.collect::<Vec<_>>(),
            "comments": fields(&get(&format!("{space}/comments")), &["replies"]),
            "pages": get(&format!("{space}/content/pages"))["pages"].as_array().unwrap().len(),
        })
    });
    let sites = get(&format!("{home}/sites"));
    let parts = ids(&sites).map(|id| {
        let site = format!("{home}/sites/{id}");
        let structure = get(&format!("{site}/structure"));
        let sections = structure["structure"].as_array().unwrap().iter();
        let sections =
            sections.map(|part| json!([part["title"], part["path"], part["siteSpaces"].as_array().unwrap().len()]));
        json!([sections.collect::<Vec<_>>(), get(&format!("{site}/customization"))["footer"]])
    });
    json!({
        "organizations": fields(&organizations, &["title"]),
        "tokens": items(&get("/user/tokens")).len(),
        "spaces": fields(&spaces, &["title"]),
        "within": within.collect::<Vec<_>>(),
        "specs": fields(&get(&format!("{home}/openapi")), &["slug"]),
        "sites": fields(&sites, &["title", "published", "siteSpaces", "adaptiveContent"]),
        "parts": parts.collect::<Vec<_>>(),
    })
}

#[test]
fn the_demo_prints_requests_that_work_and_is_the_same_when_run_again() {
    let octavo = Octavo::new();
    let first = octavo.start(&["demo"]);
    let printed_for = first.address.clone();
    let (facts, tries) = shown(&stop(first));
    assert_eq!(tries.len(), 5);
    assert!(tries[4].contains("/change-requests/2/conflicts"), "{}", tries[4]);

    let second = octavo.start(&["demo"]);
    for line in &tries {
        let (token, path) = request(line, &printed_for);
        let answer = second.get(&path, &token);
        assert_eq!(answer.status, 200, "{line}: {}", answer.body);
        assert!(answer.json().get("items").is_none_or(|items| !items.as_array().unwrap().is_empty()), "{line}");
    }
    let (again, _) = shown(&stop(second));
    assert_eq!(again, facts);
}

#[test]
fn the_demo_has_a_conflict_until_it_is_decided() {
    let octavo = Octavo::new();
    stop(octavo.start(&["demo"]));
    let again = octavo.start(&["demo"]);
    let address = again.address.clone();
    let (_, tries) = shown(&stop(again));
    let (token, conflicts) = request(&tries[4], &address);
    let server = octavo.start(&["serve"]);
    let request = conflicts.strip_suffix("/conflicts").unwrap();
    let space = request.split_once("/change-requests").unwrap().0;
    let counted = server.get(space, &token).json();
    assert_eq!((&counted["changeRequests"], &counted["changeRequestsOpen"]), (&2.into(), &1.into()), "made once");
    let conflict = server.get(&conflicts, &token).json()["items"][0].clone();
    let says = |side: &str| conflict[side]["markdown"].as_str().unwrap().to_owned();
    assert!(says("base").contains("half an hour"), "{conflict}");
    assert!(says("primary").contains("an hour") && says("change").contains("twenty minutes"), "{conflict}");
    let decision = format!("{conflicts}/{}", conflict["id"].as_str().unwrap());
    assert_eq!(server.post(&decision, &token, r#"{"keep":"change"}"#).status, 200);
    server.stop().fine();
    let decided = octavo.start(&["demo"]);
    assert_eq!(shown(&stop(decided)).1.len(), 4, "there is nothing left to show");
}

#[test]
fn every_link_of_the_sample_leads_somewhere() {
    let octavo = Octavo::new();
    octavo.start(&["serve"]).stop().fine();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/demo");
    let imported = octavo.run(&["import", sample, "--json", "--strict"]).fine().json();
    assert_eq!(imported["report"]["linksBroken"], serde_json::json!([]));
    assert_eq!(imported["report"]["warnings"], serde_json::json!([]));
    assert!(imported["report"]["pages"].as_u64().unwrap() >= 15, "{imported}");
}

#[test]
fn the_demo_is_added_to_existing_data() {
    let (octavo, token) = Octavo::started_once();
    let (facts, _) = shown(&stop(octavo.start(&["demo"])));
    let server = octavo.start(&["serve"]);
    let own = server.get("/v1/orgs", &token).json();
    assert_eq!(own["items"].as_array().unwrap().len(), 1, "the administrator's organization is its own");
    assert!(!facts[0].contains(own["items"][0]["id"].as_str().unwrap()));
    server.stop().fine();
}

#[test]
fn a_first_run_that_is_killed_is_completed_by_the_next_one() {
    let (undisturbed, begun) = (Octavo::new(), Instant::now());
    let server = undisturbed.start(&["demo"]);
    let whole = begun.elapsed();
    let expected = outline(&undisturbed, &server);
    assert_eq!(expected["organizations"], json!([["Octavo demo"]]));
    stop(server);
    let kills = std::env::var("OCTAVO_TEST_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    for kill in 1..=kills {
        let octavo = Octavo::new();
        let first = octavo.watch(&["demo", "--listen", "127.0.0.1:0"]);
        std::thread::sleep(whole * kill / (kills + 1));
        first.signal("KILL");
        drop(first);
        let second = octavo.start(&["demo"]);
        assert_eq!(outline(&octavo, &second), expected, "killed at {kill} of {} parts of its time", kills + 1);
        assert_eq!(shown(&stop(second)).1.len(), 5);
    }
}

#[test]
fn what_is_missing_of_an_incomplete_sample_is_created_and_the_rest_stays() {
    let octavo = Octavo::new();
    let server = octavo.start(&["demo"]);
    let (whole, token) = (outline(&octavo, &server), token(&octavo));
    let get = |path: &str| server.get(&format!("/v1{path}"), &token).json();
    let home = format!("/orgs/{}", ids(&get("/orgs")).next().unwrap());
    let site = format!("/v1{home}/sites/{}", ids(&get(&format!("{home}/sites"))).next().unwrap());
    let comments = format!("/spaces/{}/comments", ids(&get(&format!("{home}/spaces"))).next().unwrap());
    let replies = format!("{comments}/{}/replies", ids(&get(&comments)).next().unwrap());
    let reply = format!("/v1{replies}/{}", ids(&get(&replies)).next().unwrap());
    for removed in [site, reply] {
        assert_eq!(server.delete(&removed, &token).status, 205, "{removed}");
    }
    let (facts, _) = shown(&stop(server));
    octavo.change("UPDATE organizations SET title = 'Octavo demo (incomplete)'");
    let again = octavo.start(&["demo"]);
    assert_eq!(outline(&octavo, &again), whole);
    assert_eq!(shown(&stop(again)).0, facts, "the space and the token are the same");
}

#[test]
fn what_is_deleted_from_a_complete_sample_stays_deleted() {
    let octavo = Octavo::new();
    let server = octavo.start(&["demo"]);
    let token = token(&octavo);
    let home = format!("/v1/orgs/{}", ids(&server.get("/v1/orgs", &token).json()).next().unwrap());
    let sites = server.get(&format!("{home}/sites"), &token).json();
    let site = format!("{home}/sites/{}", ids(&sites).next().unwrap());
    assert_eq!(server.delete(&site, &token).status, 205);
    stop(server);
    let again = octavo.start(&["demo"]);
    assert_eq!(again.get(&format!("{home}/sites"), &token).json()["items"], json!([]));
    assert!(stop(again).contains("Site          not published"));
}
