//! A page as Markdown.
use super::{Addresses, Text, openapi};
use crate::href::SCHEMES;
use domain::content::document::{
    Block, CellValue, ColumnKind, ContentRefBlock, Document, Inline, Kind, Link, Paragraph, Table,
    Target as DocumentTarget, emoji,
};
use domain::content::markdown::{self, Hrefs};
use domain::content::reference::ContentRef;
use domain::site::reader::ReferenceTarget;
use std::collections::HashMap;
use url::Url;

/// Writes a page: its title, its description and its text, with absolute addresses. Links without a target become text.
pub fn markdown(text: &Text<'_>, addresses: &Addresses<'_>) -> String {
    let shown = Shown { text, specs: true };
    let description = text.description.map(str::trim).filter(|description| !description.is_empty());
    let description = description.map(|description| paragraph(vec![Inline::from(description)]));
    let blocks = description.into_iter().chain(shown.blocks(&text.document.blocks)).collect();
    let hrefs = Absolute { text, addresses };
    markdown::write_page(None, Some(text.title), &Document { blocks }, &hrefs)
}

fn paragraph(content: Vec<Inline>) -> Block {
    Block::new(Kind::Paragraph(Paragraph::default())).with_content(content)
}

fn link(target: ContentRef, words: &str) -> Inline {
    let target = DocumentTarget(target);
    Inline::Link(Box::new(Link { target, content: vec![Inline::from(words)], ..Link::default() }))
}

/// Pieces with commas between them.
fn separated(pieces: impl Iterator<Item = Vec<Inline>>) -> Vec<Inline> {
    let mut all = Vec::new();
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        if !all.is_empty() {
            all.push(Inline::from(", "));
        }
        all.extend(piece);
    }
    all
}

/// The absolute addresses of references.
struct Absolute<'a> {
    text: &'a Text<'a>,
    addresses: &'a Addresses<'a>,
}

impl Hrefs for Absolute<'_> {
    fn href(&self, target: &ContentRef) -> Option<String> {
        let href = match self.text.references.get(target)? {
            ReferenceTarget::Link(link) => &link.href,
            ReferenceTarget::File(file) => &file.href,
            ReferenceTarget::Tag(_) | ReferenceTarget::Person(_) => return None,
        };
        Some(match href.starts_with('#') {
            true => format!("{}{href}", self.text.url),
            false => self.addresses.absolute(href),
        })
    }
}

/// Replaces content that Markdown cannot show: references without a target, people, and OpenAPI specs.
struct Shown<'a> {
    text: &'a Text<'a>,
    /// Whether blocks of OpenAPI specs are shown. They are not within the text of a spec, which could show itself.
    specs: bool,
}

