//! Tables in HTML: cards, and grids that pipes cannot express.
use super::blocks::Context;
use super::elements::{name_of, word};
use super::html::{HtmlTag, Token, unescape};
use super::html_blocks::Cursor;
use super::inlines::inlines;
use super::links::LinkUse;
use super::tables::{column, column_id};
use crate::document::{
    Block, CardSize, CellValue, ColumnKind, Inline, Kind, SelectOption, Table, TableCell, TableColumn, TableView,
};
use crate::reference::ContentRef;
use std::collections::BTreeMap;

/// The role of a column in cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Target,
    Cover,
    DarkCover,
}

struct Head {
    heading: Vec<Inline>,
    kind: ColumnKind,
    hidden: bool,
    role: Option<Role>,
    width: Option<serde_json::Number>,
}

/// The table at the cursor; `None` if any part of it is not understood.
pub(super) fn table(cursor: &mut Cursor<'_, '_>, context: &mut Context<'_, '_>, depth: usize) -> Option<Block> {
    let mut tag = cursor.open("table")?;
    for looks in ["align", "cellpadding", "cellspacing", "width"] {
        tag.take(looks);
    }
    tag.drop_looks();
    let (mut heads, has_header) = columns(cursor, context, depth)?;
    // The columns that are shown come first: their order here is the display order.
    let mut order: Vec<usize> = (0..heads.len()).collect();
    order.sort_by_key(|at| heads[*at].hidden);
    let mut place = vec![0; order.len()];
    for (to, from) in order.iter().enumerate() {
        place[*from] = to;
    }
    let mut rows = Vec::new();
    loop {
        let body = cursor.open("tbody");
        if let Some(body) = &body {
            body.finish().ok()?;
        }
        while let Some(row) = cursor.open("tr") {
            only_looks(row)?;
            rows.push(self::row(cursor, context, &heads, &place, depth)?);
        }
        // The body may have begun before a row that is read above.
        if cursor.close("tbody").is_none() && body.is_none() {
            break;
        }
    }
    cursor.close("table")?;
    let full_width = tag.flag("data-full-width").ok()?;
    let search = tag.flag("data-search").ok()?;
    let view = view(&mut tag, &heads, &place, has_header)?;
    tag.finish().ok()?;
    let mut columns: Vec<TableColumn> = Vec::new();
    for from in order {
        let head = &mut heads[from];
        columns.push(column(column_id(columns.len()), std::mem::take(&mut head.heading), head.kind.clone()));
    }
    Some(
        Block::new(Kind::Table(Box::new(Table { columns, view, full_width, search, ..Table::default() })))
            .with_children(rows),
    )
}

/// The columns, and whether they have a header: the row in `<thead>`, or a first row of `<th>`. Without a header, the
/// first row stays, and its cells decide on the columns.
fn columns(cursor: &mut Cursor<'_, '_>, context: &mut Context<'_, '_>, depth: usize) -> Option<(Vec<Head>, bool)> {
    let mut heads = Vec::new();
    let thead = cursor.open("thead");
    if let Some(thead) = thead.clone() {
        only_looks(thead)?;
    }
    let start = *cursor;
    if thead.is_none()
        && let Some(body) = cursor.open("tbody")
    {
        body.finish().ok()?;
    }
    only_looks(cursor.open("tr")?)?;
    while let Some(th) = cursor.open("th") {
        let (kind, hidden, role, width) = head(th)?;
        let (heading, kind) = with_options(cursor.until_close("th")?, kind);
        let heading = inlines(heading.events(), context, depth).ok()?;
        heads.push(Head { heading, kind, hidden, role, width });
    }
    if heads.is_empty() && thead.is_none() {
        while let Some(td) = cursor.open("td") {
            let (kind, _, _, width) = head(td).filter(|(_, hidden, role, _)| !hidden && role.is_none())?;
            cursor.until_close("td")?;
            heads.push(Head { heading: Vec::new(), kind, hidden: false, role: None, width });
        }
        *cursor = start;
        return (!heads.is_empty()).then_some((heads, false));
    }
    cursor.close("tr")?;
    if thead.is_some() {
        cursor.close("thead")?;
    }
    (!heads.is_empty()).then_some((heads, true))
}

/// Checks that a tag has only attributes that concern looks.
fn only_looks(mut tag: HtmlTag) -> Option<()> {
    tag.drop_looks();
    tag.finish().ok()
}

type HeadData = (ColumnKind, bool, Option<Role>, Option<serde_json::Number>);

