//! The layout files of a repository, kept for the export.
use super::config::Config;
use super::encoding::decode;
use super::syntaxes::Syntaxes;
use crate::object::{Hash, Objects, Read, Scratch, read_json};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name under which [`Repository::raw`] has the table of contents.
pub(crate) const SUMMARY: &str = "summary";

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
    /// The bytes of those files that are not in UTF-8, in Base64: by their names, and the table of contents as
    /// `summary`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub raw: BTreeMap<String, String>,
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

    /// Keeps the bytes of a file if its text does not have them. Returns the text.
    pub(super) fn keep(&mut self, name: &str, bytes: &[u8]) -> String {
        if std::str::from_utf8(bytes).is_err() {
            self.raw.insert(name.to_owned(), BASE64_STANDARD.encode(bytes));
        }
        decode(bytes).0.into_owned()
    }

    /// The bytes of a file whose text is to be written: those that it came with, while the text is the same.
    pub(crate) fn bytes(&self, name: &str, text: String) -> Bytes {
        let kept = self.raw.get(name).and_then(|raw| BASE64_STANDARD.decode(raw).ok());
        kept.filter(|kept| decode(kept).0 == text).map_or_else(|| text.into(), Bytes::from)
    }
}
