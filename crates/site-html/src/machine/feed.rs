//! The feed of a page with updates.
use super::xml::{START, element, escape};
use super::{Addresses, Text};
use crate::article::{RenderContext, article};
use domain::content::document::{Block, Document, Kind, Update, inline_text};
use domain::site::reader::{ReferenceTarget, References};
use std::fmt::Write;

/// The maximum number of updates in a feed.
const MAX_ITEMS: usize = 100;

/// A page whose updates are a feed.
#[derive(Clone, Copy, Debug)]
pub struct Feed<'a> {
    /// The id of the page.
    pub id: &'a str,
    /// The page.
    pub text: Text<'a>,
    /// The title of the site.
    pub site: &'a str,
    /// The absolute address of the feed.
    pub url: &'a str,
    /// The language of the text.
    pub language: Option<&'a str>,
}

/// Writes the feed (RSS 2.0), the newest update first, each with its whole text. `None` if the page has no updates.
/// `context` is that of the page itself; `change` gets the HTML of each text, and returns what is written.
pub fn feed(
    feed: &Feed<'_>,
    context: &RenderContext<'_>,
    addresses: &Addresses<'_>,
    change: &mut dyn FnMut(String) -> String,
) -> Option<String> {
    let updates = feed.text.document.walk().filter_map(|block| match &block.kind {
        Kind::Update(update) => Some((block, update)),
        _ => None,
    });
    let mut updates: Vec<(&Block, &Update)> = updates.collect();
    updates.sort_by_key(|(_, update)| std::cmp::Reverse(update.date));
    let newest = updates.first()?.1.date;
    let references = absolute(feed.text.references, addresses);
    let context = RenderContext { references: &references, base: addresses.site, ..*context };
    let title = format!("{} - {}", feed.text.title, feed.site);
    let mut out = format!("{START}<rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\">\n<channel>\n");
    let _ = writeln!(out, "{}", element("title", &title));
    let _ = writeln!(out, "{}", element("link", feed.text.url));
    let _ = writeln!(out, "{}", element("description", feed.text.description.unwrap_or(feed.text.title)));
    if let Some(language) = feed.language {
        let _ = writeln!(out, "{}", element("language", language));
    }
    let _ = writeln!(out, "{}", element("lastBuildDate", &newest.to_rfc2822()));
    let own = escape(feed.url);
    let _ = writeln!(out, "<atom:link href=\"{own}\" rel=\"self\" type=\"application/rss+xml\"/>");
    for (block, update) in updates.into_iter().take(MAX_ITEMS) {
        out.push_str(&item(feed, (block, update), &context, change));
    }
    out.push_str("</channel>\n</rss>\n");
    Some(out)
}

fn item(
    feed: &Feed<'_>,
    (block, update): (&Block, &Update),
    context: &RenderContext<'_>,
    change: &mut dyn FnMut(String) -> String,
) -> String {
    let heading = match block.children.first() {
        Some(first) if matches!(first.kind, Kind::Heading(_)) => Some(inline_text(&first.content)),
        _ => None,
    };
    let heading = heading.filter(|text| !text.trim().is_empty());
    // The title is not repeated in the text.
    let text = block.children.iter().skip(usize::from(heading.is_some())).cloned().collect();
    let document = Document { blocks: text };
    let title = heading.unwrap_or_else(|| update.date.format("%Y-%m-%d").to_string());
    let key = &block.key.0;
    let mut out = String::from("<item>\n");
    let _ = writeln!(out, "{}", element("title", title.trim()));
    let _ = writeln!(out, "{}", element("link", &format!("{}#update-{key}", feed.text.url)));
    // The key of a block stays the same when its text changes.
    let _ = writeln!(out, "<guid isPermaLink=\"false\">{}</guid>", escape(&format!("{}/{key}", feed.id)));
    let _ = writeln!(out, "{}", element("pubDate", &update.date.to_rfc2822()));
    for tag in &update.tags {
        if let Some(ReferenceTarget::Tag(tag)) = context.references.get(tag) {
            let _ = writeln!(out, "{}", element("category", &tag.label));
        }
    }
    let html = change(without_anchors(&article(&document, context).html));
    let _ = writeln!(out, "{}", element("description", &html));
    out.push_str("</item>\n");
    out
}

/// The same references with absolute addresses.
fn absolute(references: &References, addresses: &Addresses<'_>) -> References {
    let mut references = references.clone();
    for target in references.targets.values_mut() {
        match target {
            ReferenceTarget::Link(link) => link.href = addresses.absolute(&link.href),
            ReferenceTarget::File(file) => file.href = addresses.absolute(&file.href),
            ReferenceTarget::Tag(_) | ReferenceTarget::Person(_) => {}
        }
    }
    references
}

/// HTML without the links of headings to themselves, which lead nowhere in a feed.
fn without_anchors(html: &str) -> String {
    const START: &str = "<a class=\"o-anchor\"";
    const END: &str = "</a>";
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(START) {
        let Some(end) = rest[at..].find(END) else { break };
        out.push_str(&rest[..at]);
        rest = &rest[at + end + END.len()..];
    }
    out.push_str(rest);
    out
}
