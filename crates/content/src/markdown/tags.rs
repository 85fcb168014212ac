//! A lexer for block tags: `{% name key="value" %}`.

/// A block tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag<'s> {
    /// Its name, such as `hint` or `endhint`.
    pub(super) name: &'s str,
    /// The text between its name and its end, trimmed.
    pub(super) args: &'s str,
    /// All of it, from `{%` to `%}`.
    pub(super) source: &'s str,
}

/// The tags of blocks. One of these at the start of a line is a block even if text follows in the line.
const BLOCKS: &[&str] = &[
    "code",
    "code-tabs",
    "code-tabs-item",
    "column",
    "columns",
    "content-ref",
    "embed",
    "expandable",
    "file",
    "hint",
    "if",
    "include",
    "integration",
    "openapi",
    "openapi-operation",
    "openapi-schemas",
    "openapi-webhook",
    "page-ref",
    "prompt",
    "step",
    "stepper",
    "swagger",
    "tab",
    "tabs",
    "update",
    "updates",
];

impl<'s> Tag<'s> {
    /// The tag at the beginning of `text`.
    ///
    /// It ends at the first `%}` outside of quotes, or at the first one if quotes do not close. It is in one line and
    /// has no other tag in it. This also bounds the work: no byte is read for two tags.
    pub(super) fn lex(text: &'s str) -> Option<Self> {
        let inner = text.strip_prefix("{%")?;
        let after = inner.trim_start_matches([' ', '\t']);
        let length =
            after.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')).count();
        if !after.starts_with(|first: char| first.is_ascii_alphabetic()) {
            return None;
        }
        let (name, rest) = after.split_at(length);
        if !rest.starts_with([' ', '\t', '%']) {
            return None;
        }
        let end = end_outside_quotes(rest).or_else(|| end_of_tag(rest))?;
        let source = &text[..text.len() - rest.len() + end + 2];
        Some(Self { name, args: rest[..end].trim(), source })
    }

    /// Whether it opens or closes a known block.
    pub(super) fn is_block(&self) -> bool {
        BLOCKS.contains(&self.name.strip_prefix("end").unwrap_or(self.name))
    }

    /// Its attributes; `None` when its arguments are not attributes.
    pub(super) fn attributes(&self) -> Option<Attributes> {
        Attributes::parse(self.args)
    }
}

fn end_of_tag(rest: &str) -> Option<usize> {
    // Cut at the next tag first: then a line of unclosed tags is read once.
    let own = rest.find("{%").map_or(rest, |next| &rest[..next]);
    let line = own.find('\n').map_or(own, |end| &own[..end]);
    line.find("%}")
}

fn end_outside_quotes(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut quote = None;
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], quote) {
            (b'\n', _) => return None,
            (b'{', _) if bytes.get(at + 1) == Some(&b'%') => return None,
            (b'%', None) if bytes.get(at + 1) == Some(&b'}') => return Some(at),
            (b'\\', Some(_)) if bytes.get(at + 1).is_some_and(|next| *next != b'\n') => at += 1,
            (b'"' | b'\'', None) => quote = Some(bytes[at]),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The attributes of a tag, in order. Each is removed when it is read; attributes that are left were not understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes(Vec<(String, String)>);

impl Attributes {
    /// Reads `key="value" key='value' key=value key "value"`; an attribute without value is `true`, a value without
    /// name has the empty name. `None` for any other form, or if a name occurs twice.
    pub(super) fn parse(args: &str) -> Option<Self> {
        let mut rest = args.trim_start();
        let mut found: Vec<(String, String)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while !rest.is_empty() {
            let length = rest
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':'))
                .count();
            let (name, after) = rest.split_at(length);
            let value_at = if name.is_empty() { Some(after) } else { after.strip_prefix('=') };
            let (value, after) = match value_at {
                None => ("true".to_owned(), after),
                Some(after) => value(after)?,
            };
            if !seen.insert(name.to_owned()) || !(after.is_empty() || after.starts_with(char::is_whitespace)) {
                return None;
            }
            found.push((name.to_owned(), value));
            rest = after.trim_start();
        }
        Some(Self(found))
    }

    /// Removes the attribute of this name.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(each, _)| each == name)?;
        Some(self.0.remove(at).1)
    }

    /// Removes a boolean: `Ok(None)` if it is absent, an error if it is not a boolean.
    pub(super) fn flag(&mut self, name: &str) -> Result<Option<bool>, NotUnderstood> {
        self.take(name).map(|value| value.parse().map_err(|_not_a_bool| NotUnderstood)).transpose()
    }

    /// Checks that every attribute was read.
    pub(super) fn finish(self) -> Result<(), NotUnderstood> {
        if self.0.is_empty() { Ok(()) } else { Err(NotUnderstood) }
    }
}

