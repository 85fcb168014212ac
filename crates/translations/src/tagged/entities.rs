//! Entities of HTML and XML that engines use.

/// The longest entity that is read, in bytes, with `&` and `;`.
const MAX_ENTITY: usize = 12;

/// The character of an entity at the start of `text`, and the entity's length in bytes.
pub(crate) fn decoded(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(MAX_ENTITY).position(|byte| byte == b';')?;
    let name = text.get(..end)?.strip_prefix('&')?;
    let char = match name.strip_prefix('#') {
        Some(number) => {
            let point = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(point)?
        }
        None => match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            "nbsp" => '\u{a0}',
            "ndash" => '–',
            "mdash" => '—',
            "hellip" => '…',
            "laquo" => '«',
            "raquo" => '»',
            "lsquo" => '‘',
            "rsquo" => '’',
            "ldquo" => '“',
            "rdquo" => '”',
            _ => return None,
        },
    };
    Some((char, end + 1))
}

/// Appends `text` with its entities decoded.
pub(super) fn decode(text: &str, into: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        into.push_str(&rest[..at]);
        rest = &rest[at..];
        match decoded(rest) {
            Some((char, length)) => {
                into.push(char);
                rest = &rest[length..];
            }
            None => {
                into.push('&');
                rest = &rest[1..];
            }
        }
    }
    into.push_str(rest);
}

/// Whether the text has an entity that would be decoded.
pub(super) fn has_any(text: &str) -> bool {
    text.match_indices('&').any(|(at, _)| decoded(&text[at..]).is_some())
}
