mod laws;
mod operations;
mod real;
mod schemas;

use super::{OperationView, RowRole, SchemaRow};
use crate::text::read;
use crate::tree::Node;

pub(super) fn tree(text: &str) -> Node {
    read(text.as_bytes()).root.expect("the text of a test can be read")
}

/// A row and the rows below it, a line each.
pub(super) fn lines(row: &SchemaRow) -> Vec<String> {
    let mut out = vec![line(row)];
    for child in &row.children {
        out.extend(lines(child).into_iter().map(|line| format!("  {line}")));
    }
    if let Some(rest) = row.rest {
        out.push(format!("  … {} from {}", rest.count, rest.skip));
    }
    out
}

/// The type and everything that has a short form.
fn line(row: &SchemaRow) -> String {
    let role = match row.role {
        RowRole::Schema | RowRole::Field => "",
        RowRole::Pattern => "pattern ",
        RowRole::OtherFields => "others",
        RowRole::Item => "item ",
        RowRole::OtherItems => "other items",
        RowRole::OneOf => "one ",
        RowRole::AnyOf => "any ",
        RowRole::AllOf => "all ",
    };
    let name = format!("{role}{}", row.name.as_deref().unwrap_or_default());
    let mut out =
        if name.trim().is_empty() { row.type_text.clone() } else { format!("{}: {}", name.trim(), row.type_text) };
    let flags = [
        (row.required, "!"),
        (row.deprecated, " deprecated"),
        (row.read_only, " readOnly"),
        (row.write_only, " writeOnly"),
        (row.closed, " closed"),
        (row.recursive.is_some(), " recursive"),
        (row.incomplete, " incomplete"),
    ];
    flags.into_iter().filter(|(is, _)| *is).for_each(|(_, flag)| out.push_str(flag));
    for rule in &row.constraints {
        out.push_str(&format!("; {rule}"));
    }
    if !row.values.is_empty() {
        let values: Vec<&str> = row.values.iter().map(|value| value.value.as_str()).collect();
        out.push_str(&format!("; {}", values.join("|")));
    }
    out
}

/// All rows of a view.
pub(super) fn rows(view: &OperationView) -> Vec<SchemaRow> {
    let mut next: Vec<SchemaRow> = view.clone().rows_mut().map(std::mem::take).collect();
    let mut all = Vec::new();
    while let Some(mut row) = next.pop() {
        next.append(&mut row.children);
        all.push(row);
    }
    all
}
