//! Writes tables: with pipes if they can express it, otherwise as HTML.
use super::Writer;
use super::inlines::Place;
use crate::document::{
    Block, CellValue, ColumnAlign, ColumnKind, Inline, Kind, SelectOption, Table, TableCell, TableColumn, TableView,
};
use crate::markdown::elements::name_of;
use crate::markdown::html::{escape, escape_attribute};
use crate::reference::ContentRef;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

impl Writer<'_> {
    /// Writes a table.
    pub(super) fn table(&mut self, table: &Table, rows: &[Block]) {
        if is_simple(table, rows) {
            self.pipes(table, rows);
        } else {
            let html = self.html_table(table, rows);
            self.lines(&html);
        }
    }

    fn pipes(&mut self, table: &Table, rows: &[Block]) {
        let mut line = String::from("|");
        for column in &table.columns {
            let heading = heading(column);
            let _ = write!(line, " {} |", self.inlines(&heading, Place::Cell, &[]));
        }
        self.lines(&line);
        line = String::from("|");
        for column in &table.columns {
            line.push_str(match alignment(column) {
                None => " --- |",
                Some(ColumnAlign::Left) => " :--- |",
                Some(ColumnAlign::Center) => " :---: |",
                Some(ColumnAlign::Right) => " ---: |",
            });
        }
        self.lines(&line);
        for row in rows {
            let cells = cells(row);
            line = String::from("|");
            for column in &table.columns {
                let content = cells.get(column.id.as_str()).map(|(_, cell)| &cell.content[..]).unwrap_or_default();
                let _ = write!(line, " {} |", self.inlines(content, Place::Cell, &[]));
            }
            self.lines(&line);
        }
    }

    fn html_table(&mut self, table: &Table, rows: &[Block]) -> String {
        let mut out = String::from("<table");
        let flag = |name: &str, value: Option<bool>, out: &mut String| match value {
            None => {}
            Some(true) => out.push_str(&format!(" {name}")),
            Some(false) => out.push_str(&format!(" {name}=\"false\"")),
        };
        let valued = |name: &str, value: Option<bool>, out: &mut String| {
            out.push_str(&value.map(|value| format!(" {name}=\"{value}\"")).unwrap_or_default());
        };
        match &table.view {
            TableView::Cards { card_size, hide_column_title, wrap, .. } => {
                out.push_str(" data-view=\"cards\"");
                if *card_size != Default::default() {
                    let _ = write!(out, " data-card-size=\"{}\"", name_of(card_size));
                }
                flag("data-column-title-hidden", *hide_column_title, &mut out);
                flag("data-wrap", *wrap, &mut out);
            }
            TableView::Grid { hide_header, sticky_header, sticky_first_column, use_new_sizing, .. } => {
                flag("data-header-hidden", hide_header.then_some(true), &mut out);
                flag("data-sticky-header", *sticky_header, &mut out);
                flag("data-sticky-first-column", *sticky_first_column, &mut out);
                flag("data-new-sizing", *use_new_sizing, &mut out);
            }
        }
        valued("data-full-width", table.full_width, &mut out);
        valued("data-search", table.search, &mut out);
        out.push_str("><thead><tr>");
        let (TableView::Grid { columns: shown, .. } | TableView::Cards { columns: shown, .. }) = &table.view;
        let shown: HashSet<&str> = shown.iter().map(String::as_str).collect();
        let by_id: HashMap<&str, &TableColumn> =
            table.columns.iter().map(|column| (column.id.as_str(), column)).collect();
        let columns: Vec<&TableColumn> =
            table.display_order().into_iter().filter_map(|id| by_id.get(id).copied()).collect();
        for column in &columns {
            out.push_str(&head(column, &table.view, shown.contains(column.id.as_str())));
            let heading = heading(column);
            out.push_str(&self.inline_html_all(&heading));
            if let ColumnKind::Select { multiple, options } = &column.kind {
                select(*multiple, options, &mut out);
            }
            out.push_str("</th>");
        }
        out.push_str("</tr></thead><tbody>");
        let labels: Vec<HashMap<&str, &str>> = columns.iter().map(|column| labels(&column.kind)).collect();
        for row in rows {
            let cells = cells(row);
            out.push_str("<tr>");
            for (column, labels) in columns.iter().zip(&labels) {
                out.push_str("<td>");
                if let Some((data, cell)) = cells.get(column.id.as_str()) {
                    match &data.value {
                        None => out.push_str(&self.inline_html_all(&cell.content)),
                        Some(value) => self.value(value, &column.kind, labels, &mut out),
                    }
                }
                out.push_str("</td>");
            }
            out.push_str("</tr>");
        }
        out.push_str("</tbody></table>");
        out
    }

    /// Writes the value of a cell. `labels` are those of the options of its column.
    fn value(&mut self, value: &CellValue, kind: &ColumnKind, labels: &HashMap<&str, &str>, out: &mut String) {
        match value {
            CellValue::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            CellValue::Number(value) => out.push_str(&value.to_string()),
            CellValue::Text(text) => escape(text, true, true, out),
            CellValue::Names(names) if matches!(kind, ColumnKind::Select { .. }) => selected(names, labels, out),
            CellValue::Names(names) => {
                for name in names {
                    match name.parse().map(|file| ContentRef::File { file, space: None }) {
                        Ok(file) if matches!(kind, ColumnKind::Files) => self.anchor(&file, out),
                        _ => {
                            let _ = write!(out, "<span data-id=\"{}\"></span>", escape_attribute(name));
                        }
                    }
                }
            }
            CellValue::Ref(target) => self.anchor(target, out),
            CellValue::Image { r#ref, object_fit, alt } => {
                let _ = write!(out, "<img src=\"{}\"", escape_attribute(&self.href(r#ref)));
                if let Some(alt) = alt {
                    let _ = write!(out, " alt=\"{}\"", escape_attribute(alt));
                }
                if let Some(fit) = object_fit {
                    let _ = write!(out, " data-object-fit=\"{}\"", name_of(fit));
                }
                out.push('>');
            }
        }
    }

    fn anchor(&self, target: &ContentRef, out: &mut String) {
        let href = self.href(target);
        let _ = write!(out, "<a href=\"{}\">", escape_attribute(&href));
        escape(&href, true, true, out);
        out.push_str("</a>");
    }
}

fn head(column: &TableColumn, view: &TableView, shown: bool) -> String {
    let mut out = String::from("<th");
    if let TableView::Grid { column_widths: Some(widths), .. } = view
        && let Some(width) = widths.get(&column.id)
    {
        let _ = write!(out, " width=\"{width}\"");
    }
    let name = match &column.kind {
        ColumnKind::Text { text_alignment, vertical_alignment } => {
            if let Some(align) = text_alignment {
                let _ = write!(out, " align=\"{}\"", name_of(align));
            }
            if let Some(align) = vertical_alignment {
                let _ = write!(out, " valign=\"{}\"", name_of(align));
            }
            None
        }
        ColumnKind::Number => Some("number"),
        ColumnKind::Checkbox => Some("checkbox"),
        ColumnKind::Files => Some("files"),
        ColumnKind::ContentRef => Some("content-ref"),
        ColumnKind::Image => Some("image"),
        ColumnKind::Users { .. } => Some("users"),
        ColumnKind::Rating { .. } => Some("rating"),
        // Its options are written after the heading.
        ColumnKind::Select { .. } => None,
    };
    if !shown {
        out.push_str(" data-hidden");
    }
    if let TableView::Cards { target_definition, cover_definition, cover_definition_dark, .. } = view {
        let roles = [
            (target_definition, "data-card-target"),
            (cover_definition, "data-card-cover"),
            (cover_definition_dark, "data-card-cover-dark"),
        ];
        for (of, attribute) in roles {
            if of.as_ref() == Some(&column.id) {
                let _ = write!(out, " {attribute}");
            }
        }
    }
    if let Some(name) = name {
        let _ = write!(out, " data-type=\"{name}\"");
    }
    match &column.kind {
        ColumnKind::Rating { max } => {
            let _ = write!(out, " data-max=\"{max}\"");
        }
        ColumnKind::Users { multiple: true } => out.push_str(" data-multiple"),
        _ => {}
    }
    out.push('>');
    out
}

/// Writes the options of a column.
fn select(multiple: bool, options: &[SelectOption], out: &mut String) {
    out.push_str(if multiple { "<select multiple>" } else { "<select>" });
    for SelectOption { value, label, color } in options {
        let (value, label, color) = (escape_attribute(value), escape_attribute(label), name_of(color));
        let _ = write!(out, "<option value=\"{value}\" label=\"{label}\" color=\"{color}\"></option>");
    }
    out.push_str("</select>");
}

/// The labels of the options of a column, by their values.
fn labels(kind: &ColumnKind) -> HashMap<&str, &str> {
    let options = match kind {
        ColumnKind::Select { options, .. } => &options[..],
        _ => &[],
    };
    options.iter().map(|option| (option.value.as_str(), option.label.as_str())).collect()
}

/// Writes the options of a cell, with their labels. Only the values are read back.
fn selected(names: &[String], labels: &HashMap<&str, &str>, out: &mut String) {
    for (at, name) in names.iter().enumerate() {
        let label = labels.get(name.as_str()).copied().unwrap_or_default();
        let comma = if at + 1 < names.len() { ", " } else { "" };
        let (name, label) = (escape_attribute(name), escape_attribute(label));
        let _ = write!(out, "<span data-option=\"{name}\">{label}{comma}</span>");
    }
}

/// The cells of a row by column.
fn cells(row: &Block) -> HashMap<&str, (&TableCell, &Block)> {
    (row.children.iter())
        .filter_map(|cell| match &cell.kind {
            Kind::TableCell(data) => Some((data.column.as_str(), (data, cell))),
            _ => None,
        })
        .collect()
}

fn heading(column: &TableColumn) -> Vec<Inline> {
    match &column.heading[..] {
        [] if column.title.is_empty() => Vec::new(),
        [] => vec![Inline::from(column.title.as_str())],
        heading => heading.to_vec(),
    }
}

fn alignment(column: &TableColumn) -> Option<ColumnAlign> {
    match &column.kind {
        ColumnKind::Text { text_alignment, .. } => *text_alignment,
        _ => None,
    }
}

/// Whether pipes can express the whole table.
fn is_simple(table: &Table, rows: &[Block]) -> bool {
    let TableView::Grid { columns, column_widths, hide_header, sticky_header, sticky_first_column, use_new_sizing } =
        &table.view
    else {
        return false;
    };
    let grid = column_widths.is_none()
        && !hide_header
        && sticky_header.is_none()
        && sticky_first_column.is_none()
        && use_new_sizing.is_none();
    let text = |column: &TableColumn| matches!(&column.kind, ColumnKind::Text { vertical_alignment: None, .. });
    let values = rows
        .iter()
        .flat_map(|row| &row.children)
        .any(|cell| matches!(&cell.kind, Kind::TableCell(data) if data.value.is_some()));
    grid && !values
        && !columns.is_empty()
        && table.full_width.is_none()
        && table.search.is_none()
        && table.columns.iter().all(text)
        && columns.iter().eq(table.columns.iter().map(|column| &column.id))
}
