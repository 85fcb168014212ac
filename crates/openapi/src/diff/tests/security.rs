//! The rules of security schemes.
use super::{between, ids};
use rstest::rstest;

#[rstest]
#[case::another_kind("{type: http, scheme: basic}", "{type: http, scheme: bearer}", "breaking security-scheme-changed")]
#[case::another_header(
    "{type: apiKey, in: header, name: A}",
    "{type: apiKey, in: header, name: B}",
    "breaking security-scheme-changed"
)]
#[case::a_flow_less(
    "{flows: {implicit: {}, password: {}}}",
    "{flows: {implicit: {}}}",
    "breaking security-flow-removed"
)]
#[case::a_flow_more("{flows: {implicit: {}}}", "{flows: {implicit: {}, password: {}}}", "fine security-flow-added")]
#[case::another_address(
    "{flows: {implicit: {authorizationUrl: a}}}",
    "{flows: {implicit: {authorizationUrl: b}}}",
    "risky security-address-changed"
)]
#[case::another_discovery("{openIdConnectUrl: a}", "{openIdConnectUrl: b}", "risky security-address-changed")]
#[case::a_description("{description: a}", "{description: b}", "words description-changed")]
#[case::deprecated("{type: http}", "{type: http, deprecated: true}", "fine deprecated")]
fn a_change_of_a_security_scheme_concerns_the_operations_that_need_it(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    let document = |scheme: &str| {
        format!(
            "security: [{{s: []}}]\npaths: {{/a: {{get: {{}}, put: {{security: []}}}}, /b: {{get: {{security: [{{s: []}}]}}}}}}\n\
             components: {{securitySchemes: {{s: {scheme}}}}}"
        )
    };
    let found = between(&document(old), &document(new));
    assert_eq!(ids(&found), [expected]);
    let paths: Vec<String> = found.changes[0]
        .operations
        .iter()
        .map(|operation| format!("{} {}", operation.method, operation.path))
        .collect();
    assert_eq!(paths, ["get /a", "get /b"]);
}