/// An unknown value: its source must be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotUnderstood;

fn value(text: &str) -> Option<(String, &str)> {
    let Some(quote) = text.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let bare = &text[..end];
        return (!bare.is_empty() && !bare.contains(['"', '\'', '='])).then(|| (bare.to_owned(), &text[end..]));
    };
    let mut value = String::new();
    let mut chars = text[1..].char_indices().peekable();
    while let Some((at, each)) = chars.next() {
        match each {
            _ if each == quote => return Some((value, &text[at + 2..])),
            '\\' => match chars.next_if(|(_, next)| *next == quote || *next == '\\') {
                Some((_, next)) => value.push(next),
                None => value.push('\\'),
            },
            _ => value.push(each),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(r#"{% hint style="info" %} rest"#, "hint", r#"style="info""#, r#"{% hint style="info" %}"#)]
    #[case("{%endhint%}", "endhint", "", "{%endhint%}")]
    #[case(r#"{% tab title="100 %} of it" %}"#, "tab", r#"title="100 %} of it""#, r#"{% tab title="100 %} of it" %}"#)]
    #[case(r#"{% tab title="a \" %} b" %}"#, "tab", r#"title="a \" %} b""#, r#"{% tab title="a \" %} b" %}"#)]
    #[case("{% if it's %} x", "if", "it's", "{% if it's %}")]
    #[case("{% x-y_2 %}", "x-y_2", "", "{% x-y_2 %}")]
    fn a_tag_has_a_name_arguments_and_an_end(
        #[case] text: &str,
        #[case] name: &str,
        #[case] args: &str,
        #[case] source: &str,
    ) {
        assert_eq!(Tag::lex(text), Some(Tag { name, args, source }));
    }

    #[rstest]
    #[case("{ % hint %}")]
    #[case("{% hint")]
    #[case("{% %}")]
    #[case("{% 1 %}")]
    #[case("{% hint\n%}")]
    #[case("{% hint {% x %}")]
    #[case("{% a(b) %}x{%")]
    fn what_is_not_a_tag_is_none(#[case] text: &str) {
        if text.starts_with("{% a(b)") {
            assert_eq!(Tag::lex("{% a(b) %}"), None, "a name ends at a space");
        }
        assert_eq!(Tag::lex(text), None);
    }

    #[rstest]
    #[case(r#"a="1" b='2' c=3 d"#, &[("a", "1"), ("b", "2"), ("c", "3"), ("d", "true")])]
    #[case(r#" a = "#, &[])]
    #[case(r#""x.md""#, &[("", "x.md")])]
    #[case(r#"a="C:\dir \"x\" \\""#, &[("a", r#"C:\dir "x" \"#)])]
    #[case(r#"a="it's""#, &[("a", "it's")])]
    #[case(r#"a="1"b="2""#, &[])]
    #[case(r#"a="1" a="2""#, &[])]
    #[case(r#"a="1"#, &[])]
    fn attributes_are_read_in_order(#[case] args: &str, #[case] wanted: &[(&str, &str)]) {
        let wanted: Vec<_> = wanted.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(Attributes::parse(args), (!wanted.is_empty()).then_some(Attributes(wanted)));
    }

    #[test]
    fn what_is_not_taken_is_not_understood() {
        let mut attributes = Attributes::parse(r#"a="1" b=true c=maybe"#).expect("attributes");
        assert_eq!(attributes.take("a").as_deref(), Some("1"));
        assert_eq!(attributes.flag("b"), Ok(Some(true)));
        assert_eq!(attributes.flag("c"), Err(NotUnderstood));
        assert_eq!(attributes.flag("d"), Ok(None));
        assert_eq!(attributes.clone().finish(), Ok(()), "a flag of a wrong value was taken too");
        assert_eq!(Attributes::parse("x").expect("one").finish(), Err(NotUnderstood));
    }
}
