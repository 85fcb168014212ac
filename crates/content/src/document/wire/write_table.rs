//! Writing tables.
use super::write::{BareParagraph, Blocks, Fields, Fragment};
use crate::document::{Block, CellMerge, ColumnAlign, ColumnKind, Kind, Table, TableCell, TableColumn};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

/// The fragments of a table: headings of columns that are more than plain text, and the texts of cells.
pub(super) struct Cells<'a> {
    pub(super) table: &'a Table,
    pub(super) rows: &'a [Block],
}

impl Serialize for Cells<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fragments = to.serialize_seq(None)?;
        for column in self.table.columns.iter().filter(|column| !column.heading.is_empty()) {
            let heading = Fragment::named(&column.id, [BareParagraph(&column.heading)]);
            fragments.serialize_element(&heading.of_type("table-heading"))?;
        }
        let cells = self.rows.iter().flat_map(cells);
        for (cell, _) in cells.filter(|(_, data)| data.value.is_none()) {
            let key = cell.key.0.as_str();
            let text = Fragment { key: Some(key), ..Fragment::named(key, CellText(cell)) };
            fragments.serialize_element(&text)?;
        }
        fragments.end()
    }
}

/// The cells of a row.
fn cells(row: &Block) -> impl Iterator<Item = (&Block, &TableCell)> {
    row.children.iter().filter_map(|cell| match &cell.kind {
        Kind::TableCell(data) => Some((cell, data)),
        _ => None,
    })
}

/// The text of a cell.
struct CellText<'a>(&'a Block);

impl Serialize for CellText<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.0.children.is_empty() {
            [BareParagraph(&self.0.content)].serialize(to)
        } else {
            Blocks(&self.0.children).serialize(to)
        }
    }
}

/// The `data` of a table.
pub(super) fn data<M: SerializeMap>(data: Fields<M>, table: &Table, rows: &[Block]) -> Result<Fields<M>, M::Error> {
    let merges: Vec<Merge<'_>> = table.cell_merges.iter().map(Merge::of).collect();
    data.with("view", &table.view)?
        .with("records", &Records(rows))?
        .with("definition", &Definitions(&table.columns))?
        .maybe("cellMerges", Some(&merges).filter(|merges| !merges.is_empty()))?
        .maybe("fullWidth", table.full_width.as_ref())?
        .maybe("search", table.search.as_ref())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Merge<'a> {
    anchor: Anchor<'a>,
    row_span: u8,
    col_span: u8,
}

impl<'a> Merge<'a> {
    fn of(merge: &'a CellMerge) -> Self {
        let anchor = Anchor { record: &merge.record, column: &merge.column };
        Self { anchor, row_span: merge.row_span, col_span: merge.col_span }
    }
}

#[derive(Serialize)]
struct Anchor<'a> {
    record: &'a str,
    column: &'a str,
}

/// The rows, by key.
struct Records<'a>(&'a [Block]);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    order_index: String,
    values: Values<'a>,
}

impl<'a> Serialize for Records<'a> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let record =
            |(at, row): (usize, &'a Block)| (&row.key.0, Record { order_index: order_index(at), values: Values(row) });
        to.collect_map(self.0.iter().enumerate().map(record))
    }
}

/// The values of a row, by column. A text is a fragment, and the value is its name.
struct Values<'a>(&'a Block);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut values = Fields::of(to)?;
        for (cell, data) in cells(self.0) {
            values = match &data.value {
                Some(value) => values.with(&data.column, value)?,
                None => values.with(&data.column, &cell.key.0)?,
            };
        }
        values.end()
    }
}

/// The columns, by id.
struct Definitions<'a>(&'a [TableColumn]);

#[derive(Serialize)]
struct Definition<'a> {
    #[serde(flatten)]
    kind: &'a ColumnKind,
    #[serde(flatten)]
    default: Option<DefaultAlignment>,
    id: &'a str,
    title: &'a str,
}

/// The alignment of a column of texts that has none of its own: the description requires one.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DefaultAlignment {
    text_alignment: ColumnAlign,
    default_alignment: bool,
}

impl DefaultAlignment {
    fn of(kind: &ColumnKind) -> Option<Self> {
        matches!(kind, ColumnKind::Text { text_alignment: None, .. })
            .then(|| Self { text_alignment: ColumnAlign::default(), default_alignment: true })
    }
}

impl<'a> Serialize for Definitions<'a> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let definition = |TableColumn { id, title, kind, .. }: &'a TableColumn| {
            (id, Definition { kind, default: DefaultAlignment::of(kind), id, title })
        };
        to.collect_map(self.0.iter().map(definition))
    }
}

/// The index that gives a row its place: the whole numbers of fractional indexing, so that clients can put rows between
/// two of ours. A letter says how many digits of base 62 follow (`a0` to `az`, then `b00` to `bzz`, ...), so the order
/// of the texts is the order of the numbers.
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
