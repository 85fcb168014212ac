//! Converts a line of content to words with tags, and back.
use super::{Piece, Tag, TagKind, Tagged};
use crate::addresses::addresses;
use content::document::{Annotation, Inline, Link, Marks, Place, Text, TextColor, inline_text};

/// A line of content: its text with tags, and the element of each tag.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: Tagged,
    /// The elements of the tags, by number from 1.
    slots: Vec<Slot>,
}

/// The element of a tag.
#[derive(Clone, Debug)]
enum Slot {
    /// A mark.
    Mark(Mark),
    /// A link, without its content.
    Link(Box<Link>),
    /// A note, without its annotated text.
    Note(Box<Annotation>),
    /// Another element.
    Single(Inline),
}

/// One mark of text that a pair of tags can represent.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mark {
    Bold,
    Italic,
    Strikethrough,
    Superscript,
    Subscript,
    Color(TextColor),
}

impl Mark {
    fn of(marks: &Marks) -> Vec<Self> {
        let plain = [
            (marks.bold, Self::Bold),
            (marks.italic, Self::Italic),
            (marks.strikethrough, Self::Strikethrough),
            (marks.superscript, Self::Superscript),
            (marks.subscript, Self::Subscript),
        ];
        let plain = plain.into_iter().filter_map(|(is, mark)| is.then_some(mark));
        plain.chain(marks.color.clone().map(Self::Color)).collect()
    }

    fn add_to(&self, marks: &mut Marks) {
        match self {
            Self::Bold => marks.bold = true,
            Self::Italic => marks.italic = true,
            Self::Strikethrough => marks.strikethrough = true,
            Self::Superscript => marks.superscript = true,
            Self::Subscript => marks.subscript = true,
            Self::Color(color) => marks.color = Some(color.clone()),
        }
    }
}

/// A piece of a line, before it has tags.
struct Atom<'a> {
    element: Element<'a>,
    /// Its marks; `None` for an element without marks, which may be between any.
    marks: Option<Vec<Mark>>,
}

