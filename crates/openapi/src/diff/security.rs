//! Compares the security and the servers of operations, which an operation states itself or inherits from the document.
use super::compare::{Comparison, Location, Topic, Unit};
use super::matching::Operation;
use super::rules::Rule;
use super::sides::Side;
use super::subject::Subject;
use crate::tree::Node;
use crate::wording::quoted;
use indexmap::IndexSet;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

/// The maximum number of alternatives that are compared with each one that has no equal.
const MAX_ALTERNATIVES: usize = 100;

/// The fields of a security scheme that callers depend on.
const SCHEME_KEYS: [&str; 4] = ["type", "name", "in", "scheme"];
/// The fields of a security scheme with addresses.
const SCHEME_ADDRESSES: [&str; 2] = ["openIdConnectUrl", "oauth2MetadataUrl"];
/// The fields of a flow with addresses.
const FLOW_ADDRESSES: [&str; 4] = ["authorizationUrl", "tokenUrl", "refreshUrl", "deviceAuthorizationUrl"];

/// The schemes that a call needs together, with their scopes.
type Alternative<'a> = BTreeMap<String, (&'a str, BTreeSet<&'a str>)>;

/// A security scheme that changed: its name, and its value in both documents.
pub(super) type ChangedScheme<'a> = (&'a str, &'a Node, &'a Node);

/// The security schemes of a document.
fn schemes<'a>(side: &Side<'a>) -> Option<&'a Node> {
    side.root.get("components")?.get("securitySchemes")
}

impl<'a> Comparison<'a> {
    /// Compares the security and the servers of an operation of a path: its own, or else those of the document.
    pub(super) fn inherited(&mut self, unit: usize, old: &Operation<'a>, new: &Operation<'a>) {
        let nothing = self.nothing;
        let [old_root, new_root] = [self.sides.old.root, self.sides.new.root];
        let security = |operation: &Operation<'a>, root: &'a Node| {
            operation.node.get("security").or_else(|| root.get("security")).unwrap_or(nothing)
        };
        self.securities(unit, security(old, old_root), security(new, new_root));
        let servers = |operation: &Operation<'a>, root: &'a Node| {
            let owners = [operation.node.get("servers"), operation.of_item("servers"), root.get("servers")];
            // An empty list states nothing.
            owners.into_iter().flatten().find(|servers| !servers.items().is_empty()).unwrap_or(nothing)
        };
        let (before, after) = (servers(old, old_root), servers(new, new_root));
        self.reach(unit, Topic::Servers, before, after, Subject::part("the servers"));
    }

    /// Compares the security of an operation of a webhook or a callback: that of the document does not apply there.
    pub(super) fn own_security(&mut self, unit: usize, old: &'a Node, new: &'a Node) {
        let nothing = self.nothing;
        let security = |operation: &'a Node| operation.get("security").unwrap_or(nothing);
        self.securities(unit, security(old), security(new));
    }

    fn securities(&mut self, unit: usize, old: &'a Node, new: &'a Node) {
        self.reach(unit, Topic::Security, old, new, Subject::part("security"));
        for &(name, before, after) in self.changed_schemes(new).iter() {
            let subject = Subject::part(format!("security scheme {}", quoted(name)));
            self.reach(unit, Topic::SecurityScheme, before, after, subject);
        }
    }

