//! Names in the addresses of sites: segments of paths, basenames, host names and proxies.
use crate::characters::{is_invisible, is_letter_mark, is_name};
use crate::content::import::path::fold;
use crate::content::page::{free_slug, slugify};
use crate::text::Rule;
use std::fmt;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The longest segment or basename, in characters.
pub const MAX_NAME: usize = 100;
/// The longest host name, in characters.
pub const MAX_HOSTNAME: usize = 512;
/// The longest proxy, in characters.
pub const MAX_PROXY: usize = 512;

/// The characters of a segment or a basename besides letters and digits.
const SEPARATORS: [char; 3] = ['.', '_', '-'];

/// Files that each site has at its root.
const FILES: [&str; 7] =
    ["llms.txt", "llms-full.txt", "sitemap.xml", "sitemap-pages.xml", "robots.txt", "opensearch.xml", "favicon.ico"];

/// The folder at the root of a host that standards define.
const WELL_KNOWN: &str = ".well-known";

/// Names at the root of the server itself, now or in a later version.
const SERVER: [&str; 19] = [
    "v1",
    "docs",
    "openapi.json",
    "files",
    "healthz",
    "readyz",
    "app",
    "account",
    "sign-in",
    "set-up",
    "link",
    "invite",
    "device",
    "welcome",
    "saml",
    "oidc",
    "oauth",
    "scim",
    "git",
];

/// The prefix of the addresses that every site has besides its pages, such as `~/search`.
pub const OWN: &str = "~/";
/// The prefix that other systems use for these addresses.
pub const FOREIGN: &str = "~gitbook/";
/// The segment of addresses with a basename.
pub(super) const NAMED: &str = "s";
/// The feed of a page, below its path.
pub const FEED: &str = "rss.xml";
/// The ending of the path of a page as Markdown.
pub const MARKDOWN: &str = ".md";

/// The names that a site cannot use as the first segment of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reserved {
    /// Those of every site: `~…`, `llms.txt`, `robots.txt`, ….
    #[default]
    Site,
    /// Also `s`, below which other sites are. For the site at the root of the address of all sites.
    Root,
    /// Also the paths of the server: `v1`, `docs`, …. For the site at the root of a host that it shares with the
    /// server.
    Shared,
}

impl Reserved {
    /// Whether a path that begins with this segment does not lead to content.
    pub fn has(self, first: &str) -> bool {
        let first = first.to_ascii_lowercase();
        first.starts_with('~')
            || is_file(&first)
            || first == WELL_KNOWN
            || (self != Self::Site && first == NAMED)
            || (self == Self::Shared && SERVER.contains(&first.as_str()))
    }
}

/// Whether a path, without a slash at its start, is that of a file that every site has.
pub fn is_file(path: &str) -> bool {
    FILES.contains(&path)
}

/// Checks a basename and folds its case.
fn name(raw: &str) -> Result<String, Rule> {
    let folded = raw.to_ascii_lowercase();
    let plain = folded.is_ascii() && is_name(&folded, &SEPARATORS);
    check(folded, plain, "characters of a-z, 0-9, ., _ and -")
}

/// Checks a segment, and folds its case and its form.
fn segment(raw: &str) -> Result<String, Rule> {
    let folded = fold(raw);
    let plain = is_name(&folded, &SEPARATORS) && !folded.contains(is_invisible);
    check(folded, plain, "letters and digits of any language, ., _ and -")
}

fn check(folded: String, plain: bool, characters: &str) -> Result<String, Rule> {
    if !(1..=MAX_NAME).contains(&folded.chars().count()) || !plain || folded == "." || folded == ".." {
        return Err(Rule(format!("must be 1 to {MAX_NAME} {characters}")));
    }
    if Reserved::Site.has(&folded) || folded == FEED {
        return Err(Rule(format!("must not be {folded}: every site has this file")));
    }
    if folded.ends_with(MARKDOWN) {
        return Err(Rule(format!("must not end with {MARKDOWN}: this is the ending of pages as Markdown")));
    }
    Ok(folded)
}

