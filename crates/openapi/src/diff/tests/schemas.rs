//! Schemas: edits that are no change, the rules of each direction, and the texts of changes.
use super::{between, ids, lines, request, response};
use rstest::rstest;

/// Forth and back there is no change.
#[rstest]
#[case::types_in_another_order("{type: [string, integer]}", "{type: [integer, string]}")]
#[case::a_type_in_a_list("{type: [string]}", "{type: string}")]
#[case::number_has_integer("{type: [number, integer]}", "{type: number}")]
#[case::values_in_another_order("{enum: [a, 1, null]}", "{enum: [null, 1, a]}")]
#[case::a_constant_as_an_enum("{enum: [a]}", "{const: a}")]
#[case::a_constant_beside_an_enum("{enum: [a, b], const: a}", "{const: a}")]
#[case::a_constant_in_another_form("{enum: [1.0, 2], const: 1}", "{const: 1}")]
#[case::null_that_is_no_value("{type: [string, \"null\"], enum: [a]}", "{type: string, enum: [a]}")]
#[case::multiples_of_parts("{allOf: [{multipleOf: 4}, {multipleOf: 6}]}", "{multipleOf: 12}")]
#[case::decimal_multiples_of_parts("{allOf: [{multipleOf: 0.1}, {multipleOf: 0.25}]}", "{multipleOf: 0.50}")]
#[case::the_type_of_all_values("{enum: [a, b]}", "{type: string, enum: [a, b]}")]
#[case::numbers_in_another_form("{maximum: 10, enum: [1]}", "{maximum: 1e1, enum: [1.0]}")]
#[case::an_exclusive_bound_of_integers("{type: integer, exclusiveMinimum: 0}", "{type: integer, minimum: 1}")]
#[case::a_length_that_holds_anyway("{type: string, minLength: 0}", "{type: string}")]
#[case::items_that_can_be_there_twice("{type: array, uniqueItems: false}", "{type: array}")]
#[case::required_in_another_order("{required: [a, b]}", "{required: [b, a]}")]
#[case::no_required("{required: []}", "{}")]
#[case::other_fields("{additionalProperties: true}", "{additionalProperties: {}}")]
#[case::choices_in_another_order(
    "{oneOf: [{type: string}, {type: integer}]}",
    "{oneOf: [{type: integer}, {type: string}]}"
)]
#[case::null_as_a_type("{type: [string, \"null\"]}", "{anyOf: [{type: string}, {type: \"null\"}]}")]
#[case::a_schema_that_moves_to_a_component(
    "{type: object, required: [a], properties: {a: {type: string}, b: {type: integer}}}",
    "{$ref: \"#/components/schemas/A\"}"
)]
#[case::a_base_that_is_written_out(
    "{allOf: [{$ref: \"#/components/schemas/B\"}, {properties: {z: {}}}]}",
    "{type: object, required: [c], properties: {c: {type: boolean}, z: {}}}"
)]
#[case::parts_in_another_order(
    "{allOf: [{$ref: \"#/components/schemas/A\"}, {$ref: \"#/components/schemas/B\"}]}",
    "{allOf: [{$ref: \"#/components/schemas/B\"}, {$ref: \"#/components/schemas/A\"}]}"
)]
#[case::a_single_part("{allOf: [{$ref: \"#/components/schemas/B\"}]}", "{$ref: \"#/components/schemas/B\"}")]
#[case::a_single_choice("{oneOf: [{$ref: \"#/components/schemas/B\"}]}", "{$ref: \"#/components/schemas/B\"}")]
#[case::an_extension("{x-a: 1}", "{x-a: 2}")]
fn equivalent_schemas_are_no_change(#[case] old: &str, #[case] new: &str) {
    for (old, new) in [(old, new), (new, old)] {
        assert_eq!(lines(&between(&request(old), &request(new))), [""; 0]);
        assert_eq!(lines(&between(&response(old), &response(new))), [""; 0]);
    }
}

