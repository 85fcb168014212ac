//! Messages of the protocol: JSON-RPC 2.0, with the rules of its versions.
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// Versions in which each request names its version, the newest one first.
pub(super) const MODERN: [&str; 1] = ["2026-07-28"];
/// Versions with a handshake, the newest one first.
pub(super) const WITH_HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The body is not JSON.
const PARSE_ERROR: i32 = -32700;
/// The message is not valid, or not allowed here.
pub(super) const INVALID_REQUEST: i32 = -32600;
/// There is no such method.
const METHOD_NOT_FOUND: i32 = -32601;
/// The parameters are not valid.
pub(super) const INVALID_PARAMS: i32 = -32602;
/// The headers contradict the body.
const HEADER_MISMATCH: i32 = -32020;
/// The server does not speak this version.
const UNSUPPORTED_VERSION: i32 = -32022;

/// The member of the parameters with the metadata of a request.
pub(super) const META: &str = "_meta";
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The method that calls a tool. The header of its requests names the tool.
pub(super) const CALL: &str = "tools/call";

/// A message that was refused.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    code: i32,
    text: String,
    data: Option<Value>,
}

impl Refusal {
    pub(super) fn new(code: i32, text: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, code, text: text.into(), data: None }
    }

    /// There is no such method. Versions with a handshake require the status 200 for it.
    pub(super) fn method(method: &str, era: Era) -> Self {
        let status = if era == Era::Modern { StatusCode::NOT_FOUND } else { StatusCode::OK };
        Self { status, ..Self::new(METHOD_NOT_FOUND, format!("Unknown method: {method}")) }
    }

    /// The parameters of a method are not valid.
    pub(super) fn params(text: impl Into<String>) -> Self {
        Self { status: StatusCode::OK, ..Self::new(INVALID_PARAMS, text) }
    }

    fn version(requested: &str) -> Self {
        let data = json!({"supported": versions(), "requested": requested});
        Self { data: Some(data), ..Self::new(UNSUPPORTED_VERSION, "Unsupported protocol version") }
    }

    /// The refusal as a message.
    pub(super) fn message(&self, id: Option<&Value>) -> Value {
        let mut error = json!({"code": self.code, "message": self.text});
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        let mut message = json!({"jsonrpc": "2.0", "error": error});
        if let Some(id) = id {
            message["id"] = id.clone();
        }
        message
    }
}

/// All versions, the newest one first.
pub(super) fn versions() -> Vec<&'static str> {
    MODERN.into_iter().chain(WITH_HANDSHAKE).collect()
}

/// A result as a message.
pub(super) fn result(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// A received message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Incoming {
    Request(Request),
    /// A notification, or a response. The server needs neither.
    Notification,
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Map<String, Value>,
}

/// Which rules a request follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// Those of the versions with a handshake.
    Handshake,
    /// Those of the versions in which each request names its version.
    Modern,
}

/// Reads a message.
pub(super) fn read(bytes: &[u8]) -> Result<Incoming, Refusal> {
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(_syntax) => return Err(Refusal::new(PARSE_ERROR, "The body is not valid JSON.")),
    };
    let mut message = match value {
        Value::Object(message) => message,
        Value::Array(_) => return Err(Refusal::new(INVALID_REQUEST, "Send one message, not a batch.")),
        _ => return Err(Refusal::new(INVALID_REQUEST, "The message must be an object.")),
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(Refusal::new(INVALID_REQUEST, "jsonrpc: must be \"2.0\""));
    }
    let method = match message.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => return Err(Refusal::new(INVALID_REQUEST, "method: must be a string")),
        None if message.contains_key("result") || message.contains_key("error") => return Ok(Incoming::Notification),
        None => return Err(Refusal::new(INVALID_REQUEST, "method: is required")),
    };
    let params = match message.remove("params") {
        Some(Value::Object(params)) => params,
        None => Map::new(),
        Some(_) => return Err(Refusal::new(INVALID_PARAMS, "params: must be an object")),
    };
    match message.remove("id") {
        None => Ok(Incoming::Notification),
        Some(id @ (Value::String(_) | Value::Number(_))) => Ok(Incoming::Request(Request { id, method, params })),
        Some(_) => Err(Refusal::new(INVALID_REQUEST, "id: must be a string or a number")),
    }
}

