//! The differences of settings between two states of an object.
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// An object whose changes of settings are logged.
pub trait Audited {
    /// The settings by their names in the API. `null` is a setting without a value. Long texts are left out: the log
    /// records who changed what, and is not a second copy of the data.
    fn settings(&self) -> Vec<(&'static str, Value)>;
}

/// The changed settings, each with its value before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Differences(BTreeMap<String, Shift>);

/// The value of a setting before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Shift {
    before: Value,
    after: Value,
}

impl Differences {
    /// The differences between two states of an object.
    pub fn between<T: Audited>(before: &T, after: &T) -> Self {
        let both = before.settings().into_iter().zip(after.settings());
        let changed = both.filter(|(before, after)| before.1 != after.1);
        Self(changed.map(|((name, before), (_, after))| (name.to_owned(), Shift { before, after })).collect())
    }

    /// The differences between two states of a value, field by field of its JSON form.
    pub(crate) fn of_fields(before: &impl Serialize, after: &impl Serialize) -> Self {
        let fields = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let (before, after) = (serde_json::to_value(before), serde_json::to_value(after));
        let (Ok(before), Ok(after)) = (before, after) else { return Self::default() };
        let before = fields(&before);
        let changed = fields(&after).into_iter().filter_map(|(name, after)| {
            let before = before.get(&name).cloned().unwrap_or(Value::Null);
            (before != after).then_some((name, Shift { before, after }))
        });
        Self(changed.collect())
    }

    /// One changed setting.
    pub fn of(name: &str, before: Value, after: Value) -> Self {
        Self(BTreeMap::from([(name.to_owned(), Shift { before, after })]))
    }

    /// Whether no logged setting changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct Lamp(bool, Option<&'static str>);
    impl Audited for Lamp {
        fn settings(&self) -> Vec<(&'static str, Value)> {
            vec![("on", json!(self.0)), ("colour", json!(self.1))]
        }
    }

    #[test]
    fn changed_settings_have_both_values_and_others_are_left_out() {
        let changes = Differences::between(&Lamp(true, None), &Lamp(true, Some("red")));
        assert_eq!(serde_json::to_value(&changes).unwrap(), json!({ "colour": { "before": null, "after": "red" } }));
        assert!(Differences::between(&Lamp(true, None), &Lamp(true, None)).is_empty());
    }
}