/// Rules for the other direction do not count.
#[rstest]
#[case::a_read_only_field("{properties: {b: {readOnly: true}}}", "{properties: {}}", &[], &["risky response-field-removed"])]
#[case::a_write_only_field("{properties: {b: {writeOnly: true}}}", "{properties: {}}", &["risky request-field-removed"], &[])]
#[case::a_required_read_only_field("{properties: {b: {readOnly: true}}}", "{required: [b], properties: {b: {readOnly: true}}}", &[], &["fine response-field-now-required"])]
#[case::a_reference_to_what_is_read_only("{properties: {}}", "{required: [b], properties: {b: {$ref: \"#/components/schemas/Read\"}}}", &[], &["fine response-required-field-added"])]
#[case::a_described_reference_to_what_is_read_only("{properties: {}}", "{required: [b], properties: {b: {$ref: \"#/components/schemas/Read\", description: d}}}", &[], &["fine response-required-field-added"])]
#[case::a_part_that_is_write_only("{required: [b], properties: {b: {allOf: [{$ref: \"#/components/schemas/Write\"}], title: t}}}", "{properties: {}}", &["risky request-required-field-removed"], &[])]
#[case::a_field_that_becomes_read_only("{properties: {b: {}}}", "{properties: {b: {readOnly: true}}}", &["risky request-field-removed"], &[])]
#[case::a_field_that_becomes_write_only("{required: [b], properties: {b: {}}}", "{required: [b], properties: {b: {writeOnly: true}}}", &[], &["breaking response-required-field-removed"])]
fn fields_of_the_other_direction_do_not_count(
    #[case] old: &str,
    #[case] new: &str,
    #[case] in_requests: &[&str],
    #[case] in_responses: &[&str],
) {
    assert_eq!(ids(&between(&request(old), &request(new))), in_requests);
    assert_eq!(ids(&between(&response(old), &response(new))), in_responses);
}

#[rstest]
#[case::of_a_closed_object(
    "{properties: {b: {}}, additionalProperties: false}",
    "{properties: {}, additionalProperties: false}",
    "breaking request-field-forbidden",
    "risky response-field-removed"
)]
#[case::that_was_deprecated(
    "{properties: {b: {deprecated: true}}}",
    "{properties: {}}",
    "announced request-field-removed",
    "announced response-field-removed"
)]
#[case::with_a_sunset_that_is_over(
    "{properties: {b: {deprecated: true, x-sunset: \"2026-06-15\"}}}",
    "{properties: {}}",
    "announced request-field-removed",
    "announced response-field-removed"
)]
#[case::with_a_sunset_to_come(
    "{properties: {b: {deprecated: true, x-sunset: \"2026-06-16T00:00:00Z\"}}}",
    "{properties: {}}",
    "risky request-field-removed",
    "risky response-field-removed"
)]
#[case::with_two_sunsets_of_which_the_one_for_readers_is_over(
    "{properties: {b: {deprecated: true, x-deprecated-sunset: \"2026-06-15\", x-sunset: \"2026-06-16\"}}}",
    "{properties: {}}",
    "announced request-field-removed",
    "announced response-field-removed"
)]
#[case::with_two_sunsets_of_which_the_one_for_readers_is_to_come(
    "{properties: {b: {deprecated: true, x-deprecated-sunset: \"2026-06-16\", x-sunset: \"2026-06-15\"}}}",
    "{properties: {}}",
    "risky request-field-removed",
    "risky response-field-removed"
)]
#[case::with_a_sunset_that_is_no_date(
    "{properties: {b: {deprecated: true, x-deprecated-sunset: soon}}}",
    "{properties: {}}",
    "risky request-field-removed",
    "risky response-field-removed"
)]
fn a_field_is_removed(#[case] old: &str, #[case] new: &str, #[case] in_request: &str, #[case] in_response: &str) {
    assert_eq!(ids(&between(&request(old), &request(new))), [in_request]);
    assert_eq!(ids(&between(&response(old), &response(new))), [in_response]);
}

