//! What programs get.
mod openapi;

use super::*;
use crate::article::RenderContext;
use crate::texts::Texts;
use chrono::{DateTime, Utc};
use domain::content::document::{Color, Document, keep_keys};
use domain::content::markdown::{self as reader, Links};
use domain::content::reference::ContentRef;
use domain::site::customization::{ExternalLinkTarget, IconStyle, Locale};
use domain::site::reader::{FileTarget, PlaceTarget, ReferenceTarget, References, TagTarget};
use domain::text::Language;
use domain::usecases::sites::reader::ListedPage;
use rstest::rstest;

const BASE: &str = "/s/docs/";
const SITE: &str = "https://docs.test/s/docs/";
const ADDRESSES: Addresses<'_> = Addresses { base: BASE, site: SITE };

/// Pages and files by their names; what has no letter is an address.
struct ByName;

impl Links for ByName {
    fn resolve(&self, href: &str, use_: reader::LinkUse) -> Option<ContentRef> {
        let (name, anchor) = href.split_once('#').unwrap_or((href, ""));
        let page = || name.strip_suffix(".md").map(|name| name.parse().unwrap());
        match use_ {
            _ if !anchor.is_empty() => {
                Some(ContentRef::Anchor { anchor: anchor.to_owned(), page: page(), space: None })
            }
            reader::LinkUse::Link => Some(ContentRef::Page { page: page()?, space: None }),
            _ => Some(ContentRef::File { file: name.strip_suffix(".png")?.parse().unwrap(), space: None }),
        }
    }
}

fn document(text: &str) -> Document {
    reader::parse(text, &ByName).into_document().unwrap()
}

/// What references lead to: pages to their address, but for `secret`, and files to theirs, but for `lost`.
fn references(document: &Document) -> References {
    let link = |href: String, title: &str| {
        Some(ReferenceTarget::Link(PlaceTarget {
            href,
            title: title.to_owned(),
            description: None,
            emoji: None,
            icon: None,
        }))
    };
    let target = |reference: &ContentRef| match reference {
        ContentRef::Page { page, .. } if page.as_str() != "secret" => link(format!("{BASE}{page}"), "A page"),
        ContentRef::Anchor { anchor, page: Some(page), .. } if page.as_str() != "secret" => {
            link(format!("{BASE}{page}#{anchor}"), "A page")
        }
        ContentRef::Anchor { anchor, page: None, .. } => link(format!("#{anchor}"), anchor),
        ContentRef::File { file, .. } if file.as_str() != "lost" => Some(ReferenceTarget::File(FileTarget {
            href: format!("{BASE}~/files/v/{file}-0/{file}.png"),
            name: format!("{file}.png"),
            content_type: "image/png".to_owned(),
            size: 1,
            dimensions: None,
        })),
        ContentRef::Tag { tag, .. } => Some(ReferenceTarget::Tag(TagTarget {
            label: tag.to_uppercase(),
            color: Color::Red,
            emoji: None,
            icon: None,
        })),
        _ => None,
    };
    let all = document.references().into_iter();
    References {
        targets: all.filter_map(|one| Some((one.target.clone(), target(&one.target)?))).collect(),
        ..References::default()
    }
}

fn written(text: &str) -> String {
    let document = document(text);
    let references = references(&document);
    let text = Text {
        title: "Title",
        description: None,
        url: "https://docs.test/s/docs/here",
        document: &document,
        references: &references,
    };
    markdown(&text, &ADDRESSES)
}

