//! A site with few settings and one with all of them.
use crate::article::{Article, OutlineEntry};
use crate::texts::Texts;
use chrono::DateTime;
use domain::content::document::{Block, Color, Document, Kind, Paragraph};
use domain::content::page::{CoverMask, CoverSize, Layout};
use domain::site::customization::{Customization, Locale};
use domain::site::reader::{
    AlternateLink, NavigationEntry, OpenapiSources, PageLink, References, SectionEntry, SectionLink, SiteCover,
    SiteFrame, SitePage, TagTarget, VariantEntry,
};
use domain::site::served_font::FontTable;
use domain::text::Language;
use serde_json::{Value, json};

pub(super) const ENGLISH: Texts = Texts { locale: Locale::En };

/// A site without settings.
pub(super) fn small() -> SiteFrame {
    SiteFrame {
        id: "site1".parse().unwrap(),
        title: "Guide".to_owned(),
        icon: None,
        customization: Customization::default(),
        language: None,
        base: "/s/guide/".to_owned(),
        canonical: "https://docs.example.org/s/guide/".to_owned(),
        indexed: true,
        preview: false,
        exported: false,
        previewed: None,
        sections: Vec::new(),
        variant: "variant1".parse().unwrap(),
        variants: Vec::new(),
        navigation: vec![entry("start", "Start", true), entry("install", "Install", false)],
        references: References::default(),
    }
}

pub(super) fn entry(id: &str, title: &str, current: bool) -> NavigationEntry {
    NavigationEntry {
        id: id.parse().unwrap(),
        title: title.to_owned(),
        emoji: None,
        icon: None,
        href: Some(format!("/s/guide/{id}")),
        external: false,
        group: false,
        current,
        children: Vec::new(),
    }
}

/// All settings that a customization has.
pub(super) fn all_settings() -> Value {
    let themed = |light: &str, dark: &str| json!({"light": light, "dark": dark});
    let url = |url: &str| json!({"kind": "url", "url": url});
    json!({
        "title": "Octavo",
        "styling": {
            "theme": "bold",
            "primaryColor": themed("#7c3aed", "#a78bfa"),
            "tint": {"color": themed("#0f766e", "#5eead4")},
            "corners": "circular",
            "depth": "flat",
            "links": "accent",
            "font": "Merriweather",
            "headingFont": "Lato",
            "monospaceFont": "FiraCode",
            "background": "match",
            "icons": "solid",
            "sidebar": {"background": "filled", "list": "line"},
            "search": "subtle",
        },
        "internationalization": {"locale": "de"},
        "favicon": {"emoji": "1f4d6"},
        "header": {
            "preset": "custom",
            "logo": themed("https://cdn.example.org/light.svg", "https://cdn.example.org/dark.svg"),
            "primaryLink": url("https://example.org/"),
            "backgroundColor": themed("#111827", "#000000"),
            "linkColor": themed("#f9fafb", "#ffffff"),
            "links": [
                {"title": "Blog", "to": url("https://blog.example.org/")},
                {"title": "Products", "to": null, "links": [
                    {"title": "One", "to": url("one")}, {"title": "Two", "to": url("https://two.example.org/")},
                ]},
                {"title": "Sign in", "style": "button-secondary", "to": url("mailto:ada@example.org")},
                {"title": "Try it", "style": "button-primary", "to": url("/start?plan=free")},
            ],
        },
        "footer": {
            "logo": themed("https://cdn.example.org/foot.svg", "https://cdn.example.org/foot.svg"),
            "groups": [{"title": "Company", "links": [{"title": "About", "to": url("https://example.org/about")}]}],
            "copyright": "© 2026 Example",
        },
        "announcement": {
            "message": "Version 2 is out", "style": "success", "link": {"title": "Read more", "to": url("two")},
        },
        "themes": {"default": "dark", "toggeable": false},
        "feedback": {"enabled": true},
        "pageActions": {"items": ["pdf", "git", "mcp", "external-ai", "markdown"]},
        "externalLinks": {"target": "blank"},
        "pagination": {"enabled": true},
        "trademark": {"enabled": true},
        "privacyPolicy": {"url": "https://example.org/privacy"},
        "socialPreview": {"url": "https://cdn.example.org/card.png"},
        "socialAccounts": [
            {"platform": "github", "handle": "example/octavo", "display": {"footer": true, "header": true}},
            {"platform": "mastodon", "handle": "@docs@social.example", "display": {"footer": true, "header": false}},
        ],
    })
}

