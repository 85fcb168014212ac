//! Slugs: the parts of the paths of pages.
use unicode_normalization::UnicodeNormalization;
use values::characters::{is_invisible, is_letter_mark, is_name};
use values::text::Rule;

/// The maximum length of a slug, in characters.
pub const MAX_SLUG: usize = 100;

/// Checks a slug: at most [`MAX_SLUG`] characters of letters, digits, `-`, `_` and `.`, no `.` alone. Letters of any
/// language can have marks, such as vowel signs.
///
/// # Errors
/// The rule it breaks.
pub fn check_slug(slug: &str) -> Result<(), Rule> {
    let plain = is_name(slug, &['-', '_', '.']);
    if slug.is_empty() || slug.chars().count() > MAX_SLUG || !plain || slug == "." || slug == ".." {
        return Err(rule());
    }
    Ok(())
}

fn rule() -> Rule {
    Rule(format!("1 to {MAX_SLUG} letters, digits, -, _ and ."))
}

/// Reads a slug that somebody wrote: equal letters have one form, whichever way they are encoded. Letters that nobody
/// sees are refused here only: stored slugs can have them.
///
/// # Errors
/// The rule it breaks.
pub fn read_slug(raw: &str) -> Result<String, Rule> {
    let slug: String = raw.nfc().collect();
    check_slug(&slug)?;
    if slug.contains(is_invisible) { Err(rule()) } else { Ok(slug) }
}

/// Makes a slug from a title or a file name: lower case, and each run of characters that are neither letters nor digits
/// becomes one `-`. Letters keep their marks, such as accents and vowel signs. Dots and underscores inside stay, so
/// `v0.12` and `service_discovery` do not change.
pub fn slugify(text: &str) -> String {
    let mut slug = String::new();
    let mut chars = text.nfc().flat_map(char::to_lowercase).peekable();
    while let Some(c) = chars.next() {
        match c {
            // The dot that İ has in lower case.
            '\u{307}' if slug.ends_with('i') => {}
            c if is_letter_mark(c) && slug.ends_with(|last: char| last.is_alphanumeric() || is_letter_mark(last)) => {
                slug.push(c);
            }
            c if is_letter_mark(c) => {}
            // A joiner beside a mark forms a letter; between letters, it separates parts of a word.
            '\u{200c}' | '\u{200d}'
                if slug.ends_with(is_letter_mark) || chars.peek().copied().is_some_and(is_letter_mark) => {}
            c if c.is_alphanumeric() && !is_invisible(c) => slug.push(c),
            '_' | '.' if !slug.is_empty() => slug.push(c),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    let cut: String = slug.nfc().take(MAX_SLUG).collect();
    let cut = cut.trim_end_matches(['-', '.', '_']);
    if cut.is_empty() { "page".to_owned() } else { cut.to_owned() }
}

/// Makes a slug that is not `taken`: `wanted` itself, or `wanted` with the first free number.
pub fn free_slug(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(wanted) {
        return wanted.to_owned();
    }
    let mut number = 1u32;
    loop {
        let slug = numbered_slug(wanted, number);
        if !taken(&slug) {
            return slug;
        }
        number += 1;
    }
}

/// The slug with a number at its end, cut to the maximum length.
pub(crate) fn numbered_slug(wanted: &str, number: u32) -> String {
    let suffix = format!("-{number}");
    let stem: String = wanted.chars().take(MAX_SLUG - suffix.len()).collect();
    stem + &suffix
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("Life of a Fluentd event", "life-of-a-fluentd-event")]
    #[case("update-from-v0.12", "update-from-v0.12")]
    #[case("service_discovery", "service_discovery")]
    #[case("  Überblick / Übersicht  ", "überblick-übersicht")]
    #[case("日本語", "日本語")]
    #[case("हिन्दी में शुरुआत", "हिन्दी-में-शुरुआत")]
    #[case("การติดตั้ง", "การติดตั้ง")]
    #[case("مُدَرِّس", "مُدَرِّس")]
    #[case("U\u{308}berblick", "überblick")]
    #[case("Ọ\u{301}na", "ọ\u{301}na")]
    #[case("İstanbul", "istanbul")]
    #[case("می\u{200c}خواهم", "می-خواهم")]
    #[case("ශ\u{dca}\u{200d}රී", "ශ\u{dca}රී")]
    #[case("Set up ⚙\u{fe0f} 1\u{fe0f}\u{20e3} 👩\u{200d}💻", "set-up-1")]
    #[case("\u{301}", "page")]
    #[case("\u{3164}", "page")]
    #[case("???", "page")]
    fn titles_become_slugs(#[case] title: &str, #[case] slug: &str) {
        assert_eq!(slugify(title), slug);
    }

    #[rstest]
    #[case("हिन्दी", Some("हिन्दी"))]
    #[case("ติดตั้ง", Some("ติดตั้ง"))]
    #[case("u\u{308}ber", Some("über"))]
    #[case("-\u{301}", None)]
    #[case("a\u{fe0f}", None)]
    #[case("a\u{200d}", None)]
    #[case("a\u{3164}", None)]
    #[case("a b", None)]
    fn a_slug_can_have_letters_with_marks_in_one_form(#[case] raw: &str, #[case] slug: Option<&str>) {
        assert_eq!(read_slug(raw).ok().as_deref(), slug);
    }

    #[test]
    fn a_taken_slug_gets_the_first_free_number() {
        let taken = ["faq", "faq-1"];
        assert_eq!(free_slug("faq", |slug| taken.contains(&slug)), "faq-2");
    }

    /// Letters, marks, joiners and separators in any order.
    const MARKED: &str = "[a-cinİ ._\u{301}\u{307}\u{308}\u{915}\u{93f}\u{94d}\u{e15}\u{e49}\u{200c}\u{200d}-]{0,40}";

    proptest! {
        #[test]
        fn every_text_becomes_a_valid_slug(text in ".{0,200}") {
            prop_assert!(check_slug(&slugify(&text)).is_ok());
        }

        #[test]
        fn a_slug_is_its_own_slug(text in MARKED) {
            let slug = slugify(&text);
            prop_assert_eq!(read_slug(&slug), Ok(slug.clone()));
            prop_assert_eq!(slugify(&slug), slug);
        }
    }
}
