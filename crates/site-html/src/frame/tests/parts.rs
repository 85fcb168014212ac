//! What settings and layouts do.
use super::fixtures::{ENGLISH, all_settings, entry, full_page, html, large, page, rendered, small, with};
use crate::article::Article;
use domain::content::page::{Layout, Width};
use domain::site::customization::HeaderPreset;
use domain::site::reader::{NavigationEntry, PageLink, SiteCover, SiteFrame, SitePage};
use domain::site::served_font::FontTable;
use domain::text::Language;
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[case("styling")]
#[case("internationalization")]
#[case("header")]
#[case("footer")]
#[case("announcement")]
#[case("themes")]
#[case("feedback")]
#[case("pageActions")]
#[case("externalLinks")]
#[case("trademark")]
#[case("privacyPolicy")]
#[case("socialPreview")]
#[case("socialAccounts")]
fn every_setting_has_an_effect(#[case] key: &str) {
    let mut settings = all_settings();
    let value = settings[key].take();
    assert!(!value.is_null(), "{key}");
    let mut change = json!({"header": {"links": all_settings()["header"]["links"]}});
    let before = with(change.clone());
    change[key] = value;
    assert_ne!(with(change), before, "{key}");
}

#[rstest]
#[case(json!({"pagination": {"enabled": false}}), "o-pager")]
#[case(json!({"themes": {"toggeable": false}}), "o-theme")]
#[case(json!({"pageActions": {"items": []}}), "o-action")]
#[case(json!({"pageActions": {"items": ["markdown"]}}), "claude.ai")]
#[case(json!({"announcement": {"enabled": false, "message": "Hello"}}), "o-announce")]
#[case(json!({}), "o-announce")]
#[case(json!({}), "o-feedback")]
#[case(json!({}), "o-mark")]
#[case(json!({}), "o-footer")]
#[case(json!({}), "o-preview")]
#[case(json!({}), "target=\"_blank\" rel")]
fn what_is_off_is_not_there(#[case] change: Value, #[case] text: &str) {
    assert!(!with(change).contains(text));
}

