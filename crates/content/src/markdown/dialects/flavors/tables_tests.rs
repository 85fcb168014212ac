//! Tables of MyST, and code that it includes from files.
use super::*;
use crate::document::Kind;
use crate::markdown::{Unresolved, parse_whole};
use rstest::rstest;

const FILE: &str = "import a\n\n# start\ndef b():\n    return 1\n# end\n\ndef c():\n\treturn 2\r\n";

fn plain(text: &str) -> Plain {
    let syntaxes = BTreeSet::from([Syntax::Myst]);
    let include = |address: &str| (address == "../src/a.py").then(|| FILE.to_owned());
    read(text, &Flavor::new(&syntaxes, &|_| None).including(&include))
}

/// The lines that are not blank.
fn lines(text: &str) -> Vec<String> {
    plain(text).text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

fn directive(name: &str, content: &str) -> String {
    format!("```{{{name}}}{content}\n```")
}

#[rstest]
#[case::header(
    " The *title*\n:header-rows: 1\n:widths: 10 20\n\n* - A\n  - B\n* - c\n  - d",
    &["The *title*", "| A | B |", "| --- | --- |", "| c | d |"]
)]
#[case::title(" A title\n* - a", &["**A title**", "|  |", "| --- |", "| a |"])]
#[case::no_header("\n* - a\n  - b", &["|  |  |", "| --- | --- |", "| a | b |"])]
#[case::two_headers("\n:header-rows: 2\n\n- * A\n- * B\n- * c", &["| A |", "| --- |", "| B |", "| c |"])]
#[case::long_cells(
    "\n* - a\n    b\n\n    c\n  - - d\n    - e\n\n      f\\\n      g\n    1. h",
    &["|  |  |", "| --- | --- |", "| a b<br>c | • d<br>• e<br>f<br>g<br>1. h |"]
)]
#[case::empty_cells("\n* -\n  - a\n* - b\n  -", &["|  |  |", "| --- | --- |", "|  | a |", "| b |  |"])]
#[case::fewer_cells("\n:header-rows: 1\n* - a\n* - b\n  - c", &["| a |  |", "| --- | --- |", "| b | c |"])]
#[case::pipes(
    "\n* - a|b `c|d` e\\|f\n  - $$g|h$$ {kbd}`i`",
    &["|  |  |", "| --- | --- |", "| a\\|b `c\\|d` e\\|f | $$g|h$$ <kbd>i</kbd> |"]
)]
#[case::dollars(
    "\n* - a $$\n  - `$$` $$ b",
    &["|  |  |", "| --- | --- |", "| a \\$$ | `$$` \\$$ b |"]
)]
#[case::options("\n---\nheader-rows: 1\n---\n* - A", &["| A |", "| --- |"])]
#[case::empty("", &[])]
fn a_list_of_lists_becomes_a_table(#[case] content: &str, #[case] expected: &[&str]) {
    assert_eq!(lines(&directive("list-table", content)), expected);
}

#[rstest]
#[case::no_list(" T\na", &["**T**", "a"])]
#[case::one_list("\n- a\n- b", &["- a", "- b"])]
#[case::text_between("\n* - a\n\nb", &["* - a", "b"])]
#[case::code("\n* - a\n  - ~~~\n    b\n    ~~~", &["* - a", "  - ~~~", "    b", "    ~~~"])]
#[case::block_in_an_item("\n* - - # a", &["* - - # a"])]
#[case::row_without_cells("\n*\n  - a", &["*", "  - a"])]
#[case::between_columns("\n*   - a\n  - b", &["*   - a", "  - b"])]
fn what_is_no_list_of_lists_stays(#[case] content: &str, #[case] expected: &[&str]) {
    assert_eq!(lines(&directive("list-table", content)), expected);
}

#[rstest]
#[case::header(
    " T\n:header: \"A, a\", B\n\nc, \"d \"\"e\"\"\"\n\n f ,",
    &["**T**", "| A, a | B |", "| --- | --- |", "| c | d \"e\" |", "| f |  |"]
)]
#[case::first_row("\n:header-rows: 1\nA,B\nc,d", &["| A | B |", "| --- | --- |", "| c | d |"])]
#[case::lines_in_quotes("\na,\"b\nc\n\nd\"\ne", &["|  |  |", "| --- | --- |", "| a | b c<br>d |", "| e |"])]
#[case::tabs("\n:delim: tab\na, b\tc", &["|  |  |", "| --- | --- |", "| a, b | c |"])]
#[case::characters(
    "\n:delim: ;\n:quote: '\n:escape: \\\n'a;b';c\\'d;\\;",
    &["|  |  |  |", "| --- | --- | --- |", "| a;b | c'd | ; |"]
)]
#[case::blanks_before_quotes("\n  \"  \"  \"a\"  ,  \"b\"", &["|  |  |", "| --- | --- |", "| a | b |"])]
#[case::pipes("\na|b,{sub}`c`", &["|  |  |", "| --- | --- |", "| a\\|b | <sub>c</sub> |"])]
#[case::no_end(" T\na,\"b", &["**T**", "```csv", "a,\"b", "```"])]
#[case::delimiter("\n:delim: ab\na,b", &["```csv", "a,b", "```"])]
#[case::block("\na,\"b\n# c\"", &["```csv", "a,\"b", "# c\"", "```"])]
#[case::empty("\n:header-rows: 1", &[])]
fn values_with_commas_become_a_table(#[case] content: &str, #[case] expected: &[&str]) {
    assert_eq!(lines(&directive("csv-table", content)), expected);
}

