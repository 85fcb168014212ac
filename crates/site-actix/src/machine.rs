//! Outputs for programs: Markdown, lists of pages, sitemaps and feeds.
use crate::answer::{Body, CachePolicy};
use crate::error::SiteError;
use crate::favicon;
use crate::full_text;
use crate::handler::{NOTHING, Reply, is_secure};
use crate::pages;
use crate::policy::common;
use crate::request::SiteRequest;
use crate::site::SiteServer;
use actix_web::http::StatusCode;
use domain::site::reader::{SiteFrame, SitePage};
use domain::site::{AgentsContext, SiteIcon};
use domain::usecases::sites::reader::{ListedPage, SiteHit, Visiting};
use site_html::machine::{self, Addresses, Feed, Overview, Search, Text};

/// The media type of Markdown.
const MARKDOWN: &str = "text/markdown; charset=utf-8";
/// The media type of lists for assistants and of `robots.txt`.
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
const XML: &str = "application/xml; charset=utf-8";
const RSS: &str = "application/rss+xml; charset=utf-8";
pub(crate) const OPENSEARCH: &str = "application/opensearchdescription+xml; charset=utf-8";

/// The parameter of the address of a sitemap that has the number of its part.
const PART: &str = "part";

/// The reply for a path that is an output for programs; `None` for other paths.
pub(crate) async fn reply(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
    path: &str,
) -> Result<Option<Reply>, SiteError> {
    Ok(Some(match path {
        "llms.txt" if is_for_agents(visiting) => llms(server, site_request, visiting).await?,
        "llms-full.txt" if is_for_agents(visiting) => full_text::reply(server, site_request, visiting).await?,
        "llms.txt" | "llms-full.txt" => NOTHING,
        "sitemap.xml" | "sitemap-pages.xml" => sitemap(server, site_request, visiting, path == "sitemap.xml").await?,
        "robots.txt" => {
            let text = machine::robots(visiting.address(), &visiting.base_path(), visiting.is_indexed());
            done(site_request, body(server, visiting, TEXT, text, true))
        }
        favicon::PATH => favicon::reply(server, site_request, visiting).await?,
        "opensearch.xml" => opensearch(server, site_request, visiting).await?,
        _ => return Ok(None),
    }))
}

/// Whether the owner of the site allows agents.
fn is_for_agents(visiting: &Visiting<'_>) -> bool {
    visiting.site().agents_context == AgentsContext::Included
}

/// The base of absolute addresses for a visit. A preview uses its own address, since its pages may have no other one.
pub(crate) fn addresses<'a>(base: &'a str, visiting: &'a Visiting<'_>) -> Addresses<'a> {
    Addresses { base, site: visiting.address() }
}

/// A body of a program with the headers of a page.
pub(crate) fn body(
    server: &SiteServer,
    visiting: &Visiting<'_>,
    media_type: &'static str,
    text: String,
    indexed: bool,
) -> Body {
    let open = visiting.site().visibility.is_open();
    let mut body = Body::new(media_type, text, pages::cache_policy(server, visiting));
    body.headers.extend(common(!open || visiting.visit().is_preview(), is_secure(visiting)));
    if !indexed || !visiting.is_indexed() {
        body = body.with("x-robots-tag", "noindex");
    }
    body
}

fn done(site_request: &SiteRequest, body: Body) -> Reply {
    Reply::Body(body.encode(site_request.encoding))
}

/// A page as Markdown.
pub(crate) fn markdown(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &Visiting<'_>,
    page: &SitePage,
) -> Reply {
    let base = visiting.base_path();
    let addresses = addresses(&base, visiting);
    let url = addresses.absolute(&page.href);
    let text = Text {
        title: &page.title,
        description: page.description.as_deref(),
        url: &url,
        document: &page.document,
        references: &page.references,
    };
    let text = machine::markdown(&text, &addresses);
    let canonical = format!("<{}>; rel=\"canonical\"", page.canonical);
    done(site_request, body(server, visiting, MARKDOWN, text, page.indexed).with("link", canonical))
}

