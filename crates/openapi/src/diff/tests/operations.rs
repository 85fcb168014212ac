//! Operations and what they consist of, besides schemas.
use super::{between, lines, operation_forth_and_back};
use crate::diff::ChangedOperation;
use rstest::rstest;

#[rstest]
#[case::a_parameter(
    "",
    "parameters: [{in: query, name: q}]",
    "*parameter-added",
    "*parameter-removed",
    "fine risky fine risky"
)]
#[case::a_required_parameter(
    "",
    "parameters: [{in: query, name: q, required: true}]",
    "*required-parameter-added",
    "*required-parameter-removed",
    "breaking risky fine breaking"
)]
#[case::a_parameter_that_becomes_required(
    "parameters: [{in: cookie, name: q}]",
    "parameters: [{in: cookie, name: q, required: true}]",
    "*parameter-now-required",
    "*parameter-now-optional",
    "breaking fine fine breaking"
)]
#[case::the_style_of_a_parameter(
    "parameters: [{in: query, name: q}]",
    "parameters: [{in: query, name: q, style: spaceDelimited}]",
    "*parameter-style-changed",
    "*parameter-style-changed",
    "breaking breaking breaking breaking"
)]
#[case::the_media_type_of_a_parameter(
    "parameters: [{in: query, name: q, content: {a/b: {}}}]",
    "parameters: [{in: query, name: q, content: {a/c: {}}}]",
    "*parameter-style-changed",
    "*parameter-style-changed",
    "breaking breaking breaking breaking"
)]
#[case::the_schema_of_a_parameter(
    "parameters: [{in: query, name: q, schema: {}}]",
    "parameters: [{in: query, name: q, schema: {type: string}}]",
    "*type-narrowed",
    "*type-widened",
    "breaking fine fine breaking"
)]
#[case::the_schema_of_a_media_type_of_a_parameter(
    "parameters: [{in: query, name: q, content: {a/b: {schema: {}}}}]",
    "parameters: [{in: query, name: q, content: {a/b: {schema: {type: string}}}}]",
    "*type-narrowed",
    "*type-widened",
    "breaking fine fine breaking"
)]
#[case::a_body("", "requestBody: {content: {}}", "*body-added", "*body-removed", "fine risky fine risky")]
#[case::a_required_body(
    "",
    "requestBody: {required: true}",
    "*required-body-added",
    "*required-body-removed",
    "breaking risky fine breaking"
)]
#[case::a_body_that_becomes_required(
    "requestBody: {content: {}}",
    "requestBody: {required: true, content: {}}",
    "*body-now-required",
    "*body-now-optional",
    "breaking fine fine breaking"
)]
#[case::a_media_type(
    "requestBody: {content: {a/b: {}}}",
    "requestBody: {content: {a/b: {}, c/d: {}}}",
    "*media-type-added",
    "*media-type-removed",
    "fine breaking fine breaking"
)]
#[case::an_encoding(
    "requestBody: {content: {a/b: {encoding: {a: {contentType: a}}}}}",
    "requestBody: {content: {a/b: {encoding: {a: {contentType: b}}}}}",
    "*encoding-changed",
    "*encoding-changed",
    "risky risky risky risky"
)]
#[case::security("", "security: [{key: []}]", "*security-added", "*security-removed", "breaking fine fine breaking")]
#[case::another_alternative(
    "security: [{key: []}, {oauth: []}]",
    "security: [{key: []}]",
    "*security-added",
    "*security-removed",
    "breaking fine fine breaking"
)]
#[case::a_second_scheme(
    "security: [{key: []}]",
    "security: [{key: [], oauth: []}]",
    "*security-added",
    "*security-removed",
    "breaking fine fine breaking"
)]
#[case::security_that_was_optional(
    "security: [{key: []}, {}]",
    "security: [{key: []}]",
    "*security-added",
    "*security-removed",
    "breaking fine fine breaking"
)]
#[case::a_scope(
    "security: [{oauth: [a]}]",
    "security: [{oauth: [b, a]}]",
    "*scope-added",
    "*scope-removed",
    "breaking fine fine breaking"
)]
#[case::a_callback(
    "",
    "callbacks: {c: {\"{$url}\": {post: {}}}}",
    "callback-added",
    "callback-removed",
    "fine breaking fine breaking"
)]
#[case::an_operation_of_a_callback(
    "callbacks: {c: {}}",
    "callbacks: {c: {\"{$url}\": {post: {}}}}",
    "callback-added",
    "callback-removed",
    "fine breaking fine breaking"
)]
#[case::a_response(
    "responses: {\"200\": {}}",
    "responses: {\"200\": {}, \"201\": {}}",
    "status-added",
    "status-removed",
    "fine breaking fine breaking"
)]
#[case::a_link(
    "responses: {\"200\": {}}",
    "responses: {\"200\": {links: {l: {operationId: x}}}}",
    "link-added",
    "link-removed",
    "fine risky fine risky"
)]
#[case::deprecated("", "deprecated: true", "deprecated", "deprecation-removed", "fine fine fine fine")]
#[case::a_summary("summary: a", "summary: b", "description-changed", "description-changed", "words words words words")]
#[case::tags("tags: [a]", "tags: [a, b]", "tags-changed", "tags-changed", "words words words words")]
#[case::an_operation_id(
    "operationId: a",
    "operationId: b",
    "operation-id-changed",
    "operation-id-changed",
    "fine fine fine fine"
)]
#[case::the_description_of_a_parameter(
    "parameters: [{in: query, name: q}]",
    "parameters: [{in: query, name: q, description: a}]",
    "description-changed",
    "description-changed",
    "words words words words"
)]
#[case::the_example_of_a_media_type(
    "requestBody: {content: {a/b: {example: 1}}}",
    "requestBody: {content: {a/b: {}}}",
    "example-changed",
    "example-changed",
    "words words words words"
)]
fn a_change_of_an_operation(
    #[case] old: &str,
    #[case] new: &str,
    #[case] forth: &str,
    #[case] back: &str,
    #[case] levels: &str,
) {
    operation_forth_and_back([old, new], [forth, back], levels, ["request-", "response-"]);
}

