//! Splits answers of engines into words and tags.
use super::dialect::begins_tag;
use super::{Markup, entities};

/// The maximum length of one of our tags in an answer, in bytes. The limit keeps reading linear.
const MAX_TAG: usize = 48;

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Text(String),
    Open(u32),
    /// The end tag of a pair; in HTML it has no number.
    Close(Option<u32>),
    Single(u32),
}

/// The tokens of an answer in a markup with tags. Text that looks like a tag, but is not one of ours, is text.
pub(super) fn tokens(markup: Markup, answer: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = answer;
    let mut text = String::new();
    while let Some(at) = rest.find('<') {
        entities::decode(&rest[..at], &mut text);
        rest = &rest[at..];
        match begins_tag(rest).then(|| tag(markup, rest)).flatten() {
            Some((read, length)) => {
                if !text.is_empty() {
                    tokens.push(Token::Text(std::mem::take(&mut text)));
                }
                tokens.extend(read);
                rest = &rest[length..];
            }
            None => {
                text.push('<');
                rest = &rest[1..];
            }
        }
    }
    entities::decode(rest, &mut text);
    if !text.is_empty() {
        tokens.push(Token::Text(text));
    }
    tokens
}

/// The tag at the start of a text, and its length in bytes.
fn tag(markup: Markup, text: &str) -> Option<(Vec<Token>, usize)> {
    let end = text.bytes().take(MAX_TAG).position(|byte| byte == b'>')?;
    let inside = text.get(1..end)?.trim();
    let (inside, closes) = match inside.strip_prefix('/') {
        Some(inside) => (inside.trim_start(), true),
        None => (inside, false),
    };
    let (inside, single) = match inside.strip_suffix('/') {
        Some(inside) => (inside.trim_end(), true),
        None => (inside, false),
    };
    let tokens = match markup {
        Markup::Html => html(inside, closes, single)?,
        Markup::Xml | Markup::Numbered => numbered(inside, closes, single)?,
        Markup::None => return None,
    };
    Some((tokens, end + 1))
}

fn html(inside: &str, closes: bool, single: bool) -> Option<Vec<Token>> {
    let name_end = inside.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(inside.len());
    let (name, attributes) = inside.split_at(name_end);
    let image = name.eq_ignore_ascii_case("img");
    if !image && !name.eq_ignore_ascii_case("a") {
        return None;
    }
    if closes {
        return attributes.is_empty().then(|| if image { Vec::new() } else { vec![Token::Close(None)] });
    }
    let value = attributes.trim().strip_prefix("id")?.trim_start().strip_prefix('=')?;
    let number = number(value.trim().trim_matches(['"', '\'']).strip_prefix('t')?)?;
    Some(match (image, single) {
        (true, _) => vec![Token::Single(number)],
        (false, true) => vec![Token::Open(number), Token::Close(None)],
        (false, false) => vec![Token::Open(number)],
    })
}

fn numbered(inside: &str, closes: bool, single: bool) -> Option<Vec<Token>> {
    let mut chars = inside.chars();
    let letter = chars.next()?.to_ascii_lowercase();
    let number = number(chars.as_str().trim_start())?;
    Some(match (letter, closes, single) {
        ('g', true, _) => vec![Token::Close(Some(number))],
        ('g', false, true) => vec![Token::Open(number), Token::Close(Some(number))],
        ('g', false, false) => vec![Token::Open(number)],
        ('x', true, _) => Vec::new(),
        ('x', false, _) => vec![Token::Single(number)],
        _ => return None,
    })
}

fn number(digits: &str) -> Option<u32> {
    let plain = (1..=7).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// The tokens of the canonical form; `None` if the text is not in that form.
pub(super) fn canonical(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut words = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('⟨') {
        words.push_str(&rest[..at]);
        rest = &rest[at + '⟨'.len_utf8()..];
        let end = rest.bytes().take(MAX_TAG).position(|byte| byte == "⟩".as_bytes()[0])?;
        let (inside, after) = (&rest[..end], rest[end..].strip_prefix('⟩')?);
        rest = after;
        if inside.is_empty() {
            words.push('⟨');
            continue;
        }
        if !words.is_empty() {
            tokens.push(Token::Text(std::mem::take(&mut words)));
        }
        tokens.push(if let Some(closed) = inside.strip_prefix('/') {
            Token::Close(Some(number(closed)?))
        } else if let Some(single) = inside.strip_suffix('/') {
            Token::Single(number(single)?)
        } else {
            Token::Open(number(inside)?)
        });
    }
    words.push_str(rest);
    if !words.is_empty() {
        tokens.push(Token::Text(words));
    }
    Some(tokens)
}
