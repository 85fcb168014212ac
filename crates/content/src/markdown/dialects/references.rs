//! Links of other tools in a line: `[[Page#Heading|label]]` and `![[image.png]]` of Obsidian and other wikis, and
//! `[label]({{< ref "page.md" >}})` of Hugo.
use crate::document::anchor_slug;
use crate::markdown::components::{self, Tag};
use crate::markdown::html_blocks::IN_LINES;
use crate::markdown::marks::container_prefix;
use crate::markdown::{LinkUse, Links};
use std::collections::HashSet;

/// The longest text between double brackets, so that brackets that do not close are not read to the end each time.
const MAX_LENGTH: usize = 400;

/// The extensions of pictures.
const PICTURES: [&str; 8] = ["png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "bmp"];

/// What the links of a text can lead to.
pub(super) struct Known<'l> {
    links: &'l dyn Links,
    /// The labels of its definitions. Such a label in double brackets is a reference in brackets, as in CommonMark.
    labels: HashSet<String>,
    /// The anchors of its headings.
    anchors: HashSet<String>,
}

impl<'l> Known<'l> {
    /// What these lines have.
    pub(super) fn of<L: AsRef<str>>(lines: &[L], links: &'l dyn Links) -> Self {
        let mut known = Self { links, labels: HashSet::new(), anchors: HashSet::new() };
        if !lines.iter().any(|line| line.as_ref().contains("[[")) {
            return known;
        }
        for line in lines {
            let line = line.as_ref();
            let body = &line[container_prefix(line)..];
            if let Some((label, _)) = body.strip_prefix('[').and_then(|rest| rest.split_once("]:")) {
                known.labels.insert(label.trim().to_lowercase());
            } else if body.starts_with('#') {
                known.anchors.insert(anchor_slug(body.trim_matches(['#', ' '])));
            }
        }
        known
    }

    fn href(&self, name: &str) -> Option<String> {
        self.links.named(name).filter(|href| is_address(href))
    }
}

/// Whether a text can be an address between angle brackets.
pub(super) fn is_address(href: &str) -> bool {
    !href.contains(['<', '>', '\\', '\n'])
}

/// Whether a line begins HTML that goes on to the next blank line, in which no Markdown is.
pub(super) fn begins_html(body: &str) -> bool {
    let Some(rest) = body.strip_prefix('<') else { return false };
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let (name, after) = rest.split_at(rest.find(|each: char| !each.is_ascii_alphanumeric()).unwrap_or(rest.len()));
    let is_read = |name: &str| IN_LINES.contains(&name) || matches!(name, "details" | "summary");
    !name.is_empty()
        && (after.is_empty() || after.starts_with([' ', '\t', '>', '/']))
        && !is_read(&name.to_ascii_lowercase())
        && !components::begins(body)
}

/// Whether a line of HTML may have text that is not read as Markdown.
pub(super) fn is_raw(body: &str) -> bool {
    body.starts_with("<!") || body.starts_with("<?") || (body.starts_with('<') && body.contains("<summary"))
}

