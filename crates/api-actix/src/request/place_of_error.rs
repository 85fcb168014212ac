//! The place of an error in a body, where serde has lost it.
//!
//! Serde reads a variant of an enum with a tag, and the fields of a flattened struct, from a copy that has no paths. So
//! the path of an error in them ends at the object that holds them.
use super::strict::Strict;
use super::tracked::{Failed, tracked};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};
use std::fmt::Write as _;

/// The messages of serde about one value.
const OF_SERDE: [&str; 5] = ["invalid type", "invalid value", "unknown variant", "missing field", "duplicate field"];

/// The most values that are left out, one at a time, and the largest body, in bytes: each try reads it again.
const MAX_TRIES: usize = 32;
const MAX_SEARCHED: usize = 8 * 1024;

/// The path of the value with an error, if it is below `path` and can be found. `text` is serde's message.
pub(super) fn place_of_error<T: DeserializeOwned>(bytes: &[u8], path: &Path, text: &str) -> Option<String> {
    // A rule of this program can be about several values.
    let is_of_serde = OF_SERDE.iter().any(|start| text.starts_with(start));
    if bytes.len() > MAX_SEARCHED || !is_of_serde {
        return None;
    }
    let body: Value = serde_json::from_slice(bytes).ok()?;
    let (mut steps, mut place) = (Vec::new(), &body);
    for segment in path {
        let step = match segment {
            Segment::Seq { index } => Step::Item(*index),
            Segment::Map { key } => Step::Field(key.clone()),
            Segment::Enum { .. } | Segment::Unknown => return None,
        };
        place = step.of(place)?;
        steps.push(step);
    }
    let failure = Failure::of::<T>(&body).filter(|failure| failure.text == text)?;
    let mut search = Search { body: &body, failure, tries: MAX_TRIES };
    search.below::<T>(place, &mut steps).then(|| shown(&steps))
}

/// A step from a value to one inside it.
#[derive(Clone)]
enum Step {
    Field(String),
    Item(usize),
}

impl Step {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Field(name) => value.get(name),
            Self::Item(at) => value.get(at),
        }
    }

    fn all(value: &Value) -> Vec<(Self, &Value)> {
        match value {
            Value::Object(fields) => fields.iter().map(|(name, value)| (Self::Field(name.clone()), value)).collect(),
            Value::Array(items) => items.iter().enumerate().map(|(at, value)| (Self::Item(at), value)).collect(),
            _ => Vec::new(),
        }
    }
}

/// The path as in other errors, such as `changes[0].title`.
fn shown(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        let dot = if path.is_empty() { "" } else { "." };
        // Writing into a string cannot fail.
        let _ = match step {
            Step::Field(name) => write!(path, "{dot}{name}"),
            Step::Item(at) => write!(path, "[{at}]"),
        };
    }
    path
}

/// The body without one of its values.
fn without(body: &Value, steps: &[Step]) -> Option<Value> {
    let mut body = body.clone();
    let (last, above) = steps.split_last()?;
    let mut place = &mut body;
    for step in above {
        place = match step {
            Step::Field(name) => place.get_mut(name)?,
            Step::Item(at) => place.get_mut(at)?,
        };
    }
    match (last, place) {
        (Step::Field(name), Value::Object(fields)) => drop(fields.remove(name)?),
        (Step::Item(at), Value::Array(items)) if *at < items.len() => drop(items.remove(*at)),
        _ => return None,
    }
    Some(body)
}

/// The first error of a body.
#[derive(PartialEq)]
struct Failure {
    path: String,
    text: String,
}

impl Failure {
    fn of<T: DeserializeOwned>(body: &Value) -> Option<Self> {
        let Failed { path, text } = tracked::<T>(Strict(body)).err()?;
        Some(Self { path: path.to_string(), text })
    }

    /// Whether the message is about this value.
    fn is_about(&self, value: &Value) -> bool {
        let described = match value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => format!("boolean `{value}`"),
            Value::Number(number) if number.is_f64() => format!("floating point `{number}`"),
            Value::Number(number) => format!("integer `{number}`"),
            Value::String(text) => format!("string {text:?}"),
            Value::Array(_) => "sequence".to_owned(),
            Value::Object(_) => "map".to_owned(),
        };
        let about = ["invalid type: ", "invalid value: "].iter().find_map(|start| self.text.strip_prefix(start));
        about.is_some_and(|about| about.starts_with(&described))
    }
}

struct Search<'b> {
    body: &'b Value,
    failure: Failure,
    tries: usize,
}

