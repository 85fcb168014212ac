//! Paths of a repository: relative, with `/` between names, never outside the root.
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use unicode_normalization::UnicodeNormalization;
use values::characters::is_misleading;
use values::text::Rule;

/// The longest path, in bytes.
pub const MAX_PATH: usize = 1024;

/// The extensions of Markdown files, the most usual first.
pub(crate) const MARKDOWN: [&str; 3] = ["md", "mdx", "markdown"];

/// The longest name of a file or folder, in bytes: the limit of file systems.
const MAX_NAME: usize = 255;

/// Characters that must be encoded in a link to a path.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'`')
    .add(b'(')
    .add(b')')
    .add(b'[')
    .add(b']')
    .add(b'{')
    .add(b'}')
    .add(b'|')
    .add(b'^');

/// Checks that a path is safe to read from and to write to, on every operating system: names of files and folders with
/// `/` between them, below the root.
///
/// # Errors
/// The rule it breaks.
pub fn check_path(path: &str) -> Result<(), Rule> {
    let broken = |rule: &str| Err(Rule(rule.to_owned()));
    if path.is_empty() || path.len() > MAX_PATH {
        return Err(Rule(format!("must have 1 to {MAX_PATH} bytes")));
    }
    if path.starts_with('/') {
        return broken("must not be absolute");
    }
    if path.contains('\\') {
        return broken("must not contain a backslash");
    }
    if path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic() {
        return broken("must not begin with a drive");
    }
    if path.chars().any(char::is_control) {
        return broken("must not contain control characters");
    }
    if path.chars().any(is_misleading) {
        return broken("must not contain invisible or direction-changing characters");
    }
    for name in path.split('/') {
        match name {
            ".." => return broken("must not contain \"..\""),
            "" | "." => return broken("must not contain empty names or \".\""),
            _ if name.len() > MAX_NAME => return Err(Rule(format!("must have names of at most {MAX_NAME} bytes"))),
            _ => {}
        }
    }
    Ok(())
}

/// The folder of a file: its path up to the last `/`, empty at the root.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name of a file without its folder.
pub fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The name of a file without its folder and its last extension.
pub fn stem(path: &str) -> &str {
    let name = name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// Whether a file holds Markdown, by its name.
pub(crate) fn is_markdown(path: &str) -> bool {
    let extension = name(path).rsplit_once('.').map_or("", |(_, extension)| extension);
    MARKDOWN.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Whether a file is the page of its folder, by its name.
pub(crate) fn is_readme(path: &str) -> bool {
    is_markdown(path) && ["readme", "index", "_index"].iter().any(|known| stem(path).eq_ignore_ascii_case(known))
}

/// A path in a folder.
pub fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

/// The rest of a path that is in a folder; all of it if the folder is the root.
pub(crate) fn inside<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

/// Resolves a relative path in a folder (RFC 3986, 5.2.4): without `.` and `..`, without a trailing `/`. One that
/// begins with `/` is relative to the root. `None` if it leaves the root.
pub fn resolve(folder: &str, path: &str) -> Option<String> {
    let start = if path.starts_with('/') { "" } else { folder };
    let mut names: Vec<&str> = start.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// The shortest relative path from a folder to a file.
pub fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').filter(|name| !name.is_empty()).collect();
    let to: Vec<&str> = to.split('/').collect();
    let shared = from.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(to[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// A path as it is compared where case and the Unicode encoding of a letter do not matter: by some file systems, and in
/// the addresses of sites.
pub fn fold(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    path.nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// Writes a path as part of a link.
pub fn encode(path: &str) -> String {
    utf8_percent_encode(path, ENCODED).to_string()
}

/// Reads a path from a link; unchanged if its percent-encoding is invalid.
pub fn decode(path: &str) -> String {
    percent_decode_str(path).decode_utf8().map_or_else(|_| path.to_owned(), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("README.md", true)]
    #[case("a/b c/ü (1).png", true)]
    #[case(".gitbook/assets/x.png", true)]
    #[case("a..b/...", true)]
    #[case("ab:c", true)]
    #[case("", false)]
    #[case("/etc/passwd", false)]
    #[case("../x", false)]
    #[case("a/../x", false)]
    #[case("a/..", false)]
    #[case("./a", false)]
    #[case("a//b", false)]
    #[case("a/", false)]
    #[case("a\\b", false)]
    #[case("C:/x", false)]
    #[case("c:x", false)]
    #[case("a\0b", false)]
    #[case("a\nb", false)]
    #[case("a\u{202e}gnp.md", false)]
    #[case("a\u{61c}b", false)]
    #[case("a\u{200b}b", false)]
    #[case(&"a/".repeat(600), false)]
    #[case(&"a".repeat(256), false)]
    fn only_plain_relative_paths_are_safe(#[case] path: &str, #[case] fine: bool) {
        assert_eq!(check_path(path).is_ok(), fine, "{path:?}");
    }

    #[rstest]
    #[case("a/b", "c.md", Some("a/b/c.md"))]
    #[case("a/b", "../c.md", Some("a/c.md"))]
    #[case("a/b", "./../../c.md", Some("c.md"))]
    #[case("a/b", "../../../c.md", None)]
    #[case("a/b", "/c.md", Some("c.md"))]
    #[case("a/b", "..", Some("a"))]
    #[case("a", "b/", Some("a/b"))]
    #[case("a", ".", Some("a"))]
    fn a_relative_path_is_resolved_in_its_folder(
        #[case] folder: &str,
        #[case] path: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(resolve(folder, path).as_deref(), expected);
    }

    #[rstest]
    #[case("a/README.md", "README", true)]
    #[case("a/v0.12.md", "v0.12", false)]
    #[case(".gitbook.yaml", ".gitbook", false)]
    #[case("docs/Index.MD", "Index", true)]
    #[case("docs/_index.mdx", "_index", true)]
    #[case("index.html", "index", false)]
    fn names_tell_what_a_file_is(#[case] path: &str, #[case] expected: &str, #[case] readme: bool) {
        assert_eq!((stem(path), is_readme(path)), (expected, readme));
    }

    proptest! {
        #[test]
        fn a_relative_path_leads_back(from in "([a-c]/){0,4}", to in "([a-c]/){0,4}[d-f]") {
            let from = from.trim_end_matches('/');
            let way = relative(from, &to);
            prop_assert_eq!(resolve(from, &way), Some(to.clone()));
            prop_assert!(way.len() <= to.len() + 3 * from.len());
        }

        #[test]
        fn an_encoded_path_reads_back(path in "\\PC{0,40}") {
            prop_assert_eq!(decode(&encode(&path)), path);
        }

        #[test]
        fn nothing_leaves_the_root(folder in "([a-c]/){0,3}", path in "[a-c./]{0,30}") {
            if let Some(found) = resolve(folder.trim_end_matches('/'), &path) {
                prop_assert!(found.is_empty() || check_path(&found).is_ok(), "{}", found);
            }
        }
    }
}
