//! HTML and other source that content stores unchanged. It is sanitized to a few harmless elements.
use super::Blocks;
use super::link::SCHEMES;
use ammonia::{Builder, UrlRelative};
use domain::content::document::Verbatim;
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
pub(super) fn block(_blocks: &mut Blocks<'_>, data: &Verbatim) -> Markup {
    if data.syntax != "html" {
        return html! { pre.o-verbatim tabindex="0" { code dir="auto" { (data.source) } } };
    }
    let cleaned = BLOCK.clean(&data.source).to_string();
    if cleaned.trim().is_empty() {
        return html! {};
    }
    // The library writes only the elements and attributes above.
    html! { div.o-html { (PreEscaped(cleaned)) } }
}

/// Source in a line of text.
pub(super) fn inline(source: &str) -> Markup {
    // The library writes only the elements and attributes above.
    PreEscaped(LINE.clean(source).to_string())
}

/// The element that a tag alone begins; `None` for other source.
pub(super) fn opened(source: &str) -> Option<&'static str> {
    let inside = source.strip_prefix('<')?.strip_suffix('>').filter(|inside| !inside.contains(['<', '>']))?;
    let name = inside.split([' ', '\t', '\n', '/']).next()?;
    INLINE.into_iter().find(|known| known.eq_ignore_ascii_case(name) && *known != "br" && !inside.ends_with('/'))
}

/// Whether a tag ends an element.
pub(super) fn closes(source: &str, name: &str) -> bool {
    let inside = source.strip_prefix("</").and_then(|rest| rest.strip_suffix('>'));
    inside.is_some_and(|inside| inside.trim().eq_ignore_ascii_case(name))
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
}