#[rstest]
#[case("```{csv-table} A\n:file: a.csv\n```")]
#[case("~~~{csv-table}\n---\nurl: https://example.org\n---\n~~~")]
#[case("  ```{csv-table} A\n  :header: {ref}`a`\n  :file: a.csv\n  ```")]
#[case(":::{csv-table} A\n:file: a.csv\n:::")]
fn a_table_with_values_in_another_file_stays(#[case] text: &str) {
    assert_eq!(
        lines(text).iter().map(|line| line.trim()).collect::<Vec<_>>(),
        text.lines().map(str::trim).collect::<Vec<_>>()
    );
    // An export writes it as it was.
    let syntaxes = BTreeSet::from([Syntax::Myst]);
    assert_eq!(escape(text, &syntaxes), text);
}

#[test]
fn a_table_is_a_block_in_its_place() {
    let text =
        "- a\n\n  ```{list-table}\n  :header-rows: 1\n  * - b\n  * - c\n  ```\n  d\n\ne\n```{csv-table}\nf,g\n```\nh";
    let document = parse_whole(&plain(text).text, &Unresolved).document.expect("few parts");
    let is_table = |block: &crate::document::Block| matches!(block.kind, Kind::Table(_));
    let item = &document.blocks[0].children[0];
    assert_eq!(item.children.iter().filter(|block| is_table(block)).count(), 1);
    assert_eq!(document.blocks.iter().filter(|block| is_table(block)).count(), 1);
    assert_eq!(document.blocks.len(), 4, "{document:?}");
}

#[rstest]
#[case::whole(
    "",
    &["```py", "import a", "# start", "def b():", "    return 1", "# end", "def c():", "\treturn 2", "```"]
)]
#[case::options(
    ":language: python\n:caption: A \"b\"\n:linenos:\n:emphasize-lines: 1\n:lines: 1,8-",
    &["```python title=\"A 'b'\" showLineNumbers {1}", "import a", "def c():", "\treturn 2", "```"]
)]
#[case::after(":start-after: start\n:end-before: '# end'\n:dedent:", &["```py", "def b():", "    return 1", "```"])]
#[case::at(":start-at: return 1\n:end-at: end\n:dedent: 4", &["```py", "return 1", "# end", "```"])]
#[case::range(":start-after: start\n:lines: -1, 2", &["```py", "def b():", "    return 1", "```"])]
#[case::numbers_of_lines(":linenos:\n:lineno-match:\n:lines: 1", &["```py", "import a", "```"])]
fn code_of_a_file_is_included(#[case] options: &str, #[case] expected: &[&str]) {
    let text = directive("literalinclude", &format!(" ../src/a.py\n{options}"));
    assert_eq!(lines(&text), expected);
    assert_eq!(lines(&text.replace("```", ":::")), expected);
}

#[rstest]
#[case::no_file("```{literalinclude} gone.py\n```")]
#[case::no_address("```{literalinclude}\n```")]
#[case::not_found("```{literalinclude} ../src/a.py\n:start-after: nowhere\n```")]
#[case::no_lines("```{literalinclude} ../src/a.py\n:lines: 100-\n```")]
#[case::no_numbers("```{literalinclude} ../src/a.py\n:lines: a\n```")]
#[case::line_zero("```{literalinclude} ../src/a.py\n:lines: 0\n```")]
#[case::repeated("```{literalinclude} ../src/a.py\n:lines: 1-,1-\n```")]
#[case::object("```{literalinclude} ../src/a.py\n:pyobject: b\n```")]
#[case::lines_of_myst("```{literalinclude} ../src/a.py\n:start-line: 2\n```")]
#[case::no_end("```{literalinclude} ../src/a.py\n")]
#[case::in_colons(":::{literalinclude} gone.py\n:::")]
fn code_that_cannot_be_included_stays_a_directive(#[case] text: &str) {
    assert_eq!(plain(text).text, text);
    let syntaxes = BTreeSet::from([Syntax::Myst]);
    assert_eq!(escape(text, &syntaxes), text);
}

#[test]
fn lines_of_tables_and_included_code_are_known_in_the_file() {
    let text = "a\n\n```{list-table}\n* - b\n  - c\n* - d\n```\n\n```{literalinclude} ../src/a.py\n:lines: 1\n```\ne";
    let Plain { text, lines } = plain(text);
    let of = |start: &str| text.lines().zip(&lines).find(|(line, _)| line.contains(start)).map(|(_, number)| *number);
    assert_eq!(["| b |", "| d |", "import a", "e"].map(of), [4, 6, 9, 12].map(Some));
    assert_eq!(text.split('\n').count(), lines.len());
}
