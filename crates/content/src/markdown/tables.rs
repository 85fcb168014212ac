//! Tables in pipes.
use super::blocks::{Context, TooDeep};
use super::events::of_node;
use super::inlines::inlines;
use crate::document::{Block, ColumnAlign, ColumnKind, Inline, Kind, Marks, Table, TableCell, TableColumn, TableView};
use comrak::nodes::{Node, NodeValue, TableAlignment};

/// The id of a column by its index, from 0. A source has no ids, so reading it again must give the same ones.
pub(super) fn column_id(at: usize) -> String {
    format!("c{:02}", at + 1)
}

/// The table in `node`.
pub(super) fn table<'a>(
    context: &mut Context<'a, '_>,
    node: Node<'a>,
    alignments: &[TableAlignment],
    depth: usize,
) -> Result<Block, TooDeep> {
    let mut columns = Vec::new();
    let mut rows = Vec::new();
    for row in node.children() {
        let header = matches!(row.data().value, NodeValue::TableRow(true));
        let mut cells = Vec::new();
        for (at, cell) in row.children().enumerate() {
            let content = inlines(of_node(cell, context.hidden), context, depth + 2)?;
            if header {
                let alignment = alignments.get(at).copied().unwrap_or(TableAlignment::None);
                columns.push(column(column_id(at), content, text_kind(alignment)));
            } else {
                let data = TableCell { column: column_id(at), value: None };
                cells.push(Block::new(Kind::TableCell(data)).with_content(content));
            }
        }
        if !header {
            rows.push(Block::new(Kind::TableRow).with_children(cells));
        }
    }
    let view = match TableView::default() {
        TableView::Grid { column_widths, hide_header, sticky_header, sticky_first_column, use_new_sizing, .. } => {
            let columns = columns.iter().map(|column: &TableColumn| column.id.clone()).collect();
            TableView::Grid { columns, column_widths, hide_header, sticky_header, sticky_first_column, use_new_sizing }
        }
        cards => cards,
    };
    Ok(Block::new(Kind::Table(Box::new(Table { columns, view, ..Table::default() }))).with_children(rows))
}

fn text_kind(alignment: TableAlignment) -> ColumnKind {
    let text_alignment = match alignment {
        TableAlignment::None => None,
        TableAlignment::Left => Some(ColumnAlign::Left),
        TableAlignment::Center => Some(ColumnAlign::Center),
        TableAlignment::Right => Some(ColumnAlign::Right),
    };
    ColumnKind::Text { text_alignment, vertical_alignment: None }
}

/// A column with its heading; a plain one is only its title.
pub(super) fn column(id: String, heading: Vec<Inline>, kind: ColumnKind) -> TableColumn {
    let title = super::plain_text(&heading);
    let plain = match &heading[..] {
        [] => true,
        [Inline::Text(text)] => text.marks == Marks::default(),
        _ => false,
    };
    TableColumn { id, title, heading: if plain { Vec::new() } else { heading }, kind }
}
