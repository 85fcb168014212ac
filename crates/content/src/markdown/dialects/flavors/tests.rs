//! Markup of tools becomes ordinary Markdown, which is the same after it is written into such a repository again.
use super::toctrees::ToctreeEntry;
use super::*;
use crate::document::Document;
use crate::markdown::{Unresolved, parse_whole, write};
use proptest::prelude::*;
use rstest::rstest;

const MYST: &[Syntax] = &[Syntax::DefinitionLists, Syntax::Myst];
const MKDOCS: &[Syntax] = &[
    Syntax::DefinitionLists,
    Syntax::Highlights,
    Syntax::Icons,
    Syntax::Insertions,
    Syntax::Keys,
    Syntax::MarkdownInHtml,
];
const HUGO: &[Syntax] = &[Syntax::DefinitionLists, Syntax::Shortcodes];
const VAULT: &[Syntax] = &[Syntax::Comments, Syntax::Highlights];

fn plain(text: &str, syntaxes: &[Syntax]) -> Plain {
    let syntaxes: BTreeSet<Syntax> = syntaxes.iter().copied().collect();
    let label = |name: &str| {
        (name == "known").then(|| Label { href: "b.md#known".to_owned(), title: "The *title*".to_owned() })
    };
    read(text, &Flavor::new(&syntaxes, &label))
}

