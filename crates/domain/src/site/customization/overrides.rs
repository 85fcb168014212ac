//! Overrides: the values of a site that differ from the defaults, and those of a site space that differ from its site.
//!
//! They are merged like a JSON merge patch (RFC 7396), with one difference: an object that is a value, such as a link
//! or an icon, is replaced as a whole. An object is merged key by key if its keys are fixed: the default customization
//! contains it, and it is not empty there.
use super::Customization;
use super::stored::StoredForm;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The keys of an object, with their values.
pub(super) type Keys = Map<String, Value>;

/// The default customization.
static DEFAULTS: LazyLock<Keys> = LazyLock::new(|| keys(&Customization::default()));

fn keys(customization: &Customization) -> Keys {
    match serde_json::to_value(customization) {
        Ok(Value::Object(keys)) => keys,
        _ => unreachable!("a customization is an object of JSON"),
    }
}

/// The keys of the defaults under `key`, if objects there are merged key by key.
fn merged<'a>(defaults: &'a Keys, key: &str) -> Option<&'a Keys> {
    defaults.get(key)?.as_object().filter(|keys| !keys.is_empty())
}

/// Applies `patch` to `target`: `null` removes a key, and an object that becomes empty is removed.
fn merge(target: &mut Keys, patch: Keys, defaults: &Keys) {
    for (key, value) in patch {
        match (value, merged(defaults, &key)) {
            (Value::Null, _) => {
                target.remove(&key);
            }
            (Value::Object(patch), Some(defaults)) => {
                let mut inner = match target.remove(&key) {
                    Some(Value::Object(inner)) => inner,
                    _ => Keys::new(),
                };
                merge(&mut inner, patch, defaults);
                if !inner.is_empty() {
                    target.insert(key, Value::Object(inner));
                }
            }
            (value, _) => {
                target.insert(key, value);
            }
        }
    }
}

/// `sent` with the values as `complete` writes them, and without keys that it does not know.
fn canonical(sent: &Keys, complete: &Keys, defaults: &Keys) -> Keys {
    let mut known = Keys::new();
    for (key, value) in sent {
        let inner = (merged(defaults, key), value, complete.get(key));
        let value = match inner {
            (_, Value::Null, _) => Some(Value::Null),
            (Some(defaults), Value::Object(sent), Some(Value::Object(complete))) => {
                Some(Value::Object(canonical(sent, complete, defaults)))
            }
            (_, _, complete) => complete.cloned(),
        };
        known.extend(value.map(|value| (key.clone(), value)));
    }
    known
}

/// Every value of `keys` that is merged or replaced as a whole, each in an object of its own.
fn values(keys: &Keys, defaults: &Keys) -> Vec<Keys> {
    let single = |key: &str, value: Value| Keys::from_iter([(key.to_owned(), value)]);
    let mut found = Vec::new();
    for (key, value) in keys {
        match (value, merged(defaults, key)) {
            (Value::Object(keys), Some(defaults)) => {
                found.extend(values(keys, defaults).into_iter().map(|value| single(key, Value::Object(value))));
            }
            (value, _) => found.push(single(key, value.clone())),
        }
    }
    found
}

impl Customization {
    /// The keys with other values in `after`, such as `styling.theme`.
    pub fn changed_keys(&self, after: &Self) -> Vec<String> {
        fn collect(before: &Keys, after: &Keys, defaults: &Keys, path: &str, changed: &mut Vec<String>) {
            let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for key in keys {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                match (before.get(key), after.get(key), merged(defaults, key)) {
                    (Some(Value::Object(before)), Some(Value::Object(after)), Some(defaults)) => {
                        collect(before, after, defaults, &path, changed);
                    }
                    (before, after, _) if before != after => changed.push(path),
                    _ => {}
                }
            }
        }
        let mut changed = Vec::new();
        collect(&keys(self), &keys(after), &DEFAULTS, "", &mut changed);
        changed
    }
}

/// Values that override another customization: a site overrides the defaults, and a site space overrides its site. They
/// are valid on every customization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredForm", into = "StoredForm")]
pub struct Overrides(Keys);

impl Overrides {
    /// Whether nothing is overridden.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Applies a patch.
    pub fn patch(&mut self, patch: CustomizationPatch) {
        merge(&mut self.0, patch.0, &DEFAULTS);
    }

    /// A customization with these values.
    #[must_use]
    pub fn on(&self, base: &Customization) -> Customization {
        let mut effective = keys(base);
        merge(&mut effective, self.0.clone(), &DEFAULTS);
        serde_json::from_value(Value::Object(effective)).expect("overrides are valid on every customization")
    }

    /// The values in the form of the API.
    pub(super) fn into_keys(self) -> Keys {
        self.0
    }

    /// Reads stored values. Leaves out a value that is no longer valid, so that a stricter rule makes no site
    /// unreadable.
    pub(super) fn stored(keys: Keys) -> Self {
        let read = |keys: Keys| CustomizationPatch::read(keys, serde_json::from_value);
        let patches = match read(keys.clone()) {
            Ok(patch) => vec![patch],
            Err(_) => values(&keys, &DEFAULTS).into_iter().filter_map(|value| read(value).ok()).collect(),
        };
        let mut overrides = Self::default();
        patches.into_iter().for_each(|patch| overrides.patch(patch));
        overrides
    }
}

impl From<CustomizationPatch> for Overrides {
    fn from(patch: CustomizationPatch) -> Self {
        let mut overrides = Self::default();
        overrides.patch(patch);
        overrides
    }
}

/// A change of [`Overrides`]: values to set, and `null` to remove an override.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomizationPatch(Keys);

impl CustomizationPatch {
    /// Reads a patch in the form of the API. `read` reads a complete customization: the defaults with the values of the
    /// patch. Each value is valid or not by itself, so the values are valid on every customization if they are valid
    /// on the defaults.
    ///
    /// # Errors
    /// The error of `read`.
    pub fn read<E>(sent: Map<String, Value>, read: impl FnOnce(Value) -> Result<Customization, E>) -> Result<Self, E> {
        let mut set = Keys::new();
        merge(&mut set, sent.clone(), &DEFAULTS);
        let mut complete = DEFAULTS.clone();
        merge(&mut complete, set, &DEFAULTS);
        let complete = read(Value::Object(complete))?;
        Ok(Self(canonical(&sent, &keys(&complete), &DEFAULTS)))
    }
}
