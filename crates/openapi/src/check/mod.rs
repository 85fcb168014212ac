//! Checks documents and returns the problems as findings.
mod references;
mod rules;
mod structure;

use crate::deadline::Deadline;
use crate::dialect::Version;
use crate::finding::{Finding, Findings};
use crate::refs::Resolver;
use crate::tree::Node;

/// Checks a document: its version, its structure by the official JSON Schema, its references inside the document, and
/// rules that no JSON Schema has. The findings are sorted by level and place. Of each code there are
/// [`MAX_FINDINGS`](crate::finding::MAX_FINDINGS) at most.
///
/// References to other files are not checked here.
pub fn check(root: &Node) -> Vec<Finding> {
    check_within(root, &Deadline::never())
}

/// The same with a deadline: once it is over, the check ends with the fatal finding of [`Deadline::finding`].
pub fn check_within(root: &Node, deadline: &Deadline<'_>) -> Vec<Finding> {
    let version = match Version::of(root) {
        Ok(version) => version,
        Err(finding) => return vec![*finding],
    };
    let mut findings = Findings::default();
    structure::check(root, version, deadline, &mut findings);
    let resolver = Resolver::new(root, version);
    references::check(&resolver, version, deadline, &mut findings);
    rules::check(&resolver, version, deadline, &mut findings);
    if deadline.look() {
        return vec![Deadline::finding()];
    }
    findings.into_sorted()
}