/// The lines that are not blank.
fn lines(text: &str, syntaxes: &[Syntax]) -> Vec<String> {
    let text = plain(text, syntaxes).text;
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

#[rstest]
#[case::note(":::{note}\na\n:::", &["{% hint style=\"info\" %}", "a", "{% endhint %}"])]
#[case::text_after_the_name("```{warning} a\nb\n```", &["{% hint style=\"warning\" %}", "a", "b", "{% endhint %}"])]
#[case::without_an_end("```{note}\na", &["{% hint style=\"info\" %}", "a", "{% endhint %}"])]
#[case::without_an_end_in_an_item(
    "- a\n\n  ```{note}\n  b\n\nc",
    &["- a", "  {% hint style=\"info\" %}", "  b", "  {% endhint %}", "c"]
)]
#[case::see_also("```{seealso}\na\n```", &["{% hint style=\"info\" %}", "**See also**", "a", "{% endhint %}"])]
#[case::admonition(
    ":::{admonition} A `b`\n:class: tip\n\nc\n:::",
    &["{% hint style=\"success\" %}", "**A `b`**", "c", "{% endhint %}"]
)]
#[case::dropdown(
    ":::{dropdown} A \"b\"\n:open:\nc\n:::",
    &["{% expandable title=\"A \\\"b\\\"\" open=\"true\" %}", "c", "{% endexpandable %}"]
)]
#[case::folded(
    ":::{note}\n:class: dropdown\na\n:::",
    &["{% expandable title=\"Note\" %}", "a", "{% endexpandable %}"]
)]
#[case::folded_with_a_tag_in_its_title(
    ":::{dropdown} A {% b\nc\n:::",
    &["{% expandable %}", "**A \\{\\% b**", "c", "{% endexpandable %}"]
)]
#[case::button(":::{button-link} a.md\n[b]\n:::", &["[\\[b\\]](<a.md>)"])]
#[case::version(
    "```{versionadded} 1.2 It\nmore\n```",
    &["{% hint style=\"info\" %}", "**New in version 1\\.2** It", "more", "{% endhint %}"]
)]
#[case::nested(
    "::::{note}\n:::{tip}\na\n:::\n::::",
    &["{% hint style=\"info\" %}", "{% hint style=\"success\" %}", "a", "{% endhint %}", "{% endhint %}"]
)]
#[case::in_an_item(
    "1. a\n\n   ```{note}\n   b\n   ```\n2. c",
    &["1. a", "   {% hint style=\"info\" %}", "   b", "   {% endhint %}", "2. c"]
)]
#[case::code(
    "```{code-block} python\n:caption: a.py\n:linenos:\n:emphasize-lines: 1,3-4\nb\n```",
    &["```python title=\"a.py\" showLineNumbers {1,3-4}", "b", "```"]
)]
#[case::code_with_a_fence("````{code-block} md\n---\nlineno-start: 5\n---\n```\na\n```\n````", &["````md", "```", "a", "```", "````"])]
#[case::formula(
    "```{math}\n:label: a\n\na &= b \\\\\nc &= d\n```",
    &["```math", "\\begin{aligned}", "a &= b \\\\", "c &= d", "\\end{aligned}", "```"]
)]
#[case::figure(
    "```{figure} a.png\n:alt: b & c\n:width: 200px\n\nA caption\n\nA *legend*\n```",
    &[
        "<figure><img src=\"a.png\" alt=\"b &amp; c\" width=\"200\"><figcaption><p>A caption</p></figcaption></figure>",
        "A *legend*",
    ]
)]
#[case::image("```{image} a.png\n:alt: b\n:target: c.md\n```", &["<a href=\"c.md\"><img src=\"a.png\" alt=\"b\"></a>"])]
#[case::tabs(
    "::::{tab-set}\n:::{tab-item} A\na\n:::\n\n:::{tab-item} B\n:sync: b\nb\n:::\n::::",
    &[
        "{% tabs %}",
        "{% tab title=\"A\" %}",
        "a",
        "{% endtab %}",
        "{% tab title=\"B\" %}",
        "b",
        "{% endtab %}",
        "{% endtabs %}",
    ]
)]
#[case::no_tabs("::::{tab-set}\na\n\n:::{tab-item} B\nb\n:::\n::::", &["a", "**B**", "b"])]
#[case::cards(
    "::::{grid} 2\n:::{grid-item-card} A\n:link: known\n:link-type: ref\nb\n+++\nc\n:::\n::::",
    &["**[A](<b.md#known>)**", "b", "c"]
)]
#[case::contents(
    "```{toctree}\n:caption: A\n:maxdepth: 2\n\nb\nC <c>\n```",
    &["**A**", "* [b](<b> \"mention\")", "* [C](<c>)"]
)]
#[case::hidden_contents("a\n\n```{toctree}\n:hidden:\nb\n```", &["a"])]
#[case::glossary("```{glossary}\nA\n  a\n    - b\n\nB\n: c\n```", &["+ **A**", "  a", "    - b", "+ **B**", "  c"])]
#[case::empty("```{glossary}\n```", &[])]
#[case::label("(A label)=\n## B", &["## B {#a-label}"])]
#[case::label_of_text("(a)=\nb", &["<a id=\"a\"></a>", "b"])]
#[case::labels("(a)=\n(b)=\n# C#", &["# C# {#b}", "<a id=\"a\"></a>"])]
#[case::comment("% a -- b\nc", &["<!-- a - - b -->", "c"])]
#[case::break_between_blocks("a\n\n+++ {\"b\": 1}\n\nc", &["a", "c"])]
#[case::references(
    "{ref}`known` {ref}`A <known>` {ref}`gone` {doc}`a` {doc}`B <b>`",
    &["[The \\*title\\*](<b.md#known>) [A](<b.md#known>) gone [a](<a> \"mention\") [B](<b>)"]
)]
#[case::roles(
    "{term}`A <b>` {math}`a_1` {kbd}`Ctrl` {py:class}`~a.B` {guilabel}`C` {sub}`2`",
    &["A $$a_1$$ <kbd>Ctrl</kbd> `B` **C** <sub>2</sub>"]
)]
#[case::code("{file}`~/.profile` {samp}`cp <a>` {class}`A <b.C>`", &["`~/.profile` `cp <a>` `A`"])]
#[case::links("[a](#known) [](known) [](b.md)", &["[a](<b.md#known>) [The \\*title\\*](<b.md#known>) [b\\.md](<b.md> \"mention\")"])]
fn myst_becomes_markdown(#[case] text: &str, #[case] expected: &[&str]) {
    assert_eq!(lines(text, MYST), expected);
}

#[test]
fn a_directive_between_colons_without_an_end_is_text() {
    assert_eq!(lines(":::{note}\na", MYST), ["\\:::{note}", "a"]);
    assert_eq!(lines(":::{unknown}\na", MYST), [":::{unknown}", "a"]);
}

#[test]
fn text_after_the_name_is_a_title_without_sphinx() {
    let expected = ["{% hint style=\"info\" %}", "**A**", "b", "{% endhint %}"];
    assert_eq!(lines(":::{note} A\nb\n:::", &[Syntax::Myst, Syntax::MystTitles]), expected);
    assert_eq!(lines(":::{note} A\n:::", &[Syntax::Myst, Syntax::MystTitles])[1], "A");
}

