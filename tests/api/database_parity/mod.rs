//! Both databases give the same responses: one random sequence of requests is replayed on both.
use acceptance::SeededRandom;
use actix_web::http::Method;
use serde_json::{Value, json};
use servers::{Both, Servers};
use std::collections::BTreeMap;

mod areas;
mod servers;

/// The number of requests, unless `OCTAVO_TEST_OPERATIONS` sets it.
const OPERATIONS: usize = 3000;

/// Texts with unusual characters, for requests.
trait OddTexts {
    fn text(&mut self) -> String;
    fn markdown(&mut self) -> String;
}

impl OddTexts for SeededRandom {
    fn text(&mut self) -> String {
        let odd = [
            "",
            "Guide",
            "guide",
            "Straße",
            "e\u{301}",
            "\u{e9}",
            "İstanbul",
            "ΑΘΗΝΑ",
            "日本語 の本",
            "👩‍👩‍👧",
            "a\u{0}b",
            " blank ",
            "two\nlines",
            "%_\\",
            "'; --",
            "\u{202e}odd",
            "<b>&amp;",
            "null",
            "~~~",
            "\u{feff}mark",
            "ÿ",
            "Ａ",
            "zz",
            "Zz",
        ];
        match self.below(8) {
            0 => self.one(&odd).repeat(1 + self.below(14)),
            1 => "ü".repeat(45 + self.below(10)),
            2 => format!("{} {}", self.one(&odd), self.one(&odd)),
            _ => format!("{} {}", self.one(&odd), self.below(50)),
        }
    }

    fn markdown(&mut self) -> String {
        let parts = [
            "Plain words of the engine.",
            "# A title",
            "## Part",
            "* one\n* two",
            "> quote",
            "`code` and **bold**",
            "---\ntitle: Front\n---",
            "{% hint style=\"info\" %}\nMind it.\n{% endhint %}",
            "[link](https://example.org/a)",
            "| a | b |\n| - | - |\n| 1 | 2 |",
            "```rust\nfn main() {}\n```",
            "Ünïcödé 日本語 ΑΘΗΝΑ",
            "<details>\n<summary>More</summary>\n\nText\n\n</details>",
        ];
        let count = self.below(5);
        (0..count).map(|_| self.one(&parts)).collect::<Vec<_>>().join("\n\n")
    }
}

/// The created objects by kind, with their ids on both servers.
type Known = BTreeMap<&'static str, Vec<Both<String>>>;

/// A request to both servers.
struct Operation {
    method: Method,
    paths: Both<String>,
    bodies: Both<Option<Value>>,
    /// The kind of object that it creates, if any.
    makes: Option<&'static str>,
}

struct Player {
    servers: Servers,
    random: SeededRandom,
    known: Known,
    tags: Vec<Both<String>>,
}

impl Player {
    /// An object that was created, or an unknown id.
    fn pick(&mut self, kind: &'static str) -> Both<String> {
        let known = self.known.get(kind).map_or(0, Vec::len);
        if known == 0 || self.random.below(25) == 0 {
            let absent = self.random.one(&["none", "0193a1f0-7c5e-7000-8000-000000000000", "1"]);
            return [absent.to_owned(), absent.to_owned()];
        }
        // Recent objects are picked more often.
        let late = known.saturating_sub(1 + self.random.below(known.min(8)));
        let at = if self.random.below(3) == 0 { self.random.below(known) } else { late };
        self.known[kind][at].clone()
    }

    fn user(&mut self) -> Both<String> {
        let who = self.random.below(self.servers.callers());
        self.servers.user(who)
    }

    fn role(&mut self) -> Value {
        let roles = ["admin", "create", "review", "edit", "comment", "read", "owner"];
        match self.random.below(9) {
            0 => Value::Null,
            at => json!(roles[at % roles.len()]),
        }
    }

    /// A request. `path` and `body` are built for each server from its ids.
    fn ask(
        method: Method,
        ids: &[Both<String>],
        path: &str,
        body: Option<Value>,
        makes: Option<&'static str>,
    ) -> Operation {
        let fill = |side: usize, text: &str| {
            ids.iter().enumerate().fold(text.to_owned(), |text, (at, id)| text.replace(&format!("@{at}"), &id[side]))
        };
        let filled =
            |side: usize| body.as_ref().map(|body| serde_json::from_str(&fill(side, &body.to_string())).unwrap());
        Operation { method, paths: [fill(0, path), fill(1, path)], bodies: [filled(0), filled(1)], makes }
    }

