//! Parameters of operations and headers of responses.
use super::compare::{Comparison, Location, Topic, Unit};
use super::matching::{Operation, parameter_names};
use super::rules::Rule;
use super::schema::types_of;
use super::sides::Side;
use super::subject::Subject;
use crate::schema::Types;
use crate::shape::ObjectKind;
use crate::tree::Node;
use crate::wording::quoted;
use indexmap::IndexMap;

/// The rules for parts that can be added, removed, required and optional.
pub(super) struct Presence {
    pub(super) added: [Rule; 2],
    pub(super) removed: [Rule; 2],
    pub(super) now_required: Rule,
    pub(super) now_optional: Rule,
}

/// The rules of parameters: for optional and for required ones.
const PARAMETER: Presence = Presence {
    added: [Rule::ParameterAdded, Rule::RequiredParameterAdded],
    removed: [Rule::ParameterRemoved, Rule::RequiredParameterRemoved],
    now_required: Rule::ParameterNowRequired,
    now_optional: Rule::ParameterNowOptional,
};

/// The rules of headers.
const HEADER: Presence = Presence {
    added: [Rule::HeaderAdded, Rule::RequiredHeaderAdded],
    removed: [Rule::HeaderRemoved, Rule::RequiredHeaderRemoved],
    now_required: Rule::HeaderNowRequired,
    now_optional: Rule::HeaderNowOptional,
};

impl Presence {
    pub(super) fn added(&self, is_required: bool) -> Rule {
        let [optional, required] = self.added;
        if is_required { required } else { optional }
    }

    pub(super) fn removed(&self, is_required: bool) -> Rule {
        let [optional, required] = self.removed;
        if is_required { required } else { optional }
    }
}

/// A parameter in the list of an operation or its path item.
struct Listed<'a> {
    /// The item of the list, which can be a reference.
    entry: &'a Node,
    node: &'a Node,
}

impl<'a> Listed<'a> {
    fn is_in(&self, place: &str) -> bool {
        self.node.text_of("in") == Some(place)
    }

    fn subject(&self) -> Subject {
        let text = |key| self.node.text_of(key).unwrap_or_default();
        let place = match text("in") {
            place @ ("query" | "header" | "path" | "cookie" | "querystring") => place,
            _ => "other",
        };
        Subject::part(format!("{place} parameter {}", quoted(text("name"))))
    }
}

/// The identity of a parameter within its operation: its place and its name. For a path parameter, its index counts.
type Name = (String, String);

/// The parameters of an operation with those of its path item, by name.
fn listed<'a>(side: &Side<'a>, operation: &Operation<'a>) -> IndexMap<Name, Listed<'a>> {
    let positions: IndexMap<&str, ()> = parameter_names(operation.path).map(|name| (name, ())).collect();
    let mut found = IndexMap::new();
    let owners = [Some(operation.node), Some(operation.item), operation.target];
    let lists = owners.into_iter().flatten().filter_map(|owner| owner.get("parameters")?.as_list());
    for entry in lists.flatten() {
        let Some(followed) = side.follow(entry, ObjectKind::Parameter) else { continue };
        let (Some(place), Some(name)) = (followed.node.text_of("in"), followed.node.text_of("name")) else { continue };
        let name = match (place, positions.get_index_of(name)) {
            ("path", Some(position)) => format!("{{{position}}}"),
            ("header", _) => name.to_ascii_lowercase(),
            _ => name.to_owned(),
        };
        found.entry((place.to_owned(), name)).or_insert(Listed { entry, node: followed.node });
    }
    found
}

