//! Runs real engines, which are third-party programs, and checks the parts that no translation may change.
use crate::harness::{Octavo, Server, files, free_address, get};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const ADMIN: &str = "a-token-that-the-operator-chose";

/// The folder of the virtual environment of Python that has engines.
const FOLDER: &str = "OCTAVO_TEST_ENGINES";
/// Succeeds if all packages that it is given are installed.
const HAS: &str = "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))";

/// A running engine.
pub(crate) struct Engine {
    process: Child,
    /// Its address.
    pub(crate) url: String,
}

impl Engine {
    /// Runs a program in Python that serves HTTP on the address and the port that it finds in `ENGINE_HOST` and
    /// `ENGINE_PORT`. Waits until `GET path` succeeds.
    pub(crate) fn start(python: &Path, program: &str, path: &str) -> Self {
        let address = free_address();
        let (host, port) = address.rsplit_once(':').unwrap();
        let process = Command::new(python)
            .args(["-c", program])
            .env("ENGINE_HOST", host)
            .env("ENGINE_PORT", port)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut engine = Self { process, url: format!("http://{address}") };
        let until = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(&address).is_err() || get(&address, path, "").status != 200 {
            assert!(engine.process.try_wait().unwrap().is_none(), "the engine ended");
            assert!(Instant::now() < until, "the engine does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        engine
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ended = self.process.kill();
        let _waited = self.process.wait();
    }
}

/// The Python that has these modules: that of the environment in [`FOLDER`], else that of the system. `None` if it
/// lacks one.
pub(crate) fn python_with(modules: &[&str]) -> Option<PathBuf> {
    let folder = std::env::var_os(FOLDER);
    let python = folder.as_deref().map_or(Path::new("/usr").to_owned(), PathBuf::from).join("bin/python3");
    let mut command = Command::new(&python);
    command.args(["-c", HAS]).args(modules).stdin(Stdio::null()).stderr(Stdio::null());
    let has_all = command.status().is_ok_and(|status| status.success());
    if !has_all {
        let named = folder.as_deref().map_or("not set".into(), OsStr::to_string_lossy);
        eprintln!("{} has not all of {modules:?} ({FOLDER} is {named}; see dev/test)", python.display());
    }
    has_all.then_some(python)
}

/// The path of the organization in the API.
pub(crate) fn organization(server: &Server) -> String {
    format!("/v1/orgs/{}", server.get("/v1/orgs", ADMIN).json()["items"][0]["id"].as_str().unwrap())
}

/// A translated space.
pub(crate) struct Translated {
    /// The translation, as the API shows it.
    pub(crate) shown: Value,
    /// The Markdown of its pages by path: in the source, and translated.
    pub(crate) pages: BTreeMap<String, (String, String)>,
}

/// Imports a folder of English Markdown, and translates it. Asserts that the run ends, and that paths, code, formulas
/// and the targets of links are as before.
#[track_caller]
pub(crate) fn translate(octavo: &Octavo, server: &Server, folder: &Path, language: &str) -> Translated {
    let imported = octavo.run(&["import", folder.to_str().unwrap(), "--title", "Guide", "--json"]).fine().json();
    let space = imported["space"].as_str().unwrap();
    let organization = organization(server);
    let body = json!({"source": {"space": space, "language": "en"}, "language": language}).to_string();
    let made = server.post(&format!("{organization}/translations"), ADMIN, &body);
    let made: Value = serde_json::from_str(&made.body).unwrap();
    let translation = format!("{organization}/translations/{}", made["id"].as_str().expect("it is made"));
    let until = Instant::now() + Duration::from_secs(300);
    let shown = loop {
        let shown = server.get(&translation, ADMIN).json();
        if shown["status"] == "completed" {
            break shown;
        }
        assert!(Instant::now() < until, "{shown}");
        std::thread::sleep(Duration::from_millis(200));
    };
    let before = pages(octavo, space, "before");
    let mut after = pages(octavo, shown["result"]["space"].as_str().unwrap(), "after");
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>(), "paths stay");
    let mut pages = BTreeMap::new();
    for (path, source) in before {
        let target = after.remove(&path).unwrap();
        assert_eq!(untouchable(&source), untouchable(&target), "{path}: {target}");
        pages.insert(path, (source, target));
    }
    Translated { shown, pages }
}

/// Translates the sample content with an engine. Asserts that nearly all texts are translated, and that `word` is on a
/// translated page.
#[track_caller]
pub(crate) fn translate_sample(engine: &Engine, translator: &str, language: &str, word: &str) -> Translated {
    let octavo = Octavo::new()
        .with("OCTAVO_ADMIN_TOKEN", ADMIN)
        .with("OCTAVO_TRANSLATOR", translator)
        .with("OCTAVO_TRANSLATOR_URL", &engine.url);
    let server = octavo.start(&["serve"]);
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
    let done = translate(&octavo, &server, &sample, language);
    let words = done.shown["stats"]["latestWords"].as_u64().unwrap();
    let left = done.shown["untranslated"].as_u64().unwrap();
    // A text has some ten words: one of a hundred texts may stay as it is.
    assert!(words > 2_000 && left <= words / 1_000, "{left} texts are not translated, {words} words are");
    let translated = done.pages.values().filter(|(source, target)| source != target).count();
    let has_word = done.pages.values().any(|(_, target)| target.contains(word));
    assert!(translated > 10 && has_word, "{translated} pages are translated");
    server.stop().fine();
    done
}

/// The pages of an exported space, by path.
fn pages(octavo: &Octavo, space: &str, folder: &str) -> BTreeMap<String, String> {
    let folder = octavo.path(folder);
    octavo.run(&["export", space, folder.to_str().unwrap()]).fine();
    let all = files(&folder).into_iter().filter(|(path, _)| path.ends_with(".md") && !path.ends_with("SUMMARY.md"));
    all.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

/// What no translation may change in Markdown: code, formulas, and the targets of links and images, sorted.
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
                let line = unescaped(line);
                found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
                found.extend(line.split("$$").skip(1).step_by(2).map(str::to_owned));
                found.extend(line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
                for attribute in [" src=\"", " href=\""] {
                    let values = line.split(attribute).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0));
                    // Headings of a translation have the anchors of the source as attributes.
                    found.extend(values.filter(|value| !value.starts_with('#')).map(str::to_owned));
                }
            }
        }
    }
    found.sort();
    found
}

/// A line without escaped characters: they are words, which an engine may add.
fn unescaped(line: &str) -> String {
    let mut chars = line.chars();
    let mut kept = String::new();
    while let Some(char) = chars.next() {
        if char == '\\' {
            chars.next();
        } else {
            kept.push(char);
        }
    }
    kept
}

/// The words of a line: without code and the targets of links.
pub(crate) fn words(line: &str) -> String {
    let line: String = unescaped(line).split('`').step_by(2).collect();
    let mut parts = line.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |words, rest| words + rest.split_once(')').map_or(rest, |(_, after)| after))
}
