//! Strategies for tables.
use super::block;
use super::inlines::lines;
use super::values::{bools, colors, files, keys, numbers, references, some_of, texts};
use crate::document::*;
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;

pub(super) fn column_kinds() -> BoxedStrategy<ColumnKind> {
    let align = of(some_of([ColumnAlign::Left, ColumnAlign::Center, ColumnAlign::Right]));
    let vertical = of(some_of([VerticalAlign::Top, VerticalAlign::Bottom]));
    let option = (texts(), texts(), colors()).prop_map(|(value, label, color)| SelectOption { value, label, color });
    prop_oneof![
        6 => (align, vertical).prop_map(|(text_alignment, vertical_alignment)| ColumnKind::Text { text_alignment, vertical_alignment }),
        1 => some_of([ColumnKind::Number, ColumnKind::Checkbox, ColumnKind::Files, ColumnKind::ContentRef, ColumnKind::Image]),
        1 => any::<bool>().prop_map(|multiple| ColumnKind::Users { multiple }),
        1 => numbers().prop_map(|max| ColumnKind::Rating { max }),
        1 => (any::<bool>(), vec(option, 0..3)).prop_map(|(multiple, options)| ColumnKind::Select { multiple, options }),
    ]
    .boxed()
}

pub(super) fn views() -> BoxedStrategy<TableView> {
    let columns = || vec("[a-d]", 0..4);
    let grid = (columns(), of(btree_map("[a-d]", numbers(), 0..3)), any::<bool>(), bools(), bools(), bools());
    let size = some_of([CardSize::Medium, CardSize::Large]);
    let cards = (size, columns(), of("[a-d]"), of("[a-d]"), of("[a-d]"), bools(), bools());
    prop_oneof![
        grid.prop_map(|(columns, column_widths, hide_header, sticky_header, sticky_first_column, use_new_sizing)| {
            TableView::Grid { columns, column_widths, hide_header, sticky_header, sticky_first_column, use_new_sizing }
        }),
        cards.prop_map(|(card_size, columns, target, cover, dark, hide_column_title, wrap)| TableView::Cards {
            card_size,
            columns,
            target_definition: target,
            cover_definition: cover,
            cover_definition_dark: dark,
            hide_column_title,
            wrap,
        }),
    ]
    .boxed()
}

pub(super) fn cell_values() -> BoxedStrategy<CellValue> {
    let fit = of(some_of([ObjectFit::Contain, ObjectFit::Fill, ObjectFit::Cover]));
    prop_oneof![
        any::<bool>().prop_map(CellValue::Bool),
        numbers().prop_map(CellValue::Number),
        vec(texts(), 0..3).prop_map(CellValue::Names),
        references().prop_map(CellValue::Ref),
        (files(), fit, of(texts())).prop_map(|(r#ref, object_fit, alt)| CellValue::Image { r#ref, object_fit, alt }),
        texts().prop_map(CellValue::Text),
    ]
    .boxed()
}

pub(super) fn table(inner: BoxedStrategy<Block>) -> BoxedStrategy<Block> {
    let column = (texts(), lines(), column_kinds()).prop_map(|(title, heading, kind)| TableColumn {
        id: String::new(),
        title,
        heading,
        kind,
    });
    let columns = btree_map("[a-d]", column, 0..4).prop_map(|columns| {
        columns.into_iter().map(|(id, column)| TableColumn { id, ..column }).collect::<Vec<TableColumn>>()
    });
    let data = (columns, views(), bools(), bools()).prop_map(|(columns, view, full_width, search)| Table {
        columns,
        view,
        cell_merges: Vec::new(),
        full_width,
        search,
    });
    let cell = (of(cell_values()), lines(), of(vec(inner, 2..4)));
    let row = (keys(), vec(of(cell), 4..=4));
    let merge = of((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1..=MAX_SPAN, 1..=MAX_SPAN));
    (block(data.prop_map(|table| Kind::Table(Box::new(table)))), vec(row, 0..4), merge)
        .prop_map(|(mut block, rows, merge)| {
            let Kind::Table(table) = &mut block.kind else { return block };
            for (at, (key, cells)) in rows.into_iter().enumerate() {
                let mut row = Block { key, ..Block::new(Kind::TableRow) };
                if row.key == Key::default() {
                    row.key = Key(format!("row{at}").into());
                }
                for (column, cell) in table.columns.iter().zip(cells) {
                    row.children.extend(cell.map(|(value, line, blocks)| cell_of(column, value, line, blocks)));
                }
                block.children.push(row);
            }
            if let Some((row, column, row_span, col_span)) = merge
                && !block.children.is_empty()
                && !table.columns.is_empty()
            {
                table.cell_merges.push(CellMerge {
                    record: row.get(&block.children).key.0.to_string(),
                    column: column.get(&table.columns).id.clone(),
                    row_span,
                    col_span,
                });
            }
            block
        })
        .boxed()
}

/// A cell of a column, without the content that does not fit the column.
fn cell_of(column: &TableColumn, value: Option<CellValue>, line: Vec<Inline>, blocks: Option<Vec<Block>>) -> Block {
    let of_text = matches!(column.kind, ColumnKind::Text { .. });
    let value = value.filter(|value| !of_text || !matches!(value, CellValue::Text(_)));
    let bare = value.is_some() || !of_text;
    let cell = Block::new(Kind::TableCell(TableCell { column: column.id.clone(), value: value.map(Box::new) }));
    match blocks {
        _ if bare => cell,
        Some(blocks) => cell.with_children(blocks),
        None => cell.with_content(line),
    }
}
