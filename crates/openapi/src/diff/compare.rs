//! Runs a comparison.
//!
//! A [`Unit`] is a pair of values, one of each document, that is compared in one direction. Everything that leads to
//! the same pair leads to the same unit, so it is compared once. Units wait in a queue: their number limits the time,
//! and no document makes the recursion deep. A unit knows the units that lead to it; upwards, these end in operations.
use super::changes::{ChangeLevel, ChangedOperation};
use super::rules::{Rule, Usage};
use super::security::ChangedScheme;
use super::sides::{Followed, Sides};
use super::subject::Subject;
use crate::shape::ObjectKind;
use crate::tree::Node;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The subject of a unit.
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
    /// The list of security requirements of an operation.
    Security,
    SecurityScheme,
    /// The list of servers of an operation.
    Servers,
}

/// A pair of values.
pub(super) struct Unit<'a> {
    pub(super) topic: Topic,
    pub(super) old: &'a Node,
    pub(super) new: &'a Node,
    pub(super) usage: Usage,
    pub(super) subject: Subject,
    /// The units that lead to this one.
    pub(super) parents: Vec<usize>,
    /// The operation, if the unit compares one.
    pub(super) operation: Option<ChangedOperation>,
}

/// The location of a change: a value of the old or the new document.
#[derive(Clone, Copy)]
pub(super) enum Location<'a> {
    Old(&'a Node),
    New(&'a Node),
}

impl<'a> Location<'a> {
    /// The value of the new document, or else that of the old one.
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
pub(super) struct ReportedChange<'a> {
    pub(super) id: String,
    pub(super) level: ChangeLevel,
    pub(super) text: String,
    pub(super) location: Location<'a>,
    /// The units that found it.
    pub(super) units: Vec<usize>,
}

type UnitKey = (*const Node, *const Node, Topic, Usage);

/// A comparison, with its results.
pub(super) struct Comparison<'a> {
    pub(super) sides: Sides<'a>,
    pub(super) units: Vec<Unit<'a>>,
    pub(super) reported: Vec<ReportedChange<'a>>,
    /// An empty mapping in place of absent values.
    pub(super) nothing: &'a Node,
    pub(super) today: Option<&'a str>,
    known: HashMap<UnitKey, usize>,
    pub(super) reported_at: HashMap<(Rule, Option<Usage>, *const Node, String), usize>,
    /// The pairs that are known to be alike although their texts differ.
    pub(super) known_alike: HashMap<(*const Node, *const Node), bool>,
    /// The names in the lists of required fields that were read.
    pub(super) required: HashMap<*const Node, HashSet<&'a str>>,
    /// The security schemes that changed, by the lists of requirements that name them.
    pub(super) changed_schemes: HashMap<*const Node, Rc<[ChangedScheme<'a>]>>,
    /// The schemas that references at the same place call by different names.
    pub(super) renamed: Vec<(&'a Node, &'a Node)>,
    budget: usize,
}

/// The maximum number of steps of a comparison: so many for each list and mapping of the documents, and some for small
/// ones. A comparison of usual documents takes fewer than one for each. Documents whose references form cycles of
/// different lengths can have as many pairs as the product of their sizes.
const STEPS: (usize, usize) = (8, 100_000);

impl<'a> Comparison<'a> {
    /// Compares two documents.
    pub(super) fn run(old: &'a Node, new: &'a Node, nothing: &'a Node, today: Option<&'a str>) -> Self {
        let sides = Sides::new(old, new);
        let budget = STEPS.0 * (sides.old.size() + sides.new.size()) + STEPS.1;
        let mut comparison = Self {
            sides,
            units: Vec::new(),
            reported: Vec::new(),
            nothing,
            today,
            known: HashMap::new(),
            reported_at: HashMap::new(),
            known_alike: HashMap::new(),
            required: HashMap::new(),
            changed_schemes: HashMap::new(),
            renamed: Vec::new(),
            budget,
        };
        if !comparison.sides.equal(old, new) {
            comparison.document();
        }
        if comparison.budget == 0 {
            let unit = comparison.root_unit(Usage::Request);
            let text = "there is more to compare than this comparison has time for, so changes can be missing";
            comparison.report_text(unit, Rule::TooDifferent, Location::New(new), text.to_owned());
        }
        comparison
    }

    /// Counts these steps; `false` if not so many are left.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        self.budget = self.budget.saturating_sub(steps.max(1));
        self.budget > 0
    }

    /// Compares the waiting units from this one on, and those that they lead to.
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
    pub(super) fn root_unit(&mut self, usage: Usage) -> usize {
        let (old, new) = (self.sides.old.root, self.sides.new.root);
        let subject = Subject::part("the document");
        self.add(Unit { topic: Topic::Operation, old, new, usage, subject, parents: Vec::new(), operation: None })
    }

    /// Queues a pair for comparison, unless it is equal. References are followed first.
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
            // A schema behind a reference on one side only is compared at the reference: its changes belong to that
            // place.
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
        let usage = self.usage(parent);
        let key = |usage| (std::ptr::from_ref(old), std::ptr::from_ref(new), topic, usage);
        if usage == Usage::Unused
            && [Usage::Request, Usage::Response].iter().any(|usage| self.known.contains_key(&key(*usage)))
        {
            return;
        }
        let next = self.units.len();
        let unit = *self.known.entry(key(usage)).or_insert(next);
        if unit == next {
            self.add(Unit { topic, old, new, usage, subject, parents: Vec::new(), operation: None });
        }
        if let Some(unit) = self.units.get_mut(unit)
            && unit.parents.last() != Some(&parent)
        {
            unit.parents.push(parent);
        }
    }

    /// The direction of a unit.
    pub(super) fn usage(&self, unit: usize) -> Usage {
        self.units.get(unit).map_or(Usage::Unused, |unit| unit.usage)
    }
}

impl Topic {
    /// The kind of object that can be a reference to the values.
    fn kind(self) -> ObjectKind {
        match self {
            Self::Operation => ObjectKind::Operation,
            Self::Parameter => ObjectKind::Parameter,
            Self::Header => ObjectKind::Header,
            Self::Body => ObjectKind::RequestBody,
            Self::MediaType => ObjectKind::MediaType,
            Self::Response => ObjectKind::Response,
            Self::Callback => ObjectKind::Callback,
            Self::Schema => ObjectKind::Schema,
            Self::SecurityScheme => ObjectKind::SecurityScheme,
            // Lists are no references.
            Self::Security | Self::Servers => ObjectKind::Document,
        }
    }
}