impl<'a> Comparison<'a> {
    /// Compares the parameters of an operation.
    pub(super) fn parameters(&mut self, unit: usize, old: &Operation<'a>, new: &Operation<'a>) {
        let (before, after) = (listed(&self.sides.old, old), listed(&self.sides.new, new));
        for (name, parameter) in &before {
            match after.get(name) {
                Some(other) => self.reach(unit, Topic::Parameter, parameter.entry, other.entry, other.subject()),
                None => {
                    let rule = PARAMETER.removed(parameter.node.is_true("required"));
                    self.report_removed(unit, &parameter.subject(), rule, parameter.entry, parameter.node);
                }
            }
        }
        for (name, parameter) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
            // Callers had to fill in the path before, even if the document did not describe this parameter.
            let in_old_path = parameter.is_in("path") && name.1.starts_with('{');
            let is_required = parameter.node.is_true("required") && !in_old_path;
            let rule = PARAMETER.added(is_required);
            let predicate = if is_required { "was added and is required" } else { "was added" };
            self.report_of(unit, &parameter.subject(), rule, Location::New(parameter.entry), predicate);
        }
    }

    /// Compares the headers of a response. `owner` is the response in words: `response 200`.
    pub(super) fn headers(&mut self, unit: usize, owner: &str, old: Option<&'a Node>, new: Option<&'a Node>) {
        let nothing = self.nothing;
        let by_name = |headers: Option<&'a Node>| -> IndexMap<String, (&'a str, &'a Node)> {
            let members = headers.unwrap_or(nothing).members();
            let found = members.map(|(name, node)| (name.to_ascii_lowercase(), (name, node)));
            // The specification ignores this header: the media types decide.
            found.filter(|(name, _)| name != "content-type").collect()
        };
        let (before, after) = (by_name(old), by_name(new));
        let subject = |name: &str| Subject::part(format!("header {} of the {owner}", quoted(name)));
        let is_required = |side: &Side<'a>, node| {
            side.follow(node, ObjectKind::Header).is_some_and(|followed| followed.node.is_true("required"))
        };
        for (key, (name, header)) in &before {
            match after.get(key) {
                Some((name, other)) => self.reach(unit, Topic::Header, header, other, subject(name)),
                None => {
                    let rule = HEADER.removed(is_required(&self.sides.old, header));
                    let node =
                        self.sides.old.follow(header, ObjectKind::Header).map_or(*header, |followed| followed.node);
                    self.report_removed(unit, &subject(name), rule, header, node);
                }
            }
        }
        for (_, (name, header)) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
            let rule = HEADER.added(is_required(&self.sides.new, header));
            self.report_of(unit, &subject(name), rule, Location::New(header), "was added");
        }
    }

    /// Compares a parameter or a header.
    pub(super) fn parameter(&mut self, unit: usize) {
        let Some(Unit { topic, old, new, subject, .. }) = self.units.get(unit) else { return };
        let (topic, old, new, subject) = (*topic, *old, *new, subject.clone());
        let is_header = topic == Topic::Header;
        let rules = if is_header { &HEADER } else { &PARAMETER };
        self.presence(unit, rules, old, new);
        let mut styles = [Style::of(old, is_header), Style::of(new, is_header)];
        // `explode` says how lists and mappings are written.
        let have_parts = may_have_parts(&self.sides.old, old) && may_have_parts(&self.sides.new, new);
        if !have_parts {
            styles.iter_mut().for_each(|style| style.explode = false);
        }
        let [before, after] = styles;
        if before != after {
            let rule = if is_header { Rule::HeaderStyleChanged } else { Rule::ParameterStyleChanged };
            let keys = ["style", "explode", "allowReserved", "content"];
            let location = keys.iter().find_map(|key| new.get(key)).unwrap_or(new);
            self.report(unit, rule, Location::New(location), "is written in another way");
        }
        self.deprecation(unit, old, new);
        self.words(unit, old, new, &["description"]);
        if let (Some(before), Some(after)) = (schema_of(old), schema_of(new)) {
            self.reach(unit, Topic::Schema, before, after, subject);
        }
    }

    /// Compares `required`.
    pub(super) fn presence(&mut self, unit: usize, rules: &Presence, old: &'a Node, new: &'a Node) {
        match (old.is_true("required"), new.is_true("required")) {
            (false, true) => {
                let location = Location::New(new.get("required").unwrap_or(new));
                self.report(unit, rules.now_required, location, "is now required");
            }
            (true, false) => self.report(unit, rules.now_optional, Location::New(new), "is no longer required"),
            _ => {}
        }
    }
}

/// How the values of a parameter are written.
#[derive(PartialEq, Eq)]
struct Style<'a> {
    style: &'a str,
    explode: bool,
    is_reserved: bool,
    /// The media type of a parameter with `content`.
    media_type: Option<&'a str>,
}

impl<'a> Style<'a> {
    fn of(node: &'a Node, is_header: bool) -> Self {
        let default = match node.text_of("in") {
            Some("query" | "cookie") if !is_header => "form",
            _ => "simple",
        };
        let style = node.text_of("style").unwrap_or(default);
        let explode = match style {
            // It has no effect there.
            "deepObject" => false,
            _ if node.get("explode").is_some() => node.is_true("explode"),
            style => matches!(style, "form" | "cookie"),
        };
        Self {
            style,
            explode,
            is_reserved: node.is_true("allowReserved"),
            media_type: only_content(node).map(|(name, _)| name),
        }
    }
}

/// Whether the value of a parameter or header can be a list or a mapping.
fn may_have_parts<'a>(side: &Side<'a>, node: &'a Node) -> bool {
    schema_of(node).is_none_or(|schema| !types_of(side, schema).and(Types::COMPOUND).is_empty())
}

fn only_content(node: &Node) -> Option<(&str, &Node)> {
    node.get("content")?.as_map()?.first().map(|(name, member)| (&**name, &member.node))
}

/// The schema of a parameter: its own, or that of its media type.
fn schema_of(node: &Node) -> Option<&Node> {
    node.get("schema").or_else(|| only_content(node)?.1.get("schema"))
}
