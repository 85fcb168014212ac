//! The texts of a document.
use super::{Found, Part, Place, TextKind, TextMut, Texts, Visit, anchors};
use content::document::{
    Block, CellValue, ColumnKind, Document, DocumentError, Inline, Key, Kind, Table, TableColumn, inline_text,
};

impl Texts for Document {
    fn each_text(&mut self, visit: &mut Visit<'_>) {
        in_blocks(&mut self.blocks, visit);
    }

    fn finish(mut self, source: &Self) -> Result<Self, DocumentError> {
        anchors::fix(&mut self, source);
        self.normalize();
        self.check()?;
        Ok(self)
    }
}

fn in_blocks(blocks: &mut [Block], visit: &mut Visit<'_>) {
    for block in blocks {
        let kind = text_kind(&block.kind);
        let mut texts = OfBlock { key: &block.key, visit, counts: Counts::default() };
        match &mut block.kind {
            // Code is not translated, including its notes.
            Kind::Code(code) => {
                if let Some(title) = code.title.as_mut().filter(|title| title.contains(char::is_whitespace)) {
                    texts.plain(Part::Title, TextKind::Title, title);
                }
                continue;
            }
            Kind::Prompt(prompt) => texts.plain(Part::Description, TextKind::Text, &mut prompt.description),
            Kind::Image(image) => texts.optional(Part::Alt, TextKind::Caption, image.alt.as_mut()),
            Kind::TabsItem(tab) => texts.optional(Part::Title, TextKind::Title, tab.title.as_mut()),
            Kind::ContentRef(card) => texts.optional(Part::Label, TextKind::Text, card.label.as_mut()),
            Kind::Table(table) => texts.table(table),
            Kind::TableCell(cell) => {
                if let Some(CellValue::Image { alt, .. }) = cell.value.as_deref_mut() {
                    texts.optional(Part::Alt, TextKind::Caption, alt.as_mut());
                }
            }
            _ => {}
        }
        let level = match &block.kind {
            Kind::Heading(heading) => Some(heading.level),
            _ => None,
        };
        texts.line(Part::Line, kind, level, &mut block.content);
        in_blocks(&mut block.children, visit);
    }
}

fn text_kind(kind: &Kind) -> TextKind {
    match kind {
        Kind::Heading(_) => TextKind::Heading,
        Kind::TableCell(_) => TextKind::Cell,
        Kind::Expandable(_) => TextKind::Title,
        Kind::Image(_) | Kind::Embed(_) | Kind::File(_) => TextKind::Caption,
        _ => TextKind::Text,
    }
}

/// The number of texts of each kind in a block so far.
#[derive(Default)]
struct Counts {
    links: usize,
    images: usize,
    buttons: usize,
}

/// The texts of one block.
struct OfBlock<'k, 'v, 'w> {
    key: &'k Key,
    visit: &'v mut Visit<'w>,
    counts: Counts,
}

impl OfBlock<'_, '_, '_> {
    fn found(&mut self, part: Part, kind: TextKind, level: Option<u8>, text: TextMut<'_>) {
        let place = Place::Block { key: self.key.clone(), part };
        (self.visit)(Found { place, kind, limit: None, level, text });
    }

    fn plain(&mut self, part: Part, kind: TextKind, text: &mut String) {
        self.found(part, kind, None, TextMut::Plain(text));
    }

    fn optional(&mut self, part: Part, kind: TextKind, text: Option<&mut String>) {
        if let Some(text) = text {
            self.plain(part, kind, text);
        }
    }

    /// The texts in a line, then the line itself: the elements of its tags have separate texts.
    fn line(&mut self, part: Part, kind: TextKind, level: Option<u8>, content: &mut Vec<Inline>) {
        if content.is_empty() {
            return;
        }
        self.inside(content);
        self.found(part, kind, level, TextMut::Line(content));
    }

    fn inside(&mut self, content: &mut [Inline]) {
        for inline in content {
            match inline {
                Inline::Link(link) => {
                    let part = Part::LinkTitle(self.counts.links);
                    self.counts.links += 1;
                    self.optional(part, TextKind::Caption, link.title.as_mut());
                    self.inside(&mut link.content);
                }
                Inline::Annotation(note) => {
                    self.inside(&mut note.content);
                    in_blocks(&mut note.body, self.visit);
                }
                Inline::Image(image) => {
                    let at = self.counts.images;
                    self.counts.images += 1;
                    self.optional(Part::ImageAlt(at), TextKind::Caption, image.alt.as_mut());
                    self.optional(Part::ImageCaption(at), TextKind::Caption, image.caption.as_mut());
                }
                Inline::Button(button) => {
                    let part = Part::Button(self.counts.buttons);
                    self.counts.buttons += 1;
                    self.plain(part, TextKind::Label, &mut button.label);
                }
                _ => {}
            }
        }
    }

    fn table(&mut self, table: &mut Table) {
        for TableColumn { id, title, heading, kind } in &mut table.columns {
            // The title is the text of the heading without its marks.
            let follows = !heading.is_empty() && *title == inline_text(heading);
            self.line(Part::Column(id.clone()), TextKind::Cell, None, heading);
            if follows {
                *title = inline_text(heading);
            } else {
                self.plain(Part::Column(id.clone()), TextKind::Cell, title);
            }
            if let ColumnKind::Select { options, .. } = kind {
                for option in options {
                    let part = Part::Choice { column: id.clone(), value: option.value.clone() };
                    self.plain(part, TextKind::Label, &mut option.label);
                }
            }
        }
    }
}
