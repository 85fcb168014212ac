//! The sample content translated by Apertium, a real engine that `dev/test` installs. Without it, the test says so.
use crate::engine_harness::{Engine, translate_sample};
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
    translate_sample(&engine, "apertium", "es", " el ");
}
