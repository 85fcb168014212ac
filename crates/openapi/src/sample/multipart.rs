//! Forms of several parts as text (RFC 7578).
use super::request::{PartContent, SamplePart};

/// The value of `Content-Type` and the body. Lines end with `end`, except within values.
pub(super) fn text(parts: &[SamplePart], end: &str) -> (String, String) {
    let boundary = boundary(parts);
    let mut out = String::new();
    for part in parts {
        out.push_str(&format!("--{boundary}{end}Content-Disposition: form-data; name=\"{}\"", name(&part.name)));
        if let PartContent::File(file) = &part.content {
            out.push_str(&format!("; filename=\"{}\"", name(file)));
        }
        out.push_str(end);
        if let Some(media_type) = &part.media_type {
            out.push_str(&format!("Content-Type: {media_type}{end}"));
        }
        let content = match &part.content {
            PartContent::Text(text) => text.clone(),
            PartContent::File(file) => contents_of(file),
        };
        out.push_str(&format!("{end}{content}{end}"));
    }
    out.push_str(&format!("--{boundary}--{end}"));
    (format!("multipart/form-data; boundary={boundary}"), out)
}

/// A placeholder for the bytes of a file.
pub(super) fn contents_of(file: &str) -> String {
    format!("<the contents of {file}>")
}

/// A name in quotation marks, as browsers write it (the HTML standard, "multipart form data").
pub(super) fn name(name: &str) -> String {
    name.replace('\n', "%0A").replace('\r', "%0D").replace('"', "%22")
}

/// A boundary that no value has.
fn boundary(parts: &[SamplePart]) -> String {
    let plain = "boundary-of-form";
    let texts = || {
        parts.iter().filter_map(|part| match &part.content {
            PartContent::Text(text) => Some(text),
            PartContent::File(_) => None,
        })
    };
    if !texts().any(|text| text.contains(plain)) {
        return plain.to_owned();
    }
    // No text contains its own hash.
    let mut hasher = blake3::Hasher::new();
    texts().for_each(|text| {
        hasher.update(text.as_bytes());
    });
    format!("{plain}-{}", hasher.finalize().to_hex().chars().take(24).collect::<String>())
}
