//! The subject of a change, in words.
use crate::refs::percent_decoded;
use crate::tree::unescape;
use crate::wording::{cut, unquoted};
use std::fmt;
use std::rc::Rc;

/// The maximum length of the name of a schema, in characters: some begin with a long name space.
const MAX_NAME: usize = 100;
/// The maximum length of the path to a field, in characters. Of a longer one, the end is shown.
const MAX_FIELD_PATH: usize = 120;

/// A part of an operation or a component, and the path from there to a schema below it.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    owner: Rc<str>,
    /// Such as `pets[].name`; empty for the part itself.
    path: Rc<str>,
    /// Whether the words alone do not show whether requests or responses are meant.
    is_shared: bool,
}

impl Subject {
    /// A part of an operation, such as `the request body`.
    pub(super) fn part(owner: impl Into<Rc<str>>) -> Self {
        Self { owner: owner.into(), path: "".into(), is_shared: false }
    }

    /// The schema that a reference names.
    pub(super) fn schema(reference: &str) -> Self {
        let name = name(reference).replace(char::is_control, " ");
        let owner = format!("schema \"{}\"", cut(&name, MAX_NAME));
        Self { owner: owner.into(), path: "".into(), is_shared: true }
    }

    /// The field with this name.
    pub(super) fn field(&self, name: &str) -> Self {
        let name = unquoted(name);
        self.below(if self.path.is_empty() { name } else { format!("{}.{name}", self.path) })
    }

    /// The fields that the schema does not define.
    pub(super) fn other_fields(&self) -> Self {
        self.below(if self.path.is_empty() { "*".to_owned() } else { format!("{}.*", self.path) })
    }

    /// The items of a list.
    pub(super) fn items(&self) -> Self {
        self.below(format!("{}[]", self.path))
    }

    /// A choice, by its label.
    pub(super) fn choice(&self, label: &str) -> Self {
        self.below(format!("{}({})", self.path, unquoted(label)))
    }

    fn below(&self, path: String) -> Self {
        let length = path.chars().count();
        let path = match path.char_indices().nth(length.saturating_sub(MAX_FIELD_PATH)) {
            Some((start, _)) if start > 0 => format!("…{}", path.get(start..).unwrap_or_default()),
            _ => path,
        };
        Self { owner: Rc::clone(&self.owner), path: path.into(), is_shared: self.is_shared }
    }

    /// Whether the text must also name requests or responses.
    pub(super) fn is_shared(&self) -> bool {
        self.is_shared
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "" => write!(f, "{}", self.owner),
            "[]" => write!(f, "an item of {}", self.owner),
            "*" => write!(f, "any other field of {}", self.owner),
            path if path.starts_with('(') && path.ends_with(')') && !path.contains(['.', '[']) => {
                write!(f, "choice \"{}\" of {}", path.trim_matches(['(', ')']), self.owner)
            }
            path => write!(f, "field \"{path}\" of {}", self.owner),
        }
    }
}

/// The last step of a reference: the name of a component.
pub(super) fn name(reference: &str) -> String {
    unescape(&percent_decoded(reference.rsplit('/').next().unwrap_or(reference))).into_owned()
}
