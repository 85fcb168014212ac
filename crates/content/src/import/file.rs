//! Files of an import.
use super::path;
use crate::object::Hash;
use crate::page::{Dimensions, FileEntry, GitBlob};
use sha1::{Digest, Sha1};
use values::id::FileId;

/// A file that belongs to an import; its bytes are still to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedFile {
    /// Its id.
    pub id: FileId,
    /// Its path in the source ([`super::Source::read`]).
    pub path: String,
    /// Its path from the root of the documentation.
    pub(super) place: String,
}

impl WantedFile {
    /// The file with these bytes.
    pub fn entry(&self, bytes: &[u8]) -> FileEntry {
        FileEntry {
            name: path::name(&self.place).to_owned(),
            content_type: content_type(&self.place),
            size: bytes.len() as u64,
            blob: Hash::of(bytes),
            dimensions: dimensions(&self.place, bytes),
            git: Some(GitBlob { oid: git_id(bytes), path: self.place.clone() }),
        }
    }
}

impl FileEntry {
    /// A file of this name and content. Its media type is the given one, or else the one of its name.
    pub fn uploaded(name: String, content_type: Option<String>, bytes: &[u8]) -> Self {
        let content_type = content_type.unwrap_or_else(|| self::content_type(&name));
        let dimensions = dimensions(&name, bytes);
        Self { name, content_type, size: bytes.len() as u64, blob: Hash::of(bytes), dimensions, git: None }
    }
}

/// The media type of a file, by its name.
fn content_type(path: &str) -> String {
    mime_guess::from_path(path).first_raw().unwrap_or("application/octet-stream").to_owned()
}

fn dimensions(path: &str, bytes: &[u8]) -> Option<Dimensions> {
    if content_type(path) == "image/svg+xml" {
        return svg_dimensions(&String::from_utf8_lossy(&bytes[..bytes.len().min(SVG_HEAD)]));
    }
    let size = imagesize::blob_size(bytes).ok()?;
    Some(Dimensions { width: size.width.try_into().ok()?, height: size.height.try_into().ok()? })
}

/// The number of bytes of an SVG drawing that are searched for its first tag.
const SVG_HEAD: usize = 16 * 1024;

/// The size in the first tag of a drawing: its width and height in pixels, or else those of its view box.
fn svg_dimensions(text: &str) -> Option<Dimensions> {
    let tag = &text[text.find("<svg")?..];
    let tag = &tag[..tag.find('>')?];
    let attribute = |name: &str| {
        let (_, rest) =
            tag.split_once(&format!("{name}=")).filter(|(before, _)| before.ends_with(char::is_whitespace))?;
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        rest[1..].split_once(quote).map(|(value, _)| value.trim())
    };
    let pixels = |value: &str| {
        let number: f64 = value.strip_suffix("px").unwrap_or(value).trim().parse().ok()?;
        (0.5..1e6).contains(&number).then(|| number.round() as u32)
    };
    let named = |name| attribute(name).and_then(pixels);
    if let (Some(width), Some(height)) = (named("width"), named("height")) {
        return Some(Dimensions { width, height });
    }
    let view: Vec<&str> = attribute("viewBox")?.split([' ', ',']).filter(|part| !part.is_empty()).collect();
    let &[_, _, width, height] = &view[..] else { return None };
    Some(Dimensions { width: pixels(width)?, height: pixels(height)? })
}

/// The git id of a file: the SHA-1 of `blob <length>`, a zero byte, and the bytes.
pub(crate) fn git_id(bytes: &[u8]) -> String {
    let mut hasher = Sha1::new();
    hasher.update(format!("blob {}\0", bytes.len()));
    hasher.update(bytes);
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn a_git_id_is_the_one_git_gives() {
        assert_eq!(git_id(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(git_id(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
    }

    #[rstest]
    #[case("<svg width=\"24\" height='12.4px'>", Some((24, 12)))]
    #[case("<?xml?>\n<svg xmlns=\"x\"\n viewBox=\"0 0 30,40\">", Some((30, 40)))]
    #[case("<svg width=\"100%\" height=\"100%\" viewBox=\"0 0 3 4\">", Some((3, 4)))]
    #[case("<svg stroke-width=\"2\">", None)]
    #[case("<svg width=\"24\"", None)]
    #[case("", None)]
    fn a_drawing_names_its_size(#[case] text: &str, #[case] size: Option<(u32, u32)>) {
        assert_eq!(svg_dimensions(text), size.map(|(width, height)| Dimensions { width, height }));
    }

    #[test]
    fn an_image_has_type_and_dimensions() {
        let wanted = WantedFile {
            id: "f".parse().expect("an id"),
            path: "docs/img/a b.png".to_owned(),
            place: "img/a b.png".to_owned(),
        };
        // The head of a PNG of 3 by 2 pixels.
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02\x08\x02\0\0\0";
        let entry = wanted.entry(png);
        assert_eq!((entry.name.as_str(), entry.content_type.as_str()), ("a b.png", "image/png"));
        assert_eq!(entry.dimensions, Some(Dimensions { width: 3, height: 2 }));
        assert_eq!(entry.git.map(|git| git.path).as_deref(), Some("img/a b.png"));
        assert_eq!(wanted.entry(b"no picture").dimensions, None);
    }
}