/// The headers that repeat parts of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Headers {
    version: Option<String>,
    method: Option<String>,
    name: Option<String>,
}

impl Headers {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let text =
            |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(|text| text.trim().to_owned());
        Self { version: text("mcp-protocol-version"), method: text("mcp-method"), name: text("mcp-name").map(decoded) }
    }
}

/// The value of a header, which is in base64 between marks if it is not plain.
fn decoded(value: String) -> String {
    let encoded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    let bytes = encoded.and_then(|encoded| STANDARD.decode(encoded).ok());
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or(value)
}

impl Request {
    /// The rules that the request follows, or the refusal if it breaks them.
    pub(super) fn era(&self, headers: &Headers) -> Result<Era, Refusal> {
        let meta = self.params.get(META).and_then(Value::as_object);
        let named = meta.and_then(|meta| meta.get(VERSION)).and_then(Value::as_str);
        let header = headers.version.as_deref();
        match (named, header) {
            (Some(named), header) if header != Some(named) => Err(mismatch("MCP-Protocol-Version", VERSION)),
            (Some(named), _) if MODERN.contains(&named) => {
                self.check(headers)?;
                match meta.and_then(|meta| meta.get(CAPABILITIES)).is_some_and(Value::is_object) {
                    true => Ok(Era::Modern),
                    false => Err(Refusal::new(INVALID_PARAMS, format!("{META}.{CAPABILITIES}: is required"))),
                }
            }
            (None, Some(header)) if MODERN.contains(&header) => {
                Err(Refusal::new(INVALID_PARAMS, format!("{META}.{VERSION}: is required")))
            }
            (_, Some(version)) if !WITH_HANDSHAKE.contains(&version) => Err(Refusal::version(version)),
            _ => Ok(Era::Handshake),
        }
    }

    /// Checks that the headers match the body.
    fn check(&self, headers: &Headers) -> Result<(), Refusal> {
        if headers.method.as_deref() != Some(&self.method) {
            return Err(mismatch("Mcp-Method", "method"));
        }
        let name = self.params.get("name").and_then(Value::as_str);
        if self.method == CALL && headers.name.as_deref() != name {
            return Err(mismatch("Mcp-Name", "params.name"));
        }
        Ok(())
    }
}

