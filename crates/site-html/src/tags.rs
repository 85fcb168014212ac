//! Tags in rendered HTML.

/// The length of the tag that a text begins with. A `>` in quotation marks does not end it.
pub(crate) fn tag_length(text: &str) -> usize {
    let mut is_quoted = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'>' if !is_quoted => return at + 1,
            _ => {}
        }
    }
    text.len()
}
