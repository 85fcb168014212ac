//! Links in the header, in the footer and in the announcement.
use crate::content::batch::MAX_REFERENCE;
use crate::content::reference::ContentRef;
use crate::text::{Rule, Text};
use crate::web_address::{MAX_ADDRESS, WebAddress, check_visible};
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

/// The target of a link: content, or an address. An address is relative to the site, or has one of a few schemes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ContentRef")]
pub struct MenuTarget(ContentRef);

impl MenuTarget {
    /// The content or the address.
    pub fn reference(&self) -> &ContentRef {
        &self.0
    }

    /// The target in its normal form: addresses of the web are those of [`WebAddress`].
    ///
    /// # Errors
    /// The rule that the address breaks.
    pub(super) fn normal(&self) -> Result<Self, Rule> {
        let ContentRef::Url { url } = &self.0 else { return Ok(self.clone()) };
        let is_http = url.split_once(':').is_some_and(|(scheme, _)| is_web(scheme));
        if is_http {
            let url = url.parse::<WebAddress>()?.into();
            return Ok(Self(ContentRef::Url { url }));
        }
        check_visible(url)?;
        if url.contains('\\') {
            return Err(Rule("must not contain backslashes".into()));
        }
        Ok(self.clone())
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

fn is_web(scheme: &str) -> bool {
    ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
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
    fn a_link_cannot_run_a_script(#[case] url: &str, #[case] fine: bool) {
        let sent = json!({"kind": "url", "url": url});
        assert_eq!(from_value::<MenuTarget>(sent).is_ok(), fine, "{url:?}");
    }

    #[rstest]
    #[case("HTTPS://EXAMPLE.org:443/a/../ü", Ok("https://example.org/%C3%BC"))]
    #[case("mailto:Ada@example.org", Ok("mailto:Ada@example.org"))]
    #[case("../a:b", Ok("../a:b"))]
    #[case("//example.org/a", Ok("//example.org/a"))]
    #[case("https://ada:secret@example.org/", Err("user or a password"))]
    #[case("https://", Err("such as"))]
    #[case("https://example.org/\u{202e}gnp.exe", Err("direction of text"))]
    #[case("mailto:a\u{200b}da@example.org", Err("invisible"))]
    #[case("/a\u{202e}b", Err("direction of text"))]
    #[case("/\\example.org", Err("backslashes"))]
    #[case("https:\\\\example.org", Err("backslashes"))]
    fn a_new_address_is_kept_in_its_normal_form(#[case] url: &str, #[case] expected: Result<&str, &str>) {
        let target: MenuTarget = from_value(json!({"kind": "url", "url": url})).expect("what is stored is readable");
        match (target.normal(), expected) {
            (Ok(MenuTarget(ContentRef::Url { url })), Ok(expected)) => assert_eq!(url, expected),
            (Err(rule), Err(words)) => assert!(rule.0.contains(words), "{rule:?}"),
            (found, _) => panic!("{found:?}"),
        }
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
