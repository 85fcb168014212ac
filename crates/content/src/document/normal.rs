//! The normal form: of all the documents that read the same, the one that is stored.
use super::{Block, CellValue, Code, ColumnKind, Document, Inline, Kind, Marks, Table, Text, TextColor};
use serde_json::{Map, Value};
use std::collections::HashMap;

impl Document {
    /// Brings the document into normal form, so that what reads the same is encoded the same:
    ///
    /// - neighbouring texts with the same marks are one text, and there is no empty text;
    /// - code has no marks, and only lines that exist are highlighted;
    /// - the columns of a table and the cells of its rows are in display order; an empty cell is absent if its column
    ///   is of another kind than text; a cell with a single plain paragraph has it as its line;
    /// - default colours and null actions are absent; free-form data has sorted keys.
    ///
    /// The document must not nest deeper than [`super::MAX_DEPTH`].
    pub fn normalize(&mut self) {
        self.blocks.iter_mut().for_each(Block::normalize);
    }
}

impl Block {
    /// Brings the block and all inside it into normal form; see [`Document::normalize`].
    pub(super) fn normalize(&mut self) {
        self.walk_mut(&mut normal_block);
    }
}

fn normal_block(block: &mut Block) {
    match &mut block.kind {
        Kind::Code(code) => return normal_code(code, &mut block.content),
        Kind::Integration(integration) => {
            integration.props.values_mut().for_each(sort_keys);
            sort_map(&mut integration.props);
            normal_free(&mut integration.action);
        }
        Kind::Table(table) => normal_table(table, &mut block.children),
        _ => {}
    }
    normal_line(&mut block.content);
}

fn normal_code(code: &mut Code, content: &mut Vec<Inline>) {
    for inline in content.iter_mut() {
        if let Inline::Text(text) = inline {
            text.marks = Marks::default();
        }
    }
    normal_line(content);
    if !code.highlighted.is_empty() {
        let feeds: usize = content.iter().map(line_feeds).sum();
        code.highlighted.retain(|line| *line as usize <= feeds);
    }
}

fn line_feeds(inline: &Inline) -> usize {
    match inline {
        Inline::Text(text) => text.text.matches('\n').count(),
        _ => 0,
    }
}

fn normal_line(content: &mut Vec<Inline>) {
    for inline in content.iter_mut() {
        match inline {
            Inline::Text(Text { marks, .. }) if marks.color == Some(TextColor::default()) => marks.color = None,
            Inline::Link(link) => normal_line(&mut link.content),
            Inline::Annotation(note) => normal_line(&mut note.content),
            Inline::Button(button) => normal_free(&mut button.action),
            _ => {}
        }
    }
    content.retain(|inline| !matches!(inline, Inline::Text(text) if text.text.is_empty()));
    content.dedup_by(|next, text| match (text, next) {
        (Inline::Text(text), Inline::Text(next)) if text.marks == next.marks => {
            text.text.push_str(&next.text);
            true
        }
        _ => false,
    });
}

fn normal_table(table: &mut Table, rows: &mut [Block]) {
    for column in &mut table.columns {
        normal_line(&mut column.heading);
    }
    let order: HashMap<String, usize> =
        table.display_order().into_iter().map(str::to_owned).enumerate().map(|(at, id)| (id, at)).collect();
    let place = |id: &str| order.get(id).copied().unwrap_or(usize::MAX);
    table.columns.sort_by_key(|column| place(&column.id));
    let text_columns: Vec<&str> = (table.columns.iter())
        .filter(|column| matches!(column.kind, ColumnKind::Text { .. }))
        .map(|column| column.id.as_str())
        .collect();
    let is_text: std::collections::HashSet<&str> = text_columns.into_iter().collect();
    for row in rows {
        for cell in &mut row.children {
            normal_cell(cell, &is_text);
        }
        row.children.retain(|cell| match &cell.kind {
            Kind::TableCell(data) => {
                let empty = data.value.is_none() && cell.content.is_empty() && cell.children.is_empty();
                !empty || is_text.contains(data.column.as_str()) || !order.contains_key(&data.column)
            }
            _ => true,
        });
        row.children.sort_by_key(|cell| match &cell.kind {
            Kind::TableCell(data) => place(&data.column),
            _ => usize::MAX,
        });
    }
}

fn normal_cell(cell: &mut Block, is_text: &std::collections::HashSet<&str>) {
    let Kind::TableCell(data) = &mut cell.kind else { return };
    if is_text.contains(data.column.as_str())
        && cell.content.is_empty()
        && cell.children.is_empty()
        && let Some(CellValue::Text(text)) =
            data.value.take_if(|value| matches!(**value, CellValue::Text(_))).map(|value| *value)
    {
        cell.content = vec![Inline::from(text)];
    }
    if let [only] = &mut cell.children[..]
        && cell.content.is_empty()
        && matches!(&only.kind, Kind::Paragraph(paragraph) if paragraph.align.is_none())
    {
        cell.content = std::mem::take(&mut only.content);
        cell.children.clear();
    }
}

