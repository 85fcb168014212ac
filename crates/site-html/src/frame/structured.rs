//! Data about a page for search engines, as JSON-LD.
use super::context::FrameContext;
use chrono::SecondsFormat;
use domain::site::reader::SitePage;
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

/// The data about a page.
pub(super) fn data(context: &FrameContext<'_>, page: &SitePage, description: Option<&str>) -> Markup {
    let frame = context.frame;
    let site = format!("{}#site", frame.canonical);
    let above = page.breadcrumbs.iter().filter_map(|crumb| {
        let href = crumb.href.as_ref()?;
        Some((crumb.title.as_str(), context.absolute(href)))
    });
    let crumbs: Vec<Value> = std::iter::once((frame.title.as_str(), frame.canonical.clone()))
        .chain(above)
        // The start of the site is there already.
        .chain((page.canonical != frame.canonical).then(|| (page.title.as_str(), page.canonical.clone())))
        .enumerate()
        .map(|(at, (name, item))| json!({"@type": "ListItem", "position": at + 1, "name": name, "item": item}))
        .collect();
    let mut article = json!({
        "@type": "TechArticle",
        "headline": page.title,
        "url": page.canonical,
        "mainEntityOfPage": page.canonical,
        "isPartOf": {"@id": site},
    });
    if let Some(map) = article.as_object_mut() {
        let at = page.updated_at.to_rfc3339_opts(SecondsFormat::Secs, true);
        map.extend(page.layout.metadata.then(|| ("dateModified".to_owned(), at.into())));
        map.extend(description.map(|description| ("description".to_owned(), description.into())));
        map.extend(frame.language.map(|language| ("inLanguage".to_owned(), language.as_str().into())));
    }
    let graph = json!({"@context": "https://schema.org", "@graph": [
        {
            "@type": "WebSite",
            "@id": site,
            "name": frame.title,
            "url": frame.canonical,
            "potentialAction": {
                "@type": "SearchAction",
                "target": format!("{}~/search?q={{search_term_string}}", frame.canonical),
                "query-input": "required name=search_term_string",
            },
        },
        {"@type": "BreadcrumbList", "itemListElement": crumbs},
        article,
    ]});
    html! { script type="application/ld+json" { (PreEscaped(in_script(&graph))) } }
}

/// JSON that cannot end the element that it is in.
fn in_script(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}