    /// The security schemes of a list of requirements that changed. Many operations can have one long list, so each
    /// list is read once.
    fn changed_schemes(&mut self, requirements: &'a Node) -> Rc<[ChangedScheme<'a>]> {
        let list = std::ptr::from_ref(requirements);
        if let Some(found) = self.changed_schemes.get(&list) {
            return Rc::clone(found);
        }
        let (before, after) = (schemes(&self.sides.old), schemes(&self.sides.new));
        let names: IndexSet<&str> = requirements.items().iter().flat_map(Node::members).map(|(name, _)| name).collect();
        let changed = names.into_iter().filter_map(|name| {
            let (before, after) = (before?.get(name)?, after?.get(name)?);
            (!self.sides.equal(before, after)).then_some((name, before, after))
        });
        let found: Rc<[ChangedScheme<'a>]> = changed.collect();
        self.changed_schemes.insert(list, Rc::clone(&found));
        found
    }

    /// Compares two lists of requirements. Each item of a list is an alternative.
    pub(super) fn security(&mut self, unit: usize) {
        let Some(Unit { old, new, .. }) = self.units.get(unit) else { return };
        let (old, new) = (*old, *new);
        let location = if std::ptr::eq(new, self.nothing) { Location::Old(old) } else { Location::New(new) };
        let before = alternatives(old, &self.sides.old, &self.sides.new);
        let after = alternatives(new, &self.sides.new, &self.sides.old);
        for (alternative, scopes) in uncovered(&before, &after) {
            if scopes.is_empty() {
                let text = match names(alternative) {
                    None => "calls without authorization are no longer allowed".to_owned(),
                    Some(names) => format!("security {names} is no longer enough"),
                };
                self.report_text(unit, Rule::SecurityAdded, location, text);
            } else {
                let text =
                    format!("security {} needs {}, too", names(alternative).unwrap_or_default(), listed(&scopes));
                self.report_text(unit, Rule::ScopeAdded, location, text);
            }
        }
        for (alternative, scopes) in uncovered(&after, &before) {
            if scopes.is_empty() {
                let text = match names(alternative) {
                    None => "calls without authorization are allowed".to_owned(),
                    Some(names) => format!("security {names} is enough"),
                };
                self.report_text(unit, Rule::SecurityRemoved, location, text);
            } else {
                let names = names(alternative).unwrap_or_default();
                let text = format!("security {names} no longer needs {}", listed(&scopes));
                self.report_text(unit, Rule::ScopeRemoved, location, text);
            }
        }
    }

    /// Compares a security scheme.
    pub(super) fn security_scheme(&mut self, unit: usize) {
        let Some(Unit { old, new, .. }) = self.units.get(unit) else { return };
        let (old, new) = (*old, *new);
        if let Some(location) = self.differing(old, new, &SCHEME_KEYS) {
            self.report(unit, Rule::SecuritySchemeChanged, location, "works in another way");
        }
        if let Some(location) = self.differing(old, new, &SCHEME_ADDRESSES) {
            self.report(unit, Rule::SecurityAddressChanged, location, "has another address");
        }
        self.deprecation(unit, old, new);
        self.words(unit, old, new, &["description", "bearerFormat"]);
        let nothing = self.nothing;
        let [before, after] = [old, new].map(|scheme| scheme.get("flows").unwrap_or(nothing));
        for (name, flow) in before.members() {
            match after.get(name) {
                Some(other) => {
                    if let Some(location) = self.differing(flow, other, &FLOW_ADDRESSES) {
                        let predicate = format!("has another address for the flow {}", quoted(name));
                        self.report(unit, Rule::SecurityAddressChanged, location, predicate);
                    }
                }
                None => {
                    let predicate = format!("no longer has the flow {}", quoted(name));
                    self.report(unit, Rule::SecurityFlowRemoved, Location::Old(flow), predicate);
                }
            }
        }
        for (name, flow) in after.members().filter(|(name, _)| before.get(name).is_none()) {
            let predicate = format!("has the flow {}", quoted(name));
            self.report(unit, Rule::SecurityFlowAdded, Location::New(flow), predicate);
        }
    }

    /// Compares two lists of servers.
    pub(super) fn servers(&mut self, unit: usize) {
        let Some(Unit { old, new, .. }) = self.units.get(unit) else { return };
        let (before, after) = (servers(old, self.nothing), servers(new, self.nothing));
        for (address, server) in &before {
            let Some(other) = after.get(address) else {
                let text = format!("server {} was removed", quoted(address));
                self.report_text(unit, Rule::ServerRemoved, Location::Old(server), text);
                continue;
            };
            let [old, new] = [*server, *other].map(|server| server.get("variables").and_then(Node::as_map));
            let names: BTreeSet<&Box<str>> = [old, new].into_iter().flatten().flat_map(|map| map.keys()).collect();
            for name in names {
                let [old, new] = [old, new].map(|map| map.and_then(|map| map.get(name)).map(|member| &member.node));
                let nothing = self.nothing;
                let (old, new) = (old.unwrap_or(nothing), new.unwrap_or(nothing));
                if let Some(location) = self.differing(old, new, &["default", "enum"]) {
                    let text = format!("server {} has other values for {}", quoted(address), quoted(name));
                    self.report_text(unit, Rule::ServerVariablesChanged, location, text);
                }
            }
            if let Some(location) = self.differing(server, other, &["description", "name"]) {
                let text = format!("server {} has another description", quoted(address));
                self.report_text(unit, Rule::DescriptionChanged, location, text);
            }
        }
        for (address, server) in after.iter().filter(|(address, _)| !before.contains_key(*address)) {
            let text = format!("server {} was added", quoted(address));
            self.report_text(unit, Rule::ServerAdded, Location::New(server), text);
        }
    }
}

/// The servers of a list by their addresses. An empty list means the host of the document.
fn servers<'a>(list: &'a Node, nothing: &'a Node) -> BTreeMap<&'a str, &'a Node> {
    let servers = list.items().iter();
    let mut found: BTreeMap<&str, &Node> =
        servers.filter_map(|server| Some((server.text_of("url")?, server))).collect();
    if found.is_empty() {
        found.insert("/", nothing);
    }
    found
}

