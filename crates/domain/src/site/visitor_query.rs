//! The parameters of an address that describe the visitor of a site: tokens, and claims without proof.
use crate::rison;
use serde_json::{Map, Value};
use url::{Url, form_urlencoded};

/// The parameter of the address of a page that has the token of the visitor.
pub const VISITOR_TOKEN: &str = "jwt_token";
/// The parameter of the address of a preview that has its token.
pub const PREVIEW_TOKEN: &str = "token";
/// The start of the parameters that state claims without proof.
const CLAIM: &str = "visitor.";
/// The deepest path of a claim. Schemas are not deeper.
const MAX_DEPTH: usize = 16;

/// The value of a parameter of an address.
pub fn parameter(url: &Url, wanted: &str) -> Option<String> {
    url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
}

/// The claims in the parameters of an address: `visitor.plan=pro`, with objects and lists in Rison.
pub fn claims(url: &Url) -> Option<Map<String, Value>> {
    let mut claims = Map::new();
    for (name, value) in url.query_pairs() {
        if let Some(path) = name.strip_prefix(CLAIM).filter(|path| path.split('.').count() <= MAX_DEPTH) {
            insert(&mut claims, path, value_of(&value));
        }
    }
    (!claims.is_empty()).then_some(claims)
}

/// The query of an address without tokens and claims; `None` if nothing is left.
pub fn without_visitor(url: &Url) -> Option<String> {
    url.query().and_then(query_without_visitor)
}

/// The path and query to which a sign-in service sends a visitor back, without tokens and claims. The path has one slash
/// at its start: a service may resolve it against the site, and what begins with two slashes is on another host.
pub fn return_path(path: &str, url: &Url) -> String {
    let query = without_visitor(url).map(|query| format!("?{query}")).unwrap_or_default();
    format!("/{}{query}", path.trim_start_matches(['/', '\\']))
}

/// A query without tokens and claims; `None` if nothing is left. The other parameters stay as they are written: another
/// server may read `?flag` and `?flag=` in different ways.
pub(crate) fn query_without_visitor(query: &str) -> Option<String> {
    let of_visitor = |name: &str| [PREVIEW_TOKEN, VISITOR_TOKEN].contains(&name) || name.starts_with(CLAIM);
    let kept = query.split('&').filter(|pair| {
        // A name can be encoded, such as `jwt%5Ftoken`.
        form_urlencoded::parse(pair.as_bytes()).next().is_none_or(|(name, _)| !of_visitor(&name))
    });
    Some(kept.collect::<Vec<_>>().join("&")).filter(|query| !query.is_empty())
}

/// Sets the value at a path such as `team.size`.
fn insert(claims: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            claims.insert(path.to_owned(), value);
        }
        Some((first, rest)) => {
            let inner = claims.entry(first).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}

/// The value of a claim as it is written in an address.
fn value_of(raw: &str) -> Value {
    rison::read(raw).unwrap_or_else(|_text| Value::String(raw.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[test]
    fn claims_are_read_from_the_address() {
        let url = "http://a.test/?visitor.plan=pro&visitor.beta=!t&visitor.team.size=5&q=x".parse().unwrap();
        let expected = json!({"plan": "pro", "beta": true, "team": {"size": 5}});
        assert_eq!(claims(&url).map(Value::Object), Some(expected));
        assert_eq!(claims(&"http://a.test/?q=x".parse().unwrap()), None);
    }

    #[rstest]
    #[case("https://a.test/?q=1&jwt_token=x&visitor.plan=pro&token=y&r=a%20b", Some("q=1&r=a%20b"))]
    #[case("https://a.test/?flag&a=b%20c&d=e+f&&g=", Some("flag&a=b%20c&d=e+f&&g="))]
    #[case("https://a.test/?jwt%5Ftoken=x&%74oken&visitor%2Eplan=pro&flag", Some("flag"))]
    #[case("https://a.test/?jwt_token=x", None)]
    #[case("https://a.test/", None)]
    fn tokens_and_claims_are_not_passed_on(#[case] url: &str, #[case] query: Option<&str>) {
        assert_eq!(without_visitor(&url.parse().unwrap()).as_deref(), query);
    }

    #[rstest]
    #[case("", "https://a.test/", "/")]
    #[case("install", "https://a.test/install?q=1&jwt_token=x", "/install?q=1")]
    #[case("/evil.test/", "https://a.test//evil.test/", "/evil.test/")]
    #[case("//evil.test?q=1", "https://a.test/", "/evil.test?q=1")]
    #[case("\\/evil.test", "https://a.test/", "/evil.test")]
    #[case("a//b", "https://a.test/", "/a//b")]
    fn the_path_to_return_to_is_on_the_same_host(#[case] path: &str, #[case] url: &str, #[case] expected: &str) {
        let back = return_path(path, &url.parse().unwrap());
        assert_eq!(back, expected);
        let site: Url = "https://docs.test/".parse().unwrap();
        assert_eq!(site.join(&back).unwrap().host_str(), Some("docs.test"));
    }
}
