//! Checks the references inside a document: whether their targets exist, and whether chains are circular.
use crate::deadline::Deadline;
use crate::dialect::Version;
use crate::finding::{Code, Finding, Findings};
use crate::refs::{Reference, Resolver, Target, Via, visit};
use crate::tree::Node;
use crate::wording::cut;
use std::collections::{HashMap, HashSet};

/// The longest target that a message quotes, in characters: its end is what matters.
const MAX_TARGET: usize = 120;

pub(super) fn check(resolver: &Resolver<'_>, version: Version, deadline: &Deadline<'_>, findings: &mut Findings) {
    let mut chains = Chains::default();
    visit(resolver.root(), version, &mut |reference| match resolver.resolve(&reference) {
        _ if deadline.is_over() => {}
        Target::Found { node, .. } => {
            if reference.via == Via::Ref {
                chains.add(&reference, node);
            }
        }
        Target::Missing { last, key } => {
            let finding = missing(&reference, resolver, version, last, &key, findings);
            findings.push(finding);
        }
        Target::Outside => {}
    });
    let circles = chains.circles();
    if circles.is_empty() {
        return;
    }
    visit(resolver.root(), version, &mut |reference| {
        if reference.via == Via::Ref && circles.contains(&std::ptr::from_ref(reference.node)) {
            let message = "this reference leads back to itself";
            findings.push(Finding::new(Code::RefCircular, reference.at, reference.owner(), message));
        }
    });
}

fn missing(
    reference: &Reference<'_>,
    resolver: &Resolver<'_>,
    version: Version,
    last: &Node,
    key: &str,
    findings: &Findings,
) -> Finding {
    let target = cut(reference.target, MAX_TARGET);
    let (code, path) = match reference.via {
        Via::Mapping => (Code::Discriminator, reference.path.clone()),
        _ => (Code::RefMissing, reference.owner()),
    };
    let near = last.as_map().map(|members| findings.suggestion(key, members.keys().map(|key| &**key)));
    let hint = match moved(reference, resolver, version, key) {
        Some(moved) => format!(": did you mean {moved}?"),
        None => near.unwrap_or_default(),
    };
    Finding::new(code, reference.at, path, format!("{target} is not there{hint}"))
}

/// The place of the target in this version, if the reference is written for another version.
fn moved(reference: &Reference<'_>, resolver: &Resolver<'_>, version: Version, key: &str) -> Option<String> {
    let (from, to) = match version {
        Version::V2_0 => ("#/components/schemas/", "#/definitions/"),
        _ => ("#/definitions/", "#/components/schemas/"),
    };
    let name = reference.target.strip_prefix(from)?;
    let moved = format!("{to}{name}");
    let is_there = key != name && matches!(resolver.resolve_text(&moved), Target::Found { .. });
    is_there.then(|| cut(&moved, MAX_TARGET).into_owned())
}

/// The objects with a `$ref` and their targets, by their addresses in memory.
#[derive(Default)]
struct Chains(HashMap<*const Node, *const Node>);

impl Chains {
    fn add(&mut self, reference: &Reference<'_>, target: &Node) {
        self.0.insert(std::ptr::from_ref(reference.node), std::ptr::from_ref(target));
    }

    /// The objects of circular chains. Each object is visited once: a chain ends at an object of another one.
    fn circles(&self) -> HashSet<*const Node> {
        let mut known = HashSet::new();
        let mut circles = HashSet::new();
        for &start in self.0.keys() {
            let mut chain = Vec::new();
            let mut current = start;
            while let Some(&next) = self.0.get(&current).filter(|_| known.insert(current)) {
                chain.push(current);
                current = next;
            }
            // The chain reached itself: all objects from there on are in the circle.
            if let Some(first) = chain.iter().position(|step| *step == current) {
                circles.extend(&chain[first..]);
            }
        }
        circles
    }
}
