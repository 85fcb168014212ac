//! Snippets: the part of a text that shows why it was found.
use super::language::Stems;
use super::query::Query;
use super::rank::Slots;
use super::terms::{TokenKind, each_token};
use std::ops::Range;
use values::text::Language;

/// The maximum length of a snippet, in bytes, without ellipses.
const LENGTH: usize = 200;
/// The maximum length before the first match, in bytes.
const BEFORE: usize = 40;

/// A part of a text, with the matches in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// Plain text, with `…` for omitted text.
    pub text: String,
    /// The matches in it: byte ranges, in order, without overlap.
    pub matches: Vec<Range<usize>>,
}

/// The part of a text with the most words of the query; the beginning if there are none.
pub fn snippet(body: &str, query: &Query, language: Option<Language>) -> Snippet {
    let found = matches(body, query, language);
    let (start, end) = window(body, &found);
    let mut text = String::with_capacity(LENGTH + 8);
    if start > 0 {
        text.push('…');
    }
    let shift = text.len();
    text.push_str(&body[start..end]);
    if end < body.len() {
        text.push('…');
    }
    let inside = found.into_iter().map(|(_, range)| range).filter(|range| range.start >= start && range.end <= end);
    let mut matches: Vec<Range<usize>> = Vec::new();
    for range in inside.map(|range| range.start - start + shift..range.end - start + shift) {
        match matches.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => matches.push(range),
        }
    }
    Snippet { text, matches }
}

/// The words of the query in a text, with their positions.
fn matches(body: &str, query: &Query, language: Option<Language>) -> Vec<(usize, Range<usize>)> {
    let slots = Slots::of(query);
    let mut stems = Stems::of(language);
    let mut found: Vec<(usize, Range<usize>)> = Vec::new();
    each_token(body, |token| {
        // A stem begins like its word, so most words need no stemming to be ruled out.
        if !slots.may_match(token.folded) {
            return;
        }
        let mut best = None;
        let mut note = |slot, _| best = Some(best.unwrap_or(slot));
        slots.quality(token.folded, false, &mut note);
        if token.kind == TokenKind::Word
            && let Some(stem) = stems.stem(token.lower)
        {
            slots.quality(stem, true, &mut note);
        }
        found.extend(best.map(|slot| (slot, token.range.clone())));
    });
    found
}

/// The range of the snippet.
fn window(body: &str, found: &[(usize, Range<usize>)]) -> (usize, usize) {
    if body.len() <= LENGTH {
        return (0, body.len());
    }
    let reach = LENGTH - BEFORE;
    let mut best = (0, 0);
    for (index, (_, first)) in found.iter().enumerate() {
        let inside = found[index..].iter().take_while(|(_, range)| range.end <= first.start + reach).take(32);
        let mut slots = 0u64;
        let mut count = 0;
        for (slot, _) in inside {
            slots |= 1 << (slot % 64);
            count += 1;
        }
        let value = slots.count_ones() * 32 + count;
        if value > best.0 {
            best = (value, first.start);
        }
    }
    let start = word_start(body, best.1.saturating_sub(BEFORE));
    // Near the end, show more of what comes before instead of less altogether.
    let start = if body.len() - start < LENGTH { word_start(body, body.len() - LENGTH) } else { start };
    (start, word_end(body, (start + LENGTH).min(body.len())))
}

/// The beginning of the first word at or after a byte, if one begins soon.
fn word_start(body: &str, at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    let at = body.ceil_char_boundary(at);
    let soon = body.ceil_char_boundary((at + BEFORE / 2).min(body.len()));
    body[at..soon].find(' ').map_or(at, |space| at + space + 1)
}

/// The end of the last word before a byte, if one ends near.
fn word_end(body: &str, at: usize) -> usize {
    if at == body.len() {
        return at;
    }
    let at = body.floor_char_boundary(at);
    let near = body.floor_char_boundary(at.saturating_sub(BEFORE / 2));
    body[near..at].rfind(' ').map_or(at, |space| near + space)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(body: &str, query: &str) -> (String, Vec<String>) {
        let found = snippet(body, &Query::parse(query, &[None]), None);
        let words = found.matches.iter().map(|range| found.text[range.clone()].to_owned()).collect();
        (found.text, words)
    }

    #[test]
    fn a_short_text_is_shown_whole_with_its_matches() {
        let (text, words) = shown("The out_forward plugin buffers Café chunks.", "buffer cafe out_forward");
        assert_eq!(text, "The out_forward plugin buffers Café chunks.");
        assert_eq!(words, ["out_forward", "buffers", "Café"]);
    }

    #[test]
    fn of_a_long_text_the_part_with_most_words_is_shown() {
        let body = format!("{} alpha {} alpha beta {}", "lorem ".repeat(50), "ipsum ".repeat(50), "dolor ".repeat(50));
        let (text, words) = shown(&body, "alpha beta ");
        assert_eq!(words, ["alpha", "beta"]);
        assert!(text.starts_with("…ipsum") && text.ends_with("dolor…"), "{text}");
        assert!(text.len() <= LENGTH + 6);
    }

    #[test]
    fn without_a_match_the_beginning_is_shown() {
        let (text, words) = shown(&"word ".repeat(100), "absent");
        assert!(text.starts_with("word") && text.ends_with("word…"), "{text}");
        assert_eq!(words, Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn a_snippet_is_a_bounded_part_with_matches_in_order(
            words in prop::collection::vec("alpha|beta|日本語|é{1,30}|[a-z ]{1,12}|😀", 0..120), spaced in any::<bool>(),
        ) {
            let body = words.join(if spaced { " " } else { "" });
            let found = snippet(&body, &Query::parse("alpha beta 日本 éé", &[None]), None);
            prop_assert!(found.text.len() <= LENGTH + 12);
            prop_assert!(body.contains(found.text.trim_matches('…')));
            let mut last = 0;
            for range in found.matches {
                prop_assert!(range.start >= last && found.text.get(range.clone()).is_some_and(|word| !word.is_empty()));
                last = range.end;
            }
        }
    }
}