fn normal_free(value: &mut Option<Value>) {
    match value {
        Some(Value::Null) => *value = None,
        Some(value) => sort_keys(value),
        None => {}
    }
}

/// Sorts the keys of free-form data: a map may keep the order in which it was written.
fn sort_keys(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(sort_keys),
        Value::Object(map) => {
            map.values_mut().for_each(sort_keys);
            sort_map(map);
        }
        _ => {}
    }
}

fn sort_map(map: &mut Map<String, Value>) {
    let mut entries: Vec<(String, Value)> = std::mem::take(map).into_iter().collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    map.extend(entries);
}

impl From<String> for Inline {
    fn from(text: String) -> Self {
        Self::Text(Text { text, marks: Marks::default() })
    }
}

impl From<&str> for Inline {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::arbitrary::documents;
    use super::super::{Link, Paragraph, TableCell, TableColumn, TableView};
    use super::*;
    use proptest::prelude::*;

    fn normal(block: Block) -> Block {
        let mut document = Document { blocks: vec![block] };
        document.normalize();
        document.blocks.remove(0)
    }

    fn bold(text: &str) -> Inline {
        Inline::Text(Text { text: text.into(), marks: Marks { bold: true, ..Marks::default() } })
    }

    fn line(content: Vec<Inline>) -> Block {
        Block::new(Kind::Paragraph(Paragraph::default())).with_content(content)
    }

    #[test]
    fn neighbours_with_the_same_marks_become_one_text() {
        let link = |content| Inline::Link(Box::new(Link { content, ..Link::default() }));
        assert_eq!(
            normal(line(vec!["a".into(), "".into(), "b".into(), bold("c"), link(vec!["d".into(), "e".into()])])),
            line(vec!["ab".into(), bold("c"), link(vec!["de".into()])])
        );
    }

    #[test]
    fn default_colours_are_no_colours() {
        let marks = Marks { color: Some(TextColor::default()), ..Marks::default() };
        assert_eq!(
            normal(line(vec!["a".into(), Inline::Text(Text { text: "b".into(), marks })])),
            line(vec!["ab".into()])
        );
    }

    #[test]
    fn code_has_no_marks_and_highlights_only_its_lines() {
        let code = Code { highlighted: [0, 1, 2].into(), ..Code::default() };
        let block = normal(Block::new(Kind::Code(Box::new(code))).with_content(vec!["a\n".into(), bold("b")]));
        assert_eq!(block.content, ["a\nb".into()]);
        assert!(matches!(block.kind, Kind::Code(code) if code.highlighted == [0, 1].into()));
    }

    #[test]
    fn columns_and_cells_are_in_display_order() {
        let column = |id: &str, kind| TableColumn { id: id.into(), kind, ..TableColumn::default() };
        let cell = |column: &str, value| Block::new(Kind::TableCell(TableCell { column: column.into(), value }));
        let table = Table {
            columns: vec![
                column("a", ColumnKind::default()),
                column("b", ColumnKind::Number),
                column("c", ColumnKind::default()),
                column("d", ColumnKind::default()),
            ],
            view: TableView::Cards {
                columns: vec!["d".into(), "gone".into(), "b".into()],
                card_size: Default::default(),
                target_definition: None,
                cover_definition: None,
                cover_definition_dark: None,
                hide_column_title: None,
                wrap: None,
            },
            ..Table::default()
        };
        let text = cell("a", Some(Box::new(CellValue::Text("as text".into()))));
        let paragraph = cell("d", None).with_children(vec![line(vec!["as line".into()])]);
        let row = Block::new(Kind::TableRow).with_children(vec![text, cell("b", None), cell("c", None), paragraph]);
        let block = normal(Block::new(Kind::Table(Box::new(table))).with_children(vec![row]));
        let Kind::Table(table) = &block.kind else { panic!("a table") };
        assert_eq!(table.columns.iter().map(|column| column.id.as_str()).collect::<Vec<_>>(), ["d", "b", "a", "c"]);
        assert_eq!(
            block.children[0].children,
            [
                cell("d", None).with_content(vec!["as line".into()]),
                cell("a", None).with_content(vec!["as text".into()]),
                cell("c", None),
            ]
        );
    }

    #[test]
    fn data_free_of_form_is_sorted() {
        let mut map = Map::new();
        map.insert("b".into(), serde_json::json!([{"d": 1, "c": 2}]));
        map.insert("a".into(), Value::Null);
        let mut value = Some(Value::Object(map));
        normal_free(&mut value);
        assert_eq!(value.map(|value| value.to_string()).as_deref(), Some(r#"{"a":null,"b":[{"c":2,"d":1}]}"#));
        let mut null = Some(Value::Null);
        normal_free(&mut null);
        assert_eq!(null, None);
    }

    proptest! {
        #[test]
        fn the_normal_form_of_a_normal_document_is_itself(document in documents()) {
            let mut again = document.clone();
            again.normalize();
            prop_assert_eq!(again, document);
        }
    }
}
