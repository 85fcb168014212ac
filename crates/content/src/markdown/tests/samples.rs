//! Samples of everything that can be written.
use super::*;
use crate::document::{Annotation, Expandable, Images, Kind, ListItem, Marks, Text};
use rstest::rstest;

/// Text that is written unchanged.
#[rstest]
#[case::marks("**bold** _italic_ ~~struck~~ `code` **_both_ bold** **[bold](u) text**")]
#[case::words("snake_case 2 * 3 a_b_c ~/x C:\\dir #tag 5. x [note] a & b AT&T 1 < 2 {x} $5 50%")]
#[case::escapes("\\*a\\* \\_b\\_ \\`c\\` \\[d\\](e) \\<f> \\&amp; \\{% g %} \\$$h\\$$ !\\[i\\](j)")]
#[case::addresses("\\<=@e> \\<.b\\@c.de> <=> a\\@.bc mailto:\\@b.cc @d")]
#[case::odd_icons("[<i class=\"fa-a]\">:a&#93;:</i>](u) <i class=\"fa-b-2\">:b-2:</i>")]
#[case::titles("[a](b \"c&#92;\") \"d\" [e](f \"g\\h\")")]
#[case::first("\\# a\n\n1\\. b\n\n\\- c\n\n\\> d\n\n\\+ e\n\n\\| f |\n\n\\[g\\]: h")]
#[case::colons("\\::: a\n\n:: b ::: c\\\n\\:::")]
#[case::spaces("a&#32;\n\n&#32;b\n\n* &#32;\\[x\\] c")]
#[case::breaks("a\\\nb\\\n**c\\\nd**")]
#[case::odd_marks("a<em>b</em>c <strong> d </strong> x**y**z")]
#[case::html_marks("<kbd>Ctrl</kbd> x<sup>2</sup> H<sub>2</sub>O <mark style=\"color:red;\">red</mark>")]
#[case::background("<mark style=\"color:$primary;background-color:yellow;\">both</mark>")]
#[case::code("``a`b`` ` `` ` ` a` `  `")]
#[case::links("[a](b.md) [c](<d e.md>) [f](g \"title\") [](h) [`i`](j) [**k**](l)")]
#[case::bare("See https://example.com/a?b=c, www.example.com and (http://example.com/ ) <a@example.com>.")]
#[case::not_bare("https\\://a.b www\\.a.b a\\@b.cc")]
#[case::images("A ![picture](a.png) in ![text](b.png \"caption\") <img src=\"c.png\" alt=\"d\" data-size=\"line\">")]
#[case::image("![alt \\[x\\]](a.png)")]
#[case::figure(
    "<figure><img src=\"a.png\" alt=\"b\" width=\"300\"><figcaption><p>A <strong>bold</strong> caption</p></figcaption></figure>"
)]
#[case::empty_figure("<figure><img src=\"a.png\" alt=\"\"><figcaption></figcaption></figure>")]
#[case::dark(
    "<figure><picture><source srcset=\"d.png\" media=\"(prefers-color-scheme: dark)\"><img src=\"l.png\" alt=\"\" width=\"50%\" height=\"20\"></picture><figcaption></figcaption></figure>"
)]
#[case::row(
    "<div align=\"left\" data-full-width=\"true\" data-with-frame=\"true\"><figure><img src=\"a\" alt=\"\"><figcaption></figcaption></figure> <figure><img src=\"b\"><figcaption></figcaption></figure></div>"
)]
#[case::drawing("<img src=\"a.svg\" alt=\"\" class=\"gitbook-drawing\">")]
#[case::headings("## Two\n\n###### Six `code`\n\n## C\\#\n\n## Own <a href=\"#own-id\" id=\"own-id\"></a>\n\n##")]
#[case::bullets("* a\n  * b\n    * c\n* d")]
#[case::two_lists("* a\n\n- b\n\n1. c\n\n1) d")]
#[case::ordered("3. a\n\n4. b\n\n   more")]
#[case::tasks("* [ ] open\n* [x] done\n  * [ ] inner\n* none")]
#[case::empty_items("*\n* a\n*")]
#[case::first_in_item("* ## a\n\n* ```\n  b\n  ```\n\n* - c\n\n* > d\n\n* ___")]
#[case::quote("> a\n>\n> > b\n>\n> * c")]
#[case::rule("a\n\n---\n\nb")]
#[case::fences("```js\n```\n\n````\n```\n````\n\n~~~a`b\nx\n~~~\n\n```{1,3-4}\na\n```")]
#[case::code_tags("```\n{% hint style=\"info\" %}\n$$\n{% endhint %}\n```\n\n`{% hint %}` `$$a$$`")]
#[case::code_block(
    "{% code title=\"a.js\" overflow=\"wrap\" lineNumbers=\"true\" fullWidth=\"false\" expandable=\"true\" collapsedLineCount=\"5\" %}\n```js {2}\na\n\nb\n```\n{% endcode %}"
)]
#[case::math("$$\na --> b ?> c\n\n\\frac{1}{2}\n$$\n\nInline $$x_1 * y_2$$ and $$a|b$$.")]
#[case::table(
    "| a | b | c | d |\n| --- | :--- | :---: | ---: |\n| `x\\|y` | $$p|q$$ | e<br>f | **g** |\n|  | \\| | [h](i) |  |"
)]
#[case::hint("{% hint style=\"warning\" icon=\"star\" %}\nText\n\n* a\n{% endhint %}")]
#[case::tabs(
    "{% tabs %}\n{% tab title=\"A \\\"b\\\"\" icon=\"x\" %}\na\n{% endtab %}\n\n{% tab title=\"`c`\" %}\n{% endtab %}\n{% endtabs %}"
)]
#[case::stepper(
    "{% stepper %}\n{% step %}\n### One\n\na\n{% endstep %}\n\n{% step icon=\"x\" %}\nb\n{% endstep %}\n{% endstepper %}"
)]
#[case::columns(
    "{% columns fullWidth=\"true\" %}\n{% column width=\"33.5%\" valign=\"middle\" %}\na\n{% endcolumn %}\n\n{% column %}\nb\n{% endcolumn %}\n{% endcolumns %}"
)]
#[case::updates(
    "{% updates format=\"short\" %}\n{% update date=\"2025-01-01\" tags=\"a,b\" %}\n## c\n{% endupdate %}\n\n{% update date=\"2025-02-03T04:05:06Z\" %}\nd\n{% endupdate %}\n{% endupdates %}"
)]
#[case::condition("{% if visitor.claims.plan == \"pro\" && a < b %}\na\n{% endif %}")]
#[case::include("{% include \"../.gitbook/includes/a b.md\" %}")]
#[case::card("{% content-ref url=\"a/b_c.md\" %}\n[a/b_c.md](a/b_c.md)\n{% endcontent-ref %}")]
#[case::embed(
    "{% embed url=\"https://a.b/c?d=e&f\" %}\n\n{% embed url=\"g\" fullWidth=\"true\" %}\nA _caption_\n{% endembed %}\n\n{% embed url=\"h\" %}"
)]
#[case::file("{% file src=\"a.zip\" %}\n\n{% file src=\"b.zip\" %}\nCaption\n{% endfile %}")]
#[case::prompt(
    "{% prompt description=\"Do it\" icon=\"x\" openIn=\"a,b\" defaultExpanded=\"full\" %}\n```\nDo\n```\n{% endprompt %}"
)]
#[case::openapi(
    "{% openapi src=\"a.yaml\" path=\"/b\" method=\"get\" expanded=\"true\" %}\n[a.yaml](a.yaml)\n{% endopenapi %}\n\n{% openapi-operation spec=\"s\" version=\"v1\" path=\"/b\" method=\"get\" headless=\"true\" %}\n{% endopenapi-operation %}\n\n{% openapi-schemas spec=\"s\" schemas=\"A,B\" grouped=\"true\" %}\n{% endopenapi-schemas %}\n\n{% openapi-webhook spec=\"s\" name=\"w\" method=\"post\" %}\n{% endopenapi-webhook %}"
)]
#[case::integration("{% integration integration=\"a\" block=\"b\" props=\"{\\\"c\\\":[1,\\\"d\\\"]}\" url=\"u\" %}")]
#[case::expandable(
    "<details open id=\"x\">\n\n<summary>A <strong>title</strong></summary>\n\nBody\n\n* a\n\n</details>\n\n<details>\n\n<summary></summary>\n\n</details>"
)]
#[case::aligned("<p align=\"center\">a <strong>b</strong><br>c</p>\n\n<h2 align=\"right\" id=\"x\">d</h2>")]
#[case::button(
    "<a href=\"x.md\" class=\"button primary\" data-icon=\"rocket\">Go &amp; see</a> <button type=\"button\" class=\"button secondary\" data-action=\"ask\" data-query=\"why\">Ask</button>"
)]
#[case::inline(
    "<i class=\"fa-house\">:house:</i> <code class=\"expression\">space.vars.a_b</code> [x.md](x.md \"mention\") :smile:"
)]
#[case::footnotes("a[^1] [b **c**][^note] a[^1]\n\n[^1]: d\n\n[^note]: e\n\n    * f")]
#[case::cards(
    "<table data-view=\"cards\" data-card-size=\"large\"><thead><tr><th>A</th><th data-type=\"rating\" data-max=\"5\"></th><th data-hidden data-card-target data-type=\"content-ref\"></th><th data-hidden data-card-cover data-type=\"image\"></th></tr></thead><tbody><tr><td><strong>a</strong><br>b</td><td>4</td><td><a href=\"x.md\">x.md</a></td><td><img src=\"a.png\" alt=\"b\" data-object-fit=\"cover\"></td></tr></tbody></table>"
)]
#[case::grid(
    "<table data-header-hidden data-full-width=\"true\"><thead><tr><th width=\"200\" align=\"center\" valign=\"top\">A</th><th data-type=\"checkbox\">B</th><th>C<select multiple><option value=\"a\" label=\"A\" color=\"red\"></option><option value=\"b\" label=\"B &amp; C\" color=\"default\"></option></select></th></tr></thead><tbody><tr><td>a</td><td>true</td><td><span data-option=\"a\">A, </span><span data-option=\"b\">B &amp; C</span></td></tr></tbody></table>"
)]
#[case::kept_select(
    "<table><thead><tr><th width=\"100\">A<select><option>b</option></select></th></tr></thead><tbody><tr><td>c</td></tr></tbody></table>"
)]
#[case::kept(
    "<div class=\"x\">\n  *raw*\n</div>\n\n<!--\n{% hint style=\"info\" %}\n\nhidden\n-->\n\na <span>b</span> <!-- c --> {% d %}\n\n{% unknown a=\"b\" %}\n\n[//]: # (a comment)"
)]
#[case::kept_lists(
    "<ol type=\"a\"><li>x</li></ol>\n\n<ul><li><pre>x</pre></li></ul>\n\n<ul>x</ul>\n\n<dl><dt>x</dt><dd>y</dd></dl>\n\n<div align=\"center\"><ul><li>x</li></ul></div>"
)]
#[case::no_import("&#105;mport a from 'b'")]
#[case::kept_components(
    "<Unknown>\n\na\n\n</Unknown>\n\n<Note>\n\nb\n\n</Tip>\n\n<Tab title=\"c\">\n\nd\n\n</Tab>\n\n{{< tab \"e\" >}}\n\nf\n\n{{< /tabs >}}"
)]
#[case::no_components("\\<Note>a\\</Note>\n\n\\{{< tip >}}\n\na {{< tip >}} \\[[b]\\]")]
#[case::pluses("\\+++\n\na = 1\n\n\\+++")]
#[case::kept_divs(
    "<div align=\"center\">\n\n* a\n\n</div>\n\n<div align=\"center\">\n\na <span>b</span>\n\n</div>\n\n<div>\n\na\n\n</div>\n\n</div>\n\n<div align=\"center\">\n\nb"
)]
#[case::kept_picture("<picture>\n<img src=\"a.png\"></picture> a <picture>")]
#[case::kept_tags("{% hint style=\"nosuch\" %}\n\na\n\n{% endhint %}\n\n{% endtab %}\n\n{% tab title=\"a\" %}")]
fn canonical_text_is_written_unchanged(#[case] text: &str) {
    let text = format!("{text}\n");
    assert_eq!(round_trip(&text).1, text);
}

