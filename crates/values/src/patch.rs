//! Changes to fields: a request can leave out a field, and an optional one can also be cleared.

/// The effect of a request on a field: keep it, clear it, or set it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field was not sent: keep its value.
    #[default]
    Keep,
    /// The field was sent as `null`: remove its value.
    Clear,
    /// The field was sent with a value.
    Set(T),
}

impl<T> Patch<T> {
    /// Applies the change to an optional field.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }

    /// Converts the value; returns the error of `f`.
    pub fn try_map<U, E>(self, f: impl FnOnce(T) -> Result<U, E>) -> Result<Patch<U>, E> {
        Ok(match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(value) => Patch::Set(f(value)?),
        })
    }
}

/// With `#[serde(default)]` on the field: absent is [`Patch::Keep`], `null` is [`Patch::Clear`].
impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Patch<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Clear, Self::Set))
    }
}

/// Sets a field to a value, if there is one. For a field that cannot be cleared.
pub fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

/// Applies a change to a value. Returns the value before; `None` if the change had no effect.
pub fn changed<T: Clone + PartialEq>(value: &mut T, change: impl FnOnce(&mut T)) -> Option<T> {
    let before = value.clone();
    change(value);
    (*value != before).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[derive(serde::Deserialize)]
    struct Body {
        #[serde(default)]
        field: Patch<u8>,
    }

    #[rstest]
    #[case("{}", Some(1))]
    #[case(r#"{"field":null}"#, None)]
    #[case(r#"{"field":2}"#, Some(2))]
    fn absent_null_and_value_are_three_things(#[case] body: &str, #[case] after: Option<u8>) {
        let mut field = Some(1);
        serde_json::from_str::<Body>(body).unwrap().field.apply(&mut field);
        assert_eq!(field, after);
    }

    #[test]
    fn a_field_without_a_new_value_keeps_its_own() {
        let mut field = 1;
        set(&mut field, None);
        assert_eq!(field, 1);
        set(&mut field, Some(2));
        assert_eq!(field, 2);
    }

    #[test]
    fn a_change_without_effect_has_no_value_before() {
        let mut value = 1;
        assert_eq!(changed(&mut value, |value| *value = 1), None);
        assert_eq!((changed(&mut value, |value| *value = 2), value), (Some(1), 2));
    }
}
