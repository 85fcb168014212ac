//! Builds containers from blocks and from the tags that open and close them.
//!
//! A tag without its other end, an item outside its parent, and a container that cannot have its content are dissolved:
//! their tags become verbatim source around the blocks between them, so nothing is lost.
use super::admonitions::is_line;
use super::blocks::verbatim;
use super::hidden::Hidden;
use super::parts::{Part, parts};
use super::{admonitions, components, divs, is_comment, one_line, plain_text, respelled};
use crate::document::{Block, Heading, Inline, Kind};
use comrak::nodes::{Node, NodeValue};
use std::collections::VecDeque;

/// The maximum depth of containers; a tag that would open a deeper one stays verbatim.
const MAX_CONTAINER_DEPTH: usize = 56;

/// Tags that need no end tag.
const CLOSING_IS_OPTIONAL: &[&str] =
    &["embed", "file", "openapi", "openapi-operation", "openapi-schemas", "openapi-webhook", "swagger"];

/// Collects blocks into containers.
pub(super) struct Assembly {
    base: usize,
    /// All pieces in order: those of an open container after its tag. A dissolved container leaves its pieces where
    /// they are, so a piece is moved once, into the container that holds it.
    pieces: Vec<Piece>,
    open: Vec<Frame>,
    /// For each following tag that needs no end tag: whether it has one.
    closed: VecDeque<bool>,
}

/// A container that is not closed yet. The pieces before its own are its tag and its title, in the form in which they
/// are kept if it is dissolved.
struct Frame {
    /// The block that it becomes; `None` if its tag was not understood and it only marks the place of its end.
    block: Option<Block>,
    name: String,
    syntax: &'static str,
    /// The index of its tag.
    tag: usize,
    /// The index of its first piece.
    inside: usize,
    /// The indexes of its items.
    items: Vec<usize>,
    /// Whether it contains a piece that is not an item.
    plain: bool,
}

/// A block, with its tags if it may only be in a certain parent.
struct Piece {
    block: Block,
    tags: Option<Box<(String, String)>>,
    /// Whether that parent was dissolved, so that the piece is its tags and the blocks between them.
    dissolved: bool,
}

impl Piece {
    fn plain(block: Block) -> Self {
        Self { block, tags: None, dissolved: false }
    }

    /// Appends its blocks.
    fn into_blocks(self, to: &mut Vec<Block>) {
        match self.tags {
            Some(tags) if self.dissolved => {
                to.push(verbatim(&tags.0, components::syntax_of(&tags.0)));
                to.extend(self.block.children);
                to.push(verbatim(&tags.1, components::syntax_of(&tags.1)));
            }
            _ => to.push(self.block),
        }
    }
}

/// A tag that opens a container.
pub(super) struct Opening<'s> {
    /// The name in its end tag.
    pub(super) name: &'s str,
    /// Its source.
    pub(super) source: &'s str,
    /// The language of its source.
    pub(super) syntax: &'static str,
    /// The block that it opens, if it was understood.
    pub(super) block: Option<Block>,
}

