//! The address of a request.
use super::Build;
use super::parameters::Parameters;
use super::style::encoded;
use crate::body::scalar;
use crate::refs::FRAGMENT;
use crate::schema::LocatedNode;
use crate::tree::Node;
use percent_encoding::{AsciiSet, utf8_percent_encode};
use url::{Position, Url};

/// The base of relative addresses if the address of the document is unknown.
const DEFAULT_BASE: &str = "https://example.com/";

/// The characters that a path cannot contain, and quotation marks. Percent signs are handled separately.
const PATH: &AsciiSet = &FRAGMENT.remove(b'%').add(b'\'');

/// The whole address.
pub(super) fn url(build: &Build<'_, '_>, path: &str, parameters: &Parameters) -> String {
    let mut url = server(build) + &expanded(path, parameters);
    if !parameters.query.is_empty() {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(&parameters.query.join("&"));
    }
    url
}

/// The address of the server, without a slash at its end: that of the operation, its path or the document.
fn server(build: &Build<'_, '_>) -> String {
    let root = build.schemas().root();
    let owners = [&build.found.operation, &build.found.item, &root];
    let servers = owners.into_iter().map(|owner| owner.items("servers").collect::<Vec<_>>());
    let servers = servers.into_iter().find(|servers| !servers.is_empty()).unwrap_or_default();
    let source = build.options.source.and_then(|source| Url::parse(source).ok()).filter(is_web);
    let Some(base) = source.or_else(|| Url::parse(DEFAULT_BASE).ok()) else { return String::new() };
    let chosen = servers.get(build.options.server).into_iter();
    let usable = chosen.chain(&servers).find_map(|server| address(server, &base));
    let url = usable.or_else(|| base.join("/").ok()).unwrap_or(base);
    let path = utf8_percent_encode(url.path().trim_end_matches('/'), PATH);
    format!("{}{path}", &url[..Position::BeforePath])
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// The address of a server with its variables replaced; `None` if no request can be sent to it.
fn address(server: &LocatedNode<'_>, base: &Url) -> Option<Url> {
    let template = server.node.text_of("url")?;
    let variables = server.node.get("variables");
    let filled = replaced(template, |name| {
        let variable = variables.and_then(|variables| variables.get(name));
        let value = variable.and_then(|variable| {
            variable.get("default").or_else(|| variable.get("enum").and_then(Node::as_list)?.first())
        });
        value.map_or_else(|| name.to_owned(), scalar)
    });
    let mut url = base.join(&filled).ok().filter(is_web)?;
    // Clients reject addresses with names and passwords.
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    Some(url)
}

/// The path with the texts of its parameters. A parameter without a description is replaced by its name.
fn expanded(path: &str, parameters: &Parameters) -> String {
    // A fragment is not sent; some documents use it to distinguish operations.
    let path = path.split('#').next().unwrap_or_default();
    let mut out = String::new();
    let mut rest = path;
    while let Some((literal, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        push_literal(literal, &mut out);
        let text = parameters.path.iter().find(|(other, _)| other == name).map(|(_, text)| text.clone());
        out.push_str(&text.unwrap_or_else(|| encoded(name)));
        rest = after;
    }
    push_literal(rest, &mut out);
    out
}

/// Adds a text of the path itself. Escapes stay as they are.
fn push_literal(text: &str, out: &mut String) {
    for (index, piece) in text.split('%').enumerate() {
        if index > 0 {
            let is_escape = piece.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
            out.push_str(if is_escape { "%" } else { "%25" });
        }
        out.extend(utf8_percent_encode(piece, PATH));
    }
}

/// The text with each `{name}` replaced.
fn replaced(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((literal, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        out.push_str(literal);
        out.push_str(&value(name));
        rest = after;
    }
    out.push_str(rest);
    out
}
