//! Visits: collecting the needs of a part, once it is loaded.
use super::collect::{Needed, Needs};
use super::part::{Lookup, follow};
use super::{Excerpt, Waiting};
use crate::parts::{METHODS, split, stored_key};
use crate::refs::MAX_DETOURS;
use crate::shape::ObjectKind;
use crate::tree::{Node, pointer_step};

/// The field of a path item with the methods that have no field of their own.
const MORE: &str = "additionalOperations";

/// A value that is needed.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    /// The pointer of its part.
    part: String,
    /// The pointer in the part.
    rest: String,
    /// Its required kind.
    kind: ObjectKind,
    /// The operations that are needed, if it is a path item.
    methods: Methods,
    /// The visit to make if there is no such value.
    other: Option<Box<Visit>>,
    /// The number of further references that its pointer may pass.
    detours: usize,
}

/// Operations of a path item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Methods {
    /// All of them.
    All,
    /// The one with this method, without regard to case.
    One(Box<str>),
}

impl Methods {
    pub(super) fn has(&self, method: &str) -> bool {
        match self {
            Self::All => true,
            Self::One(one) => one.eq_ignore_ascii_case(method),
        }
    }
}

impl Visit {
    /// The value at this pointer.
    pub(super) fn at(pointer: &str, kind: ObjectKind) -> Self {
        let split = split(pointer);
        let [part, rest] = [split.part, split.rest].map(str::to_owned);
        Self { part, rest, kind, methods: Methods::All, other: None, detours: MAX_DETOURS }
    }

    /// The same with these operations of a path item.
    pub(super) fn with(self, methods: Methods) -> Self {
        Self { methods, ..self }
    }

    /// The same with a pointer that may pass this many references.
    pub(super) fn with_detours(self, detours: usize) -> Self {
        Self { detours, ..self }
    }

    /// The same, or another visit if the value is absent.
    pub(super) fn or(self, other: Option<Self>) -> Self {
        Self { other: other.map(Box::new), ..self }
    }

    /// The visit to make if the value is absent: another value, or the path item of an operation, because that can
    /// refer to another path item.
    fn instead(&self) -> Option<Self> {
        if let Some(other) = &self.other {
            return Some(*other.clone());
        }
        let is_item = self.part.starts_with("/paths/") || self.part.starts_with("/webhooks/");
        let (third, _) = self.part.match_indices('/').nth(2).filter(|_| is_item)?;
        let (item, rest) = self.part.split_at(third);
        Some(Self { part: item.to_owned(), rest: format!("{rest}{}", self.rest), ..self.clone() })
    }
}

impl Excerpt {
    /// Visits a value now if its part is loaded, or later.
    pub(super) fn want(&mut self, visit: Visit) {
        let key = stored_key(&visit.part);
        if self.parts.contains_key(&key) {
            self.work.push_back(visit);
        } else if self.ask(&visit.part)
            && let Some(waiting) = self.waiting.get_mut(&key)
        {
            waiting.visits.push(visit);
        }
    }

    /// Requests a part that is not loaded; false if the budget is too small for it.
    pub(super) fn ask(&mut self, part: &str) -> bool {
        let key = stored_key(part);
        if self.parts.contains_key(&key) || self.waiting.contains_key(&key) {
            return true;
        }
        if self.found + self.waiting.len() >= self.budget {
            self.left_out.insert(key);
            return false;
        }
        self.waiting.insert(key, Waiting { pointer: part.to_owned(), visits: Vec::new() });
        true
    }

    /// Makes the visits to loaded parts, and those that follow from them.
    pub(super) fn work(&mut self) {
        while let Some(visit) = self.work.pop_front() {
            let mut needs = Needs::default();
            let more = self.visit(&visit, &mut needs);
            self.need(needs);
            more.into_iter().for_each(|visit| self.want(visit));
        }
    }

