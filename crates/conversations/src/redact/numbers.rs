//! Finds numbers of phones, payment cards, and bank accounts.
use super::finders::found;
use super::{Found, Mask};

/// The most characters that a number with separators has.
const LONGEST: usize = 48;
/// The maximum distance, in bytes, between a number and a word that names its kind.
const BEFORE: usize = 24;

/// A run of digits with separators.
struct Number {
    digits: Vec<u8>,
    /// The lengths of the groups of digits.
    groups: Vec<usize>,
    /// The separators between groups, one for each; `x` for more than one character.
    separators: Vec<u8>,
    /// Whether it begins with `+`, or its first group is in parentheses.
    plus: bool,
    parentheses: bool,
    end: usize,
}

/// Reads a number that begins at a byte.
fn number(text: &str, at: usize) -> Option<Number> {
    let bytes = &text.as_bytes()[at..text.len().min(at + LONGEST)];
    let mut number = Number {
        digits: Vec::new(),
        groups: Vec::new(),
        separators: Vec::new(),
        plus: bytes.first() == Some(&b'+'),
        parentheses: false,
        end: at,
    };
    let mut place = usize::from(number.plus);
    loop {
        let start = place;
        while place < bytes.len()
            && is_separator(bytes[place], start == place && number.groups.is_empty())
            && place - start < 3
        {
            number.parentheses |= bytes[place] == b'(';
            place += 1;
        }
        let digits = bytes[place..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            break;
        }
        if !number.groups.is_empty() {
            number.separators.push(if place - start == 1 { bytes[start] } else { b'x' });
        }
        number.digits.extend_from_slice(&bytes[place..place + digits]);
        number.groups.push(digits);
        place += digits;
        number.end = at + place;
    }
    // A number followed by letters is a code.
    let next = text.as_bytes().get(number.end);
    let whole = next.is_none_or(|byte| !byte.is_ascii_alphabetic() && *byte != b'_' && *byte < 0x80);
    (whole && !number.digits.is_empty()).then_some(number)
}

fn is_separator(byte: u8, first: bool) -> bool {
    byte == b'(' || !first && matches!(byte, b' ' | b'-' | b'.' | b'/' | b')')
}

/// A payment card: the length and first digits of a known kind, and the right check digit.
pub(super) fn card(text: &str, at: usize) -> Option<Found> {
    let number = number(text, at)?;
    let plain = number.separators.iter().all(|separator| matches!(separator, b' ' | b'-'));
    // Later groups belong to something else.
    let mut count = 0;
    let mut end = at;
    let mut place = at;
    for group in &number.groups {
        place += usize::from(count > 0) + group;
        count += group;
        if known_card(&number.digits[..count]) {
            end = place;
            break;
        }
    }
    let grouped = number.groups.len() == 1 || number.groups[0] == 4;
    (plain && !number.plus && !number.parentheses && grouped && end > at && !is_part(text, at))
        .then(|| found(at, end, Mask::Card))?
}

fn known_card(digits: &[u8]) -> bool {
    let first = |count: usize| digits.iter().take(count).fold(0_u32, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    if !(13..=19).contains(&digits.len()) {
        return false;
    }
    let (two, three, four) = (first(2), first(3), first(4));
    let lengths: &[usize] = match (two, three, four) {
        (40..=49, _, _) => &[13, 16, 19],
        (51..=55, _, _) | (_, _, 2221..=2720) | (35, _, _) => &[16],
        (34 | 37, _, _) => &[15],
        (36 | 38 | 30 | 39, _, _) => &[14, 16],
        (65 | 62 | 81, _, _) | (_, 644..=649, _) | (_, _, 6011) => &[16, 17, 18, 19],
        (50 | 56..=58 | 63 | 67, _, _) => &[13, 14, 15, 16, 17, 18, 19],
        _ => return false,
    };
    lengths.contains(&digits.len()) && luhn(digits)
}

/// Whether the check digit is right.
fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit - b'0');
            if place % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 }
        })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != b'0')
}

/// A phone number: 8 to 15 digits in a form of phone numbers, or after a word for a phone.
pub(super) fn phone(text: &str, at: usize) -> Option<Found> {
    let number = number(text, at)?;
    let count = number.digits.len();
    let named = is_named(text, at);
    let fits = (8..=15).contains(&count) || named && (6..=15).contains(&count);
    if !fits || is_part(text, at) || is_date(&number) || is_address(&number) {
        return None;
    }
    let same = number.separators.windows(2).all(|pair| pair[0] == pair[1]);
    let groups = number.groups.as_slice();
    let grouped = groups.len() >= 2 && groups.iter().all(|group| (1..=8).contains(group));
    let between = |least: usize, most: usize| groups.iter().all(|group| (least..=most).contains(group));
    let in_form = match groups {
        _ if number.plus => groups[0] > 0 && groups[0] <= 15,
        _ if number.parentheses => grouped && groups.len() <= 5,
        // As in the United States and Canada.
        [3, 3, 4] => same,
        [1, 3, 3, 4] => number.digits[0] == b'1' && same,
        [5, 5] => matches!(number.separators[0], b' ' | b'-'),
        [_] => {
            number.digits.starts_with(b"00") && count >= 10 || number.digits[0] == b'0' && (10..=12).contains(&count)
        }
        _ if number.digits[0] == b'0' => groups[0] >= 2 && groups.len() <= 6 && between(2, 8),
        [3, 3, 3] | [3, 2, 2, 2] | [2, 3, 2, 2] | [3, 4, 4] => {
            same && number.separators[0] != b'/' && !is_thousands(&number)
        }
        _ => false,
    };
    (in_form || named).then(|| found(at, number.end, Mask::Phone))?
}

