//! Formulas between dollars: `$$x$$`, and `$x$` where it can be nothing else, such as a price or a variable.
use super::tags::Tag;

/// Text that would belong to more than the formula: the ends of links, marks, tags and comments.
const FOREIGN: [&str; 12] = ["](", "][", "]:", "--", "**", "__", "~~", "{%", "%}", "'>", "/>", "://"];

/// A formula, with its dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Formula<'t> {
    /// All of it.
    pub(super) source: &'t str,
    /// What is between the dollars.
    pub(super) inside: &'t str,
}

/// The formula at the beginning of `text`, which follows the character `before` in its line.
pub(super) fn formula(before: Option<char>, text: &str) -> Option<Formula<'_>> {
    double(text).or_else(|| single(before, text))
}

/// The formula in double dollars at the beginning of `text`, in one line: something without `$$` and backticks.
pub(super) fn double(text: &str) -> Option<Formula<'_>> {
    let inner = text.strip_prefix("$$")?;
    let mut stops = inner.match_indices(['`', '$', '\n']);
    let end = stops.find(|(at, stop)| *stop != "$" || inner[at + 1..].starts_with('$'))?;
    let inside = &inner[..end.0];
    (end.1 == "$" && !inside.trim().is_empty()).then(|| Formula { source: &text[..end.0 + 4], inside })
}

