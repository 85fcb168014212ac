//! Findings: the problems of a document, with their places.
use crate::tree::{Path, Place, Step};
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;

/// The longest key that the place of a finding shows, in characters.
const MAX_KEY: usize = 60;
/// The longest name of a file that it shows, in characters.
const MAX_FILE: usize = 120;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The document cannot be read: there is no version.
    Fatal,
    /// The document breaks a rule of OpenAPI; what can be read is shown.
    Error,
    /// It is allowed, but probably a mistake.
    Warning,
    /// A hint, for the command line only.
    Info,
}

/// The subject of a finding. The words never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The bytes are not text.
    NotText,
    /// Neither JSON nor YAML.
    Syntax,
    /// Neither `openapi` nor `swagger` with a version.
    NotOpenapi,
    /// A version that is not supported.
    VersionUnknown,
    /// Larger than a limit.
    TooLarge,
    /// Reading took too long.
    TooSlow,
    /// The official JSON Schema of the version rejects it.
    Structure,
    /// The target of a reference is absent.
    RefMissing,
    /// A reference that leads back to itself.
    RefCircular,
    /// The file of a reference cannot be read.
    RefFile,
    /// A reference to a file, in a text that came alone.
    RefAlone,
    /// Two operations have the same id.
    OperationIdTwice,
    /// The path and its parameters do not agree.
    PathParameter,
    /// Two paths cannot be distinguished.
    PathAmbiguous,
    /// A key that is given twice.
    DuplicateKey,
    /// A parameter that is defined twice.
    ParameterTwice,
    /// A security scheme that is not defined.
    SecurityUnknown,
    /// The address of a server is invalid.
    ServerUrl,
    /// A discriminator that cannot work.
    Discriminator,
    /// Fields beside a reference that are ignored.
    RefSiblings,
    /// A default that its schema rejects.
    DefaultUnfit,
    /// A value that an enumeration has twice.
    EnumTwice,
    /// A required property that is not defined.
    RequiredUnknown,
    /// A tag that the document does not list.
    UnknownTag,
    /// An example that its schema rejects.
    ExampleUnfit,
}

impl Code {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotText => "not-text",
            Self::Syntax => "syntax",
            Self::NotOpenapi => "not-openapi",
            Self::VersionUnknown => "version-unknown",
            Self::TooLarge => "too-large",
            Self::TooSlow => "too-slow",
            Self::Structure => "structure",
            Self::RefMissing => "ref-missing",
            Self::RefCircular => "ref-circular",
            Self::RefFile => "ref-file",
            Self::RefAlone => "ref-alone",
            Self::OperationIdTwice => "operation-id-twice",
            Self::PathParameter => "path-parameter",
            Self::PathAmbiguous => "path-ambiguous",
            Self::DuplicateKey => "duplicate-key",
            Self::ParameterTwice => "parameter-twice",
            Self::SecurityUnknown => "security-unknown",
            Self::ServerUrl => "server-url",
            Self::Discriminator => "discriminator",
            Self::RefSiblings => "ref-siblings",
            Self::DefaultUnfit => "default-unfit",
            Self::EnumTwice => "enum-twice",
            Self::RequiredUnknown => "required-unknown",
            Self::UnknownTag => "unknown-tag",
            Self::ExampleUnfit => "example-unfit",
        }
    }

    /// The level of every finding with this code.
    pub fn level(self) -> Level {
        match self {
            Self::NotText | Self::Syntax | Self::NotOpenapi | Self::VersionUnknown | Self::TooLarge | Self::TooSlow => {
                Level::Fatal
            }
            Self::Structure
            | Self::RefMissing
            | Self::RefCircular
            | Self::RefFile
            | Self::RefAlone
            | Self::OperationIdTwice
            | Self::PathParameter => Level::Error,
            Self::ExampleUnfit => Level::Info,
            _ => Level::Warning,
        }
    }
}

/// A problem of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its subject.
    pub code: Code,
    /// Its place in the text.
    pub at: Place,
    /// The file, relative to the document where it can be; absent for the document itself.
    pub file: Option<Box<str>>,
    /// The path to the value in its file; empty for the whole document.
    pub path: Path,
    /// A sentence without the place.
    pub message: String,
}

