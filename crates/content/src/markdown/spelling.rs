//! Numbers of YAML as they are written: the version 1.10 is not the number 1.1.
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The value of a YAML source, with texts for the numbers that JSON writes in another way. `value` is the parsed
/// source; keys that it does not have are left out.
pub(crate) fn spelled(source: &str, value: &Value) -> Value {
    if !has_number(value) {
        return value.clone();
    }
    let read = serde_saphyr::with_deserializer_from_str(source, |yaml| Spelled(value).deserialize(yaml));
    read.unwrap_or_else(|_explicit_type| value.clone())
}

fn has_number(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::Array(items) => items.iter().any(has_number),
        Value::Object(map) => map.values().any(has_number),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// Reads the source of this value.
struct Spelled<'v>(&'v Value);

impl<'de> DeserializeSeed<'de> for Spelled<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.0 {
            Value::Number(number) => {
                let text = String::deserialize(deserializer)?;
                Ok(if text == number.to_string() { self.0.clone() } else { text.into() })
            }
            Value::Array(_) => deserializer.deserialize_seq(self),
            Value::Object(_) => deserializer.deserialize_map(self),
            Value::Null | Value::Bool(_) | Value::String(_) => {
                IgnoredAny::deserialize(deserializer)?;
                Ok(self.0.clone())
            }
        }
    }
}

impl<'de> Visitor<'de> for Spelled<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the value that was read before")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        for known in self.0.as_array().into_iter().flatten() {
            let item = list.next_element_seed(Spelled(known))?;
            let item = item.ok_or_else(|| A::Error::invalid_length(items.len(), &self))?;
            items.push(item);
        }
        match list.next_element::<IgnoredAny>()? {
            Some(_) => Err(A::Error::invalid_length(items.len() + 1, &self)),
            None => Ok(Value::Array(items)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            match self.0.get(&key) {
                Some(known) => {
                    let value = map.next_value_seed(Spelled(known))?;
                    entries.insert(key, value);
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Value::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case("a: 1.10", json!({"a": "1.10"}))]
    #[case("a: 1.1\nb: 7\nc: -2", json!({"a": 1.1, "b": 7, "c": -2}))]
    #[case("{a: [1.10, 0x10, {b: 007}], c: '1.10'}", json!({"a": ["1.10", "0x10", {"b": "007"}], "c": "1.10"}))]
    #[case("- 1.0\n- 1e3\n- 1_000", json!([1.0, "1e3", "1_000"]))]
    #[case("a: &a 2.50\nb: *a", json!({"a": "2.50", "b": "2.50"}))]
    #[case("a: 1.10 # the next\nb: yes\nc:\nd: [true, 1.10]", json!({"a": "1.10", "b": true, "c": null, "d": [true, "1.10"]}))]
    #[case("a: !!float 1.10", json!({"a": 1.1}))]
    fn a_number_that_json_writes_in_another_way_is_a_text(#[case] source: &str, #[case] expected: Value) {
        let value: Value = serde_saphyr::from_str(source).expect("YAML");
        assert_eq!(spelled(source, &value), expected);
    }
}
