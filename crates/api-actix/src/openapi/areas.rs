//! The tags of the OpenAPI document, in the order in which a new reader needs them.
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::tag::{Tag, TagBuilder};

/// Each tag with its description. An operation has exactly one tag.
const AREAS: &[(&str, &str)] = &[
    ("system", "Information about the server."),
    ("users", "Accounts of the caller and of members of the caller's organizations."),
    ("tokens", "The caller's API tokens. A token is shown only once, when it is created."),
    ("organizations", "Organizations, their settings and agent instructions, and joining by verified email domain."),
    ("members", "Members of an organization, their roles and teams, and the spaces that they can read."),
    ("teams", "Groups of members that roles can be granted to."),
    ("invites", "Adding users by email address, and by invite links."),
    (
        "collections",
        "Folders of spaces and other collections. Access to a collection applies to everything in it, unless it has its own.",
    ),
    ("spaces", "Spaces contain pages. Create, update, move, duplicate, transfer, delete and restore them."),
    ("sites", "Docs sites: spaces that are published together under one address. Create, update and publish them."),
    ("site-structure", "What is on a site: its spaces, sections, groups of sections, and links."),
    ("site-audiences", "Who may see a site: share links, tokens of visitors, and the claims that conditions use."),
    ("site-customization", "How a site looks and behaves for its visitors, and the overrides of a space on it."),
    ("site-feedback", "Ratings and comments of visitors on the pages of a site."),
    ("urls", "Resolve addresses: of published content, of objects, and host names of organizations."),
    ("permissions", "Roles of users and teams in a space, a collection or a site."),
    ("search", "Full-text search for pages in a space or an organization, with prefixes and tolerance for typos."),
    ("content", "The primary content of a space: pages by id or path, files, reusable content and documents."),
    ("links", "Links in pages, broken links, and backlinks."),
    ("revisions", "The content of a space at any revision, and the changes of a revision."),
    (
        "change-requests",
        "Proposed changes to a space. Create, update, compare and merge them, and resolve their conflicts.",
    ),
    ("change-request-content", "The content of a change request: read it like the content of a space, and edit it."),
    ("reviews", "Reviews of change requests, review requests and contributors."),
    ("comments", "Discussions on spaces and change requests: comments on pages and blocks, replies and reactions."),
    ("notifications", "Notifications of the caller about discussions, reviews and webhooks, and their settings."),
    (
        "openapi",
        "OpenAPI specs: descriptions of APIs, read from an address or a text, with their versions and findings.",
    ),
    (
        "conversations",
        "Store conversations with customers, and find the issues that customers have, grouped into clusters.",
    ),
    (
        "translations",
        "Spaces that are kept in another language, in step with their source, and the terms of a glossary.",
    ),
    ("audit", "The audit log of an organization, including denied operations."),
    (
        "webhooks",
        "Addresses that receive a signed request for each event of an organization, and the deliveries to them.",
    ),
];

/// The description of the API.
pub(super) const INTRODUCTION: &str = "\
The API for all content and settings of Octavo.

- **Token**: every operation requires one, `Authorization: Bearer octavo_…`. Create it with `octavo token create`; to \
try an operation of the reference (`/docs`), enter it there.
- **Lists** are paginated: `limit` is 0 to 1000, and `page` is the `next.page` of the previous response.
- **Errors** are `{\"error\": {\"code\": 404, \"message\": \"space not found\"}}`. An object \
that the caller may not see is reported as not found.
- **Retries**: a `POST` with an `Idempotency-Key` is executed only once, however often it is sent.
- **Conditional requests**: responses have an `ETag`. `If-None-Match` avoids sending an unchanged body again, and \
`If-Match` makes a change only if the object has not changed since it was read.
- **Rate limits**: `X-RateLimit-Remaining` is the number of requests left. A 429 response gives the time to wait in \
`Retry-After`.";

/// The key of a tag's title, which tools for OpenAPI documents know.
const TITLE: &str = "x-displayName";

pub(super) fn tags() -> Vec<Tag> {
    let tag = |(name, about): &(&str, &str)| {
        let title = Extensions::from_iter([(TITLE, title(name))]);
        TagBuilder::new().name(*name).description(Some(*about)).extensions(Some(title)).build()
    };
    AREAS.iter().map(tag).collect()
}

/// The title of a tag for readers: its name as words, unless they are names themselves.
fn title(name: &str) -> String {
    match name {
        "audit" => return "Audit log".to_owned(),
        "openapi" => return "OpenAPI specs".to_owned(),
        "urls" => return "URLs".to_owned(),
        _ => {}
    }
    let words = name.replace('-', " ");
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_a_tag_is_its_name_as_words() {
        let titles = ["change-request-content", "urls"].map(title);
        assert_eq!(titles, ["Change request content", "URLs"]);
        let json = serde_json::to_value(&tags()[0]).unwrap();
        assert_eq!(json["x-displayName"], "System");
    }
}
