//! Shortcodes of Hugo around code, and cards with a text.
use super::code::highlighted;
use super::{Block, Flavor, Line, MAX_DEPTH, Place, Written, blocks, escaped, fenced, pointed};
use crate::markdown::components::Tag;
use std::collections::HashMap;

/// Shortcodes around code.
const CODE: [&str; 4] = ["code", "code-toggle", "highlight", "mermaid"];

/// Shortcodes around blocks.
const AROUND: [&str; 2] = ["card", "cardpane"];

/// The tag that a line has, and nothing else.
fn tag(line: &str) -> Option<Tag<'_>> {
    let line = line.trim();
    if !line.starts_with("{{<") && !line.starts_with("{{%") {
        return None;
    }
    Tag::lex(line).filter(|tag| tag.source == line && (CODE.contains(&tag.name) || AROUND.contains(&tag.name)))
}

/// Adds the last lines of shortcodes, by their first ones.
pub(super) fn find_ends(texts: &[&str], ends: &mut HashMap<usize, usize>) {
    let mut next: HashMap<&str, usize> = HashMap::new();
    for (at, line) in texts.iter().enumerate().rev() {
        let Some(tag) = tag(line) else { continue };
        if tag.close {
            next.insert(tag.name, at);
        } else if !tag.void
            && let Some(end) = next.remove(tag.name)
        {
            // The next one of this name has another end.
            ends.insert(at, end);
        }
    }
}

/// The shortcode that begins in a line.
pub(super) fn block(place: &Place<'_, '_>, flavor: &Flavor<'_>) -> Option<Block> {
    let (number, line) = place.lines[place.at];
    let end = place.ends.get(&place.at).copied().filter(|end| place.holds(end + 1))?;
    let tag = tag(line)?;
    let inside = &place.lines[place.at + 1..end];
    let written = match tag.name {
        "card" | "cardpane" if place.depth >= MAX_DEPTH => return None,
        "card" => card(&tag, number, inside, flavor, place.depth)?,
        "cardpane" => blocks(inside, flavor, place.depth + 1),
        _ => fenced(number, &info(&tag), inside),
    };
    Some(Block { end: end + 1, written })
}

/// The information about code: its language, its title and its lines that are highlighted.
fn info(tag: &Tag<'_>) -> String {
    let file = tag.first(&["file", "filename", "title"]);
    let extension = file.and_then(|file| Some(file.rsplit_once('.')?.1));
    let language = match tag.name {
        "mermaid" => Some("mermaid"),
        "code-toggle" => Some("yaml"),
        "highlight" => tag.unnamed(0).or_else(|| tag.first(&["lang", "language", "type"])),
        _ => tag.first(&["lang", "language"]).or(extension),
    };
    let of_name = |each: &char| each.is_ascii_alphanumeric() || "-_+#.".contains(*each);
    let mut info: String = language.unwrap_or_default().chars().filter(of_name).collect();
    if let Some(file) = file {
        info.push_str(&format!(" title=\"{}\"", file.replace(['`', '"', '\\'], "'")));
    }
    // In quotation marks: `linenos=table,hl_lines=1 3-5`.
    let list = tag.unnamed(1).unwrap_or_default();
    let listed = |name: &str| list.split(',').find_map(|option| option.trim().strip_prefix(name)?.strip_prefix('='));
    if tag.value("linenos").or_else(|| listed("linenos")).is_some_and(|value| value != "false") {
        info.push_str(" showLineNumbers");
    }
    let lines = tag.value("hl_lines").or_else(|| listed("hl_lines"));
    let lines = lines.map(|lines| lines.trim_matches(['[', ']', '"', '\'']).replace([' ', ','], ",").replace('"', ""));
    if let Some(lines) = lines.and_then(|lines| highlighted(&lines)) {
        info.push_str(&format!(" {{{lines}}}"));
    }
    info
}

/// A card: its title with its link, its text, and its foot.
fn card(tag: &Tag<'_>, number: usize, inside: &[Line<'_>], flavor: &Flavor<'_>, depth: usize) -> Option<Vec<Written>> {
    let mut written: Vec<Written> = Vec::new();
    let mut add = |text: String| written.extend([(number, text), (number, String::new())]);
    if let Some(header) = tag.value("header") {
        add(header.to_owned());
    }
    let href = tag.first(&["link", "href", "url"]);
    match (tag.value("title"), href) {
        (Some(title), Some(href)) => add(format!("**[{}]({})**", escaped(title), pointed(href)?)),
        (Some(title), None) => add(format!("**{}**", escaped(title))),
        (None, Some(href)) => add(format!("[{}]({})", escaped(href), pointed(href)?)),
        (None, None) => {}
    }
    if let Some(subtitle) = tag.value("subtitle") {
        add(subtitle.to_owned());
    }
    written.extend(blocks(inside, flavor, depth + 1));
    let last = inside.last().map_or(number, |(number, _)| *number);
    if let Some(footer) = tag.value("footer") {
        written.extend([(last, String::new()), (last, footer.to_owned())]);
    }
    written.push((last, String::new()));
    Some(written)
}
