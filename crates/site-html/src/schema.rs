//! The page of one schema of an OpenAPI block, with the parts that the block omits.
use crate::article::{Article, RenderContext};
use crate::blocks::Blocks;
use domain::openapi::direction::Direction;
use domain::openapi::view::SchemaRow;
use url::form_urlencoded;

/// The prefix of the addresses of these pages, below `~/`.
pub const SCHEMA: &str = "schema";
/// The parameter with the JSON Pointer of the schema.
pub const AT: &str = "at";
/// The parameter with the direction of the schema: `request` or `response`.
pub const TO: &str = "to";
/// The parameter with the number of rows that are left out at the start.
pub const SKIP: &str = "skip";

/// The name of a direction in an address.
fn name(direction: Direction) -> &'static str {
    match direction {
        Direction::Request => "request",
        Direction::Response => "response",
    }
}

/// The direction with this name.
pub fn direction(wanted: &str) -> Option<Direction> {
    [Direction::Request, Direction::Response].into_iter().find(|one| name(*one) == wanted)
}

/// The address of the page of a schema. `schemas` is the path on the server of the pages of the block.
pub(crate) fn address(schemas: &str, pointer: &str, direction: Option<Direction>, skip: usize) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair(AT, pointer);
    if let Some(direction) = direction {
        query.append_pair(TO, name(direction));
    }
    if skip > 0 {
        query.append_pair(SKIP, &skip.to_string());
    }
    format!("{schemas}?{}", query.finish())
}

/// Renders a schema of the block with this name ([`OpenapiKey::name`](domain::site::reader::OpenapiKey::name)).
pub fn article(row: &SchemaRow, block: &str, direction: Option<Direction>, context: &RenderContext<'_>) -> Article {
    let mut blocks = Blocks::new(context, &[], "");
    let html = crate::blocks::schema(&mut blocks, row, block, direction).into_string();
    Article { html, css: blocks.css, images: Vec::from_iter(blocks.images), ..Article::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(None, 0, "/s/docs/~/schema/v/p/b?at=%2Fcomponents%2Fschemas%2FPet")]
    #[case(Some(Direction::Request), 3, "/s/docs/~/schema/v/p/b?at=%2Fcomponents%2Fschemas%2FPet&to=request&skip=3")]
    #[case(Some(Direction::Response), 0, "/s/docs/~/schema/v/p/b?at=%2Fcomponents%2Fschemas%2FPet&to=response")]
    fn an_address_names_the_schema(#[case] to: Option<Direction>, #[case] skip: usize, #[case] expected: &str) {
        assert_eq!(address("/s/docs/~/schema/v/p/b", "/components/schemas/Pet", to, skip), expected);
        assert_eq!(to.map(name).and_then(direction), to);
    }
}