/// Text that is written in another way, with the same meaning.
#[rstest]
#[case::emphasis("*a* __b__ ***c***", "_a_ **b** **_c_**")]
#[case::soft_breaks("a\nb\n  c", "a b c")]
#[case::hard_breaks("a  \nb", "a\\\nb")]
#[case::old_escapes("a \\(b\\) c\\-d", "a (b) c-d")]
#[case::references("[a][b] ![c][b]\n\n[b]: <d e> \"f\"", "[a](<d e> \"f\") ![c](<d e> \"f\")")]
#[case::setext("A\n---", "## A")]
#[case::indented("    code\n\n      more", "```\ncode\n\n  more\n```")]
#[case::bullets("- a\n- b\n\n+ c", "* a\n* b\n\n- c")]
#[case::loose("* a\n\n* b", "* a\n* b")]
#[case::entities("&copy; &lt;b&gt; &nosuch;", "© \\<b> \\&nosuch;")]
#[case::html_marks("<b>a</b> <i>b</i> <s>c</s> <code>d</code> <a href=\"e\">f</a>", "**a** _b_ ~~c~~ `d` [f](e)")]
#[case::crossing("<b>a *b</b>c*", "**a _b_**_c_")]
#[case::one_line("{% hint style='info' %} a *b* {% endhint %}", "{% hint style=\"info\" %}\na _b_\n{% endhint %}")]
#[case::one_line_tabs(
    "{% tabs %}{% tab title=\"a\" %}b{% endtab %}{% endtabs %}",
    "{% tabs %}\n{% tab title=\"a\" %}\nb\n{% endtab %}\n{% endtabs %}"
)]
#[case::swagger(
    "{% swagger src=\"a\" path=\"/b\" method=\"get\" %}\n[x](a)\n{% endswagger %}",
    "{% openapi src=\"a\" path=\"/b\" method=\"get\" %}\n[a](a)\n{% endopenapi %}"
)]
#[case::options_as_an_attribute(
    "<table><thead><tr><th data-type=\"select\" data-options='[{\"value\":\"a\",\"label\":\"A\",\"color\":\"red\"}]'>B</th></tr></thead><tbody><tr><td><span data-id=\"a\"></span><span data-id=\"c\"></span></td></tr></tbody></table>",
    "<table><thead><tr><th>B<select><option value=\"a\" label=\"A\" color=\"red\"></option></select></th></tr></thead><tbody><tr><td><span data-option=\"a\">A, </span><span data-option=\"c\"></span></td></tr></tbody></table>"
)]
#[case::options_with_an_alignment_and_an_unknown_colour(
    "<table><thead><tr><th align=\"center\">B<select>\n<option value=\"a\" label=\"A\" color=\"gray\"></option>\n</select></th></tr></thead><tbody><tr><td align=\"center\"><span data-option=\"a\">Old</span></td></tr></tbody></table>",
    "<table><thead><tr><th>B<select><option value=\"a\" label=\"A\" color=\"default\"></option></select></th></tr></thead><tbody><tr><td><span data-option=\"a\">A</span></td></tr></tbody></table>"
)]
#[case::image("<img src=\"a.png\" alt=\"b\">", "![b](a.png)")]
#[case::image_size(
    "<img align=\"right\" src=\"a.png\" style=\"border: 0; width: 50%\" class=\"x\" />",
    "<div align=\"right\"><figure><img src=\"a.png\" width=\"50%\"><figcaption></figcaption></figure></div>"
)]
#[case::centered_image(
    "<p align=\"center\">\n  <img src=\"a.png\" width=\"300\">\n</p>",
    "<div align=\"center\"><figure><img src=\"a.png\" width=\"300\"><figcaption></figcaption></figure></div>"
)]
#[case::linked_image(
    "<a href=\"b\">\n  <img\n    src=\"a.png\" alt=\"c\" width=\"300px\">\n</a>",
    "[<img src=\"a.png\" alt=\"c\" width=\"300px\">](b)"
)]
#[case::image_of_themes(
    "<picture>\n<source media=\"(prefers-color-scheme: dark)\" srcset=\"d.png\">\n<source media=\"(prefers-color-scheme: light)\" srcset=\"a.png\">\n<img src=\"a.png\">\n</picture>",
    "<figure><picture><source srcset=\"d.png\" media=\"(prefers-color-scheme: dark)\"><img src=\"a.png\"></picture><figcaption></figcaption></figure>"
)]
#[case::head_of_a_file(
    "<div align=\"center\">\n  <img src=\"a.png\" alt=\"\">\n  <h2>B</h2>\n  <p>c <b>d</b></p>\n  <a href=\"e\">f</a> | g\n</div>\n<hr>\n<!-- h -->\n<p>i</p>",
    "<div align=\"center\"><figure><img src=\"a.png\" alt=\"\"><figcaption></figcaption></figure></div>\n\n<h2 align=\"center\">B</h2>\n\n<p align=\"center\">c <strong>d</strong></p>\n\n<p align=\"center\"><a href=\"e\">f</a> | g</p>\n\n---\n\n<!-- h -->\n\ni"
)]
#[case::row_over_lines(
    "<div>\n\n<figure><img src=\"a\" alt=\"\"><figcaption></figcaption></figure>\n\n \n\n<figure><img src=\"b\" alt=\"\"><figcaption></figcaption></figure>\n\n</div>",
    "<div><figure><img src=\"a\" alt=\"\"><figcaption></figcaption></figure> <figure><img src=\"b\" alt=\"\"><figcaption></figcaption></figure></div>"
)]
#[case::centered_markdown(
    "<div align=\"center\">\n\n## A `b`\n\n![c](d)\n\ne [**f**](g)\\\nh\n\n---\n\n</div>",
    "<h2 align=\"center\">A <code>b</code></h2>\n\n<div align=\"center\"><figure><img src=\"d\" alt=\"c\"><figcaption></figcaption></figure></div>\n\n<p align=\"center\">e <a href=\"g\"><strong>f</strong></a><br>h</p>\n\n---"
)]
#[case::html_text(
    "<h2 id=\"x\">A *b*</h2>\n\n<p>\nc<br>\nd\n</p>",
    "## A \\*b\\* <a href=\"#x\" id=\"x\"></a>\n\nc\\\nd"
)]
#[case::html_list(
    "<ul class=\"x\">\n  <li>A *b*</li>\n  <li><a href=\"c\">d</a> <b>e</b>\n    <ol start=\"3\"><li>f<li><p>g</p><p>h</p></ol>\n  </li>\n</ul>\n<ul><li></ul>",
    "* A \\*b\\*\n\n* [d](c) **e**\n\n  3. f\n\n  4. g\n\n     h\n\n-"
)]
#[case::html_list_in_a_list("- a\n\n  <ul><li>b</li></ul>", "* a\n  * b")]
#[case::single_dollars(
    "Let $x_1$ be $\\pi$, not $5 or $10, ($y$).",
    "Let $$x_1$$ be $$\\pi$$, not $5 or $10, ($$y$$)."
)]
#[case::single_dollars_of_text("`$x$` \\$x$ &#36;y$ [a](b$c \"d$e\")", "`$x$` \\$x$ \\$y$ [a](b$c \"d$e\")")]
#[case::dollars_of_addresses(
    "[a](https://x.org/?$filter=a&$top=1$) ![b](c.$$d \"$e\")",
    "[a](https://x.org/?$filter=a&$top=1$) ![b](c.\\$$d \"$e\")"
)]
#[case::formulas_in_addresses("[a](\\$b$/c \"\\$d$\") [e](\\$f)^2$ g", "[a](\\$b$/c \"\\$d$\") [e]($f)^2\\$ g")]
#[case::short_id(
    "## A {#b-1}\n\n## {#c}\n\n## D \\{#e}",
    "## A <a href=\"#b-1\" id=\"b-1\"></a>\n\n## <a href=\"#c\" id=\"c\"></a>\n\n## D \\{#e}"
)]
#[case::attributes_with_an_id(
    "## A (*b*) ## {: #c }\n\n## D {: .e #f .g}\n\n## H \\# {#i}\n\n## J \\{: #k }",
    "## A (_b_) <a href=\"#c\" id=\"c\"></a>\n\n## D <a href=\"#f\" id=\"f\"></a>\n\n## H \\# <a href=\"#i\" id=\"i\"></a>\n\n## J \\{: #k }"
)]
#[case::attributes_of_images_and_links(
    "![a](b.png){ loading=lazy .c }\n\n[d](e){:target=\"_blank\"} f [g](h){i} [j](k)\\{.l}",
    "![a](b.png)\n\n[d](e) f [g](h){i} [j](k)\\{.l}"
)]
#[case::attributes_without_an_id("## A {: .b }\n\n## C {: #d e=\"f\" }", "## A {: .b }\n\n## C {: #d e=\"f\" }")]
#[case::short_id_that_is_not_of_a_title(
    "<details>\n<summary>a</summary>\n# B {#b}\n</details>",
    "<details>\n\n<summary>a</summary>\n\n# B <a href=\"#b\" id=\"b\"></a>\n\n</details>"
)]
#[case::short_id_after_a_comment_and_text(
    "<!-- a --> b\n# C {#c}",
    "<!-- a -->\n\nb\n\n# C <a href=\"#c\" id=\"c\"></a>"
)]
#[case::no_short_id("## A {#b c}\n\n## D{#e}", "## A {#b c}\n\n## D\\{#e}")]
#[case::alert("> [!NOTE]\n> a *b*\n>\n> * c", "{% hint style=\"info\" %}\na _b_\n\n* c\n{% endhint %}")]
#[case::alert_alone("> [!tip]\n>\n> a", "{% hint style=\"success\" %}\na\n{% endhint %}")]
#[case::no_alert("> [!NOTE]\n\n> \\[!NOTE] a\n> b", "> \\[!NOTE\\]\n\n> \\[!NOTE\\] a b")]
#[case::alert_with_an_end_tag(
    "> [!NOTE]\n> a\n>\n> {% endhint %}\n>\n> b",
    "> \\[!NOTE\\]\n>\n> a\n>\n> {% endhint %}\n>\n> b"
)]
#[case::alert_with_a_start_tag("> [!TIP]\n> {% hint %}", "> \\[!TIP\\]\n>\n> {% hint %}")]
#[case::alert_with_an_end_tag_in_a_condition(
    "> [!TIP]\n> {% if a %}\n> {% endhint %}\n> {% endif %}",
    "> \\[!TIP\\]\n>\n> {% if a %}\n> {% endhint %}\n>\n> {% endif %}"
)]
#[case::admonition_with_a_start_tag(
    ":::note\n{% hint style=\"info\" %}\nx\n:::",
    ":::note\n\n{% hint style=\"info\" %}\n\nx\n\n:::"
)]
#[case::admonition_with_an_end_tag(":::details A\n</details>\n\nb\n:::", ":::details A\n\n</details>\n\nb\n\n:::")]
#[case::admonition_with_an_end_tag_in_a_line(
    ":::details A\n\nb</details>\n\nc\n:::",
    ":::details A\n\nb\n\n</details>\n\nc\n\n:::"
)]
#[case::old_tab_with_an_end_tag(
    "{% code-tabs %}\n{% code-tabs-item title=\"a\" %}\nb\n{% endtab %}\n{% endcode-tabs-item %}\n{% endcode-tabs %}",
    "{% code-tabs %}\n\n{% code-tabs-item title=\"a\" %}\n\nb\n\n{% endtab %}\n\n{% endcode-tabs-item %}\n\n{% endcode-tabs %}"
)]
#[case::tag_in_a_line_of_an_admonition(
    ":::note {% embed url=\"u\" %}\nx\n:::\n\n{% embed url=\"w\" %}\ncap\n{% endembed %}",
    ":::note {% embed url=\"u\" %}\n\nx\n\n:::\n\n{% embed url=\"w\" %}\ncap\n{% endembed %}"
)]
#[case::admonition(":::tip My tip\na *b*\n:::", "{% hint style=\"success\" %}\n**My tip**\n\na _b_\n{% endhint %}")]
#[case::nested_admonitions(
    "::::note\n\n:::warning[c]\nd\n:::\n\n::::\ne",
    "{% hint style=\"info\" %}\n{% hint style=\"warning\" %}\n**c**\n\nd\n{% endhint %}\n{% endhint %}\n\ne"
)]
#[case::admonition_of_details("::: details A\nb\n:::", "<details>\n\n<summary>A</summary>\n\nb\n\n</details>")]
#[case::no_admonition(
    ":::tip A\nb\n\n* :::\n\n::: {.c}\nd\n:::\n\n```\n:::\n```",
    ":::tip A\n\nb\n\n* :::\n\n::: {.c}\n\nd\n\n:::\n\n```\n:::\n```"
)]
#[case::open_details("::: details A {open}\nb\n:::", "<details open>\n\n<summary>A</summary>\n\nb\n\n</details>")]
#[case::blocks_of_mkdocs(
    "!!! warning \"A\"\n    b\n\n    ```\n    c\n    ```\n\n=== \"D\"\n\n    e\n\n=== \"F\"\n\n    g\n\nh",
    "{% hint style=\"warning\" %}\n**A**\n\nb\n\n```\nc\n```\n{% endhint %}\n\n{% tabs %}\n{% tab title=\"D\" %}\ne\n{% endtab %}\n\n{% tab title=\"F\" %}\ng\n{% endtab %}\n{% endtabs %}\n\nh"
)]
#[case::import("import a from 'b'", "<!-- import a from 'b' -->")]
#[case::callouts(
    "> [!warning] A `b`\n> c\n>\n> * d\n\n> [!faq]- E\n> f\n\n> [!NOTE] g",
    "{% hint style=\"warning\" %}\n**A `b`**\n\nc\n\n* d\n{% endhint %}\n\n<details>\n\n<summary>E</summary>\n\nf\n\n</details>\n\n{% hint style=\"info\" %}\ng\n{% endhint %}"
)]
#[case::code_group(
    "::: code-group\n\n```js [npm.js]\na\n```\n\n```sh\nb\n```\n\n:::",
    "{% tabs %}\n{% tab title=\"npm.js\" %}\n```js\na\n```\n{% endtab %}\n\n{% tab title=\"sh\" %}\n```sh\nb\n```\n{% endtab %}\n{% endtabs %}"
)]
#[case::group_of_code_and_text("::: code-group\n```\na\n```\nb\n:::", "::: code-group\n\n```\na\n```\n\nb\n\n:::")]
#[case::hints_of_mdx(
    "<Note>\na *b*\n</Note>\n\n<Callout type=\"warning\" title=\"T\">\n  c\n</Callout>\n<Tip>d `e`</Tip>",
    "{% hint style=\"info\" %}\na _b_\n{% endhint %}\n\n{% hint style=\"warning\" %}\n**T**\n\nc\n{% endhint %}\n\n{% hint style=\"success\" %}\nd `e`\n{% endhint %}"
)]
#[case::tabs_of_mdx(
    "<Tabs>\n  <TabItem value=\"a\" label=\"A\" default>\n    ```\n    b\n    ```\n  </TabItem>\n  <TabItem value=\"c\">\n\n    - d\n\n  </TabItem>\n</Tabs>",
    "{% tabs %}\n{% tab title=\"A\" %}\n```\nb\n```\n{% endtab %}\n\n{% tab title=\"c\" %}\n* d\n{% endtab %}\n{% endtabs %}"
)]
#[case::steps_of_mdx(
    "<Steps>\n  <Step title=\"A *b*\">\n    c\n  </Step>\n  <Step>\n    d\n  </Step>\n</Steps>\n\n<Steps>\n\n1. e\n\n</Steps>",
    "{% stepper %}\n{% step %}\n### A \\*b\\*\n\nc\n{% endstep %}\n\n{% step %}\nd\n{% endstep %}\n{% endstepper %}\n\n1. e"
)]
#[case::words_in_a_shortcode(
    "{{% alert \"Mind it\" %}}\na\n{{% /alert %}}",
    "{% hint style=\"info\" %}\n**Mind it**\n\na\n{% endhint %}"
)]
#[case::accordions(
    "<AccordionGroup>\n  <Accordion title=\"A\" defaultOpen>\n    b\n  </Accordion>\n  <Accordion title=\"C\">d</Accordion>\n</AccordionGroup>",
    "<details open>\n\n<summary>A</summary>\n\nb\n\n</details>\n\n<details>\n\n<summary>C</summary>\n\nd\n\n</details>"
)]
#[case::code_group_of_mdx(
    "<CodeGroup>\n```bash npm\na\n```\n```js\nb\n```\n</CodeGroup>",
    "{% tabs %}\n{% tab title=\"npm\" %}\n```bash\na\n```\n{% endtab %}\n\n{% tab title=\"js\" %}\n```js\nb\n```\n{% endtab %}\n{% endtabs %}"
)]
#[case::cards_of_mdx(
    "<CardGroup cols={2}>\n  <Card title=\"A\" icon=\"x\" href=\"/b\">\n    c\n  </Card>\n  <Card\n    title=\"D\"\n    href=\"e.md\"\n  />\n</CardGroup>\n\n<Card title=\"F\">g</Card>",
    "[**A**](/b)\n\nc\n\n[**D**](e.md)\n\n**F**\n\ng"
)]
#[case::frame("<Frame>\n  <img src=\"a.png\" alt=\"b\" />\n</Frame>", "![b](a.png)")]
#[case::shortcodes(
    "{{% notice tip \"T\" %}}\na\n{{% /notice %}}\n\n{{< tabs \"x\" >}}\n{{< tab \"A\" >}}\nb\n{{< /tab >}}\n{{< /tabs >}}\n\n{{< details title=\"C\" open=true >}}d{{< /details >}}",
    "{% hint style=\"success\" %}\n**T**\n\na\n{% endhint %}\n\n{% tabs %}\n{% tab title=\"A\" %}\nb\n{% endtab %}\n{% endtabs %}\n\n<details open>\n\n<summary>C</summary>\n\nd\n\n</details>"
)]
#[case::component_with_an_end_tag("<Note>\n{% endhint %}\n</Note>", "<Note>\n\n{% endhint %}\n\n</Note>")]
#[case::frame_with_a_start_tag(
    "<Frame>\n{% hint style=\"info\" %}\n</Frame>\n{% endhint %}",
    "<Frame>\n\n{% hint style=\"info\" %}\n\n</Frame>\n\n{% endhint %}"
)]
#[case::fenced_math("```math\na\n```", "$$\na\n$$")]
#[case::code_title(
    "```js title=\"a.js\" {1} showLineNumbers\nb\n```",
    "{% code title=\"a.js\" lineNumbers=\"true\" %}\n```js {1}\nb\n```\n{% endcode %}"
)]
#[case::titled_code_in_tags(
    "{% code overflow=\"wrap\" %}\n```js title=\"a\"\nb\n```\n{% endcode %}",
    "{% code title=\"a\" overflow=\"wrap\" %}\n```js\nb\n```\n{% endcode %}"
)]
#[case::two_titles(
    "{% code title=\"a\" %}\n```js title=\"b\"\nc\n```\n{% endcode %}",
    "{% code title=\"a\" %}\n\n{% code title=\"b\" %}\n```js\nc\n```\n{% endcode %}\n\n{% endcode %}"
)]
#[case::old_card("{% page-ref page=\"x.md\" %}", "{% content-ref url=\"x.md\" %}\n[x.md](x.md)\n{% endcontent-ref %}")]
#[case::old_caption("{% embed url=\"u\" caption=\"A b\" %}", "{% embed url=\"u\" %}\nA b\n{% endembed %}")]
#[case::two_captions(
    "{% file src=\"u\" caption=\"a\" %}\nb\n{% endfile %}",
    "{% file src=\"u\" caption=\"a\" %}\n\nb\n\n{% endfile %}"
)]
#[case::old_hint("{% hint style=\"tip\" %}\na\n{% endhint %}", "{% hint style=\"success\" %}\na\n{% endhint %}")]
#[case::old_tabs(
    "{% code-tabs %}\n{% code-tabs-item title=\"a\" %}\n```\nb\n```\n{% endcode-tabs-item %}\n{% endcode-tabs %}",
    "{% tabs %}\n{% tab title=\"a\" %}\n```\nb\n```\n{% endtab %}\n{% endtabs %}"
)]
#[case::table_without_head(
    "<table border=\"1\">\n<tr><td align=\"center\" width=\"50\">a</td><td>b</td></tr>\n<tr><td align=\"center\">c</td><td><img src=\"d\" width=\"9\"></td></tr>\n</table>",
    "<table data-header-hidden><thead><tr><th width=\"50\" align=\"center\"></th><th></th></tr></thead><tbody><tr><td>a</td><td>b</td></tr><tr><td>c</td><td><img src=\"d\" width=\"9\"></td></tr></tbody></table>"
)]
#[case::table_of_rows("<table><tr><th>a</th></tr><tr><td>b</td></tr></table>", "| a |\n| --- |\n| b |")]
#[case::table_with_body(
    "<table><tbody><tr><th>a</th></tr><tr style=\"x\"><td>b</td></tr></tbody></table>",
    "| a |\n| --- |\n| b |"
)]
#[case::details(
    "<details><summary>a</summary>\n\nb\n\n</details>",
    "<details>\n\n<summary>a</summary>\n\nb\n\n</details>"
)]
#[case::tight_details(
    "<details>\n  <summary>a</summary>\n  b *c*\n\n  d\n</details>\n\n<details><summary>e</summary>f</details>",
    "<details>\n\n<summary>a</summary>\n\nb _c_\n\nd\n\n</details>\n\n<details>\n\n<summary>e</summary>\n\nf\n\n</details>"
)]
#[case::list_in_details(
    "<details class=\"x\" open>\n<summary style=\"y\">a</summary>\n- b\n- c\n</details>",
    "<details open>\n\n<summary>a</summary>\n\n* b\n* c\n\n</details>"
)]
#[case::html_in_details(
    "<details>\n<summary>a</summary>\n    <ul>\n      <li>b</li>\n    </ul>\n</details>",
    "<details>\n\n<summary>a</summary>\n\n* b\n\n</details>"
)]
#[case::list_without_end_tags_in_details(
    "<details>\n<summary>a</summary>\n<ul>\n<li>b\n<li>c\n</ul>\n</details>\nd",
    "<details>\n\n<summary>a</summary>\n\n* b\n* c\n\n</details>\n\nd"
)]
#[case::paragraph_in_details(
    "<details>\n<summary>a</summary>\n<p>\n\nb\n\n</p>\n</details>\nc",
    "<details>\n\n<summary>a</summary>\n\n<p>\n\nb\n\n</p>\n\n</details>\n\nc"
)]
#[case::end_of_details_in_a_line(
    "<details>\n<summary>a</summary>\n\nb</details>\n\nc</details>",
    "<details>\n\n<summary>a</summary>\n\nb\n\n</details>\n\nc</details>"
)]
#[case::end_of_details_after_a_tag(
    "<details>\n<summary>a</summary>\n{% hint style=\"info\" %}\nb\n{% endhint %}\n</details>",
    "<details>\n\n<summary>a</summary>\n\n{% hint style=\"info\" %}\nb\n{% endhint %}\n\n</details>"
)]
#[case::multiline_table(
    "<table>\n  <thead>\n    <tr><th width=\"100\">a</th></tr>\n  </thead>\n  <tbody>\n    <tr><td>b\n      c</td></tr>\n  </tbody>\n</table>",
    "<table><thead><tr><th width=\"100\">a</th></tr></thead><tbody><tr><td>b c</td></tr></tbody></table>"
)]
#[case::simple_html_table(
    "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>",
    "| a |\n| --- |\n| b |"
)]
#[case::note_place("a[^x]\n\n[^x]: b\n\nc", "a[^x]\n\nc\n\n[^x]: b")]
#[case::unused_note("[^x]:   b\n\nc", "c\n\n[^x]: b")]
#[case::ends_left_out(
    "{% hint style=\"info\" %}\n{% tabs %}\na\n{% endhint %}",
    "{% hint style=\"info\" %}\n{% tabs %}\n\na\n{% endhint %}"
)]
#[case::stray_in_tabs(
    "{% tabs %}\na\n{% tab title=\"b\" %}\nc\n{% endtab %}\n{% endtabs %}",
    "{% tabs %}\n\na\n\n{% tab title=\"b\" %}\n\nc\n\n{% endtab %}\n\n{% endtabs %}"
)]
fn what_is_not_canonical_becomes_it(#[case] text: &str, #[case] canonical: &str) {
    assert_eq!(round_trip(text).1, format!("{canonical}\n"));
}

