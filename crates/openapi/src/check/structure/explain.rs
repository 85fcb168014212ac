//! Makes findings from an error of the validator: finds the branch of a choice that was meant, and the place in the
//! text.
use super::{Schemas, message};
use crate::dialect::Version;
use crate::finding::{Code, Finding, Findings};
use crate::tree::{Node, Path, Place, Step};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Error;
use std::collections::{HashMap, HashSet};

/// Adds the findings of errors that were found together. A value of the wrong type is reported once, and not again for
/// not being an allowed value.
pub(super) fn explain_all(
    errors: &[ValidationError<'_>],
    root: &Node,
    version: Version,
    schemas: &Schemas,
    out: &mut Findings,
) {
    let of_wrong_type: HashSet<&str> = errors
        .iter()
        .filter(|error| matches!(error.kind(), Error::Type { .. }))
        .map(|error| error.instance_path().as_str())
        .collect();
    let mut at_place: HashMap<&str, usize> = HashMap::new();
    for error in errors {
        *at_place.entry(error.instance_path().as_str()).or_default() += 1;
    }
    for error in errors {
        let at = error.instance_path().as_str();
        let repeats = match error.kind() {
            Error::Enum { .. } | Error::Constant { .. } | Error::Pattern { .. } => of_wrong_type.contains(at),
            // The missing field is the reason why several forms match.
            Error::OneOfMultipleValid { .. } => at_place.get(at).is_some_and(|count| *count > 1),
            _ => false,
        };
        if !repeats {
            explain(error, root, version, schemas, out);
        }
    }
}

/// Adds the findings of an error.
fn explain(error: &ValidationError<'_>, root: &Node, version: Version, schemas: &Schemas, out: &mut Findings) {
    let path = Path::of(root, error.instance_path().as_str());
    let Some(node) = path.0.iter().try_fold(root, |node, step| node.step(step)) else { return };
    let place = message::Context { node, path: &path, version, schemas };
    match error.kind() {
        Error::OneOfNotValid { context } | Error::AnyOf { context } => {
            let before = out.len();
            if let Some(branch) = meant(context, node, &path) {
                explain_all(branch, root, version, schemas, out);
            }
            if out.len() == before {
                out.push(Finding::new(
                    Code::Structure,
                    node.at,
                    path.clone(),
                    "this fits none of the forms that are allowed here",
                ));
            }
        }
        Error::AdditionalProperties { unexpected } | Error::UnevaluatedProperties { unexpected } => {
            let known = message::fields(&place, error);
            for key in unexpected {
                if out.is_full(Code::Structure) {
                    return;
                }
                let at =
                    node.as_map().and_then(|members| members.get(key.as_str())).map_or(node.at, |member| member.at);
                let message = message::unknown_field(&place, key, &known, out);
                out.push(Finding::new(Code::Structure, at, path.clone(), message));
            }
        }
        _ => {
            let message = message::of(&place, error);
            let at = match error.kind() {
                Error::PropertyNames { error } => key_at(node, error.instance().as_str().unwrap_or_default()),
                _ => key_place(root, &path, node),
            };
            out.push(Finding::new(Code::Structure, at, path.clone(), message));
        }
    }
}

/// The place of a key of a mapping.
fn key_at(node: &Node, key: &str) -> Place {
    node.as_map().and_then(|members| members.get(key)).map_or(node.at, |member| member.at)
}

/// The place of a finding about a value: the value itself. A mapping in block form begins in the line after its key, so
/// a finding about the whole mapping is at its key.
fn key_place(root: &Node, path: &Path, node: &Node) -> Place {
    let Some((Step::Key(key), outer)) = path.0.split_last() else { return node.at };
    if node.as_map().is_none() {
        return node.at;
    }
    let parent = outer.iter().try_fold(root, |node, step| node.step(step));
    let member = parent.and_then(Node::as_map).and_then(|members| members.get(key));
    member.map_or(node.at, |member| if member.at.line == node.at.line { node.at } else { member.at })
}

type Branch = Vec<ValidationError<'static>>;

/// The branch of a choice that was probably meant: the reference if there is a `$ref`, and none if not; otherwise the
/// branch that fails deepest, and for the fewest reasons.
fn meant<'a>(branches: &'a [Branch], node: &Node, path: &Path) -> Option<&'a Branch> {
    let here = path.pointer();
    let is_reference = node.get("$ref").is_some();
    branches.iter().min_by_key(|branch| {
        let mismatches = branch.iter().filter(|error| distinguishes(error, &here, is_reference)).count();
        let deepest = branch.iter().map(depth).max().unwrap_or_default();
        (mismatches, std::cmp::Reverse(deepest), branch.len())
    })
}

/// Whether an error shows that another branch was meant: another type, another `in` or `type`, or a reference where
/// there is none.
fn distinguishes(error: &ValidationError<'_>, here: &str, is_reference: bool) -> bool {
    let at = error.instance_path().as_str();
    match error.kind() {
        Error::Required { property } => at == here && property == "$ref" && !is_reference,
        Error::Type { .. } => at == here,
        Error::Enum { .. } | Error::Constant { .. } => {
            at.strip_prefix(here).is_some_and(|rest| matches!(rest, "/in" | "/type" | "/flow" | "/scheme"))
        }
        Error::AdditionalProperties { unexpected } => {
            is_reference && at == here && unexpected.iter().any(|key| key == "$ref")
        }
        Error::OneOfNotValid { context } | Error::AnyOf { context } => {
            at == here
                && context.iter().all(|branch| branch.iter().any(|error| distinguishes(error, here, is_reference)))
        }
        _ => false,
    }
}

fn depth(error: &ValidationError<'_>) -> usize {
    let own = error.instance_path().as_str().matches('/').count();
    match error.kind() {
        Error::OneOfNotValid { context } | Error::AnyOf { context } => {
            context.iter().flatten().map(depth).max().unwrap_or_default().max(own)
        }
        _ => own,
    }
}
