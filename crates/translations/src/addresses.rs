//! Finds the addresses in a text: of web pages and of e-mail.
use std::ops::Range;

/// The characters that end an address, besides white space and characters outside ASCII.
const ENDS: [char; 4] = ['<', '>', '"', '`'];
/// Punctuation before an address.
const BEFORE: [char; 6] = ['(', '[', '{', '\'', '*', '_'];
/// Punctuation after an address.
const AFTER: [char; 12] = ['.', ',', ';', ':', '!', '?', '\'', ')', ']', '}', '*', '_'];

/// The addresses in a text, as byte ranges, without the punctuation around them.
pub(crate) fn addresses(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut next = 0;
    // Each part is read once.
    for part in text.split_inclusive(|char: char| !char.is_ascii_graphic() || ENDS.contains(&char)) {
        let begin = next;
        next += part.len();
        let word = part.trim_end_matches(|char: char| !char.is_ascii_graphic() || ENDS.contains(&char));
        let trimmed = word.trim_start_matches(BEFORE);
        let begin = begin + word.len() - trimmed.len();
        let word = trimmed.trim_end_matches(AFTER);
        if let Some(start) = start(word) {
            found.push(begin + start..begin + word.len());
        }
    }
    found
}

/// The start of an address in a word; it extends to the end of the word.
fn start(word: &str) -> Option<usize> {
    if let Some(at) = word.find("://") {
        let scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let start = at - word.as_bytes()[..at].iter().rev().take_while(|byte| scheme(byte)).count();
        return (start < at && word.len() > at + 3).then_some(start);
    }
    if word.starts_with("www.") && word.len() > 4 {
        return Some(0);
    }
    let (local, domain) = word.split_once('@')?;
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte));
    (!local.is_empty() && domain.contains('.') && plain(local) && plain(domain)).then_some(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("see https://example.org/a?b=1#c.", &["https://example.org/a?b=1#c"])]
    #[case("(http://localhost:8080) 見てhttps://a.example/bください", &["http://localhost:8080", "https://a.example/b"])]
    #[case("www.example.org, ada.b@example.org; a@b 5@", &["www.example.org", "ada.b@example.org"])]
    #[case("<https://a.example>`www.b.example`", &["https://a.example", "www.b.example"])]
    #[case("://x and https://", &[])]
    #[case("ünder_https://a.example/", &["https://a.example/"])]
    fn addresses_are_found(#[case] text: &str, #[case] expected: &[&str]) {
        let found: Vec<&str> = addresses(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected);
    }
}
