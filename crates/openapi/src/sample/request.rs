//! The request that samples send.
use crate::tree::Node;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A request that is ready to be sent: only the language of the sample may encode it further.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SampleRequest {
    /// The method, a token of HTTP. Those of HTTP are in capitals.
    pub method: String,
    /// The absolute address, without user and fragment: printable ASCII.
    pub url: String,
    /// Names and values of headers, each name once without regard to case. Names are tokens, values printable ASCII.
    /// The type of the body is not among them.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<SampleBody>,
}

/// A body. Media types are printable ASCII.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum SampleBody {
    /// JSON.
    Json {
        /// Its media type.
        media_type: String,
        /// The value.
        #[serde(serialize_with = "as_json")]
        value: Node,
    },
    /// `application/x-www-form-urlencoded`.
    Form {
        /// Names and values, not encoded yet.
        fields: Vec<(String, String)>,
    },
    /// `multipart/form-data`.
    Multipart {
        /// The parts.
        parts: Vec<SamplePart>,
    },
    /// A text of any other type.
    Text {
        /// Its media type.
        media_type: String,
        /// The text.
        text: String,
    },
    /// A file of the reader.
    File {
        /// Its media type.
        media_type: String,
        /// A name for it: letters, digits and one point.
        name: String,
    },
}

/// A part of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SamplePart {
    /// The name of the field.
    pub name: String,
    /// The media type, if the part states one.
    pub media_type: Option<String>,
    /// The value.
    pub content: PartContent,
}

/// The content of a part of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value")]
pub enum PartContent {
    /// A text.
    Text(String),
    /// A file of the reader, by a name of letters, digits and one point.
    File(String),
}

impl SampleRequest {
    /// The value of `Content-Type`, if the sample must state it: every client knows that of forms.
    pub(super) fn stated_type(&self) -> Option<&str> {
        match &self.body {
            Some(
                SampleBody::Json { media_type, .. }
                | SampleBody::Text { media_type, .. }
                | SampleBody::File { media_type, .. },
            ) => Some(media_type),
            Some(SampleBody::Form { .. } | SampleBody::Multipart { .. }) | None => None,
        }
    }

    /// Whether the response is probably JSON.
    pub(super) fn accepts_json(&self) -> bool {
        self.headers.iter().any(|(name, value)| name.eq_ignore_ascii_case("accept") && value.contains("json"))
    }

    /// The headers, with `Content-Type` before them if the sample must state it.
    pub(super) fn all_headers(&self) -> Vec<(&str, &str)> {
        let stated = self.stated_type().map(|media_type| ("Content-Type", media_type));
        stated.into_iter().chain(self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))).collect()
    }
}

fn as_json<S: Serializer>(node: &Node, serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(node.to_json()).map_err(serde::ser::Error::custom)?.serialize(serializer)
}
