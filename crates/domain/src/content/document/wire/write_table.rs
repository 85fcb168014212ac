//! Writing tables.
use super::write::{Data, bare_paragraph, blocks, json};
use crate::content::document::{Block, Kind, Table, TableColumn};
use serde_json::{Map, Value, json};

/// The `data` of a table, and its `fragments`.
pub(super) fn table(table: &Table, rows: &[Block]) -> (Data, Value) {
    let mut fragments: Vec<Value> = table.columns.iter().filter_map(heading).collect();
    let mut records = Map::new();
    for (at, row) in rows.iter().enumerate() {
        let mut values = Map::new();
        for cell in &row.children {
            let Kind::TableCell(data) = &cell.kind else { continue };
            let value = match &data.value {
                Some(value) => json(value),
                None => {
                    fragments.push(text(cell));
                    Value::from(cell.key.0.clone())
                }
            };
            values.insert(data.column.clone(), value);
        }
        records.insert(row.key.0.clone(), json!({"orderIndex": order_index(at), "values": values}));
    }
    let merge = |merge: &crate::content::document::CellMerge| {
        let anchor = json!({"record": merge.record, "column": merge.column});
        json!({"anchor": anchor, "rowSpan": merge.row_span, "colSpan": merge.col_span})
    };
    let merges: Vec<Value> = table.cell_merges.iter().map(merge).collect();
    let data = Data::default()
        .with("view", &table.view)
        .with("records", &records)
        .with("definition", &table.columns.iter().map(definition).collect::<Map<_, _>>())
        .maybe("cellMerges", Some(&merges).filter(|merges| !merges.is_empty()))
        .maybe("fullWidth", table.full_width.as_ref())
        .maybe("search", table.search.as_ref());
    (data, fragments.into())
}

fn definition(column: &TableColumn) -> (String, Value) {
    let mut definition = json(&column.kind);
    definition["id"] = column.id.clone().into();
    definition["title"] = column.title.clone().into();
    (column.id.clone(), definition)
}

fn heading(column: &TableColumn) -> Option<Value> {
    (!column.heading.is_empty()).then(|| {
        let nodes = [bare_paragraph(&column.heading)];
        json!({"object": "fragment", "fragment": column.id, "type": "table-heading", "nodes": nodes})
    })
}

fn text(cell: &Block) -> Value {
    let nodes = if cell.children.is_empty() { json!([bare_paragraph(&cell.content)]) } else { blocks(&cell.children) };
    json!({"object": "fragment", "key": cell.key.0, "fragment": cell.key.0, "nodes": nodes})
}

/// The index that puts a row in its place: the whole numbers of fractional indexing, so that clients can put rows between
/// two of ours. A letter says how many digits of base 62 follow (`a0` to `az`, then `b00` to `bzz`, ...), which makes the
/// order of the texts the order of the numbers.
pub(super) fn order_index(at: usize) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let (mut rest, mut many, mut length) = (at, 62_usize, 1_u8);
    while rest >= many {
        rest -= many;
        many = many.saturating_mul(62);
        length += 1;
    }
    let mut index = vec![b'a' + length - 1];
    for place in (0..u32::from(length)).rev() {
        index.push(DIGITS[rest / 62_usize.pow(place) % 62]);
    }
    index.into_iter().map(char::from).collect()
}