fn head(mut th: HtmlTag) -> Option<HeadData> {
    let hidden = th.flag("data-hidden").ok()?.unwrap_or(false);
    let mut roles = [
        (th.flag("data-card-target").ok()?, Role::Target),
        (th.flag("data-card-cover").ok()?, Role::Cover),
        (th.flag("data-card-cover-dark").ok()?, Role::DarkCover),
    ]
    .into_iter()
    .filter(|(flag, _)| *flag == Some(true))
    .map(|(_, role)| role);
    let role = roles.next();
    if roles.next().is_some() {
        return None;
    }
    // Only widths in pixels have a meaning.
    let pixels = |width: String| serde_json::from_str(width.strip_suffix("px").unwrap_or(&width)).ok();
    let width = th.take("width").and_then(pixels);
    let multiple = |th: &mut HtmlTag| th.flag("data-multiple").ok().map(|flag| flag.unwrap_or(false));
    let kind = match th.take("data-type").as_deref() {
        None | Some("text") => ColumnKind::Text {
            text_alignment: th.take("align").map(|align| word(&align)).transpose().ok()?,
            vertical_alignment: th.take("valign").map(|align| word(&align)).transpose().ok()?,
        },
        Some("number") => ColumnKind::Number,
        Some("checkbox") => ColumnKind::Checkbox,
        Some("files") => ColumnKind::Files,
        Some("content-ref") => ColumnKind::ContentRef,
        Some("image") => ColumnKind::Image,
        Some("users") => ColumnKind::Users { multiple: multiple(&mut th)? },
        Some("rating") => ColumnKind::Rating { max: serde_json::from_str(&th.take("data-max")?).ok()? },
        Some("select") => ColumnKind::Select {
            multiple: multiple(&mut th)?,
            options: th.take("data-options").map_or(Some(Vec::new()), |options| serde_json::from_str(&options).ok())?,
        },
        Some(_) => return None,
    };
    only_looks(th).map(|()| (kind, hidden, role, width))
}

/// The heading of a column, and its kind: with options after the heading, it is a column of these options.
fn with_options<'t, 's>(inside: Cursor<'t, 's>, kind: ColumnKind) -> (Cursor<'t, 's>, ColumnKind) {
    let mut rest = inside;
    let start = rest.tokens.iter().position(|token| token.is("select", false));
    if let (Some(start), ColumnKind::Text { .. }) = (start, &kind) {
        let heading = rest.take(start);
        if let Some(kind) = options(rest) {
            return (heading, kind);
        }
    }
    (inside, kind)
}

/// The options in a `<select>`, which is all there is.
fn options(mut cursor: Cursor<'_, '_>) -> Option<ColumnKind> {
    let mut tag = cursor.open("select")?;
    let multiple = tag.flag("multiple").ok()?.unwrap_or(false);
    tag.finish().ok()?;
    let mut options = Vec::new();
    while let Some(mut option) = cursor.open("option") {
        let (value, label) = (option.take("value")?, option.take("label")?);
        let color = option.take("color").and_then(|color| word(&color).ok()).unwrap_or_default();
        option.finish().ok()?;
        cursor.close("option")?;
        options.push(SelectOption { value, label, color });
    }
    cursor.close("select")?;
    cursor.blank();
    cursor.tokens.is_empty().then_some(ColumnKind::Select { multiple, options })
}

fn view(tag: &mut HtmlTag, heads: &[Head], place: &[usize], has_header: bool) -> Option<TableView> {
    let shown = heads.iter().filter(|head| !head.hidden).count();
    let columns: Vec<String> = (0..shown).map(column_id).collect();
    match tag.take("data-view").as_deref() {
        None | Some("grid") => {
            if heads.iter().any(|head| head.role.is_some()) {
                return None;
            }
            let widths: BTreeMap<String, serde_json::Number> = (heads.iter().zip(place))
                .filter_map(|(head, to)| Some((column_id(*to), head.width.clone()?)))
                .collect();
            Some(TableView::Grid {
                columns,
                column_widths: (!widths.is_empty()).then_some(widths),
                hide_header: tag.flag("data-header-hidden").ok()?.unwrap_or(!has_header),
                sticky_header: tag.flag("data-sticky-header").ok()?,
                sticky_first_column: tag.flag("data-sticky-first-column").ok()?,
                use_new_sizing: tag.flag("data-new-sizing").ok()?,
            })
        }
        Some("cards") => {
            let of = |role: Role| {
                let mut found = heads.iter().zip(place).filter(|(head, _)| head.role == Some(role));
                let first = found.next().map(|(_, to)| column_id(*to));
                found.next().is_none().then_some(first)
            };
            if heads.iter().any(|head| head.width.is_some()) {
                return None;
            }
            Some(TableView::Cards {
                card_size: tag.take("data-card-size").map_or(Ok(CardSize::Medium), |size| word(&size)).ok()?,
                columns,
                target_definition: of(Role::Target)?,
                cover_definition: of(Role::Cover)?,
                cover_definition_dark: of(Role::DarkCover)?,
                hide_column_title: tag.flag("data-column-title-hidden").ok()?,
                wrap: tag.flag("data-wrap").ok()?,
            })
        }
        Some(_) => None,
    }
}

