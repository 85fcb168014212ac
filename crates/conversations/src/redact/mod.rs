//! Masks in texts what identifies people or opens accounts.
//!
//! A text is read once, from left to right. At each place, the first finder that finds something there decides what is
//! masked; reading goes on behind it. Each finder looks at a bounded number of characters or at what it masks, so the
//! time is linear.
mod finders;
mod numbers;
mod passwords;
mod secrets;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

/// What is masked, by the word that is left in its place.
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
/// passwords. Takes linear time; returns the text itself if there is nothing to mask. A masked text stays as it is.
pub fn redact(text: &str) -> Cow<'_, str> {
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
        return Cow::Borrowed(text);
    }
    masked.push_str(&text[kept..]);
    Cow::Owned(masked)
}

/// An address with masks in place of its user, its secret parameters, and what [`redact`] masks. The result is still an
/// address: brackets are percent-encoded.
pub fn redact_address(address: &str) -> Cow<'_, str> {
    match redact(address) {
        Cow::Borrowed(same) => Cow::Borrowed(same),
        Cow::Owned(masked) => Cow::Owned(masked.replace('[', "%5B").replace(']', "%5D")),
    }
}
