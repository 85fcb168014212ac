//! Samples for `curl`.
use super::multipart;
use super::quote::shell;
use super::request::{PartContent, SampleBody, SamplePart, SampleRequest};
use crate::body::json;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// The characters that must be encoded in the name of a field: curl encodes only values.
const NAME: &AsciiSet = &CONTROLS.add(b' ').add(b'%').add(b'&').add(b'+').add(b'=');

/// The command.
pub(super) fn render(request: &SampleRequest) -> String {
    let mut options = Vec::new();
    // `--request HEAD` would wait for a body.
    match request.method.as_str() {
        "HEAD" => options.push("--head".to_owned()),
        "GET" if request.body.is_none() => {}
        method => options.push(format!("--request {}", word(method))),
    }
    options.push(format!("--url {}", shell(&request.url)));
    if request.url.contains(['[', ']', '{', '}']) {
        options.push("--globoff".to_owned());
    }
    if has_dots(&request.url) {
        options.push("--path-as-is".to_owned());
    }
    for (name, value) in request.all_headers() {
        options.push(header(name, value));
    }
    if let Some(body) = &request.body {
        push_body(body, &mut options);
    }
    format!("curl {}", options.join(" \\\n  "))
}

/// A method: unchanged if no shell interprets its characters.
fn word(method: &str) -> String {
    let is_plain = method.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_plain { method.to_owned() } else { shell(method) }
}

/// Whether the path has a step that clients resolve.
fn has_dots(url: &str) -> bool {
    let path = url.split('?').next().unwrap_or_default();
    path.split('/').any(|step| matches!(step.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | ".."))
}

fn header(name: &str, value: &str) -> String {
    // A colon with nothing after it removes a header.
    let line = if value.is_empty() { format!("{name};") } else { format!("{name}: {value}") };
    format!("--header {}", shell(&line))
}

fn push_body(body: &SampleBody, options: &mut Vec<String>) {
    match body {
        SampleBody::Json { value, .. } => options.push(format!("--data {}", shell(&json(value)))),
        // `--data` takes an `@` at the start for the name of a file.
        SampleBody::Text { text, .. } => options.push(format!("--data-raw {}", shell(text))),
        SampleBody::File { name, .. } => options.push(format!("--data-binary {}", shell(&format!("@{name}")))),
        SampleBody::Form { fields } if fields.is_empty() => options.push("--data ''".to_owned()),
        SampleBody::Form { fields } => {
            for (name, value) in fields {
                let name = utf8_percent_encode(name, NAME);
                options.push(format!("--data-urlencode {}", shell(&format!("{name}={value}"))));
            }
        }
        SampleBody::Multipart { parts } if parts.is_empty() || !parts.iter().all(can_be_option) => {
            let (media_type, text) = multipart::text(parts, "\r\n");
            options.push(header("Content-Type", &media_type));
            options.push(format!("--data-binary {}", shell(&text)));
        }
        SampleBody::Multipart { parts } => options.extend(parts.iter().map(part)),
    }
}

/// Whether `--form` can have a part: its name ends at the first `=`, and curl does not escape line ends in it.
fn can_be_option(part: &SamplePart) -> bool {
    !part.name.is_empty() && !part.name.contains(|char: char| char == '=' || char.is_control())
}

fn part(part: &SamplePart) -> String {
    let name = &part.name;
    let media_type = part.media_type.as_deref().map(|media_type| format!(";type={media_type}")).unwrap_or_default();
    match &part.content {
        PartContent::File(file) => format!("--form {}", shell(&format!("{name}=@{file}{media_type}"))),
        PartContent::Text(text) if media_type.is_empty() => {
            format!("--form-string {}", shell(&format!("{name}={text}")))
        }
        PartContent::Text(text) => {
            let text = text.replace('\\', r"\\").replace('"', "\\\"");
            format!("--form {}", shell(&format!("{name}=\"{text}\"{media_type}")))
        }
    }
}
