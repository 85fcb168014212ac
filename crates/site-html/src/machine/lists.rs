//! Lists of pages: for assistants, for search engines, for browsers.
use super::xml::{START, element, escape};
use chrono::{DateTime, SecondsFormat, Utc};
use domain::text::one_line;
use domain::usecases::sites::reader::ListedPage;
use std::fmt::Write;

/// The maximum number of pages in a part of a sitemap: with all their languages, it stays below the 50 MB that search
/// engines read.
pub const SITEMAP_SIZE: usize = 10_000;

/// The head of a list for assistants.
#[derive(Clone, Copy, Debug)]
pub struct Overview<'a> {
    /// The title of the site.
    pub title: &'a str,
    /// A line about it.
    pub summary: Option<&'a str>,
    /// The absolute address of the site, with a slash at its end.
    pub site: &'a str,
    /// Whether the site has a server for assistants, and all pages in one file.
    pub served: bool,
}

/// A text on one line, as Markdown that shows it.
fn plain(text: &str) -> String {
    super::escaped_line(text, "\\`*_[]<>")
}

/// The line of a page.
fn line(title: &str, address: &str, description: Option<&str>) -> String {
    let description = description.map(one_line);
    let description = description.filter(|text| !text.is_empty()).map(|text| format!(": {text}"));
    format!("- [{}]({address}){}\n", plain(title), description.unwrap_or_default())
}

/// `llms.txt`: the title, a summary and every page once, by section and variant.
pub fn llms(overview: &Overview<'_>, pages: &[ListedPage]) -> String {
    let Overview { title, summary, site, served } = overview;
    let mut out = format!("# {}\n", plain(title));
    if let Some(summary) = summary.map(one_line).filter(|summary| !summary.is_empty()) {
        let _ = write!(out, "\n> {summary}\n");
    }
    if *served {
        let _ = write!(out, "\nAll pages in one file: {site}llms-full.txt\n");
        let _ = writeln!(out, "Search by the Model Context Protocol: {site}~/mcp");
    }
    out.push('\n');
    out.push_str(&listed(pages, |page| page.markdown.clone()));
    out
}

/// A list of pages, by section and variant, with the addresses that `address` gives.
pub fn listed(pages: &[ListedPage], address: impl Fn(&ListedPage) -> String) -> String {
    let mut out = String::new();
    let mut last = None;
    for page in pages {
        let part = (&page.section, &page.variant, &page.site_space);
        if last != Some(part) {
            let name = match &page.section {
                Some(section) if page.default_variant => plain(section),
                Some(section) => format!("{}: {}", plain(section), plain(&page.variant)),
                None => plain(&page.variant),
            };
            let _ = write!(out, "{}## {name}\n\n", if last.is_some() { "\n" } else { "" });
            last = Some(part);
        }
        out.push_str(&line(&page.title, &address(page), page.description.as_deref()));
    }
    out
}

