//! The HTML elements in a line of text, and their meaning.
use super::blocks::Context;
use super::events::{Event, Mark};
use super::html::HtmlTag;
use super::links::LinkUse;
use super::tagged::length;
use super::tags::NotUnderstood;
use crate::document::{Button, ButtonKind, Color, InlineImage, InlineImageSize, Length, Target, TextColor};
use crate::reference::ContentRef;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use serde_json::{Map, Value};

/// An element with content.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Element {
    /// A mark.
    Mark(Mark),
    /// Colours.
    Color(TextColor),
    /// A link.
    Link { href: String, title: Option<String> },
    /// A button; `href` is its target.
    Button { href: Option<String>, button: Button },
    /// An icon.
    Icon { icon: String, color: Option<Color> },
    /// An expression.
    Expression,
}

impl Element {
    /// Whether it takes its content into one element, unlike a mark.
    pub(super) fn captures(&self) -> bool {
        !matches!(self, Self::Mark(_) | Self::Color(_))
    }
}

/// The meaning of the element that `tag` opens; `None` if it has none here. Links and buttons do not nest.
pub(super) fn element(mut tag: HtmlTag, in_link: bool) -> Option<Element> {
    let found = match tag.name.as_str() {
        "strong" | "b" => Element::Mark(Mark::Bold),
        "em" => Element::Mark(Mark::Italic),
        "del" | "s" | "strike" => Element::Mark(Mark::Strikethrough),
        "sup" => Element::Mark(Mark::Superscript),
        "sub" => Element::Mark(Mark::Subscript),
        "kbd" => Element::Mark(Mark::Keyboard),
        "code" => match tag.take("class").as_deref() {
            None => Element::Mark(Mark::Code),
            Some("expression") => Element::Expression,
            Some(_) => return None,
        },
        "i" => match tag.take("class") {
            None => Element::Mark(Mark::Italic),
            Some(class) => {
                let icon = class.strip_prefix("fa-").filter(|icon| !icon.is_empty() && !icon.contains(' '))?.to_owned();
                let color = match tag.take("style") {
                    None => None,
                    Some(style) => Some(colors(&style).ok().filter(|found| found.background == Color::Default)?.text),
                };
                Element::Icon { icon, color }
            }
        },
        "mark" => Element::Color(colors(&tag.take("style")?).ok()?),
        "a" | "button" if in_link => return None,
        "a" => match tag.take("class") {
            None => Element::Link { href: tag.take("href")?, title: tag.take("title") },
            Some(class) => Element::Button { href: Some(tag.take("href")?), button: button(&class, &mut tag)? },
        },
        "button" => {
            if tag.take("type")? != "button" {
                return None;
            }
            let mut button = button(&tag.take("class")?, &mut tag)?;
            button.action = Some(action(&mut tag)?);
            Element::Button { href: None, button }
        }
        _ => return None,
    };
    tag.finish().ok().map(|()| found)
}

fn button(class: &str, tag: &mut HtmlTag) -> Option<Button> {
    let kind = match class {
        "button primary" => ButtonKind::Primary,
        "button secondary" => ButtonKind::Secondary,
        _ => return None,
    };
    Some(Button { kind, size: tag.take("data-size"), icon: tag.take("data-icon"), ..Button::default() })
}

/// The names of an action's properties, and of the attributes for them.
pub(super) const ACTION: [(&str, &str); 3] =
    [("action", "data-action"), ("query", "data-query"), ("slug", "data-slug")];

fn action(tag: &mut HtmlTag) -> Option<Value> {
    let mut action = Map::new();
    for (name, attribute) in ACTION {
        if let Some(value) = tag.take(attribute) {
            action.insert(name.to_owned(), Value::String(value));
        }
    }
    action.contains_key("action").then_some(Value::Object(action))
}

/// A word of the API.
pub(super) fn word<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, NotUnderstood> {
    let reader: StrDeserializer<'_, Error> = text.into_deserializer();
    T::deserialize(reader).map_err(|_unknown_word| NotUnderstood)
}

/// The written form of a word of the API.
pub(super) fn name_of<T: serde::Serialize>(word: &T) -> String {
    match serde_json::to_value(word) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}

fn colors(style: &str) -> Result<TextColor, NotUnderstood> {
    let mut found = TextColor::default();
    for rule in style.split(';').map(str::trim).filter(|rule| !rule.is_empty()) {
        let (name, value) = rule.split_once(':').ok_or(NotUnderstood)?;
        match name.trim() {
            "color" => found.text = word(value.trim())?,
            "background-color" => found.background = word(value.trim())?,
            _ => return Err(NotUnderstood),
        }
    }
    if found == TextColor::default() { Err(NotUnderstood) } else { Ok(found) }
}

