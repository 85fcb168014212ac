//! Reads an answer: its tags must be those of the source. Unambiguous mistakes are repaired.
use super::dialect::begins_tag;
use super::lexer::{Token, canonical, tokens};
use super::{Fault, Markup, Piece, TagKind, Tagged, entities, joined};

impl Tagged {
    /// The translation of this text in an engine's answer.
    ///
    /// Entities are decoded, white space in tags is ignored, and marks that cross other tags are nested. Tags in place
    /// of terms of the glossary become the required translations.
    ///
    /// # Errors
    /// The reason to reject the answer: every tag must occur once, in an allowed place, and a pair must enclose text.
    pub fn read(&self, markup: Markup, answer: &str) -> Result<Self, Fault> {
        let answer = answer.trim().replace("\r\n", "\n");
        if answer.is_empty() {
            return Err(Fault::Empty);
        }
        if answer.contains("\n\n") {
            return Err(Fault::Paragraphs);
        }
        let answer = answer.replace('\n', " ");
        if markup == Markup::None {
            return self.taken(vec![Token::Text(answer)]);
        }
        match self.taken(tokens(markup, &answer)) {
            // The engine escaped the tags too.
            Err(Fault::Missing(number)) if entities::has_any(&answer) => {
                let mut decoded = String::new();
                entities::decode(&answer, &mut decoded);
                self.taken(tokens(markup, &decoded)).map_err(|_again| Fault::Missing(number))
            }
            read => read,
        }
    }

    /// The translation of this text in a stored canonical form, with the white space of this text at the ends.
    ///
    /// # Errors
    /// [`Fault::Foreign`] if it is not in canonical form, and as for [`Tagged::read`].
    pub fn read_canonical(&self, stored: &str) -> Result<Self, Fault> {
        let pieces = paired(self, canonical(stored).ok_or(Fault::Foreign)?)?;
        checked(self, &pieces)?;
        let read = self.with(pieces);
        if read.pieces.is_empty() { Err(Fault::Empty) } else { Ok(read) }
    }

    fn taken(&self, tokens: Vec<Token>) -> Result<Self, Fault> {
        let pieces = paired(self, tokens)?;
        checked(self, &pieces)?;
        let read = self.with(pieces);
        if read.pieces.is_empty() {
            return Err(Fault::Empty);
        }
        read.has_only_characters_of(self)?;
        Ok(read.with_terms())
    }

    /// The text with terms of the glossary as words.
    pub(crate) fn with_terms(mut self) -> Self {
        let terms = self.tags.iter().filter(|tag| matches!(tag.kind, TagKind::Term(_))).count();
        if terms == 0 {
            return self;
        }
        let pieces = std::mem::take(&mut self.pieces);
        let with_terms = pieces.into_iter().map(|piece| match &piece {
            Piece::Single(number) => match self.tag(*number).map(|tag| &tag.kind) {
                Some(TagKind::Term(words)) => Piece::Text(words.clone()),
                _ => piece,
            },
            _ => piece,
        });
        self.pieces = joined(with_terms.collect());
        // The tags of terms have the highest numbers.
        self.tags.truncate(self.tags.len() - terms);
        self
    }

    /// Rejects control characters that the source does not have, and more words that look like tags than it has.
    fn has_only_characters_of(&self, source: &Self) -> Result<(), Fault> {
        let (own, theirs) = (self.words(), source.words());
        let odd = |char: char| (char.is_control() && char != '\t') || char == '\u{fffd}';
        if own.chars().any(|char| odd(char) && !theirs.contains(char)) {
            return Err(Fault::Control);
        }
        // Words such as `<your name>` are translated too.
        if tag_like(&own) > tag_like(&theirs) { Err(Fault::Foreign) } else { Ok(()) }
    }
}

/// The number of places that look like the start of a tag, such as `</div`.
fn tag_like(text: &str) -> usize {
    text.match_indices('<').filter(|(at, _)| begins_tag(&text[*at..])).count()
}

/// The tokens as pieces, with properly nested pairs.
fn paired(source: &Tagged, tokens: Vec<Token>) -> Result<Vec<Piece>, Fault> {
    let mut pairs = Pairs::of(source);
    for token in tokens {
        match token {
            Token::Text(text) => pairs.pieces.push(Piece::Text(text)),
            Token::Single(number) => match source.tag(number).map(|tag| &tag.kind) {
                Some(TagKind::Single { .. } | TagKind::Term(_)) => pairs.pieces.push(Piece::Single(number)),
                Some(TagKind::Mark | TagKind::Around) => return Err(Fault::Unpaired(number)),
                None => return Err(Fault::Foreign),
            },
            Token::Open(number) => pairs.open(source, number)?,
            Token::Close(number) => pairs.close(number)?,
        }
    }
    match pairs.open.last() {
        Some((number, _)) => Err(Fault::Unpaired(*number)),
        None => Ok(pairs.pieces),
    }
}

/// The pairs during reading.
struct Pairs {
    pieces: Vec<Piece>,
    /// The open pairs, and whether each is a mark.
    open: Vec<(u32, bool)>,
    /// The indexes in `open` of those that are not marks.
    around: Vec<usize>,
    /// By number, the state of the pair.
    states: Vec<State>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// Open, with its index in the list of open pairs.
    Open(usize),
    /// A mark whose end tag was inside a link that is still open.
    Deferred(usize),
    /// A mark that ended with the pair around it, before its end tag.
    Clipped,
    Closed,
}

impl Pairs {
    fn of(source: &Tagged) -> Self {
        let states = vec![State::New; source.tags.len() + 1];
        Self { pieces: Vec::new(), open: Vec::new(), around: Vec::new(), states }
    }

