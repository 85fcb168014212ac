//! Images and files.
use super::containers::{Size, size};
use super::link::safe;
use super::{Blocks, classes};
use crate::texts::Word;
use domain::content::document::{Block, Drawing, FileBlock, Image, ImageAlign, Images, Kind, inline_text};
use domain::content::reference::ContentRef;
use maud::{Markup, html};

pub(super) fn images(blocks: &mut Blocks<'_>, block: &Block, data: &Images) -> Markup {
    let class = classes(
        "o-images",
        &[
            ("o-left", data.align == Some(ImageAlign::Left)),
            ("o-right", data.align == Some(ImageAlign::Right)),
            ("o-framed", data.with_frame == Some(true)),
            ("o-wide", data.full_width == Some(true)),
        ],
    );
    let rendered: Vec<Markup> = block
        .children
        .iter()
        .map(|child| match &child.kind {
            Kind::Image(data) => image(blocks, child, data),
            _ => html! {},
        })
        .collect();
    html! { @if rendered.iter().any(|one| !one.0.is_empty()) { div class=(class) { @for one in &rendered { (one) } } } }
}

/// A picture with its sizes.
struct Picture<'p> {
    src: &'p str,
    alt: &'p str,
    width: Option<u32>,
    height: Option<u32>,
    /// Whether it is the first one of the page, so that it is loaded at once.
    is_first: bool,
}

impl Picture<'_> {
    fn render(&self, class: Option<&str>) -> Markup {
        html! {
            img class=[class] src=(self.src) alt=(self.alt) width=[self.width] height=[self.height]
                loading=(if self.is_first { "eager" } else { "lazy" }) fetchpriority=[self.is_first.then_some("high")]
                decoding="async";
        }
    }
}

pub(super) fn image(blocks: &mut Blocks<'_>, block: &Block, data: &Image) -> Markup {
    let caption = blocks.line(&block.content);
    let has_caption = !caption.0.trim().is_empty();
    let alt = data.alt.as_deref().unwrap_or_default();
    let Some((src, natural)) = blocks.picture(&data.source.0) else {
        // If the image is missing, only its description is shown.
        let text = if alt.is_empty() { inline_text(&block.content) } else { alt.to_owned() };
        return html! { @if !text.trim().is_empty() { figure.o-image { p.o-missing { (text) } } } };
    };
    let dark = data.source_dark.as_ref().and_then(|source| blocks.picture(source));
    let is_first = !std::mem::replace(&mut blocks.pictured, true) && dark.is_none();
    let (wide, high) = (data.width.as_ref().and_then(size), data.height.as_ref().and_then(size));
    let share = match wide {
        Some(Size::Percent(width)) => Some(blocks.class(&format!("inline-size:{width}%"))),
        _ => None,
    };
    let (width, height) = dimensions(wide, high, natural);
    let light = Picture { src: &src, alt, width, height, is_first };
    let inner = match &dark {
        Some((dark, _)) => {
            let dark = Picture { src: dark, ..light };
            html! { (light.render(Some("o-light"))) (dark.render(Some("o-dark"))) }
        }
        None => light.render(None),
    };
    // The name of a link is the description of its picture.
    let name = alt.is_empty().then(|| blocks.word(Word::Image));
    html! {
        figure class=(classes("o-image", &[(share.as_deref().unwrap_or_default(), share.is_some())])) {
            a.o-zoom href=(src) data-dark=[dark.as_ref().map(|dark| dark.0.as_str())] aria-label=[name] { (inner) }
            @if has_caption { figcaption { (caption) } }
        }
    }
}

