//! Images that are rendered for a page: its diagrams, and its card for social networks.
//!
//! Both are rendered on a thread for long work, and cached with the pages.
use crate::answer::{Body, CachePolicy};
use crate::error::SiteError;
use crate::external::{self, ImageRewriter};
use crate::handler::{NOTHING, Reply};
use crate::pages::is_public;
use crate::render_cache::fingerprint;
use crate::request::{Encoding, SiteRequest};
use crate::site::SiteServer;
use domain::site::resolve::Form;
use domain::usecases::sites::reader::{FoundPath, ReadPage, Visiting};
use site_html::diagram::{DiagramAddress, RendersDiagrams};
use site_html::frame::Face;

/// The policy of a diagram: like an uploaded SVG file, it may run and load nothing.
const DIAGRAM_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

/// The page at a path, if the visitor sees it.
async fn page(visiting: &mut Visiting<'_>, path: &str) -> Result<Option<Box<ReadPage>>, SiteError> {
    Ok(match visiting.read(path, None).await? {
        FoundPath::Page(read) if read.form == Form::Page => Some(read),
        FoundPath::Page(_) | FoundPath::Redirect { .. } | FoundPath::Missing(_) => None,
    })
}

/// How long browsers and proxies keep a picture, and which sites may show it. Without claims, every visitor sees the
/// same pages. With claims, a visitor may see a page with a condition, so its pictures are not for caches of others.
fn caching(visiting: &Visiting<'_>) -> (CachePolicy, &'static str) {
    match is_public(visiting) && visiting.visit().claims().is_empty() {
        true => (CachePolicy::Immutable, "cross-origin"),
        false => (CachePolicy::PrivateFile, "same-origin"),
    }
}

/// A diagram of a page.
pub(crate) async fn diagram(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
    address: &str,
) -> Result<Reply, SiteError> {
    let Some(wanted) = DiagramAddress::of(address) else { return Ok(NOTHING) };
    let Some(read) = page(visiting, wanted.page).await? else { return Ok(NOTHING) };
    let Some(source) = wanted.source(&read.page.document) else { return Ok(NOTHING) };
    let (cache_policy, reach) = caching(visiting);
    // The address has the hash of the source, and the mode.
    let name = address.rsplit_once('-').map(|(_, name)| name);
    let body = server.pages.get(fingerprint(&("diagram", name, cache_policy, site_request.encoding)), || {
        let svg = server.diagrams.diagram(&source).map(|diagram| wanted.svg(&diagram).to_owned()).unwrap_or_default();
        Body::new("image/svg+xml", svg, cache_policy)
            .with("content-security-policy", DIAGRAM_POLICY)
            .with("x-content-type-options", "nosniff")
            .with("cross-origin-resource-policy", reach)
            .encode(site_request.encoding)
    });
    Ok(if body.bytes().is_empty() { NOTHING } else { Reply::Body(body) })
}

/// The card of a page. The address of an earlier card redirects to the current one, so shared links keep their image.
pub(crate) async fn card(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
    address: &str,
) -> Result<Reply, SiteError> {
    let parts = address.strip_suffix(".png").and_then(|name| name.rsplit_once('-'));
    let Some((path, hash)) = parts.filter(|_| is_public(visiting)) else { return Ok(NOTHING) };
    let Some(read) = page(visiting, path).await? else { return Ok(NOTHING) };
    let Some(face) = Face::of(&read.frame, &read.page) else { return Ok(NOTHING) };
    if hash != face.hash() {
        let location = face.address(&read.frame, &read.page);
        return Ok(Reply::Redirect { status: 307, location, cache_policy: CachePolicy::Never, cookies: Vec::new() });
    }
    let logo = match (&face.logo, ImageRewriter::of(server, visiting)) {
        (Some(logo), Some(rewriting)) => external::logo(server, &rewriting.path(logo)).await,
        _ => None,
    };
    let (cache_policy, reach) = caching(visiting);
    let key = fingerprint(&("card", &face, logo.is_some(), cache_policy, site_request.encoding));
    let body = server.pages.get(key, || {
        let png = face.render(logo.as_deref()).unwrap_or_default();
        Body::new("image/png", png, cache_policy)
            .with("content-security-policy", "sandbox; default-src 'none'")
            .with("x-content-type-options", "nosniff")
            .with("cross-origin-resource-policy", reach)
            .encode(Encoding::Identity)
    });
    Ok(if body.bytes().is_empty() { NOTHING } else { Reply::Body(body) })
}
