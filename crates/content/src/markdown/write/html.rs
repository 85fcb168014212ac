//! Writes as HTML the content that Markdown cannot express.
use super::Writer;
use super::leaves::{TextMark, text_marks};
use crate::document::{
    Align, Block, Button, ButtonKind, Image, ImageAlign, Images, Inline, InlineImage, InlineImageSize, Kind, Link,
    Marks,
};
use crate::markdown::elements::{ACTION, DARK, name_of};
use crate::markdown::html::{escape, escape_attribute};
use crate::markdown::tagged::{length_text, readable_length};
use crate::reference::ContentRef;
use std::fmt::Write;

/// The characters of an emoji from its hexadecimal code points; the code itself if it has none.
pub(super) fn emoji(code: &str) -> String {
    let each = |part: &str| u32::from_str_radix(part, 16).ok().and_then(char::from_u32);
    code.split('-').map(each).collect::<Option<String>>().unwrap_or_else(|| format!(":{code}:"))
}

impl Writer<'_> {
    /// Writes inline content as HTML.
    pub(super) fn inline_html_all(&mut self, content: &[Inline]) -> String {
        let mut out = String::new();
        let mut open: Vec<TextMark> = Vec::new();
        for (at, inline) in content.iter().enumerate() {
            let on = match inline {
                Inline::Text(text) => text_marks(&text.marks),
                _ => Vec::new(),
            };
            while let Some(mark) = open.pop_if(|mark| !on.contains(mark)) {
                out.push_str(mark.close_html());
            }
            // Closing a mark under one that continues closes both.
            if let Some(keep) = open.iter().position(|mark| !on.contains(mark)) {
                open.drain(keep..).rev().for_each(|mark| out.push_str(mark.close_html()));
            }
            for mark in on {
                if !open.contains(&mark) {
                    out.push_str(&mark.open_html());
                    open.push(mark);
                }
            }
            match inline {
                Inline::Text(text) => html_text(&text.text, &text.marks, at == 0, at + 1 == content.len(), &mut out),
                other => out.push_str(&self.inline_html(other)),
            }
        }
        open.into_iter().rev().for_each(|mark| out.push_str(mark.close_html()));
        out
    }

    /// Writes one inline as HTML, without the marks of its text.
    pub(super) fn inline_html(&mut self, inline: &Inline) -> String {
        let mut out = String::new();
        match inline {
            Inline::Text(text) => html_text(&text.text, &text.marks, true, true, &mut out),
            Inline::Link(link) => return self.link_html(link),
            Inline::Emoji { code } => escape(&emoji(code), true, true, &mut out),
            Inline::Icon(icon) => {
                let color = icon.color.map(|color| format!(" style=\"color:{};\"", name_of(&color)));
                let name = escape_attribute(&icon.icon);
                let _ = write!(out, "<i class=\"fa-{name}\"{}>:", color.unwrap_or_default());
                // This part is also parsed as Markdown.
                for each in icon.icon.chars() {
                    match each.is_alphanumeric() || each == '-' {
                        true => out.push(each),
                        false => drop(write!(out, "&#{};", u32::from(each))),
                    }
                }
                out.push_str(":</i>");
            }
            Inline::Expression { expression } => {
                out.push_str("<code class=\"expression\">");
                escape(expression, true, true, &mut out);
                out.push_str("</code>");
            }
            Inline::Math { formula } => {
                let mut inner = String::new();
                escape(&formula.replace('\n', " "), false, false, &mut inner);
                let _ = write!(out, "$${}$$", inner.replace("&#36;", "$"));
            }
            Inline::Image(image) => return self.inline_image_html(image),
            Inline::Annotation(note) => {
                out = self.inline_html_all(&note.content);
                let label = self.note(note.label.as_deref(), &note.body);
                let _ = write!(out, "[^{label}]");
            }
            Inline::Mention { target } => {
                let href = escape_attribute(&self.href(target));
                let _ = write!(out, "<a href=\"{href}\" title=\"mention\">{href}</a>");
            }
            Inline::Button(button) => self.button(button, &mut out),
            Inline::Verbatim { source } => out.push_str(&source.replace('\n', " ")),
        }
        out
    }

    fn link_html(&mut self, link: &Link) -> String {
        let href = escape_attribute(&self.link_href(&link.target.0, link.query.as_ref()));
        let title = link.title.as_deref().map(|title| format!(" title=\"{}\"", escape_attribute(title)));
        let content = self.inline_html_all(&link.content);
        format!("<a href=\"{href}\"{}>{content}</a>", title.unwrap_or_default())
    }

    fn button(&mut self, button: &Button, out: &mut String) {
        let class = match button.kind {
            ButtonKind::Primary => "button primary",
            ButtonKind::Secondary => "button secondary",
        };
        let name = match &button.target {
            Some(target) => {
                let _ = write!(out, "<a href=\"{}\" class=\"{class}\"", escape_attribute(&self.href(target)));
                "a"
            }
            None => {
                let _ = write!(out, "<button type=\"button\" class=\"{class}\"");
                for (key, attribute) in ACTION {
                    let value =
                        button.action.as_ref().and_then(|action| action.get(key)).and_then(|value| value.as_str());
                    self.attribute(attribute, value, out);
                }
                "button"
            }
        };
        self.attribute("data-size", button.size.as_deref(), out);
        self.attribute("data-icon", button.icon.as_deref(), out);
        out.push('>');
        escape(&button.label, true, true, out);
        let _ = write!(out, "</{name}>");
    }

    fn attribute(&self, name: &str, value: Option<&str>, out: &mut String) {
        if let Some(value) = value {
            let _ = write!(out, " {name}=\"{}\"", escape_attribute(value));
        }
    }

    /// Writes an inline image as HTML.
    pub(super) fn inline_image_html(&mut self, image: &InlineImage) -> String {
        let mut out = format!("<img src=\"{}\"", escape_attribute(&self.href(&image.source.0)));
        self.attribute("alt", image.alt.as_deref(), &mut out);
        self.attribute("title", image.caption.as_deref(), &mut out);
        let size = image.size.map(|size| match size {
            InlineImageSize::Original => "original",
            InlineImageSize::Line => "line",
        });
        self.attribute("data-size", size, &mut out);
        self.attribute("width", readable_length(image.width.as_ref()).as_deref(), &mut out);
        self.attribute("height", readable_length(image.height.as_ref()).as_deref(), &mut out);
        out.push('>');
        self.picture(image.source_dark.as_ref(), out)
    }

    fn picture(&self, dark: Option<&ContentRef>, img: String) -> String {
        match dark {
            None => img,
            Some(dark) => {
                let dark = escape_attribute(&self.href(dark));
                format!("<picture><source srcset=\"{dark}\" media=\"{DARK}\">{img}</picture>")
            }
        }
    }

    /// Writes a row of images.
    pub(super) fn images(&mut self, images: &Images, row: &[Block]) -> String {
        let plain = *images == Images::default();
        if let ([only], true) = (row, plain)
            && let Kind::Image(image) = &only.kind
            && only.content.is_empty()
            && **image == (Image { source: image.source.clone(), alt: image.alt.clone(), ..Image::default() })
            && image.alt.as_deref() != Some("")
        {
            let inline = InlineImage { source: image.source.clone(), alt: image.alt.clone(), ..InlineImage::default() };
            return self.inlines(&[Inline::Image(Box::new(inline))], super::inlines::Place::Paragraph, &[]);
        }
        let figures: Vec<String> = row.iter().map(|block| self.figure(block)).collect();
        if plain && figures.len() == 1 {
            return figures.concat();
        }
        let mut out = String::from("<div");
        let align = images.align.map(|align| match align {
            ImageAlign::Center => "center",
            ImageAlign::Left => "left",
            ImageAlign::Right => "right",
        });
        self.attribute("align", align, &mut out);
        let flag = |value: Option<bool>| value.map(|value| if value { "true" } else { "false" });
        self.attribute("data-full-width", flag(images.full_width), &mut out);
        self.attribute("data-with-frame", flag(images.with_frame), &mut out);
        format!("{out}>{}</div>", figures.join(" "))
    }

    fn figure(&mut self, block: &Block) -> String {
        let Kind::Image(image) = &block.kind else { return String::new() };
        let mut img = format!("<img src=\"{}\"", escape_attribute(&self.href(&image.source.0)));
        self.attribute("alt", image.alt.as_deref(), &mut img);
        self.attribute("width", image.width.as_ref().map(length_text).as_deref(), &mut img);
        self.attribute("height", image.height.as_ref().map(length_text).as_deref(), &mut img);
        img.push('>');
        let picture = self.picture(image.source_dark.as_ref(), img);
        let caption = self.inline_html_all(&block.content);
        let caption = if caption.is_empty() || caption.contains("<p") { caption } else { format!("<p>{caption}</p>") };
        format!("<figure>{picture}<figcaption>{caption}</figcaption></figure>")
    }

    /// Writes a paragraph or heading with an alignment.
    pub(super) fn aligned(&mut self, name: &str, align: Align, id: Option<&str>, content: &[Inline]) -> String {
        let align = match align {
            Align::Start => "left",
            Align::Center => "center",
            Align::End => "right",
        };
        let mut out = format!("<{name} align=\"{align}\"");
        self.attribute("id", id, &mut out);
        let content = self.inline_html_all(content);
        format!("{out}>{content}</{name}>")
    }
}

fn html_text(text: &str, marks: &Marks, starts: bool, ends: bool, out: &mut String) {
    if !marks.code {
        return escape(text, starts, ends, out);
    }
    out.push_str("<code>");
    escape(text, false, false, out);
    out.push_str("</code>");
}