#[rstest]
#[case::description(
    "{description: a}",
    "{description: b}",
    "words description-changed: the request body (application/json) has another description"
)]
#[case::title(
    "{properties: {a: {}}}",
    "{properties: {a: {title: b}}}",
    "words description-changed: field \"a\" of the request body (application/json) has another description"
)]
#[case::examples(
    "{examples: [1]}",
    "{examples: [2]}",
    "words example-changed: the request body (application/json) has other examples"
)]
#[case::deprecated(
    "{properties: {a: {}}}",
    "{properties: {a: {deprecated: true, x-sunset: \"2030-01-01\"}}}",
    "fine deprecated: field \"a\" of the request body (application/json) is deprecated until 2030-01-01"
)]
#[case::deprecated_with_two_sunsets(
    "{properties: {a: {}}}",
    "{properties: {a: {deprecated: true, x-sunset: \"2030-01-01\", x-deprecated-sunset: \"2031-01-01\"}}}",
    "fine deprecated: field \"a\" of the request body (application/json) is deprecated until 2031-01-01"
)]
#[case::no_longer_deprecated(
    "{properties: {a: {deprecated: true}}}",
    "{properties: {a: {deprecated: false}}}",
    "fine deprecation-removed: field \"a\" of the request body (application/json) is no longer deprecated"
)]
#[case::items(
    "{type: array, items: {type: string}}",
    "{type: array, items: {type: integer}}",
    "breaking request-type-changed: an item of the request body (application/json) has type integer instead of string"
)]
#[case::fields_of_items(
    "{items: {properties: {a: {maxLength: 1}}}}",
    "{items: {properties: {a: {}}}}",
    "fine request-length-widened: field \"[].a\" of the request body (application/json) has maxLength none instead of 1"
)]
#[case::other_fields(
    "{additionalProperties: {maxLength: 1}}",
    "{additionalProperties: {maxLength: 2}}",
    "fine request-length-widened: any other field of the request body (application/json) has maxLength 2 instead of 1"
)]
#[case::values(
    "{enum: [a]}",
    "{enum: [a, b, \"c\\nd\", 1.50, [], {}]}",
    "fine request-enum-value-added: the request body (application/json) can be \"b\" or \"c d\" or 1.50 or a list or an object"
)]
#[case::choices(
    "{anyOf: [{title: A, type: object}, {title: B, maxLength: 1}]}",
    "{anyOf: [{title: A, type: object}, {title: B, maxLength: 2}]}",
    "fine request-length-widened: choice \"B\" of the request body (application/json) has maxLength 2 instead of 1"
)]
#[case::multiples(
    "{allOf: [{multipleOf: 4}, {multipleOf: 6}]}",
    "{multipleOf: 18}",
    "breaking request-bound-changed: the request body (application/json) must be a multiple of 18 instead of 12"
)]
#[case::bounds(
    "{type: number, minimum: 1}",
    "{type: number, exclusiveMinimum: 2}",
    "breaking request-bound-narrowed: the request body (application/json) must be greater than 2 instead of greater than or equal to 1"
)]
fn a_change_reads(#[case] old: &str, #[case] new: &str, #[case] text: &str) {
    let found = lines(&between(&request(old), &request(new)));
    assert!(found.contains(&text.to_owned()), "{found:#?}");
}

#[test]
fn schemas_without_a_common_type_are_not_compared_further() {
    let (old, new) = ("{type: object, properties: {a: {}, b: {}}}", "{type: string, maxLength: 3, enum: [a]}");
    assert_eq!(ids(&between(&request(old), &request(new))), ["breaking request-type-changed"]);
}

#[test]
fn a_schema_that_becomes_choices_keeps_what_a_response_promised_in_each() {
    let old = "{type: object, required: [a], properties: {a: {type: string}}}";
    let choices = |second: &str| {
        format!(
            "{{oneOf: [{{title: X, required: [a], type: object, properties: {{a: {{type: string}}, b: {{}}}}}}, {{title: Y, type: object, {second}}}]}}"
        )
    };
    let kept = choices("required: [a, z], properties: {a: {type: string}, z: {}}");
    let found = between(&response(old), &response(&kept));
    assert_eq!(found.counts.breaking, 0, "{:#?}", lines(&found));
    let broken = choices("properties: {a: {type: string}}");
    let found = between(&response(old), &response(&broken));
    let text = "breaking response-field-now-optional: \
        field \"(Y).a\" of the response 200 (application/json) is no longer required";
    assert!(lines(&found).contains(&text.to_owned()), "{:#?}", lines(&found));
}