fn mismatch(header: &str, member: &str) -> Refusal {
    Refusal::new(HEADER_MISMATCH, format!("Header mismatch: {header} must be the value of {member}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::no_json("{", PARSE_ERROR)]
    #[case::empty("", PARSE_ERROR)]
    #[case::too_deep(&format!("{}{}", "[".repeat(1000), "]".repeat(1000)), PARSE_ERROR)]
    #[case::a_batch(r#"[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]"#, INVALID_REQUEST)]
    #[case::a_text(r#""ping""#, INVALID_REQUEST)]
    #[case::another_version(r#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#, INVALID_REQUEST)]
    #[case::no_version(r#"{"id": 1, "method": "ping"}"#, INVALID_REQUEST)]
    #[case::no_method(r#"{"jsonrpc": "2.0", "id": 1}"#, INVALID_REQUEST)]
    #[case::a_method_that_is_no_text(r#"{"jsonrpc": "2.0", "id": 1, "method": 1}"#, INVALID_REQUEST)]
    #[case::an_id_that_is_null(r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, INVALID_REQUEST)]
    #[case::an_id_that_is_a_list(r#"{"jsonrpc": "2.0", "id": [], "method": "ping"}"#, INVALID_REQUEST)]
    #[case::a_list_of_parameters(r#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}"#, INVALID_PARAMS)]
    fn what_is_no_message_is_refused(#[case] text: &str, #[case] code: i32) {
        let refusal = read(text.as_bytes()).unwrap_err();
        assert_eq!((refusal.status, refusal.code), (StatusCode::BAD_REQUEST, code));
        assert_eq!(refusal.message(None)["error"]["code"], code);
        assert!(refusal.message(None).get("id").is_none());
    }

    #[rstest]
    #[case(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#)]
    #[case(r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#)]
    #[case(r#"{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}}"#)]
    fn notifications_and_responses_need_no_answer(#[case] text: &str) {
        assert_eq!(read(text.as_bytes()), Ok(Incoming::Notification));
    }

    fn request(method: &str, params: Value) -> Request {
        let message = json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params});
        match read(message.to_string().as_bytes()) {
            Ok(Incoming::Request(request)) => request,
            other => panic!("{other:?}"),
        }
    }

    fn headers(version: &str, method: &str, name: &str) -> Headers {
        let text = |text: &str| (!text.is_empty()).then(|| decoded(text.to_owned()));
        Headers { version: text(version), method: text(method), name: text(name) }
    }

    fn meta(version: &str) -> Value {
        json!({VERSION: version, CAPABILITIES: {}})
    }

    #[rstest]
    #[case::none("", Ok(Era::Handshake))]
    #[case::a_known_one("2025-06-18", Ok(Era::Handshake))]
    #[case::the_oldest_one("2024-11-05", Ok(Era::Handshake))]
    #[case::an_unknown_one("2199-01-01", Err(UNSUPPORTED_VERSION))]
    #[case::a_modern_one("2026-07-28", Err(INVALID_PARAMS))]
    fn the_header_names_the_version_of_a_handshake(#[case] header: &str, #[case] expected: Result<Era, i32>) {
        let era = request("tools/list", json!({})).era(&headers(header, "", ""));
        assert_eq!(era.map_err(|refusal| refusal.code), expected);
    }

    #[rstest]
    #[case::all("2026-07-28", "2026-07-28", "tools/call", "get_page", Ok(Era::Modern))]
    #[case::in_base64("2026-07-28", "2026-07-28", "tools/call", "=?base64?Z2V0X3BhZ2U=?=", Ok(Era::Modern))]
    #[case::without_a_version("2026-07-28", "", "tools/call", "get_page", Err(HEADER_MISMATCH))]
    #[case::of_another_version("2026-07-28", "2025-06-18", "tools/call", "get_page", Err(HEADER_MISMATCH))]
    #[case::of_another_method("2026-07-28", "2026-07-28", "tools/list", "get_page", Err(HEADER_MISMATCH))]
    #[case::of_another_tool("2026-07-28", "2026-07-28", "tools/call", "list_pages", Err(HEADER_MISMATCH))]
    #[case::without_a_tool("2026-07-28", "2026-07-28", "tools/call", "", Err(HEADER_MISMATCH))]
    #[case::of_an_unknown_version("2199-01-01", "2199-01-01", "tools/call", "get_page", Err(UNSUPPORTED_VERSION))]
    fn the_headers_of_a_modern_request_repeat_it(
        #[case] named: &str,
        #[case] version: &str,
        #[case] method: &str,
        #[case] name: &str,
        #[case] expected: Result<Era, i32>,
    ) {
        let request = request("tools/call", json!({"name": "get_page", "_meta": meta(named)}));
        let era = request.era(&headers(version, method, name));
        assert_eq!(era.map_err(|refusal| refusal.code), expected);
    }

    #[test]
    fn a_modern_request_states_the_capabilities_of_its_client() {
        let request = request("tools/list", json!({"_meta": {VERSION: "2026-07-28"}}));
        let refusal = request.era(&headers("2026-07-28", "tools/list", "")).unwrap_err();
        assert_eq!((refusal.status, refusal.code), (StatusCode::BAD_REQUEST, INVALID_PARAMS));
    }

    #[test]
    fn a_refused_version_comes_with_those_that_are_known() {
        let refusal = request("tools/list", json!({})).era(&headers("1900-01-01", "", "")).unwrap_err();
        let message = refusal.message(Some(&json!(7)));
        assert_eq!(message["error"]["data"]["requested"], "1900-01-01");
        assert_eq!(message["error"]["data"]["supported"], json!(versions()));
        assert_eq!(message["id"], 7);
    }
}
