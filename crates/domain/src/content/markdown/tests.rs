//! Laws of reading and writing, on samples, on generated texts and on a real corpus.
use super::*;
use proptest::prelude::*;

/// Reads, writes and reads again: the document must be the same, and so must the text.
fn round_trip(text: &str) -> (Source, String) {
    let first = parse(text, &Unresolved);
    let written = write_page(first.front_matter.as_ref(), first.title.as_deref(), &first.document, &Unresolved);
    let second = parse(&written, &Unresolved);
    assert_eq!(second.title, first.title, "of {text:?}\nwritten {written:?}");
    assert_eq!(second.document, first.document, "of {text:?}\nwritten {written:?}");
    let again = write_page(second.front_matter.as_ref(), second.title.as_deref(), &second.document, &Unresolved);
    assert_eq!(again, written, "of {text:?}");
    (first, written)
}

#[test]
fn try_file() {
    let Ok(path) = std::env::var("MD_FILE") else { return };
    let text = std::fs::read_to_string(path).expect("a file");
    let (source, written) = round_trip(&text);
    println!("{:#?}\n{written}", source.document);
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

const PIECES: &[&str] = &[
    "a", "b", "word", " ", " ", "\n", "\n", "\n\n", "\n\n", "*", "**", "_", "~~", "~", "`", "``", "```\n", "```js\n", "~~~\n", "[", "]", "(", ")", "](", "](u)", "![",
    "![a](b)", "[x](y)", "[x]: /u\n", "[^1]", "[^1]: ", "<", ">", "> ", "- ", "* ", "+ ", "1. ", "2) ", "    ", "  ", "\t", "# ", "## ", "#", "---\n",
    "===\n", "***\n", "|", "| a | b |\n| --- | :-: |\n| c | d |\n", "\\", "\\\n", "&amp;", "&", "&#32;", "&#10;", "&nbsp;", "<b>", "</b>", "<strong>", "</strong>", "<em>", "</em>", "<br>",
    "<div>", "</div>", "<!--", "-->", "<kbd>k</kbd>", "<sup>", "</sup>", "<mark style=\"color:red;\">", "</mark>", "<details>", "</details>", "<summary>t</summary>",
    "<figure><img src=\"a\" alt=\"\"><figcaption>c</figcaption></figure>", "<img src=\"x\">", "<a href=\"u\">", "</a>", "<code>", "</code>", "<pre>", "<p align=\"center\">x</p>\n",
    "{% hint style=\"info\" %}", "{% endhint %}", "{% tabs %}", "{% tab title=\"t\" %}", "{% endtab %}", "{% endtabs %}", "{% code title=\"x\" %}", "{% endcode %}", "{% embed url=\"u\" %}", "{% endembed %}",
    "{% x %}", "{%", "%}", "{", "$$", "$", "$$x$$", "$$\nx\n$$\n", "{% if a %}", "{% endif %}", "{% content-ref url=\"u\" %}", "{% endcontent-ref %}", "{% include \"x\" %}",
    "http://a.b/c", "www.a.b", "x@y.zz", ":", "!", ".", "-", "+", "=", "1", "é", "中", "“", "\u{a0}", "\u{0}", "\r", "- [ ] ", "[x] ", "<a href=\"#i\" id=\"i\"></a>",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(512), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_is_written_and_read_again(text in pieces()) {
        round_trip(&text);
    }
}

fn corpus() -> Vec<(std::path::PathBuf, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/fluentd-docs");
    let root = std::env::var("CORPUS").map(Into::into).unwrap_or(root);
    let mut files = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                let text = std::fs::read_to_string(&path).expect("text");
                files.push((path, text));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn the_corpus_keeps_its_documents() {
    let files = corpus();
    if files.is_empty() {
        println!("the corpus is absent");
    }
    for (path, text) in files {
        let (source, written) = round_trip(&text);
        if let Ok(out) = std::env::var("CORPUS_OUT") {
            let name = path.to_string_lossy().replace('/', "_");
            std::fs::write(format!("{out}/{name}"), &written).expect("written");
            std::fs::write(format!("{out}/{name}.orig"), &text).expect("written");
            let _ = source;
        }
    }
}