fn blocks(text: &str) -> Vec<Block> {
    round_trip(text).0.document.expect("not too many parts").blocks
}

#[test]
fn tags_in_list_items_are_blocks_there() {
    let text = "1. a\n\n   {% hint style=\"info\" %}\n   b\n   {% endhint %}\n\n2. {% tabs %}\n   {% tab title=\"t\" %}\n   ```\n   {% endtab %}\n   ```\n   {% endtab %}\n   {% endtabs %}\n";
    let found = blocks(text);
    assert_eq!(found.len(), 1);
    assert!(matches!(found[0].children[0].children[1].kind, Kind::Hint(_)));
    let tabs = &found[0].children[1].children[0];
    assert!(matches!(tabs.kind, Kind::Tabs(_)));
    assert_eq!(tabs.children[0].children[0].content, [Inline::from("{% endtab %}")]);
}

#[rstest]
#[case::mkdocs("1. a\n\n    !!! note\n        b\n\n2. c")]
#[case::mkdocs_without_a_blank_line("1. a\n\n    !!! note\n        b\n2. c")]
#[case::admonition("1. a\n\n   :::note\n   b\n   :::\n\n2. c")]
#[case::callout("1. a\n\n   > [!info]\n   > b\n\n2. c")]
#[case::component("1. a\n\n   <Note>\n     b\n   </Note>\n\n2. c")]
#[case::component_in_a_line("1. a\n   <Note>b</Note>\n2. c")]
#[case::shortcode("1. a\n\n   {{% note %}}\n   b\n   {{% /note %}}\n2. c")]
fn hints_of_other_tools_in_list_items_are_hints_there(#[case] text: &str) {
    let [list] = &blocks(text)[..] else { panic!("one block") };
    assert_eq!(list.children.len(), 2);
    let [line, hint] = &list.children[0].children[..] else { panic!("a line and a hint") };
    assert_eq!((line.line().as_str(), hint.children[0].line().as_str()), ("a", "b"));
    assert!(matches!(hint.kind, Kind::Hint(_)));
}

