//! Makes style sheets and scripts smaller. The build script and the tests use this file.

/// A style sheet without comments, insignificant white space, and each `& ` that a nested rule may leave out. Style
/// sheets here have no `&` in parentheses.
pub(crate) fn style(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut chars = source.chars().peekable();
    // White space that was read and not yet written.
    let mut space = false;
    while let Some(char) = chars.next() {
        match char {
            '/' if chars.peek() == Some(&'*') => {
                // The star that opens the comment does not close it.
                chars.next();
                skip_comment(&mut chars);
                space = true;
            }
            char if char.is_ascii_whitespace() => space = true,
            '"' | '\'' => {
                write_space(&mut out, &mut space, char);
                copy_string(char, &mut chars, &mut out);
            }
            '}' => {
                space = false;
                if out.ends_with(';') {
                    out.pop();
                }
                out.push('}');
            }
            '&' if begins_selector(&out) && is_implied(chars.clone()) => {
                space = false;
                chars.next();
            }
            char => {
                write_space(&mut out, &mut space, char);
                out.push(char);
            }
        }
    }
    out
}

/// Whether a selector begins after this text.
fn begins_selector(out: &str) -> bool {
    out.ends_with(['{', '}', ';', ','])
}

/// Whether the `&` before this text may be left out: a descendant follows, and the selector has no other `&`.
fn is_implied(mut rest: impl Iterator<Item = char>) -> bool {
    rest.next() == Some(' ')
        && rest.next().is_some_and(|next| matches!(next, '.' | '[' | ':' | 'a'..='z'))
        && rest.take_while(|char| !matches!(char, ',' | '{')).all(|char| char != '&')
}

/// Skips the rest of a comment.
fn skip_comment(chars: &mut impl Iterator<Item = char>) {
    let mut before = ' ';
    for char in chars {
        if before == '*' && char == '/' {
            break;
        }
        before = char;
    }
}

/// Writes a string that begins with this quotation mark. `chars` has its rest.
fn copy_string(quote: char, chars: &mut impl Iterator<Item = char>, out: &mut String) {
    out.push(quote);
    while let Some(char) = chars.next() {
        out.push(char);
        match char {
            '\\' => out.extend(chars.next()),
            char if char == quote => break,
            _ => {}
        }
    }
}

/// Writes the space before a character if it is significant.
fn write_space(out: &mut String, space: &mut bool, next: char) {
    let after = out.chars().next_back();
    let needed = !matches!(next, '{' | ';' | ',' | ')' | '>' | '!')
        && after.is_some_and(|after| !matches!(after, '{' | '}' | ';' | ',' | '(' | '>' | ':'));
    if std::mem::take(space) && needed {
        out.push(' ');
    }
}

/// A script without the lines that are comments and without white space that has no meaning. Scripts here end each
/// statement with a semicolon or a block, and have no quotes in regular expressions and no template inside of a
/// template.
pub(crate) fn script(source: &str) -> String {
    let lines: Vec<&str> = source.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect();
    let lines = lines.join("\n");
    let mut out = String::with_capacity(source.len());
    let mut chars = lines.chars().peekable();
    while let Some(char) = chars.next() {
        if matches!(char, '"' | '\'' | '`') {
            copy_string(char, &mut chars, &mut out);
        } else if char.is_ascii_whitespace() {
            let mut end_of_line = char == '\n';
            while let Some(white) = chars.next_if(char::is_ascii_whitespace) {
                end_of_line |= white == '\n';
            }
            let around = out.chars().next_back().zip(chars.peek().copied());
            out.extend(around.and_then(|(before, after)| needed(before, after, end_of_line)));
        } else {
            out.push(char);
        }
    }
    out
}

/// The replacement of white space between two characters of a script.
fn needed(before: char, after: char, end_of_line: bool) -> Option<char> {
    let in_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$');
    if end_of_line {
        // A statement without a semicolon can end here.
        let goes_on =
            matches!(before, '{' | '}' | '(' | '[' | ',' | ';') || matches!(after, '}' | ')' | ']' | '.' | '?' | ':');
        return (!goes_on).then_some('\n');
    }
    let signs = before == after && matches!(before, '+' | '-');
    ((in_name(before) && in_name(after)) || signs).then_some(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("a { color : red ; }", "a{color :red}")]
    #[case("/* one */ a /* two ** / */ b { }", "a b{}")]
    #[case("a :hover, b > c { margin: 1px -2px }", "a :hover,b>c{margin:1px -2px}")]
    #[case("a { width: calc(1px + (2px - 3px)) !important; }", "a{width:calc(1px + (2px - 3px))!important}")]
    #[case("a { content: ' ; /* } ' \"\\\" ;\" }", "a{content:' ; /* } ' \"\\\" ;\"}")]
    #[case("@media (width < 64rem) and (hover) { a { b: c } }", "@media (width < 64rem) and (hover){a{b:c}}")]
    #[case("a { & b { c: d }\n .e & { f: g } }", "a{b{c:d}.e &{f:g}}")]
    #[case("a { & .b, & :is(c, d), & e { f: g }\n & [h] { i: j } }", "a{.b,:is(c,d),e{f:g}[h]{i:j}}")]
    #[case("a { & .b &, & + &, &.c, &:hover, .d & .e { f: g } }", "a{& .b &,& + &,&.c,&:hover,.d & .e{f:g}}")]
    fn style_sheets_keep_their_meaning(#[case] source: &str, #[case] small: &str) {
        assert_eq!(style(source), small);
        assert_eq!(style(small), small);
    }

    #[rstest]
    #[case("// one\nif (a) {\n  b(\" //\");\n}\n\n", "if(a){b(\" //\");}")]
    #[case("const a = 1 + +b - -c\nconst d = `a  ${ e }`", "const a=1+ +b- -c\nconst d=`a  ${ e }`")]
    #[case("a\n  .b()\n  ?? c;", "a.b()??c;")]
    #[case("return 'a \\' b' in c;", "return'a \\' b'in c;")]
    fn scripts_keep_their_meaning(#[case] source: &str, #[case] small: &str) {
        assert_eq!(script(source), small);
        assert_eq!(script(small), small);
    }
}
