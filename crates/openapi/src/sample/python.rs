//! Samples for Python with `requests`.
use super::literal::{PYTHON, is_exact_in_python};
use super::quote::python as quote;
use super::request::{PartContent, SampleBody, SamplePart, SampleRequest};
use crate::body::json;
use std::collections::HashSet;

/// The methods that `requests` has functions for.
const FUNCTIONS: [&str; 7] = ["GET", "OPTIONS", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/// The code of a program.
pub(super) fn render(request: &SampleRequest) -> String {
    let mut arguments = vec![quote(&request.url)];
    let method = if FUNCTIONS.contains(&request.method.as_str()) {
        request.method.to_ascii_lowercase()
    } else {
        arguments.insert(0, quote(&request.method));
        "request".to_owned()
    };
    let mut headers = request.all_headers();
    let body = request.body.as_ref().map(argument);
    if body.as_ref().is_some_and(|body| body.starts_with("json=")) {
        // `requests` states it.
        headers.retain(|header| *header != ("Content-Type", "application/json"));
    }
    if !headers.is_empty() {
        let lines = headers.iter().map(|(name, value)| format!("        {}: {},\n", quote(name), quote(value)));
        arguments.push(format!("headers={{\n{}    }}", lines.collect::<String>()));
    }
    arguments.extend(body);
    let read = if request.accepts_json() { "json()" } else { "text" };
    let call = match arguments.as_slice() {
        [url] => format!("requests.{method}({url})"),
        arguments => format!("requests.{method}(\n    {},\n)", arguments.join(",\n    ")),
    };
    format!("import requests\n\nresponse = {call}\nprint(response.status_code, response.{read})\n")
}

/// The argument that has the body.
fn argument(body: &SampleBody) -> String {
    match body {
        SampleBody::Json { value, .. } if is_exact_in_python(value) => {
            format!("json={}", PYTHON.write(value, 4))
        }
        SampleBody::Json { value, .. } => format!("data={}", bytes(&json(value))),
        SampleBody::Text { text, .. } => format!("data={}", bytes(text)),
        SampleBody::File { name, .. } => format!("data=open({}, \"rb\")", quote(name)),
        SampleBody::Form { fields } => pairs("data", fields.iter().map(|(name, value)| (name, quote(value)))),
        SampleBody::Multipart { parts } => pairs("files", parts.iter().map(|part| (&part.name, tuple(part)))),
    }
}

/// The bytes of a text: `requests` does not send all characters of a string.
fn bytes(text: &str) -> String {
    let encode = if text.is_ascii() { "" } else { ".encode()" };
    format!("{}{encode}", quote(text))
}

/// Names and expressions: a mapping, or a list of pairs if a name comes twice.
fn pairs<'a>(argument: &str, pairs: impl Iterator<Item = (&'a String, String)> + Clone) -> String {
    let mut seen = HashSet::new();
    let has_twice = !pairs.clone().all(|(name, _)| seen.insert(name));
    let lines = pairs.map(|(name, value)| {
        let name = quote(name);
        if has_twice { format!("        ({name}, {value}),\n") } else { format!("        {name}: {value},\n") }
    });
    let [open, close] = if has_twice { ['[', ']'] } else { ['{', '}'] };
    format!("{argument}={open}\n{}    {close}", lines.collect::<String>())
}

/// A part of a form: the name of its file, its content, its type.
fn tuple(part: &SamplePart) -> String {
    let (file, content) = match &part.content {
        PartContent::Text(text) => ("None".to_owned(), quote(text)),
        PartContent::File(file) => (quote(file), format!("open({}, \"rb\")", quote(file))),
    };
    match &part.media_type {
        Some(media_type) => format!("({file}, {content}, {})", quote(media_type)),
        None => format!("({file}, {content})"),
    }
}