#[test]
fn an_image_alone_is_a_row_of_one_image() {
    let [row] = &blocks("![a](b)")[..] else { panic!("one block") };
    assert_eq!(row.kind, Kind::Images(Images::default()));
    assert!(matches!(row.children[0].kind, Kind::Image(_)));
    assert!(matches!(blocks("x ![a](b)")[0].kind, Kind::Paragraph(_)));
}

#[test]
fn tasks_are_a_list_of_their_own_kind() {
    let [list] = &blocks("- [ ] a\n- [X] b\n- c")[..] else { panic!("one block") };
    assert_eq!(list.kind, Kind::ListTasks);
    let checked: Vec<Option<bool>> = (list.children.iter())
        .filter_map(|item| match &item.kind {
            Kind::ListItem(ListItem { checked }) => Some(*checked),
            _ => None,
        })
        .collect();
    assert_eq!(checked, [Some(false), Some(true), None]);
}

#[test]
fn a_footnote_is_an_annotation_of_the_text_in_brackets() {
    let [line] = &blocks("a [b][^1] \\[c][^1]\n\n[^1]: d")[..] else { panic!("one block") };
    let notes: Vec<&Annotation> = (line.content.iter())
        .filter_map(|inline| match inline {
            Inline::Annotation(note) => Some(&**note),
            _ => None,
        })
        .collect();
    assert_eq!(notes[0].content, [Inline::from("b")]);
    assert_eq!(notes[0].body[0].content, [Inline::from("d")]);
    assert_eq!(notes[0].label.as_deref(), Some("1"));
    assert_eq!(notes[1].content, [], "an escaped bracket is a letter");
}

#[test]
fn marks_may_overlap() {
    let text = |text: &str, bold, italic| {
        Inline::Text(Text { text: text.into(), marks: Marks { bold, italic, ..Marks::default() } })
    };
    let [line] = &blocks("<b>a<em>b</b>c</em>")[..] else { panic!("one block") };
    assert_eq!(line.content, [text("a", true, false), text("b", true, true), text("c", false, true)]);
}

#[test]
fn an_expandable_has_a_title_and_a_body() {
    let [block] = &blocks("<details>\n<summary>a `b`</summary>\n\nc\n\n</details>")[..] else { panic!("one block") };
    assert_eq!(block.kind, Kind::Expandable(Expandable::default()));
    assert_eq!(block.content, [Inline::from("a `b`")], "HTML has no backticks");
    assert_eq!(block.children.len(), 1);
}
