//! Containers from blocks and from the tags that open and close them.
//!
//! A tag without its other end, an item outside its parent, and a container whose content it cannot hold are taken apart
//! again: their tags become verbatim source around the blocks that were between them, so nothing is lost.
use super::blocks::verbatim;
use super::hidden::Hidden;
use super::html::{Token, tokens};
use super::parts::{Part, parts};
use crate::content::document::{Block, Inline, Kind};
use comrak::nodes::{Node, NodeValue};
use std::collections::VecDeque;

/// How deep containers may stand; a tag that would open a deeper one stays verbatim.
const DEEPEST: usize = 56;

/// Tags whose end may be left out.
const CLOSING_IS_OPTIONAL: &[&str] =
    &["embed", "file", "openapi", "openapi-operation", "openapi-schemas", "openapi-webhook", "swagger"];

/// Blocks on their way into containers.
pub(super) struct Assembly {
    base: usize,
    done: Vec<Piece>,
    open: Vec<Frame>,
    /// For each coming tag whose end may be left out: whether it has one.
    closed: VecDeque<bool>,
}

/// A container that is not closed yet.
struct Frame {
    /// What it becomes; `None` when its tag was not understood and it only keeps the place of its end.
    block: Option<Block>,
    name: String,
    source: String,
    syntax: &'static str,
    /// The source of its title, for a container with a title of its own.
    title: Option<String>,
    pieces: Vec<Piece>,
}

/// A block, and its tags if it stands in a certain parent alone.
struct Piece {
    block: Block,
    tags: Option<(String, String)>,
}

impl Piece {
    fn plain(block: Block) -> Self {
        Self { block, tags: None }
    }
}

/// A tag that opens something.
pub(super) struct Opening<'s> {
    /// The name that its end has to have.
    pub(super) name: &'s str,
    /// Its source.
    pub(super) source: &'s str,
    /// The language of its source.
    pub(super) syntax: &'static str,
    /// What it opens, if it was understood.
    pub(super) block: Option<Block>,
}

impl Assembly {
    /// An assembly for the blocks inside `parent`, which stand at the depth `base`.
    pub(super) fn of(parent: Node<'_>, hidden: &Hidden, base: usize) -> Self {
        let mut names = Vec::new();
        for child in parent.children() {
            let data = child.data();
            let NodeValue::HtmlBlock(html) = &data.value else { continue };
            let Some(line) = hidden.line(&html.literal) else { continue };
            names.extend(parts(line).into_iter().filter_map(|part| match part {
                Part::Tag(tag) => Some(tag.name.to_owned()),
                Part::Text(_) => None,
            }));
        }
        let mut ended: Vec<String> = Vec::new();
        let mut closed = VecDeque::new();
        for name in names.into_iter().rev() {
            if let Some(of) = name.strip_prefix("end") {
                if CLOSING_IS_OPTIONAL.contains(&of) && !ended.iter().any(|each| each == of) {
                    ended.push(of.to_owned());
                }
            } else if CLOSING_IS_OPTIONAL.contains(&name.as_str()) {
                let end = ended.iter().position(|each| *each == name);
                closed.push_front(end.is_some());
                if let Some(end) = end {
                    ended.remove(end);
                }
            }
        }
        Self { base, done: Vec::new(), open: Vec::new(), closed }
    }

    /// The depth at which the next block stands.
    pub(super) fn depth(&self) -> usize {
        self.base + self.open.len()
    }

    /// What the innermost open container becomes.
    pub(super) fn parent(&self) -> Option<&Kind> {
        self.open.last().and_then(|frame| frame.block.as_ref()).map(|block| &block.kind)
    }

    /// Adds a block.
    pub(super) fn block(&mut self, block: Block) {
        self.pieces().push(Piece::plain(block));
    }

    fn pieces(&mut self) -> &mut Vec<Piece> {
        match self.open.last_mut() {
            Some(frame) => &mut frame.pieces,
            None => &mut self.done,
        }
    }

