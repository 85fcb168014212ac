//! The rules of responses.
use super::operation_forth_and_back;
use rstest::rstest;

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
    let [old, new] = [old, new].map(|fields| format!("responses: {{\"200\": {{{fields}}}}}"));
    operation_forth_and_back([&old, &new], [forth, back], levels, ["response-", "request-"]);
}