/// A title in the letters of a name: without accents, and with spaces in place of other characters.
fn plain(title: &str) -> String {
    let mut text = String::new();
    for char in title.chars().flat_map(char::to_lowercase).nfkd().filter(|char| !is_combining_mark(*char)) {
        match char {
            'ß' => text.push_str("ss"),
            'æ' => text.push_str("ae"),
            'œ' => text.push_str("oe"),
            'þ' => text.push_str("th"),
            'ø' => text.push('o'),
            'đ' | 'ð' => text.push('d'),
            'ħ' => text.push('h'),
            'ı' => text.push('i'),
            'ł' => text.push('l'),
            _ => text.push(if char.is_ascii() { char } else { ' ' }),
        }
    }
    text
}

/// The slug of a title in the letters of a name, or `None` if the title has none.
fn plain_slug(title: &str) -> Option<String> {
    let title = plain(title);
    title.contains(|char: char| char.is_ascii_alphanumeric()).then(|| slugify(&title))
}

/// The slug of a title in its own letters, like that of a page, or `None` if the title has none.
fn own_slug(title: &str) -> Option<String> {
    let is_letter = |char: char| char.is_alphanumeric() && !is_letter_mark(char) && !is_invisible(char);
    title.contains(is_letter).then(|| slugify(title))
}

/// A valid name that is not `taken`. A number is appended if necessary.
fn free(slug: &str, taken: impl Fn(&str) -> bool) -> String {
    // With a number, a slug is none of the reserved names.
    free_slug(slug, |wanted| taken(wanted) || segment(wanted).is_err())
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident by $check:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// A value from the database, which was checked when it was stored.
            pub fn stored(raw: String) -> Self {
                Self(raw)
            }
        }
        impl std::str::FromStr for $name {
            type Err = Rule;
            fn from_str(raw: &str) -> Result<Self, Rule> {
                $check(raw).map(Self)
            }
        }
        impl TryFrom<String> for $name {
            type Error = Rule;
            fn try_from(raw: String) -> Result<Self, Rule> {
                raw.parse()
            }
        }
        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

texts! {
    /// The segment of a section or a site space in paths of its site: 1 to 100 letters and digits of any language, with
    /// their marks, `.`, `_` and `-`, in lower case, none of [`Reserved::Site`].
    SitePath by segment,
    /// The name of a site in addresses: like a segment, but with no letters and digits other than `a-z` and `0-9`. It
    /// is unique in the instance.
    Basename by name,
    /// The host name of a site, in lower case, with at least three labels. It is not an IP address.
    Hostname by hostname,
    /// The address of a site behind a proxy of its owner: a host, in lower case, and a path, such as
    /// `www.example.org/docs`. It is unique in the instance.
    Proxy by proxy,
}

impl SitePath {
    /// A segment that is not `taken`: made from the letters `a-z` and the digits of a title, without accents; from all
    /// of its letters and digits if it has none of these letters; and from `fallback` if it has neither. A number is
    /// appended if necessary.
    pub fn free(title: &str, fallback: &str, taken: impl Fn(&str) -> bool) -> Self {
        let plain = plain_slug(title).filter(|slug| slug.contains(|char: char| char.is_ascii_alphabetic()));
        let slug = plain.or_else(|| own_slug(title)).unwrap_or_else(|| fallback.to_owned());
        Self(free(&slug, taken))
    }
}

impl Basename {
    /// A basename that is not `taken`: made from a title, or from `fallback` if the title has no letter or digit of a
    /// basename. A number is appended if necessary.
    pub fn free(title: &str, fallback: &str, taken: impl Fn(&str) -> bool) -> Self {
        Self(free(&plain_slug(title).unwrap_or_else(|| fallback.to_owned()), taken))
    }
}

impl Proxy {
    /// The host.
    pub fn host(&self) -> &str {
        self.0.split_once('/').map_or(&*self.0, |(host, _)| host)
    }

    /// The path, with a slash at its start and none at its end.
    pub fn path(&self) -> &str {
        self.0.get(self.host().len()..).unwrap_or_default()
    }
}

fn hostname(raw: &str) -> Result<String, Rule> {
    let end = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let label = |label: &str| {
        let bytes = label.as_bytes();
        (1..=63).contains(&bytes.len())
            && bytes.iter().all(|byte| end(*byte) || *byte == b'-')
            && bytes.first().copied().is_some_and(end)
            && bytes.last().copied().is_some_and(end)
    };
    let labels: Vec<&str> = raw.split('.').collect();
    let last = labels.last().copied().unwrap_or_default();
    let fine = raw.len() <= MAX_HOSTNAME
        && labels.len() >= 3
        && labels.iter().all(|one| label(one))
        && last.len() >= 2
        // An IP address.
        && !last.bytes().all(|byte| byte.is_ascii_digit());
    if fine {
        return Ok(raw.to_owned());
    }
    Err(Rule("must be a host name in lower case with at least three labels, such as docs.example.org".into()))
}