    fn operation(&mut self) -> Operation {
        let org = self.servers.organization();
        match self.random.below(17) {
            0 => self.about_spaces(org),
            1 => self.about_collections(org),
            2 => self.about_people(org),
            3 => self.about_teams(org),
            4 => self.about_permissions(),
            5 => self.about_invites_and_tokens(org),
            6 | 7 => self.about_change_requests(),
            8 => self.about_content(),
            9 => self.about_comments(),
            10 => self.lists(org),
            _ => self.about_areas(),
        }
    }

    fn about_spaces(&mut self, org: Both<String>) -> Operation {
        let (space, collection, title) = (self.pick("space"), self.pick("collection"), self.random.text());
        let level = self.role();
        let ids = [org, space, collection];
        let ask = |method, path, body, makes| Self::ask(method, &ids, path, body, makes);
        match self.random.below(9) {
            0 | 1 => ask(
                Method::POST,
                "/orgs/@0/spaces",
                Some(json!({"title": title, "empty": title.len() % 2 == 0})),
                Some("space"),
            ),
            2 => ask(Method::PATCH, "/spaces/@1", Some(json!({"title": title})), None),
            3 => ask(Method::PATCH, "/spaces/@1", Some(json!({"defaultLevel": level})), None),
            4 => ask(Method::POST, "/spaces/@1/move", Some(json!({"parent": "@2"})), None),
            5 => ask(
                Method::PATCH,
                "/spaces/@1",
                Some(json!({"icon": format!("https://example.org/{title}"), "language": "de"})),
                None,
            ),
            6 => ask(Method::DELETE, "/spaces/@1", None, None),
            7 => ask(Method::POST, "/spaces/@1/restore", None, None),
            _ => ask(Method::POST, "/spaces/@1/duplicate", None, Some("space")),
        }
    }

    fn about_collections(&mut self, org: Both<String>) -> Operation {
        let (one, other, title) = (self.pick("collection"), self.pick("collection"), self.random.text());
        let ids = [org, one, other];
        let ask = |method, path, body, makes| Self::ask(method, &ids, path, body, makes);
        match self.random.below(6) {
            0 | 1 => ask(Method::POST, "/orgs/@0/collections", Some(json!({"title": title})), Some("collection")),
            2 => ask(
                Method::POST,
                "/orgs/@0/collections",
                Some(json!({"title": title, "parent": "@1"})),
                Some("collection"),
            ),
            3 => ask(Method::PATCH, "/collections/@1", Some(json!({"title": title, "description": title})), None),
            4 => ask(Method::POST, "/collections/@1/move", Some(json!({"parent": "@2"})), None),
            _ => ask(Method::DELETE, "/collections/@1", None, None),
        }
    }

    fn about_people(&mut self, org: Both<String>) -> Operation {
        let (user, role, text) = (self.user(), self.role(), self.random.text());
        let address = format!("{}@example.org", self.random.one(&["new", "eve", "Rita", "x y", "zoë"]));
        let ids = [org, user];
        let ask = |method, path, body| Self::ask(method, &ids, path, body, None);
        match self.random.below(7) {
            0 => ask(Method::PATCH, "/orgs/@0", Some(json!({"title": text, "emailDomains": ["example.org", "Ä.org"]}))),
            1 => ask(Method::PATCH, "/orgs/@0/members/@1", Some(json!({"role": role}))),
            2 if self.random.below(4) == 0 => ask(Method::DELETE, "/orgs/@0/members/@1", None),
            2 | 3 => ask(Method::POST, "/orgs/@0/invites", Some(json!({"emails": [address], "role": role}))),
            4 => ask(Method::PATCH, "/users/@1", Some(json!({"displayName": text}))),
            5 => ask(Method::POST, "/orgs/@0/join", None),
            _ => ask(Method::GET, "/users/@1", None),
        }
    }