impl Shown<'_> {
    /// Whether a reference has a target that can be opened. A relative address comes from a source, and has no target.
    fn leads(&self, target: &ContentRef) -> bool {
        match target {
            ContentRef::Url { url } if url.starts_with('#') => true,
            ContentRef::Url { url } => Url::parse(url).is_ok_and(|url| SCHEMES.contains(&url.scheme())),
            other => {
                matches!(self.text.references.get(other), Some(ReferenceTarget::Link(_) | ReferenceTarget::File(_)))
            }
        }
    }

    /// A reference with an absolute address, if it is a place in the page.
    fn placed(&self, target: &ContentRef) -> ContentRef {
        match target {
            ContentRef::Url { url } if url.starts_with('#') => {
                ContentRef::Url { url: format!("{}{url}", self.text.url) }
            }
            other => other.clone(),
        }
    }

    fn blocks(&self, blocks: &[Block]) -> Vec<Block> {
        blocks.iter().flat_map(|block| self.block(block)).collect()
    }

    fn block(&self, block: &Block) -> Vec<Block> {
        if let Some(written) = openapi::block(&block.kind, self.text.references) {
            let inner = Self { text: self.text, specs: false };
            return if self.specs { inner.blocks(&written) } else { Vec::new() };
        }
        let mut kind = block.kind.clone();
        let stays = match &mut kind {
            Kind::Image(image) => {
                image.source_dark = image.source_dark.take().filter(|dark| self.leads(dark));
                self.leads(&image.source.0)
            }
            Kind::File(file) => self.leads(&file.source.0),
            Kind::Drawing(drawing) => drawing.source.as_ref().is_some_and(|source| self.leads(source)),
            Kind::ContentRef(card) => return self.card(block, card),
            // Only includes that could not be resolved are left here.
            Kind::ReusableContent(_) | Kind::If(_) => false,
            Kind::Table(table) => return vec![self.table(block, table)],
            _ => true,
        };
        if !stays {
            return Vec::new();
        }
        let (content, children) = (self.line(&block.content), self.blocks(&block.children));
        if matches!(kind, Kind::Images(_)) && children.is_empty() {
            return Vec::new();
        }
        vec![Block { key: block.key.clone(), kind, content, children }]
    }

    /// A card with the title of what it leads to.
    fn card(&self, block: &Block, card: &ContentRefBlock) -> Vec<Block> {
        let title = match self.text.references.get(&card.target.0) {
            Some(ReferenceTarget::Link(link)) => Some(link.title.clone()),
            Some(ReferenceTarget::File(file)) => Some(file.name.clone()),
            _ => None,
        };
        if !self.leads(&card.target.0) {
            return card.label.as_deref().map(|label| paragraph(vec![Inline::from(label)])).into_iter().collect();
        }
        let card = ContentRefBlock { label: title.or_else(|| card.label.clone()), ..card.clone() };
        vec![Block { kind: Kind::ContentRef(Box::new(card)), ..block.clone() }]
    }

    fn table(&self, block: &Block, table: &Table) -> Block {
        let mut table = table.clone();
        for column in &mut table.columns {
            column.heading = self.line(&column.heading);
        }
        let kinds: HashMap<&str, &ColumnKind> =
            table.columns.iter().map(|column| (column.id.as_str(), &column.kind)).collect();
        let mut rows = block.children.clone();
        for cell in rows.iter_mut().flat_map(|row| &mut row.children) {
            cell.content = self.line(&cell.content);
            let Kind::TableCell(data) = &mut cell.kind else { continue };
            let Some(value) = data.value.take() else { continue };
            match self.value(&value, kinds.get(data.column.as_str()).copied()) {
                Some(content) => cell.content = content,
                None => data.value = Some(value),
            }
        }
        Block { kind: Kind::Table(Box::new(table)), children: rows, ..block.clone() }
    }

    /// The value of a cell as text, with the words that readers see; `None` if it is written as it is.
    fn value(&self, value: &CellValue, kind: Option<&ColumnKind>) -> Option<Vec<Inline>> {
        match (value, kind) {
            (CellValue::Ref(target), _) => Some(self.mention(target)),
            (CellValue::Image { r#ref: target, .. }, _) => (!self.leads(target)).then(Vec::new),
            (CellValue::Names(names), Some(ColumnKind::Files)) => {
                let files =
                    names.iter().filter_map(|name| Some(ContentRef::File { file: name.parse().ok()?, space: None }));
                Some(separated(files.map(|file| self.mention(&file))))
            }
            (CellValue::Names(names), Some(ColumnKind::Users { .. })) => {
                let people = names.iter().filter_map(|name| Some(ContentRef::User { user: name.parse().ok()? }));
                Some(separated(people.map(|person| self.mention(&person))))
            }
            (CellValue::Names(names), Some(ColumnKind::Select { options, .. })) => {
                let chosen = options.iter().filter(|option| names.contains(&option.value));
                Some(separated(chosen.map(|option| vec![Inline::from(option.label.as_str())])))
            }
            _ => None,
        }
    }

    fn line(&self, content: &[Inline]) -> Vec<Inline> {
        content.iter().flat_map(|inline| self.inline(inline)).collect()
    }

    fn inline(&self, inline: &Inline) -> Vec<Inline> {
        match inline {
            Inline::Link(link) => {
                let content = self.line(&link.content);
                match self.leads(&link.target.0) {
                    true => {
                        let target = DocumentTarget(self.placed(&link.target.0));
                        vec![Inline::Link(Box::new(Link { target, content, ..(**link).clone() }))]
                    }
                    false => content,
                }
            }
            Inline::Mention { target } => self.mention(target),
            Inline::Button(button) => match &button.target {
                Some(target) if self.leads(target) => {
                    vec![link(self.placed(target), &button.label)]
                }
                _ => vec![Inline::from(button.label.as_str())],
            },
            Inline::Image(image) => {
                let mut image = image.clone();
                image.source_dark = image.source_dark.take().filter(|dark| self.leads(dark));
                self.leads(&image.source.0).then_some(Inline::Image(image)).into_iter().collect()
            }
            Inline::Annotation(note) => {
                let mut note = note.clone();
                note.content = self.line(&note.content);
                note.body = self.blocks(&note.body);
                vec![Inline::Annotation(note)]
            }
            Inline::Emoji { code } => vec![Inline::from(emoji(code).collect::<String>())],
            // An image has no text.
            Inline::Icon(_) => Vec::new(),
            other => vec![other.clone()],
        }
    }

    /// A named target: a link with its title, or only its name.
    fn mention(&self, target: &ContentRef) -> Vec<Inline> {
        let title = match (target, self.text.references.get(target)) {
            (ContentRef::Url { url }, _) if self.leads(target) => url.clone(),
            (ContentRef::Url { .. }, _) => return Vec::new(),
            (_, Some(ReferenceTarget::Link(link))) => link.title.clone(),
            (_, Some(ReferenceTarget::File(file))) => file.name.clone(),
            (_, Some(ReferenceTarget::Tag(tag))) => return vec![Inline::from(tag.label.as_str())],
            (_, Some(ReferenceTarget::Person(name))) => return vec![Inline::from(name.as_str())],
            (_, None) => return Vec::new(),
        };
        vec![link(self.placed(target), &title)]
    }
}
