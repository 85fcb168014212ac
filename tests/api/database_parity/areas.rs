//! The requests about sites, OpenAPI specs, translations, conversations, webhooks and notifications.
use super::{OddTexts, Operation, Player, servers::Both};
use std::collections::BTreeMap;

/// One request: method, path below `/v1`, body or nothing, and the kind of object that it creates or lists. A word in
/// braces is a value: an object of that kind, or what [`Player::value`] says.
type Row = (&'static str, &'static str, &'static str, Option<&'static str>);

const SITES: &[Row] = &[
    ("POST", "/orgs/{org}/sites", r#"{"title": "{text}"}"#, Some("site")),
    ("POST", "/orgs/{org}/sites", r#"{"title": "{text}", "spaces": ["{space}"]}"#, Some("site")),
    ("PATCH", "/orgs/{org}/sites/{site}", r#"{"title": "{text}", "visibility": "{visibility}"}"#, None),
    ("POST", "/orgs/{org}/sites/{site}/publish", "", None),
    ("POST", "/orgs/{org}/sites/{site}/unpublish", "", None),
    ("DELETE", "/orgs/{org}/sites/{site}", "", None),
    ("GET", "/orgs/{org}/sites?limit={n}", "", None),
    ("GET", "/orgs/{org}/sites/{site}", "", None),
    ("GET", "/orgs/{org}/sites/{site}/structure", "", None),
    ("GET", "/orgs/{org}/sites/{site}/published", "", None),
    ("POST", "/orgs/{org}/sites/{site}/permissions", r#"{"role": "{level}", "users": ["{user}"]}"#, None),
    ("PATCH", "/orgs/{org}/sites/{site}/permissions/users/{user}", r#"{"role": "{level}"}"#, None),
    ("GET", "/orgs/{org}/sites/{site}/permissions/aggregate", "", None),
    ("GET", "/orgs/{org}/sites/{site}/publishing/auth", "", None),
    ("PATCH", "/orgs/{org}/sites/{site}/publishing/auth", r#"{"backend": "custom"}"#, None),
    (
        "PUT",
        "/orgs/{org}/sites/{site}/customization",
        r#"{"title": "{text}", "announcement": {"enabled": true}}"#,
        None,
    ),
    ("GET", "/orgs/{org}/sites/{site}/customization", "", None),
    ("POST", "/orgs/{org}/sites/{site}/share-links", r#"{"name": "{text}"}"#, Some("share")),
    ("PATCH", "/orgs/{org}/sites/{site}/share-links/{share}", r#"{"active": false}"#, None),
    ("DELETE", "/orgs/{org}/sites/{site}/share-links/{share}", "", None),
    ("GET", "/orgs/{org}/sites/{site}/share-links?limit={n}", "", None),
];

const PARTS_OF_SITES: &[Row] = &[
    ("POST", "/orgs/{org}/sites/{site}/site-spaces", r#"{"spaceId": "{space}"}"#, Some("onsite")),
    (
        "POST",
        "/orgs/{org}/sites/{site}/site-spaces",
        r#"{"spaceId": "{space}", "sectionId": "{section}"}"#,
        Some("onsite"),
    ),
    ("PATCH", "/orgs/{org}/sites/{site}/site-spaces/{onsite}", r#"{"path": "{text}", "hidden": true}"#, None),
    ("PATCH", "/orgs/{org}/sites/{site}/site-spaces/{onsite}", r#"{"path": "p-{n}"}"#, None),
    ("DELETE", "/orgs/{org}/sites/{site}/site-spaces/{onsite}", "", None),
    ("GET", "/orgs/{org}/sites/{site}/site-spaces?limit={n}", "", Some("onsite")),
    ("POST", "/orgs/{org}/sites/{site}/sections", r#"{"spaceId": "{space}", "title": "{text}"}"#, Some("section")),
    ("PATCH", "/orgs/{org}/sites/{site}/sections/{section}", r#"{"title": "{text}"}"#, None),
    ("DELETE", "/orgs/{org}/sites/{site}/sections/{section}", "", None),
    ("GET", "/orgs/{org}/sites/{site}/sections?limit={n}", "", Some("section")),
    ("POST", "/orgs/{org}/sites/{site}/section-groups", r#"{"title": "{text}"}"#, Some("group")),
    ("POST", "/orgs/{org}/sites/{site}/section-groups/{group}/sections", r#"{"sectionId": "{section}"}"#, None),
    (
        "PATCH",
        "/orgs/{org}/sites/{site}/structure/sort",
        r#"{"item": {"type": "site-section", "id": "{section}"}, "position": {}}"#,
        None,
    ),
    ("POST", "/orgs/{org}/sites/{site}/sections/{section}/move", "{}", None),
    ("POST", "/orgs/{org}/sites/{site}/section-groups/{group}/move", "{}", None),
    ("DELETE", "/orgs/{org}/sites/{site}/section-groups/{group}", "", None),
    (
        "POST",
        "/orgs/{org}/sites/{site}/external-links",
        r#"{"title": "{text}", "url": "https://example.org/{n}"}"#,
        Some("link"),
    ),
    ("DELETE", "/orgs/{org}/sites/{site}/external-links/{link}", "", None),
    (
        "POST",
        "/orgs/{org}/sites/{site}/redirects",
        r#"{"source": "/old-{n}", "destination": {"kind": "external", "url": "https://example.org/{n}"}}"#,
        Some("redirect"),
    ),
    ("PATCH", "/orgs/{org}/sites/{site}/redirects/{redirect}", r#"{"source": "{text}", "draft": true}"#, None),
    ("DELETE", "/orgs/{org}/sites/{site}/redirects/{redirect}", "", None),
    ("GET", "/orgs/{org}/sites/{site}/redirects?limit={n}", "", None),
    ("POST", "/orgs/{org}/sites/{site}/search", r#"{"query": "{word}"}"#, None),
];

const SPECS: &[Row] = &[
    (
        "POST",
        "/orgs/{org}/openapi",
        r#"{"slug": "pets-{n}", "source": {"text": "{\"openapi\": \"3.1.0\", \"info\": {\"title\": \"Pets {n}\"}}"}}"#,
        None,
    ),
    (
        "PUT",
        "/orgs/{org}/openapi/pets-{n}",
        r#"{"source": {"text": "openapi: 3.0.3\ninfo: {title: Pets, version: '{n}'}\npaths: {/p: {get: {responses: {}}}}"}}"#,
        None,
    ),
    ("PUT", "/orgs/{org}/openapi/pets-{n}", r#"{"source": {"text": "{text}"}}"#, None),
    ("PATCH", "/orgs/{org}/openapi/pets-{n}", r#"{"visibility": "public"}"#, None),
    ("GET", "/orgs/{org}/openapi?limit={n}", "", None),
    ("GET", "/orgs/{org}/openapi/pets-{n}", "", None),
    ("GET", "/orgs/{org}/openapi/pets-{n}/versions", "", Some("version")),
    ("GET", "/orgs/{org}/openapi/pets-{n}/versions/latest", "", None),
    ("GET", "/orgs/{org}/openapi/pets-{n}/versions/latest/content", "", None),
    ("GET", "/orgs/{org}/openapi/pets-{n}/versions/{version}/content", "", None),
    ("DELETE", "/orgs/{org}/openapi/pets-{n}", "", None),
];

const TRANSLATIONS_AND_CONVERSATIONS: &[Row] = &[
    (
        "POST",
        "/orgs/{org}/translations",
        r#"{"source": {"space": "{space}", "language": "en"}, "language": "de"}"#,
        Some("translation"),
    ),
    ("GET", "/orgs/{org}/translations?limit={n}", "", None),
    ("GET", "/orgs/{org}/translations/{translation}", "", None),
    ("POST", "/orgs/{org}/translations/{translation}/run", "", None),
    ("DELETE", "/orgs/{org}/translations/{translation}", "", None),
    (
        "PUT",
        "/orgs/{org}/translations-glossary",
        r#"{"operations": [{"type": "insert", "translations": {"en": "{text}", "de": "{text}"}}]}"#,
        None,
    ),
    ("GET", "/orgs/{org}/translations-glossary?limit={n}", "", Some("term")),
    ("GET", "/orgs/{org}/translations-glossary/{term}", "", None),
    (
        "POST",
        "/orgs/{org}/conversations",
        r#"{"id": "talk-{n}", "parts": [{"type": "message", "role": "user", "body": "{text} cannot {word} the export"}]}"#,
        None,
    ),
    (
        "POST",
        "/orgs/{org}/conversations",
        r#"{"id": "{text}", "subject": "{text}", "parts": [{"type": "message", "role": "user", "body": "How can I {word}?"}]}"#,
        None,
    ),
    ("GET", "/orgs/{org}/conversations?limit={n}", "", None),
    ("GET", "/orgs/{org}/conversations/talk-{n}", "", None),
    ("DELETE", "/orgs/{org}/conversations/talk-{n}", "", None),
    ("GET", "/orgs/{org}/conversations-issues?limit={n}", "", Some("issue")),
    ("GET", "/orgs/{org}/conversations-issues/{issue}", "", None),
    ("GET", "/orgs/{org}/conversations-clusters?limit={n}", "", Some("cluster")),
    ("GET", "/orgs/{org}/conversations-clusters/{cluster}", "", None),
    ("PATCH", "/orgs/{org}/conversations-clusters/{cluster}", r#"{"muted": true}"#, None),
];

/// Without deliveries: when they are tried again follows from their ids.
const WEBHOOKS_AND_NOTIFICATIONS: &[Row] = &[
    ("POST", "/orgs/{org}/webhooks", r#"{"url": "https://127.0.0.1/{n}", "description": "{text}"}"#, Some("webhook")),
    ("PATCH", "/orgs/{org}/webhooks/{webhook}", r#"{"description": "{text}"}"#, None),
    ("POST", "/orgs/{org}/webhooks/{webhook}/ping", "", None),
    ("GET", "/orgs/{org}/webhooks?limit={n}", "", None),
    ("GET", "/orgs/{org}/webhooks/{webhook}", "", None),
    ("DELETE", "/orgs/{org}/webhooks/{webhook}", "", None),
    ("PUT", "/spaces/{space}/notification-settings", r#"{"level": "{told}"}"#, None),
    ("GET", "/spaces/{space}/notification-settings", "", None),
    ("GET", "/user/notifications?limit={n}", "", Some("notification")),
    ("PATCH", "/user/notifications/{notification}", r#"{"read": true}"#, None),
    ("POST", "/user/notifications/read", r#"{"until": "{notification}"}"#, None),
    ("PATCH", "/user/notification-settings", r#"{"email": false}"#, None),
];

const AREAS: &[&[Row]] = &[SITES, PARTS_OF_SITES, SPECS, TRANSLATIONS_AND_CONVERSATIONS, WEBHOOKS_AND_NOTIFICATIONS];

/// The word in braces at the start of a text, and what follows it.
fn word_in_braces(text: &str) -> Option<(&str, &str)> {
    let (word, rest) = text.strip_prefix('{')?.split_once('}')?;
    (!word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())).then_some((word, rest))
}

impl Player {
    /// A request of an area.
    pub(super) fn about_areas(&mut self) -> Operation {
        let rows = self.random.one(AREAS);
        let (method, path, body, makes) = rows[self.random.below(rows.len())];
        let mut values = BTreeMap::new();
        let paths = self.filled(path, &mut values);
        let bodies = match body {
            "" => [None, None],
            body => self.filled(body, &mut values).map(|body| Some(serde_json::from_str(&body).unwrap())),
        };
        Operation { method: method.parse().unwrap(), paths, bodies, makes }
    }

    /// A text for each server, with values in place of the words in braces. A word has one value in a request.
    fn filled(&mut self, template: &'static str, values: &mut BTreeMap<&'static str, Both<String>>) -> Both<String> {
        let (mut filled, mut rest) = (Both::<String>::default(), template);
        while let Some(first) = rest.chars().next() {
            let value = if let Some((word, behind)) = word_in_braces(rest) {
                rest = behind;
                values.entry(word).or_insert_with(|| self.value(word)).clone()
            } else {
                rest = &rest[first.len_utf8()..];
                [first.to_string(), first.to_string()]
            };
            for (text, value) in filled.iter_mut().zip(&value) {
                text.push_str(value);
            }
        }
        filled
    }

    /// The value of a word, as in a JSON string.
    fn value(&mut self, word: &'static str) -> Both<String> {
        let same = |text: &str| {
            let quoted = serde_json::to_string(text).unwrap();
            let inner = quoted[1..quoted.len() - 1].to_owned();
            [inner.clone(), inner]
        };
        match word {
            "org" => self.servers.organization(),
            "user" => self.user(),
            "text" => same(&self.random.text()),
            "n" => same(&self.random.below(9).to_string()),
            "word" => same(self.random.one(&["reset", "print", "guide", "engine", "merge", "strasse"])),
            "level" => same(self.random.one(&["admin", "edit", "read", "owner"])),
            "told" => same(self.random.one(&["all", "participating", "none", "some"])),
            "visibility" => same(self.random.one(&["public", "unlisted", "share-link", "in-collection", "odd"])),
            kind => self.pick(kind),
        }
    }
}
