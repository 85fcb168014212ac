//! How a browser may handle a file.
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters allowed unescaped in an extended parameter (RFC 8187, `attr-char`).
const ATTRIBUTE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// Media types without active content: a browser may show them inline. All others are downloaded.
const PLAIN: [&str; 17] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/avif",
    "image/bmp",
    "image/x-icon",
    "image/vnd.microsoft.icon",
    "image/tiff",
    "image/apng",
    "video/mp4",
    "video/webm",
    "video/ogg",
    "audio/mpeg",
    "audio/ogg",
    "audio/wav",
    "text/plain",
];

/// Whether a browser may show the type inline.
pub(crate) fn is_plain(media: &str) -> bool {
    let essence = media.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    PLAIN.contains(&essence.as_str())
}

/// The header `Content-Disposition` (RFC 6266) for a file with this name and type.
pub(crate) fn disposition(name: &str, media: &str) -> String {
    let kind = if is_plain(media) { "inline" } else { "attachment" };
    // The plain form is for old clients. Every character that could end or falsify it is replaced.
    let fallback: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || " -._()".contains(c) { c } else { '_' }).collect();
    format!("{kind}; filename=\"{fallback}\"; filename*=UTF-8''{}", utf8_percent_encode(name, ATTRIBUTE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("image/png", true)]
    #[case("IMAGE/PNG", true)]
    #[case("text/plain; charset=utf-8", true)]
    #[case("image/svg+xml", false)]
    #[case("text/html", false)]
    #[case("application/xhtml+xml", false)]
    #[case("text/xml", false)]
    #[case("application/pdf", false)]
    #[case("application/octet-stream", false)]
    #[case("", false)]
    fn only_types_without_active_content_are_shown_inline(#[case] media: &str, #[case] plain: bool) {
        assert_eq!(is_plain(media), plain);
    }

    #[test]
    fn a_file_name_is_sent_in_both_forms() {
        let header = disposition("Übersicht \"1\".png", "image/png");
        assert_eq!(header, r#"inline; filename="_bersicht _1_.png"; filename*=UTF-8''%C3%9Cbersicht%20%221%22.png"#);
    }

    proptest! {
        #[test]
        fn every_name_makes_a_sound_header(name in "\\PC*|[\\x00-\\x1f\"\\\\;]{1,9}") {
            let header = disposition(&name, "text/html");
            prop_assert!(HeaderValue::from_str(&header).is_ok());
            prop_assert!(header.is_ascii() && header.matches('"').count() == 2);
        }
    }
}
