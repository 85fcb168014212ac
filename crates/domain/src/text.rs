//! Texts with a rule: parsed once where they enter, right ever after.
use std::fmt;
use unicode_normalization::UnicodeNormalization;

/// What is wrong with a value somebody sent: the field, and the rule it breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {rule}")]
pub struct Invalid {
    /// The field as the sender knows it, such as `title` or `changes[2].page`.
    pub field: String,
    /// The rule, such as `at most 50 characters`.
    pub rule: String,
}

impl Invalid {
    /// Names a field and the rule it breaks.
    pub fn new(field: impl Into<String>, rule: impl Into<String>) -> Self {
        Self { field: field.into(), rule: rule.into() }
    }
}

/// Why a text breaks the rule of its type; becomes [`Invalid`] once the field is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rule(pub String);

impl Rule {
    /// Says which field broke the rule.
    pub fn of(self, field: impl Into<String>) -> Invalid {
        Invalid::new(field, self.0)
    }
}

/// A text of `MIN` to `MAX` characters (Unicode scalar values) without U+0000, which PostgreSQL cannot store. One that is
/// `TIGHT` is one line that neither begins nor ends with white space.
///
/// What a caller sends is kept as it came, blanks at its ends too, or refused with the rule that it breaks. It is never cut
/// or trimmed: only [`Text::fitted`] does that, where there is nobody to tell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Text<const MIN: usize, const MAX: usize, const TIGHT: bool = false>(String);

impl<const MIN: usize, const MAX: usize, const TIGHT: bool> Text<MIN, MAX, TIGHT> {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Cuts a text of our own making (a title from a file, say) to the longest that fits.
    /// `fallback` stands in where nothing of at least `MIN` characters is left.
    pub fn fitted(raw: &str, fallback: &str) -> Self {
        let cut: String = raw.chars().filter(|c| *c != '\0').take(MAX).collect();
        let cut = if TIGHT { cut.trim().replace(ends_line, " ") } else { cut };
        let long_enough = cut.trim().chars().count() >= MIN;
        Self(if long_enough { cut } else { fallback.chars().take(MAX).collect() })
    }
}

