//! Sets of characters: those that change how a text looks, and those of names. Each set is defined here only.
use unicode_normalization::char::is_combining_mark;

/// Whether a character ends a line: `.` does not match it in the patterns of the OpenAPI document.
pub fn ends_line(char: char) -> bool {
    matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// Whether a character changes the direction of the text around it: Unicode's property `Bidi_Control`.
pub fn is_bidi_control(char: char) -> bool {
    matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character makes a text look like another one: changes of direction, line separators, zero-width characters
/// other than the joiners that scripts and emoji need, and the byte order mark.
pub fn is_misleading(char: char) -> bool {
    is_bidi_control(char) || matches!(char, '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Whether a character is invisible or misleading, also if scripts or emoji need it, such as a joiner. For texts in
/// which every character counts: addresses and code.
pub fn is_invisible(char: char) -> bool {
    is_misleading(char)
        || matches!(char,
            '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200c}' | '\u{200d}' | '\u{3164}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character is a mark on the letter before it, such as an accent, a vowel sign or a virama. Marks without a
/// form of their own, such as variation selectors, are none, nor are marks that enclose a symbol.
pub fn is_letter_mark(char: char) -> bool {
    is_combining_mark(char)
        && !is_invisible(char)
        && !matches!(char,
            '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{488}' | '\u{489}' | '\u{1abe}' | '\u{20d0}'..='\u{20ff}' | '\u{a670}'..='\u{a672}')
}

/// Whether a text has only letters and digits of any language, with the marks on them, and `others`.
pub fn is_name(text: &str, others: &[char]) -> bool {
    let mut on_letter = false;
    text.chars().all(|char| {
        on_letter = char.is_alphanumeric() || (on_letter && is_letter_mark(char));
        on_letter || others.contains(&char)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("abc\u{202e}fdp.exe", true)]
    #[case("abc\u{61c}fdp.exe", true)]
    #[case("a\u{200b}b", true)]
    #[case("\u{feff}a", true)]
    #[case("a\u{2028}b", true)]
    #[case("Größe: 日本語 👩\u{200d}💻\t\n", false)]
    #[case("می\u{200c}خواهم", false)]
    fn misleading_characters_are_not_those_that_scripts_and_emoji_need(#[case] text: &str, #[case] misleads: bool) {
        assert_eq!(text.chars().any(is_misleading), misleads);
    }

    #[rstest]
    #[case("Größe: 日本語 💻", false)]
    #[case("👩\u{200d}💻", true)]
    #[case("soft\u{ad}hyphen", true)]
    #[case("tag\u{e0061}", true)]
    fn an_invisible_character_counts_even_if_an_emoji_needs_it(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(text.chars().any(is_invisible), expected);
    }

    #[test]
    fn a_character_that_changes_the_direction_is_misleading_and_a_misleading_one_counts_as_invisible() {
        for char in '\0'..=char::MAX {
            assert!(!is_bidi_control(char) || is_misleading(char), "{char:?}");
            assert!(!is_misleading(char) || is_invisible(char), "{char:?}");
        }
    }

    #[rstest]
    #[case::virama("हिन्दी", true)]
    #[case::tone("ติดตั้ง", true)]
    #[case::vowel_mark("مُدَرِّسٌ", true)]
    #[case::point("שָׁלוֹם", true)]
    #[case::accent_without_a_composed_letter("ọ\u{301}", true)]
    #[case::separators("v1.2_beta-3", true)]
    #[case::mark_at_the_start("\u{301}a", false)]
    #[case::mark_on_a_separator("a-\u{301}", false)]
    #[case::variation_selector("a\u{fe0f}", false)]
    #[case::keycap("1\u{20e3}", false)]
    #[case::joiner("\u{915}\u{94d}\u{200d}", false)]
    #[case::space("a b", false)]
    fn a_name_has_letters_of_any_language_with_their_marks(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(is_name(text, &['-', '_', '.']), expected);
    }

    #[test]
    fn the_characters_that_change_the_direction_are_the_twelve_of_unicode() {
        assert_eq!(('\0'..=char::MAX).filter(|char| is_bidi_control(*char)).count(), 12);
    }
}
