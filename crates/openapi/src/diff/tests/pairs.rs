//! Rules whose changes are compared forth and back here. Those of parameters, headers, bodies and schemas are in the
//! files of their own, where every case goes both ways, too.
use super::{between, ids, request, response};
use rstest::rstest;

/// A document whose operation needs this security scheme.
fn secured(scheme: &str) -> String {
    format!("security: [{{s: []}}]\npaths: {{/a: {{get: {{}}}}}}\ncomponents: {{securitySchemes: {{s: {scheme}}}}}")
}

#[rstest]
#[case::an_operation("paths: {}", "paths: {/a: {get: {}}}", "fine operation-added", "breaking operation-removed")]
#[case::another_path(
    "paths: {/b: {post: {operationId: a}}}",
    "paths: {/a: {get: {operationId: a}}}",
    "breaking operation-moved",
    "breaking operation-moved"
)]
#[case::a_server(
    "servers: [{url: a}]\npaths: {/a: {get: {}}}",
    "servers: [{url: a}, {url: b}]\npaths: {/a: {get: {}}}",
    "fine server-added",
    "risky server-removed"
)]
#[case::a_variable_of_a_server(
    "servers: [{url: \"{v}\", variables: {v: {default: a}}}]\npaths: {/a: {get: {}}}",
    "servers: [{url: \"{v}\", variables: {v: {default: b}}}]\npaths: {/a: {get: {}}}",
    "risky server-variables-changed",
    "risky server-variables-changed"
)]
#[case::a_security_scheme(
    &secured("{type: http, scheme: basic}"),
    &secured("{type: http, scheme: bearer}"),
    "breaking security-scheme-changed",
    "breaking security-scheme-changed"
)]
#[case::a_flow(
    &secured("{flows: {implicit: {}}}"),
    &secured("{flows: {implicit: {}, password: {}}}"),
    "fine security-flow-added",
    "breaking security-flow-removed"
)]
#[case::an_address_of_a_flow(
    &secured("{flows: {implicit: {authorizationUrl: a}}}"),
    &secured("{flows: {implicit: {authorizationUrl: b}}}"),
    "risky security-address-changed",
    "risky security-address-changed"
)]
#[case::a_schema(
    "paths: {}\ncomponents: {schemas: {A: {}}}",
    "paths: {}\ncomponents: {schemas: {A: {}, B: {}}}",
    "fine schema-added",
    "fine schema-removed"
)]
#[case::a_field_of_a_closed_object_in_a_request(
    &request("{properties: {b: {}}, additionalProperties: false}"),
    &request("{properties: {}, additionalProperties: false}"),
    "breaking request-field-forbidden",
    "fine request-field-added"
)]
#[case::a_field_of_a_closed_object_in_a_response(
    &response("{properties: {b: {}}, additionalProperties: false}"),
    &response("{properties: {}, additionalProperties: false}"),
    "risky response-field-removed",
    "fine response-field-added"
)]
#[case::the_title(
    "info: {title: a}\npaths: {}",
    "info: {title: b}\npaths: {}",
    "words info-changed",
    "words info-changed"
)]
fn a_change_is_turned_round(#[case] old: &str, #[case] new: &str, #[case] forth: &str, #[case] back: &str) {
    assert_eq!(ids(&between(old, new)), [forth]);
    assert_eq!(ids(&between(new, old)), [back]);
}
