//! Replaces addresses without a target by plain text.
use crate::document::{Block, CellValue, Inline, Kind, Paragraph};
use crate::reference::ContentRef;

/// Whether an address without a known target stays an address.
type Stays<'a> = dyn Fn(&str) -> bool + 'a;

/// The blocks without addresses that have no target. A link leaves its words, and a picture its description. Recursion
/// is bounded by the depth to which Markdown is read.
pub(super) fn unlinked(blocks: Vec<Block>, stays: &Stays<'_>) -> Vec<Block> {
    blocks.into_iter().flat_map(|block| flow(block, stays)).collect()
}

/// A block of a flow, or the blocks that replace it.
fn flow(block: Block, stays: &Stays<'_>) -> Vec<Block> {
    let said_something = !block.content.is_empty();
    let block = inside(block, stays);
    let address = match &block.kind {
        Kind::Paragraph(_) if said_something && block.content.is_empty() => return Vec::new(),
        Kind::Images(_) => return images(block, stays),
        Kind::File(file) => written(&file.source.0),
        Kind::ContentRef(card) => written(&card.target.0),
        Kind::ReusableContent(content) => written(&content.target.0),
        Kind::Swagger(swagger) => written(&swagger.source.0),
        Kind::Embed(embed) => Some(embed.url.as_str()),
        _ => None,
    };
    match address.filter(|url| !stays(url)) {
        None => vec![block],
        Some(url) => {
            let words = match block.kind {
                Kind::File(_) => url.rsplit('/').next().unwrap_or_default(),
                _ => url,
            };
            paragraph(&block.content, words)
        }
    }
}

/// A row of pictures without the missing ones, which leave their captions or descriptions.
fn images(row: Block, stays: &Stays<'_>) -> Vec<Block> {
    let Block { key, kind, content, children } = row;
    let nowhere = |image: &Block| match &image.kind {
        Kind::Image(image) => written(&image.source.0).is_some_and(|url| !stays(url)),
        _ => false,
    };
    let (lost, children): (Vec<Block>, Vec<Block>) = children.into_iter().partition(nowhere);
    let words = lost.iter().flat_map(|image| match &image.kind {
        Kind::Image(data) => paragraph(&image.content, data.alt.as_deref().unwrap_or_default()),
        _ => Vec::new(),
    });
    let row = (lost.is_empty() || !children.is_empty()).then_some(Block { key, kind, content, children });
    row.into_iter().chain(words).collect()
}

/// A paragraph with this content, or with these words if there is no content.
fn paragraph(content: &[Inline], words: &str) -> Vec<Block> {
    let content = match (content, words) {
        ([], "") => return Vec::new(),
        ([], words) => vec![Inline::from(words)],
        (content, _) => content.to_vec(),
    };
    vec![Block::new(Kind::Paragraph(Paragraph::default())).with_content(content)]
}

/// The address of an unresolved reference.
fn written(target: &ContentRef) -> Option<&str> {
    match target {
        ContentRef::Url { url } => Some(url),
        _ => None,
    }
}

fn leads_nowhere(target: &ContentRef, stays: &Stays<'_>) -> bool {
    written(target).is_some_and(|url| !stays(url))
}

/// A block with its content processed.
fn inside(mut block: Block, stays: &Stays<'_>) -> Block {
    let leave = |target: &mut Option<ContentRef>| {
        if target.as_ref().is_some_and(|target| leads_nowhere(target, stays)) {
            *target = None;
        }
    };
    match &mut block.kind {
        Kind::Image(image) => leave(&mut image.source_dark),
        Kind::Drawing(drawing) => leave(&mut drawing.source),
        Kind::Table(table) => {
            for column in &mut table.columns {
                column.heading = line(std::mem::take(&mut column.heading), stays);
            }
        }
        Kind::TableCell(cell) => {
            let target = match cell.value.as_deref() {
                Some(CellValue::Ref(target) | CellValue::Image { r#ref: target, .. }) => Some(target),
                _ => None,
            };
            if target.is_some_and(|target| leads_nowhere(target, stays)) {
                cell.value = None;
            }
        }
        _ => {}
    }
    block.content = line(block.content, stays);
    block.children = unlinked(block.children, stays);
    block
}

/// A line without the links that have no target.
fn line(content: Vec<Inline>, stays: &Stays<'_>) -> Vec<Inline> {
    let mut out = Vec::with_capacity(content.len());
    for inline in content {
        match inline {
            Inline::Link(mut link) => {
                link.content = line(link.content, stays);
                if leads_nowhere(&link.target.0, stays) {
                    out.append(&mut link.content);
                } else {
                    out.push(Inline::Link(link));
                }
            }
            Inline::Image(mut image) => {
                if image.source_dark.as_ref().is_some_and(|dark| leads_nowhere(dark, stays)) {
                    image.source_dark = None;
                }
                if leads_nowhere(&image.source.0, stays) {
                    out.extend(image.alt.or(image.caption).filter(|words| !words.is_empty()).map(Inline::from));
                } else {
                    out.push(Inline::Image(image));
                }
            }
            Inline::Annotation(mut note) => {
                note.content = line(note.content, stays);
                note.body = unlinked(note.body, stays);
                out.push(Inline::Annotation(note));
            }
            Inline::Mention { target } if leads_nowhere(&target, stays) => {
                out.extend(written(&target).map(Inline::from));
            }
            Inline::Button(button) if button.target.as_ref().is_some_and(|target| leads_nowhere(target, stays)) => {
                out.push(Inline::from(button.label));
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::{self, Unresolved};
    use rstest::rstest;

    #[rstest]
    #[case("A [b *c*](gone.md \"t\") d", "A b _c_ d\n")]
    #[case("A ![pic](gone.png) d", "A pic d\n")]
    #[case("A ![](data:image/png;base64,AAAA) d", "A  d\n")]
    #[case("![pic](gone.png)", "pic\n")]
    #[case("![](gone.png)\n\nB", "B\n")]
    #[case("<figure><img src=\"gone.png\" alt=\"\"><figcaption><p>Cap</p></figcaption></figure>", "Cap\n")]
    #[case("{% content-ref url=\"gone.md\" %}\n[gone.md](gone.md)\n{% endcontent-ref %}", "gone.md\n")]
    #[case("{% file src=\"files/gone.pdf\" %}", "gone.pdf\n")]
    #[case("{% include \"gone.md\" %}", "gone.md\n")]
    #[case("[who](gone \"mention\") x", "gone x\n")]
    #[case("> - [a](gone)\n>   [b](https://x.org)", "> * a [b](https://x.org)\n")]
    #[case("| [h](x) |\n| --- |\n| [c](y) |", "| h |\n| --- |\n| c |\n")]
    #[case("Note[^1]\n\n[^1]: See [it](gone).", "Note[^1]\n\n[^1]: See it.\n")]
    #[case("[](gone)", "")]
    #[case("[a](https://x.org)", "[a](https://x.org)\n")]
    fn content_without_a_target_becomes_plain_text(#[case] source: &str, #[case] wanted: &str) {
        let blocks = markdown::parse(source, &Unresolved).document.expect("not too many parts").blocks;
        let blocks = unlinked(blocks, &|url| url.starts_with("https:"));
        let document = crate::document::Document::from_blocks(blocks).expect("a valid document");
        let written = markdown::write(&document, &Unresolved);
        assert_eq!(written.trim_end(), wanted.trim_end(), "{document:?}");
    }
}
