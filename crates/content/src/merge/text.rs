//! Merges a line of text that both sides changed: word by word, and code line by line first.
use super::hunks::join;
use super::three_way::agreed;
use crate::document::{Inline, Link, Marks, Target, Text};
use std::collections::HashMap;
use unicode_segmentation::UnicodeSegmentation;

/// The marks of a word.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
struct Style {
    marks: Marks,
    link: Option<Around>,
}

/// The link around a piece.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
struct Around {
    target: Target,
    query: Option<String>,
    title: Option<String>,
    /// Distinguishes two adjacent links to the same target.
    second: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
enum Piece {
    /// A word, the white space between two, a sign, or a line of code.
    Word(String),
    /// Any other inline element.
    Element(Box<Inline>),
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
struct Token {
    piece: Piece,
    style: Style,
}

/// How a text is split into pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Lines,
    Words,
}

impl Cut {
    fn pieces(self, text: &str) -> Vec<&str> {
        match self {
            Self::Lines => text.split_inclusive('\n').collect(),
            Self::Words => text.split_word_bounds().collect(),
        }
    }
}

/// Numbers for tokens, so that sequences are compared by numbers.
#[derive(Default)]
struct Tokens {
    numbers: HashMap<String, u32>,
    all: Vec<Token>,
}

impl Tokens {
    fn number(&mut self, token: Token) -> u32 {
        let said = serde_json::to_string(&token).expect("a token is encoded as JSON");
        let all = &mut self.all;
        *self.numbers.entry(said).or_insert_with(|| {
            all.push(token);
            u32::try_from(all.len() - 1).expect("a document has less than 2^32 pieces")
        })
    }

    fn read(&mut self, content: &[Inline], cut: Cut) -> Vec<u32> {
        let mut numbers = Vec::new();
        let mut previous: Option<Around> = None;
        for inline in content {
            let mut around = None;
            match inline {
                Inline::Link(link) if !link.content.is_empty() => {
                    let same = |other: &&Around| {
                        other.target == link.target && other.query == link.query && other.title == link.title
                    };
                    let second = previous.as_ref().filter(same).is_some_and(|other| !other.second);
                    let (target, query, title) = (link.target.clone(), link.query.clone(), link.title.clone());
                    let link_around = Around { target, query, title, second };
                    for inline in &link.content {
                        self.piece(inline, Some(&link_around), cut, &mut numbers);
                    }
                    around = Some(link_around);
                }
                inline => self.piece(inline, None, cut, &mut numbers),
            }
            previous = around;
        }
        numbers
    }

    fn piece(&mut self, inline: &Inline, link: Option<&Around>, cut: Cut, numbers: &mut Vec<u32>) {
        match inline {
            Inline::Text(text) => {
                for piece in cut.pieces(&text.text) {
                    let style = Style { marks: text.marks.clone(), link: link.cloned() };
                    numbers.push(self.number(Token { piece: Piece::Word(piece.to_owned()), style }));
                }
            }
            element => {
                let style = Style { marks: Marks::default(), link: link.cloned() };
                numbers.push(self.number(Token { piece: Piece::Element(Box::new(element.clone())), style }));
            }
        }
    }

    fn write(&self, numbers: &[u32]) -> Vec<Inline> {
        let mut content: Vec<Inline> = Vec::new();
        let mut open: Option<&Around> = None;
        for number in numbers {
            let Token { piece, style } = &self.all[*number as usize];
            let inline = match piece {
                Piece::Word(word) => Inline::Text(Text { text: word.clone(), marks: style.marks.clone() }),
                Piece::Element(element) => (**element).clone(),
            };
            match (&style.link, content.last_mut()) {
                (Some(around), Some(Inline::Link(link))) if open == Some(around) => push(&mut link.content, inline),
                (Some(around), _) => {
                    let Around { target, query, title, .. } = around.clone();
                    content.push(Inline::Link(Box::new(Link { target, query, title, content: vec![inline] })));
                }
                (None, _) => push(&mut content, inline),
            }
            open = style.link.as_ref();
        }
        content
    }

