//! HTML and other source that content stores unchanged. It is sanitized to a few harmless elements.
use super::Blocks;
use crate::href::SCHEMES;
use ammonia::{Builder, UrlRelative};
use domain::content::document::{Inline, Verbatim};
use maud::{Markup, PreEscaped, html};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Elements in a line of text.
const INLINE: [&str; 22] = [
    "a", "abbr", "b", "br", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "s", "samp", "small",
    "span", "strong", "sub", "sup", "u",
];
/// Elements that are blocks.
const BLOCKS: [&str; 25] = [
    "blockquote",
    "caption",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "h2",
    "h3",
    "h4",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

static LINE: LazyLock<Builder<'static>> = LazyLock::new(|| cleaner(INLINE.into()));
static BLOCK: LazyLock<Builder<'static>> = LazyLock::new(|| cleaner(INLINE.into_iter().chain(BLOCKS).collect()));

/// The sanitizer: it keeps only allowed elements and a few harmless attributes.
fn cleaner(elements: HashSet<&'static str>) -> Builder<'static> {
    let mut cleaner = Builder::empty();
    cleaner
        .tags(elements)
        .add_tag_attributes("a", ["href"])
        .add_tag_attributes("td", ["colspan", "rowspan"])
        .add_tag_attributes("th", ["colspan", "rowspan"])
        .url_schemes(SCHEMES.into())
        .url_relative(UrlRelative::Custom(Box::new(anchor)))
        .clean_content_tags(["script", "style", "template", "noscript", "iframe"].into())
        .link_rel(Some("noopener"));
    cleaner
}

/// Of relative addresses, those of places of the page remain.
fn anchor(url: &str) -> Option<Cow<'_, str>> {
    url.starts_with('#').then_some(Cow::Borrowed(url))
}

/// A block of source.
pub(super) fn block(blocks: &mut Blocks<'_>, data: &Verbatim) -> Markup {
    if data.syntax != "html" {
        return html! { pre.o-verbatim tabindex="0" { code dir="auto" { (data.source) } } };
    }
    let cleaned = BLOCK.clean(&data.source).to_string();
    if cleaned.trim().is_empty() {
        return html! {};
    }
    // The sanitizer drops ids. The places are at the start of the block.
    let places: Vec<String> = places(&data.source).filter_map(|wanted| blocks.anchors.exact(wanted)).collect();
    // The library writes only the elements and attributes above.
    html! { div.o-html { @for place in &places { span id=(place) {} } (PreEscaped(cleaned)) } }
}

/// Source in a line of text.
pub(super) fn inline(source: &str) -> Markup {
    // The library writes only the elements and attributes above.
    PreEscaped(LINE.clean(source).to_string())
}

/// Whether a reader sees something of sanitized source in a line: a text or a line break.
pub(super) fn is_seen(html: &str) -> bool {
    let mut parts = html.split('<');
    let before = parts.next().unwrap_or_default();
    let is_text = |text: &str| !text.trim().is_empty();
    is_text(before)
        || parts.any(|part| part.starts_with("br") || part.split_once('>').is_some_and(|(_, text)| is_text(text)))
}

/// The element that a tag alone begins; `None` for other source.
fn opened(source: &str) -> Option<&'static str> {
    let inside = source.strip_prefix('<')?.strip_suffix('>').filter(|inside| !inside.contains(['<', '>']))?;
    let name = inside.split([' ', '\t', '\n', '/']).next()?;
    INLINE.into_iter().find(|known| known.eq_ignore_ascii_case(name) && *known != "br" && !inside.ends_with('/'))
}

/// Whether a tag ends an element.
fn closes(source: &str, name: &str) -> bool {
    let inside = source.strip_prefix("</").and_then(|rest| rest.strip_suffix('>'));
    inside.is_some_and(|inside| inside.trim().eq_ignore_ascii_case(name))
}

/// Finds the ends of elements in one line of text.
#[derive(Default)]
pub(super) struct Ends {
    /// The elements that have no end in the rest of the line. Looking again for each tag would take the square of the
    /// number of tags.
    missing: HashSet<&'static str>,
}

impl Ends {
    /// The element that a tag begins, and the index in `after`, the rest of the line, of the tag that ends it.
    pub(super) fn find<'i>(
        &mut self,
        tag: &Inline,
        after: impl IntoIterator<Item = &'i Inline>,
    ) -> Option<(&'static str, usize)> {
        let Inline::Verbatim { source } = tag else { return None };
        let name = opened(source).filter(|name| !self.missing.contains(name))?;
        let is_end = |inline: &Inline| matches!(inline, Inline::Verbatim { source } if closes(source, name));
        let end = after.into_iter().position(is_end);
        if end.is_none() {
            self.missing.insert(name);
        }
        Some((name, end?))
    }
}

