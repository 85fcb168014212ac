//! Entries of changelogs. They are stored with the versions, because comparing two versions takes long.
use chrono::{DateTime, Utc};
use openapi::diff::{Changelog, ChangelogLimits, one_line};
use openapi::wording::cut;
use serde::{Deserialize, Serialize};

/// The most versions that a changelog lists.
pub const MAX_CHANGELOG: usize = 10;
/// The longest version of an API that is stored, in characters.
const MAX_VERSION: usize = 100;

/// The entry of a version in a changelog.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangelogEntry {
    /// The version of the API that the document states, on one line; empty if it states none.
    pub version: String,
    /// The changes that readers may see, compared with the version before; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changelog>,
}

/// A version in a changelog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangelogVersion {
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// Its entry; absent if none is stored.
    pub entry: Option<ChangelogEntry>,
}

impl ChangelogEntry {
    /// The limits of the stored changes of a version.
    pub const LIMITS: ChangelogLimits = ChangelogLimits { changes: 50, words: false, length: 500 };

    /// The entry of a version whose document states this version of the API.
    pub fn new(version: &str, changes: Option<Changelog>) -> Self {
        Self { version: one_line(&cut(version.trim(), MAX_VERSION)), changes }
    }
}
