//! The plain text of content.
use super::{
    Block, CellValue, ColumnKind, Document, Inline, Kind, SelectOption, Table, TableCell, TableColumn, TableView,
};
use std::collections::HashMap;
use unicode_segmentation::UnicodeSegmentation;
use values::characters::is_invisible;

impl Document {
    /// The text of all blocks, one line each; the cells of a row are in one line, separated by tabs.
    pub fn text(&self) -> String {
        text_of(&self.blocks)
    }

    /// The words of the text, by the rules of Unicode: numbers count, punctuation does not.
    pub fn word_count(&self) -> usize {
        self.walk().map(|block| block.line().unicode_words().count()).sum()
    }

    /// Whether it has nothing but paragraphs of white space and invisible characters, as an editor sends an empty text.
    pub fn is_blank(&self) -> bool {
        let unseen = |char: char| char.is_whitespace() || is_invisible(char);
        let is_white = |inline: &Inline| matches!(inline, Inline::Text(text) if text.text.chars().all(unseen));
        let is_blank = |block: &Block| matches!(block.kind, Kind::Paragraph(_)) && block.content.iter().all(is_white);
        self.blocks.iter().all(is_blank)
    }
}

impl Block {
    /// The text of the block and of all blocks inside it, one line each.
    pub fn text(&self) -> String {
        text_of(std::slice::from_ref(self))
    }

    /// The text that the block itself shows, without that of the blocks inside it: its content or caption, and the
    /// readable parts of its data. It may have line feeds.
    pub fn line(&self) -> String {
        let mut line = String::new();
        push_inlines(&mut line, &self.content);
        let mut say = |words: &str| {
            if !words.is_empty() {
                if !line.is_empty() {
                    line.push('\n');
                }
                line.push_str(words);
            }
        };
        match &self.kind {
            Kind::Math(math) => say(&math.formula),
            Kind::Prompt(prompt) => say(&prompt.description),
            Kind::Code(code) => code.title.iter().for_each(|title| say(title)),
            Kind::Image(image) => image.alt.iter().for_each(|alt| say(alt)),
            Kind::TabsItem(tab) => tab.title.iter().for_each(|title| say(title)),
            Kind::Table(table) => {
                let titles: HashMap<&str, &str> =
                    table.columns.iter().map(|column| (column.id.as_str(), column.title.as_str())).collect();
                let shown = table.display_order().into_iter().filter_map(|id| titles.get(id).copied());
                say(shown.collect::<Vec<_>>().join("\t").trim_end_matches('\t'));
            }
            Kind::TableCell(TableCell { value: Some(value), .. }) => say(&value_text(value)),
            Kind::OpenapiOperation(operation) => say(&format!("{} {}", operation.method, operation.path)),
            Kind::Swagger(operation) => say(&format!("{} {}", operation.method, operation.path)),
            Kind::OpenapiSchemas(schemas) => say(&schemas.schemas.join("\n")),
            Kind::OpenapiWebhook(webhook) => say(&webhook.name),
            Kind::Verbatim(verbatim) => say(without_tags(&verbatim.source).trim_end()),
            _ => {}
        }
        line
    }
}

/// The text of these pieces of inline content.
pub fn inline_text(content: &[Inline]) -> String {
    let mut text = String::new();
    push_inlines(&mut text, content);
    text
}

fn text_of(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        push_block(&mut text, block);
    }
    text.truncate(text.trim_end_matches('\n').len());
    text
}

impl Block {
    /// Appends the text that is read before the children of the block: its line and its notes, or a whole table as it
    /// is shown.
    pub(super) fn push_read(&self, text: &mut String) {
        if let Kind::Table(table) = &self.kind {
            return push_shown_table(text, self, table);
        }
        push_line(text, &self.line());
        self.each_note(&mut |note| push_block(text, note));
    }
}

