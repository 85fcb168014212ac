//! Fragments of references: the text after `#`.
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use std::borrow::Cow;

/// The characters that a fragment cannot have, and `%` itself.
pub(crate) const FRAGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Decodes percent-encoded text.
pub(crate) fn percent_decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

/// A JSON Pointer as a fragment, without `#`.
pub(crate) fn as_fragment(pointer: &str) -> Cow<'_, str> {
    utf8_percent_encode(pointer, FRAGMENT).into()
}