    fn state(&mut self, number: u32) -> Result<&mut State, Fault> {
        usize::try_from(number).ok().and_then(|at| self.states.get_mut(at)).ok_or(Fault::Foreign)
    }

    fn open(&mut self, source: &Tagged, number: u32) -> Result<(), Fault> {
        let mark = match source.tag(number).map(|tag| &tag.kind) {
            Some(TagKind::Mark) => true,
            Some(TagKind::Around) => false,
            Some(TagKind::Single { .. } | TagKind::Term(_)) => return Err(Fault::Unpaired(number)),
            None => return Err(Fault::Foreign),
        };
        let at = self.open.len();
        let state = self.state(number)?;
        if *state != State::New {
            return Err(Fault::Repeated(number));
        }
        *state = State::Open(at);
        self.open.push((number, mark));
        if !mark {
            self.around.push(at);
        }
        self.pieces.push(Piece::Open(number));
        Ok(())
    }

    fn close(&mut self, number: Option<u32>) -> Result<(), Fault> {
        let number = number.or(self.open.last().map(|(number, _)| *number)).ok_or(Fault::Foreign)?;
        let innermost = self.around.last().copied();
        match *self.state(number)? {
            State::Clipped => *self.state(number)? = State::Closed,
            State::Open(at) if innermost.is_some_and(|innermost| innermost > at) => {
                if !self.open[at].1 {
                    return Err(Fault::Unpaired(number));
                }
                *self.state(number)? = State::Deferred(at);
            }
            State::Open(at) => {
                while self.open.len() > at + 1 {
                    self.pop(State::Clipped)?;
                }
                self.pop(State::Closed)?;
                while let Some((last, _)) = self.open.last().copied()
                    && matches!(*self.state(last)?, State::Deferred(_))
                {
                    self.pop(State::Closed)?;
                }
            }
            State::New => return Err(Fault::Unpaired(number)),
            State::Deferred(_) | State::Closed => return Err(Fault::Repeated(number)),
        }
        Ok(())
    }

    /// Ends the innermost pair.
    fn pop(&mut self, state: State) -> Result<(), Fault> {
        let Some((number, mark)) = self.open.pop() else { return Ok(()) };
        if !mark {
            self.around.pop();
        }
        let was = self.state(number)?;
        *was = if matches!(was, State::Deferred(_)) { State::Closed } else { state };
        self.pieces.push(Piece::Close(number));
        Ok(())
    }
}

/// Checks that pieces have the tags of `source`, each once and in an allowed place.
pub(super) fn checked(source: &Tagged, pieces: &[Piece]) -> Result<(), Fault> {
    let (wanted, found) = (presence(source, source.pieces())?, presence(source, pieces)?);
    for (at, (wanted, found)) in wanted.iter().zip(&found).enumerate() {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        match (wanted, found) {
            (Presence::Absent, Presence::Absent) => {}
            (Presence::Absent, _) => return Err(Fault::Foreign),
            (_, Presence::Absent) => return Err(Fault::Missing(number)),
            (Presence::There { filled: true }, Presence::There { filled: false }) => {
                return Err(Fault::Unpaired(number));
            }
            (Presence::There { .. }, Presence::There { .. }) => {}
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Presence {
    Absent,
    There {
        /// For a pair, whether it contains more than white space.
        filled: bool,
    },
}

/// Finds the tags. Each may occur once, pairs are nested, and links and notes have the same parents as in the source.
fn presence(source: &Tagged, pieces: &[Piece]) -> Result<Vec<Presence>, Fault> {
    let mut found = vec![Presence::Absent; source.tags.len()];
    // The open pairs: their number, and whether they have content.
    let mut open: Vec<(u32, bool)> = Vec::new();
    let mut containers: Vec<u32> = Vec::new();
    let mut note = |number: u32, filled: bool| -> Result<(), Fault> {
        let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1)).ok_or(Fault::Foreign)?;
        match found.get_mut(at) {
            Some(presence @ Presence::Absent) => *presence = Presence::There { filled },
            Some(Presence::There { .. }) => return Err(Fault::Repeated(number)),
            None => return Err(Fault::Foreign),
        }
        Ok(())
    };
    for piece in pieces {
        match piece {
            Piece::Text(text) => {
                if let Some(last) = open.last_mut() {
                    last.1 |= !text.trim().is_empty();
                }
            }
            Piece::Single(number) => {
                let tag = source.tag(*number).ok_or(Fault::Foreign)?;
                let fixed = tag.kind == TagKind::Single { moves: false };
                if fixed && tag.container != containers.last().copied() {
                    return Err(Fault::Misplaced(*number));
                }
                note(*number, true)?;
                if let Some(last) = open.last_mut() {
                    last.1 = true;
                }
            }
            Piece::Open(number) => {
                let tag = source.tag(*number).ok_or(Fault::Foreign)?;
                if tag.kind == TagKind::Around {
                    if tag.container != containers.last().copied() {
                        return Err(Fault::Misplaced(*number));
                    }
                    containers.push(*number);
                }
                open.push((*number, false));
            }
            Piece::Close(number) => {
                let Some((last, filled)) = open.pop() else { return Err(Fault::Unpaired(*number)) };
                if last != *number {
                    return Err(Fault::Unpaired(*number));
                }
                if containers.last() == Some(number) {
                    containers.pop();
                }
                note(*number, filled)?;
                if let Some(outer) = open.last_mut() {
                    outer.1 |= filled;
                }
            }
        }
    }
    match open.last() {
        Some((number, _)) => Err(Fault::Unpaired(*number)),
        None => Ok(found),
    }
}
