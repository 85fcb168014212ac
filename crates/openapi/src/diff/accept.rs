//! Changes that were accepted.
use std::collections::BTreeSet;

/// The fingerprints in a file of accepted changes: one per line, optionally followed by a note. Empty lines and lines
/// that begin with `#` do not count.
pub fn accepted(file: &str) -> BTreeSet<String> {
    let words = file.trim_start_matches('\u{feff}').lines().filter_map(|line| line.split_whitespace().next());
    words.filter(|word| !word.starts_with('#')).map(str::to_ascii_lowercase).collect()
}
