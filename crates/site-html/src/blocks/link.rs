//! Links, and the targets of references.
use super::Blocks;
use crate::href::{Href, SCHEMES};
use crate::texts::Word;
use domain::content::reference::ContentRef;
use domain::site::customization::ExternalLinkTarget;
use domain::site::reader::ReferenceTarget;
use maud::{Markup, html};
use url::Url;

/// An address that is safe in a link. `None` if browsers could run its content, and if it is relative: then its target
/// does not exist.
pub(super) fn safe(url: &str) -> Option<Href> {
    let plain: String = url.chars().filter(|char| !char.is_control()).collect();
    let plain = plain.trim();
    if let Some(anchor) = plain.strip_prefix('#') {
        return (!anchor.is_empty()).then(|| Href { href: plain.to_owned(), external: false });
    }
    if plain.starts_with("//") {
        return Url::parse(&format!("https:{plain}")).ok().map(|url| Href { href: url.into(), external: true });
    }
    let parsed = Url::parse(plain).ok().filter(|url| SCHEMES.contains(&url.scheme()))?;
    let external = matches!(parsed.scheme(), "http" | "https");
    // Browsers read `https:page` as relative to the page.
    let whole = !external || plain.get(parsed.scheme().len()..).is_some_and(|rest| rest.starts_with("://"));
    Some(Href { href: if whole { plain.to_owned() } else { parsed.into() }, external })
}

impl Href {
    /// The same with a query, which is before the anchor.
    pub(super) fn with_query(mut self, query: Option<&str>) -> Self {
        if let Some(query) = query.filter(|query| !query.is_empty()) {
            let (path, anchor) = self.href.split_once('#').unwrap_or((&self.href, ""));
            let (hash, join) = (if anchor.is_empty() { "" } else { "#" }, if path.contains('?') { '&' } else { '?' });
            self.href = format!("{path}{join}{query}{hash}{anchor}");
        }
        self
    }
}

/// The title and icon that a link shows of its target.
pub(super) struct Shown {
    pub(super) title: String,
    pub(super) description: Option<String>,
    /// An emoji or an icon.
    pub(super) sign: Option<Markup>,
}

impl Blocks<'_> {
    /// The address that a reference leads to.
    pub(super) fn leads(&self, reference: &ContentRef) -> Option<Href> {
        if let ContentRef::Url { url } = reference {
            return safe(url);
        }
        match self.context.references.get(reference)? {
            ReferenceTarget::Link(link) => Some(Href { href: link.href.clone(), external: false }),
            ReferenceTarget::File(file) => Some(Href { href: file.href.clone(), external: false }),
            ReferenceTarget::Tag(_) | ReferenceTarget::Person(_) => None,
        }
    }

    /// The link to the target of a reference; `None` if there is no target.
    pub(super) fn shown(&self, reference: &ContentRef) -> Option<Shown> {
        let plain = |title: &str| Shown { title: title.to_owned(), description: None, sign: None };
        if let ContentRef::Url { url } = reference {
            return (!url.is_empty()).then(|| plain(url));
        }
        Some(match self.context.references.get(reference)? {
            ReferenceTarget::Link(link) => Shown {
                title: link.title.clone(),
                description: link.description.clone().filter(|text| !text.is_empty()),
                sign: self.sign(link.emoji.as_deref(), link.icon.as_deref()),
            },
            ReferenceTarget::File(file) => plain(&file.name),
            ReferenceTarget::Tag(tag) => Shown {
                title: tag.label.clone(),
                description: None,
                sign: self.sign(tag.emoji.as_deref(), tag.icon.as_deref()),
            },
            ReferenceTarget::Person(name) => plain(name),
        })
    }

    /// The emoji or the icon before a title.
    pub(super) fn sign(&self, emoji: Option<&str>, icon: Option<&str>) -> Option<Markup> {
        let emoji = emoji.map(super::inline::emoji).filter(|text| !text.is_empty());
        let emoji = emoji.map(|text| html! { span.o-emoji aria-hidden="true" { (text) } });
        emoji.or_else(|| icon.filter(|name| crate::icons::is_known(name)).map(|name| self.icon(name)))
    }

    /// A link around something.
    pub(super) fn link(&self, href: &Href, class: Option<&str>, title: Option<&str>, inner: &Markup) -> Markup {
        let blank = href.external && self.context.external_links == ExternalLinkTarget::Blank;
        let title = title.filter(|title| !title.is_empty());
        html! {
            a class=[class] href=(href.href) title=[title] rel=[href.external.then_some("noopener")]
                target=[blank.then_some("_blank")] {
                (inner)
                @if blank { span.o-hidden { " (" (self.word(Word::NewTab)) ")" } }
            }
        }
    }

    /// The address of an image, and its width and height: one of the site, or of another host.
    pub(super) fn picture(&mut self, reference: &ContentRef) -> Option<(String, Option<(u32, u32)>)> {
        match reference {
            ContentRef::Url { url } => {
                let parsed = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
                if let Some(signer) = self.context.external_images {
                    return Some((format!("{}{}", self.context.base, signer.path(parsed.as_str())), None));
                }
                self.images.insert(parsed.origin().ascii_serialization());
                Some((parsed.into(), None))
            }
            reference => {
                let file = self.context.references.file(reference)?;
                Some((file.href.clone(), file.dimensions.filter(|(width, height)| *width > 0 && *height > 0)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("https://example.org/a", Some("https://example.org/a"))]
    #[case(" https://example.org ", Some("https://example.org"))]
    #[case("mailto:a@example.org", Some("mailto:a@example.org"))]
    #[case("tel:+1", Some("tel:+1"))]
    #[case("https:page", Some("https://page/"))]
    #[case("#install", Some("#install"))]
    #[case("//example.org/a", Some("https://example.org/a"))]
    #[case("javascript:alert(1)", None)]
    #[case("JaVaScRiPt:alert(1)", None)]
    #[case("java\tscript:alert(1)", None)]
    #[case("\u{1}javascript:alert(1)", None)]
    #[case("data:text/html,<script>", None)]
    #[case("vbscript:x", None)]
    #[case("file:///etc/passwd", None)]
    #[case("blob:https://example.org/x", None)]
    #[case("gone.md", None)]
    #[case("/gone", None)]
    #[case("", None)]
    #[case("#", None)]
    fn only_addresses_that_run_nothing_are_links(#[case] url: &str, #[case] href: Option<&str>) {
        assert_eq!(safe(url).map(|href| href.href).as_deref(), href);
    }

    #[rstest]
    #[case("/a", Some("x=1"), "/a?x=1")]
    #[case("/a#b", Some("x=1"), "/a?x=1#b")]
    #[case("/a?y=2#b", Some("x=1"), "/a?y=2&x=1#b")]
    #[case("/a#b", Some(""), "/a#b")]
    #[case("/a", None, "/a")]
    fn a_query_is_before_the_anchor(#[case] href: &str, #[case] query: Option<&str>, #[case] whole: &str) {
        let href = Href { href: href.to_owned(), external: false };
        assert_eq!(href.with_query(query).href, whole);
    }
}