/// The text at the start of a line, if a tag begins an element that has lines of its own.
pub(super) fn begins_line(source: &str) -> Option<&'static str> {
    let inside = source.strip_prefix('<')?.strip_suffix('>')?;
    match inside.split([' ', '\t', '\n']).next()?.to_ascii_lowercase().as_str() {
        "li" => Some("• "),
        "p" | "div" => Some(""),
        _ => None,
    }
}

/// The anchor of the place that a tag marks: the `id` of `<a>` or `<span>`, or the `name`.
pub(super) fn marked_place(source: &str) -> Option<&str> {
    place_in(source.strip_prefix('<')?.strip_suffix('>')?)
}

/// The anchors of all places that tags in HTML mark.
fn places(html: &str) -> impl Iterator<Item = &str> {
    html.split('<').skip(1).filter_map(|rest| place_in(rest.split_once('>')?.0))
}

/// The anchor of the place that a tag marks, from what is between `<` and `>`.
fn place_in(inside: &str) -> Option<&str> {
    let attributes = inside.strip_prefix("span").or_else(|| inside.strip_prefix('a'))?;
    let attributes = attributes.starts_with([' ', '\t', '\n']).then_some(attributes)?;
    [" id=", " name="].iter().find_map(|name| {
        let value = &attributes[attributes.find(name)? + name.len()..];
        let value = match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split(quote).next()?,
            _ => value.split([' ', '\t', '\n', '/']).next()?,
        };
        (!value.is_empty() && !value.contains(char::is_whitespace)).then_some(value)
    })
}

/// An element of a line of text. Links are only their text: source has no link that is understood.
pub(super) fn element(name: &'static str, inner: &Markup) -> Markup {
    match name {
        "a" | "span" => inner.clone(),
        // The name is one of those above.
        name => PreEscaped(format!("<{name}>{}</{name}>", inner.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("<b>a</b>", "<b>a</b>")]
    #[case("<b onclick=x style=y id=main class=o-hint>a", "<b>a</b>")]
    #[case("a <script>b</script> <style>c</style>d", "a  d")]
    #[case("<a href=javascript:x>a</a>", "<a rel=\"noopener\">a</a>")]
    #[case("<a href=/x>a</a>", "<a rel=\"noopener\">a</a>")]
    #[case("<a href='#x'>a</a>", "<a href=\"#x\" rel=\"noopener\">a</a>")]
    #[case("<a href=https://example.org/>a</a>", "<a href=\"https://example.org/\" rel=\"noopener\">a</a>")]
    #[case("<div>a</div>", "a")]
    #[case("<img src=x onerror=y>", "")]
    #[case("<svg><style><img src=x onerror=y>", "")]
    #[case("a < b & c", "a &lt; b &amp; c")]
    #[case("</b></p>", "")]
    fn source_in_a_line_keeps_a_few_elements(#[case] source: &str, #[case] html: &str) {
        assert_eq!(inline(source).into_string(), html);
    }

    #[test]
    fn an_end_that_is_missing_is_looked_for_once_in_a_line() {
        let tag = || Inline::Verbatim { source: "<a name=\"x\">".into() };
        let line: Vec<Inline> = std::iter::repeat_with(tag).take(1_000).collect();
        let (mut ends, mut steps) = (Ends::default(), 0);
        for (at, first) in line.iter().enumerate() {
            let after = line[at + 1..].iter().inspect(|_| steps += 1);
            assert_eq!(ends.find(first, after), None);
        }
        assert_eq!(steps, line.len() - 1);
        let (bold, end) = (Inline::Verbatim { source: "<b>".into() }, Inline::Verbatim { source: "</b>".into() });
        assert_eq!(ends.find(&bold, [&line[0], &end, &end]), Some(("b", 1)), "other elements have their ends");
    }

    #[rstest]
    #[case("", false)]
    #[case("<a rel=\"noopener\"></a> <b></b>", false)]
    #[case("<b>a</b>", true)]
    #[case("a", true)]
    #[case("<br>", true)]
    fn a_text_or_a_line_break_is_seen(#[case] html: &str, #[case] expected: bool) {
        assert_eq!(is_seen(html), expected);
    }

    #[test]
    fn html_can_mark_several_places() {
        let html = "<div><a id=\"one\"></a>< <b>a</b><span\n id='two'>b</span> <a id=\"three\"";
        assert_eq!(places(html).collect::<Vec<_>>(), ["one", "two"]);
    }

    #[rstest]
    #[case("<a name=\"old\">", Some("old"))]
    #[case("<a id='x.y'/>", Some("x.y"))]
    #[case("<span class=\"z\" id=here>", Some("here"))]
    #[case("<a href=\"#x\">", None)]
    #[case("<a data-id=\"x\">", None)]
    #[case("<a id=\"two words\">", None)]
    #[case("<a id=\"\">", None)]
    #[case("<abbr id=\"x\">", None)]
    #[case("</a>", None)]
    fn some_tags_mark_a_place(#[case] source: &str, #[case] expected: Option<&str>) {
        assert_eq!(marked_place(source), expected);
    }
}
