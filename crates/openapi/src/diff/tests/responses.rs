//! The rules of responses.
use super::{between, callback, ids, operation, webhook};
use rstest::rstest;

/// Of responses: forth and back, in an operation and in a webhook.
#[rstest]
#[case::a_header("", "headers: {X: {}}", "*header-added", "*header-removed", "fine risky fine risky")]
#[case::a_required_header(
    "",
    "headers: {X: {required: true}}",
    "*required-header-added",
    "*required-header-removed",
    "fine breaking breaking risky"
)]
#[case::a_header_that_becomes_required(
    "headers: {X: {}}",
    "headers: {X: {required: true}}",
    "*header-now-required",
    "*header-now-optional",
    "fine breaking breaking fine"
)]
#[case::the_style_of_a_header(
    "headers: {X: {}}",
    "headers: {X: {explode: true}}",
    "*header-style-changed",
    "*header-style-changed",
    "breaking breaking breaking breaking"
)]
#[case::the_schema_of_a_header(
    "headers: {X: {schema: {}}}",
    "headers: {X: {schema: {type: string}}}",
    "*type-narrowed",
    "*type-widened",
    "fine breaking breaking fine"
)]
#[case::a_media_type(
    "content: {a/b: {}}",
    "content: {a/b: {}, c/d: {}}",
    "*media-type-added",
    "*media-type-removed",
    "fine breaking fine breaking"
)]
#[case::a_schema(
    "content: {a/b: {schema: {}}}",
    "content: {a/b: {schema: {type: string}}}",
    "*type-narrowed",
    "*type-widened",
    "fine breaking breaking fine"
)]
#[case::a_description(
    "description: a",
    "description: b",
    "description-changed",
    "description-changed",
    "words words words words"
)]
fn a_change_of_a_response(
    #[case] old: &str,
    #[case] new: &str,
    #[case] forth: &str,
    #[case] back: &str,
    #[case] levels: &str,
) {
    let levels: Vec<&str> = levels.split(' ').collect();
    let expected = |level: &str, id: &str, way: &str| [format!("{level} {}", id.replace('*', way))];
    let found = |form: fn(&str) -> String, old: &str, new: &str| {
        let [old, new] = [old, new].map(|fields| form(&format!("responses: {{\"200\": {{{fields}}}}}")));
        ids(&between(&old, &new))
    };
    assert_eq!(found(operation, old, new), expected(levels[0], forth, "response-"));
    assert_eq!(found(operation, new, old), expected(levels[1], back, "response-"));
    for form in [webhook, callback] {
        assert_eq!(found(form, old, new), expected(levels[2], forth, "request-"));
        assert_eq!(found(form, new, old), expected(levels[3], back, "request-"));
    }
}