#[rstest]
#[case::a_page("[one](one.md)", "[one](https://docs.test/s/docs/one)")]
#[case::a_place("[one](one.md#a)", "[one](https://docs.test/s/docs/one#a)")]
#[case::a_place_in_it("[one](#a)", "[one](https://docs.test/s/docs/here#a)")]
#[case::another_site("[one](https://example.org/)", "[one](https://example.org/)")]
#[case::mail("[one](mailto:a@example.org)", "[one](mailto:a@example.org)")]
#[case::hidden("[*one*](secret.md)", "_one_")]
#[case::hidden_with_a_place("[one](secret.md#a)", "one")]
#[case::unknown("[one](nowhere/)", "one")]
#[case::a_script("[one](javascript:alert(1))", "one")]
#[case::data("[one](data:text/html,x)", "one")]
#[case::an_image("![one](one.png)", "![one](https://docs.test/s/docs/~/files/v/one-0/one.png)")]
#[case::a_lost_image("a\n\n![one](lost.png)\n\nb", "a\n\nb\n")]
#[case::a_card(
    "{% content-ref url=\"one.md\" %}\n[one](one.md)\n{% endcontent-ref %}",
    "[A page](https://docs.test/s/docs/one)"
)]
#[case::a_card_of_a_hidden_page(
    "{% content-ref url=\"secret.md\" %}\n[one](secret.md)\n{% endcontent-ref %}",
    "# Title\n\none\n"
)]
#[case::a_hint(
    "{% hint style=\"info\" %}\n[one](one.md)\n{% endhint %}",
    "{% hint style=\"info\" %}\n[one](https://docs.test/s/docs/one)\n{% endhint %}"
)]
#[case::a_card_in_a_table(
    "<table><thead><tr><th>A</th><th data-type=\"content-ref\">B</th></tr></thead><tbody><tr><td>x</td><td><a href=\"one.md\">one.md</a></td></tr></tbody></table>",
    "<td><a href=\"https://docs.test/s/docs/one\">A page</a></td>"
)]
#[case::a_hidden_card_in_a_table(
    "<table><thead><tr><th>A</th><th data-type=\"content-ref\">B</th></tr></thead><tbody><tr><td>x</td><td><a href=\"secret.md\">secret.md</a></td></tr></tbody></table>",
    "<td>x</td><td></td>"
)]
#[case::a_choice_in_a_table(
    "<table><thead><tr><th>A</th><th data-type=\"select\" data-options='[{\"value\":\"n\",\"label\":\"New one\",\"color\":\"green\"}]'>B</th></tr></thead><tbody><tr><td>x</td><td><span data-id=\"n\"></span></td></tr></tbody></table>",
    "New one"
)]
#[case::a_link_in_a_table("| A |\n| --- |\n| [one](secret.md) |", "| one |")]
fn addresses_are_absolute_and_what_leads_nowhere_is_text(#[case] text: &str, #[case] expected: &str) {
    let written = written(text);
    assert!(written.starts_with("# Title\n"), "{written}");
    assert!(written.contains(expected), "{written}");
    for word in ["secret", "lost", "broken-reference", "(/s/docs", "\"/s/docs", "javascript"] {
        assert!(!written.contains(word), "{word}: {written}");
    }
}

#[test]
fn a_page_begins_with_its_title_and_its_description() {
    let (document, references) = (document("Text.\n"), References::default());
    let text = Text {
        title: "A *star*",
        description: Some("About # it"),
        url: SITE,
        document: &document,
        references: &references,
    };
    assert_eq!(markdown(&text, &ADDRESSES), "# A \\*star\\*\n\nAbout # it\n\nText.\n");
}

#[rstest]
#[case("/s/docs/one", "https://docs.test/s/docs/one")]
#[case("/s/docs/", "https://docs.test/s/docs/")]
#[case("/s/docs", "https://docs.test/s/docs/")]
#[case("https://example.org/s/docs/", "https://example.org/s/docs/")]
#[case("#a", "#a")]
fn paths_on_the_server_become_absolute(#[case] href: &str, #[case] expected: &str) {
    assert_eq!(ADDRESSES.absolute(href), expected);
}

#[test]
fn an_address_of_another_host_is_none_of_a_site_at_a_root() {
    let addresses = Addresses { base: "/", site: "https://docs.test/" };
    assert_eq!(addresses.absolute("/one"), "https://docs.test/one");
    assert_eq!(addresses.absolute("//example.org/one"), "//example.org/one");
}

fn at(day: u32) -> DateTime<Utc> {
    format!("2025-03-{day:02}T10:00:00Z").parse().unwrap()
}

fn listed_page(variant: &str, path: &str, title: &str) -> ListedPage {
    ListedPage {
        id: path.parse().unwrap(),
        site_space: variant.parse().unwrap(),
        section: None,
        variant: variant.to_owned(),
        default_variant: true,
        language: None,
        title: title.to_owned(),
        description: None,
        url: format!("{SITE}{path}"),
        canonical: true,
        alternates: Vec::new(),
        markdown: format!("{SITE}{path}.md"),
        markdown_path: format!("{path}.md"),
        updated_at: at(1),
        indexed: true,
        no_index: false,
        hidden: false,
    }
}

