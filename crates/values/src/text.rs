//! Texts with a rule. They are checked once on input and stay valid.
use crate::characters::ends_line;
use std::fmt;
use unicode_normalization::UnicodeNormalization;

/// An invalid value: the field, and the rule that it breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {rule}")]
pub struct Invalid {
    /// The field as the caller sent it, such as `title` or `changes[2].page`.
    pub field: String,
    /// The rule, such as `must have at most 50 characters`.
    pub rule: String,
}

impl Invalid {
    /// An error for `field`, which breaks `rule`.
    pub fn new(field: impl Into<String>, rule: impl Into<String>) -> Self {
        Self { field: field.into(), rule: rule.into() }
    }
}

/// The rule that a text breaks; becomes [`Invalid`] once the field is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rule(pub String);

impl Rule {
    /// The rule for a value that must be one of these words.
    pub fn one_of<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let words: Vec<&str> = words.into_iter().collect();
        Self(format!("must be one of {}", words.join(", ")))
    }

    /// Adds the field that breaks the rule.
    pub fn of(self, field: impl Into<String>) -> Invalid {
        Invalid::new(field, self.0)
    }
}

/// A text of `MIN` to `MAX` characters (Unicode scalar values) without U+0000, which PostgreSQL cannot store. If
/// `TIGHT`, it is a single line without white space at either end.
///
/// A value from a caller is stored unchanged, including leading and trailing white space, or it is refused. It is never
/// cut or trimmed. Only [`Text::fitted`] does that, where no caller can correct the value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Text<const MIN: usize, const MAX: usize, const TIGHT: bool = false>(String);

impl<const MIN: usize, const MAX: usize, const TIGHT: bool> Text<MIN, MAX, TIGHT> {
    /// The most characters.
    pub const MAX: usize = MAX;

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Cuts a text that the server generates (such as a title from a file name) to `MAX` characters. Returns `fallback`
    /// if fewer than `MIN` characters remain.
    pub fn fitted(raw: &str, fallback: &str) -> Self {
        let cut: String = raw.chars().filter(|c| *c != '\0').take(MAX).collect();
        let cut = if TIGHT { cut.trim().replace(ends_line, " ") } else { cut };
        let long_enough = cut.trim().chars().count() >= MIN;
        Self(if long_enough { cut } else { fallback.chars().take(MAX).collect() })
    }
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
// Not derived: it would copy the text first.
impl<const MIN: usize, const MAX: usize, const TIGHT: bool> serde::Serialize for Text<MIN, MAX, TIGHT> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
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

/// A space's title.
pub type SpaceTitle = Text<0, 50>;
/// A collection's title.
pub type CollectionTitle = Text<0, 50>;
/// A collection's description.
pub type CollectionDescription = Text<0, 100>;
/// An emoji field; empty means none.
pub type Emoji = Text<0, 50>;
/// The name of an icon; empty means none.
pub type Icon = Text<0, 50>;
/// A page's title. The API defines no maximum; this one is Octavo's own. Titles appear in headings and front matter,
/// which lose leading and trailing white space.
pub type PageTitle = Text<1, 500, true>;
/// A page's description; empty means none. The maximum is Octavo's own.
pub type PageDescription = Text<0, 2000>;
/// A file's name.
pub type FileName = Text<1, 256>;
/// An organization's title.
pub type OrganizationTitle = Text<2, 255, true>;
/// A display name.
pub type DisplayName = Text<1, 64>;
/// A token's label.
pub type TokenLabel = Text<0, 50>;
/// A team's title.
pub type TeamTitle = Text<1, 64>;
/// A search query.
pub type SearchQuery = Text<0, 512>;
/// A webhook's description; empty means none.
pub type WebhookDescription = Text<0, 200>;
/// A term of a glossary in one language.
pub type GlossaryText = Text<1, 255, true>;
/// A share link's name; empty means none.
pub type ShareLinkName = Text<0, 50>;
/// The comment of a visitor on a page of a site.
pub type FeedbackComment = Text<1, 2000>;
/// The id that the sender of a conversation gave it.
pub type ExternalId = Text<1, 255>;
/// The subject of a conversation; empty means none.
pub type ConversationSubject = Text<0, 512>;
/// The title of an issue in a conversation.
pub type IssueTitle = Text<1, 120>;
/// The label of a cluster of issues.
pub type ClusterLabel = Text<1, 80>;

/// An email address in lower case. The rule is what mail servers agree on at least: one `@`, something before it, a
/// domain with a dot or `localhost` after it, no white space, at most 254 bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Email(String);

impl Email {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the `@`.
    pub fn local(&self) -> &str {
        self.0.split_once('@').map_or("", |(local, _)| local)
    }

    /// The part after the `@`.
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

/// A text in the form for comparison without regard to case and to different encodings of the same character. It is the
/// same on every database.
pub fn folded(text: &str) -> String {
    text.nfkc().collect::<String>().to_lowercase()
}

/// A text on one line: every run of white space and control characters is one space, without spaces at the ends.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|char: char| char.is_whitespace() || char.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

crate::words! {
    /// A language of content.
    pub enum Language {
        En = "en", Fr = "fr", De = "de", Es = "es", It = "it", Pt = "pt", PtBr = "pt-br", Ru = "ru", Ja = "ja",
        Zh = "zh", ZhTw = "zh-tw", Yue = "yue", Ko = "ko", Ar = "ar", Hi = "hi", Nl = "nl", Pl = "pl", Tr = "tr",
        Sv = "sv", No = "no", Da = "da", Fi = "fi", El = "el", Cs = "cs", Hu = "hu", Ro = "ro", Th = "th", Vi = "vi",
        Id = "id", Ms = "ms", He = "he", Uk = "uk", Sk = "sk", Bg = "bg", Hr = "hr", Lt = "lt", Lv = "lv", Et = "et",
        Sl = "sl",
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

    #[rstest]
    #[case(" a\r\nb\u{7f}  c\t", "a b c")]
    #[case("a\u{1b}b\u{2028}c\u{a0}d", "a b c d")]
    #[case("Größe 👩\u{200d}💻", "Größe 👩\u{200d}💻")]
    #[case(" \n", "")]
    fn a_text_on_one_line_has_single_spaces_and_no_control_characters(#[case] text: &str, #[case] line: &str) {
        assert_eq!(one_line(text), line);
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