    fn about_teams(&mut self, org: Both<String>) -> Operation {
        let (team, user, title) = (self.pick("team"), self.user(), self.random.text());
        let role = self.random.one(&["owner", "member", "admin"]);
        let ids = [org, team, user];
        let ask = |method, path, body, makes| Self::ask(method, &ids, path, body, makes);
        match self.random.below(7) {
            0 | 1 => ask(Method::PUT, "/orgs/@0/teams", Some(json!({"title": title})), Some("team")),
            2 => ask(Method::PATCH, "/orgs/@0/teams/@1", Some(json!({"title": title})), None),
            3 => ask(Method::PUT, "/orgs/@0/teams/@1/members/@2", Some(json!({"role": role})), None),
            4 => ask(Method::DELETE, "/orgs/@0/teams/@1/members/@2", None, None),
            5 => ask(
                Method::PUT,
                "/orgs/@0/teams/@1/members",
                Some(json!({"add": ["@2"], "memberships": {"@2": role}})),
                None,
            ),
            _ => ask(Method::DELETE, "/orgs/@0/teams/@1", None, None),
        }
    }

    fn about_permissions(&mut self) -> Operation {
        let kind = self.random.one(&["space", "collection"]);
        let (place, user, team, role) = (
            self.pick(if kind == "space" { "space" } else { "collection" }),
            self.user(),
            self.pick("team"),
            self.role(),
        );
        let ids = [place, user, team];
        let at = format!("/{kind}s/@0/permissions");
        let ask = |method, rest: &str, body| Self::ask(method, &ids, &format!("{at}{rest}"), body, None);
        match self.random.below(7) {
            0 | 1 => ask(Method::POST, "", Some(json!({"role": role, "users": ["@1"], "teams": ["@2"]}))),
            2 => ask(Method::POST, "", Some(json!({"role": role, "users": ["@1"]}))),
            3 => ask(Method::PATCH, "/users/@1", Some(json!({"role": role}))),
            4 => ask(Method::PATCH, "/teams/@2", Some(json!({"role": role}))),
            5 => ask(Method::DELETE, "/users/@1", None),
            _ => ask(Method::DELETE, "/teams/@2", None),
        }
    }

    fn about_invites_and_tokens(&mut self, org: Both<String>) -> Operation {
        let (invite, space, token) = (self.pick("invite"), self.pick("space"), self.pick("token"));
        let (role, label) = (self.role(), self.random.text());
        let ids = [org, invite, space, token];
        let ask = |method, path, body, makes| Self::ask(method, &ids, path, body, makes);
        match self.random.below(8) {
            0 => ask(Method::POST, "/orgs/@0/link-invites", Some(json!({"role": role})), Some("invite")),
            1 => {
                ask(Method::POST, "/orgs/@0/link-invites", Some(json!({"level": role, "space": "@2"})), Some("invite"))
            }
            2 => ask(Method::PATCH, "/orgs/@0/link-invites/@1", Some(json!({"role": role})), None),
            3 => ask(Method::POST, "/orgs/@0/invites/@1", None, None),
            4 => ask(Method::DELETE, "/orgs/@0/link-invites/@1", None, None),
            5 => ask(
                Method::POST,
                "/user/tokens",
                Some(json!({"label": label, "scopes": ["space:read"]})),
                Some("token"),
            ),
            6 => ask(Method::GET, "/user/tokens/@3", None, None),
            _ => ask(Method::DELETE, "/user/tokens/@3", None, None),
        }
    }

    fn about_change_requests(&mut self) -> Operation {
        let (space, number, user) = (self.pick("space"), (1 + self.random.below(3)).to_string(), self.user());
        let (text, markdown, page) = (self.random.text(), self.random.markdown(), self.pick("page"));
        let ids = [space, [number.clone(), number], user, page];
        let status = self.random.one(&["open", "draft", "archived", "merged"]);
        let ask = |method, rest: &str, body| {
            Self::ask(method, &ids, &format!("/spaces/@0/change-requests{rest}"), body, None)
        };
        let edit = |change: Value| Some(json!({"changes": [change]}));
        let link = json!({"id": status, "ref": {"kind": "url", "url": "https://example.org/ü"}, "title": text});
        match self.random.below(13) {
            0 | 1 => ask(Method::POST, "", Some(json!({"subject": text}))),
            2 => ask(Method::PATCH, "/@1", Some(json!({"subject": text, "status": status, "links": [link]}))),
            3..=5 => ask(
                Method::POST,
                "/@1/content",
                edit(json!({"operation": "insert_page", "title": text, "document": {"markdown": markdown}})),
            ),
            6 => ask(
                Method::POST,
                "/@1/content",
                edit(json!({"operation": "update_page", "page": "@3", "document": {"markdown": markdown}})),
            ),
            7 => ask(Method::POST, "/@1/content", edit(json!({"operation": "delete_page", "page": "@3"}))),
            8 => ask(Method::POST, "/@1/merge", None),
            9 => ask(Method::POST, "/@1/update", None),
            10 => ask(Method::POST, "/@1/reviews", Some(json!({"status": "approved"}))),
            11 => ask(Method::POST, "/@1/requested-reviewers", Some(json!({"users": ["@2"]}))),
            _ => ask(Method::DELETE, "/@1/requested-reviewers/@2", None),
        }
    }

