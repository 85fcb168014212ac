//! The text of a page as HTML.
use crate::blocks::Blocks;
use crate::diagram::RendersDiagrams;
use crate::texts::Texts;
use domain::content::changes::FormerAnchor;
use domain::content::document::Document;
use domain::site::customization::{ExternalLinkTarget, IconStyle};
use domain::site::external_image::ImageSigner;
use domain::site::reader::References;

/// The context that the text of a page is rendered with.
#[derive(Clone, Copy, Debug)]
pub struct RenderContext<'a> {
    /// The targets of references.
    pub references: &'a References,
    /// The interface texts.
    pub texts: &'a Texts,
    /// Where links to other sites open.
    pub external_links: ExternalLinkTarget,
    /// The style of icons.
    pub icons: IconStyle,
    /// The path of the site on the server, with a slash at both ends.
    pub base: &'a str,
    /// The path of the page on the server.
    pub page: &'a str,
    /// Signs the addresses of images of other hosts, if visitors get them from this server; absent if browsers load
    /// them from their hosts.
    pub external_images: Option<&'a ImageSigner>,
    /// The path on the server of the pages of schemas for the blocks of this page; absent where there are none.
    pub schemas: Option<&'a str>,
    /// The anchors that headings of the text had, the newest first.
    pub former_anchors: &'a [FormerAnchor],
    /// Renders diagrams.
    pub diagrams: &'a dyn RendersDiagrams,
}

/// The rendered text of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Article {
    /// The blocks, as HTML.
    pub html: String,
    /// The headings for the outline of the page, in order.
    pub outline: Vec<OutlineEntry>,
    /// Rules of style that depend on the text, such as the widths of columns. They must be in a style element.
    pub css: String,
    /// The origins of frames that a visitor can open, such as `https://www.youtube-nocookie.com`. They must be in the
    /// policy of the page.
    pub frames: Vec<String>,
    /// The origins of images that are not on the site. They must be in the policy of the page.
    pub images: Vec<String>,
    /// The origins of servers that visitors can send requests to. They must be in the policy of the page.
    pub servers: Vec<String>,
}

/// An entry of the outline of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineEntry {
    /// The level, from 1.
    pub level: u8,
    /// The text.
    pub text: String,
    /// Its anchor, without `#`.
    pub anchor: String,
}

/// The number of heading levels in an outline.
const LEVELS: u8 = 3;

/// Renders the text of a page.
pub fn article(document: &Document, context: &RenderContext<'_>) -> Article {
    render(document, context, "")
}

/// The prefix of the anchors in a sheet: the text of one of several pages in one document. Sheets are numbered from 1.
pub fn sheet_anchor(number: usize) -> String {
    format!("p{number}-")
}

/// Renders the text of a page as a sheet for printing. Expandable parts are open, and anchors and classes are unique
/// among the sheets of one document.
pub fn sheet(document: &Document, context: &RenderContext<'_>, number: usize) -> Article {
    let article = render(document, context, &sheet_anchor(number));
    // `<` is escaped in texts, so this is an element.
    let html = article.html.replace("<details open", "<details").replace("<details", "<details open");
    Article { html, ..article }
}

fn render(document: &Document, context: &RenderContext<'_>, part: &str) -> Article {
    let headings = document.headings();
    let mut blocks = Blocks::new(context, &headings, part);
    let html = blocks.page(&document.blocks).into_string();
    let Blocks { css, frames, images, servers, mut outline, .. } = blocks;
    let top = outline.iter().map(|heading| heading.level).min().unwrap_or(2);
    outline.retain_mut(|heading| {
        heading.level = heading.level - top + 1;
        heading.level <= LEVELS
    });
    let [frames, images, servers] = [frames, images, servers].map(Vec::from_iter);
    Article { html, outline, css, frames, images, servers }
}
