//! The areas of the API, in the order in which somebody new to it meets them.
use utoipa::openapi::tag::{Tag, TagBuilder};

/// Each area with what it is about. Operations name their area as their only tag.
const AREAS: &[(&str, &str)] = &[
    ("system", "What answers."),
    ("users", "Accounts: the caller's own, and those of people who share an organization with the caller."),
    ("tokens", "The caller's tokens. A token is shown once, when it is made."),
    ("organizations", "Organizations and their settings, and how people join them by the domain of their address."),
    ("members", "Who belongs to an organization, with which role, in which teams, and which spaces that opens."),
    ("teams", "Groups of members, to which access is given together."),
    ("invites", "Letting people in: by address, and by links."),
    ("collections", "Folders of spaces and of other collections. What they say of access holds for what is in them."),
    ("spaces", "What holds pages: made, changed, moved, copied, handed over, deleted and restored."),
    ("permissions", "Who gets into a space or a collection, by name or as a team, and how far."),
    ("search", "Pages by words, prefixes, and with a typo, in a space or in an organization."),
    ("content", "What is published in a space now: pages by id or path, files, reusable texts, documents."),
    ("links", "Where pages link to, what links to them, and what is broken."),
    ("revisions", "What a space held at any moment, and what changed then."),
    ("change-requests", "Proposals: written aside, brought up to date, and merged when they are good."),
    ("change-request-content", "What a change request holds, read and edited like the content of a space."),
    ("reviews", "What people say of a change request before it is merged."),
    ("audit", "What happened in an organization, and what was denied."),
];

/// What every caller needs to know once.
pub(super) const INTRODUCTION: &str = "\
Everything that the product holds can be read and written here.

- **Token**: every operation takes one, `Authorization: Bearer octavo_…`. `octavo token create` makes it; put it in by \
*Authorize* to try operations from this page.
- **Lists** come in pages: `limit` from 1 to 1000, and `page` is what `next.page` of the page before said.
- **Errors** are `{\"error\": {\"code\": 404, \"message\": \"space not found\"}}`. What may not be seen is answered like \
what is not there.
- **Sending again**: with an `Idempotency-Key` a `POST` is done once, however often it is sent.
- **Asking again**: answers carry an `ETag`; `If-None-Match` spares the body, `If-Match` refuses to change what has \
changed meanwhile.
- **In a hurry**: `X-RateLimit-Remaining` tells how many requests are left, and 429 says in `Retry-After` when to come back.";

/// The areas, for the document.
pub(super) fn tags() -> Vec<Tag> {
    let tag = |(name, about): &(&str, &str)| TagBuilder::new().name(*name).description(Some(*about)).build();
    AREAS.iter().map(tag).collect()
}
