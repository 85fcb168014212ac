//! Security schemes and requirements.
use super::{Swagger, each};
use crate::tree::{Members, Node, Value};
use crate::upgrade::edit::{keep, map, put, put_from};

impl Swagger<'_> {
    /// The requirements, with the new names of the schemes.
    pub(super) fn security(&self, requirements: &Node) -> Node {
        let Some(items) = requirements.as_list() else { return requirements.clone() };
        let items = items.iter().map(|item| {
            let Some(schemes) = item.as_map() else { return item.clone() };
            let mut out = Members::default();
            for (name, member) in schemes {
                keep(&mut out, self.name("securityDefinitions", name), member);
            }
            Node { at: item.at, value: Value::Map(out) }
        });
        Node { at: requirements.at, value: Value::List(items.collect()) }
    }
}

/// A security scheme of 3.0.
pub(super) fn scheme(scheme: &Node) -> Node {
    let Some(fields) = scheme.as_map() else { return scheme.clone() };
    match scheme.text_of("type") {
        Some("basic") => {
            let mut out = Members::default();
            for (key, member) in fields {
                if &**key == "type" {
                    put_from(&mut out, key, member.at, Node { at: member.node.at, value: Value::Text("http".into()) });
                    put(&mut out, "scheme", Node::text("basic"));
                } else {
                    keep(&mut out, key, member);
                }
            }
            Node { at: scheme.at, value: Value::Map(out) }
        }
        Some("oauth2") if !fields.contains_key("flows") => oauth2(scheme, fields),
        _ => each(scheme, |_, node| node.clone()),
    }
}

fn oauth2(scheme: &Node, fields: &Members) -> Node {
    let mut out = Members::default();
    let mut flow = Members::default();
    for (key, member) in fields {
        match &**key {
            "flow" => {}
            "authorizationUrl" | "tokenUrl" | "refreshUrl" | "scopes" => keep(&mut flow, key, member),
            _ => keep(&mut out, key, member),
        }
    }
    if !flow.contains_key("scopes") {
        put(&mut flow, "scopes", map([]));
    }
    let name = match scheme.text_of("flow") {
        Some("application") => "clientCredentials",
        Some("accessCode") => "authorizationCode",
        Some(name) => name,
        None => "implicit",
    };
    let mut flows = Members::default();
    let at = fields.get("flow").map(|member| member.at).unwrap_or_default();
    put_from(&mut flows, name, at, Node::made(Value::Map(flow)));
    put(&mut out, "flows", Node::made(Value::Map(flows)));
    Node { at: scheme.at, value: Value::Map(out) }
}
