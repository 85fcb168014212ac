//! The rules of tables.
use super::{MAX_SPAN, Problem, is_key};
use crate::document::{Block, CellMerge, CellValue, ColumnKind, Kind, Table};
use std::collections::{HashMap, HashSet};

/// The rules of a table beyond its nesting: ids, one cell per column, contents of cells, merges.
pub(crate) fn check_table(table: &Table, rows: &[Block]) -> Result<(), Problem> {
    let mut columns = HashMap::with_capacity(table.columns.len());
    for column in &table.columns {
        if !is_key(&column.id) {
            return Err(Problem::InvalidColumn);
        }
        if columns.insert(column.id.as_str(), &column.kind).is_some() {
            return Err(Problem::RepeatedColumn(column.id.clone()));
        }
    }
    let mut seen = HashSet::new();
    for row in rows {
        seen.clear();
        for cell in &row.children {
            let Kind::TableCell(data) = &cell.kind else { continue };
            let Some(column) = columns.get(data.column.as_str()) else {
                return Err(Problem::NoColumn(data.column.clone()));
            };
            if !seen.insert(data.column.as_str()) {
                return Err(Problem::RepeatedCell(data.column.clone()));
            }
            if !cell.key.is_of_cell(&row.key, &data.column) {
                return Err(Problem::CellKey);
            }
            check_cell(cell, column, data.value.as_deref())?;
        }
    }
    check_merges(table, rows)
}

fn check_cell(cell: &Block, column: &ColumnKind, value: Option<&CellValue>) -> Result<(), Problem> {
    let text = matches!(column, ColumnKind::Text { .. });
    let (line, blocks) = (!cell.content.is_empty(), !cell.children.is_empty());
    let fine = match value {
        None => text && !(line && blocks),
        Some(CellValue::Text(_)) => !text && !line && !blocks,
        Some(_) => !line && !blocks,
    };
    if fine { Ok(()) } else { Err(Problem::CellContent) }
}

fn check_merges(table: &Table, rows: &[Block]) -> Result<(), Problem> {
    if table.cell_merges.is_empty() {
        return Ok(());
    }
    let row_at: HashMap<&str, usize> = rows.iter().enumerate().map(|(at, row)| (row.key.0.as_str(), at)).collect();
    let shown = table.display_order();
    let column_at: HashMap<&str, usize> = shown.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let mut covered = HashSet::new();
    for CellMerge { record, column, row_span, col_span } in &table.cell_merges {
        let spans = 1..=MAX_SPAN;
        let (Some(&row), Some(&column), true, true) = (
            row_at.get(record.as_str()),
            column_at.get(column.as_str()),
            spans.contains(row_span),
            spans.contains(col_span),
        ) else {
            return Err(Problem::Merge);
        };
        for row in row..rows.len().min(row + usize::from(*row_span)) {
            for column in column..shown.len().min(column + usize::from(*col_span)) {
                if !covered.insert((row, column)) {
                    return Err(Problem::Overlap);
                }
            }
        }
    }
    Ok(())
}
