//! Outputs for programs: Markdown, lists of pages, sitemaps and feeds. All addresses in them are absolute.
mod feed;
mod lists;
mod markdown;
mod openapi;
#[cfg(test)]
mod tests;
mod xml;

pub use feed::{Feed, feed};
pub use lists::{
    Overview, SITEMAP_SIZE, Search, listed, llms, nearest, opensearch, robots, robots_of_host, sitemap, sitemap_index,
};
pub use markdown::markdown;

use domain::content::document::Document;
use domain::site::reader::References;
use domain::text::one_line;

/// The text of a page.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// Its title.
    pub title: &'a str,
    /// A line about it.
    pub description: Option<&'a str>,
    /// Its absolute address.
    pub url: &'a str,
    /// The text for its reader.
    pub document: &'a Document,
    /// The targets of the references of the text.
    pub references: &'a References,
}

/// How paths on the server become absolute addresses.
#[derive(Clone, Copy, Debug)]
pub struct Addresses<'a> {
    /// The path of the site on the server, with a slash at both ends.
    pub base: &'a str,
    /// The absolute address of the site, with a slash at its end.
    pub site: &'a str,
}

impl Addresses<'_> {
    /// The absolute address of a path on the server. Addresses that are not of the site are absolute already.
    pub fn absolute(&self, href: &str) -> String {
        match href.strip_prefix(self.base) {
            Some(rest) if !href.starts_with("//") => format!("{}{rest}", self.site),
            // The start of the site, without the slash at its end.
            _ if !href.is_empty() && href == self.base.trim_end_matches('/') => self.site.to_owned(),
            _ => href.to_owned(),
        }
    }
}

/// A text on one line, with a backslash before each of these characters.
fn escaped_line(text: &str, special: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in one_line(text).chars() {
        if special.contains(char) {
            out.push('\\');
        }
        out.push(char);
    }
    out
}
