//! The stored form, which has a version.
use super::overrides::{Keys, Overrides};
use serde::{Deserialize, Serialize};

/// The version that is written. A change that does not show in the keys, such as a new meaning of a word, needs a new
/// version, and a conversion of older ones.
const VERSION: u32 = 1;

/// Overrides as they are stored. Reading never fails: unknown keys and values that are no longer valid are left out.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredForm {
    version: u32,
    values: Keys,
}

impl From<Overrides> for StoredForm {
    fn from(overrides: Overrides) -> Self {
        Self { version: VERSION, values: overrides.into_keys() }
    }
}

impl From<StoredForm> for Overrides {
    fn from(stored: StoredForm) -> Self {
        Self::stored(stored.values)
    }
}
