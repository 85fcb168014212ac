//! Patterns of files to leave out, in the format of `.gitignore` and `.bookignore`.

/// The files with such patterns, at the root of a repository.
pub(super) const IGNORE_FILES: [&str; 2] = [".gitignore", ".bookignore"];

/// The largest such file, in bytes. Limits the work for each path.
pub(super) const MAX_IGNORE_FILE: u64 = 64 * 1024;

/// Patterns; the last one that matches a path decides (gitignore(5)).
#[derive(Clone, Debug, Default)]
pub(super) struct Ignore(Vec<Pattern>);

#[derive(Clone, Debug)]
struct Pattern {
    names: Vec<String>,
    takes_back: bool,
    folders_only: bool,
    anchored: bool,
}

impl Ignore {
    /// Adds the patterns of a file.
    pub(super) fn add(&mut self, text: &str) {
        self.0.extend(text.lines().filter_map(Pattern::parse));
    }

    /// Whether a path itself is left out; check its parent folders first.
    pub(super) fn excludes(&self, path: &str, is_folder: bool) -> bool {
        let last = self.0.iter().rev().find(|pattern| pattern.matches(path, is_folder));
        last.is_some_and(|pattern| !pattern.takes_back)
    }

    /// Whether a file is left out, by itself or by a parent folder.
    pub(super) fn excludes_file(&self, path: &str) -> bool {
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        folders.any(|folder| self.excludes(folder, true)) || self.excludes(path, false)
    }
}

impl Pattern {
    fn parse(line: &str) -> Option<Self> {
        let line = line.trim_end();
        let (takes_back, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (line, folders_only) = line.strip_suffix('/').map_or((line, false), |rest| (rest, true));
        let anchored = line.contains('/');
        let names: Vec<String> = line.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        (!names.is_empty()).then_some(Self { names, takes_back, folders_only, anchored })
    }

    fn matches(&self, path: &str, is_folder: bool) -> bool {
        if self.folders_only && !is_folder {
            return false;
        }
        let names: Vec<&str> = path.split('/').collect();
        if self.anchored {
            return names_match(&self.names, &names);
        }
        let (Some(pattern), Some(name)) = (self.names.last(), names.last()) else { return false };
        glob(pattern.as_bytes(), name.as_bytes(), |pattern, byte| pattern == b'?' || pattern == byte)
    }
}

/// Matches path segments, where `**` matches any number of them.
fn names_match(pattern: &[String], names: &[&str]) -> bool {
    let (mut at_pattern, mut at_name) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        let fits = match pattern.get(at_pattern) {
            Some(any) if any == "**" => {
                back = Some((at_pattern + 1, at_name));
                at_pattern += 1;
                continue;
            }
            Some(one) => names.get(at_name).is_some_and(|name| {
                glob(one.as_bytes(), name.as_bytes(), |pattern, byte| pattern == b'?' || pattern == byte)
            }),
            None if at_name == names.len() => return true,
            None => false,
        };
        if fits {
            (at_pattern, at_name) = (at_pattern + 1, at_name + 1);
            continue;
        }
        match &mut back {
            Some((after, from)) if *from < names.len() => {
                *from += 1;
                (at_pattern, at_name) = (*after, *from);
            }
            _ => return false,
        }
    }
}

/// Matches a name, where `*` matches any number of bytes. Backtracks only to the last `*`, so the time is at most the
/// product of both lengths.
fn glob(pattern: &[u8], name: &[u8], fits: impl Fn(u8, u8) -> bool) -> bool {
    let (mut at_pattern, mut at_name) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while at_name < name.len() {
        match pattern.get(at_pattern) {
            Some(b'*') => {
                back = Some((at_pattern + 1, at_name));
                at_pattern += 1;
            }
            Some(byte) if fits(*byte, name[at_name]) => (at_pattern, at_name) = (at_pattern + 1, at_name + 1),
            _ => match &mut back {
                Some((after, from)) => {
                    *from += 1;
                    (at_pattern, at_name) = (*after, *from);
                }
                None => return false,
            },
        }
    }
    pattern[at_pattern..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("*~", "a/b.md~", true)]
    #[case("*.sh", "tools/x.sh", true)]
    #[case("*.sh", "tools/x.md", false)]
    #[case("# comment", "# comment", false)]
    #[case("build/", "build/x.md", true)]
    #[case("build/", "a/build/x.md", true)]
    #[case("build/", "build", false)]
    #[case("/build", "a/build", false)]
    #[case("/build", "build/a/b", true)]
    #[case("a/*.md", "a/b.md", true)]
    #[case("a/*.md", "a/b/c.md", false)]
    #[case("a/**/c.md", "a/c.md", true)]
    #[case("a/**/c.md", "a/x/y/c.md", true)]
    #[case("**/x", "a/b/x", true)]
    #[case("a/**", "a/b/c", true)]
    #[case("*.md\n!README.md", "README.md", false)]
    #[case("*.md\n!README.md", "OTHER.md", true)]
    #[case("v?", "v1/a", true)]
    #[case("", "a", false)]
    fn patterns_leave_files_out(#[case] patterns: &str, #[case] path: &str, #[case] out: bool) {
        let mut ignore = Ignore::default();
        ignore.add(patterns);
        assert_eq!(ignore.excludes_file(path), out);
    }

    #[test]
    fn a_hostile_pattern_takes_no_time() {
        let mut ignore = Ignore::default();
        ignore.add(&"*a".repeat(500));
        ignore.add(&"**/a/".repeat(600));
        assert!(!ignore.excludes_file(&format!("{}b", "a".repeat(1_000))));
        assert!(!ignore.excludes_file(&format!("{}b", "a/".repeat(500))));
    }
}
