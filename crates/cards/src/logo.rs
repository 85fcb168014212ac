//! Uploaded logos.
use resvg::tiny_skia::{BlendMode, FilterQuality, Pixmap, PixmapPaint, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree};

/// The largest SVG logo, in bytes.
const MAX_SVG: usize = 64 * 1024;
/// The largest PNG logo, in bytes.
const MAX_PNG: usize = 1024 * 1024;
/// The maximum side of a PNG logo, in pixels.
const MAX_SIDE: u32 = 2048;
/// Text that an SVG logo must not contain: it repeats other parts, takes much time for little source, or refers to
/// other files.
const REFUSED: [&str; 12] = [
    "<!",
    "<use",
    "<filter",
    "<pattern",
    "<mask",
    "<image",
    "<text",
    "<marker",
    "dasharray",
    "<script",
    "<foreign",
    "@import",
];
/// The signature of a PNG image.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The pixels of a logo, as large as fits in a box with these sides; `None` if it cannot be rendered.
pub(crate) fn fitted(bytes: &[u8], width: f32, height: f32) -> Option<Pixmap> {
    match bytes.starts_with(PNG) {
        true => png(bytes, width, height),
        false => svg(bytes, width, height),
    }
}

/// The factor that makes a size fit in a box; `None` if the result would be empty or a line.
fn scale(own: (f32, f32), within: (f32, f32)) -> Option<f32> {
    let scale = (within.0 / own.0).min(within.1 / own.1);
    let thinnest = own.0.min(own.1) * scale;
    (scale.is_finite() && thinnest >= 8.0).then_some(scale)
}

/// An empty picture for a size after scaling.
fn canvas(own: (f32, f32), scale: f32) -> Option<Pixmap> {
    // Both sides are at most those of the box, so the numbers are small.
    let side = |length: f32| (length * scale).ceil().clamp(1.0, 1024.0) as u32;
    Pixmap::new(side(own.0), side(own.1))
}

fn png(bytes: &[u8], width: f32, height: f32) -> Option<Pixmap> {
    // Read the size first: a small file can have many pixels.
    let side = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let sides = [side(16)?, side(20)?];
    if bytes.len() > MAX_PNG || sides.iter().any(|side| *side > MAX_SIDE) {
        return None;
    }
    let image = Pixmap::decode_png(bytes).ok()?;
    let own = (image.width() as f32, image.height() as f32);
    let wanted = scale(own, (width, height))?;
    let mut canvas = canvas(own, wanted)?;
    let image = halved(image, wanted);
    let rest = canvas.width() as f32 / image.width() as f32;
    canvas.draw_pixmap(0, 0, image.as_ref(), &SMOOTH, Transform::from_scale(rest, rest), None);
    Some(canvas)
}

/// The settings for scaling a picture.
const SMOOTH: PixmapPaint =
    PixmapPaint { opacity: 1.0, blend_mode: BlendMode::SourceOver, quality: FilterQuality::Bilinear };

/// Halves a picture until it is less than twice as large as wanted: from there on, scaling skips no pixel.
fn halved(mut image: Pixmap, mut scale: f32) -> Pixmap {
    while scale < 0.5 {
        let Some(mut half) = Pixmap::new(image.width().div_ceil(2), image.height().div_ceil(2)) else { break };
        half.draw_pixmap(0, 0, image.as_ref(), &SMOOTH, Transform::from_scale(0.5, 0.5), None);
        (image, scale) = (half, scale * 2.0);
    }
    image
}

fn svg(bytes: &[u8], width: f32, height: f32) -> Option<Pixmap> {
    let text = str::from_utf8(bytes).ok()?;
    let lower = text.to_ascii_lowercase();
    if bytes.len() > MAX_SVG || REFUSED.iter().any(|part| lower.contains(part)) {
        return None;
    }
    let tree = Tree::from_str(text, &isolated()).ok()?;
    let own = (tree.size().width(), tree.size().height());
    let scale = scale(own, (width, height))?;
    let mut canvas = canvas(own, scale)?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut canvas.as_mut());
    Some(canvas)
}

/// Options that load nothing.
pub(crate) fn isolated() -> Options<'static> {
    Options {
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    }
}
