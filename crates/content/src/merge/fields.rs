//! Entries as fields that are merged one by one.
use super::three_way::{Lists, agreed, join_sets};
use crate::import::Repository;
use crate::page::{FileEntry, PageEntry, PageKind, ReusableContent, Tag};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The fields of an entry by name. An absent field has its default, or does not exist.
pub(super) type Fields = BTreeMap<String, Value>;

/// An entry that consists of fields.
pub(super) trait Entry: Clone {
    /// Its fields, without derived ones and without metadata such as times and authors.
    fn fields(&self) -> Fields;

    /// The entry with these fields, and everything else unchanged; `None` if the fields are not valid for it.
    fn with(&self, fields: Fields) -> Option<Self>;
}

/// A field that both sides changed in different ways.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldConflict {
    pub(super) field: String,
    pub(super) base: Option<Value>,
    pub(super) primary: Option<Value>,
    pub(super) change: Option<Value>,
}

/// Merges the fields of two versions; a contested one gets the value of the change.
pub(super) fn join_fields(base: &Fields, primary: &Fields, change: &Fields) -> (Fields, Vec<FieldConflict>) {
    let names: BTreeSet<&String> = [base, primary, change].iter().flat_map(|fields| fields.keys()).collect();
    let (mut joint, mut contested) = (Fields::new(), Vec::new());
    for name in names {
        let [base, primary, change] = [base, primary, change].map(|fields| fields.get(name));
        let value = match agreed(base, primary, change) {
            Some(value) => value.cloned(),
            None => match join_parts(name, base, primary, change) {
                Some(list) => Some(list),
                None => {
                    let [base, primary, change] = [base, primary, change].map(Option::<&Value>::cloned);
                    contested.push(FieldConflict { field: name.clone(), base, primary, change: change.clone() });
                    change
                }
            },
        };
        joint.extend(value.map(|value| (name.clone(), value)));
    }
    (joint, contested)
}

type Members = Map<String, Value>;

/// Merges values with parts: lists that both sides may add to and remove from, and a cover.
fn join_parts(name: &str, base: Option<&Value>, primary: Option<&Value>, change: Option<&Value>) -> Option<Value> {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let lists = [base, primary, change].map(list);
    match name {
        "metaLinks.alternates" => {
            let texts = lists.map(|list| list.iter().map(Value::to_string).collect::<Vec<_>>());
            let joint = join_sets(&Lists { base: &texts[0], primary: &texts[1], change: &texts[2] })?;
            joint.iter().map(|text| serde_json::from_str(text).ok()).collect::<Option<Vec<Value>>>().map(Value::from)
        }
        "tags" => join_tags(&lists),
        "cover" => join_members(base?.as_object()?, primary?.as_object()?, change?.as_object()?),
        _ => None,
    }
}

/// Merges objects that exist on all sides, if no member is contested.
fn join_members(base: &Members, primary: &Members, change: &Members) -> Option<Value> {
    let fields = [base, primary, change].map(|members| members.clone().into_iter().collect::<Fields>());
    let (joint, contested) = join_fields(&fields[0], &fields[1], &fields[2]);
    contested.is_empty().then(|| Value::Object(joint.into_iter().collect()))
}

/// Merges the tags of a page: the set of them, and the primary one.
fn join_tags(lists: &[Vec<Value>; 3]) -> Option<Value> {
    let name = |tag: &Value| tag.get("tag").map(Value::to_string).unwrap_or_default();
    let [base, primary, change] = lists.each_ref().map(|list| list.iter().map(name).collect::<Vec<_>>());
    let first = lists
        .each_ref()
        .map(|list| list.iter().find(|tag| tag.get("primary").and_then(Value::as_bool) == Some(true)).map(name));
    let first = agreed(&first[0], &first[1], &first[2])?.clone();
    let joint = join_sets(&Lists { base: &base, primary: &primary, change: &change })?;
    if first.as_ref().is_some_and(|first| !joint.contains(first)) {
        return None;
    }
    let tags = joint.iter().map(|text| {
        let mut tag = Map::from_iter([("tag".to_owned(), serde_json::from_str(text).ok()?)]);
        if first.as_ref() == Some(text) {
            tag.insert("primary".to_owned(), Value::Bool(true));
        }
        Some(Value::Object(tag))
    });
    tags.collect::<Option<Vec<_>>>().map(Value::from)
}

