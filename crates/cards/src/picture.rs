//! Renders the picture of a card.
use crate::font::{FACES, FAMILY, Weight};
use crate::layout::{Lines, Style, balanced, shown, wrapped};
use crate::{Card, Color, HEIGHT, WIDTH, logo};
use resvg::tiny_skia::{Pixmap, PixmapPaint, Transform};
use resvg::usvg::Tree;
use std::fmt::Write;

/// The distance of texts from the sides, in pixels.
const MARGIN: f32 = 80.0;
/// The width of the title, and of the description, whose shorter lines are easier to read.
const TITLE_WIDTH: f32 = 1040.0;
const DESCRIPTION_WIDTH: f32 = 940.0;
/// The lower edge of the description, or of the title if there is no description.
const BOTTOM: f32 = 540.0;
/// The box of the logo.
const LOGO: (f32, f32) = (440.0, 64.0);
const LOGO_TOP: f32 = 72.0;
/// The box of a logo on a card without text.
const LARGE_LOGO: (f32, f32) = (640.0, 200.0);

/// The styles of a title: the first one in which the whole title fits, or else the last one.
const TITLES: [Style; 3] = [
    Style { weight: Weight::Bold, size: 80.0, leading: 92.0, tracking: -2.0, lines: 2 },
    Style { weight: Weight::Bold, size: 66.0, leading: 78.0, tracking: -1.6, lines: 3 },
    Style { weight: Weight::Bold, size: 56.0, leading: 68.0, tracking: -1.2, lines: 3 },
];
const DESCRIPTION: Style = Style { weight: Weight::Regular, size: 32.0, leading: 46.0, tracking: 0.0, lines: 2 };
const SITE: Style = Style { weight: Weight::Bold, size: 30.0, leading: 40.0, tracking: -0.3, lines: 1 };

/// The bytes of a card as PNG, of [`WIDTH`] times [`HEIGHT`] pixels; `None` if it cannot be rendered, which is not
/// known to happen.
///
/// A title with letters that the font lacks makes a card without text.
pub fn render(card: &Card<'_>) -> Option<Vec<u8>> {
    let title = TITLES.iter().find_map(|style| {
        let ruler = style.ruler()?;
        let lines = balanced(&shown(card.title, &ruler)?, &ruler, TITLE_WIDTH, style.lines);
        (lines.whole || style == &TITLES[TITLES.len() - 1]).then_some((*style, lines))
    });
    let logo = card.logo.and_then(|bytes| {
        let (width, height) = if title.is_some() { LOGO } else { LARGE_LOGO };
        logo::fitted(bytes, width, height)
    });
    let mut svg = ground(card);
    match &title {
        Some((style, lines)) => {
            if logo.is_none() {
                name(&mut svg, card);
            }
            texts(&mut svg, card, *style, lines);
        }
        None if logo.is_none() => mark(&mut svg, card, 500.0, 205.0, 200.0),
        None => {}
    }
    svg.push_str("</svg>");
    let mut options = logo::isolated();
    options.fontdb = FACES.clone();
    let tree = Tree::from_str(&svg, &options).ok()?;
    let mut pixels = Pixmap::new(WIDTH, HEIGHT)?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    if let Some(logo) = logo {
        let (x, y) = match title {
            Some(_) => (MARGIN, LOGO_TOP + (LOGO.1 - logo.height() as f32) / 2.0),
            None => (middle(WIDTH, logo.width()), middle(HEIGHT, logo.height())),
        };
        let at = Transform::from_translate(x.round(), y.round());
        pixels.draw_pixmap(0, 0, logo.as_ref(), &PixmapPaint::default(), at, None);
    }
    pixels.encode_png().ok()
}

fn middle(of: u32, length: u32) -> f32 {
    (of as f32 - length as f32) / 2.0
}

fn hex([red, green, blue]: Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The start of the image: the background with a soft light in the accent colour, and a line of it.
fn ground(card: &Card<'_>) -> String {
    let [ground, accent] = [card.colors.ground, card.colors.accent].map(hex);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\"><defs>\
         <radialGradient id=\"light\" gradientUnits=\"userSpaceOnUse\" cx=\"1140\" cy=\"-40\" r=\"820\">\
         <stop offset=\"0\" stop-color=\"{accent}\" stop-opacity=\".26\"/>\
         <stop offset=\".55\" stop-color=\"{accent}\" stop-opacity=\".06\"/>\
         <stop offset=\"1\" stop-color=\"{accent}\" stop-opacity=\"0\"/></radialGradient></defs>\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{ground}\"/>\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"url(#light)\"/>"
    );
    let _ = write!(svg, "<rect y=\"618\" width=\"{WIDTH}\" height=\"12\" fill=\"{accent}\"/>");
    svg
}

/// An open book on the accent colour, as in the default icon of sites.
fn mark(svg: &mut String, card: &Card<'_>, x: f32, y: f32, side: f32) {
    let [accent, on_accent] = [card.colors.accent, card.colors.on_accent].map(hex);
    let _ = write!(
        svg,
        "<g transform=\"translate({x} {y}) scale({})\"><rect width=\"32\" height=\"32\" rx=\"7\" fill=\"{accent}\"/>\
         <path d=\"M16 10c-2-2-5-2-8-2v14c3 0 6 0 8 2 2-2 5-2 8-2V8c-3 0-6 0-8 2v14\" fill=\"none\" stroke=\"{on_accent}\" \
         stroke-width=\"2\" stroke-linejoin=\"round\"/></g>",
        side / 32.0
    );
}

/// The mark with the name of the site.
fn name(svg: &mut String, card: &Card<'_>) {
    mark(svg, card, MARGIN, LOGO_TOP + 4.0, 56.0);
    let Some(ruler) = SITE.ruler() else { return };
    if let Some(name) = shown(card.site, &ruler) {
        let lines = wrapped(&name, &ruler, 760.0, SITE.lines);
        paragraph(svg, SITE, &lines.lines, card.colors.strong, (MARGIN + 76.0, LOGO_TOP + 43.0));
    }
}

/// The title with the description under it, at the bottom.
fn texts(svg: &mut String, card: &Card<'_>, style: Style, title: &Lines) {
    let description = card.description.zip(DESCRIPTION.ruler()).and_then(|(text, ruler)| {
        let text = shown(text, &ruler)?;
        Some(wrapped(&text, &ruler, DESCRIPTION_WIDTH, DESCRIPTION.lines).lines)
    });
    let mut bottom = BOTTOM;
    if let Some(lines) = description {
        let first = bottom - (lines.len() - 1) as f32 * DESCRIPTION.leading;
        paragraph(svg, DESCRIPTION, &lines, card.colors.muted, (MARGIN, first));
        bottom = first - DESCRIPTION.leading - 28.0;
    }
    let first = bottom - (title.lines.len() - 1) as f32 * style.leading;
    // Large letters have white space at their left that small ones do not have.
    paragraph(svg, style, &title.lines, card.colors.strong, (MARGIN - style.size / 20.0, first));
}

/// Lines of text; `at` is the start of the first one.
fn paragraph(svg: &mut String, style: Style, lines: &[String], color: Color, at: (f32, f32)) {
    let mut y = at.1;
    for line in lines {
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{y}\" font-family=\"{FAMILY}\" font-weight=\"{}\" font-size=\"{}\" letter-spacing=\"{}\" \
             fill=\"{}\" xml:space=\"preserve\">{}</text>",
            at.0,
            style.weight.number(),
            style.size,
            style.tracking,
            hex(color),
            escaped(line)
        );
        y += style.leading;
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