/// The 404 text, with similar pages: title and absolute address. `site` is the address of the site if it has a list of
/// all pages.
pub fn nearest<'a>(site: Option<&str>, pages: impl Iterator<Item = (&'a str, String)>) -> String {
    let mut out = String::from("# Page not found\n\nThere is no page at this address.");
    let lines: String = pages.map(|(title, address)| line(title, &address, None)).collect();
    if !lines.is_empty() {
        let _ = write!(out, " These pages are near:\n\n{lines}");
    } else {
        out.push('\n');
    }
    if let Some(site) = site {
        let _ = write!(out, "\nAll pages: {site}llms.txt\n");
    }
    out
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// The index of the sitemaps of a site with these pages.
pub fn sitemap_index(site: &str, pages: &[&ListedPage]) -> String {
    let mut out = format!("{START}<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    // A site without pages has an empty sitemap.
    for part in 0..pages.len().div_ceil(SITEMAP_SIZE).max(1) {
        let query = if part == 0 { String::new() } else { format!("?part={}", part + 1) };
        let newest = pages.iter().skip(part * SITEMAP_SIZE).take(SITEMAP_SIZE).map(|page| page.updated_at).max();
        let newest = newest.map(|newest| element("lastmod", &time(newest))).unwrap_or_default();
        let address = element("loc", &format!("{site}sitemap-pages.xml{query}"));
        let _ = writeln!(out, "<sitemap>{address}{newest}</sitemap>");
    }
    out.push_str("</sitemapindex>\n");
    out
}

/// A part of the sitemap, counted from 1; `None` if there is no such part.
pub fn sitemap(pages: &[&ListedPage], part: usize) -> Option<String> {
    let pages: Vec<_> = match pages.chunks(SITEMAP_SIZE).nth(part.checked_sub(1)?) {
        Some(pages) => pages.to_vec(),
        None if part == 1 => Vec::new(),
        None => return None,
    };
    let mut out = format!(
        "{START}<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n"
    );
    for page in pages {
        let _ = write!(out, "<url>{}{}", element("loc", &page.url), element("lastmod", &time(page.updated_at)));
        for (language, address) in &page.alternates {
            let (language, address) = (escape(language), escape(address));
            let _ = write!(out, "<xhtml:link rel=\"alternate\" hreflang=\"{language}\" href=\"{address}\"/>");
        }
        out.push_str("</url>\n");
    }
    out.push_str("</urlset>\n");
    Some(out)
}

/// The paths below `~/` of a site that search engines should not open.
const CLOSED: [&str; 7] = ["search", "mcp", "auth/", "share/", "feedback", "print", "schema/"];

/// `robots.txt`. Search engines may open the pages of a site that is not indexed: they must see that they are not to
/// index them.
pub fn robots(site: &str, base: &str, indexed: bool) -> String {
    let mut out = String::from("User-agent: *\n");
    for own in CLOSED {
        let _ = writeln!(out, "Disallow: {base}~/{own}");
    }
    if indexed {
        let _ = write!(out, "\nSitemap: {site}sitemap.xml\n");
    }
    out
}

/// `robots.txt` of a host with several public sites, whose absolute addresses end with a slash. `api`: whether the API
/// is at the host too.
pub fn robots_of_host(sites: &[String], api: bool) -> String {
    let mut out = String::from("User-agent: *\n");
    for own in CLOSED {
        let _ = writeln!(out, "Disallow: /*~/{own}");
    }
    out.push_str("Disallow: /~preview/\nDisallow: /~proxy/\n");
    if api {
        out.push_str("Disallow: /v1/\n");
    }
    for (at, site) in sites.iter().enumerate() {
        let _ = writeln!(out, "{}Sitemap: {site}sitemap.xml", if at == 0 { "\n" } else { "" });
    }
    out
}

/// How browsers search a site.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// The title of the site.
    pub title: &'a str,
    /// The absolute address of the site, with a slash at its end.
    pub site: &'a str,
    /// The absolute address of its icon.
    pub icon: Option<&'a str>,
    /// The language of its content.
    pub language: Option<&'a str>,
}

/// The longest short name of a search, in characters.
const SHORT_NAME: usize = 16;
/// The longest long name.
const LONG_NAME: usize = 48;
/// The longest description.
const DESCRIPTION: usize = 1024;

fn cut(text: &str, length: usize) -> String {
    text.chars().take(length).collect::<String>().trim().to_owned()
}

/// The description of the search of a site for browsers (OpenSearch 1.1).
pub fn opensearch(search: &Search<'_>) -> String {
    let Search { title, site, icon, language } = search;
    let mut out = format!("{START}<OpenSearchDescription xmlns=\"http://a9.com/-/spec/opensearch/1.1/\">\n");
    let _ = writeln!(out, "{}", element("ShortName", &cut(title, SHORT_NAME)));
    let _ = writeln!(out, "{}", element("LongName", &cut(title, LONG_NAME)));
    let _ = writeln!(out, "{}", element("Description", &cut(title, DESCRIPTION)));
    if let Some(icon) = icon {
        let _ = writeln!(out, "{}", element("Image", icon));
    }
    if let Some(language) = language {
        let _ = writeln!(out, "{}", element("Language", language));
    }
    let template = escape(&format!("{site}~/search?q={{searchTerms}}"));
    let _ = writeln!(out, "<Url type=\"text/html\" method=\"get\" template=\"{template}\"/>");
    out.push_str("<InputEncoding>UTF-8</InputEncoding>\n</OpenSearchDescription>\n");
    out
}
