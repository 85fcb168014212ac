//! A heading's own id: an empty anchor at its end, ` <a href="#id" id="id"></a>`, or in short ` {#id}`.
use super::events::Event;
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

/// Removes the short form of an id from the end of a heading, with the space before it.
pub(super) fn take_short(events: &mut Vec<Event>) -> Option<String> {
    let Some(Event::Text(text)) = events.last_mut() else { return None };
    let (words, id) = text.strip_suffix('}')?.rsplit_once("{#")?;
    if !is_id(id) || !(words.is_empty() || words.ends_with([' ', '\t'])) {
        return None;
    }
    let (id, length) = (id.to_owned(), words.trim_end_matches([' ', '\t']).len());
    text.truncate(length);
    if text.is_empty() {
        events.pop();
    }
    Some(id)
}

/// Escapes the end of a heading that would be the short form of an id.
pub(super) fn escape_short(heading: &mut String) {
    let Some((words, id)) = heading.strip_suffix('}').and_then(|rest| rest.rsplit_once("{#")) else { return };
    let slashes = words.len() - words.trim_end_matches('\\').len();
    if is_id(id) && slashes % 2 == 0 {
        heading.insert(words.len(), '\\');
    }
}

/// Whether a text is a valid id of a heading.
pub(super) fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.+_".contains(&byte))
}

/// The written form of an id.
pub(super) fn write(id: &str) -> String {
    format!("<a href=\"#{id}\" id=\"{id}\"></a>")
}
