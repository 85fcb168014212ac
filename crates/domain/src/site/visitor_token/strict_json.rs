//! JSON objects without ambiguity. JSON parsers disagree on which of two members with the same name wins, so an object
//! with duplicates is refused.
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Map, Number, Value};
use std::cell::Cell;
use std::fmt;

/// Why a text is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonFault {
    /// Not a JSON object, or one that is nested more than 127 deep.
    NotAnObject,
    /// A member of an object is repeated, at any depth.
    Repeated,
}

/// Reads a JSON object.
pub(super) fn object(json: &[u8]) -> Result<Map<String, Value>, JsonFault> {
    let repeated = Cell::new(false);
    let mut reader = Deserializer::from_slice(json);
    let read = Strict(&repeated).deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    match read {
        _ if repeated.get() => Err(JsonFault::Repeated),
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(JsonFault::NotAnObject),
    }
}

/// Reads a value, and notes a repeated member.
#[derive(Clone, Copy)]
struct Strict<'a>(&'a Cell<bool>);

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if object.contains_key(&name) {
                self.0.set(true);
                return Err(A::Error::custom("a member is repeated"));
            }
            object.insert(name, members.next_value_seed(self)?);
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case(r#"{"a":1,"a":1}"#)]
    #[case(r#"{"a":1,"b":2,"a":null}"#)]
    #[case(r#"{"a":{"b":1,"b":2}}"#)]
    #[case(r#"{"a":[[{"b":1,"b":2}]]}"#)]
    #[case(r#"{"exp":1,"\u0065xp":2}"#)]
    #[case(r#"{"":1,"":2}"#)]
    #[case(r#"{"a":1,"a":"#)]
    fn a_repeated_member_is_refused_at_every_level(#[case] json: &str) {
        assert_eq!(object(json.as_bytes()), Err(JsonFault::Repeated));
    }

    #[rstest]
    #[case(b"")]
    #[case(b"[]")]
    #[case(b"null")]
    #[case(b"{} x")]
    #[case(b"{}{}")]
    #[case(b"{'a':1}")]
    #[case(b"{\"a\":1,}")]
    #[case(b"{\"a\":NaN}")]
    #[case(b"{\"a\":1e400}")]
    #[case(b"{\"a\":\"\\ud800\"}")]
    #[case(b"{\"a\":\"\xff\"}")]
    #[case(b"\xef\xbb\xbf{}")]
    fn what_is_no_object_is_refused(#[case] json: &[u8]) {
        assert_eq!(object(json), Err(JsonFault::NotAnObject));
    }

    #[test]
    fn deep_nesting_is_refused_before_it_overflows_the_stack() {
        for open in ["[", "{\"a\":"] {
            assert_eq!(object(open.repeat(100_000).as_bytes()), Err(JsonFault::NotAnObject));
        }
    }

    #[test]
    fn siblings_may_have_members_of_the_same_name() {
        let json = json!({"a": {"c": 1}, "b": [{"c": 1}, {"c": -2.5}], "c": [true, null, "é"]});
        assert_eq!(object(json.to_string().as_bytes()), Ok(json.as_object().unwrap().clone()));
    }

    proptest! {
        #[test]
        fn every_object_that_a_lenient_reader_reads_is_read_alike_or_refused(json in r#"\{("[ab]":(1|"x"|\{"a":2\}|\[\]),){0,3}"[ab]":-3\}"#) {
            let lenient: Map<String, Value> = serde_json::from_str(&json).unwrap();
            match object(json.as_bytes()) {
                Ok(strict) => prop_assert_eq!(strict, lenient),
                Err(fault) => prop_assert_eq!(fault, JsonFault::Repeated),
            }
        }
    }
}
