//! The page around a text.
mod actions;
mod below;
mod card;
mod context;
mod document;
mod favicon;
mod feedback;
mod footer;
mod head;
mod header;
mod href;
mod icons;
mod images;
mod languages;
mod missing;
mod outline;
mod page;
mod preview;
mod print;
mod script;
mod search;
mod sections;
mod sidebar;
mod social;
mod structured;
mod style;
#[cfg(test)]
mod tests;
mod variants;

pub use card::Face;
pub use favicon::{Favicon, favicon};
pub use print::{Print, Sheet};
pub use search::SearchRequest;

use crate::article::Article;
use crate::texts::Texts;
use context::FrameContext;
use domain::site::customization::HeaderPreset;
use domain::site::reader::{PageLink, SiteFrame, SitePage};
use domain::site::served_font::FontTable;
use domain::usecases::sites::reader::ListedPage;
use maud::{Markup, html};
use serde::Serialize;

/// A page as HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html {
    /// The document.
    pub html: String,
    /// The SHA-256 of its style element, in base64, for the policy of the page.
    pub style_hash: String,
    /// The SHA-256 of its script before the first paint, in base64.
    pub script_hash: String,
    /// The origins of images around the text that are not on the site. They belong into the policy of the page.
    pub images: Vec<String>,
    /// The origins of fonts that are not on the site. They belong into the policy of the page.
    pub fonts: Vec<String>,
    /// The files that browsers load first, as the value of a `Link` header.
    pub preload: String,
}

/// Results of a search, also as JSON for the dialog.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SearchResults {
    /// Pages, the best first.
    pub items: Vec<SearchHit>,
}

/// A page that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SearchHit {
    /// Its title.
    pub title: String,
    /// Its path on the server.
    pub href: String,
    /// The titles above it.
    pub above: Vec<String>,
    /// Its sections that were found.
    pub sections: Vec<SearchHitSection>,
}

/// A section of a page that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SearchHitSection {
    /// Its title.
    pub title: String,
    /// Its path on the server, with its anchor.
    pub href: String,
    /// Its text around the matches.
    pub text: String,
    /// The matches in the text: pairs of byte offsets.
    pub matches: Vec<(usize, usize)>,
}

/// A page of the site. `fonts` are those that the server has, as in the other pages.
pub fn page(frame: &SiteFrame, page: &SitePage, article: &Article, texts: &Texts, fonts: &FontTable) -> Html {
    let context = FrameContext::new(frame, texts);
    document::document(&context, fonts, page::parts(&context, page, article))
}

/// The 404 page, with similar pages.
pub fn not_found(frame: &SiteFrame, near: &[PageLink], texts: &Texts, fonts: &FontTable) -> Html {
    let context = FrameContext::new(frame, texts);
    document::document(&context, fonts, missing::parts(&context, near))
}

/// The results of a search as a page.
pub fn search(
    frame: &SiteFrame,
    request: &SearchRequest<'_>,
    results: &SearchResults,
    texts: &Texts,
    fonts: &FontTable,
) -> Html {
    let context = FrameContext::new(frame, texts);
    document::document(&context, fonts, search::parts(&context, request, results))
}

/// All pages with their paths on the server, as a page that takes the place of a search where there is no server.
pub fn page_list(frame: &SiteFrame, pages: &[(&ListedPage, &str)], texts: &Texts, fonts: &FontTable) -> Html {
    let context = FrameContext::new(frame, texts);
    document::document(&context, fonts, search::list(&context, pages))
}

/// Pages for printing: without navigation, and with expandable parts open.
pub fn print(frame: &SiteFrame, print: &Print<'_>, texts: &Texts, fonts: &FontTable) -> Html {
    let context = FrameContext::new(frame, texts);
    document::document(&context, fonts, print::parts(&context, print))
}

/// The page of a site without content.
pub fn empty_site(title: &str, base: &str, texts: &Texts) -> Html {
    missing::empty(title, base, texts)
}

/// A page with a message, independent of any site.
pub fn message(status: u16, message: &str) -> String {
    missing::message(status, message)
}

/// A hash of values for an address that is kept forever: 16 hexadecimal digits.
pub(crate) fn hash(values: &impl Serialize) -> String {
    use sha2::{Digest, Sha256};
    let bytes = serde_json::to_vec(values).unwrap_or_default();
    Sha256::digest(&bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The layout around the main part of each page. Without a header, its parts are in the sidebar, unless the page does
/// not show that.
fn layout(context: &FrameContext<'_>, main: &Markup, without_contents: bool) -> Markup {
    let is_in_sidebar = context.customization.header.preset == HeaderPreset::None && !without_contents;
    html! {
        (header::header(context, is_in_sidebar))
        div.o-shell { (sidebar::sidebar(context, is_in_sidebar)) (main) }
        (footer::footer(context))
    }
}
