//! What all files of a document may take together.
use super::{URL, boot, put_url, spec};
use acceptance::{Backend, Fields};
use chrono::TimeDelta;
use domain::ports::FetchError;
use serde_json::Value;

/// The addresses of the files that [`entry`] refers to.
const FILES: [&str; 4] = [
    "https://api.example.org/a.json",
    "https://api.example.org/b.json",
    "https://api.example.org/c.json",
    "https://api.example.org/d.json",
];

fn entry() -> String {
    let schemas = ["a", "b", "c", "d"].map(|name| format!("    {name}: {{$ref: {name}.json}}\n")).concat();
    format!("openapi: 3.1.0\ninfo: {{title: Files, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n{schemas}")
}

/// The findings of a spec: their codes, and why a file cannot be fetched.
fn told(spec: &Value) -> Vec<(String, String)> {
    let why = |finding: &Value| {
        let (_, why) = finding.text("message").rsplit_once(" cannot be fetched: ").expect("a file that is not there");
        (finding.text("code").to_owned(), why.to_owned())
    };
    spec.list("lastProcessedErrors").iter().map(why).collect()
}

#[acceptance::test]
async fn the_files_of_a_document_have_64_mebibytes_together(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    let entry = entry();
    let half = 32 << 20;
    let file = |bytes: usize| format!("{{}}{}", " ".repeat(bytes - 2));
    host.put(URL, entry.clone());
    host.put(FILES[0], file(half));
    host.put(FILES[1], file(half - entry.len() - 2));
    // Just not too much, and then there is nothing left.
    host.put(FILES[2], "{}");
    host.put(FILES[3], "{}");
    put_url(&world, "pets").await;
    world.work().await;
    let done = spec(&world, "pets").await;
    assert_eq!(told(&done), [("ref-file".to_owned(), FetchError::TooLarge(0).to_string())]);
    assert!(done["lastVersion"].is_string() && done.get("lastProcessErrorCode").is_none(), "{done}");
}

#[acceptance::test]
async fn the_files_of_a_document_have_two_minutes_together(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, entry());
    for file in FILES {
        host.put(file, "{}");
    }
    // The second request, for the first of the files, takes two minutes.
    let (later, clock) = (host.clone(), world.clock.clone());
    host.during(move || {
        let clock = clock.clone();
        later.during(move || {
            clock.advance(TimeDelta::minutes(2));
            Box::pin(std::future::ready(()))
        });
        Box::pin(std::future::ready(()))
    });
    put_url(&world, "pets").await;
    world.work().await;
    let asked: Vec<String> = host.take().into_iter().map(|(url, _)| url).collect();
    assert_eq!(asked, [URL, FILES[0]]);
    let late = ("ref-file".to_owned(), FetchError::Timeout.to_string());
    assert_eq!(told(&spec(&world, "pets").await), [late.clone(), late.clone(), late]);
}
