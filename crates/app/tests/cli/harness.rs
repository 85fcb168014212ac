//! Runs the binary, and sends requests to its server.
use acceptance::dump::run_on_file;
use acceptance::{Backend, TestDatabase};
use serde_json::Value;
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// An installation with its own data folder, without the settings of this process.
pub(crate) struct Octavo {
    folder: TempDir,
    variables: Vec<(String, String)>,
    /// The database, if it is not in the data folder.
    database: Option<TestDatabase>,
}

/// The result of a command.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Asserts success.
    #[track_caller]
    pub(crate) fn fine(self) -> Self {
        assert_eq!(self.code, 0, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// The standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

impl Octavo {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap(), variables: Vec::new(), database: None }
    }

    /// An installation on this database; `None` if the database is not available here.
    pub(crate) fn on(backend: Backend) -> Option<Self> {
        let octavo = Self::new();
        if backend == Backend::Sqlite {
            return Some(octavo);
        }
        let database = runtime().block_on(TestDatabase::create(backend, "empty", async |_: &str| {}))?;
        let octavo = octavo.with("DATABASE_URL", database.url());
        Some(Self { database: Some(database), ..octavo })
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The URL of the database, unless it is in the data folder.
    pub(crate) fn database_url(&self) -> Option<&str> {
        self.database.as_ref().map(TestDatabase::url)
    }

    /// Changes the database, as no server does.
    pub(crate) fn change(&self, sql: &str) {
        match &self.database {
            Some(database) => runtime().block_on(database.run(sql)),
            None => run_on_file(self.data().join("octavo.db").to_str().unwrap(), sql),
        }
    }

    /// Changes the PostgreSQL server, outside of the database, whose name `sql` gets.
    pub(crate) fn change_on_server(&self, sql: impl Fn(&str) -> String) {
        let database = self.database.as_ref().expect("the database is on a server");
        runtime().block_on(database.run_on_server(sql));
    }

    /// A path in a folder that is deleted after the test.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Writes files to import.
    pub(crate) fn docs(&self, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = self.path(name);
        for (path, text) in files {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_octavo"));
        command.env_clear().env("OCTAVO_DATA_DIR", self.data()).current_dir(self.folder.path());
        command.envs(self.variables.iter().map(|(name, value)| (name, value))).args(arguments).stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        self.run_into(Stdio::piped(), arguments)
    }

    /// Runs a command to its end with this standard output.
    pub(crate) fn run_into(&self, results: impl Into<Stdio>, arguments: &[&str]) -> Ended {
        let mut command = self.command(arguments);
        command.stdout(results).stderr(Stdio::piped());
        let output = command.spawn().and_then(Child::wait_with_output).unwrap();
        Ended {
            code: output.status.code().expect("ended by itself"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs a command to its end. Also returns its peak memory, in KiB.
    pub(crate) fn run_measured(&self, arguments: &[&str]) -> (Ended, u64) {
        let mut command = self.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            // The kernel records the peak, so polling is enough. A process that has just ended has no figures.
            let told = std::fs::read_to_string(&status).unwrap_or_default();
            let peak =
                told.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
            most = most.max(peak.unwrap_or(0));
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let code = output.status.code().expect("ended by itself");
        (Ended { code, stdout: text(output.stdout), stderr: text(output.stderr) }, most)
    }

    /// Starts a command that runs until it is dropped.
    pub(crate) fn watch(&self, arguments: &[&str]) -> Watched {
        let mut child = self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Watched { child, stdout, stderr }
    }

    /// Starts a server, or `octavo demo`, on a free port, and waits until it is ready.
    pub(crate) fn start(&self, arguments: &[&str]) -> Server {
        self.start_logging_to(Stdio::piped(), arguments)
    }

    /// [`Self::start`] with this standard error.
    pub(crate) fn start_logging_to(&self, log: impl Into<Stdio>, arguments: &[&str]) -> Server {
        let mut command = self.command(arguments);
        command.args(["--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut stderr: Log = BufReader::new(match child.stderr.take() {
            Some(stderr) => Box::new(stderr),
            None => Box::new(std::io::empty()),
        });
        let mut first = String::new();
        stdout.read_line(&mut first).unwrap();
        let Some((_, url)) = first.trim().split_once(" serves http://") else {
            let mut logged = String::new();
            stderr.read_to_string(&mut logged).unwrap();
            panic!("no server: {first}{logged}");
        };
        Server { address: url.to_owned(), child, stdout, stderr, logged: String::new() }
    }

    /// An installation whose server was started once, and a token of its administrator.
    pub(crate) fn started_once() -> (Self, String) {
        let octavo = Self::new();
        octavo.start(&["serve"]).stop().fine();
        let token = octavo.run(&["token", "create"]).fine().stdout.trim().to_owned();
        (octavo, token)
    }
}

/// A running command.
pub(crate) struct Watched {
    child: Child,
    stdout: BufReader<ChildStdout>,
    stderr: BufReader<ChildStderr>,
}

impl Watched {
    /// The next line of its output.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line
    }

    /// The next line of its standard error.
    pub(crate) fn note(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for the end; returns the exit code.
    pub(crate) fn wait(mut self) -> i32 {
        self.child.wait().unwrap().code().expect("ended by itself")
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ended = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// The log of a server, if it is captured.
type Log = BufReader<Box<dyn Read + Send>>;

/// A running server.
pub(crate) struct Server {
    pub(crate) address: String,
    child: Child,
    stdout: BufReader<ChildStdout>,
    stderr: Log,
    logged: String,
}

/// A response of a server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        serde_json::from_str(&self.body).unwrap()
    }
}

impl Server {
    /// Sends `GET path`, with a token or without (an empty one).
    pub(crate) fn get(&self, path: &str, token: &str) -> Answer {
        get(&self.address, path, token)
    }

    /// The ids of all spaces of an organization that the token can see.
    pub(crate) fn spaces(&self, organization: &str, token: &str) -> HashSet<String> {
        let list = format!("/v1/orgs/{organization}/spaces?limit=1000");
        let (mut found, mut path) = (HashSet::new(), list.clone());
        loop {
            let page = self.get(&path, token).json();
            found
                .extend(page["items"].as_array().unwrap().iter().map(|space| space["id"].as_str().unwrap().to_owned()));
            match page["next"]["page"].as_str() {
                Some(next) => path = format!("{list}&page={next}"),
                None => return found,
            }
        }
    }

    /// Sends `POST path` with JSON.
    pub(crate) fn post(&self, path: &str, token: &str, body: &str) -> Answer {
        let form = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        send(&self.address, &format!("POST {path}"), token, &form)
    }

    /// Sends `DELETE path`.
    pub(crate) fn delete(&self, path: &str, token: &str) -> Answer {
        send(&self.address, &format!("DELETE {path}"), token, "\r\n")
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// Stops the server with SIGTERM; returns the rest of its output.
    pub(crate) fn stop(self) -> Ended {
        self.signal("TERM");
        self.wait()
    }

    /// Waits until the log contains `text`.
    pub(crate) fn wait_for(&mut self, text: &str) {
        while !self.logged.contains(text) {
            let read = self.stderr.read_line(&mut self.logged).unwrap();
            assert_ne!(read, 0, "the server ended: {}", self.logged);
        }
    }

    /// Waits for the end.
    pub(crate) fn wait(mut self) -> Ended {
        let mut stdout = String::new();
        self.stdout.read_to_string(&mut stdout).unwrap();
        self.stderr.read_to_string(&mut self.logged).unwrap();
        let status = self.child.wait().unwrap();
        Ended { code: status.code().unwrap_or(-1), stdout, stderr: std::mem::take(&mut self.logged) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Stops the server of a failed test; after `wait` there is nothing to stop.
        let _ended = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// Sends a signal by its name to a process.
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Sends `GET path` to an address.
pub(crate) fn get(address: &str, path: &str, token: &str) -> Answer {
    send(address, &format!("GET {path}"), token, "\r\n")
}

/// Sends a request; `rest` follows the headers of every request.
fn send(address: &str, operation: &str, token: &str, rest: &str) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    let authorization = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    write!(stream, "{operation} HTTP/1.0\r\nHost: {address}\r\n{authorization}{rest}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, body: body.to_owned() }
}

/// A free address of this machine. Nothing else listens or connects there: tests and servers use 127.0.0.1, and this
/// is another address in 127.0.0.0/8, which follows from the number of the process.
pub(crate) fn free_address() -> String {
    let [_, second, third, fourth] = std::process::id().to_be_bytes();
    let listener = TcpListener::bind((Ipv4Addr::new(127, second, third, fourth), 0)).unwrap();
    listener.local_addr().unwrap().to_string()
}

/// Every file of a folder with its bytes, by path.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                found.push((name, std::fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