#[rstest]
#[case::keys("++ctrl+alt+del++ ++arrow-up++", "<kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>Del</kbd> <kbd>↑</kbd>")]
#[case::highlight("a ==b **c**==, d", "a <mark style=\"background-color:yellow;\">b **c**</mark>, d")]
#[case::insertion("^^a^^ ==b ^^c^^==", "<ins>a</ins> <mark style=\"background-color:yellow;\">b <ins>c</ins></mark>")]
#[case::icons("a :material-home: b :fontawesome-brands-github:{ .c }", "a b <i class=\"fa-github\">:github:</i>")]
#[case::icon_before_a_mark(":material-home: # A\n\n- :material-home: **b**", "\\# A\n- **b**")]
#[case::icon_of_a_link(
    "[:octicons-arrow-right-24: A](b) [:material-source-repository:](c)",
    "[A](b) [source repository](c)"
)]
#[case::icons_in_cells("| :material-check: | :material-close: a | :material-star: |", "| ✓ | ✗ a | star |")]
#[case::figure(
    "<figure markdown=\"span\">\n  ![a](b.png){ width=\"300\" }\n  <figcaption>c</figcaption>\n</figure>",
    "<figure><img src=\"b.png\" alt=\"a\" width=\"300\"><figcaption><p>c</p></figcaption></figure>"
)]
#[case::cards(
    "<div class=\"grid cards\" markdown>\n\n-   :material-clock:{ .lg } __A__\n\n    ---\n\n    b\n\n</div>",
    "-   __A__\n    b"
)]
#[case::definitions("A\n:   b\n    c\n\n    d\n\nE `f`\n: g\n", "+ **A**\n  b\n  c\n  d\n+ **E `f`**\n  g")]
#[case::lists("A\n: b\n\n  - c\n    - d", "+ **A**\n  b\n  - c\n    - d")]
#[case::terms("A\nB\n: c", "+ **A**\\\n  **B**\n  c")]
fn extensions_of_mkdocs_become_markdown(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(lines(text, MKDOCS).join("\n"), expected);
}

#[rstest]
#[case::highlight(
    "{{< highlight go \"linenos=table,hl_lines=1 3-4\" >}}\na\n\n  b\n{{< /highlight >}}",
    "```go showLineNumbers {1,3-4}\na\n  b\n```"
)]
#[case::code("{{< code file=\"a.toml\" >}}\n```\n{{< /code >}}", "````toml title=\"a.toml\"\n```\n````")]
#[case::diagram("{{< mermaid >}}\na --> b\n{{< /mermaid >}}", "```mermaid\na --> b\n```")]
#[case::card(
    "{{< cardpane >}}\n{{% card header=\"a\" title=\"B\" link=\"c.md\" footer=\"d\" %}}\n*e*\n{{% /card %}}\n{{< /cardpane >}}",
    "a\n**[B](<c.md>)**\n*e*\nd"
)]
#[case::without_an_end(
    "{{< highlight go >}}\na\n{{< highlight js >}}\nb\n{{< /highlight >}}",
    "{{< highlight go >}}\na\n```js\nb\n```"
)]
#[case::other("{{< card title=\"a\" >}}\n{{< tabs >}}", "{{< card title=\"a\" >}}\n{{< tabs >}}")]
fn shortcodes_of_hugo_become_markdown(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(lines(text, HUGO).join("\n"), expected);
}

#[rstest]
#[case("a %%b -- c%% d", "a <!-- b - - c --> d")]
#[case("%%\na\n\nb\n%%\nc", "<!--\na\nb\n-->\nc")]
#[case("==a==", "<mark style=\"background-color:yellow;\">a</mark>")]
fn comments_and_highlights_of_a_vault_are_read(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(lines(text, VAULT).join("\n"), expected);
}

