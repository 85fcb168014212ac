//! Paths and their parameters.
use super::{Check, item_of, names::map_of};
use crate::finding::Code;
use crate::shape::{Object, ObjectKind};
use crate::tree::{Node, Path, Step};
use crate::wording::{cut, quoted};
use indexmap::IndexSet;
use std::collections::{HashMap, HashSet};

/// The longest path that a message quotes, in characters.
const MAX_PATH: usize = 120;

/// Finds paths that differ only in the names of their parameters.
pub(super) fn ambiguous(root: &Node, check: &mut Check<'_, '_>) {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for (path, member) in map_of(root, "paths").into_iter().flatten() {
        if !path.starts_with('/') {
            continue;
        }
        let mut shape = String::new();
        let mut inside = false;
        for char in path.chars() {
            match char {
                '}' => inside = false,
                _ if inside => continue,
                '{' => inside = true,
                _ => {}
            }
            shape.push(char);
        }
        match seen.get(&shape) {
            Some(other) => {
                let message = format!("{} and {} cannot be told apart", cut(other, MAX_PATH), cut(path, MAX_PATH));
                let place = Path(vec![Step::Key("paths".into()), Step::Key(path.clone())]);
                check.report(Code::PathAmbiguous, member.at, place, message);
            }
            None => {
                seen.insert(shape, path);
            }
        }
    }
}

/// The path item that operations belong to.
pub(super) struct Owner<'a> {
    key: &'a str,
    /// The names that the path needs, each once; `None` if the key is not a path of the document.
    names: Option<IndexSet<&'a str>>,
    /// The names in braces that a parameter can have.
    braced: HashSet<&'a str>,
    /// The path parameters for all operations; `None` if some cannot be read.
    parameters: Option<HashSet<&'a str>>,
}

impl<'a> Owner<'a> {
    pub(super) fn of(object: &Object<'a, '_>, check: &Check<'a, '_>) -> Self {
        let key = object.key().unwrap_or_default();
        // The fields at the target of a reference are not known here.
        let is_path = object.depth() == 2 && key.starts_with('/') && object.node.get("$ref").is_none();
        let is_path = is_path && matches!(object.path().0.first(), Some(Step::Key(first)) if &**first == "paths");
        let names = is_path.then(|| names(key));
        let braced =
            if is_path { in_braces(key).flat_map(|name| [name, bare(name)]).collect() } else { HashSet::new() };
        Self { key, names, braced, parameters: path_parameters(object.node, check) }
    }

    /// The path, or a description if there is none.
    pub(super) fn name(&self) -> std::borrow::Cow<'a, str> {
        cut(self.key, MAX_PATH)
    }
}

/// The names that a path needs. The part after a question mark is a query, which some documents write there.
fn names(path: &str) -> IndexSet<&str> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    in_braces(path).filter(|name| !name.is_empty() && !name.starts_with('?')).collect()
}

/// The name of a parameter without the characters that some documents write beside it: `{path*}` and `{+path}`.
fn bare(name: &str) -> &str {
    name.trim_matches(['+', '*'])
}

fn in_braces(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0))
}

/// The names of the path parameters in a list, references followed; `None` if one cannot be followed or read.
fn path_parameters<'a>(owner: &'a Node, check: &Check<'a, '_>) -> Option<HashSet<&'a str>> {
    let mut names = HashSet::new();
    for parameter in owner.get("parameters").map_or(Some(&[][..]), Node::as_list)? {
        let parameter = check.resolver.behind(parameter, ObjectKind::Parameter)?;
        if parameter.text_of("in")? == "path" {
            names.insert(parameter.text_of("name")?);
        }
    }
    Some(names)
}

/// Checks that the path of an operation names the same parameters as those that are defined for the path.
pub(super) fn parameters<'a>(object: &Object<'a, '_>, owner: &Owner<'a>, check: &mut Check<'a, '_>) {
    let (Some(names), Some(shared)) = (&owner.names, &owner.parameters) else { return };
    let Some(own) = path_parameters(object.node, check) else { return };
    let at = object.node.at;
    for name in names {
        // Each finding has the whole path.
        if check.findings.is_full(Code::PathParameter) {
            return;
        }
        let known = |list: &HashSet<&str>| list.contains(name) || list.contains(bare(name));
        if !known(&own) && !known(shared) {
            let message = format!("the path names {{{}}}, but no parameter does", cut(name, 40));
            check.report(Code::PathParameter, at, object.path(), message);
        }
    }
    let mut unknown: Vec<&str> = own.difference(&owner.braced).copied().collect();
    unknown.sort_unstable();
    for name in unknown {
        let message = format!("the parameter {} is in the path, but the path does not name it", quoted(name));
        check.report(Code::PathParameter, at, object.path(), message);
    }
}

/// Parameters that a list has twice. Names of headers have no case.
pub(super) fn twice<'a>(object: &Object<'a, '_>, check: &mut Check<'a, '_>) {
    let mut seen: HashSet<(&str, String)> = HashSet::new();
    for (index, given) in object.node.get("parameters").and_then(Node::as_list).into_iter().flatten().enumerate() {
        let Some(parameter) = check.resolver.behind(given, ObjectKind::Parameter) else { continue };
        let (Some(place), Some(name)) = (parameter.text_of("in"), parameter.text_of("name")) else { continue };
        let key = if place == "header" { name.to_lowercase() } else { name.to_owned() };
        if !seen.insert((place, key)) {
            let message = format!("the {place} parameter {} is given twice", quoted(name));
            check.report(Code::ParameterTwice, given.at, item_of(&object.path(), "parameters", index), message);
        }
    }
}
