//! The sample content translated by Apertium, a real engine that `dev/test` installs. Without it, the test says so.
use crate::harness::{Octavo, files, free_address};
use serde_json::json;
use std::collections::BTreeMap;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ADMIN: &str = "a-token-that-the-operator-chose";
/// The folder of Apertium's pairs of languages, and the one that is used.
const MODES: &str = "/usr/share/apertium/modes";
const PAIR: &str = "eng-spa.mode";
/// Starts the server of Apertium on one address: it has no option for this, and would listen on all of them.
const ON_ONE_ADDRESS: &str = "
import os, tornado.tcpserver
bind = tornado.tcpserver.TCPServer.bind
tornado.tcpserver.TCPServer.bind = lambda server, port: bind(server, port, os.environ['APERTIUM_HOST'])
from apertium_apy.apy import main
main()
";

/// A running server of Apertium.
struct Apertium {
    process: Child,
    url: String,
}

impl Apertium {
    /// Starts a server; `None` if it is not installed.
    fn start() -> Option<Self> {
        let python = Path::new("/usr/bin/python3");
        if !Path::new(MODES).join(PAIR).exists() || !python.exists() {
            eprintln!("Apertium is not installed: the packages apertium-apy and apertium-eng-spa");
            return None;
        }
        let address = free_address();
        let (host, port) = address.rsplit_once(':').unwrap();
        let process = Command::new(python)
            .args(["-c", ON_ONE_ADDRESS, "--port", port, "--num-processes", "1", MODES])
            .env("APERTIUM_HOST", host)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(&address).is_err() {
            assert!(Instant::now() < until, "Apertium does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(Self { process, url: format!("http://{address}") })
    }
}

impl Drop for Apertium {
    fn drop(&mut self) {
        let _ended = self.process.kill();
        let _waited = self.process.wait();
    }
}

/// What no translation may change in Markdown: code and the targets of links, sorted.
fn untouchable(markdown: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fence: Option<String> = None;
    for line in markdown.lines() {
        match &mut fence {
            Some(code) if line.trim_start().starts_with("```") => {
                found.push(std::mem::take(code));
                fence = None;
            }
            Some(code) => code.extend([line, "\n"]),
            None if line.trim_start().starts_with("```") => fence = Some(String::new()),
            None => {
                found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
                found.extend(line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
            }
        }
    }
    found.sort();
    found
}

/// The pages of an exported space, by path.
fn pages(octavo: &Octavo, space: &str, folder: &str) -> BTreeMap<String, String> {
    let folder = octavo.path(folder);
    octavo.run(&["export", space, folder.to_str().unwrap()]).fine();
    let all = files(&folder).into_iter().filter(|(path, _)| path.ends_with(".md") && !path.ends_with("SUMMARY.md"));
    all.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

#[test]
fn apertium_translates_the_sample_content_and_leaves_code_and_links_as_they_are() {
    let Some(apertium) = Apertium::start() else { return };
    let octavo = Octavo::new()
        .with("OCTAVO_ADMIN_TOKEN", ADMIN)
        .with("OCTAVO_TRANSLATOR", "apertium")
        .with("OCTAVO_TRANSLATOR_URL", &apertium.url);
    let server = octavo.start(&["serve"]);
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
    let imported = octavo.run(&["import", sample.to_str().unwrap(), "--title", "Guide", "--json"]).fine().json();
    let space = imported["space"].as_str().unwrap();
    let organization = format!("/v1/orgs/{}", server.get("/v1/orgs", ADMIN).json()["items"][0]["id"].as_str().unwrap());
    let body = json!({"source": {"space": space, "language": "en"}, "language": "es"}).to_string();
    let made = server.post(&format!("{organization}/translations"), ADMIN, &body);
    let made: serde_json::Value = serde_json::from_str(&made.body).unwrap();
    let translation = format!("{organization}/translations/{}", made["id"].as_str().expect("it is made"));
    let until = Instant::now() + Duration::from_secs(200);
    let done = loop {
        let shown = server.get(&translation, ADMIN).json();
        match shown["status"].as_str().unwrap() {
            "completed" => break shown,
            status => assert!(status != "failed" && Instant::now() < until, "{shown}"),
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    let words = done["stats"]["latestWords"].as_u64().unwrap();
    let left = done["untranslated"].as_u64().unwrap();
    // A text has some ten words: one of a hundred texts may stay as it is.
    assert!(words > 2_000 && left <= words / 1_000, "{left} texts are not translated, {words} words are");
    let before = pages(&octavo, space, "before");
    let after = pages(&octavo, done["result"]["space"].as_str().unwrap(), "after");
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>(), "paths stay");
    let mut translated = 0;
    for (path, page) in &before {
        assert_eq!(untouchable(page), untouchable(&after[path]), "{path}");
        translated += usize::from(*page != after[path]);
    }
    assert!(translated > 10 && after.values().any(|page| page.contains(" el ")), "{translated} pages are translated");
    server.stop().fine();
}