enum Element<'a> {
    Words(&'a str),
    Link(&'a Link),
    Note(&'a Annotation),
    Single(Inline),
}

impl Atom<'_> {
    fn has(&self, mark: &Mark) -> bool {
        self.marks.as_ref().is_none_or(|marks| marks.contains(mark))
    }
}

impl Line {
    /// The line of this content.
    pub(crate) fn of(content: &[Inline]) -> Self {
        let mut builder = Builder::default();
        builder.content(content, &[]);
        let Builder { pieces, tags, slots, .. } = builder;
        Self { text: Tagged::new(pieces, tags), slots }
    }

    /// The line of a text without marks.
    pub(crate) fn plain(text: &str) -> Self {
        Self::of(&[Inline::from(text)])
    }

    /// The content of a translation of the text.
    pub(crate) fn put(&self, translation: &Tagged) -> Vec<Inline> {
        let mut lines: Vec<Vec<Inline>> = vec![Vec::new()];
        let mut open: Vec<&Mark> = Vec::new();
        for piece in translation.all_pieces() {
            match piece {
                Piece::Text(text) => {
                    let mut marks = Marks::default();
                    open.iter().for_each(|mark| mark.add_to(&mut marks));
                    push(&mut lines, Inline::Text(Text { text, marks }));
                }
                Piece::Single(number) => {
                    if let Some(Slot::Single(inline)) = self.slot(number) {
                        push(&mut lines, inline.clone());
                    }
                }
                Piece::Open(number) => match self.slot(number) {
                    Some(Slot::Mark(mark)) => open.push(mark),
                    _ => lines.push(Vec::new()),
                },
                Piece::Close(number) => match self.slot(number) {
                    Some(Slot::Mark(_)) => drop(open.pop()),
                    Some(Slot::Link(link)) => {
                        let link = Link { content: lines.pop().unwrap_or_default(), ..(**link).clone() };
                        push(&mut lines, Inline::Link(Box::new(link)));
                    }
                    Some(Slot::Note(note)) => {
                        let note = Annotation { content: lines.pop().unwrap_or_default(), ..(**note).clone() };
                        push(&mut lines, Inline::Annotation(Box::new(note)));
                    }
                    Some(Slot::Single(_)) | None => {}
                },
            }
        }
        lines.into_iter().flatten().collect()
    }

    /// The text of a translation of a text without marks.
    pub(crate) fn put_plain(&self, translation: &Tagged) -> String {
        inline_text(&self.put(translation))
    }

    fn slot(&self, number: u32) -> Option<&Slot> {
        self.slots.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }
}

/// Adds a piece to the innermost line.
fn push(lines: &mut [Vec<Inline>], inline: Inline) {
    if let Some(line) = lines.last_mut() {
        line.push(inline);
    }
}

#[derive(Default)]
struct Builder {
    pieces: Vec<Piece>,
    tags: Vec<Tag>,
    slots: Vec<Slot>,
    container: Option<u32>,
}

impl Builder {
    /// Adds content. `around` has the marks of the open tags.
    fn content(&mut self, content: &[Inline], around: &[Mark]) {
        let atoms: Vec<Atom<'_>> = content.iter().flat_map(atoms).collect();
        self.atoms(&atoms, around);
    }

    fn atoms(&mut self, atoms: &[Atom<'_>], around: &[Mark]) {
        let mut at = 0;
        while let Some(atom) = atoms.get(at) {
            let longest = (atom.marks.iter().flatten())
                .filter(|mark| !around.contains(mark))
                .map(|mark| (mark, run(&atoms[at..], mark)))
                .reduce(|longest, next| if next.1 > longest.1 { next } else { longest });
            match longest {
                Some((mark, length)) => {
                    let number = self.tag(TagKind::Mark, Slot::Mark(mark.clone()));
                    let around: Vec<Mark> = around.iter().chain([mark]).cloned().collect();
                    self.pieces.push(Piece::Open(number));
                    self.atoms(&atoms[at..at + length], &around);
                    self.pieces.push(Piece::Close(number));
                    at += length;
                }
                None => {
                    self.element(&atom.element, around);
                    at += 1;
                }
            }
        }
    }

    fn element(&mut self, element: &Element<'_>, around: &[Mark]) {
        match element {
            Element::Words(text) => self.pieces.push(Piece::Text((*text).to_owned())),
            Element::Single(inline) => {
                let moves = Place::Link.allows(inline);
                let number = self.tag(TagKind::Single { moves }, Slot::Single(inline.clone()));
                self.pieces.push(Piece::Single(number));
            }
            Element::Link(link) => {
                let bare = Link { content: Vec::new(), ..(*link).clone() };
                self.around(Slot::Link(Box::new(bare)), &link.content, around);
            }
            Element::Note(note) => {
                let bare = Annotation { content: Vec::new(), ..(*note).clone() };
                self.around(Slot::Note(Box::new(bare)), &note.content, around);
            }
        }
    }

    fn around(&mut self, slot: Slot, content: &[Inline], around: &[Mark]) {
        let number = self.tag(TagKind::Around, slot);
        self.pieces.push(Piece::Open(number));
        let outside = self.container.replace(number);
        self.content(content, around);
        self.container = outside;
        self.pieces.push(Piece::Close(number));
    }

    fn tag(&mut self, kind: TagKind, slot: Slot) -> u32 {
        self.tags.push(Tag { kind, container: self.container });
        self.slots.push(slot);
        u32::try_from(self.tags.len()).unwrap_or(u32::MAX)
    }
}

/// The number of atoms from the first on that have a mark. Elements without marks count only between others.
fn run(atoms: &[Atom<'_>], mark: &Mark) -> usize {
    let length = atoms.iter().take_while(|atom| atom.has(mark)).count();
    let after = atoms[..length].iter().rev().take_while(|atom| atom.marks.is_none()).count();
    length - after
}

/// The atoms of a piece of content.
fn atoms(inline: &Inline) -> Vec<Atom<'_>> {
    match inline {
        Inline::Text(text) if is_kept(&text.marks) => {
            vec![Atom { element: Element::Single(inline.clone()), marks: Some(Mark::of(&text.marks)) }]
        }
        Inline::Text(text) => {
            let marks = Mark::of(&text.marks);
            let kept = |kept: &str| {
                let kept = Inline::Text(Text { text: kept.to_owned(), marks: text.marks.clone() });
                Atom { element: Element::Single(kept), marks: Some(marks.clone()) }
            };
            let words = |words| Atom { element: Element::Words(words), marks: Some(marks.clone()) };
            let mut atoms = Vec::new();
            for (at, line) in text.text.split('\n').enumerate() {
                atoms.extend((at > 0).then(|| kept("\n")));
                let mut next = 0;
                for address in addresses(line) {
                    atoms.extend((next < address.start).then(|| words(&line[next..address.start])));
                    next = address.end;
                    atoms.push(kept(&line[address]));
                }
                atoms.extend((next < line.len()).then(|| words(&line[next..])));
            }
            atoms
        }
        Inline::Link(link) if has_words(&link.content) => {
            vec![Atom { element: Element::Link(link), marks: shared(&link.content) }]
        }
        Inline::Annotation(note) if has_words(&note.content) => {
            vec![Atom { element: Element::Note(note), marks: shared(&note.content) }]
        }
        other => vec![Atom { element: Element::Single(other.clone()), marks: None }],
    }
}

/// Whether text with these marks is not translated: code, and keyboard keys.
fn is_kept(marks: &Marks) -> bool {
    marks.code || marks.keyboard
}

/// Whether there is anything to translate.
fn has_words(content: &[Inline]) -> bool {
    content.iter().any(|inline| match inline {
        Inline::Text(text) => {
            let words = |piece: &str| piece.chars().any(char::is_alphabetic);
            let mut pieces = atoms(inline).into_iter();
            words(&text.text) && pieces.any(|atom| matches!(atom.element, Element::Words(piece) if words(piece)))
        }
        Inline::Link(link) => has_words(&link.content),
        Inline::Annotation(note) => has_words(&note.content),
        _ => false,
    })
}

/// The marks that all text of a piece of content has.
fn shared(content: &[Inline]) -> Option<Vec<Mark>> {
    let mut all: Option<Vec<Mark>> = None;
    for inline in content {
        let marks = match inline {
            Inline::Text(text) => Some(Mark::of(&text.marks)),
            Inline::Link(link) => shared(&link.content),
            Inline::Annotation(note) => shared(&note.content),
            _ => None,
        };
        if let Some(marks) = marks {
            match &mut all {
                Some(all) => all.retain(|mark| marks.contains(mark)),
                None => all = Some(marks),
            }
        }
    }
    all
}
