//! Pages for printing: one page, or all pages of a variant in one document.
use crate::error::SiteError;
use crate::external::ImageRewriter;
use crate::handler::{NOTHING, Reply};
use crate::pages::{html_body, render_context, texts};
use crate::request::SiteRequest;
use crate::site::SiteServer;
use domain::id::{PageId, SiteSpaceId};
use domain::site::reader::{ReferenceTarget, References};
use domain::usecases::sites::reader::{Printing, Visiting, texts_at_once};
use site_html::article::{Article, sheet, sheet_anchor};
use site_html::frame::{self, Print, Sheet};
use std::collections::{BTreeSet, HashMap};

/// The maximum HTML of a document, in bytes. The page that exceeds it is the last one.
const MOST: usize = 8 * 1024 * 1024;
/// The most pages of a document.
const MOST_PAGES: usize = 1000;

/// The parameter of the address with the only page.
const PAGE: &str = "page";
/// The parameter of the address with the space on the site.
const VARIANT: &str = "variant";

/// The document for printing that an address asks for.
pub(crate) async fn reply(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
) -> Result<Reply, SiteError> {
    let (page, variant) = (site_request.parameter(PAGE), site_request.parameter(VARIANT));
    let page: Option<PageId> = match page.as_deref().map(str::parse) {
        None => None,
        Some(Ok(page)) => Some(page),
        Some(Err(_)) => return Ok(NOTHING),
    };
    let variant: Option<SiteSpaceId> = match variant.as_deref().map(str::parse) {
        None => None,
        Some(Ok(variant)) => Some(variant),
        Some(Err(_)) => return Ok(NOTHING),
    };
    let Some(printing) = visiting.printing(variant.as_ref(), page.as_ref()).await? else { return Ok(NOTHING) };
    let Printing { mut frame, title, pages } = printing;
    ImageRewriter::of(server, visiting).iter().for_each(|rewriting| rewriting.frame(&mut frame));
    let texts = texts(&frame);
    let hrefs: HashMap<&str, usize> =
        pages.iter().zip(1..).map(|((_, href), number)| (href.as_str(), number)).collect();
    let (mut sheets, mut size, mut images, mut loaded) = (Vec::new(), 0, BTreeSet::new(), 0);
    for ((id, href), number) in pages.iter().zip(1..=MOST_PAGES) {
        if size > MOST {
            break;
        }
        if loaded < number {
            let next = pages[loaded..].iter().take(texts_at_once(loaded)).map(|(id, _)| id.clone());
            let next: Vec<PageId> = next.collect();
            visiting.load_texts(&frame.variant, &next).await?;
            loaded += next.len();
        }
        let Some(mut text) = visiting.text(&frame.variant, id).await? else { continue };
        within(&mut text.references, &hrefs, number);
        let context = render_context(server, &frame, &texts, (&text.references, href));
        let article = sheet(&text.document, &context, number);
        size += article.html.len();
        images.extend(article.images.iter().cloned());
        sheets.push(Sheet { number, title: text.title, description: text.description, url: text.url, article });
    }
    let left_out = pages.len() - sheets.len();
    let print = Print { page: page.as_ref(), title: &title, sheets: &sheets, left_out };
    let html = frame::print(&frame, &print, &texts, &server.settings.fonts);
    // A printed page opens no frames and sends no requests.
    let article = Article { images: images.into_iter().collect(), ..Article::default() };
    Ok(Reply::Body(html_body(server, visiting, &html, Some(&article), false).encode(site_request.encoding)))
}

/// Makes links to places of the same document lead there. Their addresses are those of pages (`hrefs`, with their
/// numbers) or begin with `#`; the text is that of the page with the number `own`.
fn within(references: &mut References, hrefs: &HashMap<&str, usize>, own: usize) {
    for target in references.targets.values_mut() {
        let ReferenceTarget::Link(link) = target else { continue };
        let (path, anchor) = match link.href.split_once('#') {
            Some((path, anchor)) => (path, Some(anchor)),
            None => (link.href.as_str(), None),
        };
        let number = if path.is_empty() { Some(&own) } else { hrefs.get(path) };
        let Some(start) = number.map(|number| sheet_anchor(*number)) else { continue };
        link.href = match anchor {
            Some(anchor) => format!("#{start}{anchor}"),
            None => format!("#{}", start.trim_end_matches('-')),
        };
    }
}
