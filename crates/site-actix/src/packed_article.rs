//! Compressed texts of pages in the cache. HTML compresses well: uncompressed, only a quarter of these texts would fit.
//! Rendering a text takes much longer than decompressing it.
use crate::render_cache::{Cacheable, ENTRY};
use http_server::allocated;
use site_html::article::{Article, OutlineEntry};

/// The compression level: zstd takes a few microseconds per kilobyte at it.
const LEVEL: i32 = 1;

/// A rendered text, compressed.
pub(crate) struct PackedArticle {
    /// Without spare room, unlike the buffer of the compressor, which is larger than the HTML.
    html: Box<[u8]>,
    /// The size of the HTML in bytes.
    length: usize,
    /// The text without its HTML.
    rest: Article,
}

impl PackedArticle {
    /// Compresses a text. Without memory for it, the result has no HTML and [`Self::unpack`] returns `None`.
    pub(crate) fn of(article: &Article) -> Self {
        let Article { html, outline, css, frames, images, servers } = article;
        let rest = Article {
            html: String::new(),
            outline: outline.clone(),
            css: css.clone(),
            frames: frames.clone(),
            images: images.clone(),
            servers: servers.clone(),
        };
        let packed = zstd::bulk::compress(html.as_bytes(), LEVEL).unwrap_or_default();
        Self { html: packed.as_slice().into(), length: html.len(), rest }
    }

    /// The text; `None` if it cannot be read back.
    pub(crate) fn unpack(&self) -> Option<Article> {
        // zstd reads no bytes as an empty text.
        let html = zstd::bulk::decompress(&self.html, self.length).ok().filter(|html| html.len() == self.length)?;
        Some(Article { html: String::from_utf8(html).ok()?, ..self.rest.clone() })
    }
}

impl Cacheable for PackedArticle {
    const WHAT: &'static str = "text";

    fn size(&self) -> usize {
        let Article { html: _, outline, css, frames, images, servers } = &self.rest;
        let entry = |entry: &OutlineEntry| size_of::<OutlineEntry>() + entry.text.len() + entry.anchor.len();
        let outline: usize = outline.iter().map(entry).sum();
        let origins = [frames, images, servers].into_iter().flatten();
        let origins: usize = origins.map(|origin| size_of::<String>() + origin.len()).sum();
        size_of::<Self>() + allocated(self.html.len()) + css.len() + outline + origins + ENTRY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(html: String) -> Article {
        let outline = vec![OutlineEntry { level: 1, text: "Ünder".to_owned(), anchor: "under".to_owned() }];
        let images = vec!["https://example.org".to_owned()];
        Article { html, outline, css: "p{}".to_owned(), images, ..Article::default() }
    }

    #[test]
    fn a_text_comes_back_as_it_was() {
        for html in [String::new(), "<p>Ünder</p>".to_owned(), "<p>One of many</p>".repeat(10_000)] {
            let article = text(html);
            assert_eq!(PackedArticle::of(&article).unpack(), Some(article));
        }
    }

    #[test]
    fn a_text_that_was_not_compressed_is_not_taken_for_an_empty_one() {
        let packed = PackedArticle { html: Box::default(), ..PackedArticle::of(&text("<p>Text</p>".to_owned())) };
        assert_eq!(packed.unpack(), None);
    }

    #[test]
    fn all_that_is_kept_of_a_text_is_counted() {
        let article = text("<p>Text</p>".to_owned());
        let packed = |article: Article| PackedArticle::of(&article).size();
        let before = packed(article.clone());
        let long = || "x".repeat(1000);
        assert_eq!(packed(Article { css: format!("{}{}", article.css, long()), ..article.clone() }), before + 1000);
        let outline = vec![OutlineEntry { level: 1, text: long(), anchor: "under".to_owned() }];
        assert_eq!(packed(Article { outline, ..article.clone() }), before + 1000 - "Ünder".len());
        for more in [
            Article { frames: vec![long()], ..article.clone() },
            Article { images: vec![article.images[0].clone(), long()], ..article.clone() },
            Article { servers: vec![long()], ..article },
        ] {
            assert_eq!(packed(more), before + size_of::<String>() + 1000);
        }
    }

    #[test]
    fn a_text_takes_less_room_than_its_html() {
        let article = text((0..200).map(|number| format!("<p>Paragraph {number} of a text</p>")).collect());
        let packed = PackedArticle::of(&article);
        assert!(packed.size() * 4 < article.html.len(), "{} of {}", packed.size(), article.html.len());
    }
}
