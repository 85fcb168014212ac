//! Pages as files: other addresses in the place of those on the server.
//!
//! What is read here was rendered by this crate, or cleaned and written by its parser: values of attributes are between
//! double quotes, and no text and no style has a `<`.
use crate::tags::tag_length;
use domain::content::import::path::{encode, folder, relative};
use maud::{DOCTYPE, html};

/// Attributes with addresses.
const ADDRESSES: [&str; 6] = ["href", "src", "action", "poster", "data-dark", "data-copy"];
/// Attributes of buttons that need a server or another site: those that open frames, and forms that send requests.
const BUTTONS: [&str; 2] = [" data-embed=\"", " data-try=\""];
/// The starts of links whose addresses are for search engines: they are absolute, and set before a page is rendered.
const ABSOLUTE: [&str; 2] = ["<link rel=\"canonical\"", "<link rel=\"alternate\" href"];
/// The start of an address in a style.
const URL: &str = "url(\"";

/// The addresses of a site on its server.
#[derive(Clone, Copy, Debug)]
pub struct OwnAddresses<'a> {
    /// The path of the site on the server, with a slash at both ends.
    pub base: &'a str,
    /// The absolute addresses of the site, each with a slash at its end. Of two that an address begins with, the first
    /// one counts.
    pub sites: &'a [String],
}

/// The rest of an address after a base. The start page of a site can lack the slash at its end.
fn below<'t>(address: &'t str, base: &str) -> Option<&'t str> {
    let start = base.trim_end_matches('/');
    let bare = || address.strip_prefix(start).filter(|rest| rest.is_empty() || rest.starts_with(['?', '#']));
    address.strip_prefix(base).or_else(|| if start.is_empty() { None } else { bare() })
}

/// An absolute address without its scheme: a site has the same pages at http and https, or redirects between them.
fn without_scheme(address: &str) -> Option<&str> {
    address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))
}

impl OwnAddresses<'_> {
    /// The path on the site that an address leads to, as it is written, with its query and its anchor; `None` for
    /// addresses that are not of the site.
    pub fn path<'t>(&self, href: &'t str) -> Option<&'t str> {
        if let Some(address) = without_scheme(href) {
            return self.sites.iter().find_map(|site| below(address, without_scheme(site)?));
        }
        if href.starts_with("//") { None } else { below(href, self.base) }
    }
}

/// A page with what `replace` gives in the place of each path on the site, with its query and its anchor. Without a
/// replacement, the attribute is left out.
pub fn replaced(html: &str, own: &OwnAddresses<'_>, mut replace: impl FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (text, from) = rest.split_at(at);
        let (tag, after) = from.split_at(tag_length(from));
        out.push_str(text);
        rest = after;
        if tag.starts_with("<button") && BUTTONS.iter().any(|attribute| tag.contains(attribute)) {
            rest = rest.split_once("</button>").map_or("", |(_, after)| after);
            continue;
        }
        if ABSOLUTE.iter().any(|start| tag.starts_with(start)) {
            out.push_str(tag);
            continue;
        }
        write_tag(&mut out, tag, own, &mut replace);
        if tag.starts_with("<style") {
            let (css, after) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            write_style(&mut out, css, own, &mut replace);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// The relative address of a file on the page in another file. Both are paths that are not encoded.
pub fn relative_address(from: &str, to: &str) -> String {
    let path = encode(&relative(folder(from), to));
    // What is before a colon would be a scheme.
    let is_scheme = path.split('/').next().is_some_and(|first| first.contains(':'));
    if is_scheme { format!("./{path}") } else { path }
}

/// A page that redirects to an address, also without scripts. `canonical` is the absolute address of the target.
pub fn redirect(title: &str, to: &str, canonical: Option<&str>) -> String {
    let page = html! {
        (DOCTYPE)
        html {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (title) }
                @if let Some(canonical) = canonical { link rel="canonical" href=(canonical); }
                meta http-equiv="refresh" content={ "0;url=" (to) };
            }
            body { p { a href=(to) { (to) } } }
        }
    };
    page.into_string()
}

fn write_tag(out: &mut String, tag: &str, own: &OwnAddresses<'_>, replace: &mut impl FnMut(&str) -> Option<String>) {
    let mut rest = tag;
    while let Some(at) = rest.find("=\"") {
        let (before, from) = rest.split_at(at);
        let from = &from["=\"".len()..];
        let (value, after) = from.split_at(from.find('"').unwrap_or(from.len()));
        let start = before.rfind(|char: char| char.is_ascii_whitespace()).map_or(0, |space| space + 1);
        let (head, name) = before.split_at(start);
        let address = ADDRESSES.contains(&name).then(|| plain(value));
        let new = address.as_deref().and_then(|address| own.path(address)).map(&mut *replace);
        out.push_str(head);
        match new {
            Some(None) => {
                rest = after.strip_prefix('"').unwrap_or(after);
                continue;
            }
            Some(Some(new)) => out.extend([name, "=\"", &escaped(&new)]),
            None => out.extend([name, "=\"", value]),
        }
        rest = after;
    }
    out.push_str(rest);
}

fn write_style(out: &mut String, css: &str, own: &OwnAddresses<'_>, replace: &mut impl FnMut(&str) -> Option<String>) {
    let mut rest = css;
    while let Some(at) = rest.find(URL) {
        let (before, from) = rest.split_at(at + URL.len());
        let (value, after) = from.split_at(from.find('"').unwrap_or(from.len()));
        let new = own.path(value).and_then(&mut *replace);
        out.push_str(before);
        out.push_str(new.as_deref().unwrap_or(value));
        rest = after;
    }
    out.push_str(rest);
}