fn proxy(raw: &str) -> Result<String, Rule> {
    let wrong = || Rule("must be a host and a path, such as www.example.org/docs".into());
    let word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    let (host, path) = raw.split_once('/').ok_or_else(wrong)?;
    let (labels, last) = host.rsplit_once('.').ok_or_else(wrong)?;
    let fine = raw.len() <= MAX_PROXY
        && labels.split('.').all(word)
        && last.len() >= 2
        && last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && path.split('/').all(word);
    if fine { Ok(format!("{}/{path}", host.to_ascii_lowercase())) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("Guides & Tutorials", "guides-tutorials")]
    #[case("v1.2_beta", "v1.2_beta")]
    #[case("Überblick", "uberblick")]
    #[case("Straße", "strasse")]
    #[case("Łódź", "lodz")]
    #[case("Ｔｅａｍ", "team")]
    #[case("日本語", "日本語")]
    #[case("はじめに（第1版）", "はじめに-第1版")]
    #[case("日本語 API", "api")]
    #[case("2.0", "2.0")]
    #[case("Руководство пользователя", "руководство-пользователя")]
    #[case("ΛΌΓΟΣ", "λόγοσ")]
    #[case("한국어", "한국어")]
    #[case("हिन्दी में शुरुआत", "हिन्दी-में-शुरुआत")]
    #[case("การติดตั้ง", "การติดตั้ง")]
    #[case("שָׁלוֹם", "שָׁלוֹם")]
    #[case("हिन्दी API", "api")]
    #[case("\u{301}", "section")]
    #[case("\u{3164}", "section")]
    #[case("…", "section")]
    #[case("", "section")]
    #[case("llms.txt", "llms.txt-1")]
    #[case("AGENTS.md", "agents.md-1")]
    #[case("rss.xml", "rss.xml-1")]
    #[case("Docs", "docs")]
    fn a_title_becomes_a_segment(#[case] title: &str, #[case] segment: &str) {
        assert_eq!(SitePath::free(title, "section", |_| false).as_str(), segment);
    }

    #[test]
    fn a_basename_has_only_plain_letters() {
        assert_eq!(Basename::free("日本語", "docs", |_| false).as_str(), "docs");
        assert_eq!(Basename::free("Überblick", "docs", |_| false).as_str(), "uberblick");
    }

    #[test]
    fn a_taken_segment_gets_the_first_free_number() {
        assert_eq!(SitePath::free("日本語", "section", |name| name == "日本語").as_str(), "日本語-1");
        let taken = ["guides", "guides-1"];
        assert_eq!(SitePath::free("Guides", "section", |name| taken.contains(&name)).as_str(), "guides-2");
        let long = "a".repeat(200);
        assert_eq!(Basename::free(&long, "site", |name| name.len() == 100 && !name.contains('-')).as_str().len(), 100);
    }

    #[rstest]
    #[case("Guides", Some("guides"))]
    #[case("v1.2_beta-3", Some("v1.2_beta-3"))]
    #[case("UPPER", Some("upper"))]
    #[case("a.", Some("a."))]
    #[case(&"a".repeat(101), None)]
    #[case("", None)]
    #[case(".", None)]
    #[case("..", None)]
    #[case("a/b", None)]
    #[case("a b", None)]
    #[case("~", None)]
    #[case("~gitbook", None)]
    #[case("LLMS.txt", None)]
    #[case(".well-known", None)]
    #[case("sitemap.xml", None)]
    #[case("rss.xml", None)]
    #[case("guides.md", None)]
    #[case("docs", Some("docs"))]
    fn a_segment_is_short_plain_and_not_reserved(#[case] raw: &str, #[case] segment: Option<&str>) {
        assert_eq!(raw.parse::<SitePath>().ok().map(String::from).as_deref(), segment);
        assert_eq!(raw.parse::<Basename>().ok().map(String::from).as_deref(), segment);
    }

    #[rstest]
    #[case("ü", Some("ü"))]
    #[case("U\u{308}BER", Some("über"))]
    #[case("Руководство", Some("руководство"))]
    #[case("日本語", Some("日本語"))]
    #[case("हिन्दी", Some("हिन्दी"))]
    #[case("ติดตั้ง", Some("ติดตั้ง"))]
    #[case("日本語.md", None)]
    #[case("a\u{fe0f}", None)]
    #[case("-\u{301}", None)]
    #[case("日\u{200b}本", None)]
    #[case("日\u{202e}本", None)]
    #[case("日本 語", None)]
    #[case("日本/語", None)]
    #[case("日本？", None)]
    fn a_segment_has_letters_of_any_language_and_a_basename_has_not(#[case] raw: &str, #[case] segment: Option<&str>) {
        assert_eq!(raw.parse::<SitePath>().ok().map(String::from).as_deref(), segment);
        assert_eq!(raw.parse::<Basename>().ok(), None);
    }

    #[test]
    fn a_segment_has_at_most_a_hundred_characters() {
        for letter in ["a", "本"] {
            assert!(letter.repeat(100).parse::<SitePath>().is_ok());
            assert!(letter.repeat(101).parse::<SitePath>().is_err());
        }
    }

    #[test]
    fn the_site_at_the_root_has_more_reserved_names() {
        for name in ["v1", "docs", "Sign-In"] {
            assert!(Reserved::Shared.has(name) && !Reserved::Root.has(name), "{name}");
        }
        assert!(Reserved::Shared.has("s") && Reserved::Root.has("s") && !Reserved::Site.has("s"));
        assert!(Reserved::Site.has("~x") && Reserved::Root.has("Robots.txt") && !Reserved::Shared.has("guides"));
    }

    #[rstest]
    #[case("docs.example.org", true)]
    #[case("a.b.c.example.org", true)]
    #[case("docs.xn--bcher-kva.example", true)]
    #[case("example.org", false)]
    #[case("docs.example.o", false)]
    #[case("Docs.example.org", false)]
    #[case("-docs.example.org", false)]
    #[case("docs-.example.org", false)]
    #[case("docs..example.org", false)]
    #[case("docs.example.org.", false)]
    #[case("docs.example.org:8080", false)]
    #[case("10.0.0.12", false)]
    #[case(&format!("{}.example.org", "a".repeat(64)), false)]
    #[case(&format!("{}.example.org", "a".repeat(63)), true)]
    #[case(&format!("{}example.org", "a.".repeat(255)), false)]
    fn a_host_name_has_three_labels(#[case] raw: &str, #[case] fine: bool) {
        assert_eq!(raw.parse::<Hostname>().is_ok(), fine);
    }

    #[rstest]
    #[case("www.example.org/docs", Some(("www.example.org", "/docs")))]
    #[case("WWW.Example.org/Docs/en_US", Some(("www.example.org", "/Docs/en_US")))]
    #[case("example.org/docs", Some(("example.org", "/docs")))]
    #[case("example.org", None)]
    #[case("example.org/", None)]
    #[case("example.org/docs/", None)]
    #[case("example/docs", None)]
    #[case("example.1/docs", None)]
    #[case("https://example.org/docs", None)]
    #[case("example.org/do.cs", None)]
    #[case("example.org:80/docs", None)]
    #[case("a@example.org/docs", None)]
    #[case(&format!("example.org/{}", "a".repeat(501)), None)]
    fn a_proxy_has_a_host_and_a_path(#[case] raw: &str, #[case] parts: Option<(&str, &str)>) {
        let proxy = raw.parse::<Proxy>().ok();
        assert_eq!(proxy.as_ref().map(|proxy| (proxy.host(), proxy.path())), parts);
    }

    proptest! {
        #[test]
        fn every_title_becomes_a_valid_segment(title in "\\PC{0,150}", taken in prop::collection::vec("\\PC{0,20}", 0..3)) {
            let used: Vec<String> = taken.iter().map(|one| SitePath::free(one, "site", |_| false).0).collect();
            let segment = SitePath::free(&title, "section", |name| used.iter().any(|one| one == name));
            prop_assert_eq!(segment.as_str().parse::<SitePath>(), Ok(segment.clone()));
            prop_assert!(!used.contains(&segment.0));
        }
    }
}
