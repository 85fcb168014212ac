//! The course of a comparison.
//!
//! A [`Unit`] is a pair of values, one of each document, that is compared in one direction. Whatever leads to the same
//! pair leads to the same unit, so it is compared once. Units wait in a queue: their number limits the time, and no
//! document makes the recursion deep. A unit knows the units that lead to it; upwards, these end in operations.
use super::changes::{ChangeLevel, ChangedOperation};
use super::rules::{Rule, Way};
use super::sides::{Followed, Sides};
use super::subject::Subject;
use crate::shape::Kind;
use crate::tree::{Node, Value};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;

/// What a unit compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Topic {
    Operation,
    Parameter,
    Header,
    Body,
    MediaType,
    Response,
    Callback,
    Schema,
    /// The list of security requirements that holds for an operation.
    Security,
    SecurityScheme,
    /// The list of servers that holds for an operation.
    Servers,
}

/// A pair of values.
pub(super) struct Unit<'a> {
    pub(super) topic: Topic,
    pub(super) old: &'a Node,
    pub(super) new: &'a Node,
    pub(super) way: Way,
    pub(super) subject: Subject,
    /// The units that lead here.
    pub(super) parents: Vec<usize>,
    /// The operation, if it is one.
    pub(super) operation: Option<ChangedOperation>,
}

/// A value of one of the documents: the place of a change.
#[derive(Clone, Copy)]
pub(super) enum Spot<'a> {
    Old(&'a Node),
    New(&'a Node),
}

impl<'a> Spot<'a> {
    /// The value of the new document, else that of the old one.
    pub(super) fn either(old: Option<&'a Node>, new: Option<&'a Node>, otherwise: &'a Node) -> Self {
        match (new, old) {
            (Some(node), _) => Self::New(node),
            (None, Some(node)) => Self::Old(node),
            (None, None) => Self::New(otherwise),
        }
    }

    pub(super) fn is_old(self) -> bool {
        matches!(self, Self::Old(_))
    }

    pub(super) fn address(self) -> *const Node {
        let (Self::Old(node) | Self::New(node)) = self;
        std::ptr::from_ref(node)
    }
}

/// A change that was found.
pub(super) struct Told<'a> {
    pub(super) id: String,
    pub(super) level: ChangeLevel,
    pub(super) text: String,
    pub(super) spot: Spot<'a>,
    /// The units that found it.
    pub(super) units: Vec<usize>,
}

type UnitKey = (*const Node, *const Node, Topic, Way);

/// A comparison, and what it found.
pub(super) struct Comparison<'a> {
    pub(super) sides: Sides<'a>,
    pub(super) units: Vec<Unit<'a>>,
    pub(super) told: Vec<Told<'a>>,
    /// An empty mapping for what is absent.
    pub(super) nothing: &'a Node,
    today: Option<&'a str>,
    known: HashMap<UnitKey, usize>,
    told_at: HashMap<(Rule, Option<Way>, *const Node, String), usize>,
    /// The pairs that were found to be alike although their texts differ.
    alike: HashMap<(*const Node, *const Node), bool>,
    /// The names in lists of required fields that were asked for.
    pub(super) required: HashMap<*const Node, HashSet<&'a str>>,
    /// The schemas that have different names in references at one place.
    pub(super) renamed: Vec<(&'a Node, &'a Node)>,
    budget: usize,
}

/// The steps of a comparison: so many for each list and mapping of the documents, and some for small ones. A comparison
/// of usual documents takes fewer than one for each. Documents whose references form cycles of different lengths
/// can have as many pairs as the product of their sizes.
const STEPS: (usize, usize) = (8, 100_000);

