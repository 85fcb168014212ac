//! Running samples with the programs of this machine.
use super::super::SampleLanguage;
use super::echo::Echo;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The content of an upload.
pub(super) const CONTENTS: &[u8] = b"\x00\x01\xff file \r\n";

/// Runs samples one after another, in a folder that has the files which samples name. `false` if the machine lacks the
/// program, which is said.
pub(super) fn run(language: SampleLanguage, samples: &[String], echo: &Echo) -> bool {
    let (program, arguments) = match language {
        SampleLanguage::Curl => ("bash", ["-s"].as_slice()),
        SampleLanguage::JavaScript => ("node", ["--input-type=module", "-"].as_slice()),
        SampleLanguage::Python => ("python3", ["-"].as_slice()),
        SampleLanguage::Http => {
            samples.iter().for_each(|message| send(message, echo));
            return true;
        }
        SampleLanguage::Go => return run_go(samples),
    };
    let needed = if language == SampleLanguage::Curl { "curl" } else { program };
    if !exists(program) || !exists(needed) {
        println!("{needed} is not tried: this machine does not have it");
        return false;
    }
    let folder = folder();
    if language == SampleLanguage::Python && !has_requests() {
        fs::write(folder.join("requests.py"), include_str!("requests.py")).expect("the folder can be written");
    }
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&folder).env("PYTHONPATH", &folder).env("NO_PROXY", "*");
    let code = match language {
        // Each has its own constants.
        SampleLanguage::JavaScript => samples.iter().map(|code| format!("{{\n{code}}}\n")).collect(),
        _ => samples.join("\n"),
    };
    let (status, output) = feed(&mut command, &code);
    fs::remove_dir_all(&folder).expect("the folder can be removed");
    assert!(status, "{code}\nfails: {output}");
    true
}

/// Whether a program can be started.
fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn has_requests() -> bool {
    let status = Command::new("python3").args(["-c", "import requests"]).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn folder() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("octavo-samples-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = std::env::temp_dir().join(name);
    fs::create_dir_all(&folder).expect("a folder can be made");
    fs::write(folder.join("file.bin"), CONTENTS).expect("the folder can be written");
    folder
}

/// Whether the program succeeds with this input, and what it writes.
fn feed(command: &mut Command, input: &str) -> (bool, String) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("the program reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.success(), text.concat())
}

/// Sends a message unchanged, except for the line ends of its head.
fn send(message: &str, echo: &Echo) {
    let (head, body) = message.split_once("\n\n").expect("a head ends with an empty line");
    let mut stream = TcpStream::connect(echo.address).expect("the server listens");
    let bytes = format!("{}\r\nConnection: close\r\n\r\n{body}", head.replace('\n', "\r\n"));
    stream.write_all(bytes.as_bytes()).expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// Whether a text is a program of Go.
fn is_go(code: &str) -> bool {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_go::LANGUAGE.into()).expect("versions that fit");
    parser.parse(code, None).is_some_and(|tree| !tree.root_node().has_error())
}

#[test]
fn what_is_no_go_is_seen() {
    let fine = "package main\n\nfunc main() {\n\tprintln(\"a\")\n}\n";
    assert!(is_go(fine));
    assert!(!is_go(&fine.replace("\"a\"", "\"a\nb\"")) && !is_go(&fine.replace("\"a\"", "\"a\"b\"")));
}

/// Parses programs of Go, and compares them with what `gofmt` makes of them where there is one. They are run only if
/// `OCTAVO_TEST_GO` is set, as compiling takes seconds for each.
fn run_go(programs: &[String]) -> bool {
    for code in programs {
        assert!(is_go(code), "{code}\nis no program of Go");
    }
    let is_there = Command::new("gofmt").arg("-h").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !is_there {
        println!("gofmt is not tried: this machine does not have it");
        return false;
    }
    for code in programs {
        let (status, output) = feed(Command::new("gofmt").arg("-e"), code);
        assert!(status, "{code}\nfails: {output}");
        assert_eq!(output, *code, "gofmt changes the code");
    }
    if std::env::var_os("OCTAVO_TEST_GO").is_none() {
        return false;
    }
    let folder = folder();
    for code in programs {
        fs::write(folder.join("main.go"), code).expect("the folder can be written");
        let (status, output) = feed(Command::new("go").args(["run", "main.go"]).current_dir(&folder), "");
        assert!(status, "{code}\nfails: {output}");
    }
    fs::remove_dir_all(&folder).expect("the folder can be removed");
    true
}
