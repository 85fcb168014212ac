//! HTML blocks with a meaning: expandables, images, tables and aligned text.
use super::assembly::{Assembly, expandable};
use super::blocks::{Context, TooDeep, verbatim};
use super::elements::{dark_source, word};
use super::events::{Event, of_html};
use super::html::{HtmlTag, Token, tokens};
use super::inlines::inlines;
use super::links::LinkUse;
use super::tagged::length;
use super::{heading_id, html_tables};
use crate::document::{Align, Block, Drawing, Heading, Image, Images, Inline, Kind, Paragraph, Target};

/// Adds the block of an HTML block; one that is not fully understood is kept as source.
pub(super) fn html_block(
    context: &mut Context<'_, '_>,
    source: &str,
    line: usize,
    assembly: &mut Assembly,
) -> Result<(), TooDeep> {
    let depth = assembly.depth();
    let found = context.found.len();
    if expandable(source, assembly, |title| inlines(of_html(title, line), context, depth).ok()) {
        return Ok(());
    }
    context.found.truncate(found);
    let all = tokens(source.trim());
    let mut cursor = Cursor { tokens: &all, line };
    let block = match cursor.tokens.first() {
        Some(Token::Tag(tag, _)) => match tag.name.as_str() {
            "figure" | "div" | "picture" => cursor.images(context),
            "img" => cursor.lone_image(context),
            "table" => html_tables::table(&mut cursor, context, depth),
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => cursor.aligned(context, depth),
            _ => None,
        },
        _ => None,
    };
    let block = block.filter(|_| cursor.tokens.is_empty()).unwrap_or_else(|| {
        context.found.truncate(found);
        context.note_addresses(source, line);
        verbatim(source.trim_end(), "html")
    });
    assembly.block(block);
    Ok(())
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
        const EMPTY: [&str; 10] = ["area", "br", "col", "details", "hr", "img", "input", "source", "summary", "wbr"];
        match token {
            Token::Tag(tag, source) if !EMPTY.contains(&tag.name.as_str()) && !source.ends_with("/>") => {
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
    fn lone_image(&mut self, context: &mut Context<'_, '_>) -> Option<Block> {
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
        if tag.take("data-size").is_none() && tag.take("title").is_none() {
            return self.images(context);
        }
        let content = inlines(self.take(self.tokens.len()).events(), context, 0).ok()?;
        let image = matches!(&content[..], [Inline::Image(_)]);
        image.then(|| Block::new(Kind::Paragraph(Paragraph::default())).with_content(content))
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
        let mut dark = None;
        let picture = self.open("picture");
        if let Some(tag) = &picture {
            tag.finish().ok()?;
            dark = Some(dark_source(&mut self.open("source")?)?);
        }
        let mut tag = self.open("img")?;
        let source = tag.take("src")?;
        let image = Image {
            alt: tag.take("alt"),
            width: tag.take("width").map(|width| length(&width).ok_or(())).transpose().ok()?,
            height: tag.take("height").map(|height| length(&height).ok_or(())).transpose().ok()?,
            ..Image::default()
        };
        tag.finish().ok()?;
        if picture.is_some() {
            self.close("picture")?;
        }
        Some(Image {
            source: Target(context.reference(&source, LinkUse::Image, self.line)),
            source_dark: dark.map(|dark| context.reference(&dark, LinkUse::Image, self.line)),
            ..image
        })
    }

    /// A paragraph or heading with an alignment.
    fn aligned(&mut self, context: &mut Context<'_, '_>, depth: usize) -> Option<Block> {
        let Some(Token::Tag(tag, _)) = self.take(1).tokens.first() else { return None };
        let mut tag = tag.clone();
        let align = Some(align(&tag.take("align")?)?);
        let level = tag.name.strip_prefix('h').and_then(|level| level.parse().ok());
        let id = match level {
            Some(_) => tag.take("id"),
            None => None,
        };
        if tag.close || tag.finish().is_err() || id.as_deref().is_some_and(|id| !heading_id::is_id(id)) {
            return None;
        }
        let content: Vec<Inline> = inlines(self.until_close(&tag.name)?.events(), context, depth).ok()?;
        Some(match level {
            Some(level) => Block::new(Kind::Heading(Heading { level, id, align })).with_content(content),
            None if content.is_empty() => return None,
            None => Block::new(Kind::Paragraph(Paragraph { align })).with_content(content),
        })
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