impl<'a> Comparison<'a> {
    /// Compares two documents.
    pub(super) fn run(old: &'a Node, new: &'a Node, nothing: &'a Node, today: Option<&'a str>) -> Self {
        let sides = Sides::new(old, new);
        let budget = STEPS.0 * (sides.old.size() + sides.new.size()) + STEPS.1;
        let mut comparison = Self {
            sides,
            units: Vec::new(),
            told: Vec::new(),
            nothing,
            today,
            known: HashMap::new(),
            told_at: HashMap::new(),
            alike: HashMap::new(),
            required: HashMap::new(),
            renamed: Vec::new(),
            budget,
        };
        if !comparison.sides.equal(old, new) {
            comparison.document();
        }
        if comparison.budget == 0 {
            let unit = comparison.root_unit(Way::Request);
            let text = "there is more to compare than this comparison has time for, so changes can be missing";
            comparison.tell_text(unit, Rule::TooDifferent, Spot::New(new), text.to_owned());
        }
        comparison
    }

    /// Takes so many steps; `false` if there are not so many left.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        self.budget = self.budget.saturating_sub(steps.max(1));
        self.budget > 0
    }

    /// Compares the units that wait, from this one on, and those that they lead to.
    pub(super) fn drain(&mut self, from: usize) {
        let mut at = from;
        while at < self.units.len() && self.budget > 0 {
            match self.units.get(at).map(|unit| unit.topic) {
                Some(Topic::Operation) | None => {}
                Some(Topic::Parameter | Topic::Header) => self.parameter(at),
                Some(Topic::Body) => self.body(at),
                Some(Topic::MediaType) => self.media_type(at),
                Some(Topic::Response) => self.response(at),
                Some(Topic::Callback) => self.callback(at),
                Some(Topic::Schema) => self.schema(at),
                Some(Topic::Security) => self.security(at),
                Some(Topic::SecurityScheme) => self.security_scheme(at),
                Some(Topic::Servers) => self.servers(at),
            }
            at += 1;
        }
    }

    /// Adds a unit without pairing it with others.
    pub(super) fn add(&mut self, unit: Unit<'a>) -> usize {
        self.units.push(unit);
        self.units.len() - 1
    }

    /// A unit for the documents as a whole: it belongs to no operation.
    pub(super) fn root_unit(&mut self, way: Way) -> usize {
        let (old, new) = (self.sides.old.root, self.sides.new.root);
        let subject = Subject::part("the document");
        self.add(Unit { topic: Topic::Operation, old, new, way, subject, parents: Vec::new(), operation: None })
    }

    /// Has a pair compared, if it is not equal. References are followed first.
    pub(super) fn reach(&mut self, parent: usize, topic: Topic, old: &'a Node, new: &'a Node, subject: Subject) {
        if self.sides.equal(old, new) || !self.spend(1) {
            return;
        }
        let (Some(from), Some(to)) =
            (self.sides.old.follow(old, topic.kind()), self.sides.new.follow(new, topic.kind()))
        else {
            return;
        };
        let (old, new, subject) = match (topic, from, to) {
            // A schema behind one reference is compared where the reference is: what is told belongs to that place.
            (Topic::Schema, Followed { via: None, .. }, _) | (Topic::Schema, _, Followed { via: None, .. }) => {
                (old, new, subject)
            }
            (Topic::Schema, from, Followed { node, via: Some(name) }) => {
                if from.via != Some(name) {
                    self.renamed.push((from.node, node));
                }
                (from.node, node, Subject::schema(name))
            }
            (_, from, to) => (from.node, to.node, subject),
        };
        if self.sides.equal(old, new) {
            return;
        }
        let way = self.way(parent);
        let key = |way| (std::ptr::from_ref(old), std::ptr::from_ref(new), topic, way);
        if way == Way::Unused && [Way::Request, Way::Response].iter().any(|way| self.known.contains_key(&key(*way))) {
            return;
        }
        let next = self.units.len();
        let unit = *self.known.entry(key(way)).or_insert(next);
        if unit == next {
            self.add(Unit { topic, old, new, way, subject, parents: Vec::new(), operation: None });
        }
        if let Some(unit) = self.units.get_mut(unit)
            && unit.parents.last() != Some(&parent)
        {
            unit.parents.push(parent);
        }
    }

    /// The direction of a unit.
    pub(super) fn way(&self, unit: usize) -> Way {
        self.units.get(unit).map_or(Way::Unused, |unit| unit.way)
    }

    /// Whether two values say the same, with references followed whatever their targets are called.
    pub(super) fn alike(&mut self, old: &'a Node, new: &'a Node) -> bool {
        let mut seen = Vec::new();
        let mut queue = vec![(old, new)];
        let mut is_alike = true;
        while let Some((old, new)) = queue.pop() {
            if self.sides.equal(old, new) {
                continue;
            }
            let pair = (std::ptr::from_ref(old), std::ptr::from_ref(new));
            // Pairs on the way are taken for alike; if one is not, the answer is no for all that led there.
            match self.alike.get(&pair).copied() {
                Some(true) => continue,
                None if self.spend(1) => {}
                _ => {
                    is_alike = false;
                    break;
                }
            }
            self.alike.insert(pair, true);
            seen.push(pair);
            if !self.push_children(old, new, &mut queue) {
                is_alike = false;
                break;
            }
        }
        if !is_alike {
            for pair in seen {
                self.alike.remove(&pair);
            }
            self.alike.insert((std::ptr::from_ref(old), std::ptr::from_ref(new)), false);
        }
        is_alike
    }

    /// Adds the pairs that two values consist of; `false` if they cannot be alike.
    fn push_children(&self, old: &'a Node, new: &'a Node, queue: &mut Vec<(&'a Node, &'a Node)>) -> bool {
        match (&old.value, &new.value) {
            (Value::List(old), Value::List(new)) if old.len() == new.len() => queue.extend(old.iter().zip(new)),
            (Value::Map(before), Value::Map(after)) if before.len() == after.len() => {
                for (key, member) in before {
                    let Some(other) = after.get(key) else { return false };
                    match (&**key, member.node.as_text(), other.node.as_text()) {
                        ("$ref", Some(from), Some(to)) => {
                            match (self.sides.old.target(from), self.sides.new.target(to)) {
                                (Some(from), Some(to)) => queue.push((from, to)),
                                (None, None) => {}
                                _ => return false,
                            }
                        }
                        _ => queue.push((&member.node, &other.node)),
                    }
                }
            }
            _ => return false,
        }
        true
    }

    /// Adds a change. The text is the subject of the unit and this predicate.
    pub(super) fn tell(&mut self, unit: usize, rule: Rule, spot: Spot<'a>, predicate: impl Display) {
        let Some(subject) = self.units.get(unit).map(|unit| unit.subject.clone()) else { return };
        self.tell_of(unit, &subject, rule, spot, predicate);
    }

    /// Adds a change of a subject.
    pub(super) fn tell_of(
        &mut self,
        unit: usize,
        subject: &Subject,
        rule: Rule,
        spot: Spot<'a>,
        predicate: impl Display,
    ) {
        let suffix = match self.way(unit) {
            Way::Request if rule.is_told_each() && subject.is_shared() => " in requests",
            Way::Response if rule.is_told_each() && subject.is_shared() => " in responses",
            _ => "",
        };
        self.tell_text(unit, rule, spot, format!("{subject} {predicate}{suffix}"));
    }

    /// Adds the removal of a subject that could be deprecated before: by `deprecated` and a sunset date of this value.
    pub(super) fn tell_removed(
        &mut self,
        unit: usize,
        subject: &Subject,
        rule: Rule,
        old: &'a Node,
        deprecated: &'a Node,
    ) {
        let before = self.told.len();
        self.tell_of(unit, subject, rule, Spot::Old(old), "was removed");
        let is_announced = is_true(deprecated, "deprecated") && self.is_sunset_over(deprecated);
        if let Some(told) = self.told.get_mut(before).filter(|told| is_announced && told.level < ChangeLevel::Announced)
        {
            told.level = ChangeLevel::Announced;
        }
    }

    /// Whether there is no sunset date, or today is that date or later.
    fn is_sunset_over(&self, node: &Node) -> bool {
        let Some(sunset) = ["x-sunset", "x-deprecated-sunset"].iter().find_map(|key| node.get(key)) else {
            return true;
        };
        let sunset = sunset.as_text().and_then(day);
        sunset.zip(self.today.and_then(day)).is_some_and(|(sunset, today)| sunset <= today)
    }

    /// Adds a change with a text of its own. One that another unit found is that unit's, too.
    pub(super) fn tell_text(&mut self, unit: usize, rule: Rule, spot: Spot<'a>, text: String) {
        let way = self.way(unit);
        let key = (rule, rule.is_told_each().then_some(way), spot.address(), text);
        match self.told_at.get(&key).and_then(|at| self.told.get_mut(*at)) {
            Some(told) => {
                told.level = told.level.min(rule.level(way));
                told.units.push(unit);
            }
            None => {
                let text = key.3.clone();
                self.told_at.insert(key, self.told.len());
                self.told.push(Told { id: rule.id(way), level: rule.level(way), text, spot, units: vec![unit] });
            }
        }
    }

    /// Compares descriptions and the like: one change for all of them.
    pub(super) fn words(&mut self, unit: usize, old: &'a Node, new: &'a Node, keys: &[&str]) {
        if let Some(spot) = self.differing(old, new, keys) {
            self.tell(unit, Rule::DescriptionChanged, spot, "has another description");
        }
        if let Some(spot) = self.differing(old, new, &["example", "examples"]) {
            self.tell(unit, Rule::ExampleChanged, spot, "has other examples");
        }
    }

    /// The place of the first of these keys whose values differ.
    pub(super) fn differing(&mut self, old: &'a Node, new: &'a Node, keys: &[&str]) -> Option<Spot<'a>> {
        keys.iter().find_map(|key| match (old.get(key), new.get(key)) {
            (None, None) => None,
            (Some(before), Some(after)) => (!self.alike(before, after)).then_some(Spot::New(after)),
            (Some(before), None) => Some(Spot::Old(before)),
            (None, Some(after)) => Some(Spot::New(after)),
        })
    }

    /// Compares `deprecated`.
    pub(super) fn deprecation(&mut self, unit: usize, old: &'a Node, new: &'a Node) {
        match (is_true(old, "deprecated"), is_true(new, "deprecated")) {
            (false, true) => {
                let spot = Spot::New(new.get("deprecated").unwrap_or(new));
                let sunset = ["x-sunset", "x-deprecated-sunset"].iter().find_map(|key| new.text_of(key)?.get(..10));
                match sunset.and_then(day) {
                    Some(date) => self.tell(unit, Rule::Deprecated, spot, format_args!("is deprecated until {date}")),
                    None => self.tell(unit, Rule::Deprecated, spot, "is deprecated"),
                }
            }
            (true, false) => self.tell(unit, Rule::DeprecationRemoved, Spot::New(new), "is no longer deprecated"),
            _ => {}
        }
    }
}

impl Topic {
    /// What can be a reference to its values.
    fn kind(self) -> Kind {
        match self {
            Self::Operation => Kind::Operation,
            Self::Parameter => Kind::Parameter,
            Self::Header => Kind::Header,
            Self::Body => Kind::RequestBody,
            Self::MediaType => Kind::MediaType,
            Self::Response => Kind::Response,
            Self::Callback => Kind::Callback,
            Self::Schema => Kind::Schema,
            Self::SecurityScheme => Kind::SecurityScheme,
            // Lists are no references.
            Self::Security | Self::Servers => Kind::Document,
        }
    }
}

/// Whether the value of a key is `true`.
pub(super) fn is_true(node: &Node, key: &str) -> bool {
    matches!(node.get(key).map(|node| &node.value), Some(Value::Bool(true)))
}

/// The day of a date such as `2026-01-31` or `2026-01-31T00:00:00Z`. Days compare as texts.
fn day(date: &str) -> Option<&str> {
    let day = date.trim().get(..10)?;
    let fits = |(at, byte): (usize, u8)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() };
    day.bytes().enumerate().all(fits).then_some(day)
}
