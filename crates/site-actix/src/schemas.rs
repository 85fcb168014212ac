//! Pages of single schemas: what the blocks of OpenAPI specs have no room for.
use crate::error::SiteError;
use crate::external::Rewriting;
use crate::handler::{NOTHING, Reply};
use crate::pages::{OWN, drawing, html_body, texts};
use crate::request::Asked;
use crate::site::SiteServer;
use domain::site::reader::{SiteFrame, SitePage};
use domain::usecases::sites::reader::{SchemaPage, SchemaQuery, Visiting};
use site_html::article::{Article, Drawing};
use site_html::frame::{self, Html};
use site_html::schema::{self, AT, SCHEMA, SKIP, TO};

/// The path on the server of the pages of the schemas that a page shows.
pub(crate) fn pages_of(frame: &SiteFrame, page: &SitePage) -> String {
    format!("{}{OWN}{SCHEMA}/{}/{}", frame.base, frame.variant, page.id)
}

/// The page of a schema. `address` is `{variant}/{page}/{block}`.
pub(crate) async fn reply(
    server: &SiteServer,
    asked: &Asked,
    visiting: &mut Visiting<'_>,
    address: &str,
) -> Result<Reply, SiteError> {
    let Some((mut shown, query)) = find(asked, visiting, address).await? else { return Ok(NOTHING) };
    Rewriting::of(server, visiting).iter().for_each(|rewriting| rewriting.frame(&mut shown.read.frame));
    let (html, article) = drawn(server, &shown, &query);
    Ok(Reply::Body(html_body(server, visiting, &html, Some(&article), false).encode(asked.encoding)))
}

/// What is behind [`SCHEMA`] in a path on the site; `None` for other paths.
pub(crate) fn address(path: &str) -> Option<&str> {
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    path.strip_prefix(OWN)?.strip_prefix(SCHEMA)?.strip_prefix('/')
}

/// The schema at an address, if the visitor sees it.
pub(crate) async fn find(
    asked: &Asked,
    visiting: &mut Visiting<'_>,
    address: &str,
) -> Result<Option<(SchemaPage, SchemaQuery)>, SiteError> {
    let Some(query) = query_of(asked, address) else { return Ok(None) };
    Ok(visiting.schema(&query).await?.map(|shown| (shown, query)))
}

/// The page of a schema, drawn.
pub(crate) fn drawn(server: &SiteServer, shown: &SchemaPage, query: &SchemaQuery) -> (Html, Article) {
    let (frame, page) = (&shown.read.frame, &shown.read.page);
    let (texts, schemas) = (texts(frame), pages_of(frame, page));
    let drawing = Drawing { schemas: Some(&schemas), ..drawing(server, frame, &texts, (&page.references, &page.href)) };
    let article = schema::article(&shown.row, &query.block, query.direction, &drawing);
    (frame::page(frame, page, &article, &texts, &server.settings.fonts), article)
}

/// What an address asks for; `None` if it asks for nothing that there can be.
fn query_of(asked: &Asked, address: &str) -> Option<SchemaQuery> {
    let mut parts = address.split('/');
    let (variant, page, block) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.to_owned());
    let direction = match asked.parameter(TO) {
        Some(name) => Some(schema::direction(&name)?),
        None => None,
    };
    let skip = match asked.parameter(SKIP) {
        Some(number) => number.parse().ok()?,
        None => 0,
    };
    let query = SchemaQuery { variant, page, block, pointer: asked.parameter(AT)?, direction, skip };
    parts.next().is_none().then_some(query)
}
