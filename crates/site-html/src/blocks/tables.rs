//! Tables.
use super::{Blocks, cards, classes};
use crate::texts::Word;
use domain::content::document::{
    Block, CellValue, ColumnAlign, ColumnKind, Kind, ObjectFit, SelectOption, Table, TableCell, TableColumn, TableView,
    VerticalAlign,
};
use domain::content::reference::ContentRef;
use domain::site::reader::ReferenceTarget;
use maud::{Markup, html};
use serde_json::Number;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The maximum number of stars of a rating.
const MAX_STARS: f64 = 20.0;

/// The maximum length of the name of a table, in characters.
const MAX_NAME: usize = 80;

/// A cell: its block and its data.
pub(super) type Cell<'t> = (&'t Block, &'t TableCell);

/// The cells of a row, by column.
pub(super) fn cells(row: &Block) -> HashMap<&str, Cell<'_>> {
    let cells = row.children.iter().filter_map(|block| match &block.kind {
        Kind::TableCell(data) => Some((data.column.as_str(), (block, data))),
        _ => None,
    });
    cells.collect()
}

pub(super) fn table(blocks: &mut Blocks<'_>, block: &Block, data: &Table) -> Markup {
    let by_id: HashMap<&str, &TableColumn> = data.columns.iter().map(|column| (column.id.as_str(), column)).collect();
    let shown =
        |ids: &[String]| -> Vec<&TableColumn> { ids.iter().filter_map(|id| by_id.get(id.as_str()).copied()).collect() };
    match &data.view {
        TableView::Grid { columns, column_widths, hide_header, sticky_header, sticky_first_column, use_new_sizing } => {
            let class = classes(
                "o-table",
                &[
                    ("o-sticky-head", *sticky_header == Some(true)),
                    ("o-sticky-first", *sticky_first_column == Some(true)),
                    ("o-wide", data.full_width == Some(true)),
                    ("o-exact", *use_new_sizing == Some(true) && column_widths.is_some()),
                ],
            );
            let shown = shown(columns);
            if shown.is_empty() {
                return html! {};
            }
            let grid = Grid {
                spans: Spans::of(block, data, &shown),
                shown,
                class,
                hide_header: *hide_header,
                has_search: data.search == Some(true),
                widths: column_widths.as_ref(),
            };
            grid.render(blocks, block)
        }
        TableView::Cards { columns, .. } => cards::cards(blocks, block, data, &shown(columns)),
    }
}

/// Cells that are shown as one.
struct Spans {
    /// By row and column of their first cell, how many rows and columns there are.
    first: HashMap<(usize, usize), (usize, usize)>,
    /// The others.
    covered: HashSet<(usize, usize)>,
}

impl Spans {
    fn of(block: &Block, data: &Table, shown: &[&TableColumn]) -> Self {
        let mut spans = Self { first: HashMap::new(), covered: HashSet::new() };
        if data.cell_merges.is_empty() {
            return spans;
        }
        let rows: HashMap<&str, usize> =
            block.children.iter().enumerate().map(|(at, row)| (row.key.0.as_str(), at)).collect();
        let columns: HashMap<&str, usize> =
            shown.iter().enumerate().map(|(at, column)| (column.id.as_str(), at)).collect();
        for merge in &data.cell_merges {
            let place = rows.get(merge.record.as_str()).zip(columns.get(merge.column.as_str()));
            let Some((&row, &column)) = place else { continue };
            let height = usize::from(merge.row_span.max(1)).min(block.children.len() - row);
            let width = usize::from(merge.col_span.max(1)).min(shown.len() - column);
            let cells = (row..row + height).flat_map(|row| (column..column + width).map(move |column| (row, column)));
            let cells: Vec<(usize, usize)> = cells.collect();
            // Merges that overlap are not valid; the first one wins.
            if cells.iter().any(|cell| spans.covered.contains(cell) || spans.first.contains_key(cell)) {
                continue;
            }
            spans.covered.extend(cells.into_iter().skip(1));
            spans.first.insert((row, column), (height, width));
        }
        spans
    }
}

/// A table of rows and columns.
struct Grid<'t> {
    shown: Vec<&'t TableColumn>,
    spans: Spans,
    class: String,
    hide_header: bool,
    has_search: bool,
    widths: Option<&'t BTreeMap<String, Number>>,
}

