//! The layout files of a repository, kept for the export.
use super::config::Config;
use super::syntaxes::Syntaxes;
use crate::object::{Hash, Objects, Read, Scratch, read_json};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The layout files of a repository, byte for byte.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// The text of `.gitbook.yaml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// The text of the table of contents; absent when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The texts of the files of settings, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// The markup of its files besides ordinary Markdown.
    #[serde(default, skip_serializing_if = "Syntaxes::is_empty")]
    pub syntaxes: Syntaxes,
}

impl Repository {
    /// Reads it.
    pub(crate) fn load(objects: &dyn Objects, hash: &Hash) -> Read<Self> {
        read_json(objects, hash)
    }

    /// Stores it unless it is empty.
    pub(crate) fn store(&self, scratch: &mut Scratch<'_>) -> Option<Hash> {
        (*self != Self::default()).then(|| scratch.put_json(self))
    }

    /// The settings. A stored file has been read before, so it is well-formed.
    pub(crate) fn config(&self) -> Config {
        self.config.as_deref().and_then(|text| Config::parse(text).ok()).unwrap_or_default()
    }
}