#[test]
fn page_actions_are_in_their_order() {
    let html = with(json!({"pageActions": {"items": ["git", "markdown", "pdf", "mcp", "external-ai"]}}));
    let places = ["Edit this page", "Copy page", "View as Markdown", "Print or save", "~/mcp", "chatgpt.com"]
        .map(|text| html.find(text).unwrap_or_else(|| panic!("{text}")));
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn without_advanced_customization_only_colours_and_logos_count() {
    let mut settings = all_settings();
    settings["advancedCustomization"] = json!({"enabled": false});
    let html = with(settings);
    for gone in ["o-announce", "Blog", "o-bold", "© 2026", "o-social", "Merriweather"] {
        assert!(!html.contains(gone), "{gone}");
    }
    for kept in ["#7c3aed", "light.svg", "o-feedback"] {
        assert!(html.contains(kept), "{kept}");
    }
}

fn with_layout(change: impl FnOnce(&mut Layout)) -> String {
    let mut page = full_page();
    change(&mut page.layout);
    html(&small(), &page)
}

#[test]
fn a_layout_hides_parts() {
    let all = with_layout(|_| {});
    let cases: [(&str, String); 9] = [
        ("<h1>", with_layout(|layout| layout.title = false)),
        ("o-lead", with_layout(|layout| layout.description = false)),
        ("o-toc", with_layout(|layout| layout.outline = false)),
        ("o-pager", with_layout(|layout| layout.pagination = false)),
        ("o-updated", with_layout(|layout| layout.metadata = false)),
        ("o-tags", with_layout(|layout| layout.tags = false)),
        ("o-actions", with_layout(|layout| layout.actions = false)),
        ("o-hero", with_layout(|layout| layout.cover = false)),
        ("<article class=\"o-text\">", with_layout(|layout| layout.anchors = false)),
    ];
    for (text, html) in cases {
        assert!(all.contains(text) && !html.contains(text), "{text}");
        assert_eq!(html.matches("<h1").count(), 1);
    }
    assert!(with_layout(|layout| layout.title = false).contains("<h1 class=\"o-hidden\">"));
    assert!(with_layout(|layout| layout.table_of_contents = false).contains("data-side=\"no\""));
}

#[test]
fn an_outline_is_beside_a_text_that_leaves_room_for_it_and_else_above() {
    let places = |html: &str| ["data-toc", "<aside class=\"o-toc\">", "o-toc-small"].map(|part| html.contains(part));
    assert_eq!(places(&with_layout(|_| {})), [true; 3]);
    assert_eq!(places(&with_layout(|layout| layout.width = Width::Wide)), [false, false, true]);
    let api = Article { html: "<section class=\"o-api\"></section>".to_owned(), ..rendered() };
    let api = crate::frame::page(&small(), &full_page(), &api, &ENGLISH, &FontTable::default()).html;
    assert_eq!(places(&api), [false, false, true]);
}

#[test]
fn a_description_that_repeats_the_title_is_not_shown() {
    let shown = |description: &str| html(&small(), &SitePage { description: Some(description.to_owned()), ..page() });
    assert!(shown("How to install").contains("<p class=\"o-lead\">How to install</p>"));
    let repeated = shown("Install ");
    assert!(!repeated.contains("o-lead"));
    assert!(repeated.contains("<meta name=\"description\" content=\"Run the program.\">"), "{repeated}");
}

#[test]
fn a_page_without_text_shows_the_pages_below_it() {
    let link = NavigationEntry {
        href: Some("https://status.example.org/".to_owned()),
        external: true,
        ..entry("status", "Status", false)
    };
    let children = vec![entry("linux", "On <Linux>", false), link];
    let branch = NavigationEntry { children, ..entry("install", "Install", true) };
    let frame = SiteFrame { navigation: vec![entry("start", "Start", false), branch], ..small() };
    let shown = |article: &Article| crate::frame::page(&frame, &page(), article, &ENGLISH, &FontTable::default()).html;
    let first = "<ul class=\"o-cards\"><li><article><div class=\"o-card-title\">On &lt;Linux&gt;</div>\
        <a class=\"o-card-link\" href=\"/s/guide/linux\"><span class=\"o-hidden\">On &lt;Linux&gt;</span></a>";
    let empty = shown(&Article::default());
    let second = "<a class=\"o-card-link\" href=\"https://status.example.org/\"";
    assert!(empty.contains(first) && empty.contains(second), "{empty}");
    assert!(!shown(&rendered()).contains("<ul class=\"o-cards\">"));
    let without = crate::frame::page(&small(), &page(), &Article::default(), &ENGLISH, &FontTable::default()).html;
    assert!(!without.contains("<ul class=\"o-cards\">"));
}

/// The header of a page of a site with all settings, and its sidebar.
fn header_and_sidebar(preset: HeaderPreset, without_contents: bool) -> [String; 2] {
    let (mut frame, mut page) = (large(), full_page());
    frame.customization.header.preset = preset;
    frame.customization.themes.toggeable = true;
    page.layout.table_of_contents = !without_contents;
    let html = html(&frame, &page);
    let part = |start: &str, end: &str| {
        let (_, rest) = html.split_once(start).unwrap();
        rest.split_once(end).unwrap().0.to_owned()
    };
    [part("<header class=\"o-header\">", "</header>"), part("<aside class=\"o-side\"", "</aside>")]
}

#[test]
fn without_a_header_its_parts_are_in_the_sidebar() {
    const PARTS: [&str; 7] = ["o-logo", "o-theme", "o-search", "o-language", "o-sections", "o-links", "o-social"];
    let counts = |html: &String| PARTS.map(|part| html.matches(&format!("{part}\"")).count());
    let [header, sidebar] = header_and_sidebar(HeaderPreset::None, false);
    assert_eq!(counts(&sidebar), [1; 7], "{sidebar}");
    assert_eq!(counts(&header), [1, 1, 1, 0, 0, 0, 0], "small screens need a header: {header}");
    for (preset, without_contents) in [(HeaderPreset::Default, false), (HeaderPreset::None, true)] {
        let [header, sidebar] = header_and_sidebar(preset, without_contents);
        assert_eq!((counts(&header), counts(&sidebar)), ([1; 7], [0; 7]), "a page without a sidebar has a header");
    }
}

#[rstest]
#[case(Some(Language::Ar), "lang=\"ar\" dir=\"rtl\"")]
#[case(Some(Language::He), "lang=\"he\" dir=\"rtl\"")]
#[case(Some(Language::PtBr), "lang=\"pt-br\" dir=\"ltr\"")]
#[case(None, "lang=\"en\" dir=\"ltr\"")]
fn the_direction_is_that_of_the_language(#[case] language: Option<Language>, #[case] expected: &str) {
    assert!(html(&SiteFrame { language, ..small() }, &page()).contains(expected));
}

#[test]
fn a_page_that_is_not_indexed_says_so_and_has_no_data_for_search_engines() {
    let hidden = html(&small(), &SitePage { indexed: false, ..page() });
    assert!(hidden.contains("<meta name=\"robots\" content=\"noindex\">") && !hidden.contains("ld+json"));
    assert!(html(&small(), &page()).contains("ld+json"));
}

#[test]
fn a_page_without_a_description_is_described_by_its_first_paragraph() {
    let html = html(&small(), &page());
    assert!(html.contains("<meta name=\"description\" content=\"Run the program.\">"));
}

#[test]
fn a_page_that_is_no_markdown_has_no_actions_for_it() {
    let html = html(&small(), &SitePage { markdown: String::new(), ..page() });
    for gone in ["text/markdown", "data-copy", "claude.ai", "~/mcp"] {
        assert!(!html.contains(gone), "{gone}");
    }
}

#[test]
fn the_current_page_is_marked_once_and_its_branch_is_open() {
    let html = html(&large(), &full_page());
    assert_eq!(html.matches("aria-current=\"page\"").count(), 1);
    assert!(html.contains("<details open><summary aria-label=\"Seiten unter Guides\">"), "{html}");
}

#[test]
fn the_language_menu_leads_to_the_same_page() {
    let html = html(&large(), &full_page());
    let (_, menu) = html.split_once("o-language").unwrap();
    let (menu, _) = menu.split_once("</details>").unwrap();
    assert!(menu.contains("Deutsch") && menu.contains("<a href=\"/s/guide/en/install\" hreflang=\"en\" lang=\"en\""));
    let (_, menu) = html.split_once("o-variant").unwrap();
    let (menu, _) = menu.split_once("</details>").unwrap();
    assert!(menu.contains("2.0") && menu.contains("/s/guide/v1/install") && !menu.contains("English"));
}

#[test]
fn another_text_is_another_announcement() {
    let key = |message: &str| {
        let html = with(json!({"announcement": {"message": message}}));
        html.split_once("data-key=\"").unwrap().1.split_once('"').unwrap().0.to_owned()
    };
    assert_eq!(key("One two"), key("One two"));
    assert_ne!(key("One two"), key("One three"));
}

/// The data for search engines of a page, and the names in its breadcrumbs.
fn json_ld(page: &SitePage) -> (Value, Vec<String>) {
    let html = html(&small(), page);
    let (_, data) = html.split_once("<script type=\"application/ld+json\">").unwrap();
    let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let crumbs = data["@graph"][1]["itemListElement"].as_array().unwrap();
    let names = crumbs.iter().filter_map(|crumb| crumb["name"].as_str().map(str::to_owned)).collect();
    (data, names)
}

#[test]
fn the_start_of_a_site_is_in_its_breadcrumbs_once() {
    let canonical = small().canonical;
    assert_eq!(json_ld(&SitePage { canonical, ..page() }).1, ["Guide"]);
}

#[test]
fn json_ld_is_valid_and_names_the_pages_above() {
    let (data, names) = json_ld(&full_page());
    let [site, crumbs, article] = data["@graph"].as_array().unwrap().as_slice() else { panic!("{data}") };
    assert_eq!(site["potentialAction"]["target"], "https://docs.example.org/s/guide/~/search?q={search_term_string}");
    assert_eq!(names, ["Guide", "Guides", "Install"]);
    assert_eq!(crumbs["itemListElement"][1]["item"], "https://docs.example.org/s/guide/guides");
    assert_eq!((&article["headline"], &article["dateModified"]), (&json!("Install"), &json!("2026-09-21T14:13:20Z")));
}

#[test]
fn a_page_is_small() {
    let html = html(&small(), &page());
    assert!(html.len() < 14_000, "{}", html.len());
}

#[rstest]
#[case("https://cdn.example.org/cover.png", "https://cdn.example.org/cover.png")]
#[case("https://cdn.example.org/cover.SVG?v=1", "https://docs.example.org/s/guide/~/card/install-")]
fn a_cover_is_the_image_for_social_networks_unless_it_is_a_drawing(#[case] cover: &str, #[case] image: &str) {
    let cover = full_page().cover.map(|full| SiteCover { image: cover.to_owned(), ..full });
    let html = html(&small(), &SitePage { cover, ..page() });
    assert!(html.contains(&format!("<meta property=\"og:image\" content=\"{image}")), "{html}");
}

#[test]
fn the_icon_of_a_page_above_has_space_before_its_title() {
    let href = Some("/s/guide/guides".to_owned());
    let above = PageLink { title: "Guides".to_owned(), emoji: None, icon: Some("book".to_owned()), href };
    let html = html(&small(), &SitePage { breadcrumbs: vec![above], ..page() });
    assert!(html.contains("</svg> Guides</a>"), "{html}");
}

#[test]
fn the_feedback_form_works_without_scripts_and_is_not_in_previews() {
    let form = with(json!({"feedback": {"enabled": true}}));
    assert!(form.contains("<form class=\"o-feedback\" method=\"post\" action=\"/s/guide/~/feedback\">"));
    for field in [
        "<input type=\"hidden\" name=\"page\" value=\"install\">",
        "<input type=\"hidden\" name=\"variant\" value=\"variant1\">",
        "<input type=\"radio\" name=\"rating\" value=\"bad\" required>",
        "<textarea id=\"comment\" name=\"comment\" rows=\"3\" maxlength=\"2000\">",
        "id=\"feedback-thanks\"",
    ] {
        assert!(form.contains(field), "{field}");
    }
    let customization = serde_json::from_value(json!({"feedback": {"enabled": true}})).unwrap();
    assert!(!html(&SiteFrame { customization, preview: true, ..small() }, &page()).contains("o-feedback"));
}

#[test]
fn a_page_of_an_export_has_nothing_that_needs_a_server() {
    let settings = json!({
        "feedback": {"enabled": true},
        "pageActions": {"items": ["markdown", "mcp", "pdf"]},
    });
    let customization = serde_json::from_value(settings).unwrap();
    let frame = SiteFrame { customization, exported: true, ..small() };
    let export = html(&frame, &full_page());
    let served_frame = SiteFrame { exported: false, ..frame.clone() };
    let served = html(&served_frame, &full_page());
    for part in [
        "type=\"module\"",
        "opensearch.xml",
        "og:image",
        "application/ld+json",
        "data-base=",
        "~/mcp",
        "~/print",
        "o-feedback\"",
    ] {
        assert!(served.contains(part) && !export.contains(part), "{part}");
    }
    assert!(export.contains("<script defer src=\"/s/guide/~/assets/export-"), "{export}");
    assert!(export.contains("o-print"), "browsers print pages");
}

#[test]
fn browsers_load_the_style_and_the_font_of_the_text_first() {
    let fonts = crate::theme::served_fonts();
    let preload = |article: &Article| crate::frame::page(&small(), &page(), article, &ENGLISH, &fonts).preload;
    let style = format!("</s/guide/~/assets/{}>; rel=preload; as=style", crate::assets::STYLE.name);
    let font = "</s/guide/~/assets/inter-latin.woff2>; rel=preload; as=font; type=\"font/woff2\"; crossorigin";
    assert_eq!(preload(&rendered()), format!("{style}, {font}"));
    let api = Article { html: "<section class=\"o-api\"></section>".to_owned(), ..rendered() };
    let reference = format!("</s/guide/~/assets/{}>; rel=preload; as=style", crate::assets::REFERENCE.name);
    assert_eq!(preload(&api), format!("{style}, {reference}, {font}"));
    let empty = crate::frame::empty_site("Guide", "/s/guide/", &ENGLISH);
    assert_eq!(empty.preload, style);
}

/// A group with as many pages.
fn group(number: usize, pages: usize) -> NavigationEntry {
    let children = (0..pages).map(|page| entry(&format!("page-{number}-{page}"), "Page", false)).collect();
    NavigationEntry { group: true, href: None, children, ..entry(&format!("group-{number}"), "Group", false) }
}

#[test]
fn only_the_groups_of_a_long_navigation_are_laid_out_one_by_one() {
    let style = |navigation: Vec<NavigationEntry>| {
        let html = html(&SiteFrame { navigation, ..small() }, &page());
        let (_, style) = html.split_once("<style>").unwrap();
        style.split_once("</style>").unwrap().0.to_owned()
    };
    let closed = NavigationEntry { children: vec![entry("b", "B", false); 900], ..entry("a", "A", false) };
    assert!(!style(vec![closed.clone(), group(1, 398)]).contains("content-visibility"));
    let open = NavigationEntry { children: vec![entry("d", "D", true)], ..entry("c", "C", false) };
    let mut second = group(2, 200);
    second.children.push(open);
    let style = style(vec![closed, group(1, 250), second]);
    assert!(
        style.ends_with(
            "@supports(overflow-anchor:auto){@media screen{\
             .o-nav>ul>.o-group>ul{content-visibility:auto;overflow-clip-margin:.25rem}\
             .o-nav>ul>:nth-child(2)>ul{contain-intrinsic-block-size:auto 500rem}\
             .o-nav>ul>:nth-child(3)>ul{contain-intrinsic-block-size:auto 404rem}}}"
        ),
        "{style}"
    );
}