#[rstest]
#[case::a_renamed_path_parameter(
    "paths: {\"/a/{id}/{b}\": {get: {parameters: [{in: path, name: id, required: true}]}}}",
    "paths: {\"/a/{key}/{b}\": {get: {parameters: [{in: path, name: key, required: true}]}}}"
)]
#[case::a_path_parameter_of_the_path(
    "paths: {\"/a/{id}\": {parameters: [{in: path, name: id, required: true}], get: {}}}",
    "paths: {\"/a/{key}\": {get: {parameters: [{in: path, name: key, required: true}]}}}"
)]
#[case::parameters_in_another_order(
    "paths: {/a: {get: {parameters: [{in: query, name: a}, {in: query, name: b}]}}}",
    "paths: {/a: {get: {parameters: [{in: query, name: b}, {in: query, name: a}]}}}"
)]
#[case::the_case_of_headers(
    "paths: {/a: {get: {parameters: [{in: header, name: X-A}], responses: {\"200\": {headers: {X-B: {}}}}}}}",
    "paths: {/a: {get: {parameters: [{in: header, name: x-a}], responses: {\"200\": {headers: {x-b: {}}}}}}}"
)]
#[case::a_style_that_holds_anyway(
    "paths: {/a: {get: {parameters: [{in: query, name: a, style: form, explode: true}]}}}",
    "paths: {/a: {get: {parameters: [{in: query, name: a}]}}}"
)]
#[case::whether_a_text_is_exploded(
    "paths: {/a: {get: {parameters: [{in: query, name: a, explode: false, schema: {type: string}}]}}}",
    "paths: {/a: {get: {parameters: [{in: query, name: a, schema: {type: string}}]}}}"
)]
#[case::whether_a_deep_object_is_exploded(
    "paths: {/a: {get: {parameters: [{in: query, name: a, style: deepObject, explode: true}]}}}",
    "paths: {/a: {get: {parameters: [{in: query, name: a, style: deepObject}]}}}"
)]
#[case::the_default_of_the_style_of_cookies(
    "paths: {/a: {get: {parameters: [{in: cookie, name: a, style: cookie, explode: true}]}}}",
    "paths: {/a: {get: {parameters: [{in: cookie, name: a, style: cookie}]}}}"
)]
#[case::the_form_of_a_media_type(
    "paths: {/a: {get: {requestBody: {content: {\"a/b; charset=utf-8\": {}}}}}}",
    "paths: {/a: {get: {requestBody: {content: {A/B: {}}}}}}"
)]
#[case::a_status_in_a_range(
    "paths: {/a: {get: {responses: {\"201\": {content: {a/b: {}}}, 2XX: {content: {a/b: {}}}}}}}",
    "paths: {/a: {get: {responses: {2XX: {content: {a/b: {}}}}}}}"
)]
#[case::a_path_item_that_is_a_reference(
    "paths: {/a: {get: {summary: s}}}",
    "paths: {/a: {$ref: \"#/components/pathItems/A\"}}\ncomponents: {pathItems: {A: {get: {summary: s}}}}"
)]
#[case::security_of_the_document(
    "security: [{key: []}]\npaths: {/a: {get: {}}}",
    "paths: {/a: {get: {security: [{key: []}]}}}"
)]
#[case::a_renamed_security_scheme(
    "security: [{key: []}]\npaths: {/a: {get: {}}}\ncomponents: {securitySchemes: {key: {type: http, scheme: basic}}}",
    "security: [{basic: []}]\npaths: {/a: {get: {}}}\ncomponents: {securitySchemes: {basic: {type: http, scheme: basic}}}"
)]
#[case::alternatives_in_another_order(
    "paths: {/a: {get: {security: [{a: []}, {b: [y, x]}]}}}",
    "paths: {/a: {get: {security: [{b: [x, y]}, {a: []}]}}}"
)]
#[case::servers_in_another_order(
    "servers: [{url: a}, {url: b}]\npaths: {/a: {get: {}}}",
    "servers: [{url: b}, {url: a}]\npaths: {/a: {get: {}}}"
)]
#[case::no_servers_of_its_own(
    "servers: [{url: a}]\npaths: {/a: {servers: [], get: {servers: []}}}",
    "servers: [{url: a}]\npaths: {/a: {get: {}}}"
)]
#[case::the_server_that_holds_anyway("servers: [{url: /}]\npaths: {/a: {get: {}}}", "paths: {/a: {get: {}}}")]
fn what_means_the_same_is_no_change(#[case] old: &str, #[case] new: &str) {
    assert_eq!(lines(&between(old, new)), [""; 0]);
    assert_eq!(lines(&between(new, old)), [""; 0]);
}

