//! The parts of a file besides its text: its title, and its links with their lines and targets.
use super::*;
use crate::document::{Block, ContentRefBlock, Document, Kind, Target};
use crate::reference::ContentRef;
use rstest::rstest;

/// Knows one page, one file and one reusable content.
struct Known;

impl Links for Known {
    fn resolve(&self, href: &str, use_: LinkUse) -> Option<ContentRef> {
        match (href, use_) {
            ("page.md", LinkUse::Link) => Some(ContentRef::Page { page: "p".parse().ok()?, space: None }),
            ("image.png", LinkUse::Image | LinkUse::File) => {
                Some(ContentRef::File { file: "f".parse().ok()?, space: None })
            }
            ("part.md", LinkUse::Include) => {
                Some(ContentRef::ReusableContent { reusable_content: "r".parse().ok()?, space: None })
            }
            _ => None,
        }
    }
}

impl Hrefs for Known {
    fn href(&self, target: &ContentRef) -> Option<String> {
        match target {
            ContentRef::Page { page, .. } if page.as_str() == "p" => Some("moved page.md".to_owned()),
            ContentRef::File { .. } => Some("moved.png".to_owned()),
            ContentRef::ReusableContent { .. } => Some("moved-part.md".to_owned()),
            _ => None,
        }
    }
}

#[test]
fn the_query_of_a_link_to_a_page_and_the_label_of_a_card_stay() {
    struct Pages;
    impl Links for Pages {
        fn resolve(&self, href: &str, _: LinkUse) -> Option<ContentRef> {
            let (path, anchor) = href.split_once('#').map_or((href, None), |(path, anchor)| (path, Some(anchor)));
            let page = match path.split_once('?').map_or(path, |(path, _)| path) {
                "a.md" => "a".parse().expect("an id"),
                "q" if path == "q?x.md" => "q".parse().expect("an id"),
                _ => return None,
            };
            Some(match anchor {
                Some(anchor) => ContentRef::Anchor { anchor: anchor.to_owned(), page: Some(page), space: None },
                None => ContentRef::Page { page, space: None },
            })
        }
    }
    struct Moved;
    impl Hrefs for Moved {
        fn href(&self, target: &ContentRef) -> Option<String> {
            let anchor =
                if let ContentRef::Anchor { anchor, .. } = target { format!("#{anchor}") } else { String::new() };
            Some(format!("new.md{anchor}"))
        }
    }
    let again = |text: &str| write(document(&parse(text, &Pages)), &Moved);
    assert_eq!(again("[x](a.md?v=1&w=2#top)\n"), "[x](new.md?v=1&w=2#top)\n");
    assert_eq!(again("[x](a.md?)\n"), "[x](new.md?)\n");
    assert_eq!(again("<a href=\"a.md?v=1\" title=\"t\">x</a>\n"), "[x](new.md?v=1 \"t\")\n");
    assert_eq!(again("[x](q?x.md)\n"), "[x](new.md)\n", "it is the name of a file");
    assert_eq!(again("[x](gone.md?v=1)\n"), "[x](gone.md?v=1)\n");
    let card = |url: &str, label: &str| {
        format!("{{% content-ref url=\"{url}\" %}}\n[{label}]({url})\n{{% endcontent-ref %}}\n")
    };
    assert_eq!(again(&card("a.md?v=1#top", "Read this")), card("new.md?v=1#top", "Read this"));
    assert_eq!(again(&card("a.md", "a.md")), card("new.md", "new.md"));
    let bare = "{% content-ref url=\"a.md\" %}\n{% endcontent-ref %}\n";
    assert_eq!(again(bare), card("new.md", "new.md"));
}

#[test]
fn a_card_of_an_address_with_line_breaks_has_no_label() {
    let target = Target(ContentRef::Url { url: "a\n\nb".into() });
    let card = Kind::ContentRef(Box::new(ContentRefBlock { target, query: None, label: None }));
    let document = Document::from_blocks(vec![Block::new(card)]).unwrap();
    let (read, _) = round_trip(&write(&document, &Unresolved));
    let Kind::ContentRef(card) = &super::document(&read).blocks[0].kind else { panic!("{read:?}") };
    assert_eq!(card.label, None);
}