#[rstest]
#[case("a == b, c==d==e, ==f, == g ==")]
#[case("\\==h==")]
#[case("`==a==` $$b ==c== d$$ [e](f==g==h) <a href=\"==i==\">j</a>")]
#[case("C++ and D++, a++b++c, i++ and ++j, ++a+++")]
#[case("x:material-a:, :smile:, :material-A:, \\:material-a:")]
#[case("```\n==a== :material-b: {ref}`c`\n```")]
#[case("    ==a==\n    ++b++")]
#[case("<div>\n==a==\n</div>")]
#[case("- <div>\n  ==a==\n  </div>")]
#[case("<pre>\n==a==\n</pre>")]
#[case("> ```\n> ==a==\n> ```")]
#[case("```{unknown} a\n==b==\n```")]
#[case("```{figure} <a>\n==b==\n```")]
#[case(&format!("a <img src=\"data:{}/++a++\">", "a".repeat(1_000)))]
#[case("- ```{note}\n  a\n  ```")]
#[case("    :::{note}\n    a\n    :::")]
#[case("\\{ref}`a` {gone}`b` {ref} `c` {ref}``")]
#[case("100%% of 50%%")]
#[case("a (b)= c")]
#[case("a\n\n: b")]
#[case("a\\\n: b")]
#[case("# a\n: b")]
#[case("a\n:b")]
#[case("- a\n\n  <div markdown>\n\nb\n\n</div>")]
#[case("<div id=\"a\" markdown>\n\nb\n\n</div>")]
fn other_text_stays(#[case] text: &str) {
    assert_eq!(plain(text, ALL).text, text);
}

#[rstest]
#[case(":::{note}\na\n:::\n\n% b\n\n{ref}`c`")]
#[case("==a== ^^b^^ ++c++ :material-d: %%e%%\n\nF\n: g")]
#[case("<div markdown>\n\na\n\n</div>")]
fn without_the_settings_of_a_tool_all_is_text(#[case] text: &str) {
    assert_eq!(plain(text, &[]).text, text);
    assert_eq!(escape(text, &BTreeSet::new()), text);
}

#[test]
fn front_matter_stays_and_each_line_is_known_in_the_file() {
    let text = "---\nmyst: \"==a==\"\n---\n\n```{note}\n:class: b\n\nc\n\n==d==\n```\n\n==e==";
    let Plain { text, lines } = plain(text, ALL);
    let lines: Vec<(usize, &str)> = lines.iter().copied().zip(text.split('\n')).collect();
    assert_eq!(lines.len(), text.split('\n').count());
    assert_eq!(lines[..3], [(1, "---"), (2, "myst: \"==a==\""), (3, "---")]);
    let of = |start: &str| lines.iter().find(|(_, line)| line.contains(start)).map(|(number, _)| *number);
    assert_eq!([of("hint style"), of("c"), of(">d<"), of("endhint"), of(">e<")], [5, 8, 10, 10, 13].map(Some));
}

#[test]
fn directives_are_read_to_a_limited_depth_and_nothing_is_lost() {
    let text: String = (3..40).rev().map(|length| format!("{}{{note}}\n", ":".repeat(length))).collect();
    let ends: String = (3..40).map(|length| format!("{}\n", ":".repeat(length))).collect();
    let read = plain(&format!("{text}word\n{ends}"), MYST).text;
    assert_eq!(read.matches("{% hint").count(), MAX_DEPTH);
    assert!(read.contains("```markdown") && read.contains("word") && read.contains("{note}"), "{read}");
}

#[test]
fn the_parts_of_a_file_are_its_contents_and_labels() {
    let text = "(top)=\n# A `b`\n\n```\n(no)=\n```\n\n(c)=\n## D {.e}\n\n::::{grid}\n```{toctree}\n:caption: F\n:glob:\n\ng/*\nH <h>\nself\n```\n::::\n\n(i)=\nj\n";
    let Parts { toctrees, labels } = Parts::of(text);
    let label = |name: &str, title: &str, anchor: Option<&str>| LabelAt {
        name: name.to_owned(),
        title: title.to_owned(),
        anchor: anchor.map(str::to_owned),
    };
    assert_eq!(labels, [label("top", "A b", None), label("c", "D", Some("c")), label("i", "", Some("i"))]);
    let entry = |title: Option<&str>, target: &str, line| ToctreeEntry {
        title: title.map(str::to_owned),
        target: target.to_owned(),
        line,
    };
    let entries = vec![entry(None, "g/*", 16), entry(Some("H"), "h", 17)];
    assert_eq!(toctrees, [Toctree { caption: Some("F".to_owned()), is_glob: true, entries }]);
    let text = "A\n=\n\n.. toctree::\n   :caption: F\n   :glob:\n\n   g/*\n   H <h>\n\nB\n";
    assert_eq!(Parts::of_restructured_text(text).toctrees[0].entries.len(), 2);
    let long = Parts::of(&format!("(a)=\n(b)=\n## {}\n", "é".repeat(1_000))).labels;
    assert_eq!(long.iter().map(|label| label.title.chars().count()).collect::<Vec<_>>(), [200, 200]);
}

