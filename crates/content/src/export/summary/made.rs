//! Writing the table of contents, and single entries of it.
use crate::computed::ComputedSource;
use crate::export::layout::{FileHrefs, Layout};
use crate::export::{Content, Unlisted};
use crate::href::ById;
use crate::import::metadata;
use crate::import::outline::Place;
use crate::import::place::default_slug;
use crate::import::text::words;
use crate::markdown::{FrontMatter, Hrefs};
use crate::page::{PageEntry, PageKind, slugify};
use crate::reference::ContentRef;
use crate::tree::Node;

/// A new table of contents.
pub(super) fn write(content: &Content, layout: &Layout, unlisted: &Unlisted<'_>, place: &str) -> String {
    let mut out = String::from("# Table of contents\n\n");
    let mut in_group = false;
    for node in content.tree.roots.iter().filter(|node| !unlisted.contains(&node.id)) {
        if node.page.kind == PageKind::Group {
            out.push_str(if out.ends_with("\n\n") { "## " } else { "\n## " });
            out.push_str(&heading(&node.page));
            out.push_str("\n\n");
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

/// The heading of a group, without the signs before it.
pub(super) fn heading(page: &PageEntry) -> String {
    let id = (page.slug != slugify(&page.title)).then_some(&page.slug);
    let anchor = id.map_or(String::new(), |id| format!(" <a href=\"#{id}\" id=\"{id}\"></a>"));
    let (mut title, comment) = (escaped(&page.title), comment(page, None, &ById));
    // A mark at the end of a heading is not part of its title.
    if title.ends_with('#') && anchor.is_empty() && comment.is_empty() {
        title.insert(title.len() - 1, '\\');
    }
    format!("{title}{anchor}{comment}")
}

/// Writes a page and those below it, without recursion.
fn item(out: &mut String, top: &Node, layout: &Layout, place: &str) {
    let mut waiting = vec![(top, 0)];
    while let Some((node, depth)) = waiting.pop() {
        let indent = "  ".repeat(depth);
        for (at, line) in entry(node, layout, place).split('\n').enumerate() {
            let marker = if at == 0 { "* " } else { "  " };
            out.push_str(&format!("{indent}{marker}{line}\n"));
        }
        waiting.extend(node.children.iter().rev().map(|child| (child, depth + 1)));
    }
}

/// The text of an item of a list, without its marker: one line, or several for a computed page.
pub(super) fn entry(node: &Node, layout: &Layout, place: &str) -> String {
    let page = &node.page;
    let title = escaped(&page.title);
    let short = page.link_title.as_ref().map_or(String::new(), |title| format!(" \"{}\"", quoted(title)));
    let hrefs = FileHrefs { layout, from: place };
    match (&page.kind, layout.pages.get(&node.id)) {
        (PageKind::Link { target }, _) => {
            let href = match target {
                ContentRef::Url { url } => url.clone(),
                target => hrefs.href(target).unwrap_or_default(),
            };
            // An import takes a page that is named again for a link to it. The mark says so wherever the first mention
            // is.
            let mark = if matches!(target, ContentRef::Page { space: None, .. }) { "#" } else { "" };
            format!("[{title}]({}{short}){}", address(&format!("{href}{mark}")), comment(page, None, &ById))
        }
        (PageKind::Computed { computed }, _) => source(computed, page),
        (_, Some(path)) => format!("[{title}]({}{short})", address(&crate::import::address::write(place, path, None))),
        (_, None) => {
            let slug = (page.slug != default_slug(&Place::Bare, &page.title)).then_some(page.slug.as_str());
            let title = if short.is_empty() { bare(&title) } else { format!("[{title}](<>{short})") };
            format!("{title}{}", comment(page, slug, &hrefs))
        }
    }
}

/// The text of a computed page: its source in YAML, and a comment.
fn source(source: &ComputedSource, page: &PageEntry) -> String {
    let mut yaml = FrontMatter::default();
    yaml.set("props", Some(source.props.clone().into()));
    yaml.set("dependencies", Some(source.dependencies.clone().into()));
    let rest = yaml.write();
    let plain = source.kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":-_".contains(&byte));
    let kind = if plain { source.kind.clone() } else { serde_json::Value::from(source.kind.clone()).to_string() };
    let mut out = format!("```yaml\ntype: {kind}\n");
    rest.lines().filter(|line| *line != "---").for_each(|line| out.push_str(&format!("{line}\n")));
    out.push_str("```");
    let comment = comment(page, None, &ById);
    if !comment.is_empty() {
        out.push_str(&format!("\n{}", comment.trim_start()));
    }
    out
}

/// The values of an item without a file that the table of contents cannot express.
fn comment(page: &PageEntry, slug: Option<&str>, hrefs: &dyn Hrefs) -> String {
    let mut fields = FrontMatter::default();
    metadata::write(page, &mut fields, &crate::markdown::Unresolved, hrefs);
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