/// A site with everything.
pub(super) fn large() -> SiteFrame {
    let customization: Customization = serde_json::from_value(all_settings()).unwrap();
    let section = |id: &str, title: &str, current: bool| {
        SectionEntry::Section(SectionLink {
            id: id.parse().unwrap(),
            title: title.to_owned(),
            description: Some(format!("All about {title}")),
            icon: None,
            href: format!("/s/guide/{id}/"),
            current,
        })
    };
    let variant = |id: &str, title: &str, language, current| VariantEntry {
        id: id.parse().unwrap(),
        title: title.to_owned(),
        language: Some(language),
        href: format!("/s/guide/{id}/install"),
        same_page: id != "v1",
        current,
    };
    let mut branch = entry("guides", "Guides", false);
    branch.children = vec![entry("first", "First steps", false), entry("install", "Install", true)];
    let mut group = NavigationEntry { href: None, group: true, ..entry("more", "More", false) };
    group.emoji = Some("1f4a1".to_owned());
    let link = NavigationEntry {
        href: Some("https://status.example.org/".to_owned()),
        external: true,
        ..entry("status", "Status", false)
    };
    group.children = vec![link];
    SiteFrame {
        title: "Octavo".to_owned(),
        icon: customization.favicon.0.clone(),
        customization,
        language: Some(Language::De),
        preview: true,
        indexed: false,
        sections: vec![
            section("docs", "Docs", true),
            SectionEntry::Group {
                title: "Reference".to_owned(),
                icon: None,
                entries: vec![
                    section("api", "API", false),
                    SectionEntry::Link {
                        title: "SDK".to_owned(),
                        description: Some("On another site".to_owned()),
                        icon: None,
                        href: "https://sdk.example.org/".to_owned(),
                    },
                ],
            },
        ],
        variant: "v2".parse().unwrap(),
        variants: vec![
            variant("v2", "2.0", Language::De, true),
            variant("v1", "1.0", Language::De, false),
            variant("en", "English", Language::En, false),
        ],
        navigation: vec![entry("start", "Start", false), branch, group],
        ..small()
    }
}

/// A page with a paragraph.
pub(super) fn page() -> SitePage {
    let text = Block::new(Kind::Paragraph(Paragraph::default())).with_content(vec!["Run the program.".into()]);
    SitePage {
        id: "install".parse().unwrap(),
        title: "Install".to_owned(),
        emoji: None,
        icon: None,
        description: None,
        layout: Layout::default(),
        cover: None,
        tags: Vec::new(),
        updated_at: DateTime::from_timestamp(1_790_000_000, 0).unwrap(),
        href: "/s/guide/install".to_owned(),
        canonical: "https://docs.example.org/s/guide/install".to_owned(),
        markdown: "/s/guide/install.md".to_owned(),
        feed: None,
        alternates: Vec::new(),
        indexed: true,
        breadcrumbs: Vec::new(),
        previous: None,
        next: None,
        edit: None,
        document: Document { blocks: vec![text] },
        references: References::default(),
        openapi: OpenapiSources::default(),
        former_anchors: Vec::new(),
    }
}

/// A page with all that a page can have.
pub(super) fn full_page() -> SitePage {
    let link = |title: &str, path: &str| PageLink {
        title: title.to_owned(),
        emoji: None,
        icon: None,
        href: Some(format!("/s/guide/{path}")),
    };
    SitePage {
        emoji: Some("1f680".to_owned()),
        description: Some("How to install it".to_owned()),
        cover: Some(SiteCover {
            image: "https://cdn.example.org/cover.png".to_owned(),
            dark: Some("/s/guide/~/files/dark.png".to_owned()),
            size: CoverSize::Full,
            mask: CoverMask::Radial,
            y_pos: -12,
            height: Some(320),
        }),
        tags: vec![TagTarget { label: "Beta".to_owned(), color: Color::Warning, emoji: None, icon: None }],
        feed: Some("/s/guide/install/rss.xml".to_owned()),
        alternates: vec![
            alternate("de", "https://docs.example.org/s/guide/install"),
            alternate("en", "https://docs.example.org/s/guide/en/install"),
            alternate("x-default", "https://docs.example.org/s/guide/install"),
        ],
        breadcrumbs: vec![link("Guides", "guides")],
        previous: Some(link("Start", "start")),
        next: Some(link("First steps", "first")),
        edit: Some("https://github.com/example/octavo/edit/main/install.md".to_owned()),
        ..page()
    }
}

fn alternate(language: &str, href: &str) -> AlternateLink {
    AlternateLink { language: Some(language.to_owned()), href: href.to_owned() }
}

/// A text that is rendered.
pub(super) fn rendered() -> Article {
    Article {
        html: "<p>Run the program.</p>".to_owned(),
        outline: vec![
            OutlineEntry { level: 1, text: "Before".to_owned(), anchor: "before".to_owned() },
            OutlineEntry { level: 2, text: "After".to_owned(), anchor: "after".to_owned() },
        ],
        ..Article::default()
    }
}

/// A page as HTML.
pub(super) fn html(frame: &SiteFrame, page: &SitePage) -> String {
    let texts = Texts::of(frame.language, frame.customization.internationalization.locale);
    super::super::page(frame, page, &rendered(), &texts, &FontTable::default()).html
}

/// The same with a change in the customization of the small site.
pub(super) fn with(change: Value) -> String {
    html(&SiteFrame { customization: serde_json::from_value(change).unwrap(), ..small() }, &full_page())
}