impl Finding {
    /// A finding.
    pub fn new(code: Code, at: Place, path: Path, message: impl Into<String>) -> Self {
        Self { code, at, file: None, path, message: message.into() }
    }

    /// Its severity.
    pub fn level(&self) -> Level {
        self.code.level()
    }

    /// The JSON Pointer of the value; empty for the whole document.
    pub fn pointer(&self) -> String {
        self.path.pointer()
    }
}

/// A list of findings. For each code, only the first [`MAX_FINDINGS`] are kept: a document of some megabytes can have
/// millions.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    counts: HashMap<Code, usize>,
    compared: Cell<usize>,
}

/// The maximum number of findings with one code.
pub const MAX_FINDINGS: usize = 1_000;

/// The maximum number of comparisons per document to find the word that was meant. After that, messages make no
/// suggestion.
const MAX_COMPARISONS: usize = 300_000;

impl Findings {
    /// Adds a finding.
    pub(crate) fn push(&mut self, finding: Finding) {
        let count = self.counts.entry(finding.code).or_default();
        *count += 1;
        if *count <= MAX_FINDINGS {
            self.list.push(finding);
        }
    }

    /// Whether further findings of this code are dropped.
    pub(crate) fn is_full(&self, code: Code) -> bool {
        self.counts.get(&code).is_some_and(|count| *count >= MAX_FINDINGS)
    }

    /// The word that was probably meant, while the number of comparisons allows it.
    fn guess<'a>(&self, word: &str, choices: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        let left = MAX_COMPARISONS.saturating_sub(self.compared.get());
        let mut count = 0;
        let meant = crate::wording::meant(word, choices.into_iter().take(left).inspect(|_| count += 1));
        self.compared.set(self.compared.get() + count);
        // If not all choices were compared, another one could be better.
        meant.filter(|_| count < left)
    }

    /// The word that was probably meant, as the end of a message; empty if there is none.
    pub(crate) fn suggestion<'a>(&self, word: &str, choices: impl IntoIterator<Item = &'a str>) -> String {
        let meant = self.guess(word, choices);
        meant.map(|meant| format!(": did you mean {}?", crate::wording::quoted(meant))).unwrap_or_default()
    }

    /// The number of findings that are kept.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// All findings, sorted by level and place, without duplicates.
    pub(crate) fn into_sorted(mut self) -> Vec<Finding> {
        sort(&mut self.list);
        self.list.dedup();
        self.list
    }
}

/// Sorts findings: by level, then by place.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        (a.level(), a.at, a.code, &a.path, &a.message).cmp(&(b.level(), b.at, b.code, &b.path, &b.message))
    });
}

/// The sentence after its place: `142:7 paths./pets.get: "responses" is missing`, or `pet.yaml:2:3 …` in another file.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.as_deref().map(|file| crate::wording::cut(file, MAX_FILE));
        match (&file, self.at.line) {
            (Some(file), 0) => write!(f, "{file}")?,
            (Some(file), line) => write!(f, "{file}:{line}:{}", self.at.column)?,
            (None, 0) => {}
            (None, line) => write!(f, "{line}:{}", self.at.column)?,
        }
        let is_placed = file.is_some() || self.at.line > 0;
        for (index, step) in self.path.0.iter().enumerate() {
            match step {
                Step::Index(item) => write!(f, "[{item}]")?,
                Step::Key(key) => {
                    let separator = match index {
                        0 if is_placed => " ",
                        0 => "",
                        _ => ".",
                    };
                    write!(f, "{separator}{}", crate::wording::cut(key, MAX_KEY))?;
                }
            }
        }
        let begun = is_placed || !self.path.0.is_empty();
        write!(f, "{}{}", if begun { ": " } else { "" }, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_come_by_level_and_then_by_file_and_line() {
        let finding =
            |code, file, line| Finding::new(code, Place { file, line, column: 1 }, Path::default(), String::new());
        let mut findings = vec![
            finding(Code::UnknownTag, 0, 1),
            finding(Code::RefCircular, 1, 2),
            finding(Code::Structure, 0, 7),
            finding(Code::RefMissing, 0, 12),
            finding(Code::TooLarge, 2, 9),
        ];
        sort(&mut findings);
        let codes: Vec<Code> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [Code::TooLarge, Code::Structure, Code::RefMissing, Code::RefCircular, Code::UnknownTag]);
    }
}
