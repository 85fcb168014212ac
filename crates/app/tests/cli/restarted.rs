//! A PostgreSQL that is restarted under a server: failed changes are reported, and all others are stored.
use crate::harness::Octavo;
use crate::request::{Answer, send};
use std::collections::HashSet;
use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const TOKEN: &str = "a-token-that-the-operator-chose";
/// The number of writing clients.
const CLIENTS: usize = 16;
/// The number of restarts of PostgreSQL.
const RESTARTS: usize = 3;
/// The number of acknowledged changes between two restarts.
const BETWEEN: usize = 40;
/// No request may hang. The goal is five seconds; the rest is for a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

/// A private PostgreSQL server that can be restarted. It is removed when it is dropped.
struct Cluster {
    bin: PathBuf,
    folder: TempDir,
    /// As root it runs as the user `postgres`, because initdb refuses root.
    as_owner: &'static [&'static str],
}

impl Cluster {
    /// Creates and starts a server; `None` if its programs are not installed.
    fn start() -> Option<Self> {
        let mut folders: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
            .into_iter()
            .flatten()
            .flatten()
            .map(|version| version.path().join("bin"))
            .filter(|bin| bin.join("initdb").is_file())
            .collect();
        folders.sort_by_key(|bin| bin.iter().rev().nth(1).and_then(|name| name.to_str()?.parse::<u32>().ok()));
        let Some(bin) = folders.pop() else {
            assert!(std::env::var_os("CI").is_none(), "PostgreSQL is not installed");
            eprintln!("skipped: PostgreSQL is not installed");
            return None;
        };
        // The path of a socket is at most about a hundred bytes long.
        let folder = tempfile::Builder::new().prefix("octavo-test-").tempdir_in("/tmp").unwrap();
        let root = fs::metadata(folder.path()).unwrap().uid() == 0;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let as_owner: &[&str] =
            if root { &["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] } else { &[] };
        if root {
            assert!(Command::new("chown").arg("postgres").arg(folder.path()).status().unwrap().success());
        }
        let cluster = Self { bin, folder, as_owner };
        let data = cluster.data();
        let data = data.to_str().unwrap();
        cluster.run(
            "initdb",
            &[
                "--pgdata",
                data,
                "--username",
                "octavo",
                "--auth",
                "trust",
                "--encoding",
                "UTF8",
                "--locale",
                "C",
                "--no-sync",
            ],
        );
        let socket = cluster.folder.path().display();
        let settings = format!(
            "-c listen_addresses= -c unix_socket_directories={socket} -c \
            unix_socket_permissions=0777 -c fsync=off"
        );
        let log = cluster.folder.path().join("server.log");
        cluster.run(
            "pg_ctl",
            &["--pgdata", data, "--log", log.to_str().unwrap(), "--silent", "--wait", "--options", &settings, "start"],
        );
        Some(cluster)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn url(&self) -> String {
        format!("postgres://octavo@{}/postgres", self.folder.path().to_str().unwrap().replace('/', "%2F"))
    }

    /// Restarts the server, which ends all connections and their units of work.
    fn restart(&self) {
        let (data, log) = (self.data(), self.folder.path().join("server.log"));
        self.run(
            "pg_ctl",
            &[
                "--pgdata",
                data.to_str().unwrap(),
                "--log",
                log.to_str().unwrap(),
                "--silent",
                "--wait",
                "--mode",
                "fast",
                "restart",
            ],
        );
    }

    fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = match self.as_owner {
            [] => Command::new(program),
            [first, rest @ ..] => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
        };
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        // Its output goes to a file: the server would keep a pipe open.
        let said = fs::File::create(self.folder.path().join(format!("{program}.log"))).unwrap();
        let mut command = self.command(&self.bin.join(program), arguments);
        let status = command.stdout(said.try_clone().unwrap()).stderr(said).status().unwrap();
        let said = fs::read_to_string(self.folder.path().join(format!("{program}.log"))).unwrap();
        assert!(status.success(), "{program} {arguments:?}: {said}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let data = self.data();
        let arguments = ["--pgdata", data.to_str().unwrap(), "--mode", "immediate", "--silent", "stop"];
        let _ended = self.command(&self.bin.join("pg_ctl"), &arguments).status();
    }
}

/// The results of the clients.
#[derive(Default)]
struct Seen {
    acknowledged: Mutex<HashSet<String>>,
    count: AtomicUsize,
    /// The number of responses with 503, and of those with an unknown outcome.
    refused: AtomicUsize,
    unknown: AtomicUsize,
    ended: AtomicBool,
}

impl Seen {
    /// Writes until `ended` is set.
    fn write(&self, address: &str, organization: &str) {
        let request = format!("POST /v1/orgs/{organization}/spaces");
        while !self.ended.load(SeqCst) {
            let begun = Instant::now();
            let answer = send(TcpStream::connect(address).unwrap(), TOKEN, &request, "", r#"{"title":"Written"}"#);
            let Answer { status, head, body } = answer.expect("the server answers");
            assert!(begun.elapsed() < LONGEST, "{status} after {:?}", begun.elapsed());
            match status {
                201 => {
                    self.acknowledged.lock().unwrap().insert(body["id"].as_str().unwrap().to_owned());
                    self.count.fetch_add(1, SeqCst);
                }
                503 => {
                    assert!(head.contains("\nretry-after: "), "{head}");
                    let told = body["error"]["message"].as_str().unwrap();
                    self.unknown.fetch_add(usize::from(told.contains("outcome is unknown")), SeqCst);
                    self.refused.fetch_add(1, SeqCst);
                    std::thread::sleep(Duration::from_millis(20));
                }
                other => panic!("{other}: {body}"),
            }
        }
    }

    fn wait_for(&self, count: usize) {
        let begun = Instant::now();
        while self.count.load(SeqCst) < count && begun.elapsed() < 2 * LONGEST {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(self.count.load(SeqCst) >= count, "nobody writes any more");
    }
}

#[test]
fn a_database_that_is_restarted_under_load_is_answered_503_and_loses_nothing() {
    let Some(cluster) = Cluster::start() else { return };
    let octavo = Octavo::new().with("DATABASE_URL", &cluster.url()).with("OCTAVO_ADMIN_TOKEN", TOKEN);
    let octavo = octavo.with("OCTAVO_RATE_LIMIT", "0").with("OCTAVO_LOG", "error");
    let server = octavo.start(&["serve"]);
    let organization = server.get("/v1/orgs", TOKEN).json()["items"][0]["id"].as_str().unwrap().to_owned();
    let seen = Seen::default();
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| seen.write(&server.address, &organization));
        }
        // Also stops the writers if the test fails.
        let restarted = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for round in 1..=RESTARTS {
                seen.wait_for(round * BETWEEN);
                cluster.restart();
            }
            seen.wait_for((RESTARTS + 1) * BETWEEN);
        }));
        seen.ended.store(true, SeqCst);
        restarted.unwrap();
    });
    let stored = server.spaces(&organization, TOKEN);
    let acknowledged = seen.acknowledged.into_inner().unwrap();
    let (refused, unknown) = (seen.refused.load(SeqCst), seen.unknown.load(SeqCst));
    eprintln!("{} acknowledged, {refused} refused, {unknown} of them with an unknown outcome", acknowledged.len());
    assert!(refused > 0, "nobody noticed a restart");
    assert!(acknowledged.is_subset(&stored), "{} are lost", acknowledged.difference(&stored).count());
    let unasked = stored.difference(&acknowledged).count();
    assert!(unasked <= unknown, "{unasked} are there that were refused, and {unknown} may be");
    server.stop().fine();
}