/// The line with links that are read; `None` if there are none. A name that no page or file has stays as it is written.
pub(super) fn rewritten(line: &str, known: &Known<'_>) -> Option<String> {
    if !["[[", "{{<", "{{%"].iter().any(|sign| line.contains(sign)) {
        return None;
    }
    let mut out = String::with_capacity(line.len() + 32);
    let mut changed = false;
    let mut rest = line;
    while let Some(at) = rest.find(['\\', '`', '[', '{', '!']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let made = match rest.as_bytes()[0] {
            b'[' if rest.starts_with("[[") => wiki_link(rest, known),
            b'!' if rest.starts_with("![[") => picture(rest, known),
            b'{' if follows_label(&out) => shortcode(rest, known),
            _ => None,
        };
        if let Some((link, length)) = made {
            changed = true;
            out.push_str(&link);
            rest = &rest[length..];
            continue;
        }
        let length = match rest.as_bytes()[0] {
            b'\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            b'`' => code(rest),
            _ => 1,
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    changed.then_some(out)
}

/// Whether a text ends where the address of a link, or of a reference, begins.
fn follows_label(text: &str) -> bool {
    let label = text.strip_suffix("](").or_else(|| text.strip_suffix("]: "));
    label.is_some_and(|label| !label.ends_with('\\'))
}

/// The length of the code at the beginning of a text, or of its backticks if they do not close.
pub(super) fn code(text: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let mut at = ticks;
    // Each run of backticks is read once for one that does not close: bounded, so that a line takes linear time.
    for _ in 0..32 {
        let Some(found) = text[at..].find('`') else { break };
        at += found;
        let run = text.len() - at - text[at..].trim_start_matches('`').len();
        at += run;
        if run == ticks {
            return at;
        }
    }
    ticks
}

/// What is between double brackets, and the length with them. With an address after it, `[[a]](b)` is a link of
/// CommonMark.
fn between(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix("[[")?;
    let end = inner.bytes().take(MAX_LENGTH).position(|byte| matches!(byte, b']' | b'[' | b'\n'))?;
    let inside = &inner[..end];
    let after = inner[end..].strip_prefix("]]")?;
    let is_label = after.starts_with('(') || (after.starts_with('[') && !after.starts_with("[["));
    (!is_label && !inside.trim().is_empty()).then_some((inside, end + 4))
}

/// A name with the heading after it, and a label. In a table, a backslash is before the bar.
fn parts(inside: &str) -> (&str, Option<&str>) {
    match inside.split_once('|') {
        Some((name, label)) => (name.strip_suffix('\\').unwrap_or(name).trim(), Some(label.trim())),
        None => (inside.trim(), None),
    }
}

fn wiki_link(text: &str, known: &Known<'_>) -> Option<(String, usize)> {
    let (inside, length) = between(text)?;
    if known.labels.contains(&inside.trim().to_lowercase()) || inside.ends_with('\\') {
        return None;
    }
    let (first, second) = parts(inside);
    let label = second.filter(|label| !label.is_empty());
    let (href, label) = match (href(first, known), label) {
        (Some(href), Some(label)) => (href, label.to_owned()),
        (Some(href), None) => {
            // An identifier of a block says nothing.
            let shown = first.split_once("#^").map_or(first, |(name, _)| name);
            (href, shown.trim_start_matches('#').replace('#', " > "))
        }
        // In some wikis, the label is first.
        (None, Some(name)) => (known.href(name)?, first.to_owned()),
        (None, None) => return None,
    };
    let label = label.replace('[', "\\[").replace(']', "\\]");
    Some((format!("[{label}](<{href}>)"), length))
}

/// The address of a page and a heading in it, or of a heading in the same page, which must be there.
fn href(target: &str, known: &Known<'_>) -> Option<String> {
    let (name, heading) = match target.split_once('#') {
        Some((name, heading)) => (name.trim(), heading.rsplit('#').next().map(str::trim)),
        None => (target, None),
    };
    // No anchor has the identifier of a block.
    let heading = heading.filter(|heading| !heading.is_empty() && !heading.starts_with('^'));
    let anchor = heading.map(anchor_slug);
    if name.is_empty() {
        return anchor.filter(|anchor| known.anchors.contains(anchor)).map(|anchor| format!("#{anchor}"));
    }
    let place = known.href(name)?;
    Some(match anchor {
        Some(anchor) => format!("{place}#{anchor}"),
        None => place,
    })
}

/// A picture, with its width if its label is a number, or a link to a page or another file that is shown in Obsidian.
fn picture(text: &str, known: &Known<'_>) -> Option<(String, usize)> {
    let (inside, length) = between(&text[1..]).filter(|(inside, _)| !inside.ends_with('\\'))?;
    let (name, label) = parts(inside);
    let is_picture = name
        .rsplit_once('.')
        .is_some_and(|(_, extension)| PICTURES.iter().any(|picture| extension.eq_ignore_ascii_case(picture)));
    if !is_picture {
        return wiki_link(&text[1..], known).map(|(link, length)| (link, length + 1));
    }
    let href = known.href(name)?;
    let label = label.unwrap_or_default();
    let width = label.split(['x', 'X']).next().filter(|width| is_number(width));
    let is_size = label.split(['x', 'X']).all(is_number);
    let written = match width.filter(|_| is_size) {
        Some(width) => format!("<img src=\"{href}\" alt=\"\" width=\"{width}\">"),
        None => format!("![{}](<{href}>)", label.replace('[', "\\[").replace(']', "\\]")),
    };
    Some((written, length + 1))
}

fn is_number(text: &str) -> bool {
    (1..5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0')
}

/// The address that a shortcode stands for, with the shortcode's length.
fn shortcode(text: &str, known: &Known<'_>) -> Option<(String, usize)> {
    let tag = Tag::lex(text).filter(|tag| matches!(tag.name, "ref" | "relref") && !tag.close)?;
    let href = tag.unnamed(0).or_else(|| tag.value("path"))?;
    let (place, anchor) = href.split_at(href.find('#').unwrap_or(href.len()));
    let resolves = |href: &str| known.links.resolve(href, LinkUse::Link).is_some();
    // A path can begin in the folder of the content, and a name can be that of any page.
    let from_root = format!("/{href}");
    let found = if resolves(href) {
        href.to_owned()
    } else if !href.starts_with(['/', '#']) && resolves(&from_root) {
        from_root
    } else {
        known.href(place).map_or_else(|| href.to_owned(), |place| format!("{place}{anchor}"))
    };
    is_address(&found).then(|| (format!("<{found}>"), tag.source.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::ContentRef;
    use rstest::rstest;

    /// Knows some names, and one path from the root.
    struct Names;

    impl Links for Names {
        fn resolve(&self, href: &str, _: LinkUse) -> Option<ContentRef> {
            (href == "/docs/a.md").then(|| ContentRef::Page { page: "p".parse().expect("an id"), space: None })
        }

        fn named(&self, name: &str) -> Option<String> {
            ["A", "B c", "i.png", "d.pdf"].contains(&name).then(|| format!("x/{}", name.replace(' ', "%20")))
        }
    }

    /// The line in a text with a heading and a definition.
    fn read(line: &str) -> Option<String> {
        rewritten(line, &Known::of(&[line, "## Here ##", "[b c]: /u"], &Names))
    }

    #[rstest]
    #[case("See [[A]], [[B c|it]].", "See [A](<x/A>), [it](<x/B%20c>).")]
    #[case(
        "[[A#Use it]] [[A#B#C|d]] [[#Here]] [[A#^b1]]",
        "[A > Use it](<x/A#use-it>) [d](<x/A#c>) [Here](<#here>) [A](<x/A>)"
    )]
    #[case("| [[A\\|b]] |", "| [b](<x/A>) |")]
    #[case("[[A]][[B c|d]]", "[A](<x/A>)[d](<x/B%20c>)")]
    #[case("[[label|A]]", "[label](<x/A>)")]
    #[case(
        "![[i.png]] ![[i.png|alt]] ![[i.png|300]] ![[i.png|300x20]]",
        "![](<x/i.png>) ![alt](<x/i.png>) <img src=\"x/i.png\" alt=\"\" width=\"300\"> <img src=\"x/i.png\" alt=\"\" width=\"300\">"
    )]
    #[case("![[A]] ![[d.pdf]]", "[A](<x/A>) [d.pdf](<x/d.pdf>)")]
    #[case("[a]({{< ref \"docs/a.md\" >}}) [b]({{% relref \"A#c\" %}} \"t\")", "[a](</docs/a.md>) [b](<x/A#c> \"t\")")]
    #[case("[a]: {{< ref path=\"gone.md\" >}}", "[a]: <gone.md>")]
    fn links_of_other_tools_become_links(#[case] line: &str, #[case] expected: &str) {
        assert_eq!(read(line).as_deref(), Some(expected));
        assert_eq!(read(expected), None);
    }

    #[rstest]
    #[case("[[gone]] ![[gone.png]] [[a|b]]")]
    #[case("`[[A]]` ``a ` [[A]]`` \\[[A]]")]
    #[case("[[ -f x ]] [[]] [[A [[")]
    #[case("[[A]](u) ![[A]](u.png) [[A]][b c] [[A|b\\]]")]
    #[case("Fixed [[#12]](https://example.org/12), [[#13]], [[#^b]], [[B c]]")]
    #[case("[a] {{< ref \"A\" >}} [b](c {{< ref \"A\" >}})")]
    fn other_text_stays(#[case] line: &str) {
        assert_eq!(read(line), None);
    }

    #[rstest]
    #[case("<div>", true)]
    #[case("</TD>a", true)]
    #[case("<p align=\"center\">a", true)]
    #[case("<b>a</b>", false)]
    #[case("<details>", false)]
    #[case("<Note>", false)]
    #[case("<https://example.org/>", false)]
    #[case("a <div>", false)]
    fn html_goes_on_after_a_tag_that_is_in_no_line(#[case] line: &str, #[case] expected: bool) {
        assert_eq!(begins_html(line), expected);
    }
}
