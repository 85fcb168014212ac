//! Links in the header, in the footer and in the announcement.
use crate::content::batch::MAX_REFERENCE;
use crate::content::reference::ContentRef;
use crate::text::{Rule, Text};
use crate::web_address::MAX_ADDRESS;
use serde::{Deserialize, Serialize};

/// The schemes of addresses that a link may have.
const SCHEMES: [&str; 4] = ["http", "https", "mailto", "tel"];

/// A link with a title.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The title.
    pub title: Text<1, 64>,
    /// Where it leads.
    pub to: MenuTarget,
}

/// Where a link leads: content, or an address. An address is relative to the site, or has one of a few schemes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ContentRef")]
pub struct MenuTarget(ContentRef);

impl MenuTarget {
    /// The content or the address.
    pub fn reference(&self) -> &ContentRef {
        &self.0
    }
}

impl TryFrom<ContentRef> for MenuTarget {
    type Error = Rule;

    fn try_from(reference: ContentRef) -> Result<Self, Rule> {
        match &reference {
            ContentRef::Url { url } => check_address(url)?,
            ContentRef::Anchor { anchor: name, .. }
            | ContentRef::Openapi { spec: name, version: None }
            | ContentRef::Tag { tag: name, .. } => check_name(name)?,
            ContentRef::Openapi { spec, version: Some(version) } => {
                check_name(spec)?;
                check_name(version)?;
            }
            _ => {}
        }
        Ok(Self(reference))
    }
}

fn check_name(name: &str) -> Result<(), Rule> {
    match (1..=MAX_REFERENCE).contains(&name.chars().count()) && !name.contains('\0') {
        true => Ok(()),
        false => Err(Rule(format!("must name its target with 1 to {MAX_REFERENCE} characters"))),
    }
}

/// Browsers ignore control characters and white space before and in a scheme, so an address has none.
fn check_address(url: &str) -> Result<(), Rule> {
    if !(1..=MAX_ADDRESS).contains(&url.chars().count()) {
        return Err(Rule(format!("must have an address of 1 to {MAX_ADDRESS} characters")));
    }
    if url.contains(|char: char| char.is_control() || char.is_whitespace()) {
        return Err(Rule("must have an address without white space and control characters".to_owned()));
    }
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    let is_path = |start: &str| start.contains(['/', '?', '#']);
    match scheme {
        Some(scheme) if !is_path(scheme) && !SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)) => {
            Err(Rule(format!("must have an address of the scheme {} or none", SCHEMES.join(", "))))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::{from_value, json};

    #[rstest]
    #[case("https://example.org/a?b=c:d", true)]
    #[case("HTTP://example.org", true)]
    #[case("mailto:ada@example.org", true)]
    #[case("tel:+491234", true)]
    #[case("/pricing", true)]
    #[case("../a:b", true)]
    #[case("#a:b", true)]
    #[case("?a:b", true)]
    #[case("//example.org/a", true)]
    #[case("javascript:alert(1)", false)]
    #[case("JavaScript:alert(1)", false)]
    #[case("java\tscript:alert(1)", false)]
    #[case(" javascript:alert(1)", false)]
    #[case("\u{1}javascript:alert(1)", false)]
    #[case("data:text/html,x", false)]
    #[case("vbscript:x", false)]
    #[case(":x", false)]
    #[case("", false)]
    #[case(&"a".repeat(MAX_ADDRESS), true)]
    #[case(&"a".repeat(MAX_ADDRESS + 1), false)]
    fn a_link_leads_to_an_address_that_browsers_run_nothing_at(#[case] url: &str, #[case] fine: bool) {
        let sent = json!({"kind": "url", "url": url});
        assert_eq!(from_value::<MenuTarget>(sent).is_ok(), fine, "{url:?}");
    }

    #[rstest]
    #[case(json!({"kind": "page", "page": "p", "space": "s"}), true)]
    #[case(json!({"kind": "anchor", "anchor": "a", "page": "p"}), true)]
    #[case(json!({"kind": "anchor", "anchor": "a".repeat(MAX_REFERENCE + 1)}), false)]
    #[case(json!({"kind": "tag", "tag": ""}), false)]
    #[case(json!({"kind": "openapi", "spec": "a\u{0}"}), false)]
    #[case(json!({"kind": "nothing"}), false)]
    #[case(json!("https://example.org"), false)]
    fn a_link_leads_to_content(#[case] sent: serde_json::Value, #[case] fine: bool) {
        assert_eq!(from_value::<MenuTarget>(sent).is_ok(), fine);
    }
}
