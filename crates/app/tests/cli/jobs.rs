//! `octavo jobs`, and the worker of a server.
use crate::harness::Octavo;
use acceptance::Backend;
use rstest::rstest;
use serde_json::Value;

/// A folder with too many pages to be indexed together with a copy.
fn many_pages(octavo: &Octavo) -> std::path::PathBuf {
    let pages: Vec<(String, String)> =
        (0..150).map(|n| (format!("page-{n}.md"), format!("# Page {n}\n\nThe zebra number{n} runs.\n"))).collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    octavo.docs("many", &pages)
}

fn imported(octavo: &Octavo) -> String {
    let folder = many_pages(octavo);
    let made = octavo.run(&["import", folder.to_str().unwrap(), "--json"]).fine().json();
    made["space"]["id"].as_str().or(made["space"].as_str()).unwrap().to_owned()
}

/// All jobs except the one that collects unused content of an import.
fn listed(octavo: &Octavo) -> Vec<Value> {
    let mut list = octavo.run(&["jobs", "list", "--json"]).fine().json().as_array().unwrap().clone();
    list.retain(|job| job["task"]["kind"] != "collect-content");
    list
}

fn token(octavo: &Octavo) -> String {
    octavo.run(&["token", "create"]).fine().stdout.trim().to_owned()
}

fn id(body: &str) -> String {
    serde_json::from_str::<Value>(body).unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_deleted_space_waits_to_be_purged_where_the_operator_sees_it() {
    let octavo = Octavo::new();
    let server = octavo.start(&["serve"]);
    let nothing = octavo.run(&["jobs", "list"]).fine();
    assert!(nothing.stderr.contains("There are no jobs."), "{}", nothing.stderr);
    let (space, token) = (imported(&octavo), token(&octavo));
    assert_eq!(server.delete(&format!("/v1/spaces/{space}"), &token).status, 205);

    let table = octavo.run(&["jobs", "list"]).fine().stdout;
    assert!(table.contains("purge-space") && table.contains(&space) && table.contains("waiting"), "{table}");
    let list = listed(&octavo);
    let [job] = &list[..] else { panic!("{list:?}") };
    assert_eq!((&job["state"], &job["attempts"]), (&Value::from("waiting"), &Value::from(0)));
    assert_eq!((&job["task"]["kind"], &job["task"]["space"]), (&"purge-space".into(), &space.as_str().into()));
    let run = octavo.run(&["jobs", "run"]).fine();
    assert!(run.stdout.is_empty() && run.stderr.contains("No job is due."), "{}{}", run.stdout, run.stderr);
    let failed = octavo.run(&["jobs", "list", "--failed"]).fine();
    assert!(failed.stderr.contains("There are no failed jobs."), "{}", failed.stderr);

    assert_eq!(server.post(&format!("/v1/spaces/{space}/restore"), &token, "{}").status, 200);
    assert!(listed(&octavo).is_empty());
    server.stop().fine();
}

#[rstest]
fn a_server_does_jobs_as_they_come(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(octavo) = Octavo::on(backend) else { return };
    let mut server = octavo.start(&["serve"]);
    let (space, token) = (imported(&octavo), token(&octavo));
    let copy = server.post(&format!("/v1/spaces/{space}/duplicate"), &token, "{}");
    assert_eq!(copy.status, 201);
    server.wait_for("a job is done");
    let found = server.get(&format!("/v1/spaces/{}/search?query=number142", id(&copy.body)), &token).json();
    assert_eq!(found["count"], 1);
    server.stop().fine();
}

#[test]
fn what_a_server_leaves_undone_is_done_by_the_next_who_can() {
    let octavo = Octavo::new();
    let server = octavo.start(&["serve"]);
    let (space, token) = (imported(&octavo), token(&octavo));
    let copy = server.post(&format!("/v1/spaces/{space}/duplicate"), &token, "{}");
    let ended = server.stop().fine();
    assert!(ended.stderr.contains("stopped") && !ended.stderr.contains("ERROR"), "{}", ended.stderr);
    octavo.run(&["jobs", "run"]).fine();
    assert!(listed(&octavo).is_empty());
    let server = octavo.start(&["serve"]);
    let found = server.get(&format!("/v1/spaces/{}/search?query=number142", id(&copy.body)), &token).json();
    assert_eq!(found["count"], 1);
    server.stop().fine();
}

#[rstest]
fn the_log_has_the_reason_why_no_job_is_run(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(octavo) = Octavo::on(backend) else { return };
    octavo.start(&["serve"]).stop().fine();
    octavo.change("DROP TABLE jobs");
    let mut server = octavo.start(&["serve"]);
    server.wait_for("the worker cannot check for jobs");
    let logged = server.stop().stderr;
    let line = logged.lines().find(|line| line.contains("the worker cannot check for jobs")).unwrap();
    assert!(line.contains("no such table") || line.contains("does not exist"), "{line}");
}
