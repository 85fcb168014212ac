//! Rich text in requests.
use domain::content::batch::Body;
use domain::content::document::Document;
use domain::content::href::ById;
use domain::content::markdown;
use domain::text::Invalid;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

use super::schemas;

/// Blocks in JSON.
pub(crate) type JsonDocument = Value;

/// Parses the blocks in a field.
///
/// # Errors
///
/// The location that breaks a rule, as a path that starts with `field`.
pub(crate) fn document(field: &str, value: Value) -> Result<Document, Invalid> {
    Document::from_wire(&value).map_err(|error| {
        let path = error.path.strip_prefix("document").unwrap_or(&error.path);
        Invalid::new(format!("{field}{path}"), error.rule)
    })
}

/// The maximum size of a text that is returned in lists, such as a description, in bytes: as Markdown if it is sent so,
/// and as the JSON of its blocks, which is what lists load.
const MAX_NOTE: usize = 64 * 1024;

/// Parses the blocks in a field that is returned in lists.
///
/// # Errors
///
/// As for [`document`]; also if the text is too long.
pub(crate) fn note(field: &str, value: Value) -> Result<Document, Invalid> {
    short(field, document(field, value)?)
}

fn short(field: &str, text: Document) -> Result<Document, Invalid> {
    check_note(field, "as the JSON of its blocks", text.encode().len())?;
    Ok(text)
}

fn check_note(field: &str, form: &str, size: usize) -> Result<(), Invalid> {
    if size > MAX_NOTE {
        Err(Invalid::new(field, format!("must be at most {MAX_NOTE} bytes {form}, not {size}")))
    } else {
        Ok(())
    }
}

/// A text: either Markdown or blocks. Empty if it is `{}`.
#[derive(Default, Deserialize, ToSchema)]
#[serde(from = "SentText")]
pub(crate) struct TextBody {
    /// The text as Markdown.
    #[serde(default)]
    #[schema(value_type = String)]
    markdown: Option<String>,
    /// The text as blocks.
    #[serde(default)]
    #[schema(value_type = schemas::Document)]
    document: Option<JsonDocument>,
    /// Whether it has other fields. Alone they are a mistake, such as blocks that are not in `document`: to take them
    /// for an empty text would delete the text of a page.
    #[serde(skip)]
    has_others: bool,
}

/// A text as it was sent.
#[derive(Deserialize)]
struct SentText {
    #[serde(default, deserialize_with = "super::given")]
    markdown: Option<String>,
    #[serde(default, deserialize_with = "super::given")]
    document: Option<JsonDocument>,
    #[serde(flatten)]
    others: BTreeMap<String, IgnoredAny>,
}

impl From<SentText> for TextBody {
    fn from(sent: SentText) -> Self {
        Self { markdown: sent.markdown, document: sent.document, has_others: !sent.others.is_empty() }
    }
}

impl TextBody {
    /// Converts the text of a field.
    ///
    /// # Errors
    ///
    /// If both Markdown and blocks are given, or only unknown fields, or the blocks break a rule.
    pub(crate) fn body(self, field: &str) -> Result<Body, Invalid> {
        match (self.markdown, self.document) {
            (Some(_), Some(_)) => Err(Invalid::new(field, "must have markdown or document, not both")),
            (Some(markdown), None) => Ok(Body::Markdown(markdown)),
            (None, Some(blocks)) => Ok(Body::Document(document(&format!("{field}.document"), blocks)?)),
            (None, None) if self.has_others => Err(Invalid::new(field, "must have markdown or document")),
            (None, None) => Ok(Body::Empty),
        }
    }

    /// Converts a text that is not part of a page: links in Markdown stay unchanged, except those that name their
    /// targets by id, as mentions of users do.
    ///
    /// # Errors
    ///
    /// See [`TextBody::body`].
    pub(crate) fn loose(self, field: &str) -> Result<Option<Document>, Invalid> {
        Ok(match self.body(field)? {
            Body::Empty => None,
            Body::Document(document) => Some(short(field, document)?),
            Body::Markdown(text) => {
                check_note(field, "as Markdown", text.len())?;
                // Such a text has no title, so a heading at its beginning stays.
                let mut document = (markdown::parse_text(&text, &ById).document)
                    .map_err(|error| Invalid::new(field, error.to_string()))?;
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

    fn markdown(text: &str) -> TextBody {
        TextBody { markdown: Some(text.to_owned()), ..TextBody::default() }
    }

    #[rstest]
    #[case(r#"{}"#, true)]
    #[case(r#"{"markdown":"Hello"}"#, true)]
    #[case(r#"{"markdown":"Hello","unknown":1}"#, true)]
    #[case(r#"{"unknown":1}"#, false)]
    #[case(r#"{"object":"document","data":{},"nodes":[]}"#, false)]
    #[case(r#"{"markdown":"Hello","document":{"object":"document","data":{},"nodes":[]}}"#, false)]
    fn a_text_comes_in_one_way(#[case] body: &str, #[case] fine: bool) {
        let body: TextBody = serde_json::from_str(body).unwrap();
        assert_eq!(body.loose("comment").is_ok(), fine);
    }

    #[test]
    fn a_heading_at_the_beginning_of_a_note_stays() {
        let body = markdown("# Heading\n\nText");
        assert_eq!(body.loose("comment").unwrap().unwrap().blocks.len(), 2);
    }

    #[test]
    fn a_note_is_short() {
        let body = |length: usize| markdown(&"a".repeat(length));
        assert!(body(1000).loose("comment").is_ok());
        let refused = |body: TextBody| body.loose("comment").unwrap_err().to_string();
        let rule = refused(body(MAX_NOTE + 1));
        assert_eq!(rule, "comment: must be at most 65536 bytes as Markdown, not 65537");
        let rule = refused(body(MAX_NOTE));
        assert!(rule.starts_with("comment: must be at most 65536 bytes as the JSON of its blocks, not "), "{rule}");
        let quotes = markdown(&"\"".repeat(MAX_NOTE / 2));
        assert!(refused(quotes).contains("as the JSON of its blocks"));
    }

    #[test]
    fn a_block_that_breaks_a_rule_is_named_from_the_field_on() {
        let value =
            serde_json::json!({ "object": "document", "data": {}, "nodes": [{ "object": "block", "type": "nope" }] });
        assert!(document("description", value).unwrap_err().field.starts_with("description.nodes[0]"));
    }
}
