//! What a change is about, in words.
use crate::files::percent_decoded;
use crate::tree::unescape;
use crate::wording::{cut, quoted};
use std::fmt;
use std::rc::Rc;

/// The longest name of a schema that is shown, in characters: some begin with a long name space.
const MAX_NAME: usize = 100;
/// The longest way to a field that is shown, in characters. Of a longer one, the end is.
const MAX_WAY: usize = 120;

/// A part of an operation or a component, and the way from there to a schema below it.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    owner: Rc<str>,
    /// Such as `pets[].name`; empty for the part itself.
    way: Rc<str>,
    /// Whether the words alone do not show if requests or responses are meant.
    is_shared: bool,
}

impl Subject {
    /// A part of an operation, such as `the request body`.
    pub(super) fn part(owner: impl Into<Rc<str>>) -> Self {
        Self { owner: owner.into(), way: "".into(), is_shared: false }
    }

    /// The schema that a reference names.
    pub(super) fn schema(reference: &str) -> Self {
        let name = name(reference).replace(char::is_control, " ");
        let owner = format!("schema \"{}\"", cut(&name, MAX_NAME));
        Self { owner: owner.into(), way: "".into(), is_shared: true }
    }

    /// The field with this name.
    pub(super) fn field(&self, name: &str) -> Self {
        let name = quoted(name);
        let name = name.trim_matches('"');
        self.below(if self.way.is_empty() { name.to_owned() } else { format!("{}.{name}", self.way) })
    }

    /// The fields that the schema does not name.
    pub(super) fn other_fields(&self) -> Self {
        self.below(if self.way.is_empty() { "*".to_owned() } else { format!("{}.*", self.way) })
    }

    /// The items of a list.
    pub(super) fn items(&self) -> Self {
        self.below(format!("{}[]", self.way))
    }

    /// A choice, named by its label.
    pub(super) fn choice(&self, label: &str) -> Self {
        self.below(format!("{}({})", self.way, quoted(label).trim_matches('"')))
    }

    fn below(&self, way: String) -> Self {
        let length = way.chars().count();
        let way = match way.char_indices().nth(length.saturating_sub(MAX_WAY)) {
            Some((start, _)) if start > 0 => format!("…{}", way.get(start..).unwrap_or_default()),
            _ => way,
        };
        Self { owner: Rc::clone(&self.owner), way: way.into(), is_shared: self.is_shared }
    }

    /// Whether requests or responses must be named besides.
    pub(super) fn is_shared(&self) -> bool {
        self.is_shared
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.way {
            "" => write!(f, "{}", self.owner),
            "[]" => write!(f, "an item of {}", self.owner),
            "*" => write!(f, "any other field of {}", self.owner),
            way if way.starts_with('(') && way.ends_with(')') && !way.contains(['.', '[']) => {
                write!(f, "choice \"{}\" of {}", way.trim_matches(['(', ')']), self.owner)
            }
            way => write!(f, "field \"{way}\" of {}", self.owner),
        }
    }
}

/// The last step of a reference: the name of a component.
pub(super) fn name(reference: &str) -> String {
    unescape(&percent_decoded(reference.rsplit('/').next().unwrap_or(reference)))
}