    /// Opens a container, or adds a block whose end is left out.
    pub(super) fn open(&mut self, opening: Opening<'_>) {
        let optional = opening.syntax == "markdown" && CLOSING_IS_OPTIONAL.contains(&opening.name);
        let closed = !optional || self.closed.pop_front().unwrap_or(false);
        let Opening { name, source, syntax, block } = opening;
        match block {
            Some(block) if !closed => self.block(block),
            _ if !closed || self.depth() >= DEEPEST => self.block(verbatim(source, syntax)),
            block => self.open.push(Frame {
                block,
                name: name.to_owned(),
                source: source.to_owned(),
                syntax,
                title: None,
                pieces: Vec::new(),
            }),
        }
    }

    /// Gives the innermost open container its title, if it has none and nothing stands in it yet.
    pub(super) fn title(&mut self, content: Vec<Inline>, source: &str) {
        if let Some(frame) = self.open.last_mut()
            && frame.title.is_none()
            && frame.pieces.is_empty()
            && let Some(block) = &mut frame.block
            && matches!(block.kind, Kind::Expandable(_))
        {
            block.content = content;
            frame.title = Some(source.to_owned());
        } else {
            self.block(verbatim(source, "html"));
        }
    }

    /// Closes the innermost container of this name and those in it that were not closed.
    pub(super) fn close(&mut self, name: &str, source: &str, syntax: &'static str) {
        let Some(at) = self.open.iter().rposition(|frame| frame.name == name && frame.syntax == syntax) else {
            return self.block(verbatim(source, syntax));
        };
        while self.open.len() > at + 1 {
            self.dissolve_last();
        }
        let Some(frame) = self.open.pop() else { return };
        let pieces = frame.close(source);
        self.pieces().extend(pieces);
    }

    /// The blocks at last.
    pub(super) fn finish(mut self) -> Vec<Block> {
        while !self.open.is_empty() {
            self.dissolve_last();
        }
        self.done.into_iter().map(|piece| piece.block).collect()
    }

    fn dissolve_last(&mut self) {
        if let Some(frame) = self.open.pop() {
            let pieces = frame.dissolve(None);
            self.pieces().extend(pieces);
        }
    }
}

impl Frame {
    /// Its source and what was in it.
    fn dissolve(self, end: Option<&str>) -> Vec<Piece> {
        let mut pieces = vec![Piece::plain(verbatim(&self.source, self.syntax))];
        pieces.extend(self.title.map(|title| Piece::plain(verbatim(&title, "html"))));
        for piece in self.pieces {
            let Some((open, close)) = piece.tags else {
                pieces.push(piece);
                continue;
            };
            pieces.push(Piece::plain(verbatim(&open, "markdown")));
            pieces.extend(piece.block.children.into_iter().map(Piece::plain));
            pieces.push(Piece::plain(verbatim(&close, "markdown")));
        }
        pieces.extend(end.map(|end| Piece::plain(verbatim(end, self.syntax))));
        pieces
    }

