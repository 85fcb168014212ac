//! Compressed texts of pages in the cache. HTML compresses well: uncompressed, only a quarter of these texts would fit.
//! Rendering a text takes much longer than decompressing it.
use crate::render_cache::Cacheable;
use site_html::article::Article;

/// The compression level: zstd takes a few microseconds per kilobyte at it.
const LEVEL: i32 = 1;

/// A rendered text, compressed.
pub(crate) struct PackedArticle {
    html: Vec<u8>,
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
        Self { html: zstd::bulk::compress(html.as_bytes(), LEVEL).unwrap_or_default(), length: html.len(), rest }
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
        let outline: usize = self.rest.outline.iter().map(|entry| entry.text.len() + entry.anchor.len() + 64).sum();
        self.html.len() + self.rest.css.len() + outline + 256
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use site_html::article::OutlineEntry;

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
        let packed = PackedArticle { html: Vec::new(), ..PackedArticle::of(&text("<p>Text</p>".to_owned())) };
        assert_eq!(packed.unpack(), None);
    }

    #[test]
    fn a_text_takes_less_room_than_its_html() {
        let article = text((0..200).map(|number| format!("<p>Paragraph {number} of a text</p>")).collect());
        let packed = PackedArticle::of(&article);
        assert!(packed.size() * 4 < article.html.len(), "{} of {}", packed.size(), article.html.len());
    }
}
