//! What a change of settings changed.
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Something whose settings an auditor wants to see change.
pub trait Audited {
    /// The settings, by the names that the API gives them. `null` is a setting without a value. Long texts are left out:
    /// the log tells who changed what, and is no second copy of it.
    fn settings(&self) -> Vec<(&'static str, Value)>;
}

/// The settings that a change changed, each with what it was and what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Differences(BTreeMap<String, Shift>);

/// What a setting was, and what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Shift {
    before: Value,
    after: Value,
}

impl Differences {
    /// What makes one state of something the other.
    pub fn between<T: Audited>(before: &T, after: &T) -> Self {
        let both = before.settings().into_iter().zip(after.settings());
        let changed = both.filter(|(before, after)| before.1 != after.1);
        Self(changed.map(|((name, before), (_, after))| (name.to_owned(), Shift { before, after })).collect())
    }

    /// One setting that changed.
    pub fn of(name: &str, before: Value, after: Value) -> Self {
        Self(BTreeMap::from([(name.to_owned(), Shift { before, after })]))
    }

    /// Whether nothing changed that is told here.
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
    fn what_changed_is_told_with_what_it_was_and_the_rest_is_not() {
        let changes = Differences::between(&Lamp(true, None), &Lamp(true, Some("red")));
        assert_eq!(serde_json::to_value(&changes).unwrap(), json!({ "colour": { "before": null, "after": "red" } }));
        assert!(Differences::between(&Lamp(true, None), &Lamp(true, None)).is_empty());
    }
}
