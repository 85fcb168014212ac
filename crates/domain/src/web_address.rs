//! Web addresses that are stored and shown: addresses of images, and of files to fetch.
use crate::characters::is_invisible;
use crate::content::import::path::encode;
use crate::text::Rule;
use std::fmt;
use url::form_urlencoded::byte_serialize;
use url::{Origin, Url};

/// The longest address in characters, as sent and in its normal form.
pub const MAX_ADDRESS: usize = 2048;

/// An http or https address in the normal form of the URL standard: ASCII, without user and password, and without
/// characters that are invisible or change the direction of text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WebAddress(String);

impl WebAddress {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its scheme, host and port, without what can be a secret of the host.
    pub fn origin(&self) -> Option<String> {
        let origin = Url::parse(&self.0).ok()?.origin();
        matches!(origin, Origin::Tuple(..)).then(|| origin.ascii_serialization())
    }

    /// The address of a file below this one: the path of the file is at its end, or is the last value of its query,
    /// such as `?path=`. A fragment is left out.
    pub fn of_file(&self, path: &str) -> String {
        let start = self.0.split('#').next().unwrap_or_default();
        match start.contains('?') {
            true => format!("{start}{}", byte_serialize(path.as_bytes()).collect::<String>()),
            false if start.ends_with('/') => format!("{start}{}", encode(path)),
            false => format!("{start}/{}", encode(path)),
        }
    }

    /// An address from the database, which was checked when it was stored. It is not checked again: a stricter rule
    /// must not make stored rows unreadable.
    pub fn stored(raw: String) -> Self {
        Self(raw)
    }
}

/// Checks that an address has no characters with which it could look like another one.
///
/// # Errors
/// The rule.
pub(crate) fn check_visible(address: &str) -> Result<(), Rule> {
    match address.chars().any(is_invisible) {
        true => {
            Err(Rule("must not contain invisible characters or characters that change the direction of text".into()))
        }
        false => Ok(()),
    }
}

impl TryFrom<String> for WebAddress {
    type Error = Rule;

    fn try_from(raw: String) -> Result<Self, Rule> {
        if raw.chars().count() > MAX_ADDRESS {
            return Err(Rule(format!("must be at most {MAX_ADDRESS} characters")));
        }
        // The URL parser removes or changes these silently, so the checked address would differ from the one that a
        // person reads.
        if raw.chars().any(char::is_control) {
            return Err(Rule("must not contain control characters".into()));
        }
        check_visible(&raw)?;
        if raw.contains(|char: char| char.is_whitespace() || char == '\\') {
            return Err(Rule("must not contain white space or backslashes".into()));
        }
        let of_the_web = Url::parse(&raw).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let url = of_the_web.ok_or_else(|| Rule("must be an address such as https://example.org/logo.png".into()))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Rule("must not contain a user or a password".into()));
        }
        let normal = String::from(url);
        if normal.len() > MAX_ADDRESS {
            return Err(Rule(format!("must be at most {MAX_ADDRESS} characters in its normal form")));
        }
        Ok(Self(normal))
    }
}

impl std::str::FromStr for WebAddress {
    type Err = Rule;
    fn from_str(raw: &str) -> Result<Self, Rule> {
        raw.to_owned().try_into()
    }
}

impl From<WebAddress> for String {
    fn from(address: WebAddress) -> Self {
        address.0
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("https://example.org/a.png", "https://example.org/a.png")]
    #[case("http://localhost:8080", "http://localhost:8080/")]
    #[case("HTTPS://EXAMPLE.org:443/a/../ü.png?q=\"x\"", "https://example.org/%C3%BC.png?q=%22x%22")]
    #[case("https://bücher.example/", "https://xn--bcher-kva.example/")]
    #[case("http://0x7f.1/", "http://127.0.0.1/")]
    fn an_address_is_stored_in_its_normal_form(#[case] raw: &str, #[case] normal: &str) {
        assert_eq!(raw.parse::<WebAddress>().unwrap().as_str(), normal);
    }

    #[rstest]
    #[case("javascript:alert(1)", "such as")]
    #[case("data:image/png;base64,AA", "such as")]
    #[case("//example.org/a.png", "such as")]
    #[case("a.png", "such as")]
    #[case("", "such as")]
    #[case("https://", "such as")]
    #[case("https://exa<mple.org/", "such as")]
    #[case("https://example.org/a b", "white space")]
    #[case("https:\\\\example.org\\a", "backslashes")]
    #[case("ht\ntps://example.org/", "control")]
    #[case("https://example.org/\u{0}", "control")]
    #[case("https://example.org/\u{85}", "control")]
    #[case("java\tscript:alert(1)", "control")]
    #[case(" https://example.org/", "white space")]
    #[case("https://example.org/\u{a0}", "white space")]
    #[case("https://example.org@evil.org/", "user")]
    #[case("https://:secret@example.org/", "user")]
    #[case("https://example.org/\u{202e}gnp.exe", "direction")]
    #[case("https://example.org/\u{2066}a", "direction")]
    #[case("https://example.org/\u{200b}", "direction")]
    #[case("https://example.org/\u{ad}", "direction")]
    #[case(&format!("https://example.org/{}", "a".repeat(MAX_ADDRESS)), "at most 2048")]
    #[case(&format!("https://example.org/{}", "ü".repeat(400)), "normal form")]
    fn an_invalid_address_is_refused_with_the_rule(#[case] raw: &str, #[case] rule: &str) {
        let Err(Rule(told)) = raw.parse::<WebAddress>() else { panic!("accepted") };
        assert!(told.contains(rule), "{told}");
    }

    #[rstest]
    #[case("https://example.org/edit/main/", "a/b.md", "https://example.org/edit/main/a/b.md")]
    #[case("https://example.org/edit/main", "a/b.md", "https://example.org/edit/main/a/b.md")]
    #[case("https://example.org", "README.md", "https://example.org/README.md")]
    #[case("https://example.org/edit/", "ü (1)/100%?#.md", "https://example.org/edit/%C3%BC%20%281%29/100%25%3F%23.md")]
    #[case("https://example.org/edit/#top", "a.md", "https://example.org/edit/a.md")]
    #[case("https://example.org/edit?path=/", "a&b/c++ 1.md", "https://example.org/edit?path=/a%26b%2Fc%2B%2B+1.md")]
    fn the_address_of_a_file_ends_with_its_path(#[case] start: &str, #[case] path: &str, #[case] address: &str) {
        let found = start.parse::<WebAddress>().unwrap().of_file(path);
        assert_eq!(found, address);
        assert_eq!(Url::parse(&found).map(String::from).as_deref(), Ok(address), "it is in its normal form");
    }

    #[test]
    fn stored_addresses_are_not_checked_again() {
        let old = "https://ada:secret@example.org/\u{202e}";
        assert_eq!(WebAddress::stored(old.to_owned()).as_str(), old);
    }

    proptest! {
        #[test]
        fn the_normal_form_is_visible_ascii_and_idempotent(raw in "(http|https|HTTP)://\\PC{0,40}|\\PC{0,60}") {
            if let Ok(address) = raw.parse::<WebAddress>() {
                prop_assert!(address.as_str().bytes().all(|byte| byte.is_ascii_graphic()), "{address}");
                prop_assert_eq!(address.as_str().parse::<WebAddress>(), Ok(address.clone()));
            }
        }
    }
}
