//! Matches the columns of two tables, so that cells stay where they are when columns come, move and go.
use super::super::{Block, Document, Heading, Inline, Key, Kind, Paragraph, Table, TableColumn};
use super::keep_keys;
use super::tree::Tree;
use std::collections::{HashMap, HashSet};

/// New ids of columns by their present ones.
type Names = HashMap<String, String>;

/// The names for the columns of each new table that matches an old one, by the key of the old one. `matches` has the
/// old block of each new one.
pub(super) fn of_tables<'a>(matches: &[Option<&'a Block>], new: &Tree<'_>) -> HashMap<&'a Key, Names> {
    let pairs = matches.iter().zip(&new.nodes).filter_map(|(old, new)| Some(((*old)?, new.block)));
    pairs.map(|(old, new)| (&old.key, names(old, new))).filter(|(_, names)| !names.is_empty()).collect()
}

/// The ids of the old columns that the columns of `new` match, by their present ids; without those that keep theirs.
///
/// Columns match as blocks do: those with the same title, if no other column has it, and all others by their title and
/// the texts of their cells. A new column with the id of an old one that another column matches gets a new id.
fn names(old: &Block, new: &Block) -> Names {
    let (Kind::Table(before), Kind::Table(after)) = (&old.kind, &new.kind) else { return Names::new() };
    let titles: HashSet<&str> = &own_titles(before) & &own_titles(after);
    let same = |(old, new): (&TableColumn, &TableColumn)| old.id == new.id && old.title == new.title;
    let (one, other) = (before.columns.iter(), after.columns.iter());
    if titles.len() == one.len() && titles.len() == other.len() && one.zip(other).all(same) {
        return Names::new();
    }
    let given = outline(after, &new.children, &titles);
    let kept = keep_keys(&outline(before, &old.children, &titles), given.clone());
    let pairs = given.blocks.iter().zip(&kept.blocks).filter(|(given, kept)| given.key != kept.key);
    pairs.map(|(given, kept)| (given.key.0.to_string(), kept.key.0.to_string())).collect()
}

/// The titles that only one column has.
fn own_titles(table: &Table) -> HashSet<&str> {
    let mut columns: HashMap<&str, usize> = HashMap::new();
    for column in &table.columns {
        *columns.entry(column.title.as_str()).or_default() += 1;
    }
    columns.into_iter().filter(|(title, count)| *count == 1 && !title.is_empty()).map(|(title, _)| title).collect()
}

/// A document with a block for each column: its key is the column's id. Those with one of these titles are equal to
/// each other whatever their cells say.
fn outline(table: &Table, rows: &[Block], titles: &HashSet<&str>) -> Document {
    let mut cells: HashMap<&str, String> = HashMap::new();
    for cell in rows.iter().flat_map(|row| &row.children) {
        let Kind::TableCell(data) = &cell.kind else { continue };
        let said = cells.entry(data.column.as_str()).or_default();
        said.push('\n');
        said.push_str(&cell.text());
    }
    let blocks = table.columns.iter().map(|column| {
        let title = column.title.as_str();
        let (kind, text) = match titles.contains(title) {
            true => (Kind::Heading(Heading::default()), title.to_owned()),
            false => {
                let said = cells.remove(column.id.as_str()).unwrap_or_default();
                (Kind::Paragraph(Paragraph::default()), format!("{title}{said}"))
            }
        };
        Block { key: Key(column.id.as_str().into()), ..Block::new(kind).with_content(vec![Inline::from(text)]) }
    });
    Document { blocks: blocks.collect() }
}

/// Gives the columns of the tables with these keys other ids. Cells get their keys later, from their rows and columns.
pub(super) fn rename(document: &mut Document, names: &HashMap<&Key, Names>) {
    if names.is_empty() {
        return;
    }
    document.walk_mut(&mut |block| {
        if let Some(names) = names.get(&block.key) {
            rename_in(block, names);
        }
    });
}

fn rename_in(block: &mut Block, names: &Names) {
    let Kind::Table(table) = &mut block.kind else { return };
    let shown = table.display_order();
    let order: Vec<String> = shown.iter().map(|id| names.get(*id).map_or(*id, String::as_str).to_owned()).collect();
    let mut renamed = table.clone();
    renamed.rename_columns(names);
    // The order of columns that are not shown follows from their ids, and what a merged cell covers follows from it.
    if !table.cell_merges.is_empty() && renamed.display_order() != order {
        return;
    }
    *table = renamed;
    rename_cells(&mut block.children, names);
    block.normalize();
}

/// Names the columns of all tables by their places, so that tables that say the same are equal.
pub(super) fn by_place(document: &mut Document) {
    document.walk_mut(&mut |block| {
        let Kind::Table(table) = &mut block.kind else { return };
        let order = table.display_order().into_iter().enumerate();
        let names: Names = order.map(|(place, id)| (id.to_owned(), place.to_string())).collect();
        table.rename_columns(&names);
        rename_cells(&mut block.children, &names);
    });
}

fn rename_cells(rows: &mut [Block], names: &Names) {
    for cell in rows.iter_mut().flat_map(|row| &mut row.children) {
        if let Kind::TableCell(data) = &mut cell.kind
            && let Some(name) = names.get(&data.column)
        {
            data.column.clone_from(name);
        }
    }
}
