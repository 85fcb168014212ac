//! Finds the operations of a document.
use crate::parts::METHODS;
use crate::refs::MAX_HOPS;
use crate::schema::{LocatedNode, Schemas};
use crate::tree::{Node, pointer_step};

/// An operation that was found.
#[derive(Clone, Debug)]
pub(crate) struct Found<'a> {
    /// The method, as the document writes it.
    pub(crate) method: &'a str,
    /// The path item that has the operation: behind its references.
    pub(crate) item: LocatedNode<'a>,
    /// The operation.
    pub(crate) operation: LocatedNode<'a>,
}

/// Finds an operation of a path, and the path as written in the document. The path matches with and without a slash at
/// its end, the method without regard to case.
pub(crate) fn operation<'a>(schemas: &Schemas<'a>, path: &str, method: &str) -> Option<(String, Found<'a>)> {
    let other = match path.strip_suffix('/') {
        Some(shorter) => shorter.to_owned(),
        None => format!("{path}/"),
    };
    let found = [path, &other].into_iter().filter(|path| path.starts_with('/'));
    let mut found = found.filter_map(|path| Some((path, schemas.at(&format!("/paths/{}", pointer_step(path)))?)));
    let (path, item) = found.next()?;
    Some((path.to_owned(), in_item(schemas, item, method)?))
}

/// Finds an operation of a webhook. The method matches without regard to case.
pub(crate) fn webhook<'a>(schemas: &Schemas<'a>, name: &str, method: &str) -> Option<Found<'a>> {
    in_item(schemas, schemas.at(&format!("/webhooks/{}", pointer_step(name)))?, method)
}

/// Finds the operation of a path item, or of the one that it refers to.
fn in_item<'a>(schemas: &Schemas<'a>, item: LocatedNode<'a>, method: &str) -> Option<Found<'a>> {
    let mut item = item;
    for _ in 0..MAX_HOPS {
        if let Some(found) = all(&item).into_iter().find(|found| found.method.eq_ignore_ascii_case(method)) {
            return Some(found);
        }
        item = schemas.target(&item, item.node.text_of("$ref")?)?;
    }
    None
}

/// All operations that a path item has itself, in their order, and then those of `additionalOperations`.
pub(crate) fn all<'a>(item: &LocatedNode<'a>) -> Vec<Found<'a>> {
    let found = |(method, operation): (&'a str, LocatedNode<'a>)| Found { method, item: item.clone(), operation };
    let own = item.node.members().filter(|(key, _)| METHODS.contains(key));
    let own = own.filter_map(|(key, _)| Some((key, item.key(key)?)));
    let more = item.members("additionalOperations");
    own.chain(more).filter(|(_, operation)| operation.node.as_map().is_some()).map(found).collect()
}

/// The path item behind all references, with operations or not.
pub(crate) fn item<'a>(schemas: &Schemas<'a>, item: LocatedNode<'a>) -> Option<LocatedNode<'a>> {
    if all(&item).is_empty() { schemas.behind(item) } else { Some(item) }
}

/// The parameters of an operation: those of its path item that it does not replace, and its own.
pub(crate) fn parameters<'a>(schemas: &Schemas<'a>, found: &Found<'a>) -> Vec<LocatedNode<'a>> {
    let identity = |located: &LocatedNode<'a>| {
        let place = located.node.text_of("in");
        // Names of headers have no case.
        let is_header = place == Some("header");
        let name = |name: &str| if is_header { name.to_ascii_lowercase() } else { name.to_owned() };
        (place, located.node.text_of("name").map(name))
    };
    let own = found.operation.items("parameters").filter_map(|located| schemas.behind(located));
    let shared = found.item.items("parameters").filter_map(|located| schemas.behind(located));
    let mut all: indexmap::IndexMap<_, LocatedNode<'a>> = indexmap::IndexMap::new();
    for located in shared.chain(own).filter(|located| located.node.get("name").and_then(Node::as_text).is_some()) {
        all.insert(identity(&located), located);
    }
    all.into_values().collect()
}
