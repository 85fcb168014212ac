//! The stored form, which has a version.
use super::Customization;
use super::overrides::{Keys, Overrides, keys};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version that is written. A change of the form that a reader cannot see by its keys needs another one.
const VERSION: u32 = 1;

/// A customization or overrides as they are stored. Reading never fails: keys that an older version did not have are
/// left out, and so are values that are no longer valid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredForm {
    version: u32,
    values: Keys,
}

impl From<&Customization> for StoredForm {
    fn from(customization: &Customization) -> Self {
        Self { version: VERSION, values: keys(customization) }
    }
}

impl From<&Overrides> for StoredForm {
    fn from(overrides: &Overrides) -> Self {
        Self { version: VERSION, values: overrides.keys().clone() }
    }
}

impl From<StoredForm> for Customization {
    fn from(stored: StoredForm) -> Self {
        let whole = serde_json::from_value(Value::Object(stored.values.clone()));
        whole.unwrap_or_else(|_| Overrides::from(stored).on(&Self::default()))
    }
}

impl From<StoredForm> for Overrides {
    fn from(stored: StoredForm) -> Self {
        Self::stored(stored.values)
    }
}
