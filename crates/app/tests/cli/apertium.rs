//! The sample content translated by Apertium, a real engine that `dev/test` installs. Without it, the test says so.
use crate::engine_harness::{ADMIN, Engine, translate};
use crate::harness::Octavo;
use std::path::Path;

/// A pair of languages of Apertium.
const PAIR: &str = "/usr/share/apertium/modes/eng-spa.mode";
/// Starts the server of Apertium on one address: it has no option for this, and would listen on all of them.
const PROGRAM: &str = "
import os, sys, tornado.tcpserver
bind = tornado.tcpserver.TCPServer.bind
tornado.tcpserver.TCPServer.bind = lambda server, port: bind(server, port, os.environ['ENGINE_HOST'])
sys.argv += ['--port', os.environ['ENGINE_PORT'], '--num-processes', '1', '/usr/share/apertium/modes']
from apertium_apy.apy import main
main()
";

#[test]
fn apertium_translates_the_sample_content_and_leaves_code_and_links_as_they_are() {
    // It is a package of the system, so it runs with the Python of the system.
    let python = Path::new("/usr/bin/python3");
    if !Path::new(PAIR).exists() || !python.exists() {
        eprintln!("Apertium is not installed: the packages apertium-apy and apertium-eng-spa");
        return;
    }
    let engine = Engine::start(python, PROGRAM, "/listPairs");
    let octavo = Octavo::new()
        .with("OCTAVO_ADMIN_TOKEN", ADMIN)
        .with("OCTAVO_TRANSLATOR", "apertium")
        .with("OCTAVO_TRANSLATOR_URL", &engine.url);
    let server = octavo.start(&["serve"]);
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
    let done = translate(&octavo, &server, &sample, "es");
    let words = done.shown["stats"]["latestWords"].as_u64().unwrap();
    let left = done.shown["untranslated"].as_u64().unwrap();
    // A text has some ten words: one of a hundred texts may stay as it is.
    assert!(words > 2_000 && left <= words / 1_000, "{left} texts are not translated, {words} words are");
    let translated = done.pages.values().filter(|(source, target)| source != target).count();
    let is_spanish = done.pages.values().any(|(_, target)| target.contains(" el "));
    assert!(translated > 10 && is_spanish, "{translated} pages are translated");
    server.stop().fine();
}
