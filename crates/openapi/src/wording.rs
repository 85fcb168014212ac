//! The wording of messages: values that are cut, and the words that were probably meant.
use crate::tree::Node;
use std::borrow::Cow;

/// The longest value that a message quotes, in characters.
pub(crate) const MAX_VALUE: usize = 40;

/// The text, cut to this many characters.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The value as JSON, cut to this many characters.
pub(crate) fn cut_json(node: &Node, most: usize) -> String {
    // A character has four bytes at most.
    cut(&node.start_of_json(most.saturating_add(1).saturating_mul(4)), most).into_owned()
}

/// The text in quotation marks, on one line and cut to [`MAX_VALUE`].
pub(crate) fn quoted(text: &str) -> String {
    let line: String =
        text.chars().take(MAX_VALUE + 1).map(|char| if char.is_control() { ' ' } else { char }).collect();
    format!("\"{}\"", cut(&line, MAX_VALUE))
}

/// The text on one line and cut like [`quoted`], without quotation marks at its ends.
pub(crate) fn unquoted(text: &str) -> String {
    quoted(text).trim_matches('"').to_owned()
}

/// The choice that a misspelt word means, if one is close: at most a third of its characters differ, and at most three.
pub(crate) fn meant<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(MAX_WORD + 1).flat_map(char::to_lowercase).collect();
    if word.len() > MAX_WORD {
        return None;
    }
    let most = word.len().div_ceil(3).min(3);
    let near = choices.into_iter().filter_map(|choice| {
        let letters: Vec<char> = choice.chars().take(MAX_WORD + 1).flat_map(char::to_lowercase).collect();
        if letters.len().abs_diff(word.len()) > most || letters.len() > MAX_WORD {
            return None;
        }
        let edits = distance(&word, &letters);
        (edits <= most && 2 * edits < word.len().max(letters.len())).then_some((edits, choice))
    });
    near.min_by_key(|(edits, _)| *edits).map(|(_, choice)| choice)
}

/// Longer words are not compared.
const MAX_WORD: usize = 80;

/// The number of characters to insert, remove, replace or swap with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (row, &left) in a.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, &right) in b.iter().enumerate() {
            let replaced = last[column] + usize::from(left != right);
            let mut best = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && left == b[column - 1] && a[row - 1] == right {
                best = best.min(before[column - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut last, next);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_letter_left_out("summry", Some("summary"))]
    #[case::letters_swapped("sumamry", Some("summary"))]
    #[case::another_case("Summary", Some("summary"))]
    #[case::nothing_near("colour", None)]
    #[case::short_words_must_be_closer("y", None)]
    fn the_word_that_was_meant_is_found(#[case] word: &str, #[case] expected: Option<&str>) {
        assert_eq!(meant(word, ["description", "summary", "tags", "x"]), expected);
    }

    #[rstest]
    #[case::all_of_it("[1,{\"a\":\"\u{e9}\"}]", 20, "[1,{\"a\":\"\u{e9}\"}]")]
    #[case::a_list("[1,2,3,4,5]", 4, "[1,2\u{2026}")]
    #[case::a_text("\"\u{1f600}\u{1f600}\u{1f600}\u{1f600}\"", 3, "\"\u{1f600}\u{1f600}\u{2026}")]
    #[case::a_key("{\"abcdefghijklmnopqrstuvwxyz\":1}", 3, "{\"a\u{2026}")]
    fn the_json_of_a_value_is_cut(#[case] json: &str, #[case] most: usize, #[case] expected: &str) {
        let root = crate::text::read(json.as_bytes()).root.expect("JSON");
        assert_eq!(cut_json(&root, most), expected);
    }

    #[test]
    fn only_the_beginning_of_a_large_value_is_written() {
        let items = Node::made(crate::tree::Value::List(vec![Node::text(&"x".repeat(1_000)); 1_000]));
        assert!(items.start_of_json(100).len() < 200);
        assert!(Node::text(&"x".repeat(1_000)).start_of_json(100).len() < 200);
        let digits = Node::made(crate::tree::Value::Number("1".repeat(1_000).into()));
        assert!(digits.start_of_json(100).len() < 200);
    }

    #[test]
    fn a_long_value_is_cut_and_stays_on_a_line() {
        assert_eq!(quoted("a\nb"), "\"a b\"");
        assert_eq!(quoted(&"ü".repeat(41)), format!("\"{}…\"", "ü".repeat(40)));
    }
}
