//! Placeholders of credentials.
use super::Build;
use super::parameters::Parameters;
use crate::body::media_type::is_token;
use crate::schema::LocatedNode;
use crate::tree::Node;

/// Adds the credentials of the first way to authenticate.
pub(super) fn add(build: &Build<'_, '_>, parameters: &mut Parameters) {
    let root = build.schemas().root();
    let operation = &build.found.operation;
    let owner = if operation.node.get("security").is_some() { operation } else { &root };
    let Some(requirement) = owner.items("security").next() else { return };
    for (name, _) in requirement.node.members() {
        let scheme = root.key("components").and_then(|components| components.key("securitySchemes")?.key(name));
        let scheme = scheme.and_then(|scheme| build.schemas().behind(scheme));
        if let Some(scheme) = scheme {
            add_scheme(&scheme, parameters);
        }
    }
}

fn add_scheme(scheme: &LocatedNode<'_>, parameters: &mut Parameters) {
    let node = scheme.node;
    let prefix = node.text_of("x-gitbook-prefix").map(str::trim);
    let named = |default: &'static str| node.text_of("x-gitbook-token-placeholder").unwrap_or(default);
    let prefixed = |default: &str, token: &str| match prefix.unwrap_or(default) {
        "" => token.to_owned(),
        prefix => format!("{prefix} {token}"),
    };
    match node.text_of("type") {
        Some("apiKey") => add_key(node, &prefixed("", named("YOUR_API_KEY")), parameters),
        Some("http") => {
            let scheme = node.text_of("scheme").filter(|scheme| is_token(scheme)).unwrap_or("Bearer");
            let (scheme, token) = match scheme.to_ascii_lowercase().as_str() {
                "bearer" => ("Bearer", "YOUR_TOKEN"),
                "basic" => ("Basic", "YOUR_CREDENTIALS"),
                _ => (scheme, "YOUR_CREDENTIALS"),
            };
            parameters.add_header("Authorization", &prefixed(scheme, named(token)));
        }
        Some("oauth2" | "openIdConnect") => {
            parameters.add_header("Authorization", &prefixed("Bearer", named("YOUR_TOKEN")));
        }
        // A certificate is not part of a request.
        _ => {}
    }
}

fn add_key(scheme: &Node, key: &str, parameters: &mut Parameters) {
    let Some(name) = scheme.text_of("name") else { return };
    match scheme.text_of("in") {
        Some("header") => parameters.add_header(name, key),
        Some("query") => parameters.add_query_key(name, key),
        Some("cookie") => parameters.add_cookie_key(name, key),
        _ => {}
    }
}
