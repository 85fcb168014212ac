//! Collects the values that the objects of a part need.
use super::VERSION;
use super::visit::Methods;
use crate::parts::METHODS;
use crate::refs::{MAX_DETOURS, Reference, Via, percent_decoded, visit_from};
use crate::shape::{ObjectKind, walk};
use crate::tree::{Node, canonical};

/// The values that objects need.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// Values of the document.
    pub(super) targets: Vec<Needed>,
    /// The names of security schemes.
    pub(super) security: Vec<String>,
    /// Whether an operation has the security of the document.
    pub(super) has_default_security: bool,
    /// The anchors, and the addresses of schemas, in references, with the number of further references that their
    /// pointers may still pass.
    pub(super) anchors: Vec<(String, usize)>,
}

/// The target of a reference.
#[derive(Clone, Debug)]
pub(super) struct Needed {
    /// Its pointer.
    pub(super) pointer: String,
    /// The pointer, if the percent signs in the reference are not escapes.
    pub(super) other: Option<String>,
    /// Its required kind.
    pub(super) kind: ObjectKind,
    /// The operations that are needed, if it is a path item.
    pub(super) methods: Methods,
}

impl Needs {
    /// Collects the needs of this object and of those below it.
    pub(super) fn collect(&mut self, node: &Node, kind: ObjectKind) {
        self.collect_within(node, kind, None);
    }

    /// The same for an object in a schema that has an `$id`: that schema and its pointer.
    pub(super) fn collect_within(&mut self, node: &Node, kind: ObjectKind, resource: Option<(&Node, String)>) {
        visit_from(node, kind, VERSION, &mut |reference| self.reference(&reference, resource.as_ref()));
        if matches!(kind, ObjectKind::Operation | ObjectKind::PathItem | ObjectKind::Callback) {
            walk(node, kind, VERSION, &mut |object| {
                if object.kind == ObjectKind::Operation {
                    self.operation(object.node);
                }
            });
        }
    }

    /// Collects the needs of a path item for these methods.
    pub(super) fn collect_item(&mut self, item: &Node, methods: &Methods) {
        let Methods::One(method) = methods else { return self.collect(item, ObjectKind::PathItem) };
        self.collect_parameters(item);
        match operation(item, method) {
            Some(operation) => self.collect(operation, ObjectKind::Operation),
            None => self.collect_target(item, methods),
        }
    }

    /// Collects the needs of the parameters that all operations of a path item have.
    pub(super) fn collect_parameters(&mut self, item: &Node) {
        for parameter in item.get("parameters").and_then(Node::as_list).into_iter().flatten() {
            self.collect(parameter, ObjectKind::Parameter);
        }
    }

    /// Collects the target of this path item.
    pub(super) fn collect_target(&mut self, item: &Node, methods: &Methods) {
        if let Some(target) = item.text_of("$ref") {
            self.target(target, ObjectKind::PathItem, methods.clone());
        }
    }

    /// Collects the security schemes of requirements.
    pub(super) fn requirements(&mut self, security: Option<&Node>) {
        let requirements = security.into_iter().flat_map(Node::items);
        self.security.extend(requirements.flat_map(Node::members).map(|(name, _)| name.to_owned()));
    }

    /// Collects the target of a reference.
    pub(super) fn target(&mut self, target: &str, kind: ObjectKind, methods: Methods) {
        match target.strip_prefix('#') {
            Some("") => {}
            None if target.is_empty() => {}
            Some(fragment) if fragment.starts_with('/') => {
                let pointer = canonical(&percent_decoded(fragment));
                let other = Some(canonical(fragment)).filter(|other| *other != pointer);
                self.targets.push(Needed { pointer, other, kind, methods });
            }
            _ => self.anchors.push((target.to_owned(), MAX_DETOURS)),
        }
    }

    fn reference(&mut self, reference: &Reference<'_>, outer: Option<&(&Node, String)>) {
        // Names and links of operations are shown; their targets are not.
        if matches!(reference.via, Via::Mapping | Via::Operation) {
            return;
        }
        let fragment = reference.target.strip_prefix('#').map(percent_decoded).filter(|text| text.starts_with('/'));
        let is_in = |resource: &Node| fragment.as_ref().is_some_and(|text| resource.at_pointer(text).is_some());
        match (&reference.resource, outer) {
            // The target is visited together with the reference.
            (Some((resource, _)), _) if is_in(resource) => {}
            (None, Some((resource, pointer))) if is_in(resource) => {
                let pointer = format!("{pointer}{}", fragment.as_deref().map(canonical).unwrap_or_default());
                self.targets.push(Needed { pointer, other: None, kind: reference.kind, methods: Methods::All });
            }
            _ => self.target(reference.target, reference.kind, Methods::All),
        }
    }

    fn operation(&mut self, operation: &Node) {
        match operation.get("security") {
            Some(security) => self.requirements(Some(security)),
            None => self.has_default_security = true,
        }
    }
}

/// The operation of a path item with this method, without regard to case.
fn operation<'a>(item: &'a Node, method: &str) -> Option<&'a Node> {
    let known = METHODS.into_iter().find(|known| known.eq_ignore_ascii_case(method));
    let own = known.and_then(|known| item.get(known)).filter(|operation| operation.as_map().is_some());
    own.or_else(|| {
        let mut more = item.members_of("additionalOperations");
        more.find(|(known, _)| known.eq_ignore_ascii_case(method)).map(|(_, operation)| operation)
    })
}
