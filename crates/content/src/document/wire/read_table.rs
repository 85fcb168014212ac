//! Reading tables.
use super::fields::{Fields, parse};
use super::path::{Path, WireError};
use super::read::{Fragment, Read, Reader};
use crate::document::check::{check_table, is_key};
use crate::document::{
    Block, CellMerge, CellValue, ColumnAlign, ColumnKind, Key, Kind, MAX_DEPTH, MAX_KEY, SelectOption, Table,
    TableCell, TableColumn, TableView,
};
use serde_json::{Number, Value};
use std::collections::{BTreeMap, HashMap};

/// The fragments of a table that are not read yet, by the names that cells may use for them.
type Texts<'f, 'a> = HashMap<&'a str, &'f Fragment<'a>>;

const HEADING: &str = "table-heading";

impl Reader {
    /// A table and its rows. The table is at `depth`, its rows and cells below.
    pub(super) fn table<'a>(
        &mut self,
        data: &Fields<'_, '_>,
        data_path: &Path<'_>,
        fragments: &[Fragment<'a>],
        path: &Path<'_>,
        depth: usize,
    ) -> Read<(Table, Vec<Block>)> {
        let definitions_path = data_path.key("definition");
        let mut columns = Vec::new();
        for (id, definition) in data.need_map("definition")? {
            columns.push(column(id, definition, &definitions_path.key(id))?);
        }
        let (headings, texts): (Vec<_>, Vec<_>) = fragments.iter().partition(|fragment| fragment.kind == Some(HEADING));
        let headings: Texts<'_, '_> =
            headings.into_iter().filter_map(|heading| Some((heading.name?, heading))).collect();
        for column in &mut columns {
            if let Some(heading) = headings.get(column.id.as_str()) {
                column.heading = self.lines(heading, path, depth)?;
            }
        }
        let mut table = Table {
            columns,
            view: view(data)?,
            cell_merges: Vec::new(),
            full_width: data.get("fullWidth")?,
            search: data.get("search")?,
        };
        let names = |fragment: &Fragment<'a>| fragment.name.into_iter().chain(fragment.key);
        let mut texts: Texts<'_, '_> =
            texts.into_iter().flat_map(|fragment| names(fragment).map(move |name| (name, fragment))).collect();
        let rows = self.rows(data, data_path, &table, &mut texts, path, depth)?;
        let merges_path = data_path.key("cellMerges");
        for (at, value) in data.list("cellMerges")?.iter().enumerate() {
            table.cell_merges.push(merge(value, &merges_path.index(at))?);
        }
        check_table(&table, &rows).map_err(|problem| data_path.refuse(problem.to_string()))?;
        Ok((table, rows))
    }

    fn rows(
        &mut self,
        data: &Fields<'_, '_>,
        data_path: &Path<'_>,
        table: &Table,
        texts: &mut Texts<'_, '_>,
        path: &Path<'_>,
        depth: usize,
    ) -> Read<Vec<Block>> {
        let kinds: HashMap<&str, &ColumnKind> =
            table.columns.iter().map(|column| (column.id.as_str(), &column.kind)).collect();
        let records_path = data_path.key("records");
        let mut rows = Vec::new();
        for (id, record) in data.need_map("records")? {
            if depth + 2 > MAX_DEPTH {
                return Err(records_path.refuse(format!("content must be nested at most {MAX_DEPTH} levels deep")));
            }
            let record_path = records_path.key(id);
            let fields = Fields::of(Some(record), &record_path)?;
            let order: String = fields.need("orderIndex")?;
            let mut row = Block { key: self.name(id, &record_path)?, ..Block::new(Kind::TableRow) };
            let values_path = record_path.key("values");
            for (column, value) in fields.need_map("values")?.iter().filter(|(_, value)| !value.is_null()) {
                let value_path = values_path.key(column);
                let kind = kinds.get(column.as_str()).ok_or_else(|| value_path.refuse("there is no such column"))?;
                let mut cell = Block {
                    key: Key::of_cell(&row.key, column),
                    ..Block::new(Kind::TableCell(TableCell { column: column.clone(), value: None }))
                };
                match (kind, value) {
                    (ColumnKind::Text { .. }, Value::String(name)) => match texts.get(name.as_str()).copied() {
                        Some(fragment) => {
                            for name in fragment.name.into_iter().chain(fragment.key) {
                                texts.remove(name);
                            }
                            (cell.content, cell.children) = self.cell(fragment, path, depth + 2)?;
                        }
                        None => cell.content = vec![name.as_str().into()],
                    },
                    (_, value) => {
                        let value = cell_value(value, &value_path)?;
                        cell.kind = Kind::TableCell(TableCell { column: column.clone(), value: Some(Box::new(value)) });
                    }
                }
                row.children.push(cell);
            }
            rows.push((order, row));
        }
        rows.sort_by(|(a, x), (b, y)| (a, &x.key).cmp(&(b, &y.key)));
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }
}

