//! Joins a document from its parts.
use super::place::{Below, Container, below};
use super::stored_key;
use crate::tree::Node;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// A mapping whose values are parts, all or some of them.
#[derive(Debug, Deserialize)]
pub struct Branch {
    /// All keys, in their order.
    pub order: Vec<String>,
    /// The values that are not parts of their own, as JSON.
    pub own: HashMap<String, Box<RawValue>>,
}

impl Branch {
    /// Reads a part that is a branch.
    ///
    /// # Errors
    /// [`JoinError::Invalid`] if it is not a branch; the error names `key`.
    pub fn read(key: &str, json: &str) -> Result<Self, JoinError> {
        serde_json::from_str(json).map_err(|error| JoinError::Invalid { key: key.to_owned(), error: error.to_string() })
    }
}

/// Why parts do not make a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// A part is absent.
    #[error("the part \"{key}\" is missing")]
    Missing {
        /// Its key.
        key: String,
    },
    /// A part that should be a branch is not one.
    #[error("the part \"{key}\" lists no keys: {error}")]
    Invalid {
        /// Its key.
        key: String,
        /// The problem of its JSON.
        error: String,
    },
}

/// Joins the parts of a document, given as keys and JSON in any order, into its JSON: the same values, with their keys
/// in the same order. Parts that the document does not have are ignored.
///
/// # Errors
/// [`JoinError`] if a part is missing or invalid.
pub fn join<'a>(parts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<String, JoinError> {
    let parts: HashMap<&str, &str> = parts.into_iter().collect();
    let mut out = String::with_capacity(parts.values().map(|json| json.len() + 64).sum());
    let root = part(&parts, "")?;
    if root.starts_with('{') {
        join_branch(&parts, Container::Document, "", &mut out)?;
    } else {
        out.push_str(root);
    }
    Ok(out)
}

fn join_branch(
    parts: &HashMap<&str, &str>,
    container: Container,
    pointer: &str,
    out: &mut String,
) -> Result<(), JoinError> {
    let branch = Branch::read(pointer, part(parts, pointer)?)?;
    out.push('{');
    for (index, key) in branch.order.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&Node::text(key).to_json());
        out.push(':');
        match (branch.own.get(key), container.below(key)) {
            (Some(own), _) => out.push_str(own.get()),
            (None, Some(Below::Branch(container))) => join_branch(parts, container, &below(pointer, key), out)?,
            (None, _) => out.push_str(part(parts, &below(pointer, key))?),
        }
    }
    out.push('}');
    Ok(())
}

fn part<'a>(parts: &HashMap<&str, &'a str>, pointer: &str) -> Result<&'a str, JoinError> {
    let key = stored_key(pointer);
    parts.get(key.as_str()).copied().ok_or(JoinError::Missing { key })
}
