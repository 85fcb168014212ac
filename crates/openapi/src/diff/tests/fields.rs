//! The rules of schemas with schemas: forth and back, in requests and in responses.
use super::forth_and_back;
use rstest::rstest;

#[rstest]
#[case::an_item(
    "{type: array, items: {type: [string, integer]}}",
    "{type: array, items: {type: string}}",
    "type-narrowed",
    "type-widened",
    "breaking fine fine breaking"
)]
#[case::any_item(
    "{type: array}",
    "{type: array, items: {type: string}}",
    "type-narrowed",
    "type-widened",
    "breaking fine fine breaking"
)]
#[case::a_field(
    "{type: object, properties: {a: {}}}",
    "{type: object, properties: {a: {}, b: {}}}",
    "field-added",
    "field-removed",
    "fine risky fine risky"
)]
#[case::a_required_field(
    "{type: object}",
    "{type: object, required: [b], properties: {b: {}}}",
    "required-field-added",
    "required-field-removed",
    "breaking risky fine breaking"
)]
#[case::a_field_that_becomes_required(
    "{type: object, properties: {b: {}}}",
    "{type: object, required: [b], properties: {b: {}}}",
    "field-now-required",
    "field-now-optional",
    "breaking fine fine breaking"
)]
#[case::a_required_field_without_schema(
    "{type: object}",
    "{type: object, required: [b]}",
    "field-now-required",
    "field-now-optional",
    "breaking fine fine breaking"
)]
#[case::a_field_of_a_field(
    "{type: object, properties: {a: {type: object, properties: {b: {type: string}}}}}",
    "{type: object, properties: {a: {type: object, properties: {b: {type: string, maxLength: 1}}}}}",
    "length-narrowed",
    "length-widened",
    "breaking fine fine risky"
)]
#[case::no_other_fields(
    "{type: object}",
    "{type: object, additionalProperties: false}",
    "other-fields-forbidden",
    "other-fields-allowed",
    "breaking fine fine fine"
)]
#[case::no_unevaluated_fields(
    "{type: object}",
    "{type: object, unevaluatedProperties: false}",
    "other-fields-forbidden",
    "other-fields-allowed",
    "breaking fine fine fine"
)]
#[case::other_fields_with_a_schema(
    "{type: object, additionalProperties: {}}",
    "{type: object, additionalProperties: {type: string}}",
    "other-fields-narrowed",
    "other-fields-widened",
    "breaking fine fine risky"
)]
#[case::the_schema_of_other_fields(
    "{type: object, additionalProperties: {type: [string, integer]}}",
    "{type: object, additionalProperties: {type: string}}",
    "type-narrowed",
    "type-widened",
    "breaking fine fine breaking"
)]
#[case::choices(
    "{oneOf: [{type: string}, {type: object}]}",
    "{oneOf: [{type: object}]}",
    "choice-removed",
    "choice-added",
    "breaking fine fine risky"
)]
#[case::named_choices(
    "{anyOf: [{$ref: \"#/components/schemas/A\"}, {$ref: \"#/components/schemas/B\"}, {type: array}]}",
    "{anyOf: [{$ref: \"#/components/schemas/B\"}, {type: array}]}",
    "choice-removed",
    "choice-added",
    "breaking fine fine risky"
)]
#[case::a_schema_that_is_one_choice(
    "{oneOf: [{$ref: \"#/components/schemas/A\"}, {$ref: \"#/components/schemas/B\"}]}",
    "{$ref: \"#/components/schemas/B\"}",
    "choice-removed",
    "choice-added",
    "breaking fine fine risky"
)]
#[case::choices_besides_fields(
    "{type: object, properties: {a: {}}}",
    "{type: object, properties: {a: {}}, anyOf: [{required: [a]}, {required: [b]}]}",
    "choices-introduced",
    "choices-dropped",
    "breaking fine fine risky"
)]
#[case::an_anonymous_choice(
    "{anyOf: [{type: string, maxLength: 3}, {type: object}]}",
    "{anyOf: [{type: string, maxLength: 2}, {type: object}]}",
    "length-narrowed",
    "length-widened",
    "breaking fine fine risky"
)]
#[case::a_discriminator(
    "{oneOf: [{title: A}, {title: B}], discriminator: {propertyName: a}}",
    "{oneOf: [{title: A}, {title: B}], discriminator: {propertyName: b}}",
    "discriminator-changed",
    "discriminator-changed",
    "breaking breaking breaking breaking"
)]
#[case::no_discriminator(
    "{oneOf: [{title: A}, {title: B}], discriminator: {propertyName: a}}",
    "{oneOf: [{title: A}, {title: B}]}",
    "discriminator-changed",
    "discriminator-changed",
    "breaking breaking breaking breaking"
)]
#[case::a_value_of_a_discriminator(
    "{discriminator: {propertyName: a, mapping: {x: A, y: B}}}",
    "{discriminator: {propertyName: a, mapping: {x: A}}}",
    "discriminator-value-removed",
    "discriminator-value-added",
    "breaking fine fine risky"
)]
#[case::a_part(
    "{allOf: [{$ref: \"#/components/schemas/A\"}, {properties: {z: {type: integer, maximum: 3}}}]}",
    "{allOf: [{$ref: \"#/components/schemas/A\"}, {properties: {z: {type: integer, maximum: 2}}}]}",
    "bound-narrowed",
    "bound-widened",
    "breaking fine fine risky"
)]
#[case::a_required_field_of_a_base(
    "{allOf: [{$ref: \"#/components/schemas/A\"}]}",
    "{allOf: [{$ref: \"#/components/schemas/A\"}], required: [b]}",
    "field-now-required",
    "field-now-optional",
    "breaking fine fine breaking"
)]
fn a_change_of_fields_items_and_choices(
    #[case] old: &str,
    #[case] new: &str,
    #[case] forth: &str,
    #[case] back: &str,
    #[case] levels: &str,
) {
    forth_and_back(old, new, forth, back, levels);
}
