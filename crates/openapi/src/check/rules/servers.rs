//! Servers and security.
use super::{Check, below, names::map_of};
use crate::dialect::Version;
use crate::finding::Code;
use crate::shape::Object;
use crate::tree::{Node, Path, Step};
use crate::wording::quoted;

/// The security schemes that a document or an operation names.
pub(super) fn security(owner: &Node, path: &Path, check: &mut Check<'_, '_>) {
    let root = check.resolver.root();
    let known = match check.version {
        Version::V2_0 => map_of(root, "securityDefinitions"),
        _ => root.get("components").and_then(|components| map_of(components, "securitySchemes")),
    };
    for (index, requirement) in owner.items_of("security").iter().enumerate() {
        for (name, member) in requirement.as_map().into_iter().flatten() {
            // In 3.2, an address can take the place of a name.
            let is_address = check.version >= Version::V3_2 && name.contains(['/', '#', ':']);
            if is_address || known.is_some_and(|known| known.contains_key(name)) {
                continue;
            }
            let hint = known.map(|known| check.findings.suggestion(name, known.keys().map(|key| &**key)));
            let hint = hint.unwrap_or_default();
            let mut path = below(path, "security");
            path.0.push(Step::Index(index));
            check.report(
                Code::SecurityUnknown,
                member.at,
                path,
                format!("{} is no security scheme{hint}", quoted(name)),
            );
        }
    }
}

/// The address of a server.
pub(super) fn address(object: &Object<'_, '_>, check: &mut Check<'_, '_>) {
    let Some((node, url)) = object.node.get("url").and_then(|node| Some((node, node.as_text()?))) else { return };
    let variables = map_of(object.node, "variables");
    for name in url.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0)) {
        if !variables.is_some_and(|variables| variables.contains_key(name)) {
            let message =
                format!("the address names {{{name}}}, but no variable does", name = crate::wording::cut(name, 40));
            check.report(Code::ServerUrl, node.at, below(&object.path(), "url"), message);
        }
    }
    let message = if url.contains(char::is_whitespace) {
        format!("{} is no address: it has white space", quoted(url))
    } else if lacks_scheme(url) {
        format!("{} is relative: is https:// missing before it?", quoted(url))
    } else {
        return;
    };
    check.report(Code::ServerUrl, node.at, below(&object.path(), "url"), message);
}

/// Whether an address begins with a host: `api.example.com/v1` or `localhost:8080`.
fn lacks_scheme(url: &str) -> bool {
    if url.contains("://") || url.starts_with(['/', '.', '{', '#', '?']) {
        return false;
    }
    let authority = url.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.split(':').next().unwrap_or_default();
    let port = authority.split_once(':').is_none_or(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let labels: Vec<&str> = host.split('.').collect();
    let is_name = labels.len() >= 2
        && labels
            .iter()
            .all(|label| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
        && ["com", "org", "net", "io", "dev", "app", "local"].contains(labels.last().unwrap_or(&""));
    port && (host == "localhost" || is_name)
}