/// The width and the height that are shown, as far as they are known: those that are given, and the others in
/// proportion.
pub(super) fn dimensions(
    width: Option<Size>,
    height: Option<Size>,
    natural: Option<(u32, u32)>,
) -> (Option<u32>, Option<u32>) {
    let pixels = |size| match size {
        Some(Size::Pixels(size)) => Some(size),
        _ => None,
    };
    let part = |of: u32, a: u32, b: u32| u32::try_from(u64::from(of) * u64::from(a) / u64::from(b.max(1))).ok();
    match (pixels(width), pixels(height), natural) {
        (Some(width), Some(height), _) => (Some(width), Some(height)),
        (Some(width), None, Some((own, other))) => (Some(width), part(width, other, own)),
        (None, Some(height), Some((other, own))) => (part(height, other, own), Some(height)),
        (None, None, Some((width, height))) => (Some(width), Some(height)),
        (width, height, None) => (width, height),
    }
}

pub(super) fn file(blocks: &mut Blocks<'_>, block: &Block, data: &FileBlock) -> Markup {
    let caption = blocks.line(&block.content);
    let has_caption = !inline_text(&block.content).trim().is_empty();
    match (&data.source.0, blocks.context.references.file(&data.source.0)) {
        (_, Some(file)) => html! {
            a.o-file href=(file.href) download=(file.name) {
                span { @if has_caption { (inline_text(&block.content)) } @else { (file.name) } }
                small { (kind(&file.name, &file.content_type)) " · " (readable_size(file.size)) }
            }
        },
        (ContentRef::Url { url }, None) => match safe(url) {
            Some(href) => {
                let name = url.split(['?', '#']).next().and_then(|path| path.rsplit('/').find(|part| !part.is_empty()));
                let title = html! {
                    span { @if has_caption { (inline_text(&block.content)) } @else { (name.unwrap_or(url)) } }
                };
                blocks.link(&href, Some("o-file"), None, &title)
            }
            None => html! { @if has_caption { p.o-missing { (caption) } } },
        },
        (_, None) if has_caption => html! { p.o-missing { (caption) } },
        (_, None) => html! { p.o-missing { (blocks.word(Word::NotAvailable)) } },
    }
}

/// The type of a file for readers: the extension of its name, else its media type.
fn kind(name: &str, content_type: &str) -> String {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let ending = ending
        .filter(|ending| (1..=6).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    ending.map_or_else(|| content_type.to_owned(), str::to_ascii_uppercase)
}

/// A size for people.
fn readable_size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

pub(super) fn drawing(blocks: &mut Blocks<'_>, data: &Drawing) -> Markup {
    let source = data.source.as_ref().and_then(|source| blocks.picture(source));
    let Some((src, natural)) = source else { return html! {} };
    let (width, height) = dimensions(None, None, natural);
    let is_first = !std::mem::replace(&mut blocks.pictured, true);
    let picture = Picture { src: &src, alt: blocks.word(Word::Drawing), width, height, is_first };
    html! { div.o-images { figure.o-image { a.o-zoom href=(src) { (picture.render(None)) } } } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(0, "0 B")]
    #[case(1_500, "2 kB")]
    #[case(2_500_000, "2.5 MB")]
    #[case(3_000_000_000, "3.0 GB")]
    fn a_size_is_short(#[case] bytes: u64, #[case] expected: &str) {
        assert_eq!(readable_size(bytes), expected);
    }

    #[rstest]
    #[case(None, None, Some((400, 200)), (Some(400), Some(200)))]
    #[case(Some(100), None, Some((400, 200)), (Some(100), Some(50)))]
    #[case(None, Some(100), Some((400, 200)), (Some(200), Some(100)))]
    #[case(Some(10), Some(20), Some((400, 200)), (Some(10), Some(20)))]
    #[case(Some(10), None, None, (Some(10), None))]
    #[case(Some(10), None, Some((0, 5)), (Some(10), Some(50)))]
    fn sizes_keep_the_proportion(
        #[case] width: Option<u32>,
        #[case] height: Option<u32>,
        #[case] natural: Option<(u32, u32)>,
        #[case] expected: (Option<u32>, Option<u32>),
    ) {
        assert_eq!(dimensions(width.map(Size::Pixels), height.map(Size::Pixels), natural), expected);
    }
}
