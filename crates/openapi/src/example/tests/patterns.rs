//! Texts that match a pattern.
use super::{document, example_in, is_valid};
use crate::direction::Direction;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

fn matching(pattern: &str, more: &str) -> Value {
    let document = document(&format!(r#"{{"type":"string","pattern":{}{more}}}"#, json!(pattern)), "");
    let found = example_in(&document, Direction::Response);
    assert!(is_valid(&document, &found), "{found} is not valid by {pattern} {more}");
    found
}

#[rstest]
#[case::letters("^[a-z]+$", "a")]
#[case::digits(r"^\d{3}-\d{4}$", "012-4567")]
#[case::a_choice("^(cat|dog)$", "cat")]
#[case::capitals("^[A-Z]{2}$", "AB")]
#[case::not_anchored("b{3}", "bbb")]
#[case::hexadecimal("^#[0-9a-fA-F]{6}$", "#bcdefa")]
#[case::escapes(r"^\$\{[\w.-]+\}\x41\u0042\/$", "${c}AB/")]
#[case::not_these("^[^a-y]$", "z")]
#[case::not_white_space(r"^\S+@\S+\.\S+$", "a@c.e")]
#[case::optional_pieces("^v?[0-9]+(\\.[0-9]+)*$", "0")]
#[case::named_groups("^(?<year>[0-9]{4})-(?:[0-9]{2})$", "0123-56")]
#[case::lazy("^a+?b*?$", "a")]
#[case::a_bracket_in_a_class(r"^[\]\[-]$", "-")]
#[case::letters_of_unicode(r"^\p{Lu}\p{L}+$", "Ab")]
#[case::what_looks_ahead("^(?!x)[a-c]{2}$", "ab")]
#[case::two_texts("^a$|^b$", "a")]
#[case::something_that_can_be_nothing("^[a-z]*$", "a")]
#[case::anything("^.*$", "text")]
#[case::no_white_space_in_a_class(r"^[^\s]$", "a")]
#[case::a_set_in_a_class(r"^[\D]$", "a")]
fn a_text_matches(#[case] pattern: &str, #[case] expected: &str) {
    assert_eq!(matching(pattern, ""), expected);
}

/// Browsers read these, and the strict form of regular expressions does not.
#[rstest]
#[case::a_brace_that_is_a_character("^a{$", "a{")]
#[case::control_characters(r"^\t\n\cA\0$", "\t\n\u{1}\0")]
fn a_text_matches_an_older_form(#[case] pattern: &str, #[case] expected: &str) {
    let document = document(&format!(r#"{{"type":"string","pattern":{}}}"#, json!(pattern)), "");
    assert_eq!(example_in(&document, Direction::Response), expected);
}

#[rstest]
#[case::longer("^[a-z]+$", r#","minLength":5"#, "abcde")]
#[case::longer_by_the_piece_that_can_be("^[a-z][0-9]*$", r#","minLength":4"#, "a123")]
#[case::longer_after_it("a", r#","minLength":3"#, "aaa")]
#[case::longer_by_a_group("^(ab)+$", r#","minLength":5"#, "ababab")]
#[case::up_to_a_bound("^[a-z]{1,3}[0-9]{1,9}$", r#","minLength":6"#, "abc345")]
#[case::not_longer_than_allowed("^[a-z]+$", r#","maxLength":1"#, "a")]
fn a_text_that_matches_has_a_length(#[case] pattern: &str, #[case] more: &str, #[case] expected: &str) {
    assert_eq!(matching(pattern, more), expected);
}

#[rstest]
#[case::a_reference_to_a_group(r"^(a)\1$")]
#[case::no_end("^(a$")]
#[case::nothing_to_repeat("*a")]
#[case::too_long("^a{9999999}$")]
#[case::too_long_in_all("^(a{5000}){5000}$")]
#[case::nothing_often("^((){9999}){9999}$")]
#[case::a_class_without_an_end("^[a")]
#[case::an_escape_without_an_end("^\\")]
#[case::an_unknown_property(r"^\p{Unheard}$")]
fn a_pattern_without_an_example_has_none(#[case] pattern: &str) {
    let document = document(&format!(r#"{{"type":"string","pattern":{}}}"#, json!(pattern)), "");
    assert_eq!(example_in(&document, Direction::Response), Value::Null);
}

#[test]
fn groups_in_groups_and_long_patterns_end() {
    for pattern in ["(".repeat(10_000), "{".repeat(100_000), "[a".repeat(1_000), "(a|".repeat(400) + &")".repeat(400)] {
        let document = document(&format!(r#"{{"type":"string","pattern":{}}}"#, json!(pattern)), "");
        assert_eq!(example_in(&document, Direction::Response), Value::Null);
    }
}

/// Patterns that are made of pieces.
fn pattern() -> impl Strategy<Value = String> {
    let atoms = vec!["a", "B", "7", r"\d", r"\w", "[a-f]", "[^a-f]", r"\.", "[A-Z0-9_-]", "-", "\u{e9}"];
    let repeats = vec!["", "", "?", "*", "+", "{2}", "{1,3}", "{2,}"];
    let piece =
        (prop::sample::select(atoms), prop::sample::select(repeats.clone())).prop_map(|(a, r)| format!("{a}{r}"));
    let sequence = prop::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat());
    let group = (prop::collection::vec(sequence.clone(), 1..3), prop::sample::select(repeats))
        .prop_map(|(choices, repeat)| format!("({}){repeat}", choices.join("|")));
    let inner = prop::collection::vec(prop_oneof![sequence, group], 1..4).prop_map(|pieces| pieces.concat());
    (inner, any::<bool>()).prop_map(|(inner, anchored)| if anchored { format!("^{inner}$") } else { inner })
}

proptest! {
    #[test]
    fn any_text_matches_its_pattern(pattern in pattern(), least in 0_usize..12) {
        let document = document(&format!(r#"{{"type":"string","pattern":{},"minLength":{least}}}"#, json!(pattern)), "");
        let found = example_in(&document, Direction::Response);
        // There may be none, as with `^a$` of two characters.
        prop_assert!(found.is_null() || is_valid(&document, &found), "{found} is not valid by {pattern}, {least}");
        if least == 0 {
            prop_assert!(!found.is_null(), "{pattern} has no example");
        }
    }
}
