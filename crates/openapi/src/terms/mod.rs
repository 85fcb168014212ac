//! Texts for search: the words by which readers find an operation or schemas.
#[cfg(test)]
mod tests;

use crate::tree::Node;
use crate::view::{self, Budget, OperationView, RowRole, SchemaRow};
use indexmap::IndexSet;

/// The maximum number of terms of a text. A run of letters and digits is a term; a longer one counts once per 16
/// characters, because scripts without spaces have several words in it.
pub const MAX_TERMS: usize = 4_000;

/// The number of characters of a run that count as one term.
const RUN: usize = 16;

/// The depth to which fields are included.
const BUDGET: Budget = Budget { rows: 4_000, depth: 2, bytes: 4 * 1024 * 1024, skip: 0 };

/// A text for search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchText {
    /// The title.
    pub title: String,
    /// The other texts, one per line.
    pub body: String,
}

/// The text of an operation: its summary as the title; its method and path, id, description, and the names of its
/// parameters, headers and fields. `None` if the document does not have it. Operations match as in a
/// [view](view::operation).
pub fn operation(document: &Node, path: &str, method: &str) -> Option<SearchText> {
    view::operation(document, path, method, &BUDGET).map(|view| of_view(&view))
}

/// The text of an operation of a webhook, with the name of the webhook in place of the path.
pub fn webhook(document: &Node, name: &str, method: &str) -> Option<SearchText> {
    view::webhook(document, name, method, &BUDGET).map(|view| of_view(&view))
}

/// The text of schemas: their names, descriptions and fields. It has no title.
pub fn models<T: AsRef<str>>(document: &Node, names: &[T]) -> SearchText {
    let rows = view::models(document, names, &BUDGET);
    let mut text = Text::default();
    for row in &rows {
        text.line(row.name.as_deref().unwrap_or_default());
        text.line(row.title.as_deref().unwrap_or_default());
        text.line(row.description.as_deref().unwrap_or_default());
        text.names(names_of(&row.children));
    }
    SearchText { title: String::new(), body: text.body }
}

fn of_view(view: &OperationView) -> SearchText {
    let mut text = Text::default();
    let subject = view.path.as_deref().or(view.webhook.as_deref()).unwrap_or_default();
    let request = format!("{} {subject}", view.method.to_ascii_uppercase());
    let title = view.summary.as_deref().or(view.id.as_deref()).unwrap_or(&request);
    text.line(title);
    let title = std::mem::take(&mut text.body);
    text.line(&request);
    text.line(view.id.as_deref().unwrap_or_default());
    text.line(view.description.as_deref().unwrap_or_default());
    text.names(view.parameters.iter().flat_map(|group| &group.parameters).filter_map(|one| one.row.name.as_deref()));
    let operations = [view].into_iter().chain(view.callbacks.iter().map(|callback| &callback.operation));
    let fields: IndexSet<&str> = operations.flat_map(|view| names_of(view.rows())).collect();
    text.names(fields);
    SearchText { title, body: text.body }
}

/// The names of fields and headers, less deep ones first.
fn names_of<'a>(rows: impl IntoIterator<Item = &'a SchemaRow>) -> IndexSet<&'a str> {
    let mut names = IndexSet::new();
    let mut level: Vec<&SchemaRow> = rows.into_iter().collect();
    while !level.is_empty() {
        let named = level.iter().filter(|row| matches!(row.role, RowRole::Schema | RowRole::Field));
        names.extend(named.filter_map(|row| row.name.as_deref()));
        level = level.into_iter().flat_map(|row| &row.children).collect();
    }
    names
}

/// Lines with at most [`MAX_TERMS`] terms.
#[derive(Default)]
struct Text {
    body: String,
    terms: usize,
}

impl Text {
    fn line(&mut self, line: &str) {
        let line = line.trim();
        let fitting = self.take(line);
        let cut = line.get(..fitting).unwrap_or_default().trim_end();
        if !cut.is_empty() {
            if !self.body.is_empty() {
                self.body.push('\n');
            }
            self.body.push_str(cut);
        }
    }

    fn names<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        self.line(&names.into_iter().collect::<Vec<_>>().join(", "));
    }

    /// Counts the terms of a text, and returns how many of its bytes fit.
    fn take(&mut self, text: &str) -> usize {
        let mut run = 0;
        for (at, char) in text.char_indices() {
            if !char.is_alphanumeric() {
                run = 0;
                continue;
            }
            if run % RUN == 0 {
                if self.terms == MAX_TERMS {
                    return at;
                }
                self.terms += 1;
            }
            run += 1;
        }
        text.len()
    }
}
