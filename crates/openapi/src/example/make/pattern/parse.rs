//! Reading a regular expression.
use super::set::Set;

/// The maximum depth of groups.
const MAX_DEPTH: usize = 50;
/// The maximum length of a pattern, in characters.
const MAX_PATTERN: usize = 2_000;
/// The maximum number of repetitions.
const MAX_REPEATS: usize = 10_000;

/// A piece of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A character.
    Set(Set),
    /// The start of the text.
    Start,
    /// The end of the text.
    End,
    /// One of several alternatives.
    Group(Vec<Vec<Piece>>),
    /// A piece several times; any number of times if there is no maximum.
    Repeat { inner: Box<Piece>, least: usize, most: Option<usize> },
}

/// The pieces of a pattern; `None` if it cannot be read.
pub(super) fn parse(pattern: &str) -> Option<Vec<Piece>> {
    let chars: Vec<char> = pattern.chars().take(MAX_PATTERN + 1).collect();
    if chars.len() > MAX_PATTERN {
        return None;
    }
    let mut parser = Parser { chars, next: 0 };
    let choices = parser.choices(0)?;
    if parser.peek().is_some() {
        return None;
    }
    match <[Vec<Piece>; 1]>::try_from(choices) {
        Ok([only]) => Some(only),
        Err(choices) => Some(vec![Piece::Group(choices)]),
    }
}

