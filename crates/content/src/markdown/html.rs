//! A lexer for the HTML in documents, which expresses what Markdown cannot.
use super::dollars;
use super::tags::NotUnderstood;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Attributes that only concern looks, or the way in which other programs read Markdown in HTML.
const LOOKS: [&str; 9] =
    ["border", "class", "decoding", "fetchpriority", "hspace", "loading", "markdown", "style", "vspace"];

/// An HTML tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HtmlTag {
    /// Its name, in lower case.
    pub(super) name: String,
    /// Whether it is an end tag.
    pub(super) close: bool,
    attributes: Vec<(String, String)>,
}

/// A piece of HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'s> {
    /// Text as it is written, with its character references.
    Text(&'s str),
    /// A tag and its source.
    Tag(HtmlTag, &'s str),
    /// A comment or something like it.
    Other(&'s str),
}

impl<'s> Token<'s> {
    /// Its source.
    pub(super) fn source(&self) -> &'s str {
        let (Self::Text(source) | Self::Tag(_, source) | Self::Other(source)) = self;
        source
    }

    /// Whether it is the start or the end of an element of this name.
    pub(super) fn is(&self, name: &str, close: bool) -> bool {
        matches!(self, Self::Tag(tag, _) if tag.name == name && tag.close == close)
    }

    /// The number of line feeds in it.
    pub(super) fn line_feeds(&self) -> usize {
        self.source().bytes().filter(|byte| *byte == b'\n').count()
    }
}

impl HtmlTag {
    /// Parses a tag.
    pub(super) fn parse(source: &str) -> Option<Self> {
        lex_tag(source).filter(|(_, length)| *length == source.len()).map(|(tag, _)| tag)
    }

    /// Removes an attribute and returns its value; an empty one if it has no value.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        let at = self.attributes.iter().position(|(each, _)| each == name)?;
        Some(self.attributes.remove(at).1)
    }

    /// Removes the alternative text of an image and returns it in one line, as Markdown has it.
    pub(super) fn take_alt(&mut self) -> Option<String> {
        self.take("alt").map(|alt| alt.replace(['\n', '\r'], " "))
    }

    /// Removes a boolean attribute, which is true if it has no value or the value `true`.
    pub(super) fn flag(&mut self, name: &str) -> Result<Option<bool>, NotUnderstood> {
        match self.take(name).as_deref() {
            None => Ok(None),
            Some("" | "true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(NotUnderstood),
        }
    }

    /// Removes the attributes that only concern looks, or the way in which other programs read Markdown in HTML.
    pub(super) fn drop_looks(&mut self) {
        self.attributes.retain(|(name, _)| !LOOKS.contains(&name.as_str()));
    }

    /// Checks that every attribute was read.
    pub(super) fn finish(&self) -> Result<(), NotUnderstood> {
        if self.attributes.is_empty() { Ok(()) } else { Err(NotUnderstood) }
    }
}

/// Whether an element of this name has no content, and so no end tag.
pub(super) fn is_void(name: &str) -> bool {
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
        .contains(&name)
}

/// Splits HTML into its pieces, in linear time: a `<` that begins nothing is text, and the content of an unclosed
/// comment is one piece.
pub(super) fn tokens(html: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut text = 0;
    let mut at = 0;
    while let Some(found) = html[at..].find('<') {
        let start = at + found;
        let rest = &html[start..];
        let (token, length) = if let Some(comment) = rest.strip_prefix("<!--") {
            let length = comment.find("-->").map_or(rest.len(), |end| end + 7);
            (Token::Other(&rest[..length]), length)
        } else if rest.starts_with("<!") || rest.starts_with("<?") {
            let length = rest.find('>').map_or(rest.len(), |end| end + 1);
            (Token::Other(&rest[..length]), length)
        } else if let Some((tag, length)) = lex_tag(rest) {
            (Token::Tag(tag, &rest[..length]), length)
        } else {
            at = start + 1;
            continue;
        };
        if text < start {
            tokens.push(Token::Text(&html[text..start]));
        }
        tokens.push(token);
        at = start + length;
        text = at;
    }
    if text < html.len() {
        tokens.push(Token::Text(&html[text..]));
    }
    tokens
}

fn lex_tag(text: &str) -> Option<(HtmlTag, usize)> {
    let inner = text.strip_prefix('<')?;
    let (close, inner) = inner.strip_prefix('/').map_or((false, inner), |rest| (true, rest));
    let length = inner.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
    if !inner.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return None;
    }
    let name = inner[..length].to_ascii_lowercase();
    let mut rest = &inner[length..];
    let mut attributes: Vec<(String, String)> = Vec::new();
    loop {
        let trimmed = rest.trim_start();
        if let Some(after) = trimmed.strip_prefix('>').or_else(|| trimmed.strip_prefix("/>").filter(|_| !close)) {
            return Some((HtmlTag { name, close, attributes }, text.len() - after.len()));
        }
        if trimmed.len() == rest.len() || close {
            return None;
        }
        let stop = |each: char| each.is_whitespace() || matches!(each, '=' | '>' | '/' | '<' | '"' | '\'' | '`');
        let length = trimmed.find(stop)?;
        let (key, after) = trimmed.split_at(length);
        if key.is_empty() || attributes.iter().take(32).any(|(each, _)| each.eq_ignore_ascii_case(key)) {
            return None;
        }
        let value = match after.trim_start().strip_prefix('=') {
            None => {
                rest = after;
                ""
            }
            Some(value) => {
                let (value, after) = attribute_value(value.trim_start())?;
                rest = after;
                value
            }
        };
        attributes.push((key.to_ascii_lowercase(), unescape(value)));
    }
}

