//! Samples as messages of HTTP/1.1 (RFC 9112).
use super::multipart::{self, contents_of};
use super::request::{SampleBody, SampleRequest};
use crate::body::json;
use url::{Position, Url};

/// The message. It has `Content-Length` if the whole body is shown.
pub(super) fn render(request: &SampleRequest) -> String {
    let (host, target) = match Url::parse(&request.url) {
        Ok(url) => (
            url[Position::BeforeHost..Position::AfterPort].to_owned(),
            url[Position::BeforePath..Position::AfterQuery].to_owned(),
        ),
        Err(_) => (String::new(), request.url.clone()),
    };
    let mut lines = vec![format!("{} {target} HTTP/1.1", request.method), format!("Host: {host}")];
    lines.extend(request.all_headers().iter().map(|(name, value)| format!("{name}: {value}")));
    let body = match &request.body {
        Some(SampleBody::Json { value, .. }) => Some((json(value), None, true)),
        Some(SampleBody::Text { text, .. }) => Some((text.clone(), None, true)),
        Some(SampleBody::File { name, .. }) => Some((contents_of(name), None, false)),
        Some(SampleBody::Form { fields }) => {
            let text = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
            Some((text, Some("application/x-www-form-urlencoded".to_owned()), true))
        }
        Some(SampleBody::Multipart { parts }) => {
            let (media_type, text) = multipart::text(parts, "\n");
            Some((text, Some(media_type), false))
        }
        None => None,
    };
    let Some((text, media_type, is_exact)) = body else {
        return lines.join("\n") + "\n\n";
    };
    lines.extend(media_type.map(|media_type| format!("Content-Type: {media_type}")));
    if is_exact {
        lines.push(format!("Content-Length: {}", text.len()));
    }
    format!("{}\n\n{text}", lines.join("\n"))
}
