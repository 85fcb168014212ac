//! Texts of any size that take more than one thing, again and again.
use super::{Input, repeat, times};

/// Those that no unit says.
pub(super) fn special() -> Vec<Input> {
    fn input(name: &str, make: impl Fn(usize) -> String + 'static) -> Input {
        (name.to_owned(), Box::new(make))
    }
    vec![
        input("one long word", |size| "a".repeat(size)),
        input("blanks before a tag in a line", |size| {
            format!("{{% hint %}}{}a{}", " ".repeat(size / 2), repeat("{% x %}", size / 2))
        }),
        input("an open formula before closed ones", |size| format!("$$a{}", repeat("$b", size))),
        input("tabs of MDX around a fence that is indented", |size| {
            let tabs = repeat("<Tabs>\n<TabItem value=\"a\">\n    ```x\n", size);
            format!("{tabs}\n    ```\n<Tabs>\n")
        }),
        input("lists in lists by indentation", |size| {
            let mut text = String::new();
            for level in 0.. {
                if text.len() >= size {
                    break;
                }
                text += &format!("{}- a\n", "  ".repeat(level));
            }
            text
        }),
        input("lists in lists and blank lines", |size| {
            let mut text = String::new();
            for level in 0.. {
                if text.len() >= size / 2 {
                    break;
                }
                text += &format!("{}- a\n", "  ".repeat(level));
            }
            text + &"\n".repeat(size / 2)
        }),
        input("wide lists in lists and blank lines", |size| {
            let mut text = String::new();
            for level in 0.. {
                if text.len() >= size / 2 {
                    break;
                }
                text += &format!("{}100000000. a\n{}b\n", " ".repeat(11 * level), " ".repeat(11 * level + 5));
            }
            text + &"\n".repeat(size / 2)
        }),
        input("many lists in a line and blank lines", |size| format!("{}a\n{}", "- ".repeat(99), "\n".repeat(size))),
        input("many lists in a line again", |size| repeat(&format!("{}a\n", "- ".repeat(99)), size)),
        input("thirty lists in a line again", |size| repeat(&format!("{}a\n", "- ".repeat(30)), size)),
        input("twenty-nine lists in a line again", |size| repeat(&format!("{}a\n", "- ".repeat(29)), size)),
        input("twenty lists in a line again", |size| repeat(&format!("{}a\n\n", "- ".repeat(20)), size)),
        input("sixty quotations in a line again", |size| repeat(&format!("{}a\n\n", "> ".repeat(60)), size)),
        input("fifty quotations in a line again", |size| repeat(&format!("{}a\n\n", "> ".repeat(50)), size)),
        input("footnotes in footnotes and blank lines", |size| {
            format!("{}a\n{}", "[^a]: ".repeat(99), "\n".repeat(size))
        }),
        input("front matter without an end", |size| format!("---\n{}", repeat("a: b\n", size))),
        input("front matter of many keys", |size| {
            let keys: String = (0..times(size, 12)).map(|at| format!("key{at}: value\n")).collect();
            format!("---\n{keys}---\na\n")
        }),
        input("front matter of a list", |size| format!("---\na:\n{}---\n", repeat("  - b\n", size))),
        input("front matter that nests", |size| {
            format!("---\na: {}{}\n---\n", "[".repeat(size / 2), "]".repeat(size / 2))
        }),
        input("front matter of one long text", |size| format!("---\na: {}\n---\n", "b ".repeat(size / 2))),
        input("front matter of aliases", |size| format!("---\na: &b [c]\nd:\n{}---\n", repeat("  - *b\n", size))),
        input("front matter that is none", |size| format!("---\n{}---\n", repeat("a b\n", size))),
        input("a table of many columns", |size| {
            let columns = times(size, 6);
            format!("{}|\n{}|\n{}|\n", "|a".repeat(columns), "|-".repeat(columns), "|b".repeat(columns))
        }),
        input("a table of many rows", |size| format!("|a|b|\n|-|-|\n{}", repeat("|c|d|\n", size))),
        input("a table of empty rows", |size| {
            let columns = 100.min(times(size, 8));
            format!("{}|\n{}|\n{}", "|a".repeat(columns), "|-".repeat(columns), repeat("|\n", size))
        }),
        input("a wide table of empty rows", |size| {
            let columns = times(size, 16);
            format!("{}|\n{}|\n{}", "|a".repeat(columns), "|-".repeat(columns), repeat("|\n", size / 2))
        }),
        input("a table of code and pipes", |size| format!("|a|\n|-|\n{}", repeat("|`b\\|c`|\n", size))),
        input("an HTML table of many columns", |size| {
            let columns = times(size, 20);
            let (head, row) = ("<th>a</th>".repeat(columns), "<td>b</td>".repeat(columns));
            format!("<table><thead><tr>{head}</tr></thead><tbody><tr>{row}</tr></tbody></table>\n")
        }),
        input("an HTML table of many rows", |size| {
            let rows = repeat("<tr><td>b</td><td>c</td></tr>", size);
            format!("<table><thead><tr><th>a</th><th>a</th></tr></thead><tbody>{rows}</tbody></table>\n")
        }),
        input("an HTML table of empty rows", |size| {
            let head = "<th>a</th>".repeat(times(size, 20));
            let rows = repeat("<tr></tr>", size / 2);
            format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>\n")
        }),
        input("an HTML table of empty rows and numbers", |size| {
            let head = "<th data-type=\"number\">a</th>".repeat(times(size, 60));
            let rows = repeat("<tr></tr>", size / 2);
            format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>\n")
        }),
        input("tables of short rows", |size| {
            let table = format!("{}|\n{}|\n{}\n", "|a".repeat(200), "|-".repeat(200), "b\n".repeat(200));
            repeat(&table, size)
        }),
        input("text in HTML between tags, again and again", |size| repeat("<div></div>\n{% x %}\na <b>\n", size)),
        input("HTML that is open over lines of tags", |size| format!("<div>\n<a b=\"\n{}", repeat("{% x %}\n", size))),
        input("brackets around a button", |size| {
            let count = times(size, 20);
            let button = "<a href=\"u\" class=\"button primary\">b</a>";
            format!("{}{}{button}{}\n\n[^1]: b\n", "[".repeat(count), "*a*b".repeat(count), "][^1]".repeat(count))
        }),
        input("references to a note that nests too deep", |size| {
            let (refs, words) = (repeat("[^a]\n\n", size / 2), repeat("    b\n\n", size / 2));
            format!("{refs}\n\n[^a]: b\n\n{words}    {}c\n", "- ".repeat(29))
        }),
        input("elements in elements that hold words", |size| {
            let count = times(size, 20);
            format!("{}a{}", "<i class=\"fa-x\">".repeat(count), "</i>".repeat(count))
        }),
        input("code with many highlighted lines", |size| repeat("``` {1-100000}\na\n```\n", size)),
        input("code with many highlighted ranges", |size| {
            let block = format!("``` {{{}1}}\n{}```\n", "1-900,".repeat(110), "\n".repeat(900));
            repeat(&block, size)
        }),
        input("stray ends and blocks with captions", |size| {
            let ends: String = (0..times(size / 2, 14)).map(|at| format!("{{% enda{at} %}}\n")).collect();
            ends + &repeat("{% embed url=\"u\" %}\n", size / 2)
        }),
        input("an image row of many images", |size| {
            format!("<div>{}</div>\n", repeat("<figure><img src=\"a\"></figure>", size))
        }),
        input("definitions that are used", |size| {
            let (mut definitions, mut uses) = (String::new(), String::new());
            for at in 0..times(size, 26) {
                definitions += &format!("[label{at}]: /url{at}\n");
                uses += &format!("[label{at}] ");
            }
            format!("{uses}\n\n{definitions}")
        }),
        input("definitions that are not used", |size| {
            (0..times(size, 20)).map(|at| format!("[label{at}]: /url{at}\n")).collect()
        }),
        input("definitions that are not used, apart", |size| {
            (0..times(size, 20)).map(|at| format!("[label{at}]: /url{at}\n\n")).collect()
        }),
        input("one definition with a long address, used often", |size| {
            format!("[a]: /{}\n\n{}", "u".repeat(size / 2), repeat("[a] ", size / 2))
        }),
        input("footnotes that are used", |size| {
            let (mut definitions, mut uses) = (String::new(), String::new());
            for at in 0..times(size, 24) {
                definitions += &format!("[^note{at}]: text\n\n");
                uses += &format!("a[^note{at}] ");
            }
            format!("{uses}\n\n{definitions}")
        }),
        input("footnotes that are not used", |size| {
            (0..times(size, 18)).map(|at| format!("[^note{at}]: text\n\n")).collect()
        }),
        input("one note with a long text, used often", |size| {
            format!("{}\n\n[^a]: {}\n", repeat("[^a] ", size / 2), "b ".repeat(size / 4))
        }),
        input("a reference in a footnote of a footnote", |size| {
            let notes: String = (0..times(size, 22)).map(|at| format!("[^n{at}]: a[^n{}]\n\n", at + 1)).collect();
            format!("a[^n0]\n\n{notes}")
        }),
        input("brackets around footnotes", |size| {
            let count = times(size, 12);
            format!("{}a{}\n\n[^1]: b\n", "[".repeat(count), "][^1]".repeat(count))
        }),
        input("a link around many words", |size| format!("[{}](u)", repeat("**a** b ", size))),
        input("images in images", |size| {
            let count = times(size, 6);
            format!("{}a{}", "![".repeat(count), "](u)".repeat(count))
        }),
        input("looks in looks", |size| {
            let count = times(size, 4);
            format!("{}a{}", "*_".repeat(count), "_*".repeat(count))
        }),
        input("links in looks in elements", |size| repeat("<b>*[a](b)*</b> ", size)),
        input("backticks of growing length", |size| {
            let mut text = String::new();
            for length in 1.. {
                if text.len() >= size {
                    break;
                }
                text += &format!("{}a", "`".repeat(length));
            }
            text
        }),
        input("code with backticks of growing length", |size| {
            let mut text = String::from("<code>");
            for length in 1.. {
                if text.len() >= size {
                    break;
                }
                text += &format!("{}a", "`".repeat(length));
            }
            text + "</code>"
        }),
        input("fences of growing length", |size| {
            let mut text = String::new();
            for length in 3.. {
                if text.len() >= size {
                    break;
                }
                text += &format!("{}\n", "`".repeat(length));
            }
            text
        }),
        input("an attribute list without end", |size| {
            let names: String = (0..times(size, 9)).map(|at| format!(" a{at}=b")).collect();
            format!("<a{names}")
        }),
        input("a tag of many attributes", |size| {
            let names: String = (0..times(size, 11)).map(|at| format!(" a{at}=\"b\"")).collect();
            format!("{{% hint{names} %}}\n\n<a{names}>\n\n<p>b <a{names}>c</a>\n")
        }),
        input("a formula of many lines", |size| format!("$$\n{}$$\n", repeat("a?>b\n", size))),
        input("code of many lines", |size| format!("```rust {{1-3}}\n{}```\n", repeat("let a = 1;\n", size))),
        input("code without end", |size| format!("```\n{}", repeat("let a = 1;\n", size))),
        input("a comment without end", |size| format!("<!--\n{}", repeat("a\n\n", size))),
        input("ordinary text", ordinary),
    ]
}

