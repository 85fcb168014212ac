//! Hostile content: whatever a text says, no browser runs any of it.
use super::{document, references, rendered_with};
use content::document::arbitrary::documents;
use domain::content::document::{Block, Document, Inline};
use proptest::prelude::*;
use rstest::rstest;

/// Asserts that HTML has nothing that a browser would run, and nothing that the policy of pages forbids.
#[track_caller]
pub(super) fn assert_harmless(html: &str, css: &str) {
    for tag in tags(html).into_iter().filter(|tag| !tag.starts_with('/')) {
        let name: String = tag.chars().take_while(|char| !char.is_whitespace() && *char != '/').collect();
        let forbidden = [
            "script",
            "style",
            "iframe",
            "object",
            "embed",
            "link",
            "meta",
            "base",
            "form",
            "template",
            "foreignobject",
        ];
        assert!(!forbidden.contains(&name.to_ascii_lowercase().as_str()), "<{tag}> in {html}");
        for (key, value) in attributes(tag) {
            let key = key.to_ascii_lowercase();
            assert!(!key.starts_with("on"), "<{tag}> in {html}");
            assert!(
                !["style", "srcdoc", "formaction", "action", "srcset", "ping", "xlink:href"].contains(&key.as_str()),
                "<{tag}>"
            );
            if key == "href" || key == "src" {
                let value = value.replace("&amp;", "&");
                let safe =
                    ["/", "#", "http://", "https://", "mailto:", "tel:"].iter().any(|start| value.starts_with(start));
                assert!(safe && !value.starts_with("//"), "<{tag}> in {html}");
            }
        }
    }
    assert!(
        !css.contains('<') && !css.contains("url(") && !css.contains("@import") && !css.contains("expression("),
        "{css}"
    );
    assert_eq!(css.matches('{').count(), css.matches('}').count(), "{css}");
}

/// The insides of all tags.
pub(super) fn tags(html: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let found = &rest[at + 1..];
        let mut is_quoted = false;
        let end = found.bytes().position(|byte| {
            is_quoted ^= byte == b'"';
            byte == b'>' && !is_quoted
        });
        let tag = &found[..end.unwrap_or(found.len())];
        tags.push(tag);
        rest = &found[tag.len()..];
    }
    tags
}

/// The attributes of a tag. Each value is in quotes.
fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let mut rest = tag.split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    let mut all = Vec::new();
    while !rest.trim().is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        match after.strip_prefix("=\"").and_then(|value| value.split_once('"')) {
            Some((value, after)) => {
                all.push((key.trim(), value));
                rest = after.trim_start();
            }
            None => {
                assert!(!after.starts_with('='), "a value without quotes in <{tag}>");
                all.push((key.trim(), ""));
                rest = after.trim_start();
            }
        }
    }
    all
}

pub(super) const HOSTILE: [&str; 12] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "JaVa\tScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "</style><script>alert(1)</script>",
    "red;}*{background:url(//evil.example)}",
    "<svg onload=alert(1)>",
    "--><!--<img src=x onerror=alert(1)>",
    "{% raw %}<iframe srcdoc='<script>alert(1)</script>'>",
];