impl Assembly {
    /// An assembly for the blocks inside `parent`, which are at the depth `base`.
    pub(super) fn of(parent: Node<'_>, hidden: &Hidden, base: usize) -> Self {
        let mut names = Vec::new();
        for child in parent.children() {
            let data = child.data();
            let NodeValue::HtmlBlock(html) = &data.value else { continue };
            // Tags in a line of an admonition or of a component are text.
            let is_other = |line: &&str| is_line(line) || components::is_line(line);
            let Some(line) = hidden.line(&html.literal).filter(|line| !is_other(line)) else { continue };
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
        Self { base, pieces: Vec::new(), open: Vec::new(), closed }
    }

    /// The depth of the next block.
    pub(super) fn depth(&self) -> usize {
        self.base + self.open.len()
    }

    /// The kind of the innermost open container.
    pub(super) fn parent(&self) -> Option<&Kind> {
        self.open.last().and_then(|frame| frame.block.as_ref()).map(|block| &block.kind)
    }

    /// Whether there are only comments.
    pub(super) fn has_only_comments(&self) -> bool {
        // From the end, so that comments before many headings are not read for each of them.
        self.pieces.iter().rev().all(|piece| is_comment(&piece.block))
    }

    /// Adds a block.
    pub(super) fn block(&mut self, block: Block) {
        self.piece(Piece::plain(block));
    }

    fn piece(&mut self, piece: Piece) {
        if let Some(frame) = self.open.last_mut() {
            match piece.tags {
                Some(_) => frame.items.push(self.pieces.len()),
                None => frame.plain = true,
            }
        }
        self.pieces.push(piece);
    }

    /// Opens a container, or adds a block that has no end tag.
    pub(super) fn open(&mut self, opening: Opening<'_>) {
        let optional = opening.syntax == "markdown" && CLOSING_IS_OPTIONAL.contains(&opening.name);
        let closed = !optional || self.closed.pop_front().unwrap_or(false);
        let Opening { name, source, syntax, block } = opening;
        match block {
            Some(block) if !closed => self.block(block),
            _ if !closed || self.depth() >= MAX_CONTAINER_DEPTH => self.block(verbatim(source, syntax)),
            block => {
                let tag = self.pieces.len();
                self.pieces.push(Piece::plain(verbatim(source, syntax)));
                let name = name.to_owned();
                self.open.push(Frame { block, name, syntax, tag, inside: tag + 1, items: Vec::new(), plain: false });
            }
        }
    }

    /// Sets the title of the innermost open container, if it has no title and no pieces yet.
    pub(super) fn title(&mut self, content: Vec<Inline>, source: &str) {
        if let Some(frame) = self.open.last_mut()
            && frame.inside == frame.tag + 1
            && frame.inside == self.pieces.len()
            && let Some(block) = &mut frame.block
            && matches!(block.kind, Kind::Expandable(_))
            && block.content.is_empty()
        {
            block.content = content;
            frame.inside += 1;
            self.pieces.push(Piece::plain(verbatim(source, "html")));
        } else {
            self.block(verbatim(source, "html"));
        }
    }

    /// Closes the innermost container of this name, and the open containers in it.
    pub(super) fn close(&mut self, name: &str, source: &str, syntax: &'static str) {
        let Some(at) = self.open.iter().rposition(|frame| frame.name == name && frame.syntax == syntax) else {
            return self.block(verbatim(source, syntax));
        };
        while self.open.len() > at + 1 {
            self.dissolve_last();
        }
        let Some(mut frame) = self.open.pop() else { return };
        let has_items = !frame.items.is_empty();
        if components::is_left_out(&frame.name, frame.block.as_ref(), has_items) {
            if !self.has_tags_since(frame.inside) {
                return self.leave_out(frame);
            }
            frame.block = None;
        }
        // The tabs of a group of code are one level deeper.
        let is_tabs = frame.block.as_ref().is_some_and(|block| matches!(block.kind, Kind::Tabs(_)));
        if is_tabs && components::is_code_group(&frame.name) && self.depth() + 1 >= MAX_CONTAINER_DEPTH {
            frame.block = None;
        }
        match frame.block.take().filter(|block| frame.fits(block, &self.pieces[frame.inside..])) {
            Some(block) => self.hold(frame, block, source),
            None => {
                self.dissolve(frame);
                self.block(verbatim(source, syntax));
            }
        }
    }

    /// Whether there is the source of a tag in the pieces from this index on. Without the container around it, it could
    /// belong to another one.
    fn has_tags_since(&self, from: usize) -> bool {
        self.pieces[from..].iter().any(|piece| {
            let is_tag = matches!(&piece.block.kind, Kind::Verbatim(source) if respelled::is_tag(source));
            let last = piece.block.content.last();
            let has_end = matches!(last, Some(Inline::Verbatim { source }) if source.starts_with("</"));
            piece.tags.is_some() || is_tag || has_end
        })
    }

    /// Leaves the tags of a container out. The title of a card stays before its content.
    fn leave_out(&mut self, frame: Frame) {
        match frame.block.filter(|block| matches!(block.kind, Kind::Paragraph(_))) {
            Some(title) => self.pieces[frame.tag] = Piece::plain(title),
            None => drop(self.pieces.remove(frame.tag)),
        }
        let is_empty = self.pieces.len() == frame.tag;
        if let Some(around) = self.open.last_mut() {
            around.plain |= !is_empty;
        }
    }

    /// The finished blocks.
    pub(super) fn finish(mut self) -> Vec<Block> {
        while !self.open.is_empty() {
            self.dissolve_last();
        }
        self.taken(0)
    }

    fn dissolve_last(&mut self) {
        if let Some(frame) = self.open.pop() {
            self.dissolve(frame);
        }
    }

    /// Dissolves a container: its tag and its pieces take its place.
    fn dissolve(&mut self, frame: Frame) {
        for item in frame.items {
            self.pieces[item].dissolved = true;
        }
        if let Some(around) = self.open.last_mut() {
            around.plain = true;
        }
    }

    /// The blocks of the pieces from this index on.
    fn taken(&mut self, from: usize) -> Vec<Block> {
        let mut blocks = Vec::with_capacity(self.pieces.len() - from);
        self.pieces.drain(from..).for_each(|piece| piece.into_blocks(&mut blocks));
        blocks
    }

    /// Adds a container with its pieces.
    fn hold(&mut self, frame: Frame, mut block: Block, end: &str) {
        if let Kind::Images(images) = block.kind {
            let inside = self.taken(frame.inside);
            self.pieces.truncate(frame.tag);
            divs::blocks(images, inside).into_iter().for_each(|block| self.block(block));
            return;
        }
        let item = matches!(block.kind, Kind::TabsItem(_) | Kind::StepperStep(_) | Kind::Column(_) | Kind::Update(_));
        let inside = self.taken(frame.inside);
        match &mut block.kind {
            Kind::Code(code) => {
                for only in inside {
                    if let Kind::Code(inner) = only.kind {
                        let inner = *inner;
                        code.title = code.title.take().or(inner.title);
                        code.line_numbers = code.line_numbers.or(inner.line_numbers);
                        code.syntax = inner.syntax;
                        code.highlighted = inner.highlighted;
                    }
                    block.content = only.content;
                }
            }
            Kind::Embed(_) | Kind::File(_) => block.content.extend(inside.into_iter().flat_map(|line| line.content)),
            Kind::ContentRef(card) => {
                let label = match inside.first().map(|line| &line.content[..]) {
                    Some([Inline::Link(link)]) => Some(one_line(&plain_text(&link.content))),
                    _ => None,
                };
                // An address can have line breaks, which its link cannot show.
                let href = card.label.take().map(|href| one_line(&href));
                card.label = label.filter(|label| !label.is_empty() && href.as_ref() != Some(label));
            }
            Kind::Swagger(_) | Kind::OpenapiOperation(_) | Kind::OpenapiSchemas(_) | Kind::OpenapiWebhook(_) => {}
            Kind::Tabs(_) if components::is_code_group(&frame.name) => {
                block.children = inside.into_iter().map(admonitions::tab_of_code).collect();
            }
            Kind::Hint(_) | Kind::StepperStep(_) if !block.content.is_empty() => {
                let title = match block.kind {
                    Kind::Hint(_) => Block::new(Kind::Paragraph(Default::default())),
                    _ => Block::new(Kind::Heading(Heading { level: 3, ..Heading::default() })),
                };
                block.children.push(title.with_content(std::mem::take(&mut block.content)));
                block.children.extend(inside);
            }
            _ => block.children = inside,
        }
        let tag = self.pieces.drain(frame.tag..).next().map(|tag| tag.block.kind);
        let tags = match tag {
            Some(Kind::Verbatim(tag)) if item => Some(Box::new((tag.source, end.to_owned()))),
            _ => None,
        };
        self.piece(Piece { block, tags, dissolved: false });
    }
}

impl Frame {
    /// Whether the block can contain these pieces.
    fn fits(&self, block: &Block, pieces: &[Piece]) -> bool {
        if !respelled::holds(&block.kind, &self.name, pieces.iter().map(|piece| &piece.block)) {
            return false;
        }
        match &block.kind {
            Kind::Tabs(_) if components::is_code_group(&self.name) => {
                !pieces.is_empty() && pieces.iter().all(|piece| matches!(piece.block.kind, Kind::Code(_)))
            }
            Kind::Tabs(_) | Kind::Stepper | Kind::Columns(_) | Kind::Updates(_) => !self.plain,
            // Code has one title.
            Kind::Code(code) => matches!(pieces, [only] if matches!(&only.block.kind,
                Kind::Code(inner) if code.title.is_none() || inner.title.is_none())),
            Kind::Prompt(_) => matches!(pieces, [only] if matches!(only.block.kind, Kind::Code(_))),
            Kind::Images(images) => {
                let holds = divs::holds(images, pieces.iter().map(|piece| &piece.block));
                self.items.is_empty() && !pieces.is_empty() && holds
            }
            // A caption is in the tag or after it.
            Kind::Embed(_) | Kind::File(_) => {
                pieces.is_empty() || (block.content.is_empty() && only_line(pieces).is_some())
            }
            Kind::ContentRef(_)
            | Kind::Swagger(_)
            | Kind::OpenapiOperation(_)
            | Kind::OpenapiSchemas(_)
            | Kind::OpenapiWebhook(_) => {
                pieces.is_empty() || matches!(only_line(pieces), Some([Inline::Link(_) | Inline::Mention { .. }]))
            }
            _ => self.items.is_empty(),
        }
    }
}

/// The content, if there is only one plain paragraph.
fn only_line(pieces: &[Piece]) -> Option<&[Inline]> {
    match pieces {
        [only] if matches!(&only.block.kind, Kind::Paragraph(paragraph) if paragraph.align.is_none()) => {
            Some(&only.block.content)
        }
        _ => None,
    }
}
