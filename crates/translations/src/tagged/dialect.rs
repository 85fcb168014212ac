//! Writes texts for the memory and for engines.
use super::{Markup, Piece, Tagged, entities};
use std::fmt::Write;

impl Tagged {
    /// The canonical form, which the memory stores, without white space at the ends.
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            // Writing to a string cannot fail.
            let _ = match piece {
                Piece::Text(words) => write!(text, "{}", words.replace('⟨', "⟨⟩")),
                Piece::Open(number) => write!(text, "⟨{number}⟩"),
                Piece::Close(number) => write!(text, "⟨/{number}⟩"),
                Piece::Single(number) => write!(text, "⟨{number}/⟩"),
            };
        }
        text
    }

    /// The text for an engine, without white space at the ends. With [`Markup::None`] the tags are left out, so such an
    /// engine gets the [fragments](Self::fragments).
    pub fn written(&self, markup: Markup) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            let _ = match (piece, markup) {
                (Piece::Text(words), Markup::None) => write!(text, "{words}"),
                (Piece::Text(words), Markup::Numbered) => write!(text, "{}", escaped_where_needed(words)),
                (Piece::Text(words), Markup::Html | Markup::Xml) => write!(text, "{}", escaped(words)),
                (Piece::Open(number), Markup::Html) => write!(text, "<a id=\"t{number}\">"),
                (Piece::Close(_), Markup::Html) => write!(text, "</a>"),
                (Piece::Single(number), Markup::Html) => write!(text, "<img id=\"t{number}\"/>"),
                (Piece::Open(number), Markup::Xml | Markup::Numbered) => write!(text, "<g{number}>"),
                (Piece::Close(number), Markup::Xml | Markup::Numbered) => write!(text, "</g{number}>"),
                (Piece::Single(number), Markup::Xml | Markup::Numbered) => write!(text, "<x{number}/>"),
                (Piece::Open(_) | Piece::Close(_) | Piece::Single(_), Markup::None) => Ok(()),
            };
        }
        text
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Escapes only text that would be read as a tag or an entity: language models copy plain text best.
fn escaped_where_needed(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        let rest = &text[at..];
        match char {
            '<' if begins_tag(rest) => written.push_str("&lt;"),
            '&' if entities::decoded(rest).is_some() => written.push_str("&amp;"),
            char => written.push(char),
        }
    }
    written
}

/// Whether a text that starts with `<` can be read as a tag.
pub(super) fn begins_tag(text: &str) -> bool {
    let inside = text[1..].trim_start_matches(' ');
    inside.starts_with(|char: char| char.is_ascii_alphabetic() || matches!(char, '/' | '!' | '?'))
}
