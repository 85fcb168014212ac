//! Pictures that are drawn for a page: its diagrams, and its card for social networks.
//!
//! Both are drawn on a thread for long work, and cached with the pages.
use crate::answer::{Body, Keeping};
use crate::error::SiteError;
use crate::external::{self, Rewriting};
use crate::handler::{NOTHING, Reply};
use crate::memo::fingerprint;
use crate::pages::is_public;
use crate::request::{Asked, Encoding};
use crate::site::SiteServer;
use domain::site::resolve::Form;
use domain::usecases::sites::reader::{FoundPath, ReadPage, Visiting};
use site_html::diagram::{DrawsDiagrams, Wanted};
use site_html::frame::Face;

/// What a diagram may do: as an uploaded SVG file, nothing.
const DIAGRAM_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

/// The page at a path, if the visitor sees it.
async fn page(visiting: &mut Visiting<'_>, path: &str) -> Result<Option<Box<ReadPage>>, SiteError> {
    Ok(match visiting.read(path, None).await? {
        FoundPath::Page(read) if read.form == Form::Page => Some(read),
        FoundPath::Page(_) | FoundPath::Elsewhere { .. } | FoundPath::Missing(_) => None,
    })
}

/// A diagram of a page.
pub(crate) async fn diagram(
    server: &SiteServer,
    asked: &Asked,
    visiting: &mut Visiting<'_>,
    address: &str,
) -> Result<Reply, SiteError> {
    let Some(wanted) = Wanted::of(address) else { return Ok(NOTHING) };
    let Some(read) = page(visiting, wanted.page).await? else { return Ok(NOTHING) };
    let Some(source) = wanted.source(&read.page.document) else { return Ok(NOTHING) };
    let public = is_public(visiting);
    let keeping = if public { Keeping::Immutable } else { Keeping::PrivateFile };
    // The address has the hash of the source, and the mode.
    let name = address.rsplit_once('-').map(|(_, name)| name);
    let body = server.pages.get(fingerprint(&("diagram", name, keeping, asked.encoding)), || {
        let svg = server.diagrams.diagram(&source).map(|diagram| wanted.svg(&diagram).to_owned()).unwrap_or_default();
        Body::new("image/svg+xml", svg, keeping)
            .with("content-security-policy", DIAGRAM_POLICY)
            .with("x-content-type-options", "nosniff")
            .with("cross-origin-resource-policy", if public { "cross-origin" } else { "same-origin" })
            .encode(asked.encoding)
    });
    Ok(if body.bytes().is_empty() { NOTHING } else { Reply::Body(body) })
}

/// The card of a page. An address of an earlier card leads to that of today, so links that were shared keep their picture.
pub(crate) async fn card(
    server: &SiteServer,
    asked: &Asked,
    visiting: &mut Visiting<'_>,
    address: &str,
) -> Result<Reply, SiteError> {
    let parts = address.strip_suffix(".png").and_then(|name| name.rsplit_once('-'));
    let Some((path, hash)) = parts.filter(|_| is_public(visiting)) else { return Ok(NOTHING) };
    let Some(read) = page(visiting, path).await? else { return Ok(NOTHING) };
    let Some(face) = Face::of(&read.frame, &read.page) else { return Ok(NOTHING) };
    if hash != face.hash() {
        let location = face.address(&read.frame, &read.page);
        return Ok(Reply::Redirect { status: 307, location, keeping: Keeping::Never, cookies: Vec::new() });
    }
    let logo = match (&face.logo, Rewriting::of(server, visiting)) {
        (Some(logo), Some(rewriting)) => external::logo(server, &rewriting.path(logo)).await,
        _ => None,
    };
    let body = server.pages.get(fingerprint(&("card", &face, logo.is_some(), asked.encoding)), || {
        let png = face.draw(logo.as_deref()).unwrap_or_default();
        Body::new("image/png", png, Keeping::Immutable)
            .with("content-security-policy", "sandbox; default-src 'none'")
            .with("x-content-type-options", "nosniff")
            .with("cross-origin-resource-policy", "cross-origin")
            .encode(Encoding::Identity)
    });
    Ok(if body.bytes().is_empty() { NOTHING } else { Reply::Body(body) })
}
