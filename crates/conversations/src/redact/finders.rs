//! Finds the next thing to mask in a text.
use super::{Found, Mask, numbers, passwords, secrets};

/// The first thing to mask at or after a place, which is at the start of a character.
///
/// Examines each word or other run once, as a whole, from its start.
pub(super) fn next(text: &str, from: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        let byte = bytes[at];
        let starts = at == 0 || !is_word(bytes[at - 1]);
        let found = match byte {
            b'-' => secrets::private_key(text, at),
            b'+' | b'(' if starts => numbers::phone(text, at),
            b'0'..=b'9' if starts => numbers::card(text, at).or_else(|| numbers::phone(text, at)),
            _ => None,
        };
        let found = found.or_else(|| if starts && is_word(byte) { word(text, at) } else { None });
        if found.is_some() {
            return found;
        }
        // Skip to the next place where something can begin.
        at += 1;
        if is_word(byte) {
            while at < bytes.len() && is_word(bytes[at]) {
                at += 1;
            }
        }
        while at < bytes.len() && !text.is_char_boundary(at) {
            at += 1;
        }
    }
    None
}

/// Something to mask that begins with the word at a place.
fn word(text: &str, at: usize) -> Option<Found> {
    secrets::address(text, at)
        .or_else(|| numbers::iban(text, at))
        .or_else(|| secrets::email(text, at))
        .or_else(|| passwords::named(text, at))
        .or_else(|| secrets::token(text, at))
}

/// Whether a byte is part of a word; every byte of a letter outside ASCII is.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// A range with its mask.
pub(super) fn found(start: usize, end: usize, mask: Mask) -> Option<Found> {
    Some((start..end, mask))
}
