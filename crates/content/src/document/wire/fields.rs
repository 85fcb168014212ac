//! Reading the fields of a JSON object.
use super::path::{Path, WireError};
use crate::document::Points;
use crate::reference::ContentRef;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::cell::RefCell;

/// The fields of an object. It knows which of them were asked for, so that others can be refused.
pub(super) struct Fields<'v, 'p> {
    map: Option<&'v Map<String, Value>>,
    path: &'p Path<'p>,
    asked: RefCell<Vec<&'static str>>,
}

impl<'v, 'p> Fields<'v, 'p> {
    /// The fields of the object at `path`; where there is none, no fields.
    pub(super) fn of(value: Option<&'v Value>, path: &'p Path<'p>) -> Result<Self, WireError> {
        let map = match value {
            None | Some(Value::Null) => None,
            Some(Value::Object(map)) => Some(map),
            Some(_) => return Err(path.refuse("must be an object")),
        };
        Ok(Self { map, path, asked: RefCell::default() })
    }

    /// The fields of an object whose `object` says what it is.
    pub(super) fn of_object(value: &'v Value, name: &str, path: &'p Path<'p>) -> Result<Self, WireError> {
        let fields = Self::of(Some(value), path)?;
        fields.is_object(name)?;
        Ok(fields)
    }

    /// Checks that `object` says that this is one.
    pub(super) fn is_object(&self, name: &str) -> Result<(), WireError> {
        match self.value("object").and_then(Value::as_str) {
            Some(object) if object == name => Ok(()),
            _ => Err(self.path.key("object").refuse(format!("must be \"{name}\""))),
        }
    }

    /// A field, unless it is absent or null.
    pub(super) fn value(&self, name: &'static str) -> Option<&'v Value> {
        self.asked.borrow_mut().push(name);
        self.map?.get(name).filter(|value| !value.is_null())
    }

    /// A field that may be absent.
    pub(super) fn get<T: DeserializeOwned>(&self, name: &'static str) -> Result<Option<T>, WireError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        parse(value, &self.path.key(name)).map(Some)
    }

    /// A field that must be there.
    pub(super) fn need<T: DeserializeOwned>(&self, name: &'static str) -> Result<T, WireError> {
        self.get(name)?.ok_or_else(|| self.path.key(name).refuse("is required"))
    }

    /// A list that may be absent.
    pub(super) fn list(&self, name: &'static str) -> Result<&'v [Value], WireError> {
        match self.value(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(self.path.key(name).refuse("must be an array")),
        }
    }

    /// A list that must be there.
    pub(super) fn need_list(&self, name: &'static str) -> Result<&'v [Value], WireError> {
        let list = self.list(name)?;
        match self.map.and_then(|map| map.get(name)) {
            Some(Value::Array(_)) => Ok(list),
            _ => Err(self.path.key(name).refuse("is required")),
        }
    }

    /// An object of any fields that must be there.
    pub(super) fn need_map(&self, name: &'static str) -> Result<&'v Map<String, Value>, WireError> {
        match self.value(name) {
            Some(Value::Object(map)) => Ok(map),
            Some(_) => Err(self.path.key(name).refuse("must be an object")),
            None => Err(self.path.key(name).refuse("is required")),
        }
    }

    /// A reference that may be absent, but else must be one of these.
    pub(super) fn reference(&self, name: &'static str, points: Points) -> Result<Option<ContentRef>, WireError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        reference(value, points, &self.path.key(name)).map(Some)
    }

    /// A reference that must be there and be one of these.
    pub(super) fn need_reference(&self, name: &'static str, points: Points) -> Result<ContentRef, WireError> {
        self.reference(name, points)?.ok_or_else(|| self.path.key(name).refuse("is required"))
    }

    /// The query of an address, if there is one.
    pub(super) fn query(&self, name: &'static str) -> Result<Option<String>, WireError> {
        let query: Option<String> = self.get(name)?;
        if query.as_ref().is_some_and(|query| query.contains(|c: char| c == '#' || c.is_control())) {
            return Err(self.refuse(name, "must not contain # or control characters"));
        }
        Ok(query)
    }

    /// The error that a field breaks this rule.
    pub(super) fn refuse(&self, name: &'static str, rule: &str) -> WireError {
        self.path.key(name).refuse(rule)
    }

    /// Refuses fields that were not asked for.
    pub(super) fn nothing_else(&self) -> Result<(), WireError> {
        let asked = self.asked.borrow();
        let unknown =
            self.map.into_iter().flatten().find(|(name, value)| !value.is_null() && !asked.contains(&name.as_str()));
        match unknown {
            Some((name, _)) => Err(self.path.key(name).refuse("is not a field that may stand here")),
            None => Ok(()),
        }
    }
}

/// A value of a type, with serde's words for what is wrong.
pub(super) fn parse<T: DeserializeOwned>(value: &Value, path: &Path<'_>) -> Result<T, WireError> {
    T::deserialize(value).map_err(|error| path.refuse(error.to_string()))
}

/// A reference that must be one of these.
pub(super) fn reference(value: &Value, points: Points, path: &Path<'_>) -> Result<ContentRef, WireError> {
    let target = parse(value, path)?;
    if points.allows(&target) {
        Ok(target)
    } else {
        Err(path.refuse(format!("must be a reference to {}", points.words())))
    }
}