#[test]
fn a_list_for_assistants_has_pages_by_section_and_variant() {
    let described = |page: ListedPage, text: &str| ListedPage { description: Some(text.to_owned()), ..page };
    let in_section = |page: ListedPage, default_variant: bool| ListedPage {
        section: Some("API".to_owned()),
        default_variant,
        ..page
    };
    let pages = [
        described(listed_page("v1", "one", "One [1]"), "The\n\u{7}first."),
        listed_page("v1", "two", "Two"),
        in_section(listed_page("v2", "three", "Three"), true),
        in_section(listed_page("v3", "four", "Four"), false),
    ];
    let overview = Overview { title: "Docs", summary: Some("How\u{1b}\nit works."), site: SITE, served: true };
    let expected = "# Docs\n\n> How it works.\n\nAll pages in one file: https://docs.test/s/docs/llms-full.txt\n\
                    Search by the Model Context Protocol: https://docs.test/s/docs/~/mcp\n\n## v1\n\n\
                    - [One \\[1\\]](https://docs.test/s/docs/one.md): The first.\n\
                    - [Two](https://docs.test/s/docs/two.md)\n\n## API\n\n\
                    - [Three](https://docs.test/s/docs/three.md)\n\n## API: v3\n\n\
                    - [Four](https://docs.test/s/docs/four.md)\n";
    assert_eq!(llms(&overview, &pages), expected);
}

#[test]
fn a_missing_page_has_those_that_are_near() {
    let near = [("One", format!("{SITE}one.md"))];
    let text = nearest(Some(SITE), near.into_iter());
    assert!(
        text.starts_with("# Page not found\n\nThere is no page at this address. These pages are near:\n"),
        "{text}"
    );
    assert!(text.contains("\n- [One](https://docs.test/s/docs/one.md)\n"), "{text}");
    assert!(!nearest(Some(SITE), std::iter::empty()).contains("near"));
    assert!(!nearest(None, std::iter::empty()).contains("llms.txt"), "the site has no list");
}

#[test]
fn a_sitemap_has_the_date_and_the_languages_of_each_page() {
    let languages =
        vec![("de".to_owned(), format!("{SITE}de/one?a&b")), ("x-default".to_owned(), format!("{SITE}one"))];
    let page = ListedPage { alternates: languages, updated_at: at(2), ..listed_page("v", "one", "One") };
    let text = sitemap(&[&page], 1).unwrap();
    assert!(
        text.contains("<url><loc>https://docs.test/s/docs/one</loc><lastmod>2025-03-02T10:00:00Z</lastmod>"),
        "{text}"
    );
    let link = "<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"https://docs.test/s/docs/de/one?a&amp;b\"/>";
    assert!(text.contains(link) && text.contains("hreflang=\"x-default\""), "{text}");
    let index = sitemap_index(SITE, &[&page]);
    let entry = "<sitemap><loc>https://docs.test/s/docs/sitemap-pages.xml</loc><lastmod>2025-03-02T10:00:00Z</lastmod>";
    assert!(index.contains(entry), "{index}");
}

#[test]
fn a_large_site_has_several_sitemaps() {
    let page = listed_page("v", "one", "One");
    let pages: Vec<&ListedPage> = std::iter::repeat_n(&page, SITEMAP_SIZE + 1).collect();
    let index = sitemap_index(SITE, &pages);
    assert!(index.contains("sitemap-pages.xml</loc>") && index.contains("sitemap-pages.xml?part=2</loc>"), "{index}");
    let count = |part| sitemap(&pages, part).map(|text| text.matches("<url>").count());
    assert_eq!([count(0), count(1), count(2), count(3)], [None, Some(SITEMAP_SIZE), Some(1), None]);
    assert_eq!(sitemap(&[], 1).map(|text| text.matches("<url>").count()), Some(0));
}