fn object(value: &impl Serialize) -> Members {
    match serde_json::to_value(value) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

fn parsed<T: DeserializeOwned>(members: Members) -> Option<T> {
    serde_json::from_value(Value::Object(members)).ok()
}

/// The field of a page with its parent and its position among its siblings, which have a meaning only together.
pub(super) const POSITION: &str = "position";
/// The field of a page with its kind: a document, a group, or a link with its target.
pub(super) const KIND: &str = "kind";

/// The fields of a page that are metadata, or that are merged separately.
const EXCLUDED: [&str; 6] = ["createdAt", "updatedAt", "createdBy", "git", "source", "importDigest"];
/// The fields of a page that have fields themselves.
const NESTED: [&str; 3] = ["layout", "variables", "metaLinks"];

impl Entry for PageEntry {
    fn fields(&self) -> Fields {
        let mut members = object(self);
        EXCLUDED.iter().for_each(|name| drop(members.remove(*name)));
        // Defaults are not serialized, but each field of a layout is merged separately.
        members.insert("layout".to_owned(), Value::Object(object(&self.layout)));
        let position = json!({"parent": members.remove("parent"), "order": members.remove("order")});
        members.insert(POSITION.to_owned(), position);
        if let Some(Value::Object(kind)) = members.get_mut(KIND) {
            kind.remove("document");
        }
        let mut fields = Fields::new();
        for (name, value) in members {
            match value {
                Value::Object(inner) if NESTED.contains(&name.as_str()) => {
                    fields.extend(inner.into_iter().map(|(inner, value)| (format!("{name}.{inner}"), value)));
                }
                value => drop(fields.insert(name, value)),
            }
        }
        fields
    }

    fn with(&self, fields: Fields) -> Option<Self> {
        let mut members: Members = object(self);
        members.retain(|name, _| EXCLUDED.contains(&name.as_str()));
        for (name, value) in fields {
            match name.split_once('.').filter(|(outer, _)| NESTED.contains(outer)) {
                Some((outer, inner)) => {
                    let outer = members.entry(outer).or_insert_with(|| Value::Object(Map::new()));
                    outer.as_object_mut()?.insert(inner.to_owned(), value);
                }
                None if name == POSITION => {
                    let Value::Object(position) = value else { return None };
                    members.extend(position.into_iter().filter(|(_, value)| !value.is_null()));
                }
                None => drop(members.insert(name, value)),
            }
        }
        let mut page: Self = parsed(members)?;
        if let (PageKind::Document { document }, Some(own)) = (&mut page.kind, self.document()) {
            *document = Some(own);
        }
        Some(page)
    }
}

/// The field of a file with its bytes and everything that depends on them.
const CONTENT: &str = "content";

impl Entry for FileEntry {
    fn fields(&self) -> Fields {
        let mut members = object(self);
        members.remove("git");
        let name = members.remove("name").unwrap_or_default();
        Fields::from([("name".to_owned(), name), (CONTENT.to_owned(), Value::Object(members))])
    }

    fn with(&self, mut fields: Fields) -> Option<Self> {
        let Some(Value::Object(mut members)) = fields.remove(CONTENT) else { return None };
        members.extend(fields);
        Some(Self { git: self.git.clone(), ..parsed(members)? })
    }
}

impl Entry for ReusableContent {
    fn fields(&self) -> Fields {
        Fields::from([("title".to_owned(), self.title.clone().into())])
    }

    fn with(&self, fields: Fields) -> Option<Self> {
        let title = fields.get("title")?.as_str()?.to_owned();
        Some(Self { title, ..self.clone() })
    }
}

impl Entry for Tag {
    fn fields(&self) -> Fields {
        object(self).into_iter().collect()
    }

    fn with(&self, fields: Fields) -> Option<Self> {
        parsed(fields.into_iter().collect())
    }
}

/// The maps of a repository, whose values by the names of files are merged one by one.
const MAPS: [&str; 2] = ["raw", "settings"];

impl Entry for Repository {
    fn fields(&self) -> Fields {
        let mut fields = Fields::new();
        for (name, value) in object(self) {
            match value {
                Value::Object(files) if MAPS.contains(&name.as_str()) => {
                    fields.extend(files.into_iter().map(|(file, value)| (format!("{name}.{file}"), value)));
                }
                value => drop(fields.insert(name, value)),
            }
        }
        fields
    }

    fn with(&self, fields: Fields) -> Option<Self> {
        let mut members = Map::new();
        for (name, value) in fields {
            match MAPS.iter().find_map(|map| Some((*map, name.strip_prefix(map)?.strip_prefix('.')?))) {
                Some((map, file)) => members.entry(map).or_insert_with(|| json!({}))[file] = value,
                None => drop(members.insert(name, value)),
            }
        }
        parsed(members)
    }
}
