//! Merges a block without the blocks in it: its data field by field, its text by words.
use crate::document::{Block, Holds, Inline, Kind};
use crate::merge::Wording;
use crate::merge::text::join_content;
use crate::merge::three_way::{Lists, agreed, join_sets};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The merged data and text of a block; `None` for a conflict.
pub(super) fn join_block(
    base: Option<&Block>,
    primary: &Block,
    change: &Block,
    wording: Wording,
) -> Option<(Kind, Vec<Inline>)> {
    let Some(base) = base else {
        let equal = primary.kind == change.kind && primary.content == change.content;
        return equal.then(|| (change.kind.clone(), change.content.clone()));
    };
    let kind = join_kind(&base.kind, &primary.kind, &change.kind)?;
    let holds = kind.block_type().shape().holds;
    let content = match wording {
        Wording::Joined => join_content(&base.content, &primary.content, &change.content, holds == Holds::Code)?,
        Wording::Whole => agreed(&base.content, &primary.content, &change.content)?.clone(),
    };
    (content.is_empty() || holds != Holds::Nothing).then_some((kind, content))
}

fn join_kind(base: &Kind, primary: &Kind, change: &Kind) -> Option<Kind> {
    if let Some(agreed) = agreed(base, primary, change) {
        return Some(agreed.clone());
    }
    let json = |kind: &Kind| serde_json::to_value(kind).ok();
    let (Value::Object(base), Value::Object(primary), Value::Object(change)) =
        (json(base)?, json(primary)?, json(change)?)
    else {
        return None;
    };
    // A kind with data is an object with one member: its name, and the data.
    let joint = join_members(&base, &primary, &change, &|_, base, primary, change| match (base, primary, change) {
        (Some(Value::Object(base)), Some(Value::Object(primary)), Some(Value::Object(change))) => {
            join_members(base, primary, change, &join_datum).map(Value::Object).map(Some)
        }
        _ => None,
    })?;
    (joint.len() == 1).then_some(())?;
    serde_json::from_value(Value::Object(joint)).ok()
}

type Members = Map<String, Value>;
type Deeper<'d> = &'d dyn Fn(&str, Option<&Value>, Option<&Value>, Option<&Value>) -> Option<Option<Value>>;

/// Joins objects member by member; `deeper` joins a member that both sides changed.
fn join_members(base: &Members, primary: &Members, change: &Members, deeper: Deeper<'_>) -> Option<Members> {
    let names: BTreeSet<&String> = [base, primary, change].iter().flat_map(|members| members.keys()).collect();
    let mut joint = Map::new();
    for name in names {
        let [base, primary, change] = [base, primary, change].map(|members| members.get(name));
        let value = match agreed(base, primary, change) {
            Some(value) => value.cloned(),
            None => deeper(name, base, primary, change)?,
        };
        joint.extend(value.map(|value| (name.clone(), value)));
    }
    Some(joint)
}

/// Joins the parts of a block's data that are not whole fields: the columns and the view of a table.
fn join_datum(
    name: &str,
    base: Option<&Value>,
    primary: Option<&Value>,
    change: Option<&Value>,
) -> Option<Option<Value>> {
    match (name, base, primary, change) {
        ("columns", base, Some(Value::Array(primary)), Some(Value::Array(change))) => {
            let nothing = Vec::new();
            let base = base.and_then(Value::as_array).unwrap_or(&nothing);
            join_columns(base, primary, change).map(Value::Array).map(Some)
        }
        ("view", Some(Value::Object(base)), Some(Value::Object(primary)), Some(Value::Object(change))) => {
            join_members(base, primary, change, &|name, base, primary, change| {
                let names = [base, primary, change].map(|value| value.and_then(Value::as_array));
                let ("columns", [Some(base), Some(primary), Some(change)]) = (name, names) else { return None };
                let [base, primary, change] = [base, primary, change].map(|list| texts(list));
                let joint = join_sets(&Lists { base: &base?, primary: &primary?, change: &change? })?;
                Some(Some(Value::from(joint)))
            })
            .map(Value::Object)
            .map(Some)
        }
        _ => None,
    }
}

fn texts(list: &[Value]) -> Option<Vec<String>> {
    list.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

fn join_columns(base: &[Value], primary: &[Value], change: &[Value]) -> Option<Vec<Value>> {
    let ids = |columns: &[Value]| -> Option<Vec<String>> {
        columns.iter().map(|column| Some(column.get("id")?.as_str()?.to_owned())).collect()
    };
    let find = |columns: &[Value], id: &str| -> Option<Members> {
        columns.iter().find(|column| column.get("id").and_then(Value::as_str) == Some(id))?.as_object().cloned()
    };
    let lists = [ids(base)?, ids(primary)?, ids(change)?];
    let joint = join_sets(&Lists { base: &lists[0], primary: &lists[1], change: &lists[2] })?;
    // A column that one side removed and the other one changed is a conflict.
    let gone = lists[0].iter().filter(|id| !joint.contains(id));
    for id in gone {
        let was = find(base, id);
        let left = [find(primary, id), find(change, id)];
        if left.iter().flatten().any(|column| Some(column) != was.as_ref()) {
            return None;
        }
    }
    let column = |id: &String| match (find(base, id), find(primary, id), find(change, id)) {
        (base, Some(primary), Some(change)) => {
            join_members(&base.unwrap_or_default(), &primary, &change, &|_, _, _, _| None)
        }
        (_, primary, change) => primary.or(change),
    };
    joint.iter().map(|id| column(id).map(Value::Object)).collect()
}