/// A formula in single dollars. Its dollars are next to it, and not next to a letter or digit outside of it.
fn single(before: Option<char>, text: &str) -> Option<Formula<'_>> {
    let inner = text.strip_prefix('$')?;
    let may_precede = |each: char| !each.is_ascii() || each.is_whitespace() || "([{\"'*_|>~,.:;".contains(each);
    if !before.is_none_or(may_precede) || inner.starts_with(|first: char| first.is_whitespace() || first == '$') {
        return None;
    }
    let bytes = inner.as_bytes();
    let mut end = 0;
    loop {
        match bytes.get(end)? {
            b'$' => break,
            b'`' | b'|' | b'"' | b'\n' => return None,
            // In double dollars, it could not be written.
            b'\\' if matches!(bytes.get(end + 1), Some(b'$' | b'`' | b'\n')) => return None,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    let inside = &inner[..end];
    let after = inner[end + 1..].chars().next();
    let is_free = after.is_none_or(|after| !after.is_ascii_alphanumeric() && !matches!(after, '$' | '{'));
    (is_free && !goes_on(inside, after) && is_mathematics(inside)).then(|| Formula { source: &text[..end + 2], inside })
}

/// Whether the last dollar is more likely the beginning of something, as in `$(a)$(b)` and `$i=0;$j`.
fn goes_on(inside: &str, after: Option<char>) -> bool {
    let mut from_end = inside.chars().rev();
    let (last, before) = (from_end.next(), from_end.next());
    // A sign may be an exponent or an index.
    let is_open = last.is_some_and(|last| "(=;+-/".contains(last)) && !matches!(before, Some('^' | '_'));
    let is_call = inside.starts_with('(') && inside.contains(')') && after == Some('(');
    is_open || is_call || inside.ends_with(char::is_whitespace)
}

/// Whether a text between single dollars is mathematics: a single letter, a command such as `\pi`, an exponent, or
/// single letters with something else. Words are not.
fn is_mathematics(text: &str) -> bool {
    let is_letter = |each: char| each.is_alphabetic();
    let begins_tag = |(at, _): (usize, &str)| {
        text[at + 1..].starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'))
    };
    if FOREIGN.iter().any(|part| text.contains(part)) || text.match_indices('<').any(begins_tag) || !is_balanced(text) {
        return false;
    }
    let mut letters = text.chars();
    let is_name = letters.next().is_some_and(is_letter) && letters.all(|each| each.is_ascii_digit() || each == '\'');
    let has_command = text.match_indices('\\').any(|(at, _)| text[at + 1..].starts_with(is_letter));
    let has_exponent = text.match_indices('^').any(|(at, _)| at > 0 && at + 1 < text.len());
    let has_sign = text.contains(['=', '<', '>', '+', '-', '*', '/', '(', '_']);
    let has_letter = text.contains(is_letter);
    let has_word = text.split(|each: char| !is_letter(each)).any(|letters| letters.chars().nth(1).is_some());
    is_name || has_command || has_exponent || (has_sign && has_letter && !has_word)
}

/// Whether each bracket has its other one, so that none belongs to a link around the formula. One after a backslash is
/// text.
fn is_balanced(text: &str) -> bool {
    let mut open = 0_usize;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match (byte, open) {
            (b'\\', _) => {
                bytes.next();
            }
            (b'[', _) => open += 1,
            (b']', 0) => return false,
            (b']', _) => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// Escapes the dollars that would begin or end a formula in single dollars, where the written Markdown `is_text`. What
/// is a formula is found as in reading.
pub(super) fn escape(written: &mut String, is_text: impl Fn(usize) -> bool) {
    if written.bytes().filter(|byte| *byte == b'$').nth(1).is_none() {
        return;
    }
    let mut out = String::with_capacity(written.len() + 2);
    let mut rest = written.as_str();
    while let Some(found) = rest.find(['\\', '{', '$']) {
        out.push_str(&rest[..found]);
        rest = &rest[found..];
        let at = written.len() - rest.len();
        let length = if let Some(formula) = double(rest) {
            formula.source.len()
        } else if let Some(formula) = single(written[..at].chars().next_back(), rest) {
            // The first dollar, or else the last one.
            let end = formula.source.len() - 1;
            match [0, end].into_iter().find(|dollar| is_text(at + dollar)) {
                Some(dollar) => {
                    out.push_str(&rest[..dollar]);
                    out.push('\\');
                    rest = &rest[dollar..];
                    1
                }
                None => end + 1,
            }
        } else if let Some(tag) = Tag::lex(rest).filter(|tag| !tag.source.contains('`')) {
            tag.source.len()
        } else if let Some(escaped) = rest.strip_prefix('\\') {
            1 + escaped.chars().next().map_or(0, char::len_utf8)
        } else {
            1 + usize::from(rest.starts_with("$$") || rest.starts_with("{%"))
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    *written = out;
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(None, "$x$", Some("x"))]
    #[case(Some(' '), "$x_1'$ b", Some("x_1'"))]
    #[case(Some('('), "$n'$)", Some("n'"))]
    #[case(None, "$x_i + y$, $z$", Some("x_i + y"))]
    #[case(None, "$\\frac{a}{b}$", Some("\\frac{a}{b}"))]
    #[case(None, "$10^{-3}$", Some("10^{-3}"))]
    #[case(None, "$O(n)$", Some("O(n)"))]
    #[case(None, "$a < b$", Some("a < b"))]
    #[case(Some('设'), "$x$为", Some("x"))]
    #[case(None, "$$a|b$$", Some("a|b"))]
    #[case(None, "$5 and $10", None)]
    #[case(None, "$5$", None)]
    #[case(None, "$5-$10", None)]
    #[case(None, "$HOME:$PATH", None)]
    #[case(None, "$HOME$", None)]
    #[case(None, "$MY_NAME$", None)]
    #[case(None, "$filter = a$", None)]
    #[case(Some('S'), "$a$", None)]
    #[case(Some('='), "$a$", None)]
    #[case(None, "$ a$", None)]
    #[case(None, "$a $", None)]
    #[case(None, "$a$b", None)]
    #[case(None, "$a^`b`$", None)]
    #[case(None, "$a^\n2$", None)]
    #[case(None, "$a^\\`$", None)]
    #[case(None, "$a](b^$)", None)]
    #[case(None, "$a] b^2$", None)]
    #[case(None, "$a</b>^2$", None)]
    #[case(None, "$a^2", None)]
    #[case(None, "$x^+$", Some("x^+"))]
    #[case(None, "$a_-$", Some("a_-"))]
    #[case(None, "$(a)$", Some("(a)"))]
    #[case(None, "$\\[a\\]^2$", Some("\\[a\\]^2"))]
    #[case(None, "$(a)/$(b)", None)]
    #[case(None, "$(a)$(b)", None)]
    #[case(None, "$i=0;$", None)]
    #[case(None, "$a+$", None)]
    #[case(None, "$a-$", None)]
    #[case(None, "$a=$", None)]
    #[case(Some(','), "$(x).y($)", None)]
    #[case(None, "$a)[b^\\]$](c)", None)]
    fn a_formula_is_told_from_money_and_variables(
        #[case] before: Option<char>,
        #[case] text: &str,
        #[case] inside: Option<&str>,
    ) {
        assert_eq!(formula(before, text).map(|formula| formula.inside), inside);
    }

    #[rstest]
    #[case("$5 and $10 or $HOME", "$5 and $10 or $HOME")]
    #[case("a $x$ b", "a \\$x$ b")]
    #[case("$x$ $y$", "\\$x$ \\$y$")]
    #[case("\\$x$ $$y$$ $z$", "\\$x$ $$y$$ \\$z$")]
    #[case("{% a $x$ %} $y$", "{% a $x$ %} \\$y$")]
    #[case("$a^\\$$", "$a^\\$$")]
    fn only_dollars_that_begin_a_formula_are_escaped(#[case] text: &str, #[case] escaped: &str) {
        let mut written = text.to_owned();
        escape(&mut written, |_| true);
        assert_eq!(written, escaped);
        let again = written.clone();
        escape(&mut written, |_| true);
        assert_eq!(written, again);
    }

    #[test]
    fn what_is_no_text_stays() {
        let escaped = |text: &str, start: usize| {
            let mut written = text.to_owned();
            escape(&mut written, |at| at >= start);
            written
        };
        assert_eq!(escaped("$x$ $y$", 3), "$x$ \\$y$");
        assert_eq!(escaped("<a b=c,$x> y^$", 10), "<a b=c,$x> y^\\$");
    }
}
