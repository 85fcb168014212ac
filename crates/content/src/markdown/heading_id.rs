//! A heading's own id: an empty anchor at its end, ` <a href="#id" id="id"></a>`.
use super::html::HtmlTag;
use crate::document::Inline;

/// Removes the id from the end of a heading, with the space before it.
pub(super) fn take(content: &mut Vec<Inline>) -> Option<String> {
    let [.., Inline::Verbatim { source }, Inline::Verbatim { source: end }] = &content[..] else { return None };
    let mut tag = HtmlTag::parse(source)?;
    let id = tag.take("id").filter(|id| is_id(id))?;
    let href = tag.take("href");
    if tag.name != "a" || tag.close || end != "</a>" || tag.finish().is_err() {
        return None;
    }
    if href.is_some_and(|href| href.strip_prefix('#') != Some(&id)) {
        return None;
    }
    content.truncate(content.len() - 2);
    if let Some(Inline::Text(text)) = content.last_mut()
        && text.text.ends_with(' ')
    {
        text.text.pop();
    }
    if matches!(content.last(), Some(Inline::Text(text)) if text.text.is_empty()) {
        content.pop();
    }
    Some(id)
}

/// Whether a text is a valid id of a heading.
pub(super) fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.+_".contains(&byte))
}

/// The written form of an id.
pub(super) fn write(id: &str) -> String {
    format!("<a href=\"#{id}\" id=\"{id}\"></a>")
}
