//! Speculation rules: which pages browsers may fetch before their visitor opens them.
use crate::handler::Reply;
use crate::machine::body;
use crate::request::SiteRequest;
use crate::site::SiteServer;
use domain::usecases::sites::reader::Visiting;
use serde_json::json;

/// The path of the rules on a site, below `~/`.
pub(crate) const PATH: &str = "speculation.json";
/// The header of pages that names the rules.
pub(crate) const HEADER: &str = "speculation-rules";
const MEDIA_TYPE: &str = "application/speculationrules+json";

/// The value of the header for the site with this path, which has a slash at both ends.
pub(crate) fn header(base: &str) -> String {
    format!("\"{base}~/{PATH}\"")
}

/// The rules.
pub(crate) fn reply(server: &SiteServer, site_request: &SiteRequest, visiting: &Visiting<'_>) -> Reply {
    let rules = rules(&visiting.base_path());
    Reply::Body(body(server, visiting, MEDIA_TYPE, rules, false).encode(site_request.encoding))
}

/// Pages of the same site that the visitor points at, except the server's own addresses and addresses with a query,
/// since a query can set a cookie.
fn rules(base: &str) -> String {
    let base = literal(base);
    let matches = |pattern: String| json!({"href_matches": pattern});
    let not = |pattern: String| json!({"not": matches(pattern)});
    let pages = [matches(format!("{base}*")), not(format!("{base}~/*")), not(format!("{base}*\\?*"))];
    json!({"prefetch": [{"where": {"and": pages}, "eagerness": "moderate"}]}).to_string()
}

/// A path as a pattern that matches nothing else.
fn literal(path: &str) -> String {
    path.chars().flat_map(|char| ("*+?:{}()\\".contains(char).then_some('\\')).into_iter().chain([char])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_for_pages_of_the_site() {
        let expected = r#"{"prefetch":[{"eagerness":"moderate","where":{"and":[{"href_matches":"/s/a\\+b/*"},{"not":{"href_matches":"/s/a\\+b/~/*"}},{"not":{"href_matches":"/s/a\\+b/*\\?*"}}]}}]}"#;
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&rules("/s/a+b/")), read(expected));
        assert_eq!(header("/s/docs/"), "\"/s/docs/~/speculation.json\"");
    }
}
