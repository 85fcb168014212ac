//! Texts and settings that try to become markup, script or style.
use super::fixtures::{ENGLISH, all_settings, full_page, html, large, rendered, small};
use crate::article::Article;
use crate::frame::{SearchHit, SearchHitSection, SearchRequest, SearchResults, empty_site, message, not_found, search};
use domain::site::reader::{NavigationEntry, PageLink, SectionEntry, SiteFrame};
use domain::site::served_font::FontTable;
use serde_json::{Value, json};

const EVIL: &str = "\"'></title></style></script><script>alert(1)</script><img src=x onerror=alert(2)>{{}}";

/// No element and no attribute comes from a text. Each `<` of the page begins an element of ours.
fn check(html: &str) {
    let mut scripts = 0;
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, behind) = after.split_once('>').unwrap_or_else(|| panic!("no end: {after}"));
        let mut pieces = tag.split('"');
        let outside: String = pieces.by_ref().step_by(2).collect::<Vec<_>>().join(" ");
        let mut words = outside.split([' ', '=']).filter(|word| !matches!(*word, "" | "/"));
        let name = words.next().unwrap_or_default();
        assert!(name.trim_start_matches(['/', '!']).bytes().all(|byte| byte.is_ascii_alphanumeric()), "{tag}");
        for attribute in words {
            let known = attribute.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
            assert!(known && !attribute.starts_with("on") && attribute != "style", "{attribute} of {tag}");
        }
        for attribute in ["href", "src", "action"] {
            let value = tag.split_once(&format!(" {attribute}=\"")).map_or("/", |(_, value)| value);
            let fine = ["/", "#", "https://", "mailto:", "data:image/svg+xml,%3Csvg"]
                .iter()
                .any(|start| value.starts_with(start));
            assert!(fine, "{value}");
        }
        assert!(!["img src=x", "svg onload"].contains(&tag));
        scripts += usize::from(name == "script");
        // What is in these is no markup.
        rest = match name {
            "script" => behind.split_once("</script>").expect("an end").1,
            "style" => behind.split_once("</style>").expect("an end").1,
            _ => behind,
        };
    }
    assert!(scripts <= 3, "{scripts}");
    assert_eq!(html.matches("</title>").count(), 1);
}

fn evil_link() -> PageLink {
    PageLink {
        title: EVIL.to_owned(),
        emoji: Some(EVIL.to_owned()),
        icon: Some(EVIL.to_owned()),
        href: Some("/x".into()),
    }
}

fn evil_frame() -> SiteFrame {
    let mut settings = all_settings();
    let url = json!({"kind": "url", "url": "https://example.org/\"'><script>alert(1)</script>"});
    let text = "\"><script>alert(1)</script>";
    settings["title"] = json!("<script>alert(1)</script>");
    settings["header"]["primaryLink"] = url.clone();
    settings["header"]["links"] = json!([
        {"title": text, "to": url, "style": "button-primary"},
        {"title": text, "to": null, "links": [{"title": text, "to": url}]},
    ]);
    settings["footer"]["groups"] = json!([{"title": text, "links": [{"title": text, "to": url}]}]);
    settings["footer"]["copyright"] = json!(EVIL);
    settings["announcement"] = json!({"message": text, "link": {"title": text, "to": url}});
    settings["socialAccounts"] =
        json!([{"platform": "github", "handle": text}, {"platform": "mastodon", "handle": text}]);
    settings["styling"]["font"] =
        json!({"id": "a", "custom": true, "fontFamily": "x</style><script>alert(1)</script>", "fontFaces": []});
    let mut frame = large();
    frame.customization = serde_json::from_value(settings).unwrap();
    frame.title = EVIL.to_owned();
    frame.navigation.push(NavigationEntry {
        id: "evil".parse().unwrap(),
        title: EVIL.to_owned(),
        emoji: Some(EVIL.to_owned()),
        icon: Some(EVIL.to_owned()),
        href: Some("javascript:alert(1)".to_owned()),
        external: true,
        group: false,
        current: false,
        children: Vec::new(),
    });
    frame.sections.push(SectionEntry::Link {
        title: EVIL.to_owned(),
        description: Some(EVIL.to_owned()),
        icon: Some(EVIL.to_owned()),
        href: " jAvascript:alert(1)".to_owned(),
    });
    for variant in &mut frame.variants {
        variant.title = EVIL.to_owned();
    }
    frame
}

#[test]
fn hostile_pages_and_settings_stay_text() {
    let mut page = full_page();
    page.title = EVIL.to_owned();
    page.description = Some(EVIL.to_owned());
    page.emoji = Some(EVIL.to_owned());
    page.edit = Some("javascript:alert(1)".to_owned());
    page.tags[0].label = EVIL.to_owned();
    page.breadcrumbs = vec![evil_link()];
    page.previous = Some(evil_link());
    page.next = Some(evil_link());
    page.indexed = true;
    check(&html(&evil_frame(), &page));
    let mut article = rendered();
    article.css = "</style><script>alert(1)</script>".to_owned();
    article.outline[0].text = EVIL.to_owned();
    article.outline[0].anchor = EVIL.to_owned();
    check(&crate::frame::page(&small(), &page, &article, &ENGLISH, &FontTable::default()).html);
}

#[test]
fn a_text_with_nul_is_no_fault_of_html() {
    let article = Article { html: "<p>a\0b</p>".to_owned(), ..rendered() };
    let page = crate::frame::page(&small(), &full_page(), &article, &ENGLISH, &FontTable::default()).html;
    assert!(page.contains("<p>a\u{fffd}b</p>") && !page.contains('\0'));
}

#[test]
fn hostile_results_and_queries_stay_text() {
    let hit = SearchHit {
        title: EVIL.to_owned(),
        href: "/x".to_owned(),
        above: vec![EVIL.to_owned()],
        sections: vec![SearchHitSection {
            title: EVIL.to_owned(),
            href: "/x#y".to_owned(),
            text: EVIL.to_owned(),
            matches: vec![(3, 10)],
        }],
    };
    let request = SearchRequest { query: EVIL, scope: Some(EVIL) };
    check(&search(&evil_frame(), &request, &SearchResults { items: vec![hit] }, &ENGLISH, &FontTable::default()).html);
    check(&search(&evil_frame(), &request, &SearchResults::default(), &ENGLISH, &FontTable::default()).html);
    check(&not_found(&evil_frame(), &[evil_link()], &ENGLISH, &FontTable::default()).html);
    check(&empty_site(EVIL, "/", &ENGLISH).html);
    check(&message(500, EVIL));
}

#[test]
fn data_for_search_engines_stays_data() {
    let mut page = full_page();
    page.title = EVIL.to_owned();
    let html = html(&small(), &page);
    let (_, data) = html.split_once("<script type=\"application/ld+json\">").unwrap();
    let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(data["@graph"][2]["headline"], EVIL);
}