impl Grid<'_> {
    fn render(&self, blocks: &mut Blocks<'_>, block: &Block) -> Markup {
        let name = self.name(blocks);
        // Regions of one document have different names, also those of several sheets.
        let same = blocks.tables.entry(name.clone()).or_default();
        *same += 1;
        let name = match blocks.part.trim_matches(|char: char| !char.is_ascii_digit()) {
            "" if *same == 1 => name,
            "" => format!("{name} ({same})"),
            sheet => format!("{name} ({sheet}.{same})"),
        };
        html! {
            div class=(self.class) tabindex="0" role="region" aria-label=(name) data-search[self.has_search] {
                table {
                    (self.columns(blocks))
                    // A header without any name would be an empty bar.
                    @if !self.shown.iter().all(|column| is_nameless(column)) { (self.header(blocks)) }
                    tbody {
                        @for (at, row) in block.children.iter().enumerate() { (self.row(blocks, at, row)) }
                    }
                }
            }
        }
    }

    fn header(&self, blocks: &mut Blocks<'_>) -> Markup {
        html! {
            thead class=[self.hide_header.then_some("o-hidden")] {
                tr {
                    @for column in &self.shown {
                        // An empty cell heads nothing.
                        @if is_nameless(column) { td {} } @else {
                            th scope="col" class=[side(&column.kind)] {
                                @if column.heading.is_empty() { (column.title) } @else { (blocks.line(&column.heading)) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The name of the table: the titles of its columns, as far as they fit.
    fn name(&self, blocks: &Blocks<'_>) -> String {
        let titles: Vec<&str> =
            self.shown.iter().map(|column| column.title.trim()).filter(|title| !title.is_empty()).collect();
        let name = blocks.word(Word::Table);
        if titles.is_empty() {
            return name.to_owned();
        }
        let mut whole = format!("{name}: {}", titles.join(", "));
        if let Some((at, _)) = whole.char_indices().nth(MAX_NAME) {
            whole.truncate(at);
            whole.push('…');
        }
        whole
    }

    fn columns(&self, blocks: &mut Blocks<'_>) -> Markup {
        let Some(widths) = self.widths else { return html! {} };
        let width = |column: &&TableColumn| widths.get(&column.id).and_then(Number::as_f64).map(|width| width.round());
        let widths: Vec<Option<f64>> = self.shown.iter().map(width).collect();
        html! {
            colgroup {
                @for width in widths {
                    @let class = width.filter(|width| (1.0..=10_000.0).contains(width))
                        .map(|width| blocks.class(&format!("inline-size:{width}px;min-inline-size:{width}px")));
                    col class=[class];
                }
            }
        }
    }

    fn row(&self, blocks: &mut Blocks<'_>, at: usize, row: &Block) -> Markup {
        let cells = cells(row);
        html! {
            tr {
                @for (beside, column) in self.shown.iter().enumerate() {
                    @if !self.spans.covered.contains(&(at, beside)) {
                        @let (rows, columns) = self.spans.first.get(&(at, beside)).copied().unwrap_or((1, 1));
                        td class=[side(&column.kind)] rowspan=[(rows > 1).then_some(rows)]
                            colspan=[(columns > 1).then_some(columns)] {
                            @if let Some(cell) = cells.get(column.id.as_str()) { (value(blocks, column, *cell)) }
                        }
                    }
                }
            }
        }
    }
}

fn is_nameless(column: &TableColumn) -> bool {
    column.heading.is_empty() && column.title.trim().is_empty()
}

fn side(kind: &ColumnKind) -> Option<&'static str> {
    let ColumnKind::Text { text_alignment, vertical_alignment } = kind else {
        return matches!(kind, ColumnKind::Number).then_some("o-end");
    };
    match (text_alignment, vertical_alignment) {
        (Some(ColumnAlign::Right), Some(VerticalAlign::Middle)) => Some("o-end o-middle"),
        (Some(ColumnAlign::Right), Some(VerticalAlign::Bottom)) => Some("o-end o-bottom"),
        (Some(ColumnAlign::Right), _) => Some("o-end"),
        (Some(ColumnAlign::Center), Some(VerticalAlign::Middle)) => Some("o-center o-middle"),
        (Some(ColumnAlign::Center), Some(VerticalAlign::Bottom)) => Some("o-center o-bottom"),
        (Some(ColumnAlign::Center), _) => Some("o-center"),
        (_, Some(VerticalAlign::Middle)) => Some("o-middle"),
        (_, Some(VerticalAlign::Bottom)) => Some("o-bottom"),
        _ => None,
    }
}

/// The content of a cell.
pub(super) fn value(blocks: &mut Blocks<'_>, column: &TableColumn, (cell, data): Cell<'_>) -> Markup {
    let Some(value) = data.value.as_deref() else {
        return html! { (blocks.line(&cell.content)) (blocks.take_notes()) (blocks.all(&cell.children)) };
    };
    match (&column.kind, value) {
        (_, CellValue::Bool(done)) => {
            let name = blocks.word(if *done { Word::Yes } else { Word::No });
            html! { span.o-check aria-hidden="true" { (if *done { "☑" } else { "☐" }) } span.o-hidden { (name) } }
        }
        (ColumnKind::Rating { max }, CellValue::Number(number)) => rating(blocks, number, max),
        (_, CellValue::Number(number)) => html! { (number) },
        (ColumnKind::Select { options, .. }, CellValue::Names(names)) => html! {
            @for name in names { @if let Some(option) = option(options, name) { (tag(option)) " " } }
        },
        (ColumnKind::Select { options, .. }, CellValue::Text(name)) => match option(options, name) {
            Some(option) => tag(option),
            None => html! { (name) },
        },
        (ColumnKind::Files, CellValue::Names(names)) => html! {
            @for name in names {
                @if let Some(file) = file(name).and_then(|reference| blocks.context.references.file(&reference)) {
                    a.o-cell-file href=(file.href) download=(file.name) { (file.name) } " "
                }
            }
        },
        (ColumnKind::Users { .. }, CellValue::Names(names)) => html! {
            @for name in names { @if let Some(person) = person(blocks, name) { span.o-mention { (person) } " " } }
        },
        (_, CellValue::Names(names)) => html! { (names.join(", ")) },
        (_, CellValue::Ref(reference)) => self::reference(blocks, reference),
        (_, CellValue::Image { r#ref, object_fit, alt }) => picture(blocks, r#ref, alt.as_deref(), *object_fit),
        (_, CellValue::Text(text)) => html! { (text) },
    }
}

fn rating(blocks: &Blocks<'_>, number: &Number, max: &Number) -> Markup {
    let max = max.as_f64().unwrap_or(5.0).clamp(1.0, MAX_STARS).round();
    let full = number.as_f64().unwrap_or(0.0).clamp(0.0, max).round();
    let name = blocks.context.texts.with(Word::Rating, &format!("{number} / {max}"));
    html! {
        span.o-rating aria-hidden="true" { ("★".repeat(full as usize)) ("☆".repeat((max - full) as usize)) }
        span.o-hidden { (name) }
    }
}

fn option<'o>(options: &'o [SelectOption], name: &str) -> Option<&'o SelectOption> {
    options.iter().find(|option| option.value == *name)
}

fn tag(option: &SelectOption) -> Markup {
    html! { span class={ "o-tag o-bg-" (super::inline::color_name(option.color)) } { (option.label) } }
}

/// The reference to a file of the space by its id.
pub(super) fn file(id: &str) -> Option<ContentRef> {
    Some(ContentRef::File { file: id.parse().ok()?, space: None })
}

fn person(blocks: &Blocks<'_>, id: &str) -> Option<String> {
    let user = id.parse().ok()?;
    match blocks.context.references.get(&ContentRef::User { user })? {
        ReferenceTarget::Person(name) => Some(name.clone()),
        _ => None,
    }
}

fn reference(blocks: &Blocks<'_>, reference: &ContentRef) -> Markup {
    let Some(shown) = blocks.shown(reference) else { return html! {} };
    let inner = html! { @if let Some(sign) = shown.sign { (sign) " " } (shown.title) };
    match blocks.leads(reference) {
        Some(href) => blocks.link(&href, None, None, &inner),
        None => inner,
    }
}

/// An image in a cell or on a card.
pub(super) fn picture(
    blocks: &mut Blocks<'_>,
    reference: &ContentRef,
    alt: Option<&str>,
    fit: Option<ObjectFit>,
) -> Markup {
    let Some((src, size)) = blocks.picture(reference) else { return html! { (alt.unwrap_or_default()) } };
    let class = match fit {
        Some(ObjectFit::Contain) => Some("o-contain"),
        Some(ObjectFit::Fill) => Some("o-fill"),
        Some(ObjectFit::Cover) => Some("o-cut"),
        None => None,
    };
    html! {
        img class=[class] src=(src) alt=(alt.unwrap_or_default()) width=[size.map(|size| size.0)]
            height=[size.map(|size| size.1)] loading="lazy" decoding="async";
    }
}
