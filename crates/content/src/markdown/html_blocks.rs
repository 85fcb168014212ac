//! HTML blocks with a meaning: expandables, images, tables, lists, headings and text.
use super::assembly::{Assembly, Opening};
use super::blocks::{Context, TooDeep, line_block, verbatim};
use super::details::expandables;
use super::elements::{Themes, sizes, word};
use super::events::{Event, of_html};
use super::html::{HtmlTag, Token, is_void, tokens};
use super::inlines::inlines;
use super::links::LinkUse;
use super::{divs, heading_id, html_lists, html_tables};
use crate::document::{Align, Block, Drawing, Heading, Image, ImageAlign, Images, Inline, Kind, Target};

/// Elements in a line of text.
pub(super) const IN_LINES: [&str; 22] = [
    "a", "abbr", "b", "br", "code", "del", "em", "i", "img", "ins", "kbd", "mark", "picture", "s", "small", "source",
    "span", "strike", "strong", "sub", "sup", "u",
];

/// Adds the blocks of an HTML block; one that is not fully understood is kept as source.
pub(super) fn html_block(
    context: &mut Context<'_, '_>,
    source: &str,
    line: usize,
    assembly: &mut Assembly,
) -> Result<(), TooDeep> {
    if container_tags(context, source, line, assembly) {
        return Ok(());
    }
    let found = context.found.len();
    let all = tokens(source.trim());
    let mut cursor = Cursor { tokens: &all, line };
    let blocks = cursor.blocks(context, assembly.depth()).unwrap_or_else(|| {
        context.found.truncate(found);
        context.note_addresses(source, line);
        vec![verbatim(source.trim_end(), "html")]
    });
    blocks.into_iter().for_each(|block| assembly.block(block));
    Ok(())
}

/// Adds the tags of expandables in an HTML block, and what is between them, or the only tag of a `<div>`. Returns whether
/// there were any; if not, nothing is added.
pub(super) fn container_tags(
    context: &mut Context<'_, '_>,
    source: &str,
    line: usize,
    assembly: &mut Assembly,
) -> bool {
    if expandables(context, source, line, assembly) {
        return true;
    }
    if !begins_with(source, &["div"]) {
        return false;
    }
    let all = tokens(source.trim());
    let [Token::Tag(tag, source)] = &all[..] else { return false };
    match divs::begun(tag) {
        Some(images) => {
            let block = Some(Block::new(Kind::Images(images)));
            assembly.open(Opening { name: "div", source, syntax: "html", block });
        }
        None if tag.close => assembly.close("div", source, "html"),
        None => return false,
    }
    true
}

/// Whether HTML begins with a tag of one of these names.
pub(super) fn begins_with(html: &str, names: &[&str]) -> bool {
    let Some(rest) = html.trim_start().strip_prefix('<') else { return false };
    let name = rest.strip_prefix('/').unwrap_or(rest);
    let end = name.find(|each: char| !each.is_ascii_alphanumeric() && each != '-').unwrap_or(name.len());
    names.iter().any(|expected| name[..end].eq_ignore_ascii_case(expected))
}

impl Context<'_, '_> {
    /// Reports the addresses in HTML that is kept as source, so that its files are imported, and addresses without a
    /// target are reported.
    pub(super) fn note_addresses(&mut self, html: &str, line: usize) {
        let mut line = line;
        for token in tokens(html) {
            if let Token::Tag(tag, _) = &token {
                let mut tag = tag.clone();
                let (attribute, use_) = match tag.name.as_str() {
                    "a" => ("href", LinkUse::Link),
                    "img" | "source" => ("src", LinkUse::Image),
                    "video" | "audio" | "embed" => ("src", LinkUse::File),
                    _ => ("", LinkUse::Link),
                };
                let addresses = tag.take(attribute).into_iter().chain(first_of_set(&mut tag));
                for href in addresses.filter(|href| !href.trim().is_empty()) {
                    self.reference(href.trim(), use_, line);
                }
            }
            line += token.line_feeds();
        }
    }
}

/// The first picture in a `srcset`: the address before its size.
fn first_of_set(tag: &mut HtmlTag) -> Option<String> {
    let set = tag.take("srcset").filter(|_| matches!(tag.name.as_str(), "img" | "source"))?;
    set.split([',', ' ']).find(|part| !part.is_empty()).map(str::to_owned)
}

/// Finds the places in HTML at which all elements are closed. Expandables do not count: they end where Markdown says.
pub(super) struct OpenElements<'s> {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token<'s>>>,
    /// The start of the next token.
    at: usize,
    open: Vec<String>,
    /// Whether an element was closed that was not open. After that, nothing is complete.
    broken: bool,
}

