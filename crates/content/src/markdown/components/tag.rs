//! A lexer for the tags of components: `<Note title="a">` of MDX, and shortcodes of Hugo, `{{< note "a" >}}`.
use crate::markdown::html::unescape;

/// The language of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::markdown) enum Language {
    /// MDX.
    Mdx,
    /// Shortcodes of Hugo.
    Hugo,
}

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::markdown) struct Tag<'s> {
    pub(in crate::markdown) language: Language,
    pub(in crate::markdown) name: &'s str,
    /// Whether it is an end tag.
    pub(in crate::markdown) close: bool,
    /// Whether it ends itself.
    pub(in crate::markdown) void: bool,
    /// All of it.
    pub(in crate::markdown) source: &'s str,
    given: Vec<(&'s str, String)>,
}

impl<'s> Tag<'s> {
    /// The tag at the beginning of a text. It can span lines if it is of MDX.
    pub(in crate::markdown) fn lex(text: &'s str) -> Option<Self> {
        if text.starts_with('<') { mdx(text) } else { hugo(text) }
    }

    /// Its value of this name. A value of an expression is none, because it is unknown.
    pub(in crate::markdown) fn value(&self, name: &str) -> Option<&str> {
        let (_, value) = self.given.iter().find(|(each, _)| *each == name)?;
        let value = value.trim();
        (!value.is_empty() && !value.starts_with('{')).then_some(value)
    }

    /// The first of its values that has one of these names.
    pub(in crate::markdown) fn first(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.value(name))
    }

    /// Its value without a name at this place, from 0.
    pub(in crate::markdown) fn unnamed(&self, at: usize) -> Option<&str> {
        let mut unnamed = self.given.iter().filter(|(name, _)| name.is_empty());
        unnamed.nth(at).map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }

    /// Whether it has a value of this name, also one that is an expression.
    pub(in crate::markdown) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(each, _)| *each == name)
    }

    /// The texts of a list of this name: `['a', "b"]`, or `a,b`.
    pub(in crate::markdown) fn list(&self, name: &str) -> Vec<String> {
        let Some((_, value)) = self.given.iter().find(|(each, _)| *each == name) else { return Vec::new() };
        let Some(inside) = value.strip_prefix("{[").and_then(|rest| rest.strip_suffix("]}")) else {
            return value.split(',').map(|text| text.trim().to_owned()).collect();
        };
        let mut texts = Vec::new();
        let mut rest = inside;
        while let Some(at) = rest.find(['"', '\'', '`']) {
            let quote = rest.as_bytes()[at];
            let Some((text, after)) = rest[at + 1..].split_once(char::from(quote)) else { break };
            texts.push(text.to_owned());
            rest = after;
        }
        texts
    }
}

/// Whether a text begins like the tag of a component.
pub(in crate::markdown) fn may_begin(text: &str) -> bool {
    match text.strip_prefix('<') {
        Some(rest) => rest.strip_prefix('/').unwrap_or(rest).starts_with(|first: char| first.is_ascii_uppercase()),
        None => text.starts_with("{{<") || text.starts_with("{{%"),
    }
}

fn mdx(text: &str) -> Option<Tag<'_>> {
    let inner = text.strip_prefix('<')?;
    let (close, inner) = inner.strip_prefix('/').map_or((false, inner), |rest| (true, rest));
    let length = inner.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'.').count();
    let (name, mut rest) = inner.split_at(length);
    if !name.starts_with(|first: char| first.is_ascii_uppercase()) {
        return None;
    }
    let mut given: Vec<(&str, String)> = Vec::new();
    loop {
        let next = rest.trim_start();
        let end = next.strip_prefix('>').or_else(|| next.strip_prefix("/>").filter(|_| !close));
        if let Some(after) = end {
            let void = next.starts_with('/');
            let source = &text[..text.len() - after.len()];
            return Some(Tag { language: Language::Mdx, name, close, void, source, given });
        }
        if next.len() == rest.len() || close {
            return None;
        }
        let stop = |each: char| each.is_whitespace() || "=></\"'`{}".contains(each);
        let (key, after) = next.split_at(next.find(stop)?);
        if key.is_empty() {
            return None;
        }
        let Some(value) = after.strip_prefix('=') else {
            given.push((key, "true".to_owned()));
            rest = after;
            continue;
        };
        let (value, after) = match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split_once(quote).map(|(value, after)| (unescape(value), after))?,
            '{' => expression(value)?,
            _ => return None,
        };
        given.push((key, value.replace(['\n', '\r'], " ")));
        rest = after;
    }
}