fn attribute_value(text: &str) -> Option<(&str, &str)> {
    match text.chars().next()? {
        quote @ ('"' | '\'') => text[1..].split_once(quote),
        _ => {
            let stop = |each: char| each.is_whitespace() || matches!(each, '=' | '>' | '<' | '"' | '\'' | '`');
            let (value, after) = text.split_at(text.find(stop)?);
            (!value.is_empty()).then_some((value, after))
        }
    }
}

/// Text with its character references resolved.
pub(super) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // The longest name has 31 letters; a semicolon further away belongs to something else.
        let end = rest.bytes().take(33).position(|byte| byte == b';');
        let Some((end, resolved)) = end.and_then(|end| Some((end, reference(&rest[1..end])?))) else {
            out.push('&');
            rest = &rest[1..];
            continue;
        };
        out.push_str(&resolved);
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

fn reference(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        return numbered(number).map(String::from);
    }
    named().get(name).map(|characters| (*characters).to_owned())
}

/// The character of a numeric reference, as CommonMark reads it.
fn numbered(number: &str) -> Option<char> {
    let (digits, radix, most) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 6),
        None => (number, 10, 7),
    };
    if !(1..=most).contains(&digits.len()) || !digits.bytes().all(|byte| char::from(byte).is_digit(radix)) {
        return None;
    }
    let point = u32::from_str_radix(digits, radix).ok().filter(|point| *point != 0);
    Some(point.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// The characters of the named references of HTML.
fn named() -> &'static HashMap<&'static str, &'static str> {
    static NAMED: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    NAMED.get_or_init(|| {
        let name = |entity: &entities::Entity| entity.entity.strip_prefix('&')?.strip_suffix(';');
        entities::ENTITIES.iter().filter_map(|entity| Some((name(entity)?, entity.characters))).collect()
    })
}