struct Parser {
    chars: Vec<char>,
    next: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.next).copied()
    }

    fn take(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.next += 1;
        Some(char)
    }

    /// Takes a text if it comes next.
    fn takes(&mut self, text: &str) -> bool {
        let length = text.chars().count();
        let is_next =
            self.chars.get(self.next..self.next + length).is_some_and(|next| next.iter().copied().eq(text.chars()));
        if is_next {
            self.next += length;
        }
        is_next
    }

    /// The alternatives up to the end, or up to the bracket that closes the group.
    fn choices(&mut self, depth: usize) -> Option<Vec<Vec<Piece>>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut choices = Vec::new();
        let mut pieces = Vec::new();
        loop {
            match self.peek() {
                None | Some(')') => {
                    choices.push(pieces);
                    return Some(choices);
                }
                Some('|') => {
                    self.next += 1;
                    choices.push(std::mem::take(&mut pieces));
                }
                Some(_) => pieces.extend(self.repeated(depth)?),
            }
        }
    }

    /// A piece and its repetition; nothing for an assertion.
    fn repeated(&mut self, depth: usize) -> Option<Option<Piece>> {
        let piece = self.piece(depth)?;
        let bounds = match self.peek() {
            Some('*') => Some((0, None)),
            Some('+') => Some((1, None)),
            Some('?') => Some((0, Some(1))),
            Some('{') => match self.bounds() {
                Some(bounds) => {
                    self.takes("?");
                    return Some(repeat(piece?, bounds));
                }
                None => None,
            },
            _ => None,
        };
        let Some(bounds) = bounds else { return Some(piece) };
        self.next += 1;
        self.takes("?");
        // A repeated assertion has no effect.
        let Some(piece) = piece else { return Some(None) };
        Some(repeat(piece, bounds))
    }

    /// The numbers of `{2,5}`, which are consumed; `None` if the brace is a plain character.
    fn bounds(&mut self) -> Option<(usize, Option<usize>)> {
        let start = self.next;
        let end = self.chars.get(start..)?.iter().position(|char| *char == '}')? + start;
        let inner: String = self.chars.get(start + 1..end)?.iter().collect();
        let number = |text: &str| text.parse::<usize>().ok();
        let bounds = match inner.split_once(',') {
            None => number(&inner).map(|number| (number, Some(number))),
            Some((least, "")) => number(least).map(|least| (least, None)),
            Some((least, most)) => number(least).zip(number(most)).map(|(least, most)| (least, Some(most))),
        };
        if bounds.is_some() {
            self.next = end + 1;
        }
        bounds
    }

    /// A piece; nothing for an assertion.
    fn piece(&mut self, depth: usize) -> Option<Option<Piece>> {
        Some(Some(match self.take()? {
            '^' => Piece::Start,
            '$' => Piece::End,
            '.' => Piece::Set(Set::any()),
            '[' => Piece::Set(self.class()?),
            '(' => {
                let looks = ["?=", "?!", "?<=", "?<!"].iter().any(|mark| self.takes(mark));
                if !looks && !self.takes("?:") && self.takes("?<") {
                    while self.take()? != '>' {}
                }
                if self.peek() == Some('?') {
                    return None;
                }
                let choices = self.choices(depth + 1)?;
                if self.take() != Some(')') {
                    return None;
                }
                if looks {
                    return Some(None);
                }
                Piece::Group(choices)
            }
            '\\' => match self.peek()? {
                'b' | 'B' => {
                    self.next += 1;
                    return Some(None);
                }
                '1'..='9' | 'k' => return None,
                _ => Piece::Set(self.escape()?),
            },
            '*' | '+' | '?' => return None,
            char => Piece::Set(Set::new(&[(char, char)])),
        }))
    }

    /// The set after a backslash.
    fn escape(&mut self) -> Option<Set> {
        let char = self.take()?;
        if let Some(set) = Set::of_class(char) {
            return Some(set);
        }
        if matches!(char, 'p' | 'P') && self.takes("{") {
            let mut name = String::new();
            loop {
                match self.take()? {
                    '}' => break,
                    char => name.push(char),
                }
            }
            let set = Set::of_property(&name)?;
            return Some(if char == 'P' { set.negated() } else { set });
        }
        let char = match char {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '0' => '\0',
            'c' => char::from_u32(u32::from(self.take()?) % 32)?,
            'x' => self.code(2)?,
            'u' if self.takes("{") => {
                let length = self.chars.get(self.next..)?.iter().position(|char| *char == '}')?;
                let char = self.code(length)?;
                self.next += 1;
                char
            }
            'u' => self.code(4)?,
            char => char,
        };
        Some(Set::new(&[(char, char)]))
    }

    /// The character of this number of hexadecimal digits.
    fn code(&mut self, digits: usize) -> Option<char> {
        let text: String = self.chars.get(self.next..self.next + digits)?.iter().collect();
        self.next += digits;
        char::from_u32(u32::from_str_radix(&text, 16).ok()?)
    }

    /// The rest of a class in brackets.
    fn class(&mut self) -> Option<Set> {
        let is_negated = self.takes("^");
        let mut ranges = Vec::new();
        loop {
            let first = match self.take()? {
                ']' => break,
                '\\' if self.takes("b") => Set::new(&[('\u{8}', '\u{8}')]),
                '\\' => self.escape()?,
                char => Set::new(&[(char, char)]),
            };
            let single = |set: &Set| match set.ranges.as_slice() {
                [(first, last)] if first == last && !set.is_negated => Some(*first),
                _ => None,
            };
            let is_range = self.peek() == Some('-') && self.chars.get(self.next + 1).is_some_and(|char| *char != ']');
            let Some(start) = single(&first).filter(|_| is_range) else {
                if first.is_negated {
                    // The union with what is not in a set is rare, and the set alone has texts.
                    return self.skip_class(if is_negated { first.negated() } else { first });
                }
                ranges.extend(first.ranges);
                continue;
            };
            self.next += 1;
            let end = match self.take()? {
                '\\' => single(&self.escape()?)?,
                char => char,
            };
            ranges.push((start, end));
        }
        Some(Set { ranges, is_negated })
    }

    /// Skips the rest of a class, because one of its sets is enough.
    fn skip_class(&mut self, set: Set) -> Option<Set> {
        loop {
            match self.take()? {
                ']' => return Some(set),
                '\\' => self.next += 1,
                _ => {}
            }
        }
    }
}

fn repeat(piece: Piece, (least, most): (usize, Option<usize>)) -> Option<Piece> {
    let is_possible = least <= MAX_REPEATS && most.is_none_or(|most| most >= least);
    // An expression that cannot be met is left to the caller, who finds that the text does not match.
    Some(if is_possible { Piece::Repeat { inner: Box::new(piece), least, most } } else { Piece::Group(Vec::new()) })
}
