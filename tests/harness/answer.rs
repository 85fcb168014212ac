//! Responses, and the values in them.
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use serde_json::Value;

/// The response of the server.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The bytes of the body.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// The body of a response that must have this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        let body = String::from_utf8_lossy(&self.bytes).into_owned();
        assert_eq!(self.status.as_u16(), status, "{body}");
        if body.is_empty() { Value::Null } else { serde_json::from_str(&body).expect("JSON") }
    }

    /// The body of a response that must be 200.
    #[track_caller]
    pub fn ok(self) -> Value {
        self.expect(200)
    }

    /// The id of the object that the request created; the status must be 201.
    #[track_caller]
    pub fn id(self) -> String {
        self.expect(201).id().to_owned()
    }

    /// The message of an error that must have this status and the API's error body.
    #[track_caller]
    pub fn error(self, status: u16) -> String {
        let kind = self.header("content-type").unwrap_or_default().to_owned();
        let body = self.expect(status);
        assert!(kind.starts_with("application/json"), "{kind}");
        assert_eq!(body["error"]["code"], status, "{body}");
        body["error"]["message"].as_str().expect("a message").to_owned()
    }

    /// Checks that the response has these headers.
    #[track_caller]
    pub fn assert_headers(&self, expected: &[(&str, &str)]) {
        for (name, value) in expected {
            assert_eq!(self.header(name), Some(*value), "{name}");
        }
    }

    /// The value of a header; the first one, if it has several.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// All values of a header, in their order.
    pub fn header_values(&self, name: &str) -> Vec<&str> {
        self.headers.get_all(name).filter_map(|value| value.to_str().ok()).collect()
    }
}

/// Access to the fields of a JSON object that must be there.
pub trait Fields {
    /// The field `id`.
    fn id(&self) -> &str;

    /// A field with a text.
    fn text(&self, field: &str) -> &str;

    /// A field with a list.
    fn list(&self, field: &str) -> &[Value];
}

impl Fields for Value {
    #[track_caller]
    fn id(&self) -> &str {
        self.text("id")
    }

    #[track_caller]
    fn text(&self, field: &str) -> &str {
        self[field].as_str().unwrap_or_else(|| panic!("{field} is not a text: {self}"))
    }

    #[track_caller]
    fn list(&self, field: &str) -> &[Value] {
        self[field].as_array().unwrap_or_else(|| panic!("{field} is not a list: {self}"))
    }
}