/// Appends the text of a block and of all blocks inside it, and a line feed if there was any text.
fn push_block(text: &mut String, block: &Block) {
    if let Kind::Table(table) = &block.kind {
        push_line(text, &block.line());
        block.each_note(&mut |note| push_block(text, note));
        let columns = table.display_order();
        for row in &block.children {
            push_row(text, row, &columns, |cell, _| cell.text().replace('\n', " "));
        }
        return;
    }
    if let Kind::TableRow = block.kind {
        let cells: Vec<String> = block.children.iter().map(|cell| cell.text().replace('\n', " ")).collect();
        push_line(text, cells.join("\t").trim_end_matches('\t'));
        return;
    }
    push_line(text, &block.line());
    block.each_inside(&mut |inside| push_block(text, inside));
}

/// Appends what readers see of a table: the columns that are shown, with the labels of options. The ids of files and of
/// users are no text. Cards have no titles of columns unless they are shown, and their target and cover are no text.
fn push_shown_table(text: &mut String, block: &Block, table: &Table) {
    let by_id: HashMap<&str, &TableColumn> = table.columns.iter().map(|column| (column.id.as_str(), column)).collect();
    let (columns, special, is_titled) = match &table.view {
        TableView::Grid { columns, .. } => (columns, Vec::new(), true),
        TableView::Cards {
            columns,
            target_definition,
            cover_definition,
            cover_definition_dark,
            hide_column_title,
            ..
        } => {
            let special = [target_definition, cover_definition, cover_definition_dark];
            (columns, special.into_iter().flatten().collect(), *hide_column_title == Some(false))
        }
    };
    let shown = columns.iter().filter(|id| !special.contains(id));
    let shown: Vec<&TableColumn> = shown.filter_map(|id| by_id.get(id.as_str()).copied()).collect();
    if is_titled {
        let titles: Vec<&str> = shown.iter().map(|column| column.title.as_str()).collect();
        push_line(text, titles.join("\t").trim_end_matches('\t'));
    }
    let ids: Vec<&str> = shown.iter().map(|column| column.id.as_str()).collect();
    let kinds: HashMap<&str, &ColumnKind> = shown.iter().map(|column| (column.id.as_str(), &column.kind)).collect();
    for row in &block.children {
        push_row(text, row, &ids, |cell, data| {
            kinds.get(data.column.as_str()).map_or_else(String::new, |kind| shown_cell(cell, data, kind))
        });
    }
}

/// Appends the cells of a row in these columns; one that the row leaves out is empty, so that the others keep their
/// places.
fn push_row(text: &mut String, row: &Block, columns: &[&str], words: impl Fn(&Block, &TableCell) -> String) {
    let cells = row.children.iter().filter_map(|cell| match &cell.kind {
        Kind::TableCell(data) => Some((data.column.as_str(), (cell, data))),
        _ => None,
    });
    let cells: HashMap<&str, (&Block, &TableCell)> = cells.collect();
    let words = columns.iter().map(|id| cells.get(id).map_or_else(String::new, |(cell, data)| words(cell, data)));
    push_line(text, words.collect::<Vec<_>>().join("\t").trim_end_matches('\t'));
}

fn shown_cell(cell: &Block, data: &TableCell, kind: &ColumnKind) -> String {
    let label = |options: &[SelectOption], name: &str| {
        options.iter().find(|option| option.value == name).map(|option| option.label.clone())
    };
    match (kind, data.value.as_deref()) {
        (ColumnKind::Files | ColumnKind::Users { .. }, _) => String::new(),
        (ColumnKind::Select { options, .. }, Some(CellValue::Names(names))) => {
            names.iter().filter_map(|name| label(options, name)).collect::<Vec<_>>().join(", ")
        }
        (ColumnKind::Select { options, .. }, Some(CellValue::Text(name))) => {
            label(options, name).unwrap_or_else(|| name.clone())
        }
        _ => cell.text().replace('\n', " "),
    }
}

fn push_line(text: &mut String, line: &str) {
    if !line.is_empty() {
        text.push_str(line);
        text.push('\n');
    }
}

