//! Expandables in HTML: `<details>`, its title, and the text between their tags.
use super::assembly::{Assembly, Opening};
use super::blocks::Context;
use super::events::of_html;
use super::hidden::is_block_line;
use super::html::{HtmlTag, Token, is_void, tokens};
use super::html_blocks::IN_LINES;
use super::inlines::inlines;
use super::raw::RAW_ELEMENTS;
use crate::document::{Block, Expandable, Inline, Kind};

/// Elements whose end tag may be left out.
const END_IS_OPTIONAL: [&str; 8] = ["dd", "dt", "li", "option", "p", "td", "th", "tr"];

/// A part of an HTML block with expandables.
enum Part<'s> {
    Open(&'s str, Option<Box<Block>>),
    Title(Vec<Inline>, String),
    Close(&'s str),
    /// What is between the tags, and its line.
    Text(&'s str, usize),
}

/// Adds the parts of an HTML block with tags of expandables. Returns whether there were any; if not, or if what is
/// between them cannot be read by itself, nothing is added.
pub(super) fn expandables(context: &mut Context<'_, '_>, html: &str, line: usize, assembly: &mut Assembly) -> bool {
    let found = context.found.len();
    let depth = assembly.depth();
    let Some(parts) = parts(html, line, |title, line| inlines(of_html(title, line), context, depth).ok()) else {
        context.found.truncate(found);
        return false;
    };
    for part in parts {
        match part {
            Part::Open(source, block) => {
                assembly.open(Opening { name: "details", source, syntax: "html", block: block.map(|block| *block) });
            }
            Part::Title(content, source) => assembly.title(content, &source),
            Part::Close(source) => assembly.close("details", source, "html"),
            Part::Text(text, line) => context.text(&dedented(text), line, assembly),
        }
    }
    true
}

/// Removes the end tag of an expandable from the end of a text.
pub(super) fn take_end(content: &mut Vec<Inline>) -> Option<String> {
    let is_end = |source: &&String| HtmlTag::parse(source).is_some_and(|tag| tag.close && tag.name == "details");
    let end = match content.last() {
        Some(Inline::Verbatim { source }) => Some(source).filter(is_end).cloned(),
        _ => None,
    }?;
    content.pop();
    if let Some(Inline::Text(text)) = content.last_mut() {
        text.text.truncate(text.text.trim_end_matches(' ').len());
        if text.text.is_empty() {
            content.pop();
        }
    }
    Some(end)
}

/// Splits an HTML block at the tags of expandables that are in no other element.
fn parts<'s>(
    html: &'s str,
    line: usize,
    mut title: impl FnMut(&[Token<'s>], usize) -> Option<Vec<Inline>>,
) -> Option<Vec<Part<'s>>> {
    let all = tokens(html);
    let mut rest = &all[..];
    let mut parts = Vec::new();
    // The start of the text before the next tag, and of the next token, with their lines.
    let (mut text, mut next) = ((0, line), (0, line));
    let mut open: Vec<&str> = Vec::new();
    while let Some((token, after)) = rest.split_first() {
        let start = next;
        next = (next.0 + token.source().len(), next.1 + token.line_feeds());
        rest = after;
        let (tag, source) = match token {
            Token::Text(_) => continue,
            Token::Tag(tag, source) => (tag, *source),
            Token::Other(source) if source.starts_with("<!--") && source.ends_with("-->") => continue,
            Token::Other(_) => return None,
        };
        let part = match (tag.name.as_str(), tag.close) {
            // It ends what is open in lines, too.
            ("details", true) if open.iter().all(|name| IN_LINES.contains(name)) => {
                open.clear();
                Part::Close(source)
            }
            ("details", false) if open.is_empty() => Part::Open(source, expandable(tag).map(Box::new)),
            ("summary", false) if open.is_empty() && has_only_looks(tag) => {
                let Some(end) = end_of_summary(rest) else { continue };
                let content = title(&rest[..end], next.1)?;
                let written: String = rest[..end].iter().map(Token::source).collect();
                for token in &rest[..=end] {
                    next = (next.0 + token.source().len(), next.1 + token.line_feeds());
                }
                rest = &rest[end + 1..];
                Part::Title(content, format!("<summary>{}</summary>", written.trim()))
            }
            (name, false) if !is_void(name) && !END_IS_OPTIONAL.contains(&name) && !source.ends_with("/>") => {
                open.push(name);
                continue;
            }
            (name, true) => {
                open.pop_if(|last| *last == name);
                continue;
            }
            _ => continue,
        };
        push_text(&html[text.0..start.0], text.1, &mut parts);
        parts.push(part);
        text = next;
    }
    push_text(&html[text.0..], text.1, &mut parts);
    // A definition is for the whole file, and the other end of a tag may be further down.
    let is_tag = |line: &str| is_block_line(line.trim_start());
    let readable = |part: &Part<'_>| match part {
        Part::Text(text, _) => !text.contains("]:") && !text.lines().any(is_tag),
        _ => true,
    };
    let raw = open.iter().any(|name| RAW_ELEMENTS.contains(name));
    let any = parts.iter().any(|part| !matches!(part, Part::Text(..)));
    (any && !raw && parts.iter().all(readable)).then_some(parts)
}

fn push_text<'s>(text: &'s str, line: usize, parts: &mut Vec<Part<'s>>) {
    if !text.trim().is_empty() {
        parts.push(Part::Text(text, line));
    }
}

