//! Images of other hosts on pages of sites, and fonts. This server delivers them to visitors, so that other hosts do
//! not learn who reads a page.
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use std::fmt;
use subtle::ConstantTimeEq;

/// The path prefix of external images on a site.
pub const EXTERNAL: &str = "~/external/";
/// The largest image in bytes.
pub const MAX_IMAGE: u64 = 10 * 1024 * 1024;
/// The bytes of a signature.
const SIGNATURE: usize = 16;

/// Signs the addresses of images and fonts. The server fetches only signed addresses, so that it cannot be used as a
/// proxy for others.
#[derive(Clone)]
pub struct ImageSigner {
    key: [u8; 32],
}

impl fmt::Debug for ImageSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ImageSigner(..)")
    }
}

impl ImageSigner {
    /// Derives the key from the instance's secret.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self { key: blake3::derive_key("octavo 2026 images of other hosts", secret) }
    }

    /// The path of an image below the address of a site.
    pub fn path(&self, url: &str) -> String {
        let signature = BASE64_URL_SAFE_NO_PAD.encode(self.sign(url));
        format!("{EXTERNAL}{signature}/{}", BASE64_URL_SAFE_NO_PAD.encode(url))
    }

    /// The address of the image at a path that begins after [`EXTERNAL`]; `None` if this instance did not sign it.
    pub fn verify(&self, path: &str) -> Option<String> {
        let (signature, url) = path.split_once('/')?;
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?;
        let url = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(url).ok()?).ok()?;
        bool::from(signature.ct_eq(&self.sign(&url))).then_some(url)
    }

    fn sign(&self, url: &str) -> [u8; SIGNATURE] {
        let mut signature = [0; SIGNATURE];
        signature.copy_from_slice(&blake3::keyed_hash(&self.key, url.as_bytes()).as_bytes()[..SIGNATURE]);
        signature
    }
}

/// The starts of files, with their media types.
const MAGIC: [(&[u8], &str); 10] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\0\0\x01\0", "image/x-icon"),
    (b"BM", "image/bmp"),
    (b"wOF2", "font/woff2"),
    (b"wOFF", "font/woff"),
    (b"\0\x01\0\0", "font/ttf"),
    (b"OTTO", "font/otf"),
];

/// The media type of an image or a font, detected from its bytes; `None` if browsers do not show it. SVG is text, so
/// the declared media type is checked too.
pub fn media_type(bytes: &[u8], declared: Option<&str>) -> Option<&'static str> {
    if let Some((_, known)) = MAGIC.iter().find(|(start, _)| bytes.starts_with(start)) {
        return Some(known);
    }
    match (bytes.get(..4)?, bytes.get(4..8), bytes.get(8..12)) {
        (b"RIFF", _, Some(b"WEBP")) => return Some("image/webp"),
        (_, Some(b"ftyp"), Some(b"avif" | b"avis")) => return Some("image/avif"),
        _ => {}
    }
    let is_svg = declared.is_some_and(|declared| declared.trim().to_ascii_lowercase().starts_with("image/svg+xml"));
    let start = &bytes[..bytes.len().min(1024)];
    let has_root = start.windows(4).any(|part| part.eq_ignore_ascii_case(b"<svg"));
    (is_svg && has_root).then_some("image/svg+xml")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    proptest! {
        #[test]
        fn an_address_is_found_by_its_path_and_by_no_other(url in ".{1,80}", other in 0_u8..32) {
            let signer = ImageSigner::new(&[7; 32]);
            let path = signer.path(&url);
            let path = path.strip_prefix(EXTERNAL).unwrap();
            prop_assert_eq!(signer.verify(path), Some(url.clone()));
            prop_assert_eq!(ImageSigner::new(&[other; 32]).verify(path).is_some(), other == 7);
            let (signature, _) = path.split_once('/').unwrap();
            let changed = format!("{signature}/{}", BASE64_URL_SAFE_NO_PAD.encode(format!("{url}x")));
            prop_assert_eq!(signer.verify(&changed), None);
        }
    }

    #[rstest]
    #[case("")]
    #[case("/")]
    #[case("x/y")]
    #[case("AAAAAAAAAAAAAAAAAAAAAA/aHR0cDovL2E")]
    #[case("../aHR0cDovL2E")]
    fn an_unsigned_path_is_not_found(#[case] path: &str) {
        assert_eq!(ImageSigner::new(&[7; 32]).verify(path), None);
    }

    #[rstest]
    #[case(b"\x89PNG\r\n\x1a\n....", None, Some("image/png"))]
    #[case(b"RIFF....WEBPVP8 ", Some("text/html"), Some("image/webp"))]
    #[case(b"....ftypavif....", None, Some("image/avif"))]
    #[case(b"<?xml version='1.0'?><svg xmlns='x'/>", Some("image/svg+xml; charset=utf-8"), Some("image/svg+xml"))]
    #[case(b"wOF2....", Some("application/octet-stream"), Some("font/woff2"))]
    #[case(b"OTTO....", None, Some("font/otf"))]
    #[case(b"<svg/>", Some("text/html"), None)]
    #[case(b"<html><script>", Some("image/png"), None)]
    #[case(b"", Some("image/png"), None)]
    fn only_images_and_fonts_are_sent(
        #[case] bytes: &[u8],
        #[case] declared: Option<&str>,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(media_type(bytes, declared), expected);
    }
}