fn push_inlines(text: &mut String, content: &[Inline]) {
    for inline in content {
        match inline {
            Inline::Text(part) => text.push_str(&part.text),
            Inline::Link(link) => push_inlines(text, &link.content),
            Inline::Annotation(note) => push_inlines(text, &note.content),
            Inline::Emoji { code } => text.extend(emoji(code)),
            Inline::Math { formula } => text.push_str(formula),
            Inline::Image(image) => {
                text.push_str(image.alt.as_deref().or(image.caption.as_deref()).unwrap_or_default())
            }
            Inline::Button(button) => text.push_str(&button.label),
            Inline::Verbatim { source } => push_without_tags(text, source),
            Inline::Icon(_) | Inline::Expression { .. } | Inline::Mention { .. } => {}
        }
    }
}

/// The characters of an emoji that is named by its code points, such as `1f468-200d-1f469`.
pub fn emoji(code: &str) -> impl Iterator<Item = char> {
    code.split('-').filter_map(|point| u32::from_str_radix(point, 16).ok().and_then(char::from_u32))
}

fn value_text(value: &CellValue) -> String {
    match value {
        CellValue::Number(number) => number.to_string(),
        CellValue::Names(names) => names.join(", "),
        CellValue::Text(text) => text.clone(),
        CellValue::Image { alt, .. } => alt.clone().unwrap_or_default(),
        CellValue::Bool(_) | CellValue::Ref(_) => String::new(),
    }
}

/// Source without the tags in it.
fn without_tags(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    push_without_tags(&mut text, source);
    text
}

/// Appends source without the tags in it: readers do not see what is between `<` and `>`. A tag separates words, unless
/// it only formats letters.
fn push_without_tags(text: &mut String, source: &str) {
    let mut rest = source;
    while let Some(open) = rest.find('<') {
        text.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('>') else {
            rest = &rest[open..];
            break;
        };
        let parts = !is_within_words(&rest[open + 1..open + close]);
        if parts && !text.is_empty() && !text.ends_with(char::is_whitespace) {
            text.push(' ');
        }
        rest = &rest[open + close + 1..];
    }
    text.push_str(rest);
}