impl<'s> OpenElements<'s> {
    pub(super) fn of(html: &'s str) -> Self {
        Self { tokens: tokens(html).into_iter().peekable(), at: 0, open: Vec::new(), broken: false }
    }

    /// Whether all elements that begin before this byte are closed. For ascending positions, each token is read once.
    pub(super) fn all_closed_before(&mut self, end: usize) -> bool {
        while let Some(token) = self.tokens.next_if(|token| self.at + token.source().len() <= end) {
            self.at += token.source().len();
            self.take(token);
        }
        let is_open = self.at < end
            && self.tokens.peek().is_some_and(|token| match token {
                Token::Tag(..) => true,
                Token::Other(source) => source.starts_with("<!--"),
                Token::Text(_) => false,
            });
        !is_open && !self.broken && self.open.is_empty()
    }

    fn take(&mut self, token: Token<'_>) {
        let counts = |name: &str| !is_void(name) && !matches!(name, "details" | "summary");
        match token {
            Token::Tag(tag, source) if counts(&tag.name) && !source.ends_with("/>") => {
                if !tag.close {
                    self.open.push(tag.name);
                } else if self.open.pop() != Some(tag.name) {
                    self.broken = true;
                }
            }
            Token::Other(source) if source.starts_with("<!--") && !source.ends_with("-->") => self.broken = true,
            _ => {}
        }
    }
}

/// A place in a sequence of tokens.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t, 's> {
    pub(super) tokens: &'t [Token<'s>],
    /// The line of the first of them.
    pub(super) line: usize,
}

impl<'t, 's> Cursor<'t, 's> {
    /// Takes this many tokens.
    pub(super) fn take(&mut self, count: usize) -> Self {
        let (taken, rest) = self.tokens.split_at(count);
        let taken = Self { tokens: taken, line: self.line };
        self.line += taken.tokens.iter().map(Token::line_feeds).sum::<usize>();
        self.tokens = rest;
        taken
    }

    /// Its events in a line of text.
    pub(super) fn events(&self) -> Vec<Event> {
        of_html(self.tokens, self.line)
    }

    /// Skips white space.
    pub(super) fn blank(&mut self) {
        while let Some(Token::Text(text)) = self.tokens.first()
            && text.trim().is_empty()
        {
            self.take(1);
        }
    }

    /// Reads the start of an element of this name, after white space.
    pub(super) fn open(&mut self, name: &str) -> Option<HtmlTag> {
        self.blank();
        match self.tokens.first() {
            Some(Token::Tag(tag, _)) if tag.name == name && !tag.close => {
                self.take(1);
                Some(tag.clone())
            }
            _ => None,
        }
    }

    /// Reads the end of an element of this name, after white space.
    pub(super) fn close(&mut self, name: &str) -> Option<()> {
        self.blank();
        match self.tokens.first() {
            Some(Token::Tag(tag, _)) if tag.name == name && tag.close => {
                self.take(1);
                Some(())
            }
            _ => None,
        }
    }

    /// Reads up to the end of an element of this name, and that end; returns the tokens before it.
    pub(super) fn until_close(&mut self, name: &str) -> Option<Self> {
        let end = self.tokens.iter().position(|token| matches!(token, Token::Tag(tag, _) if tag.name == name))?;
        let inside = self.take(end);
        self.close(name).map(|()| inside)
    }

    /// Reads elements up to the end; `None` if one of them is not understood.
    fn blocks(&mut self, context: &mut Context<'_, '_>, depth: usize) -> Option<Vec<Block>> {
        let mut blocks = Vec::new();
        loop {
            self.blank();
            match self.tokens.first() {
                None => return Some(blocks),
                Some(Token::Tag(tag, _)) if matches!(tag.name.as_str(), "div" | "center") => {
                    let (start, found) = (*self, context.found.len());
                    if let Some(row) = self.images(context) {
                        blocks.push(row);
                    } else {
                        *self = start;
                        context.found.truncate(found);
                        self.aligned_elements(context, depth, &mut blocks)?;
                    }
                }
                Some(_) => blocks.push(self.element(context, depth, None)?),
            }
        }
    }

    /// Reads the elements of a `<div>` with an alignment, which is then that of each of them.
    fn aligned_elements(&mut self, context: &mut Context<'_, '_>, depth: usize, blocks: &mut Vec<Block>) -> Option<()> {
        let Some(Token::Tag(tag, _)) = self.take(1).tokens.first() else { return None };
        let mut tag = tag.clone();
        let center = (tag.name == "center").then(|| "center".to_owned());
        let align = align(&center.or_else(|| tag.take("align"))?)?;
        if tag.close || tag.finish().is_err() {
            return None;
        }
        let before = blocks.len();
        while self.close(&tag.name).is_none() {
            blocks.push(self.element(context, depth, Some(align))?);
        }
        (blocks.len() > before).then_some(())
    }

