//! Checks the numbers of a translation.
use crate::tagged::Fault;
use std::collections::HashMap;

/// Checks that the answer has every number of the source. Languages group digits in different ways, so `1,000.5` may be
/// `1.000,5`.
pub(super) fn check(source: &str, answer: &str) -> Result<(), Fault> {
    let whole = |text| numbers(text, true);
    match missing(&numbers(source, false), &numbers(answer, false)) {
        Some(number) if missing(&whole(source), &whole(answer)).is_some() => Err(Fault::Number(number.to_owned())),
        _ => Ok(()),
    }
}

/// The first of the wanted numbers that is missing; each is needed as often as it occurs.
fn missing<'a>(wanted: &'a [String], found: &[String]) -> Option<&'a str> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for number in found {
        *left.entry(number).or_default() += 1;
    }
    let missing = wanted.iter().find(|number| match left.get_mut(number.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    missing.map(String::as_str)
}

/// The runs of digits of a text; if `whole`, runs with one separator between them are one number.
fn numbers(text: &str, whole: bool) -> Vec<String> {
    let mut numbers: Vec<String> = Vec::new();
    let mut chars = text.chars().peekable();
    let mut open = false;
    while let Some(char) = chars.next() {
        if let Some(digit) = digit(char) {
            if !open {
                numbers.push(String::new());
            }
            if let Some(number) = numbers.last_mut() {
                number.push(digit);
            }
            open = true;
        } else {
            let separates =
                matches!(char, '.' | ',' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '٫' | '٬');
            open = open && whole && separates && chars.peek().is_some_and(|next| digit(*next).is_some());
        }
    }
    numbers
}

/// The value of a digit, in the scripts of the supported languages.
fn digit(char: char) -> Option<char> {
    const ZEROS: [u32; 6] = [0x30, 0x660, 0x6F0, 0x966, 0xE50, 0xFF10];
    let point = u32::from(char);
    let zero = ZEROS.into_iter().find(|zero| (*zero..zero + 10).contains(&point))?;
    char::from_digit(point - zero, 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("1,000.50 of 3", "3 von 1.000,50", true)]
    #[case("100,000 users", "1,00,000 उपयोगकर्ता", true)]
    #[case("100 000 users", "100,000 Nutzer", true)]
    #[case("5 files", "٥ ملفات", true)]
    #[case("5 and 5", "5", false)]
    #[case("v2.0.1", "v2.0", false)]
    #[case("none", "7 more", true)]
    fn numbers_are_found_in_every_form(#[case] source: &str, #[case] answer: &str, #[case] fine: bool) {
        assert_eq!(check(source, answer).is_ok(), fine);
    }
}