fn row(
    cursor: &mut Cursor<'_, '_>,
    context: &mut Context<'_, '_>,
    heads: &[Head],
    place: &[usize],
    depth: usize,
) -> Option<Block> {
    let mut cells: Vec<(usize, Block)> = Vec::new();
    let mut at = 0;
    while let Some(mut td) = cursor.open("td") {
        let head = heads.get(at)?;
        td.take("width");
        if let ColumnKind::Text { text_alignment, vertical_alignment } = &head.kind {
            // A cell has the alignment of its column.
            let own = [td.take("align"), td.take("valign")];
            let of_column = [text_alignment.as_ref().map(name_of), vertical_alignment.as_ref().map(name_of)];
            if own.into_iter().zip(of_column).any(|(own, column)| own.is_some() && own != column) {
                return None;
            }
        } else if matches!(head.kind, ColumnKind::Select { .. }) {
            // Options have no alignment.
            td.take("align");
            td.take("valign");
        }
        only_looks(td)?;
        let inside = cursor.until_close("td")?;
        let column = column_id(place[at]);
        if matches!(head.kind, ColumnKind::Text { .. }) {
            let content = inlines(inside.events(), context, depth).ok()?;
            let cell = Block::new(Kind::TableCell(TableCell { column, value: None })).with_content(content);
            cells.push((place[at], cell));
        } else if let Some(value) = value(&head.kind, inside, context)? {
            cells.push((place[at], Block::new(Kind::TableCell(TableCell { column, value: Some(Box::new(value)) }))));
        }
        at += 1;
    }
    cursor.close("tr")?;
    context.absent_cells = context.absent_cells.checked_sub(heads.len() - at)?;
    for (head, to) in heads.iter().zip(place).skip(at) {
        if matches!(head.kind, ColumnKind::Text { .. }) {
            let data = TableCell { column: column_id(*to), value: None };
            cells.push((*to, Block::new(Kind::TableCell(data))));
        }
    }
    cells.sort_by_key(|(place, _)| *place);
    Some(Block::new(Kind::TableRow).with_children(cells.into_iter().map(|(_, cell)| cell).collect()))
}

/// The value of a cell of a column that does not hold text; `Some(None)` if the cell is empty.
fn value(kind: &ColumnKind, mut cursor: Cursor<'_, '_>, context: &mut Context<'_, '_>) -> Option<Option<CellValue>> {
    cursor.blank();
    if cursor.tokens.is_empty() {
        return Some(None);
    }
    let found = match kind {
        ColumnKind::Text { .. } => return None,
        ColumnKind::Number | ColumnKind::Rating { .. } | ColumnKind::Checkbox => {
            let text = cursor.text()?;
            match (text.as_str(), kind) {
                ("true", ColumnKind::Checkbox) => CellValue::Bool(true),
                ("false", ColumnKind::Checkbox) => CellValue::Bool(false),
                (_, ColumnKind::Checkbox) => return None,
                _ => CellValue::Number(serde_json::from_str(&text).ok()?),
            }
        }
        ColumnKind::Users { .. } | ColumnKind::Select { .. } => {
            let mut names = Vec::new();
            while let Some(mut span) = cursor.open("span") {
                if let Some(option) = span.take("data-option") {
                    names.push(option);
                    // The text is the label of the option.
                    cursor.until_close("span")?;
                } else {
                    names.push(span.take("data-id")?);
                    cursor.close("span")?;
                }
                span.finish().ok()?;
            }
            CellValue::Names(names)
        }
        ColumnKind::Files => files(&mut cursor, context)?,
        ColumnKind::ContentRef => CellValue::Ref(cursor.anchor(context, LinkUse::Link)?),
        ColumnKind::Image => match cursor.open("img") {
            Some(mut img) => {
                let source = img.take("src")?;
                let object_fit = img.take("data-object-fit").map(|fit| word(&fit)).transpose().ok()?;
                let alt = img.take_alt();
                img.finish().ok()?;
                CellValue::Image { r#ref: context.reference(&source, LinkUse::Image, cursor.line), object_fit, alt }
            }
            None => CellValue::Ref(cursor.anchor(context, LinkUse::Image)?),
        },
    };
    cursor.blank();
    cursor.tokens.is_empty().then_some(Some(found))
}

/// Files by id, or one address that is no known file.
fn files(cursor: &mut Cursor<'_, '_>, context: &mut Context<'_, '_>) -> Option<CellValue> {
    let mut names = Vec::new();
    loop {
        match cursor.anchor(context, LinkUse::File)? {
            ContentRef::File { file, space: None } => names.push(file.as_str().to_owned()),
            other if names.is_empty() => {
                cursor.blank();
                return Some(CellValue::Ref(other));
            }
            _ => return None,
        }
        cursor.blank();
        if cursor.tokens.is_empty() {
            return Some(CellValue::Names(names));
        }
    }
}

impl Cursor<'_, '_> {
    /// Takes a text.
    fn text(&mut self) -> Option<String> {
        match self.take(self.tokens.len().min(1)).tokens {
            [Token::Text(text)] => Some(unescape(text.trim())),
            _ => None,
        }
    }

    /// Reads a link whose text is its address.
    fn anchor(&mut self, context: &mut Context<'_, '_>, use_: LinkUse) -> Option<ContentRef> {
        let mut tag = self.open("a")?;
        let href = tag.take("href")?;
        tag.finish().ok()?;
        let words = self.until_close("a")?;
        let text_alone = words.tokens.iter().all(|token| matches!(token, Token::Text(_)));
        text_alone.then(|| context.reference(&href, use_, words.line))
    }
}
