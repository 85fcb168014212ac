//! Two servers, one on each database, that get the same requests. Their responses are compared, except for ids, times
//! and secrets.
use acceptance::{Answer, Backend, Caller, World};
use actix_web::http::Method;
use chrono::{DateTime, TimeDelta, Utc};
use domain::access::Role;
use domain::site::share_link::ENTRY;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A value of each server, SQLite first.
pub(super) type Both<T> = [T; 2];

/// The length of an id.
const ID: usize = 36;
/// The length of the proof before the id of an invite link, in base64.
const PROOF: usize = 27;

/// The fields whose texts are random: secrets, and addresses that have one.
const SECRETS: [&str; 6] = ["token", "page", "downloadURL", "secret", "privateKey", "key"];

/// What is before the signature of an address.
const SIGNATURE: &str = "signature=";

/// The number of callers: an administrator, members, a guest, and one who is in no organization.
const CALLERS: usize = 6;

/// The two servers.
pub(super) struct Servers {
    worlds: Both<World>,
    callers: Vec<Both<Caller>>,
    names: Both<Names>,
    now: DateTime<Utc>,
}

/// Gives each id a name, in the order of appearance.
#[derive(Default)]
struct Names(HashMap<String, usize>);

fn is_id(bytes: &[u8]) -> bool {
    bytes.len() == ID
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

impl Names {
    /// A text with names in place of ids.
    fn named(&mut self, text: &str) -> String {
        // Most texts have no id.
        if text.len() < ID || !text.contains('-') {
            return text.to_owned();
        }
        let (mut named, mut rest) = (String::new(), text);
        while let Some(first) = rest.chars().next() {
            if rest.len() < ID {
                return named + rest;
            }
            if let Some((id, behind)) = rest.split_at_checked(ID).filter(|(id, _)| is_id(id.as_bytes())) {
                let next = self.0.len();
                named.push_str(&format!("#{}", self.0.entry(id.to_owned()).or_insert(next)));
                rest = behind;
            } else if rest.get(PROOF..PROOF + ID).is_some_and(|id| is_id(id.as_bytes())) && !rest[..PROOF].contains('/')
            {
                named.push('~');
                rest = &rest[PROOF..];
            } else {
                named.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        named
    }

    /// A response in a form that must be the same on both servers.
    fn plain(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) if DateTime::parse_from_rfc3339(text).is_ok() => "<time>".into(),
            // The address of a share link ends with its key, and other addresses with a signature.
            Value::String(text) if text.contains(ENTRY) || text.contains(SIGNATURE) => self
                .named(text.split(ENTRY).next().and_then(|text| text.split(SIGNATURE).next()).unwrap_or_default())
                .into(),
            Value::String(text) => self.named(text).into(),
            Value::Array(items) => items.iter().map(|item| self.plain(item)).collect(),
            Value::Object(fields) => {
                let fields = fields.iter().map(|(key, value)| {
                    let secret = SECRETS.contains(&key.as_str()) && value.is_string();
                    (self.named(key), if secret { "<secret>".into() } else { self.plain(value) })
                });
                Value::Object(fields.collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }
}

impl Servers {
    /// Starts the servers; `None` if there is no PostgreSQL.
    pub(super) async fn boot() -> Option<Self> {
        let worlds = [World::boot(Backend::Sqlite).await?, World::boot(Backend::Postgres).await?];
        let mut callers = vec![worlds.each_ref().map(|world| world.ada.clone())];
        let roles = [Some(Role::Create), Some(Role::Edit), Some(Role::Read), None];
        for (name, role) in ["cora", "eddi", "rita", "gus"].into_iter().zip(roles) {
            callers.push([worlds[0].member(name, role).await, worlds[1].member(name, role).await]);
        }
        callers.push([worlds[0].stranger("eve").await, worlds[1].stranger("eve").await]);
        assert_eq!(callers.len(), CALLERS);
        let now = worlds[0].services.clock.now();
        Some(Self { worlds, callers, names: Both::default(), now })
    }

    /// The number of callers.
    pub(super) fn callers(&self) -> usize {
        self.callers.len()
    }

    /// The id of a caller's account.
    pub(super) fn user(&self, caller: usize) -> Both<String> {
        self.callers[caller].each_ref().map(|caller| caller.id().to_owned())
    }

    /// The id of the organization.
    pub(super) fn organization(&self) -> Both<String> {
        self.worlds.each_ref().map(|world| world.organization.to_string())
    }

    /// Sends a request to both, a second after the last one. Returns the responses, and whether they are the same.
    pub(super) async fn send(
        &mut self,
        caller: usize,
        method: &Method,
        paths: &Both<String>,
        bodies: &Both<Option<Value>>,
        headers: &[(&'static str, Both<String>)],
    ) -> (Both<Answer>, Result<(), String>) {
        self.now += TimeDelta::seconds(1);
        let mut answers = Vec::new();
        for side in [0, 1] {
            self.worlds[side].clock.set(self.now);
            let with = |request: actix_web::test::TestRequest| {
                let request = headers
                    .iter()
                    .fold(request, |request, (name, value)| request.insert_header((*name, value[side].as_str())));
                bodies[side].iter().fold(request, |request, body| request.set_json(body))
            };
            answers.push(self.callers[caller][side].send(method.clone(), &paths[side], with).await);
        }
        let answers: Both<Answer> = answers.try_into().unwrap();
        let compared = self.compare(&answers);
        (answers, compared)
    }

    fn compare(&mut self, answers: &Both<Answer>) -> Result<(), String> {
        let [one, other] = [0, 1].map(|side| {
            let (answer, names) = (&answers[side], &mut self.names[side]);
            let body = serde_json::from_slice::<Value>(&answer.bytes).unwrap_or_default();
            let header = |name| answer.header(name).map(|value| names.named(value));
            let headers = ["location", "allow", "retry-after", "idempotent-replayed"].map(header);
            (answer.status.as_u16(), headers, names.plain(&body))
        });
        if one == other { Ok(()) } else { Err(format!("SQLite: {one:?}\nPostgreSQL: {other:?}")) }
    }

    /// Runs the background jobs of both.
    pub(super) async fn work(&self) {
        for world in &self.worlds {
            world.work().await;
        }
    }
}
