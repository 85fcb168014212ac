//! Null: in types, in enumerations, and as `nullable` of documents of 3.0.
use super::{diff, forth_and_back, ids, request, response, tree};
use crate::upgrade::upgrade;
use rstest::rstest;

#[rstest]
#[case::listed(
    "{type: [string, \"null\"], enum: [a, null]}",
    "{type: [string, \"null\"], enum: [a]}",
    "null-removed",
    "null-added",
    "breaking fine fine breaking"
)]
#[case::listed_without_a_type(
    "{enum: [a, null]}",
    "{enum: [a]}",
    "null-removed",
    "null-added",
    "breaking fine fine breaking"
)]
#[case::listed_and_in_the_type(
    "{type: [string, \"null\"], enum: [a, null]}",
    "{type: string, enum: [a]}",
    "null-removed",
    "null-added",
    "breaking fine fine breaking"
)]
fn null_is_a_change_of_its_own(
    #[case] old: &str,
    #[case] new: &str,
    #[case] forth: &str,
    #[case] back: &str,
    #[case] levels: &str,
) {
    forth_and_back(old, new, forth, back, levels);
}

/// The ids of the changes between two schemas of 3.0, in a request and in a response.
fn of_3_0(old: &str, new: &str) -> [Vec<String>; 2] {
    let upgraded = |text: String| upgrade(tree(&format!("openapi: 3.0.3\n{text}")), None);
    [request, response].map(|form| ids(&diff(&upgraded(form(old)), &upgraded(form(new)), None)))
}

const ENUM: &str = "{type: string, enum: [a]}";
const NULLABLE_ENUM: &str = "{type: string, nullable: true, enum: [a]}";
const NULLABLE_ENUM_WITH_NULL: &str = "{type: string, nullable: true, enum: [a, null]}";

#[rstest]
#[case::nullable_goes(NULLABLE_ENUM, ENUM)]
#[case::nullable_and_the_listed_null_go(NULLABLE_ENUM_WITH_NULL, ENUM)]
#[case::nullable_goes_and_the_listed_null_stays(NULLABLE_ENUM_WITH_NULL, "{type: string, enum: [a, null]}")]
#[case::nullable_is_false(NULLABLE_ENUM, "{type: string, nullable: false, enum: [a]}")]
#[case::without_a_type("{nullable: true, enum: [a]}", "{enum: [a]}")]
fn nullable_beside_an_enumeration_is_compared(#[case] old: &str, #[case] new: &str) {
    assert_eq!(of_3_0(old, new), [["breaking request-null-removed"], ["fine response-null-removed"]]);
    assert_eq!(of_3_0(new, old), [["fine request-null-added"], ["breaking response-null-added"]]);
}

#[rstest]
#[case::null_is_listed_beside_nullable(NULLABLE_ENUM, NULLABLE_ENUM_WITH_NULL)]
#[case::null_is_listed_but_not_valid_by_the_type(ENUM, "{type: string, enum: [a, null]}")]
fn what_does_not_decide_about_null_is_no_change(#[case] old: &str, #[case] new: &str) {
    assert_eq!(of_3_0(old, new), [[""; 0]; 2]);
    assert_eq!(of_3_0(new, old), [[""; 0]; 2]);
}

#[test]
fn another_value_of_a_nullable_enumeration_is_one_change() {
    let found = of_3_0(NULLABLE_ENUM, "{type: string, nullable: true, enum: [a, b]}");
    assert_eq!(found, [["fine request-enum-value-added"], ["risky response-enum-value-added"]]);
}
