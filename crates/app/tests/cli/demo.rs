//! `octavo demo`.
use crate::harness::{Octavo, Server};

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
