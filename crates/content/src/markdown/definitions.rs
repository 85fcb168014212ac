//! Definitions of references. Links use their addresses; unused definitions are kept as source.
use comrak::nodes::{Node, NodeValue};
use std::collections::HashSet;

/// The addresses of all links and images.
pub(super) fn destinations(root: Node<'_>) -> HashSet<String> {
    let mut found = HashSet::new();
    for node in root.descendants() {
        if let NodeValue::Link(link) | NodeValue::Image(link) = &node.data().value {
            found.insert(link.url.clone());
        }
    }
    found
}

/// The unused definitions in the lines from `next` up to the block `child`, and in the first lines of `child` itself.
pub(super) fn unused(
    lines: &[&str],
    next: usize,
    start: usize,
    child: Node<'_>,
    used: &HashSet<String>,
) -> Vec<String> {
    let mut found = between(lines.get(next - 1..start - 1).unwrap_or_default(), used);
    if matches!(child.data().value, NodeValue::Paragraph) {
        for line in lines.get(start - 1..).unwrap_or_default() {
            match is_definition(line).then(|| destination(line)) {
                Some(Some(url)) if !used.contains(&url) => found.push((*line).to_owned()),
                Some(Some(_)) => {}
                _ => break,
            }
        }
    }
    found
}

/// The unused definitions in the lines from `next`.
pub(super) fn unused_at_end(lines: &[&str], next: usize, used: &HashSet<String>) -> Vec<String> {
    between(lines.get(next - 1..).unwrap_or_default(), used)
}

fn between(lines: &[&str], used: &HashSet<String>) -> Vec<String> {
    let mut chunks: Vec<String> = Vec::new();
    for line in lines.iter().filter(|line| !blank_start(line).is_empty()) {
        match chunks.last_mut() {
            Some(chunk) if !blank_start(line).starts_with('[') => {
                chunk.push('\n');
                chunk.push_str(line);
            }
            _ => chunks.push((*line).to_owned()),
        }
    }
    chunks.retain(|chunk| is_definition(chunk) && destination(chunk).is_some_and(|url| !used.contains(&url)));
    chunks
}

fn is_definition(chunk: &str) -> bool {
    let trimmed = blank_start(chunk);
    trimmed.starts_with('[') && !trimmed.starts_with("[^") && trimmed.contains("]:")
}

/// The address of a definition, if the parser takes the text for one and nothing else.
fn destination(chunk: &str) -> Option<String> {
    let (label, rest) = blank_start(chunk).strip_prefix('[')?.split_once("]:")?;
    if rest.trim_ascii().is_empty() {
        return None;
    }
    if let Some(url) = plain_destination(label, rest) {
        return Some(url.to_owned());
    }
    let probe = format!("{}\n\n[{label}]", blank_start(chunk));
    let arena = comrak::Arena::new();
    let root = comrak::parse_document(&arena, &probe, &super::options());
    let only = root.first_child().filter(|first| first.next_sibling().is_none())?;
    match &only.first_child()?.data().value {
        NodeValue::Link(link) => Some(link.url.clone()),
        _ => None,
    }
}

/// The address of a definition without escapes and the like.
fn plain_destination<'t>(label: &str, rest: &'t str) -> Option<&'t str> {
    let url = rest.trim_matches([' ', '\t']);
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'/');
    let plain_label = label.len() < 100 && label.bytes().all(letter);
    (plain_label && !label.is_empty() && !url.is_empty() && url.bytes().all(letter)).then_some(url)
}

fn blank_start(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("[a]: b", Some("b"))]
    #[case("  [a-1]:\t/b/c.md ", Some("/b/c.md"))]
    #[case("[a]: <b c> 'd'", Some("b c"))]
    #[case("[a]: b c", None)]
    #[case("[a]:", None)]
    #[case("[a]: \n\t", None)]
    #[case("[ ]: b", None)]
    #[case("[]: b", None)]
    #[case("[a]\\]: b", None)]
    fn a_definition_gives_an_address(#[case] chunk: &str, #[case] url: Option<&str>) {
        assert_eq!(destination(chunk).as_deref(), url);
    }
}