    /// Reads one element, or text up to the next one.
    pub(super) fn element(
        &mut self,
        context: &mut Context<'_, '_>,
        depth: usize,
        align: Option<Align>,
    ) -> Option<Block> {
        match self.tokens.first()? {
            Token::Tag(tag, _) if IN_LINES.contains(&tag.name.as_str()) => self.line_of_text(context, depth, align),
            Token::Text(_) => self.line_of_text(context, depth, align),
            Token::Tag(tag, _) => match tag.name.as_str() {
                "figure" => self.images(context),
                "table" => html_tables::table(self, context, depth),
                // Text in a list has no alignment.
                "ol" | "ul" if align.is_none() => html_lists::list(self, context, depth),
                "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.aligned(context, depth, align),
                "hr" => {
                    self.open("hr")?.finish().ok()?;
                    Some(Block::new(Kind::Divider))
                }
                _ => None,
            },
            Token::Other(source) if source.starts_with("<!--") && source.ends_with("-->") => {
                self.take(1);
                Some(verbatim(source, "html"))
            }
            Token::Other(_) => None,
        }
    }

    /// Reads text up to the next element that is not in a line.
    fn line_of_text(&mut self, context: &mut Context<'_, '_>, depth: usize, align: Option<Align>) -> Option<Block> {
        let in_line = |token: &Token<'_>| match token {
            Token::Text(_) => true,
            Token::Tag(tag, _) => IN_LINES.contains(&tag.name.as_str()),
            Token::Other(_) => false,
        };
        let length = self.tokens.iter().position(|token| !in_line(token)).unwrap_or(self.tokens.len());
        let mut line = self.take(length);
        while let Some((Token::Text(text), before)) = line.tokens.split_last()
            && text.trim().is_empty()
        {
            line.tokens = before;
        }
        match line.tokens {
            [Token::Tag(tag, _)] if tag.name == "img" => line.lone_image(context, align),
            [Token::Tag(first, _), .., Token::Tag(last, _)]
                if first.name == "picture"
                    && !first.close
                    && last.name == "picture"
                    && last.close
                    && line.is_one_picture() =>
            {
                let row = line.images(context)?;
                line.tokens.is_empty().then(|| aligned_row(row, align))
            }
            _ => {
                let content = inlines(line.events(), context, depth).ok()?;
                (has_words(&content) && is_written(&content, align)).then(|| line_block(content, align))
            }
        }
    }

    /// Whether these are the tokens of one `<picture>`.
    fn is_one_picture(&self) -> bool {
        let ends = |token: &&Token<'_>| matches!(token, Token::Tag(tag, _) if tag.name == "picture" && tag.close);
        self.tokens.iter().filter(ends).count() == 1
    }

    fn images(&mut self, context: &mut Context<'_, '_>) -> Option<Block> {
        let Some(mut div) = self.open("div") else {
            let image = self.image(context)?;
            return Some(Block::new(Kind::Images(Images::default())).with_children(vec![image]));
        };
        let images = Images {
            align: div.take("align").map(|align| word(&align)).transpose().ok()?,
            full_width: div.flag("data-full-width").ok()?,
            with_frame: div.flag("data-with-frame").ok()?,
        };
        div.finish().ok()?;
        let mut row = Vec::new();
        while self.close("div").is_none() {
            row.push(self.image(context)?);
        }
        (!row.is_empty()).then(|| Block::new(Kind::Images(images)).with_children(row))
    }

    /// An `<img>` alone: a drawing, an image in a line of its own, or an image.
    fn lone_image(&mut self, context: &mut Context<'_, '_>, align: Option<Align>) -> Option<Block> {
        let Some(Token::Tag(tag, _)) = self.tokens.first() else { return None };
        let mut tag = tag.clone();
        if tag.take("class").as_deref() == Some("gitbook-drawing") {
            let source = tag.take("src");
            if tag.take("alt").is_some_and(|alt| !alt.is_empty()) || tag.finish().is_err() {
                return None;
            }
            let line = self.take(1).line;
            let source = source.map(|source| context.reference(&source, LinkUse::Image, line));
            return Some(Block::new(Kind::Drawing(Box::new(Drawing { source }))));
        }
        let own = tag.take("align").and_then(|name| self::align(&name)).or(align);
        if tag.take("data-size").is_none() && tag.take("title").is_none() {
            return self.images(context).map(|row| aligned_row(row, own));
        }
        let content = inlines(self.take(1).events(), context, 0).ok()?;
        matches!(&content[..], [Inline::Image(_)]).then(|| line_block(content, own))
    }

    /// An image: `<img>`, `<picture>` around it, `<figure>` with a caption around that.
    fn image(&mut self, context: &mut Context<'_, '_>) -> Option<Block> {
        let Some(figure) = self.open("figure") else {
            return self.picture(context).map(|image| Block::new(Kind::Image(Box::new(image))));
        };
        figure.finish().ok()?;
        let image = self.picture(context)?;
        let mut caption = Vec::new();
        if let Some(tag) = self.open("figcaption") {
            tag.finish().ok()?;
            let mut inside = self.until_close("figcaption")?;
            if let [Token::Tag(open, _), middle @ .., Token::Tag(close, _)] = inside.tokens
                && open.name == "p"
                && close.name == "p"
                && open.finish().is_ok()
                && close.close
                && !middle.iter().any(|token| matches!(token, Token::Tag(tag, _) if tag.name == "p"))
            {
                inside.tokens = middle;
            }
            caption = inlines(inside.events(), context, 0).ok()?;
        }
        self.close("figure")?;
        Some(Block::new(Kind::Image(Box::new(image))).with_content(caption))
    }

    fn picture(&mut self, context: &mut Context<'_, '_>) -> Option<Image> {
        let picture = self.open("picture");
        let mut themes = Themes::default();
        if let Some(tag) = &picture {
            tag.finish().ok()?;
            while let Some(source) = self.open("source") {
                themes.add(source)?;
            }
        }
        let mut tag = self.open("img")?;
        let source = tag.take("src")?;
        let dark = themes.dark(&source)?;
        let (width, height) = sizes(&mut tag);
        let alt = tag.take_alt();
        tag.take("align");
        tag.drop_looks();
        tag.finish().ok()?;
        if picture.is_some() {
            self.close("picture")?;
        }
        Some(Image {
            source: Target(context.reference(&source, LinkUse::Image, self.line)),
            source_dark: dark.map(|dark| context.reference(&dark, LinkUse::Image, self.line)),
            width,
            height,
            alt,
        })
    }

    /// A paragraph or heading, which may have an alignment.
    fn aligned(&mut self, context: &mut Context<'_, '_>, depth: usize, outer: Option<Align>) -> Option<Block> {
        let Some(Token::Tag(tag, _)) = self.take(1).tokens.first() else { return None };
        let mut tag = tag.clone();
        let align = match tag.take("align") {
            Some(name) => Some(align(&name)?),
            None => outer,
        };
        let level = tag.name.strip_prefix('h').and_then(|level| level.parse().ok());
        let id = match level {
            Some(_) => tag.take("id"),
            None => None,
        };
        tag.drop_looks();
        if tag.close || tag.finish().is_err() || id.as_deref().is_some_and(|id| !heading_id::is_id(id)) {
            return None;
        }
        let content: Vec<Inline> = inlines(self.until_close(&tag.name)?.events(), context, depth).ok()?;
        match level {
            _ if !is_written(&content, align) => None,
            Some(level) => Some(Block::new(Kind::Heading(Heading { level, id, align })).with_content(content)),
            None => {
                (!content.is_empty() && (align.is_some() || has_words(&content))).then(|| line_block(content, align))
            }
        }
    }
}

