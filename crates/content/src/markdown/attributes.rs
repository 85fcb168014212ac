//! Lists of attributes in braces, as in MkDocs, Jekyll and Pandoc: `{: #id .class loading=lazy }`. Except for an id, they
//! only concern looks. After images and links they are left out.
use super::events::Event;
use super::heading_id::is_id;

/// White space in a line.
pub(super) const BLANKS: [char; 2] = [' ', '\t'];

/// The names of attributes that concern looks.
const LOOKS: [&str; 9] = ["align", "class", "height", "loading", "rel", "role", "style", "target", "width"];

/// The id in the list between two braces, if the list is one: it has at least one attribute, and at most one id.
pub(super) fn id(inside: &str) -> Option<Option<&str>> {
    let mut rest = inside.strip_prefix(':').unwrap_or(inside).trim_start_matches(BLANKS);
    let mut id = None;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.find([' ', '\t', '=']).unwrap_or(rest.len()));
        rest = match (after.strip_prefix('='), word.strip_prefix('#'), word.strip_prefix('.')) {
            (Some(value), ..) if LOOKS.contains(&word) => after_value(value)?,
            (None, Some(name), _) if id.is_none() && is_id(name) => {
                id = Some(name);
                after
            }
            (None, None, Some(name)) if is_id(name) => after,
            _ => return None,
        };
        let next = rest.trim_start_matches(BLANKS);
        if next.len() == rest.len() && !rest.is_empty() {
            return None;
        }
        rest = next;
    }
    Some(id)
}

fn after_value(value: &str) -> Option<&str> {
    match value.chars().next()? {
        quote @ ('"' | '\'') => Some(value[1..].split_once(quote)?.1),
        _ => Some(&value[value.find(BLANKS).unwrap_or(value.len())..]),
    }
}

/// The number of bytes of the list without an id that a text begins with. One with an id may be that of a heading.
fn length(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('{')?;
    let end = inside.find('}')?;
    id(&inside[..end])?.is_none().then_some(end + 2)
}

/// Whether the beginning of a text after an image or a link would be lost.
pub(super) fn begins(text: &str) -> bool {
    length(text).is_some()
}

/// Removes the lists after images and links.
pub(super) fn remove(events: &mut Vec<Event>) {
    let mut is_empty = false;
    for at in 1..events.len() {
        if matches!(events[at - 1], Event::Image { .. } | Event::EndLink)
            && let Event::Text(text) = &mut events[at]
            && let Some(length) = length(text)
        {
            text.drain(..length);
            is_empty |= text.is_empty();
        }
    }
    if is_empty {
        events.retain(|event| !matches!(event, Event::Text(text) if text.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("{.a}", Some(4))]
    #[case("{: .a .b } c", Some(10))]
    #[case("{ loading=lazy style=\"width: 9px\" }", Some(35))]
    #[case("{:target=\"_blank\"}", Some(18))]
    #[case("{}", None)]
    #[case("{: }", None)]
    #[case("{a}", None)]
    #[case("{.a", None)]
    #[case("{.a #b}", None)]
    #[case("{title=a}", None)]
    #[case("{style=\"a\"b}", None)]
    #[case("{{.A}}", None)]
    #[case("{% a %}", None)]
    #[case(" {.a}", None)]
    fn a_list_has_classes_and_attributes_that_concern_looks(#[case] text: &str, #[case] expected: Option<usize>) {
        assert_eq!(length(text), expected);
    }

    #[rstest]
    #[case("#a", Some(Some("a")))]
    #[case(": .b  #a.c width=1 ", Some(Some("a.c")))]
    #[case(".b", Some(None))]
    #[case("#a #b", None)]
    #[case("#", None)]
    #[case("", None)]
    fn a_list_has_one_id_at_most(#[case] inside: &str, #[case] expected: Option<Option<&str>>) {
        assert_eq!(id(inside), expected);
    }
}