/// The end of the title that begins before these tokens: the next tag of a title, if it is an end tag.
fn end_of_summary(tokens: &[Token<'_>]) -> Option<usize> {
    let end = tokens.iter().position(|token| matches!(token, Token::Tag(tag, _) if tag.name == "summary"))?;
    matches!(&tokens[end], Token::Tag(tag, _) if tag.close).then_some(end)
}

fn expandable(tag: &HtmlTag) -> Option<Block> {
    let mut tag = tag.clone();
    tag.drop_looks();
    let default_expanded = tag.flag("open").ok()?;
    let id = tag.take("id");
    tag.finish().ok().map(|()| Block::new(Kind::Expandable(Expandable { default_expanded, id })))
}

fn has_only_looks(tag: &HtmlTag) -> bool {
    let mut tag = tag.clone();
    tag.drop_looks();
    tag.finish().is_ok()
}

/// Text without the white space at the start of all of its lines. The first line follows a tag.
fn dedented(text: &str) -> String {
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = text.split('\n').skip(1).filter(|line| !line.trim().is_empty()).map(blanks).min().unwrap_or(0);
    let mut lines = text.split('\n');
    let mut out = lines.next().unwrap_or_default().trim_start_matches([' ', '\t']).to_owned();
    for line in lines {
        out.push('\n');
        out.push_str(line.get(common..).unwrap_or_default());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("a", "a")]
    #[case("  a\n    b\n      c\n\n  ", "a\nb\n  c\n\n")]
    #[case("\n\ta\n\t* b", "\na\n* b")]
    #[case("a\nb\n  c", "a\nb\n  c")]
    fn lines_lose_the_white_space_that_all_of_them_begin_with(#[case] text: &str, #[case] dedented: &str) {
        assert_eq!(super::dedented(text), dedented);
    }

    #[rstest]
    #[case("<details>\n<summary>a</summary>\nb\n</details>\nc", &["details", "a@2", "b@2", "/details", "c@4"])]
    #[case("</p>\n</details>", &["</p>@1", "/details"])]
    #[case("<p>a<details>", &["<p>a@1", "details"])]
    #[case("<ul><li><details></details></ul>", &[])]
    #[case("<ul><li>a<li>b</ul></details>", &["<ul><li>a<li>b</ul>@1", "/details"])]
    #[case("<embed src=\"a\"><track></details>", &["<embed src=\"a\"><track>@1", "/details"])]
    #[case("<b>a</b>", &[])]
    #[case("<summary>a<summary>", &[])]
    #[case("<details><b>a</details>b</b>", &["details", "<b>a@1", "/details", "b</b>@1"])]
    #[case("<details><pre>", &[])]
    #[case("<details><!-- a", &[])]
    #[case("<details>[a]: b", &[])]
    #[case("<details class=\"x\" open><summary style=\"y\"><b>a</b></summary>", &["details", "<b>a</b>@1"])]
    #[case("<details><summary title=\"x\">a</summary>", &["details", "<summary title=\"x\">a</summary>@1"])]
    fn html_is_split_at_the_tags_of_expandables(#[case] html: &str, #[case] expected: &[&str]) {
        let title = |tokens: &[Token<'_>], line: usize| {
            let source: String = tokens.iter().map(Token::source).collect();
            Some(vec![Inline::from(format!("{source}@{line}"))])
        };
        let parts: Vec<String> = (parts(html, 1, title).unwrap_or_default().into_iter())
            .map(|part| match part {
                Part::Open(..) => "details".to_owned(),
                Part::Title(content, _) => match &content[..] {
                    [Inline::Text(text)] => text.text.clone(),
                    other => format!("{other:?}"),
                },
                Part::Close(_) => "/details".to_owned(),
                Part::Text(text, line) => format!("{}@{line}", text.trim()),
            })
            .collect();
        assert_eq!(parts, expected);
    }
}
