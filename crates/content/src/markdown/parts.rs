//! Splits a line that begins with a block tag into its tags and the text between them.
use super::tags::Tag;

/// A piece of such a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'s> {
    /// A tag.
    Tag(Tag<'s>),
    /// Text, not blank.
    Text(&'s str),
}

/// Splits a line. In its text, only tags of blocks count as tags, and none within code.
pub(super) fn parts(line: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut text = 0;
    let mut at = 0;
    let mut in_code = false;
    // Whether there is only white space between `text` and `at`.
    let mut blank = true;
    while let Some(found) = line[at..].find(['`', '{', '\\']) {
        blank = blank && line[at..at + found].trim().is_empty();
        at += found;
        let rest = &line[at..];
        if let Some(escaped) = rest.strip_prefix('\\') {
            at += 1 + escaped.chars().next().map_or(0, char::len_utf8);
            blank = false;
            continue;
        }
        if rest.starts_with('`') {
            blank = false;
            in_code = !in_code;
            at += rest.len() - rest.trim_start_matches('`').len();
            continue;
        }
        match Tag::lex(rest).filter(|tag| !in_code && (tag.is_block() || blank)) {
            Some(tag) => {
                push_text(&line[text..at], &mut parts);
                at += tag.source.len();
                (text, blank) = (at, true);
                parts.push(Part::Tag(tag));
            }
            None => {
                at += 1;
                blank = false;
            }
        }
    }
    push_text(&line[text..], &mut parts);
    parts
}

fn push_text<'s>(text: &'s str, parts: &mut Vec<Part<'s>>) {
    if !text.trim().is_empty() {
        parts.push(Part::Text(text.trim()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("{% hint %}", &["{% hint %}"])]
    #[case("{% hint %} a `{% endhint %}` b {% endhint %}", &["{% hint %}", "= a `{% endhint %}` b", "{% endhint %}"])]
    #[case("{% tabs %}{% tab %}a {% x %}{% endtab %} {% y %}{% endtabs %}", &["{% tabs %}", "{% tab %}", "=a {% x %}", "{% endtab %}", "{% y %}", "{% endtabs %}"])]
    #[case(r"{% hint %} \{% endhint %}", &["{% hint %}", r"=\{% endhint %}"])]
    fn a_line_is_cut_at_its_tags(#[case] line: &str, #[case] wanted: &[&str]) {
        let found: Vec<String> = parts(line)
            .into_iter()
            .map(|part| match part {
                Part::Tag(tag) => tag.source.to_owned(),
                Part::Text(text) => format!("={text}"),
            })
            .collect();
        let wanted: Vec<String> = wanted.iter().map(|part| part.replace("= ", "=")).collect();
        assert_eq!(found, wanted);
    }
}
