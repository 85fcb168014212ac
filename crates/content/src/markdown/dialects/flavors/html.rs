//! Markdown in HTML, as in MkDocs: `<figure markdown>` and `<div class="grid cards" markdown>`.
use super::figures::Figure;
use super::{Block, Flavor, Line, MAX_DEPTH, Place, Written, blocks};
use crate::markdown::html::HtmlTag;
use std::collections::HashMap;

/// The most lines of a figure.
const MAX_FIGURE: usize = 12;

/// Adds the last lines of elements around blocks, by their first ones.
pub(super) fn find_ends(texts: &[&str], ends: &mut HashMap<usize, usize>) {
    let mut open = Vec::new();
    for (at, line) in texts.iter().enumerate() {
        let line = line.trim();
        if line.starts_with("<div") {
            open.push(at);
        }
        for _ in line.matches("</div>") {
            if let Some(begin) = open.pop() {
                ends.insert(begin, at);
            }
        }
    }
}

/// The element that begins in a line.
pub(super) fn block(place: &Place<'_, '_>, flavor: &Flavor<'_>) -> Option<Block> {
    let body = place.texts[place.at].trim();
    match body.get(..5)?.to_ascii_lowercase().as_str() {
        "<figu" if body.contains(" markdown") => figure(place),
        "<div " if body.contains(" markdown") => div(place, flavor),
        _ => None,
    }
}

/// A figure of one image, and its caption.
fn figure(place: &Place<'_, '_>) -> Option<Block> {
    let lines = &place.texts[place.at..];
    let length = 1 + lines.iter().take(MAX_FIGURE).position(|line| line.contains("</figure>"))?;
    if !place.holds(place.at + length) {
        return None;
    }
    let whole = lines[..length].iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let (tag, inside) = whole.split_once('>')?;
    let mut tag = HtmlTag::parse(&format!("{tag}>"))?;
    tag.take("markdown")?;
    if tag.name != "figure" || tag.take("id").is_some() {
        return None;
    }
    let inside = inside.strip_suffix("</figure>")?.trim();
    let (image, caption) = match inside.split_once("<figcaption") {
        Some((image, caption)) => {
            let (_, caption) = caption.split_once('>')?;
            (image.trim(), caption.trim().strip_suffix("</figcaption>")?.trim())
        }
        None => (inside, ""),
    };
    let (alt, rest) = image.strip_prefix("![")?.split_once("](")?;
    let (address, rest) = rest.split_once(')')?;
    let rest = rest.trim();
    let list = if rest.is_empty() { "" } else { rest.strip_prefix('{')?.strip_suffix('}')? };
    let value = |name: &str| {
        let (_, value) = list.split_once(name)?;
        let value = value.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
        Some(&value[..value.find(['"', '\'', ' ']).unwrap_or(value.len())])
    };
    let is_plain = |text: &str| !text.contains(['[', ']', '{', '}', '(']);
    if address.contains([' ', '"', '<']) || !is_plain(alt) || caption.contains('<') {
        return None;
    }
    let (width, height) = (value("width"), value("height"));
    let figure = Figure { source: address, alt, width, height, target: None, caption };
    let number = place.lines[place.at].0;
    let mut written: Vec<Written> = figure.lines()?.into_iter().map(|line| (number, line)).collect();
    written.push((number, String::new()));
    Some(Block { end: place.at + length, written })
}

/// An element that only concerns looks around blocks, which stay.
fn div(place: &Place<'_, '_>, flavor: &Flavor<'_>) -> Option<Block> {
    let begin = place.texts[place.at].trim();
    let mut tag = HtmlTag::parse(begin)?;
    tag.take("markdown")?;
    let class = tag.take("class").unwrap_or_default();
    tag.take("style");
    let is_cards = class.split_whitespace().any(|class| class == "cards");
    if tag.name != "div" || tag.close || tag.finish().is_err() || place.depth >= MAX_DEPTH {
        return None;
    }
    let end = *place.ends.get(&place.at)?;
    if end == place.at || !place.holds(end + 1) || place.texts[end].trim() != "</div>" {
        return None;
    }
    let inside = &place.lines[place.at + 1..end];
    let least = inside.iter().filter(|(_, line)| !line.trim().is_empty()).map(|(_, line)| super::super::blanks(line));
    let inside = super::without_blanks(inside, least.min().unwrap_or(0));
    // Rules in a card are lines between its parts.
    let is_rule = |line: &str| is_cards && line.trim() == "---" && line.starts_with("  ");
    let inside: Vec<Line<'_>> =
        inside.into_iter().map(|(number, line)| (number, if is_rule(line) { "" } else { line })).collect();
    let mut written = vec![(place.lines[place.at].0, String::new())];
    written.extend(blocks(&inside, flavor, place.depth + 1));
    written.push((place.lines[end].0, String::new()));
    Some(Block { end: end + 1, written })
}
