//! Links of other tools in a line: `[[Page#Heading|label]]` and `![[image.png]]` of Obsidian and other wikis, and
//! `[label]({{< ref "page.md" >}})` of Hugo.
use crate::document::anchor_slug;
use crate::markdown::components::Tag;
use crate::markdown::{LinkUse, Links};

/// The longest text between double brackets, so that brackets that do not close are not read to the end each time.
const MAX_LENGTH: usize = 400;

/// The extensions of pictures.
const PICTURES: [&str; 8] = ["png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "bmp"];

/// The line with links that are read; `None` if there are none. A name that no page or file has stays as it is written.
pub(super) fn rewritten(line: &str, links: &dyn Links) -> Option<String> {
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
            b'[' if rest.starts_with("[[") => wiki_link(rest, links),
            b'!' if rest.starts_with("![[") => picture(rest, links),
            b'{' if follows_label(&out) => shortcode(rest, links),
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
fn code(text: &str) -> usize {
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

/// What is between double brackets, and the length with them.
fn between(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix("[[")?;
    let end = inner.bytes().take(MAX_LENGTH).position(|byte| matches!(byte, b']' | b'[' | b'\n'))?;
    let inside = &inner[..end];
    (inner[end..].starts_with("]]") && !inside.trim().is_empty()).then_some((inside, end + 4))
}

/// A name with the heading after it, and a label. In a table, a backslash is before the bar.
fn parts(inside: &str) -> (&str, Option<&str>) {
    match inside.split_once('|') {
        Some((name, label)) => (name.strip_suffix('\\').unwrap_or(name).trim(), Some(label.trim())),
        None => (inside.trim(), None),
    }
}

fn wiki_link(text: &str, links: &dyn Links) -> Option<(String, usize)> {
    let (inside, length) = between(text)?;
    let (first, second) = parts(inside);
    let label = second.filter(|label| !label.is_empty());
    let (href, label) = match (href(first, links), label) {
        (Some(href), Some(label)) => (href, label.to_owned()),
        (Some(href), None) => {
            // An identifier of a block says nothing.
            let shown = first.split_once("#^").map_or(first, |(name, _)| name);
            (href, shown.trim_start_matches('#').replace('#', " > "))
        }
        // In some wikis, the label is first.
        (None, Some(name)) => (href_of(name, links)?, first.to_owned()),
        (None, None) => return None,
    };
    let label = label.replace('[', "\\[").replace(']', "\\]");
    Some((format!("[{label}](<{href}>)"), length))
}

/// The address of a page and a heading in it, or of a heading in the same page.
fn href(target: &str, links: &dyn Links) -> Option<String> {
    let (name, heading) = match target.split_once('#') {
        Some((name, heading)) => (name.trim(), heading.rsplit('#').next().map(str::trim)),
        None => (target, None),
    };
    let heading = heading.filter(|heading| !heading.is_empty());
    let place = if name.is_empty() && heading.is_some() { String::new() } else { href_of(name, links)? };
    // No anchor has the identifier of a block.
    Some(match heading.filter(|heading| !heading.starts_with('^')) {
        Some(heading) => format!("{place}#{}", anchor_slug(heading)),
        None if place.is_empty() => return None,
        None => place,
    })
}

fn href_of(name: &str, links: &dyn Links) -> Option<String> {
    links.named(name).filter(|href| !href.contains(['<', '>', '\n']))
}

/// A picture, with its width if its label is a number, or a link to a page or another file that is shown in Obsidian.
fn picture(text: &str, links: &dyn Links) -> Option<(String, usize)> {
    let (inside, length) = between(&text[1..])?;
    let (name, label) = parts(inside);
    let is_picture = name
        .rsplit_once('.')
        .is_some_and(|(_, extension)| PICTURES.iter().any(|picture| extension.eq_ignore_ascii_case(picture)));
    if !is_picture {
        return wiki_link(&text[1..], links).map(|(link, length)| (link, length + 1));
    }
    let href = href_of(name, links)?;
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
fn shortcode(text: &str, links: &dyn Links) -> Option<(String, usize)> {
    let tag = Tag::lex(text).filter(|tag| matches!(tag.name, "ref" | "relref") && !tag.close)?;
    let href = tag.unnamed(0).or_else(|| tag.value("path"))?;
    let (place, anchor) = href.split_at(href.find('#').unwrap_or(href.len()));
    let resolves = |href: &str| links.resolve(href, LinkUse::Link).is_some();
    // A path can begin in the folder of the content, and a name can be that of any page.
    let from_root = format!("/{href}");
    let found = if resolves(href) {
        href.to_owned()
    } else if !href.starts_with(['/', '#']) && resolves(&from_root) {
        from_root
    } else {
        href_of(place, links).map_or_else(|| href.to_owned(), |place| format!("{place}{anchor}"))
    };
    (!found.contains(['<', '>', '\n'])).then(|| (format!("<{found}>"), tag.source.len()))
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

    #[rstest]
    #[case("See [[A]], [[B c|it]].", "See [A](<x/A>), [it](<x/B%20c>).")]
    #[case(
        "[[A#Use it]] [[A#B#C|d]] [[#Here]] [[A#^b1]]",
        "[A > Use it](<x/A#use-it>) [d](<x/A#c>) [Here](<#here>) [A](<x/A>)"
    )]
    #[case("| [[A\\|b]] |", "| [b](<x/A>) |")]
    #[case("[[label|A]]", "[label](<x/A>)")]
    #[case(
        "![[i.png]] ![[i.png|alt]] ![[i.png|300]] ![[i.png|300x20]]",
        "![](<x/i.png>) ![alt](<x/i.png>) <img src=\"x/i.png\" alt=\"\" width=\"300\"> <img src=\"x/i.png\" alt=\"\" width=\"300\">"
    )]
    #[case("![[A]] ![[d.pdf]]", "[A](<x/A>) [d.pdf](<x/d.pdf>)")]
    #[case("[a]({{< ref \"docs/a.md\" >}}) [b]({{% relref \"A#c\" %}} \"t\")", "[a](</docs/a.md>) [b](<x/A#c> \"t\")")]
    #[case("[a]: {{< ref path=\"gone.md\" >}}", "[a]: <gone.md>")]
    fn links_of_other_tools_become_links(#[case] line: &str, #[case] expected: &str) {
        assert_eq!(rewritten(line, &Names).as_deref(), Some(expected));
        assert_eq!(rewritten(expected, &Names), None);
    }

    #[rstest]
    #[case("[[gone]] ![[gone.png]] [[a|b]]")]
    #[case("`[[A]]` ``a ` [[A]]`` \\[[A]]")]
    #[case("[[ -f x ]] [[]] [[A [[")]
    #[case("[a] {{< ref \"A\" >}} [b](c {{< ref \"A\" >}})")]
    fn other_text_stays(#[case] line: &str) {
        assert_eq!(rewritten(line, &Names), None);
    }
}
