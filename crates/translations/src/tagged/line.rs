//! A line of content as words with tags, and back.
use super::{Piece, Tag, TagKind, Tagged};
use crate::addresses::addresses;
use content::document::{Annotation, Inline, Link, Marks, Place, Text, TextColor, inline_text};

/// A line of content: its text with tags, and what each tag stands for.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: Tagged,
    /// What the tags stand for, by number from 1.
    slots: Vec<Slot>,
}

/// What a tag stands for.
#[derive(Clone, Debug)]
enum Slot {
    /// A look.
    Mark(Layer),
    /// A link, without its content.
    Link(Box<Link>),
    /// A note, without the text that it is to.
    Note(Box<Annotation>),
    /// A thing.
    Single(Inline),
}

/// One look of text, of those that a pair of tags can stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Layer {
    Bold,
    Italic,
    Strikethrough,
    Superscript,
    Subscript,
    Color(TextColor),
}

impl Layer {
    fn of(marks: &Marks) -> Vec<Self> {
        let plain = [
            (marks.bold, Self::Bold),
            (marks.italic, Self::Italic),
            (marks.strikethrough, Self::Strikethrough),
            (marks.superscript, Self::Superscript),
            (marks.subscript, Self::Subscript),
        ];
        let plain = plain.into_iter().filter_map(|(is, layer)| is.then_some(layer));
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

/// Something in a line, before it has tags.
struct Atom<'a> {
    thing: Thing<'a>,
    /// Its looks; none for a thing without a look, which may be between any.
    layers: Option<Vec<Layer>>,
}

enum Thing<'a> {
    Words(&'a str),
    Link(&'a Link),
    Note(&'a Annotation),
    Single(Inline),
}

impl Atom<'_> {
    fn has(&self, layer: &Layer) -> bool {
        self.layers.as_ref().is_none_or(|layers| layers.contains(layer))
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

    /// The content for a translation of the text.
    pub(crate) fn put(&self, translation: &Tagged) -> Vec<Inline> {
        let mut lines: Vec<Vec<Inline>> = vec![Vec::new()];
        let mut open: Vec<&Layer> = Vec::new();
        for piece in translation.all_pieces() {
            match piece {
                Piece::Text(text) => {
                    let mut marks = Marks::default();
                    open.iter().for_each(|layer| layer.add_to(&mut marks));
                    push(&mut lines, Inline::Text(Text { text, marks }));
                }
                Piece::Single(number) => {
                    if let Some(Slot::Single(inline)) = self.slot(number) {
                        push(&mut lines, inline.clone());
                    }
                }
                Piece::Open(number) => match self.slot(number) {
                    Some(Slot::Mark(layer)) => open.push(layer),
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

    /// The text for a translation of a text without marks.
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
    home: Option<u32>,
}

impl Builder {
    /// Adds content. The looks in `around` are those of tags that are open.
    fn content(&mut self, content: &[Inline], around: &[Layer]) {
        let atoms: Vec<Atom<'_>> = content.iter().flat_map(atoms).collect();
        self.atoms(&atoms, around);
    }

    fn atoms(&mut self, atoms: &[Atom<'_>], around: &[Layer]) {
        let mut at = 0;
        while let Some(atom) = atoms.get(at) {
            let longest = (atom.layers.iter().flatten())
                .filter(|layer| !around.contains(layer))
                .map(|layer| (layer, run(&atoms[at..], layer)))
                .reduce(|longest, next| if next.1 > longest.1 { next } else { longest });
            match longest {
                Some((layer, length)) => {
                    let number = self.tag(TagKind::Mark, Slot::Mark(layer.clone()));
                    let around: Vec<Layer> = around.iter().chain([layer]).cloned().collect();
                    self.pieces.push(Piece::Open(number));
                    self.atoms(&atoms[at..at + length], &around);
                    self.pieces.push(Piece::Close(number));
                    at += length;
                }
                None => {
                    self.thing(&atom.thing, around);
                    at += 1;
                }
            }
        }
    }

    fn thing(&mut self, thing: &Thing<'_>, around: &[Layer]) {
        match thing {
            Thing::Words(text) => self.pieces.push(Piece::Text((*text).to_owned())),
            Thing::Single(inline) => {
                let moves = Place::Link.allows(inline);
                let number = self.tag(TagKind::Single { moves }, Slot::Single(inline.clone()));
                self.pieces.push(Piece::Single(number));
            }
            Thing::Link(link) => {
                let bare = Link { content: Vec::new(), ..(*link).clone() };
                self.around(Slot::Link(Box::new(bare)), &link.content, around);
            }
            Thing::Note(note) => {
                let bare = Annotation { content: Vec::new(), ..(*note).clone() };
                self.around(Slot::Note(Box::new(bare)), &note.content, around);
            }
        }
    }

    fn around(&mut self, slot: Slot, content: &[Inline], around: &[Layer]) {
        let number = self.tag(TagKind::Around, slot);
        self.pieces.push(Piece::Open(number));
        let outside = self.home.replace(number);
        self.content(content, around);
        self.home = outside;
        self.pieces.push(Piece::Close(number));
    }

    fn tag(&mut self, kind: TagKind, slot: Slot) -> u32 {
        self.tags.push(Tag { kind, home: self.home });
        self.slots.push(slot);
        u32::try_from(self.tags.len()).unwrap_or(u32::MAX)
    }
}

/// How many atoms from the first on have a look. Things without a look count only between others.
fn run(atoms: &[Atom<'_>], layer: &Layer) -> usize {
    let length = atoms.iter().take_while(|atom| atom.has(layer)).count();
    let after = atoms[..length].iter().rev().take_while(|atom| atom.layers.is_none()).count();
    length - after
}

/// What a piece of content is cut into.
fn atoms(inline: &Inline) -> Vec<Atom<'_>> {
    match inline {
        Inline::Text(text) if is_kept(&text.marks) => {
            vec![Atom { thing: Thing::Single(inline.clone()), layers: Some(Layer::of(&text.marks)) }]
        }
        Inline::Text(text) => {
            let layers = Layer::of(&text.marks);
            let kept = |kept: &str| {
                let kept = Inline::Text(Text { text: kept.to_owned(), marks: text.marks.clone() });
                Atom { thing: Thing::Single(kept), layers: Some(layers.clone()) }
            };
            let words = |words| Atom { thing: Thing::Words(words), layers: Some(layers.clone()) };
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
            vec![Atom { thing: Thing::Link(link), layers: shared(&link.content) }]
        }
        Inline::Annotation(note) if has_words(&note.content) => {
            vec![Atom { thing: Thing::Note(note), layers: shared(&note.content) }]
        }
        other => vec![Atom { thing: Thing::Single(other.clone()), layers: None }],
    }
}

/// Whether text of this look is kept as it is: code, and keys of the keyboard.
fn is_kept(marks: &Marks) -> bool {
    marks.code || marks.keyboard
}

/// Whether there is anything to translate.
fn has_words(content: &[Inline]) -> bool {
    content.iter().any(|inline| match inline {
        Inline::Text(text) => {
            let words = |piece: &str| piece.chars().any(char::is_alphabetic);
            let mut pieces = atoms(inline).into_iter();
            words(&text.text) && pieces.any(|atom| matches!(atom.thing, Thing::Words(piece) if words(piece)))
        }
        Inline::Link(link) => has_words(&link.content),
        Inline::Annotation(note) => has_words(&note.content),
        _ => false,
    })
}

/// The looks that all text of some content has.
fn shared(content: &[Inline]) -> Option<Vec<Layer>> {
    let mut all: Option<Vec<Layer>> = None;
    for inline in content {
        let layers = match inline {
            Inline::Text(text) => Some(Layer::of(&text.marks)),
            Inline::Link(link) => shared(&link.content),
            Inline::Annotation(note) => shared(&note.content),
            _ => None,
        };
        if let Some(layers) = layers {
            match &mut all {
                Some(all) => all.retain(|layer| layers.contains(layer)),
                None => all = Some(layers),
            }
        }
    }
    all
}
