//! Texts in the encodings of Markdown files: UTF-8, and older ones.
use std::borrow::Cow;

/// The characters of Windows-1252 from 0x80 to 0x9F. Elsewhere, a byte is the character of its number; five bytes have
/// none, and are kept as such controls too.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text of a file, and a note if it is not in UTF-8.
///
/// A file with a byte order mark of UTF-16 is in UTF-16. A file without any character of several bytes in UTF-8 is in
/// Windows-1252, of which Latin 1 is a part. In others, what is unreadable is replaced.
pub(crate) fn decode(bytes: &[u8]) -> (Cow<'_, str>, Option<&'static str>) {
    let units = |of: fn([u8; 2]) -> u16| bytes[2..].chunks_exact(2).map(move |pair| of([pair[0], pair[1]]));
    let wide = match bytes {
        [0xff, 0xfe, ..] => Some(units(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => Some(units(u16::from_be_bytes)),
        _ => None,
    };
    if let Some(units) = wide {
        let text = char::decode_utf16(units).map(|each| each.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        return (Cow::Owned(text), Some("it is not in UTF-8; it was read as UTF-16"));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), None),
        Err(_) if bytes.utf8_chunks().all(|chunk| chunk.valid().is_ascii()) => {
            let text = bytes.iter().map(|byte| windows(*byte)).collect();
            (Cow::Owned(text), Some("it is not in UTF-8; it was read as Windows-1252"))
        }
        Err(_) => (String::from_utf8_lossy(bytes), Some("it is not in UTF-8; what is unreadable was replaced")),
    }
}

fn windows(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        byte => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("é €".as_bytes(), "é €", "")]
    #[case(b"Caf\xe9 \x80 \x93a\x94\n", "Café € “a”\n", "read as Windows-1252")]
    #[case(b"\xff\xfe#\0 \0\xe9\0", "# é", "read as UTF-16")]
    #[case(b"\xfe\xff\0#\0a\0", "#a", "read as UTF-16")]
    #[case(b"\xc3\xa9 \xe9 b", "é \u{fffd} b", "replaced")]
    fn text_is_read_in_its_encoding(#[case] bytes: &[u8], #[case] text: &str, #[case] note: &str) {
        let (read, said) = decode(bytes);
        assert_eq!(read, text);
        assert!(said.unwrap_or_default().ends_with(note) && said.is_none() == note.is_empty(), "{said:?}");
    }
}