/// Whether a tag, without its brackets, may be within a word.
fn is_within_words(tag: &str) -> bool {
    const NAMES: [&str; 20] = [
        "a", "abbr", "b", "big", "code", "del", "em", "font", "i", "ins", "kbd", "mark", "s", "small", "span",
        "strike", "strong", "sub", "sup", "u",
    ];
    let name = tag.trim_start_matches('/').split(|each: char| !each.is_ascii_alphanumeric()).next().unwrap_or_default();
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;
    use crate::reference::ContentRef;
    use rstest::rstest;

    fn block(kind: Kind, text: &str) -> Block {
        Block::new(kind).with_content(vec![text.into()])
    }

    fn paragraph(text: &str) -> Block {
        block(Kind::Paragraph(Paragraph::default()), text)
    }

    #[rstest]
    #[case(Inline::Emoji { code: "1f600".into() }, "\u{1f600}")]
    #[case(Inline::Emoji { code: "1f468-200d-1f469".into() }, "\u{1f468}\u{200d}\u{1f469}")]
    #[case(Inline::Emoji { code: "zz-110000-d800".into() }, "")]
    #[case(Inline::Math { formula: "a^2".into() }, "a^2")]
    #[case(Inline::Expression { expression: "user.name".into() }, "")]
    #[case(Inline::Image(Box::new(InlineImage { alt: Some("Alt".into()), caption: Some("Caption".into()), ..Default::default() })), "Alt")]
    #[case(Inline::Image(Box::new(InlineImage { caption: Some("Caption".into()), ..Default::default() })), "Caption")]
    #[case(Inline::Button(Box::new(Button { label: "Press".into(), ..Default::default() })), "Press")]
    #[case(Inline::Link(Box::new(Link { content: vec!["to".into()], ..Default::default() })), "to")]
    #[case(Inline::Annotation(Box::new(Annotation { content: vec!["word".into()], ..Default::default() })), "word")]
    #[case(Inline::Verbatim { source: "<kbd title=\"a\">K</kbd> < 2".into() }, "K < 2")]
    fn inline_content_reads_as(#[case] inline: Inline, #[case] text: &str) {
        assert_eq!(inline_text(&[inline]), text);
    }

    #[rstest]
    #[case(block(Kind::Code(Box::new(Code { title: Some("main.rs".into()), ..Default::default() })), "fn main() {\n}"), "fn main() {\n}\nmain.rs")]
    #[case(block(Kind::Image(Box::new(Image { alt: Some("A cat".into()), ..Default::default() })), "Fig. 1"), "Fig. 1\nA cat")]
    #[case(block(Kind::Embed(Embed::default()), "A film"), "A film")]
    #[case(Block::new(Kind::Math(Math { formula: "e=mc^2".into() })), "e=mc^2")]
    #[case(Block::new(Kind::Verbatim(Verbatim { source: "<p>old</p>".into(), syntax: "html".into() })), "old")]
    #[case(Block::new(Kind::Verbatim(Verbatim { source: "<ul><li>one</li><li>t<b>w</b>o</li></ul>".into(), syntax: "html".into() })), "one two")]
    #[case(block(Kind::Expandable(Expandable::default()), "More").with_children(vec![paragraph("a"), paragraph("b")]), "More\na\nb")]
    #[case(Block::new(Kind::Divider), "")]
    fn a_block_reads_as(#[case] block: Block, #[case] text: &str) {
        assert_eq!(block.text(), text);
    }

    #[rstest]
    #[case::no_blocks(vec![], true)]
    #[case::empty_paragraphs(vec![Block::new(Kind::Paragraph(Paragraph::default())), paragraph(" \n\u{a0}")], true)]
    #[case::invisible_characters(vec![paragraph("\u{200b}"), paragraph(" \u{feff}\u{2060}\u{200d}")], true)]
    #[case::words(vec![paragraph(""), paragraph("a")], false)]
    #[case::a_word_with_an_invisible_character(vec![paragraph("\u{200b}a")], false)]
    #[case::an_emoji(vec![Block::new(Kind::Paragraph(Paragraph::default())).with_content(vec![Inline::Emoji { code: "1f44d".into() }])], false)]
    #[case::a_rule(vec![Block::new(Kind::Divider)], false)]
    fn a_document_without_words_and_other_blocks_is_blank(#[case] blocks: Vec<Block>, #[case] blank: bool) {
        assert_eq!(Document { blocks }.is_blank(), blank);
    }

    #[test]
    fn a_note_is_read_after_the_line_it_is_in() {
        let note = Annotation { content: vec!["b".into()], body: vec![paragraph("note")], ..Default::default() };
        let line = Block::new(Kind::Paragraph(Paragraph::default())).with_content(vec![
            "a".into(),
            Inline::Annotation(Box::new(note)),
            "c".into(),
        ]);
        assert_eq!(Document { blocks: vec![line, paragraph("next")] }.text(), "abc\nnote\nnext");
    }

    #[test]
    fn a_table_reads_row_by_row_in_order_of_display() {
        let column = |id: &str, title: &str| TableColumn { id: id.into(), title: title.into(), ..Default::default() };
        let cell = |column: &str, value| Block::new(Kind::TableCell(TableCell { column: column.into(), value }));
        let row = |a: &str, b| {
            let a = cell("a", None).with_content(vec![a.into()]);
            Block::new(Kind::TableRow).with_children(vec![cell("b", Some(Box::new(CellValue::Number(b)))), a])
        };
        let mut table = Table { columns: vec![column("a", "Name"), column("b", "Size")], ..Default::default() };
        table.columns[1].kind = ColumnKind::Number;
        if let TableView::Grid { columns, .. } = &mut table.view {
            *columns = vec!["b".into(), "a".into()];
        }
        let rows = vec![row("two\nlines", 1.into()), row("x", 2.into())];
        let document =
            Document::from_blocks(vec![Block::new(Kind::Table(Box::new(table))).with_children(rows)]).expect("valid");
        assert_eq!(document.text(), "Size\tName\n1\ttwo lines\n2\tx");
        assert_eq!(document.word_count(), 7);
    }

    #[test]
    fn a_cell_that_a_row_leaves_out_keeps_its_place() {
        let column =
            |id: &str| TableColumn { id: id.into(), title: id.into(), kind: ColumnKind::Number, ..Default::default() };
        let row = |column: &str, value: u32| {
            let value = Some(Box::new(CellValue::Number(value.into())));
            let cell = Block::new(Kind::TableCell(TableCell { column: column.into(), value }));
            Block::new(Kind::TableRow).with_children(vec![cell])
        };
        let mut table = Table { columns: vec![column("a"), column("b")], ..Default::default() };
        if let TableView::Grid { columns, .. } = &mut table.view {
            *columns = vec!["a".into(), "b".into()];
        }
        let table = Block::new(Kind::Table(Box::new(table))).with_children(vec![row("b", 2), row("a", 1)]);
        let document = Document::from_blocks(vec![table]).expect("valid");
        assert_eq!(document.text(), "a\tb\n\t2\n1");
        assert_eq!(document.sections().remove(0).body, "a\tb\n\t2\n1");
    }

    #[test]
    fn a_section_has_of_a_table_what_readers_see() {
        let names = |names: &[&str]| CellValue::Names(names.iter().map(|name| (*name).to_owned()).collect());
        let option = SelectOption { value: "a1".into(), label: "New".into(), color: Color::Green };
        let options = ColumnKind::Select { multiple: true, options: vec![option] };
        let address = ContentRef::Url { url: "https://a.test/cat.png".into() };
        let picture = CellValue::Image { r#ref: address, object_fit: None, alt: Some("A cat".into()) };
        let columns = [
            ("title", ColumnKind::default(), CellValue::Text("Import".into())),
            ("state", options, names(&["a1", "gone"])),
            ("files", ColumnKind::Files, names(&["f1"])),
            ("users", ColumnKind::Users { multiple: false }, names(&["u1"])),
            ("secret", ColumnKind::Number, CellValue::Number(7.into())),
            ("cover", ColumnKind::Image, picture),
        ];
        let row = columns.iter().map(|(id, _, value)| {
            Block::new(Kind::TableCell(TableCell { column: (*id).into(), value: Some(Box::new(value.clone())) }))
        });
        let row = Block::new(Kind::TableRow).with_children(row.collect());
        let shown: Vec<String> = ["title", "state", "files", "users", "cover"].map(str::to_owned).into();
        let column = |(id, kind, _): (&str, ColumnKind, CellValue)| TableColumn {
            id: id.into(),
            title: id.into(),
            kind,
            ..Default::default()
        };
        let columns: Vec<TableColumn> = columns.into_iter().map(column).collect();
        let body = |view| {
            let table = Table { columns: columns.clone(), view, ..Default::default() };
            let table = Block::new(Kind::Table(Box::new(table))).with_children(vec![row.clone()]);
            Document { blocks: vec![table] }.sections().remove(0).body
        };
        let mut grid = TableView::default();
        if let TableView::Grid { columns, .. } = &mut grid {
            columns.clone_from(&shown);
        }
        assert_eq!(body(grid), "title\tstate\tfiles\tusers\tcover\nImport\tNew\t\t\tA cat");
        let cards = |hide_column_title| TableView::Cards {
            card_size: CardSize::Medium,
            columns: shown.clone(),
            target_definition: None,
            cover_definition: Some("cover".into()),
            cover_definition_dark: None,
            hide_column_title,
            wrap: None,
        };
        assert_eq!(body(cards(None)), "Import\tNew");
        assert_eq!(body(cards(Some(false))), "title\tstate\tfiles\tusers\nImport\tNew");
    }

    #[test]
    fn source_full_of_open_brackets_is_read_in_linear_time() {
        let source = "<".repeat(2_000_000);
        assert_eq!(without_tags(&source).len(), source.len());
    }
}
