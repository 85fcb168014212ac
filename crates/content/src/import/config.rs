//! `.gitbook.yaml`: where in a repository its documentation is.
use super::path;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The name of the file, at the root of a repository.
pub(crate) const CONFIG: &str = ".gitbook.yaml";

/// The folder in which the service keeps its other files, in the folder of the documentation.
pub(crate) const SERVICE_FOLDER: &str = ".gitbook";

/// The content of the file. Paths are relative to the root of the documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// The folder of the documentation; empty for the root of the repository.
    pub root: String,
    /// The first page, if it is set.
    pub readme: Option<String>,
    /// The table of contents.
    pub summary: String,
    /// Old paths of pages and the files that they lead to now.
    pub redirects: BTreeMap<String, String>,
}

impl Default for Config {
    fn default() -> Self {
        Self { root: String::new(), readme: None, summary: "SUMMARY.md".to_owned(), redirects: BTreeMap::new() }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Raw {
    root: Option<String>,
    structure: Option<RawStructure>,
    redirects: Option<BTreeMap<String, Option<String>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawStructure {
    readme: Option<String>,
    summary: Option<String>,
}

impl Config {
    /// Reads the file.
    ///
    /// # Errors
    /// The problem, for people.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let options = serde_saphyr::options! {
            duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::LastWins,
            // An error is one line.
            with_snippet: false,
        };
        let raw: Option<Raw> = serde_saphyr::from_str_with_options(text, options).map_err(|error| error.to_string())?;
        let raw = raw.unwrap_or_default();
        let inside = |field: &str, value: String| {
            path::resolve("", &value).ok_or_else(|| format!("{field}: {value:?} leads out of the repository"))
        };
        let structure = raw.structure.unwrap_or_default();
        let file = |field: &str, value: Option<String>| {
            value.map(|value| inside(field, value)).transpose().map(|file| file.filter(|file| !file.is_empty()))
        };
        Ok(Self {
            root: inside("root", raw.root.unwrap_or_default())?,
            readme: file("structure.readme", structure.readme)?,
            summary: file("structure.summary", structure.summary)?.unwrap_or_else(|| Self::default().summary),
            redirects: (raw.redirects.unwrap_or_default().into_iter())
                .filter_map(|(from, to)| Some((from, to?)))
                .collect(),
        })
    }

    /// The file that a redirect names; `None` if it leads out of the documentation.
    pub(crate) fn target(target: &str) -> Option<String> {
        let file = target.split_once('#').map_or(target, |(file, _anchor)| file);
        path::resolve("", &path::decode(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn paths_are_read_from_the_root() {
        let text = "root: ./docs/\n\nstructure:\n  readme: ./intro.md\n  summary: toc/SUMMARY.md\n\nredirects:\n  old/page: new.md\n  none:\n  old/page: newer.md\n";
        let config = Config::parse(text).expect("a configuration");
        assert_eq!((config.root.as_str(), config.summary.as_str()), ("docs", "toc/SUMMARY.md"));
        assert_eq!(config.readme.as_deref(), Some("intro.md"));
        assert_eq!(config.redirects, BTreeMap::from([("old/page".to_owned(), "newer.md".to_owned())]));
    }

    #[rstest]
    #[case("")]
    #[case("# nothing\n")]
    #[case("root:\nstructure:\nredirects:\n")]
    #[case("root: ./\nunknown: 1\n")]
    fn an_absent_setting_has_its_default(#[case] text: &str) {
        assert_eq!(Config::parse(text), Ok(Config::default()));
    }

    #[rstest]
    #[case("root: ../secret", "leads out")]
    #[case("structure:\n  summary: ../../x", "structure.summary")]
    #[case("root: [", "at line 1")]
    #[case("root: ./\nstructure: 7", "at line 2")]
    #[case("root: {a: b}", "")]
    fn an_error_names_the_problem(#[case] text: &str, #[case] problem: &str) {
        let error = Config::parse(text).expect_err("wrong");
        assert!(error.contains(problem) && error.lines().count() == 1, "{error}");
    }
}
