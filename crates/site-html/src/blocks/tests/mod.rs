//! Blocks as HTML.
mod corpus;
mod hostile;
mod openapi;
mod snapshots;
mod structure;

use crate::article::{Article, RenderContext, article};
use crate::texts::Texts;
use domain::content::document::{Color, Document};
use domain::content::markdown::{self, LinkUse, Links};
use domain::content::reference::ContentRef;
use domain::site::customization::{ExternalLinkTarget, IconStyle, Locale};
use domain::site::reader::{FileTarget, PlaceTarget, ReferenceTarget, References, TagTarget};

/// Pages and files by their names.
struct ByName;

impl Links for ByName {
    fn resolve(&self, href: &str, use_: LinkUse) -> Option<ContentRef> {
        let (name, anchor) = href.split_once('#').unwrap_or((href, ""));
        let page = || name.strip_suffix(".md").and_then(|name| name.parse().ok());
        match use_ {
            _ if name.starts_with("http") => None,
            _ if !anchor.is_empty() => {
                Some(ContentRef::Anchor { anchor: anchor.to_owned(), page: page(), space: None })
            }
            LinkUse::Link => Some(ContentRef::Page { page: page()?, space: None }),
            _ => Some(ContentRef::File { file: name.rsplit_once('.')?.0.parse().ok()?, space: None }),
        }
    }
}

/// A text in Markdown.
fn document(text: &str) -> Document {
    markdown::parse(text, &ByName).into_document().unwrap()
}

/// What references lead to: pages, files and tags by their names, but for those that are `lost`.
fn references(document: &Document) -> References {
    let link = |href: String, title: &str, icon: Option<&str>| {
        Some(ReferenceTarget::Link(PlaceTarget {
            href,
            title: title.to_owned(),
            description: Some(format!("About {title}")),
            emoji: None,
            icon: icon.map(str::to_owned),
        }))
    };
    let target = |reference: &ContentRef| match reference {
        ContentRef::Page { page, .. } if page.as_str() != "lost" => {
            link(format!("/s/{page}"), page.as_str(), Some("book"))
        }
        ContentRef::Anchor { anchor, page: Some(page), .. } if page.as_str() != "lost" => {
            link(format!("/s/{page}#{anchor}"), page.as_str(), None)
        }
        ContentRef::Anchor { anchor, page: None, .. } => link(format!("#{anchor}"), anchor, None),
        ContentRef::File { file, .. } if file.as_str() != "lost" => Some(ReferenceTarget::File(FileTarget {
            href: format!("/s/~/files/v/{file}-0/{file}.png"),
            name: format!("{file}.png"),
            content_type: "image/png".to_owned(),
            size: 120_000,
            dimensions: Some((800, 400)),
        })),
        ContentRef::Tag { tag, .. } => Some(ReferenceTarget::Tag(TagTarget {
            label: tag.to_uppercase(),
            color: Color::Green,
            emoji: None,
            icon: None,
        })),
        ContentRef::User { .. } => Some(ReferenceTarget::Person("Ada Lovelace".to_owned())),
        _ => None,
    };
    let all = document.references().into_iter();
    let targets = all.filter_map(|one| Some((one.target.clone(), target(&one.target)?))).collect();
    References { targets, ..References::default() }
}

/// How texts are rendered in tests.
fn context(references: &References) -> RenderContext<'_> {
    RenderContext {
        references,
        texts: &Texts { locale: Locale::En },
        external_links: ExternalLinkTarget::Blank,
        icons: IconStyle::Regular,
        base: "/s/",
        page: "/s/page",
        external_images: None,
        schemas: None,
        former_anchors: &[],
        diagrams: &crate::diagram::UncachedDiagrams,
    }
}

/// A document, rendered with what its references lead to.
fn rendered_with(document: &Document, references: &References) -> Article {
    article(document, &context(references))
}

/// A text in Markdown, rendered.
fn rendered(text: &str) -> Article {
    let document = document(text);
    rendered_with(&document, &references(&document))
}

/// HTML for people: each block begins a line, and drawings are left out.
fn lines(html: &str) -> String {
    const BLOCKS: &str = "p h2 h3 h4 h5 h6 ul ol li hr blockquote aside section details summary figure figcaption pre div \
        o-tabs table colgroup thead tbody tr td th article nav dl dt dd input img button math svg col time";
    let mut out = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let name: String = found[1..].chars().take_while(|char| char.is_ascii_alphanumeric() || *char == '-').collect();
        if BLOCKS.split(' ').any(|block| block == name) && !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        let end = match name.as_str() {
            "svg" => found.find("</svg>").map_or(found.len(), |end| end + "</svg>".len()),
            _ => found.find('>').map_or(found.len(), |end| end + 1),
        };
        out.push_str(if name == "svg" { "<svg…/>" } else { &found[..end] });
        rest = &found[end..];
    }
    out.push_str(rest);
    out
}