    fn need(&mut self, needs: Needs) {
        for Needed { pointer, other, kind, methods } in needs.targets {
            let at = |pointer: &str| Visit::at(pointer, kind).with(methods.clone());
            self.want(at(&pointer).or(other.as_deref().map(at)));
        }
        for name in needs.security {
            let pointer = format!("/components/securitySchemes/{}", pointer_step(&name));
            self.want(Visit::at(&pointer, ObjectKind::SecurityScheme));
        }
        if needs.has_default_security && !self.has_default_security {
            self.has_default_security = true;
            self.want(Visit::at("/security", ObjectKind::Document));
        }
        self.anchors.need(needs.anchors);
    }

    /// Visits a value of a loaded part: collects its needs, and returns further visits.
    fn visit(&mut self, visit: &Visit, needs: &mut Needs) -> Vec<Visit> {
        let Some(loaded) = self.parts.get_mut(&stored_key(&visit.part)) else { return Vec::new() };
        let instead = || visit.instead().into_iter().collect();
        let Some((root, order)) = loaded.content.read(&visit.part) else { return instead() };
        let (node, resource) = match follow(root, &visit.rest) {
            Lookup::Found { node, resource } => (node, resource),
            Lookup::Detour { target, rest } if visit.detours > 0 => {
                let mut detour = Needs::default();
                detour.target(target, visit.kind, Methods::All);
                let detours = visit.detours - 1;
                needs.anchors.extend(detour.anchors.iter().map(|(target, _)| (beyond(target, rest), detours)));
                let longer = detour.targets.into_iter().map(|needed| {
                    let longer = Visit::at(&format!("{}{rest}", needed.pointer), visit.kind);
                    longer.with(visit.methods.clone()).with_detours(detours)
                });
                loaded.is_reached = true;
                return longer.collect();
            }
            Lookup::Detour { .. } | Lookup::Missing => return instead(),
        };
        loaded.is_reached = true;
        let pointer = format!("{}{}", visit.part, visit.rest);
        if !self.visited.insert((pointer, visit.kind, visit.methods.clone())) {
            return Vec::new();
        }
        match (visit.kind, order.filter(|_| visit.rest.is_empty())) {
            (ObjectKind::PathItem, Some(order)) => return path_item(visit, order, node, needs),
            (ObjectKind::PathItem, None) => needs.collect_item(node, &visit.methods),
            // Only the security of the document is needed, and only for operations without their own.
            (ObjectKind::Document, _) => {
                let security = if visit.rest.is_empty() { node.get("security") } else { Some(node) };
                needs.requirements(security.filter(|_| self.has_default_security));
            }
            (kind, _) => {
                let resource = resource.map(|(node, path)| (node, format!("{}{path}", visit.part)));
                needs.collect_within(node, kind, resource);
            }
        }
        Vec::new()
    }
}

/// The reference to a pointer below the target of a reference.
fn beyond(target: &str, pointer: &str) -> String {
    let hash = if target.contains('#') { "" } else { "#" };
    format!("{target}{hash}{}", pointer.replace('%', "%25"))
}

/// Collects the needs of a path item that is a branch, and returns its operations.
fn path_item(visit: &Visit, order: &[String], own: &Node, needs: &mut Needs) -> Vec<Visit> {
    let below =
        |key: &str, kind| Visit::at(&format!("{}/{}", visit.part, pointer_step(key)), kind).with(visit.methods.clone());
    let parts = order.iter().filter(|key| own.get(key).is_none());
    if visit.part.ends_with(&format!("/{MORE}")) {
        return parts.filter(|key| visit.methods.has(key)).map(|key| below(key, ObjectKind::Operation)).collect();
    }
    needs.collect_parameters(own);
    let is_operation = |key: &str| METHODS.contains(&key) && visit.methods.has(key);
    let mut operations: Vec<Visit> =
        parts.clone().filter(|key| is_operation(key)).map(|key| below(key, ObjectKind::Operation)).collect();
    if operations.is_empty() || visit.methods == Methods::All {
        operations.extend(parts.filter(|key| *key == MORE).map(|key| below(key, ObjectKind::PathItem)));
        needs.collect_target(own, &visit.methods);
    }
    operations
}