/// The feed of a page with updates.
pub(crate) fn feed(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &Visiting<'_>,
    frame: &SiteFrame,
    page: &SitePage,
) -> Reply {
    let Some(path) = &page.feed else { return NOTHING };
    let base = visiting.base_path();
    let addresses = addresses(&base, visiting);
    let (url, own) = (addresses.absolute(&page.href), addresses.absolute(path));
    let language = frame.language.map(|language| language.to_string());
    let text = Text {
        title: &page.title,
        description: page.description.as_deref(),
        url: &url,
        document: &page.document,
        references: &page.references,
    };
    let feed = Feed { id: page.id.as_str(), text, site: &frame.title, url: &own, language: language.as_deref() };
    let texts = pages::texts(frame);
    let context = pages::render_context(server, frame, &texts, (&page.references, &page.href));
    match machine::feed(&feed, &context, &addresses, &mut |html| html) {
        Some(text) => done(site_request, body(server, visiting, RSS, text, page.indexed)),
        None => NOTHING,
    }
}

/// The 404 response as Markdown, with similar pages.
pub(crate) fn missing(visiting: &Visiting<'_>, site_request: &SiteRequest, hits: &[SiteHit]) -> Reply {
    let base = visiting.base_path();
    let addresses = addresses(&base, visiting);
    let near = hits.iter().map(|hit| (hit.title.as_str(), addresses.absolute(&hit.markdown)));
    let text = machine::nearest(is_for_agents(visiting).then(|| visiting.address()), near);
    let body = Body::new(MARKDOWN, text, crate::answer::CachePolicy::Never)
        .with_status(StatusCode::NOT_FOUND)
        .with("x-robots-tag", "noindex");
    done(site_request, body)
}

/// All pages for assistants, those of the table of contents only.
async fn llms(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
) -> Result<Reply, SiteError> {
    let Some(frame) = visiting.around().await? else { return Ok(NOTHING) };
    let mut pages = visiting.all_pages().await?;
    let summary = summary(&pages, &visiting.canonical());
    pages.retain(|page| !page.hidden && !page.no_index);
    let site = visiting.canonical();
    let overview = Overview { title: &frame.title, summary: summary.as_deref(), site: &site, served: true };
    let text = machine::llms(&overview, &pages);
    Ok(done(site_request, body(server, visiting, TEXT, text, true)))
}

/// The description of a site: that of its first page.
pub(crate) fn summary(pages: &[ListedPage], site: &str) -> Option<String> {
    let start = pages.iter().find(|page| page.url == site && !page.no_index);
    start.and_then(|page| page.description.clone())
}

/// The pages that search engines may index, for no visitor in particular.
async fn sitemap(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
    index: bool,
) -> Result<Reply, SiteError> {
    if !visiting.is_indexed() {
        return Ok(NOTHING);
    }
    visiting.clear_claims();
    let pages = visiting.all_pages().await?;
    let pages: Vec<&ListedPage> = pages.iter().filter(|page| page.indexed && page.canonical && !page.hidden).collect();
    let text = match (index, site_request.parameter(PART)) {
        (true, _) => Some(machine::sitemap_index(&visiting.canonical(), &pages)),
        (false, None) => machine::sitemap(&pages, 1),
        (false, Some(part)) => part.parse().ok().and_then(|part| machine::sitemap(&pages, part)),
    };
    Ok(text.map_or(NOTHING, |text| done(site_request, body(server, visiting, XML, text, true))))
}

/// `robots.txt` of a host with sites of several owners: it lists the sitemaps of public sites, and does not mention
/// other sites.
pub(crate) async fn robots_of_host(
    server: &SiteServer,
    site_request: &SiteRequest,
    host: &str,
) -> Result<Reply, SiteError> {
    let sites = server.services.sites.public_at(host).await?;
    let text = machine::robots_of_host(&sites, server.settings.public_url.host_str() == Some(host));
    let cache_policy = CachePolicy::Public { edge: server.settings.edge_seconds };
    Ok(done(site_request, Body::new(TEXT, text, cache_policy)))
}

/// How browsers search the site.
async fn opensearch(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
) -> Result<Reply, SiteError> {
    let Some(frame) = visiting.around().await? else { return Ok(NOTHING) };
    let icon = match &frame.icon {
        Some(SiteIcon::Icon { light, .. }) => Some(light.as_str()),
        _ => None,
    };
    let language = frame.language.map(|language| language.to_string());
    let (title, site) = (frame.title.as_str(), visiting.address());
    let text = machine::opensearch(&Search { title, site, icon, language: language.as_deref() });
    Ok(done(site_request, body(server, visiting, OPENSEARCH, text, true)))
}
