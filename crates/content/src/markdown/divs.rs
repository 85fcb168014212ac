//! A `<div>` around blocks of Markdown: a row of images, or an alignment of headings, text and images.
use super::elements::word;
use super::html::HtmlTag;
use super::html_blocks::text_align;
use crate::document::{Align, Block, Images, Inline, Kind};

/// The row of images that a tag may begin. With only an alignment, it is that of the blocks inside.
pub(super) fn begun(tag: &HtmlTag) -> Option<Images> {
    let mut tag = tag.clone();
    if tag.name != "div" || tag.close {
        return None;
    }
    let images = Images {
        align: tag.take("align").map(|align| word(&align)).transpose().ok()?,
        full_width: tag.flag("data-full-width").ok()?,
        with_frame: tag.flag("data-with-frame").ok()?,
    };
    tag.finish().ok().map(|()| images)
}

/// Whether these blocks can be in it.
pub(super) fn holds<'b>(images: &Images, mut inside: impl Iterator<Item = &'b Block>) -> bool {
    match alignment(images) {
        Some(_) => inside.all(can_be_aligned),
        None => inside.all(|block| matches!(&block.kind, Kind::Images(row) if *row == Images::default())),
    }
}

/// The blocks that it becomes.
pub(super) fn blocks(images: Images, inside: Vec<Block>) -> Vec<Block> {
    let Some(align) = alignment(&images) else {
        let row = inside.into_iter().flat_map(|row| row.children).collect();
        return vec![Block::new(Kind::Images(images)).with_children(row)];
    };
    let aligned = |mut block: Block| {
        match &mut block.kind {
            Kind::Paragraph(paragraph) => paragraph.align = paragraph.align.or(Some(align)),
            Kind::Heading(heading) => heading.align = heading.align.or(Some(align)),
            Kind::Images(row) => row.align = row.align.or(images.align),
            _ => {}
        }
        block
    };
    inside.into_iter().map(aligned).collect()
}

fn alignment(images: &Images) -> Option<Align> {
    let only = Images { align: images.align, ..Images::default() };
    images.align.filter(|_| *images == only).map(text_align)
}

fn can_be_aligned(block: &Block) -> bool {
    match &block.kind {
        Kind::Paragraph(_) | Kind::Heading(_) => is_html(&block.content),
        Kind::Images(_) | Kind::Divider => true,
        _ => false,
    }
}

/// Whether text means the same in HTML, which has no footnotes and would join source that is not understood.
fn is_html(content: &[Inline]) -> bool {
    content.iter().all(|inline| match inline {
        Inline::Text(_) | Inline::Image(_) | Inline::Math { .. } | Inline::Icon(_) => true,
        Inline::Link(link) => is_html(&link.content),
        _ => false,
    })
}