/// The value of an attribute.
fn plain(value: &str) -> String {
    value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

fn escaped(value: &str) -> String {
    value.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn path_of<'t>(base: &str, sites: &[&str], href: &'t str) -> Option<&'t str> {
        let sites: Vec<String> = sites.iter().map(|site| (*site).to_owned()).collect();
        OwnAddresses { base, sites: &sites }.path(href)
    }

    #[rstest]
    #[case("/s/docs/install?a=b#c", Some("install?a=b#c"))]
    #[case("/s/docs/", Some(""))]
    #[case("/s/docs", Some(""))]
    #[case("/s/docs#top", Some("#top"))]
    #[case("https://docs.test/s/docs/~/files/a", Some("~/files/a"))]
    #[case("/s/docs-2/install", None)]
    #[case("//s/docs/", None)]
    #[case("https://docs.test/s/other/", None)]
    #[case("https://docs.test/s/docs#top", Some("#top"))]
    #[case("http://docs.test/s/docs/a", Some("a"))]
    #[case("https://docs.example.org/a", Some("a"))]
    #[case("https://docs.example.org", Some(""))]
    #[case("https://docs.example.org.test/a", None)]
    #[case("#top", None)]
    fn an_address_of_the_site_has_a_path(#[case] href: &str, #[case] path: Option<&str>) {
        let sites = ["https://docs.test/s/docs/", "https://docs.example.org/"];
        assert_eq!(path_of("/s/docs/", &sites, href), path);
    }

    #[test]
    fn every_path_is_of_a_site_at_the_root() {
        let path = |href| path_of("/", &["https://docs.test/s/docs/", "https://docs.test/"], href);
        assert_eq!((path("/a"), path("//a"), path("a")), (Some("a"), None, None));
        assert_eq!((path("https://docs.test/s/docs/a"), path("https://docs.test/b")), (Some("a"), Some("b")));
    }

    #[rstest]
    #[case("<a href=\"/s/docs/a?b&amp;c\">/s/docs/a</a>", "<a href=\"[a?b&amp;c]\">/s/docs/a</a>")]
    #[case("<img alt=\"\" src=\"/s/docs/a\" hidden>", "<img alt=\"\" src=\"[a]\" hidden>")]
    #[case("<a title=\"a > b\" href=\"/s/docs/a\">", "<a title=\"a > b\" href=\"[a]\">")]
    #[case("<a class=\"x\" href=\"/s/docs/gone\" rel=\"y\">", "<a class=\"x\"  rel=\"y\">")]
    #[case("<a href=\"https://example.org/s/docs/\">", "<a href=\"https://example.org/s/docs/\">")]
    #[case(
        "<link rel=\"canonical\" href=\"https://docs.test/s/docs/a/\">",
        "<link rel=\"canonical\" href=\"https://docs.test/s/docs/a/\">"
    )]
    #[case(
        "<link rel=\"alternate\" hreflang=\"de\" href=\"https://docs.test/s/docs/de/\">",
        "<link rel=\"alternate\" hreflang=\"de\" href=\"https://docs.test/s/docs/de/\">"
    )]
    #[case("<link rel=\"next\" href=\"/s/docs/a\">", "<link rel=\"next\" href=\"[a]\">")]
    #[case("<a data-text=\"/s/docs/a\">", "<a data-text=\"/s/docs/a\">")]
    #[case("<p>a = \"b\"</p>", "<p>a = \"b\"</p>")]
    #[case(
        "<style>a{src:url(\"/s/docs/f\");b:url(\"data:x\")}</style>",
        "<style>a{src:url(\"[f]\");b:url(\"data:x\")}</style>"
    )]
    #[case("<p><button type=\"button\" data-try=\"{}\" hidden>Try <b>it</b></button></p>", "<p></p>")]
    #[case(
        "<button class=\"o-copy\" data-copy=\"/s/docs/a.md\">C</button>",
        "<button class=\"o-copy\" data-copy=\"[a.md]\">C</button>"
    )]
    fn addresses_are_replaced_where_they_are_addresses(#[case] html: &str, #[case] expected: &str) {
        let new = |path: &str| (path != "gone").then(|| format!("[{path}]"));
        let sites = ["https://docs.test/s/docs/".to_owned()];
        assert_eq!(replaced(html, &OwnAddresses { base: "/s/docs/", sites: &sites }, new), expected);
    }

    #[test]
    fn a_redirect_leads_on_without_a_script() {
        let html = redirect("A & B", "../new/index.html?a=1&b#c", Some("https://docs.test/new/"));
        assert!(html.contains("<title>A &amp; B</title>"), "{html}");
        assert!(html.contains("<link rel=\"canonical\" href=\"https://docs.test/new/\">"), "{html}");
        let address = "../new/index.html?a=1&amp;b#c";
        assert!(html.contains(&format!("<meta http-equiv=\"refresh\" content=\"0;url={address}\">")), "{html}");
        assert!(html.contains(&format!("<a href=\"{address}\">{address}</a>")), "{html}");
        assert!(!redirect("A", "b", None).contains("canonical"));
    }

    #[rstest]
    #[case("index.html", "a/index.html", "a/index.html")]
    #[case("a/b/index.html", "index.html", "../../index.html")]
    #[case("a/index.html", "a/b/index.html", "b/index.html")]
    #[case("a/index.html", "~/files/1/ü 1.png", "../~/files/1/%C3%BC%201.png")]
    #[case("index.html", "a:b/index.html", "./a:b/index.html")]
    fn files_lead_to_each_other(#[case] from: &str, #[case] to: &str, #[case] address: &str) {
        assert_eq!(relative_address(from, to).replace("%3A", ":"), address);
    }
}