/// Text as HTML: characters with a meaning become references, and line feeds `<br>`. White space at the start of a line
/// becomes a reference if the text `starts` one, and white space at its end if the text `ends` one.
pub(super) fn escape(text: &str, starts: bool, ends: bool, out: &mut String) {
    let bytes = text.as_bytes();
    let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
    for (at, each) in text.char_indices() {
        let next = bytes.get(at + 1);
        match each {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\n' => out.push_str("<br>"),
            '\r' => out.push_str("&#13;"),
            '{' if next.is_none_or(|next| *next == b'%') => out.push_str("&#123;"),
            '$' if next.is_none_or(|next| *next == b'$') || begins_formula(&text[..at], &text[at..]) => {
                out.push_str("&#36;");
            }
            ' ' | '\t' | '\u{b}' | '\u{c}' if (at == 0 && starts) || (at == last && ends) => {
                out.push_str(&format!("&#{};", u32::from(each)));
            }
            _ => out.push(each),
        }
    }
}

/// Whether the rest of a text would be read as a formula in a line of Markdown.
fn begins_formula(before: &str, rest: &str) -> bool {
    dollars::formula(before.chars().next_back(), rest).is_some()
}

/// A value between double quotes.
pub(super) fn escape_attribute(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for each in value.chars() {
        match each {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            // A tag or formula in a value would be parsed as one.
            '`' => out.push_str("&#96;"),
            '$' => out.push_str("&#36;"),
            '{' => out.push_str("&#123;"),
            _ => out.push(each),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn html_is_cut_into_tags_text_and_the_rest() {
        let kinds: Vec<String> = tokens(r#"a <b c="d > e" f=g h>x &lt; 1 < 2</b><!-- <i> --><br/><?php"#)
            .iter()
            .map(|token| match token {
                Token::Text(text) => format!("text {text}"),
                Token::Tag(tag, source) => format!("tag {} {} {source}", tag.name, tag.close),
                Token::Other(source) => format!("other {source}"),
            })
            .collect();
        assert_eq!(
            kinds,
            [
                "text a ",
                r#"tag b false <b c="d > e" f=g h>"#,
                "text x &lt; 1 < 2",
                "tag b true </b>",
                "other <!-- <i> -->",
                "tag br false <br/>",
                "other <?php"
            ]
        );
    }

    #[rstest]
    #[case("<a b=\"c\"d>")]
    #[case("<a b='c>")]
    #[case("<a b=c")]
    #[case("< a>")]
    #[case("</a b>")]
    #[case("<a b=1 b=2>")]
    #[case("<a>x")]
    fn a_malformed_tag_is_none(#[case] source: &str) {
        assert_eq!(HtmlTag::parse(source), None);
    }

    #[rstest]
    #[case("&lt;&amp;&#65;&#x42;&eacute;&nbsp;", "<&ABé\u{a0}")]
    #[case("a & b &; &nosuch; &#; AT&T", "a & b &; &nosuch; &#; AT&T")]
    #[case("&#0;&#xD800;&#x110000;&#9999999;", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}")]
    #[case("&#12345678;&#x1234567;&#1a;&#xg;&#x;&amp", "&#12345678;&#x1234567;&#1a;&#xg;&#x;&amp")]
    #[case("&CounterClockwiseContourIntegral;&NotEqualTilde;&AMP;", "\u{2233}\u{2242}\u{338}&")]
    fn character_references_are_resolved(#[case] html: &str, #[case] text: &str) {
        assert_eq!(unescape(html), text);
    }

    #[rstest]
    #[case(" a  b ")]
    #[case("<b>&amp; {% x %} $$y$$ \u{a0}")]
    #[case("x {")]
    #[case("$x$ $5 and ($y$)")]
    fn escaped_text_is_the_same_text(#[case] text: &str) {
        let mut html = String::new();
        escape(text, true, true, &mut html);
        assert!(!html.contains('<') && !html.contains("{%") && !html.contains("$$"), "{html}");
        assert_eq!(unescape(&html), text);
        let tag = format!("<a b=\"{}\">", escape_attribute(text));
        assert_eq!(HtmlTag::parse(&tag).and_then(|mut tag| tag.take("b")).as_deref(), Some(text));
    }
}
