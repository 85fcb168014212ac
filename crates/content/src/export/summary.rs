//! Writing the table of contents.
use super::layout::{FileHrefs, Layout};
use super::{Content, Unlisted};
use crate::computed::ComputedSource;
use crate::import::links::FileLinks;
use crate::import::outline::{Entry, Outline, Place};
use crate::import::place::default_slug;
use crate::import::summary::Summary;
use crate::import::text::words;
use crate::import::{metadata, path};
use crate::markdown::{FrontMatter, Hrefs, LinkUse, Links};
use crate::page::{PageEntry, PageKind, read_slug, slugify};
use crate::reference::ContentRef;
use crate::tree::Node;
use std::collections::BTreeMap;

/// The table of contents: unchanged while it is still right.
pub(super) fn write(content: &Content, layout: &Layout, unlisted: &Unlisted<'_>, place: &str) -> String {
    let made = made(content, layout, unlisted, place);
    match &content.repository.summary {
        Some(kept) if same(kept, &made, content, layout, place) => kept.clone(),
        _ => made,
    }
}

fn same(one: &str, other: &str, content: &Content, layout: &Layout, place: &str) -> bool {
    let config = content.repository.config();
    let readme = config.readme.clone().unwrap_or_else(|| path::join(path::folder(place), "README.md"));
    let outline = |text: &str| Outline::of_summary(&layout.tree, place, Summary::parse(text), Some(&readme)).entries;
    let links = FileLinks { targets: layout, from: place };
    let says = |entry: &Entry| {
        let target = match &entry.place {
            Place::Link(href) => {
                Some(links.resolve(href, LinkUse::Link).unwrap_or_else(|| ContentRef::Url { url: href.clone() }))
            }
            _ => None,
        };
        let leads = match &entry.place {
            Place::Link(_) => Place::Link(String::new()),
            place => place.clone(),
        };
        let fields: BTreeMap<String, String> =
            entry.fields.entries().map(|(key, value)| (key.to_owned(), value.to_string())).collect();
        let slug = metadata::slug(&entry.fields).or(entry.slug.as_deref().and_then(|slug| read_slug(slug).ok()));
        let slug = slug.filter(|slug| *slug != slugify(&entry.title));
        (entry.parent, leads, target, words(&entry.title), entry.link_title.clone(), slug, fields)
    };
    let (one, other) = (outline(one), outline(other));
    one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| says(one) == says(other))
}

fn made(content: &Content, layout: &Layout, unlisted: &Unlisted<'_>, place: &str) -> String {
    let mut out = String::from("# Table of contents\n\n");
    let mut in_group = false;
    for node in content.tree.roots.iter().filter(|node| !unlisted.contains(&node.id)) {
        if node.page.kind == PageKind::Group {
            out.push_str(if out.ends_with("\n\n") { "## " } else { "\n## " });
            let id = (node.page.slug != slugify(&node.page.title)).then_some(&node.page.slug);
            let anchor = id.map_or(String::new(), |id| format!(" <a href=\"#{id}\" id=\"{id}\"></a>"));
            let (mut title, comment) = (escaped(&node.page.title), comment(&node.page, None));
            // A mark at the end of a heading is not part of its title.
            if title.ends_with('#') && anchor.is_empty() && comment.is_empty() {
                title.insert(title.len() - 1, '\\');
            }
            out.push_str(&format!("{title}{anchor}{comment}\n\n"));
            node.children.iter().for_each(|child| item(&mut out, child, layout, place));
            in_group = true;
        } else {
            if in_group {
                out.push_str(if out.ends_with("\n\n") { "***\n\n" } else { "\n***\n\n" });
                in_group = false;
            }
            item(&mut out, node, layout, place);
        }
    }
    out
}

/// Writes a page and those below it, without recursion.
fn item(out: &mut String, top: &Node, layout: &Layout, place: &str) {
    let hrefs = FileHrefs { layout, from: place };
    let mut waiting = vec![(top, 0)];
    while let Some((node, depth)) = waiting.pop() {
        let page = &node.page;
        let title = escaped(&page.title);
        let short = page.link_title.as_ref().map_or(String::new(), |title| format!(" \"{}\"", quoted(title)));
        out.push_str(&"  ".repeat(depth));
        match (&page.kind, layout.pages.get(&node.id)) {
            (PageKind::Link { target }, _) => {
                let href = match target {
                    ContentRef::Url { url } => url.clone(),
                    target => hrefs.href(target).unwrap_or_default(),
                };
                // An import takes a page that is named again for a link to it. The mark says so wherever the first
                // mention is.
                let mark = if matches!(target, ContentRef::Page { space: None, .. }) { "#" } else { "" };
                out.push_str(&format!(
                    "* [{title}]({}{short}){}",
                    address(&format!("{href}{mark}")),
                    comment(page, None)
                ));
            }
            (PageKind::Computed { computed }, _) => source(out, computed, page, &"  ".repeat(depth)),
            (_, Some(path)) => {
                out.push_str(&format!(
                    "* [{title}]({}{short})",
                    address(&crate::import::address::write(place, path, None))
                ));
            }
            (_, None) => {
                let slug = (page.slug != default_slug(&Place::Bare, &page.title)).then_some(page.slug.as_str());
                let title = if short.is_empty() { bare(&title) } else { format!("[{title}](<>{short})") };
                out.push_str(&format!("* {title}{}", comment(page, slug)));
            }
        }
        out.push('\n');
        waiting.extend(node.children.iter().rev().map(|child| (child, depth + 1)));
    }
}