#[test]
fn references_are_written_where_they_lead_now() {
    let text = "[a](page.md) and [b](gone.md)\n\n![c](image.png)\n\n{% include \"part.md\" %}\n\n{% content-ref url=\"page.md\" %}\n[page.md](page.md)\n{% endcontent-ref %}\n\n{% file src=\"image.png\" %}\n";
    let source = parse(text, &Known);
    assert_eq!(
        write(document(&source), &Known),
        "[a](<moved page.md>) and [b](gone.md)\n\n![c](moved.png)\n\n{% include \"moved-part.md\" %}\n\n{% content-ref url=\"moved page.md\" %}\n[moved page.md](<moved page.md>)\n{% endcontent-ref %}\n\n{% file src=\"moved.png\" %}\n"
    );
    assert!(write(document(&source), &Unresolved).starts_with("[a](broken-reference) and [b](gone.md)\n"));
}

#[test]
fn every_address_is_known_with_its_line() {
    let text = "---\nicon: x\n---\n# T\n\nA line,\n[one](a.md) and\n![two](b.png).\n\n* item\n\n  {% file src=\"c.zip\" %}\n\n{% hint style=\"info\" %}\n[three](page.md)\n{% endhint %}\n\n<figure><img src=\"d.png\" alt=\"\"><figcaption></figcaption></figure>\n\n{% hint style=\"info\" %} [four](e.md) {% endhint %}\n\n| [five](f.md) |\n| --- |\n| [six](g.md) |\n\nNote[^1]\n\n[^1]: [seven](h.md)\n";
    let found: Vec<(String, usize, LinkUse, bool)> =
        (parse(text, &Known).links.into_iter()).map(|link| (link.href, link.line, link.use_, link.resolved)).collect();
    let at = |href: &str, line, use_, resolved| (href.to_owned(), line, use_, resolved);
    assert_eq!(
        found,
        [
            at("a.md", 7, LinkUse::Link, false),
            at("b.png", 8, LinkUse::Image, false),
            at("c.zip", 12, LinkUse::File, false),
            at("page.md", 15, LinkUse::Link, true),
            at("d.png", 18, LinkUse::Image, false),
            at("e.md", 20, LinkUse::Link, false),
            at("f.md", 22, LinkUse::Link, false),
            at("g.md", 24, LinkUse::Link, false),
            at("h.md", 28, LinkUse::Link, false),
        ]
    );
}

#[test]
fn addresses_in_expandables_are_known_with_their_lines() {
    let text = "<details>\n<summary><a href=\"a.md\">a</a></summary>\n[b](b.md)\n<ul>\n<li><a href=\"c.md\">c</a></li>\n</ul>\n</details>\n[d](d.md)\n";
    let found: Vec<(String, usize)> =
        (parse(text, &Known).links.into_iter()).map(|link| (link.href, link.line)).collect();
    let expected = [("a.md", 2), ("b.md", 3), ("c.md", 5), ("d.md", 8)];
    assert_eq!(found, expected.map(|(href, line)| (href.to_owned(), line)));
}

#[test]
fn a_card_has_its_address_once() {
    let text = "{% content-ref url=\"a.md\" %}\n[a.md](a.md)\n{% endcontent-ref %}\n";
    assert_eq!(parse(text, &Unresolved).links.len(), 1);
}

#[test]
fn a_card_with_a_link_that_is_an_expression_stays_source() {
    for tag in ["<Card title=\"a\" href={b} />", "<Card title=\"a\" to={`/c/${d}`}>"] {
        let (source, once) = round_trip(&format!("{tag}\n"));
        let [Block { kind: Kind::Verbatim(kept), .. }] = &document(&source).blocks[..] else { panic!("{source:?}") };
        assert_eq!((kept.source.as_str(), once.trim_end()), (tag, tag));
    }
    let (source, _) = round_trip("<Card title=\"a\" href={\"b\"} />\n");
    assert_eq!(source.links.len(), 1, "a text in braces is known");
}

