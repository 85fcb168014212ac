//! Reading the fields of a JSON object.
use super::path::{Path, WireError};
use super::read_reference::reference;
use crate::document::AllowedTargets;
use crate::reference::ContentRef;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::cell::RefCell;
use values::json::serde_error;
use values::text::Invalid;

/// The fields of an object. It records which of them were read, so that others can be rejected.
pub(super) struct Fields<'v, 'p> {
    map: Option<&'v Map<String, Value>>,
    path: &'p Path<'p>,
    read: RefCell<Vec<&'static str>>,
}

impl<'v, 'p> Fields<'v, 'p> {
    /// The fields of the object at `path`; no fields if the object is absent.
    pub(super) fn of(value: Option<&'v Value>, path: &'p Path<'p>) -> Result<Self, WireError> {
        let map = match value {
            None | Some(Value::Null) => None,
            Some(Value::Object(map)) => Some(map),
            Some(_) => return Err(path.refuse("must be an object")),
        };
        Ok(Self { map, path, read: RefCell::default() })
    }

    /// The fields of an object with this name in its field `object`.
    pub(super) fn of_object(value: &'v Value, name: &str, path: &'p Path<'p>) -> Result<Self, WireError> {
        let fields = Self::of(Some(value), path)?;
        fields.is_object(name)?;
        Ok(fields)
    }

    /// Checks the field `object`.
    pub(super) fn is_object(&self, name: &str) -> Result<(), WireError> {
        match self.value("object").and_then(Value::as_str) {
            Some(object) if object == name => Ok(()),
            _ => Err(self.path.key("object").refuse(format!("must be \"{name}\""))),
        }
    }

    /// A field, unless it is absent or null.
    pub(super) fn value(&self, name: &'static str) -> Option<&'v Value> {
        self.read.borrow_mut().push(name);
        self.map?.get(name).filter(|value| !value.is_null())
    }

    /// An optional field.
    pub(super) fn get<T: DeserializeOwned>(&self, name: &'static str) -> Result<Option<T>, WireError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        parse(value, &self.path.key(name)).map(Some)
    }

    /// A required field.
    pub(super) fn need<T: DeserializeOwned>(&self, name: &'static str) -> Result<T, WireError> {
        self.get(name)?.ok_or_else(|| self.path.key(name).refuse("is required"))
    }

    /// An optional list.
    pub(super) fn list(&self, name: &'static str) -> Result<&'v [Value], WireError> {
        match self.value(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(self.path.key(name).refuse("must be an array")),
        }
    }

    /// A required list.
    pub(super) fn need_list(&self, name: &'static str) -> Result<&'v [Value], WireError> {
        let list = self.list(name)?;
        match self.map.and_then(|map| map.get(name)) {
            Some(Value::Array(_)) => Ok(list),
            _ => Err(self.path.key(name).refuse("is required")),
        }
    }

    /// An optional list of values of a type.
    pub(super) fn items<T: DeserializeOwned>(&self, name: &'static str) -> Result<Option<Vec<T>>, WireError> {
        if self.value(name).is_none() {
            return Ok(None);
        }
        let path = self.path.key(name);
        let items = self.list(name)?.iter().enumerate();
        items.map(|(at, item)| parse(item, &path.index(at))).collect::<Result<_, _>>().map(Some)
    }

    /// A required list of values of a type.
    pub(super) fn need_items<T: DeserializeOwned>(&self, name: &'static str) -> Result<Vec<T>, WireError> {
        self.items(name)?.ok_or_else(|| self.refuse(name, "is required"))
    }

    /// A required object with any fields.
    pub(super) fn need_map(&self, name: &'static str) -> Result<&'v Map<String, Value>, WireError> {
        match self.value(name) {
            Some(Value::Object(map)) => Ok(map),
            Some(_) => Err(self.path.key(name).refuse("must be an object")),
            None => Err(self.path.key(name).refuse("is required")),
        }
    }

    /// An optional reference with one of these targets.
    pub(super) fn reference(
        &self,
        name: &'static str,
        allowed: AllowedTargets,
    ) -> Result<Option<ContentRef>, WireError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        reference(value, allowed, &self.path.key(name)).map(Some)
    }

    /// A required reference with one of these targets.
    pub(super) fn need_reference(&self, name: &'static str, allowed: AllowedTargets) -> Result<ContentRef, WireError> {
        self.reference(name, allowed)?.ok_or_else(|| self.path.key(name).refuse("is required"))
    }

    /// An optional list of references with one of these targets.
    pub(super) fn references(&self, name: &'static str, allowed: AllowedTargets) -> Result<Vec<ContentRef>, WireError> {
        let path = self.path.key(name);
        self.list(name)?.iter().enumerate().map(|(at, item)| reference(item, allowed, &path.index(at))).collect()
    }

    /// The query of an address, if there is one.
    pub(super) fn query(&self, name: &'static str) -> Result<Option<String>, WireError> {
        let query: Option<String> = self.get(name)?;
        if query.as_ref().is_some_and(|query| query.contains(|c: char| c == '#' || c.is_control())) {
            return Err(self.refuse(name, "must not contain # or control characters"));
        }
        Ok(query)
    }

    /// The place of a field.
    pub(super) fn at(&self, name: &'static str) -> Path<'p> {
        self.path.key(name)
    }

    /// The error of a field that breaks this rule.
    pub(super) fn refuse(&self, name: &'static str, rule: &str) -> WireError {
        self.path.key(name).refuse(rule)
    }

    /// Rejects fields that were not read.
    pub(super) fn nothing_else(&self) -> Result<(), WireError> {
        let read = self.read.borrow();
        let unknown =
            self.map.into_iter().flatten().find(|(name, value)| !value.is_null() && !read.contains(&name.as_str()));
        match unknown {
            Some((name, _)) => Err(self.path.key(name).refuse("is not a field that may be here")),
            None => Ok(()),
        }
    }
}

/// A value of a type.
pub(super) fn parse<T: DeserializeOwned>(value: &Value, path: &Path<'_>) -> Result<T, WireError> {
    T::deserialize(value).map_err(|error| {
        let words = if value.is_string() { None } else { unknown_word::<T>() };
        let Invalid { field, rule } = serde_error(&path.to_string(), &words.unwrap_or_else(|| error.to_string()));
        WireError { path: field, rule }
    })
}

/// The error of serde that lists the words that a type has; `None` for types of other values. Serde lists them only for
/// strings.
fn unknown_word<T: DeserializeOwned>() -> Option<String> {
    let error = T::deserialize(&Value::String(String::new())).err()?.to_string();
    error.starts_with("unknown variant").then_some(error)
}
