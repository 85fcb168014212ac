//! Rich text as it is sent.
use domain::content::batch::Body;
use domain::content::document::Document;
use domain::content::markdown::{self, Unresolved};
use domain::text::Invalid;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::described;

/// Blocks, as they are sent.
pub(crate) type JsonDocument = Value;

/// Reads blocks that stand in a field.
///
/// # Errors
/// The place that breaks a rule, by its path from `field` on.
pub(crate) fn document(field: &str, value: Value) -> Result<Document, Invalid> {
    Document::from_wire(&value).map_err(|error| {
        let path = error.path.strip_prefix("document").unwrap_or(&error.path);
        Invalid::new(format!("{field}{path}"), error.rule)
    })
}

/// The most bytes of a text that stands beside others in lists, such as a description.
const MAX_NOTE: usize = 64 * 1024;

/// Reads blocks that stand in a field beside others in lists.
///
/// # Errors
/// As for [`document`]; also when the text is too long.
pub(crate) fn note(field: &str, value: Value) -> Result<Document, Invalid> {
    short(field, document(field, value)?)
}

fn short(field: &str, text: Document) -> Result<Document, Invalid> {
    check_note(field, text.encode().len())?;
    Ok(text)
}

fn check_note(field: &str, size: usize) -> Result<(), Invalid> {
    if size > MAX_NOTE { Err(Invalid::new(field, format!("at most {MAX_NOTE} bytes, not {size}"))) } else { Ok(()) }
}

/// A text: Markdown, or blocks, or nothing. Not both.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct TextBody {
    /// As Markdown.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = Option<String>)]
    markdown: Option<String>,
    /// As blocks.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = Option<described::Document>)]
    document: Option<JsonDocument>,
}

impl TextBody {
    /// The text of the field.
    ///
    /// # Errors
    /// When it comes both ways, or its blocks break a rule.
    pub(crate) fn body(self, field: &str) -> Result<Body, Invalid> {
        match (self.markdown, self.document) {
            (Some(_), Some(_)) => Err(Invalid::new(field, "must have markdown or document, not both")),
            (Some(markdown), None) => Ok(Body::Markdown(markdown)),
            (None, Some(blocks)) => Ok(Body::Document(document(&format!("{field}.document"), blocks)?)),
            (None, None) => Ok(Body::Empty),
        }
    }

    /// The text of the field, where no page holds it: addresses in Markdown stay as they are.
    ///
    /// # Errors
    /// See [`TextBody::body`].
    pub(crate) fn loose(self, field: &str) -> Result<Option<Document>, Invalid> {
        Ok(match self.body(field)? {
            Body::Empty => None,
            Body::Document(document) => Some(short(field, document)?),
            Body::Markdown(text) => {
                check_note(field, text.len())?;
                let mut document = markdown::parse(&text, &Unresolved).document;
                document.assign_keys();
                Some(short(field, document)?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(r#"{}"#, true)]
    #[case(r#"{"markdown":"Hello"}"#, true)]
    #[case(r#"{"markdown":"Hello","document":{"object":"document","data":{},"nodes":[]}}"#, false)]
    fn a_text_comes_in_one_way(#[case] body: &str, #[case] fine: bool) {
        let body: TextBody = serde_json::from_str(body).unwrap();
        assert_eq!(body.loose("comment").is_ok(), fine);
    }

    #[test]
    fn a_note_is_short() {
        let body = |length: usize| TextBody { markdown: Some("a".repeat(length)), document: None };
        assert!(body(1000).loose("comment").is_ok());
        assert_eq!(body(MAX_NOTE).loose("comment").unwrap_err().field, "comment");
    }

    #[test]
    fn a_block_that_breaks_a_rule_is_named_from_the_field_on() {
        let value =
            serde_json::json!({ "object": "document", "data": {}, "nodes": [{ "object": "block", "type": "nope" }] });
        assert!(document("description", value).unwrap_err().field.starts_with("description.nodes[0]"));
    }
}
