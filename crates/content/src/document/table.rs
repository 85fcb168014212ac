//! Tables: columns, views and the values of cells.
use super::data::data;
use super::{CardSize, Color, ColumnAlign, Inline, ObjectFit, VerticalAlign};
use crate::reference::ContentRef;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

data! {
    /// Data of a table. Its records are the table's children.
    Table {
        /// The columns by id, in no order of display.
        columns: Vec<TableColumn>,
        /// How it is displayed.
        view: TableView,
        /// Merged cells.
        cell_merges: Vec<CellMerge>,
        /// Full width.
        full_width: Option<bool>,
        /// Whether it can be searched.
        search: Option<bool>,
    }
    /// A column of a table.
    TableColumn {
        /// Unique in the table.
        id: String,
        /// Its heading (plain text).
        title: String,
        /// The heading's text with its marks and links, where it has any.
        heading: Vec<Inline>,
        /// What its cells hold.
        kind: ColumnKind,
    }
    /// Data of a cell.
    TableCell { /** The column's id. */ column: String, /** The value, where the column does not hold text. */ value: Option<Box<CellValue>> }
    /// A run of cells shown as one.
    CellMerge { /** Row key of the first cell. */ record: String, /** Column id of the first cell. */ column: String, /** Rows. */ row_span: u8, /** Columns. */ col_span: u8 }
}

/// How a table is displayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum TableView {
    /// Rows and columns.
    Grid {
        /// The columns shown, in order.
        columns: Vec<String>,
        /// Widths by column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column_widths: Option<std::collections::BTreeMap<String, serde_json::Number>>,
        /// Whether the heading row is hidden.
        #[serde(default)]
        hide_header: bool,
        /// Whether the heading row stays visible.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sticky_header: Option<bool>,
        /// Whether the first column stays in sight.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sticky_first_column: Option<bool>,
        /// Whether widths are exact.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        use_new_sizing: Option<bool>,
    },
    /// Cards.
    Cards {
        /// Their size.
        card_size: CardSize,
        /// The columns shown, in order.
        columns: Vec<String>,
        /// The column with the target of a card.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target_definition: Option<String>,
        /// The column that holds the cover.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cover_definition: Option<String>,
        /// The column that holds the cover for the dark theme.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cover_definition_dark: Option<String>,
        /// Whether column titles are hidden.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hide_column_title: Option<bool>,
        /// Whether text wraps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wrap: Option<bool>,
    },
}

impl Default for TableView {
    fn default() -> Self {
        Self::Grid {
            columns: Vec::new(),
            column_widths: None,
            hide_header: false,
            sticky_header: None,
            sticky_first_column: None,
            use_new_sizing: None,
        }
    }
}

/// The content of the cells of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ColumnKind {
    /// Rich text.
    Text {
        /// Alignment.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text_alignment: Option<ColumnAlign>,
        /// Vertical alignment.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        vertical_alignment: Option<VerticalAlign>,
    },
    /// A number.
    Number,
    /// Yes or no.
    Checkbox,
    /// Files.
    Files,
    /// People.
    Users {
        /// Whether there may be several.
        multiple: bool,
    },
    /// A number of stars.
    Rating {
        /// The highest number.
        max: serde_json::Number,
    },
    /// A choice.
    Select {
        /// Whether there may be several.
        multiple: bool,
        /// The options.
        options: Vec<SelectOption>,
    },
    /// A reference.
    ContentRef,
    /// An image.
    Image,
}

impl Default for ColumnKind {
    fn default() -> Self {
        Self::Text { text_alignment: None, vertical_alignment: None }
    }
}

/// An option of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectOption {
    /// Its name in records.
    pub value: String,
    /// Its label.
    pub label: String,
    /// Its colour.
    pub color: Color,
}

/// The value of a cell that does not hold text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CellValue {
    /// Yes or no.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// Ids of files, people or options.
    Names(Vec<String>),
    /// A reference.
    Ref(ContentRef),
    /// An image.
    Image {
        /// The picture.
        r#ref: ContentRef,
        /// How it fills the cell.
        #[serde(rename = "objectFit", default, skip_serializing_if = "Option::is_none")]
        object_fit: Option<ObjectFit>,
        /// Its alternative text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        alt: Option<String>,
    },
    /// Text in a column of another kind.
    Text(String),
}

impl Table {
    /// The ids of the columns in the order in which they are shown, then those that are not shown, by id.
    pub fn display_order(&self) -> Vec<&str> {
        let (TableView::Grid { columns: shown, .. } | TableView::Cards { columns: shown, .. }) = &self.view;
        let mut hidden: BTreeSet<&str> = self.columns.iter().map(|column| column.id.as_str()).collect();
        let mut order: Vec<&str> = shown.iter().filter_map(|id| hidden.take(id.as_str())).collect();
        order.extend(hidden);
        order
    }

    /// Gives columns other ids, also in the view and in the merged cells; an id without a new one stays. The cells of
    /// the rows must be changed in the same way.
    pub(super) fn rename_columns(&mut self, names: &HashMap<String, String>) {
        let rename = |id: &mut String| {
            if let Some(name) = names.get(id.as_str()) {
                id.clone_from(name);
            }
        };
        self.columns.iter_mut().for_each(|column| rename(&mut column.id));
        self.cell_merges.iter_mut().for_each(|merge| rename(&mut merge.column));
        match &mut self.view {
            TableView::Grid { columns, column_widths, .. } => {
                columns.iter_mut().for_each(rename);
                if let Some(widths) = column_widths {
                    let renamed = std::mem::take(widths).into_iter().map(|(mut id, width)| {
                        rename(&mut id);
                        (id, width)
                    });
                    *widths = renamed.collect();
                }
            }
            TableView::Cards { columns, target_definition, cover_definition, cover_definition_dark, .. } => {
                columns.iter_mut().for_each(rename);
                [target_definition, cover_definition, cover_definition_dark].into_iter().flatten().for_each(rename);
            }
        }
    }
}
