//! `favicon.ico`, which browsers ask for unless a page names another icon.
use crate::answer::{Body, CachePolicy};
use crate::error::SiteError;
use crate::external::ImageRewriter;
use crate::handler::Reply;
use crate::machine::body;
use crate::request::SiteRequest;
use crate::site::SiteServer;
use domain::site::customization::Customization;
use domain::usecases::sites::reader::Visiting;
use site_html::frame::{self, Favicon};

/// Its path on a site.
pub(crate) const PATH: &str = "favicon.ico";
const SVG: &str = "image/svg+xml";

/// Whether an address is that of an icon.
pub(crate) fn is_at(site_request: &SiteRequest) -> bool {
    site_request.url.path().strip_suffix(PATH).is_some_and(|before| before.ends_with('/'))
}

/// The icon of a site.
pub(crate) async fn reply(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
) -> Result<Reply, SiteError> {
    let icon = match visiting.around().await? {
        Some(mut frame) => {
            ImageRewriter::of(server, visiting).iter().for_each(|rewriting| rewriting.frame(&mut frame));
            frame::favicon(frame.icon.as_ref(), &frame.customization)
        }
        None => frame::favicon(visiting.site().icon.as_ref(), &Customization::default()),
    };
    Ok(match icon {
        Favicon::Svg(svg) => Reply::Body(body(server, visiting, SVG, svg, true).encode(site_request.encoding)),
        Favicon::At(location) => {
            Reply::Redirect { status: 307, location, cache_policy: CachePolicy::Never, cookies: Vec::new() }
        }
    })
}

/// The icon for visitors who may not see a site: the same for all addresses.
pub(crate) fn of_nothing(site_request: &SiteRequest) -> Reply {
    let svg = match frame::favicon(None, &Customization::default()) {
        Favicon::Svg(svg) | Favicon::At(svg) => svg,
    };
    Reply::Body(Body::new(SVG, svg, CachePolicy::Never).encode(site_request.encoding))
}
