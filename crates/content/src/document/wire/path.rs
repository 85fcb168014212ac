//! Paths in a JSON value.
use std::fmt;

/// Why a value is not a document in the API's form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {rule}")]
pub struct WireError {
    /// The place, such as `document.nodes[3].data.style`.
    pub path: String,
    /// The rule that it breaks.
    pub rule: String,
}

/// The maximum number of characters of a name in the value that an error shows.
const SHOWN: usize = 64;

/// A place in a JSON value, written out only when something is wrong there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path<'a> {
    around: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    pub(super) const fn root(name: &'a str) -> Self {
        Self { around: None, step: Step::Key(name) }
    }

    /// The place of a field of the object here.
    pub(super) const fn key(&'a self, name: &'a str) -> Self {
        Self { around: Some(self), step: Step::Key(name) }
    }

    /// The place of an item of the array here.
    pub(super) const fn index(&'a self, index: usize) -> Self {
        Self { around: Some(self), step: Step::Index(index) }
    }

    /// The error of a value here that breaks this rule.
    pub(super) fn refuse(&self, rule: impl Into<String>) -> WireError {
        WireError { path: self.to_string(), rule: rule.into() }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(around) = self.around {
            around.fmt(f)?;
        }
        match self.step {
            Step::Key(name) => {
                let dot = if self.around.is_some() { "." } else { "" };
                write!(f, "{dot}{}", name.chars().take(SHOWN).collect::<String>())
            }
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}
