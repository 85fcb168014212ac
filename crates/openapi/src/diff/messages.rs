//! Request bodies, media types and responses.
use super::compare::{Comparison, Location, Topic, Unit};
use super::parameters::Presence;
use super::rules::Rule;
use super::subject::{Subject, name};
use crate::shape::ObjectKind;
use crate::tree::Node;
use crate::wording::{quoted, unquoted};
use indexmap::IndexMap;

/// The rules of request bodies: for optional and for required ones.
const BODY: Presence = Presence {
    added: [Rule::BodyAdded, Rule::RequiredBodyAdded],
    removed: [Rule::BodyRemoved, Rule::RequiredBodyRemoved],
    now_required: Rule::BodyNowRequired,
    now_optional: Rule::BodyNowOptional,
};

impl<'a> Comparison<'a> {
    /// Compares the request bodies of an operation.
    pub(super) fn bodies(&mut self, unit: usize, old: Option<&'a Node>, new: Option<&'a Node>) {
        let subject = Subject::part("the request body");
        match (old, new) {
            (Some(old), Some(new)) => self.reach(unit, Topic::Body, old, new, subject),
            (Some(old), None) => {
                let body = self.sides.old.follow(old, ObjectKind::RequestBody).map_or(old, |followed| followed.node);
                let rule = BODY.removed(body.is_true("required"));
                self.report_removed(unit, &subject, rule, old, body);
            }
            (None, Some(new)) => {
                let body = self.sides.new.follow(new, ObjectKind::RequestBody).map_or(new, |followed| followed.node);
                let is_required = body.is_true("required");
                let predicate = if is_required { "was added and is required" } else { "was added" };
                self.report_of(unit, &subject, BODY.added(is_required), Location::New(new), predicate);
            }
            (None, None) => {}
        }
    }

    /// Compares a request body.
    pub(super) fn body(&mut self, unit: usize) {
        let Some(Unit { old, new, .. }) = self.units.get(unit) else { return };
        let (old, new) = (*old, *new);
        self.presence(unit, &BODY, old, new);
        self.words(unit, old, new, &["description"]);
        self.contents(unit, "request body", old.get("content"), new.get("content"));
    }