/// Whether the number is part of a longer thing, such as a price, a version, or the number of an order.
fn is_part(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    before.is_some_and(|before| matches!(before, '.' | ',' | '#' | '_' | '$' | '€' | '£' | '/' | '=' | '-' | ':'))
        && !text[..at].ends_with("tel:")
        && !text[..at].ends_with(':')
        || text[..at].trim_end().ends_with(['$', '€', '£', '#'])
}

/// Whether a word for a phone is close before the number.
fn is_named(text: &str, at: usize) -> bool {
    const NAMES: [&str; 19] = [
        "my number",
        "phone",
        "tel",
        "telefon",
        "telephone",
        "téléphone",
        "teléfono",
        "telefone",
        "telefono",
        "telefoon",
        "mobile",
        "cell",
        "handy",
        "call me",
        "whatsapp",
        "móvil",
        "celular",
        "portable",
        "fax",
    ];
    let start = (at.saturating_sub(BEFORE)..=at).find(|start| text.is_char_boundary(*start)).unwrap_or(at);
    let before = text[start..at].to_lowercase();
    // Only parts of the word may be between.
    NAMES.iter().any(|name| {
        before.rfind(name).is_some_and(|place| {
            let between = &before[place + name.len()..];
            between.chars().all(|char| !char.is_numeric() && !matches!(char, ';' | '!' | '?')) && between.len() <= 16
        })
    })
}

fn is_date(number: &Number) -> bool {
    let value = |at: usize| {
        let start: usize = number.groups[..at].iter().sum();
        number.digits[start..start + number.groups[at]]
            .iter()
            .fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'))
    };
    let year = |at| number.groups[at] == 4 && (1900..2100).contains(&value(at));
    let day = |at| number.groups[at] <= 2 && (1..=31).contains(&value(at));
    number.groups.len() >= 3 && !number.plus
        && (year(0) && day(1) && day(2) || day(0) && day(1) && year(2))
        // A year and a month, such as `2026-11-0001`.
        || number.groups.len() >= 2 && !number.plus && year(0) && day(1)
}

/// Whether it is an IP address or a version.
fn is_address(number: &Number) -> bool {
    !number.plus
        && (3..=4).contains(&number.groups.len())
        && number.separators.iter().all(|separator| *separator == b'.')
        && (number.groups.iter().all(|group| *group <= 3) || number.groups.contains(&1))
}

fn is_thousands(number: &Number) -> bool {
    number.groups[0] <= 3
        && number.groups[1..].iter().all(|group| *group == 3)
        && number.separators.iter().all(|separator| matches!(separator, b'.' | b' '))
        && !(number.groups[0] == 3 && number.separators[0] == b' ' && number.digits[0] >= b'6')
}

/// The lengths of the account numbers of countries.
const IBANS: [(&str, usize); 42] = [
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BR", 29),
    ("CH", 21),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("EE", 20),
    ("ES", 24),
    ("FI", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GR", 27),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IS", 26),
    ("IT", 27),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("MC", 27),
    ("MT", 31),
    ("NL", 18),
    ("NO", 15),
    ("PL", 28),
    ("PT", 25),
    ("RO", 24),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
];

/// An international bank account number with the right check digits, with or without blanks.
pub(super) fn iban(text: &str, at: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let country = text.get(at..at + 2)?.to_ascii_uppercase();
    let length = IBANS.iter().find(|(code, _)| *code == country).map(|(_, length)| *length)?;
    let mut signs = Vec::with_capacity(length);
    let mut place = at;
    while signs.len() < length {
        let byte = *bytes.get(place)?;
        if byte.is_ascii_alphanumeric() {
            signs.push(byte.to_ascii_uppercase());
        } else if !matches!(byte, b' ' | b'-') || signs.len() % 2 == 1 && signs.len() % 4 != 0 && signs.len() < 4 {
            return None;
        }
        place += 1;
        if place - at > 2 * length {
            return None;
        }
    }
    let ends = bytes.get(place).is_none_or(|byte| !super::finders::is_word(*byte));
    let checked = signs[2].is_ascii_digit() && signs[3].is_ascii_digit() && remainder(&signs) == 1;
    (ends && checked).then(|| found(at, place, Mask::Iban))?
}

/// The remainder by 97 of an account number, read as the standard says.
fn remainder(signs: &[u8]) -> u32 {
    signs[4..].iter().chain(&signs[..4]).fold(0, |rest, sign| {
        if sign.is_ascii_digit() {
            (rest * 10 + u32::from(sign - b'0')) % 97
        } else {
            (rest * 100 + u32::from(sign - b'A') + 10) % 97
        }
    })
}
