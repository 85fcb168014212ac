//! Changes that were accepted.
use std::collections::BTreeSet;

/// The fingerprints in a file of accepted changes: one in each line, followed by what the author likes. Lines that are
/// empty or begin with `#` do not count.
pub fn accepted(file: &str) -> BTreeSet<String> {
    let words = file.trim_start_matches('\u{feff}').lines().filter_map(|line| line.split_whitespace().next());
    words.filter(|word| !word.starts_with('#')).map(str::to_ascii_lowercase).collect()
}