#[test]
fn the_title_is_the_first_heading_of_level_one() {
    let title = |text: &str| parse(text, &Unresolved).title;
    assert_eq!(title("# The `code` *title* #\n\ntext").as_deref(), Some("The code title"));
    assert_eq!(title("The title\n===\n").as_deref(), Some("The title"));
    assert_eq!(title("text\n\n# Later\n"), None);
    assert_eq!(title("## Two\n"), None);
    assert_eq!(title("#\n"), None);
    assert_eq!(title("# ![logo](a.png)\n"), None, "a picture has no words, and stays");
    assert_eq!(title("<!-- a -->\n\n<!--\nb\n-->\n# The title {#id}\n").as_deref(), Some("The title"));
    assert_eq!(title("<!-- a -->\n\ntext\n\n# Later\n"), None);
    assert_eq!(round_trip("<!-- a -->\n# T\n\nb\n").1, "# T\n\n<!-- a -->\n\nb\n");
    let (source, once) = round_trip("---\ndescription: d\n---\n\n# C# & _x_ \\[1]: #\n\n# Second\n");
    assert_eq!(source.title.as_deref(), Some("C# & x [1]:"));
    assert_eq!(document(&source).blocks.len(), 1);
    assert!(once.starts_with("---\ndescription: d\n---\n# C# & x "), "{once}");
}

#[test]
fn a_rule_in_the_first_line_is_no_front_matter() {
    let (source, once) = round_trip("***\ntitle: x\n\n---\n");
    assert!(source.front_matter.is_none());
    assert_eq!(once, "***\n\ntitle: x\n\n---\n");
}

#[test]
fn a_text_that_is_not_a_file_has_no_front_matter() {
    let text = "---\ntitle: x\n---\n\n# First\n";
    assert!(parse_whole(text, &Unresolved).front_matter.is_some());
    let source = parse_text(text, &Unresolved);
    assert_eq!((source.front_matter.as_ref(), source.title.as_deref()), (None, None));
    let once = write(document(&source), &Unresolved);
    assert_eq!(once, "***\n\n## title: x\n\n# First\n");
    assert_eq!(parse_text(&once, &Unresolved).document, source.document);
}

#[test]
fn a_text_that_is_not_a_file_has_no_imports() {
    let text = "import React from 'react'\n";
    let (file, other) = (parse_whole(text, &Unresolved), parse_text(text, &Unresolved));
    assert!(matches!(document(&file).blocks[..], [Block { kind: Kind::Verbatim(_), .. }]), "{file:?}");
    assert!(matches!(document(&other).blocks[..], [Block { kind: Kind::Paragraph(_), .. }]), "{other:?}");
    let once = write(document(&other), &Unresolved);
    assert_eq!(parse_text(&once, &Unresolved).document, other.document);
}

#[test]
fn references_of_other_parts_of_a_file_are_found_in_a_container() {
    let text = "{% hint style=\"info\" %}\n* see [it][ref]\n{% endhint %}\n\n[ref]: target.md\n[unused]: other.md\n";
    let (source, once) = round_trip(text);
    assert_eq!(once, "{% hint style=\"info\" %}\n* see [it](target.md)\n{% endhint %}\n\n[unused]: other.md\n");
    let Kind::Hint(_) = &document(&source).blocks[0].kind else { panic!("a hint") };
    let line = &document(&source).blocks[0].children[0].children[0].children[0];
    let Some(Inline::Link(link)) = line.content.get(1) else { panic!("a link") };
    assert_eq!(link.target, Target(ContentRef::Url { url: "target.md".into() }));
}

