//! Generates texts.
use super::super::fits::{bound, whole};
use super::pattern;
use crate::schema::Merged;

/// The maximum length of a generated text, in characters.
const MAX_LENGTH: usize = 10_000;

/// A text that a schema allows; `None` if none is found. Another `variant` gives another text.
pub(super) fn text(merged: &Merged<'_>, variant: usize) -> Option<String> {
    let lengths = |key: &'static str| merged.nodes().filter_map(move |node| bound(node, key));
    let least = whole(lengths("minLength").fold(0.0, f64::max));
    let most = whole(lengths("maxLength").fold(f64::INFINITY, f64::min));
    if least > most {
        return None;
    }
    let fits = |text: &str| (least..=most).contains(&text.chars().count());
    let anything = ["", ".*", ".+", "^.*$", "^.+$", "^"];
    if let Some(pattern) = merged.text_of("pattern").filter(|pattern| !anything.contains(pattern)) {
        return formatted(merged, variant)
            .filter(|text| fits(text) && is_sure(pattern, text))
            .or_else(|| pattern::matching(pattern, least, most, variant));
    }
    if let Some(text) = formatted(merged, variant).filter(|text| fits(text)) {
        return Some(text);
    }
    let word = match variant {
        0 => "text".to_owned(),
        variant => format!("text{}", variant + 1),
    };
    let length = word.chars().count();
    // The part that differs is at the end of the text.
    if length > most {
        return Some(word.chars().skip(length - most).collect());
    }
    (least <= MAX_LENGTH).then(|| word.chars().cycle().take(length.max(least)).collect())
}

/// Whether a text of a format certainly matches a pattern beside it, which often is the pattern of the format.
fn is_sure(pattern: &str, text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| pattern == format!("^{scheme}://") || pattern == "^https?://")
}

/// The text of a known format.
fn formatted(merged: &Merged<'_>, variant: usize) -> Option<String> {
    if merged.text_of("contentEncoding").is_some_and(|encoding| encoding.starts_with("base64")) {
        return Some("dGV4dA==".to_owned());
    }
    let day = variant % 28 + 1;
    let number = variant + 1;
    Some(match merged.text_of("format")? {
        "date-time" => format!("2024-01-{day:02}T09:30:00Z"),
        "date" => format!("2024-01-{day:02}"),
        "time" => format!("09:30:{:02}Z", variant % 60),
        "duration" => format!("P{number}D"),
        "email" | "idn-email" => match variant {
            0 => "user@example.com".to_owned(),
            _ => format!("user{number}@example.com"),
        },
        "hostname" | "idn-hostname" => match variant {
            0 => "example.com".to_owned(),
            _ => format!("host{number}.example.com"),
        },
        // The addresses for documentation (RFC 5737, RFC 3849).
        "ipv4" | "ip" => format!("192.0.2.{}", variant % 254 + 1),
        "ipv6" => format!("2001:db8::{:x}", variant % 0xffff + 1),
        "cidr" | "ipv4-cidr" => format!("192.0.2.{}/32", variant % 254 + 1),
        "uri" | "url" | "iri" | "uri-reference" | "iri-reference" => match variant {
            0 => "https://example.com".to_owned(),
            _ => format!("https://example.com/{number}"),
        },
        "uri-template" => format!("https://example.com/{{id}}/{number}"),
        "uuid" | "guid" => format!("00000000-0000-4000-8000-{number:012}"),
        "json-pointer" => format!("/{variant}"),
        "relative-json-pointer" => variant.to_string(),
        "regex" => format!("^[a-z]{{{number}}}$"),
        "byte" | "base64" => "dGV4dA==".to_owned(),
        "int32" | "int64" | "integer" | "uint64" => number.to_string(),
        "float" | "double" | "decimal" | "number" => format!("{number}.5"),
        _ => return None,
    })
}
