//! Tests with a real Apertium. They run where the packages `apertium-apy` and `apertium-eng-spa` are installed.
use super::*;
use crate::TranslatorKind;
use domain::content::document::Document;
use domain::content::markdown::{Unresolved, parse};
use domain::ports::{EngineError, Markup};
use domain::translations::{MAX_PART, Rules, Tagged, Translatable, Unit};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts the server on the loopback address only; its default is all addresses. It is a system package, so it needs
/// the system's Python.
const START: &str = "
import sys, tornado.tcpserver
bind = tornado.tcpserver.TCPServer.bind
tornado.tcpserver.TCPServer.bind = lambda self, port, *rest, **named: bind(self, port, address='127.0.0.1')
from apertium_apy.apy import main
main()
";

struct Apy(Child);

impl Drop for Apy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn pairs() -> Option<PathBuf> {
    let pairs = Path::new("/usr/share/apertium");
    let installed = Path::new("/usr/bin/apertium-apy").exists() && pairs.join("modes/eng-spa.mode").exists();
    installed.then(|| pairs.to_owned())
}

/// Starts a server. Returns its address and its process.
async fn started() -> Option<(String, Apy)> {
    let pairs = pairs()?;
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let server = Command::new("/usr/bin/python3")
        .args(["-c", START, "--port", &port.to_string(), "--num-processes", "1"])
        .arg(pairs)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let server = Apy(server);
    let end = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        assert!(Instant::now() < end, "Apertium does not start");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Some((format!("http://127.0.0.1:{port}"), server))
}

const PAGE: &str = "# Settings\n\nOpen **the settings** of [the *house*](https://example.org/a?b=1&c=2) and press `Save`.\n\n\
    * The water is cold, and 5 cats < 7 dogs & birds.\n* [`code`](https://example.org) is red.\n\n\
    | Name | Colour |\n| --- | --- |\n| The **big** dog | red :smile: |\n\n## The end\n\nThe `a` and the `b` are **good [friends](https://example.org)** \\\nof mine.\n";

#[tokio::test]
async fn apertium_preserves_tags() {
    let Some((url, _server)) = started().await else {
        println!("skipped: Apertium is not installed");
        return;
    };
    let engine = translator(settings(url));
    let page = parse(PAGE, &Unresolved).into_document().unwrap();
    let mut run = Run::default();
    let spanish = run.page(&*engine, &page).await;
    assert_eq!((run.whole, run.units), (9, 9), "{run:?}");
    assert_eq!(spanish.references().len(), page.references().len());
    assert!(spanish.text().contains("perro"), "{}", spanish.text());
    let other = TranslationBatch { to: Language::De, ..batch(&["Water"]) };
    assert_eq!(engine.translate(&other).await.unwrap_err(), EngineError::Languages { from: "en", to: "de" });
}

#[tokio::test]
async fn real_documentation_is_translated_with_its_tags() {
    let most: usize = std::env::var("OCTAVO_TEST_UNITS").ok().and_then(|most| most.parse().ok()).unwrap_or(150);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/fluentd-docs");
    let mut files = Vec::new();
    markdown_files(&folder, &mut files);
    files.sort();
    let (Some((url, _server)), false) = (started().await, files.is_empty()) else {
        println!("skipped: Apertium is not installed, or there is no corpus");
        return;
    };
    let engine = translator(settings(url));
    let mut run = Run::default();
    let begin = Instant::now();
    for file in files {
        if run.units >= most {
            break;
        }
        let page = parse(&std::fs::read_to_string(file).unwrap(), &Unresolved).into_document().unwrap();
        let spanish = run.page(&*engine, &page).await;
        let kept = |page: &Document| -> Vec<String> {
            let targets = page.references().into_iter().map(|found| format!("{:?}", found.target));
            let code = page.walk().filter(|block| block.kind.block_type().name() == "code");
            let anchors = page.headings().into_iter().map(|heading| heading.anchor);
            let mut kept: Vec<String> = targets.chain(code.map(|block| format!("{block:?}"))).chain(anchors).collect();
            kept.sort();
            kept
        };
        assert_eq!(kept(&spanish), kept(&page));
    }
    println!("{run:?} in {:?}", begin.elapsed());
    assert!(run.left * 100 <= run.units, "{run:?}");
}

fn settings(url: String) -> EngineSettings {
    EngineSettings { translator: TranslatorKind::Apertium, translator_url: Some(url), ..EngineSettings::default() }
}

fn markdown_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            markdown_files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            into.push(path);
        }
    }
}

/// The number of texts by result.
#[derive(Debug, Default)]
struct Run {
    units: usize,
    /// Translated with their tags.
    whole: usize,
    /// Translated by fragments.
    floor: usize,
    /// Not translated.
    left: usize,
}

const RULES: Rules = Rules { from: Language::En, to: Language::Es, language: true };

impl Run {
    async fn page(&mut self, engine: &dyn Translator, page: &Document) -> Document {
        let units = page.units();
        let mut translated = Vec::new();
        for some in units.chunks(engine.abilities().max_units) {
            let texts: Vec<Tagged> = some.iter().map(|unit| unit.text.clone()).collect();
            for (unit, answer) in some.iter().zip(asked(engine, &texts).await) {
                let good = |answer: Tagged| RULES.check(&unit.text, &answer, &[], unit.limit).is_ok().then_some(answer);
                self.units += 1;
                if let Some(answer) = answer.and_then(good) {
                    self.whole += 1;
                    translated.push(Some(answer));
                } else {
                    let answer = by_fragments(engine, unit).await.and_then(good);
                    *if answer.is_some() { &mut self.floor } else { &mut self.left } += 1;
                    if answer.is_none() {
                        println!("left: {}", unit.text.canonical());
                    }
                    translated.push(answer);
                }
            }
        }
        page.assembled(&translated).unwrap()
    }
}

async fn asked(engine: &dyn Translator, texts: &[Tagged]) -> Vec<Option<Tagged>> {
    assert!(texts.iter().all(|text| text.cut(MAX_PART).len() == 1), "none is long");
    let written = texts.iter().map(|text| text.written(Markup::Html)).collect();
    let (answers, _) =
        engine.translate(&TranslationBatch { to: Language::Es, texts: written, ..batch(&[]) }).await.unwrap();
    texts.iter().zip(answers).map(|(text, answer)| text.read(Markup::Html, &answer?).ok()).collect()
}

async fn by_fragments(engine: &dyn Translator, unit: &Unit) -> Option<Tagged> {
    let answers: Option<Vec<Tagged>> = asked(engine, &unit.text.fragments()).await.into_iter().collect();
    unit.text.filled(&answers?)
}