#[rstest]
#[case::added("paths: {}", "paths: {/a: {get: {}}}", "fine operation-added: the operation was added")]
#[case::removed("paths: {/a: {get: {}}}", "paths: {}", "breaking operation-removed: the operation was removed")]
#[case::removed_after_deprecation(
    "paths: {/a: {get: {deprecated: true}}}",
    "paths: {}",
    "announced operation-removed: the operation was removed"
)]
#[case::removed_before_its_sunset(
    "paths: {/a: {get: {deprecated: true, x-sunset: \"2027-01-01\"}}}",
    "paths: {}",
    "breaking operation-removed: the operation was removed"
)]
#[case::moved(
    "paths: {/b: {post: {operationId: a}}}",
    "paths: {/a: {get: {operationId: a}}}",
    "breaking operation-moved: the operation moved here from POST /b"
)]
#[case::in_additional_operations(
    "paths: {/a: {additionalOperations: {COPY: {}}}}",
    "paths: {/a: {}}",
    "breaking operation-removed: the operation was removed"
)]
#[case::a_path_described(
    "paths: {/a: {get: {}}}",
    "paths: {/a: {description: a, get: {}}}",
    "words description-changed: the path has another description"
)]
#[case::a_server(
    "servers: [{url: a}]\npaths: {/a: {get: {}}}",
    "servers: [{url: a}, {url: b}]\npaths: {/a: {get: {}}}",
    "fine server-added: server \"b\" was added"
)]
#[case::a_server_of_a_path(
    "paths: {/a: {servers: [{url: a}, {url: b}], get: {}}}",
    "paths: {/a: {servers: [{url: b}], get: {}}}",
    "risky server-removed: server \"a\" was removed"
)]
#[case::a_variable_of_a_server(
    "servers: [{url: \"{v}\", variables: {v: {default: a}}}]\npaths: {/a: {get: {}}}",
    "servers: [{url: \"{v}\", variables: {v: {default: b}}}]\npaths: {/a: {get: {}}}",
    "risky server-variables-changed: server \"{v}\" has other values for \"v\""
)]
#[case::a_removed_parameter_that_was_deprecated(
    "paths: {/a: {get: {parameters: [{in: query, name: a, deprecated: true}]}}}",
    "paths: {/a: {get: {}}}",
    "announced request-parameter-removed: query parameter \"a\" was removed"
)]
#[case::a_path_parameter_that_was_not_described(
    "paths: {\"/a/{b}\": {get: {}}}",
    "paths: {\"/a/{b}\": {get: {parameters: [{in: path, name: b, required: true}]}}}",
    "fine request-parameter-added: path parameter \"b\" was added"
)]
#[case::a_parameter_that_an_operation_overrides(
    "paths: {/a: {parameters: [{in: query, name: a, required: true}], get: {}}}",
    "paths: {/a: {parameters: [{in: query, name: a, required: true}], get: {parameters: [{in: query, name: a}]}}}",
    "fine request-parameter-now-optional: query parameter \"a\" is no longer required"
)]
#[case::a_header_of_a_named_response(
    "paths: {/a: {get: {responses: {\"200\": {$ref: \"#/components/responses/R\"}}}}}\ncomponents: {responses: {R: {headers: {X: {}}}}}",
    "paths: {/a: {get: {responses: {\"200\": {$ref: \"#/components/responses/R\"}}}}}\ncomponents: {responses: {R: {}}}",
    "risky response-header-removed: header \"X\" of the response \"R\" was removed"
)]
#[case::a_media_type(
    "paths: {/a: {get: {requestBody: {content: {a/b: {}}}}}}",
    "paths: {/a: {get: {requestBody: {content: {}}}}}",
    "breaking request-media-type-removed: the request body can no longer be \"a/b\""
)]
fn one_change_of_an_operation_reads(#[case] old: &str, #[case] new: &str, #[case] text: &str) {
    let found = between(old, new);
    assert_eq!(lines(&found), [text]);
    let operation = |method: &str| ChangedOperation {
        method: method.into(),
        path: found.changes[0].operations[0].path.clone(),
        webhook: None,
    };
    let method = if text.contains("additional") || old.contains("COPY") { "COPY" } else { "get" };
    assert_eq!(found.changes[0].operations, [operation(method)]);
}

