//! Tables that are shown as cards.
use super::link::safe;
use super::tables::{Cell, cells, file, picture, value};
use super::{Blocks, classes};
use crate::href::Href;
use crate::texts::Word;
use domain::content::document::{Block, CardSize, CellValue, ObjectFit, Table, TableColumn, TableView};
use domain::content::reference::ContentRef;
use maud::{Markup, html};
use std::collections::HashMap;

/// The columns of each part of a card.
struct Parts<'t> {
    shown: Vec<&'t TableColumn>,
    target: Option<&'t str>,
    cover: Option<&'t str>,
    cover_dark: Option<&'t str>,
    /// Whether each value has the title of its column.
    titled: bool,
}

pub(super) fn cards(blocks: &mut Blocks<'_>, block: &Block, data: &Table, shown: &[&TableColumn]) -> Markup {
    let TableView::Cards {
        card_size,
        target_definition,
        cover_definition,
        cover_definition_dark,
        hide_column_title,
        wrap,
        ..
    } = &data.view
    else {
        return html! {};
    };
    let (target, cover, cover_dark) =
        (target_definition.as_deref(), cover_definition.as_deref(), cover_definition_dark.as_deref());
    let special = [target, cover, cover_dark];
    let parts = Parts {
        shown: shown.iter().copied().filter(|column| !special.contains(&Some(column.id.as_str()))).collect(),
        target,
        cover,
        cover_dark,
        titled: *hide_column_title == Some(false),
    };
    let class = classes(
        "o-cards",
        &[
            ("o-large", *card_size == CardSize::Large),
            ("o-wide", data.full_width == Some(true)),
            ("o-nowrap", *wrap == Some(false)),
        ],
    );
    html! {
        ul class=(class) { @for row in &block.children { (parts.card(blocks, row)) } }
    }
}

impl Parts<'_> {
    fn card(&self, blocks: &mut Blocks<'_>, row: &Block) -> Markup {
        let cells = cells(row);
        let cover = self.cover_of(blocks, &cells);
        let (href, name) = self.target_of(blocks, &cells);
        let filled = self.shown.iter().filter_map(|column| Some((*column, *cells.get(column.id.as_str())?)));
        let mut values: Vec<(&TableColumn, Markup, String)> = Vec::new();
        for (column, cell) in filled {
            let rendered = value(blocks, column, cell);
            if !rendered.0.trim().is_empty() {
                values.push((column, rendered, cell.0.text()));
            }
        }
        let title = values.first().map(|(_, _, text)| text.lines().next().unwrap_or_default().trim().to_owned());
        let name = title.filter(|title| !title.is_empty()).or(name);
        html! {
            li {
                article {
                    @if !cover.0.is_empty() { div.o-cover { (cover) } }
                    @for (at, (column, rendered, _)) in values.iter().enumerate() {
                        div class=[(at == 0).then_some("o-card-title")] {
                            @if self.titled && at > 0 && !column.title.is_empty() { small { (column.title) } }
                            (rendered)
                        }
                    }
                    @if values.is_empty() {
                        @if let Some(name) = &name { div.o-card-title { (name) } }
                    }
                    @if let Some(href) = &href {
                        @let name = name.unwrap_or_else(|| blocks.word(Word::Open).to_owned());
                        (blocks.link(href, Some("o-card-link"), None, &html! { span.o-hidden { (name) } }))
                    }
                }
            }
        }
    }

    fn cover_of(&self, blocks: &mut Blocks<'_>, cells: &HashMap<&str, Cell<'_>>) -> Markup {
        let mut image = |column: Option<&str>| {
            let (_, data) = cells.get(column?)?;
            let (reference, alt, fit) = covered(data.value.as_deref()?)?;
            let rendered = picture(blocks, &reference, alt, fit);
            rendered.0.starts_with("<img").then_some(rendered)
        };
        match (image(self.cover), image(self.cover_dark)) {
            (Some(light), Some(dark)) => html! { span.o-light { (light) } span.o-dark { (dark) } },
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => html! {},
        }
    }

    /// The link of a card, and the title of its target.
    fn target_of(&self, blocks: &Blocks<'_>, cells: &HashMap<&str, Cell<'_>>) -> (Option<Href>, Option<String>) {
        let value = self.target.and_then(|id| cells.get(id)).and_then(|(_, data)| data.value.as_deref());
        match value {
            Some(CellValue::Ref(reference)) => {
                (blocks.leads(reference), blocks.shown(reference).map(|shown| shown.title))
            }
            Some(CellValue::Text(url)) => (safe(url), None),
            _ => (None, None),
        }
    }
}

/// The image that a value is.
fn covered(value: &CellValue) -> Option<(ContentRef, Option<&str>, Option<ObjectFit>)> {
    match value {
        CellValue::Image { r#ref, alt, object_fit } => Some((r#ref.clone(), alt.as_deref(), *object_fit)),
        CellValue::Names(names) => Some((file(names.first()?)?, None, None)),
        CellValue::Ref(reference) => Some((reference.clone(), None, None)),
        CellValue::Text(url) => Some((ContentRef::Url { url: url.clone() }, None, None)),
        _ => None,
    }
}