    /// The container, if it can hold what was in it.
    fn close(mut self, end: &str) -> Vec<Piece> {
        let Some(mut block) = self.block.take() else { return self.dissolve(Some(end)) };
        let items = self.pieces.iter().all(|piece| piece.tags.is_some());
        let fits = match &block.kind {
            Kind::Tabs(_) | Kind::Stepper | Kind::Columns(_) | Kind::Updates(_) => items,
            Kind::Code(_) | Kind::Prompt(_) => {
                matches!(&self.pieces[..], [only] if matches!(only.block.kind, Kind::Code(_)))
            }
            Kind::Embed(_) | Kind::File(_) => self.pieces.is_empty() || self.only_line().is_some(),
            Kind::ContentRef(_)
            | Kind::Swagger(_)
            | Kind::OpenapiOperation(_)
            | Kind::OpenapiSchemas(_)
            | Kind::OpenapiWebhook(_) => {
                self.pieces.is_empty() || matches!(self.only_line(), Some([Inline::Link(_) | Inline::Mention { .. }]))
            }
            _ => self.pieces.iter().all(|piece| piece.tags.is_none()),
        };
        if !fits {
            self.block = Some(block);
            return self.dissolve(Some(end));
        }
        let item = matches!(block.kind, Kind::TabsItem(_) | Kind::StepperStep(_) | Kind::Column(_) | Kind::Update(_));
        let inside = std::mem::take(&mut self.pieces).into_iter().map(|piece| piece.block);
        match &mut block.kind {
            Kind::Code(code) => {
                for only in inside {
                    if let Kind::Code(inner) = only.kind {
                        code.syntax = inner.syntax;
                        code.highlighted = inner.highlighted;
                    }
                    block.content = only.content;
                }
            }
            Kind::Embed(_) | Kind::File(_) => block.content = inside.flat_map(|line| line.content).collect(),
            Kind::ContentRef(_)
            | Kind::Swagger(_)
            | Kind::OpenapiOperation(_)
            | Kind::OpenapiSchemas(_)
            | Kind::OpenapiWebhook(_) => {}
            _ => block.children = inside.collect(),
        }
        vec![Piece { block, tags: item.then(|| (self.source, end.to_owned())) }]
    }

    /// The content, when there is nothing but one plain paragraph.
    fn only_line(&self) -> Option<&[Inline]> {
        match &self.pieces[..] {
            [only] if matches!(&only.block.kind, Kind::Paragraph(paragraph) if paragraph.align.is_none()) => {
                Some(&only.block.content)
            }
            _ => None,
        }
    }
}

/// Adds what an HTML block says about an expandable: its begin, its title, its end. Whether it was that.
pub(super) fn expandable(
    html: &str,
    assembly: &mut Assembly,
    mut title: impl FnMut(&[Token<'_>]) -> Option<Vec<Inline>>,
) -> bool {
    let all = tokens(html.trim());
    let mut rest: &[Token<'_>] = &all;
    let mut steps: Vec<Step<'_>> = Vec::new();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            Token::Text(text) if text.trim().is_empty() => {}
            Token::Tag(tag, source) if tag.name == "details" && tag.close => steps.push(Step::Close(source)),
            Token::Tag(tag, source) if tag.name == "details" => {
                let mut tag = tag.clone();
                let open = tag.flag("open");
                let id = tag.take("id");
                let block = match (open, tag.finish()) {
                    (Ok(default_expanded), Ok(())) => {
                        let data = crate::content::document::Expandable { default_expanded, id };
                        Some(Block::new(Kind::Expandable(data)))
                    }
                    _ => None,
                };
                steps.push(Step::Open(source, block.map(Box::new)));
            }
            Token::Tag(tag, source) if tag.name == "summary" && !tag.close && *source == "<summary>" => {
                let end = rest.iter().position(|token| matches!(token, Token::Tag(tag, _) if tag.name == "summary"));
                let Some(end) = end.filter(|end| matches!(&rest[*end], Token::Tag(tag, _) if tag.close)) else {
                    return false;
                };
                let Some(content) = title(&rest[..end]) else { return false };
                let written: String = rest[..end].iter().map(source_of).collect();
                steps.push(Step::Title(content, format!("<summary>{}</summary>", written.trim())));
                rest = &rest[end + 1..];
            }
            _ => return false,
        }
    }
    if steps.is_empty() {
        return false;
    }
    for step in steps {
        match step {
            Step::Open(source, block) => {
                assembly.open(Opening { name: "details", source, syntax: "html", block: block.map(|block| *block) });
            }
            Step::Title(content, source) => assembly.title(content, &source),
            Step::Close(source) => assembly.close("details", source, "html"),
        }
    }
    true
}

enum Step<'s> {
    Open(&'s str, Option<Box<Block>>),
    Title(Vec<Inline>, String),
    Close(&'s str),
}

fn source_of<'s>(token: &Token<'s>) -> &'s str {
    match token {
        Token::Text(source) | Token::Tag(_, source) | Token::Other(source) => source,
    }
}