/// The written form of colours.
pub(super) fn style(color: &TextColor) -> String {
    let mut style = String::new();
    if color.text != Color::Default || color.background == Color::Default {
        style.push_str(&format!("color:{};", name_of(&color.text)));
    }
    if color.background != Color::Default {
        style.push_str(&format!("background-color:{};", name_of(&color.background)));
    }
    style
}

/// The media query for the dark theme in a `<source>`.
pub(super) const DARK: &str = "(prefers-color-scheme: dark)";

/// The addresses of a picture for each theme.
#[derive(Default)]
pub(super) struct Themes {
    dark: Option<String>,
    light: Option<String>,
}

impl Themes {
    /// Adds the address in a `<source>`; `None` if it is not only for a theme, or for one that has an address.
    pub(super) fn add(&mut self, mut source: HtmlTag) -> Option<()> {
        let address = source.take("srcset")?;
        let media: String = source.take("media")?.split_whitespace().collect();
        let theme = match media.as_str() {
            "(prefers-color-scheme:dark)" => &mut self.dark,
            "(prefers-color-scheme:light)" => &mut self.light,
            _ => return None,
        };
        let is_first = theme.replace(address).is_none();
        (is_first && source.name == "source" && !source.close && source.finish().is_ok()).then_some(())
    }

    /// The address for the dark theme; `None` if the one for the light theme is not that of the image.
    pub(super) fn dark(self, image: &str) -> Option<Option<String>> {
        self.light.is_none_or(|light| light == image).then_some(self.dark)
    }
}

/// Removes the width and the height of an image, which may be in its style. What is not a length is left out.
pub(super) fn sizes(tag: &mut HtmlTag) -> (Option<Length>, Option<Length>) {
    let style = tag.take("style").unwrap_or_default();
    let mut size = |name: &str| {
        let in_style = || {
            let rule = style.split(';').filter_map(|rule| rule.split_once(':')).find(|(key, _)| key.trim() == name);
            rule.map(|(_, value)| value.to_owned())
        };
        tag.take(name).or_else(in_style).and_then(|value| length(value.trim()))
    };
    (size("width"), size("height"))
}

impl Context<'_, '_> {
    /// The inline image of an `<img>`.
    pub(super) fn inline_image(&mut self, tag: &mut HtmlTag, line: usize) -> Option<InlineImage> {
        if tag.close || tag.take("class").as_deref() == Some("gitbook-drawing") {
            return None;
        }
        let source = tag.take("src")?;
        let size: Option<InlineImageSize> = match tag.take("data-size") {
            None => None,
            Some(size) => Some(word(&size).ok()?),
        };
        let (width, height) = sizes(tag);
        let (alt, caption) = (tag.take_alt(), tag.take("title").filter(|caption| !caption.is_empty()));
        tag.take("align");
        tag.drop_looks();
        tag.finish().ok()?;
        let source = Target(self.reference(&source, LinkUse::Image, line));
        Some(InlineImage { source, source_dark: None, caption, alt, size, width, height })
    }

    /// The inline image of a `<picture>` with sources for the themes, and the number of its events.
    pub(super) fn picture(&mut self, events: &[Event]) -> Option<(InlineImage, usize)> {
        let begins = |source: &str| source.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("<picture"));
        if !matches!(events.first(), Some(Event::Html { source, .. }) if begins(source)) {
            return None;
        }
        let mut tags = Vec::new();
        let mut length = 0;
        // Five tags, and the white space between them.
        for event in events.iter().take(9) {
            length += 1;
            match event {
                Event::Html { source, line } => tags.push((HtmlTag::parse(source)?, *line)),
                Event::Text(text) | Event::Literal(text) if text.trim().is_empty() => {}
                _ => return None,
            }
            if tags.last().is_some_and(|(tag, _)| tag.name == "picture" && tag.close) {
                break;
            }
        }
        let [(picture, _), sources @ .., (image, line), (end, _)] = &mut tags[..] else { return None };
        let both = picture.name == "picture" && !picture.close && end.name == "picture" && end.close;
        if !both || picture.finish().is_err() || image.name != "img" {
            return None;
        }
        let mut themes = Themes::default();
        for (source, _) in sources {
            themes.add(source.clone())?;
        }
        let dark = themes.dark(&image.clone().take("src")?)?;
        let image = self.inline_image(image, *line)?;
        let source_dark = dark.map(|dark| self.reference(&dark, LinkUse::Image, *line));
        Some((InlineImage { source_dark, ..image }, length))
    }
}

/// An unresolved reference to this address.
pub(super) fn as_written(href: &str) -> ContentRef {
    ContentRef::Url { url: href.to_owned() }
}