#[test]
fn an_error_that_the_default_response_covers_is_not_removed() {
    let document = |statuses: &str| format!("paths: {{/a: {{get: {{responses: {{{statuses}}}}}}}}}");
    let error = "{content: {a/b: {schema: {type: string}}}}";
    let both = |status: &str| document(&format!("\"{status}\": {error}, default: {error}"));
    let one = document(&format!("default: {error}"));
    assert_eq!(lines(&between(&both("404"), &one)), [""; 0]);
    assert_eq!(lines(&between(&both("5XX"), &one)), [""; 0]);
    assert_eq!(lines(&between(&both("200"), &one)), ["breaking status-removed: response 200 was removed"]);
    let other = document("default: {content: {a/b: {schema: {type: integer}}}}");
    assert_eq!(
        lines(&between(&document(&format!("\"404\": {error}")), &other)),
        [
            "breaking response-type-changed: the response 404 (a/b) has type integer instead of string",
            "fine status-added: response default was added"
        ]
    );
}

#[test]
fn a_webhook_is_listed_by_its_name() {
    let found =
        between("webhooks: {a: {post: {}}, b: {post: {}}}", "webhooks: {a: {post: {summary: x}}, c: {post: {}}}");
    let names: Vec<_> =
        found.changes.iter().map(|change| (change.id.as_str(), change.operations[0].webhook.as_deref())).collect();
    assert_eq!(
        names,
        [("operation-removed", Some("b")), ("operation-added", Some("c")), ("description-changed", Some("a"))]
    );
    assert!(found.changes.iter().all(|change| change.operations[0].path.is_empty()));
}

#[test]
fn paths_with_one_form_are_matched_by_their_names_first() {
    let old = "paths: {\"/a/{b}\": {get: {summary: b}}, \"/a/{c}\": {get: {summary: c}}}";
    let new = "paths: {\"/a/{c}\": {get: {summary: c}}, \"/a/{d}\": {get: {summary: b}}}";
    assert_eq!(lines(&between(old, new)), [""; 0]);
}
