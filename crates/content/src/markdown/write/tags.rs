//! Block tags with their attributes.
use crate::markdown::elements::name_of;
use serde::Serialize;

/// The written attributes of a tag.
#[derive(Default)]
pub(super) struct Attributes(String);

impl Attributes {
    /// Adds a text.
    pub(super) fn text(mut self, name: &str, value: Option<&str>) -> Self {
        if let Some(value) = value {
            self.0.push_str(&format!(" {name}=\"{}\"", escape(value)));
        }
        self
    }

    /// Adds a word of the API.
    pub(super) fn word<T: Serialize>(self, name: &str, value: Option<&T>) -> Self {
        self.text(name, value.map(name_of).as_deref())
    }

    /// Adds a boolean.
    pub(super) fn flag(self, name: &str, value: Option<bool>) -> Self {
        self.text(name, value.map(|value| if value { "true" } else { "false" }))
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tag of this name with these attributes.
    pub(super) fn tag(&self, name: &str) -> String {
        format!("{{% {name}{} %}}", self.0)
    }
}

/// A value between double quotes. A tag is in one line and contains no other tag.
pub(super) fn escape(value: &str) -> String {
    let line = value.replace(['\n', '\r'], " ").replace("{%", "{ %");
    let chars: Vec<char> = line.chars().collect();
    let mut out = String::with_capacity(line.len());
    for (at, each) in chars.iter().enumerate() {
        match each {
            '"' => out.push_str("\\\""),
            '\\' if chars.get(at + 1).is_none_or(|next| matches!(next, '"' | '\\')) => out.push_str("\\\\"),
            each => out.push(*each),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::tags::Tag;
    use rstest::rstest;

    #[rstest]
    #[case("plain")]
    #[case(r#"a "quoted" 'word'"#)]
    #[case(r"C:\dir\\x\")]
    #[case(r#"\""#)]
    #[case("100 %} of")]
    #[case("")]
    fn a_value_is_read_as_it_was_written(#[case] value: &str) {
        let tag = Attributes::default().text("a", Some(value)).flag("b", Some(true)).tag("hint");
        let read = Tag::lex(&tag).filter(|read| read.source == tag).and_then(|read| read.attributes());
        assert_eq!(read.and_then(|mut read| read.take("a")).as_deref(), Some(value), "{tag}");
    }
}