/// Whether a character ends a line: what `.` does not match in the patterns of the contract.
fn ends_line(char: char) -> bool {
    matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

impl<const MIN: usize, const MAX: usize, const TIGHT: bool> TryFrom<String> for Text<MIN, MAX, TIGHT> {
    type Error = Rule;

    fn try_from(raw: String) -> Result<Self, Rule> {
        let length = raw.chars().count();
        if raw.contains('\0') {
            return Err(Rule("must not contain U+0000".into()));
        }
        if length < MIN {
            return Err(Rule(format!("must have at least {MIN} character{}", if MIN == 1 { "" } else { "s" })));
        }
        if length > MAX {
            return Err(Rule(format!("must have at most {MAX} characters, not {length}")));
        }
        if TIGHT && raw.trim().len() != raw.len() {
            return Err(Rule("must not begin or end with white space".into()));
        }
        if TIGHT && raw.contains(ends_line) {
            return Err(Rule("must be one line".into()));
        }
        Ok(Self(raw))
    }
}

impl<const MIN: usize, const MAX: usize, const TIGHT: bool> std::str::FromStr for Text<MIN, MAX, TIGHT> {
    type Err = Rule;
    fn from_str(raw: &str) -> Result<Self, Rule> {
        raw.to_owned().try_into()
    }
}
impl<const MIN: usize, const MAX: usize, const TIGHT: bool> From<Text<MIN, MAX, TIGHT>> for String {
    fn from(text: Text<MIN, MAX, TIGHT>) -> Self {
        text.0
    }
}
impl<const MIN: usize, const MAX: usize, const TIGHT: bool> fmt::Display for Text<MIN, MAX, TIGHT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A space's title (api.md, Limits: at most 50 characters).
pub type SpaceTitle = Text<0, 50>;
/// A collection's title (contract.md 2.11).
pub type CollectionTitle = Text<0, 50>;
/// A collection's description (contract.md 2.11).
pub type CollectionDescription = Text<0, 100>;
/// An emoji field (api.md, Limits: at most 50 characters; empty means none).
pub type Emoji = Text<0, 50>;
/// The name of an icon (contract.md 1.6; empty means none).
pub type Icon = Text<0, 50>;
/// A page's title. The API's description has no upper bound; this one is ours. It stands in headings and in front matter,
/// which keep no blanks at the ends.
pub type PageTitle = Text<1, 500, true>;
/// A page's description (the bound is ours; empty means none).
pub type PageDescription = Text<0, 2000>;
/// A file's name (contract.md 4.6).
pub type FileName = Text<1, 256>;
/// An organization's title (contract.md 2.13: 2 to 255 characters with visible ends).
pub type OrganizationTitle = Text<2, 255, true>;
/// A display name (contract.md 4.1).
pub type DisplayName = Text<1, 64>;
/// A token's label (contract.md 1.1).
pub type TokenLabel = Text<0, 50>;
/// A team's title (api.md, Limits: 1 to 64 characters).
pub type TeamTitle = Text<1, 64>;
/// A search query (api.md, Limits).
pub type SearchQuery = Text<0, 512>;

/// An e-mail address, in lower case. The rule is the one that mail servers agree on at the least: one `@`, something
/// before it, a domain with a dot or `localhost` after it, no white space, at most 254 bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Email(String);

impl Email {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands before the `@`.
    pub fn local(&self) -> &str {
        self.0.split_once('@').map_or("", |(local, _)| local)
    }

    /// What stands behind the `@`.
    pub fn domain(&self) -> &str {
        self.0.split_once('@').map_or("", |(_, domain)| domain)
    }
}
impl TryFrom<String> for Email {
    type Error = Rule;
    fn try_from(raw: String) -> Result<Self, Rule> {
        let wrong = || Rule("must be an email address such as ada@example.org".into());
        let address = raw.trim().to_lowercase();
        let (local, domain) = address.split_once('@').ok_or_else(wrong)?;
        let plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '@';
        let fits = address.len() <= 254 && !local.is_empty() && !domain.is_empty();
        let domain_fine =
            domain == "localhost" || (domain.contains('.') && !domain.starts_with('.') && !domain.ends_with('.'));
        if fits && domain_fine && local.chars().all(plain) && domain.chars().all(plain) {
            Ok(Self(address))
        } else {
            Err(wrong())
        }
    }
}
impl std::str::FromStr for Email {
    type Err = Rule;
    fn from_str(raw: &str) -> Result<Self, Rule> {
        raw.to_owned().try_into()
    }
}
impl From<Email> for String {
    fn from(email: Email) -> Self {
        email.0
    }
}
impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text in the form in which texts are compared where case and ways to write the same character make no difference:
/// the same on every database.
pub fn folded(text: &str) -> String {
    text.nfkc().collect::<String>().to_lowercase()
}

macro_rules! languages {
    ($($variant:ident = $code:literal),+ $(,)?) => {
        /// A language of content (contract.md 1.11, `languages`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[expect(missing_docs, reason = "named by their codes")]
        pub enum Language { $(#[serde(rename = $code)] $variant),+ }
        impl Language {
            /// Every language, in the order of the contract.
            pub const ALL: &'static [Language] = &[$(Language::$variant),+];
            /// The code of the API.
            pub fn code(self) -> &'static str {
                match self { $(Language::$variant => $code),+ }
            }
        }
    };
}
languages! {
    En = "en", Fr = "fr", De = "de", Es = "es", It = "it", Pt = "pt", PtBr = "pt-br", Ru = "ru", Ja = "ja", Zh = "zh",
    ZhTw = "zh-tw", Yue = "yue", Ko = "ko", Ar = "ar", Hi = "hi", Nl = "nl", Pl = "pl", Tr = "tr", Sv = "sv", No = "no",
    Da = "da", Fi = "fi", El = "el", Cs = "cs", Hu = "hu", Ro = "ro", Th = "th", Vi = "vi", Id = "id", Ms = "ms",
    He = "he", Uk = "uk", Sk = "sk", Bg = "bg", Hr = "hr", Lt = "lt", Lv = "lv", Et = "et", Sl = "sl",
}

impl std::str::FromStr for Language {
    type Err = Rule;
    fn from_str(raw: &str) -> Result<Self, Rule> {
        let known = || Self::ALL.iter().map(|language| language.code()).collect::<Vec<_>>().join(", ");
        let found = Self::ALL.iter().find(|language| language.code() == raw);
        found.copied().ok_or_else(|| Rule(format!("must be one of {}", known())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(0, true)]
    #[case(50, true)]
    #[case(51, false)]
    fn a_space_title_counts_characters_not_bytes(#[case] length: usize, #[case] fine: bool) {
        assert_eq!("é".repeat(length).parse::<SpaceTitle>().is_ok(), fine);
    }

    #[test]
    fn a_text_never_holds_the_null_character() {
        assert_eq!("a\0".parse::<SpaceTitle>(), Err(Rule("must not contain U+0000".into())));
    }

    #[rstest]
    #[case("Ab", true)]
    #[case("A b", true)]
    #[case("A", false)]
    #[case("  ", false)]
    #[case("Ab ", false)]
    #[case("\u{a0}Ab", false)]
    #[case("A\nb", false)]
    #[case("A\u{2028}b", false)]
    #[case(&"é".repeat(255), true)]
    #[case(&"é".repeat(256), false)]
    fn the_title_of_an_organization_is_a_line_with_visible_ends(#[case] raw: &str, #[case] fine: bool) {
        assert_eq!(raw.parse::<OrganizationTitle>().is_ok(), fine);
    }

    #[rstest]
    #[case(" Ab")]
    #[case("Ab\t")]
    #[case("\u{2003}Ab\u{2003}")]
    fn a_text_keeps_its_blanks_or_is_refused(#[case] raw: &str) {
        assert_eq!(raw.parse::<SpaceTitle>().unwrap().as_str(), raw);
        assert_eq!(raw.parse::<PageTitle>(), Err(Rule("must not begin or end with white space".into())));
    }

    #[test]
    fn a_text_of_our_own_making_is_cut_to_fit() {
        assert_eq!(SpaceTitle::fitted(&"x".repeat(60), "?").as_str().len(), 50);
        assert_eq!(OrganizationTitle::fitted(" ", "Octavo").as_str(), "Octavo");
        assert_eq!(OrganizationTitle::fitted(" A\nb ", "Octavo").as_str(), "A b");
    }

    #[rstest]
    #[case("Ada@Example.org", Some("ada@example.org"))]
    #[case("root@localhost", Some("root@localhost"))]
    #[case("ada", None)]
    #[case("@example.org", None)]
    #[case("a b@example.org", None)]
    #[case("a@b@example.org", None)]
    #[case("ada@example.", None)]
    fn an_email_is_checked_and_lower_cased(#[case] raw: &str, #[case] parsed: Option<&str>) {
        assert_eq!(raw.parse::<Email>().ok().map(String::from).as_deref(), parsed);
    }

    #[rstest]
    #[case("Élodie", "e\u{301}lodie")]
    #[case("ΑΘΗΝΑ", "αθηνα")]
    #[case("Ｔｅａｍ", "team")]
    fn what_differs_in_case_or_spelling_only_is_folded_to_one_text(#[case] one: &str, #[case] other: &str) {
        assert_eq!(folded(one), folded(other));
    }

    #[test]
    fn an_address_has_two_sides() {
        let email: Email = "Ada@Example.org".parse().unwrap();
        assert_eq!((email.local(), email.domain()), ("ada", "example.org"));
    }

    #[test]
    fn an_unknown_language_is_refused_with_those_that_are_known() {
        let Err(Rule(rule)) = "xx".parse::<Language>() else { panic!("accepted") };
        assert!(rule.starts_with("must be one of en, fr"), "{rule}");
    }
}
