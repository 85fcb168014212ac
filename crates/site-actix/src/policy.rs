//! Headers that protect visitors.
use actix_web::http::header::{HeaderName, HeaderValue};
use site_html::article::Article;
use site_html::frame::Html;
use std::collections::BTreeSet;

/// What a page may load.
#[derive(Clone, Debug)]
pub(crate) struct Policy<'a> {
    /// The page.
    pub(crate) html: &'a Html,
    /// The text of the page, if it has one.
    pub(crate) article: Option<&'a Article>,
    /// The addresses that the page may send requests and forms to, such as `~/` of its site.
    pub(crate) own: &'a str,
    /// Whether the address of the site is https.
    pub(crate) secure: bool,
}

impl Policy<'_> {
    /// The `Content-Security-Policy`. For sites, it names their path, since sites of several owners can be on one host.
    pub(crate) fn content_security(&self) -> String {
        let Html { style_hash, script_hash, images: around, fonts, .. } = self.html;
        let own = self.own;
        // Scripts copy pages as Markdown from addresses next to the pages.
        let pages = own.strip_suffix("~/").unwrap_or(own);
        let of = |list: fn(&Article) -> &Vec<String>| self.article.into_iter().flat_map(list);
        let frames = sources(of(|article| &article.frames));
        let frames = if frames.is_empty() { " 'none'" } else { &frames };
        let images = sources(of(|article| &article.images).chain(around));
        let servers = sources(of(|article| &article.servers));
        let fonts = sources(fonts);
        let upgrade = if self.secure { "; upgrade-insecure-requests" } else { "" };
        format!(
            "default-src 'none'; script-src 'self' 'sha256-{script_hash}'; style-src 'self' 'sha256-{style_hash}'; \
             img-src 'self' data:{images}; font-src 'self'{fonts}; connect-src {pages}{servers}; form-action {own}; frame-src{frames}; \
             base-uri 'none'; object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
             trusted-types 'none'{upgrade}"
        )
    }
}

/// Origins as the end of a directive, each once. A host can have characters that would end the directive, such as `;`:
/// such an origin is left out.
fn sources<'a>(origins: impl IntoIterator<Item = &'a String>) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || ":/.-_[]".contains(char);
    let origins: BTreeSet<&String> = origins.into_iter().filter(|origin| origin.chars().all(is_plain)).collect();
    origins.into_iter().map(|origin| format!(" {origin}")).collect()
}

/// The headers of every response of a site. With `private`, browsers send no referrer to other sites.
pub(crate) fn common(private: bool, secure: bool) -> Vec<(HeaderName, HeaderValue)> {
    let mut headers = vec![
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
        (
            HeaderName::from_static("permissions-policy"),
            HeaderValue::from_static(
                "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), \
                 midi=(), payment=(), usb=()",
            ),
        ),
        (
            HeaderName::from_static("referrer-policy"),
            HeaderValue::from_static(if private { "no-referrer" } else { "strict-origin-when-cross-origin" }),
        ),
    ];
    if secure {
        let hsts = HeaderValue::from_static("max-age=31536000");
        headers.push((HeaderName::from_static("strict-transport-security"), hsts));
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_names_what_its_page_needs_and_nothing_that_ends_a_directive() {
        let html = Html { style_hash: "S".into(), script_hash: "P".into(), ..Html::default() };
        let article = Article {
            images: vec!["https://b.test".into(), "https://a.test".into(), "https://b.test".into()],
            servers: vec!["http://[::1]:8080".into(), "https://a.test;sandbox".into()],
            ..Article::default()
        };
        let of =
            |article| Policy { html: &html, article, own: "https://o.test/s/a/~/", secure: false }.content_security();
        let policy = of(Some(&article));
        for part in [
            "script-src 'self' 'sha256-P'; style-src 'self' 'sha256-S'; img-src 'self' data: https://a.test https://b.test;",
            "connect-src https://o.test/s/a/ http://[::1]:8080; form-action https://o.test/s/a/~/; frame-src 'none';",
        ] {
            assert!(policy.contains(part), "{part} is not in {policy}");
        }
        assert!(!policy.contains("sandbox") && of(None).contains("connect-src https://o.test/s/a/; "), "{policy}");
    }
}
