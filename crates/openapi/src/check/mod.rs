//! Checking: what is wrong with a document, as findings.
mod references;
mod rules;
mod structure;

use crate::dialect::Version;
use crate::finding::{Finding, sort};
use crate::refs::Resolver;
use crate::tree::Node;

/// Checks a document: its version, its structure by the official JSON Schema, its references inside the document, and
/// rules that no JSON Schema has. The findings are sorted by level and place.
///
/// References to other files are not checked here.
pub fn check(root: &Node) -> Vec<Finding> {
    let version = match Version::of(root) {
        Ok(version) => version,
        Err(finding) => return vec![*finding],
    };
    let mut findings = structure::check(root, version);
    let resolver = Resolver::new(root, version);
    references::check(&resolver, version, &mut findings);
    rules::check(&resolver, version, &mut findings);
    sort(&mut findings);
    findings
}
