//! Servers, from `host`, `basePath` and `schemes`.
use super::Swagger;
use crate::tree::{Node, Value};
use crate::upgrade::edit::{list, map};
use std::collections::HashSet;

impl Swagger<'_> {
    /// The servers, with the schemes of the document or of an operation. `None` if neither the document nor its address
    /// says where the API is.
    pub(super) fn servers(&self, schemes: Option<&Node>) -> Option<Node> {
        let base = self.root.text_of("basePath").unwrap_or_default().trim();
        let base = base.trim_end_matches('/');
        let slash = if base.is_empty() || base.starts_with('/') { "" } else { "/" };
        let host = self.root.text_of("host").map(str::trim).filter(|host| !host.is_empty());
        let source = self.source.as_ref().and_then(|source| Some((source.scheme(), source.host_str()?, source.port())));
        let host = match (host, source) {
            (Some(host), _) => host.to_owned(),
            (None, Some((_, host, Some(port)))) => format!("{host}:{port}"),
            (None, Some((_, host, None))) => host.to_owned(),
            (None, None) => {
                let url = if base.is_empty() { "/".to_owned() } else { format!("{slash}{base}") };
                return self.root.get("basePath").map(|at| list(vec![self.server(&url, at)]));
            }
        };
        let given = schemes.or_else(|| self.root.get("schemes")).map(Node::items).unwrap_or_default();
        let mut seen = HashSet::new();
        let mut servers: Vec<Node> = given
            .iter()
            .filter_map(|scheme| Some((scheme, scheme.as_text()?)))
            .filter(|(_, scheme)| seen.insert(*scheme))
            .map(|(at, scheme)| self.server(&format!("{scheme}://{host}{slash}{base}"), at))
            .collect();
        if servers.is_empty() {
            // By the specification it is the scheme by which the document was fetched.
            let scheme = source.map_or("https", |(scheme, _, _)| scheme);
            let at = self.root.get("host").unwrap_or(self.root);
            servers.push(self.server(&format!("{scheme}://{host}{slash}{base}"), at));
        }
        Some(list(servers))
    }

    fn server(&self, url: &str, from: &Node) -> Node {
        let mut server = map([("url", Node { at: from.at, value: Value::Text(url.into()) })]);
        server.at = from.at;
        server
    }
}