/// Writes a computed page without the last line feed: its source in YAML, and a comment.
fn source(out: &mut String, source: &ComputedSource, page: &PageEntry, indent: &str) {
    let mut yaml = FrontMatter::default();
    yaml.set("props", Some(source.props.clone().into()));
    yaml.set("dependencies", Some(source.dependencies.clone().into()));
    let rest = yaml.write();
    let rest = rest.lines().filter(|line| *line != "---");
    let plain = source.kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":-_".contains(&byte));
    let kind = if plain { source.kind.clone() } else { serde_json::Value::from(source.kind.clone()).to_string() };
    out.push_str(&format!("* ```yaml\n{indent}  type: {kind}\n"));
    rest.for_each(|line| out.push_str(&format!("{indent}  {line}\n")));
    out.push_str(&format!("{indent}  ```"));
    let comment = comment(page, None);
    if !comment.is_empty() {
        out.push_str(&format!("\n{indent} {comment}"));
    }
}

/// The values of an item without a file that the table of contents cannot express.
fn comment(page: &PageEntry, slug: Option<&str>) -> String {
    struct ById;
    impl Hrefs for ById {
        fn href(&self, target: &ContentRef) -> Option<String> {
            crate::href::by_id(target)
        }
    }
    let mut fields = FrontMatter::default();
    metadata::write(page, &mut fields, &crate::markdown::Unresolved, &ById);
    let is_given = match &page.kind {
        PageKind::Computed { computed } => computed.title() != page.title,
        _ => words(&page.title) != page.title,
    };
    if is_given {
        fields.set("title", Some(page.title.clone().into()));
    }
    fields.set("slug", slug.map(Into::into));
    let map: serde_json::Map<String, serde_json::Value> =
        fields.entries().map(|(key, value)| (key.to_owned(), value.clone())).collect();
    if map.is_empty() {
        return String::new();
    }
    let json = serde_json::Value::Object(map)
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace("--", "-\\u002d");
    format!(" <!-- {json} -->")
}

/// A title with its Markdown escaped.
fn escaped(title: &str) -> String {
    let title = words(title);
    let mut out = String::with_capacity(title.len());
    for (at, c) in title.char_indices() {
        let escape = match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '"' => true,
            '&' => begins_reference(&title[at..]),
            _ => false,
        };
        out.extend(escape.then_some('\\'));
        out.push(c);
    }
    out
}

/// Whether a text that begins with `&` may begin with a character reference, such as `&amp;`.
fn begins_reference(text: &str) -> bool {
    let name = text[1..].trim_start_matches('#');
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    end > 0 && name[end..].starts_with(';')
}

/// A title in quotation marks. A backslash at its end becomes a character reference: some readers take the quotation
/// mark after it for a part of the title, if another one follows in the line.
fn quoted(title: &str) -> String {
    let mut out = escaped(title);
    if out.ends_with('\\') {
        out.truncate(out.len() - 2);
        out.push_str("&#92;");
    }
    out
}

/// A title at the beginning of a line, escaped so that it does not begin a block.
fn bare(title: &str) -> String {
    let digits = title.bytes().take_while(u8::is_ascii_digit).count();
    match title.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => format!("{}\\{}", &title[..digits], &title[digits..]),
        Some(b'#' | b'+' | b'-' | b'=' | b'~') if digits == 0 => format!("\\{title}"),
        _ => title.to_owned(),
    }
}

fn address(href: &str) -> String {
    let reference = |at: usize| begins_reference(&href[at..]);
    let plain = href.char_indices().all(|(at, c)| match c {
        '(' | ')' | '<' | '>' | '\\' => false,
        '&' => !reference(at),
        c => !c.is_whitespace() && !c.is_control(),
    });
    if plain && !href.is_empty() {
        return href.to_owned();
    }
    let mut escaped = String::with_capacity(href.len() + 2);
    for (at, c) in href.char_indices().filter(|(_, c)| !matches!(c, '\n' | '\r')) {
        if matches!(c, '<' | '>' | '\\') || c == '&' && reference(at) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    format!("<{escaped}>")
}
