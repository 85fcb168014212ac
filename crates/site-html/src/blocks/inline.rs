//! Inline content.
use super::containers::{self, Size};
use super::media::dimensions;
use super::verbatim::Ends;
use super::{Blocks, classes, verbatim};
use crate::texts::Word;
use domain::content::document::{
    Annotation, Button, ButtonKind, Icon, Inline, InlineImage, InlineImageSize, Link, Marks, Text, inline_text,
};
use domain::content::reference::ContentRef;
use maud::{Markup, html};
use std::borrow::Cow;

/// The largest width of an image in a line that has no size of its own, in pixels.
const MAX_WIDTH: u32 = 300;

impl Blocks<'_> {
    /// A line of text.
    pub(super) fn line(&mut self, inlines: &[Inline]) -> Markup {
        self.seen_line(inlines).0
    }

    /// A line of text, and whether a reader sees something in it. Places and empty elements are not seen.
    fn seen_line(&mut self, inlines: &[Inline]) -> (Markup, bool) {
        let mut rest = inlines;
        let mut parts: Vec<Markup> = Vec::with_capacity(inlines.len());
        let (mut is_begun, mut is_seen) = (false, false);
        let mut ends = Ends::default();
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            parts.push(self.place(first));
            let (part, seen) = match ends.find(first, after) {
                // What is between two tags is inside their element.
                Some((name, end)) => {
                    rest = &after[end + 1..];
                    let (inner, seen) = self.seen_line(&after[..end]);
                    (verbatim::element(name, &inner), seen)
                }
                None => {
                    // Elements with lines of their own, such as the items of a list in a cell.
                    let sign = match first {
                        Inline::Verbatim { source } => verbatim::begins_line(source),
                        _ => None,
                    };
                    parts.push(html! { @if let Some(sign) = sign { @if is_begun { br; } (sign) } });
                    is_begun &= sign.is_none();
                    let part = self.inline(first);
                    let seen = match first {
                        Inline::Verbatim { .. } => verbatim::is_seen(&part.0),
                        _ => !part.0.trim().is_empty(),
                    };
                    is_seen |= sign.is_some_and(|sign| !sign.is_empty());
                    (part, seen)
                }
            };
            parts.push(part);
            is_begun |= seen;
            is_seen |= seen;
        }
        (html! { @for part in &parts { (part) } }, is_seen)
    }

    fn inline(&mut self, inline: &Inline) -> Markup {
        match inline {
            Inline::Text(text) => marked(text),
            Inline::Link(link) => self.inline_link(link),
            Inline::Emoji { code } => html! { (emoji(code)) },
            Inline::Icon(icon) => self.inline_icon(icon),
            // An invalid expression is not shown.
            Inline::Expression { .. } => html! {},
            Inline::Math { formula } => self.formula(formula, false),
            Inline::Image(image) => self.inline_image(image),
            Inline::Annotation(annotation) => self.annotated(annotation),
            Inline::Mention { target } => self.mention(target),
            Inline::Button(button) => self.button(button),
            Inline::Verbatim { source } => verbatim::inline(source),
        }
    }

    /// The place that a tag with an anchor marks.
    fn place(&mut self, inline: &Inline) -> Markup {
        let wanted = match inline {
            Inline::Verbatim { source } => verbatim::marked_place(source),
            _ => None,
        };
        let anchor = wanted.and_then(|wanted| self.anchors.exact(wanted));
        html! { @if let Some(anchor) = anchor { span id=(anchor) {} } }
    }

    fn inline_link(&mut self, link: &Link) -> Markup {
        let inner = self.line(&link.content);
        let Some(href) = self.leads(&link.target.0) else { return inner };
        let href = href.with_query(link.query.as_deref());
        let is_named = !inline_text(&link.content).trim().is_empty();
        let name = || self.shown(&link.target.0).map(|shown| shown.title).unwrap_or_default();
        let inner = match is_named {
            true => inner,
            false if inner.0.is_empty() => html! { (name()) },
            false => html! { (inner) span.o-hidden { (name()) } },
        };
        self.link(&href, None, link.title.as_deref(), &inner)
    }

    fn inline_icon(&self, icon: &Icon) -> Markup {
        let rendered = self.icon(&icon.icon);
        match icon.color {
            Some(color) if !rendered.0.is_empty() => {
                html! { span class={ "o-fg-" (color_name(color)) } { (rendered) } }
            }
            _ => rendered,
        }
    }

    fn inline_image(&mut self, image: &InlineImage) -> Markup {
        let alt = image.alt.as_deref().unwrap_or_default();
        let Some((src, size)) = self.picture(&image.source.0) else {
            // If the image is missing, only its description is shown.
            return html! { @if !alt.is_empty() { span.o-missing { (alt) } } };
        };
        let dark = image.source_dark.as_ref().and_then(|source| self.picture(source));
        let title = image.caption.as_deref().filter(|caption| !caption.is_empty());
        let (wide, high) =
            (image.width.as_ref().and_then(containers::size), image.height.as_ref().and_then(containers::size));
        let has_size = wide.is_some() || high.is_some();
        // Without a choice, an image is shown as it is, up to a width. One whose size is not known is as high as its
        // line, so that the text does not move when it arrives.
        let is_own_size = match image.size {
            _ if has_size => true,
            Some(chosen) => chosen == InlineImageSize::Original,
            None => size.is_some(),
        };
        let is_large = !has_size && image.size.is_none() && size.is_some_and(|(width, _)| width > MAX_WIDTH);
        let wide = if is_large { Some(Size::Pixels(MAX_WIDTH)) } else { wide };
        let class = if is_own_size { "o-inline-original" } else { "o-inline" };
        let share = match wide {
            Some(Size::Percent(width)) => Some(self.class(&format!("inline-size:{width}%"))),
            _ => None,
        };
        let share = share.unwrap_or_default();
        let one = |src: &str, size: Option<(u32, u32)>, mode: &str| {
            let (width, height) = dimensions(wide, high, size);
            let class = classes(class, &[(mode, !mode.is_empty()), (share.as_str(), !share.is_empty())]);
            html! {
                img class=(class) src=(src) alt=(alt) title=[title] loading="lazy" decoding="async" width=[width]
                    height=[height];
            }
        };
        match dark {
            Some((dark, dark_size)) => html! { (one(&src, size, "o-light")) (one(&dark, dark_size, "o-dark")) },
            None => one(&src, size, ""),
        }
    }

    fn annotated(&mut self, annotation: &Annotation) -> Markup {
        let inner = self.line(&annotation.content);
        html! { @if !inner.0.is_empty() { span.o-noted { (inner) } } (self.note(annotation)) }
    }

    /// The button that opens a note. The note itself comes after the block.
    pub(super) fn note(&mut self, annotation: &Annotation) -> Markup {
        self.noted += 1;
        let number = self.noted;
        let id = self.anchors.free(&format!("note-{number}"));
        let before = std::mem::take(&mut self.notes);
        let body = self.all(&annotation.body);
        self.notes = before;
        self.notes.push(html! { div.o-note id=(id) popover role="note" data-note=(number) { (body) } });
        let name = self.context.texts.with(Word::Note, &number.to_string());
        html! { button.o-note-mark type="button" popovertarget=(id) aria-label=(name) { (number) } }
    }

    fn mention(&mut self, target: &ContentRef) -> Markup {
        let Some(shown) = self.shown(target) else { return html! {} };
        let inner = html! { @if let Some(sign) = shown.sign { (sign) " " } (shown.title) };
        match self.leads(target) {
            Some(href) => self.link(&href, Some("o-mention"), None, &inner),
            None => html! { span.o-mention { (inner) } },
        }
    }

    fn button(&mut self, button: &Button) -> Markup {
        let size = button.size.as_deref();
        let class = classes(
            "o-button",
            &[
                ("o-primary", button.kind == ButtonKind::Primary),
                ("o-small", size == Some("small")),
                ("o-large", size == Some("large")),
            ],
        );
        let inner = html! { (self.maybe_icon(button.icon.as_deref())) (button.label) };
        if let Some(target) = &button.target {
            return match self.leads(target) {
                Some(href) => self.link(&href, Some(&class), None, &inner),
                None => html! { span class=(class) aria-disabled="true" { (inner) } },
            };
        }
        let value = |key| button.action.as_ref().and_then(|action| action.get(key)).and_then(|value| value.as_str());
        match (value("action"), value("slug")) {
            (Some("select"), Some(slug)) => {
                html! { a class=(class) href={ "#" (slug) } data-select=(slug) { (inner) } }
            }
            // There is no assistant: questions are searched for.
            (Some("search" | "ask"), _) => {
                let query = value("query").unwrap_or_default();
                let encoded: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
                let (join, base) = (if query.is_empty() { "" } else { "?q=" }, self.context.base);
                html! { a class=(class) href={ (base) "~/search" (join) (encoded) } data-query=(query) { (inner) } }
            }
            _ => html! { span class=(class) aria-disabled="true" { (inner) } },
        }
    }
}