/// Whether a text can be written with this alignment: without one, it is Markdown, in which no element may be that is
/// not understood.
fn is_written(content: &[Inline], align: Option<Align>) -> bool {
    align.is_some()
        || content.iter().all(|inline| match inline {
            Inline::Verbatim { .. } => false,
            Inline::Link(link) => is_written(&link.content, align),
            _ => true,
        })
}

/// Whether there is more than white space.
fn has_words(content: &[Inline]) -> bool {
    content.iter().any(|inline| !matches!(inline, Inline::Text(text) if text.text.trim().is_empty()))
}

/// A row of images with this alignment.
fn aligned_row(mut row: Block, align: Option<Align>) -> Block {
    if let Kind::Images(images) = &mut row.kind {
        images.align = images.align.or(align.map(image_align));
    }
    row
}

/// The alignment of images like that of a text.
pub(super) fn image_align(align: Align) -> ImageAlign {
    match align {
        Align::Start => ImageAlign::Left,
        Align::Center => ImageAlign::Center,
        Align::End => ImageAlign::Right,
    }
}

/// The alignment of text like that of images.
pub(super) fn text_align(align: ImageAlign) -> Align {
    match align {
        ImageAlign::Left => Align::Start,
        ImageAlign::Center => Align::Center,
        ImageAlign::Right => Align::End,
    }
}

fn align(name: &str) -> Option<Align> {
    match name {
        "left" => Some(Align::Start),
        "center" => Some(Align::Center),
        "right" => Some(Align::End),
        _ => None,
    }
}