/// Reads, writes and reads again, as an import and an export do: the document must be the same.
fn round_trip(text: &str, syntaxes: &[Syntax]) {
    let parsed = |text: &str| -> Document {
        parse_whole(&plain(text, syntaxes).text, &Unresolved).document.expect("not too many parts")
    };
    let first = parsed(text);
    let written = write(&first, &Unresolved);
    let once = escape(&written, &syntaxes.iter().copied().collect());
    assert_eq!(parsed(&once), first, "of {text:?}\nwritten {once:?}");
}

#[rstest]
#[case("\\==a== \\^^b^^ \\++c++ \\:material-d: \\%%e%% \\{ref}`f`", ALL)]
#[case("\\% a\n\n\\(b)=\n\n\\+++\n\n:::{note}\n\\% c\n:::", ALL)]
#[case("- ```{note}\n  a\n  ```\n\n```\\{tip} a\nb\n```", ALL)]
#[case("===a== %%%b%% +++c++ ::material-a: ^^^b^^", ALL)]
#[case("A\n: b\n\n  c\n\nD\n: e\n\n+ f\n- g", ALL)]
#[case("- a\n\n  {ref}`b` ==c==\n\n  D\n  : e", ALL)]
fn what_is_escaped_stays_text(#[case] text: &str, #[case] syntaxes: &[Syntax]) {
    round_trip(text, syntaxes);
}

#[test]
fn directives_that_are_not_read_stay_directives_in_a_changed_file() {
    let (unknown, known) = ("```{eval-rst}\na\n```\n", "```{note}\na\n```\n");
    let syntaxes = MYST.iter().copied().collect();
    assert_eq!(escape(unknown, &syntaxes), unknown);
    assert_eq!(escape(known, &syntaxes), "```\\{note}\na\n```\n");
    round_trip("```{eval-rst}\n==a==\n{ref}`b`\n```\n\n- c\n\n  ~~~{d}\n  e\n  ~~~\n", ALL);
}

/// Pieces that mean something, alone or next to each other.
const PIECES: &[&str] = &[
    "a",
    "b",
    " ",
    " ",
    "\n",
    "\n",
    "\n\n",
    "\n\n",
    "*",
    "**",
    "`",
    "[",
    "](u)",
    "- ",
    "  ",
    "    ",
    "> ",
    "# ",
    "|",
    "\\",
    "==",
    "^^",
    "++",
    "++a++",
    "%%",
    "%%\n",
    ":material-a:",
    ":",
    ": a",
    "\n: ",
    "% ",
    "(a)=\n",
    "+++\n",
    "{ref}`a`",
    "{b}`c`",
    "{",
    "}`",
    ":::{note}\n",
    ":::\n",
    "```{tip} a\n",
    "```\n",
    "::::{tab-set}\n",
    ":::{tab-item} t\n",
    "::::\n",
    "```{figure} a.png\n",
    "```{other} a\n",
    ":::{other} a\n",
    "```{math}\n",
    ":alt: b\n",
    "```{list-table}\n",
    "* - a\n",
    "  - b\n",
    "```{csv-table} a\n",
    ":file: c\n",
    "a, b\n",
    "```{literalinclude} d\n",
    "<div markdown>\n\n",
    "</div>\n\n",
    "<figure markdown>\n![a](b)\n</figure>\n\n",
    "![a](b)\n",
    "{{< highlight go >}}\n",
    "{{< /highlight >}}\n",
    "{{% card title=\"a\" %}}\n",
    "{{% /card %}}\n",
    "<b>",
    "{% hint style=\"info\" %}\n",
    "{% endhint %}\n",
    "$$",
    "é",
];

proptest! {
    #[test]
    fn any_text_is_the_same_after_it_was_written(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12),
    ) {
        round_trip(&pieces.concat(), ALL);
    }

    #[test]
    fn a_line_of_any_text_comes_from_a_line_of_the_file(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12),
    ) {
        let text = pieces.concat();
        let Plain { text: read, lines } = plain(&text, ALL);
        prop_assert_eq!(read.split('\n').count(), lines.len());
        prop_assert!(lines.iter().all(|line| (1..=text.split('\n').count()).contains(line)));
    }
}