    fn is_weak(&self, number: u32) -> bool {
        match &self.all[number as usize].piece {
            Piece::Word(word) => !word.chars().any(char::is_alphanumeric),
            Piece::Element(_) => false,
        }
    }
}

/// Appends a piece; texts with the same marks are joined.
fn push(content: &mut Vec<Inline>, inline: Inline) {
    match (content.last_mut(), inline) {
        (Some(Inline::Text(last)), Inline::Text(text)) if last.marks == text.marks => last.text.push_str(&text.text),
        (_, inline) => content.push(inline),
    }
}

/// Joins two versions of the content of a block, if no two changes overlap.
pub(super) fn join_content(base: &[Inline], primary: &[Inline], change: &[Inline], code: bool) -> Option<Vec<Inline>> {
    if let Some(agreed) = agreed(base, primary, change) {
        return Some(agreed.to_vec());
    }
    if !code {
        return join_words(base, primary, change);
    }
    let mut tokens = Tokens::default();
    let [base, primary, change] = [base, primary, change].map(|content| tokens.read(content, Cut::Lines));
    // The joined lines of a range are known only after the merge by words. Until then, numbers beyond all tokens
    // represent them.
    let first = u32::try_from(tokens.all.len()).ok()?;
    let mut ranges: Vec<Vec<Inline>> = Vec::new();
    let joint = join(&base, &primary, &change, &|_| false, &mut |base, primary, change| {
        let [base, primary, change] = [base, primary, change].map(|lines| tokens.write(lines));
        ranges.push(join_words(&base, &primary, &change)?);
        Some(vec![first + u32::try_from(ranges.len() - 1).ok()?])
    })?;
    let mut content = Vec::new();
    for number in joint {
        match number.checked_sub(first) {
            Some(range) => ranges[range as usize].drain(..).for_each(|inline| push(&mut content, inline)),
            None => tokens.write(&[number]).into_iter().for_each(|inline| push(&mut content, inline)),
        }
    }
    Some(content)
}

fn join_words(base: &[Inline], primary: &[Inline], change: &[Inline]) -> Option<Vec<Inline>> {
    let mut tokens = Tokens::default();
    let [base, primary, change] = [base, primary, change].map(|content| tokens.read(content, Cut::Words));
    let weak: Vec<bool> = (0..tokens.all.len()).map(|at| tokens.is_weak(at as u32)).collect();
    let joint = join(&base, &primary, &change, &|number| weak[number as usize], &mut |base, primary, change| {
        join_styles(&mut tokens, base, primary, change)
    })?;
    Some(tokens.write(&joint))
}

/// Joins a range in which neither side changed a word, only marks.
fn join_styles(tokens: &mut Tokens, base: &[u32], primary: &[u32], change: &[u32]) -> Option<Vec<u32>> {
    if base.len() != primary.len() || base.len() != change.len() {
        return None;
    }
    let mut joint = Vec::with_capacity(base.len());
    for ((base, primary), change) in base.iter().zip(primary).zip(change) {
        let [base, primary, change] = [base, primary, change].map(|number| &tokens.all[*number as usize]);
        if base.piece != primary.piece || base.piece != change.piece {
            return None;
        }
        let style = join_style(&base.style, &primary.style, &change.style)?;
        let token = Token { piece: base.piece.clone(), style };
        joint.push(tokens.number(token));
    }
    Some(joint)
}

fn join_style(base: &Style, primary: &Style, change: &Style) -> Option<Style> {
    macro_rules! mark {
        ($field:ident) => {
            agreed(base.marks.$field, primary.marks.$field, change.marks.$field)?
        };
    }
    let marks = Marks {
        bold: mark!(bold),
        italic: mark!(italic),
        code: mark!(code),
        keyboard: mark!(keyboard),
        strikethrough: mark!(strikethrough),
        superscript: mark!(superscript),
        subscript: mark!(subscript),
        color: agreed(&base.marks.color, &primary.marks.color, &change.marks.color)?.clone(),
    };
    Some(Style { marks, link: agreed(&base.link, &primary.link, &change.link)?.clone() })
}