/// The alternatives of a list of requirements; an alternative without schemes if the list is empty.
///
/// A scheme that only one of the documents has is identified by its content, so another name is not a change.
fn alternatives<'a>(list: &'a Node, side: &Side<'a>, other: &Side<'a>) -> Vec<Alternative<'a>> {
    let known = |side: &Side<'a>, name: &str| schemes(side).and_then(|schemes| schemes.get(name));
    let key = |name: &str| match (known(side, name), known(other, name)) {
        (Some(scheme), None) => format!("#{}", side.hash(scheme)),
        _ => name.to_owned(),
    };
    let scopes = |node: &'a Node| node.items().iter().filter_map(Node::as_text).collect();
    let requirements = list.items().iter().filter_map(Node::as_map);
    let mut found: Vec<Alternative<'a>> = requirements
        .map(|members| members.iter().map(|(name, member)| (key(name), (&**name, scopes(&member.node)))).collect())
        .collect();
    if found.is_empty() {
        found.push(Alternative::new());
    }
    found
}

/// The alternatives that the other list does not cover; if only scopes are missing, these scopes.
fn uncovered<'a, 'l>(
    list: &'l [Alternative<'a>],
    other: &'l [Alternative<'a>],
) -> Vec<(&'l Alternative<'a>, BTreeSet<&'a str>)> {
    let needs = |alternative: &Alternative<'a>| -> Vec<(String, Vec<&'a str>)> {
        let entry =
            |(key, (_, scopes)): (&String, &(&str, BTreeSet<&'a str>))| (key.clone(), scopes.iter().copied().collect());
        alternative.iter().map(entry).collect()
    };
    let equal: HashSet<_> = other.iter().map(needs).collect();
    let mut found = Vec::new();
    for alternative in list.iter().filter(|alternative| !equal.contains(&needs(alternative))) {
        let mut missing = BTreeSet::new();
        let is_covered = other.iter().take(MAX_ALTERNATIVES).any(|other| {
            if !other.keys().all(|key| alternative.contains_key(key)) {
                return false;
            }
            let more: BTreeSet<&str> = other
                .iter()
                .flat_map(|(key, (_, scopes))| {
                    let own = alternative.get(key).map(|(_, scopes)| scopes);
                    scopes.iter().copied().filter(move |scope| own.is_none_or(|own| !own.contains(scope)))
                })
                .collect();
            let is_covered = more.is_empty();
            if missing.is_empty() && other.len() == alternative.len() {
                missing = more;
            }
            is_covered
        });
        if !is_covered {
            found.push((alternative, missing));
        }
    }
    found
}

/// The names of the schemes of an alternative; `None` if it needs none.
fn names(alternative: &Alternative<'_>) -> Option<String> {
    let names: Vec<String> = alternative.values().take(5).map(|(name, _)| quoted(name)).collect();
    (!names.is_empty()).then(|| names.join(" and "))
}

fn listed(scopes: &BTreeSet<&str>) -> String {
    let names: Vec<String> = scopes.iter().take(5).map(|scope| quoted(scope)).collect();
    let more = scopes.len().saturating_sub(names.len());
    let noun = if scopes.len() == 1 { "scope" } else { "scopes" };
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("the {noun} {}{rest}", names.join(", "))
}