impl Search<'_> {
    /// Extends `steps` to the place of the error, if it is found below this value. A value is the place, or contains
    /// it, if the body without the value has another error, or none. A value that is required cannot be left out: it is
    /// the place if the message is about it, and may contain the place otherwise.
    fn below<T: DeserializeOwned>(&mut self, value: &Value, steps: &mut Vec<Step>) -> bool {
        let mut required = Vec::new();
        for (step, value) in Step::all(value) {
            if self.tries == 0 {
                return false;
            }
            self.tries -= 1;
            steps.push(step.clone());
            let rest = without(self.body, steps).and_then(|rest| Failure::of::<T>(&rest));
            let is_required = rest.as_ref().is_some_and(|rest| self.is_missed(&step, rest, steps));
            if is_required && !self.failure.is_about(value) {
                required.push((step, value));
            } else if rest.as_ref() != Some(&self.failure) {
                self.below::<T>(value, steps);
                return true;
            }
            steps.pop();
        }
        required.into_iter().any(|(step, value)| {
            steps.push(step);
            let found = self.below::<T>(value, steps);
            if !found {
                steps.pop();
            }
            found
        })
    }

    /// Whether the error of the body without a value is that the value is missing.
    fn is_missed(&self, step: &Step, rest: &Failure, steps: &[Step]) -> bool {
        let named = matches!(step, Step::Field(name) if rest.text == format!("missing field `{name}`"));
        // Or the value that contained it is no longer valid.
        named || rest.path != self.failure.path && shown(steps).starts_with(&rest.path)
    }
}

#[cfg(test)]
mod tests {
    use super::MAX_SEARCHED;
    use crate::request::read_json;
    use rstest::rstest;
    use serde::{Deserialize, Deserializer};

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "read for its errors")]
    struct Sent {
        edits: Vec<Edit>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(tag = "operation", rename_all = "lowercase")]
    #[expect(dead_code, reason = "read for its errors")]
    enum Edit {
        Update {
            page: String,
            #[serde(flatten)]
            fields: Fields,
            text: Text,
        },
        Files {
            files: Vec<File>,
        },
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "read for its errors")]
    struct Fields {
        #[serde(default, deserialize_with = "given")]
        title: Option<String>,
        at: Option<u64>,
    }

    fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
        String::deserialize(deserializer).map(Some)
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "read for its errors")]
    struct Text {
        markdown: Option<String>,
        blocks: Option<Vec<String>>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "read for its errors")]
    struct File {
        name: String,
        size: Option<u64>,
    }

    fn update(fields: &str) -> String {
        format!(r#"{{"operation":"update",{fields}}}"#)
    }

    #[rstest]
    #[case::of_a_variant(&update(r#""page":7,"text":{}"#), "page: must be a string")]
    #[case::that_is_required_and_null(&update(r#""page":"a","text":null"#), "text: must be an object")]
    #[case::that_is_shared(&update(r#""page":"a","text":{},"title":null"#), "title: must be a string")]
    #[case::below_zero(&update(r#""text":{},"at":-1,"page":"a""#), "at: must be a whole number")]
    #[case::deep(&update(r#""page":"a","text":{"markdown":"a","blocks":["a",false]}"#), "text.blocks[1]: must be")]
    #[case::that_is_missing(&update(r#""page":"a""#), "text: is required")]
    #[case::in_a_list(
        r#"{"operation":"files","files":[{"name":"a"},{"name":"b","size":"large"}]}"#,
        "files[1].size: must be"
    )]
    #[case::missing_in_a_list(
        r#"{"operation":"files","files":[{"name":"a"},{"size":1}]}"#,
        "files[1].name: is required"
    )]
    #[case::of_a_wrong_list(r#"{"operation":"files","files":"a"}"#, "files: must be a list")]
    fn an_error_in_a_variant_names_the_field(#[case] edit: &str, #[case] expected: &str) {
        let valid = update(r#""page":"a","text":{"markdown":"a"},"title":"b","at":1"#);
        let body = format!(r#"{{"edits":[{valid},{edit}]}}"#);
        let message = read_json::<Sent>(body.as_bytes()).unwrap_err().to_string();
        assert!(message.starts_with(&format!("edits[1].{expected}")), "{message}");
    }

    #[rstest]
    #[case::a_large_body(&format!(r#""page":"{}","text":{{}},"at":"x""#, "a".repeat(MAX_SEARCHED)))]
    #[case::two_equal_errors(r#""page":"a","text":{"markdown":7,"blocks":[7]}"#)]
    fn where_the_field_is_not_found_the_error_names_the_object(#[case] fields: &str) {
        let body = format!(r#"{{"edits":[{}]}}"#, update(fields));
        let message = read_json::<Sent>(body.as_bytes()).unwrap_err().to_string();
        assert!(message.starts_with("edits[0]"), "{message}");
    }
}