#[test]
fn only_a_public_site_names_its_sitemap() {
    let public = robots(SITE, BASE, true);
    assert!(public.contains("\nSitemap: https://docs.test/s/docs/sitemap.xml\n"), "{public}");
    assert!(public.contains("Disallow: /s/docs/~/search\n") && !public.contains("assets"), "{public}");
    assert!(!robots(SITE, BASE, false).contains("Sitemap"));
    let host = robots_of_host(&["https://a.test/s/a/".to_owned(), "https://a.test/s/b/".to_owned()], true);
    assert!(host.contains("Disallow: /*~/search\n") && host.contains("Disallow: /v1/\n"), "{host}");
    assert!(
        host.ends_with("\n\nSitemap: https://a.test/s/a/sitemap.xml\nSitemap: https://a.test/s/b/sitemap.xml\n"),
        "{host}"
    );
    assert!(!robots_of_host(&[], false).contains("/v1/"));
}

#[test]
fn a_browser_gets_the_address_of_the_search() {
    let search = Search { title: "The <Docs> & more than sixteen", site: SITE, icon: None, language: Some("en") };
    let text = opensearch(&search);
    assert!(text.contains("<ShortName>The &lt;Docs&gt; &amp; mor</ShortName>"), "{text}");
    assert!(text.contains("template=\"https://docs.test/s/docs/~/search?q={searchTerms}\""), "{text}");
}

fn fed(document: &Document) -> Option<String> {
    let references = references(document);
    let texts = Texts::of(None::<Language>, Locale::En);
    let context = RenderContext {
        references: &references,
        texts: &texts,
        external_links: ExternalLinkTarget::Blank,
        icons: IconStyle::Regular,
        base: BASE,
        page: BASE,
        external_images: None,
        schemas: None,
        former_anchors: &[],
        diagrams: &crate::diagram::UncachedDiagrams,
    };
    let url = "https://docs.test/s/docs/news";
    let text = Text { title: "News", description: None, url, document, references: &references };
    let own = format!("{url}/rss.xml");
    let feed = Feed { id: "page", text, site: "Docs & more", url: &own, language: Some("en") };
    super::feed(&feed, &context, &ADDRESSES, &mut |html| html)
}

const UPDATES: &str = "{% updates format=\"full\" %}\n{% update date=\"2025-03-01\" tags=\"new\" %}\n## First \\<thing>\n\nSee \
                       [one](one.md).\n{% endupdate %}\n\n{% update date=\"2025-03-09\" %}\nSecond.\n{% endupdate %}\n{% endupdates %}\n";

#[test]
fn a_feed_has_the_updates_whole_and_the_newest_first() {
    let text = fed(&document(UPDATES)).unwrap();
    let items: Vec<&str> = text.split("<item>").skip(1).collect();
    assert_eq!(items.len(), 2, "{text}");
    assert!(
        items[0].contains("<title>2025-03-09</title>") && items[0].contains("&lt;p&gt;Second.&lt;/p&gt;"),
        "{text}"
    );
    assert!(items[1].contains("<title>First &lt;thing&gt;</title>"), "{text}");
    assert!(items[1].contains("<pubDate>Sat, 1 Mar 2025 00:00:00 +0000</pubDate>"), "{text}");
    assert!(items[1].contains("href=&quot;https://docs.test/s/docs/one&quot;"), "{text}");
    assert_eq!(items[1].matches("First").count(), 1, "the title is not in the text again: {text}");
    assert!(items[1].contains("<category>NEW</category>"), "{text}");
    assert!(!text.contains("o-anchor") && !text.contains("&quot;/s/docs/"), "{text}");
    assert!(text.contains("<title>News - Docs &amp; more</title>"), "{text}");
    assert!(text.contains("<atom:link href=\"https://docs.test/s/docs/news/rss.xml\" rel=\"self\""), "{text}");
}

#[test]
fn the_id_of_an_update_survives_a_change_of_its_text() {
    let ids = |document: &Document| {
        let text = fed(document).unwrap();
        let ids = text.split("<guid isPermaLink=\"false\">").skip(1);
        ids.map(|rest| rest.split('<').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let before = document(UPDATES);
    let after = keep_keys(&before, document(&UPDATES.replace("See", "Now see")));
    assert_eq!(ids(&before), ids(&after));
    assert_eq!(ids(&before).len(), 2);
}

#[test]
fn a_page_without_updates_has_no_feed() {
    assert_eq!(fed(&document("Text.\n")), None);
}

#[test]
fn text_in_xml_has_only_what_xml_allows() {
    assert_eq!(xml::escape("a<b>&\"c\"\u{0}\u{8}\n\u{ffff}é"), "a&lt;b&gt;&amp;&quot;c&quot;\né");
}