fn column(id: &str, value: &Value, path: &Path<'_>) -> Read<TableColumn> {
    let fields = Fields::of(Some(value), path)?;
    if !is_key(id) {
        return Err(
            path.refuse(format!("the id of a column must be 1 to {MAX_KEY} characters of a-z, A-Z, 0-9, _ and -"))
        );
    }
    if fields.get::<String>("id")?.is_some_and(|said| said != id) {
        return Err(path.key("id").refuse("must be the name that the column is defined by"));
    }
    let title = fields.need("title")?;
    Ok(TableColumn { id: id.to_owned(), title, heading: Vec::new(), kind: column_kind(&fields, value, path)? })
}

/// The kind of a column, field by field: serde does not say which field of an enum with a tag is wrong.
fn column_kind(fields: &Fields<'_, '_>, value: &Value, path: &Path<'_>) -> Read<ColumnKind> {
    let name: String = fields.need("type")?;
    Ok(match name.as_str() {
        "text" => ColumnKind::Text {
            text_alignment: text_alignment(fields)?,
            vertical_alignment: fields.get("verticalAlignment")?,
        },
        "number" => ColumnKind::Number,
        "checkbox" => ColumnKind::Checkbox,
        "files" => ColumnKind::Files,
        "users" => ColumnKind::Users { multiple: fields.need("multiple")? },
        "rating" => ColumnKind::Rating { max: fields.need("max")? },
        "select" => {
            let options_path = path.key("options");
            let options = fields.need_list("options")?.iter().enumerate();
            ColumnKind::Select {
                multiple: fields.need("multiple")?,
                options: options.map(|(at, value)| option(value, &options_path.index(at))).collect::<Read<_>>()?,
            }
        }
        "content-ref" => ColumnKind::ContentRef,
        "image" => ColumnKind::Image,
        // The error lists the types.
        _ => parse(value, &path.key("type"))?,
    })
}

/// The alignment of a column of texts. The key of our own says that a column has none, and counts only with the
/// alignment that is written then.
fn text_alignment(fields: &Fields<'_, '_>) -> Read<Option<ColumnAlign>> {
    let alignment: Option<ColumnAlign> = fields.get("textAlignment")?;
    let is_default = fields.get("defaultAlignment")?.unwrap_or(false);
    Ok(alignment.filter(|alignment| !is_default || *alignment != ColumnAlign::default()))
}

/// An option. In the types of clients its colour is any text, so one that is not known is the default instead of an
/// error.
fn option(value: &Value, path: &Path<'_>) -> Read<SelectOption> {
    let fields = Fields::of(Some(value), path)?;
    let (value, label) = (fields.need("value")?, fields.need("label")?);
    let color: String = fields.need("color")?;
    Ok(SelectOption { value, label, color: color.parse().unwrap_or_default() })
}

fn view(data: &Fields<'_, '_>) -> Read<TableView> {
    let path = data.at("view");
    let value = data.value("view").ok_or_else(|| path.refuse("is required"))?;
    let fields = Fields::of(Some(value), &path)?;
    let name: String = fields.need("type")?;
    Ok(match name.as_str() {
        "grid" => TableView::Grid {
            columns: fields.need_items("columns")?,
            column_widths: widths(&fields)?,
            hide_header: fields.get("hideHeader")?.unwrap_or_default(),
            sticky_header: fields.get("stickyHeader")?,
            sticky_first_column: fields.get("stickyFirstColumn")?,
            use_new_sizing: fields.get("useNewSizing")?,
        },
        "cards" => TableView::Cards {
            card_size: fields.need("cardSize")?,
            columns: fields.need_items("columns")?,
            target_definition: fields.get("targetDefinition")?,
            cover_definition: fields.get("coverDefinition")?,
            cover_definition_dark: fields.get("coverDefinitionDark")?,
            hide_column_title: fields.get("hideColumnTitle")?,
            wrap: fields.get("wrap")?,
        },
        // The error lists the types.
        _ => parse(value, &path.key("type"))?,
    })
}

/// The widths of columns, by their ids.
fn widths(view: &Fields<'_, '_>) -> Read<Option<BTreeMap<String, Number>>> {
    const NAME: &str = "columnWidths";
    if view.value(NAME).is_none() {
        return Ok(None);
    }
    let path = view.at(NAME);
    let width = |(column, width): (&String, &Value)| -> Read<(String, Number)> {
        Ok((column.clone(), parse(width, &path.key(column))?))
    };
    view.need_map(NAME)?.iter().map(width).collect::<Read<_>>().map(Some)
}

fn cell_value(value: &Value, path: &Path<'_>) -> Read<CellValue> {
    const RULE: &str =
        "must be a number, a text, true or false, a list of texts, a reference, or an image with its reference";
    parse(value, path).map_err(|error: WireError| WireError { rule: RULE.to_owned(), ..error })
}

fn merge(value: &Value, path: &Path<'_>) -> Read<CellMerge> {
    let fields = Fields::of(Some(value), path)?;
    let anchor_path = path.key("anchor");
    let anchor = Fields::of(fields.value("anchor"), &anchor_path)?;
    Ok(CellMerge {
        record: anchor.need("record")?,
        column: anchor.need("column")?,
        row_span: fields.need("rowSpan")?,
        col_span: fields.need("colSpan")?,
    })
}
