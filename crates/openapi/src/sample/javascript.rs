//! Samples for JavaScript with `fetch`.
use super::literal::{JAVASCRIPT, is_exact_in_javascript, javascript_key as key};
use super::multipart::contents_of;
use super::quote::javascript as quote;
use super::request::{PartContent, SampleBody, SamplePart, SampleRequest};
use crate::body::json;
use std::collections::HashSet;

/// The methods that `fetch` refuses (the Fetch standard, "forbidden method").
const REFUSED: [&str; 3] = ["CONNECT", "TRACE", "TRACK"];

/// The code of a module.
pub(super) fn render(request: &SampleRequest) -> Option<String> {
    if REFUSED.iter().any(|method| request.method.eq_ignore_ascii_case(method)) {
        return None;
    }
    let mut out = String::new();
    // `fetch` rejects a body with these methods.
    let without_body = matches!(request.method.as_str(), "GET" | "HEAD");
    let body = request.body.as_ref().filter(|_| !without_body);
    if without_body && request.body.is_some() {
        out.push_str(&format!("// fetch cannot send a body with {}, so this sample has none.\n", request.method));
    }
    let body = body.map(|body| expression(body, &mut out));
    let mut options = Vec::new();
    if request.method != "GET" {
        options.push(format!("  method: {},\n", quote(&request.method)));
    }
    let headers = request.all_headers();
    if !headers.is_empty() {
        let lines = headers.iter().map(|(name, value)| format!("    {}: {},\n", key(name), quote(value)));
        options.push(format!("  headers: {{\n{}  }},\n", lines.collect::<String>()));
    }
    options.extend(body.map(|body| format!("  body: {body},\n")));
    let url = quote(&request.url);
    if options.is_empty() {
        out.push_str(&format!("const response = await fetch({url});\n"));
    } else {
        out.push_str(&format!("const response = await fetch({url}, {{\n{}}});\n", options.concat()));
    }
    let read = if request.accepts_json() { "json" } else { "text" };
    out.push_str(&format!("\nconsole.log(response.status, await response.{read}());\n"));
    Some(out)
}

/// The expression of a body. Statements that it needs before the call are added to `before`.
fn expression(body: &SampleBody, before: &mut String) -> String {
    match body {
        SampleBody::Json { value, .. } if is_exact_in_javascript(value) => {
            format!("JSON.stringify({})", JAVASCRIPT.write(value, 2))
        }
        SampleBody::Json { value, .. } => quote(&json(value)),
        SampleBody::Text { text, .. } => quote(text),
        SampleBody::File { name, media_type } => {
            before.push_str(&file(name, media_type));
            "file".to_owned()
        }
        SampleBody::Form { fields } => {
            let mut seen = HashSet::new();
            let has_twice = !fields.iter().all(|(name, _)| seen.insert(name));
            let lines = fields.iter().map(|(name, value)| {
                if has_twice {
                    format!("    [{}, {}],\n", quote(name), quote(value))
                } else {
                    format!("    {}: {},\n", key(name), quote(value))
                }
            });
            let [open, close] = if has_twice { ['[', ']'] } else { ['{', '}'] };
            format!("new URLSearchParams({open}\n{}  {close})", lines.collect::<String>())
        }
        SampleBody::Multipart { parts } => {
            before.push_str("const form = new FormData();\n");
            parts.iter().for_each(|part| before.push_str(&append(part)));
            before.push('\n');
            "form".to_owned()
        }
    }
}

fn file(name: &str, media_type: &str) -> String {
    format!(
        "// Replace this with your file, such as input.files[0].\nconst file = new Blob([{}], {{ type: {} }});\n\n",
        quote(&contents_of(name)),
        quote(media_type)
    )
}

/// The statement that adds a part. `FormData` can give a type to a part only if that is a file.
fn append(part: &SamplePart) -> String {
    let name = quote(&part.name);
    let blob = |text: &str, media_type: &str| format!("new Blob([{}], {{ type: {} }})", quote(text), quote(media_type));
    match (&part.content, &part.media_type) {
        (PartContent::Text(text), None) => format!("form.append({name}, {});\n", quote(text)),
        (PartContent::Text(text), Some(media_type)) => {
            format!("form.append({name}, {});\n", blob(text, media_type))
        }
        (PartContent::File(file), media_type) => {
            let media_type = media_type.as_deref().unwrap_or("application/octet-stream");
            let blob = blob(&contents_of(file), media_type);
            format!("form.append({name}, {blob}, {});\n", quote(file))
        }
    }
}
