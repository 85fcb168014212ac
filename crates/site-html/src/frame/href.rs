//! Addresses of links in the frame.
use crate::href::SCHEMES;
use url::Url;

pub(super) use crate::href::Href;

impl Href {
    /// A path on the server.
    pub(super) fn inside(href: &str) -> Self {
        Self { href: href.to_owned(), external: false }
    }

    /// An address as a setting has it: absolute, or relative to the start of the site. `None` if browsers could run
    /// something at it.
    pub(super) fn of(address: &str, base: &str, canonical: &str) -> Option<Self> {
        let plain: String = address.chars().filter(|char| !char.is_control()).collect();
        let plain = plain.trim();
        let first = plain.split(['/', '?', '#']).next().unwrap_or_default();
        let elsewhere = match plain {
            "" => return None,
            _ if plain.starts_with("//") || plain.contains('\\') => Url::parse(&format!("https:{plain}")),
            _ => Url::parse(plain),
        };
        match elsewhere {
            Ok(url) if !SCHEMES.contains(&url.scheme()) => None,
            Ok(url) => {
                let external = matches!(url.scheme(), "http" | "https");
                let address = String::from(url);
                match address.strip_prefix(canonical) {
                    Some(rest) => Some(Self::inside(&format!("{base}{rest}"))),
                    None => Some(Self { href: address, external }),
                }
            }
            // Some browsers see a scheme before a colon.
            Err(_) if first.contains(':') => None,
            Err(_) if plain.starts_with(['#', '?']) || plain.starts_with(base) => Some(Self::inside(plain)),
            Err(_) => Some(Self::inside(&format!("{base}{}", plain.trim_start_matches('/')))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("https://example.org", Some(("https://example.org/", true)))]
    #[case("mailto:ada@example.org", Some(("mailto:ada@example.org", false)))]
    #[case("https://docs.example.org/s/guide/install", Some(("/s/guide/install", false)))]
    #[case("install", Some(("/s/guide/install", false)))]
    #[case("/install?a=b#c", Some(("/s/guide/install?a=b#c", false)))]
    #[case("/s/guide/install", Some(("/s/guide/install", false)))]
    #[case("#top", Some(("#top", false)))]
    #[case("//example.org/a", Some(("https://example.org/a", true)))]
    #[case("https:evil.example", Some(("https://evil.example/", true)))]
    #[case("/\\evil.example", Some(("https://evil.example/", true)))]
    #[case("javascript:alert(1)", None)]
    #[case(" java\nscript:alert(1)", None)]
    #[case("data:text/html,x", None)]
    #[case("a:b", None)]
    #[case("", None)]
    fn an_address_is_a_link(#[case] address: &str, #[case] expected: Option<(&str, bool)>) {
        let found = Href::of(address, "/s/guide/", "https://docs.example.org/s/guide/");
        assert_eq!(found.as_ref().map(|href| (href.href.as_str(), href.external)), expected);
    }

    #[test]
    fn a_path_at_the_root_site_is_the_path() {
        assert_eq!(Href::of("/install", "/", "https://example.org/"), Some(Href::inside("/install")));
        assert_eq!(
            Href::of("https://example.org/install", "/", "https://example.org/"),
            Some(Href::inside("/install"))
        );
    }
}