    fn about_comments(&mut self) -> Operation {
        let (space, number, user) = (self.pick("space"), (1 + self.random.below(3)).to_string(), self.user());
        let (comment, reply, page) = (self.pick("comment"), self.pick("reply"), self.pick("page"));
        let (markdown, inside) = (self.random.markdown(), self.random.below(3) == 0);
        let (resolved, mark) = (self.random.below(2) == 0, format!("e{}", self.random.below(4)));
        let order = self.random.one(&["asc", "desc"]);
        let ids = [space, [number.clone(), number], user, comment, reply, page];
        let base = if inside { "/spaces/@0/change-requests/@1" } else { "/spaces/@0" };
        let ask =
            |method, rest: &str, body, makes| Self::ask(method, &ids, &format!("{base}/comments{rest}"), body, makes);
        let text = json!({"body": {"markdown": markdown}});
        match self.random.below(13) {
            0..=2 => ask(Method::POST, "", Some(text), Some("comment")),
            3 => {
                let text = json!({"body": {"markdown": markdown}, "page": "@5"});
                ask(Method::POST, "?format=document", Some(text), Some("comment"))
            }
            4 => ask(Method::POST, "/@3/replies", Some(text), Some("reply")),
            5 => ask(Method::PUT, "/@3", Some(text), None),
            6 => ask(Method::PUT, "/@3", Some(json!({"resolved": resolved, "addedReactions": [mark]})), None),
            7 => ask(Method::PUT, "/@3/replies/@4", Some(json!({"removedReactions": [mark]})), None),
            8 => ask(Method::GET, "/@3/replies/@4", None, None),
            9 => ask(Method::DELETE, "/@3/replies/@4", None, None),
            10 => ask(Method::DELETE, "/@3", None, None),
            11 => ask(Method::GET, &format!("?status=open&authors=@2&order={order}"), None, None),
            _ => ask(Method::GET, &format!("?order={order}&limit=20"), None, None),
        }
    }

    fn about_content(&mut self) -> Operation {
        let (space, page, word) = (self.pick("space"), self.pick("page"), self.random.text());
        let number = (1 + self.random.below(3)).to_string();
        let ids = [space, page, [number.clone(), number]];
        let word: String = word.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let path = match self.random.below(9) {
            0 => "/spaces/@0/content".to_owned(),
            1 => "/spaces/@0/content/pages".to_owned(),
            2 => "/spaces/@0/content/page/@1?format=markdown".to_owned(),
            3 => "/spaces/@0/content/page/@1?format=document".to_owned(),
            4 => format!("/spaces/@0/search?query={word}"),
            5 => "/spaces/@0/change-requests/@2/changes".to_owned(),
            6 => "/spaces/@0/change-requests/@2/conflicts".to_owned(),
            7 => "/spaces/@0/change-requests/@2/merge-status".to_owned(),
            _ => "/spaces/@0/links".to_owned(),
        };
        Self::ask(Method::GET, &ids, &path, None, None)
    }

    fn lists(&mut self, org: Both<String>) -> Operation {
        let (space, team, user) = (self.pick("space"), self.pick("team"), self.user());
        let (limit, word) =
            (self.random.below(40), self.random.one(&["gu", "engine", "text", "a", "strasse", "%C3%9CB"]));
        let ids = [org, space, team, user];
        let of_org = [
            "spaces",
            "spaces?deleted=true",
            "collections",
            "members",
            "members?sort=name",
            "teams",
            "link-invites",
            "change-requests",
            "audit-events",
            "agent-instructions",
        ];
        let path = match self.random.below(8) {
            0..=3 => format!("/orgs/@0/{}", self.random.one(&of_org)),
            4 => format!("/orgs/@0/search?query={word}"),
            5 => format!(
                "/spaces/@1/{}",
                self.random.one(&[
                    "permissions/users",
                    "permissions/teams",
                    "permissions/aggregate",
                    "change-requests"
                ])
            ),
            6 => "/orgs/@0/teams/@2/members".to_owned(),
            _ => format!("/orgs/@0/members/@3/{}", self.random.one(&["spaces", "teams"])),
        };
        let joint = if path.contains('?') { '&' } else { '?' };
        Self::ask(Method::GET, &ids, &format!("{path}{joint}limit={limit}"), None, None)
    }

