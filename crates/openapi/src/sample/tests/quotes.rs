//! Literals are what they look like.
use super::super::quote::{go, go_lines, is_hidden, javascript, python, shell};
use super::HOSTILE;
use proptest::prelude::*;
use rstest::rstest;

#[rstest]
#[case::a_word("a b", "'a b'", r#""a b""#)]
#[case::quotation_marks("'\"", r#"''\''"'"#, r#""'\"""#)]
#[case::a_backslash("\\n", r"'\n'", r#""\\n""#)]
#[case::a_line_end("a\nb", "'a\nb'", r#""a\nb""#)]
#[case::a_tab("a\tb", r"$'a\011b'", r#""a\tb""#)]
#[case::nothing("", "''", r#""""#)]
fn a_text_is_quoted(#[case] text: &str, #[case] in_shell: &str, #[case] elsewhere: &str) {
    assert_eq!(shell(text), in_shell);
    assert_eq!([javascript(text), python(text), go(text)], [elsewhere; 3]);
}

#[test]
fn hidden_characters_are_escapes() {
    let text = "\u{1b}1\u{85}\u{202e}\u{e0041}'\\!";
    assert_eq!(shell(text), r"$'\0331\302\205\342\200\256\363\240\201\201\'\\\041'");
    assert_eq!(javascript(text), r#""\x1b1\x85\u202e\u{e0041}'\\!""#);
    assert_eq!(python(text), r#""\x1b1\x85\u202e\U000e0041'\\!""#);
    assert_eq!(go(text), r#""\u001b1\u0085\u202e\U000e0041'\\!""#);
}

#[rstest]
#[case::an_end_of_a_script("</script>", r#""<\/script>""#)]
#[case::capitals("</ScRiPt", r#""<\/ScRiPt""#)]
#[case::a_comment("<!--", r#""<\!--""#)]
#[case::several("</script><!--</script", r#""<\/script><\!--<\/script""#)]
#[case::other_tags("</b><script>", r#""</b><script>""#)]
#[case::a_part_of_it("</scr", r#""</scr""#)]
#[case::a_character_of_several_bytes("</scrip\u{e9}", "\"</scrip\u{e9}\"")]
fn a_string_of_javascript_ends_no_script(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(javascript(text), expected);
}

#[rstest]
#[case::one_line("a", "\"a\"")]
#[case::lines("a\n\"b\\", "`a\n\"b\\`")]
#[case::a_backquote("a\n`", "\"a\\n`\"")]
#[case::a_return("a\r\nb", "\"a\\r\\nb\"")]
fn lines_of_go_are_as_they_are_where_they_can_be(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(go_lines(text), expected);
}

proptest! {
    #[test]
    fn no_literal_has_hidden_characters(text in any::<String>()) {
        for literal in [javascript(&text), python(&text), go(&text), go_lines(&text), shell(&text)] {
            prop_assert!(!literal.contains(|char| is_hidden(char) && char != '\n'), "{literal:?}");
        }
    }

    #[test]
    fn a_string_of_javascript_is_closed(text in prop::sample::select(HOSTILE.to_vec()), other in any::<String>()) {
        let literal = javascript(&format!("{text}{other}"));
        let inner = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).expect("quotation marks");
        let mut is_escaped = false;
        for char in inner.chars() {
            prop_assert!(is_escaped || char != '"');
            is_escaped = char == '\\' && !is_escaped;
        }
        prop_assert!(!is_escaped);
    }
}
