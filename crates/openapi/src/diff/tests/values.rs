//! The rules of schemas of single values: forth and back, in requests and in responses.
use super::forth_and_back;
use rstest::rstest;

#[rstest]
#[case::type_narrowed(
    "{type: [string, integer]}",
    "{type: string}",
    "type-narrowed",
    "type-widened",
    "breaking fine fine breaking"
)]
#[case::number_to_integer(
    "{type: number}",
    "{type: integer}",
    "type-narrowed",
    "type-widened",
    "breaking fine fine breaking"
)]
#[case::any_to_a_type("{}", "{type: string}", "type-narrowed", "type-widened", "breaking fine fine breaking")]
#[case::any_to_nothing("true", "false", "type-narrowed", "type-widened", "breaking fine fine breaking")]
#[case::another_type(
    "{type: string}",
    "{type: integer}",
    "type-changed",
    "type-changed",
    "breaking breaking breaking breaking"
)]
#[case::null(
    "{type: [string, \"null\"]}",
    "{type: string}",
    "null-removed",
    "null-added",
    "breaking fine fine breaking"
)]
#[case::null_as_a_choice(
    "{anyOf: [{$ref: \"#/components/schemas/A\"}, {type: \"null\"}]}",
    "{$ref: \"#/components/schemas/A\"}",
    "null-removed",
    "null-added",
    "breaking fine fine breaking"
)]
#[case::null_among_choices(
    "{oneOf: [{type: string}, {type: object}, {type: \"null\"}]}",
    "{oneOf: [{type: string}, {type: object}]}",
    "null-removed",
    "null-added",
    "breaking fine fine breaking"
)]
#[case::an_enum(
    "{type: string}",
    "{type: string, enum: [a, b]}",
    "enum-introduced",
    "enum-dropped",
    "breaking fine fine risky"
)]
#[case::a_value_of_an_enum(
    "{enum: [a, b, c]}",
    "{enum: [c, a]}",
    "enum-value-removed",
    "enum-value-added",
    "breaking fine fine risky"
)]
#[case::a_constant(
    "{enum: [a, b]}",
    "{const: a}",
    "enum-value-removed",
    "enum-value-added",
    "breaking fine fine risky"
)]
#[case::a_constant_beside_an_enum(
    "{enum: [a, b]}",
    "{enum: [a, b], const: a}",
    "enum-value-removed",
    "enum-value-added",
    "breaking fine fine risky"
)]
#[case::a_constant_that_the_enum_does_not_list(
    "{enum: [a], const: a}",
    "{enum: [b], const: a}",
    "type-narrowed",
    "type-widened",
    "breaking fine fine breaking"
)]
#[case::a_minimum(
    "{type: number}",
    "{type: number, minimum: 1}",
    "bound-narrowed",
    "bound-widened",
    "breaking fine fine risky"
)]
#[case::a_larger_minimum(
    "{type: number, minimum: 1}",
    "{type: number, minimum: 1.5}",
    "bound-narrowed",
    "bound-widened",
    "breaking fine fine risky"
)]
#[case::an_exclusive_minimum(
    "{type: number, minimum: 1}",
    "{type: number, exclusiveMinimum: 1}",
    "bound-narrowed",
    "bound-widened",
    "breaking fine fine risky"
)]
#[case::a_smaller_maximum(
    "{type: integer, maximum: 9}",
    "{type: integer, maximum: 8}",
    "bound-narrowed",
    "bound-widened",
    "breaking fine fine risky"
)]
#[case::a_multiple(
    "{type: integer}",
    "{type: integer, multipleOf: 3}",
    "bound-narrowed",
    "bound-widened",
    "breaking fine fine risky"
)]
#[case::a_larger_multiple(
    "{type: integer, multipleOf: 3}",
    "{type: integer, multipleOf: 6}",
    "bound-narrowed",
    "bound-widened",
    "breaking fine fine risky"
)]
#[case::a_larger_decimal_multiple(
    "{type: number, multipleOf: 0.01}",
    "{type: number, multipleOf: 0.1}",
    "bound-narrowed",
    "bound-widened",
    "breaking fine fine risky"
)]
#[case::another_multiple(
    "{type: integer, multipleOf: 2}",
    "{type: integer, multipleOf: 3}",
    "bound-changed",
    "bound-changed",
    "breaking breaking risky risky"
)]
#[case::a_multiple_of_another_part(
    "{allOf: [{multipleOf: 4}]}",
    "{allOf: [{multipleOf: 4}, {multipleOf: 6}]}",
    "bound-narrowed",
    "bound-widened",
    "breaking fine fine risky"
)]
#[case::multiples_of_parts_that_have_another_one_in_common(
    "{allOf: [{multipleOf: 0.2}, {multipleOf: 0.3}]}",
    "{multipleOf: 0.4}",
    "bound-changed",
    "bound-changed",
    "breaking breaking risky risky"
)]
#[case::a_multiple_beyond_a_float(
    "{multipleOf: 9007199254740993}",
    "{multipleOf: 9007199254740992}",
    "bound-changed",
    "bound-changed",
    "breaking breaking risky risky"
)]
#[case::a_longest_text(
    "{type: string}",
    "{type: string, maxLength: 9}",
    "length-narrowed",
    "length-widened",
    "breaking fine fine risky"
)]
#[case::a_longer_text(
    "{type: string, minLength: 1}",
    "{type: string, minLength: 2}",
    "length-narrowed",
    "length-widened",
    "breaking fine fine risky"
)]
#[case::fewer_items(
    "{type: array, maxItems: 5}",
    "{type: array, maxItems: 4}",
    "length-narrowed",
    "length-widened",
    "breaking fine fine risky"
)]
#[case::items_once(
    "{type: array}",
    "{type: array, uniqueItems: true}",
    "length-narrowed",
    "length-widened",
    "breaking fine fine risky"
)]
#[case::more_fields(
    "{type: object}",
    "{type: object, minProperties: 1}",
    "length-narrowed",
    "length-widened",
    "breaking fine fine risky"
)]
#[case::a_pattern(
    "{type: string}",
    "{type: string, pattern: ^a}",
    "pattern-added",
    "pattern-removed",
    "breaking fine fine risky"
)]
#[case::another_pattern(
    "{type: string, pattern: ^b}",
    "{type: string, pattern: ^a}",
    "pattern-changed",
    "pattern-changed",
    "risky risky risky risky"
)]
#[case::a_format(
    "{type: string}",
    "{type: string, format: date}",
    "format-narrowed",
    "format-widened",
    "risky fine fine risky"
)]
#[case::a_smaller_format(
    "{type: integer, format: int64}",
    "{type: integer, format: int32}",
    "format-narrowed",
    "format-widened",
    "risky fine fine risky"
)]
#[case::another_format(
    "{type: string, format: date}",
    "{type: string, format: uri}",
    "format-changed",
    "format-changed",
    "risky risky risky risky"
)]
#[case::an_encoding(
    "{type: string, contentEncoding: base64}",
    "{type: string, contentEncoding: base32}",
    "format-changed",
    "format-changed",
    "risky risky risky risky"
)]
#[case::a_default(
    "{type: string, default: a}",
    "{type: string, default: b}",
    "default-changed",
    "default-changed",
    "risky risky risky risky"
)]
#[case::no_default(
    "{type: string, default: a}",
    "{type: string}",
    "default-changed",
    "default-changed",
    "risky risky risky risky"
)]
#[case::not(
    "{not: {type: string}}",
    "{not: {type: integer}}",
    "condition-changed",
    "condition-changed",
    "risky risky risky risky"
)]
#[case::a_condition(
    "{type: object}",
    "{type: object, if: {required: [a]}}",
    "condition-changed",
    "condition-changed",
    "risky risky risky risky"
)]
#[case::a_dependency(
    "{type: object, dependentRequired: {a: [b]}}",
    "{type: object}",
    "condition-changed",
    "condition-changed",
    "risky risky risky risky"
)]
#[case::the_first_items(
    "{type: array, prefixItems: [{type: string}]}",
    "{type: array, prefixItems: [{}]}",
    "condition-changed",
    "condition-changed",
    "risky risky risky risky"
)]
fn a_change_of_values(
    #[case] old: &str,
    #[case] new: &str,
    #[case] forth: &str,
    #[case] back: &str,
    #[case] levels: &str,
) {
    forth_and_back(old, new, forth, back, levels);
}
