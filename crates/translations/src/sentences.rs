//! Splits long texts into parts, for engines with a limit.
use crate::tagged::{Piece, Tagged};
use unicode_segmentation::UnicodeSegmentation;

/// The maximum length of one part that is sent to an engine, in characters.
pub const MAX_PART: usize = 1500;

impl Tagged {
    /// The text in parts of at most `longest` characters, cut after sentences that end outside of all pairs of tags. A
    /// longer sentence is cut at white space; if it has none, the part is longer.
    pub fn cut(&self, longest: usize) -> Vec<Self> {
        if self.characters() <= longest {
            return vec![self.clone()];
        }
        let mut parts: Vec<Vec<Piece>> = Vec::new();
        let mut length = 0;
        for (chunk, own) in chunks(&self.all_pieces(), longest) {
            match parts.last_mut() {
                Some(part) if length + own <= longest => part.extend(chunk),
                _ => {
                    parts.push(chunk);
                    length = 0;
                }
            }
            length += own;
        }
        parts.into_iter().map(|part| Self::new(part, self.tags().to_vec())).collect()
    }

    /// Joins the translations of the [parts](Self::cut) of a text, in order.
    pub fn joined(parts: &[Self]) -> Option<Self> {
        let tags = parts.first()?.tags().to_vec();
        Some(Self::new(parts.iter().flat_map(Self::all_pieces).collect(), tags))
    }
}

/// Groups of pieces that are not cut, with their length in characters.
fn chunks(pieces: &[Piece], longest: usize) -> Vec<(Vec<Piece>, usize)> {
    let mut chunks: Vec<(Vec<Piece>, usize)> = vec![(Vec::new(), 0)];
    let mut depth = 0_usize;
    for piece in pieces {
        let Some(last) = chunks.last_mut() else { break };
        match piece {
            Piece::Open(_) => depth += 1,
            Piece::Close(_) => depth = depth.saturating_sub(1),
            Piece::Single(_) => {}
            Piece::Text(text) if depth == 0 => {
                let mut sentences = text.split_sentence_bounds().flat_map(|sentence| in_words(sentence, longest));
                if let Some(first) = sentences.next() {
                    last.0.push(Piece::Text(first.to_owned()));
                    last.1 += first.chars().count();
                }
                chunks.extend(sentences.map(|next| (vec![Piece::Text(next.to_owned())], next.chars().count())));
                continue;
            }
            Piece::Text(text) => last.1 += text.chars().count(),
        }
        last.0.push(piece.clone());
    }
    chunks
}

/// Splits a sentence into parts of at most `longest` characters, if it has white space.
fn in_words(sentence: &str, longest: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = sentence;
    while let Some((limit, _)) = rest.char_indices().nth(longest) {
        let Some((at, space)) = rest[..limit].char_indices().rev().find(|(_, char)| char.is_whitespace()) else {
            break;
        };
        let (part, after) = rest.split_at(at + space.len_utf8());
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}
