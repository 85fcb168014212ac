//! Pages of single schemas that are too deep or too long for the blocks of OpenAPI specs.
use crate::error::SiteError;
use crate::external::ImageRewriter;
use crate::handler::{NOTHING, Reply};
use crate::pages::{html_body, render_context, texts};
use crate::request::SiteRequest;
use crate::site::SiteServer;
use domain::site::path::OWN;
use domain::site::reader::{SiteFrame, SitePage};
use domain::usecases::sites::reader::{SchemaPage, SchemaQuery, Visiting};
use site_html::article::{Article, RenderContext};
use site_html::frame::{self, Html};
use site_html::schema::{self, AT, SCHEMA, SKIP, TO};

/// The path on the server of the pages of the schemas that a page shows.
pub(crate) fn pages_of(frame: &SiteFrame, page: &SitePage) -> String {
    format!("{}{OWN}{SCHEMA}/{}/{}", frame.base, frame.variant, page.id)
}

/// The page of a schema. `address` is `{variant}/{page}/{block}`.
pub(crate) async fn reply(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
    address: &str,
) -> Result<Reply, SiteError> {
    let Some((mut shown, query)) = find(site_request, visiting, address).await? else { return Ok(NOTHING) };
    ImageRewriter::of(server, visiting).iter().for_each(|rewriting| rewriting.frame(&mut shown.read.frame));
    let (html, article) = rendered(server, &shown, &query);
    Ok(Reply::Body(html_body(server, visiting, &html, Some(&article), false).encode(site_request.encoding)))
}

/// The part of a path on the site after [`SCHEMA`]; `None` for other paths.
pub(crate) fn address(path: &str) -> Option<&str> {
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    path.strip_prefix(OWN)?.strip_prefix(SCHEMA)?.strip_prefix('/')
}

/// The schema at an address, if the visitor sees it.
pub(crate) async fn find(
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
    address: &str,
) -> Result<Option<(SchemaPage, SchemaQuery)>, SiteError> {
    let Some(query) = query_of(site_request, address) else { return Ok(None) };
    Ok(visiting.schema(&query).await?.map(|shown| (shown, query)))
}

/// The rendered page of a schema.
pub(crate) fn rendered(server: &SiteServer, shown: &SchemaPage, query: &SchemaQuery) -> (Html, Article) {
    let (frame, page) = (&shown.read.frame, &shown.read.page);
    let (texts, schemas) = (texts(frame), pages_of(frame, page));
    let context = RenderContext {
        schemas: Some(&schemas),
        ..render_context(server, frame, &texts, (&page.references, &page.href))
    };
    let article = schema::article(&shown.row, &query.block, query.direction, &context);
    (frame::page(frame, page, &article, &texts, &server.settings.fonts), article)
}

/// The parameters of an address; `None` if they are invalid.
fn query_of(site_request: &SiteRequest, address: &str) -> Option<SchemaQuery> {
    let mut parts = address.split('/');
    let (variant, page, block) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.to_owned());
    let direction = match site_request.parameter(TO) {
        Some(name) => Some(schema::direction(&name)?),
        None => None,
    };
    let skip = match site_request.parameter(SKIP) {
        Some(number) => number.parse().ok()?,
        None => 0,
    };
    let query = SchemaQuery { variant, page, block, pointer: site_request.parameter(AT)?, direction, skip };
    parts.next().is_none().then_some(query)
}