/// An emoji by its code points in hexadecimal.
pub(super) fn emoji(code: &str) -> String {
    // The characters of markup are no emoji.
    domain::content::document::emoji(code).filter(|char| !char.is_control()).collect()
}

/// A text with emojis for their names: `:books:`. Words with colons beside letters and digits stay.
pub(super) fn with_emojis(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut done, mut from) = (0, 0);
    while let Some(start) = text[from..].find(':').map(|at| from + at) {
        let name = &text[start + 1..];
        let length = name.find(|char: char| !char.is_ascii_alphanumeric() && !matches!(char, '_' | '+' | '-'));
        let closed = length.filter(|length| *length > 0 && name[*length..].starts_with(':'));
        let is_free = !text[..start].ends_with(char::is_alphanumeric);
        let found = closed.filter(|_| is_free).and_then(|length| {
            let after = &name[length + 1..];
            let emoji = emojis::get_by_shortcode(&name[..length])?;
            (!after.starts_with(char::is_alphanumeric)).then_some((emoji, text.len() - after.len()))
        });
        from = start + 1;
        if let Some((emoji, end)) = found {
            out.push_str(&text[done..start]);
            out.push_str(emoji.as_str());
            (done, from) = (end, end);
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// The name of a colour in classes.
pub(super) fn color_name(color: domain::content::document::Color) -> &'static str {
    color.as_str().trim_start_matches('$')
}

/// Text of one look.
fn marked(Text { text, marks }: &Text) -> Markup {
    let text = if marks.code { Cow::Borrowed(text.as_str()) } else { with_emojis(text) };
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default();
    let mut markup = html! { (first) @for line in lines { br; (line) } };
    let Marks { bold, italic, code, keyboard, strikethrough, superscript, subscript, color } = marks;
    if *code {
        markup = html! { code { (markup) } };
    }
    if *keyboard {
        markup = html! { kbd { (markup) } };
    }
    if *superscript {
        markup = html! { sup { (markup) } };
    }
    if *subscript {
        markup = html! { sub { (markup) } };
    }
    if *strikethrough {
        markup = html! { s { (markup) } };
    }
    if *italic {
        markup = html! { em { (markup) } };
    }
    if *bold {
        markup = html! { strong { (markup) } };
    }
    match color {
        Some(color) => {
            let (text, background) = (color_name(color.text), color_name(color.background));
            html! { span class={ "o-fg-" (text) " o-bg-" (background) } { (markup) } }
        }
        None => markup,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("a :books: b", "a 📚 b")]
    #[case(":books::gear:", "📚⚙️")]
    #[case("(:+1:)", "(👍)")]
    #[case("a:books:b", "a:books:b")]
    #[case("10:100:20", "10:100:20")]
    #[case(":no_such_name: :", ":no_such_name: :")]
    #[case("::", "::")]
    #[case("é:books:", "é:books:")]
    #[case(":books: é:", "📚 é:")]
    fn names_of_emojis_are_emojis(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(with_emojis(text), expected);
    }
}
