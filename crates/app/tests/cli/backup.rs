//! A backup by the commands of docs/operations.md, made during writes, and restored elsewhere.
use crate::harness::{Octavo, Server, files};
use crate::killed::{TOKEN, make_space, octavo, organization};
use acceptance::Backend;
use acceptance::dump::{ask_file, run_on_file};
use rstest::rstest;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// The number of clients that create spaces during the backup.
const WRITERS: usize = 8;
/// The number of acknowledged spaces before the backup starts.
const BEFORE: usize = 40;

/// A program of PostgreSQL: the newest installed version, as in tests/with-postgres, or the one in `PATH`.
fn program(name: &str) -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin").join(name)))
        })
        .filter(|(_, path)| path.exists())
        .collect();
    found.sort();
    let in_path =
        || std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.exists());
    found.pop().map(|(_, path)| path).or_else(in_path)
}

fn run(program: &Path, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&output.stderr));
}

/// The programs for a backup of the database; `None` if they are not installed.
fn tools(backend: Backend) -> Option<[PathBuf; 2]> {
    if backend == Backend::Sqlite {
        return Some(Default::default());
    }
    let tools = program("pg_dump").zip(program("pg_restore"));
    if tools.is_none() {
        assert!(std::env::var_os("CI").is_none(), "pg_dump and pg_restore are not here");
        eprintln!("skipped: pg_dump and pg_restore are not here");
    }
    tools.map(<[PathBuf; 2]>::from)
}

/// Copies the database first, then the files.
fn back_up(octavo: &Octavo, [dump, _]: &[PathBuf; 2], to: &Path) {
    std::fs::create_dir(to).unwrap();
    let data = octavo.data();
    match octavo.database_url() {
        Some(url) => run(dump, &["--format=custom", &format!("--file={}", to.join("octavo.dump").display()), url]),
        None => {
            let into = format!("VACUUM INTO '{}'", to.join("octavo.db").display());
            run_on_file(data.join("octavo.db").to_str().unwrap(), &into);
        }
    }
    let (files, secret) = (data.join("files"), data.join("secret"));
    run(Path::new("cp"), &["-r", files.to_str().unwrap(), secret.to_str().unwrap(), to.to_str().unwrap()]);
}

fn restore(octavo: &Octavo, [_, load]: &[PathBuf; 2], from: &Path) {
    run(Path::new("cp"), &["-r", from.to_str().unwrap(), octavo.data().to_str().unwrap()]);
    match octavo.database_url() {
        Some(url) => run(
            load,
            &["--exit-on-error", "--no-owner", &format!("--dbname={url}"), from.join("octavo.dump").to_str().unwrap()],
        ),
        None => {
            let copy = octavo.data().join("octavo.db");
            assert_eq!(
                ask_file(copy.to_str().unwrap(), "SELECT integrity_check AS line FROM pragma_integrity_check"),
                ["ok"]
            );
            let broken = "SELECT \"table\" AS line FROM pragma_foreign_key_check";
            assert_eq!(ask_file(copy.to_str().unwrap(), broken), Vec::<String>::new());
        }
    }
}

/// The acknowledged ids of each writer, in order, with a backup made in between; and the number of spaces acknowledged
/// before it started.
fn written_around(server: &Server, organization: &str, back_up: impl FnOnce()) -> (Vec<Vec<String>>, HashSet<String>) {
    let written: Vec<Mutex<Vec<String>>> = (0..WRITERS).map(|_| Mutex::default()).collect();
    let (done, address) = (AtomicBool::new(false), server.address.clone());
    let count = || written.iter().map(|own| own.lock().unwrap().len()).sum::<usize>();
    let before = std::thread::scope(|scope| {
        for own in &written {
            scope.spawn(|| {
                while !done.load(SeqCst) {
                    // None is made where a busy machine answers that the database is busy.
                    let made = make_space(&address, organization);
                    own.lock().unwrap().extend(made);
                }
            });
        }
        while count() < BEFORE {
            std::thread::yield_now();
        }
        let before = written.iter().flat_map(|own| own.lock().unwrap().clone()).collect();
        back_up();
        let after = count() + WRITERS;
        while count() < after {
            std::thread::yield_now();
        }
        done.store(true, SeqCst);
        before
    });
    (written.into_iter().map(|own| own.into_inner().unwrap()).collect(), before)
}

#[rstest]
fn a_backup_made_under_load_can_be_restored(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let (Some(tools), Some(here), Some(there)) = (tools(backend), octavo(backend), octavo(backend)) else { return };
    let docs =
        here.docs("docs", &[("README.md", "# Guide\n\n![A picture](a.png)\n"), ("a.png", "not really a picture")]);
    let server = here.start(&["serve"]);
    let organization = organization(&server);
    let imported = here.run(&["import", docs.to_str().unwrap(), "--title", "Guide", "--json"]).fine();
    let space = imported.json()["space"].as_str().unwrap().to_owned();
    let token = here.run(&["token", "create"]).fine().stdout.trim().to_owned();
    let invites = format!("/v1/orgs/{organization}/link-invites");
    let invite = server.post(&invites, TOKEN, r#"{"role":"read"}"#);
    let invite: serde_json::Value = serde_json::from_str(&invite.body).unwrap();
    let invite = format!("{invites}/{}", invite["id"].as_str().unwrap());

    let backup = here.path("backup");
    let (written, before) = written_around(&server, &organization, || back_up(&here, &tools, &backup));
    server.stop().fine();

    restore(&there, &tools, &backup);
    let server = there.start(&["serve"]);
    let mut restored = HashSet::new();
    for own in &written {
        let found: Vec<bool> =
            own.iter().map(|id| server.get(&format!("/v1/spaces/{id}"), &token).status == 200).collect();
        let kept = found.iter().take_while(|found| **found).count();
        assert!(!found[kept..].contains(&true), "what one client wrote is there up to a moment: {found:?}");
        restored.extend(own[..kept].iter().cloned());
    }
    let lost: Vec<_> = before.difference(&restored).collect();
    assert!(before.len() >= BEFORE && lost.is_empty(), "{} of {} are lost", lost.len(), before.len());
    for id in &restored {
        let pages = server.get(&format!("/v1/spaces/{id}/content/pages"), &token).json();
        assert_eq!(pages["pages"].as_array().unwrap().len(), 1, "{id} is there by half");
    }
    assert_eq!(server.get(&invite, &token).json()["role"], "read", "an invite that was handed out is good still");
    assert!(make_space(&server.address, &organization).is_some(), "and it goes on");
    let out = there.path("out");
    there.run(&["export", &space, out.to_str().unwrap()]).fine();
    let (out, docs) = (files(&out), files(&docs));
    assert!(docs.iter().all(|file| out.contains(file)), "with the bytes of files: {out:?}");
    server.stop().fine();
}