#[test]
fn tags_right_after_html_are_tags() {
    let figure = "<figure><img src=\"image.png\" alt=\"\"></figure>";
    let texts = [
        figure,
        "<table><tr><td colspan=\"2\">x</td></tr></table>",
        "<p>x</p>",
        "<img src=\"image.png\">",
        "</details>",
    ];
    for html in texts {
        let html = if html == "</details>" { "<details>\n\n<summary>a</summary>\n\nb\n\n</details>" } else { html };
        let text = format!("{{% hint style=\"info\" %}}\n{html}\n{{% endhint %}}\nAfter *it*.\n\nLast\n");
        let blocks = parse(&text, &Known).document.expect("not too many parts").blocks;
        let kinds: Vec<&str> = blocks.iter().map(|block| block.kind.block_type().name()).collect();
        assert_eq!(kinds, ["hint", "paragraph", "paragraph"], "{text}");
        assert_eq!((blocks[0].children.len(), blocks[1].line().as_str()), (1, "After it."), "{text}");
    }
    let text = format!(
        "{{% tabs %}}\n{{% tab title=\"a\" %}}\n{figure}\n{{% endtab %}}\n{{% tab title=\"b\" %}}\nx\n{{% endtab %}}\n{{% endtabs %}}\n"
    );
    let blocks = parse(&text, &Known).document.expect("not too many parts").blocks;
    assert_eq!((blocks.len(), blocks[0].children.len()), (1, 2));
    // What does not end is not cut, and code is code.
    for text in ["<div>\n{% endhint %}\n</div>", "<pre>\n{% endhint %}\n</pre>", "<!--\n{% endhint %}\n-->"] {
        let blocks = parse(text, &Known).document.expect("not too many parts").blocks;
        assert!(matches!(&blocks[..], [Block { kind: Kind::Verbatim(kept), .. }] if kept.source == text), "{blocks:?}");
    }
}

#[test]
fn addresses_in_html_that_is_kept_as_source_are_reported() {
    let text = "# T\n\n<p align=\"center\">\n<img src=\"image.png\">\n<a href=\"gone.md\">x</a>\n</p>\n\n<center><img src=\"b.png\"></center>\n\n<video src=\"image.png\"></video> and <img srcset=\"c.png 2x, d.png\" foo=\"1\">\n\n<table><thead><tr><th>a</th></tr></thead><tbody>\n<tr><td><a href=\"e.md\">e</a></td></tr>\n<tr><td>\n<a href=\"f.md\">f</a></td></tr></tbody></table>\n";
    let links = parse(text, &Known).links;
    let told: Vec<(&str, usize, LinkUse, bool)> =
        links.iter().map(|link| (link.href.as_str(), link.line, link.use_, link.resolved)).collect();
    let expected = [
        ("image.png", 4, LinkUse::Image, true),
        ("gone.md", 5, LinkUse::Link, false),
        ("b.png", 8, LinkUse::Image, false),
        ("image.png", 10, LinkUse::File, true),
        ("c.png", 10, LinkUse::Image, false),
        // Also in HTML that is understood.
        ("e.md", 13, LinkUse::Link, false),
        ("f.md", 15, LinkUse::Link, false),
    ];
    assert_eq!(told, expected);
}

#[test]
fn only_a_file_has_a_title_without_the_short_id() {
    let id = |file: MarkdownFile| match &document(&file).blocks[..] {
        [Block { kind: Kind::Heading(heading), .. }] => heading.id.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(id(parse_text("# A {#a}", &Unresolved)).as_deref(), Some("a"));
    assert_eq!(id(parse_whole("# A {#a}", &Unresolved)), None);
}

#[rstest]
#[case("`after` is the <em>N</em>th [item](/a) **now**", "after is the Nth item now")]
#[case("Vec<T> and `Vec<u8>`", "Vec<T> and Vec<u8>")]
#[case("2 * 3 * 4, *.md, snake_case and $x", "2 * 3 * 4, *.md, snake_case and $x")]
#[case("Call `__init__`", "Call `__init__`")]
#[case("`a`\n\n- b", "`a`\n\n- b")]
#[case("", "")]
fn a_plain_line_has_the_words_of_a_line(#[case] line: &str, #[case] plain: &str) {
    assert_eq!(plain_line(line), plain);
}
