//! Images with a size, a caption or a link, as HTML that is read.
use super::myst::Directive;
use super::{Written, attribute, pointed};
use crate::markdown::tagged::length;

/// An image with what is written about it.
#[derive(Debug, Default)]
pub(super) struct Figure<'f> {
    pub(super) source: &'f str,
    pub(super) alt: &'f str,
    pub(super) width: Option<&'f str>,
    pub(super) height: Option<&'f str>,
    pub(super) target: Option<&'f str>,
    /// One line of Markdown.
    pub(super) caption: &'f str,
}

impl Figure<'_> {
    /// The image, and the caption as a paragraph after it if it cannot be in HTML.
    pub(super) fn lines(&self) -> Option<Vec<String>> {
        pointed(self.source).filter(|_| !self.source.trim().is_empty())?;
        let size = |name: &str, value: Option<&str>| {
            let value = value.map(|value| value.trim().trim_end_matches("px").trim_end());
            let value = value.filter(|value| length(value).is_some());
            value.map_or_else(String::new, |value| format!(" {name}=\"{}\"", attribute(value)))
        };
        let (source, alt) = (attribute(self.source), attribute(self.alt));
        let size = size("width", self.width) + &size("height", self.height);
        let image = format!("<img src=\"{source}\" alt=\"{alt}\"{size}>");
        let is_plain = !self.caption.contains(['`', '*', '_', '[', ']', '{', '}', '<', '>', '$', '\\', '&']);
        let mut lines = match self.target {
            Some(target) => vec![format!("<a href=\"{}\">{image}</a>", attribute(target))],
            None if is_plain && !self.caption.is_empty() => {
                return Some(vec![format!("<figure>{image}<figcaption><p>{}</p></figcaption></figure>", self.caption)]);
            }
            None if size.is_empty() => vec![format!("![{}](<{}>)", super::escaped(self.alt), self.source)],
            None => vec![format!("<figure>{image}<figcaption></figcaption></figure>")],
        };
        if !self.caption.is_empty() {
            lines.extend([String::new(), self.caption.to_owned()]);
        }
        Some(lines)
    }
}

/// The directives `image` and `figure`.
pub(super) fn directive(directive: &Directive<'_, '_>) -> Option<Vec<Written>> {
    let options = &directive.options;
    let written = if directive.open.name == "figure" { directive.inside() } else { Vec::new() };
    let caption_end = written.iter().position(|(_, line)| line.trim().is_empty()).unwrap_or(written.len());
    // A caption is a paragraph.
    let is_text = |(_, line): &Written| super::super::indented::is_plain(line.trim());
    let caption_end = if written[..caption_end].iter().all(is_text) { caption_end } else { 0 };
    let caption: Vec<&str> = written[..caption_end].iter().map(|(_, line)| line.trim()).collect();
    let caption = caption.join(" ");
    let figure = Figure {
        source: directive.open.argument,
        alt: options.text("alt").unwrap_or_default(),
        width: options.text("width"),
        height: options.text("height"),
        target: options.text("target"),
        caption: &caption,
    };
    let mut lines: Vec<Written> = figure.lines()?.into_iter().map(|line| directive.line(line)).collect();
    if caption_end < written.len() {
        lines.push(directive.line(""));
        lines.extend_from_slice(&written[caption_end..]);
    }
    // HTML goes on to the next blank line.
    let last = lines.last().map_or(directive.number, |(number, _)| *number);
    lines.push((last, String::new()));
    Some(lines)
}