/// Pages as people write them: headings, paragraphs with looks and links, lists, code, tables, hints, tabs, images.
fn ordinary(size: usize) -> String {
    let mut text = String::with_capacity(size + 4096);
    let mut section = 0;
    while text.len() < size {
        section += 1;
        text += &format!("## Section {section}: how the loom weaves\n\n");
        for at in 0..3 {
            text += &format!(
                "The engine weaves **patterns** of algebra just as the loom weaves _flowers_ and leaves; see [part \
                 {at}](../part-{at}/README.md) and `weave --pattern {at}` for the details. Not every pattern is one \
                 that people know, and some of them (e.g. those of 1842) are known to few.\n\n"
            );
        }
        text += "* one point, with `code`\n* another point\n  * a point under it\n* the last one, see https://example.org/a\n\n";
        text += "```rust\nfn main() {\n    println!(\"{}\", weave(\"flowers\"));\n}\n```\n\n";
        text += "| Name | Kind | What it is |\n| --- | :---: | --- |\n| `warp` | thread | goes **along** |\n| `weft` | thread | goes across |\n\n";
        text +=
            "{% hint style=\"info\" %}\nA loom needs two hands. Read [the manual](manual.md) first.\n{% endhint %}\n\n";
        text += "{% tabs %}\n{% tab title=\"Linux\" %}\nInstall it with the package manager.\n{% endtab %}\n\n{% tab title=\"macOS\" %}\nDownload the image.\n{% endtab %}\n{% endtabs %}\n\n";
        text += "<figure><img src=\".gitbook/assets/loom.png\" alt=\"A loom\"><figcaption><p>A loom of 1842</p></figcaption></figure>\n\n";
        text += "1. Open the window.\n2. Press the button.\n3. Wait for the loom.\n\n> Nothing is woven before the loom is wound.\n\n";
    }
    text
}
