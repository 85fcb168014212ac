//! Masks personal data and secrets in texts.
//!
//! A text is read once, from left to right. At each place, the first finder that finds something there decides what is
//! masked; the search continues after it. Each finder examines a bounded number of characters, or those that it masks,
//! so the time is linear.
mod entities;
mod finders;
mod numbers;
mod passwords;
mod secrets;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

/// A kind of masked data. Its word replaces the data in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mask {
    Email,
    Phone,
    Card,
    Iban,
    Key,
    Token,
    Password,
}

impl Mask {
    const fn word(self) -> &'static str {
        match self {
            Self::Email => "[email]",
            Self::Phone => "[phone]",
            Self::Card => "[card]",
            Self::Iban => "[iban]",
            Self::Key => "[key]",
            Self::Token => "[token]",
            Self::Password => "[password]",
        }
    }
}

/// Something to mask: from where to where, in bytes.
pub(crate) type Found = (std::ops::Range<usize>, Mask);

/// The text with masks in place of e-mail addresses, phone numbers, card numbers, IBANs, private keys, tokens and
/// passwords, also if HTML entities encode their characters. Takes linear time; returns the text itself if
/// there is nothing to mask. Masking a masked text changes nothing.
pub fn redact(text: &str) -> Cow<'_, str> {
    let found = entities::plain(text).and_then(|plain| masked(&plain)).or_else(|| masked(text));
    found.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The text with masks; `None` if there is nothing to mask.
fn masked(text: &str) -> Option<String> {
    let mut masked = String::new();
    let mut kept = 0;
    let mut at = 0;
    while at < text.len() {
        let Some((range, mask)) = finders::next(text, at) else { break };
        masked.push_str(&text[kept..range.start]);
        masked.push_str(mask.word());
        kept = range.end;
        at = range.end;
    }
    if kept == 0 && masked.is_empty() {
        return None;
    }
    masked.push_str(&text[kept..]);
    Some(masked)
}

/// An address with masks in place of its user, its secret parameters, and what [`redact`] masks. The result is still an
/// address: brackets are percent-encoded.
pub fn redact_address(address: &str) -> Cow<'_, str> {
    match redact(address) {
        Cow::Borrowed(same) => Cow::Borrowed(same),
        Cow::Owned(masked) => Cow::Owned(masked.replace('[', "%5B").replace(']', "%5D")),
    }
}
