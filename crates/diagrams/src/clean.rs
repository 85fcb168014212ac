//! Sanitizes an SVG image: writes it again with only the allowed elements and attributes.
use crate::{Diagram, Mode, tint::tinted};
use roxmltree::{Document, Node, ParsingOptions};
use std::fmt::Write;

/// The namespace of SVG.
const SVG: &str = "http://www.w3.org/2000/svg";
/// The allowed elements. All others are left out with their content.
const ELEMENTS: [&str; 20] = [
    "svg",
    "g",
    "defs",
    "marker",
    "path",
    "rect",
    "circle",
    "ellipse",
    "line",
    "polyline",
    "polygon",
    "text",
    "tspan",
    "textPath",
    "linearGradient",
    "radialGradient",
    "stop",
    "clipPath",
    "use",
    "title",
];
/// The allowed attributes, besides those of [`STYLED`].
const ATTRIBUTES: [&str; 46] = [
    "id",
    "class",
    "d",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "dx",
    "dy",
    "width",
    "height",
    "points",
    "transform",
    "viewBox",
    "preserveAspectRatio",
    "refX",
    "refY",
    "markerWidth",
    "markerHeight",
    "markerUnits",
    "orient",
    "offset",
    "gradientUnits",
    "gradientTransform",
    "clipPathUnits",
    "startOffset",
    "textLength",
    "text-anchor",
    "dominant-baseline",
    "alignment-baseline",
    "font-family",
    "font-size",
    "font-weight",
    "font-style",
    "text-decoration",
    "letter-spacing",
    "role",
    "opacity",
    "visibility",
];
/// Attributes whose values are CSS.
const STYLED: [&str; 21] = [
    "style",
    "fill",
    "fill-opacity",
    "fill-rule",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-dashoffset",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-miterlimit",
    "stroke-opacity",
    "stop-color",
    "stop-opacity",
    "color",
    "clip-path",
    "clip-rule",
    "marker-start",
    "marker-mid",
    "marker-end",
    "display",
];
/// Attributes whose values are colours.
const TINTED: [&str; 4] = ["fill", "stroke", "stop-color", "color"];
/// CSS that is not allowed: it loads or runs something, or hides such CSS from this list.
const REFUSED: [&str; 10] =
    ["blend", "@import", "@font-face", "@charset", "@namespace", "expression", "javascript", "image(", "-set(", "\\"];
/// The maximum depth of elements.
const MAX_DEPTH: usize = 128;
/// The maximum length of a side, in pixels.
const MAX_SIDE: f64 = 20_000.0;

/// An SVG image without scripts, loads and links, in both modes and with its size; `None` if it is not an image.
pub(crate) fn clean(svg: &str) -> Option<Diagram> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: 200_000, ..ParsingOptions::default() };
    let document = Document::parse_with_options(svg, options).ok()?;
    let root = document.root_element();
    if root.tag_name().name() != "svg" || root.tag_name().namespace() != Some(SVG) {
        return None;
    }
    let [width, height] = size(&root)?;
    let written = |mode| {
        let mut out = String::with_capacity(svg.len());
        write(&mut out, &root, mode, Some([width, height]), 0)?;
        Some(out)
    };
    Some(Diagram { light: written(Mode::Light)?, dark: written(Mode::Dark)?, width, height })
}

/// The size that the image states.
fn size(root: &Node<'_, '_>) -> Option<[u32; 2]> {
    let view: Vec<f64> = root
        .attribute("viewBox")?
        .split([' ', ','])
        .filter(|number| !number.is_empty())
        .map(|number| number.parse().ok())
        .collect::<Option<_>>()?;
    let side = |length: &f64| (*length > 0.0 && *length <= MAX_SIDE).then(|| length.ceil() as u32);
    match view.as_slice() {
        [_, _, width, height] => Some([side(width)?, side(height)?]),
        _ => None,
    }
}

/// Writes an element; `None` if it is too deep. `size` is set for the outermost element.
fn write(out: &mut String, node: &Node<'_, '_>, mode: Mode, size: Option<[u32; 2]>, depth: usize) -> Option<()> {
    if depth > MAX_DEPTH {
        return None;
    }
    let name = node.tag_name().name();
    if node.tag_name().namespace() != Some(SVG) || !ELEMENTS.contains(&name) {
        return Some(());
    }
    let _ = write!(out, "<{name}");
    if let Some([width, height]) = size {
        let _ = write!(out, " xmlns=\"{SVG}\" width=\"{width}\" height=\"{height}\"");
    }
    for attribute in node.attributes() {
        let (name, value) = (attribute.name(), attribute.value());
        let kept = match name {
            "width" | "height" if size.is_some() => false,
            // Only links within the image; whatever their namespace, they are written without one.
            "href" => value.starts_with('#'),
            // The size comes from the attributes, not from the style.
            "style" if size.is_some() => false,
            _ if attribute.namespace().is_some() => false,
            _ if STYLED.contains(&name) => harmless(value),
            _ => ATTRIBUTES.contains(&name),
        };
        if kept {
            let _ = write!(out, " {name}=\"");
            match mode {
                Mode::Dark if TINTED.contains(&name) => escape(out, &tinted(value)),
                Mode::Light | Mode::Dark => escape(out, value),
            }
            out.push('"');
        }
    }
    out.push('>');
    for child in node.children() {
        match child.text() {
            Some(text) if child.is_text() => escape(out, text),
            _ if child.is_element() => write(out, &child, mode, None, depth + 1)?,
            _ => {}
        }
    }
    let _ = write!(out, "</{name}>");
    Some(())
}

/// Whether CSS loads and runs nothing: all its `url(…)` refer to the image itself.
fn harmless(css: &str) -> bool {
    let css: String = css.chars().filter(|char| !char.is_whitespace()).collect::<String>().to_ascii_lowercase();
    let mut urls = css.split("url(").skip(1);
    !REFUSED.iter().any(|part| css.contains(part))
        && urls.all(|rest| rest.trim_start_matches(['"', '\'']).starts_with('#'))
}

fn escape(out: &mut String, text: &str) {
    for char in text.chars() {
        match char {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // Otherwise a parser turns them into spaces.
            '\n' | '\r' | '\t' => {
                let _ = write!(out, "&#{};", u32::from(char));
            }
            char => out.push(char),
        }
    }
}
