//! Pages of single schemas: what the blocks of OpenAPI specs have no room for.
use crate::error::SiteError;
use crate::external::Rewriting;
use crate::handler::{NOTHING, Reply};
use crate::pages::{OWN, drawing, html_body, texts};
use crate::request::Asked;
use crate::site::SiteServer;
use domain::site::reader::{SiteFrame, SitePage};
use domain::usecases::sites::reader::{SchemaPage, SchemaQuery, Visiting};
use site_html::article::Drawing;
use site_html::frame;
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
    let Some(query) = query_of(asked, address) else { return Ok(NOTHING) };
    let Some(SchemaPage { mut read, row }) = visiting.schema(&query).await? else { return Ok(NOTHING) };
    Rewriting::of(server, visiting).iter().for_each(|rewriting| rewriting.frame(&mut read.frame));
    let (frame, page) = (&read.frame, &read.page);
    let (texts, schemas) = (texts(frame), pages_of(frame, page));
    let drawing = Drawing { schemas: Some(&schemas), ..drawing(server, frame, &texts, (&page.references, &page.href)) };
    let article = schema::article(&row, &query.block, query.direction, &drawing);
    let html = frame::page(frame, page, &article, &texts);
    Ok(Reply::Body(html_body(server, visiting, &html, Some(&article), false).encode(asked.encoding)))
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