    /// Stores the objects that a response created or showed.
    fn learn(&mut self, makes: Option<&'static str>, bodies: Both<Value>) {
        if let (Some(kind), [Some(one), Some(other)]) = (makes, bodies.each_ref().map(|body| body["id"].as_str())) {
            self.known.entry(kind).or_default().push([one.to_owned(), other.to_owned()]);
        }
        self.learn_list("page", bodies.each_ref().map(|body| &body["pages"]));
        if let Some(kind) = makes {
            self.learn_list(kind, bodies.each_ref().map(|body| &body["items"]));
        }
    }

    /// Stores the objects of a list.
    fn learn_list(&mut self, kind: &'static str, lists: Both<&Value>) {
        let [items, others] = lists.map(|list| list.as_array().map_or(&[][..], Vec::as_slice));
        let id = |item: &Value| item["id"].as_str().or(item[kind]["id"].as_str()).map(str::to_owned);
        for pair in items.iter().zip(others) {
            if let (Some(one), Some(other)) = (id(pair.0), id(pair.1)) {
                let known = self.known.entry(kind).or_default();
                let pair = [one, other];
                if !known.contains(&pair) {
                    known.push(pair);
                }
            }
        }
    }

    async fn step(&mut self) -> Result<u16, String> {
        // Prefer the administrator, so that most requests succeed.
        let caller = if self.random.below(3) == 0 { self.random.below(self.servers.callers()) } else { 0 };
        let Operation { method, paths, bodies, makes } = self.operation();
        let mut headers = Vec::new();
        if method == Method::POST && self.random.below(6) == 0 {
            let key = format!("k{}", self.random.below(40));
            headers.push(("Idempotency-Key", [key.clone(), key]));
        }
        if method != Method::POST && self.random.below(6) == 0 {
            let stale = ["\"x\"".to_owned(), "\"x\"".to_owned()];
            let any = ["*".to_owned(), "*".to_owned()];
            let tags: Both<String> =
                if self.random.below(2) == 0 { any } else { self.tags.last().cloned().unwrap_or(stale) };
            headers.push((if method == Method::GET { "If-None-Match" } else { "If-Match" }, tags));
        }
        let (answers, same) = self.servers.send(caller, &method, &paths, &bodies, &headers).await;
        same.map_err(|difference| format!("{method} {} {:?} as {caller}\n{difference}", paths[0], bodies[0]))?;
        if let [Some(one), Some(other)] = answers.each_ref().map(|answer| answer.header("etag")) {
            self.tags = vec![[one.to_owned(), other.to_owned()]];
        }
        let status = answers[0].status.as_u16();
        if answers[0].status.is_success() {
            let bodies = answers.each_ref().map(|answer| serde_json::from_slice(&answer.bytes).unwrap_or_default());
            self.learn(makes, bodies);
        }
        Ok(status)
    }
}

#[actix_web::test]
async fn one_random_sequence_of_requests_is_answered_alike_by_both_databases() {
    let Some(servers) = Box::pin(Servers::boot()).await else { return };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let operations = number("OCTAVO_TEST_OPERATIONS").map_or(OPERATIONS, |count| usize::try_from(count).unwrap());
    let seed = number("OCTAVO_TEST_SEED").unwrap_or(0x0c7a_e001);
    let mut player = Player { servers, random: SeededRandom::new(seed), known: Known::new(), tags: Vec::new() };
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    for at in 0..operations {
        match player.step().await {
            Ok(status) => *statuses.entry(status).or_default() += 1,
            Err(difference) => panic!("request {at} of seed {seed} gets two different responses: {difference}"),
        }
        if at % 100 == 99 {
            player.servers.work().await;
        }
    }
    println!("{statuses:?}");
    let done: usize = statuses.iter().filter(|(status, _)| **status < 300).map(|(_, count)| count).sum();
    assert!(done * 3 > operations, "too few requests succeed: {statuses:?}");
    assert!(statuses.keys().all(|status| *status < 500), "{statuses:?}");
    assert!(
        operations < 1000
            || [200, 201, 204, 205, 400, 403, 404, 409, 412].iter().all(|status| statuses.contains_key(status)),
        "{statuses:?}"
    );
}
