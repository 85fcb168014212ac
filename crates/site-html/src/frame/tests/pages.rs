//! Whole pages, as snapshots. Each element is on a line of its own.
use super::fixtures::{ENGLISH, full_page, html, large, page, small};
use crate::article::Article;
use crate::frame::{
    Html, Print, SearchHit, SearchHitSection, SearchRequest, SearchResults, Sheet, empty_site, message, not_found,
    print, search,
};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::site::reader::PageLink;
use domain::site::served_font::FontTable;
use sha2::{Digest, Sha256};

/// HTML that people can read: without style and hashes of assets, and with line feeds.
fn lines(html: &str) -> String {
    let between = |text: &str, start: &str, end: &str| {
        let (before, rest) = text.split_once(start).unwrap_or((text, ""));
        let after = rest.split_once(end).map_or("", |(_, after)| after);
        if rest.is_empty() { text.to_owned() } else { format!("{before}{start}…{end}{after}") }
    };
    let mut text = between(&between(html, "<style>", "</style>"), "<script>", "</script>");
    for asset in ["style", "reference", "app", "search", "more", "try", "print"] {
        text = between(&text, &format!("/~/assets/{asset}-"), "\"");
    }
    text.replace("><", ">\n<")
}

fn results() -> SearchResults {
    let section = SearchHitSection {
        title: "Before".to_owned(),
        href: "/s/guide/install#before".to_owned(),
        text: "…run the installer & wait".to_owned(),
        matches: vec![(11, 20)],
    };
    let hit = SearchHit {
        title: "Install".to_owned(),
        href: "/s/guide/install".to_owned(),
        above: vec!["Docs".to_owned(), "Guides".to_owned()],
        sections: vec![section],
    };
    SearchResults { items: vec![hit] }
}

fn near() -> [PageLink; 2] {
    let link = |href: Option<&str>| PageLink {
        title: "Install".to_owned(),
        emoji: None,
        icon: None,
        href: href.map(str::to_owned),
    };
    [link(Some("/s/guide/install")), link(None)]
}

#[test]
fn pages_for_printing() {
    let sheet = |number: usize, title: &str| Sheet {
        number,
        title: title.to_owned(),
        description: None,
        url: format!("https://docs.example.org/s/guide/{number}"),
        article: Article { html: "<p>Text</p>".to_owned(), ..Article::default() },
    };
    let sheets = [sheet(1, "Start"), sheet(2, "Install <it>")];
    let all = Print { page: None, title: "Guide", sheets: &sheets, left_out: 3 };
    insta::assert_snapshot!(lines(&print(&small(), &all, &ENGLISH, &FontTable::default()).html));
    let id = "start".parse().unwrap();
    let one = Print { page: Some(&id), title: "Guide", sheets: &sheets[..1], left_out: 0 };
    let html = print(&small(), &one, &ENGLISH, &FontTable::default()).html;
    assert!(html.contains("<title>Start · Guide</title>") && html.contains("/~/print?variant=variant1\""), "{html}");
    assert!(!html.contains("left out") && !html.contains("o-print-list\""), "{html}");
}

#[test]
fn a_page_of_a_small_site() {
    insta::assert_snapshot!(lines(&html(&small(), &page())));
}

#[test]
fn a_page_of_a_site_with_all_settings() {
    insta::assert_snapshot!(lines(&html(&large(), &full_page())));
}

#[test]
fn results_of_a_search() {
    let request = SearchRequest { query: "installer & <more>", scope: Some("all") };
    insta::assert_snapshot!(lines(&search(&large(), &request, &results(), &ENGLISH, &FontTable::default()).html));
}

#[test]
fn a_path_that_leads_nowhere() {
    insta::assert_snapshot!(lines(&not_found(&small(), &near(), &ENGLISH, &FontTable::default()).html));
}

#[test]
fn a_site_without_pages() {
    insta::assert_snapshot!(lines(&empty_site("Guide", "/s/guide/", &ENGLISH).html));
}

#[test]
fn a_message() {
    insta::assert_snapshot!(message(404, "There is <nothing> here."));
}

#[test]
fn hashes_are_those_of_the_elements() {
    let article = super::fixtures::rendered();
    let pages: [Html; 4] = [
        crate::frame::page(&large(), &full_page(), &article, &ENGLISH, &FontTable::default()),
        not_found(&small(), &near(), &ENGLISH, &FontTable::default()),
        search(&small(), &SearchRequest::default(), &results(), &ENGLISH, &FontTable::default()),
        empty_site("Guide", "/", &ENGLISH),
    ];
    for page in &pages {
        let element = |start: &str, end: &str| {
            let (_, rest) = page.html.split_once(start)?;
            Some(BASE64_STANDARD.encode(Sha256::digest(rest.split_once(end)?.0)))
        };
        assert_eq!(element("<style>", "</style>").as_ref(), Some(&page.style_hash));
        assert!(element("<script>", "</script>").is_none_or(|hash| hash == page.script_hash));
        assert_eq!(page.html.matches("<style").count(), 1);
        assert_eq!(page.script_hash, pages[0].script_hash);
    }
    assert_eq!(pages[0].images, ["https://cdn.example.org"]);
    assert!(pages[1].images.is_empty());
}