/// Texts in which `X` stands for something hostile.
#[rstest]
fn no_block_runs_what_it_says(
    #[values(
        "X",
        "# X",
        "## X",
        "* X",
        "1. X",
        "- [x] X",
        "> X",
        "`X`",
        "**X**",
        "```X\nX\n```",
        "{% code title=\"X\" overflow=\"X\" %}\n```js\nX\n```\n{% endcode %}",
        "{% hint style=\"X\" icon=\"X\" %}\nX\n{% endhint %}",
        "{% hint style=\"info\" icon=\"X\" %}\nX\n{% endhint %}",
        "{% prompt description=\"X\" icon=\"X\" openIn=\"X\" defaultExpanded=\"X\" %}\n```\nX\n```\n{% endprompt %}",
        "{% tabs %}\n{% tab title=\"X\" icon=\"X\" slug=\"X\" id=\"X\" %}\nX\n{% endtab %}\n{% endtabs %}",
        "{% stepper %}\n{% step icon=\"X\" %}\nX\n{% endstep %}\n{% endstepper %}",
        "{% columns %}\n{% column width=\"X\" valign=\"X\" %}\nX\n{% endcolumn %}\n{% endcolumns %}",
        "{% columns %}\n{% column width=\"10%;X\" %}\nX\n{% endcolumn %}\n{% endcolumns %}",
        "{% updates format=\"X\" %}\n{% update date=\"2024-01-01\" tags=\"X\" %}\nX\n{% endupdate %}\n{% endupdates %}",
        "{% embed url=\"X\" %}\nX\n{% endembed %}",
        "{% embed url=\"https://youtu.be/X\" %}",
        "{% file src=\"X\" %}\nX\n{% endfile %}",
        "{% content-ref url=\"X\" %}\n[X](X)\n{% endcontent-ref %}",
        "{% integration integration=\"X\" block=\"X\" url=\"X\" %}",
        "{% openapi-operation spec=\"X\" path=\"X\" method=\"X\" id=\"X\" %}\n{% endopenapi-operation %}",
        "{% openapi-schemas spec=\"X\" schemas=\"X\" title=\"X\" id=\"X\" %}\n{% endopenapi-schemas %}",
        "{% openapi src=\"X\" path=\"X\" method=\"X\" %}\n{% endopenapi %}",
        "<details>\n\n<summary>X</summary>\n\nX\n\n</details>",
        "[X](X \"X\")",
        "[X](<X>)",
        "![X](X \"X\")",
        "![X](<X>)",
        "<X>",
        "<figure><img src=\"X\" alt=\"X\" width=\"X\"><figcaption><p>X</p></figcaption></figure>",
        "<figure><picture><source srcset=\"X\" media=\"(prefers-color-scheme: dark)\"><img src=\"X\" alt=\"X\"></picture></figure>",
        "$$X$$",
        "$$\nX\n$$",
        "$$\\href{X}{X}$$",
        "$$\\text{X}\\color{X}{X}$$",
        "$$\\label{X}\\tag{X}$$",
        "a[^1]\n\n[^1]: X",
        "| X |\n| --- |\n| X |",
        "<div X>X</div>",
        "<p X=\"X\">X</p>",
        "<a href=\"X\" class=\"button primary\" data-icon=\"X\">X</a>",
        "<button type=\"button\" class=\"button primary\" data-action=\"X\" data-query=\"X\" data-slug=\"X\">X</button>",
        "<button type=\"button\" class=\"button primary\" data-action=\"select\" data-slug=\"X\">X</button>",
        "<button type=\"button\" class=\"button primary\" data-action=\"search\" data-query=\"X\">X</button>",
        "<i class=\"fa-X\">:X:</i>",
        "<mark style=\"color:X;\">X</mark>",
        "<span X>X</span>",
        "line <b X>X</b>",
        "<table data-view=\"cards\"><thead><tr><th>X</th><th data-card-target data-type=\"content-ref\">X</th><th data-card-cover data-type=\"files\">X</th></tr></thead><tbody><tr><td>X</td><td><a href=\"X\">X</a></td><td><a href=\"X\">X</a></td></tr></tbody></table>",
        "<table><thead><tr><th width=\"X\">X</th><th data-type=\"select\" data-options=\"[{&quot;value&quot;:&quot;X&quot;,&quot;label&quot;:&quot;X&quot;,&quot;color&quot;:&quot;red&quot;}]\">X</th></tr></thead><tbody><tr><td>X</td><td><span data-id=\"X\"></span></td></tr></tbody></table>"
    )]
    template: &str,
) {
    for hostile in HOSTILE {
        let escaped = hostile.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        for filling in [hostile, &escaped, &format!("https://example.org/{hostile}"), &format!("a {hostile} b")] {
            let document = document(&template.replace('X', filling));
            let article = rendered_with(&document, &references(&document));
            assert_harmless(&article.html, &article.css);
        }
    }
}

/// Puts something hostile into every text of a document that is not a key.
fn poison(value: &mut serde_json::Value, poison: &str) {
    match value {
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| self::poison(item, poison)),
        serde_json::Value::Object(members) => members.iter_mut().for_each(|(_, item)| self::poison(item, poison)),
        serde_json::Value::String(text) if text.len() > 2 => text.push_str(poison),
        _ => {}
    }
}

/// The text of inline content and of attributes, as far as serde knows it: read back where the result is a document.
fn poisoned(document: &Document, with: &str) -> Option<Document> {
    let mut blocks = document.blocks.clone();
    fn texts(blocks: &mut [Block], with: &str) {
        for block in blocks {
            for inline in &mut block.content {
                if let Inline::Text(text) = inline {
                    text.text.push_str(with);
                }
            }
            let mut kind = serde_json::to_value(&block.kind).expect("a kind is JSON");
            poison(&mut kind, with);
            if let Ok(kind) = serde_json::from_value(kind) {
                block.kind = kind;
            }
            texts(&mut block.children, with);
        }
    }
    texts(&mut blocks, with);
    Some(Document { blocks })
}

proptest! {
    #[test]
    fn no_text_with_anything_hostile_in_it_runs(document in documents(), at in 0..HOSTILE.len()) {
        let references = references(&document);
        let article = rendered_with(&document, &references);
        assert_harmless(&article.html, &article.css);
        if let Some(document) = poisoned(&document, HOSTILE[at]) {
            let article = rendered_with(&document, &references);
            assert_harmless(&article.html, &article.css);
        }
    }

    #[test]
    fn no_formula_runs(tex in r#"([a-z^_&#$ {}\[\]"'<>=/:;0-9]|\\(frac|sqrt|text|href|url|color|class|left\(|right\)|begin\{(align|array|cases|matrix)\}|end\{(align|array|cases|matrix)\}|label|tag|hspace|kern|mathbf|bar|over|limits|\\)){0,30}"#) {
        let document = document(&format!("$${tex}$$\n\n$$\n{tex}\n$$\n"));
        let article = rendered_with(&document, &references(&document));
        assert_harmless(&article.html, &article.css);
    }
}

#[test]
fn deep_formulas_are_rendered() {
    for part in ["{", "\\sqrt", "x^", "\\left(", "\\frac", "\\begin{matrix}", "\\text{", "_"] {
        let tex = part.repeat(8 * 1024 / part.len());
        let document = document(&format!("$$\n{tex}\n$$\n"));
        let article = rendered_with(&document, &references(&document));
        assert_harmless(&article.html, &article.css);
    }
}
