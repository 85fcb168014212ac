//! The rules that no JSON Schema has.
mod examples;
mod names;
mod operations;
mod paths;
mod schemas;
mod servers;
#[cfg(test)]
mod tests;

use crate::deadline::Deadline;
use crate::dialect::Version;
use crate::finding::{Code, Finding, Findings};
use crate::refs::{Resolver, Target, visit};
use crate::shape::{Object, ObjectKind, walk};
use crate::tree::{Node, Path, Place, Step, Value};
use std::collections::HashSet;

/// The state that the rules share.
struct Check<'a, 'f> {
    resolver: &'f Resolver<'a>,
    version: Version,
    /// The schemas that `allOf` joins with others by a reference, as addresses in memory.
    bases: HashSet<*const Node>,
    findings: &'f mut Findings,
}

impl Check<'_, '_> {
    /// Adds a finding.
    fn report(&mut self, code: Code, at: Place, path: Path, message: impl Into<String>) {
        self.findings.push(Finding::new(code, at, path, message));
    }
}

/// Applies all rules.
pub(super) fn check<'a>(resolver: &Resolver<'a>, version: Version, deadline: &Deadline<'_>, findings: &mut Findings) {
    let root = resolver.root();
    let mut check = Check { resolver, version, bases: bases(resolver, version), findings };
    let mut operations = operations::Operations::new(root);
    // The path items around the object, with their depths: a callback has path items below an operation.
    let mut owners: Vec<(usize, paths::Owner<'a>)> = Vec::new();
    let mut examples = examples::MAX_EXAMPLES;
    servers::security(root, &Path::default(), &mut check);
    paths::ambiguous(root, &mut check);
    walk(root, ObjectKind::Document, version, &mut |object: &Object<'a, '_>| {
        // A rule can check large objects, so each object reads the clock.
        if deadline.look() {
            return;
        }
        match object.kind {
            ObjectKind::PathItem => {
                owners.retain(|(depth, _)| *depth < object.depth());
                owners.push((object.depth(), paths::Owner::of(object, &check)));
                paths::twice(object, &mut check);
            }
            ObjectKind::Operation => {
                owners.retain(|(depth, _)| *depth < object.depth());
                if let Some((_, owner)) = owners.last() {
                    operations.check(object, owner, &mut check);
                    paths::parameters(object, owner, &mut check);
                }
                paths::twice(object, &mut check);
                servers::security(object.node, &object.path(), &mut check);
            }
            ObjectKind::Server => servers::address(object, &mut check),
            ObjectKind::Schema => schemas::check(object, &mut check),
            ObjectKind::Parameter | ObjectKind::Header if version == Version::V2_0 => {
                schemas::values(object, &mut check)
            }
            _ => {}
        }
        if matches!(
            object.kind,
            ObjectKind::Schema | ObjectKind::Parameter | ObjectKind::Header | ObjectKind::MediaType
        ) {
            examples::check(object, &mut examples, deadline, &mut check);
        }
        names::siblings(object, &mut check);
    });
}

fn bases(resolver: &Resolver<'_>, version: Version) -> HashSet<*const Node> {
    let mut bases = HashSet::new();
    visit(resolver.root(), version, &mut |reference| {
        let joined =
            matches!(reference.path.0.as_slice(), [.., Step::Key(key), Step::Index(_), _] if &**key == "allOf");
        if !joined {
            return;
        }
        if let Target::Found { node, .. } = resolver.resolve(&reference) {
            bases.insert(std::ptr::from_ref(node));
        }
    });
    bases
}

/// The path with a key added.
fn below(path: &Path, key: &str) -> Path {
    let mut path = path.clone();
    path.0.push(Step::Key(key.into()));
    path
}

/// The path with a key and an index added.
fn item_of(path: &Path, key: &str, index: usize) -> Path {
    let mut path = below(path, key);
    path.0.push(Step::Index(index));
    path
}

/// The texts of a list, with their indexes.
fn texts(node: Option<&Node>) -> impl Iterator<Item = (usize, &Node, &str)> {
    node.and_then(Node::as_list).into_iter().flatten().enumerate().filter_map(|(index, node)| match &node.value {
        Value::Text(text) => Some((index, node, &**text)),
        _ => None,
    })
}
