//! References: the fields beside them.
use super::Check;
use crate::finding::Code;
use crate::shape::Object;
use crate::tree::Node;
use crate::wording::quoted;

/// Fields beside a reference that are ignored. Descriptions are read, and extensions are harmless.
pub(super) fn siblings(object: &Object<'_, '_>, check: &mut Check<'_, '_>) {
    if object.kind.has_siblings(check.version) || object.reference(check.version).is_none() {
        return;
    }
    let ignored = |key: &str| !matches!(key, "$ref" | "summary" | "description") && !key.starts_with("x-");
    let members = object.node.as_map().into_iter().flatten().filter(|(key, _)| ignored(key));
    let names: Vec<_> = members.map(|(key, member)| (quoted(key), member.at)).collect();
    let Some((first, at)) = names.first() else { return };
    let message = match names.as_slice() {
        [_] => format!("{first} is ignored, as it is beside $ref"),
        [_, second] => format!("{first} and {} are ignored, as they are beside $ref", second.0),
        more => format!("{first} and {} more are ignored, as they are beside $ref", more.len() - 1),
    };
    check.report(Code::RefSiblings, *at, object.path(), message);
}

/// The value of a key, if it is a mapping.
pub(super) fn map_of<'a>(node: &'a Node, key: &str) -> Option<&'a crate::tree::Members> {
    node.get(key)?.as_map()
}
