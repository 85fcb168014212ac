//! References inside a document: whether their targets are there, and chains that come back to themselves.
use crate::dialect::Version;
use crate::finding::{Code, Finding};
use crate::refs::{Reference, Resolver, Target, Via, visit};
use crate::tree::{Node, Path};
use crate::wording::{cut, meant, quoted};
use std::collections::HashMap;

/// The longest target that a message quotes, in characters: its end is what matters.
const MAX_TARGET: usize = 120;

pub(super) fn check(resolver: &Resolver<'_>, version: Version, findings: &mut Vec<Finding>) {
    let mut chain = Chains::default();
    visit(resolver.root(), version, &mut |reference| match resolver.resolve(&reference) {
        Target::Found { node, .. } => {
            if reference.via == Via::Ref {
                chain.add(&reference, node);
            }
        }
        Target::Missing { last, key } => findings.push(missing(&reference, resolver, version, last, &key)),
        Target::Outside => {}
    });
    chain.check(findings);
}

fn missing(reference: &Reference<'_>, resolver: &Resolver<'_>, version: Version, last: &Node, key: &str) -> Finding {
    let target = cut(reference.target, MAX_TARGET);
    let (code, path) = match reference.via {
        Via::Mapping => (Code::Discriminator, reference.path.clone()),
        _ => (Code::RefMissing, reference.owner()),
    };
    let near = last.as_map().and_then(|members| meant(key, members.keys().map(|key| &**key)));
    let hint = match (near, moved(reference, resolver, version, key)) {
        (_, Some(moved)) => format!(": did you mean {moved}?"),
        (Some(near), _) => format!(": did you mean {}?", quoted(near)),
        _ => String::new(),
    };
    Finding::new(code, reference.at, path, format!("{target} is not there{hint}"))
}

/// Where the target is in this version, if the reference is written as in another one.
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

/// The objects with a `$ref` and what each leads to, by their addresses in memory.
#[derive(Default)]
struct Chains<'a> {
    next: HashMap<*const Node, *const Node>,
    found: Vec<(&'a Node, crate::tree::Place, Path)>,
}

impl<'a> Chains<'a> {
    fn add(&mut self, reference: &Reference<'a>, target: &Node) {
        self.next.insert(std::ptr::from_ref(reference.node), std::ptr::from_ref(target));
        self.found.push((reference.node, reference.at, reference.owner()));
    }

    /// Tells each reference of a circle. The steps from a reference are at most as many as its chain is long, and each
    /// object is a step of one chain only until it is known where it ends.
    fn check(self, findings: &mut Vec<Finding>) {
        let mut ends: HashMap<*const Node, bool> = HashMap::new();
        for (node, at, path) in self.found {
            let start = std::ptr::from_ref(node);
            let mut seen = Vec::new();
            let mut current = start;
            while let (None, Some(&next)) = (ends.get(&current), self.next.get(&current)) {
                // Not known yet, and on the way.
                ends.insert(current, false);
                seen.push(current);
                current = next;
            }
            // A chain that ran into itself: all from there on are in the circle.
            if let Some(first) = seen.iter().position(|step| *step == current) {
                for step in &seen[first..] {
                    ends.insert(*step, true);
                }
            }
            if ends.get(&start) == Some(&true) {
                findings.push(Finding::new(Code::RefCircular, at, path, "this reference leads back to itself"));
            }
        }
    }
}
