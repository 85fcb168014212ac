//! A heading's own id: an empty anchor at its end, ` <a href="#id" id="id"></a>`, or in short ` {#id}` or
//! ` {: #id .class }`.
use super::attributes::{self, BLANKS};
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

/// Removes the short form of an id from the end of a heading, with the space before it. Other attributes beside it only
/// concern looks. The closing marks of a heading may be before it, as in `## Use ## {: #use }`.
pub(super) fn take_short(events: &mut Vec<Event>) -> Option<String> {
    let is_first = events.len() == 1;
    let Some(Event::Text(text)) = events.last_mut() else { return None };
    let (words, id) = short(text)?;
    if !(words.is_empty() || words.ends_with(BLANKS)) {
        return None;
    }
    let words = words.trim_end_matches(BLANKS);
    let open = words.trim_end_matches('#');
    let is_closed = open.ends_with(BLANKS) || (is_first && open.is_empty());
    let (id, length) = (id.to_owned(), if is_closed { open.trim_end_matches(BLANKS) } else { words }.len());
    text.truncate(length);
    if text.is_empty() {
        events.pop();
    }
    Some(id)
}

/// The text before the short form of an id, and the id: `{#id}`, or a list of attributes as `{: #id .class }`.
fn short(text: &str) -> Option<(&str, &str)> {
    let (words, inside) = text.strip_suffix('}')?.rsplit_once('{')?;
    Some((words, attributes::id(inside)??))
}

/// Escapes the end of a heading that would be the short form of an id.
pub(super) fn escape_short(heading: &mut String) {
    let Some((words, _)) = short(heading) else { return };
    let (length, slashes) = (words.len(), words.len() - words.trim_end_matches('\\').len());
    if slashes % 2 == 0 {
        heading.insert(length, '\\');
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
