//! Formulas: TeX as MathML.
use super::Blocks;
use super::link::safe;
use crate::tags::tag_length;
use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};
use maud::{Markup, PreEscaped, html};
use std::sync::LazyLock;

/// The maximum length of a formula, in bytes. A longer one is shown as its source.
const MAX_BYTES: usize = 8 * 1024;

/// The maximum nesting depth of groups. A deeper formula is shown as its source.
const MAX_DEPTH: usize = 200;

/// The stack that a formula is read on, in bytes. The reader calls itself for each level of a formula.
const STACK: usize = 64 * 1024 * 1024;

static CONVERTER: LazyLock<Option<LatexToMathML>> = LazyLock::new(|| {
    let config = MathCoreConfig { annotation: true, ..MathCoreConfig::default() };
    LatexToMathML::new(config).ok()
});

impl Blocks<'_> {
    /// A formula as MathML; its source if it cannot be read.
    pub(super) fn formula(&mut self, tex: &str, block: bool) -> Markup {
        let display = if block { MathDisplay::Block } else { MathDisplay::Inline };
        let converter = CONVERTER.as_ref().filter(|_| tex.len() <= MAX_BYTES && groups(tex) <= MAX_DEPTH);
        let made = converter
            .and_then(|converter| stacker::grow(STACK, || converter.convert_with_local_state(tex, display).ok()));
        match made {
            // The library escapes text. What is in its tags is checked here.
            Some(made) => PreEscaped(self.checked(&made.mathml)),
            None => html! { code.o-tex translate="no" { (tex) } },
        }
    }

    /// Markup of the library with classes for its `style` attributes, and without what a formula must not have: ids,
    /// and links to anything but web pages.
    fn checked(&mut self, markup: &str) -> String {
        let mut out = String::with_capacity(markup.len());
        let mut rest = markup;
        while let Some(at) = rest.find('<') {
            let (before, found) = rest.split_at(at);
            out.push_str(before);
            let end = tag_length(found);
            let (tag, after) = found.split_at(end);
            self.push_tag(tag, &mut out);
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn push_tag(&mut self, tag: &str, out: &mut String) {
        let inside = tag.trim_start_matches('<').trim_end_matches('>');
        let (inside, is_empty) = inside.strip_suffix('/').map_or((inside, false), |inside| (inside, true));
        let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
        out.push('<');
        out.push_str(name);
        let mut classes = Vec::new();
        for (key, value) in parts(attributes) {
            match key {
                "style" => classes.extend(rule(value).map(|rule| self.class(&rule))),
                "class" => classes.push(value.to_owned()),
                "id" => {}
                "href" if safe(&value.replace("&amp;", "&")).is_none_or(|href| !href.external) => {}
                _ => {
                    out.push_str(&format!(" {key}=\"{value}\""));
                }
            }
        }
        if !classes.is_empty() {
            out.push_str(&format!(" class=\"{}\"", classes.join(" ")));
        }
        out.push_str(if is_empty { "/>" } else { ">" });
    }
}

/// The nesting depth of the groups of a formula.
fn groups(tex: &str) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    for byte in tex.bytes() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        most = most.max(depth);
    }
    most
}

/// The attributes of a tag: names and values, as they are escaped.
fn parts(mut attributes: &str) -> Vec<(&str, &str)> {
    let mut parts = Vec::new();
    while let Some((key, rest)) = attributes.split_once("=\"") {
        let (value, rest) = rest.split_once('"').unwrap_or((rest, ""));
        let key = key.trim();
        if key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !key.starts_with("on") {
            parts.push((key, value));
        }
        attributes = rest;
    }
    parts
}

/// A style as a rule; `None` if it has anything that could not be of the library.
fn rule(style: &str) -> Option<String> {
    let declarations = style.split(';').map(str::trim).filter(|declaration| !declaration.is_empty());
    let known = declarations.map(|declaration| {
        let (property, value) = declaration.split_once(':')?;
        let is_word = |text: &str, further: &[u8]| {
            text.bytes().all(|byte| byte.is_ascii_alphanumeric() || further.contains(&byte))
        };
        let (property, value) = (property.trim(), value.trim());
        (is_word(property, b"-") && is_word(value, b"-.#% ")).then(|| format!("{property}:{value}"))
    });
    let rule = known.collect::<Option<Vec<String>>>()?.join(";");
    (!rule.is_empty()).then_some(rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("color:#ff0000;", Some("color:#ff0000"))]
    #[case("width: 7.5%;padding-left: 0;", Some("width:7.5%;padding-left:0"))]
    #[case("background:url(x)", None)]
    #[case("color:red}*{x:y", None)]
    #[case("", None)]
    fn a_style_becomes_a_rule(#[case] style: &str, #[case] expected: Option<&str>) {
        assert_eq!(rule(style).as_deref(), expected);
    }
}