    /// Compares the media types of a part of an operation, such as `response 200`.
    fn contents(&mut self, unit: usize, owner: &str, old: Option<&'a Node>, new: Option<&'a Node>) {
        let (before, after) = (media_types(old), media_types(new));
        let subject = |name: &str| Subject::part(format!("the {owner} ({})", unquoted(name)));
        for (key, (name, media)) in &before {
            match after.get(key) {
                Some((name, other)) => self.reach(unit, Topic::MediaType, media, other, subject(name)),
                None => {
                    let text = format!("the {owner} can no longer be {}", quoted(name));
                    self.report_text(unit, Rule::MediaTypeRemoved, Location::Old(media), text);
                }
            }
        }
        for (_, (name, media)) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
            let text = format!("the {owner} can be {}", quoted(name));
            self.report_text(unit, Rule::MediaTypeAdded, Location::New(media), text);
        }
    }

    /// Compares a media type.
    pub(super) fn media_type(&mut self, unit: usize) {
        let Some(Unit { old, new, subject, .. }) = self.units.get(unit) else { return };
        let (old, new, subject) = (*old, *new, subject.clone());
        self.words(unit, old, new, &[]);
        if let Some(location) = self.differing(old, new, &["encoding", "prefixEncoding", "itemEncoding"]) {
            self.report(unit, Rule::EncodingChanged, location, "is encoded in another way");
        }
        let nothing = self.nothing;
        let schema = |node: &'a Node, key| node.get(key).unwrap_or(nothing);
        self.reach(unit, Topic::Schema, schema(old, "schema"), schema(new, "schema"), subject.clone());
        self.reach(unit, Topic::Schema, schema(old, "itemSchema"), schema(new, "itemSchema"), subject.items());
    }

    /// Compares the responses of an operation, whose direction is the opposite of the operation's.
    pub(super) fn responses(&mut self, unit: usize, old: Option<&'a Node>, new: Option<&'a Node>) {
        let nothing = self.nothing;
        let (old, new) = (old.unwrap_or(nothing), new.unwrap_or(nothing));
        if self.sides.equal(old, new) {
            return;
        }
        let Some(operation) = self.units.get(unit) else { return };
        let unit = Unit {
            topic: Topic::Operation,
            usage: operation.usage.inverted(),
            subject: operation.subject.clone(),
            parents: vec![unit],
            operation: None,
            ..*operation
        };
        let unit = self.add(unit);
        let statuses = |node: &'a Node| node.members().filter(|(status, _)| !status.starts_with("x-"));
        for (status, before) in statuses(old) {
            match new.get(status).or_else(|| range_of(status, new)).or_else(|| default_of(status, new)) {
                Some(after) => self.reach(unit, Topic::Response, before, after, response(status, after)),
                None => {
                    let text = format!("response {} was removed", unquoted(status));
                    self.report_text(unit, Rule::StatusRemoved, Location::Old(before), text);
                }
            }
        }
        for (status, after) in statuses(new).filter(|(status, _)| old.get(status).is_none()) {
            match range_of(status, old) {
                Some(range) => {
                    let subject = response(status, after);
                    self.reach(unit, Topic::Response, range, after, subject);
                }
                None => {
                    let text = format!("response {} was added", unquoted(status));
                    self.report_text(unit, Rule::StatusAdded, Location::New(after), text);
                }
            }
        }
    }

    /// Compares a response.
    pub(super) fn response(&mut self, unit: usize) {
        let Some(Unit { old, new, subject, .. }) = self.units.get(unit) else { return };
        let (old, new, owner) = (*old, *new, subject.to_string());
        self.words(unit, old, new, &["description", "summary"]);
        self.headers(unit, &owner, old.get("headers"), new.get("headers"));
        self.contents(unit, &owner, old.get("content"), new.get("content"));
        self.links(unit, &owner, old.get("links"), new.get("links"));
    }

    fn links(&mut self, unit: usize, owner: &str, old: Option<&'a Node>, new: Option<&'a Node>) {
        let nothing = self.nothing;
        let (old, new) = (old.unwrap_or(nothing), new.unwrap_or(nothing));
        for (name, link) in old.members().filter(|(name, _)| new.get(name).is_none()) {
            let text = format!("link {} of the {owner} was removed", quoted(name));
            self.report_text(unit, Rule::LinkRemoved, Location::Old(link), text);
        }
        for (name, link) in new.members().filter(|(name, _)| old.get(name).is_none()) {
            let text = format!("link {} of the {owner} was added", quoted(name));
            self.report_text(unit, Rule::LinkAdded, Location::New(link), text);
        }
    }
}

/// The response for all statuses with the same first digit: that of `2XX` for 201.
fn range_of<'a>(status: &str, responses: &'a Node) -> Option<&'a Node> {
    let first = status.chars().next().filter(|_| status.len() == 3)?;
    responses.get(&format!("{first}XX"))
}

/// The response for all other statuses, if this one is an error: authors describe errors there. It does not replace the
/// response of a success.
fn default_of<'a>(status: &str, responses: &'a Node) -> Option<&'a Node> {
    responses.get("default").filter(|_| status.starts_with(['4', '5']))
}

/// A response in words: by its name if it is a reference, because it can have several statuses.
fn response(status: &str, node: &Node) -> Subject {
    Subject::part(match node.text_of("$ref") {
        Some(target) => format!("response {}", quoted(&name(target))),
        None => format!("response {}", unquoted(status)),
    })
}

/// Media types by their names without white space, capital letters and a character set.
fn media_types(content: Option<&Node>) -> IndexMap<String, (&str, &Node)> {
    let key = |name: &str| {
        let name = name.to_ascii_lowercase();
        let parts: Vec<&str> = name.split(';').map(str::trim).filter(|part| !part.starts_with("charset=")).collect();
        parts.join(";")
    };
    content.into_iter().flat_map(Node::members).map(|(name, node)| (key(name), (name, node))).collect()
}