/// The expression in braces at the beginning of a text, and the text after it. One that is only a string is its text;
/// another one keeps its braces.
fn expression(text: &str) -> Option<(String, &str)> {
    let mut depth = 0_usize;
    let mut quote = None;
    let end = text.bytes().position(|byte| {
        match (byte, quote) {
            (_, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (b'"' | b'\'' | b'`', None) => quote = Some(byte),
            (b'{', None) => depth += 1,
            (b'}', None) => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let (source, after) = text.split_at(end + 1);
    let inside = source[1..end].trim();
    let string = ['"', '\'', '`'].into_iter().find_map(|quote| {
        let string = inside.strip_prefix(quote)?.strip_suffix(quote)?;
        (!string.contains([quote, '\\', '$'])).then(|| string.to_owned())
    });
    let plain = matches!(inside, "true" | "false").then(|| inside.to_owned());
    Some((string.or(plain).unwrap_or_else(|| format!("{{{inside}}}")), after))
}

fn hugo(text: &str) -> Option<Tag<'_>> {
    let (inner, end) = match text.strip_prefix("{{<") {
        Some(inner) => (inner, ">}}"),
        None => (text.strip_prefix("{{%")?, "%}}"),
    };
    // Cut at the next tag first: then a line of unclosed tags is read once.
    let own = inner.find("{{").map_or(inner, |next| &inner[..next]);
    let own = own.find('\n').map_or(own, |next| &own[..next]);
    let length = own.find(end)?;
    let source = &text[..3 + length + 3];
    let inside = own[..length].trim();
    let (close, inside) = inside.strip_prefix('/').map_or((false, inside), |rest| (true, rest.trim_start()));
    let (void, inside) = inside.strip_suffix('/').map_or((false, inside), |rest| (true, rest));
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/');
    let (name, mut rest) = inside.split_at(inside.bytes().take_while(of_name).count());
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return None;
    }
    let mut given: Vec<(&str, String)> = Vec::new();
    loop {
        let next = rest.trim_start();
        if next.is_empty() {
            return Some(Tag { language: Language::Hugo, name, close, void, source, given });
        }
        if next.len() == rest.len() {
            return None;
        }
        let length =
            next.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')).count();
        let (key, value) = match next[length..].strip_prefix('=') {
            Some(value) if length > 0 => (&next[..length], value),
            _ => ("", next),
        };
        let (value, after) = match value.chars().next() {
            Some(quote @ ('"' | '`')) => value[1..].split_once(quote)?,
            _ => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        given.push((key, value.to_owned()));
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("<Note> a", "Note", false, false, "<Note>", &[])]
    #[case("</Note>a", "Note", true, false, "</Note>", &[])]
    #[case("<Tabs.Tab>", "Tabs.Tab", false, false, "<Tabs.Tab>", &[])]
    #[case("<Card title=\"a > b\" href='/c'/>", "Card", false, true, "<Card title=\"a > b\" href='/c'/>", &[("title", "a > b"), ("href", "/c")])]
    #[case("<A b={2} c={\"d\"} e f={true}>", "A", false, false, "<A b={2} c={\"d\"} e f={true}>", &[("b", "{2}"), ("c", "d"), ("e", "true"), ("f", "true")])]
    #[case("<A b={{c: \"}\"}}>", "A", false, false, "<A b={{c: \"}\"}}>", &[("b", "{{c: \"}\"}}")])]
    #[case("<A\n  b=\"c\n d\"\n>", "A", false, false, "<A\n  b=\"c\n d\"\n>", &[("b", "c  d")])]
    #[case("<A b=\"c&#13;d\">", "A", false, false, "<A b=\"c&#13;d\">", &[("b", "c d")])]
    #[case("{{< note >}} a", "note", false, false, "{{< note >}}", &[])]
    #[case("{{% /note %}}", "note", true, false, "{{% /note %}}", &[])]
    #[case("{{</note>}}", "note", true, false, "{{</note>}}", &[])]
    #[case("{{< a/b \"c d\" e=`f` g=h />}}", "a/b", false, true, "{{< a/b \"c d\" e=`f` g=h />}}", &[("", "c d"), ("e", "f"), ("g", "h")])]
    fn a_tag_has_a_name_and_values(
        #[case] text: &str,
        #[case] name: &str,
        #[case] close: bool,
        #[case] void: bool,
        #[case] source: &str,
        #[case] given: &[(&str, &str)],
    ) {
        let tag = Tag::lex(text).expect("a tag");
        assert!(may_begin(text));
        assert_eq!((tag.name, tag.close, tag.void, tag.source), (name, close, void, source));
        let found: Vec<(&str, &str)> = tag.given.iter().map(|(name, value)| (*name, value.as_str())).collect();
        assert_eq!(found, given);
    }

    #[rstest]
    #[case("<note>")]
    #[case("<Note")]
    #[case("<Note a=b>")]
    #[case("<Note a=\"b>")]
    #[case("<Note {...a}>")]
    #[case("<Note a={b>")]
    #[case("</Note a>")]
    #[case("{{< note")]
    #[case("{{< note %}}")]
    #[case("{{</* note */>}}")]
    #[case("{{< >}}")]
    #[case("{{< note \"a >}}")]
    #[case("{{< note\n>}}")]
    #[case("{{ note }}")]
    fn what_is_no_tag_of_a_component_is_none(#[case] text: &str) {
        assert_eq!(Tag::lex(text), None);
    }

    #[rstest]
    #[case("<Tabs items={['a, b', \"c\"]}>", &["a, b", "c"])]
    #[case("{{< tabs items=\"a, b\" >}}", &["a", "b"])]
    #[case("<Tabs>", &[])]
    fn a_list_has_its_texts(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(Tag::lex(text).expect("a tag").list("items"), expected);
    }

    #[test]
    fn the_value_of_an_expression_is_unknown() {
        let tag = Tag::lex("<Card title={name} href=\" \">").expect("a tag");
        assert_eq!((tag.value("title"), tag.value("href"), tag.has("title")), (None, None, true));
    }
}
