//! Media types of bodies.

/// How a body of a media type is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON.
    Json,
    /// JSON values, each in a line of its own.
    JsonLines,
    /// XML.
    Xml,
    /// `application/x-www-form-urlencoded`.
    Urlencoded,
    /// Several parts: `multipart/form-data`, or another type of them.
    Multipart,
    /// Another text.
    Text,
    /// Bytes.
    File,
}

/// A media type that can be sent: printable ASCII, without wildcards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MediaType {
    /// The whole, with its parameters.
    pub(crate) text: String,
    /// The form of its bodies.
    pub(crate) form: Form,
}

impl MediaType {
    /// The media type that a key of `content` means. A range such as `image/*` becomes one of its types. `None` if it
    /// is no media type.
    pub(crate) fn of(key: &str) -> Option<Self> {
        let key = key.trim();
        let (essence, parameters) = key.split_once(';').map_or((key, ""), |(essence, rest)| (essence.trim(), rest));
        let (kind, subtype) = essence.split_once('/')?;
        let is_printable = parameters.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if !is_token(kind) || !is_token(subtype) || !is_printable {
            return None;
        }
        let concrete = match (kind, subtype) {
            ("*" | "application", "*") => Some("application/json"),
            ("text", "*") => Some("text/plain"),
            ("image", "*") => Some("image/png"),
            ("audio", "*") => Some("audio/mpeg"),
            ("video", "*") => Some("video/mp4"),
            ("multipart", "*") => Some("multipart/form-data"),
            (_, "*") => Some("application/octet-stream"),
            _ => None,
        };
        let text = concrete.unwrap_or(key).to_owned();
        let form = form(&concrete.unwrap_or(essence).to_ascii_lowercase());
        Some(Self { text, form })
    }

    /// A name for a file of this type.
    pub(crate) fn file_name(&self) -> String {
        let essence = self.text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let ending = match essence.as_str() {
            "application/pdf" => "pdf",
            "application/zip" => "zip",
            "application/gzip" => "gz",
            "application/json" => "json",
            "application/xml" | "text/xml" => "xml",
            "text/csv" => "csv",
            "text/html" => "html",
            "text/plain" => "txt",
            "image/png" => "png",
            "image/jpeg" => "jpg",
            "image/gif" => "gif",
            "image/webp" => "webp",
            "image/svg+xml" => "svg",
            "audio/mpeg" => "mp3",
            "video/mp4" => "mp4",
            _ => "bin",
        };
        format!("file.{ending}")
    }
}

fn form(essence: &str) -> Form {
    match essence {
        "application/x-www-form-urlencoded" => Form::Urlencoded,
        "application/x-ndjson"
        | "application/ndjson"
        | "application/jsonl"
        | "application/x-jsonlines"
        | "application/json-lines"
        | "application/jsonlines"
        | "application/stream+json" => Form::JsonLines,
        "application/xml" | "text/xml" => Form::Xml,
        "application/json" | "text/json" | "application/x-json" => Form::Json,
        "application/yaml"
        | "application/x-yaml"
        | "application/toml"
        | "application/graphql"
        | "application/sql"
        | "application/javascript"
        | "application/ecmascript"
        | "application/jwt"
        | "application/jose"
        | "application/x-sh"
        | "application/rtf"
        | "message/rfc822" => Form::Text,
        "image/svg+xml" => Form::File,
        _ if essence.starts_with("multipart/") => Form::Multipart,
        _ if essence.ends_with("+json") => Form::Json,
        _ if essence.ends_with("+xml") => Form::Xml,
        _ if essence.ends_with("+yaml") || essence.starts_with("text/") => Form::Text,
        _ => Form::File,
    }
}

/// Whether a text is a token of HTTP (RFC 9110, section 5.6.2).
pub(crate) fn is_token(text: &str) -> bool {
    let is_mark = |byte: u8| b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || is_mark(byte))
}
