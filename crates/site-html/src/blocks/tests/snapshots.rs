//! What each block is as HTML.
use super::{lines, rendered};
use rstest::rstest;

#[rstest]
#[case::paragraph(
    "One *two* **three** `four` ~~five~~ <kbd>Ctrl</kbd> H<sub>2</sub>O x<sup>2</sup>\\\nline <mark style=\"color:red;\">red</mark>\n\n<p align=\"center\">middle</p>"
)]
#[case::headings(
    "# Title\n\n## One <a href=\"#own\" id=\"own\"></a>\n\n### Two & *three*\n\n#### Four\n\n##### Five\n\n###### Six\n\n## One"
)]
#[case::lists("* one\n* two\n  * three\n\n    more\n\n3. three\n4. four\n\n- [x] done\n- [ ] open\n")]
#[case::quote_and_divider("> a\n>\n> b\n\n---\n")]
#[case::hints(
    "{% hint style=\"info\" %}\nA\n{% endhint %}\n\n{% hint style=\"danger\" icon=\"fire\" %}\nB\n{% endhint %}\n"
)]
#[case::prompt(
    "{% prompt description=\"Set up\" icon=\"rocket\" openIn=\"claude\" %}\n```\nDo it & well\n```\n{% endprompt %}\n"
)]
#[case::code(
    "{% code title=\"a.rs\" lineNumbers=\"true\" overflow=\"wrap\" %}\n```rust {2}\nfn main() {\n    run(\"<a>\"); // b\n}\n```\n{% endcode %}\n\n```diff\n--- a\n+++ b\n- old\n+ new\n  same\n```\n\n```console\n$ echo hi\nhi\n```\n\n```\nplain <b>\n```\n"
)]
#[case::code_that_folds("{% code expandable=\"true\" collapsedLineCount=\"2\" %}\n```\n1\n2\n3\n```\n{% endcode %}\n")]
#[case::formulas("$$\n\\begin{cases} a & b \\\\ c & d \\end{cases}\n$$\n\nIn $$x^2$$ line, and $$\\frac{$$.\n")]
#[case::embeds(
    "{% embed url=\"https://www.youtube.com/watch?v=abc\" %}\nFilm\n{% endembed %}\n\n{% embed url=\"https://example.org/a\" %}\n\n{% embed url=\"javascript:x\" %}\n"
)]
#[case::integration("{% integration integration=\"jira\" block=\"issue\" url=\"https://example.org/1\" %}\n")]
#[case::images(
    "<figure><img src=\"cat.png\" alt=\"A cat\" width=\"400\"><figcaption><p>Of <em>mine</em></p></figcaption></figure>\n\n<div><figure><img src=\"a.png\" alt=\"\"></figure> <figure><img src=\"https://example.org/b.png\" alt=\"B\"></figure></div>\n\n![lost](lost.png)\n"
)]
#[case::dark_image(
    "<figure><picture><source srcset=\"dark.png\" media=\"(prefers-color-scheme: dark)\"><img src=\"light.png\" alt=\"Both\"></picture></figure>\n"
)]
#[case::files(
    "{% file src=\"manual.pdf\" %}\nThe manual\n{% endfile %}\n\n{% file src=\"manual.pdf\" %}\n\n{% file src=\"https://example.org/a.zip?x=1\" %}\n\n{% file src=\"lost.pdf\" %}\n"
)]
#[case::references(
    "{% content-ref url=\"page.md\" %}\n[page.md](page.md)\n{% endcontent-ref %}\n\n{% content-ref url=\"https://example.org/a\" %}\n[Example](https://example.org/a)\n{% endcontent-ref %}\n\n{% content-ref url=\"lost.md\" %}\n[Lost](lost.md)\n{% endcontent-ref %}\n"
)]
#[case::expandable(
    "<details>\n\n<summary>More <strong>to</strong> read</summary>\n\nText\n\n</details>\n\n<details open>\n\n<summary>Open</summary>\n\nText\n\n</details>\n"
)]
#[case::tabs(
    "{% tabs %}\n{% tab title=\"Linux\" icon=\"linux\" slug=\"lx\" %}\nA\n{% endtab %}\n\n{% tab title=\"Mac\" id=\"mac\" slug=\"apple\" %}\nB\n{% endtab %}\n{% endtabs %}\n"
)]
#[case::steps(
    "{% stepper %}\n{% step %}\n### First\n\nA\n{% endstep %}\n\n{% step icon=\"flag\" %}\n### Last\n\nB\n{% endstep %}\n{% endstepper %}\n"
)]
#[case::columns(
    "{% columns %}\n{% column width=\"30%\" %}\nA\n{% endcolumn %}\n\n{% column valign=\"middle\" %}\nB\n{% endcolumn %}\n{% endcolumns %}\n"
)]
#[case::updates(
    "{% updates format=\"short\" %}\n{% update date=\"2024-05-06\" tags=\"new,fix\" %}\n## Two\n\nB\n{% endupdate %}\n\n{% update date=\"2024-05-06\" tags=\"fix\" %}\nA\n{% endupdate %}\n{% endupdates %}\n"
)]
#[case::table("| Name | Size |\n| :-- | --: |\n| a **b** | 1 |\n| c |  |\n")]
#[case::table_of_kinds(
    "<table data-header-hidden data-search=\"true\"><thead><tr><th width=\"120\">Name</th><th data-type=\"number\">Size</th><th data-type=\"checkbox\">Done</th><th data-type=\"rating\" data-max=\"5\">Rating</th><th data-type=\"select\" data-options=\"[{&quot;value&quot;:&quot;n&quot;,&quot;label&quot;:&quot;New&quot;,&quot;color&quot;:&quot;green&quot;}]\">State</th><th data-type=\"content-ref\">Ref</th><th data-type=\"files\">Files</th><th data-type=\"image\">Image</th></tr></thead><tbody><tr><td>a</td><td>12.5</td><td>true</td><td>3</td><td><span data-id=\"n\"></span></td><td><a href=\"page.md\">page.md</a></td><td><a href=\"one.pdf\">one.pdf</a></td><td><img src=\"cat.png\" alt=\"Cat\"></td></tr></tbody></table>\n"
)]
#[case::cards(
    "<table data-view=\"cards\"><thead><tr><th></th><th></th><th data-hidden data-card-target data-type=\"content-ref\"></th><th data-hidden data-card-cover data-type=\"files\"></th></tr></thead><tbody><tr><td><strong>One</strong></td><td>About <a href=\"page.md\">it</a></td><td><a href=\"page.md\">page.md</a></td><td><a href=\"cat.png\">cat.png</a></td></tr><tr><td></td><td></td><td><a href=\"other.md\">other.md</a></td><td></td></tr><tr><td>Alone</td><td></td><td></td><td></td></tr></tbody></table>\n"
)]
#[case::links(
    "[a](page.md \"Title\") [b](page.md#x) [c](https://example.org) [d](mailto:a@example.org) [e](lost.md) [f](javascript:x) [](page.md) [*g*](#here)\n"
)]
#[case::buttons(
    "<a href=\"page.md\" class=\"button primary\" data-icon=\"rocket\">Go</a> <a href=\"https://example.org\" class=\"button secondary\">Out</a> <button type=\"button\" class=\"button secondary\" data-action=\"search\" data-query=\"a b\">Find</button> <button type=\"button\" class=\"button secondary\" data-action=\"select\" data-slug=\"lx\">Tab</button>\n"
)]
#[case::signs("<i class=\"fa-gear\">:gear:</i> <i class=\"fa-unknown-thing\">:unknown-thing:</i> :smile: :flag-fr:\n")]
#[case::notes("A[^1] and B[^2].\n\n* c[^3]\n\n[^1]: First *note*.\n[^2]: Second\n\n    more\n[^3]: Third\n")]
#[case::verbatim(
    "<div onclick=\"x\" style=\"color:red\"><script>y</script><b>bold</b></div>\n\n{% unknown %}\n\nLine <u>under</u> <span onclick=\"x\">s</span>\n"
)]
#[case::openapi_of_nowhere(
    "{% openapi-operation spec=\"a\" path=\"/a/b\" method=\"get\" %}\n{% endopenapi-operation %}\n\n{% openapi-schemas spec=\"a\" schemas=\"A,B\" %}\n{% endopenapi-schemas %}\n\n{% openapi src=\"https://example.org/a.json\" path=\"/a\" method=\"post\" %}\n{% endopenapi %}\n"
)]
fn a_block_is(#[case] text: &str) {
    let name = std::thread::current().name().unwrap_or_default().rsplit("::").next().unwrap_or_default().to_owned();
    let name = name
        .split_once('_')
        .and_then(|(_, rest)| rest.split_once('_'))
        .map_or(name.clone(), |(_, rest)| rest.to_owned());
    let article = rendered(text);
    let mut shown = lines(&article.html);
    if !article.css.is_empty() {
        shown.push_str(&format!("\n\n/* {} */", article.css));
    }
    insta::assert_snapshot!(name, shown);
}
